/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libopcodes (internal); opcodes-without.c is the build without it. */
#ifndef ANNOTATE_OPCODES_H
#define ANNOTATE_OPCODES_H

#include "annotate/internal.h"

struct opcodes *opcodes_new(void);
void opcodes_free(struct opcodes *o);
/*
 * Before the instructions of one function: false when the library is not there or does not know the
 * machine.  syntax: "att", "intel" or NULL (att).  code and names must stay until the next begin.
 */
bool opcodes_begin(struct opcodes *o, const struct code *code, const char *syntax,
		   const struct target_namer *names);
/* One instruction of that code: false when there is none (its bytes run past the end). */
bool opcodes_decode(struct opcodes *o, u64 address, struct insn *insn);

#endif
