/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: checks.c has the table of abilities, print.c draws, file.c reads
 * recordings; the other files try what the table lists.
 */
#ifndef BUILTIN_DOCTOR_INTERNAL_H
#define BUILTIN_DOCTOR_INTERNAL_H

#include "builtin/doctor/doctor.h"

enum { DOCTOR_NOTHING_TO_TRY = 1 };

struct doctor_check {
	const char *name;        /* as --json has it, "sample-user" */
	const char *text;        /* what can be done, "sample user space" */
	unsigned needed, useful; /* bits of the modes that cannot work, or work less, without it */
	/*
	 * 0 if it works, DOCTOR_NOTHING_TO_TRY where the question does not arise, or -errno with a
	 * reason.
	 */
	int (*attempt)(const struct context *ctx, struct reason *r);
};

/* checks.c */
const char *doctor_mode_name(enum doctor_mode mode);
/* Does the mode that was asked for not work without this? */
bool doctor_needs(const struct doctor *d, const struct doctor_check *c);

/* print.c: a cause and its cure, if there is one, in lines of their own; share begins the first. */
void doctor_put_cause(const char *share, const char *cause, const char *cure, struct strbuf *out);
/* ,"name":"value", or null */
void doctor_put_member(struct strbuf *out, const char *name, const char *value);

/* events.c */
int try_counting(const struct context *ctx, struct reason *r);
int try_user_samples(const struct context *ctx, struct reason *r);
int try_sample_rate(const struct context *ctx, struct reason *r);
int try_kernel_samples(const struct context *ctx, struct reason *r);
int try_system_wide(const struct context *ctx, struct reason *r);
int try_rings(const struct context *ctx, struct reason *r);
int try_open_files(const struct context *ctx, struct reason *r);
int try_call_chains(const struct context *ctx, struct reason *r);
int try_hardware(const struct context *ctx, struct reason *r);
int try_all_counters(const struct context *ctx, struct reason *r);
int try_clock(const struct context *ctx, struct reason *r);
int try_cgroups(const struct context *ctx, struct reason *r);

/* processes.c */
int try_other_users(const struct context *ctx, struct reason *r);
int try_host_pids(const struct context *ctx, struct reason *r);
int try_memory_of_others(const struct context *ctx, struct reason *r);

/* kernel.c */
int try_kernel_names(const struct context *ctx, struct reason *r);
int try_tracepoints(const struct context *ctx, struct reason *r);
int try_system_calls(const struct context *ctx, struct reason *r);
int try_bpf(const struct context *ctx, struct reason *r);
int try_bpf_types(const struct context *ctx, struct reason *r);
int try_bpf_pids(const struct context *ctx, struct reason *r);
int try_probes(const struct context *ctx, struct reason *r);
int try_kernel_probes(const struct context *ctx, struct reason *r);

/* own.c */
int try_build_id_cache(const struct context *ctx, struct reason *r);
int try_libraries(const struct context *ctx, struct reason *r);

/* Opens an event of the kernel's for user space, and what else the flags leave. */
struct perf_event_attr;
int open_or_explain(const struct perf_event_attr *attr, const char *event, int pid, int cpu,
		    struct reason *r);

#endif
