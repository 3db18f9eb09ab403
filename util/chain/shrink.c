// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Removes unused frames and chains in place, because old and new tables together would take the
 * most memory.
 */
#include <stdlib.h>
#include <string.h>

#include "chain/chain.h"
#include "chain/internal.h"

static void move_frames(struct chains *c, u32 *numbers)
{
	u32 kept = 0;

	for (size_t i = 0; i < c->frames.count; i++) {
		if (!numbers[i])
			continue;
		c->frames.items[kept] = c->frames.items[i];
		numbers[i] = ++kept;
	}
	c->frames.count = kept;
}

/* Moves the chains; each comes after those with smaller numbers. */
static void move_chains(struct chains *c, const u32 *frames, u32 *numbers)
{
	size_t listed = 0;
	u32 kept = 1;

	numbers[0] = kept;
	for (size_t i = 1; i < c->recorded.count; i++) {
		const struct listed_chain l = c->recorded.items[i];

		if (!numbers[i])
			continue;
		for (u32 k = 0; k < l.count; k++)
			c->listed.items[listed + k] = frames[c->listed.items[l.start + k]] - 1;
		c->recorded.items[kept] = (struct listed_chain){ listed, l.count };
		listed += l.count;
		numbers[i] = ++kept;
	}
	c->recorded.count = kept;
	c->listed.count = listed;
}

/* Drops the cache of chain_add(), which has old numbers. */
static void forget_places(struct chains *c)
{
	free(c->placed);
	c->placed = NULL;
	c->placed_count = c->placed_space = 0;
}

void chains_shrink(struct chains *c, u32 *frames, u32 *chains)
{
	move_frames(c, frames);
	move_chains(c, frames, chains);
	vec_give_back(&c->frames);
	vec_give_back(&c->recorded);
	vec_give_back(&c->listed);
	forget_places(c);
	frames_find_again(c);
	chains_find_again(c);
}
