// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains as text: graph and fractal draw branches with pipes, flat prints a block for each
 * chain, folded a line.
 */
#include <string.h>

#include "cli/color.h"
#include "ui/stdio/hist.h"

enum { LEFT_MARGIN = 12, BRANCH_WIDTH = 10, MAX_DEPTH = 64 };

struct drawing {
	const struct stdio_settings *set;
	const struct hist *hist;
	const struct call_graph_settings *graph;
	struct strbuf *b;
	int margin;
	bool pipes[MAX_DEPTH]; /* by level: does its pipe go on below this line? */
	bool wrote;
};

const char *stdio_percent_color(double percent)
{
	if (percent >= 5.0)
		return COLOR_RED;
	if (percent > 0.5)
		return COLOR_GREEN;
	return "";
}

static void put_value(struct drawing *d, u64 period, u64 samples, u64 of)
{
	double percent = of ? (double)period * 100.0 / (double)of : 0.0;
	const char *color = "";

	switch (d->graph->value) {
	case CALL_GRAPH_PERIOD:
		strbuf_dec(d->b, period);
		return;
	case CALL_GRAPH_COUNT:
		strbuf_dec(d->b, samples);
		return;
	case CALL_GRAPH_PERCENT:
		break;
	}
	if (d->set->color)
		color = stdio_percent_color(percent);
	strbuf_f(d->b, "%s%.2f%%%s", color, percent, *color ? COLOR_RESET : "");
}

static void put_frame(struct drawing *d, frame_id frame)
{
	hist_frame_text(d->hist, frame, d->b);
}

static bool pipe_at(const struct drawing *d, int level)
{
	return level < MAX_DEPTH && d->pipes[level];
}

static void set_pipe(struct drawing *d, int level, bool on)
{
	if (level < MAX_DEPTH)
		d->pipes[level] = on;
}

/* Adds the empty line that separates branches: the pipes of all levels. */
static void put_pipes(struct drawing *d, int level)
{
	strbuf_pad(d->b, ' ', d->margin);
	for (int i = 0; i <= level; i++) {
		strbuf_char(d->b, pipe_at(d, i) ? '|' : ' ');
		strbuf_pad(d->b, ' ', BRANCH_WIDTH);
	}
	strbuf_char(d->b, '\n');
	d->wrote = true;
}

/* Adds everything to the left of a frame's name, except a branch's own value. */
static void put_stem(struct drawing *d, int level)
{
	strbuf_pad(d->b, ' ', d->margin);
	for (int i = 0; i <= level; i++) {
		strbuf_char(d->b, pipe_at(d, i) ? '|' : ' ');
		if (i < level)
			strbuf_pad(d->b, ' ', BRANCH_WIDTH);
	}
}

static void put_run(struct drawing *d, const struct call_tree *t, int level, u64 of)
{
	for (size_t i = 0; i < t->frames.count; i++) {
		put_stem(d, level);
		if (i == 0) {
			strbuf_str(d->b, "--");
			put_value(d, t->period, t->samples, of);
			strbuf_str(d->b, "--");
		} else {
			strbuf_pad(d->b, ' ', BRANCH_WIDTH);
		}
		put_frame(d, t->frames.items[i]);
		strbuf_char(d->b, '\n');
	}
}

/* Adds what the threshold or the print limit left out of a fractal graph. */
static void put_rest(struct drawing *d, const struct call_tree *t, u64 rest, u64 rest_samples,
		     int level, u64 of)
{
	(void)t;
	set_pipe(d, level, false);
	put_stem(d, level);
	strbuf_str(d->b, "--");
	put_value(d, rest, rest_samples, of);
	strbuf_str(d->b, "--[...]\n");
}

static void put_branches(struct drawing *d, const struct call_tree *t, int level, u64 of)
{
	bool fractal = d->graph->mode == CALL_GRAPH_FRACTAL;
	u64 rest = of, below = t->samples - t->own_samples;

	for (size_t i = 0; i < t->children.count; i++) {
		const struct call_tree *c = t->children.items[i];

		rest -= c->period;
		below -= c->samples;
		put_pipes(d, level);
		if (i + 1 == t->children.count && (!fractal || !rest))
			set_pipe(d, level, false);
		put_run(d, c, level, of);
		set_pipe(d, level + 1, true);
		put_branches(d, c, level + 1, fractal ? c->period - c->own_period : of);
		set_pipe(d, level + 1, false);
		if (d->graph->print_limit && i + 1 == d->graph->print_limit)
			break;
	}
	if (fractal && rest && rest != of && (d->graph->value != CALL_GRAPH_COUNT || below))
		put_rest(d, t, rest, below, level, of);
}

/* Makes a single branch that contains everything the trunk, which needs no value. */
static const struct call_tree *put_trunk(struct drawing *d, const struct call_tree *root,
					 u64 parent)
{
	const struct call_tree *t;
	u32 written = 0;

	if (root->children.count != 1 || root->children.items[0]->period != parent)
		return root;
	t = root->children.items[0];
	for (size_t i = d->set->first_frame_known; i < t->frames.count; i++) {
		if (!d->wrote) {
			strbuf_pad(d->b, ' ', d->margin);
			strbuf_str(d->b, "|\n");
			strbuf_pad(d->b, ' ', d->margin);
			strbuf_str(d->b, "---");
			d->margin += 3;
			d->wrote = true;
		} else {
			strbuf_pad(d->b, ' ', d->margin);
		}
		put_frame(d, t->frames.items[i]);
		strbuf_char(d->b, '\n');
		if (++written == d->graph->print_limit)
			break;
	}
	return t;
}

static void draw_graph(struct drawing *d, const struct call_tree *root, u64 parent, u64 of)
{
	const struct call_tree *t = put_trunk(d, root, parent);

	if (d->graph->mode == CALL_GRAPH_FRACTAL)
		of = parent;
	d->pipes[0] = true;
	put_branches(d, t, 0, of);
	if (d->wrote)
		strbuf_char(d->b, '\n');
}

static void draw_flat(struct drawing *d, const struct call_tree *root, u64 of)
{
	u32 written = 0;

	vec_for_each(&root->children, c) {
		strbuf_pad(d->b, ' ', 11);
		put_value(d, (*c)->period, (*c)->samples, of);
		strbuf_char(d->b, '\n');
		vec_for_each(&(*c)->frames, f) {
			strbuf_pad(d->b, ' ', 16);
			put_frame(d, *f);
			strbuf_char(d->b, '\n');
		}
		strbuf_char(d->b, '\n');
		if (++written == d->graph->print_limit)
			break;
	}
}

static void draw_folded(struct drawing *d, const struct call_tree *root, u64 of)
{
	const char *separator = d->set->separator ? d->set->separator : ";";
	u32 written = 0;

	vec_for_each(&root->children, c) {
		put_value(d, (*c)->own_period, (*c)->own_samples, of);
		strbuf_char(d->b, ' ');
		for (size_t i = 0; i < (*c)->frames.count; i++) {
			if (i)
				strbuf_str(d->b, separator);
			put_frame(d, (*c)->frames.items[i]);
		}
		strbuf_char(d->b, '\n');
		if (++written == d->graph->print_limit)
			break;
	}
}

void stdio_call_tree(const struct stdio_settings *set, const struct hist_view *v,
		     const struct hist_entry *e, struct strbuf *b)
{
	const struct hist_settings *hs = hist_settings(v->hist);
	struct drawing d = {
		.set = set,
		.hist = v->hist,
		.graph = &hs->graph,
		.b = b,
		.margin = LEFT_MARGIN,
	};
	u64 parent = hs->children ? e->total[0].period : e->self[0].period;
	u64 of = hist_view_period(v, 0);

	if (!e->tree)
		return;
	switch (d.graph->mode) {
	case CALL_GRAPH_GRAPH:
	case CALL_GRAPH_FRACTAL:
		draw_graph(&d, e->tree, parent, of);
		break;
	case CALL_GRAPH_FLAT:
		draw_flat(&d, e->tree, of);
		break;
	case CALL_GRAPH_FOLDED:
		draw_folded(&d, e->tree, of);
		break;
	case CALL_GRAPH_NONE:
		break;
	}
}
