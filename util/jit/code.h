/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Presents a jitdump file as objects: where each function was in memory from which time on, and ELF
 * objects that hold the code, names, lines and unwind tables of all of them.
 *
 * The file may grow while its compiler runs, but an object that somebody has read cannot change. So
 * functions are collected in parts: once the object of the newest part has been asked for, further
 * functions start the next part.
 *
 * Times are those of the file (jitdump.h). Addresses in an object equal its file offsets. Threads:
 * jit_code_object() may be called by many at once, also while another thread calls jit_code_read();
 * all else by one. Life: jit_code_free() also frees the objects.
 */
#ifndef JIT_CODE_H
#define JIT_CODE_H

#include "jit/jitdump.h"

struct jit_code;

struct jit_function {
	u64 time;
	u64 addr, size; /* in memory; size in bytes is never 0 */
	u64 offset;     /* of its code in the object of its part */
	u32 part;       /* counted from 0 */
};

/*
 * Converts cycles of a processor to the recording's ns, as its TIME_CONV record says. Zeroed: there
 * was none.
 */
struct jit_clock {
	u64 shift, mult, zero;
	bool known;
};
void jit_clock_take(struct jit_clock *c, const u8 *record, size_t size, bool swap);
u64 jit_clock_ns(const struct jit_clock *c, u64 cycles);

/* Reports whether a file of this name, such as ".../jit-1234.dump", holds code. */
bool jitdump_names(const char *path);

int jit_code_open(const char *path, struct jit_code **out, struct reason *r) MUST_CHECK;
void jit_code_free(struct jit_code *c);
const struct jitdump *jit_code_dump(const struct jit_code *c);
/*
 * Reads what the file has so far. -EINVAL if it is damaged: functions before the damage are kept,
 * and nothing is read after it.
 */
int jit_code_read(struct jit_code *c, struct reason *r);
/*
 * Returns how many functions there are, in the order of the file. A function that was moved appears
 * again with its new address.
 */
size_t jit_code_count(const struct jit_code *c);
const struct jit_function *jit_code_at(const struct jit_code *c, size_t index);
/*
 * Returns the object of a part, or NULL if there is no such part. It lives until jit_code_drop().
 */
const u8 *jit_code_object(struct jit_code *c, u32 part, size_t *size);
/* Frees the object of a part. */
void jit_code_drop(struct jit_code *c, u32 part);

#endif
