/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of tracepoints as perf's own commands record them, decoded without a call: most of the
 * time that goes into reading such a recording is spent between its bytes and the handlers.
 */
#ifndef EVENT_SAMPLE_TRACEPOINT_H
#define EVENT_SAMPLE_TRACEPOINT_H

#include "event/sample.h"

/* The id comes first, or between time and CPU. */
enum { SAMPLE_ID_FIRST = 8, SAMPLE_ID_INSIDE = 32 };

/* May the samples of a recording be of that kind?  For a loop, which asks once. */
static inline bool sample_tracepoints_possible(const struct event_set *set)
{
	return !set->swap && (set->sample_id_at == SAMPLE_ID_FIRST || set->sample_id_at == SAMPLE_ID_INSIDE);
}

/*
 * As sample_decode_tracepoint(), where sample_tracepoints_possible(); id_at: the set's sample_id_at.
 */
static inline __attribute__((always_inline)) bool
sample_decode_tracepoint_at(const struct event_set *set, u32 id_at, const struct record *rec, struct sample *s)
{
	enum { IP = 8, PID = 16, TID = 20, TIME = 24, CPU = 40, PERIOD = 48, BEHIND = 56 };
	u32 shift = id_at == SAMPLE_ID_FIRST ? 8 : 0;
	const u8 *p = rec->data;
	const struct event *ev;
	u32 at = BEHIND, raw_size;
	u64 id, chain = 0;

	if (unlikely(rec->size < BEHIND + 8 || !s->event || !s->event->of_tracepoint))
		return false;
	id = load_u64(p + id_at, false);
	if (unlikely(id - set->near_first >= set->near_count))
		return false;
	ev = set->near[id - set->near_first];
	if (unlikely(!ev || !ev->of_tracepoint || ev->planned != ev->attr.sample_type))
		return false;
	if (ev->planned & PERF_SAMPLE_CALLCHAIN) {
		chain = load_u64(p + at, false);
		at += 8;
		if (unlikely(chain >= (rec->size - at) / 8)) /* raw data takes 8 bytes, too */
			return false;
		at += 8 * (u32)chain;
	}
	raw_size = load_u32(p + at, false);
	if (unlikely(raw_size > rec->size - at - 4))
		return false;
	s->event = ev;
	s->misc = rec->misc;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->id.id = id;
	s->ip = load_u64(p + IP + shift, false);
	s->id.pid = load_u32(p + PID + shift, false);
	s->id.tid = load_u32(p + TID + shift, false);
	s->id.time = load_u64(p + TIME + shift, false);
	s->id.cpu = load_u32(p + CPU, false);
	s->period = load_u64(p + PERIOD, false);
	s->chain = chain ? p + BEHIND + 8 : NULL;
	s->chain_count = chain;
	s->raw = p + at + 4;
	s->raw_size = raw_size;
	return true;
}

/*
 * As sample_decode_next(), where this sample and the one before are of that kind and undamaged;
 * false: nothing was written, sample_decode_next() decodes it or says what is wrong with it.
 */
static inline bool sample_decode_tracepoint(const struct event_set *set, const struct record *rec,
					    struct sample *s)
{
	return likely(sample_tracepoints_possible(set)) &&
	       sample_decode_tracepoint_at(set, set->sample_id_at, rec, s);
}

#endif
