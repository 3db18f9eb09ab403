// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwinds frames of 32-bit Arm programs, whose .ARM.exidx and .ARM.extab say how to leave each
 * function.
 * Source: Exception Handling ABI for the Arm Architecture (IHI0038), "The Index Table" to "Frame
 * unwinding instructions".
 *
 * The tables are exact at calls, where all frames except the leaf are. A leaf is assumed to have
 * made its frame, unless it is at its first instruction.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "unwind/internal.h"

enum {
	ENTRY = 8, /* bytes of an entry: the function's start, and its unwind code */
	CANTUNWIND = 1,
	FINISH = 0xb0,
	R_SP = 13,
	R_LR = 14,
	R_PC = 15,
	CORE_REGS = 16,
};

struct exidx {
	const u8 *file; /* all of it: the index names tables by their addresses */
	size_t file_size;
	const struct elf *elf;
	u64 address;
	struct elf_bytes index;
	bool swap;
};

struct exidx *exidx_read(const struct elf *e)
{
	const struct elf_section *s =
		elf_machine(e) == EM_ARM ? elf_section(e, ".ARM.exidx") : NULL;
	struct exidx *x;

	if (!s || s->type == SHT_NOBITS || s->size < ENTRY)
		return NULL;
	x = xcalloc(1, sizeof(*x));
	x->elf = e;
	x->swap = elf_is_swapped(e);
	x->address = s->addr;
	x->file = elf_data(e, &x->file_size);
	if (!elf_section_data(e, s, &x->index, NULL) && x->index.size >= ENTRY)
		return x;
	exidx_free(x);
	return NULL;
}

void exidx_free(struct exidx *x)
{
	if (!x)
		return;
	elf_bytes_release(&x->index);
	free(x);
}

/* Returns the address in a word of 31 bits that is relative to the word's own. */
static u32 relative(u32 word, u64 at)
{
	return (u32)at + ((word & 0x7fffffff) | (word & 0x40000000) << 1);
}

static u32 entry_word(const struct exidx *x, size_t n, unsigned at)
{
	return load_u32(x->index.data + n * ENTRY + at, x->swap);
}

static u32 entry_begin(const struct exidx *x, size_t n)
{
	return relative(entry_word(x, n, 0), x->address + n * ENTRY);
}

/* Finds the entry of an address. Returns false if the address is before all functions. */
static bool find_entry(const struct exidx *x, u64 addr, size_t *entry)
{
	size_t at = lower_bound(i, 0, x->index.size / ENTRY, entry_begin(x, i) <= addr);

	*entry = at - 1;
	return at > 0;
}

/* Instructions are the bytes of words, the most significant one of each first. */
struct code {
	u32 word;
	unsigned left; /* bytes of it */
	struct cursor more;
	u32 words; /* that follow */
};

/* Returns the next byte of the code; the end acts like "finish". */
static u8 next_byte(struct code *c)
{
	u8 byte;

	if (!c->left && c->words) {
		c->word = cursor_u32(&c->more);
		c->left = 4;
		c->words--;
	}
	if (!c->left)
		return FINISH;
	byte = (u8)(c->word >> 24);
	c->word <<= 8;
	c->left--;
	return byte;
}

/*
 * Starts the code. The word before it identifies the kind of table and has the first instructions.
 */
static bool begin_code(struct code *c, u32 word, bool compact)
{
	unsigned personality = compact ? word >> 24 & 0xf : 1;

	/*
	 * the program's own personality routine: those of C and C++ have a count and three bytes
	 * there
	 */
	if (!compact) {
		c->words = word >> 24;
		c->word = word << 8;
		c->left = 3;
		return true;
	}
	if (personality > 2 || word >> 28 != 8)
		return false;
	c->words = personality ? word >> 16 & 0xff : 0;
	c->word = word << (personality ? 16 : 8);
	c->left = personality ? 2 : 3;
	return true;
}

/* Opens the code of an entry. Returns false if the tables are damaged. */
static bool open_code(const struct exidx *x, size_t entry, struct code *c)
{
	u32 word = entry_word(x, entry, 4);
	bool compact = true;
	u64 offset;

	*c = (struct code){ .left = 0 };
	if (word & 0x80000000)
		return !(word >> 24 & 0x7f) && begin_code(c, word, true);
	if (!elf_addr_to_offset(x->elf, relative(word, x->address + entry * ENTRY + 4), &offset))
		return false;
	c->more = cursor_at(x->file, x->file_size, offset, x->swap);
	word = cursor_u32(&c->more);
	if (!(word & 0x80000000)) {
		compact = false;
		word = cursor_u32(&c->more);
	}
	return !c->more.bad && begin_code(c, word, compact);
}

struct frame {
	struct unwind_regs *regs;
	const struct unwind_memory *memory;
	u32 vsp;
	bool dump_ends, has_pc, refused;
};

static void set_reg(struct frame *f, unsigned reg, u64 value, bool known)
{
	f->regs->value[reg] = value;
	f->regs->known[reg] = known;
}

/*
 * Pops registers, lowest first. A value beyond the recorded piece of stack is lost. If the walk
 * needs it as an address, the walk ends.
 */
static void pop(struct frame *f, u32 mask)
{
	u64 sp = 0;

	for (unsigned reg = 0; reg < CORE_REGS; reg++) {
		u64 value = 0;
		bool known;

		if (!(mask >> reg & 1))
			continue;
		known = memory_read(f->memory, f->vsp, 4, &value);
		f->dump_ends |= !known && reg >= R_SP;
		f->has_pc |= reg == R_PC;
		if (reg == R_SP)
			sp = value;
		else
			set_reg(f, reg, value, known);
		f->vsp += 4;
	}
	if (mask >> R_SP & 1)
		f->vsp = (u32)sp;
}

static u32 read_uleb(struct code *c)
{
	unsigned shift = 0;
	u32 v = 0;
	u8 byte;

	do {
		byte = next_byte(c);
		v |= shift < 32 ? (u32)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80 && (c->left || c->words));
	return v;
}

/* Runs an instruction that begins with 1011. Returns false if it is reserved. */
static bool run_1011(struct frame *f, struct code *c, u8 op)
{
	u8 operand;

	switch (op) {
	case 0xb1: /* r0 to r3 */
		operand = next_byte(c);
		pop(f, operand);
		return operand && operand <= 0xf;
	case 0xb2:
		f->vsp += 0x204 + (read_uleb(c) << 2);
		return true;
	case 0xb3: /* D registers as FSTMFDX stores them: with another word */
		f->vsp += 8 * ((next_byte(c) & 0xfU) + 1) + 4;
		return true;
	case 0xb4: /* the code that authenticates the return address */
		f->vsp += 4;
		return true;
	case 0xb5: /* the stack pointer is part of that code */
		return true;
	default:
		if (op < 0xb8)
			return false;
		f->vsp += 8 * ((op & 7U) + 1) + 4;
		return true;
	}
}

/*
 * Runs an instruction that begins with 11: registers of coprocessors, which unwinding does not use.
 * Returns false if it is reserved.
 */
static bool run_11(struct frame *f, struct code *c, u8 op)
{
	u8 operand;

	switch (op) {
	case 0xc6:
	case 0xc8:
	case 0xc9:
		f->vsp += 8 * ((next_byte(c) & 0xfU) + 1);
		return true;
	case 0xc7:
		operand = next_byte(c);
		f->vsp += 4 * (u32)__builtin_popcount(operand & 0xf);
		return operand && operand <= 0xf;
	default:
		if (op > 0xd7 || (op > 0xc7 && op < 0xd0))
			return false;
		f->vsp += 8 * ((op & 7U) + 1);
		return true;
	}
}

/* Runs one instruction. Returns false if it is reserved, damaged, or refuses to unwind. */
static bool run_op(struct frame *f, struct code *c, u8 op)
{
	u32 mask;

	switch (op >> 4) {
	case 0x0:
	case 0x1:
	case 0x2:
	case 0x3:
		f->vsp += ((op & 0x3fU) << 2) + 4;
		return true;
	case 0x4:
	case 0x5:
	case 0x6:
	case 0x7:
		f->vsp -= ((op & 0x3fU) << 2) + 4;
		return true;
	case 0x8:
		mask = (op & 0xfU) << 8 | next_byte(c);
		pop(f, mask << 4);
		f->refused = !mask;
		return mask;
	case 0x9:
		f->vsp = (u32)f->regs->value[op & 0xf];
		return (op & 0xf) != R_SP && (op & 0xf) != R_PC && f->regs->known[op & 0xf];
	case 0xa:
		mask = ((2U << (op & 7)) - 1) << 4;
		pop(f, op & 8 ? mask | 1U << R_LR : mask);
		return true;
	case 0xb:
		return run_1011(f, c, op);
	default:
		return run_11(f, c, op);
	}
}

static enum unwind_end leave(struct frame *f, struct code *c)
{
	for (u8 op; (op = next_byte(c)) != FINISH && !f->dump_ends;)
		if (!run_op(f, c, op))
			return f->refused && !c->more.bad ? UNWIND_ROOT : UNWIND_BAD_CFI;
	if (f->dump_ends)
		return UNWIND_DUMP_ENDS;
	return c->more.bad ? UNWIND_BAD_CFI : UNWIND_LIMIT;
}

bool exidx_covers(const struct exidx *x, u64 addr)
{
	size_t entry;

	return find_entry(x, addr, &entry) && entry_word(x, entry, 4) != CANTUNWIND;
}

enum unwind_end exidx_step(const struct exidx *x, u64 addr, struct unwind_regs *regs,
			   const struct unwind_memory *memory, u64 *pc)
{
	struct frame f = { .regs = regs, .memory = memory, .vsp = (u32)regs->value[R_SP] };
	enum unwind_end end = UNWIND_LIMIT;
	struct code c;
	size_t entry;

	if (!find_entry(x, addr, &entry))
		return UNWIND_NO_CFI;
	if (entry_word(x, entry, 4) == CANTUNWIND)
		return UNWIND_ROOT;
	if (!open_code(x, entry, &c))
		return UNWIND_BAD_CFI;
	if (entry_begin(x, entry) != addr)
		end = leave(&f, &c);
	if (end != UNWIND_LIMIT)
		return end;
	if (!f.has_pc)
		set_reg(&f, R_PC, regs->value[R_LR], regs->known[R_LR]);
	set_reg(&f, R_SP, f.vsp, true);
	if (!regs->known[R_PC])
		return UNWIND_DUMP_ENDS;
	*pc = regs->value[R_PC];
	/* the register no longer holds a caller's return address */
	regs->known[R_LR] = false;
	return UNWIND_LIMIT;
}
