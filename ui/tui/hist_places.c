// SPDX-License-Identifier: GPL-2.0-or-later
/* The places of rows whose order is pinned, from one table to the next. */
#include "base/hash.h"
#include "ui/tui/hist_browser.h"

void browser_identify(const struct hist_view *v, const struct hist_entry *e, struct strbuf *out)
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

/*
 * Places of rows that are long gone are forgotten when they are more than these, and than those
 * shown.
 */
enum { MOST_PLACES = 4096 };

void browser_pin(struct browser *b, bool on)
{
	map64_release(&b->places);
	b->pinned = on;
}

/*
 * Returns the place of an entry. A new row comes after those already there, in the order of the
 * numbers.
 */
u64 browser_place(void *arg, const struct hist_view *v, const struct hist_entry *e)
{
	struct browser *b = arg;
	struct strbuf keys = STRBUF_INIT;
	bool added;
	u64 *place;

	if (v != b->view)
		return 0;
	browser_identify(v, e, &keys);
	place = map64_put(&b->places, hash_bytes(strbuf_cstr(&keys), keys.len), &added);
	if (added)
		*place = b->places.count;
	strbuf_release(&keys);
	return *place;
}

void browser_forget_places(struct browser *b)
{
	if (b->places.count <= MOST_PLACES || b->places.count / 4 <= b->view->entry_count)
		return;
	map64_release(&b->places);
	for (size_t i = 0; i < b->view->entry_count; i++)
		browser_place(b, b->view, b->view->entries[i]);
}
