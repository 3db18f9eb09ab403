/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of perf sched timehist: timehist.c has options and events, timehist_facts.c what lines are
 * made of, timehist_lines.c the lines, timehist_summary.c the tables at the end.
 */
#ifndef BUILTIN_SCHED_TIMEHIST_H
#define BUILTIN_SCHED_TIMEHIST_H

#include "base/text.h"
#include "builtin/sched/chains.h"
#include "builtin/sched/internal.h"
#include "session/lines.h"

/*
 * Stays on a CPU (or, with -I, times of idleness that follow a task), as far as they are in the
 * window.
 */
struct stays {
	u64 count, least, most, sum; /* ns; of those whose length is known */
	u64 unknown;                 /* others: they ended, but nobody knows when they began */
	u64 seen;                    /* ns: what is known of those */
	double mean, squares;        /* Welford's */
	/* of a task: the last one, not among the above yet; to 0: none */
	u64 from, to;
};

struct idle_chain {
	char *text;
	u64 time, count;
};

struct timehist_cpu {
	u64 idle_out, idle_in;   /* when the idle task left and came last, 0: not seen */
	u64 busy_before;         /* how long others ran before the idle task came */
	struct tasks_life *last; /* -I: the task before the idle task */
	struct stays idle;
	char *chain; /* -I: of the switch to idle */
	VEC(struct idle_chain) chains;
};

#define TIMEHIST_UNKNOWN UINT64_MAX

/*
 * What a line is made of. Lines are drawn by any thread, which sees these and the options, but
 * nothing that changes while the recording is read.
 */
struct timehist_line {
	enum timehist_kind { TIMEHIST_SWITCH, TIMEHIST_WAKEUP, TIMEHIST_MOVE, TIMEHIST_LOSS } kind;
	u32 cpu;
	u64 time;
	u64 waited, delay, ran, unmoved; /* ns; TIMEHIST_UNKNOWN: its begin was not recorded */
	u64 lost;                        /* how many events */
	s32 prio;
	u32 from, to;           /* CPUs of a move */
	u32 width, other_width; /* of the column of names, at the first one and at the other one */
	char mark;              /* in the column of the CPU */
	char state[4];
	u32 name_len, other_len, chain_len;
	char text[]; /* the name, the other one, the chain */
};

/* "comm[tid/pid]" of a task, and the facts it was made from. */
struct timehist_name {
	char comm[16];
	u32 tid, pid, len;
	char text[100]; /* 16 bytes as "\x1b", two numbers */
};
enum { TIMEHIST_NAMES = 256 };

struct timehist {
	struct sched *s;
	struct sched_analysis a;
	/* as typed */
	bool chains, summary_only, with_summary, wakeups, next, migrations, visual, idle, state,
		show_prio, pre_migrations;
	unsigned max_stack;
	const char *pids_text, *tids_text, *prio_text, *kallsyms;
	u32 *pids, *tids, *prios;
	size_t pid_count, tid_count, prio_count;

	struct session *session;
	struct sched_chains *frames; /* NULL: no chains are shown */
	struct session_lines *lines;
	struct strbuf chain;                        /* of the line under way */
	u32 comm_width;                             /* of the names so far */
	struct timehist_name names[TIMEHIST_NAMES]; /* lately used, by number of the life */
	u32 cpu_count;
	u64 switches; /* that were recorded, of the tasks, CPUs and times that are shown */
	VEC(struct stays) stays; /* by number of the life */
	VEC(struct timehist_cpu) cpus;
};

/* Reports whether the task passes -p, -t and --prio. */
bool timehist_wants(const struct timehist *th, const struct tasks_life *l);
void stays_add(struct stays *s, u64 ns);
/* Adds a part of a stay. Parts come in order of time; stays_close() takes in the last one. */
void stays_add_part(struct stays *s, u64 from, u64 to);
void stays_close(struct stays *s);
/* Closes the last stay, whose beginning is unknown. */
void stays_close_unknown(struct stays *s, u64 ended);
struct stays *timehist_stays(struct timehist *th, const struct tasks_life *l);
struct timehist_cpu *timehist_cpu(struct timehist *th, u32 cpu);

void timehist_put_header(const struct timehist *th, struct strbuf *b);
/* Adds the line that shows these facts. */
void timehist_put_line(const struct timehist *th, const struct timehist_line *line,
		       struct strbuf *b);
/* Adds "comm[tid/pid]" and widens th->comm_width. */
void timehist_put_name(struct timehist *th, const struct tasks_life *l, struct strbuf *b);
/* Adds the line of a switch; the next functions add lines of other events. */
void timehist_add_switch(struct timehist *th, const struct tasks_switch *s);
void timehist_add_wakeup(struct timehist *th, const struct tasks_wakeup *w);
void timehist_add_move(struct timehist *th, const struct tasks_move *m);
void timehist_add_loss(struct timehist *th, const struct tracer_gap *gap);
void timehist_put_summary(struct timehist *th, struct tasks *t, struct out *out);

/* Adds "a <- b <- c", or nothing where the sample has no chain. */
void timehist_put_chain(struct timehist *th, const struct session_sample *s, struct strbuf *b);

#endif
