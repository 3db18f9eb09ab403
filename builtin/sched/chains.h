/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of perf sched: the names in the call chains of samples, each looked up once. */
#ifndef BUILTIN_SCHED_CHAINS_H
#define BUILTIN_SCHED_CHAINS_H

#include "builtin/sched/internal.h"

struct sched_chains;

struct sched_frame {
	const char *name; /* "[unknown]" without one; lives as long as the chains */
	/* scheduler: schedule() and the like, and the tracepoint's own functions */
	bool kernel, scheduler;
	/*
	 * of the C library, the loader or a language's run-time: not the code that wanted to wait
	 */
	bool runtime;
};

/* Reports whether the recording's tracepoints have call chains. */
bool sched_has_chains(struct session *session);
/* Returns the reader of chains, or NULL if the recording has none. */
struct sched_chains *sched_chains_new(struct session *session);
void sched_chains_free(struct sched_chains *c);
/* Reads the frames of a sample, innermost first, and returns how many of at most most. */
size_t sched_chain_of(struct sched_chains *c, const struct session_sample *s,
		      struct sched_frame *frames, size_t most);

#endif
