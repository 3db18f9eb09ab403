// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits the memory of ordered reading: records that would be held for long are left to another
 * pass over the file.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "session/internal.h"

size_t loaded_bytes(const struct loaded *l)
{
	return l->chunk.size + l->turns.space * sizeof(struct turn);
}

void loaded_clear(struct loaded *l)
{
	if (l->copy)
		free(l->copy);
	else
		data_chunk_release(&l->chunk);
	l->copy = NULL;
	l->chunk = (struct data_chunk){ 0 };
	vec_clear(&l->turns);
	l->at = 0;
}

static int by_key(const void *a, const void *b)
{
	return order_key_cmp(a, b);
}

struct order_key loaded_middle(struct loaded *const *list, size_t count)
{
	struct order_key *middles = xcalloc(count, sizeof(*middles)), least = { UINT64_MAX, 0, 0 },
			 middle;

	for (size_t i = 0; i < count; i++) {
		const struct turn *t = list[i]->turns.items;
		size_t left = list[i]->turns.count - list[i]->at;
		struct order_key first = turn_key(&t[list[i]->at]);

		middles[i] = turn_key(&t[list[i]->at + left / 2]);
		if (order_key_cmp(&first, &least) < 0)
			least = first;
	}
	qsort(middles, count, sizeof(*middles), by_key);
	middle = middles[count / 2];
	free(middles);
	least.position++;
	return order_key_cmp(&middle, &least) < 0 ? least : middle;
}

static u16 size_at(const struct loaded *l, const struct turn *t)
{
	return load_u16(l->chunk.data + t->at + 6, l->chunk.swap);
}

/* Copies the records that are left and releases the chunk, if they are at most a quarter of it. */
static void shrink(struct loaded *l)
{
	struct data_chunk small = l->chunk;
	size_t size = 0;
	u8 *copy;

	for (size_t i = l->at; i < l->turns.count; i++)
		size += size_at(l, &l->turns.items[i]);
	if (size > l->chunk.size / 4)
		return;
	copy = xmalloc(size + 1);
	size = 0;
	for (size_t i = l->at; i < l->turns.count; i++) {
		struct turn *t = &l->turns.items[i];
		u16 bytes = size_at(l, t);

		memcpy(copy + size, l->chunk.data + t->at, bytes);
		t->at = (u32)size;
		size += bytes;
	}
	if (l->copy)
		free(l->copy);
	else
		data_chunk_release(&l->chunk);
	small.data = l->copy = copy;
	small.size = size;
	small.owner = NULL;
	l->chunk = small;
}

void loaded_cut(struct loaded *l, const struct order_key *from)
{
	size_t end = turns_below(&l->turns, l->at, from), left = end - l->at;

	l->turns.count = end;
	if (!left)
		return;
	shrink(l);
	memmove(l->turns.items, l->turns.items + l->at, left * sizeof(struct turn));
	l->turns.items = xreallocarray(l->turns.items, left, sizeof(struct turn));
	l->turns.count = l->turns.space = left;
	l->at = 0;
}
