/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMUs as sysfs describes them: their number, the fields of their config words, their named events.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events} of Linux. A
 * format file says which bits a term sets ("config:0-7,32-35"). An events file is a list of terms
 * ("event=0x3c,umask=0x1"; the user must give a value for '?'), with NAME.scale and NAME.unit
 * beside it. Events that the PMU's architecture names (arch/events.h) are included, as if the
 * driver listed them. Files that make no sense are left out, not reported: they come from drivers.
 */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include "sys/sys.h"

enum { PMU_CONFIG_WORDS = 5 }; /* config, config1 ... config4 */

struct pmu_format {
	char *name;
	u8 word;  /* 0: attr.config, 1: config1 ... */
	u64 mask; /* bits that the value fills, low ones first */
};

struct pmu_event {
	char *name, *terms;
	char *unit;   /* NULL: none */
	double scale; /* 1.0 if it has none */
	bool per_package, snapshot;
};

struct pmu {
	char *name;
	u32 type;
	bool core; /* counts on the CPUs themselves, also for tasks */
	bool has_cpumask;
	u32 *cpus; /* the CPUs in cpumask or cpus; NULL means every CPU */
	size_t cpu_count;
	VEC(struct pmu_format) formats; /* sorted by name */
	VEC(struct pmu_event) events;   /* sorted by name */
};

/* Loads a PMU; returns NULL with a reason if it does not exist. Free it with pmu_free(). */
struct pmu *pmu_load(const struct sys *sys, const char *name, struct reason *r);
void pmu_free(struct pmu *pmu);
/* Lists the names of all PMUs, sorted. */
int pmu_names(const struct sys *sys, struct strlist *names);
/*
 * Lists the PMUs that a user's word means: the name itself, a glob, or the instances of a name
 * ("imc" and "uncore_imc" for uncore_imc_0, uncore_imc_1).
 */
int pmu_match(const struct sys *sys, const char *word, struct strlist *names);
/* Lists the PMUs that count on the CPUs; a hybrid machine has several. */
int pmu_core_names(const struct sys *sys, struct strlist *names);
/* Reports whether the PMU has an event of that name. */
bool pmu_has_event(const struct sys *sys, const char *pmu, const char *event);

const struct pmu_format *pmu_find_format(const struct pmu *pmu, const char *name);
const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name);
/* Puts value into the bits of mask, lowest first; returns -ERANGE if it has more bits. */
int pmu_fill_bits(u64 mask, u64 value, u64 *word);
/* Parses "config:0-7,32-35" to word and mask. Returns 0 or -EINVAL. */
int pmu_format_parse(const char *text, u8 *word, u64 *mask);

#endif
