// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/html/flamegraph.h"

#include <string.h>

#include "ui/html/escape.h"

/* In user units, each of which is a pixel if the picture is shown at its original size. */
enum { WIDTH = 1200, MARGIN = 10, FRAME = 17, TOP = 58, BOTTOM = 34, LETTER = 7 };
#define PAPER "#fbfaf5"

extern const char flamegraph_script[];

struct drawing {
	const struct flamegraph *g;
	const struct hist_stacks *f;
	struct out *out;
	u32 depth;    /* levels that are drawn */
	double scale; /* width of one sample, or of one unit of period */
};

static u64 value_of(const struct drawing *d, const struct stack_node *n)
{
	return d->g->periods ? n->period : n->samples;
}

static bool is_drawn(const struct drawing *d, const struct stack_node *n)
{
	double least = MAX(1.0, d->g->limit / 100.0 * (WIDTH - 2 * MARGIN));

	return (double)value_of(d, n) * d->scale >= least;
}

static u32 depth_of(const struct drawing *d, u32 at)
{
	u32 deepest = 0;

	for (u32 c = d->f->nodes.items[at].child; c; c = d->f->nodes.items[c].next) {
		/* not inside MAX(), which would evaluate the call twice at each level */
		u32 below = is_drawn(d, &d->f->nodes.items[c]) ? depth_of(d, c) : 0;

		deepest = MAX(deepest, below);
	}
	return deepest + 1;
}

static u32 name_hash(const char *s)
{
	u32 h = 2166136261U;

	for (; *s; s++)
		h = (h ^ (u8)*s) * 16777619U;
	return h;
}

static void put_color(const struct stack_node *n, const char *name, struct strbuf *b)
{
	unsigned h = name_hash(name), v = h % 55, w = h / 64 % 110, u;

	if (stack_waits(n) && n->kind != STACK_KEY) {
		/* the kernel's are a little darker */
		u = n->kind == STACK_KERNEL ? 0 : 25;
		strbuf_f(b, "rgb(%u,%u,%u)", 105 + u + v / 2, 105 + u + w / 4, 200 + v);
		return;
	}
	switch (n->kind) {
	case STACK_KEY:
		strbuf_f(b, "rgb(%u,%u,%u)", 190 + v / 3, 190 + v / 3, 200 + v / 3);
		break;
	case STACK_KERNEL:
		strbuf_f(b, "rgb(%u,%u,%u)", 235 + v / 4, 140 + w / 3, 20 + v);
		break;
	case STACK_INLINED:
		strbuf_f(b, "rgb(%u,%u,%u)", 90 + w / 2, 170 + v, 215 + v / 2);
		break;
	case STACK_USER:
		strbuf_f(b, "rgb(%u,%u,%u)", 220 + v / 2, 60 + w, 45 + v / 2);
		break;
	}
}

static void put_text(const char *name, double width, struct strbuf *b)
{
	size_t room = (size_t)(width / LETTER), len = strlen(name);

	if (room < 3)
		return;
	if (len <= room) {
		html_escape(b, name, len);
		return;
	}
	html_escape(b, name, html_whole_letters(name, room - 2));
	strbuf_str(b, "..");
}

/* Adds " (12 samples, 30.00%)". */
static void put_value(const struct drawing *d, const struct stack_node *n, struct strbuf *b)
{
	u64 value = value_of(d, n), all = value_of(d, &d->f->nodes.items[0]);

	strbuf_str(b, " (");
	if (d->g->times) {
		strbuf_f(b, "%.6f s", (double)value / 1e9);
	} else {
		strbuf_grouped(b, value);
		strbuf_char(b, ' ');
		strbuf_str(b, d->g->unit);
	}
	strbuf_f(b, ", %.2f%%", all ? (double)value * 100.0 / (double)all : 0.0);
	if (d->g->times && value)
		strbuf_f(b, ", %.0f%% of it waiting", (double)n->waiting * 100.0 / (double)value);
	strbuf_char(b, ')');
}

static void put_frame(const struct drawing *d, u32 at, u64 before, u32 level)
{
	const struct stack_node *n = &d->f->nodes.items[at];
	const char *name = at ? strtab_get(&d->f->names, n->name) : "all";
	double x = MARGIN + (double)before * d->scale, w = (double)value_of(d, n) * d->scale;
	u32 y = TOP + (d->depth - 1 - level) * FRAME;
	struct strbuf *b = out_buf(d->out);

	strbuf_str(b, "<g class=\"f\"><title>");
	html_escape(b, name, strlen(name));
	put_value(d, n, b);
	strbuf_f(b,
		 "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"",
		 x, y, w, FRAME - 1);
	put_color(n, name, b);
	strbuf_f(b, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	put_text(name, w, b);
	strbuf_str(b, "</text></g>\n");
	out_done(d->out);
}

static void put_tree(const struct drawing *d, u32 at, u64 before, u32 level)
{
	put_frame(d, at, before, level);
	for (u32 c = d->f->nodes.items[at].child; c; c = d->f->nodes.items[c].next) {
		const struct stack_node *n = &d->f->nodes.items[c];

		if (is_drawn(d, n))
			put_tree(d, c, before, level + 1);
		before += value_of(d, n);
	}
}

static void put_head(const struct drawing *d, u32 height)
{
	struct strbuf *b = out_buf(d->out);

	strbuf_f(b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		 "viewBox=\"0 0 %d %u\" data-margin=\"%d\" data-letter=\"%d\" "
		 "class=\"perf-flame\">\n"
		 "<style>.perf-flame text{font:12px monospace;fill:#000}"
		 ".perf-flame .f text{pointer-events:none}"
		 ".perf-flame .f:hover rect{stroke:#000;stroke-width:1}.perf-flame "
		 ".f.faded{opacity:.45}"
		 ".perf-flame text.b{cursor:pointer;fill:#0645ad}.perf-flame "
		 ".hide{display:none}</style>\n"
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"" PAPER "\"/>\n",
		 WIDTH, height, WIDTH, height, MARGIN, LETTER);
}

/*
 * Adds title, buttons and the text about the frame under the mouse. They are above the frames; the
 * script keeps them in sight if the picture is taller than the window.
 */
static void put_ends(const struct drawing *d, u32 height)
{
	struct strbuf *b = out_buf(d->out);

	strbuf_f(b, "<g class=\"head\"><rect width=\"%d\" height=\"%d\" fill=\"" PAPER "\"/>\n",
		 WIDTH, TOP - 8);
	strbuf_f(b, "<text x=\"%d\" y=\"24\" text-anchor=\"middle\" style=\"font-size:17px\">",
		 WIDTH / 2);
	html_escape(b, d->g->title, strlen(d->g->title));
	strbuf_str(b, "</text>\n");
	if (d->g->subtitle) {
		strbuf_f(b, "<text x=\"%d\" y=\"44\" text-anchor=\"middle\">", WIDTH / 2);
		html_escape(b, d->g->subtitle, strlen(d->g->subtitle));
		strbuf_str(b, "</text>\n");
	}
	strbuf_f(b,
		 "<text class=\"reset b hide\" x=\"%d\" y=\"24\">Reset zoom</text>\n"
		 "<text class=\"search b\" x=\"%d\" y=\"24\" text-anchor=\"end\">Search"
		 "</text></g>\n",
		 MARGIN, WIDTH - MARGIN);
	strbuf_f(b,
		 "<g class=\"foot\"><rect y=\"%u\" width=\"%d\" height=\"%d\" fill=\"" PAPER
		 "\"/>\n"
		 "<text class=\"details\" x=\"%d\" y=\"%u\"> </text>\n"
		 "<text class=\"matched\" x=\"%d\" y=\"%u\" text-anchor=\"end\"> </text></g>\n",
		 height - BOTTOM + 6, WIDTH, BOTTOM - 6, MARGIN, height - 12, WIDTH - MARGIN,
		 height - 12);
}

void flamegraph_svg(const struct flamegraph *g, const struct hist_stacks *f, struct out *out)
{
	struct drawing d = { .g = g, .f = f, .out = out };
	u64 all = g->periods ? f->nodes.items[0].period : f->nodes.items[0].samples;
	u32 height;

	d.scale = all ? (double)(WIDTH - 2 * MARGIN) / (double)all : 0.0;
	d.depth = depth_of(&d, 0);
	height = TOP + d.depth * FRAME + BOTTOM;
	put_head(&d, height);
	out_str(out, "<g class=\"frames\">\n");
	if (all)
		put_tree(&d, 0, 0, 0);
	out_str(out, "</g>\n");
	put_ends(&d, height);
	out_str(out, "<script><![CDATA[\n");
	out_str(out, flamegraph_script);
	out_str(out, "]]></script>\n</svg>\n");
}
