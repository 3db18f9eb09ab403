/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing perf.data, to a file or a pipe.
 *
 * Order of calls: data_create, data_write_header (events and ids fixed),
 * data_write* many times, data_flush after each round, data_finish with the
 * features.  After each flush the header's data.size is right, so a killed
 * recorder leaves a readable file.
 * What goes into a default file: see "What other tools must be able to read" in
 * Documentation/design.
 * Threads: one writer, one thread.
 */
#ifndef DATA_WRITER_H
#define DATA_WRITER_H

#include "base/context.h"
#include "base/strbuf.h"
#include "event/event.h"

struct data_writer;

/*
 * path "-": a pipe on standard output.  The old file is renamed to PATH.old
 * only now; mode 0600.
 */
int data_create(struct context *ctx, const char *path, bool keep_old, struct data_writer **out,
		struct reason *r) MUST_CHECK;
int data_write_header(struct data_writer *w, const struct event_set *set, struct reason *r);
/* Whole records. */
int data_write(struct data_writer *w, const void *data, size_t size, struct reason *r);
/* Records in two pieces (a ring's wrap), in one system call. */
int data_write2(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
		struct reason *r);
/* Make what was written so far readable. */
int data_flush(struct data_writer *w, struct reason *r);
u64 data_written(const struct data_writer *w); /* bytes of records so far */
u64 data_offset(const struct data_writer *w);  /* where the data section begins */

/* Feature sections, collected in any order, written by data_finish. */
void data_feature_set(struct data_writer *w, unsigned feature, const void *data, size_t size);
void data_feature_set_string(struct data_writer *w, unsigned feature, const char *s);
/* Features, final header, close (0 or -errno); w is freed in any case. */
int data_finish(struct data_writer *w, struct reason *r);
/* Close without features, as a killed recorder would. */
void data_abandon(struct data_writer *w);

/* Record builders, appended to b: padded to 8 bytes, header filled. */
void record_build_event_desc(struct strbuf *feature, const struct event_set *set);
void record_build_finished_round(struct strbuf *b);
void record_build_finished_init(struct strbuf *b);

#endif
