// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the first entries of a long table that totals callers, without making the others.
 *
 * Nearly every chain passes through one of the first entries, so no rows can be left out. But most
 * frames are neither in a first entry nor in a call tree that is drawn. They all become one frame,
 * HIST_REST_MODE: entries and trees leave it out, and chains keep their lengths. Some hundreds of
 * frames remain to be ordered, named and summed.
 *
 * As in first.c, frames that may be of one entry are in one bucket. A bucket's total, in which a
 * row counts once, is at least that of each of its entries. The total of a bucket with one frame is
 * that of its entry. A branch of a tree has at most the total of each bucket on its path.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

bool hist_has_first_frames(const struct hist *h)
{
	const struct hist_settings *s = &h->set;
	const struct hist_column *first =
		h->order.count ? h->fields.items[h->order.items[0]].column : NULL;

	return first && !strcmp(first->name, "overhead_children") && s->chains && s->children &&
	       s->graph.mode != CALL_GRAPH_FRACTAL && !s->ignore_callees && hist_can_leave_out(h);
}

u32 hist_frame_buckets(u32 frames)
{
	enum { LEAST = 1 << 14, MOST = 1 << 16 };
	u32 space = LEAST;

	while (space < MOST && space < frames * 2)
		space *= 2;
	return space;
}

struct frame_total {
	u64 sum;
	u32 met; /* the row that was added last: index + 1 */
};

/* For one event after another: there may be hundreds, most of them with few frames. */
struct frame_totals {
	struct frame_total *of; /* by bucket; all zero between two events */
	u32 *touched;           /* the buckets that are not zero */
	u32 count, mask;
};

static void add_once(struct frame_totals *t, u32 hash, u32 row, u64 period)
{
	u32 bucket = hash & t->mask;
	struct frame_total *of = &t->of[bucket];

	if (of->met == row + 1)
		return;
	if (!of->met)
		t->touched[t->count++] = bucket;
	of->met = row + 1;
	of->sum += period;
}

static void add_row(struct frame_totals *t, const struct row_ids *row, u32 i, u64 period,
		    const struct chains *chains, const u32 *hashes)
{
	size_t depth;
	const frame_id *frames = chain_recorded(chains, row->chain, &depth);

	add_once(t, hashes[row->leaf], i, period);
	for (size_t k = 0; k < depth; k++)
		add_once(t, hashes[frames[k]], i, period);
}

static void forget_totals(struct frame_totals *t)
{
	for (u32 i = 0; i < t->count; i++)
		t->of[t->touched[i]] = (struct frame_total){ 0 };
	t->count = 0;
}

/* Returns, by bucket, whether it has exactly one frame. The caller frees the result. */
static bool *single_frames(const u32 *hashes, u32 frames, u32 buckets)
{
	bool *single = xcalloc(buckets + 1, sizeof(*single)),
	     *met = xcalloc(buckets + 1, sizeof(*met));

	for (u32 i = 0; i < frames; i++) {
		u32 bucket = hashes[i] & (buckets - 1);

		single[bucket] = !met[bucket];
		met[bucket] = true;
	}
	free(met);
	return single;
}

/* Returns the total that a bucket needs to be wanted, or 0 if all are wanted. */
static u64 least_total(const struct hist *h, const struct frame_totals *t, const bool *single,
		       u64 all, size_t most, u64 *scratch)
{
	u64 least, branch = (u64)((double)all * (h->set.graph.threshold / 100.0));
	size_t n = 0;

	for (u32 i = 0; i < t->count; i++)
		if (single[t->touched[i]])
			scratch[n++] = t->of[t->touched[i]].sum;
	least = n > most ? hist_kth_largest(scratch, n, most - 1) : 0;
	return hist_draws_trees(h) ? MIN(least, branch) : least;
}

bool hist_first_frames(const struct hist *h, const struct row_ids *rows, const u64 *periods,
		       size_t count, const struct chains *chains, const u32 *hashes, u32 buckets,
		       size_t most, bool *wanted)
{
	size_t events = h->events->list.count;
	u32 frames = frames_count(chains), left = 0;
	u32 *first = xcalloc(events + 2, sizeof(*first));
	u32 *order = hist_rows_by_event(rows, count, events, first);
	bool *single = single_frames(hashes, frames, buckets),
	     *chosen = xcalloc(buckets + 1, sizeof(*chosen));
	u64 *scratch = xcalloc(buckets + 1, sizeof(*scratch)), least = 1;
	struct frame_totals t = {
		.of = xcalloc(buckets + 1, sizeof(*t.of)),
		.touched = xcalloc(buckets + 1, sizeof(*t.touched)),
		.mask = buckets - 1,
	};

	for (size_t e = 0; e < events && least; e++) {
		u64 all = 0;

		for (u32 k = first[e]; k < first[e + 1]; k++) {
			if (periods[order[k]])
				add_row(&t, &rows[order[k]], order[k], periods[order[k]], chains,
					hashes);
			all += periods[order[k]];
		}
		if (!all)
			continue;
		least = least_total(h, &t, single, all, most, scratch);
		for (u32 i = 0; i < t.count; i++)
			chosen[t.touched[i]] |= t.of[t.touched[i]].sum >= least;
		forget_totals(&t);
	}
	for (u32 i = 0; i < frames; i++) {
		wanted[i] = wanted[i] || !least || chosen[hashes[i] & t.mask];
		left += !wanted[i];
	}
	free(t.of);
	free(t.touched);
	free(scratch);
	free(chosen);
	free(single);
	free(order);
	free(first);
	return left > 0;
}
