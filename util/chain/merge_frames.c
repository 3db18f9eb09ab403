// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the collectors' frames.
 *
 * A frame that a collector found through its places is looked up in the first collector's table by
 * place and address, so only frames that the first one lacks are copied. Others are compared by all
 * their fields.
 */
#include <stdlib.h>

#include "chain/chain.h"
#include "chain/internal.h"

/* ---- any frames ---- */

enum { FRAMES = 4096 }; /* in a piece of work */

struct frames_of_all {
	/* by item: all of the first collector, then of the next one ... */
	const struct frame **frames;
	u64 *keys;
	struct chains *dst;
	const u32 *stands;
};

static void hash_frames(void *arg, size_t from, size_t to)
{
	const struct frames_of_all *a = arg;

	for (size_t i = from; i < to; i++)
		a->keys[i] = frame_hash(a->frames[i]);
}

static bool same_item(const void *arg, u32 a, u32 b)
{
	const struct frames_of_all *all = arg;

	return frame_equal(all->frames[a], all->frames[b]);
}

static void copy_frames(void *arg, size_t from, size_t to)
{
	const struct frames_of_all *a = arg;

	for (size_t i = from; i < to; i++)
		a->dst->frames.items[i] = *a->frames[a->stands[i]];
}

static u32 list_frames(struct frames_of_all *a, struct chains *const *src, size_t count)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		total += src[i]->frames.count;
	a->frames = xreallocarray(NULL, total + 1, sizeof(*a->frames));
	a->keys = xreallocarray(NULL, total + 1, sizeof(*a->keys));
	for (size_t i = 0; i < count; i++)
		vec_for_each(&src[i]->frames, f)
			a->frames[at++] = f;
	return (u32)total;
}

static void merge_any(struct chains *dst, struct context *ctx, struct chains *const *src,
		      size_t count, frame_id **maps)
{
	struct frames_of_all all = { .dst = dst };
	u32 total = list_frames(&all, src, count),
	    *stands = xreallocarray(NULL, total + 1, sizeof(*stands)), at = 0;
	frame_id *class = xreallocarray(NULL, total + 1, sizeof(*class));
	/* not cancelled: each frame gets a number */
	struct context whole = { .workers = ctx->workers };
	struct distinct d = { .keys = all.keys, .count = total, .same = same_item, .arg = &all };
	u32 classes;

	chain_in_parallel(&whole, total, FRAMES, hash_frames, &all);
	classes = chain_distinct(ctx, &d, class, stands);
	all.stands = stands;
	vec_reserve(&dst->frames, classes);
	dst->frames.count = classes;
	chain_in_parallel(&whole, classes, FRAMES, copy_frames, &all);
	for (size_t i = 0; i < count; i++) {
		u32 frames = (u32)src[i]->frames.count;

		maps[i] = xreallocarray(NULL, frames + 1, sizeof(**maps));
		for (u32 f = 0; f < frames; f++)
			maps[i][f] = class[at++];
		dst->damaged += src[i]->damaged;
	}
	free(all.frames);
	free(all.keys);
	free(class);
	free(stands);
}

/* ---- frames that have slots by place and address ---- */

enum { SLOTS = 1 << 14 }; /* in a piece of work */
#define NO_FRAME UINT32_MAX

/* The frames of src are looked up in those of first. */
struct placed_search {
	const struct chains *first, *src;
	const u32 *places; /* by place of src: its number in first */
	frame_id *map;     /* by frame of src: its number in first, or NO_FRAME */
};

static bool has_frame(const struct chains *c, const struct placed_frame *p)
{
	return p->frame && !c->places.items[p->kind >> 1].is_space;
}

static struct wanted_frame wanted_at(const struct placed_search *s, const struct placed_frame *p)
{
	u32 kind = s->places[p->kind >> 1] << 1 | (p->kind & 1);

	return (struct wanted_frame){ p->addr, kind, placed_hash(s->first, p->addr, kind) };
}

static void search_slots(void *arg, size_t from, size_t to)
{
	enum { AHEAD = 16 };
	const struct placed_search *s = arg;
	const struct placed_frame *slots = s->src->placed;

	for (size_t i = from; i < to; i++) {
		struct wanted_frame want;
		const struct placed_frame *found;

		if (i + AHEAD < to && has_frame(s->src, &slots[i + AHEAD])) {
			want = wanted_at(s, &slots[i + AHEAD]);
			__builtin_prefetch(
				&s->first->placed[want.hash & (s->first->placed_space - 1)]);
		}
		if (!has_frame(s->src, &slots[i]))
			continue;
		want = wanted_at(s, &slots[i]);
		found = placed_slot(s->first, &want);
		s->map[slots[i].frame - 1] = found->frame ? found->frame - 1 : NO_FRAME;
	}
}

/* Adds slots for the frames that first got from src. */
static void add_slots(struct chains *first, const struct placed_search *s, frame_id new)
{
	placed_room(first, first->frames.count - new);
	for (size_t i = 0; i < s->src->placed_space; i++) {
		const struct placed_frame *p = &s->src->placed[i];
		struct wanted_frame want;

		if (!has_frame(s->src, p) || s->map[p->frame - 1] < new)
			continue;
		want = wanted_at(s, p);
		placed_add(first, placed_slot(first, &want), &want, s->map[p->frame - 1]);
	}
}

static frame_id *merge_placed(struct chains *first, struct context *whole, const struct chains *src,
			      bool last)
{
	u32 *places = xreallocarray(NULL, src->places.count + 1, sizeof(*places));
	struct placed_search s = {
		.first = first,
		.src = src,
		.places = places,
		.map = xreallocarray(NULL, src->frames.count + 1, sizeof(*s.map)),
	};
	frame_id new = (frame_id)first->frames.count;

	for (size_t i = 0; i < src->places.count; i++)
		places[i] = place_add(first, &src->places.items[i]);
	placed_room(first, 1);
	chain_in_parallel(whole, src->placed_space, SLOTS, search_slots, &s);
	for (size_t i = 0; i < src->frames.count; i++)
		if (s.map[i] == NO_FRAME)
			s.map[i] = frame_push(first, &src->frames.items[i]);
	if (!last)
		add_slots(first, &s, new);
	free(places);
	return s.map;
}

/* Reports whether each frame has one slot by place and address. */
static bool all_placed(const struct chains *c)
{
	size_t placed = 0;

	for (size_t i = 0; i < c->placed_space; i++)
		placed += has_frame(c, &c->placed[i]);
	return placed == c->frames.count;
}

/*
 * Merges into the first collector. All frames of one collector differ: the first one's are taken
 * over, and only the others' are looked up.
 */
static void merge_into_first(struct chains *dst, struct context *ctx, struct chains *const *src,
			     size_t count, frame_id **maps)
{
	/* not cancelled: each frame gets a number */
	struct context whole = { .workers = ctx->workers };
	size_t frames = src[0]->frames.count;

	maps[0] = xreallocarray(NULL, frames + 1, sizeof(**maps));
	for (size_t i = 0; i < frames; i++)
		maps[0][i] = (frame_id)i;
	for (size_t i = 1; i < count; i++)
		maps[i] = merge_placed(src[0], &whole, src[i], i + 1 == count);
	free(dst->frames.items);
	dst->frames.items = src[0]->frames.items;
	dst->frames.count = src[0]->frames.count;
	dst->frames.space = src[0]->frames.space;
	src[0]->frames.items = NULL;
	vec_release(&src[0]->frames);
	for (size_t i = 0; i < count; i++)
		dst->damaged += src[i]->damaged;
}

static bool are_placed(struct chains *const *src, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!all_placed(src[i]))
			return false;
	return true;
}

void frames_merge(struct chains *dst, struct context *ctx, struct chains *const *src, size_t count,
		  frame_id **maps)
{
	if (count == 1 || (count && are_placed(src, count)))
		merge_into_first(dst, ctx, src, count, maps);
	else
		merge_any(dst, ctx, src, count, maps);
	for (size_t i = 0; i < count; i++)
		places_release(src[i]);
}
