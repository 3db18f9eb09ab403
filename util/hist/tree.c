// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call trees of entries: only of those that will be drawn, and pruned by the
 * threshold while they are made.
 *
 * A set of items stands for "all chains that look alike so far"; one step groups
 * the items' next frames.  Next is the parent node when chains are read from the
 * leaf (callee), and the child nodes when they are read from the outermost caller.
 *
 * What belongs to an entry's tree follows perf: a sample whose leaf is the entry
 * shows its whole chain; with children, any other sample through the entry shows
 * the part of its chain from the entry on, in the direction of reading.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

/* callee: a node and what comes out of it; caller: a node of the main or own sums. */
struct item {
	u32 class; /* graph class of the node's frame */
	chain_id node;
	u64 period;
	u32 samples;
	bool own; /* caller: sums are own_*[node] */
};
typedef VEC(struct item) item_list;

struct tree_builder {
	struct hist *h;
	const struct group *g;
	const struct chain_node *nodes;
	u32 *first_child, *next_sibling; /* by node: touched nodes of this group */
	bool *linked;			 /* by node: it is among its parent's children */
	u32 *next_same;			 /* by node: the next of its frame class */
	u32 *first_same;		 /* by frame class: node */
	u32 *first_row, *next_row;	 /* by frame class: index in g->rows + 1 */
	u64 *own_period;		 /* by node: sums of the entry's own rows */
	u32 *own_samples;
	VEC(u32) own_touched;
	size_t row_space, node_space;
	VEC(struct call_tree *) trees;
	u64 min; /* least period of a branch, CALL_GRAPH_FRACTAL: made anew for each tree */
};

struct tree_builder *tree_builder_new(struct hist *h)
{
	struct tree_builder *b = xcalloc(1, sizeof(*b));
	size_t classes = h->frame_classes + 1;

	b->h = h;
	b->first_same = xcalloc(classes, sizeof(u32));
	b->first_row = xcalloc(classes, sizeof(u32));
	return b;
}

static void node_arrays_free(struct tree_builder *b)
{
	free(b->first_child);
	free(b->next_sibling);
	free(b->linked);
	free(b->next_same);
	free(b->own_period);
	free(b->own_samples);
}

/* Arrays by node, all zero: every group leaves them so, but for the links. */
static void make_room(struct tree_builder *b, size_t count)
{
	const struct hist_settings *set = &b->h->set;

	if (count > b->node_space) {
		node_arrays_free(b);
		b->node_space = count + count / 4;
		count = b->node_space + 1;
		if (set->graph.caller) {
			b->linked = xcalloc(count, sizeof(bool));
			b->first_child = xcalloc(count, sizeof(u32));
			b->next_sibling = xcalloc(count, sizeof(u32));
		}
		if (set->children)
			b->next_same = xcalloc(count, sizeof(u32));
		b->own_period = xcalloc(count, sizeof(u64));
		b->own_samples = xcalloc(count, sizeof(u32));
	} else if (count && b->linked) {
		memset(b->linked, 0, (count + 1) * sizeof(bool));
		memset(b->first_child, 0, (count + 1) * sizeof(u32));
	}
}

void tree_builder_free(struct tree_builder *b)
{
	if (!b)
		return;
	vec_for_each(&b->trees, t)
		vec_push(&b->h->trees, *t);
	vec_release(&b->trees);
	node_arrays_free(b);
	free(b->first_same);
	free(b->first_row);
	free(b->next_row);
	vec_release(&b->own_touched);
	free(b);
}

static const struct chain_node *node_of(const struct tree_builder *b, chain_id id)
{
	return &b->nodes[id];
}

static u32 class_of(const struct tree_builder *b, chain_id id)
{
	return b->h->graph_class[node_of(b, id)->frame];
}

static void push_item(struct tree_builder *b, item_list *l, chain_id id, u64 period, u32 samples,
		      bool own)
{
	vec_push(l, (struct item){
		.class = class_of(b, id), .node = id, .period = period, .samples = samples,
		.own = own,
	});
}

/* By frame; nodes that are equal side by side. */
static int item_cmp(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->own - b->own;
}

static void sort_items(item_list *l)
{
	size_t kept = 0;

	vec_sort(l, item_cmp);
	for (size_t i = 0; i < l->count; i++) {
		struct item *last = kept ? &l->items[kept - 1] : NULL;

		if (last && last->node == l->items[i].node && last->own == l->items[i].own) {
			last->period += l->items[i].period;
			last->samples += l->items[i].samples;
		} else {
			l->items[kept++] = l->items[i];
		}
	}
	l->count = kept;
}

static void next_callers(struct tree_builder *b, const struct item *items, size_t count,
			 item_list *next)
{
	for (size_t i = 0; i < count; i++) {
		chain_id parent = node_of(b, items[i].node)->parent;

		if (parent)
			push_item(b, next, parent, items[i].period, items[i].samples, false);
	}
}

static void next_callees(struct tree_builder *b, const struct item *items, size_t count,
			 item_list *next)
{
	for (size_t i = 0; i < count; i++) {
		bool own = items[i].own;
		const u64 *period = own ? b->own_period : b->g->period;
		const u32 *samples = own ? b->own_samples : b->g->samples;
		u32 c = b->first_child[items[i].node];

		for (; c; c = b->next_sibling[c])
			if (samples[c])
				push_item(b, next, c, period[c], samples[c], own);
	}
}

static void sum_items(const struct item *items, size_t count, u64 *period, u64 *samples)
{
	*period = *samples = 0;
	for (size_t i = 0; i < count; i++) {
		*period += items[i].period;
		*samples += items[i].samples;
	}
}

static struct call_tree *tree_new(struct tree_builder *b)
{
	struct call_tree *t = xcalloc(1, sizeof(*t));

	vec_push(&b->trees, t);
	return t;
}

struct sorted_child {
	struct call_tree *tree;
	u64 sum;
	size_t at; /* where it was */
};

static int larger_first(const void *pa, const void *pb)
{
	const struct sorted_child *a = pa, *b = pb;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Larger first, equal ones as they were added: by frame. */
static void sort_children(struct call_tree *t, bool by_own)
{
	size_t n = t->children.count;
	struct sorted_child few[32], *order = few;

	if (n < 2)
		return;
	if (n > ARRAY_SIZE(few))
		order = xcalloc(n, sizeof(*order));
	for (size_t i = 0; i < n; i++) {
		struct call_tree *c = t->children.items[i];

		order[i] = (struct sorted_child){ c, by_own ? c->own_period : c->period, i };
	}
	qsort(order, n, sizeof(*order), larger_first);
	for (size_t i = 0; i < n; i++)
		t->children.items[i] = order[i].tree;
	if (order != few)
		free(order);
}

static u64 least_branch(const struct tree_builder *b, u64 below)
{
	if (b->h->set.graph.mode != CALL_GRAPH_FRACTAL)
		return b->min;
	return (u64)ceil((double)below * (b->h->set.graph.threshold / 100.0));
}

static bool is_flat(const struct tree_builder *b)
{
	return b->h->set.graph.mode == CALL_GRAPH_FLAT ||
	       b->h->set.graph.mode == CALL_GRAPH_FOLDED;
}

static void grow(struct tree_builder *b, struct call_tree *t, item_list *items);

/* items: the next frames below t, any order; emptied. */
static void branch(struct tree_builder *b, struct call_tree *t, item_list *items)
{
	u64 below, below_samples, least;

	sort_items(items);
	sum_items(items->items, items->count, &below, &below_samples);
	t->own_period = t->period - below;
	t->own_samples = t->samples - below_samples;
	least = least_branch(b, below);
	for (size_t i = 0, end; i < items->count && !context_cancelled(b->h->ctx); i = end) {
		struct call_tree *child;
		item_list part = VEC_INIT;
		u64 period, samples;

		for (end = i + 1; end < items->count; end++)
			if (items->items[end].class != items->items[i].class)
				break;
		sum_items(items->items + i, end - i, &period, &samples);
		if (period < least)
			continue;
		child = tree_new(b);
		child->period = period;
		child->samples = samples;
		for (size_t k = i; k < end; k++)
			vec_push(&part, items->items[k]);
		vec_push(&t->children, child);
		grow(b, child, &part);
	}
	vec_release(items);
	if (!is_flat(b))
		sort_children(t, false);
}

static bool one_class(const item_list *l)
{
	for (size_t i = 1; i < l->count; i++)
		if (l->items[i].class != l->items[0].class)
			return false;
	return l->count > 0;
}

/* items: all of one frame, the next of t's run; released. */
static void grow(struct tree_builder *b, struct call_tree *t, item_list *items)
{
	bool caller = b->h->set.graph.caller;

	for (;;) {
		item_list next = VEC_INIT;
		u64 period, samples;

		vec_push(&t->frames, b->h->frame_of_graph_class[class_of(b, items->items[0].node)]);
		if (caller)
			next_callees(b, items->items, items->count, &next);
		else
			next_callers(b, items->items, items->count, &next);
		vec_release(items);
		sum_items(next.items, next.count, &period, &samples);
		if (!one_class(&next) || samples != t->samples) {
			branch(b, t, &next);
			return;
		}
		/* No chain ends or parts here: the run goes on. */
		sort_items(&next);
		*items = next;
	}
}

/* ---- what an entry's tree starts from ---- */

static const struct row *row_at(const struct tree_builder *b, u32 index)
{
	return &b->g->rows[index];
}

/* The nearest node of the entry's class from id outwards, 0: none. */
static chain_id find_class(const struct tree_builder *b, chain_id id, u32 frame_class)
{
	for (; id; id = node_of(b, id)->parent)
		if (b->h->frame_class[node_of(b, id)->frame] == frame_class)
			return id;
	return 0;
}

static void each_own_row(struct tree_builder *b, u32 class,
			 void (*fn)(struct tree_builder *b, u32 class, const struct row *r,
				    item_list *l),
			 item_list *l)
{
	for (u32 i = b->first_row[class]; i; i = b->next_row[i - 1]) {
		const struct row *r = row_at(b, i - 1);

		if (r->chain)
			fn(b, class, r, l);
	}
}

static void note(struct tree_builder *b, chain_id id, u64 period, u32 samples)
{
	if (!b->own_samples[id])
		vec_push(&b->own_touched, id);
	b->own_period[id] += period;
	b->own_samples[id] += samples;
}

static void forget_notes(struct tree_builder *b)
{
	vec_for_each(&b->own_touched, id) {
		b->own_period[*id] = 0;
		b->own_samples[*id] = 0;
	}
	vec_clear(&b->own_touched);
}

/* caller: lay the row's sums along its whole chain. */
static void own_caller(struct tree_builder *b, u32 class, const struct row *r, item_list *l)
{
	(void)class;
	for (chain_id id = r->chain; id; id = node_of(b, id)->parent) {
		bool fresh = !b->own_samples[id];

		note(b, id, r->period, (u32)r->samples);
		if (fresh && !node_of(b, id)->parent)
			push_item(b, l, id, 0, 0, true);
	}
}

/* caller, children: own rows show whole chains, so they leave the main sums. */
static void take_from_main(struct tree_builder *b, u32 class, const struct row *r, item_list *l)
{
	bool below = find_class(b, r->chain, class) != 0;

	(void)l;
	for (chain_id id = r->chain; below && id; id = node_of(b, id)->parent) {
		b->g->period[id] -= r->period;
		b->g->samples[id] -= (u32)r->samples;
	}
}

static void give_back(struct tree_builder *b, u32 class, const struct row *r, item_list *l)
{
	bool below = find_class(b, r->chain, class) != 0;

	(void)l;
	for (chain_id id = r->chain; below && id; id = node_of(b, id)->parent) {
		b->g->period[id] += r->period;
		b->g->samples[id] += (u32)r->samples;
	}
}

static void start_caller(struct tree_builder *b, u32 class, item_list *l)
{
	each_own_row(b, class, own_caller, l);
	vec_for_each(l, it) {
		it->period = b->own_period[it->node];
		it->samples = b->own_samples[it->node];
	}
	if (!b->h->set.children)
		return;
	each_own_row(b, class, take_from_main, l);
	for (u32 id = b->first_same[class]; id; id = b->next_same[id])
		if (b->g->topmost[id] && b->g->samples[id])
			push_item(b, l, id, b->g->period[id], b->g->samples[id], false);
}

static void end_caller(struct tree_builder *b, u32 class)
{
	forget_notes(b);
	if (b->h->set.children)
		each_own_row(b, class, give_back, NULL);
}

static void own_callee(struct tree_builder *b, u32 class, const struct row *r, item_list *l)
{
	(void)class;
	push_item(b, l, r->chain, r->period, (u32)r->samples, false);
}

static void note_own(struct tree_builder *b, u32 class, const struct row *r, item_list *l)
{
	chain_id id = find_class(b, r->chain, class);

	(void)l;
	if (id)
		note(b, id, r->period, (u32)r->samples);
}

/*
 * callee, children: a sample starts at its innermost frame of the class, so a
 * recursive node keeps what does not pass through a deeper one.  Rows whose leaf
 * is the class are already there with their whole chains.
 */
static void start_callee_children(struct tree_builder *b, u32 class, item_list *l)
{
	const struct group *g = b->g;
	u32 id;

	for (id = b->first_same[class]; id; id = b->next_same[id]) {
		chain_id above = find_class(b, node_of(b, id)->parent, class);

		if (above)
			note(b, above, g->period[id], g->samples[id]);
	}
	each_own_row(b, class, note_own, NULL);
	for (id = b->first_same[class]; id; id = b->next_same[id]) {
		u32 samples = g->samples[id] - b->own_samples[id];

		if (samples)
			push_item(b, l, id, g->period[id] - b->own_period[id], samples, false);
	}
	forget_notes(b);
}

static void start_callee(struct tree_builder *b, u32 class, item_list *l)
{
	each_own_row(b, class, own_callee, l);
	if (b->h->set.children)
		start_callee_children(b, class, l);
}

/* ---- flat and folded ---- */

/* One child for each chain that ends in t or below, its whole path as frames. */
static void flatten(struct tree_builder *b, const struct call_tree *t, struct call_tree *out,
		    const struct call_tree **path, size_t depth)
{
	path[depth++] = t;
	vec_for_each(&t->children, c)
		flatten(b, *c, out, path, depth);
	if (t->own_samples && t->own_period && t->own_period >= b->min) {
		struct call_tree *flat = tree_new(b);

		flat->period = t->period;
		flat->samples = t->samples;
		flat->own_period = t->own_period;
		flat->own_samples = t->own_samples;
		for (size_t i = 0; i < depth; i++)
			vec_for_each(&path[i]->frames, f)
				vec_push(&flat->frames, *f);
		vec_push(&out->children, flat);
	}
}

static size_t depth_of(const struct call_tree *t)
{
	size_t deepest = 0;

	vec_for_each(&t->children, c)
		deepest = MAX(deepest, depth_of(*c));
	return deepest + 1;
}

static struct call_tree *flattened(struct tree_builder *b, const struct call_tree *root)
{
	const struct call_tree **path = xcalloc(depth_of(root), sizeof(*path));
	struct call_tree *out = tree_new(b);

	out->period = root->period;
	out->samples = root->samples;
	flatten(b, root, out, path, 0);
	sort_children(out, true);
	free(path);
	return out;
}

/* ---- all of a group ---- */

static bool worth_a_tree(const struct tree_builder *b, const struct hist_entry *e, u64 all)
{
	const struct hist_settings *set = &b->h->set;
	u64 period = set->children ? e->total[0].period : e->self[0].period;
	u64 samples = set->children ? e->total[0].samples : e->self[0].samples;

	if (!samples || (double)period * 100 < set->percent_limit * (double)all)
		return false;
	return set->graph.mode == CALL_GRAPH_FRACTAL || period >= b->min;
}

static void build_one(struct tree_builder *b, struct hist_entry *e)
{
	const struct hist_settings *set = &b->h->set;
	struct call_tree *root = tree_new(b);
	item_list items = VEC_INIT;
	u32 class = e->frame_class;

	if (set->graph.caller)
		start_caller(b, class, &items);
	else
		start_callee(b, class, &items);
	sum_items(items.items, items.count, &root->period, &root->samples);
	branch(b, root, &items);
	if (set->graph.caller)
		end_caller(b, class);
	if (is_flat(b))
		root = flattened(b, root);
	e->tree = root;
}

static void link_to_parent(struct tree_builder *b, chain_id id)
{
	chain_id parent = node_of(b, id)->parent;

	if (parent) {
		b->next_sibling[id] = b->first_child[parent];
		b->first_child[parent] = id;
	}
}

/* caller without children: the nodes above the rows; the group has not touched any. */
static void link_row_nodes(struct tree_builder *b)
{
	for (size_t i = 0; i < b->g->row_count; i++) {
		chain_id id = row_at(b, (u32)i)->chain;

		for (; id && !b->linked[id]; id = node_of(b, id)->parent) {
			b->linked[id] = true;
			link_to_parent(b, id);
		}
	}
}

static void link_nodes(struct tree_builder *b)
{
	const struct group *g = b->g;

	if (!b->h->set.children) {
		if (b->h->set.graph.caller)
			link_row_nodes(b);
		return;
	}
	for (size_t i = 0; b->first_child && i < g->touched_count; i++)
		b->first_child[g->touched[i]] = 0;
	for (size_t i = g->touched_count; i-- > 0;) {
		chain_id id = g->touched[i];
		u32 class = b->h->frame_class[node_of(b, id)->frame];

		if (b->first_child)
			link_to_parent(b, id);
		b->next_same[id] = b->first_same[class];
		b->first_same[class] = id;
	}
}

static void link_rows(struct tree_builder *b)
{
	const struct group *g = b->g;

	if (g->row_count > b->row_space) {
		b->row_space = g->row_count;
		free(b->next_row);
		b->next_row = xcalloc(b->row_space, sizeof(u32));
	}
	for (u32 i = 0; i < g->row_count; i++) {
		u32 class = b->h->frame_class[row_at(b, i)->leaf];

		b->next_row[i] = b->first_row[class];
		b->first_row[class] = i + 1;
	}
}

static void unlink_all(struct tree_builder *b)
{
	const struct group *g = b->g;

	for (size_t i = 0; i < g->touched_count; i++)
		b->first_same[b->h->frame_class[node_of(b, g->touched[i])->frame]] = 0;
	for (u32 i = 0; i < g->row_count; i++)
		b->first_row[b->h->frame_class[row_at(b, i)->leaf]] = 0;
}

void trees_build(struct tree_builder *b, const struct group *g)
{
	u64 all = hist_view_period(&g->view->pub, 0);

	b->g = g;
	b->nodes = g->nodes;
	make_room(b, g->node_count);
	b->min = (u64)((double)all * (b->h->set.graph.threshold / 100.0));
	link_nodes(b);
	link_rows(b);
	for (size_t i = 0; i < g->made_count; i++) {
		struct hist_entry *e = g->entry_of[g->made[i]];

		if (context_cancelled(b->h->ctx))
			break;
		if (worth_a_tree(b, e, all))
			build_one(b, e);
	}
	unlink_all(b);
}
