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

void sort_by_key(void *items, size_t size, size_t count, u64 (*key)(const void *item))
{
	struct place *a, *b;
	u64 differ = 0;
	bool sorted = true;
	u8 *out;

	if (count < 2 || count > UINT32_MAX)
		return;
	a = xreallocarray(NULL, count, sizeof(*a));
	for (size_t i = 0; i < count; i++) {
		a[i] = (struct place){ key((const u8 *)items + i * size), (u32)i };
		sorted &= !i || a[i - 1].key <= a[i].key;
		differ |= a[i].key ^ a[0].key;
	}
	if (sorted) {
		free(a);
		return;
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
