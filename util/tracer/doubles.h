/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of one tracepoint by several events (perf sched record -e sched:sched_switch) have
 * each occurrence several times, with slightly different times.
 *
 * The kernel passes the same bytes to all events, one after the other, before anything else happens
 * on that CPU. So a sample repeats an occurrence if another event last had the same bytes.
 */
#ifndef TRACER_DOUBLES_H
#define TRACER_DOUBLES_H

#include "base/hash.h"
#include "event/sample.h"

struct doubles;
struct doubles *doubles_new(void);
void doubles_free(struct doubles *d);
/*
 * Reports whether another event of this tracepoint has reported this occurrence. The sample has raw
 * data.
 */
bool doubles_has(struct doubles *d, u32 tracepoint, const struct sample *s);

#endif
