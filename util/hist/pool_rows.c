// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of a pool. Their sums are elsewhere, so a row takes 16 bytes here instead of a
 * collector's 40.
 */
#include <stdlib.h>

#include "hist/pool_tables.h"

static u64 hash_of(const struct row_ids *r)
{
	return hash_combine(
		hash_combine((u64)r->event << 32 | r->key, (u64)r->leaf << 32 | r->chain), 1);
}

/* Returns the slot of the row's number, or the empty slot for it. */
static u32 *slot_of(const struct hist_pool *p, const struct row_ids *r)
{
	size_t at = hash_of(r) & (p->row_space - 1);

	for (; p->row_slots[at]; at = (at + 1) & (p->row_space - 1)) {
		const struct row_ids *other = &p->rows.items[p->row_slots[at] - 1];

		if (other->event == r->event && other->key == r->key && other->leaf == r->leaf &&
		    other->chain == r->chain)
			break;
	}
	return &p->row_slots[at];
}

void hist_pool_find_rows_again(struct hist_pool *p)
{
	size_t space = 1024;

	while (space * 5 < p->rows.count * 8)
		space *= 2;
	free(p->row_slots);
	p->row_slots = xcalloc_table(space, sizeof(*p->row_slots));
	p->row_space = space;
	for (size_t i = 0; i < p->rows.count; i++)
		*slot_of(p, &p->rows.items[i]) = (u32)i + 1;
}

u32 hist_pool_row(struct hist_pool *p, const struct row_ids *r)
{
	u32 *slot;

	if ((p->rows.count + 1) * 4 > p->row_space * 3)
		hist_pool_find_rows_again(p);
	slot = slot_of(p, r);
	if (!*slot) {
		vec_push(&p->rows, *r);
		*slot = (u32)p->rows.count;
	}
	return *slot - 1;
}

void hist_pool_rows_release(struct hist_pool *p)
{
	vec_release(&p->rows);
	free(p->row_slots);
	p->row_slots = NULL;
	p->row_space = 0;
}
