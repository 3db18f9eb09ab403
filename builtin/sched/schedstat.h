/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/schedstat, versions 15 to 17: counters of each CPU and of each of its scheduling domains.
 *
 * Source of the fields and their order: Documentation/scheduler/sched-stats.rst. In version 16 the
 * blocks of idle and busy balancing have been exchanged; 17 has a name before the mask, and four
 * kinds of imbalance instead of one. A field has one number here in all versions; one that a
 * version lacks stays 0 and is not shown.
 */
#ifndef BUILTIN_SCHED_SCHEDSTAT_H
#define BUILTIN_SCHED_SCHEDSTAT_H

#include "base/reason.h"
#include "base/vec.h"

enum { SCHEDSTAT_CPU_FIELDS = 9, SCHEDSTAT_BALANCE_FIELDS = 11, SCHEDSTAT_OTHER_FIELDS = 12 };
enum schedstat_balance { BALANCE_BUSY, BALANCE_IDLE, BALANCE_NEWLY_IDLE, BALANCES };

/*
 * yld_count array_exp sched_count sched_goidle ttwu_count ttwu_local rq_cpu_time run_delay pcount
 */
extern const char *const schedstat_cpu_names[SCHEDSTAT_CPU_FIELDS];
/* the balancing of one kind, and the rest */
extern const char *const schedstat_balance_names[SCHEDSTAT_BALANCE_FIELDS];
extern const char *const schedstat_other_names[SCHEDSTAT_OTHER_FIELDS];
/* Reports whether this version has the field of schedstat_balance_names. */
bool schedstat_has(u32 version, unsigned balance_field);

struct schedstat_domain {
	u32 cpu, number;
	char name[16]; /* "MC"; "domain0" where the version has no names */
	u64 balance[BALANCES][SCHEDSTAT_BALANCE_FIELDS];
	u64 other[SCHEDSTAT_OTHER_FIELDS];
};
struct schedstat_cpu {
	u32 cpu;
	u64 fields[SCHEDSTAT_CPU_FIELDS];
};
struct schedstat {
	u32 version;
	u64 timestamp; /* jiffies */
	VEC(struct schedstat_cpu) cpus;
	VEC(struct schedstat_domain) domains;
};

/*
 * Parses a text. Returns -EINVAL if it is not a schedstat, -ENOTSUP if its version is another one.
 */
int schedstat_parse(struct schedstat *s, const char *text, size_t size,
		    struct reason *r) MUST_CHECK;
/* Subtracts before from now, for the CPUs and domains that both have. */
int schedstat_subtract(struct schedstat *now, const struct schedstat *before,
		       struct reason *r) MUST_CHECK;
void schedstat_release(struct schedstat *s);

#endif
