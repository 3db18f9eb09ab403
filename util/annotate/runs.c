// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes cycles of basic blocks from branch stacks, and lays them over the instructions.
 *
 * Of several runs that end with one branch, the longest determines the block: the others entered in
 * the middle. Where blocks overlap, the one that ends last wins. A branch whose predecessor is not
 * in the stack, or in another function, contributes only its cycles.
 */
#include <stdlib.h>

#include "annotate/counts.h"
#include "base/alloc.h"
#include "base/search.h"

static struct run_count *run_at(struct annotate_counts *c, const struct run_count *key)
{
	u64 hash = hash_combine(hash_combine(key->start, key->end), key->image);

	for (;; hash++) {
		bool added;
		u64 *at = map64_put(&c->run_of, hash, &added);
		struct run_count *r;

		if (added) {
			vec_push(&c->runs, (struct run_count){ .start = key->start,
							       .end = key->end,
							       .image = key->image,
							       .least = UINT32_MAX });
			*at = c->runs.count;
		}
		r = &c->runs.items[*at - 1];
		if (r->start == key->start && r->end == key->end && r->image == key->image)
			return r;
	}
}

static void add(struct annotate_counts *c, const struct run_count *what)
{
	struct run_count *r = run_at(c, what);

	r->count += what->count;
	r->cycles += what->cycles;
	r->least = MIN(r->least, what->least);
	r->most = MAX(r->most, what->most);
	c->is_sorted = false;
}

void annotate_counts_add_run(struct annotate_counts *c, u32 image, u64 start, u64 end, u64 cycles)
{
	u32 shown = (u32)MIN(cycles, (u64)UINT32_MAX);

	if (cycles)
		add(c, &(struct run_count){ start, end, image, shown, shown, 1, cycles });
}

void runs_release(struct annotate_counts *c)
{
	vec_release(&c->runs);
	map64_release(&c->run_of);
	free(c->sorted_runs);
	c->sorted_runs = NULL;
}

void runs_merge(struct annotate_counts *dst, struct annotate_counts *src)
{
	vec_for_each(&src->runs, r)
		add(dst, r);
	runs_release(src);
}

void runs_keep(struct annotate_counts *c, bool (*keeps)(void *arg, u32 image), void *arg)
{
	struct annotate_counts old = *c;

	c->runs = (typeof(c->runs))VEC_INIT;
	c->run_of = (struct map64){ 0 };
	c->sorted_runs = NULL;
	vec_for_each(&old.runs, r)
		if (keeps && keeps(arg, r->image))
			add(c, r);
	runs_release(&old);
}

static int last_end_first(const void *pa, const void *pb)
{
	const struct run_count *a = pa, *b = pb;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

void runs_sort(struct annotate_counts *c)
{
	size_t n = c->runs.count;

	free(c->sorted_runs);
	c->sorted_runs = xcalloc(n + 1, sizeof(*c->sorted_runs));
	for (size_t i = 0; i < n; i++)
		c->sorted_runs[i] = c->runs.items[i];
	if (n)
		qsort(c->sorted_runs, n, sizeof(*c->sorted_runs), last_end_first);
}

/* Returns the first run of the image that ends before offset. */
static size_t first_below(const struct annotate_counts *c, u32 image, u64 offset)
{
	return lower_bound(i, 0, c->runs.count,
			   c->sorted_runs[i].image < image || (c->sorted_runs[i].image == image &&
							       c->sorted_runs[i].end >= offset));
}

struct laying {
	struct annotation *n;
	u32 *code; /* lines that are code */
	double executed, cycles;
	u32 covered;
};

/* Returns the first instruction at or after offset, as an index in code. */
static u32 code_from(const struct laying *y, u64 offset)
{
	return lower_bound(i, 0, y->n->code_count, y->n->lines[y->code[i]].offset < offset);
}

static void lay_block(struct laying *y, u64 start, const struct run_count *r)
{
	u32 first = code_from(y, r->start - start), end = code_from(y, r->end - start + 1);
	double instructions = first < end ? end - first : 0;
	float ipc = (float)(instructions * (double)r->count / (double)r->cycles);

	if (!(ipc > 0))
		return;
	y->executed += instructions * (double)r->count;
	y->cycles += (double)r->cycles;
	for (u32 i = first; i < end; i++) {
		struct annotate_line *l = &y->n->lines[y->code[i]];

		y->covered += !(l->ipc > 0);
		if (!(l->ipc > 0))
			l->ipc = ipc;
	}
}

/* Lays all runs with one end; returns their number. */
static size_t lay_end(struct laying *y, u64 start, const struct run_count *r, size_t left)
{
	u64 count = 0, cycles = 0, at = r->end - start;
	u32 least = UINT32_MAX, most = 0, i = code_from(y, at + 1);
	bool laid = false;
	size_t n = 0;

	for (; n < left && r[n].image == r->image && r[n].end == r->end; n++) {
		count += r[n].count;
		cycles += r[n].cycles;
		least = MIN(least, r[n].least);
		most = MAX(most, r[n].most);
		if (!laid && r[n].start >= start && r[n].start <= r[n].end) {
			lay_block(y, start, &r[n]);
			laid = true;
		}
	}
	if (i) {
		struct annotate_line *l = &y->n->lines[y->code[i - 1]];

		l->cycles = (u32)MIN(cycles / count, (u64)UINT32_MAX);
		l->least = least;
		l->most = most;
		y->n->has_cycles = true;
	}
	return n;
}

void runs_lay(struct annotation *n, u64 start, const struct annotate_counts *c)
{
	struct laying y = { .n = n };
	size_t at = first_below(c, n->image, start + n->size);
	u32 count = 0;

	n->has_cycles = false;
	n->ipc = n->covered = 0;
	if (at >= c->runs.count || c->sorted_runs[at].image != n->image ||
	    c->sorted_runs[at].end < start)
		return;
	y.code = xcalloc(n->code_count + 1, sizeof(*y.code));
	for (u32 i = 0; i < n->count; i++) {
		n->lines[i].ipc = 0;
		n->lines[i].cycles = 0;
		if (n->lines[i].kind == ANNOTATE_CODE && count < n->code_count)
			y.code[count++] = i;
	}
	while (at < c->runs.count && c->sorted_runs[at].image == n->image &&
	       c->sorted_runs[at].end >= start)
		at += lay_end(&y, start, &c->sorted_runs[at], c->runs.count - at);
	n->ipc = y.cycles > 0 ? y.executed / y.cycles : 0;
	n->covered = n->code_count ? 100.0 * y.covered / n->code_count : 0;
	free(y.code);
}
