/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event language: turns the text of -e into events. All commands share one grammar.
 *
 * An error's reason shows the text with a caret under the fault and says what was expected; its
 * hint names the nearest known event. resolve() takes names that this component does not know
 * (sdt_P:N, temporary probes).
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include "event/event.h"

struct sys; /* sys/sys.h */

struct event_parser {
	const char *command;  /* "stat", "record": some terms work only in some commands */
	const char *core_pmu; /* the only one of several core PMUs to use; NULL means all */
	bool pfm;             /* names are from libpfm4 (--pfm-events) */
	bool guests;          /* events without G or H count guests, */
	bool no_host;         /* and exclude the host (perf kvm) */
	bool counting;        /* stat: no sampling terms, tool events allowed */
	/*
	 * Called with an unknown name. Fills set and returns 1, or returns 0 if it does not know
	 * the name either, or -errno with a reason. May be NULL.
	 */
	int (*resolve)(void *arg, struct event_set *set, const char *name, struct reason *r);
	void *resolve_arg;
	/*
	 * Adds the events of a file of BPF programs, "prog.o" or "prog.c"; NULL refuses such files.
	 */
	int (*program)(void *arg, struct event_set *set, const char *path, struct reason *r);
	void *program_arg;
	const struct sys *sys; /* where to read sysfs and tracefs; NULL means this host */
};

/* Appends the events of text ("cycles,{a,b}:S,sched:*") to set. Returns 0 or -errno. */
int event_parse(const struct event_parser *p, struct event_set *set, const char *text,
		struct reason *r);
/*
 * Hints at the command that makes the event SYSTEM:NAME, which does not exist, if it is a probe by
 * its name, and returns whether it is: probes are in the groups "probe" and "probe_FILE" unless
 * they were named otherwise.
 */
bool event_suggest_probe(const char *system, const char *name, struct reason *r);
/* --filter: belongs to the events of the last event_parse(). */
enum filter_use {
	FILTER_TRACEPOINTS, /* only tracepoints */
	FILTER_SAMPLES,     /* also samples of other events: event->sample_filter */
};
int event_set_filter(const struct sys *sys, struct event_set *set, const char *filter,
		     enum filter_use use, struct reason *r);

/* Returns one name of a PERF_TYPE_{HARDWARE,SOFTWARE,HW_CACHE,RAW} event by numbers, or NULL. */
const char *event_static_name(u32 type, u64 config, char *buf, size_t size);

/*
 * Writes an attr as `evlist -v` and `record -vv` show it, without zero fields. sep separates fields
 * (", " or "\n  "); kv separates name and value (": "), NULL puts names in a column of 32.
 */
struct strbuf;
void event_attr_print(struct strbuf *b, const struct perf_event_attr *attr, const char *sep,
		      const char *kv);

#endif
