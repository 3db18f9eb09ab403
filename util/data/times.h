/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the events of a recording were enabled, and how long they counted: EVENT_UPDATE records
 * of a type of our own, at the end of files and streams.  Other perfs look for the record's event
 * and do nothing about a type that they do not know.  (A section of our own in every file is no
 * way: perf 6.1 reads it, but ends with a segmentation fault when perf inject copies it.)
 */
#ifndef DATA_TIMES_H
#define DATA_TIMES_H

#include "base/reason.h"
#include "base/vec.h"

struct data_writer;
struct event_set;
struct record;

struct data_time {
	/* NONE: the kernel does not count the event; UNKNOWN: the recorder could not ask */
	enum data_time_state { DATA_TIME_NONE, DATA_TIME_UNKNOWN, DATA_TIME_KNOWN } state;
	u64 enabled, running; /* ns, over all CPUs and tasks; running <= enabled */
};

struct data_times {
	VEC(struct data_time) list; /* by number of the event; may be shorter than the set */
};

/* After the last record.  Events without an id have none. */
int data_write_times(struct data_writer *w, const struct event_set *set, const struct data_times *t,
		     struct reason *r) MUST_CHECK;
/* Takes what the record says, if it is such a record of an event of the set, and not damaged. */
void data_take_time(struct data_times *t, const struct event_set *set, const struct record *rec);
bool data_is_time(const struct record *rec, bool swap);

#endif
