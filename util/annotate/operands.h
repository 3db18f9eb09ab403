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
	OPERANDS_LOAD,    /* dst = the pointer at the memory operand, dst2 = the next one */
	OPERANDS_ADDRESS, /* dst = address of the memory operand */
	OPERANDS_PAGE,    /* the same, but a later instruction adds the rest of the address */
	OPERANDS_ADD,     /* dst += imm */
	OPERANDS_CALL,
	OPERANDS_STACK, /* push, pop, ret, leave */
};

struct operands {
	enum operands_kind kind;
	bool has_memory, stores, is_canary;
	bool absolute; /* memory at disp: relative to the instruction, or without a base */
	bool saves;    /* saves or restores a register for the caller */
	bool updates;  /* base += update, after the access */
	s8 base, index;
	u8 scale;
	u32 size; /* of the memory operand, in bytes */
	s64 disp; /* absolute: the address */
	s64 update;
	s8 dst, dst2, src;
	s64 imm;
	u32 written; /* bits of registers whose value changes */
};

/* The facts about a machine that following registers needs. */
struct operands_machine {
	u16 e_machine;
	u8 word;          /* bytes of a pointer */
	u8 regs;          /* registers below it may hold pointers; at most DWARF_REGS */
	bool call_pushes; /* calls and returns touch the stack */
	s8 sp, result;
	s8 toc;         /* the register that points into the object's own table, or NO_REG */
	u8 local_entry; /* calls may go this many bytes past a function's entry */
	u32 clobbers;   /* bits of registers that a call does not keep */
};

/*
 * Returns the facts of a machine, or NULL if its operands are unknown here. d is NULL without
 * capstone.
 */
const struct operands_machine *operands_machine(struct decoder *d, u16 e_machine);
/* Decodes an instruction's operands. Returns false if it cannot. */
bool operands_decode(struct decoder *d, const struct operands_machine *m, bool big_endian,
		     const u8 *bytes, size_t size, u64 address, struct operands *out);

/* Decode for one machine; those with fixed fields take the instruction's word. */
bool operands_of_x86_64(struct decoder *d, const u8 *bytes, size_t size, u64 address,
			struct operands *out);
bool operands_of_arm64(u32 word, u64 address, struct operands *out);
bool operands_of_powerpc(u32 word, u8 pointer, struct operands *out);

#endif
