// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells as paths: the whole time, in the width of the picture. */
#include <math.h>
#include <string.h>

#include "builtin/timechart/draw.h"
#include "ui/html/escape.h"

static const char *const class_names[CLASSES] = {
	"run",   "wait", "blocked", "p0",      "p1",   "p2",    "p3", "p4",   "p5",
	"mix",   "c0",   "c1",      "c2",      "c3",   "c4",    "c5", "freq", "read",
	"write", "sync", "send",    "receive", "poll", "error", "hi",
};

enum { MOST_ARROWS = 400, LEVELS = 8 /* heights of a column's shares */ };

/* The paths of one lane while it is drawn. */
struct brush {
	const struct drawing *d;
	const struct drawn_lane *lane;
	double scale; /* pixels for a ns */
	struct strbuf paths[CLASSES], texts;
	/* a column of cells that are narrower than a pixel; columns that look alike are one */
	s64 column;
	double share[CELL_PARTS];
	u32 class_of_column;
	u32 run_from, run_width, run_class, run_levels[CELL_PARTS];
};

/* Adds a letter and a number with at most two decimals, without printf, since there are so many. */
static void put_step(struct strbuf *b, char step, double v)
{
	u64 hundredths = (u64)(fabs(v) * 100 + 0.5);

	strbuf_char(b, step);
	if (v < 0)
		strbuf_char(b, '-');
	strbuf_dec(b, hundredths / 100);
	if (!(hundredths %= 100))
		return;
	strbuf_char(b, '.');
	strbuf_char(b, (char)('0' + hundredths / 10));
	if (hundredths % 10)
		strbuf_char(b, (char)('0' + hundredths % 10));
}

static void put_box(struct brush *p, u32 class, double x, double y, double w, double h)
{
	struct strbuf *b = &p->paths[class];

	put_step(b, 'M', x + LEFT);
	put_step(b, ' ', y);
	put_step(b, 'h', w);
	put_step(b, 'v', h);
	put_step(b, 'h', -w);
	strbuf_char(b, 'z');
}

/* Adds boxes on top of each other, from the bottom of the lane. */
static void put_shares(struct brush *p, u32 class, double x, double w, const double *share)
{
	double bottom = p->lane->y + p->lane->height;

	for (u32 i = 0; i < CELL_PARTS; i++) {
		double h = MIN(share[i], 1.0) * p->lane->height;

		if (h <= 0)
			continue;
		h = MIN(MAX(h, 1.0), bottom - p->lane->y);
		put_box(p, p->lane->kind == LANE_TASK ? CLASS_RUN + i : class, x, bottom - h, w, h);
		bottom -= h;
	}
}

static void end_run(struct brush *p)
{
	double share[CELL_PARTS];

	if (!p->run_width)
		return;
	for (int i = 0; i < CELL_PARTS; i++)
		share[i] = (double)p->run_levels[i] / LEVELS;
	put_shares(p, p->run_class, p->run_from, p->run_width, share);
	p->run_width = 0;
}

static void end_column(struct brush *p)
{
	u32 levels[CELL_PARTS];

	if (p->column < 0)
		return;
	for (int i = 0; i < CELL_PARTS; i++) {
		levels[i] = (u32)ceil(MIN(p->share[i], 1.0) * LEVELS);
		p->share[i] = 0;
	}
	if (!p->run_width || p->run_from + p->run_width != (u32)p->column ||
	    p->run_class != p->class_of_column || memcmp(levels, p->run_levels, sizeof(levels))) {
		end_run(p);
		p->run_from = (u32)p->column;
		p->run_class = p->class_of_column;
		memcpy(p->run_levels, levels, sizeof(levels));
	}
	p->run_width += p->d->grid;
	p->column = -1;
}

static bool is_high(const struct drawing *d, const struct drawn_lane *lane, const struct cell *c)
{
	const struct scene *s = d->s;
	const struct timechart *t = s->t;
	u32 row;

	if (lane->kind != LANE_CPU && lane->kind != LANE_TASK)
		return false;
	if (t->highlight_time)
		return c->count == 1 && c->parts[PART_RUN] >= t->highlight_time;
	if (!t->highlight_name || !c->parts[PART_RUN])
		return false;
	row = lane->kind == LANE_CPU ? c->what : d->rows.items[lane->row].number;
	return c->count == 1 &&
	       !strcmp(strtab_get(&s->names, s->rows.items[row].name), t->highlight_name);
}

/* Returns the colour class of a whole box. Lanes of tasks have one for each part. */
static u32 class_of(const struct brush *p, const struct cell *c)
{
	switch (p->lane->kind) {
	case LANE_CPU:
		return c->count == 1 ? CLASS_PROCESS + p->d->s->rows.items[c->what].pid % 6
				     : CLASS_MIX;
	case LANE_IDLE:
		return CLASS_IDLE + MIN(c->what, 5U);
	case LANE_FREQ:
		return CLASS_FREQ;
	case LANE_TASK:
		return CLASS_RUN;
	default:
		return c->parts[PART_BLOCKED] ? CLASS_ERROR
					      : CLASS_IO + (u32)p->lane->kind - LANE_IO;
	}
}

/*
 * Returns a call's bytes relative to those of the largest call. Calls that failed or moved no bytes
 * get the full height.
 */
static double bytes_of(const struct brush *p, const struct cell *c)
{
	enum io_kind kind = (enum io_kind)(p->lane->kind - LANE_IO);
	double bytes = (double)c->parts[PART_WAIT] / MAX(c->count, 1U);

	if (!io_moves_bytes(kind) || c->parts[PART_BLOCKED])
		return 1;
	return p->d->s->most_bytes ? MAX(bytes / (double)p->d->s->most_bytes, 0.01) : 1;
}

/*
 * Computes the shares that a box shows: of its time, of the greatest frequency, or of the largest
 * call.
 */
static void shares_of(const struct brush *p, const struct cell *c, double *share)
{
	double length = (double)(c->until - c->from);

	for (int i = 0; i < CELL_PARTS; i++)
		share[i] = p->lane->kind < LANE_IO ? (double)c->parts[i] / length
			   : i                     ? 0
						   : bytes_of(p, c);
	if (p->lane->kind == LANE_FREQ)
		share[0] = p->d->s->most_freq ? (double)c->what / p->d->s->most_freq : 0;
}

static void put_label(struct brush *p, const struct cell *c, double x, double w)
{
	const struct scene *s = p->d->s;
	const char *name;

	if (p->lane->kind != LANE_CPU || c->count != 1)
		return;
	name = strtab_get(&s->names, s->rows.items[c->what].name);
	if (w < 6.0 * (double)strlen(name) + 4 || !*name) /* it begins 2 pixels inside of its box */
		return;
	strbuf_f(&p->texts, "<text x=\"%.1f\" y=\"%u\">", x + LEFT + 2, p->lane->y + 12);
	html_escape(&p->texts, name, strlen(name));
	strbuf_str(&p->texts, "</text>");
}

static void add_narrow(struct brush *p, const struct cell *c, double x, double w)
{
	s64 column = (s64)(x + w / 2) / p->d->grid * p->d->grid;
	u32 class = class_of(p, c);
	double share[CELL_PARTS];

	if (column != p->column) {
		end_column(p);
		p->column = column;
		p->class_of_column = class;
	} else if (class != p->class_of_column && p->lane->kind == LANE_CPU) {
		p->class_of_column = CLASS_MIX;
	}
	shares_of(p, c, share);
	for (int i = 0; i < CELL_PARTS; i++)
		if (p->lane->kind == LANE_FREQ || p->lane->kind >= LANE_IO)
			p->share[i] = MAX(p->share[i], share[i]);
		else
			p->share[i] += share[i] * w / p->d->grid;
}

static void add_wide(struct brush *p, const struct cell *c, double x, double w)
{
	double share[CELL_PARTS];

	end_column(p);
	end_run(p);
	shares_of(p, c, share);
	if (is_high(p->d, p->lane, c))
		put_box(p, CLASS_HIGH, x, p->lane->y, w, p->lane->height);
	else
		put_shares(p, class_of(p, c), x, w, share);
	put_label(p, c, x, w);
}

void draw_lane(const struct drawing *d, const struct drawn_lane *lane, struct strbuf *b)
{
	const struct chart *chart = &d->s->chart;
	double time = (double)MAX(chart->last - chart->first, 1UL);
	struct brush p = { .d = d, .lane = lane, .scale = d->plot / time, .column = -1 };

	vec_for_each(&chart->lanes.items[lane->lane].cells, c) {
		double x = (double)(c->from - chart->first) * p.scale;
		double w = MIN((double)(c->until - c->from) * p.scale, d->plot - x);

		if (w < d->grid)
			add_narrow(&p, c, x, w);
		else
			add_wide(&p, c, x, w);
	}
	end_column(&p);
	end_run(&p);
	strbuf_f(b, "<g class=\"lane\" data-n=\"%td\">", lane - d->lanes.items);
	for (u32 i = 0; i < CLASSES; i++) {
		if (p.paths[i].len)
			strbuf_f(b, "<path class=\"%s\" d=\"%s\"/>", class_names[i], p.paths[i].s);
		strbuf_release(&p.paths[i]);
	}
	strbuf_str(b, strbuf_cstr(&p.texts));
	strbuf_str(b, "</g>\n");
	strbuf_release(&p.texts);
}

/* ---- scale ---- */

/* Returns the step of the scale: 1, 2 or 5 times a power of ten, for about ten steps. */
static double step_of(double time)
{
	double step = pow(10, floor(log10(time / 5)));

	if (step * 5 <= time / 8)
		step *= 5;
	else if (step * 2 <= time / 8)
		step *= 2;
	return step;
}

void draw_scale(const struct drawing *d, struct strbuf *b)
{
	double time = (double)MAX(d->s->chart.last - d->s->chart.first, 1UL), step = step_of(time);

	for (u32 i = 0; i * step <= time && i < 40; i++) {
		double x = LEFT + i * step / time * d->plot;

		strbuf_f(b,
			 "<path class=\"grid\" d=\"M%.1f %d V%u\"/><text x=\"%.1f\" y=\"%d\">%.6g "
			 "%s</text>",
			 x, TOP - 8, TOP - 2, x + 2, TOP - 10,
			 i * step /
				 (step < 1e6   ? 1e3
				  : step < 1e9 ? 1e6
					       : 1e9),
			 step < 1e6   ? "us"
			 : step < 1e9 ? "ms"
				      : "s");
	}
}

/* ---- wake-ups ---- */

static void put_wake(const struct drawing *d, const struct wake *w, struct strbuf *b)
{
	const struct chart *c = &d->s->chart;
	double x = LEFT +
		   (double)(w->time - c->first) / (double)MAX(c->last - c->first, 1UL) * d->plot;
	u32 to = d->places[w->to], from = w->from == NOBODY ? 0 : d->places[w->from];
	u32 y = to ? d->rows.items[to - 1].y + TASK_HEIGHT / 2 : 0;

	if (to && from)
		strbuf_f(b, "<path class=\"wake\" d=\"M%.1f %uV%u\"/>", x,
			 d->rows.items[from - 1].y + TASK_HEIGHT / 2, y);
	else if (to)
		strbuf_f(b, "<circle class=\"irq\" cx=\"%.1f\" cy=\"%u\" r=\"2\"/>", x, y);
}

void draw_wakes(const struct drawing *d, struct strbuf *b)
{
	const struct chart *c = &d->s->chart;

	for (size_t i = 0; i < c->wakes.count && c->wakes.count <= MOST_ARROWS; i++)
		put_wake(d, &c->wakes.items[i], b);
}
