// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without libopcodes: objdump, or capstone for other machines. */
#include "annotate/opcodes.h"

struct opcodes *opcodes_new(void)
{
	return NULL;
}

void opcodes_free(struct opcodes *o)
{
	(void)o;
}

bool opcodes_begin(struct opcodes *o, const struct code *code, const char *syntax,
		   const struct target_namer *names)
{
	(void)o;
	(void)code;
	(void)syntax;
	(void)names;
	return false;
}

bool opcodes_decode(struct opcodes *o, u64 address, struct insn *insn)
{
	(void)o;
	(void)address;
	(void)insn;
	return false;
}
