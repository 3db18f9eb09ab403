// SPDX-License-Identifier: GPL-2.0-or-later
/* Stubs of the procedure linkage table: "name@plt". */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "object/elf.h"
#include "symbol/internal.h"

/* Sizes in bytes, by architecture; the ABI documents fix them. */
static const struct plt_shape {
	u16 machine;
	u32 header, entry;
} shapes[] = {
	{ .machine = EM_386, .header = 16, .entry = 16 },
	{ .machine = EM_X86_64, .header = 16, .entry = 16 },
	{ .machine = EM_AARCH64, .header = 32, .entry = 16 },
	{ .machine = EM_ARM, .header = 20, .entry = 12 },
	{ .machine = EM_RISCV, .header = 32, .entry = 16 },
	{ .machine = EM_S390, .header = 32, .entry = 32 },
};

struct plt {
	const struct elf *elf;
	struct symbol_list *out;
	struct arena *names;
	bool demangle, params;
};

static const struct plt_shape *shape_of(u16 machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].machine == machine)
			return &shapes[i];
	return NULL;
}

static const char *stub_name(const struct plt *p, const char *target)
{
	char *shown = p->demangle ? symbol_demangle(target, p->params) : NULL;
	char *name = xasprintf("%s@plt", shown ? shown : target);
	const char *kept = arena_strndup(p->names, name, strlen(name));

	free(name);
	free(shown);
	return kept;
}

/* entry i is of the i-th relocation, in the table's order */
static void add_stubs(const struct plt *p, const struct elf_section *relocs,
		      const struct elf_section *stubs, u64 header, u64 entry)
{
	const struct elf_section *dynsym = elf_section_at(p->elf, relocs->link);
	u64 room = stubs->size > header ? (stubs->size - header) / entry : 0;
	struct elf_relocation rel;

	for (u32 i = 0; i < room && elf_relocation_at(p->elf, relocs, i, &rel); i++) {
		struct elf_symbol s;

		if (!dynsym || !elf_symbol_at(p->elf, dynsym, rel.symbol, &s))
			continue;
		symbol_list_add(p->out, stubs->offset + header + i * entry, entry, STB_GLOBAL,
				stub_name(p, s.name), NAME_FINAL);
		vec_last(&p->out->list)->is_plt = true;
	}
}

/* jmp *disp(%rip), perhaps behind endbr64 and bnd, to where a word of the GOT says. */
static bool jump_slot(const u8 *code, u64 size, u64 addr, u64 *slot)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	u64 at = 0;

	if (size >= 4 && !memcmp(code, endbr64, 4))
		at = 4;
	if (at < size && code[at] == 0xf2)
		at++;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = addr + at + 6 + (u64)(s64)(s32)load_u32(code + at + 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return true;
}

/* Stubs of functions whose address is taken too: their slots are relocated as data. */
static void add_got_stubs(const struct plt *p, const struct elf_section *stubs)
{
	const struct elf_section *relocs = elf_section(p->elf, ".rela.dyn"), *dynsym;
	u64 entry = stubs->entsize == 16 ? 16 : 8;
	struct elf_bytes code = elf_section_raw(p->elf, stubs);
	struct map64 by_slot = { 0 };
	struct elf_relocation rel;

	if (!relocs || relocs->type != SHT_RELA)
		return;
	dynsym = elf_section_at(p->elf, relocs->link);
	for (u32 i = 0; elf_relocation_at(p->elf, relocs, i, &rel); i++)
		if (rel.symbol)
			*map64_put(&by_slot, rel.offset, NULL) = rel.symbol;
	for (u64 at = 0; at + entry <= code.size; at += entry) {
		struct elf_symbol s;
		u64 slot, *symbol;

		if (!jump_slot(code.data + at, entry, stubs->addr + at, &slot))
			continue;
		symbol = map64_get(&by_slot, slot);
		if (!symbol || !dynsym || !elf_symbol_at(p->elf, dynsym, (u32)*symbol, &s))
			continue;
		symbol_list_add(p->out, stubs->offset + at, entry, STB_GLOBAL, stub_name(p, s.name),
				NAME_FINAL);
		vec_last(&p->out->list)->is_plt = true;
	}
	map64_release(&by_slot);
}

static const struct elf_section *plt_relocations(const struct elf *e)
{
	const struct elf_section *s = elf_section(e, ".rela.plt");

	if (!s)
		s = elf_section(e, ".rel.plt");
	return s && (s->type == SHT_RELA || s->type == SHT_REL) ? s : NULL;
}

void plt_symbols_add(struct symbol_list *l, const struct elf *e, struct arena *names,
		     bool demangle, bool params)
{
	struct plt p = { .elf = e, .out = l, .names = names, .demangle = demangle,
			 .params = params };
	const struct elf_section *relocs = plt_relocations(e);
	const struct elf_section *plt = elf_section(e, ".plt");
	const struct elf_section *second = elf_section(e, ".plt.sec");
	const struct elf_section *got = elf_section(e, ".plt.got");
	const struct plt_shape *shape = shape_of(elf_machine(e));

	if (got && got->type == SHT_PROGBITS && elf_machine(e) == EM_X86_64)
		add_got_stubs(&p, got);
	if (!relocs || !shape)
		return;
	if (plt && plt->type == SHT_PROGBITS)
		add_stubs(&p, relocs, plt, shape->header, shape->entry);
	/* with branch tracking, callers use a second table that has no header */
	if (second && second->type == SHT_PROGBITS)
		add_stubs(&p, relocs, second, 0, shape->entry);
}
