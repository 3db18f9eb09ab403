// SPDX-License-Identifier: GPL-2.0-or-later
/* Lays out kernel modules, which are relocatable files, and applies the relocations of .debug_*. */
#include "object/elf_module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text.h"

#define PART_ALIGN 0x10000 /* the largest page; only separates the parts */

static bool stays_loaded(const struct elf_section *s)
{
	return s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && !str_starts(s->name, ".init");
}

static void place(struct module_layout *l, const struct elf_section *s, u64 *end)
{
	u64 align = s->align && !(s->align & (s->align - 1)) ? s->align : 1;

	*end = ALIGN_UP(*end, align);
	l->addresses[s->index] = *end;
	*end += s->size;
}

bool module_layout_read(struct module_layout *l, const struct elf *e)
{
	u64 end = MODULE_ORIGIN;

	*l = (struct module_layout){ .addresses = NULL };
	if (elf_type(e) != ET_REL)
		return false;
	l->count = elf_section_count(e);
	l->addresses = xcalloc(l->count, sizeof(*l->addresses));
	for (int pass = 0; pass < 2; pass++) {
		for (u32 i = 1; i < l->count; i++) {
			const struct elf_section *s = elf_section_at(e, i);

			if (s && s->flags & SHF_ALLOC && stays_loaded(s) == !pass)
				place(l, s, &end);
		}
		if (!pass)
			l->code_end = end;
		end = ALIGN_UP(end, PART_ALIGN);
	}
	return true;
}

void module_layout_release(struct module_layout *l)
{
	free(l->addresses);
	*l = (struct module_layout){ .addresses = NULL };
}

const struct elf_section *module_section_at(const struct module_layout *l, const struct elf *e,
					    u64 address)
{
	for (u32 i = 1; i < l->count; i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (s && s->flags & SHF_ALLOC && address >= l->addresses[i] &&
		    address - l->addresses[i] < s->size)
			return s;
	}
	return NULL;
}

enum change { KEEP, SET, ADD, SUB };

struct relocation_kind {
	u16 machine;
	u8 type, change, size; /* bytes */
};

/* The relocations that assemblers leave in .debug_*: psABI supplements of each machine. */
static const struct relocation_kind kinds[] = {
	{ EM_X86_64, R_X86_64_64, SET, 8 },   { EM_X86_64, R_X86_64_32, SET, 4 },
	{ EM_X86_64, R_X86_64_32S, SET, 4 },  { EM_386, R_386_32, SET, 4 },
	{ EM_PPC64, R_PPC64_ADDR64, SET, 8 }, { EM_PPC64, R_PPC64_ADDR32, SET, 4 },
	{ EM_PPC, R_PPC_ADDR32, SET, 4 },     { EM_ARM, R_ARM_ABS32, SET, 4 },
	{ EM_S390, R_390_64, SET, 8 },        { EM_S390, R_390_32, SET, 4 },
	{ EM_RISCV, R_RISCV_64, SET, 8 },     { EM_RISCV, R_RISCV_32, SET, 4 },
	{ EM_RISCV, R_RISCV_SET8, SET, 1 },   { EM_RISCV, R_RISCV_SET16, SET, 2 },
	{ EM_RISCV, R_RISCV_SET32, SET, 4 },  { EM_RISCV, R_RISCV_ADD8, ADD, 1 },
	{ EM_RISCV, R_RISCV_ADD16, ADD, 2 },  { EM_RISCV, R_RISCV_ADD32, ADD, 4 },
	{ EM_RISCV, R_RISCV_ADD64, ADD, 8 },  { EM_RISCV, R_RISCV_SUB8, SUB, 1 },
	{ EM_RISCV, R_RISCV_SUB16, SUB, 2 },  { EM_RISCV, R_RISCV_SUB32, SUB, 4 },
	{ EM_RISCV, R_RISCV_SUB64, SUB, 8 },
};

static struct relocation_kind kind_of(u16 machine, u32 type)
{
	/* its numbers do not fit in the table's bytes */
	if (machine == EM_AARCH64)
		return (struct relocation_kind){ EM_AARCH64, 0,
						 type == R_AARCH64_ABS64 || type == R_AARCH64_ABS32
							 ? SET
							 : KEEP,
						 type == R_AARCH64_ABS64 ? 8 : 4 };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return kinds[i];
	return (struct relocation_kind){ machine, 0, KEEP, 0 };
}

static u64 load(const u8 *p, u8 size, bool swap)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return load_u16(p, swap);
	case 4:
		return load_u32(p, swap);
	default:
		return load_u64(p, swap);
	}
}

static void store(u8 *p, u8 size, bool swap, u64 value)
{
	bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (u8 i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (u8)(value >> (8 * i));
}

static void apply(const struct elf *e, const struct module_layout *l,
		  const struct elf_section *table, struct elf_bytes *b)
{
	const struct elf_section *symbols = elf_section_at(e, table->link);
	bool swap = elf_is_swapped(e), is_rela = table->type == SHT_RELA;
	struct elf_relocation r;

	if (!symbols || (symbols->type != SHT_SYMTAB && symbols->type != SHT_DYNSYM))
		return;
	for (u32 i = 0; elf_relocation_at(e, table, i, &r); i++) {
		struct relocation_kind k = kind_of(elf_machine(e), r.type);
		struct elf_symbol s = { .value = 0 };
		u64 value, old;
		u8 *at;

		if (k.change == KEEP || r.offset > b->size || b->size - r.offset < k.size ||
		    (r.symbol && !elf_symbol_at(e, symbols, r.symbol, &s)))
			continue;
		at = (u8 *)b->owned + r.offset;
		old = load(at, k.size, swap);
		value = s.value + (s.section < l->count ? l->addresses[s.section] : 0);
		value += is_rela ? (u64)r.addend : k.change == SET ? old : 0;
		if (k.change == ADD)
			value = old + value;
		else if (k.change == SUB)
			value = old - value;
		store(at, k.size, swap, value);
	}
}

void module_relocate(const struct elf *e, const struct module_layout *l,
		     const struct elf_section *s, struct elf_bytes *b)
{
	for (u32 i = 1; i < elf_section_count(e); i++) {
		const struct elf_section *table = elf_section_at(e, i);

		if (!table || (table->type != SHT_RELA && table->type != SHT_REL) ||
		    table->info != s->index || !b->size)
			continue;
		if (!b->owned)
			b->data = b->owned = xmemdup(b->data, b->size);
		apply(e, l, table, b);
	}
}
