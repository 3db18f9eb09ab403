/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes samples of tracepoints as perf's own commands record them, without a call. Reading such a
 * recording spends most of its time between the bytes and the handlers.
 */
#ifndef EVENT_SAMPLE_TRACEPOINT_H
#define EVENT_SAMPLE_TRACEPOINT_H

#include "event/sample.h"

/* The id comes first, or between time and CPU. */
enum { SAMPLE_ID_FIRST = 8, SAMPLE_ID_INSIDE = 32 };

/* Reports whether the samples of a recording may be of that kind. For loops, which call it once. */
static inline bool sample_tracepoints_possible(const struct event_set *set)
{
	return !set->swap &&
	       (set->sample_id_at == SAMPLE_ID_FIRST || set->sample_id_at == SAMPLE_ID_INSIDE);
}

/* Their common fields come before this byte, in places that only depend on the id's. */
enum {
	TRACEPOINT_IP = 8,
	TRACEPOINT_PID = 16,
	TRACEPOINT_TID = 20,
	TRACEPOINT_TIME = 24,
	TRACEPOINT_CPU = 40,
	TRACEPOINT_PERIOD = 48,
	TRACEPOINT_BEHIND = 56,
};
static inline u32 sample_tracepoint_shift(u32 id_at)
{
	return id_at == SAMPLE_ID_FIRST ? 8 : 0;
}
static inline u32 sample_tracepoint_time_at(u32 id_at)
{
	return TRACEPOINT_TIME + sample_tracepoint_shift(id_at);
}
static inline void sample_tracepoint_ids(u32 id_at, const u8 *p, u32 *pid, u32 *tid, u32 *cpu)
{
	*pid = load_u32(p + TRACEPOINT_PID + sample_tracepoint_shift(id_at), false);
	*tid = load_u32(p + TRACEPOINT_TID + sample_tracepoint_shift(id_at), false);
	*cpu = load_u32(p + TRACEPOINT_CPU, false);
}
static inline u64 sample_tracepoint_period(const u8 *p)
{
	return load_u64(p + TRACEPOINT_PERIOD, false);
}
/*
 * Returns the offset of the raw data in a record of at least TRACEPOINT_BEHIND + 8 bytes; 0 if it
 * is of another kind, or damaged.
 */
static inline __attribute__((always_inline)) u32
sample_tracepoint_raw(const struct event *ev, const u8 *p, u32 size, u32 *raw_size)
{
	u32 at = TRACEPOINT_BEHIND;

	if (unlikely(!ev->of_tracepoint || ev->planned != ev->attr.sample_type))
		return 0;
	if (ev->planned & PERF_SAMPLE_CALLCHAIN) {
		u64 chain = load_u64(p + at, false);

		at += 8;
		if (unlikely(chain >= (size - at) / 8)) /* raw data takes another 8 bytes */
			return 0;
		at += 8 * (u32)chain;
	}
	*raw_size = load_u32(p + at, false);
	at += 4;
	return likely(*raw_size <= size - at) ? at : 0;
}

/*
 * Reports whether the sample holds one of that kind. Then everything that another one does not
 * write is empty.
 */
static inline bool sample_is_of_tracepoint(const struct sample *s)
{
	return s->event && s->event->of_tracepoint;
}

/*
 * Does the same as sample_decode_tracepoint(), if sample_tracepoints_possible(); id_at is the set's
 * sample_id_at.
 */
static inline __attribute__((always_inline)) bool
sample_decode_tracepoint_at(const struct event_set *set, u32 id_at, const struct record *rec,
			    struct sample *s)
{
	u32 shift = sample_tracepoint_shift(id_at), raw_at, raw_size;
	const u8 *p = rec->data;
	const struct event *ev;
	bool chain;
	u64 id;

	if (unlikely(rec->size < TRACEPOINT_BEHIND + 8 || !sample_is_of_tracepoint(s)))
		return false;
	id = load_u64(p + id_at, false);
	if (unlikely(id - set->near_first >= set->near_count))
		return false;
	ev = set->near[id - set->near_first];
	if (unlikely(!ev))
		return false;
	raw_at = sample_tracepoint_raw(ev, p, rec->size, &raw_size);
	if (unlikely(!raw_at))
		return false;
	chain = raw_at > TRACEPOINT_BEHIND + 12;
	s->event = ev;
	s->misc = rec->misc;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->id.id = id;
	s->ip = load_u64(p + TRACEPOINT_IP + shift, false);
	s->id.time = load_u64(p + TRACEPOINT_TIME + shift, false);
	sample_tracepoint_ids(id_at, p, &s->id.pid, &s->id.tid, &s->id.cpu);
	s->period = sample_tracepoint_period(p);
	s->chain = chain ? p + TRACEPOINT_BEHIND + 8 : NULL;
	s->chain_count = chain ? load_u64(p + TRACEPOINT_BEHIND, false) : 0;
	s->raw = p + raw_at;
	s->raw_size = raw_size;
	return true;
}

/*
 * Decodes like sample_decode_next(), if this sample and the previous one are of that kind and
 * undamaged. Returns false without writing anything if not; sample_decode_next() then decodes it or
 * explains the damage.
 */
static inline bool sample_decode_tracepoint(const struct event_set *set, const struct record *rec,
					    struct sample *s)
{
	return likely(sample_tracepoints_possible(set)) &&
	       sample_decode_tracepoint_at(set, set->sample_id_at, rec, s);
}

#endif
