// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows -> entries, a group at a time: a group is all rows of one view and one
 * class of sample keys.
 *
 * Own sums are added row by row.  Total sums (children) come from the chain
 * nodes: rows are laid on their innermost node, sums flow from each node to its
 * parent (ids ascend from parent to child, so one pass downwards does), and a
 * node's sum goes to the entry of its frame unless a node above it is of the same
 * entry: so a sample counts once however often a function recurs in its chain.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

struct work {
	struct hist *h;
	const struct chain_node *nodes;
	bool *passes;	/* by frame */
	bool *topmost;	/* by node */
	u64 *mask;	/* by node: a bloom of the frame classes from the root to it */
	u64 *period;	/* by node */
	u32 *samples;
	u64 *latency;	/* only where a column shows it */
	u32 *height;	/* frames from a node to its deepest leaf with samples */
	u32 *mark;	/* by node: epoch in which it was touched */
	u32 epoch;
	VEC(u32) touched;
	struct hist_entry **entry_of; /* by frame class */
	VEC(u32) made;		      /* frame classes with an entry in this group */
	struct tree_builder *trees;
	VEC(u32) leader_rows;
};

static inline u32 node_class(const struct hist *h, const struct chain_node *n)
{
	return h->frame_class[n->frame];
}

static bool has_class_above(const struct work *w, chain_id id, u32 class)
{
	for (id = w->nodes[id].parent; id; id = w->nodes[id].parent) {
		const struct chain_node *n = &w->nodes[id];

		if (!(w->mask[id] & BIT64(class & 63)))
			return false;
		if (node_class(w->h, n) == class && w->passes[n->frame])
			return true;
	}
	return false;
}

static void find_topmost(struct work *w)
{
	u32 count = chains_count(w->h->chains);

	w->topmost = xcalloc(count + 1, sizeof(*w->topmost));
	w->mask = xcalloc(count + 1, sizeof(*w->mask));
	for (chain_id id = 1; id <= count; id++) {
		const struct chain_node *n = &w->nodes[id];
		u32 class = node_class(w->h, n);

		w->mask[id] = w->mask[n->parent] | BIT64(class & 63);
		w->topmost[id] = w->passes[n->frame] && !has_class_above(w, id, class);
	}
	free(w->mask);
	w->mask = NULL;
}

static struct hist_entry *entry_at(struct work *w, struct view *v, u32 key_class, u32 frame_class)
{
	struct hist_entry *e = w->entry_of[frame_class];
	struct hist *h = w->h;

	if (e)
		return e;
	e = arena_alloc(&h->arena, sizeof(*e));
	*e = (struct hist_entry){
		.key = keys_get(&h->keys, h->key_of_class[key_class]),
		.frame = h->frame_of_class[frame_class],
		.key_class = key_class,
		.frame_class = frame_class,
	};
	e->self = arena_alloc(&h->arena, v->pub.member_count * sizeof(*e->self));
	e->total = arena_alloc(&h->arena, v->pub.member_count * sizeof(*e->total));
	memset(e->self, 0, v->pub.member_count * sizeof(*e->self));
	memset(e->total, 0, v->pub.member_count * sizeof(*e->total));
	w->entry_of[frame_class] = e;
	vec_push(&w->made, frame_class);
	vec_push(&v->entries, e);
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

static void touch(struct work *w, chain_id id)
{
	for (; id && w->mark[id] != w->epoch; id = w->nodes[id].parent) {
		w->mark[id] = w->epoch;
		w->period[id] = 0;
		w->samples[id] = 0;
		if (w->latency)
			w->latency[id] = 0;
		w->height[id] = 0;
		vec_push(&w->touched, id);
	}
}

static bool chain_has_class(const struct work *w, chain_id id, u32 class)
{
	for (; id; id = w->nodes[id].parent)
		if (node_class(w->h, &w->nodes[id]) == class)
			return true;
	return false;
}

static void add_row(struct work *w, struct view *v, u32 index, u32 member)
{
	struct hist *h = w->h;
	const struct row *r = &h->rows.rows.items[index];
	const struct row_extra *x = rows_extra(&h->rows, index);
	const struct frame *leaf = hist_frame(h, r->leaf);
	u32 class = h->frame_class[r->leaf];
	struct hist_entry *e;

	if (w->passes[r->leaf]) {
		e = entry_at(w, v, h->key_class[r->key], class);
		add_sums(&e->self[member], r, x, leaf->cpumode);
		if (h->set.children && !chain_has_class(w, r->chain, class)) {
			e->total[member].samples += r->samples;
			e->total[member].period += r->period;
			e->total[member].latency += x ? x->latency : 0;
		}
		if (r->chain)
			e->max_depth = MAX(e->max_depth, w->nodes[r->chain].depth);
	}
	/* Without children all that is asked of chains can be read off the rows. */
	if (r->chain && h->set.children) {
		touch(w, r->chain);
		w->period[r->chain] += r->period;
		w->samples[r->chain] += (u32)r->samples;
		if (w->latency)
			w->latency[r->chain] += x->latency;
	}
}

static int id_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Ascending; a scan is cheaper than sorting when many were touched. */
static void sort_touched(struct work *w)
{
	u32 count = chains_count(w->h->chains);

	if (w->touched.count < count / 16) {
		vec_sort(&w->touched, id_cmp);
		return;
	}
	vec_clear(&w->touched);
	for (u32 id = 1; id <= count; id++)
		if (w->mark[id] == w->epoch)
			vec_push(&w->touched, id);
}

static void flow_to_parents(struct work *w)
{
	for (size_t i = w->touched.count; i-- > 0;) {
		chain_id id = w->touched.items[i], parent = w->nodes[id].parent;

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

static void total_children(struct work *w, struct view *v, u32 key_class, u32 member)
{
	struct hist *h = w->h;

	vec_for_each(&w->touched, id) {
		const struct chain_node *n = &w->nodes[*id];
		struct hist_entry *e;

		if (!w->topmost[*id])
			continue;
		e = entry_at(w, v, key_class, node_class(h, n));
		e->total[member].period += w->period[*id];
		e->total[member].samples += w->samples[*id];
		e->total[member].latency += w->latency ? w->latency[*id] : 0;
		e->max_depth = MAX(e->max_depth,
				   h->set.graph.caller ? w->height[*id] : n->depth);
	}
}

static void build_trees(struct work *w, struct view *v)
{
	struct group g = {
		.h = w->h, .view = v,
		.rows = w->leader_rows.items, .row_count = w->leader_rows.count,
		.entry_of = w->entry_of, .made = w->made.items, .made_count = w->made.count,
		.touched = w->touched.items, .touched_count = w->touched.count,
		.period = w->period, .samples = w->samples,
		.topmost = w->topmost,
	};

	if (w->trees)
		trees_build(w->trees, &g);
}

/* rows: indices of one (view, key class), ordered by member. */
static void do_group(struct work *w, struct view *v, u32 key_class, const u32 *rows, size_t count)
{
	struct hist *h = w->h;
	size_t i = count;

	/* The leader comes last, so that its sums still stand when trees are built. */
	while (i > 0) {
		u32 member = h->member_of_event[h->rows.rows.items[rows[i - 1]].event];

		w->epoch++;
		vec_clear(&w->touched);
		vec_clear(&w->leader_rows);
		for (; i > 0; i--) {
			const struct row *r = &h->rows.rows.items[rows[i - 1]];

			if (h->member_of_event[r->event] != member)
				break;
			add_row(w, v, rows[i - 1], member);
			vec_push(&w->leader_rows, rows[i - 1]);
		}
		if (h->set.children) {
			sort_touched(w);
			flow_to_parents(w);
			total_children(w, v, key_class, member);
		}
		if (member == 0)
			build_trees(w, v);
	}
	vec_for_each(&w->made, class)
		w->entry_of[*class] = NULL;
	vec_clear(&w->made);
}

struct place {
	u64 group; /* view, key class */
	u32 member, row;
};

static int place_cmp(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void each_group(struct work *w)
{
	struct hist *h = w->h;
	size_t count = h->rows.rows.count;
	struct place *places = xcalloc(count + 1, sizeof(*places));
	u32 *rows = xcalloc(count + 1, sizeof(*rows));

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &h->rows.rows.items[i];

		places[i].group = (u64)h->view_of_event[r->event] << 32 | h->key_class[r->key];
		places[i].member = h->member_of_event[r->event];
		places[i].row = (u32)i;
	}
	qsort(places, count, sizeof(*places), place_cmp);
	for (size_t i = 0; i < count; i++)
		rows[i] = places[i].row;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && places[end].group == places[i].group;)
			end++;
		do_group(w, &h->views[places[i].group >> 32], (u32)places[i].group, rows + i,
			 end - i);
	}
	free(rows);
	free(places);
}

/* Before any group, since trees are pruned by what is shown of the whole. */
static void count_shown(struct work *w)
{
	struct hist *h = w->h;

	for (size_t i = 0; i < h->rows.rows.count; i++) {
		const struct row *r = &h->rows.rows.items[i];
		const struct row_extra *x = rows_extra(&h->rows, i);
		struct view *v = &h->views[h->view_of_event[r->event]];
		struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

		if (!w->passes[r->leaf])
			continue;
		t->shown_latency += x ? x->latency : 0;
		t->shown_samples += r->samples;
		t->shown_period += r->period;
	}
}

static void work_release(struct work *w)
{
	free(w->passes);
	free(w->topmost);
	free(w->period);
	free(w->samples);
	free(w->latency);
	free(w->height);
	free(w->mark);
	free(w->entry_of);
	vec_release(&w->touched);
	vec_release(&w->made);
	vec_release(&w->leader_rows);
	tree_builder_free(w->trees);
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
	struct work w = { .h = h };
	u32 frames = frames_count(h->chains);
	size_t nodes = (size_t)chains_count(h->chains) + 1;

	drop_excluded_rows(h);
	w.passes = xcalloc(frames + 1, sizeof(*w.passes));
	for (u32 i = 0; i < frames; i++)
		w.passes[i] = hist_frame_passes(h, hist_frame(h, i));
	w.entry_of = xcalloc(h->frame_classes + 1, sizeof(*w.entry_of));
	w.nodes = chain_nodes(h->chains);
	if (h->set.children) {
		w.period = xcalloc(nodes, sizeof(*w.period));
		w.samples = xcalloc(nodes, sizeof(*w.samples));
		w.latency = h->wants_extra ? xcalloc(nodes, sizeof(*w.latency)) : NULL;
		w.height = xcalloc(nodes, sizeof(*w.height));
		w.mark = xcalloc(nodes, sizeof(*w.mark));
		find_topmost(&w);
	}
	count_shown(&w);
	if (h->set.chains && h->set.graph.mode != CALL_GRAPH_NONE)
		w.trees = tree_builder_new(h);
	each_group(&w);
	work_release(&w);
}

/* ---- order ---- */

/* Of equal totals the caller comes first; only within one task's chains. */
static int by_depth(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	if (!h->set.children || !h->set.chains || h->set.graph.mode == CALL_GRAPH_NONE ||
	    a->key_class != b->key_class || a->max_depth == b->max_depth)
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
