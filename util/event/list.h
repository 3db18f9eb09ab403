/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists every event that can be named on this machine, for perf list.
 * Hardware, cache and software events are tried with the kernel, so only those that it really has
 * are listed.
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
	const char *detail; /* PMU events: their terms; otherwise NULL */
	const char *pmu;    /* PMU events: the PMU's name; otherwise NULL */
	bool core;          /* counts on the CPUs themselves */
};

/* An event that the kernel knows by number but cannot count here. */
struct event_left_out {
	const char *name;
	int err; /* -errno of perf_event_open() */
};

struct event_rows {
	VEC(struct event_row) list; /* by kind, then by name */
	VEC(struct event_left_out) left_out;
	struct arena text;
};

/* Returns the name of a kind: "Hardware event", "Tracepoint event" and so on. */
const char *event_kind_name(enum event_kind kind);
/* Collects rows of the kinds in mask (1 << kind); leaves out those that cannot be read here. */
void event_rows_collect(const struct sys *sys, u32 mask, struct event_rows *rows);
void event_rows_release(struct event_rows *rows);
/*
 * Reports whether a row matches what was typed. A glob with a colon must match the whole name or
 * alias; one without, and a word, only a part of it. Ignores case.
 */
bool event_row_matches(const struct event_row *row, const char *pattern);

#endif
