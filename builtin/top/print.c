// SPDX-License-Identifier: GPL-2.0-or-later
/* A table as plain text, as separated columns, as JSON. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "builtin/top/internal.h"
#include "ui/stdio/json.h"
#include "ui/stdio/layout.h"

static double percent(u64 part, u64 of)
{
	return of ? (double)part * 100.0 / (double)of : 0.0;
}

static const char *counted(const struct top *t, u64 count)
{
	bool branches = t->o.set.expansion == HIST_BRANCHES;

	if (count == 1)
		return branches ? "branch" : "sample";
	return branches ? "branches" : "samples";
}

static double per_second(const struct top *t, const struct top_counts *c)
{
	return t->lasted ? (double)c->samples * 1e9 / (double)t->lasted : 0.0;
}

/* What the last table's samples of these events say of themselves. */
static struct top_counts modes_of(const struct top *t, const struct hist_view *v)
{
	struct top_counts c = { 0 };

	for (u32 m = 0; m < v->member_count; m++)
		if (v->members[m]->index < t->last_of.count)
			top_add_modes(&c, &t->last_of.items[v->members[m]->index]);
	return c;
}

static void put_modes(const struct top_counts *c, struct strbuf *b)
{
	strbuf_f(b, "kernel:%4.1f%%", percent(c->kernel, c->samples));
	if (c->guest_kernel || c->guest_user)
		strbuf_f(b, " us:%4.1f%% guest kernel:%4.1f%% guest us:%4.1f%%",
			 percent(c->user, c->samples), percent(c->guest_kernel, c->samples),
			 percent(c->guest_user, c->samples));
	strbuf_f(b, "  exact: %4.1f%%", percent(c->exact, c->samples));
}

static void put_event(const struct top *t, const struct hist_view *v, struct strbuf *b)
{
	strbuf_str(b, " [");
	top_source_rate(t->source, v->members[0], b);
	for (u32 m = 0; m < v->member_count; m++) {
		strbuf_char(b, m ? ',' : ' ');
		strbuf_printable(b, v->members[m]->name);
	}
	strbuf_char(b, ']');
}

static const char fading[] = "older ones fade by 1/8 in 2 s";

/* Of what a percentage is the share. */
static void put_window(const struct top *t, const struct hist_view *v, struct strbuf *b)
{
	struct hist_flow f;

	hist_pool_flow(t->pool, v->members[0], &f);
	strbuf_f(b, "   100%% is %" PRIu64 " %s, %" PRIu64 " of them new", f.held_samples,
		 counted(t, f.held_samples), f.fresh_samples);
	top_put_truth(t, v, b);
	if (!t->o.zero)
		strbuf_f(b, "; %s", fading);
	if (t->last.throttled || t->all.throttled)
		strbuf_f(b, "; throttled: %" PRIu64 "/%" PRIu64, t->last.throttled,
			 t->all.throttled);
	if (t->all.late)
		strbuf_f(b, "; late: %" PRIu64 "/%" PRIu64, t->last.late, t->all.late);
	if (*top_source_gone(t->source))
		strbuf_f(b, "; not watched, since offline: %s", top_source_gone(t->source));
	if (!watch_alive(t->watch))
		strbuf_str(b, "; what was watched has ended");
}

static void top_title(const struct top *t, const struct hist_view *v, struct strbuf *b)
{
	const struct top_counts c = modes_of(t, v);

	strbuf_f(b, "   PerfTop:%8.0f irqs/sec  ", per_second(t, &c));
	put_modes(&c, b);
	strbuf_f(b, " lost: %" PRIu64 "/%" PRIu64 " drop: %" PRIu64 "/%" PRIu64, t->last.lost,
		 t->all.lost, t->last.dropped, t->all.dropped);
	put_event(t, v, b);
	strbuf_str(b, ",  (");
	top_source_target(t->source, b);
	strbuf_str(b, ")\n");
	put_window(t, v, b);
	strbuf_char(b, '\n');
}

/* What a narrow terminal cuts off at the end is what matters least. */
void top_short_title(const struct top *t, const struct hist_view *v, const char *zooms,
		     struct strbuf *b)
{
	const struct top_counts modes = modes_of(t, v), *c = &modes, *last = &t->last;

	strbuf_f(b, "%.0f/s of", per_second(t, c));
	put_event(t, v, b);
	if (t->paused)
		strbuf_str(b, " [paused]");
	strbuf_str(b, zooms);
	if (!watch_alive(t->watch))
		strbuf_str(b, ", what was watched has ended");
	if (*top_source_gone(t->source))
		strbuf_f(b, ", not watched, since offline: %s", top_source_gone(t->source));
	if (t->all.lost || t->all.dropped)
		strbuf_f(b, ", lost %" PRIu64 "/%" PRIu64 " drop %" PRIu64 "/%" PRIu64, last->lost,
			 t->all.lost, last->dropped, t->all.dropped);
	strbuf_f(b, ", 100%% is %" PRIu64 " %s", v->totals[0].samples,
		 counted(t, v->totals[0].samples));
	top_put_truth(t, v, b);
	strbuf_f(b, ", kernel %.1f%% user %.1f%%", percent(c->kernel, c->samples),
		 percent(c->user, c->samples));
	if (c->guest_kernel || c->guest_user)
		strbuf_f(b, " guests %.1f%%", percent(c->guest_kernel + c->guest_user, c->samples));
	if (c->exact)
		strbuf_f(b, " exact %.1f%%", percent(c->exact, c->samples));
	if (t->all.late)
		strbuf_f(b, ", late %" PRIu64 "/%" PRIu64, last->late, t->all.late);
	if (t->all.throttled)
		strbuf_f(b, ", throttled %" PRIu64 "/%" PRIu64, last->throttled, t->all.throttled);
	strbuf_f(b, ", %s", t->o.zero ? "each table has new ones alone" : fading);
}

static bool is_shown(const struct top *t, const struct hist_view *v, const struct hist_entry *e)
{
	u64 samples = 0;

	for (u32 m = 0; m < v->member_count; m++)
		samples +=
			hist_settings(v->hist)->children ? e->total[m].samples : e->self[m].samples;
	return samples >= MAX(t->o.least_count, (u64)1) && stdio_above_limit(v, e);
}

static unsigned lines_in(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '\n';
	return n;
}

/* Whole lines from `from` on, at most so many. */
static void keep_lines(struct strbuf *b, size_t from, unsigned most)
{
	for (size_t i = from; i < b->len; i++)
		if (b->s[i] == '\n' && !most--) {
			strbuf_truncate(b, i);
			return;
		}
}

/* Rows with their call chains; lines: what fits on the screen, 0: there is no end. */
static void put_rows(struct top *t, struct stdio_layout *l, unsigned lines, struct out *out)
{
	const struct hist_view *v = l->v;
	struct strbuf *b = out_buf(out);
	unsigned rows = 0, used = 0;

	for (size_t i = 0; i < v->entry_count && (!lines || used < lines); i++) {
		const struct hist_entry *e = v->entries[i];
		size_t from = b->len;

		if (!is_shown(t, v, e))
			continue;
		if (t->o.entries && rows++ >= t->o.entries)
			break;
		stdio_layout_row(l, e, b, NULL);
		strbuf_char(b, '\n');
		hist_want_tree(v, v->entries[i]);
		stdio_call_tree(&t->o.draw, v, e, b);
		if (lines) /* the last lines may have to go */
			used += lines_in(b->s + from, b->len - from);
		else
			out_done(out);
	}
}

static bool is_wanted(const struct top *t, const struct hist_view *v)
{
	const struct event *ev = v->members[0];

	return !top_is_side_band(ev) && (!t->event || t->event == ev);
}

/* A single column of percentages explains itself; of several nobody knows which is which. */
static void put_heads(const struct stdio_layout *l, struct strbuf *b)
{
	u32 values = 0;

	for (size_t i = 0; i < l->count; i++)
		if (stdio_is_value(&l->fields[i]) && hist_field_shown(l->v, &l->fields[i]))
			values += stdio_cells_of(l, &l->fields[i]);
	if (values > 1) {
		strbuf_str(b, "# ");
		stdio_layout_head(l, b);
	}
	strbuf_char(b, '\n');
}

/* How many entries there are up to the last one that is shown, so far as they need to be known. */
static u32 last_shown(const struct top *t, const struct hist_view *v, unsigned lines)
{
	size_t n = v->entry_count;

	if (lines)
		n = MIN(n, lines);
	if (t->o.entries)
		n = MIN(n, t->o.entries);
	while (n > 1 && !is_shown(t, v, v->entries[n - 1]))
		n--;
	return (u32)n;
}

/*
 * Columns are as wide as the rows that are printed need: what has nearly faded away must not widen
 * them.
 */
void top_print_rows(struct top *t, const struct hist_view *v, unsigned lines, struct out *out)
{
	struct stdio_settings draw = t->o.draw;
	struct stdio_layout *l;

	draw.measured = last_shown(t, v, lines);
	l = stdio_layout_new(&draw, v);
	put_heads(l, out_buf(out));
	put_rows(t, l, lines, out);
	stdio_layout_free(l);
}

static void put_view(struct top *t, const struct hist_view *v, unsigned lines, struct out *out)
{
	struct strbuf *b = out_buf(out);
	size_t from = b->len;

	top_title(t, v, b);
	strbuf_pad(b, '-', 79);
	strbuf_char(b, '\n');
	if (lines && t->o.annotate) {
		strbuf_char(b, '\n'); /* a screen has no room for both */
	} else if (t->o.hierarchy) {
		strbuf_char(b, '\n');
		stdio_hierarchy(&t->o.draw, v, out);
	} else {
		top_print_rows(t, v, lines > 4 ? lines - 4 : lines ? 1 : 0, out);
	}
	if (t->o.annotate)
		top_print_code(t, v->members[0], out);
	if (lines)
		keep_lines(b, from, lines - 1);
	else
		strbuf_char(b, '\n');
}

static bool has_samples(const struct hist_view *v)
{
	for (u32 m = 0; m < v->member_count; m++)
		if (v->totals[m].samples)
			return true;
	return false;
}

/* The view that is drawn if no event has samples: the first one that is wanted. */
static const struct hist_view *view_of_none(const struct top *t, const struct hist *h)
{
	const struct hist_view *first = NULL;

	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		if (!is_wanted(t, v))
			continue;
		if (has_samples(v))
			return NULL;
		if (!first)
			first = v;
	}
	return first;
}

enum { NAMES_WITHOUT_SAMPLES = 3 };

/* On paper all events without samples share one line, which names the first of them. */
static void put_without_samples(const struct top *t, const struct hist *h,
				const struct hist_view *drawn, struct strbuf *b)
{
	size_t count = 0;

	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		if (!is_wanted(t, v) || v == drawn || has_samples(v))
			continue;
		for (u32 m = 0; m < v->member_count; m++) {
			if (count++ >= NAMES_WITHOUT_SAMPLES)
				continue;
			strbuf_str(b, count == 1 ? "   No samples of '" : ", '");
			strbuf_printable(b, v->members[m]->name);
			strbuf_char(b, '\'');
		}
	}
	if (count > NAMES_WITHOUT_SAMPLES)
		strbuf_f(b, " and %zu more events", count - NAMES_WITHOUT_SAMPLES);
	strbuf_str(b, count ? "\n\n" : "");
}

void top_print(struct top *t, const struct hist *h, unsigned lines, struct out *out)
{
	const struct hist_view *of_none = lines ? NULL : view_of_none(t, h);
	bool any = false;

	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		if (!is_wanted(t, v) || (lines && any))
			continue;
		any = true;
		if (lines || v == of_none || has_samples(v))
			put_view(t, v, lines, out);
	}
	if (!lines)
		put_without_samples(t, h, of_none, out_buf(out));
}

/* Before the first table only: all tables have the same columns. */
static void put_separated_head(const struct top *t, const struct stdio_layout *l, struct strbuf *b)
{
	strbuf_f(b, "# Table%sEvent%s", t->o.separator, t->o.separator);
	stdio_layout_head(l, b);
	strbuf_char(b, '\n');
}

void top_print_separated(struct top *t, const struct hist *h, struct out *out)
{
	const char *between = t->o.separator;
	struct strbuf *b = out_buf(out);
	bool head = t->tables == 1;

	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);
		struct stdio_layout *l;
		unsigned rows = 0;

		if (!is_wanted(t, v))
			continue;
		l = stdio_layout_new(&t->o.draw, v);
		if (head)
			put_separated_head(t, l, b);
		head = false;
		for (size_t k = 0; k < v->entry_count; k++) {
			const struct hist_entry *e = v->entries[k];

			if (!is_shown(t, v, e))
				continue;
			if (t->o.entries && rows++ >= t->o.entries)
				break;
			strbuf_f(b, "%" PRIu64 "%s", t->tables, between);
			strbuf_printable(b, v->members[0]->name);
			strbuf_str(b, between);
			stdio_layout_row(l, e, b, NULL);
			strbuf_char(b, '\n');
		}
		stdio_layout_free(l);
	}
}

static void put_counts(const char *name, const struct top_counts *c, struct strbuf *b)
{
	strbuf_f(b,
		 ",\"%s\":{\"samples\":%" PRIu64 ",\"kernel\":%" PRIu64 ",\"user\":%" PRIu64
		 ",\"guest_kernel\":%" PRIu64 ",\"guest_user\":%" PRIu64 ",\"exact\":%" PRIu64
		 ",\"lost\":%" PRIu64 ",\"late\":%" PRIu64 ",\"dropped\":%" PRIu64
		 ",\"throttled\":%" PRIu64 "}",
		 name, c->samples, c->kernel, c->user, c->guest_kernel, c->guest_user, c->exact,
		 c->lost, c->late, c->dropped, c->throttled);
}

/* All in one line. */
static void put_truth_json(const struct top *t, struct strbuf *b)
{
	size_t from;

	strbuf_str(b, ",\"truth\":");
	from = b->len;
	truth_json(&t->truth, b);
	for (size_t i = from; i < b->len; i++)
		if (b->s[i] == '\n')
			b->s[i] = ' ';
}

void top_print_json(struct top *t, const struct hist *h, struct out *out)
{
	struct strbuf *b = out_buf(out);
	bool first = true;

	strbuf_f(b, "{\"version\":1,\"table\":%" PRIu64 ",\"seconds\":%.6f", t->tables,
		 (double)t->lasted / 1e9);
	put_counts("new", &t->last, b);
	put_counts("all", &t->all, b);
	put_truth_json(t, b);
	strbuf_str(b, ",\"tables\":[");
	for (size_t i = 0; i < hist_view_count(h); i++) {
		if (!is_wanted(t, hist_view(h, i)))
			continue;
		strbuf_str(b, first ? "" : ",");
		first = false;
		json_table(hist_view(h, i), t->o.hierarchy, JSON_ONE_LINE, out);
	}
	strbuf_str(b, "]}\n");
}
