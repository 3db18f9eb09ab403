/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An append-only array whose items never move.
 *
 * Segments double in size, so an index finds its item with one count of leading zeros and no table
 * is ever reallocated. One writer at a time (or a lock around segments_add); readers need no lock:
 * a reader may use an item whose index it received, or an index below segments_count(). Zero it
 * before use.
 */
#ifndef BASE_SEGMENTS_H
#define BASE_SEGMENTS_H

#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

#define SEGMENTS_FIRST_SHIFT 6 /* items in the first segment: 64 */

struct segments {
	_Atomic(u8 *) part[32 - SEGMENTS_FIRST_SHIFT];
	_Atomic u32 count;
};

static inline void *segments_at(const struct segments *s, size_t item_size, u32 index)
{
	u64 i = (u64)index + (1U << SEGMENTS_FIRST_SHIFT);
	unsigned top = 63 - (unsigned)__builtin_clzll(i);
	u8 *part = atomic_load_explicit(&s->part[top - SEGMENTS_FIRST_SHIFT], memory_order_acquire);

	return part + (i - BIT64(top)) * item_size;
}

static inline u32 segments_count(const struct segments *s)
{
	return atomic_load_explicit(&s->count, memory_order_acquire);
}

/* Returns room for one more, zeroed. It does not count until segments_publish(). */
static inline void *segments_next(struct segments *s, size_t item_size, u32 *index)
{
	u32 at = atomic_load_explicit(&s->count, memory_order_relaxed);
	u64 i = (u64)at + (1U << SEGMENTS_FIRST_SHIFT);
	unsigned top = 63 - (unsigned)__builtin_clzll(i);
	_Atomic(u8 *) *part = &s->part[top - SEGMENTS_FIRST_SHIFT];

	if (!atomic_load_explicit(part, memory_order_relaxed))
		atomic_store_explicit(part, xcalloc(BIT64(top), item_size), memory_order_release);
	*index = at;
	return segments_at(s, item_size, at);
}

static inline void segments_publish(struct segments *s)
{
	atomic_fetch_add_explicit(&s->count, 1, memory_order_release);
}

static inline void segments_release(struct segments *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(s->part); i++) {
		free(atomic_load_explicit(&s->part[i], memory_order_relaxed));
		atomic_store_explicit(&s->part[i], NULL, memory_order_relaxed);
	}
	atomic_store_explicit(&s->count, 0, memory_order_relaxed);
}

#endif
