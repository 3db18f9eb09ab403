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

/* Returns the entry of v whose field shows the same text, or NULL. */
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
 * Carries the zooms of the old table over to the new one. One whose entries are gone shows nothing.
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

/* Returns the view of the same event. Never NULL in practice, since the events stay. */
static const struct hist_view *same_view(const struct hist_view *v, const struct hist *h)
{
	for (size_t i = 0; i < hist_view_count(h); i++)
		if (hist_view(h, i)->members[0] == v->members[0])
			return hist_view(h, i);
	return NULL;
}

struct carrying {
	const struct hist_view *from, *to;
	struct map64 known; /* hash of the keys of an entry of the new table -> the entry */
};

static u64 keys_of(const struct hist_view *v, const struct hist_entry *e)
{
	struct strbuf keys = STRBUF_INIT;
	u64 hash;

	browser_identify(v, e, &keys);
	hash = hash_bytes(strbuf_cstr(&keys), keys.len);
	strbuf_release(&keys);
	return hash;
}

/* Returns the entry of the new table that corresponds to one of the old table, or NULL. */
static const struct hist_entry *find_entry(void *arg, const struct hist_entry *e)
{
	struct carrying *c = arg;
	const u64 *found;

	for (size_t i = c->known.count ? c->to->entry_count : 0; i < c->to->entry_count; i++) {
		bool added;
		u64 *place = map64_put(&c->known, keys_of(c->to, c->to->entries[i]), &added);

		if (added)
			*place = (u64)(uintptr_t)c->to->entries[i];
	}
	found = map64_get(&c->known, keys_of(c->from, e));
	return found ? (const struct hist_entry *)(uintptr_t)*found : NULL;
}

/*
 * Selects the row of the entry, or the one that the rows followed. Returns false if nothing can be
 * selected.
 */
static bool select_again(struct browser *b, const struct hist_entry *keep, u64 top)
{
	u64 number;

	if (!hist_rows_followed(b->rows, &number))
		return keep;
	b->list.top = top;
	list_select(&b->list, number);
	return true;
}

void browser_follow(struct browser *b)
{
	const struct tui_live *live = b->set->live;
	struct hist *h = live->next(b->set->arg), *old = b->set->hist;
	struct carrying c = { .from = b->view };
	const struct hist_entry *keep = NULL;
	struct hist_row row;
	u64 at = b->list.at, top = b->list.top;
	bool found, limited, resized = b->list.resized;

	if (!h)
		return;
	browser_forget_places(b);
	limited = b->percent_limit != hist_settings(h)->percent_limit;
	if (limited && hist_settings(h)->chains && hist_limit_trees(h, b->percent_limit))
		limited = false; /* given up: the branches below the limit are shown */
	hist_set_verbose(h, b->verbose);
	c.to = same_view(b->view, h);
	if (browser_row(b, &row) && !b->set->hierarchy)
		keep = find_entry(&c, row.entry);
	carry_crumbs(b, c.to);
	hist_rows_carry(b->rows, c.to, at, find_entry, &c);
	b->set->hist = h;
	b->view = c.to;
	browser_narrow(b, keep);
	found = select_again(b, keep, top);
	b->list.resized = resized; /* the user has not moved, even if the selected row has */
	if (!found) {              /* it has faded away: another row is now in its place */
		b->list.at = at;
		b->list.top = top;
	} else if (!top) {
		b->list.top = 0; /* the first row stays in view while it can */
	}
	map64_release(&c.known);
	hist_free(old);
	live->shown(b->set->arg);
}
