// SPDX-License-Identifier: GPL-2.0-or-later
/* Built without libtraceevent: there is no parse tree to compile. */
#include "tracepoint/plan.h"

struct plan *plan_compile(const struct tracepoint_format *t, u8 long_size)
{
	(void)t, (void)long_size;
	return NULL;
}

struct plan *plan_compile_guards(const struct tracepoint_format *t, u8 long_size)
{
	(void)t, (void)long_size;
	return NULL;
}
