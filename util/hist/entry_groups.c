// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the rows of each group, those of one view and one class of sample keys. */
#include <stdlib.h>

#include "hist/entries_parts.h"

u32 entry_groups_members(const struct hist *h)
{
	u32 most = 0;

	for (size_t i = 0; i < h->view_count; i++)
		most = MAX(most, h->views[i].pub.member_count);
	return most;
}

static u32 place_group(const struct place *p)
{
	return (u32)p->group;
}

static u32 place_view(const struct place *p)
{
	return (u32)(p->group >> 32);
}

static u32 place_member(const struct place *p)
{
	return p->member;
}

/*
 * One pass, by a number below most. Each piece of the places has its own counts, so threads share
 * none.
 */
struct pass {
	const struct hist *h;
	struct place *from, *to;
	size_t count, pieces;
	u32 most;
	u32 (*number)(const struct place *p);
	size_t *at; /* by piece and number: first the count, later where the next goes */
};

static size_t piece_begin(const struct pass *p, size_t piece)
{
	return p->count * piece / p->pieces;
}

static void fill_piece(void *arg, size_t piece)
{
	const struct pass *p = arg;
	const struct hist *h = p->h;

	for (size_t i = piece_begin(p, piece), end = piece_begin(p, piece + 1); i < end; i++) {
		const struct row *r = &h->rows.rows.items[i];

		p->from[i] = (struct place){
			.group = (u64)h->view_of_event[r->event] << 32 | h->key_class[r->key],
			.member = h->member_of_event[r->event],
			.row = (u32)i,
		};
	}
}

static void count_piece(void *arg, size_t piece)
{
	const struct pass *p = arg;
	size_t *at = p->at + piece * p->most;

	for (size_t i = piece_begin(p, piece), end = piece_begin(p, piece + 1); i < end; i++)
		at[p->number(&p->from[i])]++;
}

static void move_piece(void *arg, size_t piece)
{
	const struct pass *p = arg;
	size_t *at = p->at + piece * p->most;

	for (size_t i = piece_begin(p, piece), end = piece_begin(p, piece + 1); i < end; i++)
		p->to[at[p->number(&p->from[i])]++] = p->from[i];
}

/* Sorts places by a number below `most`; equal ones keep their order. */
static void sort_places(struct pass *p, u32 most, u32 (*number)(const struct place *p))
{
	struct place *was = p->from;
	size_t pieces = p->pieces, sum = 0;

	if (most < 2)
		return;
	if (most > p->count / pieces)
		p->pieces = 1; /* counting would take longer than it saves */
	p->most = most;
	p->number = number;
	p->at = xcalloc(most * p->pieces, sizeof(*p->at));
	hist_in_pieces(p->h, p->pieces, count_piece, p);
	for (u32 n = 0; n < most; n++)
		for (size_t i = 0; i < p->pieces; i++) {
			size_t of = p->at[i * most + n];

			p->at[i * most + n] = sum;
			sum += of;
		}
	hist_in_pieces(p->h, p->pieces, move_piece, p);
	free(p->at);
	p->from = p->to;
	p->to = was;
	p->pieces = pieces;
}

static int span_cmp(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

struct place *entry_groups_find(const struct hist *h, span_list *groups)
{
	enum { WORTH_A_THREAD = 16384 }; /* rows */
	size_t count = h->rows.rows.count;
	struct pass p = { .h = h,
			  .count = count,
			  .pieces = hist_threads(h, count / WORTH_A_THREAD) };
	struct place *places;

	p.from = xreallocarray(NULL, count + 1, sizeof(*p.from));
	p.to = xreallocarray(NULL, count + 1, sizeof(*p.to));
	hist_in_pieces(h, p.pieces, fill_piece, &p);
	sort_places(&p, entry_groups_members(h), place_member);
	sort_places(&p, h->key_classes, place_group);
	sort_places(&p, (u32)h->view_count, place_view);
	free(p.to);
	places = p.from;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && places[end].group == places[i].group;)
			end++;
		vec_push(groups, (struct span){ i, end - i });
	}
	vec_sort(groups, span_cmp);
	return places;
}
