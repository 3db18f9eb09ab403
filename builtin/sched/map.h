/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of perf sched map: map.c has options and events, map_lines.c draws. */
#ifndef BUILTIN_SCHED_MAP_H
#define BUILTIN_SCHED_MAP_H

#include "builtin/sched/internal.h"
#include "session/lines.h"

struct column {
	bool shown;  /* --cpus */
	bool met;    /* since records of it were lost last */
	bool listed; /* in the order of --compact */
	bool coloured;
	struct tasks_life *life; /* NULL: idle, once seen */
};

enum { LETTERS = 26, DIGITS = 10, NAMES = LETTERS * DIGITS };

struct short_name {
	u32 code; /* + 1; 0: none.  A0, B0, ... Z0, A1, ... Z9 */
	bool coloured;
	u32 comm; /* the comm that was printed with it; UINT32_MAX: none yet */
};

/* A CPU in a line: one of these, or CELL_CODE and a code. */
enum {
	CELL_UNKNOWN,
	CELL_IDLE,
	CELL_OTHER, /* none of --task-name */
	CELL_CODE,
	CELL_COLOURED = 1 << 15, /* the task */
	CELL_CPU_COLOURED = 1 << 14,
	CELL_CHANGED = 1 << 13, /* it is the CPU that has switched */
	CELL_WHAT = CELL_CHANGED - 1,
};

/* What a line is made of; drawn by any thread. */
struct map_line {
	u64 time;
	u32 count;   /* of the CPUs that are shown */
	u32 len;     /* of the text after the time */
	u16 cells[]; /* the text follows */
};

struct map {
	struct sched *s;
	struct sched_analysis a;
	bool compact, fuzzy, latency, colour, idle_told, axis_given;
	const char *color_pids, *color_cpus, *cpus;
	const char *task_names; /* as typed */
	u64 axis;               /* ns between two lines of the time axis; 0: none */
	struct strlist names;   /* --task-name */
	u32 *pids, *coloured_cpus, *shown_cpus;
	size_t pid_count, coloured_count, shown_count;

	VEC(struct column) columns;             /* by CPU */
	VEC(u32) order;                         /* --compact: CPUs in order of appearance */
	VEC(struct short_name) short_names;     /* by number of the life */
	const struct tasks_life *owners[NAMES]; /* by code: whose name it is now */
	u32 next_code;
	struct session_lines *lines;
	VEC(u16) cells;                             /* of the line under way */
	struct strbuf text;                         /* after its time */
	VEC(const struct tasks_life *) unexplained; /* named in this line for the first time */
	u64 next_tick;
};

/* Sets text to a code such as "A0". */
void map_code_text(u32 code, char text[3]);
/* Adds a text, coloured if colours are on and color is not NULL. */
void map_put_coloured(const struct map *m, struct strbuf *b, const char *color, const char *text);
/* Adds a line, as session_lines_new() expects: arg is the map, facts is a struct map_line. */
void map_put_line(const void *arg, const void *facts, struct strbuf *b);

#endif
