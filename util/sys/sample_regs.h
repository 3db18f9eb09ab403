// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which registers samples can hold: the kernel refuses a mask as a whole when it names one
 * register that this CPU lacks.
 */
#ifndef SYS_SAMPLE_REGS_H
#define SYS_SAMPLE_REGS_H

#include "base/types.h"

/*
 * Those bits of wanted (numbers of asm/perf_regs.h) that the kernel takes for software events, or,
 * with interrupt, for precise cycles: one perf_event_open(2) when none is refused, else at most two
 * for each.  A kernel that lets this user open no event at all refuses no register: wanted,
 * unchanged.
 */
u64 sys_sample_regs(u64 wanted, bool interrupt);

#endif
