// SPDX-License-Identifier: GPL-2.0-or-later
/* internals synthesize, kallsyms-parse, pmu-scan: what perf itself does before it can measure. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "event/event.h"
#include "event/pmu.h"
#include "symbol/find_kernel.h"
#include "synth/synth.h"

struct synth_run {
	struct bench *b;
	unsigned min_threads, max_threads, single, multi; /* iterations */
	bool one_thread, many_threads;
};

static u64 count_records(const struct strbuf *s)
{
	u64 n = 0;

	for (size_t at = 0; at + sizeof(struct record_header) <= s->len; n++) {
		struct record_header h;

		memcpy(&h, s->s + at, sizeof(h));
		if (h.size < sizeof(h))
			break;
		at += h.size;
	}
	return n;
}

static void put_synthesis(struct bench *b, const char *indent, const char *what,
			  const struct figures *times, const struct figures *events)
{
	bench_text(b, "%sAverage %ssynthesis took: %.3f usec (+- %.3f usec)\n", indent, what,
		   times->mean, figures_deviation(times));
	bench_text(b, "%sAverage num. events: %.3f (+- %.3f)\n", indent, events->mean,
		   figures_deviation(events));
	bench_text(b, "%sAverage time per event %.3f usec\n", indent,
		   events->mean > 0 ? times->mean / events->mean : 0);
	bench_metric(b, *what ? "data-synthesis" : "synthesis", times->mean, "usec");
	bench_metric(b, "events", events->mean, "events");
}

static int synthesize(struct synth_run *s, const struct event *ev, const struct target *t,
		      unsigned threads, unsigned iterations, const char *indent, const char *what)
{
	struct figures times = { 0 }, events = { 0 };
	const struct synth_how how = { .threads = threads };
	struct reason r = REASON_INIT;
	struct strbuf out = STRBUF_INIT;

	for (unsigned i = 0; i < iterations; i++) {
		u64 start = clock_now();

		strbuf_clear(&out);
		if (synth_tasks(s->b->ctx, &out, ev, t, &how, &r)) {
			strbuf_release(&out);
			return say_reason(&r);
		}
		figures_add(&times, (double)(clock_now() - start) / 1e3);
		figures_add(&events, (double)count_records(&out));
	}
	strbuf_release(&out);
	put_synthesis(s->b, indent, what, &times, &events);
	return 0;
}

static int synthesize_self(struct synth_run *s, struct event *ev)
{
	pid_t self = getpid();
	const struct target t = { .tids = &self, .tid_count = 1 };
	int code;

	bench_text(s->b, "Computing performance of single threaded perf event synthesis by\n"
			 "synthesizing events on the perf process itself:\n");
	code = synthesize(s, ev, &t, 1, s->single, "  ", "");
	ev->attr.flags |= ATTR_MMAP_DATA;
	if (!code)
		code = synthesize(s, ev, &t, 1, s->single, "  ", "data ");
	ev->attr.flags &= ~ATTR_MMAP_DATA;
	return code;
}

static int synthesize_all(struct synth_run *s, const struct event *ev)
{
	const struct target t = { .system_wide = true };
	int code = 0;

	if (!s->max_threads)
		s->max_threads = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	bench_text(s->b, "Computing performance of multi threaded perf event synthesis by\n"
			 "synthesizing events on CPU 0:\n");
	for (unsigned n = s->min_threads; n <= s->max_threads && !code; n++) {
		bench_text(s->b, "  Number of synthesis threads: %u\n", n);
		bench_metric(s->b, "threads", n, "threads");
		code = synthesize(s, ev, &t, n, s->multi, "    ", "");
	}
	return code;
}

static int bench_synthesize(struct bench *b, int argc, const char **argv)
{
	struct synth_run s = { .b = b, .min_threads = 1, .single = 10000, .multi = 10 };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 's', "st", &s.one_thread,
		  .help = "of this process, in one thread (default)" },
		{ OPTION_FLAG, 't', "mt", &s.many_threads,
		  .help = "of all processes, in many threads" },
		{ OPTION_UINT, 'm', "min-threads", &s.min_threads,
		  .help = "fewest threads (default: 1)" },
		{ OPTION_UINT, 'M', "max-threads", &s.max_threads,
		  .help = "maximum number of threads (default: the number of CPUs)" },
		{ OPTION_UINT, 'i', "single-iterations", &s.single,
		  .help = "iterations with one thread (default: 10000)" },
		{ OPTION_UINT, 'I', "multi-iterations", &s.multi,
		  .help = "iterations with many threads (default: 10)" },
		OPT_END_ROW,
	};
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.flags = ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_TASK | ATTR_SAMPLE_ID_ALL,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	int code = bench_options(b, rows, &argc, argv);
	struct event_set set;
	struct event *ev;

	if (code)
		return bench_parsed(code);
	if (!s.min_threads || s.min_threads > 1024 || s.max_threads > 1024) {
		say_error("threads are from 1 to 1024");
		return EXIT_USAGE;
	}
	bench_begin(b);
	event_set_init(&set);
	ev = event_set_add(&set, &attr, "dummy");
	if (s.one_thread || !s.many_threads)
		code = synthesize_self(&s, ev);
	if (!code && s.many_threads)
		code = synthesize_all(&s, ev);
	event_set_release(&set);
	return code;
}

static int bench_kallsyms_parse(struct bench *b, int argc, const char **argv)
{
	unsigned iterations = 100;
	const struct option_row rows[] = {
		{ OPTION_UINT, 'i', "iterations", &iterations,
		  .help = "number of iterations (default: 100)" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);
	struct reason r = REASON_INIT;
	struct figures times = { 0 };

	if (code)
		return bench_parsed(code);
	bench_begin(b);
	for (unsigned i = 0; i < iterations; i++) {
		struct kernel_list_of_names *names;
		u64 start = clock_now();

		if (kernel_names_open(NULL, &names, &r))
			return say_reason(&r);
		figures_add(&times, (double)(clock_now() - start) / 1e6);
		kernel_names_free(names);
	}
	bench_text(b, "  Average kallsyms__parse took: %.3f ms (+- %.3f ms)\n", times.mean,
		   figures_deviation(&times));
	bench_metric(b, "time", times.mean, "msec");
	return 0;
}

static int scan(bool core, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	int err = core ? pmu_core_names(NULL, &names) : pmu_names(NULL, &names);

	vec_for_each(&names.list, name) {
		struct pmu *pmu = pmu_load(NULL, *name, r);

		/* one that has disappeared meanwhile does not count */
		reason_release(r);
		pmu_free(pmu);
	}
	strlist_release(&names);
	return err == -ENOENT ? 0 : err;
}

static int time_scans(struct bench *b, bool core, unsigned iterations)
{
	struct reason r = REASON_INIT;
	struct figures times = { 0 };

	for (unsigned i = 0; i < iterations; i++) {
		u64 start = clock_now();
		int err = scan(core, &r);

		if (err)
			return bench_failed(-err, "cannot list the PMUs");
		figures_add(&times, (double)(clock_now() - start) / 1e3);
	}
	bench_text(b, "  Average %sPMU scanning took: %.3f usec (+- %.3f usec)\n",
		   core ? "core " : "", times.mean, figures_deviation(&times));
	bench_metric(b, core ? "core" : "all", times.mean, "usec");
	return 0;
}

static int bench_pmu_scan(struct bench *b, int argc, const char **argv)
{
	unsigned iterations = 100;
	const struct option_row rows[] = {
		{ OPTION_UINT, 'i', "iterations", &iterations,
		  .help = "number of iterations (default: 100)" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);

	if (code)
		return bench_parsed(code);
	bench_text(b, "Computing performance of sysfs PMU event scan for %u times\n", iterations);
	code = time_scans(b, true, iterations);
	return code ? code : time_scans(b, false, iterations);
}

const struct benchmark internals_benchmarks[] = {
	{ "synthesize", "Benchmark perf event synthesis", bench_synthesize },
	{ "kallsyms-parse", "Benchmark kallsyms parsing", bench_kallsyms_parse },
	{ "inject-build-id", "Benchmark build-id injection", bench_inject_build_id },
	{ "evlist-open-close", "Benchmark evlist open and close", bench_evlist_open_close },
	{ "pmu-scan", "Benchmark sysfs PMU info scanning", bench_pmu_scan },
	{ NULL },
};
