/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code made at run time, inside the rewrite component: jit.c reads jitdump files and finds what was
 * made when. jit_used.c finds which of it samples touch, writes its objects and inserts its
 * mappings.
 */
#ifndef REWRITE_JIT_H
#define REWRITE_JIT_H

#include "base/hash.h"
#include "jit/jitdump.h"
#include "rewrite/internal.h"

/* A function, with the time from which it exists. */
struct made {
	u64 time, addr, size, index;
};

/* A function that is in memory now. */
struct in_memory {
	u64 addr, end, index;
	bool used; /* its mapping is in the recording */
};

struct jit_process {
	u32 pid;
	char *path; /* the process's path of the jitdump file */
	struct jitdump *dump;
	u64 place;             /* where the next function's records begin in the file */
	struct map64 places;   /* the same, by number of the function */
	VEC(struct made) made; /* sorted by time from `next` on */
	size_t next;
	VEC(struct in_memory) now; /* sorted by address, without overlap */
};

/* A child process with its parent's code. */
struct jit_child {
	u32 pid;
	size_t parent;     /* index in processes */
	struct map64 used; /* by hash_combine(address, number): its mappings */
};

struct jit_pass {
	VEC(struct jit_process) processes;
	VEC(struct jit_child) children;
	struct jit_clock clock;
};

/* Returns the process with this pid, or NULL (jit_used.c). */
struct jit_process *jit_process_of(struct jit_pass *p, u32 pid);
void jit_make(struct jit_process *jp, const struct made *m);
/*
 * Gives the function in memory at addr, if any, its object and mapping, as if a sample touched it.
 */
int jit_use(struct rewriter *w, struct jit_process *jp, u64 addr, u64 time, struct reason *r);
/* Forgets a pid that was reused or has ended. */
void jit_child_gone(struct jit_pass *p, u32 pid);
void jit_child_add(struct jit_pass *p, u32 parent, u32 pid);

#endif
