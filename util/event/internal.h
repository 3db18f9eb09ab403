/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the event language; see parse.c for the grammar. */
#ifndef EVENT_INTERNAL_H
#define EVENT_INTERNAL_H

#include "event/event.h"
#include "event/parse.h"
#include "sys/sys.h"

struct strlist;
struct event_symbol;

/* One run of the parser: its position in the text, and the set that it fills. */
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

/* Makes a reason: what is wrong, the whole text, and carets under the span. Returns -EINVAL. */
int parse_fault(struct parse *p, struct span where, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Hints at the nearest of names and returns true; otherwise hints where to look. */
bool parse_suggest(struct parse *p, struct span typed, const struct strlist *names);

/*
 * Returns the name of a bit: "CPU" of PERF_SAMPLE_CPU; of several bits, that of the lowest one
 * (attr.c).
 */
const char *sample_bit_name(u64 bits);

/*
 * Reports whether these are modifiers, or applies them: letters after ':' or the last '/' of an
 * event (modifiers.c).
 */
bool is_modifiers(const char *s, size_t n);
int apply_modifiers(struct parse *p, struct span letters, size_t first, bool on_group);

/* Parses SYSTEM:NAME with globs; appends 1..n events (tracepoints.c). */
int parse_tracepoint(struct parse *p, struct span system, struct span name);
/* Reports whether such a system exists, or one that matches the glob. */
bool tracepoint_system_known(struct parse *p, struct span system);

/* Parses WORD "/" terms "/", where p->at is after the first slash (pmu_events.c). */
int parse_slashes(struct parse *p, struct span word);
/* Applies the terms of tracepoints to the events from first on; p->at is after the first slash. */
int parse_tracepoint_terms(struct parse *p, size_t first);
/*
 * Adds a bare name that some PMU's events directory holds. Returns 1 if it did, 0 if no PMU has it,
 * or -errno.
 */
int parse_pmu_name(struct parse *p, struct span word);
/* Adds an event for each kind of cores if the machine has several. Returns 0 if it has one kind. */
int parse_hybrid(struct parse *p, struct span word, u32 type, u64 config);
/* Lists the names of all events in sysfs, for suggestions. */
void pmu_event_names(struct parse *p, struct strlist *names);

/* Parses a breakpoint, after "mem:" (breakpoint.c). */
int parse_breakpoint(struct parse *p, struct span word);

/* Adds the event of a symbol, with its unit. */
void parse_add_symbol(struct parse *p, const struct event_symbol *s, struct span word);
/* The characters that end a word; a function that takes the next word. */
extern const char parse_word_end[];
struct span parse_scan_word(struct parse *p);

/* Adds an event to the set, with the defaults of every event. */
struct event *parse_add(struct parse *p, u32 type, u64 config, struct span name);

static inline bool span_is(struct span s, const char *text)
{
	return !__builtin_strncmp(s.s, text, s.n) && !text[s.n];
}

#endif
