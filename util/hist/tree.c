// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the call trees of entries: only those that will be drawn, pruned by the threshold while
 * they are made.
 *
 * A set of items, places in the chains of rows, stands for "all chains that look alike so far"; one
 * step groups the items' next frames. The next frame is the caller when chains are read from the
 * leaf (callee), and the callee when they are read from the outermost caller. Whatever falls below
 * the threshold is dropped immediately, so a set shrinks quickly.
 *
 * An entry's tree follows perf: a sample whose leaf is the entry shows its whole chain. With
 * children, any other sample through the entry shows the part of its chain from the entry on, in
 * the direction of reading. So each row is at most one item of an entry.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/self_profile.h"
#include "hist/internal.h"

/*
 * A row, and the frame of its chain that was reached: counted from the leaf, with its graph class.
 */
struct item {
	u32 row, at, class;
};
typedef VEC(struct item) item_list;

/* Items of one graph class, while a set is divided. */
struct class_part {
	u64 period, samples;
	size_t count, end; /* end: where the next item goes */
};

/* The items that one builder found for the tree of one entry. */
struct start {
	item_list items;
	u32 met; /* the row that was looked at last, + 1 */
};

/* The entries whose trees all builders of a group make together; the first builder's. */
struct batch {
	const struct group *g;
	struct tree_builder *const *builders;
	unsigned count;
	u32 *start_of; /* by frame class: its number in entries + 1; 0 if not in this batch */
	VEC(struct hist_entry *) entries;
	VEC(u32) order;                /* their numbers, those with many items first */
	size_t large;                  /* how many of them have many items */
	size_t next_large, next_small; /* in order */
};

struct tree_builder {
	struct hist *h;
	const struct group *g;
	struct batch own, *batch;
	size_t from, to;          /* the rows that this builder looks at */
	VEC(struct start) starts; /* by number in the batch's entries */
	struct class_part *parts; /* by graph class: zero between uses */
	VEC(u32) classes;         /* graph classes in use there */
	VEC(struct call_tree *) trees;
	frame_id rest_frame; /* see hist; no branch passes through it */
	u64 min; /* the least period of a branch; with CALL_GRAPH_FRACTAL, of the current tree */
};

/* About how many items are in memory together, unless one entry has more. */
enum { BATCH = 1 << 20 };
/* How many places ahead a chain, and its frames, are prefetched. */
enum { AHEAD_LIST = 16, AHEAD_FRAMES = 8 };

struct tree_builder *tree_builder_new(struct hist *h)
{
	struct tree_builder *b = xcalloc(1, sizeof(*b));

	b->h = h;
	b->rest_frame = h->rest_frame;
	b->own.start_of = xcalloc(h->frame_classes + 1, sizeof(*b->own.start_of));
	b->parts = xcalloc(frames_count(h->chains) + 1, sizeof(*b->parts));
	return b;
}

void tree_builder_free(struct tree_builder *b)
{
	if (!b)
		return;
	vec_for_each(&b->trees, t)
		vec_push(&b->h->trees, *t);
	vec_release(&b->trees);
	vec_release(&b->starts);
	vec_release(&b->classes);
	vec_release(&b->own.entries);
	vec_release(&b->own.order);
	free(b->own.start_of);
	free(b->parts);
	free(b);
}

static const struct row *row_of(const struct tree_builder *b, const struct item *it)
{
	return &b->g->rows[it->row];
}

static const struct chain_list *list_of(const struct tree_builder *b, u32 row)
{
	return &b->g->chains[b->g->rows[row].chain];
}

/* Moves the item to the next frame. Returns false if the chain ends. */
static bool step(const struct tree_builder *b, struct item *it)
{
	const struct chain_list *l = list_of(b, it->row);

	if (b->h->set.graph.caller ? !it->at : it->at + 1 >= l->count)
		return false;
	it->at += b->h->set.graph.caller ? -1U : 1U;
	it->class = b->h->graph_class[l->frames[it->at]];
	return true;
}

static void sum_items(const struct tree_builder *b, const struct item *items, size_t count,
		      u64 *period, u64 *samples)
{
	*period = *samples = 0;
	for (size_t i = 0; i < count; i++) {
		*period += row_of(b, &items[i])->period;
		*samples += row_of(b, &items[i])->samples;
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

/*
 * Sorts children: larger ones first, equal ones in the order of their frames, as they were added.
 */
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
	return b->h->set.graph.mode == CALL_GRAPH_FLAT || b->h->set.graph.mode == CALL_GRAPH_FOLDED;
}

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* A class that continues below a tree. */
struct branch {
	u32 class;
	u64 period, samples;
	size_t from, count; /* in items */
};
typedef VEC(struct branch) branch_list;

/*
 * Parts the items by class: the classes with at least so much, by class, with their items
 * in a new array.  The sums of all are those that were passed in.
 */
static struct item *part_items(struct tree_builder *b, const struct item *items, size_t count,
			       u64 least, branch_list *branches)
{
	struct item *kept;
	size_t total = 0;

	vec_sort(&b->classes, u32_cmp);
	vec_for_each(&b->classes, class) {
		struct class_part *p = &b->parts[*class];

		if (p->period < least) {
			p->count = 0;
			continue;
		}
		vec_push(branches,
			 (struct branch){ *class, p->period, p->samples, total, p->count });
		p->end = total;
		total += p->count;
	}
	kept = xreallocarray(NULL, total + 1, sizeof(*kept));
	for (size_t i = 0; total && i < count; i++) {
		struct class_part *p = &b->parts[items[i].class];

		if (p->count)
			kept[p->end++] = items[i];
	}
	vec_for_each(&b->classes, class)
		b->parts[*class] = (struct class_part){ 0 };
	vec_clear(&b->classes);
	return kept;
}

static void sum_classes(struct tree_builder *b, const struct item *items, size_t count)
{
	u32 rest = b->rest_frame == UINT32_MAX ? UINT32_MAX : b->h->graph_class[b->rest_frame];

	for (size_t i = 0; i < count; i++) {
		struct class_part *p = &b->parts[items[i].class];

		if (items[i].class == rest)
			continue;
		if (!p->count++)
			vec_push(&b->classes, items[i].class);
		p->period += row_of(b, &items[i])->period;
		p->samples += row_of(b, &items[i])->samples;
	}
}

static void grow(struct tree_builder *b, struct call_tree *t, struct item *items, size_t count);

/* Adds the branches below t; items are the next frames, in any order. */
static void branch(struct tree_builder *b, struct call_tree *t, const struct item *items,
		   size_t count)
{
	branch_list branches = VEC_INIT;
	struct item *kept;
	u64 below, below_samples;

	sum_items(b, items, count, &below, &below_samples);
	t->own_period = t->period - below;
	t->own_samples = t->samples - below_samples;
	sum_classes(b, items, count);
	kept = part_items(b, items, count, least_branch(b, below), &branches);
	vec_for_each(&branches, br) {
		struct call_tree *child;

		if (context_cancelled(b->h->ctx))
			break;
		child = tree_new(b);
		child->period = br->period;
		child->samples = br->samples;
		vec_push(&t->children, child);
		grow(b, child, kept + br->from, br->count);
	}
	free(kept);
	vec_release(&branches);
	if (!is_flat(b))
		sort_children(t, false);
}

/* Returns how many frames, at most most, after the item show the same as those after first. */
static u32 same_frames(const struct tree_builder *b, const struct item *first,
		       const struct item *it, u32 most)
{
	bool caller = b->h->set.graph.caller;
	const struct chain_list *l = list_of(b, it->row);
	const frame_id *x = list_of(b, first->row)->frames + first->at, *y = l->frames + it->at;
	u32 same = 0;

	most = MIN(most, caller ? it->at : l->count - 1 - it->at);
	while (same < most) {
		ptrdiff_t on = caller ? -(ptrdiff_t)(same + 1) : (ptrdiff_t)(same + 1);

		if ((x[on] != y[on] && b->h->graph_class[x[on]] != b->h->graph_class[y[on]]) ||
		    x[on] == b->rest_frame)
			break;
		same++;
	}
	return same;
}

static void fetch_ahead(const struct tree_builder *b, const struct item *items, size_t i,
			size_t count)
{
	if (i + AHEAD_LIST < count)
		__builtin_prefetch(list_of(b, items[i + AHEAD_LIST].row));
	if (i + AHEAD_FRAMES < count)
		__builtin_prefetch(&list_of(b, items[i + AHEAD_FRAMES].row)->frames[items[i].at]);
}

/*
 * Leads all items on over the frames that no chain ends or parts at: one look at each
 * chain, however many frames there are.
 */
static void grow_run(struct tree_builder *b, struct call_tree *t, struct item *items, size_t count)
{
	bool caller = b->h->set.graph.caller;
	const struct chain_list *l = list_of(b, items[0].row);
	u32 run = UINT32_MAX;

	for (size_t i = 0; i < count && run; i++) {
		fetch_ahead(b, items, i, count);
		run = same_frames(b, &items[0], &items[i], run);
	}
	for (u32 i = 0; i <= run; i++) {
		frame_id frame = l->frames[caller ? items[0].at - i : items[0].at + i];

		vec_push(&t->frames, b->h->frame_of_graph_class[b->h->graph_class[frame]]);
	}
	for (size_t i = 0; i < count; i++)
		items[i].at += caller ? -run : run;
}

/*
 * Grows t by items of one frame, the next of t's run. Moves the items to the next frame in place.
 */
static void grow(struct tree_builder *b, struct call_tree *t, struct item *items, size_t count)
{
	size_t kept = 0;

	grow_run(b, t, items, count);
	for (size_t i = 0; i < count; i++) {
		struct item it = items[i];

		fetch_ahead(b, items, i, count);
		if (step(b, &it))
			items[kept++] = it;
	}
	branch(b, t, items, kept);
}

/* ---- what an entry's tree starts from ---- */

static void start_at(struct tree_builder *b, u32 frame_class, u32 row, u32 at)
{
	u32 frame = list_of(b, row)->frames[at];
	struct start *s;

	if (!b->batch->start_of[frame_class])
		return;
	s = &b->starts.items[b->batch->start_of[frame_class] - 1];
	if (s->met == row + 1)
		return;
	s->met = row + 1;
	vec_push(&s->items, (struct item){ row, at, b->h->graph_class[frame] });
}

/*
 * Adds the row to each tree it belongs to: its whole chain to its own. To others it adds the chain
 * from the first frame of their class, in the direction of reading. A caller's frame that is
 * filtered out begins no tree.
 */
static void start_row(struct tree_builder *b, u32 row)
{
	const struct chain_list *l = list_of(b, row);
	bool caller = b->h->set.graph.caller;

	if (!l->count)
		return;
	start_at(b, b->h->frame_class[b->g->rows[row].leaf], row, caller ? l->count - 1 : 0);
	if (!b->h->set.children)
		return;
	for (u32 i = 0; i < l->count; i++) {
		u32 at = caller ? l->count - 1 - i : i;
		u32 class = caller ? b->g->shown_class[l->frames[at]]
				   : b->h->frame_class[l->frames[at]];

		if (class != UINT32_MAX && b->batch->start_of[class])
			start_at(b, class, row, at);
	}
}

static void *start_rows(void *arg)
{
	struct tree_builder *b = arg;

	if (b->batch->count > 1)
		phase_begin("call trees: where they start");
	vec_reserve(&b->starts, b->batch->entries.count);
	b->starts.count = b->batch->entries.count;
	memset(b->starts.items, 0, b->starts.count * sizeof(*b->starts.items));
	for (size_t i = b->from; i < b->to; i++) {
		if (i + AHEAD_LIST < b->to)
			__builtin_prefetch(list_of(b, (u32)i + AHEAD_LIST));
		if (i + AHEAD_FRAMES < b->to) {
			const char *frames =
				(const char *)list_of(b, (u32)i + AHEAD_FRAMES)->frames;

			__builtin_prefetch(frames);
			__builtin_prefetch(frames + 64);
		}
		start_row(b, (u32)i);
	}
	if (b->batch->count > 1)
		phase_end();
	return NULL;
}

/* ---- flat and folded ---- */

/* Adds one child for each chain that ends in t or below, with its whole path as frames. */
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

/*
 * Gathers all items of an entry in the first builder's list. No other thread looks at this entry.
 */
static struct start *gather(const struct batch *t, u32 number)
{
	struct start *all = &t->builders[0]->starts.items[number];

	for (unsigned i = 1; i < t->count; i++) {
		struct start *s = &t->builders[i]->starts.items[number];

		vec_reserve(&all->items, all->items.count + s->items.count);
		if (s->items.count)
			memcpy(all->items.items + all->items.count, s->items.items,
			       s->items.count * sizeof(*s->items.items));
		all->items.count += s->items.count;
		vec_release(&s->items);
	}
	return all;
}

static void build_one(struct tree_builder *b, u32 number)
{
	struct start *s = gather(b->batch, number);
	struct call_tree *root;

	if (!context_cancelled(b->h->ctx)) {
		root = tree_new(b);
		sum_items(b, s->items.items, s->items.count, &root->period, &root->samples);
		branch(b, root, s->items.items, s->items.count);
		if (is_flat(b))
			root = flattened(b, root);
		b->batch->entries.items[number]->tree = root;
	}
	vec_release(&s->items);
}

/* Trees of many items are taken one by one, so that no thread ends long after the others. */
static void *build_some(void *arg)
{
	enum { SMALL = 32 };
	struct tree_builder *b = arg;
	struct batch *t = b->batch;
	size_t i;

	if (t->count > 1)
		phase_begin("call trees");
	while ((i = __atomic_fetch_add(&t->next_large, 1, __ATOMIC_RELAXED)) < t->large)
		build_one(b, t->order.items[i]);
	while ((i = __atomic_fetch_add(&t->next_small, SMALL, __ATOMIC_RELAXED)) < t->order.count)
		for (size_t end = MIN(i + SMALL, t->order.count); i < end; i++)
			build_one(b, t->order.items[i]);
	if (t->count > 1)
		phase_end();
	return NULL;
}

static bool has_many_items(const struct batch *t, u32 number)
{
	enum { FEW = 64 }; /* trees of so few are not worth a thread */
	size_t items = 0;

	for (unsigned i = 0; i < t->count; i++)
		items += t->builders[i]->starts.items[number].items.count;
	return items > t->g->row_count / FEW;
}

static void find_order(struct batch *t)
{
	vec_clear(&t->order);
	for (int many = 1; many >= 0; many--) {
		for (u32 i = 0; i < t->entries.count; i++)
			if (has_many_items(t, i) == many)
				vec_push(&t->order, i);
		if (many)
			t->large = t->next_small = t->order.count;
	}
	t->next_large = 0;
}

/* Makes the trees of the batch's entries: one pass over the rows lists the items of each. */
static void build_batch(struct batch *t)
{
	void *args[HIST_MAX_THREADS];

	for (unsigned i = 0; i < t->count; i++) {
		t->builders[i]->from = t->g->row_count * i / t->count;
		t->builders[i]->to = t->g->row_count * (i + 1) / t->count;
		args[i] = t->builders[i];
	}
	hist_run_threads(t->count, start_rows, args);
	vec_for_each(&t->entries, e)
		t->start_of[(*e)->frame_class] = 0;
	find_order(t);
	hist_run_threads(t->count, build_some, args);
	vec_clear(&t->entries);
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

void trees_build(struct tree_builder *const *builders, unsigned count, const struct group *g)
{
	u64 all = hist_view_period(&g->view->pub, 0), items = 0;
	struct batch *t = &builders[0]->own;

	t->g = g;
	t->builders = builders;
	t->count = count;
	for (unsigned i = 0; i < count; i++) {
		builders[i]->g = g;
		builders[i]->batch = t;
		builders[i]->min = (u64)((double)all * (g->h->set.graph.threshold / 100.0));
	}
	for (size_t i = 0; i < g->entry_count; i++) {
		struct hist_entry *e = g->entries[i];
		u64 samples = g->h->set.children ? e->total[0].samples : e->self[0].samples;

		if (!worth_a_tree(builders[0], e, all))
			continue;
		items += MIN(samples, (u64)g->row_count);
		if (t->entries.count && items > BATCH) {
			build_batch(t);
			items = MIN(samples, (u64)g->row_count);
		}
		vec_push(&t->entries, e);
		t->start_of[e->frame_class] = (u32)t->entries.count;
	}
	if (t->entries.count)
		build_batch(t);
}
