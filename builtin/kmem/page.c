// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages: allocations by caller and by page, and what is not freed.
 *
 * The page allocator hands out blocks of 2^order pages, each aligned to its size.  What it gave as
 * one block can come back in parts; the rest then stays live as smaller blocks.
 */
#include <ctype.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "base/bytes.h"
#include "builtin/kmem/internal.h"
#include "builtin/kmem/rows.h"

enum { IN_ALLOCATOR = 1, ELSEWHERE = 2 };

/* ---- who asked ---- */

/*
 * Reports whether this is a name that a function of mm/page_alloc.c or mm/mempolicy.c has or had.
 */
static bool is_allocator(const char *name)
{
	/* clang-format off */
	static const char *const stems[] = {
		/* callers of a BPF program appear in the chains that it takes */
		"bpf_trace_run", "bpf_trace_mm_page_alloc", "traceiter_mm_page_alloc", "bpf_get_stack", "bpf_prog", "perf_trace_mm_page_alloc",
		"alloc_page", "alloc_pages", "alloc_frozen_pages", "get_free_page", "get_free_pages",
		"get_zeroed_page", "folio_alloc", "vma_alloc_folio", "vma_alloc_zeroed_movable_folio",
		"alloc_pages_bulk", "alloc_contig_pages", "alloc_contig_range",
	};
	/* clang-format on */
	size_t n;

	while (*name == '_')
		name++;
	for (size_t i = 0; i < ARRAY_SIZE(stems); i++) {
		n = strlen(stems[i]);
		if (!strncmp(name, stems[i], n) &&
		    (!name[n] || name[n] == '_' || name[n] == '.' || isdigit(name[n])))
			return true;
	}
	return false;
}

static bool in_allocator(struct page *p, struct session *s, u64 addr)
{
	struct kernel_function f;
	bool added;
	u64 *known = map64_put(&p->allocators, addr, &added);

	if (added) {
		/* A return address can be the first byte of the next function. */
		bool is = kernel_function_at(s, addr - 1, NULL, &f) && is_allocator(f.name);

		*known = is ? IN_ALLOCATOR : ELSEWHERE;
	}
	return *known == IN_ALLOCATOR;
}

u64 page_site(struct page *p, struct session *s, const struct session_sample *sample)
{
	const struct sample *in = sample->sample;
	bool swap = session_events(s)->swap;

	for (u64 i = 0; i < in->chain_count; i++) {
		u64 addr = load_u64(in->chain + 8 * i, swap);

		if (addr < PERF_CONTEXT_MAX && !in_allocator(p, s, addr))
			return addr;
	}
	return in->ip;
}

u64 page_site_of(struct page *p, struct session *s, const u64 *ips, u32 count)
{
	struct kernel_function f;
	bool named = false;

	for (u32 i = 0; i < count && ips[i]; i++) {
		/* the program that took the chain is its leaf, and no function of the kernel's */
		named = named || kernel_function_at(s, ips[i] - 1, NULL, &f);
		if (named && !in_allocator(p, s, ips[i]))
			return ips[i];
	}
	return 0;
}

/* ---- rows ---- */

static bool same(const struct page_row *a, const struct page_row *b)
{
	return a->page == b->page && a->site == b->site && a->order == b->order &&
	       a->type == b->type && a->gfp == b->gfp;
}

/*
 * key: zero in what does not tell rows apart. Rows that share a hash are found at the next ones.
 */
#define page_row_of(rows, map, key)                                                                \
	__extension__({                                                                            \
		u64 hash_ = hash_combine(hash_combine((key)->page ^ (key)->site, (key)->gfp),      \
					 (u64)(key)->order << 32 | (u32)(key)->type);              \
		bool added_;                                                                       \
		u64 *at_;                                                                          \
		while (at_ = map64_put(map, hash_, &added_),                                       \
		       !added_ && !same(&(rows)->items[*at_], key))                                \
			hash_++;                                                                   \
		if (added_) {                                                                      \
			*at_ = (rows)->count;                                                      \
			vec_push(rows, *(key));                                                    \
		}                                                                                  \
		&(rows)->items[*at_];                                                              \
	})

/*
 * Adds a block to its page's row. The caller is not part of the row's key; the row shows the last
 * one.
 */
static void add_page(struct page *p, const struct live_block *b)
{
	struct page_row key = {
		.order = b->order, .type = b->type, .gfp = b->gfp, .page = b->page
	};
	u64 bytes = (u64)p->page_size << b->order;
	struct page_row *row = page_row_of(&p->pages, &p->by_page, &key);

	row->bytes += bytes;
	row->hits++;
	row->caller = b->site;
}

static void add_site(struct page *p, const struct live_block *b, u64 hits)
{
	struct page_row key = {
		.order = b->order, .type = b->type, .gfp = b->gfp, .site = b->site
	};
	struct page_row *row = page_row_of(&p->sites, &p->by_site, &key);

	row->bytes += ((u64)p->page_size << b->order) * hits;
	row->hits += hits;
	row->caller = b->site;
}

static void add_rows(struct page *p, const struct live_block *b)
{
	add_site(p, b, 1);
	add_page(p, b);
}

static void count_order(struct page *p, const struct live_block *b, s64 by)
{
	s32 type = b->type == PAGE_TYPES ? PAGE_TYPES - 1 : b->type; /* isolated: with CMA */

	if (b->order < PAGE_ORDERS && type >= 0 && type < PAGE_TYPES)
		p->orders[b->order][type] += by;
}

/* ---- live blocks ---- */

static struct live_block *put_block(struct page *p, const struct live_block *b)
{
	bool added;
	u64 *at = map64_put(&p->by_block, b->page, &added);

	if (added && p->unused.count) {
		*at = p->unused.items[--p->unused.count];
	} else if (added) {
		*at = p->live.count;
		vec_push_zero(&p->live);
	}
	p->live.items[*at] = *b;
	return &p->live.items[*at];
}

static void drop_block(struct page *p, u64 page)
{
	u64 *at = map64_get(&p->by_block, page);

	p->live.items[*at].order = UINT32_MAX; /* unused */
	vec_push(&p->unused, (u32)*at);
	map64_remove_slot(&p->by_block, at);
}

/* Returns the live block that contains the page, or NULL. */
static const struct live_block *block_of(const struct page *p, u64 page)
{
	for (u32 order = 0; order < PAGE_ORDERS; order++) {
		const u64 *at = map64_get(&p->by_block, page & ~((1ULL << order) - 1));

		if (at && p->live.items[*at].order >= order)
			return &p->live.items[*at];
		if (!p->pfn)
			break; /* addresses of struct page: their distance is not known */
	}
	return NULL;
}

/*
 * Splits block b around the freed part at page; the remaining halves, quarters and so on stay live.
 */
static void cut_block(struct page *p, struct live_block b, u64 page, u32 order)
{
	b.cut = true;
	while (b.order > order) {
		u64 half = 1ULL << --b.order;
		struct live_block other = b;

		if (page & half)
			b.page += half;
		else
			other.page += half;
		put_block(p, &other);
	}
}

/*
 * Forgets what was live at the pages that b takes: they are allocated again, so their frees were
 * not seen. The rest of a larger block stays live.
 */
static void take_over(struct page *p, const struct live_block *b)
{
	const struct live_block *found = block_of(p, b->page);
	u64 end = b->page + (p->pfn ? 1ULL << b->order : 1), size;

	if (found && found->order > b->order) {
		struct live_block larger = *found;

		drop_block(p, larger.page);
		cut_block(p, larger, b->page, b->order);
	}
	for (u64 page = b->page; page < end; page += size) {
		const u64 *at = map64_get(&p->by_block, page);

		size = at && p->pfn ? 1ULL << p->live.items[*at].order : 1;
		if (at)
			drop_block(p, page);
	}
}

/* ---- events ---- */

static bool failed(const struct page *p, u64 page)
{
	return p->pfn ? page == UINT64_MAX || page == UINT32_MAX : !page;
}

static u64 page_of(struct page *p, const struct tracer_hit *hit)
{
	p->pfn = tracer_has(hit, PAGE_PFN);
	return tracer_u64(hit, p->pfn ? PAGE_PFN : PAGE_PAGE);
}

void page_on_alloc(struct page *p, const struct tracer_hit *hit, u64 site)
{
	struct live_block b = { .page = page_of(p, hit),
				.site = site,
				.gfp = tracer_u64(hit, PAGE_GFP),
				.order = (u32)tracer_u64(hit, PAGE_ORDER) & 31,
				.type = (s32)tracer_s64(hit, PAGE_TYPE) };
	u64 bytes = (u64)p->page_size << b.order;

	p->sum.allocs++;
	p->sum.alloc_bytes += bytes;
	if (failed(p, b.page)) {
		p->sum.failed++;
		p->sum.failed_bytes += bytes;
		return;
	}
	take_over(p, &b);
	put_block(p, &b);
	add_rows(p, &b);
	count_order(p, &b, 1);
}

void page_add_live(struct page *p, const struct live_block *b)
{
	put_block(p, b);
}

void page_add_row(struct page *p, const struct live_block *b, u64 hits)
{
	add_site(p, b, hits);
	count_order(p, b, (s64)hits);
}

void page_on_free(struct page *p, const struct tracer_hit *hit)
{
	u64 page = page_of(p, hit);
	u32 order = (u32)tracer_u64(hit, PAGE_ORDER) & 31;
	u64 bytes = (u64)p->page_size << order, known;
	const struct live_block *found = block_of(p, page);
	struct live_block b;

	p->sum.frees++;
	p->sum.free_bytes += bytes;
	if (!found) {
		p->sum.unmatched++;
		p->sum.unmatched_bytes += bytes;
		return;
	}
	b = *found;
	/* more is freed than was seen to be allocated: the rest belongs to no row */
	known = MIN(bytes, (u64)p->page_size << b.order);
	p->sum.matched += !b.cut;
	p->sum.matched_bytes += known;
	p->sum.unmatched_bytes += bytes - known;
	drop_block(p, b.page);
	if (order < b.order)
		cut_block(p, b, page, order);
}

void page_only_live(struct page *p)
{
	vec_clear(&p->sites);
	vec_clear(&p->pages);
	map64_release(&p->by_site);
	map64_release(&p->by_page);
	memset(p->orders, 0, sizeof(p->orders));
	vec_for_each(&p->live, b) {
		if (b->order == UINT32_MAX)
			continue;
		add_rows(p, b);
		count_order(p, b, 1);
	}
}

void page_release(struct page *p)
{
	vec_release(&p->sites);
	vec_release(&p->pages);
	vec_release(&p->live);
	vec_release(&p->unused);
	map64_release(&p->by_site);
	map64_release(&p->by_page);
	map64_release(&p->by_block);
	map64_release(&p->allocators);
}
