// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Removes faded rows in place, with what only they refer to: old and new tables together would take
 * the most memory. What stays keeps its order and gets new numbers.
 */
#include <stdlib.h>

#include "hist/pool_tables.h"

/* By number in the pool's tables: not 0 for what stays; later the new number + 1, or 0. */
struct kept {
	u32 *rows, *keys, *frames, *chains;
};

static void mark_key(const struct hist_pool *p, const struct kept *k, u32 key)
{
	k->keys[key] = 1;
	vec_for_each(&p->like->fields, f) {
		u64 value =
			f->column->flags & HIST_FRAME_SLOT ? keys_get(&p->keys, key)[f->slot] : 0;

		if (value)
			k->frames[value - 1] = 1;
	}
}

static void mark_chain(const struct hist_pool *p, const struct kept *k, chain_id chain)
{
	const frame_id *frames;
	size_t count;

	if (k->chains[chain])
		return;
	k->chains[chain] = 1;
	frames = chain_recorded(p->chains, chain, &count);
	for (size_t i = 0; i < count; i++)
		k->frames[frames[i]] = 1;
}

static void mark(const struct hist_pool *p, const struct kept *k)
{
	for (size_t i = 0; i < p->held.count; i++) {
		const struct row_ids *r = &p->rows.items[i];

		if (p->held.items[i].samples < 0.5)
			continue;
		k->rows[i] = 1;
		k->frames[r->leaf] = 1;
		if (!k->keys[r->key])
			mark_key(p, k, r->key);
		mark_chain(p, k, r->chain);
	}
}

static void move_key(struct hist_pool *p, const struct kept *k, u64 *key, struct strtab *texts)
{
	vec_for_each(&p->like->fields, f) {
		u64 *value = &key[f->slot];

		if (f->column->flags & HIST_TEXT)
			*value = strtab_add(texts, strtab_get(&p->texts, (u32)*value));
		else if ((f->column->flags & HIST_FRAME_SLOT) && *value)
			*value = k->frames[*value - 1];
	}
}

/* Moves the keys after the frames, which keys refer to. */
static void move_keys(struct hist_pool *p, const struct kept *k)
{
	struct key_table keys = { .width = p->keys.width };
	struct strtab texts = { 0 };

	for (u32 i = 0; i < p->keys.count; i++) {
		if (!k->keys[i])
			continue;
		move_key(p, k, keys_get(&p->keys, i), &texts);
		k->keys[i] = keys_add(&keys, keys_get(&p->keys, i)) + 1;
	}
	keys_release(&p->keys);
	strtab_release(&p->texts);
	p->keys = keys;
	p->texts = texts;
}

static void move_rows(struct hist_pool *p, const struct kept *k)
{
	u32 kept = 0;

	for (size_t i = 0; i < p->held.count; i++) {
		const struct row_ids r = p->rows.items[i];

		if (!k->rows[i])
			continue;
		p->rows.items[kept] = (struct row_ids){
			.event = r.event,
			.key = k->keys[r.key] - 1,
			.leaf = k->frames[r.leaf] - 1,
			.chain = k->chains[r.chain] - 1,
		};
		p->held.items[kept] = p->held.items[i];
		if (p->more.count)
			p->more.items[kept] = p->more.items[i];
		k->rows[i] = ++kept;
	}
	p->rows.count = p->held.count = kept;
	p->more.count = MIN(p->more.count, (size_t)kept);
	vec_give_back(&p->rows);
	vec_give_back(&p->held);
	vec_give_back(&p->more);
	hist_pool_find_rows_again(p);
}

static void move_hashes(struct hist_pool *p, const struct kept *k)
{
	size_t count = p->hashes.count;

	vec_clear(&p->hashes);
	for (size_t i = 0; i < count; i++)
		if (k->frames[i])
			p->hashes.items[p->hashes.count++] = p->hashes.items[i];
	vec_give_back(&p->hashes);
}

static void find_functions_again(struct hist_pool *p)
{
	map64_release(&p->functions);
	for (u32 i = 0; i < frames_count(p->chains); i++) {
		u64 key;

		if (hist_pool_function_key(p, chain_frame(p->chains, i), &key))
			*map64_put(&p->functions, key, NULL) = i;
	}
}

static void renumber(number_map *m, const u32 *numbers)
{
	vec_for_each(m, n)
		if (*n)
			*n = numbers[*n - 1];
}

/* Collectors keep their rows, most of which are in the tables as before. */
static void renumber_origins(struct hist_pool *p, const struct kept *k)
{
	vec_for_each(&p->origins, it) {
		struct origin *o = *it;

		renumber(&o->rows, k->rows);
		renumber(&o->key_numbers, k->keys);
		renumber(&o->frame_numbers, k->frames);
		renumber(&o->chain_numbers, k->chains);
	}
}

void hist_pool_compact(struct hist_pool *p)
{
	struct kept k = {
		.rows = xcalloc(p->held.count + 1, sizeof(*k.rows)),
		.keys = xcalloc((size_t)p->keys.count + 1, sizeof(*k.keys)),
		.frames = xcalloc((size_t)frames_count(p->chains) + 1, sizeof(*k.frames)),
		.chains = xcalloc((size_t)chains_count(p->chains) + 1, sizeof(*k.chains)),
	};

	mark(p, &k);
	chains_shrink(p->chains, k.frames, k.chains);
	move_hashes(p, &k);
	hist_pool_move_ends(p, k.chains);
	move_keys(p, &k);
	move_rows(p, &k);
	find_functions_again(p);
	renumber_origins(p, &k);
	p->dropped = 0;
	free(k.rows);
	free(k.keys);
	free(k.frames);
	free(k.chains);
}
