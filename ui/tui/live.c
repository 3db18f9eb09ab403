// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sequence of tables in the report browser.
 *
 * Entries of two tables correspond if all keys in their rows have the same text: ids and pointers
 * of one table mean nothing in the next.
 */
#include <stdlib.h>
#include <string.h>

#include "ui/tui/hist_browser.h"

/* The identity of an entry as text: its keys, and the address of its function. */
static void identify(const struct hist_view *v, const struct hist_entry *e, struct strbuf *out)
{
	size_t count;
	const struct hist_field *fields = hist_fields(v->hist, &count);

	strbuf_clear(out);
	for (size_t i = 0; i < count; i++) {
		if (fields[i].column->flags & HIST_VALUE)
			continue;
		fields[i].column->format(v, &fields[i], e, 0, out);
		strbuf_char(out, '\n');
	}
}

/* The entry of v that corresponds to e in `of`, or NULL. */
static const struct hist_entry *counterpart(const struct hist_view *of, const struct hist_entry *e,
					    const struct hist_view *v)
{
	struct strbuf want = STRBUF_INIT, got = STRBUF_INIT;
	const struct hist_entry *found = NULL;

	identify(of, e, &want);
	for (size_t i = 0; i < v->entry_count && !found; i++) {
		identify(v, v->entries[i], &got);
		if (got.len == want.len && !memcmp(got.s, want.s, got.len))
			found = v->entries[i];
	}
	strbuf_release(&want);
	strbuf_release(&got);
	return found;
}

/* The entry of v whose field shows the same text. */
static const struct hist_entry *alike(const struct hist_view *of, const struct hist_zoom *z,
				      const struct hist_view *v, const struct hist_field *f)
{
	struct strbuf want = STRBUF_INIT, got = STRBUF_INIT;
	const struct hist_entry *found = NULL;

	if (z->like)
		f->column->format(of, z->field, z->like, 0, &want);
	for (size_t i = 0; z->like && i < v->entry_count && !found; i++) {
		strbuf_clear(&got);
		f->column->format(v, f, v->entries[i], 0, &got);
		if (got.len == want.len && !memcmp(strbuf_cstr(&got), strbuf_cstr(&want), got.len))
			found = v->entries[i];
	}
	strbuf_release(&want);
	strbuf_release(&got);
	return found;
}

/*
 * Zooms of the old table are carried over to the new one; one whose entries are gone shows nothing.
 */
static void carry_crumbs(struct browser *b, const struct hist_view *v)
{
	size_t count;
	const struct hist_field *from = hist_fields(b->view->hist, &count);
	const struct hist_field *to = hist_fields(v->hist, &count);

	vec_for_each(&b->crumbs, c) {
		const struct hist_field *f;

		if (!c->zoom.field)
			continue;
		f = &to[c->zoom.field - from];
		c->zoom.like = alike(b->view, &c->zoom, v, f);
		c->zoom.field = f;
	}
}

/* The same event's; NULL: never, as the events stay. */
static const struct hist_view *same_view(const struct hist_view *v, const struct hist *h)
{
	for (size_t i = 0; i < hist_view_count(h); i++)
		if (hist_view(h, i)->members[0] == v->members[0])
			return hist_view(h, i);
	return NULL;
}

/* ---- the order, pinned ---- */

/* Places of rows that are long gone are forgotten when they are more than these, and than those shown. */
enum { MOST_PLACES = 4096 };

void browser_pin(struct browser *b, bool on)
{
	map64_release(&b->places);
	b->pinned = on;
}

/* A row that was not there before comes after those that were, in the order of the numbers. */
u64 browser_place(void *arg, const struct hist_view *v, const struct hist_entry *e)
{
	struct browser *b = arg;
	struct strbuf keys = STRBUF_INIT;
	bool added;
	u64 *place;

	if (v != b->view)
		return 0;
	identify(v, e, &keys);
	place = map64_put(&b->places, hash_bytes(strbuf_cstr(&keys), keys.len), &added);
	if (added)
		*place = b->places.count;
	strbuf_release(&keys);
	return *place;
}

/* Numbers the rows that are shown from 1 on again. */
static void forget_places(struct browser *b)
{
	if (b->places.count <= MOST_PLACES || b->places.count / 4 <= b->view->entry_count)
		return;
	map64_release(&b->places);
	for (size_t i = 0; i < b->view->entry_count; i++)
		browser_place(b, b->view, b->view->entries[i]);
}

struct carrying {
	const struct hist_view *from, *to;
};

static const struct hist_entry *find_entry(void *arg, const struct hist_entry *e)
{
	const struct carrying *c = arg;

	return counterpart(c->from, e, c->to);
}

void browser_follow(struct browser *b)
{
	const struct tui_live *live = b->set->live;
	struct hist *h = live->next(b->set->arg), *old = b->set->hist;
	struct carrying c = { .from = b->view };
	const struct hist_entry *keep = NULL;
	struct hist_row row;
	u64 at = b->list.at, top = b->list.top;
	bool limited, resized = b->list.resized;

	if (!h)
		return;
	forget_places(b);
	limited = b->percent_limit != hist_settings(h)->percent_limit;
	if (limited && hist_settings(h)->chains && hist_limit_trees(h, b->percent_limit))
		limited = false; /* given up: the branches below the limit are shown */
	hist_set_verbose(h, b->verbose);
	c.to = same_view(b->view, h);
	if (browser_row(b, &row))
		keep = counterpart(b->view, row.entry, c.to);
	carry_crumbs(b, c.to);
	hist_rows_carry(b->rows, c.to, find_entry, &c);
	b->set->hist = h;
	b->view = c.to;
	browser_narrow(b, keep);
	b->list.resized = resized; /* the user has not moved, even if the selected row has */
	if (!keep) { /* it has faded away: what is now in its place */
		b->list.at = at;
		b->list.top = top;
	} else if (!top) {
		b->list.top = 0; /* the first row stays in view while it can */
	}
	hist_free(old);
	live->shown(b->set->arg);
}
