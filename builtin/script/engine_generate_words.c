// SPDX-License-Identifier: GPL-2.0-or-later
/* What generated scripts have in every language: valid identifiers, and names for values. */
#include <ctype.h>
#include <string.h>

#include "builtin/script/engine_internal.h"

void generate_word(struct strbuf *b, const char *name)
{
	for (const char *p = name; *p; p++)
		strbuf_char(b, isalnum((unsigned char)*p) ? *p : '_');
}

void generate_repeat(struct strbuf *b, const struct engine_event *ev, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(ev->fields[i].name, ev->fields[n].name)) {
			strbuf_f(b, "_%u", n);
			break;
		}
}

const struct engine_naming *generate_naming(const struct engine_event *ev, const char *field)
{
	for (u32 i = 0; i < ev->naming_count; i++)
		if (!strcmp(ev->namings[i].field, field))
			return &ev->namings[i];
	return NULL;
}

void generate_value(struct strbuf *b, const struct engine_event *ev, u32 n,
		    const struct generate_words *w)
{
	const struct engine_naming *naming = generate_naming(ev, ev->fields[n].name);

	if (!naming) {
		w->variable(b, ev, n);
		return;
	}
	strbuf_f(b, "%s(\"", naming->delimiter ? "flag_str" : "symbol_str");
	w->name(b, ev->system);
	strbuf_str(b, w->joint);
	w->name(b, ev->tracepoint);
	strbuf_str(b, "\", \"");
	w->name(b, ev->fields[n].name);
	strbuf_str(b, "\", ");
	w->variable(b, ev, n);
	strbuf_char(b, ')');
}
