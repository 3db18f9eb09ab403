/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds tracepoint arguments of perf record for commands that analyse what they record. */
#ifndef ANALYSIS_RECORD_EVENTS_H
#define ANALYSIS_RECORD_EVENTS_H

#include "base/text.h"

/*
 * Adds "-e", "SYSTEM:NAME" when this kernel has the tracepoint; else says with a warning that it is
 * left out.  Where tracefs cannot be read it is added: perf record says what is wrong.
 */
void record_event_words(struct strlist *words, const char *event);
/* Reports whether the running kernel has a tracepoint; false if tracefs cannot be read. */
bool kernel_has_tracepoint(const char *event);

/* Adds words as they are. */
void record_words(struct strlist *line, const char *const *words, size_t count);
/* Adds "-e", "SYSTEM:NAME" for each name, whether this kernel has it or not. */
void record_events(struct strlist *line, const char *system, const char *const *names,
		   size_t count);
/*
 * Returns the first of these tracepoints that this kernel lacks, or NULL. dir: the tracefs
 * directory.
 */
const char *missing_tracepoint(const char *dir, const char *system, const char *const *names,
			       size_t count);

/*
 * Returns the words as a NULL-terminated argv for cmd_record(), which reorders it. The caller frees
 * only the array, since the strings belong to words.
 */
const char **record_argv(const struct strlist *words);

#endif
