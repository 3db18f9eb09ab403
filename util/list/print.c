// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: rows for people, objects of JSON, names alone. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "event/tracepoint.h"
#include "list/internal.h"
#include "sys/tracefs.h"

enum { NAME_COLUMN = 50 };

static void put_key(struct strbuf *b, const char *key, const char *value)
{
	if (!value)
		return;
	strbuf_f(b, "%s\t\"%s\": ", str_ends(strbuf_cstr(b), "{\n") ? "" : ",\n", key);
	json_text(b, value);
}

/* ---- details ---- */

/* "char[16]" "next_comm" -> "char next_comm[16]", as C writes it. */
static void put_declaration(struct strbuf *b, const struct tracepoint_field *f)
{
	const char *bracket = strchr(f->type, '[');

	if (f->flags & FIELD_DYNAMIC || !bracket)
		strbuf_f(b, "%s %s", f->type, f->name);
	else
		strbuf_f(b, "%.*s %s%s", (int)(bracket - f->type), f->type, f->name, bracket);
}

static void put_fields_text(struct strbuf *b, const struct tracepoint_format *t)
{
	for (u32 i = 0; i < t->field_count; i++) {
		const struct tracepoint_field *f = &t->fields[i];

		if (f->flags & FIELD_COMMON)
			continue;
		strbuf_str(b, "       ");
		put_declaration(b, f);
		strbuf_f(b, "  (%u byte%s, %s)\n", f->size, f->size == 1 ? "" : "s",
			 f->flags & FIELD_SIGNED ? "signed" : "unsigned");
	}
	if (t->print_fmt)
		strbuf_f(b, "       print: %.*s\n", (int)strcspn(t->print_fmt, "\n"), t->print_fmt);
}

static void put_fields_json(struct strbuf *b, const struct tracepoint_format *t)
{
	bool first = true;

	strbuf_str(b, ",\n\t\"Fields\": [");
	for (u32 i = 0; i < t->field_count; i++) {
		const struct tracepoint_field *f = &t->fields[i];

		if (f->flags & FIELD_COMMON)
			continue;
		strbuf_str(b, first ? "\n\t\t{ \"Name\": " : ",\n\t\t{ \"Name\": ");
		json_text(b, f->name);
		strbuf_str(b, ", \"Type\": ");
		json_text(b, f->type);
		strbuf_f(b, ", \"Offset\": %u, \"Size\": %u, \"Signed\": %s }", f->offset, f->size,
			 f->flags & FIELD_SIGNED ? "true" : "false");
		first = false;
	}
	strbuf_str(b, first ? "]" : "\n\t]");
	if (t->print_fmt) {
		char *line = xstrndup(t->print_fmt, strcspn(t->print_fmt, "\n"));

		put_key(b, "PrintFormat", line);
		free(line);
	}
}

/* The fields of a tracepoint with type, size and sign, and its print format. */
static void put_format(struct list_printer *p, struct strbuf *b, const char *name,
		       void (*put)(struct strbuf *b, const struct tracepoint_format *t))
{
	const char *colon = strchr(name, ':');
	struct tracepoint_formats *formats = tracepoint_formats_new(false, sizeof(long));
	const struct tracepoint_format *t = NULL;
	struct strbuf text = STRBUF_INIT;
	char *system = NULL, *path = NULL;

	if (!p->tracefs)
		p->tracefs = tracefs_find(&p->sys, NULL);
	if (p->tracefs && colon) {
		system = xstrndup(name, (size_t)(colon - name));
		path = xasprintf("%s/events/%s/%s/format", p->tracefs, system, colon + 1);
		if (!sys_read(&p->sys, &text, path) &&
		    !tracepoint_formats_add(formats, system, text.s, text.len, NULL))
			t = tracepoint_by_name(formats, system, colon + 1);
	}
	if (t)
		put(b, t);
	strbuf_release(&text);
	free(path);
	free(system);
	tracepoint_formats_free(formats);
}

static void print_object(struct list_printer *p, const struct list_item *item)
{
	struct strbuf b = STRBUF_INIT;
	bool metric = item->expression != NULL;

	strbuf_str(&b, "{\n");
	put_key(&b, "Unit", item->unit);
	put_key(&b, "MetricGroup", item->groups);
	put_key(&b, metric ? "MetricName" : "EventName", item->name);
	put_key(&b, "EventAlias", item->alias);
	put_key(&b, "EventType", metric ? NULL : item->type);
	put_key(&b, "BriefDescription", item->description);
	put_key(&b, "MetricExpr", item->expression);
	put_key(&b, "MetricThreshold", item->threshold);
	put_key(&b, "ScaleUnit", item->scale);
	put_key(&b, "Encoding", item->code ? item->code : item->terms);
	put_key(&b, "Models", item->models);
	put_key(&b, "Object", item->object);
	put_key(&b, "BuildID", item->build_id);
	put_key(&b, "Unavailable", item->unavailable);
	if (p->settings->details && item->tracepoint)
		put_format(p, &b, item->name, put_fields_json);
	out_f(&p->out, "%s%s\n}", p->printed ? ",\n" : "", b.s);
	strbuf_release(&b);
}

void list_begin(struct list_printer *p)
{
	if (p->settings->json)
		out_str(&p->out, "[\n");
	else if (p->settings->spaced && !p->settings->raw_dump)
		out_str(&p->out, "\nList of pre-defined events (to be used in -e):\n\n");
}

void list_end(struct list_printer *p)
{
	if (p->settings->json)
		out_str(&p->out, p->printed ? "\n]\n" : "]\n");
	else if (p->settings->raw_dump)
		out_str(&p->out, "\n");
}

void list_print_item(struct list_printer *p, const struct list_item *item)
{
	struct strbuf *b = out_buf(&p->out);
	size_t start;

	if (p->settings->json) {
		print_object(p, item);
	} else if (p->settings->raw_dump) {
		strbuf_f(b, "%s ", item->name);
	} else {
		if (p->settings->spaced && p->printed && p->last && strcmp(p->last, item->type))
			strbuf_char(b, '\n');
		strbuf_str(b, "  ");
		start = b->len;
		strbuf_str(b, item->name);
		if (item->alias) {
			strbuf_str(b, " OR ");
			strbuf_str(b, item->alias);
		}
		strbuf_pad(b, ' ', NAME_COLUMN - (int)(b->len - start));
		strbuf_str(b, " [");
		strbuf_str(b, item->type);
		strbuf_str(b, "]\n");
		if (item->description && !p->settings->no_desc)
			strbuf_f(b, "       [%s]\n", item->description);
	}
	p->printed++;
	p->last = item->type;
	out_done(&p->out);
}

static void print_details(struct list_printer *p, const struct event_row *row)
{
	if (row->detail)
		out_f(&p->out, "       %s\n", row->detail);
	if (row->kind == EVENT_KIND_PMU && row->core)
		list_print_code(p, row);
	if (row->kind == EVENT_KIND_TRACEPOINT)
		put_format(p, out_buf(&p->out), row->name, put_fields_text);
}

void list_print_row(struct list_printer *p, const struct event_row *row)
{
	const struct list_item item = { .name = row->name, .alias = row->alias,
					.type = event_kind_name(row->kind), .unit = row->pmu,
					.terms = row->detail,
					.tracepoint = row->kind == EVENT_KIND_TRACEPOINT };

	list_print_item(p, &item);
	if (p->settings->details && !p->settings->json && !p->settings->raw_dump)
		print_details(p, row);
}

/* ---- metrics ---- */

static char *joined(const struct strlist *names)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&names->list, it)
		strbuf_f(&b, "%s%s", b.len ? ";" : "", *it);
	return strbuf_detach(&b);
}

static void print_metric_text(struct list_printer *p, const struct metric_entry *m, const char *why)
{
	out_f(&p->out, m->pmu ? "  %s (%s)\n" : "  %s\n", m->name, m->pmu);
	if (!p->settings->no_desc)
		out_f(&p->out, "       [%s]\n", m->description);
	if (p->settings->details) {
		out_f(&p->out, "       %s\n", m->expression);
		if (*m->threshold)
			out_f(&p->out, "       deserves attention: %s\n", m->threshold);
	}
	if (why)
		out_f(&p->out, "       [not available: %s]\n", why);
}

void list_print_metric(struct list_printer *p, const struct metric_entry *m)
{
	char *groups, *scale, *why;

	why = metric_unavailable(&p->metrics, m);
	if (p->settings->raw_dump) {
		/* for completion: only what can be measured */
		if (!why) {
			out_f(&p->out, "%s ", m->name);
			p->printed++;
		}
		free(why);
		return;
	}
	groups = joined(&m->groups);
	scale = xasprintf("%g%s", m->scale, m->unit);
	if (p->settings->json)
		print_object(p, &(struct list_item){
			.name = m->name, .groups = groups, .unit = m->pmu, .description = m->description,
			.expression = m->expression, .threshold = *m->threshold ? m->threshold : NULL,
			.scale = strcmp(scale, "1") ? scale : NULL, .unavailable = why });
	else
		print_metric_text(p, m, why);
	p->printed++;
	free(groups);
	free(scale);
	free(why);
	out_done(&p->out);
}

static bool can_be_measured(struct list_printer *p, const char *group)
{
	bool any = false;

	vec_for_each(&p->metrics.catalogue.list, it) {
		char *why;

		if (any || !metric_in_group(it, group))
			continue;
		why = metric_unavailable(&p->metrics, it);
		any = !why;
		free(why);
	}
	return any;
}

void list_print_group(struct list_printer *p, const char *group)
{
	/* for completion: only what can be measured */
	if (p->settings->raw_dump && !can_be_measured(p, group))
		return;
	if (p->settings->json) {
		out_f(&p->out, "%s{\n\t\"MetricGroup\": ", p->printed ? ",\n" : "");
		json_text(out_buf(&p->out), group);
		out_str(&p->out, "\n}");
	} else {
		out_f(&p->out, p->settings->raw_dump ? "%s " : "%s:\n", group);
	}
	p->printed++;
	if (p->settings->raw_dump || p->settings->json)
		return;
	vec_for_each(&p->metrics.catalogue.list, it)
		if (metric_in_group(it, group))
			out_f(&p->out, "  %s\n", it->name);
}
