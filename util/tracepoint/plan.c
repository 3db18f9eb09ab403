// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a compiled print format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tracepoint/plan_quick.h"

void plan_free(struct plan *p)
{
	if (!p)
		return;
	vec_release(&p->nums);
	vec_release(&p->strs);
	vec_release(&p->rows);
	vec_release(&p->steps);
	vec_release(&p->addresses);
	vec_release(&p->guards);
	vec_release(&p->quick);
	arena_release(&p->memory);
	free(p);
}

static u64 sign_extended(u64 v, u32 size)
{
	unsigned unused = 64 - 8 * size;

	return (u64)((s64)(v << unused) >> unused);
}

/* Converts v to a number of this type, in 64 bits. */
static u64 fit(u64 v, struct num_type type)
{
	if (type.size == 8)
		return v;
	return type.is_signed ? sign_extended(v, type.size) : v & ((1ULL << 8 * type.size) - 1);
}

static u64 divided(u64 a, u64 b, bool is_signed)
{
	if (!b)
		return 0;
	if (!is_signed)
		return a / b;
	return b == UINT64_MAX ? -a : (u64)((s64)a / (s64)b);
}

static u64 number(const struct plan_run *run, u32 index);

static bool less(u64 a, u64 b, bool is_signed)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

static u64 operation(enum num_op op, u64 a, u64 b, struct num_type type)
{
	switch (op) {
	case OP_OR:
		return a | b;
	case OP_AND:
		return a & b;
	case OP_XOR:
		return a ^ b;
	case OP_LESS:
		return less(a, b, type.is_signed);
	case OP_LESS_EQUAL:
		return !less(b, a, type.is_signed);
	case OP_MORE:
		return less(b, a, type.is_signed);
	case OP_MORE_EQUAL:
		return !less(a, b, type.is_signed);
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_SHIFT_LEFT:
		return a << (b & (8 * type.size - 1));
	case OP_SHIFT_RIGHT:
		b &= 8 * type.size - 1;
		return type.is_signed ? (u64)((s64)a >> b) : a >> b;
	case OP_PLUS:
		return a + b;
	case OP_MINUS:
		return a - b;
	case OP_TIMES:
		return a * b;
	case OP_DIVIDE:
		return divided(a, b, type.is_signed);
	case OP_MODULO:
		return b ? a - b * divided(a, b, type.is_signed) : 0;
	default:
		return 0;
	}
}

static u64 binary(const struct plan_run *run, const struct num *n)
{
	u64 a = number(run, n->a), b;

	if (n->op == OP_LOGICAL_OR)
		return a || number(run, n->b);
	if (n->op == OP_LOGICAL_AND)
		return a && number(run, n->b);
	b = number(run, n->b);
	return fit(operation(n->op, fit(a, n->as), fit(b, n->as), n->as), n->type);
}

static u64 dynamic_byte(const struct plan_run *run, const struct num *n)
{
	u64 at = (load_u32(run->raw + n->offset, run->formats->swap) & 0xffff) + n->value + n->size;

	return at < run->raw_size ? (u64)(s8)run->raw[at] : 0;
}

static u64 swapped(u64 v, u32 size)
{
	return size == 8   ? __builtin_bswap64(v)
	       : size == 4 ? __builtin_bswap32((u32)v)
			   : __builtin_bswap16((u16)v);
}

static u64 number(const struct plan_run *run, u32 index)
{
	const struct num *n = &run->plan->nums.items[index];

	switch (n->kind) {
	case NUM_CONST:
		return n->value;
	case NUM_FIELD:
		return tracepoint_number(run->formats, run->raw + n->offset, n->size);
	case NUM_SIGNED:
		return sign_extended(tracepoint_number(run->formats, run->raw + n->offset, n->size),
				     n->size);
	case NUM_CAST:
		return fit(number(run, n->a), n->type);
	case NUM_BINARY:
		return binary(run, n);
	case NUM_NOT:
		return !number(run, n->a);
	case NUM_INVERT:
		return fit(~number(run, n->a), n->type);
	case NUM_CHOICE:
		return fit(number(run, number(run, n->a) ? n->b : n->c), n->type);
	case NUM_ARRAY_LEN:
		return load_u32(run->raw + n->offset, run->formats->swap) >> 16;
	case NUM_DYNAMIC_BYTE:
		return dynamic_byte(run, n);
	case NUM_SWAP:
		return swapped(number(run, n->a), n->type.size);
	}
	return 0;
}

bool plan_constant(const struct plan *p, u32 num, u64 *value)
{
	const struct num *n = &p->nums.items[num];
	struct plan_run run = { .plan = p };
	u64 unused;

	switch (n->kind) {
	case NUM_CONST:
		break;
	case NUM_CHOICE:
		if (!plan_constant(p, n->c, &unused))
			return false;
		/* fall through */
	case NUM_BINARY:
		if (!plan_constant(p, n->b, &unused))
			return false;
		/* fall through */
	case NUM_CAST:
	case NUM_NOT:
	case NUM_INVERT:
	case NUM_SWAP:
		if (!plan_constant(p, n->a, &unused))
			return false;
		break;
	default:
		return false;
	}
	*value = number(&run, num);
	return true;
}

static void hex0x(struct strbuf *out, u64 v)
{
	strbuf_add(out, "0x", 2);
	strbuf_hex(out, v);
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

/*
 * Writes a value that no row of a table has: the kernel prints all 64 bits, perf those of its type.
 */
static void write_unnamed(const struct plan_run *run, u32 num, u64 v)
{
	hex0x(run->out, fit(v, (struct num_type){ run->plan->nums.items[num].type.size, false }));
}

/* Writes the names of flags. As in the kernel, a row without bits matches while any bit is left. */
static void write_flags(const struct plan_run *run, const struct str *s)
{
	const struct table_row *row = run->plan->rows.items + s->first_row;
	u64 v = number(run, s->num);
	bool any = false;

	for (u32 i = 0; i < s->rows && v; i++, row++) {
		if (row->is_unknown || (v & row->value) != row->value)
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
	write_unnamed(run, s->num, v);
}

static void write_symbolic(const struct plan_run *run, const struct str *s)
{
	const struct table_row *row = run->plan->rows.items + s->first_row;
	u64 v = number(run, s->num);

	for (u32 i = 0; i < s->rows; i++, row++) {
		if (v == row->value && !row->is_unknown) {
			strbuf_str(run->out, row->text);
			return;
		}
	}
	write_unnamed(run, s->num, v);
}

static void write_dynamic(const struct plan_run *run, const struct layout *l, const struct str *s)
{
	u32 at = (load_u32(run->raw + s->offset, run->formats->swap) & 0xffff) + s->base;
	const char *text = (const char *)run->raw + at;

	if (at < run->raw_size)
		write_laid_out(run->out, l, text, strnlen(text, run->raw_size - at));
	else
		write_laid_out(run->out, l, "", 0);
}

static void write_pointer(const struct plan_run *run, const struct str *s)
{
	u64 addr = number(run, s->num);
	u64 *text = run->names->strings ? map64_get(run->names->strings, addr) : NULL;

	if (text)
		strbuf_str(run->out, (const char *)(uintptr_t)*text);
	else
		strbuf_hex(run->out, addr);
}

static u32 array_offset(const struct plan_run *run, const struct str *s)
{
	return s->is_dynamic
		       ? (load_u32(run->raw + s->offset, run->formats->swap) & 0xffff) + s->base
		       : s->offset;
}

/* Writes bytes in hex. Bytes after the data are 0, as when libtraceevent prints. */
static void write_hex(const struct plan_run *run, const struct str *s)
{
	static const char digits[] = "0123456789abcdef";
	u32 at = array_offset(run, s), n = MIN((u32)number(run, s->num), s->b);

	for (u32 i = 0; i < n; i++, at++) {
		u8 byte = at < run->raw_size ? run->raw[at] : 0;

		if (i)
			strbuf_str(run->out, s->text);
		strbuf_char(run->out, digits[byte >> 4]);
		strbuf_char(run->out, digits[byte & 15]);
	}
}

static void write_numbers(const struct plan_run *run, const struct str *s)
{
	u32 at = array_offset(run, s), n = (u32)number(run, s->num), size = s->b;

	for (u32 i = 0; i < n; i++, at += size) {
		u8 bytes[8] = { 0 };

		if (at < run->raw_size)
			memcpy(bytes, run->raw + at, MIN(size, run->raw_size - at));
		if (i)
			strbuf_char(run->out, ' ');
		strbuf_dec(run->out, tracepoint_number(run->formats, bytes, size));
	}
}

/* Returns the size of a field; a field of size 0 is the rest of the data. */
static u32 field_size(const struct plan_run *run, const struct str *s)
{
	if (s->size)
		return s->size;
	return run->raw_size > s->offset ? run->raw_size - s->offset : 0;
}

/* Writes a composed string. */
static void write_made(const struct plan_run *run, const struct str *s)
{
	switch (s->kind) {
	case STR_FLAGS:
		write_flags(run, s);
		break;
	case STR_SYMBOLIC:
		write_symbolic(run, s);
		break;
	case STR_POINTER:
		write_pointer(run, s);
		break;
	case STR_HEX:
		write_hex(run, s);
		break;
	default:
		write_numbers(run, s);
		break;
	}
}

static void write_made_laid_out(const struct plan_run *run, const struct layout *l,
				const struct str *s)
{
	struct strbuf made = STRBUF_INIT;
	struct plan_run aside = *run;

	aside.out = &made;
	write_made(&aside, s);
	write_laid_out(run->out, l, strbuf_cstr(&made), made.len);
	strbuf_release(&made);
}

static void write_str(const struct plan_run *run, const struct layout *l, u32 index)
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
	case STR_NOTHING:
		break;
	default:
		if (l->width || l->precision >= 0)
			write_made_laid_out(run, l, s);
		else
			write_made(run, s);
		break;
	}
}

static void write_string(const struct plan_run *run, const struct step *step)
{
	struct layout l;

	if (!step->takes_precision) {
		write_str(run, &step->layout, step->index);
		return;
	}
	l = step->layout;
	l.precision = (s32)number(run, step->precision); /* negative: all of it, as in printf */
	write_str(run, &l, step->index);
}

static void write_function(const struct plan_run *run, const struct step *step)
{
	u64 v = number(run, step->index), start = v;
	char name[256], module[64];

	if (!run->names->resolve || !run->names->resolve(run->names->resolve_arg, &start, name,
							 sizeof(name), module, sizeof(module))) {
		hex0x(run->out, v);
		return;
	}
	strbuf_str(run->out, name);
	if (!step->with_offset)
		return;
	strbuf_char(run->out, '+');
	hex0x(run->out, v - start);
}

/* Cuts a value as the conversion's length modifier does. */
static u64 cut(const struct plan_run *run, const struct layout *l, u64 v)
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

static void write_number(const struct plan_run *run, const struct layout *l, u64 v)
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

void plan_write_step(const struct plan_run *run, const struct step *step)
{
	switch (step->kind) {
	case STEP_TEXT:
		strbuf_add(run->out, step->text, step->len);
		break;
	case STEP_NUMBER:
		write_number(run, &step->layout, number(run, step->index));
		break;
	case STEP_STRING:
		write_string(run, step);
		break;
	case STEP_FUNCTION:
		write_function(run, step);
		break;
	case STEP_ADDRESS:
		plan_write_address(&run->plan->addresses.items[step->index], run->raw,
				   run->raw_size, run->formats->swap, run->out);
		break;
	}
}

bool plan_guards_hold(const struct plan *p, const struct tracepoint_formats *f, const u8 *raw,
		      u32 raw_size)
{
	struct plan_run run = { .plan = p, .formats = f, .raw = raw, .raw_size = raw_size };

	vec_for_each(&p->guards, guard)
		if (number(&run, *guard) > GUARD_MOST)
			return false;
	return true;
}
