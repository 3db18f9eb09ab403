// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns the rows of a group into its entries.
 *
 * Own sums are added row by row. So are total sums (children): they walk the frames of a row's
 * chain from the outermost one, and add the row to the sums of each class when it first appears. So
 * a sample counts once however often a function recurs in its chain. The sums of all classes are a
 * small array that stays in the processor's cache; chains are read nearly in the order of memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/self_profile.h"
#include "hist/entries_parts.h"

static struct hist_sums *new_sums(struct work *w, u32 members)
{
	const struct hist *h = w->h;
	struct hist_sums *sums = arena_alloc(&w->arena, members * sizeof(*sums));

	memset(sums, 0, members * sizeof(*sums));
	for (u32 i = 0; h->access_slot >= 0 && i < members; i++) {
		sums[i].access = arena_alloc(&w->arena, DATA_SRC_CLASSES * sizeof(u64));
		memset(sums[i].access, 0, DATA_SRC_CLASSES * sizeof(u64));
	}
	return sums;
}

static struct hist_entry *entry_at(struct work *w, u32 view, u32 key_class, u32 frame_class)
{
	struct hist_entry *e = w->entry_of[frame_class];
	struct hist *h = w->h;
	size_t size;

	if (e)
		return e;
	e = arena_alloc(&w->arena, sizeof(*e));
	*e = (struct hist_entry){
		.key = keys_get(&h->keys, h->key_of_class[key_class]),
		.frame = h->frame_of_class[frame_class],
		.key_class = key_class,
		.frame_class = frame_class,
	};
	/* in front of its larger own sums, so what entries are sorted by is near the entry */
	size = h->views[view].pub.member_count * sizeof(*e->total);
	e->total = arena_alloc(&w->arena, size);
	memset(e->total, 0, size);
	e->self = w->no_sums;
	w->entry_of[frame_class] = e;
	vec_push(&w->made, e);
	vec_push(&w->entries, (struct made_entry){ view, e });
	return e;
}

static void add_sums(struct hist_sums *s, const struct row *r, const struct row_extra *x,
		     u8 cpumode)
{
	if (x) {
		s->latency += x->latency;
		s->weight2 += x->weight2;
		s->weight3 += x->weight3;
		s->squares += x->squares;
	}

	s->samples += r->samples;
	s->period += r->period;
	s->weight += r->weight;
	s->mode_period[hist_mode_of(cpumode)] += r->period;
}

/*
 * Reports whether a frame of the class is in the chain. Frames that do not pass add nothing to
 * callers.
 */
static bool chain_has_class(const struct work *w, chain_id id, u32 class)
{
	const struct chain_list *l = &w->m->chains[id];

	for (u32 i = 0; i < l->count; i++)
		if (w->m->shown_class[l->frames[i]] == class)
			return true;
	return false;
}

static struct noted_row note_row(const struct work *w, const struct row *r)
{
	u32 class = w->m->shown_class[r->leaf];

	return (struct noted_row){
		.class = class,
		.depth = w->m->chains[r->chain].count,
		.cpumode = hist_frame(w->h, r->leaf)->cpumode,
		.adds_total = w->h->set.children && class != HIDDEN &&
			      !chain_has_class(w, r->chain, class),
	};
}

/* Adds a row to the entry of its leaf. */
static void add_own(struct work *w, u32 view, u32 index, u32 member, const struct noted_row *n)
{
	struct hist *h = w->h;
	const struct row_extra *x = rows_extra(&h->rows, index);
	const struct row *r = &h->rows.rows.items[index];
	struct hist_entry *e;

	if (n->class == HIDDEN)
		return;
	e = entry_at(w, view, h->key_class[r->key], n->class);
	if (e->self == w->no_sums)
		e->self = new_sums(w, h->views[view].pub.member_count);
	add_sums(&e->self[member], r, x, n->cpumode);
	if (h->access_slot >= 0)
		hist_add_access(e->self[member].access, keys_get(&h->keys, r->key)[h->access_slot],
				r->period);
	if (n->adds_total) {
		e->total[member].samples += r->samples;
		e->total[member].period += r->period;
		e->total[member].latency += x ? x->latency : 0;
	}
	if (h->set.picks && x && x->picks)
		e->pick_list = picks_join(h->picks.items, x->picks, e->pick_list);
	e->max_depth = MAX(e->max_depth, n->depth);
}

/* Adds a row to all classes of its chain. */
static void add_to_callers(struct work *w, const struct row *r, u64 latency)
{
	const struct chain_list *l = &w->m->chains[r->chain];
	bool caller = w->h->set.graph.caller;
	u32 number = ++w->row_number;

	for (u32 i = l->count; i-- > 0;) {
		u32 class = w->m->shown_class[l->frames[i]];
		struct class_sums *s;

		if (class == HIDDEN || w->sums[class].met == number)
			continue;
		s = &w->sums[class];
		if (!s->samples)
			vec_push(&w->summed, class);
		s->met = number;
		s->period += r->period;
		s->samples += r->samples;
		s->latency += latency;
		s->depth = MAX(s->depth, caller ? i + 1 : l->count - i);
	}
}

/*
 * Adds the sums of a class to its entry. `from` is the thread that has the sums, which may be
 * another one.
 */
static void total_class(struct work *w, struct work *from, u32 view, u32 key_class, u32 class,
			u32 member)
{
	struct class_sums *s = &from->sums[class];
	struct hist_entry *e = entry_at(w, view, key_class, class);

	e->total[member].period += s->period;
	e->total[member].samples += s->samples;
	e->total[member].latency += s->latency;
	e->max_depth = MAX(e->max_depth, s->depth);
	*s = (struct class_sums){ .met = s->met };
}

static void total_children(struct work *w, u32 view, u32 key_class, u32 member)
{
	vec_for_each(&w->summed, class)
		total_class(w, w, view, key_class, *class, member);
	vec_clear(&w->summed);
}

void work_build_trees(struct work *w, struct view *v)
{
	struct group g = {
		.h = w->h,
		.view = v,
		.chains = w->m->chains,
		.shown_class = w->m->shown_class,
		.rows = w->rows.items,
		.row_count = w->rows.count,
		.entries = w->made.items,
		.entry_count = w->made.count,
	};

	if (w->trees)
		trees_build(&w->trees, 1, &g);
}

static void forget_made(struct work *w)
{
	vec_for_each(&w->made, e)
		w->entry_of[(*e)->frame_class] = NULL;
	vec_clear(&w->made);
}

/* Prefetches the chains of the next rows. */
static void fetch_ahead(const struct work *w, const struct place *places, size_t i)
{
	enum { ROWS = 24, LISTS = 16, FRAMES = 8 };
	const struct row *rows = w->h->rows.rows.items;
	const struct chain_list *chains = w->m->chains;

	if (i >= ROWS)
		__builtin_prefetch(&rows[places[i - ROWS].row]);
	if (i >= LISTS)
		__builtin_prefetch(&chains[rows[places[i - LISTS].row].chain]);
	if (i >= FRAMES) {
		const struct row *r = &rows[places[i - FRAMES].row];
		uintptr_t at = (uintptr_t)chains[r->chain].frames; /* 0 for no chain */

		__builtin_prefetch((const void *)at);
		__builtin_prefetch((const void *)(at + 64));
		__builtin_prefetch(&w->m->shown_class[r->leaf]);
		__builtin_prefetch(hist_frame(w->h, r->leaf));
	}
}

void work_do_group(struct work *w, const struct span *g)
{
	const struct place *places = w->m->places + g->from;
	u32 view = (u32)(places->group >> 32), key_class = (u32)places->group;
	struct hist *h = w->h;
	size_t i = g->count;

	/* The leader comes last, so its rows are still there when trees are built. */
	while (i > 0) {
		u32 member = places[i - 1].member;

		vec_clear(&w->rows);
		vec_reserve(&w->rows, i);
		for (; i > 0 && places[i - 1].member == member; i--) {
			u32 row = places[i - 1].row;
			const struct row_extra *x = rows_extra(&h->rows, row);
			struct noted_row n;

			fetch_ahead(w, places, i - 1);
			vec_push(&w->rows, h->rows.rows.items[row]);
			n = note_row(w, vec_last(&w->rows));
			add_own(w, view, row, member, &n);
			if (w->sums)
				add_to_callers(w, vec_last(&w->rows), x ? x->latency : 0);
		}
		if (w->sums)
			total_children(w, view, key_class, member);
		if (member == 0)
			work_build_trees(w, &h->views[view]);
	}
	forget_made(w);
}

/* ---- a group that all threads make ---- */

/*
 * Reports whether this thread makes the entry of the class. Each frame class has exactly one such
 * thread.
 */
static bool is_own(const struct work *w, u32 class)
{
	return class / w->m->shared->run % w->m->shared->threads == w->number;
}

static void *note_rows(void *arg)
{
	struct work *w = arg;
	const struct shared_group *g = w->m->shared;
	size_t from = g->count * w->number / g->threads,
	       to = g->count * (w->number + 1) / g->threads;

	phase_begin("sums of callers");
	for (size_t i = to; i-- > from;) {
		u32 row = g->places[i].row;
		const struct row_extra *x = rows_extra(&w->h->rows, row);

		fetch_ahead(w, g->places, i);
		g->rows[i] = w->h->rows.rows.items[row];
		g->noted[i] = note_row(w, &g->rows[i]);
		if (w->sums)
			add_to_callers(w, &g->rows[i], x ? x->latency : 0);
	}
	phase_end();
	return NULL;
}

/* Prefetches the entries of the next rows. */
static void fetch_entries(const struct work *w, const struct noted_row *noted, size_t i)
{
	enum { SLOTS = 32, ENTRIES = 16, SUMS = 8 };
	const struct hist_entry *e;

	if (i >= SLOTS && noted[i - SLOTS].class != HIDDEN)
		__builtin_prefetch(&w->entry_of[noted[i - SLOTS].class]);
	if (i >= ENTRIES && noted[i - ENTRIES].class != HIDDEN)
		__builtin_prefetch(w->entry_of[noted[i - ENTRIES].class]);
	e = i >= SUMS && noted[i - SUMS].class != HIDDEN ? w->entry_of[noted[i - SUMS].class]
							 : NULL;
	if (e) {
		__builtin_prefetch(e->self);
		__builtin_prefetch(e->total);
	}
}

static void *make_own(void *arg)
{
	struct work *w = arg;
	const struct shared_group *g = w->m->shared;

	phase_begin("sums of entries");
	for (size_t i = g->count; i-- > 0;) {
		fetch_entries(w, g->noted, i);
		if (g->noted[i].class != HIDDEN && is_own(w, g->noted[i].class))
			add_own(w, g->view, g->places[i].row, 0, &g->noted[i]);
	}
	for (unsigned i = 0; i < g->threads; i++)
		vec_for_each(&g->works[i]->summed, class)
			if (is_own(w, *class))
				total_class(w, g->works[i], g->view, g->key_class, *class, 0);
	phase_end();
	return NULL;
}

/* Makes the trees of a shared group with the builders of all threads. */
static void shared_trees(const struct shared_group *g)
{
	struct tree_builder *builders[HIST_MAX_THREADS];
	VEC(struct hist_entry *) made = VEC_INIT;
	const struct making *m = g->works[0]->m;
	struct group of = {
		.h = m->h,
		.view = &m->h->views[g->view],
		.chains = m->chains,
		.shown_class = m->shown_class,
		.rows = g->rows,
		.row_count = g->count,
	};

	if (!g->works[0]->trees)
		return;
	for (unsigned i = 0; i < g->threads; i++) {
		builders[i] = g->works[i]->trees;
		vec_for_each(&g->works[i]->made, e)
			vec_push(&made, *e);
	}
	of.entries = made.items;
	of.entry_count = made.count;
	trees_build(builders, g->threads, &of);
	vec_release(&made);
}

void works_do_group(struct work **works, unsigned threads, const struct span *span)
{
	enum { LONGEST = 512, OF_EACH = 8 }; /* classes, runs */
	struct making *m = works[0]->m;
	const struct place *places = m->places + span->from;
	struct shared_group g = {
		.view = (u32)(places->group >> 32),
		.key_class = (u32)places->group,
		.places = places,
		.count = span->count,
		.works = works,
		.threads = threads,
		.rows = xreallocarray(NULL, span->count, sizeof(*g.rows)),
		.noted = xreallocarray(NULL, span->count, sizeof(*g.noted)),
		.run = MAX(MIN(m->h->frame_classes / (threads * OF_EACH), (u32)LONGEST), 1U),
	};

	m->shared = &g;
	hist_run_threads(threads, note_rows, (void **)works);
	hist_run_threads(threads, make_own, (void **)works);
	shared_trees(&g);
	for (unsigned i = 0; i < threads; i++) {
		vec_clear(&works[i]->summed);
		forget_made(works[i]);
	}
	m->shared = NULL;
	free(g.rows);
	free(g.noted);
}

/* ---- threads ---- */

struct work *work_new(struct making *m, unsigned number)
{
	struct hist *h = m->h;
	struct work *w = xcalloc_apart(1, sizeof(*w));

	w->m = m;
	w->h = h;
	w->number = number;
	w->entry_of = xcalloc(h->frame_classes + 1, sizeof(*w->entry_of));
	w->no_sums = new_sums(w, entry_groups_members(h));
	if (h->set.children)
		w->sums = xcalloc(h->frame_classes + 1, sizeof(*w->sums));
	if (hist_draws_trees(h) && !h->trees_wait)
		w->trees = tree_builder_new(h);
	return w;
}

void work_hand_over(struct work *w)
{
	struct hist *h = w->h;

	vec_for_each(&w->entries, made)
		vec_push(&h->views[made->view].entries, made->entry);
	vec_release(&w->entries);
	vec_push(&h->arenas, w->arena);
	tree_builder_free(w->trees);
	free(w->sums);
	vec_release(&w->summed);
	free(w->entry_of);
	vec_release(&w->made);
	vec_release(&w->rows);
	free(w);
}
