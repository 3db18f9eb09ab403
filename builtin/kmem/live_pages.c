// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat --bpf --page: from the maps of the BPF program to rows. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/kmem.h"
#include "builtin/kmem/internal.h"
#include "sys/sys.h"
#include "sys/tracefs.h"

struct taking {
	struct kmem_result *res;
	int stacks;
	struct map64 sites; /* number of a call chain -> caller */
};

static u64 site_of(struct taking *t, u64 stack)
{
	u64 ips[KMEM_STACK_DEPTH] = { 0 }, *known;
	bool added;

	known = map64_put(&t->sites, stack, &added);
	if (added)
		*known = stack && !bpf_map_read(t->stacks, &stack, ips)
				 ? page_site_of(&t->res->page, t->res->session, ips,
						KMEM_STACK_DEPTH)
				 : 0;
	return *known;
}

static struct live_block block_of_kind(struct taking *t, const struct kmem_page_kind *kind)
{
	gfp_learn_live(&t->res->gfp, t->res->formats, kind->gfp);
	return (struct live_block){ .site = site_of(t, kind->stack),
				    .gfp = kind->gfp,
				    .order = kind->order,
				    .type = kind->type };
}

static int take_kind(void *arg, const void *key, void *value)
{
	struct taking *t = arg;
	struct live_block b;
	u64 hits;

	memcpy(&hits, value, sizeof(hits));
	b = block_of_kind(t, key);
	page_add_row(&t->res->page, &b, hits);
	return 0;
}

static int take_block(void *arg, const void *key, void *value)
{
	struct taking *t = arg;
	const struct kmem_block *in = value;
	struct live_block b = block_of_kind(t, &in->kind);

	memcpy(&b.page, key, sizeof(b.page));
	b.cut = in->cut;
	page_add_live(&t->res->page, &b);
	return 0;
}

static struct page_totals totals(const struct kmem_page_counts *c, u64 page_size)
{
	return (struct page_totals){
		.allocs = c->allocs,
		.alloc_bytes = c->alloc_pages * page_size,
		.frees = c->frees,
		.free_bytes = c->free_pages * page_size,
		.failed = c->failed,
		.failed_bytes = c->failed_pages * page_size,
		.unmatched = c->unmatched,
		.unmatched_bytes = c->unmatched_pages * page_size,
		.matched = c->matched,
		.matched_bytes = c->matched_pages * page_size,
	};
}

void live_pages_take(struct kmem_result *res, const struct bpf_run *run,
		     const struct kmem_page_counts *counts)
{
	struct taking t = { .res = res, .stacks = bpf_run_map(run, "stacks") };
	struct page *p = &res->page;

	page_release(p);
	*p = (struct page){ .page_size = (u32)sysconf(_SC_PAGESIZE),
			    .pfn = counts->numbers_are_pfns };
	p->sum = totals(counts, p->page_size);
	if (res->k->live) {
		bpf_map_each(bpf_run_map(run, "blocks"), sizeof(u64), sizeof(struct kmem_block),
			     take_block, &t);
		page_only_live(p);
	} else {
		bpf_map_each(bpf_run_map(run, "kinds"), sizeof(struct kmem_page_kind), sizeof(u64),
			     take_kind, &t);
	}
	gfp_names_sort(&res->gfp);
	map64_release(&t.sites);
}

struct tracepoint_formats *live_pages_formats(void)
{
	char *dir = tracefs_find(NULL, NULL),
	     *path = dir ? xasprintf("%s/events/kmem/mm_page_alloc/format", dir) : NULL;
	struct tracepoint_formats *f =
		tracepoint_formats_new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long));
	struct strbuf text = STRBUF_INIT;

	if (!path || sys_read(NULL, &text, path) ||
	    tracepoint_formats_add(f, "kmem", text.s, text.len, NULL)) {
		tracepoint_formats_free(f);
		f = NULL;
	}
	strbuf_release(&text);
	free(path);
	free(dir);
	return f;
}
