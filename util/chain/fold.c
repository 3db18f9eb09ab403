// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames that print alike become one. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "chain/chain.h"
#include "chain/internal.h"

/* Is a a better stand-in than b?  Content alone decides. */
static bool stands_before(const struct image_table *images, const struct frame *a,
			  const struct frame *b)
{
	if (a->image != b->image) {
		int d = strcmp(image_get(images, a->image)->path, image_get(images, b->image)->path);

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

static void fold_frames(struct chains *out, const struct chains *c,
			const struct image_table *images,
			u64 (*frame_key)(void *arg, const struct frame *f), void *arg,
			frame_id *map)
{
	struct map64 ids = { 0 };

	for (size_t i = 0; i < c->frames.count; i++) {
		const struct frame *f = &c->frames.items[i];
		bool added;
		u64 *slot = map64_put(&ids, frame_key(arg, f), &added);

		if (added) {
			*slot = out->frames.count;
			vec_push(&out->frames, *f);
		} else if (stands_before(images, f, &out->frames.items[*slot])) {
			out->frames.items[*slot] = *f;
		}
		map[i] = (frame_id)*slot;
	}
	map64_release(&ids);
}

struct chains *frames_fold(struct chains *c, const struct image_table *images,
			   u64 (*frame_key)(void *arg, const struct frame *f), void *arg,
			   frame_id **frame_map)
{
	struct chains *out = chains_new(c->history);

	*frame_map = xcalloc(c->frames.count + 1, sizeof(**frame_map));
	fold_frames(out, c, images, frame_key, arg, *frame_map);
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
