/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the samples of perf top come from: events on a target, and a watch of their rings.
 *
 *	top_source_new(), top_source_rows()	what is watched, by options
 *	top_source_open()			events are open, and what runs already is known
 *	top_source_watch()			its steps call back (watch/watch.h)
 *	top_source_free()
 *
 * Threads: the session's users must not run during a step.
 * Errors: -errno with a reason.
 */
#ifndef BUILTIN_TOP_SOURCE_H
#define BUILTIN_TOP_SOURCE_H

#include "cli/options.h"
#include "watch/watch.h"

struct top_source;
struct top_source *top_source_new(struct context *ctx);
/* Warns of samples that a filter's programs did not see.  Once, before top_source_free(). */
void top_source_say_missed(struct top_source *s);
void top_source_free(struct top_source *s);
/* -a -C -p -e -F ...: ends up in s, which outlives the rows. */
void top_source_rows(struct top_source *s, option_rows *rows);
/* "fp", "dwarf,4096", "lbr": how chains are recorded; NULL: by frame pointers. */
int top_source_chains(struct top_source *s, const char *how, struct reason *r);
/* What how == NULL means then; how lives as long as the source. */
int top_source_usual_chains(struct top_source *s, const char *how, struct reason *r);
bool top_source_has_chains(const struct top_source *s);
bool top_source_has_branches(const struct top_source *s);
/* What other options require of samples and side-band records; set before top_source_open(). */
void top_source_want_branches(struct top_source *s);
void top_source_want_switches(struct top_source *s);
void top_source_want_namespaces(struct top_source *s);
void top_source_want_cgroups(struct top_source *s);
bool top_source_has_namespaces(const struct top_source *s);
/* Call chains from the CPU's branch registers in call-stack mode (--call-graph lbr). */
bool top_source_has_call_registers(const struct top_source *s);

/* ops, arg: of the session; ordered. */
int top_source_open(struct top_source *s, const struct symbol_options *symbols,
		    const struct session_ops *ops, void *arg, struct reason *r) MUST_CHECK;
/* Frees what the program no longer uses, between two steps: session_compact(). */
struct watch *top_source_watch(struct top_source *s);
struct session *top_source_session(struct top_source *s);
/* Of the tracepoints among the events; NULL: there are none, or they cannot be read. */
const struct tracepoint_formats *top_source_formats(const struct top_source *s);
/*
 * CPUs that went offline and are not watched again, as a phrase for a message; "" if there are
 * none.  Valid until the next call.
 */
const char *top_source_gone(struct top_source *s);
/* "4000Hz", "1000000 events", "(all, 2 CPUs)", "(target_pid: 12)" */
void top_source_rate(const struct top_source *s, const struct event *ev, struct strbuf *b);
void top_source_target(const struct top_source *s, struct strbuf *b);

#endif
