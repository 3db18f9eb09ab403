// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns rows into entries, a group at a time. A group is all rows of one view and one class of
 * sample keys. Groups are independent, so several threads take them, the largest first. A group
 * that is larger than a thread's share of all rows is made by all threads together, before the
 * others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/self_profile.h"
#include "hist/entries_parts.h"

static void *do_groups(void *arg)
{
	struct work *w = arg;

	phase_begin("sums and call trees of groups");
	for (;;) {
		size_t i = __atomic_fetch_add(&w->m->next, 1, __ATOMIC_RELAXED);

		if (i >= w->m->groups.count || context_cancelled(w->h->ctx))
			break;
		work_do_group(w, &w->m->groups.items[i]);
	}
	phase_end();
	return NULL;
}

/*
 * Makes groups with all threads together, while the largest remaining group is more than a thread's
 * share of the remaining rows.
 */
static void do_shared_groups(struct making *m, struct work **works, unsigned threads)
{
	enum { WORTH_SHARING = 16384 }; /* rows */
	size_t left = m->h->rows.rows.count;

	for (; m->next < m->groups.count && !context_cancelled(m->h->ctx); m->next++) {
		const struct span *g = &m->groups.items[m->next];
		u32 view = (u32)(m->places[g->from].group >> 32);

		if (threads < 2 || g->count < WORTH_SHARING || g->count * threads <= left ||
		    m->h->views[view].pub.member_count > 1)
			return;
		works_do_group(works, threads, g);
		left -= g->count;
	}
}

/*
 * Counts what is shown. This comes before any group, since trees are pruned by a share of the shown
 * total.
 */
static void count_shown(struct hist *h, const u32 *shown_class)
{
	for (size_t i = 0; h->left_out && i < h->events->list.count; i++) {
		struct hist_totals *t =
			&h->views[h->view_of_event[i]].pub.totals[h->member_of_event[i]];

		t->shown_samples += h->left_out[i].samples;
		t->shown_period += h->left_out[i].period;
		t->shown_latency += h->left_out[i].latency;
		t->shown_squares += h->left_out[i].squares;
	}
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		const struct row *r = &h->rows.rows.items[i];
		const struct row_extra *x = rows_extra(&h->rows, i);
		struct view *v = &h->views[h->view_of_event[r->event]];
		struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

		if (shown_class[r->leaf] == HIDDEN)
			continue;
		t->shown_latency += x ? x->latency : 0;
		t->shown_squares += x ? x->squares : 0;
		t->shown_samples += r->samples;
		t->shown_period += r->period;
	}
}

/*
 * Drops rows that filters exclude. Rows without the requested parent still count in the totals.
 * Rows without a name, if only named ones are wanted, count nowhere.
 */
static void drop_excluded_rows(struct hist *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row *r = &h->rows.rows.items[i];
		struct view *v = &h->views[h->view_of_event[r->event]];

		if (h->set.hide_unresolved && !symbol_is_named(hist_frame(h, r->leaf)->symbol)) {
			struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

			t->samples -= r->samples;
			t->period -= r->period;
			if (h->rows.has_extra) {
				t->latency -= h->rows.extra.items[i].latency;
				t->squares -= h->rows.extra.items[i].squares;
			}
			continue;
		}
		if (h->set.exclude_other && h->parent_slot >= 0 &&
		    !keys_get(&h->keys, r->key)[h->parent_slot])
			continue;
		if (h->rows.has_extra)
			h->rows.extra.items[kept] = h->rows.extra.items[i];
		h->rows.rows.items[kept++] = *r;
	}
	h->rows.rows.count = kept;
}

/* Returns, by frame, the classes of frames that pass the filters. The caller frees it. */
static u32 *shown_classes(const struct hist *h)
{
	u32 frames = frames_count(h->chains), *classes = xcalloc(frames + 1, sizeof(*classes));

	for (u32 i = 0; i < frames; i++)
		classes[i] = hist_frame_passes(h, hist_frame(h, i)) ? h->frame_class[i] : HIDDEN;
	return classes;
}

void hist_want_tree(const struct hist_view *v, struct hist_entry *e)
{
	struct hist *h = (struct hist *)(uintptr_t)v->hist;
	struct work w = { .h = h };
	u32 *shown_class, view;

	if (!h->trees_wait || e->tree || !hist_draws_trees(h))
		return;
	view = h->view_of_event[v->members[0]->index];
	shown_class = shown_classes(h);
	vec_reserve(&w.rows, h->rows.rows.count);
	vec_for_each(&h->rows.rows, r)
		if (h->view_of_event[r->event] == view && !h->member_of_event[r->event] &&
		    h->key_class[r->key] == e->key_class)
			vec_push(&w.rows, *r);
	w.m = &(struct making){ .h = h,
				.shown_class = shown_class,
				.chains = chain_lists(h->chains) };
	w.entry_of = xcalloc(h->frame_classes + 1, sizeof(*w.entry_of));
	w.entry_of[e->frame_class] = e;
	vec_push(&w.made, e);
	w.trees = tree_builder_new(h);
	work_build_trees(&w, &h->views[view]);
	tree_builder_free(w.trees);
	vec_release(&w.made);
	vec_release(&w.rows);
	free(w.entry_of);
	free(shown_class);
}

void hist_make_entries(struct hist *h)
{
	enum { WORTH_THREADS = 8192 }; /* rows */
	struct making m = { .h = h, .chains = chain_lists(h->chains) };
	struct work *works[HIST_MAX_THREADS];
	struct place *places;
	u32 *shown_class;
	unsigned threads;

	drop_excluded_rows(h);
	m.shown_class = shown_class = shown_classes(h);
	count_shown(h, shown_class);
	hist_count_truth(h, shown_class);
	phase_begin("group the rows");
	m.places = places = entry_groups_find(h, &m.groups);
	phase_end();
	threads = hist_threads(h, h->rows.rows.count < WORTH_THREADS ? 1 : h->rows.rows.count);
	for (unsigned i = 0; i < threads; i++)
		works[i] = work_new(&m, i);
	do_shared_groups(&m, works, threads);
	hist_run_threads((unsigned)MIN((size_t)threads, m.groups.count - m.next), do_groups,
			 (void **)works);
	for (unsigned i = 0; i < threads; i++)
		work_hand_over(works[i]);
	vec_release(&m.groups);
	free(places);
	free(shown_class);
}
