// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of rows. */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/internal.h"

struct sorting {
	const struct works *w;
	const struct sort_order *order;
};

static int descending(u64 a, u64 b)
{
	return a < b ? 1 : -(a > b);
}

static int by_place(const struct work *a, const struct work *b)
{
	int c = descending(a->cpu, b->cpu);

	return c ? c : descending(a->id, b->id);
}

static int by_key(const struct work *a, const struct work *b, enum sort_key key)
{
	switch (key) {
	case SORT_COUNT:
		return descending(a->count, b->count);
	case SORT_RUNTIME:
		return descending(a->total, b->total);
	case SORT_MAX:
		return descending(a->max, b->max);
	case SORT_AVERAGE:
		return descending(a->total / a->count, b->total / b->count);
	default:
		return by_place(a, b);
	}
}

/* Compares rows. Equal ones are in perf's order: by kind, the greater CPU and number first. */
static int work_cmp(const void *x, const void *y, void *arg)
{
	const struct sorting *s = arg;
	const struct work *a = *(struct work *const *)x, *b = *(struct work *const *)y;
	int c = 0;

	for (unsigned i = 0; !c && i < s->order->count; i++)
		c = by_key(a, b, s->order->keys[i]);
	if (!c)
		c = (int)kwork_kind_place(s->w->k, a->kind) -
		    (int)kwork_kind_place(s->w->k, b->kind);
	if (!c)
		c = by_place(a, b);
	return c ? c : strcmp(strtab_get(&s->w->names, a->name), strtab_get(&s->w->names, b->name));
}

struct work **works_sorted(struct works *w, const struct sort_order *order, size_t *count)
{
	struct sorting s = { w, order };
	struct work **list = xcalloc(w->list.count + 1, sizeof(*list));

	*count = 0;
	vec_for_each(&w->list, work)
		if (work->count)
			list[(*count)++] = work;
	qsort_r(list, *count, sizeof(*list), work_cmp, &s);
	return list;
}
