/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes what a recorded file holds besides samples, as text: how many records of each kind, and
 * which tasks there were. The layout is that of perf report --stats, --tasks and --mmaps. The
 * session must not have been run before.
 */
#ifndef SESSION_SUMMARY_H
#define SESSION_SUMMARY_H

#include "base/strbuf.h"
#include "session/session.h"

/* Writes the statistics of the file. skip_empty leaves out kinds and events that did not occur. */
int session_stats_text(struct session *s, bool skip_empty, struct strbuf *out, struct reason *r);
/* Writes the counts after session_run(), as at the end of a raw dump. */
void session_counts_text(const struct session *s, const struct event_set *events, bool skip_empty,
			 struct strbuf *out);
/* Writes the tree of tasks; with maps, each task's last mappings below it. */
int session_tasks_text(struct session *s, bool maps, struct strbuf *out, struct reason *r);
/*
 * Writes the statistics, or the tasks, as JSON values: an object of counts, or an array of tasks in
 * the order of the text. A task has its depth in the tree as "level", and "maps". Schema:
 * perf-report(1).
 */
int session_stats_json(struct session *s, bool skip_empty, struct strbuf *out, struct reason *r);
int session_tasks_json(struct session *s, bool maps, struct strbuf *out, struct reason *r);

#endif
