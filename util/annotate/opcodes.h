/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libopcodes (internal); opcodes-without.c is the build without it. */
#ifndef ANNOTATE_OPCODES_H
#define ANNOTATE_OPCODES_H

#include "annotate/internal.h"

struct opcodes *opcodes_new(void);
void opcodes_free(struct opcodes *o);
/*
 * Prepares to decode one function. Returns false if the library is missing or does not know the
 * machine. syntax: "att", "intel" or NULL (att). code and names must stay until the next call.
 */
bool opcodes_begin(struct opcodes *o, const struct code *code, const char *syntax,
		   const struct target_namer *names);
/*
 * Decodes one instruction of that code. Returns false if its bytes run past the end, or there is
 * none.
 */
bool opcodes_decode(struct opcodes *o, u64 address, struct insn *insn);

#endif
