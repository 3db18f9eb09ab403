// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/entry_points.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

void entry_points_find(struct entry_points *e, const struct elf *loaded)
{
	const struct elf_section *opd = NULL;

	memset(e, 0, sizeof(*e));
	e->thumb = elf_machine(loaded) == EM_ARM;
	if (elf_machine(loaded) == EM_PPC64)
		opd = elf_section(loaded, ".opd");
	if (!opd || opd->type == SHT_NOBITS)
		return;
	e->descriptors = opd;
	e->data = elf_section_raw(loaded, opd);
	e->swapped = elf_is_swapped(loaded);
}

bool is_descriptor(const struct entry_points *e, const struct elf_symbol *s)
{
	return e->descriptors && s->section == e->descriptors->index;
}

bool entry_point_set(const struct entry_points *e, struct elf_symbol *s)
{
	u64 at;

	if (e->thumb && s->type == STT_FUNC)
		s->value &= ~1ULL;
	if (!is_descriptor(e, s))
		return true;
	at = s->value - e->descriptors->addr;
	if (at > e->data.size || e->data.size - at < 8)
		return false;
	s->value = load_u64(e->data.data + at, e->swapped);
	return s->value;
}

static bool covers(const struct elf_symbol *s, u64 addr)
{
	u64 start = s->value & ~1ULL;

	return s->type == STT_FUNC && s->section &&
	       (addr == start || (addr > start && addr - start < s->size));
}

bool entry_point_is_thumb(const struct elf *e, u64 addr)
{
	const struct elf_section *table = elf_section_of_type(e, SHT_SYMTAB);
	struct elf_symbol s;

	if (elf_machine(e) != EM_ARM)
		return false;
	if (!table)
		table = elf_section_of_type(e, SHT_DYNSYM);
	for (u32 i = 0; table && i < elf_symbol_count(e, table); i++)
		if (elf_symbol_at(e, table, i, &s) && covers(&s, addr))
			return s.value & 1;
	return false;
}

bool is_mapping_symbol(const struct elf *e, const char *name)
{
	switch (elf_machine(e)) {
	case EM_ARM:
	case EM_AARCH64:
		return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		       (!name[2] || name[2] == '.');
	case EM_RISCV:
		return name[0] == '$' && name[1] && strchr("dx", name[1]);
	default:
		return false;
	}
}
