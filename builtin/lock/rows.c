// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "builtin/lock/internal.h"

struct lock_row *lock_row_find(struct lock_rows *rows, u64 key)
{
	const u64 *at = map64_get(&rows->by_key, key);

	return at ? &rows->list.items[*at] : NULL;
}

struct lock_row *lock_row_put(struct lock_rows *rows, u64 key, bool *added)
{
	u64 *at = map64_put(&rows->by_key, key, added);

	if (*added) {
		*at = rows->list.count;
		vec_push(&rows->list, (struct lock_row){ .key = key, .min = UINT64_MAX });
	}
	return &rows->list.items[*at];
}

static unsigned slot_of(u64 ns)
{
	unsigned bits = ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;

	return MIN(bits, HISTOGRAM_SLOTS - 1U);
}

void lock_row_waited(struct lock_row *row, u64 ns)
{
	row->waits++;
	row->total += ns;
	row->min = MIN(row->min, ns);
	row->max = MAX(row->max, ns);
	row->slots[slot_of(ns)]++;
}

void lock_row_merge(struct lock_row *row, const struct lock_row *other)
{
	row->acquired += other->acquired;
	row->contended += other->contended;
	row->waits += other->waits;
	row->total += other->total;
	row->min = MIN(row->min, other->min);
	row->max = MAX(row->max, other->max);
	row->broken |= other->broken;
	for (int i = 0; i < HISTOGRAM_SLOTS; i++)
		row->slots[i] += other->slots[i];
}

u64 lock_row_average(const struct lock_row *row)
{
	return row->waits ? (row->total + row->waits / 2) / row->waits : 0;
}

void lock_row_release(struct lock_row *row)
{
	for (u32 i = 0; i < row->depth; i++)
		free(row->frames[i].name);
	free(row->frames);
	free(row->name);
	free(row->wakers);
}

void lock_rows_combine(struct lock_rows *rows, bool by_type)
{
	struct strmap by_name = { 0 };
	struct strbuf key = STRBUF_INIT;
	size_t kept = 0;
	bool added;

	vec_for_each(&rows->list, row) {
		const char *type = by_type ? lock_type_name(row->flags) : NULL;
		u64 *at;

		strbuf_clear(&key);
		strbuf_f(&key, "%s %s\n%s", type ? type : "", row->name ? row->name : "",
			 row->wakers ? row->wakers : "");
		at = strmap_put(&by_name, strbuf_cstr(&key), &added);
		if (added) {
			*at = kept;
			rows->list.items[kept++] = *row;
		} else {
			lock_row_merge(&rows->list.items[*at], row);
			lock_row_release(row);
		}
	}
	rows->list.count = kept;
	map64_release(&rows->by_key);
	strmap_release(&by_name);
	strbuf_release(&key);
}

void lock_rows_release(struct lock_rows *rows)
{
	vec_for_each(&rows->list, row)
		lock_row_release(row);
	vec_release(&rows->list);
	map64_release(&rows->by_key);
}
