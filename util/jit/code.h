/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jitdump file as objects: where each function lay in memory from when on, and an ELF
 * object that holds the code, names, lines and unwind tables of all of them.
 *
 * The file may grow while its compiler runs, and an object that somebody has read cannot
 * change any more.  So functions are collected in parts: what comes after the object of the
 * newest part was asked for makes the next part.
 * Times are those of the file (jitdump.h).  Addresses in an object equal its file offsets.
 * Threads: jit_code_object() may be called by many at once, also while another thread calls
 * jit_code_read(); all else by one.
 * Life: jit_code_free() frees the objects, too.
 */
#ifndef JIT_CODE_H
#define JIT_CODE_H

#include "jit/jitdump.h"

struct jit_code;

struct jit_function {
	u64 time;
	u64 addr, size; /* in memory, bytes; size is never 0 */
	u64 offset;     /* where its code is in the object of its part */
	u32 part;       /* from 0 */
};

/*
 * Cycles of a processor as the recording's ns, by its TIME_CONV record; zeroed: there was none.
 */
struct jit_clock {
	u64 shift, mult, zero;
	bool known;
};
void jit_clock_take(struct jit_clock *c, const u8 *record, size_t size, bool swap);
u64 jit_clock_ns(const struct jit_clock *c, u64 cycles);

/* Does a file of this name hold code?  ".../jit-1234.dump" */
bool jitdump_names(const char *path);

int jit_code_open(const char *path, struct jit_code **out, struct reason *r) MUST_CHECK;
void jit_code_free(struct jit_code *c);
const struct jitdump *jit_code_dump(const struct jit_code *c);
/*
 * Take in what the file has by now.  -EINVAL: it is damaged; what precedes the damage has been
 * taken in, and nothing more comes.
 */
int jit_code_read(struct jit_code *c, struct reason *r);
/* In order of the file; a function that was moved comes again, at its new address. */
size_t jit_code_count(const struct jit_code *c);
const struct jit_function *jit_code_at(const struct jit_code *c, size_t index);
/* The object of a part, or NULL when there is no such part; it lives until the drop. */
const u8 *jit_code_object(struct jit_code *c, u32 part, size_t *size);
/* Free the object of a part. */
void jit_code_drop(struct jit_code *c, u32 part);

#endif
