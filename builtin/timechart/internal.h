/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf timechart. */
#ifndef BUILTIN_TIMECHART_INTERNAL_H
#define BUILTIN_TIMECHART_INTERNAL_H

#include "base/out.h"
#include "builtin/timechart/chart.h"
#include "builtin/timechart/timechart.h"
#include "session/lines.h"
#include "tasks/tasks.h"
#include "tracer/tracer.h"

#define NOBODY UINT32_MAX

enum io_kind { IO_READ, IO_WRITE, IO_SYNC, IO_SEND, IO_RECEIVE, IO_POLL, IO_KINDS };

/* One task under one name. */
struct row {
	u32 pid, parent, name;
	u32 lane;         /* NOBODY: nothing to show */
	u32 io[IO_KINDS]; /* likewise */
	u64 first, last;  /* ns */
	u64 run, bytes;
	u32 next; /* another name of the same task, plus one */
	bool shown;
};

/* System calls of a thread. */
struct caller {
	u32 row;  /* the row of its present name */
	u32 rows; /* all of its names, plus one */
	bool open;
	enum io_kind kind;
	u64 since;
	u32 fd;
	struct cell last[IO_KINDS]; /* waits for what may be merged with it; count 0: none */
};

struct cpu_row {
	bool seen;
	u32 lane, idle_lane, freq_lane; /* NOBODY: nothing to show */
	bool idle;
	u32 idle_state, freq;
	u64 idle_since, freq_since;
};

struct scene {
	struct timechart *t;
	struct session *session;
	struct tasks *tasks;
	struct tracer *tracer; /* handles all other events */
	u64 now;               /* time of the last sample, and its call chain: it ends intervals */
	u32 now_chain;
	struct chart chart; /* filled by way of facts; nobody else's before scene_end() */
	struct session_lines *facts;
	u32 lane_count; /* lanes that were given out */
	u64 last;       /* the latest time so far */
	VEC(struct cpu_row) cpus;
	VEC(struct row) rows;
	VEC(u32) row_of;     /* row of tasks -> of rows, plus one */
	struct map64 by_tid; /* -> place in callers, plus one */
	VEC(struct caller) callers;
	struct strtab names;
	u64 samples, io_calls, gaps;
	bool wakeups;   /* sched_wakeup is there: sched_waking says the same */
	u32 most_freq;  /* kHz */
	u64 most_bytes; /* the most that one call moved */
	/* call chains as text: "a <- b" */
	struct chains *chains;
	struct strtab chain_texts;
	size_t chain_bytes;
	VEC(u32) shown; /* rows, from the top */
	VEC(u32) cpu_order;
};

/* events.c: all but the switches, which util/tasks follows */
extern const struct tracer_row timechart_events[];
extern const size_t timechart_event_count;

/* tasks.c */
extern const struct tasks_ops timechart_tasks;
struct cpu_row *scene_cpu(struct scene *s, u32 cpu); /* NULL: its number makes no sense */
/* Makes a lane when there is something in it. */
u32 scene_lane(struct scene *s, u32 *lane);
void scene_wakeup(struct scene *s, u64 time, u32 waker, bool interrupt, u32 wakee);

/* facts.c: into the chart */
void scene_begin(struct scene *s);
void scene_end(struct scene *s);
/*
 * Notes an interval that chart_add_part() gets later. The next two do the same for other functions
 * of chart.h.
 */
void scene_part(struct scene *s, u32 lane, enum cell_part part, u64 from, u64 until, u32 what,
		u32 chain);
void scene_cell(struct scene *s, u32 lane, const struct cell *cell);
void scene_wake(struct scene *s, const struct wake *wake);

/* power.c */
void scene_idle(struct scene *s, u32 cpu, u64 time, u32 state, bool begins);
void scene_frequency(struct scene *s, u32 cpu, u64 time, u64 khz);

/* io.c */
void scene_name_caller(struct scene *s, u32 tid, const char *name);
void scene_call(struct scene *s, u32 tid, u64 time, enum io_kind kind, u32 fd);
void scene_return(struct scene *s, u32 tid, u64 time, enum io_kind kind, s64 ret);
void scene_flush_calls(struct scene *s);
bool io_moves_bytes(enum io_kind kind);

/* run.c */
int scene_sample(void *arg, const struct session_point *p, struct reason *r);
/* scene.c */
/* Ends what is under way at the recording's end, and chooses the rows to show. */
void scene_finish(struct scene *s);

/* svg.c */
void timechart_draw(struct scene *s, struct out *out);
extern const char timechart_script[];

#endif
