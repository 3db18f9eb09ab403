// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which of many items are alike. Each of several threads reads all keys and handles those of
 * its share, so the tables are filled without locks.
 */
#include <stdlib.h>

#include "base/threads.h"
#include "chain/internal.h"

enum { WORTH_A_THREAD = 8192, PIECE = 4096, AHEAD = 8 }; /* items */

struct class_slot {
	u64 key;
	u32 class; /* + 1, or 0 if unused */
};

/* One thread's part of the keys. */
struct share {
	const struct distinct *d;
	unsigned number, of; /* which share, of how many */
	u32 *class;
	VEC(u32) stands;
	struct class_slot *slots;
	size_t space;
	u32 first; /* classes of the previous shares */
};

static unsigned share_of(u64 hash, unsigned shares)
{
	return (unsigned)((hash >> 32) * shares >> 32);
}

static void share_grow(struct share *s)
{
	size_t space = s->space ? s->space * 2 : 1024;
	struct class_slot *slots = xcalloc_table(space, sizeof(*slots));

	for (size_t i = 0; i < s->space; i++) {
		size_t at = hash_u64(s->slots[i].key) & (space - 1);

		if (!s->slots[i].class)
			continue;
		while (slots[at].class)
			at = (at + 1) & (space - 1);
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->space = space;
}

static u32 class_of(struct share *s, u32 item, u64 hash)
{
	const struct distinct *d = s->d;
	u64 key = d->keys[item];
	size_t at;

	if ((s->stands.count + 1) * 4 > s->space * 3)
		share_grow(s);
	at = hash & (s->space - 1);
	for (; s->slots[at].class; at = (at + 1) & (s->space - 1)) {
		u32 *stands = &s->stands.items[s->slots[at].class - 1];

		if (s->slots[at].key != key || (d->same && !d->same(d->arg, item, *stands)))
			continue;
		if (d->before && d->before(d->arg, item, *stands))
			*stands = item;
		return s->slots[at].class - 1;
	}
	vec_push(&s->stands, item);
	s->slots[at] = (struct class_slot){ key, (u32)s->stands.count };
	return (u32)s->stands.count - 1;
}

static void *find_classes(void *arg)
{
	struct share *s = arg;
	const struct distinct *d = s->d;

	for (u32 i = 0; i < d->count; i++) {
		u64 hash = hash_u64(d->keys[i]);

		if (s->space && i + AHEAD < d->count)
			__builtin_prefetch(
				&s->slots[hash_u64(d->keys[i + AHEAD]) & (s->space - 1)]);
		if (share_of(hash, s->of) == s->number)
			s->class[i] = class_of(s, i, hash);
	}
	free(s->slots);
	return NULL;
}

/* Classes were numbered within each share. */
static void raise_classes(void *arg, size_t from, size_t to)
{
	const struct share *shares = arg;

	for (size_t i = from; i < to; i++)
		shares->class[i] +=
			shares[share_of(hash_u64(shares->d->keys[i]), shares->of)].first;
}

u32 chain_distinct(struct context *ctx, const struct distinct *d, u32 *class, u32 *stands)
{
	unsigned count =
		(unsigned)MIN(MIN((size_t)context_workers(ctx), d->count / WORTH_A_THREAD + 1),
			      (size_t)MOST_THREADS);
	/* not cancelled, since half of it is useless */
	struct context whole = { .workers = ctx->workers };
	struct share *shares = xcalloc(count, sizeof(*shares));
	void *args[MOST_THREADS];
	u32 classes = 0;

	for (unsigned i = 0; i < count; i++) {
		shares[i] = (struct share){ .d = d, .number = i, .of = count, .class = class };
		args[i] = &shares[i];
	}
	threads_run(count, find_classes, args);
	for (unsigned i = 0; i < count; i++) {
		shares[i].first = classes;
		vec_for_each(&shares[i].stands, item)
			stands[classes++] = *item;
		vec_release(&shares[i].stands);
	}
	if (count > 1)
		chain_in_parallel(&whole, d->count, PIECE, raise_classes, shares);
	free(shares);
	return classes;
}
