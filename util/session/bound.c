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
	return l->chunk.size + l->entries.space * sizeof(struct entry);
}

void loaded_clear(struct loaded *l)
{
	if (l->copy)
		free(l->copy);
	else
		data_chunk_release(&l->chunk);
	l->copy = NULL;
	l->chunk = (struct data_chunk){ 0 };
	vec_clear(&l->entries);
	l->at = 0;
}

/* In a copy, records have moved; their keys still hold their places in the file. */
static bool loaded_record(const struct loaded *l, const struct entry *e, struct record *rec)
{
	size_t at = e->offset;

	if (!data_chunk_record(&l->chunk, &at, rec))
		return false;
	rec->position = e->key.position;
	if (!l->chunk.inflated)
		rec->file_offset = l->chunk.file_offset + (e->key.position - l->chunk.position);
	return true;
}

static int by_key(const void *a, const void *b)
{
	return order_key_cmp(a, b);
}

struct order_key loaded_middle(struct loaded *const *list, size_t count)
{
	struct order_key *middles = xcalloc(count, sizeof(*middles)), least = { UINT64_MAX, 0, 0 }, middle;

	for (size_t i = 0; i < count; i++) {
		const struct entry *e = list[i]->entries.items;
		size_t left = list[i]->entries.count - list[i]->at;

		middles[i] = e[list[i]->at + left / 2].key;
		if (order_key_cmp(&e[list[i]->at].key, &least) < 0)
			least = e[list[i]->at].key;
	}
	qsort(middles, count, sizeof(*middles), by_key);
	middle = middles[count / 2];
	free(middles);
	least.position++;
	return order_key_cmp(&middle, &least) < 0 ? least : middle;
}

/* Few records need not hold the whole chunk. */
static void shrink(struct loaded *l)
{
	struct data_chunk small = l->chunk;
	struct record rec;
	size_t size = 0;
	u8 *copy;

	for (size_t i = l->at; i < l->entries.count; i++)
		if (loaded_record(l, &l->entries.items[i], &rec))
			size += rec.size;
	if (size > l->chunk.size / 4)
		return;
	copy = xmalloc(size + 1);
	size = 0;
	for (size_t i = l->at; i < l->entries.count; i++) {
		struct entry *e = &l->entries.items[i];

		if (!loaded_record(l, e, &rec))
			continue;
		memcpy(copy + size, rec.data, rec.size);
		e->offset = (u32)size;
		size += rec.size;
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
	size_t low = l->at, high = l->entries.count, left;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (order_key_cmp(&l->entries.items[mid].key, from) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	l->entries.count = low;
	left = low - l->at;
	if (!left)
		return;
	shrink(l);
	memmove(l->entries.items, l->entries.items + l->at, left * sizeof(struct entry));
	l->entries.items = xreallocarray(l->entries.items, left, sizeof(struct entry));
	l->entries.count = l->entries.space = left;
	l->at = 0;
}
