// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of print formats that are texts: strings, tables of names, dumps of arrays. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoint/compile.h"

static u32 push_str(struct compiler *c, struct str s)
{
	vec_push(&c->plan->strs, s);
	return (u32)c->plan->strs.count - 1;
}

/* A row's number, or a name's that libtraceevent knows; other names count as -1. */
static u64 row_value(const char *text)
{
	static const struct {
		const char *name;
		u64 value;
	} known[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	if (isdigit((unsigned char)text[0]))
		return strtoull(text, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, text))
			return known[i].value;
	return UINT64_MAX;
}

/* Rows of __print_flags and __print_symbolic. */
static void compile_rows(struct compiler *c, const struct tep_print_flag_sym *row, struct str *s)
{
	s->first_row = (u32)c->plan->rows.count;
	for (; row; row = row->next) {
		vec_push(&c->plan->rows,
			 (struct table_row){ row_value(row->value),
					     compile_keep(c, row->str, strlen(row->str)) });
		s->rows++;
	}
}

static u32 str_table(struct compiler *c, const struct tep_print_arg *field, const char *delim,
		     const struct tep_print_flag_sym *rows, enum str_kind kind)
{
	struct str s = { .kind = kind, .text = compile_keep(c, delim, strlen(delim)) };

	s.num = compile_num(c, field);
	if (s.num == COMPILE_FAILED)
		return COMPILE_FAILED;
	compile_rows(c, rows, &s);
	return push_str(c, s);
}

static u32 str_field(struct compiler *c, const struct tep_format_field *field)
{
	if (!field || !compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	/* not an array: a pointer, looked up among the printk strings */
	if (!(field->flags & TEP_FIELD_IS_ARRAY) && field->size == c->plan->long_size)
		return push_str(c, (struct str){ .kind = STR_POINTER, .num = compile_num_field(c, field) });
	return push_str(c, (struct str){ .kind = STR_FIELD, .offset = (u32)field->offset,
					 .size = (u32)field->size });
}

static u32 str_dynamic(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field = a->string.field;
	struct str s = { .kind = STR_DYNAMIC };

	if (!field)
		field = tep_find_any_field((struct tep_event *)c->event, a->string.string);
	if (!field || !compile_reach(c, field->offset, 4))
		return COMPILE_FAILED;
	s.offset = (u32)field->offset;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		s.base = (u32)(field->offset + field->size);
	return push_str(c, s);
}

/* Where the bytes of __print_hex() and __print_array() are. */
static bool array_place(struct compiler *c, const struct tep_print_arg *a, struct str *s)
{
	const struct tep_format_field *field;

	s->is_dynamic = a->type == TEP_PRINT_DYNAMIC_ARRAY;
	if (!s->is_dynamic && a->type != TEP_PRINT_FIELD)
		return false;
	field = s->is_dynamic ? a->dynarray.field : compile_field(c, a);
	if (!field || !compile_reach(c, field->offset, s->is_dynamic ? 4 : field->size))
		return false;
	s->offset = (u32)field->offset;
	return true;
}

static u32 str_hex(struct compiler *c, const struct tep_print_arg *a)
{
	struct str s = { .kind = STR_HEX, .text = a->type == TEP_PRINT_HEX ? " " : "" };

	if (!array_place(c, a->hex.field, &s) || !compile_guard(c, a->hex.size))
		return COMPILE_FAILED;
	s.num = compile_num(c, a->hex.size);
	return push_str(c, s);
}

static u32 str_numbers(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_print_arg *size = a->int_array.el_size;
	struct str s = { .kind = STR_NUMBERS };

	if (!array_place(c, a->int_array.field, &s) || !compile_guard(c, a->int_array.count) ||
	    size->type != TEP_PRINT_ATOM)
		return COMPILE_FAILED;
	s.num = compile_num(c, a->int_array.count);
	s.b = (u32)strtoul(size->atom.atom, NULL, 0);
	return compile_is_number_size(s.b) ? push_str(c, s) : COMPILE_FAILED;
}

u32 compile_str(struct compiler *c, const struct tep_print_arg *a)
{
	struct str s = { .kind = STR_CHOICE };
	u32 index = COMPILE_FAILED;

	if (!a || c->depth >= COMPILE_DEPTH)
		return COMPILE_FAILED;
	c->depth++;
	if (a->type == TEP_PRINT_FIELD) {
		index = str_field(c, compile_field(c, a));
	} else if (a->type == TEP_PRINT_STRING) {
		index = str_dynamic(c, a);
	} else if (a->type == TEP_PRINT_ATOM) {
		s = (struct str){ .kind = STR_CONST,
				  .text = compile_keep(c, a->atom.atom, strlen(a->atom.atom)) };
		index = push_str(c, s);
	} else if (a->type == TEP_PRINT_FLAGS) {
		index = str_table(c, a->flags.field, a->flags.delim ? a->flags.delim : "",
				  a->flags.flags, STR_FLAGS);
	} else if (a->type == TEP_PRINT_SYMBOL) {
		index = str_table(c, a->symbol.field, "", a->symbol.symbols, STR_SYMBOLIC);
	} else if (a->type == TEP_PRINT_HEX || a->type == TEP_PRINT_HEX_STR) {
		index = str_hex(c, a);
	} else if (a->type == TEP_PRINT_INT_ARRAY) {
		index = str_numbers(c, a);
	} else if (a->type == TEP_PRINT_TYPE) { /* ((void *)0) */
		index = push_str(c, (struct str){ .kind = STR_NOTHING });
	} else if (compile_is_choice(a)) {
		s.num = compile_num(c, a->op.left);
		s.a = compile_str(c, a->op.right->op.left);
		s.b = compile_str(c, a->op.right->op.right);
		if (s.num != COMPILE_FAILED && s.a != COMPILE_FAILED && s.b != COMPILE_FAILED)
			index = push_str(c, s);
	}
	c->depth--;
	return index;
}
