// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verifier accepts every BPF program, whatever its settings say. What a program becomes depends
 * on the compiler, and settings are constants for the verifier, which looks only at what they
 * leave.
 * With a directory as its first argument, the test loads the object files in it instead of those
 * inside perf:
 * tests/cli/bpf_compilers.bats makes them with other compilers. The second argument is how many
 * settings it tries with each program: slow guests try few.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/context.h"
#include "bpf/bpf.h"
#include "bpf/check.h"
#include "bpf/counter.h"
#include "bpf/kmem.h"
#include "bpf/kwork.h"
#include "bpf/latency.h"
#include "bpf/lock.h"
#include "bpf/offcpu.h"
#include "bpf/runq.h"
#include "bpf/sample_filter.h"
#include "bpf/trace.h"
#include "counting.h"

enum { VARIANTS = 6, VARIANTS_OF_TRACE = 20 };

#define WATCHED "on_kfree" /* of kmem */

static const char *directory; /* NULL: the programs inside perf */
static unsigned most_variants = VARIANTS_OF_TRACE;

static const struct program {
	const char *image;
	size_t settings;     /* bytes */
	const char *maps[3]; /* those whose size the caller decides */
	bool needs;          /* `feature` */
	enum bpf_feature feature;
} programs[] = {
	{ "check", sizeof(struct check_settings), { NULL } },
	{ "counter_cgroups", sizeof(struct counter_settings), { NULL } },
	{ "counter_program", sizeof(struct counter_settings), { NULL } },
	{ "counter_tasks", sizeof(struct counter_settings), { NULL } },
	{ "kmem", sizeof(struct kmem_settings), { "objects" } },
	{ "kmem_page", sizeof(struct kmem_settings), { "blocks" } },
	{ "kwork", sizeof(struct kwork_settings), { NULL } },
	{ "latency", sizeof(struct latency_settings), { NULL } },
	{ "lock",
	  sizeof(struct lock_settings),
	  { "open_waits", "rows", "stacks" },
	  true,
	  BPF_LOCK_EVENTS },
	{ "offcpu", sizeof(struct offcpu_settings), { NULL } },
	{ "runq", sizeof(struct runq_settings), { NULL } },
	{ "sample_filter",
	  sizeof(struct sample_filter_settings),
	  { NULL },
	  true,
	  BPF_WHOLE_SAMPLES },
	{ "sample_filter_pinned", 0, { NULL }, true, BPF_WHOLE_SAMPLES },
	{ "trace", sizeof(struct trace_settings), { NULL } },
};

static void print_log(void *arg, const char *lines)
{
	(void)arg;
	print_error("%s", lines);
}

/* Opens an image or its file, with all of its programs switched on. */
static struct bpf_run *open_program(const char *image, struct reason *r)
{
	char *path = directory ? xasprintf("%s/%s.bpf.o", directory, image) : NULL;
	struct bpf_run *run = path ? bpf_run_open_file(path, image, r) : bpf_run_open(image, r);
	const char *name;

	for (size_t i = 0; run && (name = bpf_run_program_name(run, i)); i++)
		bpf_run_enable(run, name, true);
	free(path);
	return run;
}

/*
 * Loads the program once with these settings; target: a loaded program that another one may watch.
 */
static bool load(const struct program *p, const u8 *settings, int target, unsigned seed)
{
	struct context ctx = { .verbose = strcmp(p->image, "counter_program") != 0,
			       .debug_text = print_log };
	struct reason r = REASON_INIT;
	struct bpf_run *run = open_program(p->image, &r);
	void *s = NULL;
	int err;

	if (!run)
		fail_msg("%s: %s", p->image, r.text);
	if (p->settings) {
		s = bpf_run_variable(run, "settings", p->settings);
		assert_non_null(s);
		memcpy(s, settings, p->settings);
	}
	for (size_t i = 0; i < ARRAY_SIZE(p->maps) && p->maps[i]; i++)
		assert_int_equal(bpf_run_map_entries(run, p->maps[i], 1024), 0);
	if (!strcmp(p->image, "counter_program")) {
		bpf_run_target(run, "on_begin", target, WATCHED);
		bpf_run_target(run, "on_end", target, WATCHED);
	}
	err = bpf_run_load(&ctx, run, &r);
	if (err == -EPERM && !strcmp(p->image, "counter_program"))
		print_message("this kernel lets no program be attached to another one\n");
	else if (err)
		print_error("'%s' with the settings number %u: %s\n", p->image, seed, r.text);
	reason_release(&r);
	bpf_run_close(run);
	return !err || err == -EPERM;
}

/*
 * Turns copying on, because a trace that only counts copies nothing, and most of the program is
 * code that copies.
 */
static void copy_much(struct trace_settings *s, unsigned number)
{
	s->count_only = 0;
	s->sides = TRACE_ENTRY | TRACE_EXIT;
	if (number % 2)
		s->kinds = ~0U;
}

/*
 * Fills the settings: number 0 is all zeros, 1 all ones; in the others about half of the bytes are
 * 0.
 */
static void fill(u8 *settings, size_t size, unsigned number)
{
	static const u8 values[] = { 0, 0, 1, 255 };
	u64 state = number * 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < size; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		settings[i] = number < 2 ? (u8)number * 255 : values[state >> 62];
	}
}

static void every_program_loads_with_any_settings(void **state)
{
	struct context ctx = { .verbose = 1, .debug_text = print_log };
	struct reason r = REASON_INIT;
	struct bpf_run *watched;
	_Alignas(8) u8 settings[4096];

	bool keeps_cpu, all_load = true;

	(void)state;
	if (!counts() || bpf_usable("the test", &r)) {
		print_message("skipped: %s\n", r.text ? r.text : "no events here");
		reason_release(&r);
		skip();
	}
	watched = open_program("kmem", &r);
	if (!watched || bpf_run_load(&ctx, watched, &r))
		fail_msg("%s", r.text);
	keeps_cpu = bpf_kernel_has(BPF_MEMBER, "bpf_subprog_info", "might_sleep");
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program *p = &programs[i];
		unsigned all = !strcmp(p->image, "trace") ? VARIANTS_OF_TRACE
			       : p->settings              ? VARIANTS
							  : 1;
		unsigned variants = all < most_variants ? all : most_variants;

		bool ok = true;

		if (p->needs && bpf_kernel_needs(p->feature, p->image, NULL, &r)) {
			print_message("%s: refused: %s\n", p->image, r.text);
			reason_release(&r);
			continue;
		}
		assert_true(p->settings <= sizeof(settings));
		for (unsigned n = 0; ok && n < variants; n++) {
			fill(settings, p->settings, n);
			if (!strcmp(p->image, "trace"))
				((struct trace_settings *)settings)->keeps_cpu = keeps_cpu;
			if (!strcmp(p->image, "trace") && n > 1)
				copy_much((struct trace_settings *)settings, n);
			ok = load(p, settings, bpf_run_program(watched, WATCHED), n);
		}
		print_message("%s: %s\n", p->image, ok ? "loads" : "does not load");
		all_load &= ok;
	}
	bpf_run_close(watched);
	assert_true(all_load);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_program_loads_with_any_settings),
	};

	directory = argc > 1 && *argv[1] ? argv[1] : NULL;
	if (argc > 2)
		most_variants = (unsigned)atoi(argv[2]);
	return cmocka_run_group_tests_name("bpf_programs", tests, NULL, NULL);
}
