// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --samples: keeps some samples of each entry.
 *
 * Every sample is kept while rows are made, in a list of its row; rows that become one join their
 * lists. Of an entry's samples, those with the least hash of time and place in the file stay. That
 * choice is random, but the same for any number of workers.
 */
#include <stdlib.h>

#include "hist/internal.h"

u32 hist_pick_sample(struct hist_collector *c, const struct hist_sample *s)
{
	struct pick_node n = {
		.pick = {
			.time = s->sample->id.time, .cpu = s->sample->id.cpu,
			.pid = s->task->pid, .tid = s->task->tid, .comm = s->comm,
		},
		.rank = hash_combine(hash_combine(s->key->time, s->key->file), s->key->position),
		.position = s->key->position,
	};

	vec_push(&c->picks, n);
	return (u32)c->picks.count;
}

u32 picks_join(struct pick_node *nodes, u32 a, u32 b)
{
	u32 last = a;

	if (!a || !b)
		return a ? a : b;
	while (nodes[last - 1].next)
		last = nodes[last - 1].next;
	nodes[last - 1].next = b;
	return a;
}

u32 hist_take_picks(struct hist *h, struct hist_collector *c)
{
	u32 base = (u32)h->picks.count;

	vec_for_each(&c->picks, n) {
		vec_push(&h->picks, *n);
		if (n->next)
			vec_last(&h->picks)->next += base;
	}
	vec_release(&c->picks);
	return base;
}

static int rank_cmp(const void *pa, const void *pb)
{
	const struct pick_node *a = *(struct pick_node *const *)pa,
			       *b = *(struct pick_node *const *)pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

static int time_cmp(const void *pa, const void *pb)
{
	const struct pick_node *a = *(struct pick_node *const *)pa,
			       *b = *(struct pick_node *const *)pb;

	if (a->pick.time != b->pick.time)
		return a->pick.time < b->pick.time ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

void hist_choose_picks(struct hist *h)
{
	VEC(struct pick_node *) list = VEC_INIT;
	struct arena arena = { 0 };

	for (size_t i = 0; h->set.picks && i < h->view_count; i++)
		vec_for_each(&h->views[i].entries, it) {
			struct hist_entry *e = *it;
			struct hist_pick *picks;

			vec_clear(&list);
			for (u32 n = e->pick_list; n; n = h->picks.items[n - 1].next)
				vec_push(&list, &h->picks.items[n - 1]);
			vec_sort(&list, rank_cmp);
			list.count = MIN(list.count, (size_t)h->set.picks);
			vec_sort(&list, time_cmp);
			picks = arena_alloc(&arena, (list.count + 1) * sizeof(*picks));
			for (size_t k = 0; k < list.count; k++)
				picks[k] = list.items[k]->pick;
			e->picks = picks;
			e->pick_count = (u32)list.count;
		}
	vec_release(&list);
	vec_release(&h->picks);
	vec_push(&h->arenas, arena);
}
