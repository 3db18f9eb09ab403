/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads jitdump files, in which a just-in-time compiler describes the code that it made.
 *
 * It also has a writer that makes an ELF object of one function, with its symbol, lines and unwind
 * tables, so that every tool can read it.
 *
 * The file may grow while it is read: a record that is not complete yet ends the walk for now.
 * Supports both byte orders and machines of 32 and 64 bits. Times are ns of CLOCK_MONOTONIC, or
 * cycles if jitdump_in_cycles().
 *
 * Every size is checked against the record, and the record against the file. Threads: one for each
 * struct jitdump. Source: the jitdump specification (version 1) in the kernel's
 * tools/perf/Documentation.
 */
#ifndef JIT_JITDUMP_H
#define JIT_JITDUMP_H

#include "base/reason.h"

struct jitdump;

enum jit_kind {
	JIT_LOAD,  /* a function was compiled */
	JIT_MOVE,  /* its code moved */
	JIT_CLOSE, /* the compiler has ended */
};

struct jit_line {
	u64 addr; /* absolute */
	u32 line;
	const char *file;
};

/* One entry of the file. Pointers are valid until the next call. */
struct jit_entry {
	enum jit_kind kind;
	u64 time;
	u32 pid, tid;
	u64 addr, size; /* where the code is now, bytes */
	u64 index;      /* number of the function, unique in the file */
	/* only for JIT_LOAD */
	const char *name;
	const u8 *code;
	const struct jit_line *lines; /* in order of address, as in the file */
	size_t line_count;
	const u8 *eh_frame, *eh_frame_hdr;
	size_t eh_frame_size, eh_frame_hdr_size;
	u64 mapped_size; /* bytes of unwind data that are mapped after the code */
};

int jitdump_open(const char *path, struct jitdump **out, struct reason *r) MUST_CHECK;
void jitdump_close(struct jitdump *d);
/* Returns -EPERM unless the file belongs to the caller or to root. */
int jitdump_check_owner(const struct jitdump *d, struct reason *r);
u32 jitdump_pid(const struct jitdump *d);  /* process number in its own pid namespace */
u64 jitdump_time(const struct jitdump *d); /* when the file begins, by the clock of its entries */
u64 jitdump_size(const struct jitdump *d); /* bytes of the file so far */
bool jitdump_in_cycles(const struct jitdump *d);
u64 jitdump_position(const struct jitdump *d); /* of the next record, in bytes */
/*
 * Opens another reader of the same file that starts at a position. Close it with jitdump_close().
 */
struct jitdump *jitdump_again(const struct jitdump *d, u64 position);
/*
 * Reads the next entry. Returns 1 if e is filled, 0 if there is nothing more for now, -EINVAL if
 * the file is damaged and nothing more is read.
 */
int jitdump_next(struct jitdump *d, struct jit_entry *e, struct reason *r);

/* Offset of the code in the object, which is also its address. */
#define JIT_CODE_OFFSET 0x80
/* Writes the object of a JIT_LOAD to path; an equal one that is there already stays. */
int jit_write_object(const struct jitdump *d, const struct jit_entry *e, const char *path,
		     struct reason *r);

#endif
