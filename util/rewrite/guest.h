/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's recording on its way into the host's; inside the rewrite room.
 *
 * guest.c reads what the option says, finds the guest's CPUs among the host's threads and
 * puts records in where their times say; guest_records.c brings one record to the host's
 * terms and keeps all of them, in order of time, in a temporary file.
 *
 * Source of the layouts: Documentation/perf.data-format.md, and the comments on sample_id in
 * include/uapi/linux/perf_event.h.
 */
#ifndef REWRITE_GUEST_H
#define REWRITE_GUEST_H

#include <stdio.h>

#include "rewrite/internal.h"

/* The conversion from the time stamp counter to a clock: a TIME_CONV record. */
struct clock_terms {
	bool known;
	u64 shift, mult, zero;
};

struct guest_id {
	u64 theirs, ours;
	s32 vcpu; /* -1 for any */
};

/* A thread of the hypervisor that runs a CPU of the guest. */
struct vcpu {
	u32 number, tid;
	s32 host_cpu; /* where it last ran, or -1 */
};

/* Precedes each record in the temporary file. */
struct guest_record {
	u64 time; /* ns, the host's */
	u32 size;
	u32 cpu_at; /* offset of its CPU, u32; or 0 */
	s32 vcpu;
};

struct guest_pass {
	char *path;
	u32 pid;    /* the hypervisor's process */
	u64 offset; /* the offset of the guest's time-stamp counter */
	double scale;
	struct session *session; /* the session of the guest's recording */
	struct event_set *set;   /* its events */
	u32 first;               /* index of the first of them in the output */
	struct clock_terms guest, host;
	VEC(struct guest_id) ids;
	struct map64 by_id; /* their id -> index */
	VEC(struct vcpu) vcpus;
	u64 greatest_id; /* the greatest id in the host's recording */
	bool pid_seen;
	FILE *sorted;             /* the guest's records, in order of time */
	struct guest_record next; /* the next record to insert; size 0 if none */
	u8 bytes[UINT16_MAX + 1];
	u64 first_sample, last_sample; /* ns; 0 if none */
	u64 nameless;                  /* records whose event is unknown */
	u64 tracepoints;               /* samples left out */
};

/* guest_records.c */

/* Fills g->sorted. */
int guest_sort_records(struct rewriter *w, struct guest_pass *g, struct reason *r);
/* Reads a TIME_CONV record. */
void guest_take_clock(struct clock_terms *c, const struct record *rec);

#endif
