/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts samples by place, for the annotated text of functions, while a session runs.
 * Threads: each worker adds to its own counts. Life: annotate_gather_release() also frees what
 * annotate_gather_end() returned.
 */
#ifndef PROFILE_GATHER_H
#define PROFILE_GATHER_H

#include <pthread.h>

#include "annotate/annotate.h"
#include "session/session.h"

struct annotate_gather {
	struct session *session;
	struct annotate_counts **by_worker;
	unsigned count;
	pthread_mutex_t lock; /* guards what follows */
	const struct tracepoint_formats *formats;
	bool formats_known;
};
void annotate_gather_begin(struct annotate_gather *g, struct session *s);
void annotate_gather_add(struct annotate_gather *g, unsigned worker,
			 const struct session_sample *s);
/* Adds only the cycles of the sample's branch stack. */
void annotate_gather_cycles(struct annotate_gather *g, unsigned worker,
			    const struct session_sample *s);
/* Does the same with the caller's own counts. */
void annotate_add_cycles(struct annotate_counts *to, struct session *session,
			 const struct session_sample *s);
/* Merges and returns the counts of all workers. */
struct annotate_counts *annotate_gather_end(struct annotate_gather *g);
void annotate_gather_release(struct annotate_gather *g);

/* Makes an annotator with what the file knows of code; sets bpf_code and arch of the settings. */
struct annotator *annotate_open(struct session *s, const struct annotate_settings *settings);

#endif
