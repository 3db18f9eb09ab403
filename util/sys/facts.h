/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about this machine, as the header features of perf.data hold them.
 * Topology, NUMA nodes and caches are in sys/topology.h.
 * Owned by the caller; x_release frees what x_read filled.
 */
#ifndef SYS_FACTS_H
#define SYS_FACTS_H

#include "sys/sys.h"

struct machine_facts {
	char *hostname, *release, *arch; /* uname: nodename, release, machine */
	char *cpu_description;           /* "AMD EPYC 7B13", "" when the kernel does not say */
	/*
	 * What tells CPU models apart, in perf's form, "" when not known: x86
	 * "VENDOR,FAMILY,MODEL,STEPPING"; arm64 MIDR in hex; powerpc "VERSION,REVISION".
	 */
	char *cpuid;
	u32 cpus_online, cpus_available; /* available: highest present + 1 */
	u64 memory_total;                /* kB */
};
int machine_facts_read(const struct sys *sys, struct machine_facts *f, struct reason *r);
void machine_facts_release(struct machine_facts *f);
/*
 * An x86 CPU's vendor, "GenuineIntel" or "AuthenticAMD"; NULL on other architectures.  Reads only
 * the first lines of /proc/cpuinfo, however many CPUs there are.  The caller frees it.
 */
char *cpu_vendor(const struct sys *sys);

/* "cpu" = 4, "software" = 1 ...: /sys/bus/event_source/devices, by name. */
struct pmu_mapping {
	u32 type;
	char *name;
};
struct pmu_mappings {
	VEC(struct pmu_mapping) list;
};
int pmu_mappings_read(const struct sys *sys, struct pmu_mappings *m);
void pmu_mappings_release(struct pmu_mappings *m);

/* Files in devices/PMU/caps: "branches" = "32", "pmu_name" = "skylake" ... */
struct pmu_cap {
	char *name, *value;
};
struct pmu_caps {
	VEC(struct pmu_cap) list;
};
int pmu_caps_read(const struct sys *sys, const char *pmu, struct pmu_caps *c);
void pmu_caps_release(struct pmu_caps *c);

/* Memory blocks that are present on each node. */
struct memory_node {
	u32 node;
	VEC(u32) blocks; /* ascending */
};
struct memory_topology {
	u64 block_size; /* bytes; 0: the kernel does not say */
	VEC(struct memory_node) nodes;
};
int memory_topology_read(const struct sys *sys, struct memory_topology *t);
void memory_topology_release(struct memory_topology *t);

#endif
