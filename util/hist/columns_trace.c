// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns of single tracepoint fields, made when a key names them: [EVENT.]FIELD[/raw], and
 * trace_fields for all fields of all events. Each such column belongs to one event; tables of other
 * events do not have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"

struct trace_column {
	u32 event; /* index */
	const struct tracepoint_field *field;
	bool raw; /* as in the record, not as the print format shows it */
};

static const struct trace_column *trace_of(const struct hist_field *f)
{
	return f->column->priv;
}

/*
 * Appends VALUE of "name=VALUE" in the event's text, up to the next space. Returns false if the
 * text has no such name.
 */
static bool value_in_text(const char *text, const char *name, struct strbuf *out)
{
	size_t len = strlen(name);

	for (const char *at = text; at; at = strchr(at, ' ')) {
		size_t end;

		at += *at == ' ';
		if (strncmp(at, name, len) || at[len] != '=')
			continue;
		at += len + 1;
		end = strcspn(at, " ");
		strbuf_add(out, at, end - (end && at[end - 1] == ','));
		return true;
	}
	return false;
}

static u64 trace_field_collect(struct hist_collector *c, const struct hist_field *f,
			       const struct hist_sample *s)
{
	const struct trace_column *t = trace_of(f);
	struct tracepoint_printer *p = hist_collector_printer(c);
	struct strbuf *b = hist_collector_scratch(c);
	const struct sample *sample = s->sample;
	size_t start = 0;
	bool found = false;

	if (sample->event->index != t->event || !p || !sample->raw)
		return hist_collector_text(c, "");
	strbuf_clear(b);
	if (!t->raw && !(t->field->flags & FIELD_STRING)) {
		tracepoint_print(p, sample->event->format, sample->raw, sample->raw_size,
				 sample->id.cpu, b);
		strbuf_char(b, '\0');
		start = b->len;
		/* b may move: use the text at its new place */
		(void)strbuf_grow(b, start + 1);
		found = value_in_text(b->s, t->field->name, b);
	}
	if (!found)
		tracepoint_print_field(tracepoint_printer_formats(p), t->field, sample->raw,
				       sample->raw_size, b);
	return hist_collector_text(c, strbuf_cstr(b) + start);
}

/* Compares numbers by their size, and other values as text. */
static int trace_field_cmp(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *a, const struct hist_entry *b)
{
	const char *x, *y;
	s64 m, n;

	if (slot(f, a) == slot(f, b))
		return 0;
	x = strtab_get(&v->hist->texts, (u32)slot(f, a));
	y = strtab_get(&v->hist->texts, (u32)slot(f, b));
	if (!parse_s64(x, &m) && !parse_s64(y, &n) && m != n)
		return m < n ? -1 : 1;
	return strcmp(x, y);
}

static bool trace_field_in_view(const struct hist_view *v, const struct hist_field *f)
{
	for (u32 i = 0; i < v->member_count; i++)
		if (v->members[i]->index == trace_of(f)->event)
			return true;
	return false;
}

/* Returns the width of a string field's size, or of the number in hex, as in perf. */
static int field_width(const struct tracepoint_field *field)
{
	u32 size = field->flags & FIELD_STRING ? field->size : field->size * 2 + 2;

	return (int)MIN(size, 64U);
}

static const struct hist_column *field_column(struct hist *h, const struct event *ev,
					      const struct tracepoint_field *field, bool raw)
{
	struct trace_column *t;
	struct hist_column *c;
	struct strbuf name = STRBUF_INIT;

	vec_for_each(&h->made, made) {
		const struct trace_column *old = (*made)->priv;

		if (old->event == ev->index && old->field == field && old->raw == raw)
			return *made;
	}
	c = xcalloc(1, sizeof(*c));
	t = xcalloc(1, sizeof(*t));
	*t = (struct trace_column){ .event = ev->index, .field = field, .raw = raw };
	strbuf_f(&name, "%s.%s", ev->name, field->name);
	*c = (struct hist_column){
		.name = strbuf_detach(&name),
		.header = xstrdup(field->name),
		.flags = HIST_TEXT | (field->flags & FIELD_STRING ? 0 : HIST_RIGHT),
		.min_width = field_width(field),
		.collect_field = trace_field_collect,
		.cmp = trace_field_cmp,
		.format = hist_text_format,
		.in_view = trace_field_in_view,
		.priv = t,
	};
	vec_push(&h->made, c);
	return c;
}

static void add_once(column_list *out, const struct hist_column *c)
{
	vec_for_each(out, it)
		if (*it == c)
			return;
	vec_push(out, c);
}

static bool add_all_fields(struct hist *h, column_list *out)
{
	size_t before = out->count;

	vec_for_each(&h->events->list, ev) {
		const struct tracepoint_format *format = (*ev)->format;

		for (u32 i = 0; format && i < format->field_count; i++)
			if (!(format->fields[i].flags & FIELD_COMMON))
				add_once(out, field_column(h, *ev, &format->fields[i],
							   h->set.raw_trace));
	}
	return out->count > before;
}

/*
 * Finds the event named by %N, a full name, or a part of just one event's name. Returns 0 or
 * -EINVAL with a reason.
 */
static int find_event(const struct hist *h, const char *name, const struct event **found,
		      struct reason *r)
{
	u64 n;

	*found = NULL;
	if (*name == '%') {
		if (parse_u64(name + 1, &n) || !n || n > h->events->list.count)
			return reason_set(r, EINVAL,
					  "event '%s' of a sort key: there are %zu events", name,
					  h->events->list.count);
		*found = h->events->list.items[n - 1];
		return 0;
	}
	vec_for_each(&h->events->list, ev) {
		if (!strcmp((*ev)->name, name)) {
			*found = *ev;
			return 0;
		}
		if (strchr(name, ':') || !strstr((*ev)->name, name))
			continue;
		if (*found) {
			reason_set(r, EINVAL, "event '%s' of a sort key can be '%s' or '%s'", name,
				   (*found)->name, (*ev)->name);
			reason_hint(
				r,
				"give the whole name, or %%N for the event's place in perf evlist");
			return -EINVAL;
		}
		*found = *ev;
	}
	return *found ? 0 : -ENOENT;
}

static int add_field(struct hist *h, const struct event *only, const char *name, bool raw,
		     column_list *out)
{
	bool any = false;

	vec_for_each(&h->events->list, ev) {
		const struct tracepoint_field *field;

		if ((only && *ev != only) || !(*ev)->format)
			continue;
		field = tracepoint_field((*ev)->format, name);
		if (field)
			add_once(out, field_column(h, *ev, field, raw || h->set.raw_trace));
		any |= field != NULL;
	}
	return any ? 0 : -ENOENT;
}

int hist_trace_columns(struct hist *h, const char *key, column_list *out, struct reason *r)
{
	const struct event *only = NULL;
	char *text = xstrdup(key), *field = text, *dot, *slash;
	bool raw = false;
	int err = 0;

	if (!strcmp(key, "trace_fields")) {
		free(text);
		return add_all_fields(h, out) ? 0 : -ENOENT;
	}
	slash = strchr(text, '/');
	if (slash) {
		*slash = '\0';
		raw = !strcmp(slash + 1, "raw");
		if (!raw)
			err = -ENOENT;
	}
	dot = strchr(text, '.');
	if (dot && !err) {
		*dot = '\0';
		field = dot + 1;
		err = find_event(h, text, &only, r);
	}
	if (!err && dot && !strcmp(field, "*")) {
		for (u32 i = 0; only->format && i < only->format->field_count; i++)
			if (!(only->format->fields[i].flags & FIELD_COMMON))
				add_once(out, field_column(h, only, &only->format->fields[i],
							   raw || h->set.raw_trace));
	} else if (!err) {
		err = add_field(h, only, field, raw, out);
	}
	free(text);
	return err;
}
