/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction does to registers and memory (internal); registers by DWARF number. */
#ifndef ANNOTATE_OPERANDS_H
#define ANNOTATE_OPERANDS_H

#include "annotate/internal.h"

#define NO_REG     (-1)
#define DWARF_REGS 32

enum operands_kind {
	OPERANDS_OTHER,
	OPERANDS_COPY,    /* dst = src */
	OPERANDS_LOAD,    /* dst = the pointer at the memory operand, dst2 = the one behind it */
	OPERANDS_ADDRESS, /* dst = address of the memory operand */
	OPERANDS_PAGE,    /* the same, but a later instruction adds the rest of the address */
	OPERANDS_ADD,     /* dst += imm */
	OPERANDS_CALL,
	OPERANDS_STACK, /* push, pop, ret, leave */
};

struct operands {
	enum operands_kind kind;
	bool has_memory, stores, is_canary;
	bool absolute; /* memory at disp: relative to the instruction, or without base */
	bool saves;    /* keeps or brings back a register for the caller */
	bool updates;  /* base += update, after the access */
	s8 base, index;
	u8 scale;
	u32 size; /* the size of the memory operand, bytes */
	s64 disp; /* absolute: the address */
	s64 update;
	s8 dst, dst2, src;
	s64 imm;
	u32 written; /* bits of registers that have another value afterwards */
};

/* What following registers needs to know of a machine. */
struct operands_machine {
	u16 e_machine;
	u8 word;          /* bytes of a pointer */
	u8 regs;          /* those with smaller numbers may hold pointers; at most DWARF_REGS */
	bool call_pushes; /* calls and returns touch the stack */
	s8 sp, result;
	s8 toc;         /* the register that points into the object's own table, or NO_REG */
	u8 local_entry; /* calls go at most so many bytes behind a function's entry */
	u32 clobbers;   /* bits of registers that a call does not keep */
};

/*
 * NULL: the operands of this machine's instructions are not known here. d: NULL without capstone.
 */
const struct operands_machine *operands_machine(struct decoder *d, u16 e_machine);
/* False: not decoded. */
bool operands_decode(struct decoder *d, const struct operands_machine *m, bool big_endian,
		     const u8 *bytes, size_t size, u64 address, struct operands *out);

/* The decoders of each machine; those by bits get the instruction's word. */
bool operands_of_x86_64(struct decoder *d, const u8 *bytes, size_t size, u64 address,
			struct operands *out);
bool operands_of_arm64(u32 word, u64 address, struct operands *out);
bool operands_of_powerpc(u32 word, u8 pointer, struct operands *out);

#endif
