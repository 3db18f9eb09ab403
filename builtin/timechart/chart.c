// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/timechart/chart.h"

#include <stdlib.h>

#include "base/threads.h"

/* A saving of less than this part of the whole time is not worth a pass over all cells. */
enum { LEAST_GRAIN = 17 /* 1 / 2^17 */ };

void chart_init(struct chart *c)
{
	*c = (struct chart){ .grain = 1, .threads = 1, .wake_grain = 1, .most = MOST_CELLS };
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

/* Reports whether two intervals of one kind that touch are one, however long they are. */
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

/* Appends b to a. */
static void append(struct cell *a, const struct cell *b)
{
	a->until = b->until;
	for (int i = 0; i < CELL_PARTS; i++)
		a->parts[i] += b->parts[i];
	a->count += b->count;
	if (b->longest > a->longest) {
		a->longest = b->longest;
		a->what = b->what;
		a->chain = b->chain;
	}
}

/* Appends b to a, if they are to be merged. */
static bool merge(struct cell *a, const struct cell *b, u64 grain)
{
	if (continues(a, b)) {
		a->until = b->until;
		for (int i = 0; i < CELL_PARTS; i++)
			a->parts[i] += b->parts[i];
		a->longest += b->longest;
		return true;
	}
	if (b->until - a->from > grain)
		return false;
	append(a, b);
	return true;
}

/* ---- settling ---- */

/*
 * The grain grows until few enough cells are left, often in several steps, each of which merges the
 * cells that the one before left. All steps are first tried lane by lane with only the ends of
 * cells, which stay in a near cache, and then the cells are merged once. The result is the same as
 * step by step: in a merged cell the first of the longest intervals counts, in any order of
 * merging. Neighbours that continue each other were merged when the second one came.
 */

enum { STEPS = 6, LANES = 128 /* of one thread at a time */ };

/* Cells of a lane that become one: the first has this number. */
struct group {
	u64 from, until;
	u32 first;
};
typedef VEC(struct group) groups;

struct settling {
	struct chart *c;
	u64 grains[STEPS];
	unsigned steps;
	size_t left[STEPS]; /* cells after each step; atomic */
};

/* Merges neighbours; returns how many are left. */
static size_t merge_groups(struct group *g, size_t count, u64 grain)
{
	size_t kept = 0;

	for (size_t i = 1; i < count; i++)
		if (g[i].until - g[kept].from <= grain)
			g[kept].until = g[i].until;
		else
			g[++kept] = g[i];
	return count ? kept + 1 : 0;
}

static void fill_groups(groups *g, const struct lane *lane)
{
	vec_reserve(g, lane->cells.count);
	g->count = lane->cells.count;
	for (size_t i = 0; i < g->count; i++)
		g->items[i] = (struct group){ lane->cells.items[i].from, lane->cells.items[i].until,
					      (u32)i };
}

static size_t end_of_piece(const struct settling *s, size_t piece)
{
	return MIN((piece + 1) * LANES, s->c->lanes.count);
}

/* Counts how many cells of some lanes are left after each step. */
static void try_steps(void *arg, size_t piece)
{
	struct settling *s = arg;
	size_t left[STEPS] = { 0 };
	groups g = VEC_INIT;

	for (size_t lane = piece * LANES; lane < end_of_piece(s, piece); lane++) {
		fill_groups(&g, &s->c->lanes.items[lane]);
		for (unsigned i = 0; i < s->steps; i++)
			left[i] += g.count = merge_groups(g.items, g.count, s->grains[i]);
	}
	for (unsigned i = 0; i < s->steps; i++)
		__atomic_fetch_add(&s->left[i], left[i], __ATOMIC_RELAXED);
	vec_release(&g);
}

static void merge_cells(struct lane *lane, const struct group *g, size_t count)
{
	struct cell *cells = lane->cells.items;

	for (size_t i = 0; i < count; i++) {
		size_t end = i + 1 < count ? g[i + 1].first : lane->cells.count;

		if (g[i].first != i)
			cells[i] = cells[g[i].first];
		for (size_t k = g[i].first + 1; k < end; k++)
			append(&cells[i], &cells[k]);
	}
	lane->cells.count = count;
}

static void take_steps(void *arg, size_t piece)
{
	struct settling *s = arg;
	groups g = VEC_INIT;

	for (size_t number = piece * LANES; number < end_of_piece(s, piece); number++) {
		struct lane *lane = &s->c->lanes.items[number];

		fill_groups(&g, lane);
		for (unsigned i = 0; i < s->steps; i++)
			g.count = merge_groups(g.items, g.count, s->grains[i]);
		if (g.count < lane->cells.count)
			merge_cells(lane, g.items, g.count);
	}
	vec_release(&g);
}

static void on_all_lanes(struct settling *s, void (*work)(void *arg, size_t piece))
{
	threads_in_pieces(s->c->threads, (s->c->lanes.count + LANES - 1) / LANES, work, s);
}

/* Sets the next grains, as many as are below the whole time, and returns how many. */
static unsigned next_grains(const struct chart *c, u64 *grains)
{
	u64 range = c->last - c->first, grain = c->grain;
	unsigned count = 0;

	for (; count < STEPS && grain < range; count++)
		grains[count] = grain = MAX(grain + grain / 4 + 1, range >> LEAST_GRAIN);
	return count;
}

void chart_settle(struct chart *c, size_t most)
{
	while (c->cells > most && c->grain < c->last - c->first) {
		struct settling s = { .c = c };
		unsigned possible = next_grains(c, s.grains), steps = 1;

		s.steps = possible;
		on_all_lanes(&s, try_steps);
		while (steps < possible && s.left[steps - 1] > most)
			steps++;
		s.steps = steps;
		on_all_lanes(&s, take_steps);
		c->cells = s.left[steps - 1];
		c->grain = s.grains[steps - 1];
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
	struct cell cell = { .from = from,
			     .until = until,
			     .longest = until - from,
			     .what = what,
			     .chain = chain,
			     .count = 1 };

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
