// SPDX-License-Identifier: GPL-2.0-or-later
/* Decodes the words of one access into what it counts as. */
#include "builtin/c2c/counts.h"

/* clang-format off */
enum {
	OP_LOAD = 1 << 1, OP_STORE = 1 << 2,
	LEVEL_NA = 1 << 0, LEVEL_HIT = 1 << 1, LEVEL_MISS = 1 << 2, LEVEL_L1 = 1 << 3, LEVEL_BUFFER = 1 << 4,
	LEVEL_L2 = 1 << 5, LEVEL_L3 = 1 << 6, LEVEL_RAM = 1 << 7, LEVEL_REMOTE_RAM = 3 << 8,
	LEVEL_REMOTE_CACHE = 3 << 10, LEVEL_IO = 1 << 12, LEVEL_UNCACHED = 1 << 13,
	SNOOP_HIT = 1 << 2, SNOOP_HITM = 1 << 4, SNOOPX_PEER = 1 << 1,
	LOCK_LOCKED = 1 << 1, BLOCK_DATA = 1 << 1, BLOCK_ADDRESS = 1 << 2,
};
/* clang-format on */

/* The fields; numbers are first bit and width. */
struct access {
	unsigned op, level, snoop, snoopx;
	bool remote; /* and not said how far: a remote node */
};

static unsigned bits(u64 v, unsigned at, unsigned width)
{
	return (unsigned)(v >> at & (BIT64(width) - 1));
}

static void hit(struct c2c_hits *h, enum c2c_count what)
{
	h->what[h->count++] = (u8)what;
}

static void modified(struct c2c_hits *h, enum c2c_count what)
{
	hit(h, what);
	hit(h, C2C_ALL_HITM);
}

static void peer(struct c2c_hits *h, enum c2c_count what)
{
	hit(h, what);
	hit(h, C2C_ALL_PEER);
}

static void from_memory(struct c2c_hits *h, const struct access *a, enum c2c_count what)
{
	hit(h, what);
	hit(h, a->snoop & SNOOP_HIT ? C2C_SHARED : C2C_EXCLUSIVE);
}

static void load_hit(struct c2c_hits *h, const struct access *a)
{
	if (a->level & LEVEL_UNCACHED)
		hit(h, C2C_LOAD_UNCACHED);
	if (a->level & LEVEL_IO)
		hit(h, C2C_LOAD_IO);
	if (a->level & LEVEL_BUFFER)
		hit(h, C2C_LOAD_BUFFER);
	if (a->level & LEVEL_L1)
		hit(h, C2C_LOAD_L1);
	if (a->level & LEVEL_L2) {
		hit(h, C2C_LOAD_L2);
		if (a->snoopx & SNOOPX_PEER)
			peer(h, C2C_LOCAL_PEER);
	}
	if (a->level & LEVEL_L3) {
		if (a->snoop & SNOOP_HITM)
			modified(h, C2C_LOCAL_HITM);
		else
			hit(h, C2C_LOAD_LLC);
		if (a->snoopx & SNOOPX_PEER)
			peer(h, C2C_LOCAL_PEER);
	}
	if (a->level & LEVEL_RAM)
		from_memory(h, a, C2C_LOCAL_DRAM);
	if (a->level & LEVEL_REMOTE_RAM || a->remote)
		from_memory(h, a, C2C_REMOTE_DRAM);
}

static void remote_cache(struct c2c_hits *h, const struct access *a)
{
	if (a->snoop & SNOOP_HIT) {
		hit(h, C2C_REMOTE_HIT);
	} else if (a->snoop & SNOOP_HITM) {
		modified(h, C2C_REMOTE_HITM);
	} else if (a->snoopx & SNOOPX_PEER) {
		hit(h, C2C_REMOTE_HIT);
		peer(h, C2C_REMOTE_PEER);
	}
}

static void load(struct c2c_hits *h, const struct access *a)
{
	if (a->level & LEVEL_HIT)
		load_hit(h, a);
	if (a->level & LEVEL_REMOTE_CACHE || a->remote)
		remote_cache(h, a);
	if (a->level & LEVEL_MISS)
		hit(h, C2C_LOAD_MISS);
}

static void store(struct c2c_hits *h, const struct access *a)
{
	if (a->level & LEVEL_HIT && a->level & LEVEL_UNCACHED)
		hit(h, C2C_STORE_UNCACHED);
	if (a->level & LEVEL_HIT && a->level & LEVEL_L1)
		hit(h, C2C_STORE_L1);
	if (a->level & LEVEL_MISS && a->level & LEVEL_L1)
		hit(h, C2C_STORE_L1_MISS);
	if (a->level & LEVEL_NA)
		hit(h, C2C_STORE_NA);
}

void c2c_decode(struct c2c_hits *h, u64 v, u64 addr, bool mapped)
{
	const struct access a = {
		.op = bits(v, 0, 5),
		.level = bits(v, 5, 14),
		.snoop = bits(v, 19, 5),
		.snoopx = bits(v, 38, 2),
		.remote = bits(v, 37, 1) && !bits(v, 43, 3),
	};
	bool is_load = a.op & OP_LOAD, is_store = !is_load && a.op & OP_STORE;

	h->count = 0;
	hit(h, C2C_RECORDS);
	if (bits(v, 24, 2) & LOCK_LOCKED)
		hit(h, C2C_LOCKS);
	if (bits(v, 40, 3) & BLOCK_DATA)
		hit(h, C2C_BLOCKED_DATA);
	if (bits(v, 40, 3) & BLOCK_ADDRESS)
		hit(h, C2C_BLOCKED_ADDRESS);
	if (!is_load && !is_store) {
		hit(h, C2C_NO_PARSE);
		return;
	}
	hit(h, is_load ? C2C_LOADS : C2C_STORES);
	if (!addr) {
		hit(h, is_load ? C2C_LOAD_NO_ADDRESS : C2C_STORE_NO_ADDRESS);
		return;
	}
	if (is_load)
		load(h, &a);
	else
		store(h, &a);
	if (!mapped)
		hit(h, C2C_NO_MAP);
}

bool c2c_hits_have(const struct c2c_hits *h, enum c2c_count what)
{
	for (u8 i = 0; i < h->count; i++)
		if (h->what[i] == what)
			return true;
	return false;
}

void c2c_add(struct c2c_counts *c, const struct c2c_hits *h)
{
	for (u8 i = 0; i < h->count; i++)
		c->of[h->what[i]]++;
}

void c2c_add_counts(struct c2c_counts *c, const struct c2c_counts *more)
{
	for (int i = 0; i < C2C_COUNTS; i++)
		c->of[i] += more->of[i];
}

u64 c2c_llc_misses(const struct c2c_counts *c)
{
	return c->of[C2C_LOCAL_DRAM] + c->of[C2C_REMOTE_DRAM] + c->of[C2C_REMOTE_HITM] +
	       c->of[C2C_REMOTE_HIT];
}

u64 c2c_all_loads(const struct c2c_counts *c)
{
	return c2c_llc_misses(c) + c->of[C2C_LOAD_BUFFER] + c->of[C2C_LOAD_L1] +
	       c->of[C2C_LOAD_L2] + c->of[C2C_LOAD_LLC] + c->of[C2C_LOCAL_HITM];
}

u64 c2c_all_records(const struct c2c_counts *c)
{
	return c2c_all_loads(c) + c->of[C2C_STORE_L1] + c->of[C2C_STORE_L1_MISS] +
	       c->of[C2C_STORE_NA];
}

double c2c_percent(u64 part, u64 all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}
