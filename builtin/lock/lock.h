/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf lock: which tasks waited for which lock, how long, and where.
 *
 *	lock_init()           before options are parsed
 *	lock_option_rows()    the options of one subcommand, or those of all
 *	lock_settle()         checks them: 0 or EXIT_USAGE, reported
 *	lock_run()            reads a recording (report, info, contention) or counts in the
 *	                      running kernel (contention -b), prints: the exit code
 *	lock_record_args()    perf lock record: the command line of perf record for it
 *	lock_release()
 *
 * A wait begins with the first contention_begin of a task and a lock, or with lock_contended of
 * lockdep, and ends with contention_end or lock_acquired. Times are ns. Waits that were under way
 * when records were lost are left out, and their number is reported. Threads: one.
 *
 * Sources: include/trace/events/lock.h and include/linux/lockdep.h of Linux, futex(2) and
 * include/uapi/linux/futex.h.
 */
#ifndef BUILTIN_LOCK_LOCK_H
#define BUILTIN_LOCK_LOCK_H

#include "base/replace.h"
#include "analysis/analysis.h"
#include "base/text.h"

enum lock_command {
	LOCK_COMMON, /* in front of the subcommand */
	LOCK_REPORT,
	LOCK_INFO,
	LOCK_CONTENTION,
};

/* What a row is of. */
enum lock_by {
	LOCK_BY_CALLER,
	LOCK_BY_ADDRESS,
	LOCK_BY_TASK,
	LOCK_BY_CGROUP,
	LOCK_BY_OWNER,
	LOCK_BY_OWNER_STACK,
};

struct lock {
	struct analysis a;
	enum lock_command command;

	/* as typed */
	const char *key, *fields;
	const char *types, *locks, *callers, *cgroups; /* -Y -L -S -G */
	const char *separator, *output;
	struct replace file; /* of output */
	const char *cpus, *pids, *tids;
	const char *time;
	bool combine, threads, map, by_address, by_owner, by_cgroup, all_cpus, use_bpf, user;
	bool histogram, json, dump;
	bool max_stack_given, map_entries_given;
	u64 most_rows;
	unsigned max_stack, stack_skip;
	u64 map_entries;
	struct strlist delays; /* -J: TIME@LOCK each */

	/* settled */
	enum lock_by by;
};

void lock_init(struct lock *l, struct context *ctx);
void lock_option_rows(struct lock *l, enum lock_command which, option_rows *rows);
int lock_settle(struct lock *l, const struct options *o);
/* Runs the command. argv is the workload of contention -b; argc 0 means none. */
int lock_run(struct lock *l, int argc, const char **argv);
/* Adds "record" and what follows to args; argv is what the user gave after "record". */
int lock_record_args(struct lock *l, int argc, const char **argv, struct strlist *args,
		     struct reason *r) MUST_CHECK;
void lock_release(struct lock *l);

#endif
