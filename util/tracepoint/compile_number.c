// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiles arguments of print formats that are numbers: fields, constants, operations, elements. */
#include <stdlib.h>
#include <string.h>

#include "tracepoint/compile.h"

enum { LARGEST_OFFSET = 65535 };

const char *compile_keep(struct compiler *c, const char *s, size_t n)
{
	return arena_strndup(&c->plan->memory, s, n);
}

bool compile_reach(struct compiler *c, u32 offset, u32 size)
{
	if (offset > LARGEST_OFFSET || size > LARGEST_OFFSET)
		return false;
	c->plan->min_size = MAX(c->plan->min_size, offset + size);
	return true;
}

const struct tracepoint_field *compile_field(const struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field;

	while (a && ((a->kind == TREE_CAST && strchr(a->text, '*')) ||
		     (a->kind == TREE_UNARY && a->text[0] == '&')))
		a = a->a;
	field = a && a->kind == TREE_FIELD ? tracepoint_field(c->format, a->text) : NULL;
	return field && !(field->flags & FIELD_DYNAMIC) ? field : NULL;
}

const struct tracepoint_field *compile_dynamic(const struct compiler *c, const struct tree *a)
{
	static const char *const functions[] = {
		"__get_str",     "__get_dynamic_array",     "__get_sockaddr",
		"__get_rel_str", "__get_rel_dynamic_array", "__get_rel_sockaddr",
	};
	const struct tracepoint_field *field;

	while (a && a->kind == TREE_CAST && strchr(a->text, '*'))
		a = a->a;
	if (!a || a->kind != TREE_CALL || !a->args || a->args->kind != TREE_NAME)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strcmp(a->text, functions[i]))
			continue;
		field = tracepoint_field(c->format, a->args->text);
		return field && field->flags & FIELD_DYNAMIC ? field : NULL;
	}
	return NULL;
}

u32 compile_base(const struct tracepoint_field *field)
{
	return field->flags & FIELD_RELATIVE ? field->offset + field->size : 0;
}

static u32 push_num(struct compiler *c, struct num n)
{
	vec_push(&c->plan->nums, n);
	return (u32)c->plan->nums.count - 1;
}

static struct num_type type_of(const struct compiler *c, u32 num)
{
	return c->plan->nums.items[num].type;
}

bool compile_guard(struct compiler *c, const struct tree *count)
{
	u32 n = compile_num(c, count);

	if (n == COMPILE_FAILED)
		return false;
	vec_push(&c->plan->guards, n);
	return true;
}

bool compile_is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct num number_at(u32 offset, u32 size, bool is_signed)
{
	return (struct num){ .kind = is_signed ? NUM_SIGNED : NUM_FIELD,
			     .offset = offset,
			     .size = size,
			     .type = { (u8)size, is_signed } };
}

u32 compile_num_field(struct compiler *c, const struct tracepoint_field *field)
{
	if (field->flags & FIELD_ARRAY || !compile_is_number_size(field->size) ||
	    !compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	return push_num(c, number_at(field->offset, field->size, field->flags & FIELD_SIGNED));
}

/* Compiles a constant. A name that the kernel did not replace by its number counts as 0. */
static u32 num_atom(struct compiler *c, const char *text)
{
	struct num n = { .kind = NUM_CONST };

	if (text[0] >= '0' && text[0] <= '9') {
		n.type = compile_literal_type(text, c->plan->long_size, &n.value);
	} else {
		n.type = compile_int;
		n.value = !strcmp(text, "true");
	}
	return push_num(c, n);
}

static u32 num_cast(struct compiler *c, const struct tree *a)
{
	struct num n = { .kind = NUM_CAST, .a = compile_num(c, a->a) };

	if (n.a != COMPILE_FAILED && !strcmp(a->text, "bool")) {
		n = (struct num){ .kind = NUM_NOT, .type = compile_int, .a = n.a };
		n.a = push_num(c, n);
		return push_num(c, n);
	}
	if (n.a == COMPILE_FAILED || !compile_named_type(a->text, c->plan->long_size, &n.type))
		return n.a;
	return push_num(c, n);
}

static bool operator_of(const char *op, enum num_op *out)
{
	static const struct {
		const char *text;
		enum num_op op;
	} known[] = {
		{ "|", OP_OR },           { "||", OP_LOGICAL_OR }, { "&", OP_AND },
		{ "&&", OP_LOGICAL_AND }, { "<", OP_LESS },        { "<=", OP_LESS_EQUAL },
		{ "<<", OP_SHIFT_LEFT },  { ">", OP_MORE },        { ">=", OP_MORE_EQUAL },
		{ ">>", OP_SHIFT_RIGHT }, { "==", OP_EQUAL },      { "!=", OP_NOT_EQUAL },
		{ "+", OP_PLUS },         { "-", OP_MINUS },       { "*", OP_TIMES },
		{ "/", OP_DIVIDE },       { "^", OP_XOR },         { "%", OP_MODULO },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].text, op)) {
			*out = known[i].op;
			return true;
		}
	return false;
}

/*
 * Returns the element size of a probe's array such as "s32[]", whose field does not say how many
 * elements it has.
 */
static u32 element_size(const char *type, bool *is_signed)
{
	static const struct {
		const char *type;
		u32 size;
		bool is_signed;
	} known[] = {
		{ "u8", 1, false },  { "s8", 1, true },  { "u16", 2, false }, { "s16", 2, true },
		{ "u32", 4, false }, { "s32", 4, true }, { "u64", 8, false }, { "s64", 8, true },
	};
	size_t n = strcspn(type, "[ ");

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i].type) == n && !strncmp(known[i].type, type, n)) {
			*is_signed = known[i].is_signed;
			return known[i].size;
		}
	return 0;
}

static bool constant(struct compiler *c, const struct tree *a, u64 *value)
{
	u32 num = compile_num(c, a);

	return num != COMPILE_FAILED && plan_constant(c->plan, num, value);
}

/* Compiles field[N], __get_str(field)[N]. */
static u32 num_element(struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field = compile_dynamic(c, a->a);
	bool is_signed;
	u32 size;
	u64 n;

	if (!constant(c, a->b, &n) || n > LARGEST_OFFSET)
		return COMPILE_FAILED;
	if (field && strstr(a->a->text, "str") && compile_reach(c, field->offset, 4))
		return push_num(c, (struct num){ .kind = NUM_DYNAMIC_BYTE,
						 .offset = field->offset,
						 .size = (u32)n,
						 .value = compile_base(field),
						 .type = { 1, true } });
	field = compile_field(c, a->a);
	if (!field || !(field->flags & FIELD_ARRAY) ||
	    !compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	is_signed = field->flags & FIELD_SIGNED;
	size = c->is_probe ? element_size(field->type, &is_signed) : field->element_size;
	if (!compile_is_number_size(size) || n >= field->size / size)
		return COMPILE_FAILED;
	return push_num(c, number_at(field->offset + (u32)n * size, size, is_signed));
}

static u32 num_choice(struct compiler *c, const struct tree *a)
{
	struct num n = { .kind = NUM_CHOICE };

	n.a = compile_num(c, a->a);
	n.b = compile_num(c, a->b);
	n.c = compile_num(c, a->c);
	if (n.a == COMPILE_FAILED || n.b == COMPILE_FAILED || n.c == COMPILE_FAILED)
		return COMPILE_FAILED;
	n.type = compile_common_type(type_of(c, n.b), type_of(c, n.c));
	return push_num(c, n);
}

static u32 num_unary(struct compiler *c, const struct tree *a)
{
	struct num n = { .kind = a->text[0] == '!' ? NUM_NOT : NUM_INVERT };

	if (!strchr("!~-+", a->text[0]))
		return COMPILE_FAILED;
	n.a = compile_num(c, a->a);
	if (n.a == COMPILE_FAILED)
		return COMPILE_FAILED;
	n.type =
		n.kind == NUM_NOT ? compile_int : compile_common_type(type_of(c, n.a), compile_int);
	if (a->text[0] == '-' || a->text[0] == '+') { /* 0 - a */
		n.kind = NUM_BINARY;
		n.op = a->text[0] == '-' ? OP_MINUS : OP_PLUS;
		n.as = n.type;
		n.b = n.a;
		n.a = push_num(c, (struct num){ .kind = NUM_CONST, .type = compile_int });
	}
	return push_num(c, n);
}

/* Sets the type that both sides are converted to, and that of the result. */
static void type_operation(const struct compiler *c, struct num *n)
{
	struct num_type a = type_of(c, n->a), b = type_of(c, n->b);

	n->type = n->as = compile_common_type(a, b);
	if (n->op == OP_SHIFT_LEFT || n->op == OP_SHIFT_RIGHT)
		n->type = n->as = compile_common_type(a, compile_int);
	else if (compile_is_comparison(n->op))
		n->type = compile_int;
}

static u32 num_operation(struct compiler *c, const struct tree *a)
{
	struct num n = { .kind = NUM_BINARY };

	if (!operator_of(a->text, &n.op))
		return COMPILE_FAILED;
	n.a = compile_num(c, a->a);
	n.b = compile_num(c, a->b);
	if (n.a == COMPILE_FAILED || n.b == COMPILE_FAILED)
		return COMPILE_FAILED;
	type_operation(c, &n);
	return push_num(c, n);
}

static u32 num_array_len(struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field =
		a->kind == TREE_NAME ? tracepoint_field(c->format, a->text) : NULL;

	if (!field || !(field->flags & FIELD_DYNAMIC) || !compile_reach(c, field->offset, 4))
		return COMPILE_FAILED;
	return push_num(c, (struct num){ .kind = NUM_ARRAY_LEN,
					 .offset = field->offset,
					 .type = { 4, false } });
}

/* Returns how many bytes a function swaps; 0 for other functions. */
static u8 swaps(const char *name)
{
	static const char *const known[] = { "__builtin_bswap", "__fswab", "__swab" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t n = strlen(known[i]);

		if (!strncmp(name, known[i], n))
			return !strcmp(name + n, "16")   ? 2
			       : !strcmp(name + n, "32") ? 4
			       : !strcmp(name + n, "64") ? 8
							 : 0;
	}
	return 0;
}

static u32 num_call(struct compiler *c, const struct tree *a)
{
	u8 bytes = swaps(a->text);
	struct num n = { .kind = NUM_SWAP, .type = { bytes, false } };

	if (!a->args)
		return COMPILE_FAILED;
	if (!strcmp(a->text, "__get_dynamic_array_len") ||
	    !strcmp(a->text, "__get_rel_dynamic_array_len"))
		return num_array_len(c, a->args);
	if (!strcmp(a->text, "__builtin_expect") || !strcmp(a->text, "likely") ||
	    !strcmp(a->text, "unlikely"))
		return compile_num(c, a->args);
	/* the compiler of the kernel knows nothing of a record's content */
	if (!strcmp(a->text, "__builtin_constant_p"))
		return push_num(c, (struct num){ .kind = NUM_CONST, .type = compile_int });
	if (!bytes)
		return COMPILE_FAILED;
	n.a = compile_num(c, a->args);
	return n.a == COMPILE_FAILED ? COMPILE_FAILED : push_num(c, n);
}

u32 compile_num(struct compiler *c, const struct tree *a)
{
	const struct tracepoint_field *field;
	u32 n = COMPILE_FAILED;

	if (!a || c->depth >= COMPILE_DEPTH)
		return COMPILE_FAILED;
	c->depth++;
	switch (a->kind) {
	case TREE_NUMBER:
	case TREE_NAME:
		n = num_atom(c, a->text);
		break;
	case TREE_FIELD:
		field = tracepoint_field(c->format, a->text);
		n = field ? compile_num_field(c, field) : COMPILE_FAILED;
		break;
	case TREE_CAST:
		n = num_cast(c, a);
		break;
	case TREE_UNARY:
		n = num_unary(c, a);
		break;
	case TREE_BINARY:
		n = num_operation(c, a);
		break;
	case TREE_CHOICE:
		n = num_choice(c, a);
		break;
	case TREE_INDEX:
		n = num_element(c, a);
		break;
	case TREE_CALL:
		n = num_call(c, a);
		break;
	case TREE_STRING:
	case TREE_ROW:
		break;
	}
	c->depth--;
	return n;
}
