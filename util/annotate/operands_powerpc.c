// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operands of one-word powerpc instructions, by the opcode maps of the Power ISA (book I and
 * appendices).
 * Bits are counted from the low end here; the manual counts from the high one.
 */
#include "annotate/operands.h"

#define SP     1
#define TOC    2
#define THREAD 13 /* points past the thread's data */

enum access {
	STORES = 1,  /* stores; otherwise it loads */
	VECTOR = 2,  /* a register that cannot hold a pointer: floating point or vector */
	UPDATES = 4, /* the base register is set to the address */
	SIGNED = 8,  /* a load that extends the sign, so loads no pointer */
};

struct form {
	u16 op;
	u8 size, access;
};

/* By the first six bits: the address is a register and 16 bits. */
/* clang-format off */
static const struct form by_displacement[] = {
	{ 32, 4, 0 }, { 33, 4, UPDATES }, { 34, 1, 0 }, { 35, 1, UPDATES },
	{ 36, 4, STORES }, { 37, 4, STORES | UPDATES }, { 38, 1, STORES }, { 39, 1, STORES | UPDATES },
	{ 40, 2, 0 }, { 41, 2, UPDATES }, { 42, 2, SIGNED }, { 43, 2, SIGNED | UPDATES },
	{ 44, 2, STORES }, { 45, 2, STORES | UPDATES },
	{ 48, 4, VECTOR }, { 49, 4, VECTOR | UPDATES }, { 50, 8, VECTOR }, { 51, 8, VECTOR | UPDATES },
	{ 52, 4, VECTOR | STORES }, { 53, 4, VECTOR | STORES | UPDATES },
	{ 54, 8, VECTOR | STORES }, { 55, 8, VECTOR | STORES | UPDATES },
};
/* clang-format on */

/* By the ten bits after the registers, under 31: the address is the sum of two registers. */
/* clang-format off */
static const struct form by_index[] = {
	{ 20, 4, 0 }, { 21, 8, 0 }, { 23, 4, 0 }, { 52, 1, 0 }, { 53, 8, UPDATES }, { 55, 4, UPDATES },
	{ 84, 8, 0 }, { 87, 1, 0 }, { 116, 2, 0 }, { 119, 1, UPDATES },
	{ 149, 8, STORES }, { 150, 4, STORES }, { 151, 4, STORES }, { 181, 8, STORES | UPDATES },
	{ 183, 4, STORES | UPDATES }, { 214, 8, STORES }, { 215, 1, STORES }, { 247, 1, STORES | UPDATES },
	{ 279, 2, 0 }, { 311, 2, UPDATES }, { 341, 4, SIGNED }, { 343, 2, SIGNED },
	{ 373, 4, SIGNED | UPDATES }, { 375, 2, SIGNED | UPDATES }, { 407, 2, STORES },
	{ 439, 2, STORES | UPDATES }, { 694, 1, STORES }, { 726, 2, STORES },
	/* with reversed bytes, so not a pointer */
	{ 532, 8, SIGNED }, { 534, 4, SIGNED }, { 790, 2, SIGNED }, { 660, 8, STORES }, { 662, 4, STORES },
	{ 918, 2, STORES },
	/* floating point and vectors */
	{ 535, 4, VECTOR }, { 567, 4, VECTOR | UPDATES }, { 599, 8, VECTOR }, { 631, 8, VECTOR | UPDATES },
	{ 663, 4, VECTOR | STORES }, { 695, 4, VECTOR | STORES | UPDATES }, { 727, 8, VECTOR | STORES },
	{ 759, 8, VECTOR | STORES | UPDATES }, { 855, 4, VECTOR }, { 887, 4, VECTOR }, { 983, 4, VECTOR | STORES },
	{ 7, 1, VECTOR }, { 39, 2, VECTOR }, { 71, 4, VECTOR }, { 103, 16, VECTOR }, { 359, 16, VECTOR },
	{ 135, 1, VECTOR | STORES }, { 167, 2, VECTOR | STORES }, { 199, 4, VECTOR | STORES },
	{ 231, 16, VECTOR | STORES }, { 487, 16, VECTOR | STORES },
	{ 12, 4, VECTOR }, { 76, 4, VECTOR }, { 268, 16, VECTOR }, { 332, 8, VECTOR }, { 364, 4, VECTOR },
	{ 524, 4, VECTOR }, { 588, 8, VECTOR }, { 780, 16, VECTOR }, { 781, 1, VECTOR }, { 812, 16, VECTOR },
	{ 813, 2, VECTOR }, { 844, 16, VECTOR }, { 876, 16, VECTOR },
	{ 140, 4, VECTOR | STORES }, { 396, 16, VECTOR | STORES }, { 652, 4, VECTOR | STORES },
	{ 716, 8, VECTOR | STORES }, { 908, 16, VECTOR | STORES }, { 909, 1, VECTOR | STORES },
	{ 940, 16, VECTOR | STORES }, { 941, 2, VECTOR | STORES }, { 972, 16, VECTOR | STORES },
	{ 1004, 16, VECTOR | STORES },
};
/* clang-format on */

/* Under 31: the result goes into the second register of the word. */
static const u16 to_second[] = {
	24,  26,  27,  28,  51,  58,  60,  115, 122, 124, 154, 155, 186,
	187, 219, 252, 284, 307, 316, 378, 412, 444, 476, 506, 508, 536,
	538, 539, 570, 792, 794, 824, 826, 827, 890, 891, 922, 954, 986,
};

/* Under 31: changes no general register: comparisons, traps, caches, moves to other registers. */
static const u16 to_none[] = {
	0,   4,   6,   22,  30,  32,  38,  54,  62,  68,  86,  144, 146, 178, 179,  192,
	211, 224, 243, 246, 278, 403, 435, 467, 470, 512, 576, 598, 854, 982, 1014,
};

/*
 * Under 31: several registers by a number of bytes, parts of vectors, pairs, atomic operations in
 * memory.
 */
static const u16 not_decoded[] = { 182, 269, 276, 301, 333, 397, 429, 461,
				   533, 582, 597, 614, 661, 710, 725, 742 };

static unsigned op_of(u32 w)
{
	return w >> 26;
}

static s8 first(u32 w)
{
	return (s8)(w >> 21 & 31);
}

static s8 second(u32 w)
{
	return (s8)(w >> 16 & 31);
}

static s8 third(u32 w)
{
	return (s8)(w >> 11 & 31);
}

/* Returns the base register; in addresses 0 means none. */
static s8 base_of(u32 w)
{
	return second(w) ? second(w) : NO_REG;
}

static bool is_one_of(const u16 *list, size_t count, unsigned op)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == op)
			return true;
	return false;
}

static void write_reg(struct operands *out, s8 reg)
{
	out->written |= 1u << reg;
}

/*
 * Reports whether it saves or restores a register. r14 to r31 and f14 to f31 belong to the caller,
 * as do the link register, which goes through r0, and r2.
 */
static bool is_save(u32 w, u8 access, const struct operands *out)
{
	s8 reg = first(w);

	if (out->base != SP || out->index != NO_REG)
		return false;
	if (out->updates && (access & STORES) && reg == SP)
		return true;
	return reg >= 14 || (!(access & VECTOR) && (reg == 0 || reg == TOC));
}

static void memory(u32 w, u32 size, u8 access, u8 pointer, struct operands *out)
{
	out->has_memory = true;
	out->size = size;
	out->stores = access & STORES;
	if ((access & UPDATES) && out->base != NO_REG) {
		write_reg(out, out->base);
		if (out->index == NO_REG) {
			out->updates = true;
			out->update = out->disp;
		}
	}
	out->saves = size >= pointer && is_save(w, access, out);
	out->is_canary = out->base == (pointer == 8 ? THREAD : TOC) && out->index == NO_REG &&
			 out->disp == (pointer == 8 ? -0x7010 : -0x7008);
	if (access & (STORES | VECTOR))
		return;
	if (first(w) == TOC && out->saves) /* restored after a call: unchanged */
		return;
	write_reg(out, first(w));
	if (size == pointer && !(access & SIGNED)) {
		out->kind = OPERANDS_LOAD;
		out->dst = first(w);
	}
}

static bool displaced(u32 w, u32 size, u8 access, u16 low, u8 pointer, struct operands *out)
{
	out->base = base_of(w);
	out->disp = (s16)(w & 0xffff & ~low);
	memory(w, size, access, pointer, out);
	return true;
}

/* Decodes by the low bits, where the displacement is a multiple of four or sixteen. */
static bool doublewords(u32 w, u8 pointer, struct operands *out)
{
	unsigned op = op_of(w) << 4 | (w & 3);

	switch (op) {
	case 57 << 4 | 0:
		return displaced(w, 16, VECTOR, 3, pointer, out);
	case 57 << 4 | 2:
		return displaced(w, 8, VECTOR, 3, pointer, out);
	case 57 << 4 | 3:
		return displaced(w, 4, VECTOR, 3, pointer, out);
	case 58 << 4 | 0:
		return displaced(w, 8, 0, 3, pointer, out);
	case 58 << 4 | 1:
		return displaced(w, 8, UPDATES, 3, pointer, out);
	case 58 << 4 | 2:
		return displaced(w, 4, SIGNED, 3, pointer, out);
	case 61 << 4 | 0:
		return displaced(w, 16, VECTOR | STORES, 3, pointer, out);
	case 61 << 4 | 1:
		return displaced(w, 16, VECTOR | (w & 4 ? STORES : 0), 15, pointer, out);
	case 61 << 4 | 2:
		return displaced(w, 8, VECTOR | STORES, 3, pointer, out);
	case 61 << 4 | 3:
		return displaced(w, 4, VECTOR | STORES, 3, pointer, out);
	case 62 << 4 | 0:
		return displaced(w, 8, STORES, 3, pointer, out);
	case 62 << 4 | 1:
		return displaced(w, 8, STORES | UPDATES, 3, pointer, out);
	case 62 << 4 | 2:
		return displaced(w, 16, STORES, 3, pointer, out);
	default:
		return false;
	}
}

/*
 * Decodes an access of several registers, from the instruction's first register to the last of all.
 */
static void multiple(u32 w, u8 pointer, struct operands *out)
{
	bool stores = op_of(w) == 47;

	displaced(w, 4 * (32 - (u32)first(w)), stores ? STORES : VECTOR, 0, pointer, out);
	if (!stores)
		out->written |= ~0u << first(w);
}

static void add_immediate(u32 w, struct operands *out)
{
	bool shifted = op_of(w) == 15;
	s64 imm = (s64)(s16)(w & 0xffff) * (shifted ? 65536 : 1);

	/* r2 is computed from the function's own address if the caller is in another object */
	if (first(w) == TOC && (second(w) == 12 || second(w) == TOC || !second(w)))
		return;
	write_reg(out, first(w));
	out->base = base_of(w);
	out->disp = imm;
	out->dst = first(w);
	if (shifted) {
		out->kind = OPERANDS_PAGE;
		out->absolute = out->base == NO_REG;
	} else if (out->base != NO_REG) {
		out->kind = OPERANDS_ADDRESS;
	}
}

static void arithmetic(u32 w, struct operands *out)
{
	unsigned op = w >> 1 & 0x3ff;

	if ((op & 0x1f) == 15) { /* isel */
		write_reg(out, first(w));
	} else if (op == 444 && first(w) == third(w)) { /* mr */
		write_reg(out, second(w));
		out->kind = OPERANDS_COPY;
		out->src = first(w);
		out->dst = second(w);
	} else if ((op & 0x1ff) == 266) { /* add */
		write_reg(out, first(w));
		out->kind = OPERANDS_ADDRESS;
		out->base = second(w);
		out->index = third(w);
		out->dst = first(w);
	} else if (is_one_of(to_second, ARRAY_SIZE(to_second), op)) {
		write_reg(out, second(w));
	} else if (!is_one_of(to_none, ARRAY_SIZE(to_none), op)) {
		write_reg(out, first(w));
		/* except sums and moves from other registers, it may write the second */
		if ((op & 0xf) != 8 && (op & 0xf) != 10 && (op & 0xf) != 9 && (op & 0xf) != 11 &&
		    op != 339 && op != 19 && op != 371)
			write_reg(out, second(w));
	}
}

static bool indexed(u32 w, u8 pointer, struct operands *out)
{
	unsigned op = w >> 1 & 0x3ff;

	if (is_one_of(not_decoded, ARRAY_SIZE(not_decoded), op))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(by_index); i++) {
		const struct form *f = &by_index[i];

		if (f->op != op)
			continue;
		out->base = base_of(w);
		out->index = third(w);
		if (out->base == NO_REG) {
			out->base = out->index;
			out->index = NO_REG;
		}
		memory(w, f->size, f->access, pointer, out);
		return true;
	}
	arithmetic(w, out);
	return true;
}

/* Products with a sum, elements of vectors, counts and masks of them. */
static bool vector_to_general(u32 w)
{
	unsigned low = w & 0x7ff;

	return ((w & 0x3f) >= 48 && (w & 0x3f) <= 51) || low == 0x602 || low == 0x642 ||
	       (low & 0x63f) == 0x60d;
}

bool operands_of_powerpc(u32 w, u8 pointer, struct operands *out)
{
	unsigned op = op_of(w);

	for (size_t i = 0; i < ARRAY_SIZE(by_displacement); i++)
		if (by_displacement[i].op == op)
			return displaced(w, by_displacement[i].size, by_displacement[i].access, 0,
					 pointer, out);
	switch (op) {
	case 2:
	case 3:
	case 59:
	case 63: /* traps, floating point */
	case 60: /* vectors of both kinds */
		return true;
	case 4:
		if (vector_to_general(w))
			write_reg(out, first(w));
		return true;
	case 7:
	case 8:
	case 12:
	case 13:
		write_reg(out, first(w));
		return true;
	case 10:
	case 11: /* comparisons */
		return true;
	case 14:
	case 15:
		add_immediate(w, out);
		return true;
	case 16:
	case 18:
		out->kind = w & 1 ? OPERANDS_CALL : OPERANDS_OTHER;
		return true;
	case 17: /* the kernel keeps r1, r2 and the caller's registers */
		out->written |= 1u | 0x3ffu << 3;
		return true;
	case 19:
		if ((w >> 1 & 0x1f) == 2) /* addpcis */
			write_reg(out, first(w));
		else if ((w & 1) && ((w >> 1 & 0x3ff) == 16 || (w >> 1 & 0x3ff) == 528))
			out->kind = OPERANDS_CALL;
		return true;
	case 20:
	case 21:
	case 23:
	case 30: /* rotations */
	case 25:
	case 26:
	case 27:
	case 28:
	case 29:
		write_reg(out, second(w));
		return true;
	case 24:
		if (first(w) != second(w) || (w & 0xffff)) /* otherwise a form of nop */
			write_reg(out, second(w));
		return true;
	case 31:
		return indexed(w, pointer, out);
	case 46:
	case 47:
		multiple(w, pointer, out);
		return true;
	case 57:
	case 58:
	case 61:
	case 62:
		return doublewords(w, pointer, out);
	default: /* prefixes of two-word instructions, and unknown ones */
		return false;
	}
}
