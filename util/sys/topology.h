/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each CPU sits: core, cluster, die, socket, NUMA node, and its caches.
 *
 * Source: Documentation/admin-guide/cputopology.rst and
 * Documentation/ABI/testing/sysfs-devices-system-cpu of Linux.  Ids are the
 * kernel's, unique only inside the level above.  -1: the kernel does not say.
 * Offline CPUs have no topology directory: their ids are -1.
 * Owned by the caller; x_release frees what x_read filled.
 */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include "sys/sys.h"

struct cpu_place {
	u32 cpu;
	s32 core, cluster, die, socket, node;
	bool online;
	s32 cache, cache_level; /* by cpu_topology_read_caches(); -1 */
};

struct cpu_topology {
	VEC(struct cpu_place) cpus; /* present CPUs, ascending; index need not be the number */
	/* distinct CPU lists ("0-3,8"), in order of their first CPU */
	struct strlist packages, dies, cores; /* cores: threads that share one */
};
int cpu_topology_read(const struct sys *sys, struct cpu_topology *t, struct reason *r);
/* Fills cache (first CPU that shares it) and cache_level; level 0: the last. */
void cpu_topology_read_caches(const struct sys *sys, struct cpu_topology *t, u32 level);
void cpu_topology_release(struct cpu_topology *t);
/* NULL when there is no such CPU. */
const struct cpu_place *cpu_topology_find(const struct cpu_topology *t, u32 cpu);

/* The file's CPUs, ascending; list: "online", "present", "possible".  The caller frees *cpus. */
int sys_cpus(const struct sys *sys, const char *list, u32 **cpus, size_t *count, struct reason *r);
/*
 * The CPUs of a command line, "0-2,5", which the caller frees. Each must be in the file's list,
 * "online" or "possible". Text that is no such list fails with reason_usage().
 */
int sys_choose_cpus(const struct sys *sys, const char *text, const char *list, u32 **cpus,
		    size_t *count, struct reason *r);
/* Are all of these CPUs, in ascending order, in the file's list? */
int sys_check_cpus(const struct sys *sys, const u32 *cpus, size_t count, const char *list,
		   struct reason *r);
/* Fails with the one wording for a CPU that this machine does not have, or that is offline. */
int sys_no_cpu(u32 cpu, struct reason *r);
/*
 * A number that is another one after the CPU was offline: its directory topology is made anew then.
 * 0: it has none, as when it is offline.
 */
u64 sys_cpu_life(const struct sys *sys, u32 cpu);

struct numa_node {
	u32 node;
	u64 memory_total, memory_free; /* kB */
	char *cpus;                    /* "0-3", may be "" */
};
struct numa_topology {
	VEC(struct numa_node) nodes;
};
/* A kernel without NUMA has none: 0 and no nodes. */
int numa_topology_read(const struct sys *sys, struct numa_topology *t);
void numa_topology_release(struct numa_topology *t);

struct cpu_cache {
	u32 level, line_size /* bytes */, sets, ways;
	char *type; /* "Data", "Instruction", "Unified" */
	char *size; /* "32K" */
	char *cpus; /* the CPUs that share it: "0-1" */
};
struct cpu_caches {
	VEC(struct cpu_cache) list; /* each cache once, by level */
};
int cpu_caches_read(const struct sys *sys, struct cpu_caches *c);
void cpu_caches_release(struct cpu_caches *c);
/*
 * First CPU of those that share cpu's cache of a level (0: its last level), as
 * the cache's name; *found_level tells which level.  -1 when it has none.
 */
s32 cpu_cache_id(const struct sys *sys, u32 cpu, u32 level, u32 *found_level);

#endif
