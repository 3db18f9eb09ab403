/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf kmem. */
#ifndef BUILTIN_KMEM_INTERNAL_H
#define BUILTIN_KMEM_INTERNAL_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "builtin/kmem/kmem.h"
#include "session/choice.h"
#include "tracepoint/tracepoint.h"
#include "tracer/tracer.h"

/* ---- slab.c ---- */

/* Allocations of one caller, or at one address. */
struct slab_row {
	u64 ptr, site;
	u64 requested, allocated; /* bytes */
	u64 hits, pingpong;       /* pingpong: freed on another CPU */
	/* by address only: of the last allocation, while it is live */
	u64 last_requested, last_allocated;
	u32 cpu;
	bool live;
};
struct slab {
	VEC(struct slab_row) sites, ptrs;
	struct map64 by_site, by_ptr; /* index */
	VEC(u32) unused;              /* places in ptrs, where freed addresses are forgotten */
	bool keep_freed;              /* rows of ptrs are also printed */
	u64 requested, allocated, freed, allocs, cross;
	struct data_place *places; /* by CPU */
	u32 place_count;
};
int slab_on_alloc(struct slab *s, const struct tracer_hit *hit);
void slab_on_free(struct slab *s, const struct tracer_hit *hit);
/* Replaces all rows by those of what is still live. */
void slab_only_live(struct slab *s);
void slab_release(struct slab *s);

/* ---- page.c ---- */

struct page_row {
	u64 page, site; /* what the row is of; 0: of all */
	u64 caller;     /* the last address that asked */
	u64 bytes, hits;
	u64 gfp;
	u32 order;
	s32 type; /* the type of migration */
};
/* A block of pages that is allocated. */
struct live_block {
	u64 page, site, gfp;
	u32 order;
	s32 type;
	bool cut; /* parts of it have been freed */
};
enum { PAGE_ORDERS = 16, PAGE_TYPES = 5 };

struct page_totals {
	u64 allocs, alloc_bytes, frees, free_bytes;
	u64 failed, failed_bytes;
	u64 unmatched, unmatched_bytes; /* frees of objects whose allocation was not seen */
	u64 matched, matched_bytes;     /* allocations of which something was freed, and what */
};
struct page {
	u32 page_size;
	bool pfn; /* pages are numbers, not addresses of their struct page */
	VEC(struct page_row) sites, pages;
	/* hash of what tells rows apart -> index; see page_row_of() */
	struct map64 by_site, by_page;
	VEC(struct live_block) live;
	struct map64 by_block; /* page -> index in live */
	VEC(u32) unused;
	struct map64 allocators; /* address -> 1: in a function of the allocator itself, 2: not */
	struct page_totals sum;
	s64 orders[PAGE_ORDERS][PAGE_TYPES];
};
/* Counts an allocation; site is the address that asked for it. */
void page_on_alloc(struct page *p, const struct tracer_hit *hit, u64 site);
void page_on_free(struct page *p, const struct tracer_hit *hit);
/* Replaces all rows and orders by those of what is still live. */
void page_only_live(struct page *p);
void page_release(struct page *p);
/* Counts the allocation of a block, once or a given number of times (from BPF's counts). */
void page_add_live(struct page *p, const struct live_block *b);
void page_add_row(struct page *p, const struct live_block *b, u64 hits);
/*
 * Returns the address that asked for the pages of this sample: the first caller outside the
 * allocator.
 */
u64 page_site(struct page *p, struct session *s, const struct session_sample *sample);
/*
 * Works like page_site(), for addresses, leaf first, up to the first 0. Returns 0 if all belong to
 * the allocator.
 */
u64 page_site_of(struct page *p, struct session *s, const u64 *ips, u32 count);

/* ---- gfp.c ---- */

/* Names of flag sets, from the print format of the recorded kernel. */
struct gfp_name {
	u64 flags;
	char *full, *compact;
};
struct gfp_names {
	VEC(struct gfp_name) list; /* by flags once gfp_names_sort() was called */
	struct map64 known;
	struct tracepoint_printer *printer;
	struct strbuf text;
	int width; /* the width of the longest compact name */
};
void gfp_learn(struct gfp_names *g, const struct tracepoint_formats *f,
	       const struct session_sample *s, u64 flags);
/* Learns a set of flags from the running kernel, whose formats f has. */
void gfp_learn_live(struct gfp_names *g, const struct tracepoint_formats *f, u64 flags);
void gfp_names_sort(struct gfp_names *g);
const char *gfp_compact(const struct gfp_names *g, u64 flags);
void gfp_names_release(struct gfp_names *g);

/* ---- keys.c ---- */

/* Checks that the text consists of keys, each known to at least one of the wanted allocators. */
int kmem_check_keys(const struct kmem *k, const char *text, struct reason *r);
void kmem_sort_slab(const char *text, struct slab_row *rows, size_t count);
void kmem_sort_page(const char *text, struct page_row *rows, size_t count);
double kmem_fragmentation(u64 requested, u64 allocated);

/* ---- print.c ---- */

struct kmem_result {
	const struct kmem *k;
	struct session *session;
	struct slab slab;
	struct page page;
	struct gfp_names gfp;
	bool old_types; /* kernels before 4.4 number types of migration differently */
	char thousands[8];
	/* the formats of the running kernel, for --bpf --page; NULL: not known */
	struct tracepoint_formats *formats;
};
void kmem_print(struct kmem_result *res, struct strbuf *b);

/* ---- live_pages.c ---- */

struct bpf_run;
struct kmem_page_counts;
/* Turns the counts so far into rows of the result. */
void live_pages_take(struct kmem_result *res, const struct bpf_run *run,
		     const struct kmem_page_counts *counts);
/* Returns the format of mm_page_alloc, or NULL if tracefs cannot be read. */
struct tracepoint_formats *live_pages_formats(void);

/* ---- live.c ---- */

/* Makes the session; set must live until the session ends. */
int kmem_count(struct kmem *k, struct kmem_result *res, struct event_set *set, int argc,
	       const char **argv, struct reason *r) MUST_CHECK;

#endif
