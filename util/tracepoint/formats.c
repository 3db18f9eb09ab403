// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoint formats: the text of a "format" file into fields, and reading them.
 *
 * name: sched_wakeup
 * ID: 374
 * format:
 *	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *	...
 *
 *	field:char comm[16];	offset:8;	size:16;	signed:0;
 *	...
 *
 * print fmt: "comm=%s ...", REC->comm, ...
 *
 * The fields above the empty line are common to all events.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "tracepoint/internal.h"

struct tracepoint_formats *tracepoint_formats_new(bool big_endian, u8 long_size)
{
	struct tracepoint_formats *f = xcalloc(1, sizeof(*f));

	f->big_endian = big_endian;
	f->swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	f->long_size = long_size == 4 ? 4 : 8;
	return f;
}

static void entry_free(struct format_entry *e)
{
	free(e->fields);
	free(e->text);
	free(e);
}

void tracepoint_formats_free(struct tracepoint_formats *f)
{
	if (!f)
		return;
	vec_for_each(&f->list, e)
		entry_free(*e);
	vec_release(&f->list);
	map64_release(&f->by_id);
	strmap_release(&f->by_name);
	arena_release(&f->strings);
	strbuf_release(&f->printk);
	free(f);
}

/* A piece of the text: [s, end). */
struct piece {
	const char *s, *end;
};

static void trim(struct piece *p)
{
	while (p->s < p->end && isspace((unsigned char)*p->s))
		p->s++;
	while (p->end > p->s && isspace((unsigned char)p->end[-1]))
		p->end--;
}

static bool piece_has(struct piece p, const char *word)
{
	return memmem(p.s, (size_t)(p.end - p.s), word, strlen(word)) != NULL;
}

/*
 * Finds the number of "size:16" in ";"-separated parts of a line. Returns false if there is none.
 */
static bool line_number(struct piece line, const char *key, u32 *out)
{
	const char *at = memmem(line.s, (size_t)(line.end - line.s), key, strlen(key));
	char digits[16];
	size_t n = 0;
	u64 v;

	if (!at)
		return false;
	for (at += strlen(key);
	     at < line.end && n < sizeof(digits) - 1 && isdigit((unsigned char)*at);)
		digits[n++] = *at++;
	digits[n] = 0;
	if (parse_u64(digits, &v) || v > UINT32_MAX)
		return false;
	*out = (u32)v;
	return true;
}

/* Returns the bytes of one element of a type that is an array of unknown length. */
static u32 base_size(const struct tracepoint_formats *f, struct piece type)
{
	if (piece_has(type, "char") || piece_has(type, "u8") || piece_has(type, "s8"))
		return 1;
	if (piece_has(type, "16") || piece_has(type, "short"))
		return 2;
	if (piece_has(type, "64") || piece_has(type, "long long"))
		return 8;
	if (piece_has(type, "long") || piece_has(type, "*"))
		return f->long_size;
	return 4;
}

static u32 type_flags(struct piece type, bool array)
{
	u32 flags = array ? FIELD_ARRAY : 0;

	if (array && (piece_has(type, "char") || piece_has(type, "u8") || piece_has(type, "s8")))
		flags |= FIELD_STRING;
	if (piece_has(type, "*"))
		flags |= FIELD_POINTER;
	if (piece_has(type, "long"))
		flags |= FIELD_LONG;
	if (piece_has(type, "__data_loc"))
		flags |= FIELD_DYNAMIC;
	if (piece_has(type, "__rel_loc"))
		flags |= FIELD_DYNAMIC | FIELD_RELATIVE;
	return flags;
}

/* Splits "char comm[16]", "const char * name", "__data_loc char[] path" into name and type. */
static bool parse_declaration(struct tracepoint_formats *f, struct piece d,
			      struct tracepoint_field *field)
{
	struct piece name, brackets = { NULL, NULL };
	bool array;
	char *type;
	size_t n;

	trim(&d);
	if (d.end > d.s && d.end[-1] == ']') { /* all brackets at the end: [2][16] */
		brackets.end = d.end;
		while (d.end > d.s && d.end[-1] == ']') {
			while (d.end > d.s && d.end[-1] != '[')
				d.end--;
			if (d.end > d.s)
				d.end--;
		}
		brackets.s = d.end;
	}
	trim(&d);
	name.end = name.s = d.end;
	while (name.s > d.s && (isalnum((unsigned char)name.s[-1]) || name.s[-1] == '_'))
		name.s--;
	if (name.s == name.end)
		return false;
	d.end = name.s;
	trim(&d);
	if (d.s == d.end)
		return false;
	array = brackets.s || piece_has(d, "[");
	n = (size_t)(d.end - d.s);
	field->name = arena_strndup(&f->strings, name.s, (size_t)(name.end - name.s));
	field->flags |= type_flags(d, array);
	type = arena_alloc(&f->strings, n + (size_t)(brackets.end - brackets.s) + 1);
	memcpy(type, d.s, n);
	if (brackets.s)
		memcpy(type + n, brackets.s, (size_t)(brackets.end - brackets.s));
	type[n + (size_t)(brackets.end - brackets.s)] = 0;
	field->type = type;
	field->element_size = field->size;
	if (array) {
		u32 count = brackets.s ? (u32)strtoul(brackets.s + 1, NULL, 0) : 0;

		field->element_size =
			count && !(field->size % count) ? field->size / count : base_size(f, d);
	}
	return true;
}

/* Parses one "field:" line. Returns 1, 0 for other lines, or -EINVAL. */
static int parse_field(struct tracepoint_formats *f, struct piece line,
		       struct tracepoint_field *field)
{
	struct piece d = line;
	u32 is_signed = 0;

	if (line.end - line.s < 6 || memcmp(line.s, "field:", 6))
		return 0;
	memset(field, 0, sizeof(*field));
	d.s += 6;
	d.end = memchr(d.s, ';', (size_t)(line.end - d.s));
	if (!d.end || !line_number(line, "offset:", &field->offset) ||
	    !line_number(line, "size:", &field->size))
		return -EINVAL;
	if (line_number(line, "signed:", &is_signed) && is_signed)
		field->flags |= FIELD_SIGNED;
	return parse_declaration(f, d, field) ? 1 : -EINVAL;
}

typedef VEC(struct tracepoint_field) field_vec;

/* Parses the lines between "format:" and "print fmt:"; sets *print to the text after that. */
static int parse_lines(struct tracepoint_formats *f, const char *text, field_vec *fields, u32 *id,
		       struct piece *name, const char **print)
{
	bool common = true, in_format = false, have_id = false;
	struct piece line;

	for (line.s = text; *line.s; line.s = *line.end ? line.end + 1 : line.end) {
		struct tracepoint_field field;
		const char *next = strchrnul(line.s, '\n');
		int got;

		line.end = next;
		if (str_starts(line.s, "print fmt:")) {
			*print = line.s + strlen("print fmt:");
			break;
		}
		trim(&line);
		if (str_starts(line.s, "name:"))
			*name = (struct piece){ line.s + 5, line.end };
		else if (str_starts(line.s, "ID:"))
			have_id = sscanf(line.s, "ID: %u", id) == 1;
		else if (str_starts(line.s, "format:"))
			in_format = true;
		else if (in_format && fields->count && line.s == line.end)
			common = false;
		got = in_format ? parse_field(f, line, &field) : 0;
		if (got < 0)
			return got;
		if (got) {
			field.flags |= common ? FIELD_COMMON : 0;
			vec_push(fields, field);
		}
		line.end = next;
	}
	return have_id && in_format ? 0 : -EINVAL;
}

static void index_entry(struct tracepoint_formats *f, const struct format_entry *e)
{
	struct strbuf key = STRBUF_INIT;
	bool added;
	u64 *slot;

	strbuf_f(&key, "%s:%s", e->format.system, e->format.name);
	slot = strmap_put(&f->by_name, key.s, &added);
	if (added)
		*slot = f->list.count - 1;
	slot = map64_put(&f->by_id, e->format.id, &added);
	if (added)
		*slot = f->list.count - 1;
	strbuf_release(&key);
}

int tracepoint_formats_add(struct tracepoint_formats *f, const char *system, const char *text,
			   size_t size, struct reason *r)
{
	struct format_entry *e = xcalloc(1, sizeof(*e));
	struct piece name = { "", "" };
	const char *print = "";
	field_vec fields = VEC_INIT;
	int err;

	e->text_size = strnlen(text, size);
	e->text = xstrndup(text, e->text_size);
	err = parse_lines(f, e->text, &fields, &e->format.id, &name, &print);
	if (err) {
		vec_release(&fields);
		entry_free(e);
		return reason_set(r, EINVAL, "tracepoint format in system '%s' cannot be read",
				  system);
	}
	trim(&name);
	e->fields = fields.items;
	e->format.system = arena_strndup(&f->strings, system, strlen(system));
	e->format.name = arena_strndup(&f->strings, name.s, (size_t)(name.end - name.s));
	e->format.fields = e->fields;
	e->format.field_count = (u32)fields.count;
	while (*print == ' ')
		print++;
	e->format.print_fmt = print;
	e->format.priv = e;
	vec_push(&f->list, e);
	index_entry(f, e);
	return 0;
}

u32 tracepoint_page_size(const struct tracepoint_formats *f)
{
	return f->page_size;
}

bool tracepoint_swap(const struct tracepoint_formats *f)
{
	return f->swap;
}

const struct tracepoint_format *tracepoint_by_id(const struct tracepoint_formats *f, u32 id)
{
	const u64 *index = map64_get(&f->by_id, id);

	return index ? &f->list.items[*index]->format : NULL;
}

const struct tracepoint_format *tracepoint_by_name(const struct tracepoint_formats *f,
						   const char *system, const char *name)
{
	char *key = xasprintf("%s:%s", system, name);
	const u64 *index = strmap_get(&f->by_name, key);

	free(key);
	return index ? &f->list.items[*index]->format : NULL;
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint_format *t, const char *name)
{
	for (u32 i = 0; i < t->field_count; i++)
		if (!strcmp(t->fields[i].name, name))
			return &t->fields[i];
	return NULL;
}

u64 tracepoint_number(const struct tracepoint_formats *f, const void *p, u32 size)
{
	switch (size) {
	case 1:
		return *(const u8 *)p;
	case 2:
		return load_u16(p, f->swap);
	case 4:
		return load_u32(p, f->swap);
	case 8:
		return load_u64(p, f->swap);
	default:
		return 0;
	}
}

bool tracepoint_get_int(const struct tracepoint_formats *f, const struct tracepoint_field *field,
			const void *raw, u32 raw_size, u64 *value)
{
	unsigned unused_bits;
	u64 v;

	if (field->size > 8 || !field->size || field->offset > raw_size ||
	    field->size > raw_size - field->offset)
		return false;
	v = tracepoint_number(f, (const u8 *)raw + field->offset, field->size);
	if (field->flags & FIELD_SIGNED) {
		unused_bits = 64 - 8 * field->size;
		v = (u64)((s64)(v << unused_bits) >> unused_bits);
	}
	*value = v;
	return true;
}

bool tracepoint_holds(const struct tracepoint_formats *f, const struct tracepoint_field *field,
		      const void *raw, u32 raw_size)
{
	u32 offset, size;

	if (field->flags & FIELD_DYNAMIC)
		return tracepoint_dynamic(field, f->swap, raw, raw_size, &offset, &size);
	return field->offset <= raw_size && field->size <= raw_size - field->offset;
}

const char *tracepoint_get_bytes(const struct tracepoint_formats *f,
				 const struct tracepoint_field *field, const void *raw,
				 u32 raw_size, u32 *len)
{
	u32 offset = field->offset, size = field->size;
	const char *s;

	if (field->flags & FIELD_DYNAMIC) {
		if (!tracepoint_dynamic(field, f->swap, raw, raw_size, &offset, &size))
			return NULL;
	} else if (offset > raw_size || size > raw_size - offset) {
		return NULL;
	}
	s = (const char *)raw + offset;
	*len = field->flags & FIELD_STRING ? (u32)strnlen(s, size) : size;
	return s;
}
