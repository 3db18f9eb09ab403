/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the compiler of print formats: what its phases share.
 *
 *	compile.c         the format: text, conversions, addresses    -> steps
 *	compile_text.c    arguments that are texts                    -> strs
 *	compile_number.c  arguments that are numbers, and where fields are -> nums
 *	compile_guards.c  for the library's own printing: what must not be too large
 *
 * Each gives up at the first construct that the plan does not know, so that libtraceevent
 * prints the event.
 */
#ifndef TRACEPOINT_COMPILE_H
#define TRACEPOINT_COMPILE_H

#include <traceevent/event-parse.h>

#include "tracepoint/plan.h"

#define COMPILE_FAILED UINT32_MAX
/* Nesting of expressions: deeper ones are left to the library. */
#define COMPILE_DEPTH 40

struct compiler {
	struct plan *plan;
	const struct tep_event *event;
	int depth;
	bool is_probe; /* its numbers have their sign, see tests/differences: script-probe-sign */
};

/* A copy in the plan's memory. */
const char *compile_keep(struct compiler *c, const char *s, size_t n);
/* The plan reads these bytes of every sample; false: no sample has them. */
bool compile_reach(struct compiler *c, int offset, int size);
/* The parse tree names fields; they are looked up when first printed: do it here. */
const struct tep_format_field *compile_field(struct compiler *c, const struct tep_print_arg *a);

/* Places in plan->nums and plan->strs, or COMPILE_FAILED. */
u32 compile_num(struct compiler *c, const struct tep_print_arg *a);
u32 compile_str(struct compiler *c, const struct tep_print_arg *a);
/* The number that a field holds, whatever the argument is. */
u32 compile_num_field(struct compiler *c, const struct tep_format_field *field);
bool compile_is_number_size(u32 size);
/* "CONDITION ? A : B" */
bool compile_is_choice(const struct tep_print_arg *a);
/* A number that says how many bytes are read: a sample where it is too large is not printed. */
bool compile_guard(struct compiler *c, const struct tep_print_arg *count);

#endif
