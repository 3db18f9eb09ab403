/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of single instructions, wherever the objects of a recording hold them.
 *
 * Each place is read once.  One thread.
 */
#ifndef PROFILE_INSN_H
#define PROFILE_INSN_H

#include "session/session.h"

struct annotator;
struct insn_reader;
struct insn_reader *insn_reader_new(struct session *s);
/* The same where there is no session; frees the annotator in the end. */
struct insn_reader *insn_reader_of(struct annotator *code);
void insn_reader_free(struct insn_reader *r);
/* NULL: the bytes cannot be read, or are no instruction.  Valid until the next call. */
const u8 *insn_read(struct insn_reader *r, u32 image, u64 offset, u32 *size);

#endif
