/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: the two persistent structures that histories consist of.
 *
 * Timeline: what held since when. A list of versions with jump pointers: the version at a key is
 * found in O(log n), the newest one immediately. All timelines share one array; a timeline is the
 * index of its newest version (0: empty).
 *
 * Space: a treap of mappings ordered by start, never overlapping. A change copies the path to it,
 * so old roots stay valid. Nodes made since spaces_freeze() are changed in place, because no reader
 * has seen them.
 *
 * Threads: one writer, no reader beside it; then any number of readers.
 */
#ifndef PROCESS_INTERNAL_H
#define PROCESS_INTERNAL_H

#include "base/segments.h"
#include "process/history.h"

struct version {
	struct order_key since;
	u32 value;
	u32 older; /* 0: none */
	u32 jump;  /* a version further back, for the search */
	u32 depth;
};

struct timelines {
	struct segments versions; /* elements are struct version; 0 is not used */
};

void timelines_init(struct timelines *t);
void timelines_release(struct timelines *t);
static inline struct version *timeline_version(const struct timelines *t, u32 index)
{
	return segments_at(&t->versions, sizeof(struct version), index);
}
/*
 * Returns the index of the version at the key, or 0. Narrows holds, if not NULL, to the keys with
 * the same result.
 */
u32 timeline_within(const struct timelines *t, u32 newest, const struct order_key *key,
		    struct key_range *holds);
static inline u32 timeline_at(const struct timelines *t, u32 newest, const struct order_key *key)
{
	return timeline_within(t, newest, key, NULL);
}
/* Adds a value that holds from key on; key does not descend. Returns the new newest version. */
u32 timeline_add(struct timelines *t, u32 newest, const struct order_key *key, u32 value);
/* Returns the value at the key, or `none`; holds: as above. */
static inline u32 timeline_value_within(const struct timelines *t, u32 newest,
					const struct order_key *key, u32 none,
					struct key_range *holds)
{
	u32 v = timeline_within(t, newest, key, holds);

	return v ? timeline_version(t, v)->value : none;
}
static inline u32 timeline_value(const struct timelines *t, u32 newest, const struct order_key *key,
				 u32 none)
{
	return timeline_value_within(t, newest, key, none, NULL);
}

struct spaces {
	struct segments nodes; /* 0 is the empty tree */
	struct segments mappings;
	u32 frozen; /* nodes below this may be seen from outside */
	u64 random;
};

void spaces_init(struct spaces *s);
void spaces_release(struct spaces *s);
/* Keeps every root so far as it is. */
void spaces_freeze(struct spaces *s);
/* Returns a root where m replaces whatever it overlaps. m->start < m->end. */
u32 space_map(struct spaces *s, u32 root, const struct mapping *m);
/* Returns a root where nothing is mapped in [start, end). */
u32 space_unmap(struct spaces *s, u32 root, u64 start, u64 end);
/* Returns the mapping with the greatest start that is not above addr, whatever its end. */
const struct mapping *space_below(const struct spaces *s, u32 root, u64 addr);
/*
 * Returns the mapping at addr, or NULL, and the addresses around it with the same result: *start <=
 * a < *end.
 */
const struct mapping *space_around(const struct spaces *s, u32 root, u64 addr, u64 *start,
				   u64 *end);
const struct mapping *space_find(const struct spaces *s, u32 root, u64 addr);
/* Roots of one table copied into another; parts that two of them share stay shared. */
struct space_copy {
	const struct spaces *from;
	struct spaces *to;
	u32 *nodes, *mappings; /* by number in from: number in to + 1, 0: not copied yet */
};
void space_copy_init(struct space_copy *c, const struct spaces *from, struct spaces *to);
void space_copy_release(struct space_copy *c);
u32 space_copy_root(struct space_copy *c, u32 root);
/* Returns a mapping by its number in the table, from 0. */
const struct mapping *space_mapping(const struct spaces *s, u32 number);
void space_each(const struct spaces *s, u32 root, void (*fn)(void *arg, const struct mapping *m),
		void *arg);

#endif
