/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction does to registers and memory (internal); registers by DWARF number. */
#ifndef ANNOTATE_OPERANDS_H
#define ANNOTATE_OPERANDS_H

#include "annotate/internal.h"

#define NO_REG (-1)
#define DWARF_REGS 17 /* on x86-64: 16 and the return address */

enum operands_kind {
	OPERANDS_OTHER,
	OPERANDS_COPY,	   /* dst = src */
	OPERANDS_LOAD,	   /* dst = 8 bytes at the memory operand */
	OPERANDS_ADDRESS,  /* dst = address of the memory operand */
	OPERANDS_ADD,	   /* dst += imm */
	OPERANDS_CALL,
	OPERANDS_STACK,	   /* push, pop, ret, leave */
};

struct operands {
	enum operands_kind kind;
	bool has_memory, stores, is_canary;
	bool absolute; /* memory at disp: rip-relative, or without base */
	s8 base, index;
	u8 scale;
	u32 size; /* the size of the memory operand, bytes */
	s64 disp; /* absolute: the address */
	s8 dst, src;
	s64 imm;
	u32 written; /* bits of registers that have another value afterwards */
};

/* False: not decoded. */
bool operands_decode(struct decoder *d, const u8 *bytes, size_t size, u64 address, struct operands *out);

#endif
