/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code made at run time, inside of rewrite: jit.c reads jitdump files and says what was made when;
 * jit_used.c finds which of it samples touch, writes its objects and puts in its mappings.
 */
#ifndef REWRITE_JIT_H
#define REWRITE_JIT_H

#include "base/hash.h"
#include "jit/jitdump.h"
#include "rewrite/internal.h"

/* A function from its time on. */
struct made {
	u64 time, addr, size, index;
};

/* One that is in memory now. */
struct in_memory {
	u64 addr, end, index;
	bool used; /* its mapping is in the recording */
};

struct jit_process {
	u32 pid;
	char *path; /* the path of the jitdump file, as the process names it */
	struct jitdump *dump;
	u64 place;             /* where the records of the next function begin in it */
	struct map64 places;   /* the same by the numbers of functions */
	VEC(struct made) made; /* in order of time from next on */
	size_t next;
	VEC(struct in_memory) now; /* by address; they do not overlap */
};

/* A child that has its parent's code. */
struct jit_child {
	u32 pid;
	size_t parent;     /* index in processes */
	struct map64 used; /* by hash_combine(address, number): the mappings it has */
};

struct jit_pass {
	VEC(struct jit_process) processes;
	VEC(struct jit_child) children;
	struct jit_clock clock;
};

/* jit_used.c */
struct jit_process *jit_process_of(struct jit_pass *p, u32 pid);
void jit_make(struct jit_process *jp, const struct made *m);
/*
 * The function in memory at addr, if there is one, gets its object and mapping, as if a sample
 * touched it.
 */
int jit_use(struct rewriter *w, struct jit_process *jp, u64 addr, u64 time, struct reason *r);
/* pid is another one now, or has ended. */
void jit_child_gone(struct jit_pass *p, u32 pid);
void jit_child_add(struct jit_pass *p, u32 parent, u32 pid);

#endif
