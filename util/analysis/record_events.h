/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints as arguments of perf record, for commands that analyse what they record. */
#ifndef ANALYSIS_RECORD_EVENTS_H
#define ANALYSIS_RECORD_EVENTS_H

#include "base/text.h"

/*
 * Adds "-e", "SYSTEM:NAME" when this kernel has the tracepoint; else says with a warning that it is
 * left out.  Where tracefs cannot be read it is added: perf record says what is wrong.
 */
void record_event_words(struct strlist *words, const char *event);
/* Has it?  False where tracefs cannot be read. */
bool kernel_has_tracepoint(const char *event);

#endif
