/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who records one tracepoint by several events (perf sched record -e sched:sched_switch) has each
 * occurrence several times, with slightly different times.  The kernel gives the same bytes to all
 * events, one after the other, before anything else happens on that CPU: an occurrence is one that
 * another event has had with the same bytes last.
 */
#ifndef TRACER_DOUBLES_H
#define TRACER_DOUBLES_H

#include "base/hash.h"
#include "event/sample.h"

struct doubles;
struct doubles *doubles_new(void);
void doubles_free(struct doubles *d);
/* Is it one that another event of this tracepoint has reported?  The sample has raw data. */
bool doubles_has(struct doubles *d, u32 tracepoint, const struct sample *s);

#endif
