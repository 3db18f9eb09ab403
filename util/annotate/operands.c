// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists the machines whose operands are known.
 * Capstone decodes instructions of x86-64. Those of arm64 and powerpc are words with fields at
 * fixed places, and need no library.
 */
#include "annotate/operands.h"
#include "arch/machine.h"

#define REG(n)         (1u << (n))
#define REGS(from, to) ((REG((to) - (from)) * 2 - 1) << (from))

/* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#define X86_CLOBBERS (REGS(0, 2) | REGS(4, 5) | REGS(8, 11))

static const struct operands_machine machines[] = {
	{ .e_machine = ELF_MACHINE_X86_64,
	  .word = 8,
	  .regs = 16,
	  .call_pushes = true,
	  .sp = 7,
	  .result = 0,
	  .toc = NO_REG,
	  .clobbers = X86_CLOBBERS },
	{ .e_machine = ELF_MACHINE_AARCH64,
	  .word = 8,
	  .regs = 32,
	  .sp = 31,
	  .result = 0,
	  .toc = NO_REG,
	  .clobbers = REGS(0, 18) | REG(30) },
	{ .e_machine = ELF_MACHINE_PPC64,
	  .word = 8,
	  .regs = 32,
	  .sp = 1,
	  .result = 3,
	  .toc = 2,
	  .local_entry = 8,
	  .clobbers = REG(0) | REGS(3, 12) },
	{ .e_machine = ELF_MACHINE_PPC,
	  .word = 4,
	  .regs = 32,
	  .sp = 1,
	  .result = 3,
	  .toc = NO_REG,
	  .clobbers = REG(0) | REGS(3, 12) },
};

const struct operands_machine *operands_machine(struct decoder *d, u16 e_machine)
{
	if (e_machine == ELF_MACHINE_X86_64 && !d)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].e_machine == e_machine)
			return &machines[i];
	return NULL;
}

bool operands_decode(struct decoder *d, const struct operands_machine *m, bool big_endian,
		     const u8 *bytes, size_t size, u64 address, struct operands *out)
{
	u32 little, big;

	if (m->e_machine == ELF_MACHINE_X86_64)
		return operands_of_x86_64(d, bytes, size, address, out);
	*out = (struct operands){ .base = NO_REG,
				  .index = NO_REG,
				  .scale = 1,
				  .dst = NO_REG,
				  .dst2 = NO_REG,
				  .src = NO_REG };
	if (size != 4)
		return false;
	little = (u32)bytes[3] << 24 | (u32)bytes[2] << 16 | (u32)bytes[1] << 8 | bytes[0];
	big = __builtin_bswap32(little);
	if (m->e_machine == ELF_MACHINE_AARCH64) /* code is little-endian even where data is not */
		return operands_of_arm64(little, address, out);
	return operands_of_powerpc(big_endian ? big : little, m->word, out);
}
