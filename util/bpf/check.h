/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of the self-check and perf share: it counts the system calls of one process. */
#ifndef BPF_CHECK_H
#define BPF_CHECK_H

#include "bpf/shared.h"

struct check_settings {
	u32 tgid;
	u32 only; /* system calls of this number are sent; all are counted */
};

struct check_counts {
	u64 calls, sent, lost, no_stack;
};

/* In the ring. */
struct check_call {
	u32 tid;
	s32 stack; /* number in the map "stacks"; negative: -errno */
	s64 number;
	char comm[16];
};

#endif
