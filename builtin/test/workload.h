/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bundled workloads: small programs inside perf with known symbols and known behaviour, to try a
 * recording on and for the tests (perf test -w NAME).
 *
 * They are compiled without optimisation and with frame pointers (see the Makefile), so the
 * functions named in each purpose show up in chains. Functions, variables and the file of
 * inlineloop have the names of perf 7's workloads, since other people's tests look for them. They
 * may change the process (comm, signals, threads): run one, then exit.
 */
#ifndef BUILTIN_TEST_WORKLOAD_H
#define BUILTIN_TEST_WORKLOAD_H

#include "base/reason.h"

struct workload_row {
	const char *name;
	const char *args; /* "[SECONDS]" */
	const char *purpose;
	/* 0 or -errno; argv has the arguments after the name */
	int (*run)(int argc, const char **argv, struct reason *r);
};

/* Ended by a row without name. */
extern const struct workload_row workloads[];
const struct workload_row *workload_find(const char *name);
/* Returns the workload whose name is most like this one, or NULL. */
const char *workload_nearest(const char *name);

/*
 * Runs a workload. Returns 0 or -errno; -EINVAL, without running it, if there are more arguments
 * than it takes.
 */
int workload_run(const struct workload_row *w, int argc, const char **argv, struct reason *r);

/*
 * Runs a workload like workload_run(), with the samples of a recorder that has this --control
 * switched on meanwhile.
 */
int workload_run_recorded(const struct workload_row *w, const char *control, int argc,
			  const char **argv, struct reason *r);

/* Parses argv[i] as a number not above max, or sets fallback when it was not given. */
int workload_number(int argc, const char **argv, int i, u64 max, u64 fallback, u64 *out,
		    struct reason *r);
/* Parses argv[i] as seconds, also "0.3"; 1 when it was not given. */
int workload_seconds(int argc, const char **argv, int i, double *seconds, struct reason *r);
/* Set when workload_timer's seconds have passed (or SIGINT came). */
extern volatile int workload_done;
void workload_timer(double seconds);

int workload_noploop(int argc, const char **argv, struct reason *r);
int workload_thloop(int argc, const char **argv, struct reason *r);
int workload_leafloop(int argc, const char **argv, struct reason *r);
int workload_sqrtloop(int argc, const char **argv, struct reason *r);
int workload_brstack(int argc, const char **argv, struct reason *r);
int workload_datasym(int argc, const char **argv, struct reason *r);
int workload_inlineloop(int argc, const char **argv, struct reason *r);
int workload_traploop(int argc, const char **argv, struct reason *r);
int workload_landlock(int argc, const char **argv, struct reason *r);
int workload_jitdump(int argc, const char **argv, struct reason *r);
int workload_context_switch_loop(int argc, const char **argv, struct reason *r);
int workload_named_threads(int argc, const char **argv, struct reason *r);
int workload_deterministic(int argc, const char **argv, struct reason *r);
int workload_callchain(int argc, const char **argv, struct reason *r);

#endif
