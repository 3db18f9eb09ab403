/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the component: settle.c finds what the file can provide, run.c reads it, samples.c
 * decides what a sample counts as. branch.c, history.c, chains.c make samples of branches and of
 * chains from other places; side.c keeps the content of other records.
 */
#ifndef PROFILE_INTERNAL_H
#define PROFILE_INTERNAL_H

#include "profile/expand.h"
#include "profile/gather.h"
#include "profile/profile.h"

/* What one worker writes, on separate cache lines. */
struct profile_worker {
	u64 seen; /* samples so far */
	struct hist_collector *collector;
	struct profile_branch_types types;
	struct branch_path path;
};

/* Counts by address, for options.gather. */
struct profile_gather {
	struct annotate_gather gather;
	struct annotate_counts *counts;
};

/* Sets up the histogram by the options and the file's events (settle.c). */
int profile_prepare(struct profile *p, struct reason *r);
/* Returns the socket of each CPU, or NULL if unknown. The caller frees it. */
s32 *profile_read_sockets(struct data_reader *d, u32 *count);
int profile_check_socket(const struct profile *p, struct reason *r);

/* Adds the sample, or each of its branches or counters, to the collectors. */
void profile_add_sample(struct profile *p, unsigned worker, const struct session_sample *s);
void profile_add_one(struct profile *p, unsigned worker, const struct session_sample *s,
		     struct hist_sample *h);
bool profile_keep_sample(void *arg, const struct sample *s, const struct order_key *key);

/* Adds each branch as a separate sample. */
void profile_add_branches(struct profile *p, unsigned worker, const struct session_sample *s);

/* Adds the sample with its branches, newest first, before its chain. */
void profile_add_history(struct profile *p, unsigned worker, const struct session_sample *s);

/* Handles chains in other places (chains.c), in order of time, on one thread. */
bool profile_has_lbr_chains(const struct profile *p);
void profile_chains_begin(struct profile *p);
void profile_chains_release(struct profile *p);
void profile_take_chain(struct profile *p, unsigned worker, const struct task *task,
			struct sample *s);

/* Collects basic blocks of branch stacks (blocks.c, ipc.c), in order of time on one thread. */
void profile_blocks_begin(struct profile *p);
void profile_blocks_add(struct profile *p, const struct session_sample *s);
void profile_blocks_release(struct profile *p);
/* Implements services.ipc; arg is the profile. */
bool profile_ipc(void *arg, u32 image, u32 symbol, struct hist_ipc *out);
void profile_ipc_release(struct profile *p);

/* Implements services.data_type (types.c); arg is the profile. */
void profile_data_type(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out);
void profile_types_release(struct profile *p);

/* Handles other records (side.c); live if records and samples come in one order. */
void profile_side_begin(struct profile *p);
void profile_side_live(struct profile *p, bool live);
void profile_side_release(struct profile *p);
/* Sets the bits of records that it uses, as in session_ops.want. */
void profile_side_wants(struct profile *p, u64 want[2]);
int profile_side_record(void *arg, const struct record *rec, const struct order_key *key,
			struct reason *r);
/* Sets how many threads can run simultaneously; 0 if unknown. */
void profile_side_cpus(struct profile *p, u32 cpus);
/*
 * Returns how many threads ran at the time, at least 1; for any worker, once the records are read.
 */
u32 profile_parallelism(struct profile *p, u64 time);
/* Implement services.cgroup_space and cgroup_space_numbers; arg is the profile. */
u64 profile_cgroup_space(void *arg, const struct hist_sample *s);
void profile_cgroup_numbers(void *arg, u64 number, u64 *dev, u64 *ino);

#endif
