/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that count slab objects or pages share with perf. */
#ifndef BPF_KMEM_H
#define BPF_KMEM_H

#include "bpf/shared.h"

struct kmem_settings {
	u32 self;          /* tgid of perf */
	u8 some_processes; /* only those in the map of that name */
	u8 unused[3];
	/* the kernel's variable with the start of the array of struct page; 0 if unknown */
	u64 pages_at;
};

struct kmem_counts {
	u64 freed, cross; /* bytes; allocations on another node than their CPU's */
	u64 no_row;       /* allocations not counted because the map of callers was full */
	u64 no_live;      /* allocations whose free will be missed: the map of objects was full */
	u32 enabled, unused;
};

/* The counts of one caller. */
struct kmem_site {
	u64 hits, requested, allocated, pingpong;
};

/* An allocated object, by its address. */
struct kmem_object {
	u64 site, requested, allocated;
	u32 cpu, unused;
};

/* ---- pages ---- */

enum { KMEM_STACK_DEPTH = 24, KMEM_ORDERS = 16 };

struct kmem_page_counts {
	u64 allocs, alloc_pages, frees, free_pages;
	u64 failed, failed_pages;
	u64 unmatched, unmatched_pages; /* frees without a known allocation */
	u64 matched, matched_pages;     /* allocations of which something was freed, and how much */
	u64 no_row, no_live;            /* as for slab objects */
	u64 no_stack;                   /* rows without a call chain because that map was full */
	u64 unread_stack;               /* allocations whose call chain the kernel could not read */
	u32 enabled;
	u32 numbers_are_pfns; /* otherwise they are indexes in an array whose start is unknown */
};

/* What distinguishes rows; the value is a count. */
struct kmem_page_kind {
	u64 stack; /* number of the call chain; 0 if unknown */
	u32 gfp, order;
	s32 type; /* the type of migration */
	u32 unused;
};

/* An allocated block, by the index of its first page in the array of all. */
struct kmem_block {
	struct kmem_page_kind kind;
	u32 cut; /* parts of it have been freed */
	u32 unused;
};

#endif
