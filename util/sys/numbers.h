/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of the machine that metrics and tool events are made of:
 * num_cpus (present), num_cpus_online, num_cores, num_dies, num_packages,
 * smt_on (0, 1: several threads of a core are online), system_tsc_freq (Hz).
 */
#ifndef SYS_NUMBERS_H
#define SYS_NUMBERS_H

#include "sys/sys.h"

/* 0; -ENOENT: there is no such number; -ENODATA: this machine does not tell it. */
int machine_number(const struct sys *sys, const char *name, u64 *value);

struct cpu_topology; /* sys/topology.h */
/* The same of a machine whose CPUs are known (a file's); what is no number of CPUs: -ENOENT. */
int topology_number(const struct cpu_topology *t, const char *name, u64 *value);

#endif
