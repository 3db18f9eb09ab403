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
