/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf --trace=ROOM[,ROOM]: lines "ROOM: TEXT" about what the rooms along a sample's way decide,
 * for whoever debugs perf itself or asks why a file was not used.
 *
 * TRACE(room, format, ...) costs one predictable branch while nobody asked, and its arguments are
 * not evaluated then.  The text has no newline; control characters in it are made visible.
 * Rooms say steps that happen once for a file, an object, an event or a failure, never once for
 * each sample that went well.
 *
 * Threads: trace_rooms() before any other thread starts; TRACE() by any thread, each line whole.
 * This switch is the one setting of the process that rooms see without a context, since the
 * places that are worth a line are below the functions that have one.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include "base/reason.h"
#include "base/types.h"

/* The rooms that say something, from the bytes up.  scripts/check-rooms checks names and users. */
#define TRACE_ROOMS(X) X(data) X(session) X(process) X(object) X(symbol) X(unwind) X(live) X(bpf)
#define TRACE_NAME(room) #room ", "
#define TRACE_ROOM_LIST TRACE_ROOMS(TRACE_NAME) "all" /* for -h and hints */

enum trace_room {
#define TRACE_ROOM(room) TRACE_##room,
	TRACE_ROOMS(TRACE_ROOM)
#undef TRACE_ROOM
	TRACE_COUNT
};

extern bool trace_on[TRACE_COUNT];

/*
 * Switch on the rooms of a list like "data,object", or "all".  Lines go to text(), whole and
 * with their newline.  An unknown room: -EINVAL with a hint that lists them; nothing is changed.
 */
int trace_rooms(const char *list, void (*text)(void *arg, const char *line), void *arg,
		struct reason *r) MUST_CHECK;

void trace_line(enum trace_room room, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define TRACE(room, ...)                                                       \
	do {                                                                   \
		if (unlikely(trace_on[TRACE_##room]))                          \
			trace_line(TRACE_##room, __VA_ARGS__);                 \
	} while (0)

#endif
