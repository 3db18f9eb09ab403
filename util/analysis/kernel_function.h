/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The function of the recorded kernel that an address lies in, as the print formats of tracepoints
 * and tables of callers name it.  Only where the session's symbols are not swept meanwhile.
 */
#ifndef ANALYSIS_KERNEL_FUNCTION_H
#define ANALYSIS_KERNEL_FUNCTION_H

#include "session/session.h"

struct kernel_function {
	const char *name;   /* the session's */
	const char *module; /* "" for the kernel itself */
	u64 start;          /* its own address */
};

/* As things were at that key; NULL: at the end.  false: no function is known there. */
bool kernel_function_at(struct session *s, u64 addr, const struct order_key *when,
			struct kernel_function *out);
/*
 * The address of a symbol of the kernel itself, also of a variable, at the end; 0: there is none.
 */
u64 kernel_symbol_address(struct session *s, const char *name);

#endif
