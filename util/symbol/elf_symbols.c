// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of ELF files: which ones count, and where in the file they are. */
#include <elf.h>
#include <string.h>

#include "object/elf_module.h"
#include "object/entry_points.h"
#include "symbol/gopclntab.h"
#include "symbol/internal.h"

/* What the loop over a symbol table needs of its two files. */
struct loader {
	const struct elf *from;    /* file with the symbol table */
	const struct elf *runtime; /* file that was mapped: offsets are in it */
	bool as_addresses, thrifty;
	const struct module_layout *module;
	u8 state; /* the state that new names get */
	struct entry_points entries;
};

static bool is_function(const struct elf_symbol *s)
{
	return s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
}

/*
 * Reports whether the symbol is a bare assembler label that a person would call a function; .L is a
 * compiler's own.
 */
static bool is_label(const struct elf_symbol *s)
{
	return s->type == STT_NOTYPE && s->section != SHN_ABS && strncmp(s->name, ".L", 2) &&
	       s->visibility != STV_HIDDEN && s->visibility != STV_INTERNAL;
}

static bool is_wanted_type(const struct elf_symbol *s)
{
	return s->name[0] && s->section != SHN_UNDEF &&
	       (is_function(s) || s->type == STT_OBJECT || is_label(s));
}

static bool is_text_or_data(const struct elf_section *s)
{
	return strstr(s->name, "text") || strstr(s->name, "data");
}

/* Converts an address to an offset in the file that was mapped. */
static u64 to_offset(const struct loader *l, const struct elf_section *sec, u64 addr)
{
	u64 offset;

	if (l->module)
		return addr - sec->addr + l->module->addresses[sec->index];
	if (elf_type(l->runtime) == ET_REL)
		return addr - sec->addr + sec->offset;
	if (elf_addr_to_offset(l->runtime, addr, &offset))
		return offset;
	/* "_etext" is after its segment; section offsets of a debug file are useless */
	if (addr && elf_addr_to_offset(l->runtime, addr - 1, &offset))
		return offset + 1;
	return addr - sec->addr + sec->offset;
}

/*
 * Cuts the part in memory that a segment has beyond its bytes in the file (.bss), where the page of
 * the last byte ends: the offsets from there on are other segments'. Returns false when nothing is
 * left.
 */
static bool cut_at_file_end(const struct elf *e, struct elf_symbol *s)
{
	enum { PAGE = 4096 };

	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *g = elf_segment_at(e, i);
		u64 at = s->value - g->vaddr, end = g->offset + g->file_size;

		if (g->type != PT_LOAD || g->placed || s->value < g->vaddr || at >= g->memory_size)
			continue;
		end = g->file_size ? ALIGN_UP(end, (u64)PAGE) - g->offset : 0;
		if (at < g->file_size || end < g->file_size)
			return true;
		s->size = at < end ? MIN(s->size, end - at) : 0;
		return at < end;
	}
	return true;
}

static void add_one(const struct loader *l, struct symbol_list *list, struct elf_symbol *s)
{
	const struct elf_section *sec;

	if (!is_wanted_type(s) || is_mapping_symbol(l->from, s->name) || s->section == SHN_ABS ||
	    !entry_point_set(&l->entries, s))
		return;
	sec = elf_section_at(l->from, s->section);
	if (!sec || (s->type == STT_NOTYPE && !is_text_or_data(sec)))
		return;
	/* texts for the linker (.gnu.warning) are not in memory */
	if (!(sec->flags & SHF_ALLOC))
		return;
	if (!l->as_addresses && !l->module &&
	    (elf_address_is_unplaced(l->runtime, s->value) ||
	     (!is_function(s) && !cut_at_file_end(l->runtime, s))))
		return;
	/* what else is loaded of a module has its place elsewhere */
	if (l->module && l->module->addresses[sec->index] >= l->module->code_end)
		return;
	symbol_list_add(list, l->as_addresses ? s->value : to_offset(l, sec, s->value), s->size,
			s->binding, s->name, l->state);
	vec_last(&list->list)->ifunc = s->type == STT_GNU_IFUNC;
	vec_last(&list->list)->is_data = s->type == STT_OBJECT;
}

static void add_table(const struct loader *l, struct symbol_list *list, u32 type)
{
	enum { MANY = 1 << 14 }; /* half a megabyte of symbols, and as much of names */
	const struct elf_section *table = elf_section_of_type(l->from, type);
	struct elf_symbol s;

	if (!table)
		return;
	vec_reserve(&list->list, list->list.count + elf_symbol_count(l->from, table));
	for (u32 i = 1; elf_symbol_at(l->from, table, i, &s); i++) {
		add_one(l, list, &s);
		if (l->thrifty && i % MANY == 0)
			elf_drop_pages(l->from);
	}
}

/* Adds the functions of the Go runtime's table, which even a stripped program has. */
static void add_go_functions(const struct loader *l, struct symbol_list *list)
{
	struct go_functions g;
	struct go_function f;
	u64 start;

	go_functions_open(&g, l->runtime);
	vec_reserve(&list->list, list->list.count + g.count);
	for (u32 i = 0; i < g.count; i++)
		if (go_function_at(&g, i, &f) && elf_addr_to_offset(l->runtime, f.address, &start))
			symbol_list_add(list, start, f.size, STB_LOCAL, f.name, l->state);
	go_functions_close(&g);
}

void elf_symbols_add(struct symbol_list *list, const struct elf_symbol_source *s)
{
	struct loader l = {
		.from = s->debug ? s->debug : s->object,
		.runtime = s->object ? s->object : s->debug,
		.as_addresses = s->as_addresses,
		.thrifty = s->thrifty,
		.module = s->module,
		.state = s->demangle ? NAME_MANGLED : NAME_FINAL,
	};

	entry_points_find(&l.entries, l.runtime);
	if (s->object) {
		struct loader dynamic = l;

		dynamic.from = s->object;
		add_table(&dynamic, list, SHT_DYNSYM);
	}
	add_table(&l, list, SHT_SYMTAB);
	if (s->object && !s->as_addresses && !s->module && !elf_section_of_type(l.from, SHT_SYMTAB))
		add_go_functions(&l, list);
}
