// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/wide.h"

static u64 seeds[4];
static pthread_once_t seeds_once = PTHREAD_ONCE_INIT;

static void make_seeds(void)
{
	if (getrandom(seeds, sizeof(seeds), GRND_NONBLOCK) != sizeof(seeds))
		seeds[0] = (u64)(uintptr_t)&seeds ^ 0x8cb92ba72f3d8dd7ULL;
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		seeds[i] |= 1;
}

static inline u64 fold(u64 a, u64 b)
{
	struct wide m = wide_product(a, b);

	return m.low ^ m.high;
}

static inline u64 load_tail(const u8 *p, size_t n)
{
	u64 v = 0;

	memcpy(&v, p, n);
	return v;
}

static u64 hash_with(const void *data, size_t n, u64 s0, u64 s1)
{
	const u8 *p = data;
	u64 h = s0 ^ n;

	for (; n >= 16; p += 16, n -= 16) {
		u64 a, b;

		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = fold(a ^ s1 ^ h, b ^ s0) + h;
	}
	if (n >= 8) {
		u64 a;

		memcpy(&a, p, 8);
		h = fold(a ^ s1, h ^ s0) + h;
		p += 8;
		n -= 8;
	}
	if (n)
		h = fold(load_tail(p, n) ^ s1, h ^ s0) + h;
	return hash_u64(h);
}

u64 hash_bytes(const void *p, size_t n)
{
	pthread_once(&seeds_once, make_seeds);
	return hash_with(p, n, seeds[0], seeds[1]);
}

struct hash128 hash128_bytes(const void *p, size_t n, u64 extra)
{
	pthread_once(&seeds_once, make_seeds);
	return (struct hash128){
		.a = hash_with(p, n, seeds[0] ^ hash_u64(extra), seeds[1]),
		.b = hash_with(p, n, seeds[2] + extra, seeds[3]),
	};
}

u64 hash_str(const char *s)
{
	return hash_bytes(s, strlen(s));
}

/* map64 */

void map64_release(struct map64 *m)
{
	free(m->slots);
	*m = (struct map64){ NULL, 0, 0 };
}

static struct map64_slot *map64_slot(const struct map64 *m, u64 key)
{
	size_t i = hash_u64(key) & (m->space - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->space - 1);
	return &m->slots[i];
}

u64 *map64_get(const struct map64 *m, u64 key)
{
	struct map64_slot *s = m->count ? map64_slot(m, key) : NULL;

	return s && s->used ? &s->value : NULL;
}

static void map64_grow(struct map64 *m)
{
	struct map64 old = *m;

	m->space = old.space ? old.space * 2 : 16;
	m->slots = xcalloc(m->space, sizeof(*m->slots));
	for (size_t i = 0; i < old.space; i++)
		if (old.slots[i].used)
			*map64_slot(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

u64 *map64_put(struct map64 *m, u64 key, bool *added)
{
	struct map64_slot *s;

	if (m->count * 4 >= m->space * 3)
		map64_grow(m);
	s = map64_slot(m, key);
	if (added)
		*added = !s->used;
	if (!s->used) {
		*s = (struct map64_slot){ .key = key, .used = true };
		m->count++;
	}
	return &s->value;
}

void map64_remove_slot(struct map64 *m, u64 *value)
{
	const struct map64_slot *s =
		(const struct map64_slot *)((const char *)value -
					    offsetof(struct map64_slot, value));
	size_t hole = (size_t)(s - m->slots), i;

	for (i = (hole + 1) & (m->space - 1); m->slots[i].used; i = (i + 1) & (m->space - 1)) {
		size_t home = hash_u64(m->slots[i].key) & (m->space - 1);

		/* move back what the hole would hide from its home slot */
		if (((i - home) & (m->space - 1)) >= ((i - hole) & (m->space - 1))) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].used = false;
	m->count--;
}

void map64_remove(struct map64 *m, u64 key)
{
	u64 *value = map64_get(m, key);

	if (value)
		map64_remove_slot(m, value);
}

/* strmap */

void strmap_release(struct strmap *m)
{
	for (size_t i = 0; i < m->space; i++)
		free(m->slots[i].key);
	free(m->slots);
	*m = (struct strmap){ NULL, 0, 0 };
}

static struct strmap_slot *strmap_slot(const struct strmap *m, const char *key, u64 hash)
{
	size_t i = hash & (m->space - 1);

	while (m->slots[i].key && (m->slots[i].hash != hash || strcmp(m->slots[i].key, key)))
		i = (i + 1) & (m->space - 1);
	return &m->slots[i];
}

u64 *strmap_get(const struct strmap *m, const char *key)
{
	struct strmap_slot *s = m->count ? strmap_slot(m, key, hash_str(key)) : NULL;

	return s && s->key ? &s->value : NULL;
}

static void strmap_grow(struct strmap *m)
{
	struct strmap old = *m;

	m->space = old.space ? old.space * 2 : 16;
	m->slots = xcalloc(m->space, sizeof(*m->slots));
	for (size_t i = 0; i < old.space; i++)
		if (old.slots[i].key)
			*strmap_slot(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
	free(old.slots);
}

u64 *strmap_put(struct strmap *m, const char *key, bool *added)
{
	u64 hash = hash_str(key);
	struct strmap_slot *s;

	if (m->count * 4 >= m->space * 3)
		strmap_grow(m);
	s = strmap_slot(m, key, hash);
	if (added)
		*added = !s->key;
	if (!s->key) {
		*s = (struct strmap_slot){ .key = xstrdup(key), .hash = hash };
		m->count++;
	}
	return &s->value;
}

/* arena */

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) u8 data[];
};

/*
 * The first block is small, since many arenas have only a few names; each further one is twice as
 * large.
 */
enum { FIRST_BLOCK = 1024, LARGEST_BLOCK = 64 * 1024 };

static size_t next_size(const struct arena_block *last, size_t n)
{
	size_t size = last ? MIN(2 * last->size, (size_t)LARGEST_BLOCK) : FIRST_BLOCK;

	return MAX(size, n);
}

static void *block_alloc(struct arena_block **blocks, size_t n, size_t align)
{
	struct arena_block *b = *blocks;
	size_t at = b ? ALIGN_UP(b->used, align) : 0;

	if (!b || at > b->size || b->size - at < n) {
		size_t size = next_size(b, n);

		b = xmalloc(sizeof(*b) + size);
		b->next = *blocks;
		b->size = size;
		*blocks = b;
		at = 0;
	}
	b->used = at + n;
	return b->data + at;
}

static void blocks_free(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
}

void *arena_alloc(struct arena *a, size_t n)
{
	return block_alloc(&a->blocks, n, 16);
}

static char *block_strndup(struct arena_block **blocks, const char *s, size_t n)
{
	char *p = block_alloc(blocks, n + 1, 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	return block_strndup(&a->blocks, s, n);
}

void arena_release(struct arena *a)
{
	blocks_free(a->blocks);
	a->blocks = NULL;
}

/* strtab */

static u32 *strtab_slot(const struct strtab *t, const char *s, size_t n, u64 hash)
{
	size_t i = hash & (t->slot_space - 1);

	for (; t->slots[i]; i = (i + 1) & (t->slot_space - 1)) {
		const struct strtab_entry *e = &t->entries[t->slots[i] - 1];

		if (e->hash == hash && e->len == n && !memcmp(e->s, s, n))
			break;
	}
	return &t->slots[i];
}

static void strtab_grow(struct strtab *t)
{
	free(t->slots);
	t->slot_space = t->slot_space ? t->slot_space * 2 : 64;
	t->slots = xcalloc(t->slot_space, sizeof(*t->slots));
	for (size_t id = 0; id < t->count; id++) {
		const struct strtab_entry *e = &t->entries[id];

		*strtab_slot(t, e->s, e->len, e->hash) = (u32)id + 1;
	}
}

static u32 strtab_insert(struct strtab *t, const char *s, size_t n)
{
	u64 hash = hash_bytes(s, n);
	u32 *slot;

	if ((t->count + 1) * 4 > t->slot_space * 3)
		strtab_grow(t);
	slot = strtab_slot(t, s, n, hash);
	if (*slot)
		return *slot - 1;
	if (t->count == t->entry_space) {
		t->entry_space = t->entry_space ? t->entry_space * 2 : 32;
		t->entries = xreallocarray(t->entries, t->entry_space, sizeof(*t->entries));
	}
	t->entries[t->count++] = (struct strtab_entry){
		.s = block_strndup(&t->memory, s, n),
		.len = (u32)n,
		.hash = hash,
	};
	*slot = (u32)t->count;
	return *slot - 1;
}

u32 strtab_add_n(struct strtab *t, const char *s, size_t n)
{
	if (!t->count)
		strtab_insert(t, "", 0);
	return strtab_insert(t, s, n);
}

u32 strtab_add(struct strtab *t, const char *s)
{
	return strtab_add_n(t, s, strlen(s));
}

const char *strtab_get(const struct strtab *t, u32 id)
{
	return id < t->count ? t->entries[id].s : "";
}

void strtab_release(struct strtab *t)
{
	free(t->entries);
	free(t->slots);
	blocks_free(t->memory);
	*t = (struct strtab){ 0 };
}
