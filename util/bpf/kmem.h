/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that count slab objects, those that count pages, and perf share. */
#ifndef BPF_KMEM_H
#define BPF_KMEM_H

#include "bpf/shared.h"

struct kmem_settings {
	u32 self;          /* tgid of perf */
	u8 some_processes; /* those in the map of that name alone */
	u8 unused[3];
	/* the kernel's variable that says where the array of struct page begins; 0: not known */
	u64 pages_at;
};

struct kmem_counts {
	u64 freed, cross; /* bytes; allocations on another node than their CPU's */
	u64 no_row;       /* allocations that are not counted: the map of callers was full */
	u64 no_live;      /* allocations whose free will not be seen: the map of objects was full */
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

/* ---- pages ---- */

enum { KMEM_STACK_DEPTH = 24, KMEM_ORDERS = 16 };

struct kmem_page_counts {
	u64 allocs, alloc_pages, frees, free_pages;
	u64 failed, failed_pages;
	u64 unmatched, unmatched_pages; /* frees of what was not seen to be allocated */
	u64 matched, matched_pages;     /* allocations of which something was freed, and what */
	u64 no_row, no_live;            /* as of slab objects */
	u64 no_stack;                   /* rows whose call chain is not known: that map was full */
	u64 unread_stack;               /* allocations whose call chain the kernel could not tell */
	u32 enabled;
	u32 numbers_are_pfns; /* else they are places in an array whose beginning is not known */
};

/* What tells rows apart; the value is how often. */
struct kmem_page_kind {
	u64 stack; /* number of the call chain; 0: not known */
	u32 gfp, order;
	s32 type; /* the type of migration */
	u32 unused;
};

/* A block that is allocated, by where its first page stands in the array of all. */
struct kmem_block {
	struct kmem_page_kind kind;
	u32 cut; /* parts of it have been freed */
	u32 unused;
};

#endif
