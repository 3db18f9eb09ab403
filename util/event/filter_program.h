/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter as steps, operands before their operator: filter.c writes them, filter_program.c runs
 * them.
 */
#ifndef EVENT_FILTER_PROGRAM_H
#define EVENT_FILTER_PROGRAM_H

#include "base/vec.h"

struct tracepoint_field;

enum { FILTER_DEPTH = 100 }; /* the deepest nesting of brackets and negations */

/* In the order of the texts in filter.c. */
enum filter_sign {
	SIGN_EQUAL,
	SIGN_UNEQUAL,
	SIGN_LESS,
	SIGN_LESS_EQUAL,
	SIGN_GREATER,
	SIGN_GREATER_EQUAL,
	SIGN_BITS,
	SIGN_GLOB,
};

struct filter_step {
	enum { STEP_NUMBER, STEP_TEXT, STEP_CPU, STEP_COMM, STEP_NOT, STEP_AND, STEP_OR } code;
	enum filter_sign sign;
	const struct tracepoint_field *field;
	u64 number;
	char *text; /* owned by the program */
};

struct filter_program {
	VEC(struct filter_step) steps;
};

#endif
