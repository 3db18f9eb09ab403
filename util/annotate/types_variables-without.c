// SPDX-License-Identifier: GPL-2.0-or-later
/* Without libdw, all variables are unknown. */
#include "annotate/types.h"

bool types_of_register(struct types_file *f, u64 pc, s8 reg, s64 disp, struct place_type *out)
{
	(void)f;
	(void)pc;
	(void)reg;
	(void)disp;
	(void)out;
	return false;
}

bool types_of_address(struct types_file *f, u64 addr, struct place_type *out)
{
	(void)f;
	(void)addr;
	(void)out;
	return false;
}

bool types_of_result(struct types_file *f, u64 function, u8 local_entry, struct place_type *out)
{
	(void)f;
	(void)function;
	(void)local_entry;
	(void)out;
	return false;
}
