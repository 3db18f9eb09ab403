// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions instruction by instruction while they run: the key 'a', and --sym-annotate.
 *
 * Samples are counted by address from the start, so that a function that is opened shows all of its
 * samples.  These counts do not decay; -z clears them with each table.
 */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/datatype.h"
#include "base/alloc.h"
#include "base/guard.h"
#include "builtin/top/internal.h"
#include "cli/say.h"
#include "profile/gather.h"
#include "ui/stdio/annotate.h"
#include "ui/tui/annotate.h"

enum { MOST_PLACES = 1 << 18 }; /* about 12 MB; above it only an open function keeps counts */

struct top_code {
	struct annotate_counts *counts;
	VEC(struct annotate_count) totals; /* by the event's number */
	u32 open;                          /* the image of the open function; 0: none is */
	struct annotator *annotator;       /* made when a function is first opened */
	struct data_types *types;
	char *search, *last_line;
};

void top_code_begin(struct top *t)
{
	t->code = xcalloc(1, sizeof(*t->code));
	t->code->counts = annotate_counts_new();
}

static void count_total(struct top_code *c, u32 event, u64 period)
{
	while (c->totals.count <= event)
		vec_push(&c->totals, (struct annotate_count){ 0, 0 });
	c->totals.items[event].samples++;
	c->totals.items[event].period += period;
}

void top_code_count(struct top *t, const struct session_sample *s)
{
	const struct history *h = session_history(t->session);
	struct top_code *c = t->code;
	u32 event = s->sample->event->index;

	if (!c || !s->leaf.image)
		return;
	count_total(c, event, s->sample->period);
	annotate_counts_add(c->counts, event, s->leaf.image, s->leaf.offset,
			    history_code_version(h, &s->key), s->sample->period);
}

/* A branch counts where it begins and where it ends. */
void top_code_count_branch(struct top *t, const struct session_sample *s,
			   const struct hist_branch *b)
{
	const struct location *ends[] = { &b->from.at, &b->to.at };
	struct top_code *c = t->code;
	u32 event = s->sample->event->index;

	if (!c)
		return;
	count_total(c, event, 1);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		annotate_counts_add(c->counts, event, ends[i]->image, ends[i]->offset,
				    history_code_version(session_history(t->session), &s->key), 1);
}

void top_code_count_cycles(struct top *t, const struct session_sample *s)
{
	if (t->code)
		annotate_add_cycles(t->code->counts, t->session, s);
}

static void forget_all(struct top_code *c)
{
	annotate_counts_keep(c->counts, NULL, NULL);
	c->totals.count = 0;
}

static bool is_open(void *arg, u32 image)
{
	const struct top_code *c = arg;

	return image == c->open;
}

void top_code_refresh(struct top *t)
{
	struct top_code *c = t->code;

	if (!c)
		return;
	if (t->o.zero || (annotate_counts_size(c->counts) > MOST_PLACES && !c->open))
		forget_all(c);
	else if (annotate_counts_size(c->counts) > MOST_PLACES)
		annotate_counts_keep(c->counts, is_open, c);
}

static void close_annotator(struct top_code *c)
{
	data_types_free(c->types);
	annotator_free(c->annotator);
	c->types = NULL;
	c->annotator = NULL;
}

static bool is_named(void *arg, u32 image)
{
	const bool *named = arg;

	return named[image];
}

static void sweep_annotator(struct top_code *c, const bool *named)
{
	if (c->annotator)
		annotator_sweep(c->annotator, named);
	if (c->types)
		data_types_sweep(c->types, named);
}

void top_code_sweep(struct top *t, const bool *named)
{
	struct top_code *c = t->code;

	if (!c)
		return;
	annotate_counts_keep(c->counts, is_named, (void *)(uintptr_t)named);
	/* an open function is on the screen, so its image has a name */
	sweep_annotator(c, named);
}

void top_code_renew(struct top *t, const bool *renewed)
{
	u32 count = image_count(session_images(t->session));
	bool *same = xcalloc(count, sizeof(*same));

	for (u32 i = 0; i < count; i++)
		same[i] = !renewed[i];
	if (t->code)
		sweep_annotator(t->code, same);
	free(same);
}

bool top_code_is_open(const struct top *t)
{
	return t->code && t->code->open;
}

void top_code_release(struct top *t)
{
	if (!t->code)
		return;
	close_annotator(t->code);
	annotate_counts_free(t->code->counts);
	vec_release(&t->code->totals);
	free(t->code->search);
	free(t->code->last_line);
	free(t->code);
	t->code = NULL;
}

static struct annotator *annotator_of(struct top *t)
{
	struct session *s = t->session;
	struct annotate_settings set = t->o.code;

	if (t->code->annotator)
		return t->code->annotator;
	set.history = session_history(s);
	set.counts = t->code->counts;
	set.no_source = !t->o.source;
	set.arch_of_host = true;
	set.prefix = t->o.set.lines.prefix;
	set.prefix_strip = t->o.set.lines.prefix_strip;
	t->code->annotator = annotator_new(t->a.ctx, session_images(s), session_symbols(s), &set);
	/* swept with it, also while it is in use */
	t->code->types = data_types_new(t->code->annotator);
	return t->code->annotator;
}

/* ---- in the browser ---- */

struct opened {
	struct top *t;
	const struct top_code_live *live;
	const struct hist_view *view;
	struct annotate_count *all; /* by member of the view */
};

static void sum(struct opened *o)
{
	const struct top_code *c = o->t->code;

	for (u32 i = 0; i < o->view->member_count; i++) {
		u32 event = o->view->members[i]->index;

		o->all[i] = event < c->totals.count ? c->totals.items[event]
						    : (struct annotate_count){ 0, 0 };
	}
}

static int due(void *arg)
{
	const struct opened *o = arg;

	return o->live->due(o->live->arg);
}

static void next(void *arg)
{
	struct opened *o = arg;

	o->live->take(o->live->arg);
	sum(o);
}

static void hold(void *arg, bool on)
{
	const struct opened *o = arg;

	o->live->hold(o->live->arg, on);
}

bool top_annotate(struct top *t, const struct top_code_live *live, const struct hist_view *v,
		  u32 image, u32 symbol)
{
	static const struct tui_annotate_live grows = { due, next, hold };
	struct opened o = { t, live, v, xcalloc(v->member_count, sizeof(*o.all)) };
	u32 *events = xcalloc(v->member_count, sizeof(*events));
	struct strbuf title = STRBUF_INIT;
	struct annotator *annotator = annotator_of(t);
	/* clang-format off */
	struct tui_annotate a = {
		.ctx = t->a.ctx, .annotator = annotator, .counts = t->code->counts,
		.events = events, .columns = v->member_count, .all = o.all,
		.show_samples = t->o.show_samples, .show_period = t->o.show_period,
		.no_source = !t->o.source, .asm_raw = t->o.asm_raw, .types = t->code->types, .least = t->o.least_share,
		.live = &grows, .live_arg = &o, .search = t->code->search,
	};
	/* clang-format on */
	enum tui_annotate_end end;

	for (u32 i = 0; i < v->member_count; i++)
		events[i] = v->members[i]->index;
	sum(&o);
	strbuf_str(&title, t->o.zero ? "Samples since the last refresh, event '"
				     : "Samples since the start, event '");
	strbuf_printable(&title, v->members[0]->name);
	strbuf_char(&title, '\'');
	a.title = strbuf_cstr(&title);
	t->code->open = image;
	end = tui_annotate(&a, image, symbol);
	t->code->open = 0;
	t->code->search = a.search;
	t->o.least_share = a.least;
	strbuf_release(&title);
	free(events);
	free(o.all);
	return end == ANNOTATE_QUIT;
}

/* ---- by name ---- */

static const struct annotate_row *row_named(struct top *t, const char *name, u32 event)
{
	struct session *s = t->session;
	const struct annotate_row *rows;
	size_t count;

	rows = annotate_rows(t->code->counts, session_images(s), session_symbols(s),
			     (u32)t->code->totals.count, event, &count);
	for (size_t i = 0; i < count; i++) {
		const struct symbol_table *of = symbols_of(session_symbols(s), rows[i].image);

		if (!strcmp(symbol_get(of, rows[i].symbol)->name, name))
			return &rows[i];
	}
	return NULL;
}

bool top_find_function(struct top *t, const char *name, const struct event *ev, u32 *image,
		       u32 *symbol)
{
	const struct annotate_row *row = row_named(t, name, ev->index);

	if (!row)
		return false;
	*image = row->image;
	*symbol = row->symbol;
	return true;
}

/* ---- as text ---- */

static void print_function(struct top *t, struct annotation *n, const struct event *ev,
			   struct out *out)
{
	const u32 events[] = { ev->index };
	const struct stdio_annotate s = {
		.n = n,
		.all = &t->code->totals.items[ev->index],
		.event = ev->name,
		.show_samples = t->o.show_samples,
		.show_period = t->o.show_period,
		.asm_raw = t->o.asm_raw,
		.color = t->o.draw.color,
		.samples = 0,
		.least = t->o.least_share,
	};
	struct stdio_annotate with = s;

	annotation_fill(n, t->code->counts, events, 1);
	with.samples = n->totals[0].samples;
	stdio_annotate2_configure(&with, t->a.ctx);
	if (n->has_cycles) {
		size_t start = out_buf(out)->len;

		out_f(out, "%s() in %s for %s (%" PRIu64 " samples, percent: local period)",
		      n->name, n->path, ev->name, with.samples);
		strbuf_printable_names(out_buf(out), start);
		out_str(out, "\n");
		stdio_annotate2(&with, out); /* the other layout has no columns for them */
	} else {
		stdio_annotate(&with, &t->code->last_line, out);
	}
	out_str(out, "\n");
}

/* Whether an object that has samples has a function of this name, too, although without samples. */
static bool has_function(struct top *t, const char *name, u32 event)
{
	struct session *s = t->session;
	const struct annotate_row *rows;
	struct map64 seen = { 0 };
	bool found = false;
	size_t count;

	rows = annotate_rows(t->code->counts, session_images(s), session_symbols(s),
			     (u32)t->code->totals.count, event, &count);
	for (size_t i = 0; i < count && !found; i++) {
		bool added;

		map64_put(&seen, rows[i].image, &added);
		found = added && symbol_by_name(symbols_of(session_symbols(s), rows[i].image),
						name) != NO_SYMBOL;
	}
	map64_release(&seen);
	return found;
}

void top_print_code(struct top *t, const struct event *ev, struct out *out)
{
	const struct annotate_row *row = row_named(t, t->o.annotate, ev->index);
	struct reason why = REASON_INIT;
	struct annotation *n;

	if (!row) {
		out_str(out, "No samples in '");
		strbuf_printable(out_buf(out), t->o.annotate);
		out_str(out, "' yet");
		if (!has_function(t, t->o.annotate, ev->index))
			out_str(out, ", and no object with samples has a function of this name");
		out_str(out, ".\n\n");
	} else if (annotate_symbol(annotator_of(t), row->image, row->symbol, &n, &why)) {
		say_reason(&why);
		t->o.annotate = NULL; /* it would fail again with each table */
	} else {
		print_function(t, n, ev, out);
		annotation_free(n);
	}
}
