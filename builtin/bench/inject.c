// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * internals inject-build-id: a stream of mappings and samples goes through perf inject in a child,
 * with the build-ids of objects of this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "object/buildid.h"
#include "sys/sys.h"

enum { OBJECTS_FOR_MAP = 4, SAMPLE_ID = 24 };

struct inject_run {
	struct bench *b;
	unsigned iterations, maps, samples;
	int verbose;
	struct strlist objects;
	u64 random;
};

static bool has_build_id(const char *path)
{
	struct build_id id;

	return !build_id_of_file(path, &id, NULL);
}

static void collect(struct inject_run *in, const char *dir, unsigned depth)
{
	struct strlist names = { VEC_INIT };

	sys_list(NULL, &names, false, dir);
	vec_for_each(&names.list, name) {
		char *path = xasprintf("%s/%s", dir, *name);
		struct stat st;

		if (in->objects.list.count < (size_t)in->maps * OBJECTS_FOR_MAP &&
		    !lstat(path, &st)) {
			if (S_ISDIR(st.st_mode) && depth < 10)
				collect(in, path, depth + 1);
			else if (S_ISREG(st.st_mode) && has_build_id(path))
				strlist_add(&in->objects, path);
		}
		free(path);
	}
	strlist_release(&names);
}

static void put_header(struct strbuf *s, u32 type, u16 misc, size_t size)
{
	const struct record_header h = { .type = type, .misc = misc, .size = (u16)size };

	strbuf_add(s, &h, sizeof(h));
}

static void put64(struct strbuf *s, u64 v)
{
	strbuf_add(s, &v, sizeof(v));
}

static void put_pair(struct strbuf *s, u32 a, u32 b)
{
	strbuf_add(s, &a, sizeof(a));
	strbuf_add(s, &b, sizeof(b));
}

/* Adds what ends a record that is not a sample: pid and tid, time, identifier. */
static void put_sample_id(struct strbuf *s, u32 pid, u64 time)
{
	put_pair(s, pid, pid);
	put64(s, time);
	put64(s, 0);
}

static void put_begin(struct strbuf *s, u32 pid)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.size = sizeof(attr),
		.flags = attr_flags_of_host(ATTR_EXCLUDE_KERNEL | ATTR_SAMPLE_ID_ALL),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME,
	};

	put64(s, 0x32454c4946524550ULL); /* "PERFILE2" in the writer's byte order */
	put64(s, 16);
	put_header(s, PERF_RECORD_HEADER_ATTR, 0, 8 + sizeof(attr) + 8);
	strbuf_add(s, &attr, sizeof(attr));
	put64(s, 0);
	put_header(s, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 8 + 24 + SAMPLE_ID);
	put_pair(s, pid, 1);
	put_pair(s, pid, 1);
	put64(s, 0);
	put_sample_id(s, pid, 0);
}

static void put_map(struct strbuf *s, u32 pid, const char *path, u32 number, u64 address, u64 time)
{
	size_t len = ALIGN_UP(strlen(path) + 1, (size_t)8);

	put_header(s, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 8 + 64 + len + SAMPLE_ID);
	put_pair(s, pid, pid);
	put64(s, address);
	put64(s, 4096);
	put64(s, 0);
	put_pair(s, 8, 0); /* device */
	put64(s, number);
	put64(s, 0);
	put_pair(s, 4 /* PROT_EXEC */, 0);
	strbuf_str(s, path);
	for (size_t i = strlen(path); i < len; i++)
		strbuf_char(s, '\0');
	put_sample_id(s, pid, time);
}

static void put_sample(struct strbuf *s, u32 pid, u64 address, u64 time)
{
	put_header(s, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 32);
	put64(s, 0);
	put64(s, address);
	put_pair(s, pid, pid);
	put64(s, time);
}

static u32 next_random(struct inject_run *in)
{
	in->random = in->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(in->random >> 33);
}

static void make_stream(struct inject_run *in, struct strbuf *s, u32 pid)
{
	strbuf_clear(s);
	put_begin(s, pid);
	for (unsigned i = 0; i < in->maps; i++) {
		u32 n = next_random(in) % (u32)in->objects.list.count;
		u64 time = next_random(in) % 1000000, address = 0x400000 + n * 8192ULL;

		put_map(s, pid, in->objects.list.items[n], n, address, time);
		for (unsigned k = 0; k < in->samples; k++)
			put_sample(s, pid, address, time + k * 1000ULL);
		if ((i + 1) % 10 == 0)
			put_header(s, PERF_RECORD_FINISHED_ROUND, 0, 8);
	}
}

/* Runs perf inject from the pipe to /dev/null in the child, after reporting that it is ready. */
static void inject(struct bench *b, int in, int ready, bool all)
{
	const char *argv[] = { "inject", "-b", all ? "--buildid-all" : NULL, NULL };
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0 || write(ready, "R", 1) != 1)
		_exit(1);
	b->ctx->verbose = 0;
	_exit(b->inject(b->ctx, all ? 3 : 2, argv));
}

static pid_t start_child(struct inject_run *in, bool all, int *to)
{
	int stream[2], ready[2];
	char byte;
	pid_t pid;

	if (pipe2(stream, O_CLOEXEC) || pipe2(ready, O_CLOEXEC)) {
		bench_failed(errno, "cannot make a pipe");
		return -1;
	}
	pid = bench_fork();
	if (!pid) {
		close(stream[1]);
		inject(in->b, stream[0], ready[1], all);
	}
	close(stream[0]);
	close(ready[1]);
	*to = stream[1];
	if (pid < 0)
		bench_failed(errno, "cannot start a process");
	else if (read(ready[0], &byte, 1) != 1)
		say_warning("the child that injects did not start");
	close(ready[0]);
	if (pid < 0)
		close(stream[1]);
	return pid;
}

static int one_run(struct inject_run *in, bool all, struct strbuf *s, struct figures *times,
		   struct figures *memory)
{
	struct rusage usage;
	int to, status, err;
	pid_t pid = start_child(in, all, &to);
	u64 start;

	if (pid < 0)
		return 1;
	make_stream(in, s, (u32)pid);
	start = clock_now();
	err = write_all(to, s->s, s->len);
	close(to);
	if (wait4(pid, &status, 0, &usage) != pid || status || err) {
		say_error("perf inject failed in the child");
		return 1;
	}
	figures_add(times, (double)(clock_now() - start) / 1e3);
	figures_add(memory, (double)usage.ru_maxrss);
	return 0;
}

static int run_all(struct inject_run *in, bool all)
{
	struct figures times = { 0 }, memory = { 0 };
	struct strbuf stream = STRBUF_INIT;
	double events = (double)in->maps * (in->samples + 2);
	int code = 0;

	for (unsigned i = 0; i < in->iterations && !code; i++) {
		if (in->verbose)
			bench_text(in->b, "  Iteration #%u\n", i + 1);
		code = one_run(in, all, &stream, &times, &memory);
	}
	strbuf_release(&stream);
	if (code)
		return code;
	bench_text(in->b, "  Average build-id%s injection took: %.3f msec (+- %.3f msec)\n",
		   all ? "-all" : "", times.mean / 1e3, figures_deviation(&times) / 1e3);
	bench_text(in->b, "  Average time per event: %.3f usec (+- %.3f usec)\n",
		   times.mean / events, figures_deviation(&times) / events);
	bench_text(in->b, "  Average memory usage: %.0f KB (+- %.0f KB)\n", memory.mean,
		   figures_deviation(&memory));
	bench_metric(in->b, all ? "build-id-all" : "build-id", times.mean / 1e3, "msec");
	bench_metric(in->b, "time-per-event", times.mean / events, "usec");
	bench_metric(in->b, "memory", memory.mean, "KB");
	return 0;
}

int bench_inject_build_id(struct bench *b, int argc, const char **argv)
{
	struct inject_run in = {
		.b = b, .iterations = 100, .maps = 100, .samples = 100, .random = 1
	};
	const struct option_row rows[] = {
		{ OPTION_UINT, 'i', "iterations", &in.iterations,
		  .help = "number of iterations (default: 100)" },
		{ OPTION_UINT, 'm', "nr-mmaps", &in.maps,
		  .help = "mappings of each (default: 100)" },
		{ OPTION_UINT, 'n', "nr-samples", &in.samples,
		  .help = "samples of each mapping (default: 100)" },
		{ OPTION_COUNT, 'v', "verbose", &in.verbose, .help = "report each iteration" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);

	if (code)
		return bench_parsed(code);
	if (!in.maps || in.maps > 100000 || !in.iterations || in.samples > 1000000) {
		say_error("at least one iteration of at least one mapping is needed, of at most "
			  "100000");
		return EXIT_USAGE;
	}
	bench_begin(b);
	collect(&in, "/usr/lib", 0);
	if (in.verbose)
		bench_text(b, "  Collected %zu DSOs\n", in.objects.list.count);
	if (!in.objects.list.count) {
		say_error("no object with a build-id was found below /usr/lib");
		code = 1;
	}
	if (!code)
		code = run_all(&in, false);
	if (!code)
		code = run_all(&in, true);
	strlist_release(&in.objects);
	return code;
}
