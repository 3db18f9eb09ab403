// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of print formats that are numbers: fields, constants, operations, elements. */
#include <stdlib.h>
#include <string.h>

#include "tracepoint/compile.h"

enum { LARGEST_OFFSET = 65535 };

const char *compile_keep(struct compiler *c, const char *s, size_t n)
{
	return arena_strndup(&c->plan->memory, s, n);
}

bool compile_reach(struct compiler *c, int offset, int size)
{
	if (offset < 0 || size < 0 || offset > LARGEST_OFFSET || size > LARGEST_OFFSET)
		return false;
	c->plan->min_size = MAX(c->plan->min_size, (u32)offset + (u32)size);
	return true;
}

const struct tep_format_field *compile_field(struct compiler *c, const struct tep_print_arg *a)
{
	if (a->field.field)
		return a->field.field;
	return tep_find_any_field((struct tep_event *)c->event, a->field.name);
}

static u32 push_num(struct compiler *c, struct num n)
{
	vec_push(&c->plan->nums, n);
	return (u32)c->plan->nums.count - 1;
}

bool compile_guard(struct compiler *c, const struct tep_print_arg *count)
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

u32 compile_num_field(struct compiler *c, const struct tep_format_field *field)
{
	if (!field || !compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	if (!compile_is_number_size((u32)field->size))
		return COMPILE_FAILED;
	return push_num(c, (struct num){ .kind = c->is_probe && (field->flags & TEP_FIELD_IS_SIGNED) ?
							NUM_SIGNED : NUM_FIELD, .offset = (u32)field->offset,
					 .size = (u32)field->size });
}

/* A name that the kernel did not replace by its number counts as 0. */
static u32 num_atom(struct compiler *c, const char *text)
{
	return push_num(c, (struct num){ .kind = NUM_CONST, .value = strtoull(text, NULL, 0) });
}

/* Bits that a cast leaves: of types that libtraceevent does not know, all. */
static u64 cast_mask(const char *type)
{
	static const struct {
		const char *type;
		u64 mask;
	} known[] = {
		{ "u8", 0xff }, { "s8", 0xff }, { "u16", 0xffff }, { "s16", 0xffff },
		{ "u32", UINT32_MAX }, { "s32", UINT32_MAX }, { "char", 0xff },
		{ "unsigned char", 0xff }, { "short", 0xffff }, { "unsigned short", 0xffff },
		{ "int", UINT32_MAX }, { "unsigned int", UINT32_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].type, type))
			return known[i].mask;
	return UINT64_MAX;
}

static u32 num_cast(struct compiler *c, const struct tep_print_arg *a)
{
	u64 mask = cast_mask(a->typecast.type);
	u32 item = compile_num(c, a->typecast.item);

	if (item == COMPILE_FAILED || mask == UINT64_MAX)
		return item;
	return push_num(c, (struct num){ .kind = NUM_MASKED, .a = item, .value = mask });
}

static bool operator_of(const char *op, enum num_op *out)
{
	static const struct {
		const char *text;
		enum num_op op;
	} known[] = {
		{ "|", OP_OR }, { "||", OP_LOGICAL_OR }, { "&", OP_AND },
		{ "&&", OP_LOGICAL_AND }, { "<", OP_LESS }, { "<=", OP_LESS_EQUAL },
		{ "<<", OP_SHIFT_LEFT }, { ">", OP_MORE }, { ">=", OP_MORE_EQUAL },
		{ ">>", OP_SHIFT_RIGHT }, { "==", OP_EQUAL }, { "!=", OP_NOT_EQUAL },
		{ "+", OP_PLUS }, { "-", OP_MINUS }, { "*", OP_TIMES }, { "/", OP_DIVIDE },
		{ "^", OP_XOR }, { "%", OP_MODULO },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].text, op)) {
			*out = known[i].op;
			return true;
		}
	return false;
}

bool compile_is_choice(const struct tep_print_arg *a)
{
	return a->type == TEP_PRINT_OP && !strcmp(a->op.op, "?") && a->op.right &&
	       a->op.right->type == TEP_PRINT_OP && !strcmp(a->op.right->op.op, ":");
}

/* "s32[]" of a probe: its field does not say how many there are. */
static u32 element_size(const char *type, bool *is_signed)
{
	static const struct {
		const char *type;
		u32 size;
		bool is_signed;
	} known[] = {
		{ "u8", 1, false }, { "s8", 1, true }, { "u16", 2, false }, { "s16", 2, true },
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

/* field[N] */
static u32 num_element(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field;
	bool is_signed = false;
	char *end;
	u32 size;
	u64 n;

	if (!a->op.left || a->op.left->type != TEP_PRINT_FIELD || !a->op.right ||
	    a->op.right->type != TEP_PRINT_ATOM)
		return COMPILE_FAILED;
	field = compile_field(c, a->op.left);
	if (!field || field->flags & TEP_FIELD_IS_DYNAMIC || !compile_reach(c, field->offset, field->size))
		return COMPILE_FAILED;
	n = strtoull(a->op.right->atom.atom, &end, 0);
	size = c->is_probe ? element_size(field->type, &is_signed) : field->elementsize;
	if (*end || !compile_is_number_size(size) || n >= (u32)field->size / size)
		return COMPILE_FAILED;
	return push_num(c, (struct num){ .kind = is_signed ? NUM_SIGNED : NUM_FIELD, .size = size,
					 .offset = (u32)field->offset + (u32)n * size });
}

static u32 num_operation(struct compiler *c, const struct tep_print_arg *a)
{
	struct num n = { .kind = NUM_BINARY };

	if (!strcmp(a->op.op, "["))
		return num_element(c, a);

	if (compile_is_choice(a)) {
		n.kind = NUM_CHOICE;
		n.a = compile_num(c, a->op.left);
		n.b = compile_num(c, a->op.right->op.left);
		n.c = compile_num(c, a->op.right->op.right);
		return n.a == COMPILE_FAILED || n.b == COMPILE_FAILED || n.c == COMPILE_FAILED ? COMPILE_FAILED : push_num(c, n);
	}
	if (!strcmp(a->op.op, "!") || !strcmp(a->op.op, "~")) {
		n.kind = a->op.op[0] == '!' ? NUM_NOT : NUM_INVERT;
		n.a = compile_num(c, a->op.right);
		return n.a == COMPILE_FAILED ? COMPILE_FAILED : push_num(c, n);
	}
	if (!operator_of(a->op.op, &n.op))
		return COMPILE_FAILED;
	n.a = compile_num(c, a->op.left);
	n.b = compile_num(c, a->op.right);
	return n.a == COMPILE_FAILED || n.b == COMPILE_FAILED ? COMPILE_FAILED : push_num(c, n);
}

static u32 num_array_len(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field = a->dynarray.field;

	if (!field || !compile_reach(c, field->offset, 4))
		return COMPILE_FAILED;
	return push_num(c, (struct num){ .kind = NUM_ARRAY_LEN, .offset = (u32)field->offset });
}

u32 compile_num(struct compiler *c, const struct tep_print_arg *a)
{
	u32 n = COMPILE_FAILED;

	if (!a || c->depth >= COMPILE_DEPTH)
		return COMPILE_FAILED;
	c->depth++;
	if (a->type == TEP_PRINT_ATOM)
		n = num_atom(c, a->atom.atom);
	else if (a->type == TEP_PRINT_FIELD)
		n = compile_num_field(c, compile_field(c, a));
	else if (a->type == TEP_PRINT_TYPE)
		n = num_cast(c, a);
	else if (a->type == TEP_PRINT_OP)
		n = num_operation(c, a);
	else if (a->type == TEP_PRINT_NULL) /* what is left of a sign */
		n = push_num(c, (struct num){ .kind = NUM_CONST });
	else if (a->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		n = num_array_len(c, a);
	c->depth--;
	return n;
}
