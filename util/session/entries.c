// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorts nearly sorted entries: rings are emptied one after the other, so a block consists of a few
 * ascending runs. Natural merge sort: n log(runs).
 */
#include "session/internal.h"

void entries_release(struct entries *e)
{
	free(e->items);
	free(e->spare);
	*e = (struct entries){ 0 };
}

static size_t run_end(const struct entry *e, size_t from, size_t count)
{
	size_t i = from + 1;

	while (i < count && order_key_cmp(&e[i - 1].key, &e[i].key) <= 0)
		i++;
	return i;
}

static void merge_runs(const struct entry *from, size_t a, size_t b, size_t end, struct entry *to)
{
	size_t i = a, j = b, at = a;

	while (i < b && j < end)
		to[at++] = order_key_cmp(&from[i].key, &from[j].key) <= 0 ? from[i++] : from[j++];
	memcpy(to + at, from + i, (b - i) * sizeof(*to));
	memcpy(to + at + (b - i), from + j, (end - j) * sizeof(*to));
}

/* Merges neighbouring runs once. Returns how many runs there were. */
static size_t merge_pass(const struct entry *from, struct entry *to, size_t count)
{
	size_t runs = 0;

	for (size_t a = 0; a < count; runs++) {
		size_t b = run_end(from, a, count);
		size_t end = b < count ? run_end(from, b, count) : b;

		runs += b < count;
		if (!a && end == count && b == count)
			return 1;
		merge_runs(from, a, b, end, to);
		a = end;
	}
	return runs;
}

void entries_sort(struct entries *e)
{
	if (e->spare_space < e->count) {
		free(e->spare);
		e->spare = xreallocarray(NULL, e->space, sizeof(*e->spare));
		e->spare_space = e->space;
	}
	while (merge_pass(e->items, e->spare, e->count) > 1) {
		struct entry *t = e->items;
		size_t n = e->space;

		e->items = e->spare;
		e->space = e->spare_space;
		e->spare = t;
		e->spare_space = n;
	}
}
