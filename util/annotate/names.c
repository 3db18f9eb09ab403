// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names the addresses that instructions mention: functions and data of the object.
 *
 * If several symbols have one address, the choice is objdump's: functions, then data, then the
 * larger one, then by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/internal.h"
#include "arch/machine.h"
#include "base/search.h"
#include "object/entry_points.h"
#include "object/versions.h"
#include "base/alloc.h"
#include "base/vec.h"
#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "symbol/demangle.h"
#include "symbol/gopclntab.h"

/* clang-format off */
enum { STT_OBJECT_ = 1, STT_FUNC_ = 2, STT_SECTION_ = 3, STT_FILE_ = 4, STT_TLS_ = 6,
       STT_GNU_IFUNC_ = 10, SHT_SYMTAB_ = 2, SHT_DYNSYM_ = 11, SHN_ABS_ = 0xfff1, SHT_RELA_ = 4, SHT_REL_ = 9,
       R_X86_64_IRELATIVE_ = 37 };
/* clang-format on */

struct addr_symbol {
	u64 addr, size;
	const char *name;
	u32 index; /* in its table */
	u8 rank;   /* 0 functions, 1 data, 2 others */
	bool demangled, local, ifunc;
};

/* An entry of the GOT, which the loader fills in. */
struct slot {
	u64 addr;
	const char *name;
	bool demangled;
};

struct addr_names {
	VEC(struct addr_symbol) list;
	VEC(struct slot) slots;       /* in order of address */
	bool demangle, has_functions; /* from .symtab, not only exported symbols */
	struct arena texts;
};

static int by_place(const void *pa, const void *pb)
{
	const struct addr_symbol *a = pa, *b = pb;
	size_t at, bt;
	int diff;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->local != b->local)
		return a->local ? 1 : -1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	at = strcspn(a->name, "@");
	bt = strcspn(b->name, "@");
	diff = memcmp(a->name, b->name, MIN(at, bt));
	if (diff || at != bt)
		return diff ? diff : at < bt ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static void sort_list(struct addr_names *n)
{
	if (n->list.count)
		qsort(n->list.items, n->list.count, sizeof(*n->list.items), by_place);
}

/* Returns "name@VERSION"; defined symbols have "@@" before their default one. */
static const char *versioned(struct addr_names *n, const struct versions *v, u32 index,
			     const struct elf_symbol *s)
{
	bool is_default = false;
	const char *version = version_of(v, index, &is_default);
	char *text;
	const char *kept;

	if (!version)
		return s->name;
	text = xasprintf("%s%s%s", s->name, s->section && is_default ? "@@" : "@", version);
	kept = arena_strndup(&n->texts, text, strlen(text));
	free(text);
	return kept;
}

/* Returns ".f": the name of the code of the descriptor f, which is data. */
static const char *dotted(struct addr_names *n, const char *name)
{
	char *text = xasprintf(".%s", name);
	const char *kept = arena_strndup(&n->texts, text, strlen(text));

	free(text);
	return kept;
}

static void add_table(struct addr_names *n, const struct elf *elf, const struct elf_section *table,
		      const struct versions *v, const struct entry_points *e)
{
	u32 count = table ? elf_symbol_count(elf, table) : 0;
	struct elf_symbol s;

	for (u32 i = 0; i < count; i++) {
		bool descriptor;

		if (!elf_symbol_at(elf, table, i, &s) || !s.name[0] || !s.section ||
		    s.type == STT_SECTION_ || s.type == STT_FILE_ || s.type == STT_TLS_ ||
		    (s.section == SHN_ABS_ && !s.value) || is_mapping_symbol(elf, s.name))
			continue;
		descriptor = is_descriptor(e, &s);
		if (!entry_point_set(e, &s))
			continue;
		if (v)
			s.name = versioned(n, v, i, &s);
		vec_push(&n->list,
			 (struct addr_symbol){
				 .addr = s.value,
				 .size = s.size,
				 .name = descriptor ? dotted(n, s.name) : s.name,
				 .local = !s.binding,
				 .ifunc = s.type == STT_GNU_IFUNC_,
				 .index = i,
				 .rank = s.type == STT_FUNC_ || s.type == STT_GNU_IFUNC_ ? 0
					 : s.type == STT_OBJECT_                         ? 1
											 : 2,
			 });
	}
}

/* Adds the functions of a stripped Go program. */
static void add_go_functions(struct addr_names *n, const struct elf *elf)
{
	struct go_functions g;
	struct go_function f;

	n->has_functions = go_functions_open(&g, elf);
	for (u32 i = 0; i < g.count; i++)
		if (go_function_at(&g, i, &f))
			vec_push(&n->list, (struct addr_symbol){ .addr = f.address,
								 .size = f.size,
								 .name = f.name,
								 .local = true });
	go_functions_close(&g);
}

static int by_addr(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Returns how many symbols begin at addr or below it. */
static size_t below(const struct addr_names *n, u64 addr)
{
	return lower_bound(i, 0, n->list.count, n->list.items[i].addr <= addr);
}

/*
 * Returns the slot of an indirect function's choice at load time. Its name is that of the function,
 * or objdump's for the address. The list is sorted.
 */
static struct slot chosen_slot(struct addr_names *n, const struct elf_relocation *rel)
{
	u64 addr = (u64)rel->addend;
	const struct addr_symbol *best = NULL;
	size_t from = below(n, addr);
	char text[40];

	for (; from && n->list.items[from - 1].addr == addr; from--)
		if (!best || n->list.items[from - 1].ifunc || !best->ifunc)
			best = &n->list.items[from - 1];
	if (best)
		return (struct slot){ rel->offset, best->name, false };
	snprintf(text, sizeof(text), "*ABS*+0x%" PRIx64, addr);
	return (struct slot){ rel->offset, arena_strndup(&n->texts, text, strlen(text)), true };
}

/* Relocations that the loader does. */
static void add_slots(struct addr_names *n, const struct elf *elf, const struct versions *v)
{
	const struct elf_section *dynsym = elf_section_of_type(elf, SHT_DYNSYM_);

	for (u32 i = 0; dynsym && i < elf_section_count(elf); i++) {
		const struct elf_section *s = elf_section_at(elf, i);
		struct elf_relocation rel;
		struct elf_symbol sym;

		if (!s || (s->type != SHT_RELA_ && s->type != SHT_REL_) || s->link != dynsym->index)
			continue;
		for (u32 k = 0; k < elf_relocation_count(elf, s); k++)
			if (!elf_relocation_at(elf, s, k, &rel))
				continue;
			else if (rel.symbol && elf_symbol_at(elf, dynsym, rel.symbol, &sym) &&
				 sym.name[0])
				vec_push(&n->slots,
					 (struct slot){ rel.offset,
							versioned(n, v, rel.symbol, &sym), false });
			else if (rel.type == R_X86_64_IRELATIVE_ &&
				 elf_machine(elf) == ELF_MACHINE_X86_64)
				vec_push(&n->slots, chosen_slot(n, &rel));
	}
	if (n->slots.count)
		qsort(n->slots.items, n->slots.count, sizeof(*n->slots.items), by_addr);
}

static struct slot *slot_at(const struct addr_names *n, u64 addr)
{
	const struct slot key = { .addr = addr };

	return n->slots.count ? bsearch(&key, n->slots.items, n->slots.count, sizeof(key), by_addr)
			      : NULL;
}

/*
 * Finds the slot that the stub at p jumps through: "jmp *slot(%rip)", perhaps after endbr64 and
 * bnd.
 */
static bool stub_slot(const u8 *p, size_t size, u64 addr, u64 *slot)
{
	size_t i = 0;

	if (size >= 4 && !memcmp(p, "\xf3\x0f\x1e\xfa", 4))
		i = 4;
	if (i < size && p[i] == 0xf2)
		i++;
	if (i + 6 > size || p[i] != 0xff || p[i + 1] != 0x25)
		return false;
	*slot = addr + i + 6 + (u64)(s64)(s32)load_u32(p + i + 2, false);
	return true;
}

/* Stubs of x86-64: each is named as what its slot will hold. */
static void add_slot_stubs(struct addr_names *n, const struct elf *elf, const struct elf_section *s)
{
	struct elf_bytes b = elf_section_raw(elf, s);
	size_t step = s->entsize == 8 || s->entsize == 16 ? s->entsize : 8;

	for (size_t at = 0; at < b.size; at += step) {
		const struct slot *slot;
		size_t len;
		char *text;
		u64 addr;

		if (!stub_slot(b.data + at, b.size - at, s->addr + at, &addr))
			continue;
		slot = slot_at(n, addr);
		if (!slot)
			continue;
		len = strcspn(slot->name, "@");
		text = xasprintf("%.*s@plt", (int)MIN(len, 1u << 16), slot->name);
		vec_push(&n->list, (struct addr_symbol){
					   .addr = s->addr + at,
					   .name = arena_strndup(&n->texts, text, strlen(text)) });
		free(text);
	}
}

/* Entries of the PLT have their names from the symbol store. */
static void add_stubs(struct addr_names *n, const struct elf *elf, const struct symbol_table *table)
{
	for (u32 i = 0; i < elf_section_count(elf) && elf_machine(elf) == ELF_MACHINE_X86_64; i++) {
		const struct elf_section *s = elf_section_at(elf, i);

		if (s && str_starts(s->name, ".plt"))
			add_slot_stubs(n, elf, s);
	}
	for (u32 i = 0; i < symbol_count(table) && elf_machine(elf) != ELF_MACHINE_X86_64; i++) {
		const struct symbol *s = symbol_get(table, symbol_first(table) + i);
		u64 addr;

		if (s->is_plt && elf_offset_to_addr(elf, s->start, &addr))
			vec_push(&n->list, (struct addr_symbol){ .addr = addr,
								 .size = symbol_end(s) - s->start,
								 .name = s->name,
								 .demangled = true });
	}
}

struct addr_names *addr_names_new(const struct elf *elf, const struct elf *debug,
				  const struct symbol_table *table, bool demangle)
{
	struct addr_names *n = xcalloc(1, sizeof(*n));
	const struct elf_section *symtab = elf_section_of_type(elf, SHT_SYMTAB_);
	struct entry_points e;
	struct versions v;

	n->demangle = demangle;
	n->has_functions = true;
	entry_points_find(&e, elf);
	versions_read(&v, elf);
	if (symtab) {
		add_table(n, elf, symtab, NULL, &e);
	} else if (debug && elf_section_of_type(debug, SHT_SYMTAB_)) {
		add_table(n, debug, elf_section_of_type(debug, SHT_SYMTAB_), NULL, &e);
	} else {
		add_table(n, elf, elf_section_of_type(elf, SHT_DYNSYM_), &v, &e);
		add_go_functions(n, elf);
	}
	sort_list(n);
	add_slots(n, elf, &v);
	add_stubs(n, elf, table);
	versions_release(&v);
	sort_list(n);
	return n;
}

void addr_names_free(struct addr_names *n)
{
	if (!n)
		return;
	vec_release(&n->list);
	vec_release(&n->slots);
	arena_release(&n->texts);
	free(n);
}

/* Makes a name printable and demangled, once. */
static const char *shown_text(struct addr_names *n, const char **name, bool *done)
{
	struct strbuf b = STRBUF_INIT;
	char *plain;

	if (*done)
		return *name;
	plain = n->demangle ? symbol_demangle(*name, true) : NULL;
	strbuf_printable(&b, plain ? plain : *name);
	*name = arena_strndup(&n->texts, strbuf_cstr(&b), b.len);
	*done = true;
	strbuf_release(&b);
	free(plain);
	return *name;
}

static const char *shown(struct addr_names *n, struct addr_symbol *s)
{
	return shown_text(n, &s->name, &s->demangled);
}

const char *addr_name(struct addr_names *n, u64 addr, s64 *offset)
{
	struct slot *slot = slot_at(n, addr);
	size_t from = below(n, addr);
	struct addr_symbol *s;

	*offset = 0;
	if (slot)
		return shown_text(n, &slot->name, &slot->demangled);
	if (!n->list.count)
		return NULL;
	if (!from) { /* the address is before the first symbol: count from it */
		s = &n->list.items[0];
	} else {
		s = &n->list.items[from - 1];
		while (s > n->list.items && s[-1].addr == s->addr)
			s--;
	}
	*offset = (s64)(addr - s->addr);
	return shown(n, s);
}

const char *addr_name_of_function(struct addr_names *n, u64 addr)
{
	size_t at = n->has_functions ? below(n, addr) : 0;

	while (at && n->list.items[at - 1].rank)
		at--;
	if (!at)
		return NULL;
	at--;
	while (at && n->list.items[at - 1].addr == n->list.items[at].addr &&
	       !n->list.items[at - 1].rank)
		at--;
	return shown(n, &n->list.items[at]);
}

/*
 * Returns the function of unwind tables at the address. Returns NULL if a symbol covers it, or no
 * function has it.
 */
static const char *range_name(const struct target_namer *t, u64 addr, s64 *offset)
{
	const struct symbol_table *table;
	const struct symbol *s;
	u64 place;
	u32 number;

	if (!t->a || !t->code->elf || !elf_addr_to_offset(t->code->elf, addr, &place))
		return NULL;
	table = symbols_of(t->a->symbols, t->image);
	number = symbol_find(table, place);
	if (number == NO_SYMBOL || symbol_is_named(number))
		return NULL;
	s = symbol_get(table, number);
	*offset = (s64)(place - s->start);
	return s->name;
}

const char *target_name(const struct target_namer *t, u64 addr, s64 *offset)
{
	const char *name, *range;
	const struct symbol_table *table;
	const struct symbol *s;
	u64 place = addr;
	u32 number;

	if (t->names) {
		name = addr_name(t->names, addr, offset);
		range = name && !*offset ? NULL : range_name(t, addr, offset);
		return range ? range : name; /* the nearest symbol belongs to another function */
	}
	if (!t->a)
		return NULL;
	table = symbols_of(t->a->symbols, t->image);
	if (t->code->elf)
		place = addr - t->code->address + t->code->from_offset;
	number = symbol_find(table, place);
	if (number == NO_SYMBOL)
		return NULL;
	s = symbol_get(table, number);
	*offset = (s64)(place - s->start);
	return s->name;
}

void text_address(const struct target_namer *names, u64 addr, struct strbuf *out)
{
	s64 offset = 0;
	const char *name = target_name(names, addr, &offset);

	strbuf_hex(out, addr);
	if (!name)
		return;
	strbuf_f(out, " <%s", name);
	if (offset)
		strbuf_f(out, offset < 0 ? "-0x%" PRIx64 : "+0x%" PRIx64,
			 offset < 0 ? (u64)-offset : (u64)offset);
	strbuf_char(out, '>');
}
