// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operands of arm64 instructions.  Groups and fields are those of the chapter "A64 instruction set
 * encoding" in the Arm Architecture Reference Manual.  SVE and tags of memory are not decoded.
 */
#include "annotate/operands.h"

#define SP 31

static u32 bits(u32 w, int high, int low)
{
	return w >> low & (u32)((2ULL << (high - low)) - 1);
}

static s64 signed_bits(u32 w, int high, int low)
{
	return (s64)((u64)w << (63 - high)) >> (63 - high + low);
}

static bool bit(u32 w, int n)
{
	return w >> n & 1;
}

/* Returns a register where 31 is the zero register, so names none. */
static s8 plain(u32 reg)
{
	return reg == 31 ? NO_REG : (s8)reg;
}

static void write_reg(struct operands *out, u32 reg)
{
	if (reg != 31)
		out->written |= 1u << reg;
}

static void memory(struct operands *out, u32 w, u32 size, bool stores)
{
	out->has_memory = true;
	out->base = (s8)bits(w, 9, 5);
	out->size = size;
	out->stores = stores;
}

static void update_base(struct operands *out, s64 by)
{
	out->updates = true;
	out->update = by;
	out->written |= 1u << out->base;
}

/* Notes a load into a general register; a pointer may be followed. */
static void load_reg(struct operands *out, u32 reg, bool is_pointer)
{
	write_reg(out, reg);
	if (is_pointer && reg != 31) {
		out->kind = OPERANDS_LOAD;
		out->dst = (s8)reg;
	}
}

/* Reports whether a function must save the register before use: x19 to x30, or d8 to d15. */
static bool is_kept(u32 reg, bool simd)
{
	return simd ? reg >= 8 && reg <= 15 : reg >= 19 && reg <= 30;
}

static void check_save(struct operands *out, u32 reg, u32 reg2, u32 size, bool simd)
{
	out->saves = out->base == SP && size == 8 && is_kept(reg, simd) && is_kept(reg2, simd);
}

/* ---- loads and stores ---- */

static bool atomic(u32 w, struct operands *out)
{
	u32 op = bits(w, 14, 12);
	bool swaps_or_loads = bit(w, 15);

	if (bit(w, 26) || (swaps_or_loads && op != 0 && op != 4))
		return false;
	memory(out, w, 1u << bits(w, 31, 30), !(swaps_or_loads && op == 4));
	load_reg(out, bits(w, 4, 0), bits(w, 31, 30) == 3);
	return true;
}

/* Decodes a load through a signed address, which it authenticates. */
static bool authenticated(u32 w, struct operands *out)
{
	s64 disp = (signed_bits(w, 22, 22) * 512 + (s64)bits(w, 20, 12)) * 8;

	if (bits(w, 31, 30) != 3 || bit(w, 26))
		return false;
	memory(out, w, 8, false);
	out->disp = disp;
	if (bit(w, 11))
		update_base(out, disp);
	load_reg(out, bits(w, 4, 0), true);
	return true;
}

static void indexed(u32 w, u32 log, struct operands *out)
{
	/* all 64 bits of it: without a shift it may be the pointer */
	if (bits(w, 15, 13) == 3)
		out->index = plain(bits(w, 20, 16));
	out->scale = bit(w, 12) ? (u8)(1 << log) : 1;
}

/*
 * Decodes an access of one register. With scaled, its offset is unsigned, in units of the access.
 */
static bool single(u32 w, bool scaled, struct operands *out)
{
	u32 log = bits(w, 31, 30), opc = bits(w, 23, 22), mode = bits(w, 11, 10);
	bool simd = bit(w, 26), by_register = !scaled && bit(w, 21);
	bool loads = simd ? opc & 1 : opc != 0;

	if (by_register && mode != 2)
		return mode == 0 ? atomic(w, out) : authenticated(w, out);
	if (!simd && log == 3 && opc >= 2) /* a prefetch */
		return true;
	if (simd && opc >= 2)
		log = 4;
	memory(out, w, 1u << log, !loads);
	if (scaled) {
		out->disp = (s64)bits(w, 21, 10) << log;
	} else if (by_register) {
		indexed(w, log, out);
	} else {
		if (mode != 1)
			out->disp = signed_bits(w, 20, 12);
		if (mode & 1)
			update_base(out, signed_bits(w, 20, 12));
	}
	check_save(out, bits(w, 4, 0), bits(w, 4, 0), out->size, simd);
	if (loads && !simd)
		load_reg(out, bits(w, 4, 0), log == 3);
	return true;
}

static bool pair(u32 w, struct operands *out)
{
	u32 opc = bits(w, 31, 30), mode = bits(w, 24, 23), rt = bits(w, 4, 0),
	    rt2 = bits(w, 14, 10);
	bool simd = bit(w, 26), loads = bit(w, 22);
	u32 size = simd ? 4u << opc : opc == 2 ? 8 : 4;
	s64 disp = signed_bits(w, 21, 15) * size;

	if (opc == 3 || (opc == 1 && !simd && !loads)) /* unallocated, a tag of memory */
		return false;
	memory(out, w, 2 * size, !loads);
	if (mode != 1)
		out->disp = disp;
	if (mode & 1)
		update_base(out, disp);
	check_save(out, rt, rt2, size, simd);
	if (loads && !simd) {
		write_reg(out, rt2);
		load_reg(out, rt, size == 8);
		if (size == 8 && rt != 31)
			out->dst2 = plain(rt2);
	}
	return true;
}

static bool literal(u32 w, u64 address, struct operands *out)
{
	u32 opc = bits(w, 31, 30);
	bool simd = bit(w, 26);

	if (opc == 3) /* a prefetch */
		return !simd;
	out->has_memory = out->absolute = true;
	out->disp = (s64)address + signed_bits(w, 23, 5) * 4;
	out->size = simd ? 4u << opc : opc == 1 ? 8 : 4;
	if (!simd)
		load_reg(out, bits(w, 4, 0), opc == 1);
	return true;
}

/* Decodes exclusive and ordered accesses, and compare and swap. */
static bool exclusive(u32 w, struct operands *out)
{
	bool ordered = bit(w, 23), loads = bit(w, 22), two = bit(w, 21);
	u32 log = bits(w, 31, 30), rs = bits(w, 20, 16), rt = bits(w, 4, 0);

	if (two && !ordered && log < 2) { /* two registers are compared and swapped */
		memory(out, w, 8u << bit(w, 30), true);
		write_reg(out, rs);
		write_reg(out, rs + 1);
		return true;
	}
	memory(out, w, (two && !ordered ? 2u : 1u) << log, !loads || (two && ordered));
	if (two && ordered) {
		write_reg(out, rs);
	} else if (loads) {
		load_reg(out, rt, log == 3 && !two);
		if (two)
			write_reg(out, bits(w, 14, 10));
	} else if (!ordered) { /* whether it stored */
		write_reg(out, rs);
	}
	return true;
}

/* Structures of one to four vectors. */
static bool structures(u32 w, struct operands *out)
{
	static const u8 counts[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
	};
	u32 op = bits(w, 15, 13), log = op >> 1;
	u32 size = counts[bits(w, 15, 12)] * (bit(w, 30) ? 16 : 8);

	if (bit(w, 31))
		return false;
	if (bit(w, 24)) {
		if (log == 3)
			log = bits(w, 11, 10);
		else if (log == 2)
			log = bit(w, 10) ? 3 : 2;
		size = ((op & 1) * 2 + bit(w, 21) + 1) << log;
	}
	if (!size)
		return false;
	memory(out, w, size, !bit(w, 22));
	if (bit(w, 23) && bits(w, 20, 16) == 31)
		update_base(out, size);
	else if (bit(w, 23))
		out->written |= 1u << out->base;
	return true;
}

static bool loads_and_stores(u32 w, u64 address, struct operands *out)
{
	switch (bits(w, 29, 28)) {
	case 0:
		if (bit(w, 26))
			return structures(w, out);
		return !bit(w, 24) && exclusive(w, out);
	case 1:
		if (!bit(w, 24))
			return literal(w, address, out);
		/* weaker order than the exclusive ones, but with an offset */
		return !bit(w, 21) && !bit(w, 26) && !bits(w, 11, 10) && single(w, false, out);
	case 2:
		return pair(w, out);
	default:
		return single(w, bit(w, 24), out);
	}
}

/* ---- the other groups ---- */

static void add_immediate(u32 w, struct operands *out)
{
	s64 imm = (s64)bits(w, 21, 10) << (bit(w, 22) ? 12 : 0);
	u32 rd = bits(w, 4, 0);

	if (bit(w, 29)) { /* sets the flags: 31 is the zero register */
		write_reg(out, rd);
		if (rd == 31)
			return;
	}
	out->written |= 1u << rd;
	if (bit(w, 31)) {
		out->kind = OPERANDS_ADDRESS;
		out->dst = (s8)rd;
		out->base = (s8)bits(w, 9, 5);
		out->disp = bit(w, 30) ? -imm : imm;
	}
}

static void immediate(u32 w, u64 address, struct operands *out)
{
	u32 rd = bits(w, 4, 0);
	s64 imm = signed_bits(w, 23, 5) * 4 + bits(w, 30, 29);

	switch (bits(w, 25, 23)) {
	case 0:
	case 1:
		write_reg(out, rd);
		out->dst = plain(rd);
		out->absolute = true;
		out->kind = bit(w, 31) ? OPERANDS_PAGE : OPERANDS_ADDRESS;
		out->disp =
			bit(w, 31) ? (s64)(address & ~0xfffULL) + imm * 4096 : (s64)address + imm;
		break;
	case 2:
		add_immediate(w, out);
		break;
	case 4: /* logical; without flags, 31 is the stack pointer */
		out->written |= rd == 31 && bits(w, 30, 29) == 3 ? 0 : 1u << rd;
		break;
	default:
		write_reg(out, rd);
		break;
	}
}

static void branch(u32 w, struct operands *out)
{
	bool by_register = bits(w, 31, 25) == 0x6b;

	if (bits(w, 31, 26) == 0x25 || (by_register && bits(w, 23, 21) == 1))
		out->kind = OPERANDS_CALL;
	else if (bits(w, 31, 22) == 0x354 && bit(w, 21)) /* reads a system register */
		write_reg(out, bits(w, 4, 0));
	else if (bits(w, 31, 21) == 0x6a0) /* svc and its like */
		out->written |= 1;
}

static void registers(u32 w, struct operands *out)
{
	u32 rd = bits(w, 4, 0), rn = bits(w, 9, 5), rm = bits(w, 20, 16), group = bits(w, 28, 24);
	bool extended = bit(w, 21), wide = bit(w, 31);

	if (bits(w, 28, 21) == 0xd2) /* conditional compare */
		return;
	write_reg(out, rd);
	if (group == 0xa && wide && bits(w, 30, 29) == 1 && rn == 31 && !extended &&
	    !bits(w, 15, 10) && rd != 31) {
		out->kind = OPERANDS_COPY;
		out->dst = (s8)rd;
		out->src = plain(rm);
	}
	if (group != 0xb)
		return;
	if (extended && !bit(w, 29))
		out->written |= 1u << rd; /* 31 is the stack pointer */
	if (!wide || bit(w, 30) || (rd == 31 && (bit(w, 29) || !extended)))
		return;
	out->kind = OPERANDS_ADDRESS;
	out->dst = (s8)rd;
	out->base = extended ? (s8)rn : plain(rn);
	out->scale = (u8)(1 << MIN(extended ? bits(w, 12, 10) : bits(w, 15, 10), 7));
	if (extended ? (bits(w, 15, 13) & 3) == 3 : !bits(w, 23, 22))
		out->index = plain(rm);
}

/* Notes vector instructions that write a general register. */
static void vectors(u32 w, struct operands *out)
{
	u32 op = bits(w, 18, 16);
	bool converts = (w & 0x5f000000) == 0x1e000000 && (!bit(w, 21) || !bits(w, 15, 10));
	bool to_vector = op == 2 || op == 3 || (op == 7 && bit(w, 21));
	bool element = (w & 0xbfe0fc00) == 0x0e003c00 || (w & 0xbfe0fc00) == 0x0e002c00;

	if ((converts && !to_vector) || element)
		write_reg(out, bits(w, 4, 0));
}

bool operands_of_arm64(u32 w, u64 address, struct operands *out)
{
	u32 group = bits(w, 28, 25);

	if ((group & 0xe) == 8)
		immediate(w, address, out);
	else if ((group & 0xe) == 0xa)
		branch(w, out);
	else if ((group & 5) == 4)
		return loads_and_stores(w, address, out);
	else if ((group & 7) == 5)
		registers(w, out);
	else if ((group & 7) == 7)
		vectors(w, out);
	else
		return false;
	return true;
}
