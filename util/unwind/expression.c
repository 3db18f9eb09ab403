// SPDX-License-Identifier: GPL-2.0-or-later
/* DWARF expressions as CFI uses them: arithmetic on registers and stack memory. */
#include "unwind/internal.h"

/* PLT stubs need 5 and 8; a loop in an expression ends here. */
#define MAX_STACK 64
#define MAX_STEPS 1000

/* DWARF 5, table 7.9. */
/* clang-format off */
enum {
	OP_ADDR = 0x03, OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S = 0x09, OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b, OP_CONST4U = 0x0c, OP_CONST4S = 0x0d, OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f, OP_CONSTU = 0x10, OP_CONSTS = 0x11, OP_DUP = 0x12, OP_DROP = 0x13,
	OP_OVER = 0x14, OP_PICK = 0x15, OP_SWAP = 0x16, OP_ROT = 0x17, OP_ABS = 0x19,
	OP_AND = 0x1a, OP_DIV = 0x1b, OP_MINUS = 0x1c, OP_MOD = 0x1d, OP_MUL = 0x1e,
	OP_NEG = 0x1f, OP_NOT = 0x20, OP_OR = 0x21, OP_PLUS = 0x22, OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24, OP_SHR = 0x25, OP_SHRA = 0x26, OP_XOR = 0x27, OP_BRA = 0x28, OP_EQ = 0x29,
	OP_GE = 0x2a, OP_GT = 0x2b, OP_LE = 0x2c, OP_LT = 0x2d, OP_NE = 0x2e, OP_SKIP = 0x2f,
	OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_REG0 = 0x50, OP_BREG0 = 0x70, OP_BREG31 = 0x8f,
	OP_BREGX = 0x92, OP_DEREF_SIZE = 0x94, OP_NOP = 0x96,
};
/* clang-format on */

struct evaluation {
	struct cursor c;
	const u8 *begin;
	const struct unwind_regs *regs;
	const struct unwind_memory *memory;
	u64 stack[MAX_STACK];
	unsigned depth;
	bool failed;
};

bool memory_read(const struct unwind_memory *m, u64 addr, unsigned size, u64 *value)
{
	struct cursor c;

	if (addr < m->start || addr - m->start > m->size || m->size - (addr - m->start) < size) {
		if (m->miss)
			*m->miss = (struct unwind_miss){ true, addr };
		return false;
	}
	if (likely(size == 8)) {
		*value = load_u64(m->stack + (addr - m->start), m->swap);
		return true;
	}
	c = cursor_at(m->stack, m->size, addr - m->start, m->swap);
	*value = cursor_uint(&c, size);
	return !c.bad;
}

static void push(struct evaluation *e, u64 v)
{
	if (e->depth == MAX_STACK)
		e->failed = true;
	else
		e->stack[e->depth++] = v;
}

static u64 pop(struct evaluation *e)
{
	if (!e->depth) {
		e->failed = true;
		return 0;
	}
	return e->stack[--e->depth];
}

static void push_register(struct evaluation *e, u64 reg, s64 offset)
{
	if (reg >= CFI_REGS || !e->regs->known[reg])
		e->failed = true;
	else
		push(e, e->regs->value[reg] + (u64)offset);
}

static void load(struct evaluation *e, unsigned size)
{
	u64 v = 0;

	if (!memory_read(e->memory, pop(e), size, &v))
		e->failed = true;
	push(e, v);
}

static void pick(struct evaluation *e, unsigned index)
{
	if (index >= e->depth)
		e->failed = true;
	else
		push(e, e->stack[e->depth - 1 - index]);
}

static void rotate(struct evaluation *e, unsigned n)
{
	u64 top;

	if (e->depth < n) {
		e->failed = true;
		return;
	}
	top = e->stack[e->depth - 1];
	for (unsigned i = 1; i < n; i++)
		e->stack[e->depth - i] = e->stack[e->depth - i - 1];
	e->stack[e->depth - n] = top;
}

static void jump(struct evaluation *e, s16 distance)
{
	s64 at = e->c.p - e->begin + distance;

	if (at < 0 || at > e->c.end - e->begin)
		e->failed = true;
	else
		e->c.p = e->begin + at;
}

static u64 divide(struct evaluation *e, u8 op, u64 a, u64 b)
{
	if (!b || (op == OP_DIV && (s64)a == INT64_MIN && (s64)b == -1)) {
		e->failed = true;
		return 0;
	}
	return op == OP_DIV ? (u64)((s64)a / (s64)b) : a % b;
}

static void binary(struct evaluation *e, u8 op)
{
	u64 b = pop(e), a = pop(e), v = 0;

	switch (op) {
	case OP_AND:
		v = a & b;
		break;
	case OP_OR:
		v = a | b;
		break;
	case OP_XOR:
		v = a ^ b;
		break;
	case OP_PLUS:
		v = a + b;
		break;
	case OP_MINUS:
		v = a - b;
		break;
	case OP_MUL:
		v = a * b;
		break;
	case OP_DIV:
	case OP_MOD:
		v = divide(e, op, a, b);
		break;
	case OP_SHL:
		v = b < 64 ? a << b : 0;
		break;
	case OP_SHR:
		v = b < 64 ? a >> b : 0;
		break;
	case OP_SHRA:
		v = (u64)((s64)a >> (b < 64 ? b : 63));
		break;
	case OP_EQ:
		v = a == b;
		break;
	case OP_NE:
		v = a != b;
		break;
	case OP_GE:
		v = (s64)a >= (s64)b;
		break;
	case OP_GT:
		v = (s64)a > (s64)b;
		break;
	case OP_LE:
		v = (s64)a <= (s64)b;
		break;
	case OP_LT:
		v = (s64)a < (s64)b;
		break;
	default:
		e->failed = true;
	}
	push(e, v);
}

/* Pushes a constant. Returns false if op is not one. */
static bool constant(struct evaluation *e, u8 op)
{
	struct cursor *c = &e->c;

	switch (op) {
	case OP_ADDR:
		push(e, cursor_uint(c, e->memory->word));
		return true;
	case OP_CONST1U:
		push(e, cursor_u8(c));
		return true;
	case OP_CONST1S:
		push(e, (u64)(s64)(s8)cursor_u8(c));
		return true;
	case OP_CONST2U:
		push(e, cursor_u16(c));
		return true;
	case OP_CONST2S:
		push(e, (u64)(s64)(s16)cursor_u16(c));
		return true;
	case OP_CONST4U:
		push(e, cursor_u32(c));
		return true;
	case OP_CONST4S:
		push(e, (u64)(s64)(s32)cursor_u32(c));
		return true;
	case OP_CONST8U:
	case OP_CONST8S:
		push(e, cursor_u64(c));
		return true;
	case OP_CONSTU:
		push(e, cursor_uleb(c));
		return true;
	case OP_CONSTS:
		push(e, (u64)cursor_sleb(c));
		return true;
	default:
		return false;
	}
}

static void unary_and_stack(struct evaluation *e, u8 op)
{
	struct cursor *c = &e->c;
	u64 v;
	s16 distance;

	switch (op) {
	case OP_NOP:
		break;
	case OP_DEREF:
		load(e, e->memory->word);
		break;
	case OP_DEREF_SIZE:
		load(e, cursor_u8(c));
		break;
	case OP_DUP:
		pick(e, 0);
		break;
	case OP_OVER:
		pick(e, 1);
		break;
	case OP_PICK:
		pick(e, cursor_u8(c));
		break;
	case OP_DROP:
		pop(e);
		break;
	case OP_SWAP:
		rotate(e, 2);
		break;
	case OP_ROT:
		rotate(e, 3);
		break;
	case OP_ABS:
		v = pop(e);
		push(e, (s64)v < 0 ? -v : v);
		break;
	case OP_NEG:
		push(e, -pop(e));
		break;
	case OP_NOT:
		push(e, ~pop(e));
		break;
	case OP_PLUS_UCONST:
		push(e, pop(e) + cursor_uleb(c));
		break;
	case OP_SKIP:
		jump(e, (s16)cursor_u16(c));
		break;
	case OP_BRA:
		distance = (s16)cursor_u16(c);
		if (pop(e))
			jump(e, distance);
		break;
	default:
		binary(e, op);
	}
}

static void step(struct evaluation *e)
{
	u8 op = cursor_u8(&e->c);
	u64 reg;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(e, op - OP_LIT0);
	} else if (op >= OP_BREG0 && op <= OP_BREG31) {
		push_register(e, op - OP_BREG0, cursor_sleb(&e->c));
	} else if (op >= OP_REG0 && op < OP_BREG0) {
		push_register(e, op - OP_REG0, 0);
	} else if (op == OP_BREGX) {
		reg = cursor_uleb(&e->c);
		push_register(e, reg, cursor_sleb(&e->c));
	} else if (!constant(e, op)) {
		unary_and_stack(e, op);
	}
}

bool expression_run(const struct cfi *c, u32 at, u32 length, const struct unwind_regs *r,
		    const struct unwind_memory *m, const u64 *cfa, u64 *result)
{
	struct evaluation e = { .regs = r, .memory = m };
	unsigned steps = 0;

	e.c = cursor_at(c->data, c->size, at, c->swap);
	if (e.c.bad || length > cursor_left(&e.c))
		return false;
	e.begin = e.c.p;
	e.c.end = e.begin + length;
	if (cfa)
		push(&e, *cfa);
	while (e.c.p < e.c.end && !e.failed && !e.c.bad && steps++ < MAX_STEPS)
		step(&e);
	*result = pop(&e);
	return !e.failed && !e.c.bad && steps < MAX_STEPS;
}
