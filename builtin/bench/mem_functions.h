/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to copy and to fill memory besides those of the C library: plain loops of whole words, and
 * on x86 the string instructions. They write exactly size bytes and keep no state.
 */
#ifndef BUILTIN_BENCH_MEM_FUNCTIONS_H
#define BUILTIN_BENCH_MEM_FUNCTIONS_H

#include "base/types.h"

struct mem_function {
	const char *name, *what; /* name NULL: end of a table */
	void *(*copy)(void *to, const void *from, size_t size);
	void *(*fill)(void *to, int value, size_t size);
	int map_flags; /* flags for mem mmap, beside MAP_PRIVATE and MAP_ANONYMOUS */
};

extern const struct mem_function memcpy_functions[], memset_functions[], mmap_functions[];

#endif
