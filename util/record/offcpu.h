/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record --off-cpu: time that tasks wait, as samples of the event "offcpu-time".
 *
 *	off_cpu_open()    before the events are enabled: programs, or their replacement, are loaded
 *	off_cpu_start()   from here on waits count
 *	off_cpu_turn()    whenever rings were emptied: writes the long waits that have ended
 *	off_cpu_stop()    before the rings are emptied for the last time
 *	off_cpu_sums()    at the end of each file: a sample for each place where tasks waited
 *	off_cpu_close()
 *
 * A sample's period is the waiting time in ns, its call chain shows where the wait began, and its
 * time is the wait's end (for a sum, when it was written) on CLOCK_MONOTONIC, which all events then
 * use. Frames of the scheduler itself are left out, so the innermost one shows the function that
 * waited. One thread. Errors: -errno with a reason.
 */
#ifndef RECORD_OFFCPU_H
#define RECORD_OFFCPU_H

#include "record/record.h"

struct off_cpu;

struct event *off_cpu_add_event(struct event_set *set);
/* Sets the attr of its event: these samples have their own layout, whatever others have. */
void off_cpu_set_attr(struct event *ev, const struct record_settings *s);

/* Sets up OFF_CPU_SWITCH likewise: it samples each switch, with its chain. */
void off_cpu_set_switch(struct event *ev);

int off_cpu_open(struct recorder *rec, struct off_cpu **out, struct reason *r) MUST_CHECK;
int off_cpu_start(struct off_cpu *o, struct reason *r) MUST_CHECK;
int off_cpu_turn(struct off_cpu *o, struct reason *r) MUST_CHECK;
void off_cpu_stop(struct off_cpu *o);
int off_cpu_sums(struct off_cpu *o, struct reason *r) MUST_CHECK;
void off_cpu_close(struct off_cpu *o);

/* ---- offcpu_switch.c: where there is no BPF ---- */

#define OFF_CPU_SWITCH "sched:sched_switch"
struct off_cpu_switches;
/* Takes the place of the plain write (record_sink). */
struct off_cpu_switches *off_cpu_switches_new(struct recorder *rec);
int off_cpu_switches_sums(struct off_cpu_switches *o, struct reason *r) MUST_CHECK;
void off_cpu_switches_free(struct off_cpu_switches *o);

/* ---- offcpu_sample.c ---- */

struct off_cpu_text { /* the scheduler's code, whose frames are left out */
	u64 start, end;
	bool read;
};
struct off_cpu_wait {
	u32 pid, tid, cpu;
	u64 time, ns, cgroup;
	const u64 *kernel, *user; /* innermost first */
	u32 kernel_count, user_count;
};
/* ---- offcpu_callers.c: the callers that frame pointers miss ---- */

struct offcpu_top;
struct off_cpu_callers;
/*
 * Starts it, or returns NULL if no call chains are wanted, or what programs map cannot be watched.
 * The others also take NULL.
 */
struct off_cpu_callers *off_cpu_callers_new(struct recorder *rec);
/* Learns of new programs and libraries; called from time to time. */
void off_cpu_callers_turn(struct off_cpu_callers *c);
void off_cpu_callers_stop(struct off_cpu_callers *c); /* learns of all that came before */
/*
 * Adds to w->user the callers that unwinding finds between its frames. The frames then belong to c,
 * until the next call.
 */
void off_cpu_callers_add(struct off_cpu_callers *c, struct off_cpu_wait *w,
			 const struct offcpu_top *top);
void off_cpu_callers_free(struct off_cpu_callers *c);

/* Appends the record of one sample to b. */
void off_cpu_put_sample(const struct event *ev, const struct off_cpu_wait *w,
			struct off_cpu_text *text, struct strbuf *b);

#endif
