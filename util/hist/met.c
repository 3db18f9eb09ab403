// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of recent accesses: forgets some when it is full, and all when it grows. */
#include "hist/met.h"

#include <stdlib.h>

#include "base/alloc.h"

static void grow(struct met_table *t, size_t rows)
{
	u32 space = MAX(t->space, (u32)MET_LEAST);

	while (space < 2 * rows && space < MET_MOST)
		space *= 2;
	if (space == t->space)
		return;
	free(t->entries);
	t->entries = xcalloc_table(space, sizeof(*t->entries));
	t->space = space;
}

void met_keep(struct met_table *t, const struct met_key *k, u32 row, size_t rows)
{
	u32 slot;

	if (t->space < MET_MOST)
		grow(t, rows);
	slot = met_slot(t, k);
	if (t->entries[slot].row && !t->entries[slot ^ 1].row)
		slot ^= 1;
	t->entries[slot] = *k;
	t->entries[slot].row = row + 1;
}

void met_clear(struct met_table *t)
{
	if (t->entries)
		memset(t->entries, 0, t->space * sizeof(*t->entries));
}

void met_release(struct met_table *t)
{
	free(t->entries);
	t->entries = NULL;
	t->space = 0;
}
