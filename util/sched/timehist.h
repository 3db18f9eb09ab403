/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of perf sched timehist: timehist.c has options and events, timehist_lines.c the lines,
 * timehist_summary.c the tables at the end.
 */
#ifndef SCHED_TIMEHIST_H
#define SCHED_TIMEHIST_H

#include "base/text.h"
#include "sched/chains.h"
#include "sched/internal.h"

/* Stays on a CPU (or, with -I, times of idleness that follow a task), as far as they are in the window. */
struct stays {
	u64 count, least, most, sum; /* ns; of those whose length is known */
	u64 unknown;		     /* others: they ended, but nobody knows when they began */
	double mean, squares;	     /* Welford's */
	u64 from, to;		     /* of a task: the last one, not among the above yet; to 0: none */
};

struct idle_chain {
	char *text;
	u64 time, count;
};

struct timehist_cpu {
	u64 idle_out, idle_in; /* when the idle task left and came last, 0: not seen */
	u64 busy_before; /* how long others ran before the idle task came */
	struct tasks_life *last; /* -I: who ran before the idle task */
	struct stays idle;
	char *chain; /* -I: of the switch to idle */
	VEC(struct idle_chain) chains;
};

struct timehist {
	struct sched *s;
	struct sched_analysis a;
	/* as typed */
	bool chains, summary_only, with_summary, wakeups, next, migrations, visual, idle, state, show_prio,
		pre_migrations;
	unsigned max_stack;
	const char *pids_text, *tids_text, *prio_text, *kallsyms;
	u32 *pids, *tids, *prios;
	size_t pid_count, tid_count, prio_count;

	struct session *session;
	struct sched_chains *frames; /* NULL: no chains are shown */
	int comm_width;
	u32 cpu_count;
	VEC(struct stays) stays; /* by number of the life */
	VEC(struct timehist_cpu) cpus;
};

/* Does the task pass -p, -t and --prio? */
bool timehist_wants(const struct timehist *th, const struct tasks_life *l);
void stays_add(struct stays *s, u64 ns);
/* The same for a part of a stay; parts come in order of time.  stays_close() takes in the last one. */
void stays_add_part(struct stays *s, u64 from, u64 to);
void stays_close(struct stays *s);
struct stays *timehist_stays(struct timehist *th, const struct tasks_life *l);
struct timehist_cpu *timehist_cpu(struct timehist *th, u32 cpu);

/* "comm[tid/pid]"; widens th->comm_width. */
void timehist_put_name(struct timehist *th, const struct tasks_life *l, struct strbuf *b);
void timehist_put_header(struct timehist *th, struct strbuf *b);
void timehist_put_switch(struct timehist *th, const struct tasks_switch *s, struct strbuf *b);
void timehist_put_wakeup(struct timehist *th, const struct tasks_wakeup *w, struct strbuf *b);
void timehist_put_move(struct timehist *th, const struct tasks_move *m, struct strbuf *b);
void timehist_put_summary(struct timehist *th, struct tasks *t, struct out *out);

/* "a <- b <- c"; nothing where the sample has no chain. */
void timehist_put_chain(struct timehist *th, const struct session_sample *s, struct strbuf *b);

#endif
