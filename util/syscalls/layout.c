// SPDX-License-Identifier: GPL-2.0-or-later
/* Structs: where each field lies, from the lines of layout_list.h, and their text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text.h"
#include "syscalls/internal.h"
#include "syscalls/layout_list.h"

static const struct layout_row *row_of(const char *name, const struct arch *arch)
{
	char *own = xasprintf("%s.%s", name, arch->name);
	const struct layout_row *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(layout_rows); i++) {
		if (!strcmp(layout_rows[i].name, own)) {
			found = &layout_rows[i];
			break;
		}
		if (!strcmp(layout_rows[i].name, name))
			found = &layout_rows[i];
	}
	free(own);
	return found;
}

/* Bytes of one element. */
static u32 type_size(const char *type, u32 word, bool *is_signed)
{
	static const struct {
		const char *name;
		u8 size;
		bool is_signed;
	} types[] = {
		{ "s8", 1, true }, { "u8", 1, false }, { "s16", 2, true }, { "u16", 2, false },
		{ "s32", 4, true }, { "u32", 4, false }, { "s64", 8, true }, { "u64", 8, false },
		{ "long", 0, true }, { "ulong", 0, false }, { "ptr", 0, false }, { "char", 1, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strncmp(types[i].name, type, strlen(types[i].name)) &&
		    strchr("/[", type[strlen(types[i].name)])) {
			*is_signed = types[i].is_signed;
			return types[i].size ? types[i].size : word;
		}
	return word;
}

static void set_kind(struct layout_field *f, const char *kind, bool is_signed, const struct arch *arch)
{
	static const struct {
		const char *name;
		u8 kind;
	} kinds[] = {
		{ "hex", LAYOUT_HEX }, { "mode", LAYOUT_MODE }, { "dev", LAYOUT_DEVICE },
		{ "devif", LAYOUT_DEVICE_IF }, { "sigset", LAYOUT_SIGSET }, { "fd", LAYOUT_FD },
		{ "limit", LAYOUT_LIMIT }, { "handler", LAYOUT_HANDLER }, { "utime", LAYOUT_UTIME },
		{ "sockaddr", LAYOUT_SOCKADDR }, { "mac", LAYOUT_MAC },
	};

	f->kind = is_signed ? LAYOUT_SIGNED : LAYOUT_UNSIGNED;
	if (!kind)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i].name)) {
			f->kind = kinds[i].kind;
			return;
		}
	f->values = values_of(arch, kind);
	if (f->values)
		f->kind = LAYOUT_VALUES;
}

/* "-st_size:s64/hex": the field, and how far the struct reaches behind it. */
static u32 add_field(struct syscall_layout *l, const char *text, u32 at, const struct arch *arch, bool packed)
{
	const char *colon = strchr(text, ':'), *type = colon + 1, *slash = strchr(type, '/');
	const char *bracket = strchr(type, '[');
	bool is_signed = false;
	u32 word = arch->bits / 8;
	u32 size = type_size(type, word, &is_signed), count = bracket ? (u32)atoi(bracket + 1) : 1;
	/* the ABI of i386 aligns numbers of 64 bits to 32 */
	u32 align = packed ? 1 : MIN(size, word);
	struct layout_field *f = &l->fields[l->field_count];

	at = ALIGN_UP(at, align);
	if (*text != '_' && l->field_count < ARRAY_SIZE(l->fields)) {
		f->hidden = *text == '-';
		snprintf(f->name, sizeof(f->name), "%.*s", (int)(colon - text - f->hidden), text + f->hidden);
		f->offset = (u16)at;
		f->size = (u16)(size * count);
		set_kind(f, slash ? slash + 1 : NULL, is_signed, arch);
		if (bracket && !strncmp(type, "char", 4))
			f->kind = LAYOUT_TEXT;
		l->field_count++;
	}
	return at + size * count;
}

struct syscall_layout *layout_make(const char *name, const struct arch *arch)
{
	const struct layout_row *row = row_of(name, arch);
	struct strlist fields = { 0 };
	struct syscall_layout *l;
	u32 at = 0;

	if (!row)
		return NULL;
	l = xcalloc(1, sizeof(*l));
	snprintf(l->name, sizeof(l->name), "%s", name);
	strlist_split(&fields, row->fields, " ");
	vec_for_each(&fields.list, f)
		at = add_field(l, *f, at, arch, row->packed);
	l->size = (u16)at;
	strlist_release(&fields);
	return l;
}

/* ---- text ---- */

static void print_handler(u64 v, struct strbuf *out)
{
	if (v <= 1)
		strbuf_str(out, v ? "IGN" : "DFL");
	else
		print_pointer(v, out);
}

static void print_limit(u64 v, u32 size, struct strbuf *out)
{
	if (v == (size == 4 ? UINT32_MAX : UINT64_MAX))
		strbuf_str(out, "INFINITY");
	else
		strbuf_dec(out, v);
}

static void print_utime(s64 v, struct strbuf *out)
{
	enum { UTIME_NOW_NS = 0x3fffffff, UTIME_OMIT_NS = 0x3ffffffe };

	if (v == UTIME_NOW_NS || v == UTIME_OMIT_NS)
		strbuf_str(out, v == UTIME_NOW_NS ? "NOW" : "OMIT");
	else
		print_s64(v, out);
}

static s64 sign_extended(u64 v, u32 size)
{
	return size >= 8 ? (s64)v : (s64)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

static void print_field(const struct layout_field *f, const u8 *data, const struct syscall_book *b,
			const struct syscall_style *style, const struct syscall_says *says, struct strbuf *out)
{
	u64 v = f->size > 8 || f->kind == LAYOUT_TEXT ? 0 : bytes_number(b, data, f->size);

	switch (f->kind) {
	case LAYOUT_TEXT:
		syscall_print_text(data, (u32)strnlen((const char *)data, f->size), 0, false, out);
		break;
	case LAYOUT_SIGNED:
		print_s64(sign_extended(v, f->size), out);
		break;
	case LAYOUT_VALUES:
		if (!strcmp(f->values->name, "open_flags"))
			print_open_flags(b, v, style->prefix, out);
		else
			values_print(f->values, v, style->prefix, out);
		break;
	case LAYOUT_MODE:
		print_mode(v, true, out);
		break;
	case LAYOUT_DEVICE:
	case LAYOUT_DEVICE_IF:
		print_device(v, out);
		break;
	case LAYOUT_SIGSET:
		print_sigset(data, f->size, out);
		break;
	case LAYOUT_FD:
		print_fd((s32)v, says, out);
		break;
	case LAYOUT_LIMIT:
		print_limit(v, f->size, out);
		break;
	case LAYOUT_HANDLER:
		print_handler(v, out);
		break;
	case LAYOUT_UTIME:
		print_utime(sign_extended(v, f->size), out);
		break;
	case LAYOUT_HEX:
		print_pointer(v, out);
		break;
	case LAYOUT_SOCKADDR:
		syscall_print_sockaddr(data, f->size, out);
		break;
	case LAYOUT_MAC:
		for (u32 i = 0; i < f->size; i++)
			strbuf_f(out, i ? ":%02x" : "%02x", data[i]);
		break;
	default:
		strbuf_dec(out, v);
	}
}

void layout_print(const struct syscall_layout *l, const u8 *data, u32 size, const struct syscall_book *b,
		  const struct syscall_style *style, const struct syscall_says *says, struct strbuf *out)
{
	bool any = false;

	strbuf_str(out, "{ ");
	for (u32 i = 0; i < l->field_count; i++) {
		const struct layout_field *f = &l->fields[i];

		if ((f->hidden && !style->bits) || f->offset + f->size > size)
			continue;
		if (f->kind == LAYOUT_DEVICE_IF && !style->bits && !bytes_number(b, data + f->offset, f->size))
			continue;
		if (any)
			strbuf_str(out, ", ");
		strbuf_char(out, '.');
		strbuf_str(out, f->name);
		strbuf_str(out, ": ");
		print_field(f, data + f->offset, b, style, says, out);
		any = true;
	}
	strbuf_str(out, any ? " }" : "}");
}
