// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts which samples have names, and where their chains end. */
#include "hist/truth.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/perf_abi.h"
#include "base/self_profile.h"
#include "hist/entries_parts.h"
#include "hist/internal.h"

/* ---- where chains end: each outermost frame is judged once ---- */

struct judge {
	const struct hist *h;
	const struct chains *chains;
	u32 most;   /* frames of a chain that is full */
	u64 *known; /* by frame; 0: not judged so far.  NULL: each is judged again */
};

/* The fewest frames that the kernel, or a limit of the user's, leaves of a longer stack. */
static u32 most_frames(const struct hist *h)
{
	enum { KERNELS_LIMIT = 127 }; /* PERF_MAX_STACK_DEPTH */
	u32 most = h->set.max_stack ? MIN(h->set.max_stack, KERNELS_LIMIT) : KERNELS_LIMIT;

	vec_for_each(&h->events->list, ev)
		if ((*ev)->attr.sample_max_stack)
			most = MIN(most, (u32)(*ev)->attr.sample_max_stack);
	return most;
}

static u64 judge_frame(const struct judge *j, frame_id id)
{
	const struct hist_services *services = &j->h->set.services;
	const struct frame *f = chain_frame(j->chains, id);
	u64 end;

	if (j->known && j->known[id])
		return j->known[id];
	end = services->chain_end(services->chain_end_arg, f->image, f->offset);
	end = end ? end : HIST_END_NO_CODE;
	if (j->known)
		j->known[id] = end;
	return end;
}

static bool is_user(const struct judge *j, frame_id id)
{
	return chain_frame(j->chains, id)->cpumode == PERF_RECORD_MISC_USER;
}

/*
 * Outermost frames where no code is did not call the one before them, which lacks a frame pointer.
 */
static u64 judge_chain(const struct judge *j, const frame_id *frames, size_t count)
{
	u64 end;

	if (!is_user(j, frames[count - 1]))
		return HIST_END_KERNEL;
	if (count >= j->most)
		return HIST_END_FULL;
	do
		end = judge_frame(j, frames[--count]);
	while (end == HIST_END_NO_CODE && count && is_user(j, frames[count - 1]));
	return end;
}

bool hist_judges_ends(const struct hist *h)
{
	return h->set.truth && h->set.chains && h->set.services.chain_end;
}

static u64 end_of(const struct judge *j, chain_id id)
{
	u64 end = chain_recorded_end(j->chains, id);
	const frame_id *frames;
	size_t count;

	if (end)
		return end;
	frames = chain_recorded(j->chains, id, &count);
	return judge_chain(j, frames, count);
}

u64 hist_find_end(const struct hist *h, const struct chains *c, chain_id id)
{
	const struct judge j = { .h = h, .chains = c, .most = most_frames(h) };

	return id && hist_judges_ends(h) ? end_of(&j, id) : 0;
}

u64 *hist_find_ends(const struct hist *h, const struct chains *c)
{
	struct judge j = { .h = h, .chains = c, .most = most_frames(h) };
	u32 count = chains_count(c);
	u64 *ends;

	if (!hist_judges_ends(h) || h->truth)
		return NULL;
	j.known = xcalloc(frames_count(c) + 1, sizeof(*j.known));
	ends = xcalloc(count + 1, sizeof(*ends));
	for (u32 i = 1; i <= count; i++)
		ends[i] = end_of(&j, i);
	free(j.known);
	return ends;
}

void hist_take_ends(struct hist *h, const u64 *ends, u32 first, u32 count)
{
	if (!ends)
		return;
	while (h->chain_ends.count <= first)
		vec_push_zero(&h->chain_ends);
	vec_reserve(&h->chain_ends, h->chain_ends.count + count);
	for (u32 i = 1; i <= count; i++)
		vec_push(&h->chain_ends, ends[i]);
}

void hist_copy_end(struct hist *h, chain_id to, chain_id from)
{
	u64 end = from < h->chain_ends.count ? h->chain_ends.items[from] : 0;

	if (!end)
		return;
	while (h->chain_ends.count <= to)
		vec_push_zero(&h->chain_ends);
	h->chain_ends.items[to] = end;
}

/* ---- counting ---- */

/* By frame: its image + 1, where it has no name; else 0. */
static u32 *unnamed_images(const struct hist *h)
{
	u32 frames = frames_count(h->chains), *images = xcalloc(frames + 1, sizeof(*images));

	for (u32 i = 0; i < frames; i++) {
		const struct frame *f = hist_frame(h, i);

		if (!f->inlined && !symbol_is_named(f->symbol))
			images[i] = f->image + 1;
	}
	return images;
}

/* Sums of rows that follow each other and are alike, so that most rows need no look-up. */
struct sum {
	struct map64 *map;
	u64 key, samples;
};

static void sum_flush(struct sum *s)
{
	if (s->samples)
		*map64_put(s->map, s->key, NULL) += s->samples;
	s->samples = 0;
}

static void sum_add(struct sum *s, struct map64 *map, u64 key, u64 samples)
{
	if (s->map != map || s->key != key)
		sum_flush(s);
	s->map = map;
	s->key = key;
	s->samples += samples;
}

u64 hist_end_without_chain(const struct frame *leaf)
{
	return leaf->cpumode == PERF_RECORD_MISC_USER ? HIST_END_NONE : HIST_END_KERNEL;
}

static u64 end_of_row(const struct hist *h, const struct row *r)
{
	u64 end = r->chain < h->chain_ends.count ? h->chain_ends.items[r->chain] : 0;

	return end ? end : hist_end_without_chain(hist_frame(h, r->leaf));
}

void hist_count_truth(struct hist *h, const u32 *shown_class)
{
	bool chains = h->set.chains && h->set.services.chain_end, places = !hist_is_placeless(h);
	struct sum unnamed = { 0 }, ends = { 0 };
	u32 *images;

	if (!h->set.truth || h->truth)
		return;
	phase_begin("count names and ends");
	images = unnamed_images(h);
	h->truth = xcalloc(h->events->list.count + 1, sizeof(*h->truth));
	vec_for_each(&h->rows.rows, r) {
		struct hist_truth *t = &h->truth[r->event];

		if (shown_class[r->leaf] == HIDDEN)
			continue;
		t->samples += r->samples;
		if (places && images[r->leaf])
			sum_add(&unnamed, &t->unnamed, images[r->leaf] - 1, r->samples);
		else if (places)
			t->named += r->samples;
		if (chains)
			sum_add(&ends, &t->ends, end_of_row(h, r), r->samples);
	}
	sum_flush(&unnamed);
	sum_flush(&ends);
	free(images);
	phase_end();
}

void hist_free_truth(struct hist *h)
{
	for (size_t i = 0; h->truth && i < h->events->list.count; i++) {
		map64_release(&h->truth[i].unnamed);
		map64_release(&h->truth[i].ends);
	}
	free(h->truth);
	h->truth = NULL;
}

const struct hist_truth *hist_truth(const struct hist *h, u32 event)
{
	static const struct hist_truth none;

	return h->truth ? &h->truth[event] : &none;
}
