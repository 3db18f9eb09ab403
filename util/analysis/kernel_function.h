/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the function of the recorded kernel that contains an address. The print formats of
 * tracepoints and tables of callers use it. Call it only while nothing sweeps the session's
 * symbols.
 */
#ifndef ANALYSIS_KERNEL_FUNCTION_H
#define ANALYSIS_KERNEL_FUNCTION_H

#include "session/session.h"

struct kernel_function {
	const char *name;   /* belongs to the session */
	const char *module; /* "" for the kernel itself */
	u64 start;          /* address of the function */
};

/*
 * Finds the function at an address as of this key, or as of the end if when is NULL. Returns false
 * if no function is known there.
 */
bool kernel_function_at(struct session *s, u64 addr, const struct order_key *when,
			struct kernel_function *out);
/*
 * Returns the address of a symbol (function or variable) of the kernel itself, not of a module, as
 * of the end; 0 if there is none.
 */
u64 kernel_symbol_address(struct session *s, const char *name);

#endif
