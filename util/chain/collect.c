// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample's recorded chain -> chain id.
 *
 * The recorded ips are hashed as they lie, together with the versions of the
 * user's and the kernel's address space; only a chain that was never seen in
 * these spaces is taken apart.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "chain/chain.h"
#include "chain/internal.h"

struct walk {
	const struct task *task;
	const struct order_key *key;
	space_version user, kernel;
};

static bool is_kernel_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
	       cpumode == PERF_RECORD_MISC_HYPERVISOR;
}

/* The cpumode that holds after a context marker; false: not a known marker. */
static bool context_mode(u64 marker, u8 *mode)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		*mode = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED:
		*mode = PERF_RECORD_MISC_USER;
		return true;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
		*mode = PERF_RECORD_MISC_GUEST_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST_USER:
		*mode = PERF_RECORD_MISC_GUEST_USER;
		return true;
	}
	return false;
}

/* What was recorded inside of a guest calls the guest's kernel the kernel. */
static u8 mode_in(const struct task *t, u8 mode)
{
	if (!t->machine)
		return mode;
	return mode == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_GUEST_KERNEL :
	       mode == PERF_RECORD_MISC_USER ? PERF_RECORD_MISC_GUEST_USER : mode;
}

/* Whose kernel a sample's chain passes through. */
static u32 kernel_of(const struct task *t, u8 cpumode)
{
	return history_machine(cpumode, 1) ? t->machine : 0;
}

static bool is_user_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_USER || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

/* A chain's addresses are mostly of a few objects: the mapping seen last often holds the next. */
static void locate_user(struct chains *c, space_version space, u64 addr, struct cached_frame *f)
{
	struct last_mapping *l = &c->last;
	const struct mapping *m;

	if (l->space != space || addr < l->start || addr >= l->end) {
		m = history_find(c->history, space, addr);
		if (!m) {
			f->offset = addr;
			return;
		}
		*l = (struct last_mapping){
			.space = space, .image = m->image, .start = m->start, .end = m->end,
			.shift = m->pgoff - m->start,
		};
	}
	f->image = l->image;
	f->offset = addr + l->shift;
}

static frame_id resolve(struct chains *c, const struct walk *w, const struct cached_frame *want)
{
	struct frame f = {
		.addr = want->addr, .offset = want->offset, .image = want->image,
		.cpumode = want->cpumode, .is_return = want->is_return, .symbol = NO_SYMBOL,
	};
	struct location l;

	if (!is_user_mode(want->cpumode)) {
		history_locate(c->history, w->task, want->cpumode, want->addr, w->key, &l);
		f.image = l.image;
		f.offset = l.offset;
	}
	return frame_add(c, &f);
}

/* Grown when it evicts a quarter of what it holds; what was in it comes back soon. */
static void cache_room(struct chains *c)
{
	if (c->cache && (c->cache_evictions < c->cache_size / 4 || c->cache_size >= FRAME_CACHE_MOST))
		return;
	c->cache_size = c->cache ? c->cache_size * 2 : FRAME_CACHE_FIRST;
	c->cache_evictions = 0;
	free(c->cache);
	c->cache = xcalloc(c->cache_size, sizeof(*c->cache));
}

/* The first of the two that may hold it. */
static struct cached_frame *cache_slot(const struct chains *c, u64 addr, bool is_return)
{
	return &c->cache[hash_u64(addr << 1 | is_return) & (c->cache_size - 2)];
}

static bool is_cached(const struct cached_frame *e, const struct cached_frame *want)
{
	return e->frame && e->addr == want->addr && e->offset == want->offset &&
	       e->image == want->image && e->space == want->space &&
	       e->cpumode == want->cpumode && e->is_return == want->is_return;
}

static frame_id frame_at(struct chains *c, const struct walk *w, u8 mode, u64 addr, bool is_return)
{
	struct cached_frame *e = cache_slot(c, addr, is_return);
	struct cached_frame want = { .addr = addr, .cpumode = mode, .is_return = is_return };

	if (is_user_mode(mode))
		locate_user(c, w->user, addr, &want);
	else
		want.space = is_kernel_mode(mode) ? w->kernel : w->user;
	if (is_cached(&e[0], &want))
		return e[0].frame - 1;
	if (is_cached(&e[1], &want))
		return e[1].frame - 1;
	c->cache_evictions += e[1].frame != 0;
	e[1] = e[0];
	want.frame = resolve(c, w, &want) + 1;
	e[0] = want;
	return want.frame - 1;
}

/* Fills c->path, leaf first; false when the chain is damaged. */
static bool take_apart(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	u64 recorded = r->count - MIN(r->unwound, r->count);
	const u8 *ips = r->ips;
	u8 mode = mode_in(w->task, PERF_RECORD_MISC_USER); /* what perf takes until a marker comes */
	enum { AHEAD = 4 };	/* entries that are on their way from memory */
	bool is_return = false;	/* the first address after a marker is where it stood */

	vec_clear(&c->path);
	cache_room(c);
	for (u64 i = 0; i < r->count && (!r->max || c->path.count < r->max); i++) {
		u64 ip = load_u64(ips + i * 8, r->swap);

		if (i + AHEAD < r->count)
			__builtin_prefetch(cache_slot(c, load_u64(ips + (i + AHEAD) * 8, r->swap),
						      i + AHEAD < recorded));

		if (ip >= PERF_CONTEXT_MAX) {
			if (!context_mode(ip, &mode))
				return false;
			mode = mode_in(w->task, mode);
			is_return = false;
			if (ip == PERF_CONTEXT_USER_DEFERRED)
				i++; /* a cookie follows */
			continue;
		}
		vec_push(&c->path, frame_at(c, w, mode, ip, is_return && i < recorded));
		is_return = true;
	}
	return true;
}

static bool same_frames(const struct chains *c, const struct listed_chain *l)
{
	return l->count == c->path.count &&
	       !memcmp(c->listed.items + l->start, c->path.items, l->count * sizeof(frame_id));
}

static void recorded_grow(struct chains *c)
{
	/* By four: moving all of them again costs more than empty slots. */
	size_t space = c->recorded_space ? c->recorded_space * 4 : 1024;
	u32 *slots = xcalloc(space, sizeof(*slots));

	for (size_t i = 1; i < c->recorded.count; i++) {
		size_t at = c->recorded.items[i].hash & (space - 1);

		while (slots[at])
			at = (at + 1) & (space - 1);
		slots[at] = (u32)i;
	}
	free(c->recorded_slots);
	c->recorded_slots = slots;
	c->recorded_space = space;
}

/* c->path, kept once. */
static chain_id keep_path(struct chains *c)
{
	size_t count = c->path.count, at;
	u32 hash = (u32)hash_bytes(c->path.items, count * sizeof(frame_id));

	if (!count)
		return 0;
	if ((c->recorded.count + 1) * 4 > c->recorded_space * 3)
		recorded_grow(c);
	at = hash & (c->recorded_space - 1);
	for (; c->recorded_slots[at]; at = (at + 1) & (c->recorded_space - 1)) {
		u32 id = c->recorded_slots[at];

		if (c->recorded.items[id].hash == hash && same_frames(c, &c->recorded.items[id]))
			return id;
	}
	c->recorded_slots[at] = (u32)c->recorded.count;
	vec_push(&c->recorded, (struct listed_chain){
		.start = c->listed.count, .count = (u32)count, .hash = hash });
	vec_reserve(&c->listed, c->listed.count + count);
	memcpy(c->listed.items + c->listed.count, c->path.items, count * sizeof(frame_id));
	c->listed.count += count;
	return (chain_id)c->recorded.count - 1;
}

static chain_id build(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	if (take_apart(c, w, r))
		return keep_path(c);
	c->damaged++;
	return 0;
}

const frame_id *chain_recorded(const struct chains *c, chain_id id, size_t *frames)
{
	const struct listed_chain *l = &c->recorded.items[id];

	*frames = l->count;
	return c->listed.items + l->start;
}

static void seen_grow(struct chains *c)
{
	size_t space = c->seen_space ? c->seen_space * 4 : 1024;
	struct seen_chain *slots = xcalloc(space, sizeof(*slots));

	for (size_t i = 0; i < c->seen_space; i++) {
		size_t at = c->seen[i].a & (space - 1);

		if (!c->seen[i].chain)
			continue;
		while (slots[at].chain)
			at = (at + 1) & (space - 1);
		slots[at] = c->seen[i];
	}
	free(c->seen);
	c->seen = slots;
	c->seen_space = space;
}

static struct seen_chain *seen_slot(struct chains *c, struct hash128 h)
{
	size_t at;

	if ((c->seen_count + 1) * 4 > c->seen_space * 3)
		seen_grow(c);
	at = h.a & (c->seen_space - 1);
	while (c->seen[at].chain && (c->seen[at].a != h.a || c->seen[at].b != (u32)h.b))
		at = (at + 1) & (c->seen_space - 1);
	return &c->seen[at];
}

const frame_id *chain_frames(struct chains *c, const struct task *t, u8 cpumode,
			     const struct recorded_chain *r, const struct order_key *key,
			     size_t *frames)
{
	struct walk w = { .task = t, .key = key };

	w.user = history_space(c->history, t, key);
	w.kernel = history_kernel_space(c->history, kernel_of(t, cpumode), key);
	if (!take_apart(c, &w, r)) {
		c->damaged++;
		vec_clear(&c->path);
	}
	*frames = c->path.count;
	return c->path.items;
}

chain_id chain_add(struct chains *c, const struct task *t, u8 cpumode,
		   const struct recorded_chain *r, const struct order_key *key)
{
	struct walk w = { .task = t, .key = key };
	struct seen_chain *s;
	struct hash128 h;

	if (!r->count)
		return 0;
	w.user = history_space(c->history, t, key);
	w.kernel = history_kernel_space(c->history, kernel_of(t, cpumode), key);
	h = hash128_bytes(r->ips, r->count * 8,
			  hash_combine(hash_combine((u64)w.user << 32 | w.kernel, r->unwound),
				       (u64)r->max << 8 | cpumode));
	s = seen_slot(c, h);
	if (!s->chain) {
		*s = (struct seen_chain){ .a = h.a, .b = (u32)h.b,
					  .chain = build(c, &w, r) + 1 };
		c->seen_count++;
	}
	return s->chain - 1;
}
