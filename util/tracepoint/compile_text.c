// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiles arguments of print formats that are texts: strings, tables of names, dumps of arrays. */
#include <string.h>

#include "tracepoint/compile.h"

static u32 push_str(struct compiler *c, struct str s)
{
	vec_push(&c->plan->strs, s);
	return (u32)c->plan->strs.count - 1;
}

/* Finds the value of a name that libtraceevent knows. Returns false for others. */
static bool known_name(const char *name, u64 *value)
{
	static const struct {
		const char *name;
		u64 value;
	} known[] = {
		{ "HI_SOFTIRQ", 0 },      { "TIMER_SOFTIRQ", 1 },     { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },  { "BLOCK_SOFTIRQ", 4 },     { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },     { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },     { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name)) {
			*value = known[i].value;
			return true;
		}
	return false;
}

/*
 * Reports whether the expression contains a name with an unknown value. Ignores levels deeper than
 * numbers are compiled.
 */
static bool has_unknown(const struct tree *e, int depth)
{
	if (!e || depth > COMPILE_DEPTH)
		return false;
	return e->kind == TREE_NAME || has_unknown(e->a, depth + 1) ||
	       has_unknown(e->b, depth + 1) || has_unknown(e->c, depth + 1);
}

/* Returns the text of a C string with its escapes resolved. */
static const char *unescaped(struct compiler *c, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	const char *kept;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			strbuf_char(&b, tree_escaped(*++text));
		else
			strbuf_char(&b, *text);
	}
	kept = compile_keep(c, strbuf_cstr(&b), b.len);
	strbuf_release(&b);
	return kept;
}

/*
 * Compiles a row { value, "text" }. Returns 1, 0 for the end of a table, which has no text, or -1.
 */
static int compile_row(struct compiler *c, const struct tree *row)
{
	const struct tree *value = row->kind == TREE_ROW ? row->args : NULL,
			  *text = value ? value->next : NULL;
	struct table_row r = { 0 };
	u32 num;

	if (!text)
		return -1;
	if (text->kind != TREE_STRING)
		return text->kind == TREE_CAST || text->kind == TREE_NUMBER ? 0 : -1;
	r.text = unescaped(c, text->text);
	r.is_unknown = has_unknown(value, 0) &&
		       !(value->kind == TREE_NAME && known_name(value->text, &r.value));
	if (!has_unknown(value, 0)) {
		size_t nums = c->plan->nums.count;

		num = compile_num(c, value);
		if (num == COMPILE_FAILED || !plan_constant(c->plan, num, &r.value))
			return -1;
		c->plan->nums.count = nums; /* its value is in the row */
	}
	vec_push(&c->plan->rows, r);
	return 1;
}

/* Compiles the rows of __print_flags and __print_symbolic. */
static bool compile_rows(struct compiler *c, const struct tree *row, struct str *s)
{
	s->first_row = (u32)c->plan->rows.count;
	for (; row; row = row->next) {
		int got = compile_row(c, row);

		if (got < 0)
			return false;
		if (!got)
			break;
		s->rows++;
	}
	return true;
}

static u32 str_table(struct compiler *c, const struct tree *args, enum str_kind kind)
{
	struct str s = { .kind = kind, .text = "", .num = compile_num(c, args) };

	if (s.num == COMPILE_FAILED)
		return COMPILE_FAILED;
	args = args->next;
	if (kind == STR_FLAGS) {
		if (!args)
			return COMPILE_FAILED;
		if (args->kind == TREE_STRING)
			s.text = unescaped(c, args->text);
		args = args->next;
	}
	return compile_rows(c, args, &s) ? push_str(c, s) : COMPILE_FAILED;
}

static u32 str_field(struct compiler *c, const struct tracepoint_field *field)
{
	if (!compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	/* not an array but a pointer, looked up among the printk strings */
	if (!(field->flags & FIELD_ARRAY) && field->size == c->plan->long_size)
		return push_str(c, (struct str){ .kind = STR_POINTER,
						 .num = compile_num_field(c, field) });
	return push_str(
		c, (struct str){ .kind = STR_FIELD, .offset = field->offset, .size = field->size });
}

static u32 str_dynamic(struct compiler *c, const struct tracepoint_field *field)
{
	if (!compile_reach(c, field->offset, 4))
		return COMPILE_FAILED;
	return push_str(c, (struct str){ .kind = STR_DYNAMIC,
					 .offset = field->offset,
					 .base = compile_base(field) });
}

/* Finds the bytes of __print_hex() and __print_array(). */
static bool array_place(struct compiler *c, const struct tree *a, struct str *s)
{
	const struct tracepoint_field *field = compile_dynamic(c, a);

	s->is_dynamic = field;
	if (!field)
		field = compile_field(c, a);
	if (!field || !compile_reach(c, field->offset, s->is_dynamic ? 4 : field->size))
		return false;
	s->offset = field->offset;
	s->base = s->is_dynamic ? compile_base(field) : 0;
	return true;
}

static u32 str_hex(struct compiler *c, const struct tree *array, const struct tree *count,
		   const char *between, u32 most)
{
	struct str s = { .kind = STR_HEX, .text = between, .b = most };

	if (!array_place(c, array, &s) || !compile_guard(c, count))
		return COMPILE_FAILED;
	s.num = compile_num(c, count);
	return push_str(c, s);
}

u32 compile_dump(struct compiler *c, const struct tree *array, const struct tree *count,
		 const char *between)
{
	return str_hex(c, array, count, between, 64);
}

static bool constant_size(struct compiler *c, const struct tree *a, u32 *size)
{
	u32 num = compile_num(c, a);
	u64 v;

	if (num == COMPILE_FAILED || !plan_constant(c->plan, num, &v) ||
	    !compile_is_number_size((u32)v) || v > 8)
		return false;
	*size = (u32)v;
	return true;
}

static u32 str_numbers(struct compiler *c, const struct tree *args)
{
	struct str s = { .kind = STR_NUMBERS };

	if (!args || !array_place(c, args, &s) || !args->next || !compile_guard(c, args->next) ||
	    !constant_size(c, args->next->next, &s.b))
		return COMPILE_FAILED;
	s.num = compile_num(c, args->next);
	return push_str(c, s);
}

/* Compiles all of a dynamic field; the size of an element follows its name. */
static u32 str_all_numbers(struct compiler *c, const struct tree *args)
{
	struct tree place = { .kind = TREE_CALL, .text = "__get_dynamic_array", .args = args };
	struct tree len = { .kind = TREE_CALL, .text = "__get_dynamic_array_len", .args = args };
	struct tree count = { .kind = TREE_BINARY, .text = "/", .a = &len };
	struct tree numbers = place;
	struct tree size;

	if (!args || !args->next)
		return COMPILE_FAILED;
	size = *args->next;
	count.b = args->next;
	count.next = &size;
	numbers.next = &count;
	return str_numbers(c, &numbers);
}

static u32 str_choice(struct compiler *c, const struct tree *a)
{
	struct str s = { .kind = STR_CHOICE };

	s.num = compile_num(c, a->a);
	s.a = compile_str(c, a->b);
	s.b = compile_str(c, a->c);
	if (s.num == COMPILE_FAILED || s.a == COMPILE_FAILED || s.b == COMPILE_FAILED)
		return COMPILE_FAILED;
	return push_str(c, s);
}

static u32 str_call(struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field = compile_dynamic(c, a);
	const char *name = a->text;

	if (field)
		return str_dynamic(c, field);
	if (!strcmp(name, "__print_flags") || !strcmp(name, "__print_flags_u64"))
		return str_table(c, a->args, STR_FLAGS);
	if (!strcmp(name, "__print_symbolic") || !strcmp(name, "__print_symbolic_u64"))
		return str_table(c, a->args, STR_SYMBOLIC);
	if (!strcmp(name, "__print_hex"))
		return a->args ? str_hex(c, a->args, a->args->next, " ", GUARD_MOST)
			       : COMPILE_FAILED;
	if (!strcmp(name, "__print_hex_str"))
		return a->args ? str_hex(c, a->args, a->args->next, "", GUARD_MOST)
			       : COMPILE_FAILED;
	if (!strcmp(name, "__print_array"))
		return str_numbers(c, a->args);
	if (!strcmp(name, "__print_dynamic_array"))
		return str_all_numbers(c, a->args);
	return COMPILE_FAILED;
}

u32 compile_str(struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field;
	u32 index = COMPILE_FAILED;

	if (!a || c->depth >= COMPILE_DEPTH)
		return COMPILE_FAILED;
	c->depth++;
	field = compile_field(c, a);
	if (field)
		index = str_field(c, field);
	else if (a->kind == TREE_STRING)
		index = push_str(c,
				 (struct str){ .kind = STR_CONST, .text = unescaped(c, a->text) });
	else if (a->kind == TREE_CALL)
		index = str_call(c, a);
	else if (a->kind == TREE_CHOICE)
		index = str_choice(c, a);
	else if (a->kind == TREE_CAST && a->a->kind == TREE_NUMBER) /* ((void *)0) */
		index = push_str(c, (struct str){ .kind = STR_NOTHING });
	else if (a->kind == TREE_CAST)
		index = compile_str(c, a->a);
	c->depth--;
	return index;
}
