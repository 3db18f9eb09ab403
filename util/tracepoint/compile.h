/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the compiler of print formats: what its phases share.
 *
 *	parse.c           the text of the print format -> a tree (tree.h)
 *	compile.c         the format: text, conversions, addresses    -> steps
 *	compile_text.c    arguments that are texts                    -> strs
 *	compile_number.c  arguments that are numbers, and where fields are -> nums
 *	compile_type.c    the types that C gives to numbers
 *	compile_guards.c  for the library's own printing: what must not be too large
 *
 * Each gives up at the first construct that plans do not support, so libtraceevent prints the
 * event: masks of CPUs, widths that are arguments, functions that only the kernel has.
 */
#ifndef TRACEPOINT_COMPILE_H
#define TRACEPOINT_COMPILE_H

#include "tracepoint/tree.h"

#include "tracepoint/plan.h"

#define COMPILE_FAILED UINT32_MAX
/*
 * The limit of widths and precisions: printf would take minutes for larger ones, which no format of
 * a kernel has.
 */
#define COMPILE_WIDEST 200
/* The limit of nesting: the library handles deeper expressions. */
#define COMPILE_DEPTH 40

struct compiler {
	struct plan *plan;
	const struct tracepoint_format *format;
	const struct tree *tree;
	int depth;
	bool is_probe; /* the types of its arrays are in their names */
};

extern const struct num_type compile_int;
/* Returns the type of a literal such as "1UL", and its value. */
struct num_type compile_literal_type(const char *text, u8 long_size, u64 *value);
/* Finds the type named "unsigned long", "gfp_t" or "void *". Returns false if unknown. */
bool compile_named_type(const char *name, u8 long_size, struct num_type *type);
/* Returns the type to which C converts both sides of an operator. */
struct num_type compile_common_type(struct num_type a, struct num_type b);
/* Reports whether the result is an int that is 0 or 1. */
bool compile_is_comparison(enum num_op op);

/* Returns a copy in the plan's memory. */
const char *compile_keep(struct compiler *c, const char *s, size_t n);
/*
 * Notes that the plan reads these bytes of every sample. Returns false if no sample can have them.
 */
bool compile_reach(struct compiler *c, u32 offset, u32 size);
/*
 * Returns the field of an expression: a field, its address, or that cast to a pointer. Returns NULL
 * for others.
 */
const struct tracepoint_field *compile_field(const struct compiler *c, const struct tree *a);
/*
 * Returns the field in "__get_dynamic_array(FIELD)" and its relatives, which is FIELD_DYNAMIC; NULL
 * for other expressions.
 */
const struct tracepoint_field *compile_dynamic(const struct compiler *c, const struct tree *a);
/* Returns the base of the offset in a dynamic field's word. */
u32 compile_base(const struct tracepoint_field *field);

/* Compile an argument; return its index in plan->nums or plan->strs, or COMPILE_FAILED. */
u32 compile_num(struct compiler *c, const struct tree *a);
u32 compile_str(struct compiler *c, const struct tree *a);
/* Compiles what %*ph writes: as many bytes of the array as count says, at most 64. */
u32 compile_dump(struct compiler *c, const struct tree *array, const struct tree *count,
		 const char *between);
/* Compiles the number in a field, whatever the argument is. */
u32 compile_num_field(struct compiler *c, const struct tracepoint_field *field);
bool compile_is_number_size(u32 size);
/* Guards a number that says how many bytes are read: a sample is not printed if it is too large. */
bool compile_guard(struct compiler *c, const struct tree *count);

#endif
