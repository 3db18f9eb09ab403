// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorting by address: stable, a byte of the key at a time, only bytes that differ. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/dwarf.h"

struct place {
	u64 key;
	u32 number;
};

static void pass(const struct place *from, struct place *to, size_t n, unsigned shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i].key >> shift & 0xff]++;
	for (size_t b = 0; b < 256; b++) {
		size_t here = at[b];

		at[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & 0xff]++] = from[i];
}

/* Returns how many items from the first one on are in order. */
static size_t sorted_items(const u8 *items, size_t size, size_t count, u64 (*key)(const void *item))
{
	u64 last = key(items);
	size_t n = 1;

	for (; n < count; n++) {
		u64 next = key(items + n * size);

		if (next < last)
			break;
		last = next;
	}
	return n;
}

/* Merges the last items, a few that are in order, into the sorted ones before them. */
static void merge_tail(u8 *items, size_t size, size_t sorted, size_t count,
		       u64 (*key)(const void *item))
{
	size_t tail = count - sorted, to = count;
	u8 *last = xmalloc(tail * size);

	memcpy(last, items + sorted * size, tail * size);
	while (tail) {
		const u8 *next = last + (tail - 1) * size;

		if (sorted && key(items + (sorted - 1) * size) > key(next)) {
			memcpy(items + --to * size, items + --sorted * size, size);
		} else {
			memcpy(items + --to * size, next, size);
			tail--;
		}
	}
	free(last);
}

static void sort_all(void *items, size_t size, size_t count, u64 (*key)(const void *item))
{
	struct place *a, *b;
	u64 differ = 0;
	u8 *out;

	a = xreallocarray(NULL, count, sizeof(*a));
	for (size_t i = 0; i < count; i++) {
		a[i] = (struct place){ key((const u8 *)items + i * size), (u32)i };
		differ |= a[i].key ^ a[0].key;
	}
	b = xreallocarray(NULL, count, sizeof(*b));
	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct place *swap = a;

		if (!(differ >> shift & 0xff))
			continue;
		pass(a, b, count, shift);
		a = b;
		b = swap;
	}
	free(b);
	out = xreallocarray(NULL, count, size);
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * size, (const u8 *)items + a[i].number * size, size);
	memcpy(items, out, count * size);
	free(out);
	free(a);
}

void sort_by_key(void *items, size_t size, size_t count, u64 (*key)(const void *item))
{
	enum { FEW = 8 }; /* one in so many may be out of order at the end */
	size_t sorted;

	if (count < 2 || count > UINT32_MAX)
		return;
	sorted = sorted_items(items, size, count, key);
	if (sorted == count)
		return;
	if ((count - sorted) * FEW > count) {
		sort_all(items, size, count, key);
		return;
	}
	sort_by_key((u8 *)items + sorted * size, size, count - sorted, key);
	merge_tail(items, size, sorted, count, key);
}
