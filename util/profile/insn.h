/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the bytes of single instructions, wherever the objects of a recording have them.
 *
 * Each place is read once. One thread.
 */
#ifndef PROFILE_INSN_H
#define PROFILE_INSN_H

#include "session/session.h"

struct annotator;
struct insn_reader;
struct insn_reader *insn_reader_new(struct session *s);
/* Does the same without a session; frees the annotator in the end. */
struct insn_reader *insn_reader_of(struct annotator *code);
void insn_reader_free(struct insn_reader *r);
/*
 * Returns the bytes of an instruction, valid until the next call. Returns NULL if they cannot be
 * read or are not an instruction.
 */
const u8 *insn_read(struct insn_reader *r, u32 image, u64 offset, u32 *size);

#endif
