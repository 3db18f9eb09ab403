/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf ftrace. */
#ifndef FTRACE_INTERNAL_H
#define FTRACE_INTERNAL_H

#include "base/out.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "bpf/latency.h"
#include "ftrace/ftrace.h"
#include "live/live.h"

/* ---- place.c: where the tracer runs ---- */

struct ftrace_place;
/*
 * files: names that the run will write, NULL-terminated; those that an instance lacks make tracefs
 * itself the place. Refused when that is in use.
 */
int ftrace_place_open(const char *tracer, const char *const *files, struct ftrace_place **out,
		      struct reason *r) MUST_CHECK;
/* Takes everything back, and waits until that is done; NULL does nothing. */
void ftrace_place_close(struct ftrace_place *p);
bool ftrace_place_has(const struct ftrace_place *p, const char *file);
/* The value in place of the old one, or one more line. */
int ftrace_place_write(struct ftrace_place *p, const char *file, const char *value, struct reason *r) MUST_CHECK;
int ftrace_place_append(struct ftrace_place *p, const char *file, const char *value, struct reason *r) MUST_CHECK;
/* The whole text of a file, added to b. */
int ftrace_place_read(const struct ftrace_place *p, const char *file, struct strbuf *b, struct reason *r) MUST_CHECK;
/* trace_pipe, not blocking: a descriptor of the caller's, or -errno. */
int ftrace_place_pipe(const struct ftrace_place *p, struct reason *r) MUST_CHECK;

/* ---- settings.c ---- */

/* Opens the place and writes all that was asked for; tids of the workload and of -p are in t. */
int ftrace_set_up(const struct ftrace *f, const struct target *t, struct ftrace_place **out,
		  struct reason *r) MUST_CHECK;
/* Functions that can be traced and fit the glob, one a line. */
int ftrace_list(const char *glob, struct out *out, struct reason *r) MUST_CHECK;

/* ---- stream.c: a tracer's text, as it comes ---- */

struct ftrace_run {
	struct ftrace *f;
	struct target target;
	struct workload workload;
	struct ftrace_place *place;
	int wake_fd;
	struct out out;
};
/* What is called with each piece of text; 0 or -errno. */
typedef int (*ftrace_take)(void *arg, const char *text, size_t size);
int ftrace_stream(struct ftrace_run *run, ftrace_take take, void *arg, struct reason *r) MUST_CHECK;

/* ---- calls.c: lines of function_graph ---- */

/* A call that ended: " 1)   4.889 us    |  do_filp_open();" or "... | } /<tail>*". */
struct ftrace_call {
	u64 ns;
	const char *name; /* NULL: the line does not say */
	size_t name_len;
};
bool ftrace_call_parse(const char *line, size_t len, struct ftrace_call *out);
/* Cuts text into lines, across pieces. */
struct ftrace_lines {
	struct strbuf rest;
	void (*line)(void *arg, const char *line, size_t len);
	void *arg;
};
void ftrace_lines_take(struct ftrace_lines *l, const char *text, size_t size);

/* ---- histogram.c ---- */

struct ftrace_histogram {
	struct latency_scale scale;
	struct latency_sums sums;
	u64 slots[LATENCY_SLOTS];
};
void ftrace_histogram_init(struct ftrace_histogram *h, const struct ftrace *f);
void ftrace_histogram_add(struct ftrace_histogram *h, u64 ns);
void ftrace_histogram_print(const struct ftrace_histogram *h, const struct ftrace *f, struct strbuf *b);

/* ---- the commands ---- */

int ftrace_trace(struct ftrace_run *run, struct reason *r) MUST_CHECK;
int ftrace_latency(struct ftrace_run *run, struct reason *r) MUST_CHECK;
int ftrace_profile(struct ftrace_run *run, struct reason *r) MUST_CHECK;
/* bpf.c */
int ftrace_latency_bpf(struct ftrace_run *run, struct ftrace_histogram *h, struct reason *r) MUST_CHECK;

#endif
