/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the samples of a recording to the rows of a histogram.
 *
 *	profile_begin()		settles what the file can give, and makes the hist (of a
 *				stream: with its first sample)
 *	profile_read()		reads all samples into it, on the session's workers; finishes it
 *	profile_release()	frees everything; before the session goes
 *
 * Each sample is added to rows once, or once for each branch of its stack, for the access to
 * memory that it caught, or for each counter that it read.  Facts from other records are kept
 * separately: how many threads ran at a time, the cgroup namespaces of threads, what their
 * counters read at the end.
 *
 * Threads: profile_read() starts and ends its own.  Errors: -errno with a reason.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <pthread.h>

#include "annotate/annotate.h"
#include "event/event_switch.h"
#include "hist/hist.h"
#include "session/choice.h"
#include "session/session.h"

/* What the user requested: constant once the options are parsed. */
struct profile_options {
	struct hist_settings set;  /* profile_begin() completes a copy */
	const char *sort, *fields; /* or NULL */
	const char *parallelism, *switch_on, *switch_off;
	const struct sample_filters *filters;
	struct annotate_settings code; /* how code is read, for types and IPC */
	bool hide_idle;                /* without the samples of the idle task */
	bool member_given;             /* the user chose set.sort_member */
	bool no_graph, graph_given, children, group, group_given, hierarchy;
	bool stacks;       /* folded stacks or a flame graph: no table is drawn */
	bool truth_stacks; /* read chains to judge them, even if the table shows none */
	bool show_samples, show_period;
	bool branches, branches_given; /* -b, --no-branch-stack */
	bool branch_history, total_cycles, memory;
	bool reference_chains, stitch;
	bool show_switches; /* also count the events of switch_on and switch_off */
	bool readings;      /* record what the counters of threads read at their end */
	bool gather;        /* counts by address, to annotate functions later */
};

/* Source: PERF_BR_* in include/uapi/linux/perf_event.h. */
enum { PROFILE_BRANCH_TYPES = 16 };
struct profile_branch_types {
	u64 counts[PROFILE_BRANCH_TYPES];
	u64 forward, backward, cross_4k, cross_2m; /* conditional ones; all, by distance */
};

/* A thread's last reading of a counter. */
struct profile_reading {
	u32 pid, tid, event; /* index in the session's set */
	u64 value;
};

struct profile_worker;
struct profile_side;
struct profile_chains;
struct profile_ipc;
struct profile_types;
struct profile_gather;
struct branch_profile;

/* The state for one file. */
struct profile {
	const struct profile_options *asked;
	struct context *ctx;
	struct session *session;
	struct hist *hist;        /* NULL until the events are known */
	struct hist_settings set; /* what was requested, limited to what the file can provide */
	const char *sort;         /* the requested keys, or the defaults for the kind of table */
	bool with_branches;       /* chains show recorded branches */

	/* used inside the component */
	struct profile_worker *workers;
	unsigned worker_count;
	struct sample_choice choice;
	struct profile_side *side;
	/* the chains of each thread, for LBR and other events; or NULL */
	struct profile_chains *chains;
	struct branch_profile *blocks; /* --total-cycles, the key ipc_lbr; or NULL */
	struct line_store *block_lines;
	struct profile_ipc *ipc;       /* made on first use */
	struct profile_types *types;   /* likewise */
	struct profile_gather *gather; /* NULL if unused */
	s32 *sockets;
	struct event_switch sw;
};

/* Sets up a profile; asked must outlive it. */
int profile_begin(struct profile *p, const struct profile_options *asked, struct session *s,
		  struct reason *r) MUST_CHECK;
int profile_read(struct profile *p, struct reason *r) MUST_CHECK;
/*
 * Both for a table by function of which nothing is drawn; stacks: chains are read to judge them.
 */
int profile_by_function(struct profile *p, struct session *s, bool stacks,
			struct reason *r) MUST_CHECK;
/* Also after a failure, and of {0}. */
void profile_release(struct profile *p);

/*
 * Returns how many samples were read so far; *all is their total (0 if unknown). Any thread may
 * call it meanwhile; need not be exact.
 */
u64 profile_seen(const struct profile *p, u64 *all);

/* ---- after profile_read() ---- */

/* Kinds of branches of all workers; how many there were. */
u64 profile_branch_types(const struct profile *p, struct profile_branch_types *out);
/* Returns the readings, ordered by pid, tid, event. */
size_t profile_readings(struct profile *p, const struct profile_reading **out);
/* Counts by address; NULL where options.gather is not set. */
struct annotate_counts *profile_counts(const struct profile *p);

/* ---- basic blocks, with options.total_cycles ---- */

struct block;
struct profile_block {
	const struct block *block;
	double share, average, average_share; /* shares in percent */
};
/* Lists the blocks of one event that pass the filters, most cycles first; the caller frees *out. */
size_t profile_blocks(const struct profile *p, u32 event, struct profile_block **out);

#endif
