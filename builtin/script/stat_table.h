/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `perf stat record` wrote: after each round the values of every event, thread and CPU.
 *
 *	t = stat_table_new(events)
 *	stat_table_record(t, record, ops, arg)	  STAT, STAT_ROUND, STAT_CONFIG, THREAD_MAP records
 *	stat_table_free(t)
 *
 * A round calls ops->row() for all values, in order of event, thread and CPU, then ops->round().
 * The file's values count from the start; with -I a row has what the interval added.
 * Multiplexed values are extrapolated as perf stat does it.
 */
#ifndef BUILTIN_SCRIPT_STAT_TABLE_H
#define BUILTIN_SCRIPT_STAT_TABLE_H

#include "event/sample.h"

struct stat_row {
	const struct event *event;
	s32 cpu;
	s32 thread; /* pid, -1: of no thread */
	u64 value, enabled, running;
	u64 time; /* the time of the round */
};

struct stat_table_ops {
	void (*row)(void *arg, const struct stat_row *row);
	void (*round)(void *arg, u64 time); /* NULL: not requested */
};

struct stat_table;
struct stat_table *stat_table_new(const struct event_set *set);
void stat_table_free(struct stat_table *t);
void stat_table_record(struct stat_table *t, const struct record *rec,
		       const struct stat_table_ops *ops, void *arg);
/* Reports whether stat added up all threads and CPUs. */
bool stat_table_is_global(const struct stat_table *t);

#endif
