/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the picture.
 *
 * Cells for the script are text: each number in digits of 5 bits, the least first, with one bit
 * more while others follow (A-Z a-z 0-9 - _ for 0 to 63). A lane of power, CPUs and tasks has for
 * each cell: gap since the one before, length (both in units of time), what * 8 + part * 2 +
 * whether a chain follows, [chain]; part 3 stands for a cell of several, with [count, and the
 * shares of its parts, in 31sts]. A lane of calls has gap, length, file + 1, count, bytes, errors.
 */
#ifndef BUILTIN_TIMECHART_DRAW_H
#define BUILTIN_TIMECHART_DRAW_H

#include "builtin/timechart/internal.h"

/* In pixels. */
enum {
	LEFT = 216,
	RIGHT = 10,
	TOP = 66,
	FOOT = 28,
	CPU_HEIGHT = 18,
	POWER_HEIGHT = 7,
	TASK_HEIGHT = 16,
	SPACE = 3,
	LETTER = 7
};

/* Kinds of system calls follow LANE_IO. */
enum lane_kind { LANE_CPU, LANE_IDLE, LANE_FREQ, LANE_TASK, LANE_IO };

/* clang-format off */
enum {
	CLASS_RUN, CLASS_WAIT, CLASS_BLOCKED, CLASS_PROCESS, CLASS_MIX = CLASS_PROCESS + 6, CLASS_IDLE,
	CLASS_FREQ = CLASS_IDLE + 6, CLASS_IO, CLASS_ERROR = CLASS_IO + IO_KINDS, CLASS_HIGH, CLASSES,
};
/* clang-format on */

struct drawn_row {
	bool cpu;
	u32 number; /* the number of the CPU, or of the scene's row */
	u32 y, height;
};

struct drawn_lane {
	u32 lane, row; /* indexes in drawing.rows */
	enum lane_kind kind;
	u32 y, height;
};

struct drawing {
	struct scene *s;
	u32 plot;   /* pixels of the time axis */
	u32 height; /* the height of the whole picture, without the foot */
	u32 grid;   /* pixels: how narrow a column is */
	VEC(struct drawn_row) rows;
	VEC(struct drawn_lane) lanes;
	u32 *places; /* row of the scene -> of rows, plus one */
};

/* text.c */
/*
 * Adds the text of all lanes, which several threads make in pieces. Once there are more than this
 * many bytes, makes no more pieces and returns false; b has those that were made.
 */
bool lanes_to_text(const struct drawing *d,
		   void (*make)(void *arg, size_t from, size_t until, struct strbuf *b), void *arg,
		   size_t most, struct strbuf *b);

/* draw.c */
void draw_lane(const struct drawing *d, const struct drawn_lane *lane, struct strbuf *b);
void draw_scale(const struct drawing *d, struct strbuf *b);
/* Draws the wake-ups if there are few; otherwise the script shows them after zooming in. */
void draw_wakes(const struct drawing *d, struct strbuf *b);

/* encode.c */
/* Adds the drawing's data in at most most bytes, if merging can achieve that. */
void draw_data(struct drawing *d, size_t most, struct strbuf *b);

#endif
