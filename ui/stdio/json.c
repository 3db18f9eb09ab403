// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/stdio/json.h"

#include <string.h>

#include "base/json.h"
#include "ui/stdio/layout.h"

static void put_sums(struct strbuf *b, const char *name, u64 samples, u64 period)
{
	strbuf_f(b, "\"%s\":{\"samples\":%" PRIu64 ",\"period\":%" PRIu64 "}", name, samples,
		 period);
}

static void put_events(const struct hist_view *v, struct strbuf *b)
{
	strbuf_str(b, "\"events\":[");
	for (u32 m = 0; m < v->member_count; m++) {
		const struct hist_totals *t = &v->totals[m];

		strbuf_str(b, m ? ",{\"name\":" : "{\"name\":");
		json_text(b, v->members[m]->name);
		strbuf_char(b, ',');
		put_sums(b, "all", t->samples, t->period);
		strbuf_char(b, ',');
		put_sums(b, "shown", t->shown_samples, t->shown_period);
		strbuf_char(b, '}');
	}
	strbuf_char(b, ']');
}

static void put_columns(const struct hist_view *v, struct strbuf *b)
{
	size_t count;
	const struct hist_field *fields = hist_fields(v->hist, &count);
	bool first = true;

	strbuf_str(b, "\"columns\":[");
	for (size_t i = 0; i < count; i++) {
		const struct hist_field *f = &fields[i];
		const char *head = hist_header(v->hist, f);

		if (!hist_field_shown(v, f))
			continue;
		strbuf_str(b, first ? "{\"name\":" : ",{\"name\":");
		json_text(b, f->column->name);
		strbuf_str(b, ",\"header\":");
		json_text(b, head + strspn(head, " "));
		strbuf_f(b, ",\"kind\":\"%s\"}",
			 f->column->flags & HIST_PERCENT ? "percent"
			 : f->column->flags & HIST_VALUE ? "number"
							 : "text");
		first = false;
	}
	strbuf_char(b, ']');
}

/* Adds one member's value of a column of sums. */
static void put_number(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 member, struct strbuf *b)
{
	u64 of, value = f->column->value(v, e, member, &of);

	if ((f->column->flags & HIST_CHILDREN) && !hist_settings(v->hist)->children)
		strbuf_str(b, "null"); /* not totalled */
	else if (f->column->flags & HIST_PERCENT)
		strbuf_f(b, "%.6f", of ? (double)value * 100.0 / (double)of : 0.0);
	else
		f->column->format(v, f, e, member, b);
}

static void put_values(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, struct strbuf *b)
{
	if (v->member_count == 1) {
		put_number(v, f, e, 0, b);
		return;
	}
	strbuf_char(b, '[');
	for (u32 m = 0; m < v->member_count; m++) {
		if (m)
			strbuf_char(b, ',');
		put_number(v, f, e, m, b);
	}
	strbuf_char(b, ']');
}

static void put_key(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *e, struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;
	const char *begin;

	f->column->format(v, f, e, 0, &text);
	begin = strbuf_cstr(&text);
	json_text(b, begin + strspn(begin, " "));
	strbuf_release(&text);
}

static void put_chains(const struct hist_view *v, const struct call_tree *t, struct strbuf *b)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_str(b, "{\"frames\":[");
	for (size_t i = 0; i < t->frames.count; i++) {
		strbuf_clear(&name);
		hist_frame_text(v->hist, t->frames.items[i], &name);
		if (i)
			strbuf_char(b, ',');
		json_text(b, strbuf_cstr(&name));
	}
	strbuf_release(&name);
	strbuf_f(b, "],\"samples\":%" PRIu64 ",\"period\":%" PRIu64, t->samples, t->period);
	if (t->children.count) {
		strbuf_str(b, ",\"children\":[");
		for (size_t i = 0; i < t->children.count; i++) {
			if (i)
				strbuf_char(b, ',');
			put_chains(v, t->children.items[i], b);
		}
		strbuf_char(b, ']');
	}
	strbuf_char(b, '}');
}

static void put_picks(const struct hist_view *v, const struct hist_entry *e, struct strbuf *b)
{
	strbuf_str(b, ",\"samples\":[");
	for (u32 i = 0; i < e->pick_count; i++) {
		const struct hist_pick *p = &e->picks[i];

		strbuf_f(b, "%s{\"time\":%" PRIu64 ",\"cpu\":%d,\"pid\":%d,\"tid\":%d,\"comm\":",
			 i ? "," : "", p->time, (s32)p->cpu, (s32)p->pid, (s32)p->tid);
		json_text(b, hist_comm_text(v->hist, p->comm));
		strbuf_char(b, '}');
	}
	strbuf_char(b, ']');
}

/* Adds the columns of an entry, only with the keys of level; UINT32_MAX means all levels. */
static void put_cells(const struct hist_view *v, const struct hist_entry *e, u32 level,
		      struct strbuf *b)
{
	size_t count;
	const struct hist_field *fields = hist_fields(v->hist, &count);
	bool first = true;

	strbuf_char(b, '{');
	for (size_t i = 0; i < count; i++) {
		const struct hist_field *f = &fields[i];

		if (!hist_field_shown(v, f) ||
		    (!stdio_is_value(f) && level != UINT32_MAX && f->level != level))
			continue;
		if (!first)
			strbuf_char(b, ',');
		first = false;
		json_text(b, f->column->name);
		strbuf_char(b, ':');
		if (stdio_is_value(f))
			put_values(v, f, e, b);
		else
			put_key(v, f, e, b);
	}
	if (e->pick_count)
		put_picks(v, e, b);
	if (e->tree && e->tree->children.count) {
		strbuf_str(b, ",\"chains\":[");
		for (size_t i = 0; i < e->tree->children.count; i++) {
			if (i)
				strbuf_char(b, ',');
			put_chains(v, e->tree->children.items[i], b);
		}
		strbuf_char(b, ']');
	}
}

/*
 * Adds what comes before a row: a comma, unless it is the first, and a newline where each row has
 * its own line.
 */
static void put_between(bool first, enum json_lines lines, struct strbuf *b)
{
	if (!first)
		strbuf_char(b, ',');
	if (lines == JSON_LINE_FOR_EACH_ROW)
		strbuf_char(b, '\n');
}

static void put_nodes(const struct hist_view *v, const struct hist_node *parent,
		      enum json_lines lines, struct out *out)
{
	struct strbuf *b = out_buf(out);
	bool first = true;

	strbuf_char(b, '[');
	vec_for_each(&parent->children, c) {
		if (!stdio_above_limit(v, &(*c)->entry))
			continue;
		put_between(first, lines, b);
		first = false;
		put_cells(v, &(*c)->entry, (*c)->level, b);
		if (!(*c)->is_leaf) {
			strbuf_str(b, ",\"rows\":");
			put_nodes(v, *c, lines, out);
		}
		strbuf_char(b, '}');
		out_done(out);
	}
	strbuf_char(b, ']');
}

static void put_rows(const struct hist_view *v, enum json_lines lines, struct out *out)
{
	struct strbuf *b = out_buf(out);
	bool first = true;

	strbuf_char(b, '[');
	for (size_t i = 0; i < v->entry_count; i++) {
		if (!stdio_above_limit(v, v->entries[i]))
			continue;
		put_between(first, lines, b);
		first = false;
		put_cells(v, v->entries[i], UINT32_MAX, b);
		strbuf_char(b, '}');
		out_done(out);
	}
	strbuf_char(b, ']');
}

void json_table(const struct hist_view *v, bool hierarchy, enum json_lines lines, struct out *out)
{
	struct strbuf *b = out_buf(out);

	strbuf_char(b, '{');
	put_events(v, b);
	strbuf_char(b, ',');
	put_columns(v, b);
	strbuf_str(b, ",\"rows\":");
	if (hierarchy) {
		struct hist_node *root = hist_hierarchy_new(v);

		put_nodes(v, root, lines, out);
		hist_hierarchy_free(root);
	} else {
		put_rows(v, lines, out);
	}
	strbuf_char(b, '}');
}
