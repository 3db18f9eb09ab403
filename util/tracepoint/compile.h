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
 * Each gives up at the first construct that the plan does not know, so that libtraceevent
 * prints the event: masks of CPUs, widths that are arguments, functions that only the kernel has.
 */
#ifndef TRACEPOINT_COMPILE_H
#define TRACEPOINT_COMPILE_H

#include "tracepoint/tree.h"

#include "tracepoint/plan.h"

#define COMPILE_FAILED UINT32_MAX
/*
 * Widths and precisions: printf would take minutes for larger ones, which no format of a kernel
 * has.
 */
#define COMPILE_WIDEST 200
/* Nesting of expressions: deeper ones are left to the library. */
#define COMPILE_DEPTH 40

struct compiler {
	struct plan *plan;
	const struct tracepoint_format *format;
	const struct tree *tree;
	int depth;
	bool is_probe; /* the types of its arrays are in their names */
};

extern const struct num_type compile_int;
/* Of "1UL" and the like, with its value. */
struct num_type compile_literal_type(const char *text, u8 long_size, u64 *value);
/* Of "unsigned long", "gfp_t" or "void *"; false: not known. */
bool compile_named_type(const char *name, u8 long_size, struct num_type *type);
/* In which C takes both sides of an operator. */
struct num_type compile_common_type(struct num_type a, struct num_type b);
/* Is what comes out an int that is 0 or 1? */
bool compile_is_comparison(enum num_op op);

/* A copy in the plan's memory. */
const char *compile_keep(struct compiler *c, const char *s, size_t n);
/* The plan reads these bytes of every sample; false: no sample has them. */
bool compile_reach(struct compiler *c, u32 offset, u32 size);
/* A field, or its address, or that as a pointer of a type; NULL: something else. */
const struct tracepoint_field *compile_field(const struct compiler *c, const struct tree *a);
/*
 * "__get_dynamic_array(FIELD)" and its relatives: the field, which is FIELD_DYNAMIC; NULL:
 * something else.
 */
const struct tracepoint_field *compile_dynamic(const struct compiler *c, const struct tree *a);
/* From where the word of a dynamic field counts. */
u32 compile_base(const struct tracepoint_field *field);

/* Places in plan->nums and plan->strs, or COMPILE_FAILED. */
u32 compile_num(struct compiler *c, const struct tree *a);
u32 compile_str(struct compiler *c, const struct tree *a);
/* What %*ph writes: as many bytes of the array as count says, 64 at most. */
u32 compile_dump(struct compiler *c, const struct tree *array, const struct tree *count,
		 const char *between);
/* The number that a field holds, whatever the argument is. */
u32 compile_num_field(struct compiler *c, const struct tracepoint_field *field);
bool compile_is_number_size(u32 size);
/* A number that says how many bytes are read: a sample where it is too large is not printed. */
bool compile_guard(struct compiler *c, const struct tree *count);

#endif
