// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rows belong to a group: those of one view and one class of sample keys. */
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

/* Orders by a number below most; equal ones stay in their order.  *spare: as many places. */
static void sort_places(struct place **places, struct place **spare, size_t count, u32 most,
			u32 (*number)(const struct place *p))
{
	struct place *from = *places, *to = *spare;
	size_t *at, sum = 0;

	if (most < 2)
		return;
	at = xcalloc(most, sizeof(*at));
	for (size_t i = 0; i < count; i++)
		at[number(&from[i])]++;
	for (u32 n = 0; n < most; n++) {
		size_t of = at[n];

		at[n] = sum;
		sum += of;
	}
	for (size_t i = 0; i < count; i++)
		to[at[number(&from[i])]++] = from[i];
	free(at);
	*places = to;
	*spare = from;
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
	size_t count = h->rows.rows.count;
	struct place *places = xcalloc(count + 1, sizeof(*places)), *spare;

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &h->rows.rows.items[i];

		places[i].group = (u64)h->view_of_event[r->event] << 32 | h->key_class[r->key];
		places[i].member = h->member_of_event[r->event];
		places[i].row = (u32)i;
	}
	spare = xreallocarray(NULL, count + 1, sizeof(*spare));
	sort_places(&places, &spare, count, entry_groups_members(h), place_member);
	sort_places(&places, &spare, count, h->key_classes, place_group);
	sort_places(&places, &spare, count, (u32)h->view_count, place_view);
	free(spare);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && places[end].group == places[i].group;)
			end++;
		vec_push(groups, (struct span){ i, end - i });
	}
	vec_sort(groups, span_cmp);
	return places;
}
