// SPDX-License-Identifier: GPL-2.0-or-later
/* Folds frames that print alike. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "chain/chain.h"
#include "chain/internal.h"

/* Reports whether a should represent both rather than b. Only the content decides. */
static bool stands_before(const struct image_table *images, const struct frame *a,
			  const struct frame *b)
{
	if (a->image != b->image) {
		int d = strcmp(image_get(images, a->image)->path,
			       image_get(images, b->image)->path);

		if (d)
			return d < 0;
	}
	if (a->addr != b->addr)
		return a->addr < b->addr;
	if (a->cpumode != b->cpumode)
		return a->cpumode < b->cpumode;
	if (!a->inlined != !b->inlined)
		return !a->inlined;
	return a->is_return < b->is_return;
}

enum { PIECE = 4096 }; /* frames */

struct folding {
	const struct chains *c;
	const struct image_table *images;
	u64 (*frame_key)(void *arg, const struct frame *f);
	void *arg;
	u64 *keys;
};

static void find_keys(void *arg, size_t from, size_t to)
{
	const struct folding *f = arg;

	for (size_t i = from; i < to; i++)
		f->keys[i] = f->frame_key(f->arg, &f->c->frames.items[i]);
}

static bool item_before(const void *arg, u32 a, u32 b)
{
	const struct folding *f = arg;

	return stands_before(f->images, &f->c->frames.items[a], &f->c->frames.items[b]);
}

struct copying {
	const struct frame *from;
	struct frame *to;
	const u32 *stands;
};

static void copy_stands(void *arg, size_t from, size_t to)
{
	enum { AHEAD = 8 };
	const struct copying *c = arg;

	for (size_t i = from; i < to; i++) {
		if (i + AHEAD < to)
			__builtin_prefetch(&c->from[c->stands[i + AHEAD]]);
		c->to[i] = c->from[c->stands[i]];
	}
}

static void fold_frames(struct folding *f, struct context *ctx, struct chains *out, frame_id *map)
{
	u32 count = (u32)f->c->frames.count, classes,
	    *stands = xreallocarray(NULL, count + 1, sizeof(*stands));
	/* not cancelled: each frame gets a number */
	struct context whole = { .workers = ctx->workers };
	struct distinct d = { .count = count, .before = item_before, .arg = f };
	struct copying copy;

	d.keys = f->keys = xreallocarray(NULL, count + 1, sizeof(*f->keys));
	chain_in_parallel(&whole, count, PIECE, find_keys, f);
	classes = chain_distinct(ctx, &d, map, stands);
	vec_reserve(&out->frames, classes);
	out->frames.count = classes;
	copy = (struct copying){ f->c->frames.items, out->frames.items, stands };
	chain_in_parallel(&whole, classes, PIECE, copy_stands, &copy);
	free(f->keys);
	free(stands);
}

struct chains *frames_fold(struct chains *c, struct context *ctx, const struct image_table *images,
			   u64 (*frame_key)(void *arg, const struct frame *f), void *arg,
			   frame_id **frame_map)
{
	struct chains *out = chains_new(c->history);
	struct folding f = { .c = c, .images = images, .frame_key = frame_key, .arg = arg };

	*frame_map = xcalloc(c->frames.count + 1, sizeof(**frame_map));
	fold_frames(&f, ctx, out, *frame_map);
	out->damaged = c->damaged;
	out->texts = c->texts;
	out->inlined.items = c->inlined.items;
	out->inlined.count = c->inlined.count;
	out->inlined.space = c->inlined.space;
	out->sources.items = c->sources.items;
	out->sources.count = c->sources.count;
	out->sources.space = c->sources.space;
	memset(&c->texts, 0, sizeof(c->texts));
	memset(&c->inlined, 0, sizeof(c->inlined));
	memset(&c->sources, 0, sizeof(c->sources));
	return out;
}
