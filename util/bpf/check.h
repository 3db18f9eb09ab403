/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the self-check's program and perf share: it counts the system calls of one process. */
#ifndef BPF_CHECK_H
#define BPF_CHECK_H

#include "bpf/shared.h"

struct check_settings {
	u32 tgid;
	u32 only; /* only system calls of this number are sent; all are counted */
};

struct check_counts {
	u64 calls, sent, lost, no_stack;
};

/* A record in the ring. */
struct check_call {
	u32 tid;
	s32 stack; /* number in the map "stacks", or -errno */
	s64 number;
	char comm[16];
};

#endif
