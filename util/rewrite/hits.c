// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the objects that samples touch, as they pass. */
#include <stdlib.h>

#include "base/bytes.h"
#include "rewrite/internal.h"

static bool first_time(struct rewriter *w, u32 image)
{
	while (w->image_seen.count <= image)
		vec_push(&w->image_seen, 0);
	if (w->image_seen.items[image])
		return false;
	w->image_seen.items[image] = 1;
	return true;
}

void hits_tell(struct rewriter *w, const struct image *img, const struct build_id *id)
{
	struct strbuf *b = w->to_stream ? &w->buf : &w->found;
	size_t start = b->len;

	image_add_build_id(b, img, id);
	if (!w->to_stream)
		return;
	store_u32(b->s + start, PERF_RECORD_HEADER_BUILD_ID);
	if (w->in->swap)
		data_turn_build_ids(b->s + start, b->len - start);
}

static void note_image(struct rewriter *w, u32 number)
{
	const struct image *img;
	struct build_id id;
	char *file;

	if (!number || !first_time(w, number))
		return;
	img = image_get(w->files.images, number);
	file = image_file(&w->files, img);
	if (!image_find_build_id(&w->files, img, file, &id))
		hits_tell(w, img, &id);
	free(file);
}

void hits_note(struct rewriter *w, const struct session_sample *s)
{
	const struct sample *sample = s->sample;

	note_image(w, s->leaf.image);
	if (!sample->chain_count)
		return;
	if (!w->chains)
		w->chains = chains_new(session_history(w->session));
	/* a chain that was seen before has no new frames */
	chain_add(w->chains, s->task, sample->cpumode,
		  &(struct recorded_chain){ .ips = sample->chain,
					    .count = sample->chain_count,
					    .unwound = sample->chain_unwound,
					    .swap = w->in->swap },
		  &s->key);
	for (; w->frames_seen < frames_count(w->chains); w->frames_seen++)
		note_image(w, chain_frame(w->chains, w->frames_seen)->image);
}

void hits_each_location(struct rewriter *w, const struct session_sample *s,
			void (*fn)(struct rewriter *w, const struct session_sample *s,
				   const struct location *l))
{
	const struct sample *sample = s->sample;
	struct history *h = session_history(w->session);
	u8 mode = sample->cpumode;
	struct location l;

	if (s->leaf.mapping)
		fn(w, s, &s->leaf);
	if (sample->event->attr.sample_type & PERF_SAMPLE_ADDR && sample->addr &&
	    history_locate(h, s->task, PERF_RECORD_MISC_USER, sample->addr, &s->key, &l) &&
	    l.mapping)
		fn(w, s, &l);
	for (u64 i = 0; i < sample->chain_count; i++) {
		u64 ip = load_u64(sample->chain + 8 * i, w->in->swap);

		if (ip == PERF_CONTEXT_USER || ip == PERF_CONTEXT_GUEST_USER)
			mode = ip == PERF_CONTEXT_USER ? PERF_RECORD_MISC_USER
						       : PERF_RECORD_MISC_GUEST_USER;
		else if (ip == PERF_CONTEXT_KERNEL || ip == PERF_CONTEXT_GUEST_KERNEL)
			mode = PERF_RECORD_MISC_KERNEL;
		else if (ip < PERF_CONTEXT_MAX && mode != PERF_RECORD_MISC_KERNEL &&
			 history_locate(h, s->task, mode, ip, &s->key, &l) && l.mapping)
			fn(w, s, &l);
	}
}

void hits_release(struct rewriter *w)
{
	chains_free(w->chains);
	vec_release(&w->image_seen);
	strbuf_release(&w->found);
}
