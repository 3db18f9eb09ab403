/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf ftrace. */
#ifndef BUILTIN_FTRACE_INTERNAL_H
#define BUILTIN_FTRACE_INTERNAL_H

#include "base/out.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "bpf/latency.h"
#include "builtin/ftrace/ftrace.h"
#include "live/live.h"

/* ---- guard.c: files of tracefs, and the process that takes everything back ---- */

/*
 * Writes a value to a file. value "" only opens the file, which empties a list. Returns 0 or
 * -errno.
 */
int ftrace_file_write(const char *dir, const char *file, const char *value, int flags);
/* Adds the file's whole text to b, whose text is never NULL afterwards. Returns 0 or -errno. */
int ftrace_file_read(const char *dir, const char *file, struct strbuf *b);

struct ftrace_ring {
	u64 kb; /* for each CPU; 0: they differ */
	/*
	 * what the kernel makes of it once it is used; 0: it is in use, or someone chose its size
	 */
	u64 usual_kb;
};
int ftrace_ring_read(const char *dir, struct ftrace_ring *ring);
/*
 * Gives the ring of dir its usual size if it has lost it: before Linux 6.7, the first size or
 * tracer of any instance makes the kernel forget that it has not enlarged the main ring yet, which
 * is then a page or two for good.
 */
void ftrace_ring_mend(const char *dir, struct ftrace_ring before);

struct ftrace_guard {
	pid_t pid; /* 0: it does not run */
	int pipe;
};
int ftrace_guard_start(struct ftrace_guard *g, struct reason *r) MUST_CHECK;
/*
 * Registers what the guard does at the end, the last first: here a file gets a value. The next two
 * remove an instance and mend a ring.
 */
int ftrace_guard_file(const struct ftrace_guard *g, const char *path, const char *value,
		      struct reason *r) MUST_CHECK;
int ftrace_guard_instance(const struct ftrace_guard *g, const char *dir,
			  struct reason *r) MUST_CHECK;
int ftrace_guard_ring(const struct ftrace_guard *g, const char *dir, struct ftrace_ring before,
		      struct reason *r) MUST_CHECK;
/* Waits until all that is done. */
void ftrace_guard_end(struct ftrace_guard *g);

/* ---- place.c: where the tracer runs ---- */

struct ftrace_place;
/*
 * Opens a place for the tracer. files are the names that the run will write, NULL-terminated; if an
 * instance lacks one, tracefs itself is the place. Refused when that is in use.
 */
int ftrace_place_open(const char *tracer, const char *const *files, struct ftrace_place **out,
		      struct reason *r) MUST_CHECK;
/* Takes everything back, and waits until that is done; NULL does nothing. */
void ftrace_place_close(struct ftrace_place *p);
bool ftrace_place_has(const struct ftrace_place *p, const char *file);
/* Writes the value instead of the old one; ftrace_place_append() adds it as another line. */
int ftrace_place_write(struct ftrace_place *p, const char *file, const char *value,
		       struct reason *r) MUST_CHECK;
int ftrace_place_append(struct ftrace_place *p, const char *file, const char *value,
			struct reason *r) MUST_CHECK;
/* Sets the ring's size for each CPU; 0: the kernel's usual one, unless it is larger already. */
int ftrace_place_set_ring(struct ftrace_place *p, u64 kb, struct reason *r) MUST_CHECK;
/* Immediately undoes what an instance's tracer and size do to the ring of other users. */
void ftrace_place_mend_main(const struct ftrace_place *p);
/* Returns how many events have found no room in the rings so far. */
u64 ftrace_place_lost(const struct ftrace_place *p);
/* Adds a file's whole text to b. */
int ftrace_place_read(const struct ftrace_place *p, const char *file, struct strbuf *b,
		      struct reason *r) MUST_CHECK;
/*
 * Opens trace_pipe, non-blocking. Returns a descriptor, which the caller closes, or -errno with a
 * reason.
 */
int ftrace_place_pipe(const struct ftrace_place *p, struct reason *r) MUST_CHECK;

/* ---- settings.c ---- */

/* Opens the place and writes all requested settings; tids of the workload and of -p are in t. */
int ftrace_set_up(const struct ftrace *f, const struct target *t, struct ftrace_place **out,
		  struct reason *r) MUST_CHECK;
/* Lists the functions that can be traced and match the glob, one a line. */
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
/* Reports what was not seen, unless the target may be idle or the user ended the run. */
void ftrace_say_nothing(const struct ftrace_run *run, const char *what);
/* Called with each piece of text; returns 0 or -errno. */
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
void ftrace_histogram_print(const struct ftrace_histogram *h, const struct ftrace *f,
			    struct strbuf *b);

/* ---- the commands ---- */

int ftrace_trace(struct ftrace_run *run, struct reason *r) MUST_CHECK;
int ftrace_latency(struct ftrace_run *run, struct reason *r) MUST_CHECK;
int ftrace_profile(struct ftrace_run *run, struct reason *r) MUST_CHECK;
/* bpf.c */
int ftrace_latency_bpf(struct ftrace_run *run, struct ftrace_histogram *h,
		       struct reason *r) MUST_CHECK;

#endif
