// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes fields as text, without the print format: " name=value" as libtraceevent lays them out. */
#include <ctype.h>
#include <string.h>

#include "tracepoint/internal.h"

static bool all_printable(const char *s, u32 len)
{
	for (u32 i = 0; i < len && s[i]; i++)
		if (!isprint((unsigned char)s[i]) && !isspace((unsigned char)s[i]))
			return false;
	return true;
}

static void print_bytes(struct strbuf *out, const char *s, u32 len)
{
	strbuf_str(out, "ARRAY[");
	for (u32 i = 0; i < len; i++) {
		if (i)
			strbuf_add(out, ", ", 2);
		strbuf_hex_zero(out, (u8)s[i], 2);
	}
	strbuf_char(out, ']');
}

static void print_array(const struct tracepoint_formats *f, const struct tracepoint_field *field,
			const void *raw, u32 raw_size, struct strbuf *out)
{
	u32 len = 0;
	const char *s = tracepoint_get_bytes(f, field, raw, raw_size, &len);

	if (!s)
		return;
	if ((field->flags & FIELD_STRING) && all_printable(s, len))
		strbuf_add(out, s, len);
	else
		print_bytes(out, s, len);
}

static void print_number(const struct tracepoint_field *field, u64 v, struct strbuf *out)
{
	bool is_signed = field->flags & FIELD_SIGNED;

	if (field->flags & FIELD_POINTER)
		strbuf_f(out, "0x%" PRIx64, v);
	else if (is_signed && field->size == 4 && (field->flags & FIELD_LONG))
		strbuf_f(out, "0x%x", (u32)v);
	else if (is_signed)
		strbuf_f(out, "%*" PRId64, field->size == 2 ? 2 : 1, (s64)v);
	else if (field->flags & FIELD_LONG)
		strbuf_f(out, "0x%" PRIx64, v);
	else
		strbuf_dec(out, v);
}

void tracepoint_print_field(const struct tracepoint_formats *f,
			    const struct tracepoint_field *field, const void *raw, u32 raw_size,
			    struct strbuf *out)
{
	u64 v;

	if (field->flags & FIELD_ARRAY)
		print_array(f, field, raw, raw_size, out);
	else if (tracepoint_get_int(f, field, raw, raw_size, &v))
		print_number(field, v, out);
}

void tracepoint_print_fields(const struct tracepoint_formats *f, const struct tracepoint_format *t,
			     const void *raw, u32 raw_size, struct strbuf *out)
{
	for (u32 i = 0; i < t->field_count; i++) {
		const struct tracepoint_field *field = &t->fields[i];

		if (field->flags & FIELD_COMMON)
			continue;
		strbuf_char(out, ' ');
		strbuf_str(out, field->name);
		strbuf_char(out, '=');
		tracepoint_print_field(f, field, raw, raw_size, out);
	}
}
