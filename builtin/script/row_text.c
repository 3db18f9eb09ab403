// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts, addresses and frames in rows for other programs. */
#include "builtin/script/row_text.h"

#include <string.h>

#include "base/json.h"

static void row_tsv_text(struct strbuf *b, const char *text, char separator)
{
	for (const char *c = text; *c; c++)
		switch (*c) {
		case '\t':
			strbuf_str(b, "\\t");
			break;
		case '\n':
			strbuf_str(b, "\\n");
			break;
		case '\r':
			strbuf_str(b, "\\r");
			break;
		case '\\':
			strbuf_str(b, "\\\\");
			break;
		default:
			if (*c == separator || (u8)*c < 0x20 || *c == 0x7f)
				strbuf_f(b, "\\x%02x", (u8)*c);
			else
				strbuf_char(b, *c);
		}
}

void row_text(struct row *r, const char *name, const char *text)
{
	if (r->tsv) {
		row_tsv_text(r->b, text, '\0');
	} else if (!json_text(r->b, text)) {
		strbuf_f(r->b, ",\"%s_bytes\":", name);
		json_bytes(r->b, text, strlen(text));
	}
}

void row_hex(struct row *r, u64 v)
{
	strbuf_str(r->b, r->tsv ? "0x" : "\"0x");
	strbuf_hex(r->b, v);
	strbuf_str(r->b, r->tsv ? "" : "\"");
}

/*
 * Adds a frame as the members of an object, or as cells. Each is rendered once for each style
 * (lines.c).
 */
void script_add_row_frame(struct script *s, unsigned parts, const struct frame *f, const char *name,
			  u64 symbol_offset, const char *line, bool is_inlined, struct strbuf *b)
{
	struct row r = { .s = s, .b = b, .tsv = parts & LINE_TSV };
	struct strbuf dso = STRBUF_INIT;

	if (r.tsv && parts & LINE_CHAIN) {
		strbuf_char(b, ';');
		if (name)
			row_tsv_text(b, name, ';');
		else
			row_hex(&r, f->addr);
		return;
	}
	strbuf_str(b, r.tsv ? "" : parts & LINE_CHAIN ? ",{\"ip\":" : "\"ip\":");
	row_hex(&r, f->addr);
	script_add_dso(s, f->image, &dso);
	if (r.tsv || name) {
		strbuf_str(b, r.tsv ? "\t" : ",\"sym\":");
		row_text(&r, "sym", name ? name : "");
		strbuf_str(b, r.tsv ? "\t" : ",\"symoff\":");
		if (name)
			strbuf_dec(b, symbol_offset);
	}
	if (r.tsv || f->image) {
		strbuf_str(b, r.tsv ? "\t" : ",\"dso\":");
		row_text(&r, "dso", f->image ? strbuf_cstr(&dso) : "");
		strbuf_str(b, r.tsv ? "\t" : ",\"dsoff\":");
		if (f->image)
			row_hex(&r, f->offset);
	}
	if (parts & LINE_SRCLINE && (r.tsv || line)) {
		strbuf_str(b, r.tsv ? "\t" : ",\"srcline\":");
		row_text(&r, "srcline", line ? line : "");
	}
	if (is_inlined && !r.tsv)
		strbuf_str(b, ",\"inlined\":true");
	if (!r.tsv && parts & LINE_CHAIN)
		strbuf_char(b, '}');
	strbuf_release(&dso);
}
