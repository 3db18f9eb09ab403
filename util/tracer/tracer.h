/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers for tracepoints: the common ground of commands that are state machines over them.
 *
 *	enum { PREV_PID, NEXT_COMM, PREV_STATE };
 *	static const struct tracer_row rows[] = {
 *		{ "sched:sched_switch", .fn = on_switch, .fields = {
 *			[PREV_PID] = { "prev_pid" },
 *			[NEXT_COMM] = { "next_comm", TRACER_TEXT },
 *			[PREV_STATE] = { "prev_state", .optional = true } } },
 *	};
 *	t = tracer_new(&(struct tracer_settings){ .rows = rows, .row_count = 1, .arg = &state });
 *	err = tracer_run(t, session, &reason);	// on_switch() reads tracer_u64(hit, PREV_PID)
 *	tracer_free(t);
 *
 * Phases:  new -> [use_formats] -> bind -> sample, record ... -> finish -> free
 *	bind    finds the fields of each row in the formats of the session's events.  A file
 *		describes all of its events first, so missing fields are refused here.
 *	sample  calls the handler of the sample's event.  A stream or a live session may describe
 *		an event later than bind; it is bound at its first sample.
 *	finish  says of a stream what it lacked, and what was skipped.
 * tracer_run() does all of them over a file or stream, in order of time.
 *
 * Fields are read in the byte order of the recording machine.  Before a handler is called, all
 * of its row's fields have been found inside the raw data, so reading cannot fail; samples that
 * are too short, or whose strings point elsewhere, are counted and skipped.
 * Lost records: see tracer_settings.lost, and tracer/state.h for state that forgets after them.
 * Threads: one tracer belongs to one thread; workers have one each, with the same rows.
 * Errors: 0 or -errno with a reason.  What handlers return is returned.
 */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "base/bytes.h"
#include "session/session.h"

enum { TRACER_FIELDS = 16 }; /* the limit of a row */

enum tracer_kind {
	TRACER_NUMBER, /* 1, 2, 4 or 8 bytes, or a pointer */
	TRACER_TEXT,   /* char x[16], __data_loc char[] x, __rel_loc char[] x */
	TRACER_ARRAY,  /* numbers: unsigned long x[6], __data_loc u32[] x */
};

struct tracer_field {
	const char *name;
	enum tracer_kind kind;
	bool optional; /* may be missing in kernels: see tracer_has() */
};

struct tracer_hit;

struct tracer_row {
	const char *event;                         /* "sched:sched_switch" */
	struct tracer_field fields[TRACER_FIELDS]; /* up to the first one without a name */
	bool optional;                             /* the event may be missing in recordings */
	int (*fn)(void *arg, const struct tracer_hit *hit, struct reason *r);
};

/*
 * Records that were lost: nothing is known of this CPU between the two times. Exact for rings that
 * each belong to one CPU, which is how -a and inherited events are recorded.
 */
struct tracer_gap {
	u32 cpu;         /* UINT32_MAX if not recorded, so any CPU */
	u64 from, until; /* ns; from: last sample of that CPU, 0 if none */
	u64 count;       /* how many records or samples */
};

struct tracer_settings {
	const struct tracer_row *rows; /* live as long as the tracer */
	size_t row_count;
	void (*lost)(void *arg, const struct tracer_gap *gap); /* or NULL */
	/* tracer_run(): leaves out samples that fail this cheap test; NULL keeps all */
	bool (*keep)(void *arg, const struct sample *s);
	/* tracer_run(): what the handlers do not use of their sample, see struct session_ops */
	bool no_tasks, no_locations, no_chains;
	bool names_kernel;  /* tracer_run(): functions of the kernel will be named */
	const char *record; /* the command that records what is needed; or NULL */
	void *arg;          /* passed to handlers, lost and keep */
};

struct tracer;

struct tracer *tracer_new(const struct tracer_settings *s);
void tracer_free(struct tracer *t);
/* Formats for sessions without a file, before bind; they stay the caller's. */
void tracer_use_formats(struct tracer *t, const struct tracepoint_formats *f);

/* Does everything for a file or stream. */
int tracer_run(struct tracer *t, struct session *s, struct reason *r) MUST_CHECK;
/* Do its parts, for sessions that run in another way. */
int tracer_bind(struct tracer *t, struct session *s, struct reason *r) MUST_CHECK;
int tracer_sample(struct tracer *t, const struct session_sample *s, struct reason *r) MUST_CHECK;
int tracer_point(struct tracer *t, const struct session_point *p, struct reason *r) MUST_CHECK;
/*
 * Handles LOST; ignores other records, including LOST_SAMPLES, since recorders write that at the
 * end for the same losses.
 */
void tracer_record(struct tracer *t, const struct record *rec, const struct order_key *key);
/*
 * Refuses missing events, with a hint how to record them. Adds what was skipped to the session's
 * conditions.
 */
int tracer_finish(struct tracer *t, struct reason *r) MUST_CHECK;

struct tracer_stats {
	u64 hits;        /* handlers called */
	u64 damaged;     /* samples whose fields are not all in their raw data */
	u64 undescribed; /* samples of tracepoints whose format was not known */
	u64 doubles;     /* samples of occurrences that another event reported */
	u64 gaps, lost;  /* LOST records and what they count */
};
/*
 * Reports whether the recording has the event of a row. Call it after bind; for a stream, it means
 * so far.
 */
bool tracer_has_event(const struct tracer *t, size_t row);
const struct tracer_stats *tracer_stats(const struct tracer *t);

/* The place of a number in the raw data, or of 16 bytes; size 0 if it is missing. */
enum { TRACER_SIXTEEN = 16 };
struct tracer_place {
	u32 offset;
	u8 size; /* 1, 2, 4 or 8 of a number */
	bool is_signed;
};
/* A sample with its row; its members are for the functions below. */
struct binding;
struct tracer_hit {
	const struct session_point *in;
	const struct binding *b;
	const struct tracer_place *places; /* TRACER_FIELDS */
	const u8 *raw;
	bool swap;
};

/* Return facts of the sample, for handlers; field is the index in the row. */
static inline u64 tracer_time(const struct tracer_hit *hit)
{
	return hit->in->time;
}
static inline u32 tracer_cpu(const struct tracer_hit *hit)
{
	return hit->in->cpu;
}
static inline u32 tracer_pid(const struct tracer_hit *hit)
{
	return hit->in->pid;
}
static inline u32 tracer_tid(const struct tracer_hit *hit)
{
	return hit->in->tid;
}
/*
 * Returns the whole sample. It may have to be decoded, so use the functions above if they suffice.
 */
static inline const struct session_sample *tracer_hit_sample(const struct tracer_hit *hit)
{
	return session_point_sample(hit->in);
}
/* Of the recording: for its print format. */
struct tracepoint_format;
const struct tracepoint_format *tracer_format(const struct tracer_hit *hit);
/* Reports whether this recording has the field. Always true if it is not optional. */
bool tracer_has(const struct tracer_hit *hit, unsigned field);
/* Return a number, unsigned, or with the sign of its type; 0 if it is missing. */
static inline u64 tracer_u64(const struct tracer_hit *hit, unsigned field)
{
	const struct tracer_place *p = &hit->places[field];
	const u8 *at = hit->raw + p->offset;

	switch (p->size) {
	case 1:
		return *at;
	case 2:
		return load_u16(at, hit->swap);
	case 4:
		return load_u32(at, hit->swap);
	case 8:
		return load_u64(at, hit->swap);
	default:
		return 0;
	}
}
static inline s64 tracer_s64(const struct tracer_hit *hit, unsigned field)
{
	const struct tracer_place *p = &hit->places[field];
	unsigned unused = 64 - 8 * p->size;
	u64 v = tracer_u64(hit, field);

	return p->is_signed ? (s64)(v << unused) >> unused : (s64)v;
}
/* Returns text, not NUL-terminated, len bytes of the chunk; "" if it is missing. */
const char *tracer_text(const struct tracer_hit *hit, unsigned field, u32 *len);
/* Returns 16 bytes at a fixed place, such as a comm, padded as the kernel left them; or NULL. */
static inline const u8 *tracer_text16(const struct tracer_hit *hit, unsigned field)
{
	const struct tracer_place *p = &hit->places[field];

	return p->size == TRACER_SIXTEEN ? hit->raw + p->offset : NULL;
}
/* Elements of an array, and one of them with its type's sign; 0 when not there. */
u32 tracer_count(const struct tracer_hit *hit, unsigned field);
s64 tracer_element(const struct tracer_hit *hit, unsigned field, u32 index);

#endif
