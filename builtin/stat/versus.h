/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat --versus: a command, the baseline, compared with rivals by interleaved runs.
 *
 *	versus.c          the commands, the rounds, when to stop, the verdict
 *	versus_plan.c     the order of runs and the checkpoints: pure functions
 *	versus_noise.c    what else the machine did meanwhile
 *	versus_values.c   the values of the runs, compared
 *	versus_print.c    the results as text, Markdown, CSV or JSON
 *
 * A round runs every command once, so a baseline and a rival of one round are a pair.
 * Documentation/design/versus.md says why the intervals can be trusted.
 */
#ifndef BUILTIN_STAT_VERSUS_H
#define BUILTIN_STAT_VERSUS_H

#include "builtin/stat/internal.h"
#include "statistics/compare.h"

/* versus_plan.c */
enum { VERSUS_LEAST = 10, VERSUS_MOST = 1000, VERSUS_LEVEL = 95 };

/* Puts the numbers below count in the order in which this round runs them. */
void versus_order(u64 round, u32 *order, size_t count);
/* Returns the number of rounds after which widths are checked next. */
u64 versus_next_checkpoint(u64 rounds);
/*
 * Returns the quantile for the intervals after this many rounds; fixed means that the user gave
 * their number.
 */
double versus_quantile(u64 rounds, bool fixed);

/*
 * The plan continues until its number of rounds is reached. Zero it, except for what the user asked
 * for.
 */
struct versus_plan {
	u64 fixed;      /* -r; 0: none */
	u64 max_time;   /* ns */
	u64 checkpoint; /* the next one; 0: none was set so far */
	u64 last; /* an interval was narrow enough: the number of the last round; 0: none was */
};
enum versus_end {
	VERSUS_GOES_ON,
	VERSUS_FIXED,
	VERSUS_NARROW,
	VERSUS_TIME,
	VERSUS_ROUNDS,
	VERSUS_SIGNAL
};
/*
 * Reports whether the round that ended now is the last, and why; `rounds` have ended, in `passed`
 * ns. narrow() is called only at checkpoints.
 */
enum versus_end versus_is_last(struct versus_plan *p, u64 rounds, u64 passed,
			       bool (*narrow)(void *arg), void *arg);

/* versus_noise.c */
struct versus_noise {
	u64 start, own;          /* ns: when it began; CPU time of perf and its children */
	u64 total, busy, stolen; /* ticks of all CPUs */
	u64 pressure[3];         /* us that some task waited */
	double load; /* the load average before the start; NAN: not known, as all that follows */
	/* the result: shares of the CPUs' time, CPUs that others used, shares of the time */
	double steal, others, waited[3];
	u64 lowest, highest; /* kHz; 0: not known */
	char *governor;
};
void versus_noise_begin(struct versus_noise *n, const struct sys *sys);
/* Looks at the frequencies. */
void versus_noise_look(struct versus_noise *n, const struct sys *sys);
void versus_noise_end(struct versus_noise *n, const struct sys *sys);
/* Adds a line for each kind of noise that there was enough of. */
void versus_noise_name(const struct versus_noise *n, struct strlist *lines);
void versus_noise_json(const struct versus_noise *n, struct strbuf *b);
void versus_noise_release(struct versus_noise *n);

struct versus_command {
	struct strlist words;
	VEC(const char *) argv; /* ends with NULL */
	char *title;            /* 'PROGRAM ARGS', printable */
	u64 failed;             /* runs of rounds with a status other than 0 */
	int status;             /* the exit status of the last of them */
};

/* What one command did in one round; its values are in struct versus. */
struct versus_run {
	int status;
	u32 position; /* in the round, from 1 on */
};

struct versus {
	VEC(struct versus_command) commands; /* the baseline, then the rivals */
	VEC(struct versus_run) runs;         /* [round][command] */
	VEC(double) values;                  /* [round][command][event]; NAN: not counted */
	u64 rounds;
	double t; /* the quantile of the intervals */
	struct versus_plan plan;
	enum versus_end end;
	u64 took;   /* ns */
	u32 judged; /* the event that decides when it ends */
	char *judged_name;
	double limit; /* of --fail-above, as a share; NAN: none was given */
	bool failed;  /* a rival is above the limit */
	struct versus_noise noise;
};

/* Returns why the settings of --versus contradict each other, or NULL. */
const char *versus_contradiction(const struct stat_request *ask, bool command, bool cgroups);
/* Sets q->versus, after the options were parsed. */
int versus_prepare(struct stat_session *q, struct reason *r);
/* Adds the events of times, and finds the one that --fail-above names. */
int versus_choose_events(struct stat_session *q, struct reason *r);
int versus_run(struct stat_session *q, struct reason *r);
int versus_exit_code(const struct stat_session *q);
/* Adds conditions about events that could not be counted. */
void versus_warn(struct stat_session *q);
void versus_free(struct versus *v);

/* versus_values.c */
double versus_value(const struct stat_session *q, u64 round, size_t command, u32 event);
/*
 * Compares a rival, whose number is from 1 on. Returns false if fewer than two pairs have both
 * values.
 */
bool versus_compare(const struct stat_session *q, size_t rival, u32 event,
		    struct statistics_change *out, u64 *pairs);
/*
 * Runs of a command whose value is far out: how many, and the largest distance from the median as a
 * factor.
 */
u64 versus_far_out(const struct stat_session *q, size_t command, u32 event, double *factor);
/*
 * Returns the quantile for an event with this many pairs, fewer than others if it was not counted
 * in each run.
 */
double versus_quantile_for(const struct versus *v, u64 pairs);
/* versus_print.c */
void versus_print(struct stat_session *q);

#endif
