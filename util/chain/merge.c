// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of frames -> one tree of nodes, filled by several threads.
 *
 * The hash of a node is that of all frames from the outermost on, so it is known
 * before any look-up: the slots of one chain's nodes are on their way from memory
 * while the chain before is looked up.
 */
#include <stdlib.h>

#include "chain/chain.h"
#include "chain/internal.h"

struct step {
	frame_id frame;
	u32 hash;
};
typedef VEC(struct step) step_list;

static inline u32 path_hash(u32 parent_hash, frame_id frame)
{
	return (u32)hash_u64(((u64)parent_hash << 32 | frame) + 0x9e3779b97f4a7c15ULL);
}

static void add_step(const struct chains *dst, step_list *path, frame_id frame)
{
	u32 hash = path_hash(path->count ? vec_last(path)->hash : 0, frame);

	__builtin_prefetch(&dst->node_slots[hash & (dst->node_space - 1)]);
	vec_push(path, (struct step){ frame, hash });
}

/* Outermost first. */
static void prepare(const struct chains *dst, const struct chains *src, size_t chain,
		    const frame_id *frames, const u32 *const *runs, step_list *path)
{
	const struct listed_chain *l = &src->recorded.items[chain];
	const frame_id *of = src->listed.items + l->start;

	vec_clear(path);
	for (u32 i = l->count; i-- > 0;) {
		const u32 *run = runs ? runs[of[i]] : NULL;

		if (!run)
			add_step(dst, path, frames[of[i]]);
		for (u32 k = 1; run && k <= run[0]; k++)
			add_step(dst, path, run[k]);
	}
}

/*
 * Node 0 is the empty chain, so its id marks a free slot.  A call takes at most one
 * id: one that lost its slot to another thread serves for the next slot.
 */
static chain_id node_add(struct chains *c, chain_id parent, const struct step *s)
{
	size_t at = s->hash & (c->node_space - 1);
	u32 mine = 0;

	for (;; at = (at + 1) & (c->node_space - 1)) {
		u32 id = __atomic_load_n(&c->node_slots[at], __ATOMIC_ACQUIRE);
		const struct chain_node *n;

		if (!id) {
			if (!mine)
				mine = __atomic_fetch_add(&c->node_count, 1, __ATOMIC_RELAXED);
			c->nodes.items[mine] = (struct chain_node){
				.parent = parent, .frame = s->frame,
				.depth = c->nodes.items[parent].depth + 1,
			};
			if (__atomic_compare_exchange_n(&c->node_slots[at], &id, mine, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return mine;
		}
		n = &c->nodes.items[id];
		if (n->parent != parent || n->frame != s->frame)
			continue;
		if (mine)
			c->nodes.items[mine] = (struct chain_node){ 0 };
		return id;
	}
}

static chain_id walk(struct chains *dst, const step_list *path)
{
	chain_id id = 0;

	vec_for_each(path, s)
		id = node_add(dst, id, s);
	return id;
}

chain_id *nodes_merge(struct chains *dst, const struct chains *src, const frame_id *frames,
		      const u32 *const *runs)
{
	size_t count = src->recorded.count;
	chain_id *map = xcalloc(count, sizeof(*map));
	step_list paths[2] = { VEC_INIT, VEC_INIT };

	for (size_t i = 1; i <= count; i++) {
		if (i < count)
			prepare(dst, src, i, frames, runs, &paths[i & 1]);
		map[i - 1] = walk(dst, &paths[(i - 1) & 1]);
	}
	vec_release(&paths[0]);
	vec_release(&paths[1]);
	return map;
}

size_t nodes_merged_most(const struct chains *src, const u32 *const *runs)
{
	size_t count = src->listed.count;

	vec_for_each(&src->listed, f)
		if (runs && runs[*f])
			count += runs[*f][0];
	return count;
}

void nodes_open(struct chains *dst, size_t most)
{
	dst->node_space = 256;
	while ((most + 1) * 4 > dst->node_space * 3)
		dst->node_space *= 2;
	dst->node_slots = xcalloc(dst->node_space, sizeof(*dst->node_slots));
	vec_reserve(&dst->nodes, most + 1);
	dst->node_count = (u32)dst->nodes.count;
}

/* The slots are not needed any more. */
void nodes_close(struct chains *dst)
{
	dst->nodes.count = dst->node_count;
	free(dst->node_slots);
	dst->node_slots = NULL;
	dst->node_space = 0;
}
