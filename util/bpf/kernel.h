/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel structs that the BPF programs read, with just the fields that they read.
 *
 * preserve_access_index makes the loader look up each field's place in the type information (BTF)
 * of the running kernel, so neither order nor size matters here. Add a field with the program that
 * reads it; check for a field that only some kernels have with bpf_core_field_exists().
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include "bpf/program.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	long counter;
} kernel_word; /* atomic_long_t */

struct mutex {
	kernel_word owner; /* a task, with flags in the low three bits */
};

struct rw_semaphore {
	kernel_word owner; /* likewise; bit 0: a reader */
};

struct mm_struct {
	struct rw_semaphore mmap_lock; /* since 5.8 */
	unsigned long arg_start, arg_end;
};

struct spinlock {
	int unused; /* only its place is used */
};

struct sighand_struct {
	struct spinlock siglock;
};

struct thread_info {
	unsigned long flags;
	u32 status; /* x86 */
	u32 cpu;    /* here in Linux 5.16 and later */
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads that have not ended */
};

struct perf_sample_data {
	u64 sample_flags; /* which of these are set, by the bits of PERF_SAMPLE_ */
	u64 ip, id, time, addr, period, txn, phys_addr, code_page_size, data_page_size, cgroup;
	struct {
		u32 pid, tid;
	} tid_entry;
	struct {
		u32 cpu;
	} cpu_entry;
	union perf_sample_weight {
		u64 full;
	} weight;
	union perf_mem_data_src {
		u64 val;
	} data_src;
};

struct perf_event {
	struct perf_event *parent; /* the event from which a task inherited it, or NULL */
	u64 id;
};

struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
	struct perf_event *event;
};

struct page {
	unsigned long unused; /* only its size is used */
};

struct kmem_cache {
	unsigned int size, object_size; /* bytes: allocated, and requested */
};

struct kernfs_node {
	u64 id; /* user space sees it as the number of the directory's inode; since 5.5 */
};

struct cgroup {
	struct kernfs_node *kn;
};

/* One controller's view of a cgroup. */
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* by the numbers of controllers */
	struct cgroup *dfl_cgrp;               /* in the hierarchy of cgroup v2 */
};

/* The kernel's number of a controller depends on its configuration. */
enum cgroup_subsys_id {
	perf_event_cgrp_id = 1,
};

struct task_struct {
	struct thread_info thread_info;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct sighand_struct *sighand;
	struct signal_struct *signal;
	int pid;  /* what user space calls a thread's id, in the first PID namespace */
	int tgid; /* what user space calls the process's id */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	unsigned int flags; /* PF_ */
	int exit_code;      /* as wait() returns it */
	char comm[16];
	int on_cpu;                      /* it runs, or is being switched away from */
	unsigned long long self_exec_id; /* counts its calls of exec */
	unsigned long long start_time;   /* ns of CLOCK_MONOTONIC */
	unsigned int __state;            /* here in Linux 5.14 and later */
};

struct linux_binprm {
	const char *filename;
};

/* The registers of a task in a system call, or at a probe. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long bx, cx, dx, si, di, bp, ax, r8, r9, r10, orig_ax, ip, cs, sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31], sp, pc, pstate;
	u64 orig_x0;
	s32 syscallno;
};
#elif defined(__TARGET_ARCH_powerpc)
struct pt_regs {
	unsigned long gpr[32];
	unsigned long orig_gpr3;
};
#elif defined(__TARGET_ARCH_riscv)
struct pt_regs {
	unsigned long sp, a1, a2, a3, a4, a5, a7, orig_a0;
};
#endif

struct irqaction {
	const char *name;
};

struct work_struct {
	void *func;
};

#pragma clang attribute pop

/*
 * Keep a value for each task: OF_TASKS(map, type) declares the map, of_task() returns a task's
 * value or NULL, and make_of_task() creates the value, all zeros, if there is none (NULL: no
 * memory).
 *
 * The build compiles some programs twice. The variant for old kernels (FOR_OLD_KERNELS) loads on
 * Linux 5.10, which has no storage of tasks: there, values are in a hash by the task's address
 * until the task's memory is freed.
 */
#ifdef FOR_OLD_KERNELS
enum { TASKS_MOST = 16384 };

#define OF_TASKS(map, of_value)                                                                    \
	HASH(map, u64, of_value, TASKS_MOST);                                                      \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, 1);                                                            \
		__type(key, u32);                                                                  \
		__type(value, of_value);                                                           \
	} map##_zero SEC(".maps");                                                                 \
	SEC("tp_btf/sched_process_free")                                                           \
	int BPF_PROG(map##_forget, struct task_struct *task)                                       \
	{                                                                                          \
		u64 key = (u64)task;                                                               \
                                                                                                   \
		bpf_map_delete_elem(&map, &key);                                                   \
		return 0;                                                                          \
	}

static __always_inline void *value_of_task(void *map, void *zeros, struct task_struct *task)
{
	u64 key = (u64)task;
	u32 first = 0;
	void *value = bpf_map_lookup_elem(map, &key), *zero;

	if (value || !zeros)
		return value;
	zero = bpf_map_lookup_elem(zeros, &first);
	if (!zero)
		return NULL;
	bpf_map_update_elem(map, &key, zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, &key);
}

#define of_task(map, task)      value_of_task(&(map), NULL, task)
#define make_of_task(map, task) value_of_task(&(map), &map##_zero, task)
#define this_task()             ((struct task_struct *)bpf_get_current_task())
/* Fields of this_task(). */
#define read_task(task, field) BPF_CORE_READ(task, field)
#else
#define OF_TASKS(map, of_value)                                                                    \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                                           \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__type(key, int);                                                                  \
		__type(value, of_value);                                                           \
	} map SEC(".maps")

#define of_task(map, task) bpf_task_storage_get(&(map), (void *)(task), NULL, 0)
#define make_of_task(map, task)                                                                    \
	bpf_task_storage_get(&(map), (void *)(task), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE)
#define this_task()            ((struct task_struct *)bpf_get_current_task_btf())
#define read_task(task, field) ((task)->field)
#endif

#endif
