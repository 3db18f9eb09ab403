/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of a timechart: lanes of cells, in bounded memory.
 *
 *	add_cell()        appends to a lane; ends of cells ascend within each lane
 *	chart_settle()    merges until at most this many cells are left, on as many threads as the
 *	                  chart has
 *
 * A cell is one interval, or several neighbours that were merged because together they are shorter
 * than the grain. Merged cells keep sums, so shares are exact at every zoom. The grain begins at
 * one ns and grows whenever there are more than MOST_CELLS.
 */
#ifndef BUILTIN_TIMECHART_CHART_H
#define BUILTIN_TIMECHART_CHART_H

#include "base/hash.h"
#include "base/types.h"
#include "base/vec.h"

enum { MOST_CELLS = 400000, MOST_WAKES = 100000 };

/* What a cell is made of; of power lanes all is PART_RUN. */
enum cell_part { PART_RUN, PART_WAIT, PART_BLOCKED, CELL_PARTS };

struct cell {
	u64 from, until; /* ns */
	/* ns; of system calls: PART_RUN ns, PART_WAIT bytes, PART_BLOCKED errors */
	u64 parts[CELL_PARTS];
	u64 longest; /* ns: the interval that what and chain are of */
	u32 what;    /* CPU lanes: row of a task; task lanes: CPU; states, kHz, fd */
	u32 chain;   /* call chain at its end, 0: none */
	u32 count;   /* intervals */
};

struct lane {
	VEC(struct cell) cells;
};

/* Someone was woken up. */
struct wake {
	u64 time;
	u32 from, to; /* rows; from UINT32_MAX: an interrupt */
};

struct chart {
	u64 first, last; /* ns: the picture's ends */
	u64 grain;
	unsigned threads; /* how many merge; the cells do not depend on it */
	size_t cells, most;
	VEC(struct lane) lanes;
	u64 wake_grain; /* a wake-up of a task within this time of its last one is left out */
	u64 wakes_left_out;
	VEC(struct wake) wakes;
};

void chart_init(struct chart *c);
void chart_release(struct chart *c);
u32 chart_lane(struct chart *c);
void chart_add(struct chart *c, u32 lane, const struct cell *cell);
/* Adds one interval of one part. */
void chart_add_part(struct chart *c, u32 lane, enum cell_part part, u64 from, u64 until, u32 what,
		    u32 chain);
/* Merges until at most this many are left, or everything that can be is merged. */
void chart_settle(struct chart *c, size_t most);
void chart_wake(struct chart *c, const struct wake *w);

#endif
