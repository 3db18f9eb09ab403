// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first entries of a long table that totals callers, without making the others.
 *
 * Nearly every chain passes through one of the first entries, so there are no rows to leave out, but
 * most frames are neither in a first entry nor in a call tree that is drawn.  They all become one
 * frame, HIST_REST_MODE: entries and trees leave it out, and chains keep their lengths.  What is
 * left to be ordered, named and summed are some hundreds of frames.
 *
 * As in first.c, frames that may be of one entry are in one bucket.  A bucket's total, in which a row
 * counts once, is at least that of each of its entries, and that of the only frame of a bucket is its
 * entry's.  A branch of a tree has at most the total of each bucket on its path.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

bool hist_has_first_frames(const struct hist *h)
{
	const struct hist_settings *s = &h->set;
	const struct hist_column *first = h->order.count ? h->fields.items[h->order.items[0]].column : NULL;

	return first && !strcmp(first->name, "overhead_children") && s->chains && s->children &&
	       s->graph.mode != CALL_GRAPH_FRACTAL && !s->ignore_callees && hist_can_leave_out(h);
}

struct frame_total {
	u64 sum;
	u32 met; /* the row that was added last: index + 1 */
};

static void add_once(struct frame_total *t, u32 row, u64 period)
{
	if (t->met == row + 1)
		return;
	t->met = row + 1;
	t->sum += period;
}

/* totals: of each event by bucket; all: by event. */
static void add_up(const struct row *rows, const u64 *periods, size_t count, const struct chains *chains,
		   const u32 *bucket, u32 buckets, struct frame_total *totals, u64 *all)
{
	for (u32 i = 0; i < count; i++) {
		struct frame_total *of = totals + (size_t)rows[i].event * buckets;
		const frame_id *frames;
		size_t depth;

		if (!periods[i])
			continue;
		all[rows[i].event] += periods[i];
		add_once(&of[bucket[rows[i].leaf]], i, periods[i]);
		frames = chain_recorded(chains, rows[i].chain, &depth);
		for (size_t k = 0; k < depth; k++)
			add_once(&of[bucket[frames[k]]], i, periods[i]);
	}
}

/* By bucket: has it one frame alone? */
static bool *single_frames(const u32 *bucket, u32 frames, u32 buckets)
{
	bool *single = xcalloc(buckets + 1, sizeof(*single)), *met = xcalloc(buckets + 1, sizeof(*met));

	for (u32 i = 0; i < frames; i++) {
		single[bucket[i]] = !met[bucket[i]];
		met[bucket[i]] = true;
	}
	free(met);
	return single;
}

/* What a bucket needs to be wanted; 0: all are. */
static u64 least_total(const struct hist *h, const struct frame_total *t, const bool *single, u32 buckets, u64 all,
		       size_t most, u64 *scratch)
{
	u64 least, branch = (u64)((double)all * (h->set.graph.threshold / 100.0));
	size_t n = 0;

	for (u32 i = 0; i < buckets; i++)
		if (single[i] && t[i].sum)
			scratch[n++] = t[i].sum;
	least = n > most ? hist_kth_largest(scratch, n, most - 1) : 0;
	return hist_draws_trees(h) ? MIN(least, branch) : least;
}

bool hist_first_frames(const struct hist *h, const struct row *rows, const u64 *periods, size_t count,
		       const struct chains *chains, const u32 *bucket, u32 buckets, size_t most, bool *wanted)
{
	size_t events = h->events->list.count;
	u32 frames = frames_count(chains), left = frames;
	struct frame_total *totals = xcalloc(events * buckets + 1, sizeof(*totals));
	bool *single = single_frames(bucket, frames, buckets);
	u64 *all = xcalloc(events + 1, sizeof(*all)), *scratch = xcalloc(buckets + 1, sizeof(*scratch));

	add_up(rows, periods, count, chains, bucket, buckets, totals, all);
	for (size_t e = 0; e < events; e++) {
		const struct frame_total *of = totals + e * buckets;
		u64 least = all[e] ? least_total(h, of, single, buckets, all[e], most, scratch) : 1;

		for (u32 i = 0; i < frames; i++)
			if (!wanted[i] && of[bucket[i]].sum >= least) {
				wanted[i] = true;
				left--;
			}
	}
	free(totals);
	free(single);
	free(all);
	free(scratch);
	return left > 0;
}
