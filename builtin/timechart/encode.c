// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the script needs to draw again: names, lanes, cells, wake-ups, within the allowed number of
 * bytes.
 */
#include <string.h>

#include "base/json.h"
#include "builtin/timechart/draw.h"

enum { SHARES = 31 };

struct encoder {
	struct drawing *d;
	u64 unit; /* ns */
	struct strbuf *b;
	u32 *names; /* row -> of names, plus one */
	struct strbuf name_list;
	u32 name_count;
};

static void put_number(struct strbuf *b, u64 v)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	do {
		strbuf_char(b, digits[(v & 31) | (v > 31 ? 32 : 0)]);
		v >>= 5;
	} while (v);
}

/* Adds JSON inside of CDATA, with the characters escaped that could end that. */
static void put_text(struct strbuf *b, const char *text)
{
	struct strbuf json = STRBUF_INIT;

	json_text(&json, text);
	for (size_t i = 0; i < json.len; i++)
		if (json.s[i] == '>' || json.s[i] == '<')
			strbuf_str(b, json.s[i] == '<' ? "\\u003c" : "\\u003e");
		else
			strbuf_char(b, json.s[i]);
	strbuf_release(&json);
}

/* Adds a row's name. Rows are numbered in the order in which they appear in the lanes of CPUs. */
static void add_name(struct encoder *e, u32 row)
{
	const struct scene *s = e->d->s;
	const struct row *r = &s->rows.items[row];
	const char *name = strtab_get(&s->names, r->name);
	struct strbuf text = STRBUF_INIT;

	e->names[row] = ++e->name_count;
	strbuf_f(&text, "%s:%" PRIu32, *name ? name : "?", r->pid);
	if (e->name_list.len)
		strbuf_char(&e->name_list, ',');
	put_text(&e->name_list, text.s);
	strbuf_release(&text);
}

static void add_names(struct encoder *e)
{
	vec_for_each(&e->d->lanes, lane) {
		if (lane->kind != LANE_CPU)
			continue;
		vec_for_each(&e->d->s->chart.lanes.items[lane->lane].cells, c)
			if (!e->names[c->what])
				add_name(e, c->what);
	}
}

static void put_parts(const struct encoder *e, const struct drawn_lane *lane, const struct cell *c,
		      struct strbuf *b)
{
	u32 what = lane->kind == LANE_CPU ? e->names[c->what] - 1 : c->what, part = 3;
	u64 length = c->until - c->from;

	for (u32 i = 0; i < CELL_PARTS && c->count == 1; i++)
		if (c->parts[i])
			part = i;
	put_number(b, (u64)what << 3 | part << 1 | !!c->chain);
	if (c->chain)
		put_number(b, c->chain);
	if (part < 3)
		return;
	put_number(b, c->count);
	for (u32 i = 0; i < CELL_PARTS; i++)
		put_number(b, (c->parts[i] * SHARES + length - 1) / length);
}

static void put_cells(const struct encoder *e, const struct drawn_lane *lane, struct strbuf *b)
{
	const struct chart *chart = &e->d->s->chart;
	u64 at = 0; /* units */

	vec_for_each(&chart->lanes.items[lane->lane].cells, c) {
		u64 from = (c->from - chart->first) / e->unit,
		    until = (c->until - chart->first) / e->unit;

		from = MAX(from, at);
		until = MAX(until, from);
		put_number(b, from - at);
		put_number(b, until - from);
		at = until;
		if (lane->kind < LANE_IO) {
			put_parts(e, lane, c, b);
			continue;
		}
		put_number(b, c->what == NOBODY ? 0 : (u64)c->what + 1);
		put_number(b, c->count);
		put_number(b, c->parts[PART_WAIT]);
		put_number(b, c->parts[PART_BLOCKED]);
	}
}

static void put_lanes(void *arg, size_t from, size_t until, struct strbuf *b)
{
	const struct encoder *e = arg;

	for (size_t i = from; i < until; i++) {
		const struct drawn_lane *lane = &e->d->lanes.items[i];

		strbuf_f(b, "%s[%d,%u,%u,%u,\"", i ? ",\n" : "", lane->kind, lane->row, lane->y,
			 lane->height);
		put_cells(e, lane, b);
		strbuf_str(b, "\"]");
	}
}

static void put_wakes(struct encoder *e)
{
	const struct drawing *d = e->d;
	const struct chart *c = &d->s->chart;
	u64 at = 0;

	vec_for_each(&c->wakes, w) {
		u64 time = (w->time - c->first) / e->unit;

		if (!d->places[w->to])
			continue;
		put_number(e->b, time - MIN(at, time));
		at = MAX(at, time);
		put_number(e->b, w->from == NOBODY ? 0 : 1 + d->places[w->from]);
		put_number(e->b, d->places[w->to]);
	}
}

static void put_list(struct strbuf *b, const struct strtab *texts)
{
	for (u32 i = 0; i < texts->count; i++) {
		if (i)
			strbuf_char(b, ',');
		put_text(b, strtab_get(texts, i));
	}
}

/*
 * Adds the data. Returns false if it takes more than most bytes, and then b has only a part of it.
 */
static bool encode(struct drawing *d, size_t most, struct strbuf *b, struct strbuf *names)
{
	struct encoder e = { .d = d, .b = b, .unit = MAX(d->s->chart.grain / 4, 1UL) };
	bool fits;

	e.names = xcalloc(d->s->rows.count + 1, sizeof(*e.names));
	add_names(&e);
	strbuf_f(b, "unit: %" PRIu64 ", lanes: [\n", e.unit);
	fits = lanes_to_text(d, put_lanes, &e, most, b);
	strbuf_str(b, "],\nwakes: \"");
	put_wakes(&e);
	strbuf_str(b, "\",\n");
	*names = e.name_list;
	free(e.names);
	return fits && b->len + names->len <= most;
}

static bool can_settle(const struct chart *c)
{
	return c->grain < c->last - c->first;
}

void draw_data(struct drawing *d, size_t most, struct strbuf *b)
{
	struct scene *s = d->s;
	struct strbuf cells = STRBUF_INIT, names = STRBUF_INIT;

	while (!encode(d, can_settle(&s->chart) ? most : SIZE_MAX, &cells, &names)) {
		strbuf_clear(&cells);
		strbuf_release(&names);
		chart_settle(&s->chart, s->chart.cells - s->chart.cells / 8);
	}
	strbuf_f(b,
		 "var perf = { range: %" PRIu64 ", first: %" PRIu64
		 ", mostFreq: %u, calls: %d, mostBytes: %" PRIu64 ",\n",
		 s->chart.last - s->chart.first, s->chart.first, s->most_freq, !!s->io_calls,
		 s->most_bytes);
	strbuf_f(b, "grain: %" PRIu64 ", highTime: %" PRIu64 ", highName: ", s->chart.grain,
		 s->t->highlight_time);
	put_text(b, s->t->highlight_name ? s->t->highlight_name : "");
	strbuf_str(b, ",\n");
	strbuf_add(b, cells.s, cells.len);
	strbuf_str(b, "names: [");
	strbuf_add(b, strbuf_cstr(&names), names.len);
	strbuf_str(b, "],\nchains: [");
	put_list(b, &s->chain_texts);
	strbuf_str(b, "],\nrows: [");
	vec_for_each(&d->rows, row)
		strbuf_f(b, "%s[%u,%u]", row == d->rows.items ? "" : ",", row->y, row->height);
	strbuf_str(b, "] };\n");
	strbuf_release(&cells);
	strbuf_release(&names);
}
