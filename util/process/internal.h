/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: the two persistent structures that histories are made of.
 *
 * Timeline: what held since when.  A list of versions with jump pointers: the
 * version at a key is found in O(log n), the newest one at once.  All timelines
 * share one array; a timeline is the index of its newest version (0: empty).
 *
 * Space: a treap of mappings ordered by start, never overlapping.  A change
 * copies the path to it, so that old roots stay valid.  Nodes made since
 * spaces_freeze() are changed in place: nobody has seen them yet.
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
 * The version that held at the key: its index, or 0.  holds, if not NULL, is narrowed to
 * the keys of which the answer is the same.
 */
u32 timeline_within(const struct timelines *t, u32 newest, const struct order_key *key,
		    struct key_range *holds);
static inline u32 timeline_at(const struct timelines *t, u32 newest, const struct order_key *key)
{
	return timeline_within(t, newest, key, NULL);
}
/* From key on value holds; key does not descend.  Returns the new newest. */
u32 timeline_add(struct timelines *t, u32 newest, const struct order_key *key, u32 value);
/* The value at the key, or none; holds: as above. */
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
/* Every root so far must stay as it is. */
void spaces_freeze(struct spaces *s);
/* The root where m replaces whatever it overlaps. m->start < m->end. */
u32 space_map(struct spaces *s, u32 root, const struct mapping *m);
/* The root where nothing is mapped in [start, end). */
u32 space_unmap(struct spaces *s, u32 root, u64 start, u64 end);
/* The mapping of the greatest start that is not above addr, wherever it ends. */
const struct mapping *space_below(const struct spaces *s, u32 root, u64 addr);
/*
 * The mapping at addr, or NULL, and for which addresses around it that is so: *start <= a < *end.
 */
const struct mapping *space_around(const struct spaces *s, u32 root, u64 addr, u64 *start,
				   u64 *end);
const struct mapping *space_find(const struct spaces *s, u32 root, u64 addr);
/* Roots of one table copied into another; what two of them share stays shared. */
struct space_copy {
	const struct spaces *from;
	struct spaces *to;
	u32 *nodes, *mappings; /* by number in from: number in to + 1, 0: not copied yet */
};
void space_copy_init(struct space_copy *c, const struct spaces *from, struct spaces *to);
void space_copy_release(struct space_copy *c);
u32 space_copy_root(struct space_copy *c, u32 root);
/* By its number in the table, from 0. */
const struct mapping *space_mapping(const struct spaces *s, u32 number);
void space_each(const struct spaces *s, u32 root, void (*fn)(void *arg, const struct mapping *m),
		void *arg);

#endif
