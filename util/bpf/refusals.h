/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For BPF programs: counts elements that a map refused, by cause. Each program has its own counts
 * of full maps, which the user can often enlarge. One variable counts all other causes: the kernel
 * had no memory, or the interrupted code on this CPU was changing the same map.
 */
#ifndef BPF_REFUSALS_H
#define BPF_REFUSALS_H

#include "bpf/kernel.h"

u64 refused; /* bpf_run_say_missed() reports it */

/*
 * Counts a refusal. err is what bpf_map_update_elem() returned; -EEXIST is not a failure, since
 * another CPU has added the element.
 */
static __always_inline void count_refusal(long err, u64 *full)
{
	if (err == -7) /* E2BIG */
		__sync_fetch_and_add(full, 1);
	else if (err && err != -17) /* EEXIST */
		count_add(refused, 1);
}

#endif
