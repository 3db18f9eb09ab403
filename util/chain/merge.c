// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the collectors' lists of chains, and, for callers that want one, makes a tree of nodes, on
 * several threads.
 *
 * The hash of a node is that of all frames from the outermost on, so it is known before any
 * look-up: the slots of one chain's nodes are prefetched while the previous chain is looked up.
 */
#include <stdlib.h>

#include "chain/chain.h"
#include "chain/internal.h"

/* ---- lists ---- */

u32 lists_take(struct chains *dst, struct chains *src)
{
	struct list_part part = {
		.first = (u32)dst->lists.count - 1,
		.count = (u32)src->recorded.count - 1,
		.frames = src->listed.items,
		.listed = src->listed.count,
	};

	vec_reserve(&dst->lists, dst->lists.count + part.count);
	for (u32 i = 1; i <= part.count; i++) {
		const struct listed_chain *l = &src->recorded.items[i];

		vec_push(&dst->lists, (struct chain_list){ part.frames + l->start, l->count });
	}
	vec_push(&dst->parts, part);
	src->listed.items = NULL;
	src->listed.count = src->listed.space = 0;
	src->recorded.count = 1;
	return (u32)dst->parts.count - 1;
}

chain_id lists_first(const struct chains *c, u32 part)
{
	return c->parts.items[part].first;
}

static size_t expanded_count(const struct list_part *p, const u32 *const *runs)
{
	size_t count = 0;

	for (size_t i = 0; i < p->listed; i++)
		count += runs[p->frames[i]] ? runs[p->frames[i]][0] : 1;
	return count;
}

/* Replaces frames by runs; the innermost of a run comes first in a list. */
static void expand(struct chains *c, struct list_part *p, const frame_id *frames,
		   const u32 *const *runs)
{
	size_t count = expanded_count(p, runs);
	frame_id *all = xreallocarray(NULL, count + 1, sizeof(*all)), *at = all;

	for (u32 i = 1; i <= p->count; i++) {
		struct chain_list *l = &c->lists.items[p->first + i];
		frame_id *start = at;

		for (u32 k = 0; k < l->count; k++) {
			const u32 *run = runs[l->frames[k]];

			if (!run)
				*at++ = frames[l->frames[k]];
			for (u32 n = run ? run[0] : 0; n > 0; n--)
				*at++ = run[n];
		}
		*l = (struct chain_list){ start, (u32)(at - start) };
	}
	free(p->frames);
	p->frames = all;
	p->listed = count;
}

size_t lists_frames(const struct chains *c, u32 part)
{
	return c->parts.items[part].listed;
}

void lists_fold(struct chains *c, u32 part, const frame_id *frames, const u32 *const *runs,
		size_t from, size_t to)
{
	struct list_part *p = &c->parts.items[part];

	if (runs) {
		expand(c, p, frames, runs);
		return;
	}
	for (size_t i = from; i < to; i++)
		p->frames[i] = frames[p->frames[i]];
}

chain_id chain_cut(struct chains *c, chain_id id, u32 first)
{
	const struct chain_list l = c->lists.items[id]; /* a copy, since the array may move */

	vec_push(&c->lists, (struct chain_list){ l.frames + first, l.count - first });
	return (chain_id)c->lists.count - 1;
}

/* ---- nodes ---- */

struct step {
	frame_id frame;
	u32 hash;
};
typedef VEC(struct step) step_list;

static inline u32 path_hash(u32 parent_hash, frame_id frame)
{
	return (u32)hash_u64(((u64)parent_hash << 32 | frame) + 0x9e3779b97f4a7c15ULL);
}

/* Lists the steps of a chain, outermost first, and prefetches their slots. */
static void prepare(const struct chains *c, size_t chain, step_list *path)
{
	const struct chain_list *l = &c->lists.items[chain];
	u32 hash = 0;

	vec_clear(path);
	for (u32 i = l->count; i-- > 0;) {
		hash = path_hash(hash, l->frames[i]);
		__builtin_prefetch(&c->node_slots[hash & (c->node_space - 1)]);
		vec_push(path, (struct step){ l->frames[i], hash });
	}
}

/*
 * Adds a node. Node 0 is above all, so its id marks a free slot. A call takes at most one id: one
 * that lost its slot to another thread is used for the next slot.
 */
static node_id node_add(struct chains *c, node_id parent, const struct step *s)
{
	size_t at = s->hash & (c->node_space - 1);
	u32 mine = 0;

	for (;; at = (at + 1) & (c->node_space - 1)) {
		u32 id = __atomic_load_n(&c->node_slots[at], __ATOMIC_ACQUIRE);
		const struct chain_node *n;

		if (!id) {
			if (!mine)
				mine = __atomic_fetch_add(&c->node_count, 1, __ATOMIC_RELAXED);
			c->nodes[mine] = (struct chain_node){
				.parent = parent,
				.frame = s->frame,
				.depth = c->nodes[parent].depth + 1,
			};
			if (__atomic_compare_exchange_n(&c->node_slots[at], &id, mine, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return mine;
		}
		n = &c->nodes[id];
		if (n->parent != parent || n->frame != s->frame)
			continue;
		if (mine)
			c->nodes[mine] = (struct chain_node){ 0 };
		return id;
	}
}

static node_id walk(struct chains *c, const step_list *path)
{
	node_id id = 0;

	vec_for_each(path, s)
		id = node_add(c, id, s);
	return id;
}

static void add_some(void *arg, size_t from, size_t to)
{
	struct chains *c = arg;
	step_list paths[2] = { VEC_INIT, VEC_INIT };

	prepare(c, from, &paths[from & 1]);
	for (size_t i = from; i < to; i++) {
		if (i + 1 < to)
			prepare(c, i + 1, &paths[(i + 1) & 1]);
		c->leaf_of[i] = walk(c, &paths[i & 1]);
	}
	vec_release(&paths[0]);
	vec_release(&paths[1]);
}

const struct chain_tree *chains_tree(struct chains *c, struct context *ctx)
{
	enum { CHAINS = 1024 };
	/* not cancelled, since half a tree is useless */
	struct context whole = { .workers = ctx->workers };
	size_t most = 1;

	if (c->nodes)
		return &c->tree;
	vec_for_each(&c->lists, l)
		most += l->count;
	c->node_space = 256;
	while (most * 4 > c->node_space * 3)
		c->node_space *= 2;
	c->node_slots = xcalloc(c->node_space, sizeof(*c->node_slots));
	c->nodes = xcalloc(most, sizeof(*c->nodes));
	c->leaf_of = xcalloc(c->lists.count, sizeof(*c->leaf_of));
	c->node_count = 1;
	chain_in_parallel(&whole, c->lists.count, CHAINS, add_some, c);
	free(c->node_slots);
	c->node_slots = NULL;
	c->tree = (struct chain_tree){ c->nodes, c->leaf_of, c->node_count - 1 };
	return &c->tree;
}
