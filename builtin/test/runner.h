/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running self-checks: each in a separate process, side by side, with a time limit.
 *
 *	selftest_choose()         which checks, by number or by fragments of their names
 *	selftest_run()            runs them; done() is called for each, in the order of the table
 *	selftest_junit()          the results as a file of JUnit XML
 *	selftest_runs_release()
 *
 * One thread. Errors: -errno with a reason.
 */
#ifndef BUILTIN_TEST_RUNNER_H
#define BUILTIN_TEST_RUNNER_H

#include "base/reason.h"
#include "builtin/test/selftest.h"

struct selftest_settings {
	const char *dso, *objdump; /* as in selftest */
	const char *skip; /* numbers, or fragments of names, separated by commas; NULL: none */
	bool no_fork;     /* all in this process, for a debugger */
	bool sequential;  /* one after the other */
	int verbose;
	unsigned runs;    /* the runs of each check, up to its first failure */
	unsigned timeout; /* seconds for each run */
};

/* One check under way or done. */
struct selftest_run {
	const struct selftest_row *row;
	unsigned number; /* as printed, from 1 */
	bool skip;       /* named by --skip */
	pid_t pid;
	double deadline; /* by the monotonic clock */
	int fd;          /* the child's result byte, reason, NUL, log */
	enum selftest_result result;
	struct strbuf answer;
	const char *reason, *log;
	double seconds;
};

typedef VEC(struct selftest_run) selftest_runs;

/* Reports whether the check of this number and name is one of words. Without words, all are. */
bool selftest_selected(int count, const char **words, unsigned number, const char *name);
/* Fills runs; returns the width of the longest name in the whole table. */
int selftest_choose(const struct selftest_settings *s, int count, const char **words,
		    selftest_runs *runs);
void selftest_run(struct context *ctx, const struct selftest_settings *s, selftest_runs *runs,
		  void (*done)(void *arg, const struct selftest_run *run), void *arg);
int selftest_junit(const char *path, const selftest_runs *runs, struct reason *r);
void selftest_runs_release(selftest_runs *runs);

#endif
