// SPDX-License-Identifier: GPL-2.0-or-later
/* Zooms into and filters finished views. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

static bool has_symbol_part(const struct hist *h, const struct hist_entry *e, const char *part)
{
	const struct symbol *s = hist_frame_symbol(h, hist_frame(h, e->frame));

	return s && strstr(s->name, part);
}

static bool passes(const struct hist_view *v, const struct hist_entry *e,
		   const struct hist_narrowing *n)
{
	for (size_t i = 0; i < n->zoom_count; i++) {
		const struct hist_zoom *z = &n->zooms[i];

		if (!z->like || (e != z->like && z->field->column->cmp(v, z->field, e, z->like)))
			return false;
	}
	return !n->symbol_part || has_symbol_part(v->hist, e, n->symbol_part);
}

bool hist_above_limit(const struct hist_view *v, const struct hist_entry *e, double limit)
{
	if (limit <= 0)
		return true;
	for (u32 m = 0; m < v->member_count; m++) {
		u64 period = v->hist->set.children ? e->total[m].period : e->self[m].period;
		u64 of = hist_view_period(v, m);

		if (of && (double)period * 100.0 / (double)of >= limit)
			return true;
	}
	return false;
}

static bool has_samples(const struct hist_view *v, const struct hist_entry *e, u64 least)
{
	u64 samples = 0;

	for (u32 m = 0; m < v->member_count; m++)
		samples += v->hist->set.children ? e->total[m].samples : e->self[m].samples;
	return samples >= least;
}

struct placed {
	u64 place;
	size_t before; /* its index in the order without places */
	struct hist_entry *entry;
};

static int by_place(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

static void sort_by_place(struct view *v, const struct hist_narrowing *n)
{
	struct placed *list = xcalloc(v->narrowed.count + 1, sizeof(*list));

	for (size_t i = 0; i < v->narrowed.count; i++) {
		struct hist_entry *e = v->narrowed.items[i];

		list[i] = (struct placed){ n->place(n->place_arg, &v->pub, e), i, e };
	}
	qsort(list, v->narrowed.count, sizeof(*list), by_place);
	for (size_t i = 0; i < v->narrowed.count; i++)
		v->narrowed.items[i] = list[i].entry;
	free(list);
}

/*
 * Selects the entries of a view. Every sample is in the own sums of just one entry, so these add up
 * to the totals.
 */
static void narrow_view(struct view *v, const struct hist_narrowing *n)
{
	struct hist_view *pub = &v->pub;
	size_t kept = 0;

	vec_clear(&v->narrowed);
	for (u32 m = 0; m < pub->member_count; m++)
		pub->totals[m].shown_samples = pub->totals[m].shown_period =
			pub->totals[m].shown_latency = 0;
	vec_for_each(&v->entries, e) {
		if (!passes(pub, *e, n))
			continue;
		vec_push(&v->narrowed, *e);
		for (u32 m = 0; m < pub->member_count; m++) {
			pub->totals[m].shown_samples += (*e)->self[m].samples;
			pub->totals[m].shown_period += (*e)->self[m].period;
			pub->totals[m].shown_latency += (*e)->self[m].latency;
		}
	}
	for (size_t i = 0, rows = 0; i < v->narrowed.count; i++) {
		struct hist_entry *e = v->narrowed.items[i];

		e->left_out = (n->most_entries && rows >= n->most_entries) ||
			      !hist_above_limit(pub, e, n->percent_limit) ||
			      !has_samples(pub, e, n->least_samples);
		rows += !e->left_out;
		if (!e->left_out || n->sums)
			v->narrowed.items[kept++] = e;
	}
	v->narrowed.count = kept;
	if (n->place)
		sort_by_place(v, n);
	pub->entries = v->narrowed.items;
	pub->entry_count = v->narrowed.count;
}

/* Hides the columns that would show the same in all rows. */
static void hide_zoomed(struct hist *h, const struct hist_narrowing *n)
{
	hist_hide_fixed(h);
	for (size_t i = 0; i < n->zoom_count; i++) {
		struct hist_field *f = &h->fields.items[n->zooms[i].field - h->fields.items];
		size_t shown = 0;

		vec_for_each(&h->fields, other)
			shown += other->shown && !(other->column->flags & HIST_VALUE);
		if (!h->set.hierarchy && shown > 1 && !(f->column->flags & HIST_SYMBOL))
			f->shown = false;
	}
}

void hist_narrow(struct hist *h, const struct hist_narrowing *n)
{
	h->set.relative = n->relative;
	if (h->sort_member != n->sort_member) {
		h->sort_member = n->sort_member;
		hist_sort_views(h);
	}
	hide_zoomed(h, n);
	for (size_t i = 0; i < h->view_count; i++)
		narrow_view(&h->views[i], n);
}

/* ---- call trees again ---- */

static void free_trees(struct hist *h, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct call_tree *t = h->trees.items[i];

		vec_release(&t->frames);
		vec_release(&t->children);
		free(t);
	}
	memmove(h->trees.items + from, h->trees.items + to,
		(h->trees.count - to) * sizeof(*h->trees.items));
	h->trees.count -= to - from;
}

static u64 entry_key(const struct hist_entry *e)
{
	return (u64)e->key_class << 32 | e->frame_class;
}

/* Moves the trees of `made`, which has the same entries, to the entries of v. */
static void take_trees(struct view *v, const struct view *made)
{
	struct map64 trees = { 0 };

	vec_for_each(&made->entries, e)
		*map64_put(&trees, entry_key(*e), NULL) = (u64)(uintptr_t)(*e)->tree;
	vec_for_each(&v->entries, e) {
		const u64 *tree = map64_get(&trees, entry_key(*e));

		(*e)->tree = tree ? (struct call_tree *)(uintptr_t)*tree : NULL;
	}
	map64_release(&trees);
}

/*
 * Makes all entries a second time, since a tree needs the sums of its whole group. Keeps only the
 * trees of the second time.
 */
int hist_limit_trees(struct hist *h, double percent)
{
	double threshold = h->set.graph.threshold, limit = h->set.percent_limit;
	size_t trees = h->trees.count, arenas = h->arenas.count;
	struct view *old = xmemdup(h->views, (h->view_count + 1) * sizeof(*old));
	u32 picks = h->set.picks;
	bool done;

	h->set.picks = 0; /* lists of samples are joined only once, since they are in the rows */
	h->set.graph.threshold = h->set.percent_limit = percent;
	for (size_t i = 0; i < h->view_count; i++) {
		struct hist_view *pub = &h->views[i].pub;

		memset(&h->views[i].entries, 0, sizeof(h->views[i].entries));
		for (u32 m = 0; m < pub->member_count; m++)
			pub->totals[m].shown_samples = pub->totals[m].shown_period =
				pub->totals[m].shown_latency = 0;
	}
	hist_make_entries(h);
	h->set.picks = picks;
	done = !context_cancelled(h->ctx);
	for (size_t i = 0; i < h->view_count; i++) {
		if (done)
			take_trees(&old[i], &h->views[i]);
		vec_release(&h->views[i].entries);
		h->views[i].entries = old[i].entries;
	}
	if (done) {
		free_trees(h, 0, trees);
	} else {
		free_trees(h, trees, h->trees.count);
		h->set.graph.threshold = threshold;
		h->set.percent_limit = limit;
	}
	for (size_t i = arenas; i < h->arenas.count; i++)
		arena_release(&h->arenas.items[i]);
	h->arenas.count = arenas;
	free(old);
	return done ? 0 : -ECANCELED;
}

void hist_set_verbose(struct hist *h, bool verbose)
{
	h->set.verbose = verbose;
}
