/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks --cpu for commands that measure the running machine with BPF, where no recording tells its
 * CPUs.
 */
#ifndef ANALYSIS_LIVE_CPUS_H
#define ANALYSIS_LIVE_CPUS_H

#include "session/choice.h"

/*
 * Returns -EINVAL with a reason that names the first CPU that is not online, since it would never
 * be counted.
 */
int live_cpus_check(const struct sample_choice *c, struct reason *r) MUST_CHECK;

#endif
