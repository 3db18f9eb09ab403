// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts samples by (event, image, offset), and groups them by function. */
#include <stdlib.h>
#include <string.h>

#include "annotate/internal.h"
#include "base/alloc.h"
#include "base/search.h"
#include "base/vec.h"
#include "annotate/counts.h"

struct annotate_counts *annotate_counts_new(void)
{
	return xcalloc(1, sizeof(struct annotate_counts));
}

static void drop_rows(struct annotate_counts *c)
{
	vec_release(&c->rows);
	free(c->row_counts);
	c->row_counts = NULL;
}

void annotate_counts_free(struct annotate_counts *c)
{
	if (!c)
		return;
	drop_rows(c);
	runs_release(c);
	free(c->slots);
	free(c->sorted);
	free(c);
}

static struct place_count *slot_of(struct annotate_counts *c, const struct place_count *key)
{
	size_t i = hash_combine(hash_u64(key->offset),
				((u64)key->image << 32 | key->event) + ((u64)key->version << 16)) &
		   (c->space - 1);

	while (c->slots[i].count.samples || c->slots[i].count.period) {
		const struct place_count *s = &c->slots[i];

		if (s->offset == key->offset && s->image == key->image && s->event == key->event &&
		    s->version == key->version)
			break;
		i = (i + 1) & (c->space - 1);
	}
	return &c->slots[i];
}

static void grow(struct annotate_counts *c)
{
	struct place_count *old = c->slots;
	size_t n = c->space;

	c->space = n ? n * 2 : 256;
	c->slots = xcalloc(c->space, sizeof(*c->slots));
	for (size_t i = 0; i < n; i++)
		if (old[i].count.samples || old[i].count.period)
			*slot_of(c, &old[i]) = old[i];
	free(old);
}

static void add(struct annotate_counts *c, const struct place_count *what)
{
	struct place_count *s;

	if ((c->used + 1) * 4 > c->space * 3)
		grow(c);
	s = slot_of(c, what);
	if (!s->count.samples && !s->count.period) {
		c->used++;
		*s = *what;
	} else {
		s->count.samples += what->count.samples;
		s->count.period += what->count.period;
	}
	c->is_sorted = false;
}

void annotate_counts_add(struct annotate_counts *c, u32 event, u32 image, u64 offset, u32 version,
			 u64 period)
{
	const struct place_count one = { offset, image, event, version, { 1, period } };

	add(c, &one);
}

void annotate_counts_merge(struct annotate_counts *dst, struct annotate_counts *src)
{
	for (size_t i = 0; i < src->space; i++)
		if (src->slots[i].count.samples || src->slots[i].count.period)
			add(dst, &src->slots[i]);
	runs_merge(dst, src);
	free(src->slots);
	src->slots = NULL;
	src->space = src->used = 0;
	src->is_sorted = false;
	drop_rows(src);
}

void annotate_counts_keep(struct annotate_counts *c, bool (*keeps)(void *arg, u32 image), void *arg)
{
	struct place_count *old = c->slots;
	size_t n = c->space;

	drop_rows(c);
	runs_keep(c, keeps, arg);
	c->slots = NULL;
	c->space = c->used = 0;
	c->is_sorted = false;
	for (size_t i = 0; i < n; i++)
		if ((old[i].count.samples || old[i].count.period) && keeps &&
		    keeps(arg, old[i].image))
			add(c, &old[i]);
	free(old);
}

size_t annotate_counts_size(const struct annotate_counts *c)
{
	return c->used;
}

static int by_place(const void *pa, const void *pb)
{
	const struct place_count *a = pa, *b = pb;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->version < b->version ? -1 : a->version > b->version;
}

void annotate_counts_sort(struct annotate_counts *c)
{
	size_t n = 0;

	if (c->is_sorted)
		return;
	c->sorted = xreallocarray(c->sorted, c->used + 1, sizeof(*c->sorted));
	for (size_t i = 0; i < c->space; i++)
		if (c->slots[i].count.samples || c->slots[i].count.period)
			c->sorted[n++] = c->slots[i];
	qsort(c->sorted, n, sizeof(*c->sorted), by_place);
	runs_sort(c);
	c->is_sorted = true;
}

/* Returns the first place at or after (image, offset). */
size_t annotate_counts_from(const struct annotate_counts *c, u32 image, u64 offset)
{
	return lower_bound(i, 0, c->used,
			   c->sorted[i].image < image ||
				   (c->sorted[i].image == image && c->sorted[i].offset < offset));
}

struct sort_how {
	const struct image_table *images;
	u32 sort_by;
};

static int hottest_first(const void *pa, const void *pb, void *arg)
{
	const struct annotate_row *a = pa, *b = pb;
	const struct sort_how *how = arg;
	u64 x = a->counts[how->sort_by].period, y = b->counts[how->sort_by].period;
	int diff;

	if (x != y)
		return x > y ? -1 : 1;
	diff = strcmp(image_get(how->images, a->image)->path,
		      image_get(how->images, b->image)->path);
	if (diff)
		return diff;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_row(struct annotate_counts *c, u32 image, u32 number, const struct symbol *s)
{
	vec_push(&c->rows, (struct annotate_row){ .image = image,
						  .symbol = number,
						  .start = s->start,
						  .end = symbol_end(s) });
}

/*
 * Makes a row of each function. The same function in two images of one path (two processes'
 * mappings) has one row each.
 */
const struct annotate_row *annotate_rows(struct annotate_counts *c,
					 const struct image_table *images,
					 struct symbol_store *symbols, u32 events, u32 sort_by,
					 size_t *count)
{
	struct sort_how how = { images, sort_by };
	struct map64 known = { 0 };
	VEC(u32) row_of = VEC_INIT; /* by sorted place; NO_SYMBOL for none */

	annotate_counts_sort(c);
	drop_rows(c);
	for (size_t i = 0; i < c->used; i++) {
		const struct place_count *p = &c->sorted[i];
		const struct symbol_table *t = symbols_of(symbols, p->image);
		u32 number = symbol_find(t, p->offset);
		bool added;
		u64 *row;

		if (number == NO_SYMBOL) {
			vec_push(&row_of, NO_SYMBOL);
			continue;
		}
		row = map64_put(&known, (u64)p->image << 32 | number, &added);
		if (added) {
			*row = c->rows.count;
			add_row(c, p->image, number, symbol_get(t, number));
		}
		vec_push(&row_of, (u32)*row);
	}
	c->row_counts = xcalloc(c->rows.count * (size_t)events + 1, sizeof(*c->row_counts));
	for (size_t i = 0; i < c->rows.count; i++)
		c->rows.items[i].counts = c->row_counts + i * events;
	for (size_t i = 0; i < c->used; i++) {
		const struct place_count *p = &c->sorted[i];
		struct annotate_count *to;

		if (row_of.items[i] == NO_SYMBOL || p->event >= events)
			continue;
		to = &c->rows.items[row_of.items[i]].counts[p->event];
		to->samples += p->count.samples;
		to->period += p->count.period;
	}
	if (c->rows.count)
		qsort_r(c->rows.items, c->rows.count, sizeof(*c->rows.items), hottest_first, &how);
	vec_release(&row_of);
	map64_release(&known);
	*count = c->rows.count;
	return c->rows.items;
}
