/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records other than samples as lines of text, as perf 6.1 words them; for
 * `perf script --show-*-events` and the raw dumps of -D.
 */
#ifndef DUMP_RECORD_TEXT_H
#define DUMP_RECORD_TEXT_H

#include "event/sample.h"

struct session;
struct strbuf;

/* "PERF_RECORD_COMM exec: w:12/12\n"; only the name if the record cannot be decoded. */
void record_text(const struct event_set *set, const struct record *rec, struct strbuf *b);

/*
 * The -D dump of one record of the session's file: place, bytes, decoded text.
 * Threads: none; b is added to.
 */
void record_dump(struct session *s, const struct record *rec, struct strbuf *b);
/*
 * What -D adds below a sample, once it is resolved: " ... thread: w:12" and
 * " ...... dso: /bin/w".
 */
struct session_sample;
void record_dump_resolved(struct session *s, const struct session_sample *ss, struct strbuf *b);

#endif
