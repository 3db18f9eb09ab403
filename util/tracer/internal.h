/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the tracer's files. */
#ifndef TRACER_INTERNAL_H
#define TRACER_INTERNAL_H

#include "tracepoint/tracepoint.h"
#include "tracer/tracer.h"

/* A row, with the places of its fields in the samples of one kernel. */
struct binding {
	int (*fn)(void *arg, const struct tracer_hit *hit, struct reason *r); /* the row's */
	u32 min_size; /* bytes of raw data that all fields at fixed places need */
	u32 dynamic;  /* bit of each field whose place is in the data */
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *format;
	const struct tracer_row *row;
	u32 count; /* the number of fields */
	bool swap;
	bool shared; /* another event of the recording has the same tracepoint */
	bool has[TRACER_FIELDS];
	struct tracer_place places[TRACER_FIELDS];     /* places of the numbers */
	struct tracepoint_field fields[TRACER_FIELDS]; /* FIELD_STRING: only for TRACER_TEXT */
};

/*
 * Finds the row's fields in the format; fails if a required one is missing. Free *out with free().
 */
int binding_new(const struct tracer_row *row, const struct tracepoint_formats *formats,
		const struct tracepoint_format *format, struct binding **out, struct reason *r);
/* Reports whether binding_fits() suffices. */
static inline bool binding_is_simple(const struct binding *b)
{
	return !b->shared;
}
/* Reports whether all fields are in the sample's raw data. */
static inline bool binding_fits(const struct binding *b, const struct session_point *s)
{
	if (unlikely(s->raw_size < b->min_size || (b->min_size && !s->raw)))
		return false;
	for (u32 left = b->dynamic; left; left &= left - 1) {
		u32 offset, len;

		if (!tracepoint_dynamic(&b->fields[__builtin_ctz(left)], b->swap, s->raw,
					s->raw_size, &offset, &len))
			return false;
	}
	return true;
}

#endif
