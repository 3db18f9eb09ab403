// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns a sample's recorded chain into a chain id.
 *
 * The recorded ips are hashed as they are, together with the user's mappings and the version of the
 * kernel's; only a new chain is analysed. It uses the mappings of a space, not its number: the
 * children of a server share its chains.
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

/* Returns the cpumode after a context marker. Returns false for an unknown marker. */
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

/*
 * Returns the mode for the host. Recordings made inside a guest call the guest's kernel the kernel.
 */
static u8 mode_in(const struct task *t, u8 mode)
{
	if (!t->machine)
		return mode;
	return mode == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_GUEST_KERNEL
	       : mode == PERF_RECORD_MISC_USER ? PERF_RECORD_MISC_GUEST_USER
					       : mode;
}

/* Returns the machine whose kernel a sample's chain passes through. */
static u32 kernel_of(const struct task *t, u8 cpumode)
{
	return history_machine(cpumode, 1) ? t->machine : 0;
}

static bool is_user_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_USER || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

/* ---- places ---- */

/*
 * Hashes a place with the seed: a file chooses shifts and addresses, and must not choose their
 * slots.
 */
static u64 place_hash(const struct chains *c, const struct place *p)
{
	return hash_combine(hash_combine(p->shift ^ c->seed, (u64)p->image << 32 | p->space),
			    (u64)p->cpumode << 1 | p->is_space);
}

static void places_grow(struct chains *c)
{
	size_t space = c->place_space ? c->place_space * 2 : 64;

	free(c->place_slots);
	c->place_slots = xcalloc(space, sizeof(*c->place_slots));
	c->place_space = space;
	for (size_t i = 0; i < c->places.count; i++) {
		size_t at = place_hash(c, &c->places.items[i]) & (space - 1);

		while (c->place_slots[at])
			at = (at + 1) & (space - 1);
		c->place_slots[at] = (u32)i + 1;
	}
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->shift == b->shift && a->image == b->image && a->space == b->space &&
	       a->cpumode == b->cpumode && a->is_space == b->is_space;
}

u32 place_add(struct chains *c, const struct place *p)
{
	size_t at;

	if ((c->places.count + 1) * 4 > c->place_space * 3)
		places_grow(c);
	at = place_hash(c, p) & (c->place_space - 1);
	for (; c->place_slots[at]; at = (at + 1) & (c->place_space - 1))
		if (same_place(&c->places.items[c->place_slots[at] - 1], p))
			return c->place_slots[at] - 1;
	vec_push(&c->places, *p);
	c->place_slots[at] = (u32)c->places.count;
	return (u32)c->places.count - 1;
}

/*
 * Returns the place of a user's address. A chain's addresses are mostly in a few objects, so a
 * recent mapping often has the next one.
 */
static u32 user_place(struct chains *c, space_version space, u8 mode, u64 addr)
{
	struct met_mapping *met = &c->met[(addr >> 20 ^ addr >> 32 ^ space) % MET_MAPPINGS];
	const struct mapping *m;
	struct place p = { .cpumode = mode };

	if (addr >= met->start && addr < met->end && met->space == space &&
	    c->places.items[met->place].cpumode == mode)
		return met->place;
	m = history_find(c->history, space, addr);
	if (!m)
		return place_add(c, &p);
	p.image = m->image;
	p.shift = m->pgoff - m->start;
	*met = (struct met_mapping){ m->start, m->end, space, place_add(c, &p) };
	return met->place;
}

static u32 other_place(struct chains *c, u32 machine, space_version space, u8 mode)
{
	struct place p = { .cpumode = mode, .space = space, .image = machine, .is_space = true };

	if (c->last_place >= c->places.count || !same_place(&c->places.items[c->last_place], &p))
		c->last_place = place_add(c, &p);
	return c->last_place;
}

/* ---- frames ---- */

u32 placed_hash(const struct chains *c, u64 addr, u32 kind)
{
	return (u32)hash_u64((addr ^ c->seed) + kind * 0x9e3779b97f4a7c15ULL);
}

static void placed_grow(struct chains *c)
{
	size_t space = c->placed_space ? c->placed_space * 2 : 1024;
	struct placed_frame *slots = xcalloc_table(space, sizeof(*slots));

	for (size_t i = 0; i < c->placed_space; i++) {
		const struct placed_frame *p = &c->placed[i];
		size_t at = placed_hash(c, p->addr, p->kind) & (space - 1);

		if (!p->frame)
			continue;
		while (slots[at].frame)
			at = (at + 1) & (space - 1);
		slots[at] = *p;
	}
	free(c->placed);
	c->placed = slots;
	c->placed_space = space;
}

struct placed_frame *placed_slot(const struct chains *c, const struct wanted_frame *want)
{
	size_t at = want->hash & (c->placed_space - 1);

	for (; c->placed[at].frame; at = (at + 1) & (c->placed_space - 1))
		if (c->placed[at].addr == want->addr && c->placed[at].kind == want->kind)
			break;
	return &c->placed[at];
}

frame_id placed_add(struct chains *c, struct placed_frame *slot, const struct wanted_frame *want,
		    frame_id id)
{
	*slot = (struct placed_frame){ want->addr, want->kind, id + 1 };
	c->placed_count++;
	return id;
}

void placed_room(struct chains *c, u64 more)
{
	while ((c->placed_count + more) * 2 > c->placed_space)
		placed_grow(c);
}

/*
 * Returns the frame of a place. Image and shift distinguish frames with the same address, so a
 * frame without a slot there is new.
 */
static frame_id frame_of_place(struct chains *c, const struct frame *f)
{
	struct place p = { .shift = f->offset - f->addr, .image = f->image, .cpumode = f->cpumode };
	u32 *met = &c->place_met[(p.shift >> 12 ^ p.shift >> 30 ^ f->image * 5 ^ f->cpumode * 3U) %
				 ARRAY_SIZE(c->place_met)];
	struct wanted_frame want = { .addr = f->addr };
	struct placed_frame *slot;

	if (*met >= c->places.count || !same_place(&c->places.items[*met], &p))
		*met = place_add(c, &p);
	want.kind = *met << 1 | f->is_return;
	want.hash = placed_hash(c, want.addr, want.kind);
	slot = placed_slot(c, &want);
	return slot->frame ? slot->frame - 1 : placed_add(c, slot, &want, frame_push(c, f));
}

frame_id frame_met(struct chains *c, const struct frame *f)
{
	placed_room(c, 1);
	return frame_of_place(c, f);
}

static frame_id resolve(struct chains *c, const struct walk *w, const struct wanted_frame *want)
{
	const struct place *p = &c->places.items[want->kind >> 1];
	struct frame f = {
		.addr = want->addr,
		.offset = want->addr + p->shift,
		.image = p->image,
		.cpumode = p->cpumode,
		.is_return = want->kind & 1,
		.symbol = NO_SYMBOL,
	};
	struct location l;

	if (!p->is_space)
		return frame_push(c, &f);
	history_locate(c->history, w->task, p->cpumode, want->addr, w->key, &l);
	f.image = l.image;
	f.offset = l.offset;
	return frame_of_place(c, &f);
}

static frame_id frame_at(struct chains *c, const struct walk *w, const struct wanted_frame *want)
{
	struct placed_frame *slot = placed_slot(c, want);
	frame_id id;

	if (slot->frame)
		return slot->frame - 1;
	id = resolve(c, w, want);
	return placed_add(c, placed_slot(c, want), want, id);
}

static void want_frame(struct chains *c, const struct walk *w, u8 mode, u64 addr, bool is_return)
{
	u32 place = is_user_mode(mode)
			    ? user_place(c, w->user, mode, addr)
			    : other_place(c, kernel_of(w->task, mode),
					  is_kernel_mode(mode) ? w->kernel : w->user, mode);
	u32 kind = place << 1 | is_return, hash = placed_hash(c, addr, kind);

	__builtin_prefetch(&c->placed[hash & (c->placed_space - 1)]);
	vec_push(&c->wanted, (struct wanted_frame){ addr, kind, hash });
}

/* Lists c->wanted, leaf first; false when the chain is damaged. */
static bool list_wanted(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	u64 recorded = r->count - MIN(r->unwound, r->count);
	/* perf's default until a marker comes */
	u8 mode = mode_in(w->task, PERF_RECORD_MISC_USER);
	bool is_return = false; /* the first address after a marker is the current place */

	vec_clear(&c->wanted);
	for (u64 i = 0; i < r->count && (!r->max || c->wanted.count < r->max); i++) {
		u64 ip = load_u64(r->ips + i * 8, r->swap);

		if (ip >= PERF_CONTEXT_MAX) {
			if (!context_mode(ip, &mode))
				return false;
			mode = mode_in(w->task, mode);
			is_return = false;
			if (ip == PERF_CONTEXT_USER_DEFERRED)
				i++; /* a cookie follows */
			continue;
		}
		want_frame(c, w, mode, ip, is_return && i < recorded);
		is_return = true;
	}
	return true;
}

/* Fills in c->path, leaf first. Returns false if the chain is damaged. */
static bool take_apart(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	vec_clear(&c->path);
	/* a kernel address has two places: in its space, and in an image */
	placed_room(c, 2 * r->count);
	if (!list_wanted(c, w, r))
		return false;
	vec_reserve(&c->path, c->wanted.count);
	vec_for_each(&c->wanted, want)
		c->path.items[c->path.count++] = frame_at(c, w, want);
	return true;
}

/* Makes a chain of c->path. Returns its id. */
static chain_id keep_path(struct chains *c)
{
	size_t count = c->path.count;

	if (!count)
		return 0;
	vec_push(&c->recorded, (struct listed_chain){ c->listed.count, (u32)count });
	vec_reserve(&c->listed, c->listed.count + count);
	memcpy(c->listed.items + c->listed.count, c->path.items, count * sizeof(frame_id));
	c->listed.count += count;
	return (chain_id)c->recorded.count - 1;
}

/* Makes a chain. Returns the value to keep in seen_chain. */
static u32 build(struct chains *c, const struct walk *w, const struct recorded_chain *r)
{
	chain_id id;

	if (!take_apart(c, w, r))
		return DAMAGED_CHAIN;
	id = keep_path(c);
	while (id && r->end && c->ends.count <= id)
		vec_push_zero(&c->ends);
	if (id && r->end)
		c->ends.items[id] = r->end;
	return id + 1;
}

u64 chain_recorded_end(const struct chains *c, chain_id id)
{
	return id < c->ends.count ? c->ends.items[id] : 0;
}

const frame_id *chain_recorded(const struct chains *c, chain_id id, size_t *frames)
{
	const struct listed_chain *l = &c->recorded.items[id];

	*frames = l->count;
	return l->count ? c->listed.items + l->start : NULL;
}

static void seen_grow(struct chains *c)
{
	size_t space = c->seen_space ? c->seen_space * 2 : 1024;
	struct seen_chain *slots = xcalloc_table(space, sizeof(*slots));

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

static struct seen_chain *seen_slot(const struct chains *c, struct hash128 h)
{
	size_t at = h.a & (c->seen_space - 1);

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

chain_id chain_copy(struct chains *c, const frame_id *frames, size_t count, const frame_id *numbers)
{
	frame_id *to;

	if (!count)
		return 0;
	vec_push(&c->recorded, (struct listed_chain){ c->listed.count, (u32)count });
	vec_reserve(&c->listed, c->listed.count + count);
	to = c->listed.items + c->listed.count;
	for (size_t i = 0; i < count; i++)
		to[i] = numbers[frames[i]];
	c->listed.count += count;
	return (chain_id)c->recorded.count - 1;
}

static u64 kept_hash(const frame_id *frames, size_t count)
{
	return hash_bytes(frames, count * sizeof(*frames));
}

static bool is_kept(const struct chains *c, u64 slot, u64 hash, const frame_id *frames,
		    size_t count)
{
	const frame_id *others;
	size_t n;

	if (slot >> 32 != hash >> 32) /* this distinguishes most without looking at their frames */
		return false;
	others = chain_recorded(c, (u32)slot - 1, &n);
	return n == count && !memcmp(others, frames, n * sizeof(*frames));
}

/* Returns the slot of these frames, which is empty if no chain has them. */
static u64 *kept_slot(const struct chains *c, u64 hash, const frame_id *frames, size_t count)
{
	size_t at = hash & (c->kept_space - 1);

	while (c->kept[at] && !is_kept(c, c->kept[at], hash, frames, count))
		at = (at + 1) & (c->kept_space - 1);
	return &c->kept[at];
}

static u64 kept_number(u64 hash, chain_id id)
{
	return hash >> 32 << 32 | (id + 1);
}

void chains_find_again(struct chains *c)
{
	size_t space = 1024;

	free(c->kept);
	while (space * 5 < c->recorded.count * 8)
		space *= 2;
	c->kept = xcalloc_table(space, sizeof(*c->kept));
	c->kept_space = space;
	for (u32 i = 1; i < c->recorded.count; i++) {
		size_t count;
		const frame_id *frames = chain_recorded(c, i, &count);
		u64 hash = kept_hash(frames, count);

		*kept_slot(c, hash, frames, count) = kept_number(hash, i);
	}
}

chain_id chain_keep(struct chains *c, const frame_id *frames, size_t count)
{
	u64 *slot, hash;

	if (!count)
		return 0;
	if (c->recorded.count * 4 > c->kept_space * 3)
		chains_find_again(c);
	hash = kept_hash(frames, count);
	slot = kept_slot(c, hash, frames, count);
	if (!*slot) {
		vec_clear(&c->path);
		vec_reserve(&c->path, count);
		memcpy(c->path.items, frames, count * sizeof(*frames));
		c->path.count = count;
		*slot = kept_number(hash, keep_path(c));
	}
	return (chain_id)*slot - 1;
}

struct contents {
	u64 hash;
	size_t mappings;
};

static void add_mapping(void *arg, const struct mapping *m)
{
	struct contents *k = arg;
	const u64 what[] = { k->hash, m->start, m->end, m->pgoff, m->image };

	k->hash = hash_bytes(what, sizeof(what));
	k->mappings++;
}

/*
 * Returns a number for all mappings of the space. For spaces that change very often it returns
 * their version: walking all mappings of each version would cost more than it saves.
 */
static u64 contents_of(struct chains *c, space_version space)
{
	enum { MOST_MAPPINGS = 1 << 20 };
	const u64 *known = map64_get(&c->contents, space);
	struct contents k = { 0 };

	if (known)
		return *known;
	if (c->contents_cost >= MOST_MAPPINGS)
		return space;
	history_each_mapping(c->history, space, add_mapping, &k);
	c->contents_cost += k.mappings;
	*map64_put(&c->contents, space, NULL) = k.hash;
	return k.hash;
}

/* Returns the same from a cache, because most samples are of a recently used space. */
static u64 recent_contents(struct chains *c, space_version space)
{
	struct recent_contents *r = &c->recent_contents[space % ARRAY_SIZE(c->recent_contents)];

	if (!r->known || r->space != space)
		*r = (struct recent_contents){ .known = true,
					       .space = space,
					       .hash = contents_of(c, space) };
	return r->hash;
}

void chain_announce(struct chains *c, const struct task *t, u8 cpumode,
		    const struct recorded_chain *r, const struct order_key *key)
{
	struct announced *a = &c->announced;

	if (!r->count)
		return;
	a->is = true;
	a->user = history_space(c->history, t, key);
	a->kernel = history_kernel_space(c->history, kernel_of(t, cpumode), key);
	a->hash = hash128_bytes(
		r->ips, r->count * 8,
		hash_combine(hash_combine(hash_combine(recent_contents(c, a->user),
						       (u64)t->machine << 32 | a->kernel),
					  r->unwound),
			     (r->end << 24) ^ ((u64)r->max << 8 | cpumode)));
	if ((c->seen_count + 1) * 4 > c->seen_space * 3)
		seen_grow(c);
	__builtin_prefetch(&c->seen[a->hash.a & (c->seen_space - 1)]);
}

chain_id chain_add(struct chains *c, const struct task *t, u8 cpumode,
		   const struct recorded_chain *r, const struct order_key *key)
{
	struct announced *a = &c->announced;
	struct seen_chain *s;

	if (!r->count)
		return 0;
	if (!a->is)
		chain_announce(c, t, cpumode, r, key);
	a->is = false;
	s = seen_slot(c, a->hash);
	if (!s->chain) {
		struct walk w = { .task = t, .key = key, .user = a->user, .kernel = a->kernel };

		*s = (struct seen_chain){ .a = a->hash.a,
					  .b = (u32)a->hash.b,
					  .chain = build(c, &w, r) };
		c->seen_count++;
	}
	/* counted for each sample: how many collectors found it depends on the workers */
	if (s->chain == DAMAGED_CHAIN) {
		c->damaged++;
		return 0;
	}
	return s->chain - 1;
}
