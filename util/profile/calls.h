/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes call chains from a CPU's register of calls (LBR): the kernel's frames as recorded, then the
 * user's place, then the source of each call.
 *
 * A full register has lost its outer calls. With stitch, if its oldest calls are those of the
 * thread's previous sample, that one's outer calls are taken as its callers as well. Then samples
 * must come in order of time. One thread for each object.
 */
#ifndef PROFILE_CALLS_H
#define PROFILE_CALLS_H

#include "process/history.h"

struct call_registers;
/*
 * Makes an object. With leaf_as_sampled, the user's first frame is where it was sampled; otherwise
 * it is the start of its function, where the newest call went, as in perf 6.1.
 */
struct call_registers *call_registers_new(const struct event_set *events, bool stitch,
					  bool leaf_as_sampled);
void call_registers_free(struct call_registers *c);
/* Forgets what is known of threads, because their numbers are used again for others. */
void call_registers_forget(struct call_registers *c);
/* Reports whether this event's samples have such chains. */
bool call_registers_hold(const struct event *ev);
/* Gives the sample that chain, which is good until the next call; others stay as they are. */
void call_registers_take(struct call_registers *c, const struct task *task, struct sample *s);

#endif
