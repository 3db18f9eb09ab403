/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GNU indirect functions: the symbol belongs to a resolver, which runs once and returns which of
 * several functions is the real one on this machine.
 *
 * The choice is known when the file is a library that perf itself has loaded, such as libc.
 * Otherwise all functions that the resolver's code names are taken: unused ones never hit.
 * Threads: no state. Errors: none.
 */
#ifndef PROBE_IFUNC_H
#define PROBE_IFUNC_H

#include "base/vec.h"

struct elf;
struct probe_function;

struct ifunc_targets {
	VEC(u64) list; /* virtual addresses in the file, ascending */
	bool in_use;   /* this machine uses it */
};

/* Finds the targets; path is that of elf, as this process sees it. */
void ifunc_targets_of(const struct elf *elf, const char *path, const struct probe_function *f,
		      struct ifunc_targets *out);
void ifunc_targets_release(struct ifunc_targets *t);

#endif
