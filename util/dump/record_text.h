/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows records other than samples as lines of text with the wording of perf 6.1, for `perf script
 * --show-*-events` and the raw dumps of -D.
 */
#ifndef DUMP_RECORD_TEXT_H
#define DUMP_RECORD_TEXT_H

#include "event/sample.h"

struct session;
struct strbuf;

/*
 * Appends a line such as "PERF_RECORD_COMM exec: w:12/12", or only the name if the record cannot be
 * decoded.
 */
void record_text(const struct event_set *set, const struct record *rec, struct strbuf *b);

/*
 * Appends the -D dump of one record of the session's file: place, bytes, decoded text. For one
 * thread.
 */
void record_dump(struct session *s, const struct record *rec, struct strbuf *b);
/*
 * Appends what -D shows below a sample once it is resolved: " ... thread: w:12" and " ...... dso:
 * /bin/w".
 */
struct session_sample;
void record_dump_resolved(struct session *s, const struct session_sample *ss, struct strbuf *b);

#endif
