// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures how wide columns are. Equal keys have equal texts, so it measures each class of keys or
 * frames that an entry shows, in the order of the classes. Consecutive names are near each other in
 * memory then, while entries are in the order of their sums.
 */
#include <stdlib.h>

#include "base/text.h"
#include "hist/columns.h"

/* Entries of a piece; a thread for less than two pieces would cost more than it saves. */
enum { MEASURED = 4096, SHOWN = 65536 };

struct measuring {
	const struct hist_view *v;
	const struct hist_field *f;
	const bool *shown; /* by class; NULL means entries are measured one by one */
	size_t count;      /* classes or entries */
	double limit;      /* percent: entries below it are ignored */
	int *widths;       /* by piece */
};

static int width_of(const struct measuring *m, const struct hist_entry *e, struct strbuf *cell)
{
	const struct hist_column *c = m->f->column;

	if (c->width)
		return c->width(m->v, m->f, e);
	strbuf_clear(cell);
	c->format(m->v, m->f, e, 0, cell);
	return text_columns(strbuf_cstr(cell), cell->len);
}

/* Prefetches the frames of the next classes. */
static void fetch_ahead(const struct measuring *m, size_t class)
{
	enum { AHEAD = 12 };
	const struct hist *h = m->v->hist;

	if (m->f->column->flags & HIST_BY_FRAME && class + AHEAD < m->count &&
	    frames_count(h->chains))
		__builtin_prefetch(hist_frame(h, h->frame_of_class[class + AHEAD]));
}

/* Returns an entry with what all entries of the class have in common. */
static struct hist_entry entry_of_class(const struct measuring *m, u32 class)
{
	const struct hist *h = m->v->hist;

	if (m->f->column->flags & HIST_BY_FRAME)
		return (struct hist_entry){ .frame = h->frame_of_class[class],
					    .frame_class = class };
	return (struct hist_entry){ .key = keys_get(&h->keys, h->key_of_class[class]),
				    .key_class = class };
}

static void measure_piece(void *arg, size_t piece)
{
	const struct measuring *m = arg;
	size_t end = MIN((piece + 1) * MEASURED, m->count);
	struct strbuf cell = STRBUF_INIT;
	int width = 0;

	for (size_t i = piece * MEASURED; i < end; i++) {
		struct hist_entry of_class;

		if (!m->shown) {
			if (hist_above_limit(m->v, m->v->entries[i], m->limit))
				width = MAX(width, width_of(m, m->v->entries[i], &cell));
		} else if (m->shown[i]) {
			fetch_ahead(m, i);
			of_class = entry_of_class(m, (u32)i);
			width = MAX(width, width_of(m, &of_class, &cell));
		}
	}
	m->widths[piece] = width;
	strbuf_release(&cell);
}

static int widest(struct measuring *m)
{
	size_t pieces = (m->count + MEASURED - 1) / MEASURED;
	int width = 0;

	m->widths = xcalloc(pieces + 1, sizeof(*m->widths));
	hist_in_pieces(m->v->hist, pieces, measure_piece, m);
	for (size_t i = 0; i < pieces; i++)
		width = MAX(width, m->widths[i]);
	free(m->widths);
	return width;
}

struct showing {
	const struct hist_view *v;
	bool by_frame;
	size_t entries;
	double limit;
	bool *shown; /* by class; several threads may set the same one */
};

static void show_piece(void *arg, size_t piece)
{
	enum { AHEAD = 16 };
	const struct showing *s = arg;
	struct hist_entry *const *entries = s->v->entries;
	size_t end = MIN((piece + 1) * SHOWN, s->entries);
	bool *shown;

	for (size_t i = piece * SHOWN; i < end; i++) {
		if (i + AHEAD < s->entries)
			__builtin_prefetch(&entries[i + AHEAD]->key_class);
		if (!hist_above_limit(s->v, entries[i], s->limit))
			continue;
		shown = &s->shown[s->by_frame ? entries[i]->frame_class : entries[i]->key_class];
		/* do not write what is there already: other threads read the same cache line */
		if (!__atomic_load_n(shown, __ATOMIC_RELAXED))
			__atomic_store_n(shown, true, __ATOMIC_RELAXED);
	}
}

/* Returns the classes of the entries to measure. The caller frees them. */
static bool *shown_classes(const struct measuring *m, bool by_frame, u32 classes)
{
	struct showing s = { m->v, by_frame, m->count, m->limit,
			     xcalloc(classes + 1, sizeof(*s.shown)) };

	hist_in_pieces(m->v->hist, (m->count + SHOWN - 1) / SHOWN, show_piece, &s);
	return s.shown;
}

int hist_widest(const struct hist_view *v, const struct hist_field *f, size_t entries, double limit)
{
	struct measuring m = {
		.v = v, .f = f, .count = MIN(entries, v->entry_count), .limit = limit
	};
	bool by_frame = f->column->flags & HIST_BY_FRAME;
	u32 classes = by_frame ? v->hist->frame_classes : v->hist->key_classes;
	bool *shown;
	int width;

	if (f->column->flags & HIST_OF_BOTH)
		return widest(&m);
	m.shown = shown = shown_classes(&m, by_frame, classes);
	m.count = classes;
	width = widest(&m);
	free(shown);
	return width;
}
