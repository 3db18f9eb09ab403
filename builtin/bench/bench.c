// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of collections, and the run of one benchmark or of all. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/text.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

static const struct benchmark epoll_benchmarks[] = {
	{ "wait", "Benchmark epoll concurrent epoll_waits", bench_epoll_wait },
	{ "ctl", "Benchmark epoll concurrent epoll_ctls", bench_epoll_ctl },
	{ NULL },
};

static const struct benchmark futex_benchmarks[] = {
	{ "hash", "Benchmark for futex hash table", bench_futex_hash },
	{ "wake", "Benchmark for futex wake calls", bench_futex_wake },
	{ "wake-parallel", "Benchmark for parallel futex wake calls", bench_futex_wake_parallel },
	{ "requeue", "Benchmark for futex requeue calls", bench_futex_requeue },
	{ "lock-pi", "Benchmark for futex lock_pi calls", bench_futex_lock_pi },
	{ NULL },
};

static const struct collection collections[] = {
	{ "sched", "Scheduler and IPC benchmarks", sched_benchmarks },
	{ "syscall", "System call benchmarks", syscall_benchmarks },
	{ "mem", "Memory access benchmarks", mem_benchmarks },
	{ "numa", "NUMA scheduling and MM benchmarks", numa_benchmarks },
	{ "futex", "Futex stressing benchmarks", futex_benchmarks },
	{ "epoll", "Epoll stressing benchmarks", epoll_benchmarks },
	{ "internals", "Perf-internals benchmarks", internals_benchmarks },
	{ "breakpoint", "Breakpoint benchmarks", breakpoint_benchmarks },
	{ "uprobe", "uprobe benchmarks", uprobe_benchmarks },
};

static void list_benchmarks(const struct collection *c)
{
	printf("\n        # List of available benchmarks for collection '%s':\n\n", c->name);
	for (const struct benchmark *m = c->benchmarks; m->name; m++)
		printf("%14s: %s\n", m->name, m->summary);
	printf("%14s: Run all %s benchmarks\n\n", "all", c->name);
}

static void list_collections(void)
{
	printf("Usage: \n\tperf bench [<common options>] <collection> <benchmark> [<options>]\n\n"
	       "        # List of all available benchmark collections:\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(collections); i++)
		printf("%14s: %s\n", collections[i].name, collections[i].summary);
	printf("%14s: All benchmarks\n\n", "all");
}

const char *const *bench_collections(void)
{
	static const char *names[ARRAY_SIZE(collections) + 2];

	for (size_t i = 0; i < ARRAY_SIZE(collections); i++)
		names[i] = collections[i].name;
	names[ARRAY_SIZE(collections)] = "all";
	return names;
}

/* Runs one benchmark. The task takes the benchmark's name, so a profile shows it. */
static int run_one(struct bench *b, const struct collection *c, const struct benchmark *m, int argc,
		   const char **argv)
{
	struct strbuf name = STRBUF_INIT, options = STRBUF_INIT, comm = STRBUF_INIT;
	int code;

	strbuf_f(&name, "%s/%s", c->name, m->name);
	strbuf_f(&options, "bench %s %s", c->name, m->name);
	strbuf_f(&comm, "%s-%s", c->name, m->name);
	prctl(PR_SET_NAME, strbuf_cstr(&comm));
	b->name = strbuf_cstr(&name);
	atomic_store(&b->time_is_up, false);
	b->options = strbuf_cstr(&options);
	code = m->run(b, argc, argv);
	if (b->format == BENCH_JSON && b->metrics.len)
		printf("{\"benchmark\": \"%s\", \"metrics\": [%s]}\n", b->name,
		       strbuf_cstr(&b->metrics));
	fflush(stdout);
	strbuf_clear(&b->metrics);
	strbuf_release(&name);
	strbuf_release(&options);
	strbuf_release(&comm);
	return code;
}

/* Runs all benchmarks of a collection. If one fails, the others still run. */
static int run_collection(struct bench *b, const struct collection *c)
{
	int code = 0;

	for (const struct benchmark *m = c->benchmarks; m->name; m++) {
		const char *argv[] = { m->name, NULL };

		if (m->alone || context_cancelled(b->ctx))
			continue;
		bench_text(b, "# Running %s/%s benchmark...\n", c->name, m->name);
		code |= run_one(b, c, m, 1, argv);
		bench_text(b, "\n");
	}
	return code;
}

static int run_everything(struct bench *b)
{
	int code = 0;

	for (size_t i = 0; i < ARRAY_SIZE(collections); i++)
		code |= run_collection(b, &collections[i]);
	return code;
}

static const struct collection *find_collection(const char *name)
{
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(collections); i++)
		if (!strcmp(collections[i].name, name))
			return &collections[i];
	say_error("there is no collection '%s' of benchmarks", name);
	near = nearest_name(name, bench_collections(), ARRAY_SIZE(collections) + 1);
	if (near)
		say_hint("did you mean '%s'?", near);
	else
		say_hint("'perf bench' lists the collections");
	return NULL;
}

static const struct benchmark *find_benchmark(const struct collection *c, const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct benchmark *m = c->benchmarks; m->name; m++) {
		if (!strcmp(m->name, name)) {
			vec_release(&names);
			return m;
		}
		vec_push(&names, m->name);
	}
	near = nearest_name(name, names.items, names.count);
	say_error("the collection '%s' has no benchmark '%s'", c->name, name);
	if (near)
		say_hint("did you mean '%s'?", near);
	else
		say_hint("'perf bench %s' lists its benchmarks", c->name);
	vec_release(&names);
	return NULL;
}

static int run_named(struct bench *b, const struct collection *c, int argc, const char **argv)
{
	const struct benchmark *m;
	char *title;
	int code;

	if (argc < 2 || !strcmp(argv[1], "-h")) {
		list_benchmarks(c);
		return 0;
	}
	if (!strcmp(argv[1], "--help")) { /* one page describes all of them */
		const struct option_row none[] = { OPT_END_ROW };
		const char *words[] = { "bench", "--help", NULL };
		int count = 2;

		b->options = "bench";
		return MAX(bench_options(b, none, &count, words), 0);
	}
	if (!strcmp(argv[1], "--list-cmds")) {
		for (m = c->benchmarks; m->name; m++)
			printf("%s ", m->name);
		printf("all\n");
		return 0;
	}
	if (!strcmp(argv[1], "all") && argc == 2)
		return run_collection(b, c);
	if (!strcmp(argv[1], "all")) {
		say_error("'%s': all benchmarks of '%s' take no options", argv[2], c->name);
		say_hint("'perf bench %s BENCHMARK -h' lists those of one; common options come "
			 "first, as in perf bench -r 1 %s all",
			 c->name, c->name);
		return EXIT_USAGE;
	}
	m = find_benchmark(c, argv[1]);
	if (!m)
		return EXIT_USAGE;
	title = xasprintf("# Running '%s/%s' benchmark:\n", c->name, m->name);
	if (b->format == BENCH_DEFAULT)
		b->title = title;
	code = run_one(b, c, m, argc - 1, argv + 1);
	b->title = NULL;
	free(title);
	return code;
}

int bench_run(const struct bench_settings *s, int argc, const char **argv)
{
	struct bench b = {
		.ctx = s->ctx,
		.format = s->format,
		.repeat = s->repeat,
		.inject = s->inject,
	};
	const struct collection *c;
	int code = EXIT_USAGE;

	if (!argc) {
		list_collections();
		return 0;
	}
	if (!strcmp(argv[0], "all") && argc == 1) {
		code = run_everything(&b);
	} else if (!strcmp(argv[0], "all")) {
		say_error("'%s': options cannot be given to all benchmarks together", argv[1]);
		say_hint("'perf help bench' lists those of single benchmarks");
		code = EXIT_USAGE;
	} else {
		c = find_collection(argv[0]);
		if (c)
			code = run_named(&b, c, argc, argv);
	}
	strbuf_release(&b.metrics);
	return code;
}
