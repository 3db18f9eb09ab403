/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structs of the kernel that our BPF programs read, with the fields that they read and no
 * others.  preserve_access_index makes the loader look up each field's place in the type
 * information (BTF) of the kernel that runs, so neither order nor size here means anything.
 * Add a field with the program that reads it; a field that only some kernels have is asked for
 * with bpf_core_field_exists().
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include "bpf/program.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	int pid;  /* what user space calls a thread's id, in the first pid namespace */
	int tgid; /* what it calls the process's */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	unsigned int flags; /* PF_ */
	char comm[16];
};

struct irqaction {
	const char *name;
};

struct work_struct {
	void *func;
};

#pragma clang attribute pop

#endif
