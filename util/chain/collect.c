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

/* Grown when it evicts as much as it holds; what was in it comes back soon. */
static void cache_room(struct chains *c)
{
	if (c->cache && (c->cache_evictions < c->cache_size || c->cache_size >= FRAME_CACHE_MOST))
		return;
	c->cache_size = c->cache ? c->cache_size * 2 : FRAME_CACHE_FIRST;
	c->cache_evictions = 0;
	free(c->cache);
	c->cache = xcalloc(c->cache_size, sizeof(*c->cache));
}

static struct cached_frame *cache_slot(const struct chains *c, u64 addr, bool is_return)
{
	return &c->cache[hash_u64(addr << 1 | is_return) & (c->cache_size - 1)];
}

static frame_id frame_at(struct chains *c, const struct walk *w, u8 mode, u64 addr, bool is_return)
{
	struct cached_frame *e = cache_slot(c, addr, is_return);
	struct cached_frame want = { .addr = addr, .cpumode = mode, .is_return = is_return };

	if (is_user_mode(mode))
		locate_user(c, w->user, addr, &want);
	else
		want.space = is_kernel_mode(mode) ? w->kernel : w->user;
	if (!e->frame || e->addr != addr || e->offset != want.offset || e->image != want.image ||
	    e->space != want.space || e->cpumode != mode || e->is_return != is_return) {
		c->cache_evictions += e->frame != 0;
		want.frame = resolve(c, w, &want) + 1;
		*e = want;
	}
	return e->frame - 1;
}

/* Fills c->path, leaf first; false when the chain is damaged. */
static bool take_apart(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	u64 recorded = r->count - MIN(r->unwound, r->count);
	const u8 *ips = r->ips;
	u8 mode = PERF_RECORD_MISC_USER; /* what perf takes until a marker comes */
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

static chain_id build(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	chain_id id = 0;
	u32 hash = 0;

	if (!take_apart(c, w, r)) {
		c->damaged++;
		return 0;
	}
	nodes_reserve(c, c->path.count);
	vec_clear(&c->path_hashes);
	for (size_t i = c->path.count; i-- > 0;) {
		hash = path_hash(hash, c->path.items[i]);
		__builtin_prefetch(&c->node_slots[hash & (c->node_space - 1)]);
		vec_push(&c->path_hashes, hash);
	}
	for (size_t i = 0; i < c->path.count; i++)
		id = node_add(c, id, c->path.items[c->path.count - 1 - i],
			      c->path_hashes.items[i]);
	return id;
}

static void seen_grow(struct chains *c)
{
	size_t space = c->seen_space ? c->seen_space * 2 : 1024;
	struct seen_chain *slots = xcalloc(space, sizeof(*slots));

	for (size_t i = 0; i < c->seen_space; i++) {
		size_t at = c->seen[i].hash.a & (space - 1);

		if (!c->seen[i].used)
			continue;
		while (slots[at].used)
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
	while (c->seen[at].used && (c->seen[at].hash.a != h.a || c->seen[at].hash.b != h.b))
		at = (at + 1) & (c->seen_space - 1);
	return &c->seen[at];
}

const frame_id *chain_frames(struct chains *c, const struct task *t, u8 cpumode,
			     const struct recorded_chain *r, const struct order_key *key,
			     size_t *frames)
{
	struct walk w = { .task = t, .key = key };

	w.user = history_space(c->history, t, key);
	w.kernel = history_kernel_space(c->history, history_machine(cpumode, t->pid), key);
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
	u32 machine = history_machine(cpumode, t->pid);

	if (!r->count)
		return 0;
	w.user = history_space(c->history, t, key);
	w.kernel = history_kernel_space(c->history, machine, key);
	h = hash128_bytes(r->ips, r->count * 8,
			  hash_combine(hash_combine((u64)w.user << 32 | w.kernel, r->unwound),
				       (u64)r->max << 8 | cpumode));
	s = seen_slot(c, h);
	if (!s->used) {
		*s = (struct seen_chain){ .hash = h, .used = true };
		c->seen_count++;
		s->chain = build(c, &w, r);
	}
	return s->chain;
}
