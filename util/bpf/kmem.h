/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that count slab objects and perf share. */
#ifndef BPF_KMEM_H
#define BPF_KMEM_H

#include "bpf/shared.h"

struct kmem_settings {
	u32 self; /* tgid of perf */
	u8 some_processes; /* those in the map of that name alone */
	u8 unused[3];
};

struct kmem_counts {
	u64 freed, cross; /* bytes; allocations on another node than their CPU's */
	u64 no_row;  /* allocations that are not counted: the map of callers was full */
	u64 no_live; /* allocations whose free will not be seen: the map of objects was full */
	u32 enabled, unused;
};

/* Of one caller. */
struct kmem_site {
	u64 hits, requested, allocated, pingpong;
};

/* An object that is allocated, by its address. */
struct kmem_object {
	u64 site, requested, allocated;
	u32 cpu, unused;
};

#endif
