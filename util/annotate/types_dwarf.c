// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads types from DWARF, with libdw: their names, sizes and fields. */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/types_dwarf.h"
#include "base/alloc.h"
#include "base/text.h"

#define MAX_FIELDS 4096 /* shown of one type */

struct data_type {
	char *name;
	u64 size;
	Dwarf_Off die;
	VEC(struct data_field) fields;
};

/* ---- life ---- */

struct types_file *types_open(const char *path)
{
	struct types_file *f = xcalloc(1, sizeof(*f));
	Elf *elf;

	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	f->dwarf = f->fd >= 0 ? dwarf_begin(f->fd, DWARF_C_READ) : NULL;
	if (!f->dwarf) {
		types_close(f);
		return NULL;
	}
	elf = dwarf_getelf(f->dwarf);
	f->cfi = dwarf_getcfi(f->dwarf);
	f->eh_cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	return f;
}

void types_close(struct types_file *f)
{
	if (!f)
		return;
	vec_for_each(&f->types, t) {
		free((*t)->name);
		vec_release(&(*t)->fields);
		free(*t);
	}
	vec_release(&f->types);
	types_variables_release(f);
	strmap_release(&f->definitions);
	if (f->eh_cfi)
		dwarf_cfi_end(f->eh_cfi);
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->fd >= 0)
		close(f->fd);
	arena_release(&f->texts);
	free(f);
}

/* ---- types ---- */

static bool is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Finds a definition by its name: that of the first unit that has one. Returns 0 if none has. */
static Dwarf_Off find_definition(struct types_file *f, int tag, const char *name)
{
	Dwarf_Attribute attr;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, child;

	while (!dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_child(&unit, &child))
			continue;
		do {
			const char *other = dwarf_tag(&child) == tag ? dwarf_diename(&child) : NULL;

			if (other && !strcmp(other, name) &&
			    !dwarf_attr(&child, DW_AT_declaration, &attr))
				return dwarf_dieoffset(&child);
		} while (!dwarf_siblingof(&child, &child));
	}
	return 0;
}

/*
 * Replaces a declaration by its definition in another unit. Searches once for each, because that
 * walks through all units.
 */
static bool define(struct types_file *f, Dwarf_Die *type)
{
	struct strbuf key = STRBUF_INIT;
	const char *name = dwarf_diename(type);
	Dwarf_Attribute attr;
	bool declared = false, added;
	int tag = dwarf_tag(type);
	u64 *die;

	if (!is_record(type) || !dwarf_attr(type, DW_AT_declaration, &attr) ||
	    dwarf_formflag(&attr, &declared) || !declared)
		return true;
	if (!name)
		return false;
	strbuf_f(&key, "%d %s", tag, name);
	die = strmap_put(&f->definitions, strbuf_cstr(&key), &added);
	if (added)
		*die = find_definition(f, tag, name);
	strbuf_release(&key);
	return *die && dwarf_offdie(f->dwarf, *die, type);
}

/*
 * Finds the member of a record, or the element of an array, at *offset; makes *offset relative to
 * it.
 */
static bool member_at(struct types_file *f, Dwarf_Die *type, u64 *offset, Dwarf_Die *member_type)
{
	Dwarf_Die child;
	u64 size;

	if (dwarf_tag(type) == DW_TAG_array_type) {
		if (!type_of(type, member_type) || !type_has_size(member_type, &size))
			return false;
		*offset %= size;
		return true;
	}
	if (!is_record(type) || !define(f, type) || dwarf_child(type, &child))
		return false;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word start = 0;
		Dwarf_Die t;
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&child, &t) ||
		    !type_has_size(&t, &size))
			continue;
		if (dwarf_attr(&child, DW_AT_data_member_location, &attr) &&
		    dwarf_formudata(&attr, &start))
			continue;
		if (*offset >= start && *offset - start < size) {
			*offset -= start;
			*member_type = t;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool types_load_of(struct types_file *f, const struct place_type *at, struct place_type *value)
{
	Dwarf_Die type, inner;
	struct place_type field = *at;

	if (!types_settle(f, &field) || !dwarf_offdie(f->dwarf, field.die, &type) ||
	    !type_strip(&type, &type))
		return false;
	/* down to the member at the offset */
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (type_is_pointer(&type)) {
			if (field.offset || !type_of(&type, &inner))
				return false;
			*value = (struct place_type){ .die = dwarf_dieoffset(&inner) };
			return true;
		}
		if (!member_at(f, &type, &field.offset, &inner))
			return false;
		type = inner;
		if (!type_strip(&type, &type))
			return false;
	}
	return false;
}

/* Offsets of an array's elements are those of its first; false: no type with a size. */
bool types_settle(struct types_file *f, struct place_type *p)
{
	Dwarf_Die type;
	u64 size;

	if (!dwarf_offdie(f->dwarf, p->die, &type) || !type_strip(&type, &type) ||
	    !define(f, &type))
		return false;
	while (dwarf_tag(&type) == DW_TAG_array_type) {
		Dwarf_Die element;

		if (!type_of(&type, &element) || !type_strip(&element, &element))
			return false;
		type = element;
	}
	if (!type_has_size(&type, &size) || size > INT64_MAX)
		return false;
	p->offset = (u64)(((s64)p->offset % (s64)size + (s64)size) % (s64)size);
	p->die = dwarf_dieoffset(&type);
	return true;
}

static void name_of(struct types_file *f, Dwarf_Die *die, struct strbuf *b, int depth)
{
	Dwarf_Die type;
	const char *name = dwarf_diename(die);
	const char *prefix = "";

	if (depth > MAX_DEPTH)
		return;
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
		prefix = "struct ";
		break;
	case DW_TAG_class_type:
		prefix = "class ";
		break;
	case DW_TAG_union_type:
		prefix = "union ";
		break;
	case DW_TAG_enumeration_type:
		prefix = "enum ";
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_array_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		if (type_of(die, &type))
			name_of(f, &type, b, depth + 1);
		else
			strbuf_str(b, "void");
		strbuf_str(b, dwarf_tag(die) == DW_TAG_pointer_type     ? "*"
			      : dwarf_tag(die) == DW_TAG_reference_type ? "&"
			      : dwarf_tag(die) == DW_TAG_array_type     ? "[]"
									: "");
		return;
	case DW_TAG_subroutine_type:
		strbuf_str(b, "(*)()");
		return;
	default:
		break;
	}
	strbuf_f(b, "%s", prefix);
	strbuf_printable(b, name ? name : "{...}");
}

static const char *kept_name(struct types_file *f, Dwarf_Die *die)
{
	struct strbuf b = STRBUF_INIT;
	const char *kept;

	name_of(f, die, &b, 0);
	kept = arena_strndup(&f->texts, strbuf_cstr(&b), b.len);
	strbuf_release(&b);
	return kept;
}

static void add_fields(struct types_file *f, struct data_type *t, Dwarf_Die *type, u64 base,
		       u32 depth)
{
	Dwarf_Die child;

	if (depth > 16 || !is_record(type) || !define(f, type) || dwarf_child(type, &child))
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word start = 0;
		Dwarf_Die member, plain;
		const char *name = dwarf_diename(&child);
		struct strbuf shown = STRBUF_INIT;
		u64 size;
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !type_of(&child, &member) || t->fields.count >= MAX_FIELDS)
			continue;
		if (dwarf_attr(&child, DW_AT_data_member_location, &attr) &&
		    dwarf_formudata(&attr, &start))
			continue;
		plain = member;
		if (!type_strip(&plain, &plain) || !type_has_size(&plain, &size))
			continue;
		strbuf_printable(&shown, name ? name : "");
		vec_push(&t->fields,
			 (struct data_field){
				 .type = kept_name(f, &member),
				 .name = arena_strndup(&f->texts, strbuf_cstr(&shown), shown.len),
				 .offset = base + start,
				 .size = size,
				 .depth = depth,
				 .has_fields = is_record(&plain) });
		strbuf_release(&shown);
		add_fields(f, t, &plain, base + start, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

const struct data_type *types_get(struct types_file *f, u64 off)
{
	struct strbuf name = STRBUF_INIT;
	struct data_type *t;
	Dwarf_Die die;
	u64 size = 0;

	if (!dwarf_offdie(f->dwarf, off, &die))
		return NULL;
	name_of(f, &die, &name, 0);
	type_has_size(&die, &size);
	/* units have copies of a type */
	vec_for_each(&f->types, it) {
		if ((*it)->size == size && !strcmp((*it)->name, strbuf_cstr(&name))) {
			strbuf_release(&name);
			return *it;
		}
	}
	t = xcalloc(1, sizeof(*t));
	t->name = strbuf_detach(&name);
	t->size = size;
	t->die = off;
	vec_push(&t->fields, (struct data_field){ .type = t->name,
						  .name = "",
						  .size = size,
						  .has_fields = is_record(&die) });
	add_fields(f, t, &die, 0, 1);
	vec_push(&f->types, t);
	return t;
}

const char *data_type_name(const struct data_type *t)
{
	return t->name;
}

u64 data_type_size(const struct data_type *t)
{
	return t->size;
}

const struct data_field *data_type_fields(const struct data_type *t, size_t *count)
{
	*count = t->fields.count;
	return t->fields.items;
}
