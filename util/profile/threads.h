/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks what records beside the samples say about threads: which of them run, and in which cgroup
 * namespace they are.
 *
 * Plain data. The records come in order of time, except for thread_change_of(), which keeps
 * nothing. Data of a thread is dropped at its EXIT record.
 */
#ifndef PROFILE_THREADS_H
#define PROFILE_THREADS_H

#include "base/context.h"
#include "base/hash.h"
#include "base/vec.h"
#include "event/sample.h"

/* A thread starts or stops running. */
struct thread_change {
	u32 tid;
	bool runs;
};
/* Reads a change from a record. Returns false if the record has none, or is damaged. */
bool thread_change_of(const struct event_set *events, const struct record *rec,
		      const struct order_key *key, struct thread_change *out);

/* How many threads run now. */
struct running_threads {
	struct map64 tids;
	u32 count;
};
/* Applies a change. Returns whether the count changed. */
bool running_threads_apply(struct running_threads *t, const struct thread_change *c);
void running_threads_release(struct running_threads *t);

/* Cgroup namespaces, numbered from 1. */
struct cgroup_space {
	u64 dev, ino;
};
struct cgroup_spaces {
	VEC(struct cgroup_space) list;
	struct map64 by_hash; /* -> place in the list + 1 */
};
/*
 * Reads a NAMESPACES record: the thread and the number of its namespace. Returns false if it has
 * none.
 */
bool cgroup_spaces_record(struct cgroup_spaces *s, const struct event_set *events,
			  const struct record *rec, u32 *tid, u64 *number);
const struct cgroup_space *cgroup_spaces_get(const struct cgroup_spaces *s, u64 number);
void cgroup_spaces_release(struct cgroup_spaces *s);

#endif
