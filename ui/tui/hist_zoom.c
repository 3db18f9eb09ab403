// SPDX-License-Identifier: GPL-2.0-or-later
/* Zooms of the report browser: each is a crumb, and the last is undone first. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/tui/hist_browser.h"

const struct hist_field *browser_field(const struct browser *b, unsigned flag, const char *name)
{
	size_t count;
	const struct hist_field *fields = hist_fields(b->view->hist, &count);

	for (size_t i = 0; i < count; i++)
		if ((fields[i].column->flags & flag) ||
		    (name && !strcmp(fields[i].column->name, name)))
			return &fields[i];
	return NULL;
}

const struct hist_field *browser_thread_field(const struct browser *b)
{
	const struct hist_field *f = browser_field(b, 0, "pid");

	return f ? f : browser_field(b, HIST_COMM, NULL);
}

static const char *kind_of(const struct hist_field *f)
{
	static const struct {
		const char *name, *kind;
	} others[] = {
		{ "socket", "Processor Socket" }, { "dso_from", "Source DSO" },
		{ "dso_to", "Target DSO" },       { "symbol_from", "Source Symbol" },
		{ "symbol_to", "Target Symbol" },
	};

	if (f->column->flags & HIST_DSO)
		return "DSO";
	if (f->column->flags & HIST_SYMBOL)
		return "Symbol";
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(f->column->name, others[i].name))
			return others[i].kind;
	return "Thread";
}

void browser_zoom_name(const struct browser *b, const struct hist_field *f,
		       const struct hist_entry *e, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	const char *s;

	if (f->column->flags & HIST_SYMBOL)
		hist_frame_text(b->view->hist, e->frame, &text);
	else
		f->column->format(b->view, f, e, 0, &text);
	s = strbuf_cstr(&text);
	s += strspn(s, " ");
	if (str_starts(f->column->name, "symbol_") && *s == '[') /* "[.] name" */
		s += strcspn(s, " ") + 1;
	strbuf_str(out, s);
	strbuf_release(&text);
}

void crumb_release(struct crumb *c)
{
	free(c->part);
	free(c->label);
}

static void drop_crumb(struct browser *b, size_t at)
{
	crumb_release(&b->crumbs.items[at]);
	memmove(&b->crumbs.items[at], &b->crumbs.items[at + 1],
		(b->crumbs.count - at - 1) * sizeof(struct crumb));
	b->crumbs.count--;
}

void browser_zoom(struct browser *b, const struct hist_field *f, const struct hist_entry *e)
{
	struct crumb c = { .zoom = { f, e } };
	struct strbuf label = STRBUF_INIT;

	for (size_t i = 0; i < b->crumbs.count; i++)
		if (b->crumbs.items[i].zoom.field == f) {
			drop_crumb(b, i);
			browser_narrow(b, e);
			return;
		}
	strbuf_f(&label, "%s: ", kind_of(f));
	browser_zoom_name(b, f, e, &label);
	c.label = strbuf_detach(&label);
	vec_push(&b->crumbs, c);
	browser_narrow(b, e);
}

static const struct hist_entry *selected_entry(const struct browser *b)
{
	struct hist_row row;

	return browser_row(b, &row) ? row.first : NULL;
}

bool browser_zoom_out(struct browser *b)
{
	const struct hist_entry *keep = selected_entry(b);

	if (!b->crumbs.count)
		return false;
	drop_crumb(b, b->crumbs.count - 1);
	browser_narrow(b, keep);
	return true;
}

/* Filters by a part of symbol names. There is one such filter, which an empty part removes. */
void browser_filter_symbol(struct browser *b, const char *part)
{
	const struct hist_entry *keep = selected_entry(b);
	struct crumb c = { .part = NULL };
	struct strbuf label = STRBUF_INIT;

	for (size_t i = b->crumbs.count; i-- > 0;)
		if (b->crumbs.items[i].part)
			drop_crumb(b, i);
	if (*part) {
		strbuf_str(&label, "Symbols with: ");
		strbuf_printable(&label, part);
		c.part = xstrdup(part);
		c.label = strbuf_detach(&label);
		vec_push(&b->crumbs, c);
	}
	browser_narrow(b, keep);
}
