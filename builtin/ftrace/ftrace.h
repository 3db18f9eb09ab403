/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf ftrace: what functions the kernel runs, how often, how long.
 *
 *	ftrace_init()		before options are parsed
 *	ftrace_option_rows()	the options of trace, latency or profile
 *	ftrace_settle()		checks them: 0 or EXIT_USAGE, said
 *	ftrace_run()		traces and prints: the exit code
 *	ftrace_release()
 *
 * The tracer runs in an instance of its own in tracefs, where this kernel can do that; else in
 * tracefs itself, if nobody uses it, and every file that was changed gets its value back. A guard
 * process does either, also after kill -9.
 * latency measures by BPF (--use-bpf) between entry and return of a function of the kernel or of a
 * program, or between two events of a thread; nothing is in tracefs then.
 * Times are ns. Threads: one. Sources: Documentation/trace/ftrace.rst of Linux.
 */
#ifndef BUILTIN_FTRACE_FTRACE_H
#define BUILTIN_FTRACE_FTRACE_H

#include "base/context.h"
#include "base/text.h"
#include "cli/options.h"

enum ftrace_command {
	FTRACE_TRACE,
	FTRACE_LATENCY,
	FTRACE_PROFILE,
};

/* One of the options of a tracer, as --graph-opts and --func-opts name it. */
enum ftrace_flag {
	FTRACE_CALL_GRAPH,
	FTRACE_IRQ_INFO, /* function */
	FTRACE_NOSLEEP_TIME,
	FTRACE_NOIRQS,
	FTRACE_VERBOSE,
	FTRACE_TAIL, /* function_graph */
	FTRACE_ARGS,
	FTRACE_RETVAL,
	FTRACE_RETVAL_HEX,
	FTRACE_RETADDR,
	FTRACE_FLAGS,
};

struct ftrace {
	struct context *ctx;
	enum ftrace_command command;

	/* as typed */
	const char *tracer, *pids, *tids, *cpus, *list, *sort, *events, *exec;
	bool tracer_given, list_given, all_cpus, inherit, use_bpf, use_nsec, hide_empty;
	struct strlist functions, not_functions, graph, not_graph; /* -T -N -G -g */
	bool flags[FTRACE_FLAGS];
	u64 threshold, depth;                       /* us; calls deep; 0: any */
	u64 buffer;                                 /* bytes for each CPU; 0: as it is */
	u64 delay;                                  /* ns */
	u64 bucket_range, min_latency, max_latency; /* us, or ns with use_nsec; 0: not given */
};

void ftrace_init(struct ftrace *f, struct context *ctx);
void ftrace_option_rows(struct ftrace *f, enum ftrace_command command, option_rows *rows);
/* Settles the options; argc counts the words of the workload. */
int ftrace_settle(struct ftrace *f, const struct options *o, int argc);
int ftrace_run(struct ftrace *f, int argc, const char **argv);
void ftrace_release(struct ftrace *f);

#endif
