// SPDX-License-Identifier: GPL-2.0-or-later
/* The two tables that every collector fills: rows, and sample keys. */
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

u64 row_hash(const struct row *r)
{
	return hash_combine(
		hash_combine((u64)r->event << 32 | r->key, (u64)r->leaf << 32 | r->chain), 1);
}

static void rows_grow(struct row_table *t)
{
	/* Grow by four: finding all rows' slots again costs more than empty slots. */
	size_t space = t->space ? t->space * 4 : 1024;
	u32 *slots = xcalloc_table(space, sizeof(*slots));

	for (size_t i = 0; i < t->space; i++) {
		size_t at;

		if (!t->slots[i])
			continue;
		at = row_hash(&t->rows.items[t->slots[i] - 1]) & (space - 1);
		while (slots[at])
			at = (at + 1) & (space - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->space = space;
}

static void extra_add(const struct row_table *t, struct row_extra *to, const struct row_extra *x)
{
	if (t->picks) /* walk the shorter list */
		to->picks = picks_join(t->picks->items, x->picks, to->picks);
	to->latency += x->latency;
	to->weight2 += x->weight2;
	to->weight3 += x->weight3;
	to->squares += x->squares;
}

static u32 row_push(struct row_table *t, const struct row *r, const struct row_extra *x)
{
	vec_push(&t->rows, *r);
	if (x)
		vec_push(&t->extra, *x);
	t->has_extra |= x != NULL;
	return (u32)t->rows.count - 1;
}

/* Adds r to the row if both are the same row. Returns false if not. */
static bool row_joins(struct row_table *t, u32 row, const struct row *r, const struct row_extra *x)
{
	struct row *old = &t->rows.items[row];

	if (old->event != r->event || old->key != r->key || old->leaf != r->leaf ||
	    old->chain != r->chain)
		return false;
	old->samples += r->samples;
	old->period += r->period;
	old->weight += r->weight;
	if (x)
		extra_add(t, &t->extra.items[row], x);
	return true;
}

u32 rows_add_hashed(struct row_table *t, const struct row *r, const struct row_extra *x, u64 hash)
{
	size_t at;

	if ((t->slotted + 1) * 4 > t->space * 3)
		rows_grow(t);
	at = hash & (t->space - 1);
	for (; t->slots[at]; at = (at + 1) & (t->space - 1))
		if (row_joins(t, t->slots[at] - 1, r, x))
			return t->slots[at] - 1;
	t->slots[at] = row_push(t, r, x) + 1;
	t->slotted++;
	return t->slots[at] - 1;
}

/* Adds a row by its chain. Most chains have one row, which needs no slot. */
static void add_by_chain(struct row_table *t, const struct row *r, const struct row_extra *x)
{
	u32 *first;

	while (t->of_chain.count <= r->chain)
		vec_push(&t->of_chain, 0);
	first = &t->of_chain.items[r->chain];
	if (!*first)
		*first = row_push(t, r, x) + 1;
	else if (!row_joins(t, *first - 1, r, x))
		rows_add(t, r, x);
}

void rows_add(struct row_table *t, const struct row *r, const struct row_extra *x)
{
	rows_add_hashed(t, r, x, row_hash(r));
}

void rows_add_later(struct row_table *t, const struct row *r, const struct row_extra *x)
{
	u64 hash = r->chain ? 0 : row_hash(r);

	if (r->chain && r->chain < t->of_chain.count)
		__builtin_prefetch(&t->of_chain.items[r->chain]);
	else if (!r->chain && t->space)
		__builtin_prefetch(&t->slots[hash & (t->space - 1)]);
	rows_flush(t);
	t->waiting = (struct waiting_row){ .is = true, .hash = hash, .row = *r, .has_extra = x };
	if (x)
		t->waiting.extra = *x;
}

void rows_flush(struct row_table *t)
{
	struct waiting_row *w = &t->waiting;

	if (w->is && w->row.chain)
		add_by_chain(t, &w->row, w->has_extra ? &w->extra : NULL);
	else if (w->is)
		rows_add_hashed(t, &w->row, w->has_extra ? &w->extra : NULL, w->hash);
	w->is = false;
}

void rows_close(struct row_table *t)
{
	rows_flush(t);
	vec_release(&t->of_chain);
	free(t->slots);
	t->slots = NULL;
	t->space = t->slotted = 0;
}

void rows_release(struct row_table *t)
{
	vec_release(&t->rows);
	vec_release(&t->extra);
	vec_release(&t->of_chain);
	free(t->slots);
	t->slots = NULL;
	t->space = t->slotted = 0;
}

static u64 key_slot(u64 hash, u32 number)
{
	return (hash & ~(u64)UINT32_MAX) | (number + 1);
}

static void keys_grow(struct key_table *t)
{
	size_t space = t->space ? t->space * 2 : 64;
	u64 *slots = xcalloc_table(space, sizeof(*slots));

	vec_reserve(&t->values, 1); /* keys without values have an address, too */
	for (u32 i = 0; i < t->count; i++) {
		u64 hash = key_hash(keys_get(t, i), t->width);
		size_t at = hash & (space - 1);

		while (slots[at])
			at = (at + 1) & (space - 1);
		slots[at] = key_slot(hash, i);
	}
	free(t->slots);
	t->slots = slots;
	t->space = space;
}

u32 keys_add(struct key_table *t, const u64 *values)
{
	return keys_add_hashed(t, values, key_hash(values, t->width));
}

u32 keys_add_hashed(struct key_table *t, const u64 *values, u64 hash)
{
	size_t at;

	if (((size_t)t->count + 1) * 4 > t->space * 3)
		keys_grow(t);
	at = hash & (t->space - 1);
	for (; t->slots[at]; at = (at + 1) & (t->space - 1)) {
		u32 number = (u32)t->slots[at] - 1;

		if (t->slots[at] == key_slot(hash, number) &&
		    keys_equal(keys_get(t, number), values, t->width))
			return number;
	}
	for (u32 i = 0; i < t->width; i++)
		vec_push(&t->values, values[i]);
	t->slots[at] = key_slot(hash, t->count);
	return t->count++;
}

void keys_release(struct key_table *t)
{
	vec_release(&t->values);
	free(t->slots);
	*t = (struct key_table){ .width = t->width };
}
