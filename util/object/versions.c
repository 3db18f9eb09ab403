// SPDX-License-Identifier: GPL-2.0-or-later
/* Versions of dynamic symbols. */
#include "object/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "object/cursor.h"

enum {
	SHT_GNU_verdef_ = 0x6ffffffd,
	SHT_GNU_verneed_ = 0x6ffffffe,
	SHT_GNU_versym_ = 0x6fffffff,
	VER_HIDDEN = 0x8000
};
#define MAX_VERSIONS 0x7fff

/* Returns a string of the section that a table's link names, or NULL. */
static const char *linked_string(const struct elf *elf, const struct elf_section *table, u64 at)
{
	const struct elf_section *s = elf_section_at(elf, table->link);
	struct elf_bytes b;

	if (!s)
		return NULL;
	b = elf_section_raw(elf, s);
	if (at >= b.size || !memchr(b.data + at, 0, b.size - at))
		return NULL;
	return (const char *)b.data + at;
}

static void set_version(struct versions *v, u32 index, const char *name, bool own)
{
	index &= MAX_VERSIONS;
	if (!name || index < 2)
		return;
	while (v->list.count <= index)
		vec_push(&v->list, (struct version){ NULL, false });
	v->list.items[index] = (struct version){ name, own };
}

static void read_needed(struct versions *v, const struct elf *elf, const struct elf_section *s)
{
	struct elf_bytes b = elf_section_raw(elf, s);
	u64 at = 0;

	for (u32 n = 0; n < s->info && n < MAX_VERSIONS; n++) {
		struct cursor c = cursor_at(b.data, b.size, at, elf_is_swapped(elf));
		u32 count, aux, next;
		u64 entry;

		cursor_skip(&c, 2);
		count = cursor_u16(&c);
		cursor_skip(&c, 4);
		aux = cursor_u32(&c);
		next = cursor_u32(&c);
		entry = at + aux;
		for (u32 i = 0; i < count && !c.bad; i++) {
			struct cursor e = cursor_at(b.data, b.size, entry, elf_is_swapped(elf));
			u32 other, name, step;

			cursor_skip(&e, 6);
			other = cursor_u16(&e);
			name = cursor_u32(&e);
			step = cursor_u32(&e);
			if (e.bad)
				break;
			set_version(v, other, linked_string(elf, s, name), false);
			if (!step)
				break;
			entry += step;
		}
		if (c.bad || !next)
			return;
		at += next;
	}
}

static void read_defined(struct versions *v, const struct elf *elf, const struct elf_section *s)
{
	struct elf_bytes b = elf_section_raw(elf, s);
	u64 at = 0;

	for (u32 n = 0; n < s->info && n < MAX_VERSIONS; n++) {
		struct cursor c = cursor_at(b.data, b.size, at, elf_is_swapped(elf)), e;
		u32 index, aux, next;

		cursor_skip(&c, 4);
		index = cursor_u16(&c);
		cursor_skip(&c, 6);
		aux = cursor_u32(&c);
		next = cursor_u32(&c);
		e = cursor_at(b.data, b.size, at + aux, elf_is_swapped(elf));
		if (!c.bad && !e.bad)
			set_version(v, index, linked_string(elf, s, cursor_u32(&e)), true);
		if (c.bad || !next)
			return;
		at += next;
	}
}

void versions_read(struct versions *v, const struct elf *elf)
{
	const struct elf_section *s;

	*v = (struct versions){ .symbols = elf_section_of_type(elf, SHT_GNU_versym_), .elf = elf };
	if ((s = elf_section_of_type(elf, SHT_GNU_verneed_)))
		read_needed(v, elf, s);
	if ((s = elf_section_of_type(elf, SHT_GNU_verdef_)))
		read_defined(v, elf, s);
}

void versions_release(struct versions *v)
{
	vec_release(&v->list);
}

const char *version_of(const struct versions *v, u32 symbol, bool *is_default)
{
	struct elf_bytes b;
	u16 index;

	if (!v->symbols)
		return NULL;
	b = elf_section_raw(v->elf, v->symbols);
	if ((u64)symbol * 2 + 2 > b.size)
		return NULL;
	index = load_u16(b.data + (size_t)symbol * 2, elf_is_swapped(v->elf));
	*is_default = !(index & VER_HIDDEN);
	index &= MAX_VERSIONS;
	if (index == 1)
		return "Base";
	if (index >= v->list.count)
		return NULL;
	*is_default &= v->list.items[index].own;
	return v->list.items[index].name;
}
