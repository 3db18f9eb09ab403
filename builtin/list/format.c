// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats of tracepoints, as text and as JSON. */
#include <string.h>

#include "base/json.h"
#include "builtin/list/internal.h"
#include "sys/tracefs.h"
#include "tracepoint/tracepoint.h"

void list_put_key(struct strbuf *b, const char *key, const char *value)
{
	if (!value)
		return;
	strbuf_f(b, "%s\t\"%s\": ", str_ends(strbuf_cstr(b), "{\n") ? "" : ",\n", key);
	json_text(b, value);
}

/* Adds a declaration as C writes it: "char[16]" "next_comm" becomes "char next_comm[16]". */
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

		list_put_key(b, "PrintFormat", line);
		free(line);
	}
}

/* Adds the fields of a tracepoint with type, size and sign, and its print format. */
void list_put_format(struct list_printer *p, struct strbuf *b, const char *name, bool json)
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
		(json ? put_fields_json : put_fields_text)(b, t);
	strbuf_release(&text);
	free(path);
	free(system);
	tracepoint_formats_free(formats);
}
