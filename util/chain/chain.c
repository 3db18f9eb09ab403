// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of frames and nodes, each once. */
#include "chain/chain.h"

#include <stdlib.h>
#include <string.h>

#include "chain/internal.h"

struct chains *chains_new(struct history *h)
{
	struct chains *c = xcalloc_apart(1, sizeof(*c)); /* one for each worker */

	c->history = h;
	c->seed = hash_bytes("place", 5);
	vec_push_zero(&c->lists);
	vec_push_zero(&c->recorded);
	return c;
}

void chains_free(struct chains *c)
{
	if (!c)
		return;
	vec_release(&c->frames);
	vec_release(&c->lists);
	vec_for_each(&c->parts, p)
		free(p->frames);
	vec_release(&c->parts);
	free(c->nodes);
	free(c->leaf_of);
	vec_release(&c->path);
	vec_release(&c->recorded);
	vec_release(&c->listed);
	vec_release(&c->ends);
	free(c->frame_slots);
	free(c->node_slots);
	free(c->kept);
	free(c->seen);
	free(c->placed);
	free(c->place_slots);
	vec_release(&c->places);
	vec_release(&c->wanted);
	map64_release(&c->contents);
	strtab_release(&c->texts);
	vec_release(&c->inlined);
	vec_release(&c->sources);
	free(c);
}

void chains_close(struct chains *c)
{
	free(c->frame_slots);
	free(c->kept);
	free(c->seen);
	map64_release(&c->contents);
	c->frame_slots = NULL;
	c->kept = NULL;
	c->seen = NULL;
	memset(c->recent_contents, 0, sizeof(c->recent_contents));
	c->frame_space = c->kept_space = c->seen_space = c->seen_count = 0;
	c->slotted = 0;
}

void places_release(struct chains *c)
{
	free(c->placed);
	free(c->place_slots);
	vec_release(&c->places);
	c->placed = NULL;
	c->place_slots = NULL;
	c->placed_space = c->placed_count = c->place_space = 0;
}

struct chains *chains_copy(const struct chains *from)
{
	struct chains *c = chains_new(from->history);

	vec_reserve(&c->frames, from->frames.count);
	vec_for_each(&from->frames, f)
		vec_push(&c->frames, *f);
	vec_clear(&c->recorded);
	vec_reserve(&c->recorded, from->recorded.count);
	vec_for_each(&from->recorded, l)
		vec_push(&c->recorded, *l);
	vec_reserve(&c->listed, from->listed.count);
	vec_for_each(&from->listed, f)
		vec_push(&c->listed, *f);
	c->damaged = from->damaged;
	return c;
}

u32 chains_count(const struct chains *c)
{
	return (u32)c->recorded.count - 1;
}

u64 frame_hash(const struct frame *f)
{
	u64 kind = (u64)f->image << 32 | (u64)f->cpumode << 8 | f->is_return;

	/* An inlined frame shares its address with the function around it. */
	return hash_combine(hash_combine(hash_combine(kind, f->offset), f->addr),
			    (u64)f->inlined << 32 | f->source);
}

bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->offset == b->offset && a->addr == b->addr && a->image == b->image &&
	       a->cpumode == b->cpumode && a->is_return == b->is_return &&
	       a->inlined == b->inlined && a->source == b->source;
}

static bool nearly_full(size_t count, size_t space)
{
	return (count + 1) * 4 > space * 3;
}

static void slot_take(struct chains *c, frame_id id)
{
	size_t at = frame_hash(&c->frames.items[id]) & (c->frame_space - 1);

	while (c->frame_slots[at])
		at = (at + 1) & (c->frame_space - 1);
	c->frame_slots[at] = id + 1;
}

/* Gives frames that were added without a look-up their slots, when another frame is looked up. */
static void slot_frames(struct chains *c)
{
	if (nearly_full(c->frames.count, c->frame_space)) {
		size_t space = c->frame_space ? c->frame_space * 2 : 256;

		while (nearly_full(c->frames.count, space))
			space *= 2;
		free(c->frame_slots);
		c->frame_slots = xcalloc_table(space, sizeof(*c->frame_slots));
		c->frame_space = space;
		c->slotted = 0;
	}
	while (c->slotted < c->frames.count)
		slot_take(c, c->slotted++);
}

frame_id frame_push(struct chains *c, const struct frame *f)
{
	vec_push(&c->frames, *f);
	return (u32)c->frames.count - 1;
}

void frames_find_again(struct chains *c)
{
	free(c->frame_slots);
	c->frame_slots = NULL;
	c->frame_space = 0;
	c->slotted = 0;
}

frame_id frame_add(struct chains *c, const struct frame *f)
{
	size_t at;

	slot_frames(c);
	at = frame_hash(f) & (c->frame_space - 1);
	for (; c->frame_slots[at]; at = (at + 1) & (c->frame_space - 1))
		if (frame_equal(&c->frames.items[c->frame_slots[at] - 1], f))
			return c->frame_slots[at] - 1;
	c->frame_slots[at] = frame_push(c, f) + 1;
	return c->slotted++;
}

const struct chain_list *chain_lists(const struct chains *c)
{
	return c->lists.items;
}

const struct frame *chain_frame(const struct chains *c, frame_id id)
{
	return &c->frames.items[id];
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
