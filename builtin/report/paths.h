/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of each event goes, in as few lines as say it: what --brief prints, and the member
 * "paths" of --json.
 *
 *	paths_find()	chosen from the call chains of a finished hist
 *	paths_json()	all of them
 *	brief.c		as many as there is room for
 *
 * A path is a run of frames from a caller on, with what the last one calls below it.  The run goes
 * on while nearly everything that passes through its first frame passes through the next one as
 * well, and nothing else that matters leaves it.  Shares are those of the last frame.  Recursion is
 * folded: a function that calls itself is one frame, and functions that call each other in a circle
 * are twice on a path; frames without a name that follow each other are one.  A sample counts on
 *one path alone, whose functions are all on its stack.
 *
 * One thread.  Names are those of the stacks, and live until paths_release().
 */
#ifndef BUILTIN_REPORT_PATHS_H
#define BUILTIN_REPORT_PATHS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "hist/hist.h"

#define PATHS_LEVEL 0.95 /* how often an interval holds the true share */

struct path_share {
	u64 samples, period;
	double percent;
	bool has_interval; /* false: everything was counted, or nothing is known */
	double low, high;  /* percent */
};

struct path_frame {
	const char *name;
	enum stack_kind kind;
	bool runtime;   /* of the C library, or of another language's run-time */
	bool recursive; /* it calls itself, perhaps through others */
};

struct path {
	VEC(struct path_frame) frames;
	struct path_share all, self; /* through the last frame, and in its own code */
	VEC(struct path *) below;    /* greatest first */
};

/* What an event's samples are in themselves, wherever they were called from. */
struct path_function {
	const char *name;
	enum stack_kind kind;
	bool runtime;
	struct path_share share;
};

/* Where tasks waited: the program's function, and what it called there. */
struct path_place {
	const char *name;
	const char *in; /* NULL: it waited itself, as far as is known */
	struct path_share share;
};

struct path_event {
	const struct event *event;
	bool waits;          /* its periods are ns of waiting */
	bool is_time;        /* its periods are ns */
	u64 samples, period; /* shown */
	u64 of;              /* what 100 % is */
	bool has_intervals;
	struct hist_stacks *stacks;
	VEC(struct path_function) functions; /* greatest first; at most 20, with 0.5 % or more */
	VEC(struct path_place) places;       /* likewise; of waits only */
	struct path *root;                   /* without frames */
};

struct paths {
	bool known; /* false: this table does not look at places, or counts branches */
	/* those that have samples, as recorded; waits are first or second */
	VEC(struct path_event) events;
};

/* limit: percent of the shown period that a path has at least; 0: the default. */
void paths_find(struct paths *p, struct hist *h, double limit);
void paths_release(struct paths *p);
void paths_json(const struct paths *p, struct strbuf *out);

#endif
