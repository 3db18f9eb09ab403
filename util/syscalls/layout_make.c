// SPDX-License-Identifier: GPL-2.0-or-later
/* Converts the rows of layouts to fields with offsets, for one architecture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
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

/* Returns the bytes of one element. */
static u32 type_size(const char *type, u32 word, bool *is_signed)
{
	static const struct {
		const char *name;
		u8 size;
		bool is_signed;
	} types[] = {
		{ "s8", 1, true },     { "u8", 1, false },  { "s16", 2, true },
		{ "u16", 2, false },   { "s32", 4, true },  { "u32", 4, false },
		{ "s64", 8, true },    { "u64", 8, false }, { "long", 0, true },
		{ "ulong", 0, false }, { "ptr", 0, false }, { "char", 1, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strncmp(types[i].name, type, strlen(types[i].name)) &&
		    strchr("/[", type[strlen(types[i].name)])) {
			*is_signed = types[i].is_signed;
			return types[i].size ? types[i].size : word;
		}
	return word;
}

static void set_kind(struct layout_field *f, const char *kind, bool is_signed,
		     const struct arch *arch)
{
	static const struct {
		const char *name;
		u8 kind;
	} kinds[] = {
		{ "hex", LAYOUT_HEX },       { "mode", LAYOUT_MODE },
		{ "dev", LAYOUT_DEVICE },    { "devif", LAYOUT_DEVICE_IF },
		{ "sigset", LAYOUT_SIGSET }, { "fd", LAYOUT_FD },
		{ "limit", LAYOUT_LIMIT },   { "handler", LAYOUT_HANDLER },
		{ "utime", LAYOUT_UTIME },   { "sockaddr", LAYOUT_SOCKADDR },
		{ "mac", LAYOUT_MAC },
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

/* Adds a field such as "-st_size:s64/hex". Returns where the struct ends after it. */
static u32 add_field(struct syscall_layout *l, const char *text, u32 at, const struct arch *arch,
		     bool packed)
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
		snprintf(f->name, sizeof(f->name), "%.*s", (int)(colon - text - f->hidden),
			 text + f->hidden);
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
