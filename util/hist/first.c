// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first entries of a long table, without making the others.
 *
 * Rows are put into buckets, so that all rows of an entry are in one: the sum of a bucket is at
 * least that of each of its entries, and its largest row is at most its largest entry.  So many
 * buckets as entries are wanted have a largest row of at least some period; that many entries reach
 * it, and the wanted ones do, too.  What is in buckets whose sum is less is none of them.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

static bool has_filters(const struct hist_settings *s)
{
	return s->hide_unresolved || s->dsos.list.count || s->symbols.list.count ||
	       s->symbol_filter || s->exclude_other;
}

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
	return by_symbol && !has_groups(h) && h->parent_slot < 0 && !has_filters(&h->set);
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

		/* larger ones to the front: all before i are at least the pivot, all after j at
		 * most */
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

/* What the most-th largest of them has; 0: there are not so many. */
static u64 least_of(const struct bucket *b, u32 count, size_t most, u64 *scratch)
{
	size_t n = 0;

	for (u32 i = 0; i < count; i++)
		if (b[i].largest)
			scratch[n++] = b[i].largest;
	if (n <= most)
		return 0;
	return hist_kth_largest(scratch, n, most - 1);
}

bool hist_first_rows(const struct row *rows, const u64 *periods, size_t count, size_t events,
		     const u32 *bucket, u32 buckets, size_t most, bool *wanted)
{
	struct bucket *all = xcalloc(events * buckets + 1, sizeof(*all));
	u64 *least = xcalloc(events + 1, sizeof(*least)),
	    *scratch = xcalloc(buckets + 1, sizeof(*scratch));
	bool any_out = false;

	for (size_t i = 0; i < count; i++) {
		struct bucket *b = &all[(size_t)rows[i].event * buckets + bucket[rows[i].leaf]];

		b->sum += periods[i];
		b->largest = MAX(b->largest, periods[i]);
	}
	for (size_t e = 0; e < events; e++)
		least[e] = least_of(all + e * buckets, buckets, most, scratch);
	for (size_t i = 0; i < count; i++) {
		wanted[i] = all[(size_t)rows[i].event * buckets + bucket[rows[i].leaf]].sum >=
			    least[rows[i].event];
		any_out |= !wanted[i];
	}
	free(all);
	free(least);
	free(scratch);
	return any_out;
}
