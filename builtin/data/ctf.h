/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of a CTF trace: which fields each event has, in which order. The metadata describes
 * it, and the streams follow it.
 *
 * Everything is packed in bytes, in the host's byte order.
 * Source: the Common Trace Format 1.8.3, https://diamon.org/ctf/
 */
#ifndef BUILTIN_DATA_CTF_H
#define BUILTIN_DATA_CTF_H

#include "builtin/data/internal.h"

enum ctf_type { CTF_U8, CTF_U16, CTF_U32, CTF_S32, CTF_U64, CTF_S64, CTF_X32, CTF_X64, CTF_STRING };

enum { CTF_COMM, CTF_EXIT, CTF_FORK, CTF_MMAP, CTF_MMAP2, CTF_OTHERS };

/* Returns the size of a number in bytes, or 0 for a string. */
unsigned ctf_size(enum ctf_type t);
/* Returns the type of a tracepoint's field, or of an array's elements. */
enum ctf_type ctf_field_type(const struct tracepoint_field *f);
/*
 * Returns how many values of that type a field has: 1, an array's length, or 0 if each sample says.
 */
u32 ctf_field_count(const struct tracepoint_field *f);
bool ctf_is_bpf_output(const struct event *ev);

/* Adds the text of "metadata". */
void ctf_metadata(struct convert *c, const u8 uuid[16], struct strbuf *b);
/* Appends an event's payload. */
void ctf_payload(struct convert *c, const struct sample *s, struct strbuf *b);

#endif
