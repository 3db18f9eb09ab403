// SPDX-License-Identifier: GPL-2.0-or-later
/* Zooms and filters on finished views. */
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

		if (e != z->like && z->field->column->cmp(v, z->field, e, z->like))
			return false;
	}
	return !n->symbol_part || has_symbol_part(v->hist, e, n->symbol_part);
}

static bool above_limit(const struct hist_view *v, const struct hist_entry *e, double limit)
{
	if (limit <= 0)
		return true;
	for (u32 m = 0; m < v->member_count; m++) {
		const struct hist_sums *s = v->hist->set.children ? e->total : e->self;
		u64 of = hist_view_period(v, m);

		if (of && (double)s[m].period * 100.0 / (double)of >= limit)
			return true;
	}
	return false;
}

/* Every sample is in the own sums of just one entry, so these add up to the totals. */
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
	vec_for_each(&v->narrowed, e)
		if (above_limit(pub, *e, n->percent_limit))
			v->narrowed.items[kept++] = *e;
	v->narrowed.count = kept;
	pub->entries = v->narrowed.items;
	pub->entry_count = kept;
}

/* What is the same in all rows need not be said in each. */
static void hide_zoomed(struct hist *h, const struct hist_narrowing *n)
{
	hist_hide_fixed(h);
	for (size_t i = 0; i < n->zoom_count; i++) {
		struct hist_field *f = &h->fields.items[n->zooms[i].field - h->fields.items];
		size_t shown = 0;

		vec_for_each(&h->fields, other)
			shown += other->shown && !(other->column->flags & HIST_VALUE);
		if (shown > 1 && !(f->column->flags & HIST_SYMBOL))
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

void hist_set_verbose(struct hist *h, bool verbose)
{
	h->set.verbose = verbose;
}
