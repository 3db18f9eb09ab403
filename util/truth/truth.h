/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How true a profile is: computed once from a finished hist and its session, shown everywhere.
 *
 *	truth_find()	shares and causes of each event, from what was counted anyway
 *	truth_line()	a sentence for a title
 *	truth_json()	the object "truth"
 *	require.h	conditions, and which of them do not hold
 *
 * whole: the user stack of a sample reaches the outermost frame, or has as many frames as were
 * asked for; chains of the kernel alone are whole.  named: the sample's own address has a symbol.
 * Both are shares of the samples that are shown.  lost, throttled and times are of the file.
 * multiplexed: the part of its enabled time in which an event was not counted.
 *
 * One thread.  truth_release() frees everything that a truth refers to.
 */
#ifndef TRUTH_TRUTH_H
#define TRUTH_TRUTH_H

#include "base/strbuf.h"
#include "base/vec.h"

struct event;
struct hist;
struct session;

/* Why so many samples are not what they should be, in one object. */
struct truth_cause {
	u64 samples;
	char *object; /* its path, as recorded; "": none, or not known */
	char *why;    /* "the recorded piece of stack is too small" */
	char *cure;   /* a flag or a command, in words; NULL: nothing that a person could do */
};

enum truth_state { TRUTH_KNOWN, TRUTH_ABOUT, TRUTH_UNKNOWN, TRUTH_NOT_APPLICABLE };

struct truth_share {
	enum truth_state state;
	u64 good, all;
	const char *why;                /* if it is unknown, or does not apply; a literal */
	VEC(struct truth_cause) causes; /* most samples first */
};

/* How long an event was enabled, and how long the kernel had a counter for it, in ns. */
struct truth_times {
	enum truth_state state; /* never TRUTH_ABOUT */
	u64 enabled, running;
	const char *why, *cure; /* if it is unknown, or does not apply; literals, or NULL */
};

struct truth_event {
	const char *name; /* the session's */
	u32 event;        /* its number in the session's set */
	u64 samples;      /* shown */
	bool counts; /* it takes samples of its own: neither a dummy nor a counter of a group that
			others read */
	struct truth_share whole, named;
	struct truth_times times;
};

struct truth {
	VEC(struct truth_event) events; /* all of the session, also those without samples */
	u64 samples;                    /* shown, of all events */
	u64 delivered;                  /* samples, as the file has them */
	u64 lost, throttled; /* samples that were not delivered; how often events were throttled */
};

/* An empty one is {0}. */
void truth_find(struct truth *t, struct session *s, const struct hist *h);
void truth_release(struct truth *t);

/* What keeps samples from being lost, and events from being throttled. */
extern const char truth_lost_cure[], truth_throttled_cure[];

/* Shares in percent: 100 where there is nothing to be shared. */
double truth_percent(const struct truth_share *s);
double truth_lost_percent(const struct truth *t);
double truth_throttled_percent(const struct truth *t);
double truth_multiplexed_percent(const struct truth_event *e);
/* Do times of the event matter?  Not of dummies, which count nothing. */
bool truth_counts(const struct truth_event *e);
/* Of events whose times matter and are known, the one that was multiplexed most; or NULL. */
const struct truth_event *truth_most_multiplexed(const struct truth *t);
/* Does the event take samples of its own? */
bool truth_takes_samples(const struct event *ev);
/* What is known about an event's times: state is as of data/times.h. */
struct data_time;
struct truth_times truth_times_of(const struct event *ev, const struct data_time *time);

/*
 * "93.1 percent of stacks whole (libc.so.6: ...), 99.2 percent of samples named, 0 lost", for these
 * events together; no newline.
 */
void truth_line(const struct truth *t, const struct event *const *events, size_t count,
		struct strbuf *out);
/* The same in a few words, without causes: "93.1% whole, 99.2% named". */
void truth_short(const struct truth *t, const struct event *const *events, size_t count,
		 struct strbuf *out);
/* Each cause in a line of its own, with its cure, for a screen. */
void truth_causes_text(const struct truth *t, struct strbuf *out);
void truth_json(const struct truth *t, struct strbuf *out);

/*
 * How a program names the code that it makes at run time, by the program's name; NULL: not known.
 */
const char *truth_jit_hint(const char *comm);

#endif
