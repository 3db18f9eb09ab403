// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorts turns of records, which in file order are a few ascending runs: natural merge sort, n
 * log(runs).
 *
 * Turns of one block, or of blocks in the order of their places, are already in the order of the
 * rest of their keys. Runs and merges of neighbours keep that order, so only times are compared.
 */
#include "session/internal.h"
#include "base/search.h"

struct turn *turns_merge(const struct turn **pa, const struct turn *a_end, const struct turn **pb,
			 const struct turn *b_end, struct turn *to, const struct turn *full)
{
	const struct turn *a = *pa, *b = *pb;

	/* the next one is unpredictable, so avoid a branch */
	while (a < a_end && b < b_end && to < full) {
		size_t second = b->time < a->time;
		const struct turn *next = second ? b : a;

		*to++ = *next;
		b += second;
		a += !second;
	}
	*pa = a;
	*pb = b;
	return to;
}

static const struct turn *run_end(const struct turn *t, const struct turn *end)
{
	while (++t < end && t[-1].time <= t->time)
		;
	return t;
}

/*
 * Merges neighbouring runs once. Returns false, without doing anything, if there was only one run.
 */
static bool merge_pass(const struct turn *from, const struct turn *end, struct turn *to)
{
	const struct turn *a = from;

	while (a < end) {
		const struct turn *b = run_end(a, end), *middle = b, *b_end;

		if (a == from && b == end)
			return false;
		b_end = b < end ? run_end(b, end) : b;
		to = turns_merge(&a, middle, &b, b_end, to, to + (b_end - a));
		memcpy(to, a, (size_t)(middle - a) * sizeof(*to));
		to += middle - a;
		memcpy(to, b, (size_t)(b_end - b) * sizeof(*to));
		to += b_end - b;
		a = b_end;
	}
	return true;
}

void turns_sort(struct turns *t, struct turns *scratch)
{
	vec_reserve(scratch, t->count);
	while (t->count && merge_pass(t->items, t->items + t->count, scratch->items)) {
		struct turns was = *t;

		*t = (struct turns){ scratch->items, was.count, scratch->space };
		*scratch = (struct turns){ was.items, 0, was.space };
	}
}

static bool is_below(const struct turn *t, const struct order_key *key)
{
	struct order_key of = turn_key(t);

	return order_key_cmp(&of, key) < 0;
}

size_t turns_below(const struct turns *t, size_t from, const struct order_key *key)
{
	return lower_bound(i, from, t->count, is_below(&t->items[i], key));
}
