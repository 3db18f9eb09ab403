// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows -> entries, a group at a time: a group is all rows of one view and one
 * class of sample keys.  Groups know nothing of each other, so several threads take
 * them, the largest first.
 *
 * A group that needs call chains works on a copy of those chain nodes that its rows
 * touch, numbered anew in the same order: its sums are small arrays, and ids still
 * ascend from parent to child.
 *
 * Own sums are added row by row.  Total sums (children) come from the chain
 * nodes: rows are laid on their innermost node, sums flow from each node to its
 * parent (one pass downwards does), and a node's sum goes to the entry of its frame
 * unless a node above it is of the same entry: so a sample counts once however often a
 * function recurs in its chain.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hist/internal.h"

enum { MAX_THREADS = 64 };

struct place {
	u64 group; /* view, key class */
	u32 member, row;
};

/* A run of places with one group. */
struct span {
	size_t from, count;
};

struct made_entry {
	u32 view;
	struct hist_entry *entry;
};

/* What all threads share. */
struct making {
	struct hist *h;
	const bool *passes; /* by frame */
	const struct place *places;
	VEC(struct span) groups; /* largest first */
	size_t next;
	bool local; /* groups work on nodes of their own */
};

/* One thread. */
struct work {
	struct making *m;
	struct hist *h;
	u32 *local_of; /* by node of the hist: its number in the group, 0: none */
	VEC(u32) ids;  /* of the group's nodes in the hist, ascending */
	size_t room;   /* of the arrays below */
	struct chain_node *own_nodes;
	const struct chain_node *nodes; /* of the group, or all */
	bool *topmost;	/* by node */
	u64 *mask;	/* by node: a bloom of the frame classes from the root to it */
	u64 *period;	/* by node */
	u32 *samples;
	u64 *latency;	/* only where a column shows it */
	u32 *height;	/* frames from a node to its deepest leaf with samples */
	VEC(u32) touched; /* nodes with samples of this member, ascending */
	struct hist_entry **entry_of; /* by frame class */
	VEC(u32) made;		      /* frame classes with an entry in this group */
	VEC(struct made_entry) entries;
	VEC(struct row) rows; /* of one member, with the group's nodes */
	struct tree_builder *trees;
	struct arena arena;
};

static inline u32 node_class(const struct hist *h, const struct chain_node *n)
{
	return h->frame_class[n->frame];
}

/* ---- the group's nodes ---- */

static int id_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void make_room(struct work *w, size_t count)
{
	const struct hist *h = w->h;

	if (count <= w->room && w->own_nodes)
		return;
	w->room = count + count / 4;
	w->own_nodes = xreallocarray(w->own_nodes, w->room + 1, sizeof(*w->own_nodes));
	if (!h->set.children)
		return;
	w->topmost = xreallocarray(w->topmost, w->room + 1, sizeof(*w->topmost));
	w->mask = xreallocarray(w->mask, w->room + 1, sizeof(*w->mask));
	w->period = xreallocarray(w->period, w->room + 1, sizeof(*w->period));
	w->samples = xreallocarray(w->samples, w->room + 1, sizeof(*w->samples));
	w->height = xreallocarray(w->height, w->room + 1, sizeof(*w->height));
	if (h->wants_extra)
		w->latency = xreallocarray(w->latency, w->room + 1, sizeof(*w->latency));
}

static bool has_class_above(const struct work *w, chain_id id, u32 class)
{
	for (id = w->nodes[id].parent; id; id = w->nodes[id].parent) {
		const struct chain_node *n = &w->nodes[id];

		if (!(w->mask[id] & BIT64(class & 63)))
			return false;
		if (node_class(w->h, n) == class && w->m->passes[n->frame])
			return true;
	}
	return false;
}

static void find_topmost(struct work *w)
{
	w->mask[0] = 0;
	for (chain_id id = 1; id <= w->ids.count; id++) {
		const struct chain_node *n = &w->nodes[id];
		u32 class = node_class(w->h, n);

		w->mask[id] = w->mask[n->parent] | BIT64(class & 63);
		w->topmost[id] = w->m->passes[n->frame] && !has_class_above(w, id, class);
	}
}

static chain_id place_chain(const struct work *w, const struct place *p)
{
	return w->h->rows.rows.items[p->row].chain;
}

/* Few chains: each is followed to its outermost frame, or to one that was met. */
static void follow_chains(struct work *w, const struct place *places, size_t count)
{
	const struct chain_node *all = chain_nodes(w->h->chains);

	for (size_t i = 0; i < count; i++) {
		chain_id id = place_chain(w, &places[i]);

		for (; id && !w->local_of[id]; id = all[id].parent) {
			w->local_of[id] = 1;
			vec_push(&w->ids, id);
		}
	}
	vec_sort(&w->ids, id_cmp);
}

/* Many: one pass from the last node down, in order of memory, marks all callers. */
static void mark_chains(struct work *w, const struct place *places, size_t count)
{
	const struct chain_node *all = chain_nodes(w->h->chains);
	u32 nodes = chains_count(w->h->chains);

	for (size_t i = 0; i < count; i++)
		w->local_of[place_chain(w, &places[i])] = 1;
	for (u32 id = nodes; id > 0; id--)
		if (w->local_of[id])
			w->local_of[all[id].parent] = 1;
	w->local_of[0] = 0;
	for (u32 id = 1; id <= nodes; id++)
		if (w->local_of[id])
			vec_push(&w->ids, id);
}

/* The nodes of the group's chains, from 1 on. */
static void take_nodes(struct work *w, const struct span *g)
{
	enum { MANY = 64 }; /* nodes passed in the time of following a chain */
	const struct chain_node *all = chain_nodes(w->h->chains);

	w->nodes = all;
	if (!w->m->local)
		return;
	vec_clear(&w->ids);
	if (g->count < chains_count(w->h->chains) / MANY)
		follow_chains(w, w->m->places + g->from, g->count);
	else
		mark_chains(w, w->m->places + g->from, g->count);
	make_room(w, w->ids.count);
	w->own_nodes[0] = (struct chain_node){ 0 };
	for (u32 i = 0; i < w->ids.count; i++) {
		u32 id = w->ids.items[i];

		w->local_of[id] = i + 1;
		w->own_nodes[i + 1] = all[id];
		w->own_nodes[i + 1].parent = w->local_of[all[id].parent];
	}
	w->nodes = w->own_nodes;
	if (w->h->set.children)
		find_topmost(w);
}

static void leave_nodes(struct work *w)
{
	for (size_t i = 0; w->m->local && i < w->ids.count; i++)
		w->local_of[w->ids.items[i]] = 0;
}

/* ---- sums ---- */

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
	size = h->views[view].pub.member_count * sizeof(*e->self);
	e->self = arena_alloc(&w->arena, size);
	e->total = arena_alloc(&w->arena, size);
	memset(e->self, 0, size);
	for (u32 i = 0; h->access_slot >= 0 && i < h->views[view].pub.member_count; i++) {
		e->self[i].access = arena_alloc(&w->arena, DATA_SRC_CLASSES * sizeof(u64));
		memset(e->self[i].access, 0, DATA_SRC_CLASSES * sizeof(u64));
	}
	memset(e->total, 0, size);
	w->entry_of[frame_class] = e;
	vec_push(&w->made, frame_class);
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
	}

	s->samples += r->samples;
	s->period += r->period;
	s->weight += r->weight;
	s->mode_period[hist_mode_of(cpumode)] += r->period;
}

static bool chain_has_class(const struct work *w, chain_id id, u32 class)
{
	for (; id; id = w->nodes[id].parent)
		if (node_class(w->h, &w->nodes[id]) == class)
			return true;
	return false;
}

static void add_row(struct work *w, u32 view, u32 index, u32 member)
{
	struct hist *h = w->h;
	const struct row_extra *x = rows_extra(&h->rows, index);
	struct row r = h->rows.rows.items[index];
	const struct frame *leaf = hist_frame(h, r.leaf);
	u32 class = h->frame_class[r.leaf];

	if (w->m->local)
		r.chain = w->local_of[r.chain];
	vec_push(&w->rows, r);
	if (w->m->passes[r.leaf]) {
		struct hist_entry *e = entry_at(w, view, h->key_class[r.key], class);

		add_sums(&e->self[member], &r, x, leaf->cpumode);
		if (h->access_slot >= 0)
			hist_add_access(e->self[member].access, keys_get(&h->keys, r.key)[h->access_slot],
					r.period);
		if (h->set.children && !chain_has_class(w, r.chain, class)) {
			e->total[member].samples += r.samples;
			e->total[member].period += r.period;
			e->total[member].latency += x ? x->latency : 0;
		}
		if (h->set.picks && x && x->picks)
			e->pick_list = picks_join(h->picks.items, x->picks, e->pick_list);
		if (r.chain)
			e->max_depth = MAX(e->max_depth, w->nodes[r.chain].depth);
	}
	/* Without children all that is asked of chains can be read off the rows. */
	if (r.chain && h->set.children) {
		w->period[r.chain] += r.period;
		w->samples[r.chain] += (u32)r.samples;
		if (w->latency)
			w->latency[r.chain] += x->latency;
	}
}

static void clear_sums(struct work *w)
{
	size_t n = w->ids.count + 1;

	memset(w->period, 0, n * sizeof(*w->period));
	memset(w->samples, 0, n * sizeof(*w->samples));
	memset(w->height, 0, n * sizeof(*w->height));
	if (w->latency)
		memset(w->latency, 0, n * sizeof(*w->latency));
}

static void flow_to_parents(struct work *w)
{
	for (chain_id id = (chain_id)w->ids.count; id > 0; id--) {
		chain_id parent = w->nodes[id].parent;

		if (!w->samples[id])
			continue;
		w->height[id]++;
		if (!parent)
			continue;
		w->period[parent] += w->period[id];
		w->samples[parent] += w->samples[id];
		if (w->latency)
			w->latency[parent] += w->latency[id];
		w->height[parent] = MAX(w->height[parent], w->height[id]);
	}
}

static void total_children(struct work *w, u32 view, u32 key_class, u32 member)
{
	struct hist *h = w->h;

	vec_clear(&w->touched);
	for (chain_id id = 1; id <= w->ids.count; id++) {
		const struct chain_node *n = &w->nodes[id];
		struct hist_entry *e;

		if (!w->samples[id])
			continue;
		vec_push(&w->touched, id);
		if (!w->topmost[id])
			continue;
		e = entry_at(w, view, key_class, node_class(h, n));
		e->total[member].period += w->period[id];
		e->total[member].samples += w->samples[id];
		e->total[member].latency += w->latency ? w->latency[id] : 0;
		e->max_depth = MAX(e->max_depth, h->set.graph.caller ? w->height[id] : n->depth);
	}
}

static void build_trees(struct work *w, struct view *v)
{
	struct group g = {
		.h = w->h, .view = v, .nodes = w->nodes,
		.node_count = w->m->local ? w->ids.count : 0,
		.rows = w->rows.items, .row_count = w->rows.count,
		.entry_of = w->entry_of, .made = w->made.items, .made_count = w->made.count,
		.touched = w->touched.items, .touched_count = w->touched.count,
		.period = w->period, .samples = w->samples,
		.topmost = w->topmost,
	};

	if (w->trees)
		trees_build(w->trees, &g);
}

static void do_group(struct work *w, const struct span *g)
{
	const struct place *places = w->m->places + g->from;
	u32 view = (u32)(places->group >> 32), key_class = (u32)places->group;
	struct hist *h = w->h;
	size_t i = g->count;

	take_nodes(w, g);
	/* The leader comes last, so that its sums still stand when trees are built. */
	while (i > 0) {
		u32 member = places[i - 1].member;

		vec_clear(&w->rows);
		if (h->set.children)
			clear_sums(w);
		for (; i > 0 && places[i - 1].member == member; i--)
			add_row(w, view, places[i - 1].row, member);
		if (h->set.children) {
			flow_to_parents(w);
			total_children(w, view, key_class, member);
		}
		if (member == 0)
			build_trees(w, &h->views[view]);
	}
	leave_nodes(w);
	vec_for_each(&w->made, class)
		w->entry_of[*class] = NULL;
	vec_clear(&w->made);
}

/* ---- threads ---- */

static int place_cmp(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int span_cmp(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static struct place *find_groups(struct making *m)
{
	struct hist *h = m->h;
	size_t count = h->rows.rows.count;
	struct place *places = xcalloc(count + 1, sizeof(*places));

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &h->rows.rows.items[i];

		places[i].group = (u64)h->view_of_event[r->event] << 32 | h->key_class[r->key];
		places[i].member = h->member_of_event[r->event];
		places[i].row = (u32)i;
	}
	qsort(places, count, sizeof(*places), place_cmp);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && places[end].group == places[i].group;)
			end++;
		vec_push(&m->groups, (struct span){ i, end - i });
	}
	vec_sort(&m->groups, span_cmp);
	return places;
}

static void *do_groups(void *arg)
{
	struct work *w = arg;
	struct hist *h = w->h;

	w->entry_of = xcalloc(h->frame_classes + 1, sizeof(*w->entry_of));
	if (w->m->local)
		w->local_of = xcalloc((size_t)chains_count(h->chains) + 1, sizeof(u32));
	if (h->set.chains && h->set.graph.mode != CALL_GRAPH_NONE)
		w->trees = tree_builder_new(h);
	for (;;) {
		size_t i = __atomic_fetch_add(&w->m->next, 1, __ATOMIC_RELAXED);

		if (i >= w->m->groups.count || context_cancelled(h->ctx))
			break;
		do_group(w, &w->m->groups.items[i]);
	}
	free(w->local_of);
	free(w->own_nodes);
	free(w->topmost);
	free(w->mask);
	free(w->period);
	free(w->samples);
	free(w->latency);
	free(w->height);
	free(w->entry_of);
	vec_release(&w->ids);
	vec_release(&w->touched);
	vec_release(&w->made);
	vec_release(&w->rows);
	return NULL;
}

/* What a thread made becomes the hist's. */
static void hand_over(struct work *w)
{
	struct hist *h = w->h;

	vec_for_each(&w->entries, made)
		vec_push(&h->views[made->view].entries, made->entry);
	vec_release(&w->entries);
	vec_push(&h->arenas, w->arena);
	tree_builder_free(w->trees);
}

unsigned hist_threads(const struct hist *h, size_t jobs)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = h->ctx->workers ? h->ctx->workers : (size_t)MAX(cpus, 1);

	return (unsigned)MAX(MIN(MIN(n, jobs), (size_t)MAX_THREADS), (size_t)1);
}

void hist_run_threads(unsigned count, void *(*fn)(void *), void *const *args)
{
	pthread_t threads[MAX_THREADS];
	unsigned started = 0;

	/* What has no thread of its own is done here. */
	while (started + 1 < MIN(count, (unsigned)MAX_THREADS) &&
	       !pthread_create(&threads[started], NULL, fn, args[started + 1]))
		started++;
	fn(args[0]);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = started + 1; i < count; i++)
		fn(args[i]);
}

/* Before any group, since trees are pruned by what is shown of the whole. */
static void count_shown(struct hist *h, const bool *passes)
{
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		const struct row *r = &h->rows.rows.items[i];
		const struct row_extra *x = rows_extra(&h->rows, i);
		struct view *v = &h->views[h->view_of_event[r->event]];
		struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

		if (!passes[r->leaf])
			continue;
		t->shown_latency += x ? x->latency : 0;
		t->shown_samples += r->samples;
		t->shown_period += r->period;
	}
}

/*
 * Rows without the parent that was asked for count in the totals only; those
 * that have no name, where only names are wanted, not even there.
 */
static void drop_excluded_rows(struct hist *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row *r = &h->rows.rows.items[i];
		struct view *v = &h->views[h->view_of_event[r->event]];

		if (h->set.hide_unresolved &&
		    hist_frame(h, r->leaf)->symbol == NO_SYMBOL) {
			struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

			t->samples -= r->samples;
			t->period -= r->period;
			t->latency -= h->rows.has_extra ? h->rows.extra.items[i].latency : 0;
			continue;
		}
		if (h->set.exclude_other && h->parent_slot >= 0 &&
		    !keys_get(&h->keys, r->key)[h->parent_slot])
			continue;
		if (h->rows.has_extra)
			h->rows.extra.items[kept] = h->rows.extra.items[i];
		h->rows.rows.items[kept++] = *r;
	}
	h->rows.rows.count = kept;
}

void hist_make_entries(struct hist *h)
{
	enum { WORTH_THREADS = 512 }; /* rows */
	u32 frames = frames_count(h->chains);
	bool *passes = xcalloc(frames + 1, sizeof(*passes));
	struct making m = {
		.h = h, .passes = passes,
		.local = h->set.children || (h->set.chains && h->set.graph.caller &&
					     h->set.graph.mode != CALL_GRAPH_NONE),
	};
	struct work *works;
	struct place *places;
	void *args[MAX_THREADS] = { NULL };
	unsigned threads;

	drop_excluded_rows(h);
	for (u32 i = 0; i < frames; i++)
		passes[i] = hist_frame_passes(h, hist_frame(h, i));
	count_shown(h, passes);
	m.places = places = find_groups(&m);
	threads = hist_threads(h, h->rows.rows.count < WORTH_THREADS ? 1 : m.groups.count);
	works = xcalloc(threads, sizeof(*works));
	for (unsigned i = 0; i < threads; i++) {
		works[i].m = &m;
		works[i].h = h;
		args[i] = &works[i];
	}
	hist_run_threads(threads, do_groups, args);
	for (unsigned i = 0; i < threads; i++)
		hand_over(&works[i]);
	vec_release(&m.groups);
	free(works);
	free(places);
	free(passes);
}

/* ---- order ---- */

/*
 * Of equal totals the caller comes first.  Depths of different tasks say nothing of each
 * other: the rows of one stand together, or the order would go round in a circle.
 */
static int by_depth(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	if (!h->set.children || !h->set.chains || h->set.graph.mode == CALL_GRAPH_NONE)
		return 0;
	if (a->key_class != b->key_class)
		return a->key_class < b->key_class ? -1 : 1;
	if (a->max_depth == b->max_depth)
		return 0;
	return (a->max_depth > b->max_depth) == h->set.graph.caller ? -1 : 1;
}

static int entry_cmp(const void *pa, const void *pb, void *arg)
{
	const struct hist_entry *a = *(struct hist_entry *const *)pa;
	const struct hist_entry *b = *(struct hist_entry *const *)pb;
	const struct hist_view *v = arg;
	const struct hist *h = v->hist;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		int d = f->column->cmp(v, f, a, b);

		if (!d && (f->column->flags & HIST_CHILDREN))
			d = by_depth(h, a, b);
		if (d)
			return d;
	}
	if (a->key_class != b->key_class)
		return a->key_class < b->key_class ? -1 : 1;
	return a->frame_class < b->frame_class ? -1 : a->frame_class > b->frame_class;
}

void hist_sort_views(struct hist *h)
{
	for (size_t i = 0; i < h->view_count; i++) {
		struct view *v = &h->views[i];

		v->pub.entries = v->entries.items;
		v->pub.entry_count = v->entries.count;
		if (v->entries.count > 1)
			qsort_r(v->entries.items, v->entries.count, sizeof(*v->entries.items),
				entry_cmp, &v->pub);
	}
}
