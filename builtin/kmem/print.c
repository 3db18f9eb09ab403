// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables and the summaries, as perf 6.1 lays them out. */
#include <stdio.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "base/guard.h"
#include "builtin/kmem/internal.h"

static void put_line(struct strbuf *b)
{
	strbuf_pad(b, '-', 105);
	strbuf_char(b, '\n');
}

/* Adds a number with the locale's thousands separators, right-aligned in width columns. */
static void put_number(const struct kmem_result *res, struct strbuf *b, s64 v, int width)
{
	char digits[24], out[64];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRId64, v), at = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0 && digits[i - 1] != '-')
			at += (size_t)snprintf(out + at, sizeof(out) - at, "%s", res->thousands);
		out[at++] = digits[i];
	}
	strbuf_aligned(b, out, at, width);
}

static s64 lines_of(const struct kmem_result *res, enum kmem_table table, size_t count)
{
	s64 asked = res->k->lines[table];

	return asked < 0 || (size_t)asked > count ? (s64)count : asked;
}

/* ---- slab ---- */

static void put_place(struct kmem_result *res, struct strbuf *b, enum kmem_table table,
		      const struct slab_row *row)
{
	struct strbuf text = STRBUF_INIT;
	struct kernel_function f;

	if (table == KMEM_ALLOCS)
		strbuf_f(&text, "%#" PRIx64, row->ptr);
	else if (!res->k->raw_ip && kernel_function_at(res->session, row->site, NULL, &f))
		strbuf_f(&text, "%s+%" PRIx64, f.name, row->site - f.start);
	else
		strbuf_f(&text, "%#" PRIx64, row->site);
	strbuf_printable_names(&text, 0);
	strbuf_f(b, " %-34s |", strbuf_cstr(&text));
	strbuf_release(&text);
}

static void put_slab_row(struct kmem_result *res, struct strbuf *b, enum kmem_table table,
			 const struct slab_row *row)
{
	put_place(res, b, table, row);
	strbuf_f(b,
		 " %9" PRIu64 "/%-5" PRIu64 " | %9" PRIu64 "/%-5" PRIu64 " | %8" PRIu64
		 " | %9" PRIu64 " | %6.3f%%\n",
		 row->allocated, row->allocated / row->hits, row->requested,
		 row->requested / row->hits, row->hits, row->pingpong,
		 kmem_fragmentation(row->requested, row->allocated));
}

static void put_slab_table(struct kmem_result *res, struct strbuf *b, enum kmem_table table)
{
	struct slab_row *rows =
		table == KMEM_CALLERS ? res->slab.sites.items : res->slab.ptrs.items;
	size_t count = table == KMEM_CALLERS ? res->slab.sites.count : res->slab.ptrs.count;
	s64 lines = lines_of(res, table, count);

	kmem_sort_slab(res->k->sort[table], rows, count);
	put_line(b);
	strbuf_f(b, " %-34s | %5s_alloc/Per | %5s_req/Per   | Hit      | Ping-pong | Frag\n",
		 table == KMEM_CALLERS ? "Callsite" : "Alloc Ptr", res->k->live ? "Live" : "Total",
		 res->k->live ? "Live" : "Total");
	put_line(b);
	for (s64 i = 0; i < lines; i++)
		put_slab_row(res, b, table, &rows[i]);
	if ((size_t)lines < count)
		strbuf_str(
			b,
			" ...                                | ...             | ...             "
			"| ...      | ...       | ...   \n");
	put_line(b);
}

static void put_sum(const struct kmem_result *res, struct strbuf *b, const char *what, u64 value)
{
	strbuf_str(b, what);
	put_number(res, b, (s64)value, 0);
	strbuf_char(b, '\n');
}

static void put_slab_summary(const struct kmem_result *res, struct strbuf *b)
{
	const struct slab *s = &res->slab;

	strbuf_str(b, "\nSUMMARY (SLAB allocator)\n========================\n");
	put_sum(res, b, "Total bytes requested: ", s->requested);
	put_sum(res, b, "Total bytes allocated: ", s->allocated);
	put_sum(res, b, "Total bytes freed:     ", s->freed);
	if (s->allocated > s->freed)
		put_sum(res, b, "Net total bytes allocated: ", s->allocated - s->freed);
	put_sum(res, b,
		"Total bytes wasted on internal fragmentation: ", s->allocated - s->requested);
	strbuf_f(b, "Internal fragmentation: %f%%\nCross CPU allocations: ",
		 kmem_fragmentation(s->requested, s->allocated));
	put_number(res, b, (s64)s->cross, 0);
	strbuf_char(b, '/');
	put_number(res, b, (s64)s->allocs, 0);
	strbuf_char(b, '\n');
}

/* ---- pages ---- */

/*
 * Returns the name of a type. Types 1 and 2 changed places in 4.4, where the reserve of 3 became
 * that of atomic allocations.
 */
static const char *type_name(const struct kmem_result *res, s32 type)
{
	static const char *const names[][PAGE_TYPES] = {
		{ "UNMOVABL", "MOVABLE", "RECLAIM", "HIGHATOM", "CMA/ISLT" },
		{ "UNMOVABL", "RECLAIM", "MOVABLE", "RESERVED", "CMA/ISLT" },
	};

	if (type == PAGE_TYPES)
		type--;
	return type >= 0 && type < PAGE_TYPES ? names[res->old_types][type] : "UNKNOWN";
}

static void put_flags(const struct kmem_result *res, struct strbuf *b)
{
	strbuf_str(b, "#\n# GFP flags\n# ---------\n");
	vec_for_each(&res->gfp.list, g) {
		strbuf_f(b, "# %08" PRIx64 ": %*s: ", g->flags, res->gfp.width, g->compact);
		strbuf_printable(b, g->full);
		strbuf_char(b, '\n');
	}
}

static void put_page_row(struct kmem_result *res, struct strbuf *b, enum kmem_table table,
			 const struct page_row *row, int width)
{
	struct kernel_function f;

	if (table == KMEM_ALLOCS)
		strbuf_f(b, res->page.pfn ? " %16" PRIu64 " |" : " %016" PRIx64 " |", row->page);
	strbuf_char(b, ' ');
	put_number(res, b, (s64)(row->bytes / 1024), 16);
	strbuf_str(b, " | ");
	put_number(res, b, (s64)row->hits, 9);
	strbuf_f(b, " | %5u | %8s | %-*s | ", row->order, type_name(res, row->type), width,
		 gfp_compact(&res->gfp, row->gfp));
	if (!res->k->raw_ip && kernel_function_at(res->session, row->caller - 1, NULL, &f))
		strbuf_printable(b, f.name);
	else
		strbuf_hex(b, row->caller);
	strbuf_char(b, '\n');
}

static void put_page_table(struct kmem_result *res, struct strbuf *b, enum kmem_table table)
{
	struct page_row *rows =
		table == KMEM_CALLERS ? res->page.sites.items : res->page.pages.items;
	size_t count = table == KMEM_CALLERS ? res->page.sites.count : res->page.pages.count;
	s64 lines = lines_of(res, table, count);
	int width = MAX(res->gfp.width, (int)strlen("GFP flags"));

	kmem_sort_page(res->k->sort[table], rows, count);
	strbuf_char(b, '\n');
	put_line(b);
	if (table == KMEM_ALLOCS)
		strbuf_f(b, " %-16s |", res->page.pfn ? "PFN" : "Page");
	strbuf_f(b, " %5s alloc (KB) | Hits      | Order | Mig.type | %-*s | Callsite\n",
		 res->k->live ? "Live" : "Total", width, "GFP flags");
	put_line(b);
	for (s64 i = 0; i < lines; i++)
		put_page_row(res, b, table, &rows[i], width);
	if ((size_t)lines < count)
		strbuf_f(b, "%s ...              | ...       | ...   | ...      | %-*s | ...\n",
			 table == KMEM_ALLOCS ? " ...              |" : "", width, "...");
	put_line(b);
}

static void put_requests(const struct kmem_result *res, struct strbuf *b, const char *what,
			 u64 count, u64 bytes)
{
	strbuf_f(b, "%-30s: ", what);
	put_number(res, b, (s64)count, 16);
	strbuf_str(b, "   [ ");
	put_number(res, b, (s64)(bytes / 1024), 16);
	strbuf_str(b, " KB ]\n");
}

static void put_orders(const struct kmem_result *res, struct strbuf *b)
{
	static const char *const heads[][PAGE_TYPES] = {
		{ "Unmovable", "Movable", "Reclaimable", "HighAtomic", "CMA/Isolated" },
		{ "Unmovable", "Reclaimable", "Movable", "Reserved", "CMA/Isolated" },
	};
	enum { USUAL_ORDERS = 11 };
	int last = USUAL_ORDERS - 1;

	strbuf_str(b, "Order");
	for (int t = 0; t < PAGE_TYPES; t++)
		strbuf_f(b, "  %12s", heads[res->old_types][t]);
	strbuf_str(b, "\n-----");
	for (int t = 0; t < PAGE_TYPES; t++)
		strbuf_str(b, "  ------------");
	strbuf_char(b, '\n');
	for (int o = last + 1; o < PAGE_ORDERS; o++)
		for (int t = 0; t < PAGE_TYPES; t++)
			if (res->page.orders[o][t])
				last = o;
	for (int o = 0; o <= last; o++) {
		strbuf_f(b, "%5d", o);
		for (int t = 0; t < PAGE_TYPES; t++) {
			strbuf_str(b, "  ");
			if (res->page.orders[o][t])
				put_number(res, b, res->page.orders[o][t], 12);
			else
				strbuf_str(b, "           .");
		}
		strbuf_char(b, '\n');
	}
}

static void put_page_summary(const struct kmem_result *res, struct strbuf *b)
{
	const struct page_totals *t = &res->page.sum;

	strbuf_str(b, "\nSUMMARY (page allocator)\n========================\n");
	put_requests(res, b, "Total allocation requests", t->allocs, t->alloc_bytes);
	put_requests(res, b, "Total free requests", t->frees, t->free_bytes);
	strbuf_char(b, '\n');
	put_requests(res, b, "Total alloc+freed requests", t->matched, t->matched_bytes);
	put_requests(res, b, "Total alloc-only requests", t->allocs - t->matched,
		     t->alloc_bytes - t->matched_bytes);
	put_requests(res, b, "Total free-only requests", t->unmatched, t->unmatched_bytes);
	strbuf_char(b, '\n');
	put_requests(res, b, "Total allocation failures", t->failed, t->failed_bytes);
	strbuf_char(b, '\n');
	put_orders(res, b);
}

/* ---- all ---- */

void kmem_print(struct kmem_result *res, struct strbuf *b)
{
	const struct kmem *k = res->k;

	if (k->want[KMEM_SLAB]) {
		for (int t = 0; t < KMEM_TABLES; t++)
			if (k->table[t])
				put_slab_table(res, b, t);
		put_slab_summary(res, b);
	}
	if (k->want[KMEM_PAGE]) {
		if (k->table[KMEM_CALLERS] || k->table[KMEM_ALLOCS])
			put_flags(res, b);
		for (int t = 0; t < KMEM_TABLES; t++)
			if (k->table[t])
				put_page_table(res, b, t);
		put_page_summary(res, b);
	}
}
