// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows.h"

#include <stdlib.h>

void rows_init(struct row_parts *r, unsigned parts, const size_t *widths, size_t columns)
{
	*r = (struct row_parts){ .count = parts, .columns = columns };
	for (size_t i = 0; i < columns; i++)
		r->widths[i] = widths[i];
	r->parts = xcalloc(parts, sizeof(*r->parts));
	for (unsigned i = 0; i < parts; i++)
		r->parts[i] = xcalloc_apart(1, sizeof(**r->parts));
}

void rows_release(struct row_parts *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct row_part *p = r->parts[i];

		vec_for_each(&p->chunks, c) {
			free((*c)->times);
			free(*c);
		}
		vec_release(&p->chunks);
		vec_release(&p->runs);
		free(p);
	}
	free(r->parts);
}

/*
 * Makes a chunk. All its arrays are in one allocation, which for a long recording is large enough
 * for huge pages: with small pages much of the time would go into page faults.
 */
struct row_chunk *rows_more(struct row_parts *r, unsigned part)
{
	enum { FIRST = 1024, MOST_BYTES = 16 << 20 };
	struct row_part *p = r->parts[part];
	struct row_chunk *c = xcalloc(1, sizeof(*c));
	size_t width = sizeof(*c->times);
	char *at;

	for (size_t i = 0; i < r->columns; i++)
		width += r->widths[i];
	c->part = part;
	c->space = p->chunk ? p->chunk->space : FIRST;
	if (p->chunk && c->space * width * 4 <= MOST_BYTES)
		c->space *= 4;
	c->times = xcalloc(c->space, width);
	at = (char *)(c->times + c->space);
	/* spaces are multiples of 1024, so every array is aligned */
	for (size_t i = 0; i < r->columns; i++) {
		c->columns[i] = at;
		at += c->space * r->widths[i];
	}
	vec_push(&p->chunks, c);
	p->chunk = c;
	return c;
}

void rows_begin_run(struct row_parts *r, unsigned part, const struct session_sample *ss)
{
	struct row_part *p = r->parts[part];

	vec_push(&p->runs, (struct row_run){ .chunk = p->chunk,
					     .first = p->chunk->count,
					     .file = ss->key.file,
					     .position = ss->key.position });
	p->file = ss->key.file;
}

/* ---- order ---- */

static int by_place(const void *a, const void *b)
{
	const struct row_run *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

struct head { /* the next row of a run */
	u64 time;
	u32 run, at;
};

static bool before(const struct head *a, const struct head *b)
{
	return a->time < b->time || (a->time == b->time && a->run < b->run);
}

static void sink(struct head *heap, size_t count, size_t i)
{
	struct head moved = heap[i];

	for (size_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &moved))
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

/* Returns where the rows of the run end that come before the head of another run. */
static u32 end_before(const struct row_run *run, const struct head *h, const struct head *other)
{
	const u64 *times = run->chunk->times + run->first;
	/* at equal times that of the lower run comes first */
	u64 first_not = other->time + (h->run < other->run);
	u32 low = h->at, high = run->count, step = 1;

	if (first_not < other->time || times[high - 1] < first_not)
		return high;
	/* low is one of them; high is none */
	while (low + step < high && times[low + step] < first_not) {
		low += step;
		step *= 2;
	}
	high = MIN(high, low + step);
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (times[middle] < first_not)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void add_segment(struct row_order *o, const struct row_run *run, u32 from, u32 to)
{
	struct row_segment *last = o->segments.count ? vec_last(&o->segments) : NULL;

	if (last && last->chunk == run->chunk && last->first + last->count == run->first + from)
		last->count += to - from;
	else
		vec_push(&o->segments,
			 (struct row_segment){ run->chunk, run->first + from, to - from });
	o->rows += to - from;
}

static void merge(const struct row_run *runs, struct head *heap, size_t count,
		  struct row_order *out)
{
	for (size_t i = count / 2; i-- > 0;)
		sink(heap, count, i);
	while (count) {
		const struct row_run *run = &runs[heap->run];
		const struct head *other = count == 1                                ? NULL
					   : count > 2 && before(&heap[2], &heap[1]) ? &heap[2]
										     : &heap[1];
		u32 end = other ? end_before(run, heap, other) : run->count;

		add_segment(out, run, heap->at, end);
		if (end == run->count) {
			*heap = heap[--count];
		} else {
			heap->at = end;
			heap->time = run->chunk->times[run->first + end];
		}
		if (count)
			sink(heap, count, 0);
	}
}

void rows_order(const struct row_parts *r, struct row_order *out)
{
	VEC(struct row_run) runs = VEC_INIT;
	struct head *heap;

	*out = (struct row_order){ 0 };
	for (unsigned i = 0; i < r->count; i++)
		vec_for_each(&r->parts[i]->runs, run)
			vec_push(&runs, *run);
	if (!r->sorted)
		vec_sort(&runs, by_place);
	heap = xcalloc(runs.count + 1, sizeof(*heap));
	for (u32 i = 0; i < runs.count; i++)
		heap[i] = (struct head){ .time = runs.items[i].chunk->times[runs.items[i].first],
					 .run = i };
	merge(runs.items, heap, runs.count, out);
	free(heap);
	vec_release(&runs);
}

void row_order_release(struct row_order *o)
{
	vec_release(&o->segments);
}
