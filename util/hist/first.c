// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the first entries of a long table, without making the others.
 *
 * A hash puts all rows of an entry into one bucket, sometimes with those of other entries. So the
 * sum of a bucket is at least that of each of its entries, and its largest row is at most its
 * largest entry. Take the largest row of each bucket, and the period that as many buckets reach as
 * entries are wanted. At least that many entries reach it, so all wanted entries do. Entries in
 * buckets with a smaller sum are not wanted.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

static bool has_groups(const struct hist *h)
{
	vec_for_each(&h->events->list, it)
		if (h->set.group && (*it)->leader && (*it)->leader != *it)
			return true;
	return false;
}

bool hist_can_leave_out(const struct hist *h)
{
	bool by_symbol = false;

	vec_for_each(&h->order, i)
		by_symbol |= !strcmp(h->fields.items[*i].column->name, "symbol");
	return by_symbol && !has_groups(h) && !hist_fills_keys(h) && !hist_filters_places(&h->set);
}

bool hist_has_first_rows(const struct hist *h)
{
	const struct hist_column *first =
		h->order.count ? h->fields.items[h->order.items[0]].column : NULL;

	return first && !strcmp(first->name, "overhead") && !h->set.chains && !h->set.children &&
	       hist_can_leave_out(h);
}

u64 hist_frame_bucket(const struct frame *f, const struct symbol *s)
{
	return s ? hash_bytes(s->name, strlen(s->name)) : hash_combine(f->offset, 1);
}

struct bucket {
	u64 sum, largest;
};

u64 hist_kth_largest(u64 *v, size_t count, size_t of)
{
	ptrdiff_t first = 0, last = (ptrdiff_t)count - 1, k = (ptrdiff_t)of;

	while (first < last) {
		u64 pivot = v[k];
		ptrdiff_t i = first, j = last;

		/*
		 * move larger ones to the front: all before i are at least the pivot, all after j
		 * at most
		 */
		while (i <= j) {
			u64 was = v[i];

			if (was > pivot) {
				i++;
			} else if (v[j] < pivot) {
				j--;
			} else {
				v[i++] = v[j];
				v[j--] = was;
			}
		}
		if (j < k)
			first = i;
		if (k < i)
			last = j;
	}
	return v[k];
}

u32 *hist_rows_by_event(const struct row_ids *rows, size_t count, size_t events, u32 *first)
{
	u32 *order = xcalloc(count + 1, sizeof(*order)), *next = xcalloc(events + 1, sizeof(*next));

	for (size_t i = 0; i < count; i++)
		first[rows[i].event + 1]++;
	for (size_t e = 0; e < events; e++) {
		first[e + 1] += first[e];
		next[e] = first[e];
	}
	for (size_t i = 0; i < count; i++)
		order[next[rows[i].event]++] = (u32)i;
	free(next);
	return order;
}

/* For one event after another: there may be hundreds, most of them with few rows. */
struct buckets {
	struct bucket *of; /* all zero between two events */
	u32 *touched;      /* the buckets that are not zero */
	u32 count, mask;
};

static void add_to_bucket(struct buckets *b, u32 hash, u64 period)
{
	u32 bucket = hash & b->mask;
	struct bucket *of = &b->of[bucket];

	if (!period)
		return;
	if (!of->largest)
		b->touched[b->count++] = bucket;
	of->sum += period;
	of->largest = MAX(of->largest, period);
}

/* Returns the value of the most-th largest of them, or 0 if there are fewer. */
static u64 least_of(const struct buckets *b, size_t most, u64 *scratch)
{
	for (u32 i = 0; i < b->count; i++)
		scratch[i] = b->of[b->touched[i]].largest;
	return b->count > most ? hist_kth_largest(scratch, b->count, most - 1) : 0;
}

bool hist_first_rows(const struct row_ids *rows, const u64 *periods, size_t count, size_t events,
		     const u32 *hashes, u32 buckets, size_t most, bool *wanted)
{
	u32 *first = xcalloc(events + 2, sizeof(*first));
	u32 *order = hist_rows_by_event(rows, count, events, first);
	u64 *scratch = xcalloc(buckets + 1, sizeof(*scratch));
	struct buckets b = {
		.of = xcalloc(buckets + 1, sizeof(*b.of)),
		.touched = xcalloc(buckets + 1, sizeof(*b.touched)),
		.mask = buckets - 1,
	};
	bool any_out = false;

	for (size_t e = 0; e < events; e++) {
		u64 least;

		for (u32 k = first[e]; k < first[e + 1]; k++)
			add_to_bucket(&b, hashes[rows[order[k]].leaf], periods[order[k]]);
		least = least_of(&b, most, scratch);
		for (u32 k = first[e]; k < first[e + 1]; k++) {
			wanted[order[k]] = b.of[hashes[rows[order[k]].leaf] & b.mask].sum >= least;
			any_out |= !wanted[order[k]];
		}
		for (u32 i = 0; i < b.count; i++)
			b.of[b.touched[i]] = (struct bucket){ 0 };
		b.count = 0;
	}
	free(b.of);
	free(b.touched);
	free(scratch);
	free(order);
	free(first);
	return any_out;
}
