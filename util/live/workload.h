/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is measured.
 *
 *	workload_check()    can it be run at all? nothing is changed yet
 *	workload_prepare()  forked, and held before its exec: events are opened on it now
 *	workload_start()    it execs
 *	workload_wait()     until it has ended; then its exit code or signal
 *
 * Threads: one.
 */
#ifndef LIVE_WORKLOAD_H
#define LIVE_WORKLOAD_H

#include <sys/types.h>

#include "base/context.h"
#include "base/reason.h"
#include "base/types.h"

/* A workload, forked and held before its exec. */
struct workload {
	pid_t pid;
	int go_fd;    /* a byte: exec; end of file: exit without a trace */
	int error_fd; /* errno of a failed exec arrives here */
	int status;   /* wait status, once reaped */
	bool started, reaped;
	const char *program; /* argv[0] */
	/* set before workload_prepare() */
	bool stdout_to_stderr;    /* standard output is ours */
	bool no_input, no_output; /* standard input, standard output and error are /dev/null */
};
/*
 * A program that cannot be found is an error before anything is opened or
 * renamed: -ENOENT, or -EACCES when it may not be executed.
 */
int workload_check(const char *const *argv, struct reason *r);
int workload_prepare(struct workload *w, const char *const *argv, struct reason *r);
/*
 * Call this if events are opened on the workload's task alone: adds a warning if its program runs
 * with rights that perf's user does not have, and returns whether it did. The kernel ends the
 * events of such a task at its exec.
 */
bool workload_warn_privileged(struct context *ctx, const struct workload *w);
/* Lets it exec: 0, or -errno with "PROGRAM: No such file" when exec failed. */
int workload_start(struct workload *w, struct reason *r);
/* true when it has ended; wait == false polls. */
bool workload_wait(struct workload *w, bool wait);
void workload_kill(struct workload *w, int sig);
/* Exit status to hand on: its own, or 128 + N. */
int workload_exit_code(const struct workload *w);
/*
 * Once it has ended by itself, its exit code becomes perf's, unless perf fails:
 * workload_handed_on(), 0 if none was handed on.
 */
void workload_hand_on(struct workload *w);
int workload_handed_on(void);
/*
 * Its program could not be run: 127 if there is none, otherwise 126, as a shell would say; 0 if
 * nothing failed.
 */
int workload_refused(void);
/* The signal that ended it, or 0. */
int workload_end_signal(const struct workload *w);

#endif
