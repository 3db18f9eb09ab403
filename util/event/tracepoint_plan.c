// SPDX-License-Identifier: GPL-2.0-or-later
/* Running a compiled print format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "event/tracepoint_plan.h"

/* What one run reads. */
struct run {
	const struct plan *plan;
	const struct tracepoint_formats *formats;
	const u8 *raw;
	u32 raw_size;
	struct strbuf *out;
};

void plan_free(struct plan *p)
{
	if (!p)
		return;
	vec_release(&p->nums);
	vec_release(&p->strs);
	vec_release(&p->rows);
	vec_release(&p->steps);
	vec_release(&p->guards);
	arena_release(&p->memory);
	free(p);
}

static u64 number(const struct run *run, u32 index);

static u64 binary(const struct run *run, const struct num *n)
{
	u64 a = number(run, n->a), b;

	if (n->op == OP_LOGICAL_OR)
		return a || number(run, n->b);
	if (n->op == OP_LOGICAL_AND)
		return a && number(run, n->b);
	b = number(run, n->b);
	switch (n->op) {
	case OP_OR:
		return a | b;
	case OP_AND:
		return a & b;
	case OP_XOR:
		return a ^ b;
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_MORE:
		return a > b;
	case OP_MORE_EQUAL:
		return a >= b;
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_SHIFT_LEFT:
		return a << (b & 63);
	case OP_SHIFT_RIGHT:
		return a >> (b & 63);
	case OP_PLUS:
		return a + b;
	case OP_MINUS:
		return a - b;
	case OP_TIMES:
		return a * b;
	case OP_DIVIDE:
		return b ? a / b : 0;
	default:
		return 0;
	}
}

static u64 sign_extended(u64 v, u32 size)
{
	unsigned unused = 64 - 8 * size;

	return (u64)((s64)(v << unused) >> unused);
}

static u64 number(const struct run *run, u32 index)
{
	const struct num *n = &run->plan->nums.items[index];

	switch (n->kind) {
	case NUM_CONST:
		return n->value;
	case NUM_FIELD:
		return tracepoint_number(run->formats, run->raw + n->offset, n->size);
	case NUM_SIGNED:
		return sign_extended(tracepoint_number(run->formats, run->raw + n->offset, n->size), n->size);
	case NUM_MASKED:
		return number(run, n->a) & n->value;
	case NUM_BINARY:
		return binary(run, n);
	case NUM_NOT:
		return !number(run, n->a);
	case NUM_INVERT:
		return ~number(run, n->a);
	case NUM_CHOICE:
		return number(run, number(run, n->a) ? n->b : n->c);
	case NUM_ARRAY_LEN:
		return load_u32(run->raw + n->offset, run->formats->swap) >> 16;
	}
	return 0;
}

static void hex0x(struct strbuf *out, u64 v)
{
	strbuf_add(out, "0x", 2);
	strbuf_hex(out, v);
}

static void write_flags(const struct run *run, const struct str *s)
{
	const struct table_row *row = run->plan->rows.items + s->first_row;
	u64 v = number(run, s->num);
	bool any = false;

	for (u32 i = 0; i < s->rows; i++, row++) {
		if (!v && (s64)row->value < 0) {
			strbuf_str(run->out, row->text);
			break;
		}
		if ((s64)row->value <= 0 || (v & row->value) != row->value)
			continue;
		if (any)
			strbuf_str(run->out, s->text);
		strbuf_str(run->out, row->text);
		any = true;
		v &= ~row->value;
	}
	if (!v)
		return;
	if (any)
		strbuf_str(run->out, s->text);
	hex0x(run->out, v);
}

static void write_laid_out(struct strbuf *out, const struct layout *l, const char *s, size_t n)
{
	int pad;

	if (l->precision >= 0 && n > (size_t)l->precision)
		n = (size_t)l->precision;
	pad = l->width > n ? (int)(l->width - n) : 0;
	if (!l->left)
		strbuf_pad(out, ' ', pad);
	strbuf_add(out, s, n);
	if (l->left)
		strbuf_pad(out, ' ', pad);
}

static void write_symbolic(const struct run *run, const struct layout *l, const struct str *s)
{
	const struct table_row *row = run->plan->rows.items + s->first_row;
	u64 v = number(run, s->num);

	for (u32 i = 0; i < s->rows; i++, row++) {
		if (v == row->value) {
			write_laid_out(run->out, l, row->text, strlen(row->text));
			return;
		}
	}
	hex0x(run->out, v);
}

static void write_dynamic(const struct run *run, const struct layout *l, const struct str *s)
{
	u32 at = (load_u32(run->raw + s->offset, run->formats->swap) & 0xffff) + s->base;
	const char *text = (const char *)run->raw + at;

	if (at < run->raw_size)
		write_laid_out(run->out, l, text, strnlen(text, run->raw_size - at));
	else
		write_laid_out(run->out, l, "", 0);
}

/* A field of no size is the rest of the data. */
static u32 field_size(const struct run *run, const struct str *s)
{
	if (s->size)
		return s->size;
	return run->raw_size > s->offset ? run->raw_size - s->offset : 0;
}

static void write_str(const struct run *run, const struct layout *l, u32 index)
{
	const struct str *s = &run->plan->strs.items[index];
	const char *text;

	switch (s->kind) {
	case STR_CONST:
		write_laid_out(run->out, l, s->text, strlen(s->text));
		break;
	case STR_FIELD:
		text = (const char *)run->raw + s->offset;
		write_laid_out(run->out, l, text, strnlen(text, field_size(run, s)));
		break;
	case STR_DYNAMIC:
		write_dynamic(run, l, s);
		break;
	case STR_CHOICE:
		write_str(run, l, number(run, s->num) ? s->a : s->b);
		break;
	case STR_FLAGS:
		write_flags(run, s);
		break;
	case STR_SYMBOLIC:
		write_symbolic(run, l, s);
		break;
	}
}

/* The value as the conversion's length modifier cuts it. */
static u64 cut(const struct run *run, const struct layout *l, u64 v)
{
	bool is_signed = l->conversion == 'd';
	int longs = l->longs == 1 && run->plan->long_size == 8 ? 2 : l->longs;

	switch (longs) {
	case -2:
		return is_signed ? (u64)(s8)v : (u8)v;
	case -1:
		return is_signed ? (u64)(s16)v : (u16)v;
	case 0:
	case 1:
		return is_signed ? (u64)(s32)v : (u32)v;
	default:
		return v;
	}
}

static void write_plain_number(struct strbuf *out, const struct layout *l, u64 v)
{
	int width = l->width;

	if (l->conversion == 'd' && (s64)v < 0 && !width) {
		strbuf_char(out, '-');
		strbuf_dec(out, -v);
	} else if (l->conversion == 'x' && l->zero) {
		strbuf_hex_zero(out, v, width);
	} else if (l->conversion == 'x') {
		strbuf_hex_pad(out, v, width);
	} else if (l->zero) {
		strbuf_dec_zero(out, v, width);
	} else {
		strbuf_dec_pad(out, v, width);
	}
}

static void write_number(const struct run *run, const struct layout *l, u64 v)
{
	if (l->conversion == 'c') {
		const char one[2] = { (char)v, '\0' };

		write_laid_out(run->out, l, one, one[0] ? 1 : 0);
		return;
	}
	v = cut(run, l, v);
	if (l->conversion == 'p') {
		if (v)
			hex0x(run->out, v);
		else
			strbuf_str(run->out, "(nil)");
	} else if (l->plain && !(l->conversion == 'd' && (s64)v < 0 && l->width)) {
		write_plain_number(run->out, l, v);
	} else {
		char text[256];
		int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		n = snprintf(text, sizeof(text), l->printf_format, (long long)v);
#pragma GCC diagnostic pop
		if (n > 0)
			strbuf_add(run->out, text, MIN((size_t)n, sizeof(text) - 1));
	}
}

void plan_run(const struct plan *p, const struct tracepoint_formats *f, const u8 *raw,
	      u32 raw_size, struct strbuf *out)
{
	struct run run = { .plan = p, .formats = f, .raw = raw, .raw_size = raw_size, .out = out };

	vec_for_each(&p->steps, step) {
		if (step->kind == STEP_TEXT)
			strbuf_add(out, step->text, step->len);
		else if (step->kind == STEP_NUMBER)
			write_number(&run, &step->layout, number(&run, step->index));
		else
			write_str(&run, &step->layout, step->index);
	}
}

bool plan_guards_hold(const struct plan *p, const struct tracepoint_formats *f, const u8 *raw)
{
	struct run run = { .plan = p, .formats = f, .raw = raw };

	vec_for_each(&p->guards, guard)
		if (number(&run, *guard) > GUARD_MOST)
			return false;
	return true;
}
