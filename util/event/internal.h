/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the event language; see parse.c for the grammar. */
#ifndef EVENT_INTERNAL_H
#define EVENT_INTERNAL_H

#include "event/event.h"
#include "event/parse.h"
#include "sys/sys.h"

struct strlist;
struct event_symbol;

/* One run of the parser: where it stands in the text, and what it fills. */
struct parse {
	const struct event_parser *parser;
	struct event_set *set;
	const char *text, *at;
	struct reason *r;
	char *tracefs; /* found on first use */
};

/* A piece of the text. */
struct span {
	const char *s;
	size_t n;
};

/*
 * The reason: what is wrong, the whole text, and carets under the span.
 * Returns -EINVAL.
 */
int parse_fault(struct parse *p, struct span where, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Hints at the nearest of names and returns true; otherwise hints where to look. */
bool parse_suggest(struct parse *p, struct span typed, const struct strlist *names);

/* attr.c: "CPU" of PERF_SAMPLE_CPU; of several bits the name of the lowest one. */
const char *sample_bit_name(u64 bits);

/* modifiers.c: letters after ':' or the last '/' of an event. */
bool is_modifiers(const char *s, size_t n);
int apply_modifiers(struct parse *p, struct span letters, size_t first, bool on_group);

/* tracepoints.c: SYSTEM:NAME with globs; appends 1..n events. */
int parse_tracepoint(struct parse *p, struct span system, struct span name);
/* Is there such a system (or one that matches the glob)? */
bool tracepoint_system_known(struct parse *p, struct span system);

/* pmu_events.c: WORD "/" terms "/", p->at after the first slash. */
int parse_slashes(struct parse *p, struct span word);
/* The terms of tracepoints, the events from first on; p->at is after the first slash. */
int parse_tracepoint_terms(struct parse *p, size_t first);
/* A bare name that some PMU's events directory holds: 1 when it was added, 0, -errno. */
int parse_pmu_name(struct parse *p, struct span word);
/* On a machine with several kinds of cores: one event for each. 0 when there is one kind. */
int parse_hybrid(struct parse *p, struct span word, u32 type, u64 config);
/* Names of all events in sysfs, for suggestions. */
void pmu_event_names(struct parse *p, struct strlist *names);

/* breakpoint.c: after "mem:". */
int parse_breakpoint(struct parse *p, struct span word);

/* The event of a symbol, with its unit. */
void parse_add_symbol(struct parse *p, const struct event_symbol *s, struct span word);
/* A word ends before any of these; the next one, taken. */
extern const char parse_word_end[];
struct span parse_scan_word(struct parse *p);

/* A new event of the set with the defaults that every event has. */
struct event *parse_add(struct parse *p, u32 type, u64 config, struct span name);

static inline bool span_is(struct span s, const char *text)
{
	return !__builtin_strncmp(s.s, text, s.n) && !text[s.n];
}

#endif
