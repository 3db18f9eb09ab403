// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables: frames and nodes, each once. */
#include "chain/chain.h"

#include <stdlib.h>
#include <string.h>

#include "chain/internal.h"

struct chains *chains_new(struct history *h)
{
	struct chains *c = xcalloc(1, sizeof(*c));

	c->history = h;
	vec_push_zero(&c->nodes);
	vec_push(&c->hashes, 0);
	return c;
}

void chains_free(struct chains *c)
{
	if (!c)
		return;
	vec_release(&c->frames);
	vec_release(&c->nodes);
	vec_release(&c->path);
	vec_release(&c->path_hashes);
	vec_release(&c->hashes);
	free(c->frame_slots);
	free(c->node_slots);
	free(c->seen);
	free(c->cache);
	strtab_release(&c->texts);
	vec_release(&c->inlined);
	vec_release(&c->sources);
	free(c);
}

static u64 frame_hash(const struct frame *f)
{
	u64 kind = (u64)f->image << 32 | (u64)f->cpumode << 8 | f->is_return;

	/* An inlined frame shares its address with the function around it. */
	return hash_combine(hash_combine(hash_combine(kind, f->offset), f->addr),
			    (u64)f->inlined << 32 | f->source);
}

static bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->offset == b->offset && a->addr == b->addr && a->image == b->image &&
	       a->cpumode == b->cpumode && a->is_return == b->is_return &&
	       a->inlined == b->inlined && a->source == b->source;
}

static bool nearly_full(size_t count, size_t space)
{
	return (count + 1) * 4 > space * 3;
}

static void frames_grow(struct chains *c)
{
	size_t space = c->frame_space ? c->frame_space * 2 : 256;
	u32 *slots = xcalloc(space, sizeof(*slots));

	for (size_t i = 0; i < c->frames.count; i++) {
		size_t at = frame_hash(&c->frames.items[i]) & (space - 1);

		while (slots[at])
			at = (at + 1) & (space - 1);
		slots[at] = (u32)i + 1;
	}
	free(c->frame_slots);
	c->frame_slots = slots;
	c->frame_space = space;
}

frame_id frame_add(struct chains *c, const struct frame *f)
{
	size_t at;

	if (nearly_full(c->frames.count, c->frame_space))
		frames_grow(c);
	at = frame_hash(f) & (c->frame_space - 1);
	for (; c->frame_slots[at]; at = (at + 1) & (c->frame_space - 1))
		if (frame_equal(&c->frames.items[c->frame_slots[at] - 1], f))
			return c->frame_slots[at] - 1;
	vec_push(&c->frames, *f);
	c->frame_slots[at] = (u32)c->frames.count;
	return (u32)c->frames.count - 1;
}

static void nodes_grow(struct chains *c)
{
	/* By four: moving all nodes again costs more than empty slots. */
	size_t space = c->node_space ? c->node_space * 4 : 256;
	u32 *slots = xcalloc(space, sizeof(*slots));

	for (size_t i = 1; i < c->nodes.count; i++) {
		size_t at = c->hashes.items[i] & (space - 1);

		while (slots[at])
			at = (at + 1) & (space - 1);
		slots[at] = (u32)i;
	}
	free(c->node_slots);
	c->node_slots = slots;
	c->node_space = space;
}

void nodes_reserve(struct chains *c, size_t more)
{
	while ((c->nodes.count + more) * 4 > c->node_space * 3)
		nodes_grow(c);
}

/*
 * Ids grow from parent to child: node 0 is the empty chain, so its id marks a
 * free slot too.  hash is path_hash() of the whole chain, and room is reserved.
 */
chain_id node_add(struct chains *c, chain_id parent, frame_id frame, u32 hash)
{
	size_t at = hash & (c->node_space - 1);

	for (; c->node_slots[at]; at = (at + 1) & (c->node_space - 1)) {
		const struct chain_node *n = &c->nodes.items[c->node_slots[at]];

		if (n->parent == parent && n->frame == frame)
			return c->node_slots[at];
	}
	c->node_slots[at] = (u32)c->nodes.count;
	vec_push(&c->hashes, hash);
	vec_push(&c->nodes, (struct chain_node){
		.parent = parent,
		.frame = frame,
		.depth = c->nodes.items[parent].depth + 1,
	});
	return (u32)c->nodes.count - 1;
}

chain_id node_add_shared(struct chains *c, chain_id parent, frame_id frame, u32 hash)
{
	size_t at = hash & (c->node_space - 1);

	for (;; at = (at + 1) & (c->node_space - 1)) {
		u32 id = __atomic_load_n(&c->node_slots[at], __ATOMIC_ACQUIRE);
		const struct chain_node *n;

		if (!id) {
			u32 mine = __atomic_fetch_add(&c->shared_count, 1, __ATOMIC_RELAXED);

			c->hashes.items[mine] = hash;
			c->nodes.items[mine] = (struct chain_node){
				.parent = parent, .frame = frame,
				.depth = c->nodes.items[parent].depth + 1,
			};
			if (__atomic_compare_exchange_n(&c->node_slots[at], &id, mine, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return mine;
			c->nodes.items[mine] = (struct chain_node){ 0 }; /* id came first */
		}
		n = &c->nodes.items[id];
		if (n->parent == parent && n->frame == frame)
			return id;
	}
}

chain_id chain_push(struct chains *c, chain_id parent, const struct frame *f)
{
	frame_id frame = frame_add(c, f);

	nodes_reserve(c, 1);
	return node_add(c, parent, frame, path_hash(c->hashes.items[parent], frame));
}

const struct chain_node *chain_get(const struct chains *c, chain_id id)
{
	return &c->nodes.items[id];
}

const struct chain_node *chain_nodes(const struct chains *c)
{
	return c->nodes.items;
}

const struct frame *chain_frame(const struct chains *c, frame_id id)
{
	return &c->frames.items[id];
}

u32 chains_count(const struct chains *c)
{
	return (u32)c->nodes.count - 1;
}

u32 frames_count(const struct chains *c)
{
	return (u32)c->frames.count;
}

u64 chains_damaged(const struct chains *c)
{
	return c->damaged;
}

const struct symbol *chain_inlined(const struct chains *c, const struct frame *f)
{
	return f->inlined ? &c->inlined.items[f->inlined] : NULL;
}

const struct frame_source *chain_source(const struct chains *c, const struct frame *f)
{
	return f->source ? &c->sources.items[f->source] : NULL;
}

frame_id *frames_merge(struct chains *dst, const struct chains *src)
{
	frame_id *map = xcalloc(src->frames.count + 1, sizeof(*map));

	for (size_t i = 0; i < src->frames.count; i++)
		map[i] = frame_add(dst, &src->frames.items[i]);
	dst->damaged += src->damaged;
	return map;
}

static chain_id add_to(struct chains *dst, chain_id parent, frame_id frame, bool shared)
{
	if (shared)
		return node_add_shared(dst, parent, frame,
				       path_hash(dst->hashes.items[parent], frame));
	nodes_reserve(dst, 1);
	return node_add(dst, parent, frame, path_hash(dst->hashes.items[parent], frame));
}

static chain_id *merge_expanded(struct chains *dst, const struct chains *src,
				const frame_id *frames, const u32 *const *runs, bool shared)
{
	size_t count = src->nodes.count;
	chain_id *map = xcalloc(count + 1, sizeof(*map));

	for (size_t i = 1; i < count; i++) {
		const struct chain_node *n = &src->nodes.items[i];
		const u32 *run = runs[n->frame];
		chain_id id = map[n->parent];

		if (!run)
			id = add_to(dst, id, frames[n->frame], shared);
		for (u32 k = 1; run && k <= run[0]; k++)
			id = add_to(dst, id, run[k], shared);
		map[i] = id;
	}
	return map;
}

static chain_id *merge_plain(struct chains *dst, const struct chains *src, const frame_id *frames,
			     bool shared)
{
	enum { AHEAD = 16 }; /* nodes whose slots are on their way from memory */
	size_t count = src->nodes.count;
	chain_id *map = xcalloc(count + 1, sizeof(*map));
	u32 *hash = xcalloc(count + 1, sizeof(*hash));

	nodes_reserve(dst, 1); /* slots to fetch from, even for the first */
	/* Parents come before their children, so one pass does. */
	for (size_t i = 1; i < count + AHEAD; i++) {
		size_t k = i - AHEAD;

		if (i < count) {
			const struct chain_node *n = &src->nodes.items[i];

			hash[i] = path_hash(hash[n->parent], frames[n->frame]);
			__builtin_prefetch(&dst->node_slots[hash[i] & (dst->node_space - 1)]);
		}
		if (i > AHEAD) {
			const struct chain_node *n = &src->nodes.items[k];

			if (shared) {
				map[k] = node_add_shared(dst, map[n->parent], frames[n->frame],
							 hash[k]);
				continue;
			}
			nodes_reserve(dst, 1);
			map[k] = node_add(dst, map[n->parent], frames[n->frame], hash[k]);
		}
	}
	free(hash);
	return map;
}

void nodes_open_shared(struct chains *dst, size_t more)
{
	nodes_reserve(dst, more);
	vec_reserve(&dst->nodes, dst->nodes.count + more);
	vec_reserve(&dst->hashes, dst->hashes.count + more);
	dst->shared_count = (u32)dst->nodes.count;
}

size_t nodes_merged_most(const struct chains *src, const u32 *const *runs)
{
	size_t count = src->nodes.count - 1;

	for (size_t i = 1; runs && i < src->nodes.count; i++) {
		const u32 *run = runs[src->nodes.items[i].frame];

		count += run ? run[0] : 0;
	}
	return count;
}

chain_id *nodes_merge_shared(struct chains *dst, const struct chains *src, const frame_id *frames,
			     const u32 *const *runs)
{
	return runs ? merge_expanded(dst, src, frames, runs, true)
		    : merge_plain(dst, src, frames, true);
}

void nodes_close_shared(struct chains *dst)
{
	dst->nodes.count = dst->hashes.count = dst->shared_count;
}

chain_id *nodes_merge(struct chains *dst, const struct chains *src, const frame_id *frames,
		      const u32 *const *runs)
{
	return runs ? merge_expanded(dst, src, frames, runs, false)
		    : merge_plain(dst, src, frames, false);
}
