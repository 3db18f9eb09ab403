/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of time as users write them with --time:
 *
 *	"12.5,13"  "12.5,"  ",13"	seconds; several, separated by spaces
 *	"10%/2"  "0%-10%,30%-40%"	parts of the whole: the second tenth; from-to
 *
 * All times are ns of the file's clock; both ends belong to the range.
 */
#ifndef BASE_TIME_RANGES_H
#define BASE_TIME_RANGES_H

#include "base/reason.h"
#include "base/vec.h"

struct time_range {
	u64 from, to;
};
struct time_ranges {
	VEC(struct time_range) list;
};

/* Reports whether text has percentages, which need first and last. */
bool time_ranges_relative(const char *text);
/* Parses the ranges. first and last are the times of the first and the last sample. */
int time_ranges_parse(struct time_ranges *t, const char *text, u64 first, u64 last,
		      struct reason *r);
void time_ranges_release(struct time_ranges *t);

static inline bool time_ranges_have(const struct time_ranges *t, u64 time)
{
	for (size_t i = 0; i < t->list.count; i++)
		if (time >= t->list.items[i].from && time <= t->list.items[i].to)
			return true;
	return false;
}

#endif
