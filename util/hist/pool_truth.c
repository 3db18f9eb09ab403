// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How true the pool's rows are.  They fade with the rows, and are counted for each table, of all
 * rows: also of those that the table leaves out.
 */
#include "hist/pool_tables.h"

void hist_pool_note_end(struct hist_pool *p, chain_id to, const struct chains *c, chain_id from)
{
	if (to < p->chain_ends.count)
		return; /* of places of the same functions, the first one that came is judged */
	while (p->chain_ends.count <= to)
		vec_push_zero(&p->chain_ends);
	p->chain_ends.items[to] = hist_find_end(p->like, c, from);
}

void hist_pool_move_ends(struct hist_pool *p, const u32 *numbers)
{
	size_t count = 0;

	for (size_t i = 0; i < p->chain_ends.count; i++)
		if (numbers[i]) {
			p->chain_ends.items[numbers[i] - 1] = p->chain_ends.items[i];
			count = numbers[i];
		}
	p->chain_ends.count = count;
	vec_give_back(&p->chain_ends);
}

static u64 end_of_row(const struct hist_pool *p, const struct row_ids *r)
{
	u64 end = r->chain < p->chain_ends.count ? p->chain_ends.items[r->chain] : 0;

	return end ? end : hist_end_without_chain(chain_frame(p->chains, r->leaf));
}

void hist_pool_count_truth(const struct hist_pool *p, struct hist *h)
{
	bool chains = hist_judges_ends(h);

	if (!h->set.truth)
		return;
	h->truth = xcalloc(h->events->list.count + 1, sizeof(*h->truth));
	for (size_t i = 0; i < p->held.count; i++) {
		const struct row_ids *r = &p->rows.items[i];
		const struct frame *leaf = chain_frame(p->chains, r->leaf);
		struct hist_truth *t = &h->truth[r->event];
		u64 samples = hist_pool_whole(p->held.items[i].samples);

		if (!samples)
			continue;
		t->samples += samples;
		if (symbol_is_named(leaf->symbol))
			t->named += samples;
		else
			*map64_put(&t->unnamed, leaf->image, NULL) += samples;
		if (chains)
			*map64_put(&t->ends, end_of_row(p, r), NULL) += samples;
	}
}
