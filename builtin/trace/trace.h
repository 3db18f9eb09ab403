/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf trace: every system call of a command, of processes or of the system, as a line or in
 * tables; page faults, tracepoints and probes between them.
 *
 *	trace_init, trace_option_rows; options_parse
 *	trace_run	live, or of a file (-i); returns the exit code
 *	trace_release
 *
 * Sources of calls: the BPF programs of util/bpf/trace.bpf.c, which also copy what arguments
 * point to; without BPF the tracepoints raw_syscalls:sys_enter and sys_exit, live or recorded,
 * whose pointers stay pointers.  Other events come through rings (watch/watch.h).
 * Times: ns; of BPF's and the rings' common clock, CLOCK_MONOTONIC.
 * Threads: one.
 */
#ifndef BUILTIN_TRACE_TRACE_H
#define BUILTIN_TRACE_TRACE_H

#include "cli/options.h"

struct trace;

struct trace *trace_new(struct context *ctx);
void trace_free(struct trace *t);
/* Adds the rows of all options, and the end row. */
void trace_option_rows(struct trace *t, option_rows *rows);
/*
 * Traces; argv is the command, or argc is 0. Returns the exit code, EXIT_USAGE (129) if the error
 * is in the command line.
 */
int trace_run(struct trace *t, int argc, const char **argv);
/*
 * Adds the arguments of the `perf record` command that carries out `perf trace record` with these
 * arguments. The caller frees the list.
 */
void trace_record_arguments(struct strlist *out, int argc, const char **argv);

#endif
