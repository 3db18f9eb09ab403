/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every event that can be named on this machine, for perf list.
 *
 * Hardware, cache and software events are tried with the kernel, so only those
 * that it really has are listed.
 */
#ifndef EVENT_LIST_H
#define EVENT_LIST_H

#include "base/hash.h"
#include "sys/sys.h"

/* In the order of the sections; bits of the mask below. */
enum event_kind {
	EVENT_KIND_HARDWARE,
	EVENT_KIND_SOFTWARE,
	EVENT_KIND_TOOL,
	EVENT_KIND_CACHE,
	EVENT_KIND_PMU,
	EVENT_KIND_RAW,
	EVENT_KIND_BREAKPOINT,
	EVENT_KIND_TRACEPOINT,
	EVENT_KINDS,
};

struct event_row {
	enum event_kind kind;
	const char *name;
	const char *alias;  /* "cycles" of cpu-cycles, or NULL */
	const char *detail; /* PMU events: their terms; else NULL */
	const char *pmu;    /* PMU events: its name; else NULL */
	bool core;          /* counts on the CPUs themselves */
};

/* What the kernel knows by number but does not count here. */
struct event_left_out {
	const char *name;
	int err; /* -errno of perf_event_open() */
};

struct event_rows {
	VEC(struct event_row) list; /* by kind, then by name */
	VEC(struct event_left_out) left_out;
	struct arena text;
};

/* "Hardware event", "Tracepoint event" ... */
const char *event_kind_name(enum event_kind kind);
/* Rows of the kinds in mask (1 << kind); those that cannot be read here are left out. */
void event_rows_collect(const struct sys *sys, u32 mask, struct event_rows *rows);
void event_rows_release(struct event_rows *rows);
/*
 * Does a row answer to what was typed?  A glob with a colon must fit the whole
 * name or alias; one without, and a word, needs only fit a part of it.  Letter
 * case does not count.
 */
bool event_row_matches(const struct event_row *row, const char *pattern);

#endif
