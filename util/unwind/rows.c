// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions of one function's CFI, run once into rows. */
#include "unwind/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The limit of nested remember_state, and of rules in a function. */
#define MAX_SAVED 32
#define MAX_RULES 65536

/* DWARF 5, table 7.29, and the GNU extensions. */
/* clang-format off */
enum {
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0, CFA_HIGH = 0xc0,
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE1 = 0x02, CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04, CFA_OFFSET_EXT = 0x05, CFA_RESTORE_EXT = 0x06, CFA_UNDEFINED = 0x07,
	CFA_SAME = 0x08, CFA_REGISTER = 0x09, CFA_REMEMBER = 0x0a, CFA_RESTORE_STATE = 0x0b,
	CFA_DEF = 0x0c, CFA_DEF_REG = 0x0d, CFA_DEF_OFFSET = 0x0e, CFA_DEF_EXPR = 0x0f,
	CFA_EXPR = 0x10, CFA_OFFSET_SF = 0x11, CFA_DEF_SF = 0x12, CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPR = 0x16,
	CFA_ADVANCE8_MIPS = 0x1d, CFA_NEGATE_RA_STATE = 0x2d, CFA_ARGS_SIZE = 0x2e,
	CFA_NEGATIVE_OFFSET = 0x2f,
};
/* clang-format on */

struct state {
	struct cfi_rule cfa;
	struct cfi_rule regs[CFI_REGS];
	u8 touched[CFI_REGS]; /* registers with a rule, in order of first use */
	u32 touched_count;
	bool has[CFI_REGS];
};

struct compiler {
	const struct cfi *c;
	const struct frame_cie *cie;
	struct state now, initial;
	struct state *saved[MAX_SAVED];
	u32 saved_count;
	u64 pc;
	bool bad;
	VEC(struct cfi_row) rows;
	VEC(struct cfi_reg_rule) rules;
};

static void set_rule(struct compiler *k, u64 reg, struct cfi_rule rule)
{
	struct state *s = &k->now;

	if (reg >= CFI_REGS) /* vector registers: not used for unwinding */
		return;
	if (!s->has[reg]) {
		s->has[reg] = true;
		s->touched[s->touched_count++] = (u8)reg;
	}
	s->regs[reg] = rule;
}

static s64 times_align(struct compiler *k, s64 factored)
{
	s64 offset = 0;

	k->bad |= __builtin_mul_overflow(factored, k->cie->data_align, &offset);
	return offset;
}

/* Offsets are small; a greater one is refused where it is used. */
static s64 uleb_as_signed(struct cursor *c)
{
	u64 v = cursor_uleb(c);

	return (s64)MIN(v, (u64)INT64_MAX);
}

static void set_offset(struct compiler *k, u64 reg, enum cfi_how how, s64 factored)
{
	s64 offset = times_align(k, factored);

	if (offset < INT32_MIN || offset > INT32_MAX) {
		k->bad = true;
		return;
	}
	set_rule(k, reg, (struct cfi_rule){ .how = how, .offset = (s32)offset });
}

static struct cfi_rule read_expression(struct compiler *k, struct cursor *c, enum cfi_how how)
{
	u64 length = cursor_uleb(c);
	struct cfi_rule r = { .how = how, .expr = (u32)(c->p - k->c->data) };

	cursor_skip(c, length);
	r.offset = (s32)MIN(length, INT32_MAX);
	return r;
}

static void set_cfa(struct compiler *k, u64 reg, s64 offset)
{
	if (reg >= CFI_REGS || offset < INT32_MIN || offset > INT32_MAX) {
		k->bad = true;
		return;
	}
	k->now.cfa =
		(struct cfi_rule){ .how = CFI_REGISTER, .reg = (u8)reg, .offset = (s32)offset };
}

/* Changes just the offset, or just the register, of a CFA that has both. */
static void change_cfa(struct compiler *k, u64 reg, s64 offset)
{
	/* MIPS begins with the register alone: offset 0 */
	if (k->now.cfa.how != CFI_REGISTER && k->now.cfa.how != CFI_SAME)
		k->bad = true;
	else
		set_cfa(k, reg, offset);
}

static void restore(struct compiler *k, u64 reg)
{
	if (reg >= CFI_REGS)
		return;
	set_rule(k, reg,
		 k->initial.has[reg] ? k->initial.regs[reg] : (struct cfi_rule){ .how = CFI_SAME });
}

static void remember(struct compiler *k)
{
	if (k->saved_count == MAX_SAVED) {
		k->bad = true;
		return;
	}
	k->saved[k->saved_count++] = xmemdup(&k->now, sizeof(k->now));
}

static void recall(struct compiler *k)
{
	if (!k->saved_count) {
		k->bad = true;
		return;
	}
	k->now = *k->saved[--k->saved_count];
	free(k->saved[k->saved_count]);
}

static void emit_row(struct compiler *k)
{
	struct cfi_row row = { .pc = k->pc, .cfa = k->now.cfa, .first = (u32)k->rules.count };

	if (k->rows.count && vec_last(&k->rows)->pc == k->pc) {
		k->rules.count = vec_last(&k->rows)->first;
		row.first = (u32)k->rules.count;
		k->rows.count--;
	}
	for (u32 i = 0; i < k->now.touched_count; i++) {
		u8 reg = k->now.touched[i];

		if (k->now.regs[reg].how != CFI_SAME)
			vec_push(&k->rules, (struct cfi_reg_rule){ reg, k->now.regs[reg] });
	}
	row.count = (u32)k->rules.count - row.first;
	if (k->rules.count > MAX_RULES)
		k->bad = true;
	else
		vec_push(&k->rows, row);
}

static void advance(struct compiler *k, u64 factored)
{
	emit_row(k);
	k->pc += factored * k->cie->code_align;
}

static void run_register_op(struct compiler *k, struct cursor *c, u8 op)
{
	u64 reg = cursor_uleb(c), other;

	switch (op) {
	case CFA_OFFSET_EXT:
		set_offset(k, reg, CFI_AT_CFA, uleb_as_signed(c));
		break;
	case CFA_OFFSET_SF:
		set_offset(k, reg, CFI_AT_CFA, cursor_sleb(c));
		break;
	case CFA_NEGATIVE_OFFSET:
		set_offset(k, reg, CFI_AT_CFA, -uleb_as_signed(c));
		break;
	case CFA_VAL_OFFSET:
		set_offset(k, reg, CFI_IS_CFA, uleb_as_signed(c));
		break;
	case CFA_VAL_OFFSET_SF:
		set_offset(k, reg, CFI_IS_CFA, cursor_sleb(c));
		break;
	case CFA_RESTORE_EXT:
		restore(k, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(k, reg, (struct cfi_rule){ .how = CFI_UNDEFINED });
		break;
	case CFA_SAME:
		set_rule(k, reg, (struct cfi_rule){ .how = CFI_SAME });
		break;
	case CFA_REGISTER:
		other = cursor_uleb(c);
		set_rule(k, reg,
			 (struct cfi_rule){ .how = CFI_REGISTER, .reg = (u8)MIN(other, 255) });
		break;
	case CFA_EXPR:
		set_rule(k, reg, read_expression(k, c, CFI_AT_EXPR));
		break;
	case CFA_VAL_EXPR:
		set_rule(k, reg, read_expression(k, c, CFI_IS_EXPR));
		break;
	default:
		k->bad = true;
	}
}

static void run_cfa_op(struct compiler *k, struct cursor *c, u8 op)
{
	u64 reg;

	switch (op) {
	case CFA_DEF:
		reg = cursor_uleb(c);
		set_cfa(k, reg, uleb_as_signed(c));
		break;
	case CFA_DEF_SF:
		reg = cursor_uleb(c);
		set_cfa(k, reg, times_align(k, cursor_sleb(c)));
		break;
	case CFA_DEF_REG:
		change_cfa(k, cursor_uleb(c), k->now.cfa.offset);
		break;
	case CFA_DEF_OFFSET:
		change_cfa(k, k->now.cfa.reg, uleb_as_signed(c));
		break;
	case CFA_DEF_OFFSET_SF:
		change_cfa(k, k->now.cfa.reg, times_align(k, cursor_sleb(c)));
		break;
	case CFA_DEF_EXPR:
		k->now.cfa = read_expression(k, c, CFI_IS_EXPR);
		break;
	}
}

static void run_op(struct compiler *k, struct cursor *c, u8 op)
{
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE: /* signed return addresses are stripped whatever this says */
		break;
	case CFA_ARGS_SIZE:
		cursor_uleb(c);
		break;
	case CFA_SET_LOC:
		emit_row(k);
		k->pc = cursor_uint(c, k->cie->address_size);
		break;
	case CFA_ADVANCE1:
		advance(k, cursor_u8(c));
		break;
	case CFA_ADVANCE2:
		advance(k, cursor_u16(c));
		break;
	case CFA_ADVANCE4:
		advance(k, cursor_u32(c));
		break;
	case CFA_ADVANCE8_MIPS:
		advance(k, cursor_u64(c));
		break;
	case CFA_REMEMBER:
		remember(k);
		break;
	case CFA_RESTORE_STATE:
		recall(k);
		break;
	case CFA_DEF:
	case CFA_DEF_SF:
	case CFA_DEF_REG:
	case CFA_DEF_OFFSET:
	case CFA_DEF_OFFSET_SF:
	case CFA_DEF_EXPR:
		run_cfa_op(k, c, op);
		break;
	default:
		run_register_op(k, c, op);
	}
}

static void run(struct compiler *k, u32 begin, u32 end)
{
	struct cursor c = cursor_at(k->c->data, end, begin, k->c->swap);

	while (c.p < c.end && !c.bad && !k->bad) {
		u8 op = cursor_u8(&c);

		switch (op & CFA_HIGH) {
		case CFA_ADVANCE:
			advance(k, op & 0x3f);
			break;
		case CFA_OFFSET:
			set_offset(k, op & 0x3f, CFI_AT_CFA, uleb_as_signed(&c));
			break;
		case CFA_RESTORE:
			restore(k, op & 0x3f);
			break;
		default:
			run_op(k, &c, op);
		}
	}
	k->bad |= c.bad;
}

/*
 * Returns where the rows of a function end: where the next function begins, if that is inside it.
 */
static u64 end_of(const struct cfi *c, const struct cfi_function *f)
{
	const struct cfi_function *next = f + 1;

	return next < c->functions + c->function_count ? MIN(f->high, next->low) : f->high;
}

/* Finds out whether a row is of the usual kind (struct cfi_row). */
static void find_plain(const struct cfi_rows *r, struct cfi_row *row)
{
	s64 lowest = INT32_MAX, highest = INT32_MIN;
	bool plain = row->cfa.how == CFI_REGISTER && !r->is_signal && !r->bad, returns = false;

	for (u32 i = 0; i < row->count; i++) {
		const struct cfi_reg_rule *rule = &r->rules[row->first + i];

		plain &= rule->rule.how == CFI_AT_CFA;
		returns |= rule->reg == r->ra;
		lowest = MIN(lowest, (s64)rule->rule.offset);
		highest = MAX(highest, (s64)rule->rule.offset);
		row->saved[rule->reg / 64] |= BIT64(rule->reg % 64);
	}
	row->plain = plain && returns && highest - lowest <= INT32_MAX - 8;
	row->lowest = (s32)lowest;
	row->span = (u32)(highest - lowest + 8);
}

static void finish_rows(const struct cfi *c, const struct cfi_function *f, struct cfi_rows *r)
{
	for (u32 i = 1; i < r->row_count; i++) /* addresses only grow */
		r->bad |= r->rows[i - 1].pc > r->rows[i].pc;
	for (u32 i = 0; i < r->row_count; i++) {
		struct cfi_row *row = &r->rows[i];

		row->rows = r;
		row->end = end_of(c, f);
		if (i + 1 < r->row_count)
			row->end = MIN(row->end, row[1].pc);
		row->end = MAX(row->end, row->pc);
		find_plain(r, row);
	}
}

struct cfi_rows *cfi_compile(const struct cfi *c, const struct cfi_function *f)
{
	struct cfi_rows *r = xcalloc(1, sizeof(*r));
	struct compiler *k = xcalloc(1, sizeof(*k));

	k->c = c;
	k->cie = &c->cies[f->cie];
	k->pc = f->low;
	run(k, k->cie->begin, k->cie->end);
	k->initial = k->now;
	k->rows.count = k->rules.count = 0;
	k->pc = f->low;
	run(k, f->begin, f->end);
	emit_row(k);
	while (k->saved_count)
		free(k->saved[--k->saved_count]);
	r->rows = k->rows.items;
	r->row_count = (u32)k->rows.count;
	r->rules = k->rules.items;
	r->ra = k->cie->ra;
	r->is_signal = k->cie->is_signal;
	r->bad = k->bad;
	finish_rows(c, f, r);
	free(k);
	return r;
}
