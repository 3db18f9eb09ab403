/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --cpu of what measures the running machine with BPF, where a recording would tell its CPUs. */
#ifndef ANALYSIS_LIVE_CPUS_H
#define ANALYSIS_LIVE_CPUS_H

#include "session/choice.h"

/* -EINVAL with a reason that names the first CPU that is not online: it would never be counted. */
int live_cpus_check(const struct sample_choice *c, struct reason *r) MUST_CHECK;

#endif
