/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input of a hist, and the sums that it keeps. All is plain data of the caller; a collector
 * copies what it needs. Units: periods are of the event, latency is 1000 * period / parallelism.
 */
#ifndef HIST_SAMPLE_H
#define HIST_SAMPLE_H

#include "event/sample.h"
#include "process/history.h"

/* A place that a sample names beside its own: an end of a branch, or the data of an access. */
struct hist_place {
	u64 addr;
	struct location at;
	u8 cpumode;
};
struct hist_branch {
	struct hist_place from, to;
	u64 flags; /* as sample_branch() has them */
};
struct hist_access {
	struct hist_place code, data;
};

/* One sample, resolved; or one branch of its stack. */
struct hist_sample {
	const struct sample *sample;
	const struct order_key *key;
	const struct task *task;
	u32 comm;             /* history_comm_text() */
	struct location leaf; /* the place of sample->ip */
	/* session_end_code() if its stack was unwound just now, or else 0 */
	u64 stack_end;
	bool swap;                        /* the file's byte order is not the host's */
	u32 parallelism;                  /* tasks that ran at its time, at least 1; 0 if unknown */
	const struct hist_branch *branch; /* NULL except for HIST_BRANCHES */
	/* NULL except for HIST_ACCESSES; such a row's period is the sample's weight, at least 1 */
	const struct hist_access *access;
};

/* What a row of the table stands for. */
enum hist_expansion { HIST_SAMPLES, HIST_BRANCHES, HIST_ACCESSES };

struct hist_sums {
	u64 samples, period, weight;
	u64 mode_period[5]; /* by enum hist_mode */
	/* only where a column needs them (HIST_LATENCY, HIST_EXTRA) */
	u64 latency; /* 1000 * period / parallelism */
	u64 weight2, weight3;
	double squares; /* the squares of the samples' periods, summed, with settings.squares */
	u64 *access;    /* period by enum data_src_class, or NULL (HIST_ACCESS_SUM) */
};
/* The sum of an entry and all that it called; a table has hundreds of thousands of these. */
struct hist_total {
	u64 samples, period;
	u64 latency; /* only where a column needs it */
};
enum hist_mode { HIST_SYS, HIST_USER, HIST_GUEST_SYS, HIST_GUEST_USER, HIST_OTHER };

#endif
