// SPDX-License-Identifier: GPL-2.0-or-later
#include "timechart/chart.h"

#include <stdlib.h>

/* A saving of less than this part of the whole time is not worth a pass over all cells. */
enum { LEAST_GRAIN = 17 /* 1 / 2^17 */ };

void chart_init(struct chart *c)
{
	*c = (struct chart){ .grain = 1, .wake_grain = 1, .most = MOST_CELLS };
}

void chart_release(struct chart *c)
{
	vec_for_each(&c->lanes, lane)
		vec_release(&lane->cells);
	vec_release(&c->lanes);
	vec_release(&c->wakes);
}

u32 chart_lane(struct chart *c)
{
	vec_push_zero(&c->lanes);
	return (u32)c->lanes.count - 1;
}

/* Intervals of one kind that meet are one, however long they are. */
static bool continues(const struct cell *a, const struct cell *b)
{
	if (a->count != 1 || b->count != 1 || a->until != b->from || a->what != b->what ||
	    a->chain != b->chain)
		return false;
	for (int i = 0; i < CELL_PARTS; i++)
		if (!a->parts[i] != !b->parts[i])
			return false;
	return true;
}

/* Appends b to a, if they are to be merged. */
static bool merge(struct cell *a, const struct cell *b, u64 grain)
{
	bool same = continues(a, b);

	if (!same && b->until - a->from > grain)
		return false;
	a->until = b->until;
	for (int i = 0; i < CELL_PARTS; i++)
		a->parts[i] += b->parts[i];
	if (same) {
		a->longest += b->longest;
		return true;
	}
	a->count += b->count;
	if (b->longest > a->longest) {
		a->longest = b->longest;
		a->what = b->what;
		a->chain = b->chain;
	}
	return true;
}

static void merge_lane(struct chart *c, struct lane *lane)
{
	size_t kept = 0;

	for (size_t i = 1; i < lane->cells.count; i++)
		if (!merge(&lane->cells.items[kept], &lane->cells.items[i], c->grain))
			lane->cells.items[++kept] = lane->cells.items[i];
	if (lane->cells.count)
		kept++;
	c->cells -= lane->cells.count - kept;
	lane->cells.count = kept;
}

void chart_settle(struct chart *c, size_t most)
{
	while (c->cells > most && c->grain < c->last - c->first) {
		c->grain = MAX(c->grain + c->grain / 4 + 1, (c->last - c->first) >> LEAST_GRAIN);
		vec_for_each(&c->lanes, lane)
			merge_lane(c, lane);
	}
}

void chart_add(struct chart *c, u32 lane, const struct cell *cell)
{
	struct lane *l = &c->lanes.items[lane];

	if (l->cells.count && merge(vec_last(&l->cells), cell, c->grain))
		return;
	vec_push(&l->cells, *cell);
	if (++c->cells <= c->most)
		return;
	chart_settle(c, c->most - c->most / 4);
	c->most = MAX(c->most, c->cells * 2); /* lanes of one cell each cannot be merged */
}

void chart_add_part(struct chart *c, u32 lane, enum cell_part part, u64 from, u64 until, u32 what,
		    u32 chain)
{
	struct cell cell = { .from = from, .until = until, .longest = until - from, .what = what,
			     .chain = chain, .count = 1 };

	if (until <= from)
		return;
	cell.parts[part] = until - from;
	chart_add(c, lane, &cell);
}

/* ---- wake-ups ---- */

static void thin(struct chart *c)
{
	struct map64 last = { 0 };
	size_t kept = 0;

	c->wake_grain *= 4;
	for (size_t i = 0; i < c->wakes.count; i++) {
		const struct wake *w = &c->wakes.items[i];
		u64 *at = map64_put(&last, w->to, NULL);

		if (*at && w->time - *at < c->wake_grain)
			continue;
		*at = w->time;
		c->wakes.items[kept++] = *w;
	}
	c->wakes_left_out += c->wakes.count - kept;
	c->wakes.count = kept;
	map64_release(&last);
}

void chart_wake(struct chart *c, const struct wake *w)
{
	vec_push(&c->wakes, *w);
	while (c->wakes.count > MOST_WAKES && c->wake_grain < c->last - c->first)
		thin(c);
}
