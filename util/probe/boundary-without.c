// SPDX-License-Identifier: GPL-2.0-or-later
/* Without a disassembler x86 is not known. */
#include "arch/arch.h"
#include "probe/boundary.h"

int probe_on_boundary(const struct arch *arch, const u8 *code, size_t size, u64 *before)
{
	(void)code;
	*before = 0;
	if (!arch || arch->min_insn_size == 1)
		return -1;
	*before = size - size % arch->min_insn_size;
	return size % arch->min_insn_size == 0;
}
