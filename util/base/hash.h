/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash functions and three small open-addressing tables.
 *
 * hash_bytes is seeded once per process from the kernel's random source, so a
 * file cannot be built to collide; nothing may be ordered by a hash.
 * Not thread-safe; read-only use from many threads is fine.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

#include "base/types.h"

struct hash128 {
	u64 a, b;
};

/* Hashes a number with splitmix64's finaliser. */
static inline u64 hash_u64(u64 v)
{
	v ^= v >> 30;
	v *= 0xbf58476d1ce4e5b9ULL;
	v ^= v >> 27;
	v *= 0x94d049bb133111ebULL;
	return v ^ (v >> 31);
}
/*
 * Combines two hashes. h is mixed before v joins it, so h may also be a plain number: pairs of
 * small numbers do not collide more often than chance.
 */
static inline u64 hash_combine(u64 h, u64 v)
{
	return hash_u64(hash_u64(h + 0x9e3779b97f4a7c15ULL) ^ v);
}
u64 hash_bytes(const void *p, size_t n);
u64 hash_str(const char *s);
/* Hashes bytes with two independent seeds, strong enough to stand for the bytes themselves. */
struct hash128 hash128_bytes(const void *p, size_t n, u64 extra);

/* u64 -> u64 */
struct map64 {
	struct map64_slot {
		u64 key, value;
		bool used;
	} * slots;
	size_t count, space; /* space: 0 or a power of two */
};
void map64_release(struct map64 *m);
/* Returns the slot of key, or NULL if absent. The pointer is valid until the next put. */
u64 *map64_get(const struct map64 *m, u64 key);
/* Returns the slot of key, added as 0 if absent. *added reports that; added may be NULL. */
u64 *map64_put(struct map64 *m, u64 key, bool *added);
void map64_remove(struct map64 *m, u64 key);
/* Removes a slot that get or put returned. Nothing may have been put or removed since. */
void map64_remove_slot(struct map64 *m, u64 *value);

/* string -> u64; keys are copied */
struct strmap {
	struct strmap_slot {
		char *key;
		u64 hash, value;
	} * slots;
	size_t count, space;
};
void strmap_release(struct strmap *m);
u64 *strmap_get(const struct strmap *m, const char *key);
u64 *strmap_put(struct strmap *m, const char *key, bool *added);
/* Returns the map's copy of the key of a value that get or put returned, valid until release. */
static inline const char *strmap_key(const u64 *value)
{
	return ((const struct strmap_slot *)((const char *)value -
					     offsetof(struct strmap_slot, value)))
		->key;
}

/*
 * Interned strings: equal text, equal id; ids count up from 0 in order of first
 * use; id 0 is always "".  Text stays where it is until release.
 */
struct strtab {
	struct strtab_entry {
		const char *s;
		u32 len;
		u64 hash;
	} * entries;
	u32 *slots; /* id + 1 */
	size_t count, entry_space, slot_space;
	struct arena_block *memory;
};
u32 strtab_add(struct strtab *t, const char *s);
u32 strtab_add_n(struct strtab *t, const char *s, size_t n);
const char *strtab_get(const struct strtab *t, u32 id);
void strtab_release(struct strtab *t);

/* Memory that is freed all together; 16-byte aligned. */
struct arena {
	struct arena_block *blocks;
};
void *arena_alloc(struct arena *a, size_t n);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_release(struct arena *a);

#endif
