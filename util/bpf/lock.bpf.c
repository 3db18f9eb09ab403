// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for locks, counted in the kernel: by contention_begin and contention_end, or for locks of
 * user space by the system call futex.
 *
 * A wait for another lock can interrupt a spinning wait, so an open wait is found by task and lock.
 * The idle tasks of all CPUs have one number, so their CPU identifies them. A hash of its frames
 * identifies a stack, so no two share a slot by chance.
 */
#include "bpf/kernel.h"
#include "bpf/lock.h"
#include "bpf/tasks.h"
#include "bpf/stack_hash.h"

enum { OPEN = 16384 };
enum {
	FUTEX_WAIT = 0,
	FUTEX_LOCK_PI = 6,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAIT_REQUEUE_PI = 11,
	FUTEX_LOCK_PI2 = 13
};
enum { SPIN = 1, READ = 2, WRITE = 4, MUTEX = 32, FUTEX = 1 << 16 };

const volatile struct lock_settings settings;
struct lock_counts counts;

struct open_key {
	u64 lock;
	u32 task, cpu; /* cpu: for idle tasks, + 1 */
};
struct open_wait {
	u64 time;
	struct lock_row_key row;
};

struct stack {
	u64 ips[LOCK_STACK_DEPTH];
};

HASH(open_waits, struct open_key, struct open_wait, OPEN);
HASH(rows, struct lock_row_key, struct lock_row_counts, OPEN);
HASH(stacks, u64, struct stack, OPEN);
HASH(cpus, u32, u8, TARGETS);
HASH(locks, u64, u8, TARGETS);
HASH(cgroups, u64, u8, TARGETS);
HASH(delays, u64, u64, LOCK_DELAYS);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lock_row_counts);
} new_row SEC(".maps");

#ifndef FOR_OLD_KERNELS
/* Linux 6.2 and later. */
extern struct task_struct *bpf_task_from_pid(s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;
#endif

/* ---- which waits ---- */

static bool wanted(u64 lock, u32 flags)
{
	u64 id = bpf_get_current_pid_tgid(), cgroup;
	u32 tid = (u32)id, tgid = id >> 32, cpu = bpf_get_smp_processor_id();

	if (!counts.enabled || (settings.self && tgid == settings.self))
		return false;
	if (settings.kinds != ~0ULL && !(flags < 64 && settings.kinds >> flags & 1))
		return false;
	if (settings.some_tasks && !bpf_map_lookup_elem(&tasks, &tid))
		return false;
	if (settings.some_processes && !bpf_map_lookup_elem(&processes, &tgid))
		return false;
	if (settings.some_cpus && !bpf_map_lookup_elem(&cpus, &cpu))
		return false;
	if (settings.some_locks && !bpf_map_lookup_elem(&locks, &lock))
		return false;
	if (settings.some_cgroups) {
		cgroup = bpf_get_current_cgroup_id();
		return bpf_map_lookup_elem(&cgroups, &cgroup) != NULL;
	}
	return true;
}

/* ---- rows ---- */

/* Keeps a stack of so many bytes for perf. Returns its number. */
static u64 keep_stack(struct stack *s, long bytes)
{
	u64 hash;

	if (bytes <= 0)
		return 0;
	hash = stack_hash(s->ips, LOCK_STACK_DEPTH, bytes);
	if (bpf_map_lookup_elem(&stacks, &hash))
		return hash;
	count_refusal(bpf_map_update_elem(&stacks, &hash, s, BPF_NOEXIST), &counts.no_stack);
	return hash;
}

static u64 stack_id(void *ctx)
{
	u32 zero = 0, size = settings.depth * sizeof(u64);
	struct stack *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s || size > sizeof(*s))
		return 0;
	return keep_stack(s, bpf_get_stack(ctx, s, size, settings.user ? BPF_F_USER_STACK : 0));
}

/*
 * Finds the owner of a mutex or reader-writer semaphore, whose pointer has flags in the low bits.
 */
static u32 owner_of(u64 lock, u32 flags)
{
	struct task_struct *task = NULL;
	u64 owner = 0;

	if (flags & MUTEX)
		owner = (u64)BPF_CORE_READ((struct mutex *)lock, owner.counter);
	else if (flags == READ ||
		 flags == WRITE) /* with more flags it is another kind of lock, without an owner */
		owner = (u64)BPF_CORE_READ((struct rw_semaphore *)lock, owner.counter);
	/* bit 0 means that the owner is, or was, a reader */
	if (!(flags & MUTEX) && owner & 1)
		return 0;
	task = (struct task_struct *)(owner & ~7ULL);
	return task ? (u32)BPF_CORE_READ(task, pid) : 0;
}

/* Kernels that need the variant do not have the events of these functions. */
#ifdef FOR_OLD_KERNELS
static u64 stack_of_owner(u64 lock, u32 flags)
{
	return 0;
}
#else
/* Returns the stack of the lock's owner; a task that runs on another CPU has no readable stack. */
static u64 stack_of_owner(u64 lock, u32 flags)
{
	u32 zero = 0, size = settings.depth * sizeof(u64), owner = owner_of(lock, flags);
	struct stack *s = bpf_map_lookup_elem(&scratch, &zero);
	struct task_struct *task;
	long bytes;

	if (!settings.owner_stacks || !s || !owner || size > sizeof(*s))
		return 0;
	task = bpf_task_from_pid((s32)owner);
	if (!task)
		return 0;
	bytes = bpf_get_task_stack(task, s, size, 0);
	bpf_task_release(task);
	return keep_stack(s, bytes);
}
#endif

static u32 known_lock(u64 lock)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct sighand_struct *signals = BPF_CORE_READ(task, sighand);

	if (mm && lock == (u64)mm + bpf_core_field_offset(struct mm_struct, mmap_lock))
		return LOCK_OF_MEMORY_MAP;
	if (signals && lock == (u64)signals + bpf_core_field_offset(struct sighand_struct, siglock))
		return LOCK_OF_SIGNALS;
	return LOCK_UNKNOWN;
}

static void name_owner(struct lock_row_counts *row, u64 lock, u32 flags)
{
	struct task_struct *task;
	u64 owner = flags & MUTEX ? (u64)BPF_CORE_READ((struct mutex *)lock, owner.counter)
				  : (u64)BPF_CORE_READ((struct rw_semaphore *)lock, owner.counter);

	task = (struct task_struct *)(owner & ~7ULL);
	bpf_probe_read_kernel_str(row->comm, sizeof(row->comm), &task->comm);
}

static u64 what_of(void *ctx, u64 lock, u32 flags, u64 *stack)
{
	*stack = 0;
	switch (settings.by) {
	case LOCK_COUNT_ADDRESS:
		return lock;
	case LOCK_COUNT_TASK: /* the number may have belonged to another task before */
		return (u32)bpf_get_current_pid_tgid() |
		       BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), start_time) >>
			       12 << 32;
	case LOCK_COUNT_CGROUP:
		return bpf_get_current_cgroup_id();
	case LOCK_COUNT_OWNER:
		return owner_of(lock, flags);
	case LOCK_COUNT_OWNER_STACK:
		*stack = stack_of_owner(lock, flags);
		return *stack;
	default:
		*stack = stack_id(ctx);
		return *stack;
	}
}

static void add_row(void *ctx, const struct lock_row_key *key, u64 lock, u32 flags, u64 stack)
{
	u32 zero = 0;
	struct lock_row_counts *row = bpf_map_lookup_elem(&new_row, &zero);

	if (!row)
		return;
	__builtin_memset(row, 0, sizeof(*row));
	row->min = ~0ULL;
	row->addr = lock;
	row->time = bpf_ktime_get_ns();
	row->flags = flags;
	row->tgid = bpf_get_current_pid_tgid() >> 32;
	/* a lock without its own stack keeps that of its first wait */
	row->stack = stack ? stack : settings.by == LOCK_COUNT_ADDRESS ? stack_id(ctx) : 0;
	row->known = settings.user ? LOCK_UNKNOWN : known_lock(lock);
	row->tid =
		settings.by == LOCK_COUNT_OWNER ? (u32)key->what : (u32)bpf_get_current_pid_tgid();
	if (settings.by == LOCK_COUNT_OWNER && key->what)
		name_owner(row, lock, flags);
	else if (settings.by != LOCK_COUNT_OWNER)
		bpf_get_current_comm(row->comm, sizeof(row->comm));
	count_refusal(bpf_map_update_elem(&rows, key, row, BPF_NOEXIST), &counts.no_row);
}

/* ---- waits ---- */

static struct open_key open_key(u64 lock)
{
	/* a thread waits for one futex at a time, and the end does not name it */
	struct open_key key = { .lock = settings.user ? 0 : lock,
				.task = (u32)bpf_get_current_pid_tgid() };

	if (!key.task)
		key.cpu = bpf_get_smp_processor_id() + 1;
	return key;
}

static void begin(void *ctx, u64 lock, u32 flags)
{
	struct open_key key = open_key(lock);
	struct open_wait wait = { 0 };
	struct lock_row_counts *row;
	u64 stack;

	if (!settings.user && bpf_map_lookup_elem(&open_waits, &key)) /* a mutex that spun before */
		return;
	wait.row.what = what_of(ctx, lock, flags, &stack);
	if (settings.by_stack_too)
		wait.row.stack = stack = stack_id(ctx);
	if (settings.by == LOCK_COUNT_STACK || settings.by == LOCK_COUNT_OWNER_STACK)
		wait.row.flags = flags & MUTEX ? MUTEX : flags;
	if (settings.user)
		wait.row.tgid = bpf_get_current_pid_tgid() >> 32;
	row = bpf_map_lookup_elem(&rows, &wait.row);
	if (!row) {
		add_row(ctx, &wait.row, lock, flags, stack);
		row = bpf_map_lookup_elem(&rows, &wait.row);
		if (!row)
			return;
	}
	count_add(row->contended, 1);
	wait.time = bpf_ktime_get_ns();
	count_refusal(bpf_map_update_elem(&open_waits, &key, &wait, BPF_ANY), &counts.no_wait);
}

/* Updates the extremes; another CPU may write the same row. */
static void keep_extremes(struct lock_row_counts *row, u64 ns)
{
	keep_most(&row->max, ns);
	keep_least(&row->min, ns);
}

static u32 slot_of(u64 ns)
{
	u32 bits = 0;

	for (int step = 32; step; step /= 2)
		if (ns >> step) {
			bits += step;
			ns >>= step;
		}
	return bits + (ns != 0);
}

/* Ends a wait. Returns whether a counted wait was open. */
static bool end(u64 lock)
{
	struct open_key key = open_key(lock);
	struct open_wait *wait = bpf_map_lookup_elem(&open_waits, &key);
	struct lock_row_counts *row;
	u64 ns;
	u32 slot;

	if (!wait)
		return false;
	ns = bpf_ktime_get_ns() - wait->time;
	row = bpf_map_lookup_elem(&rows, &wait->row);
	if (row) {
		count_add(row->waits, 1);
		count_add(row->total, ns);
		keep_extremes(row, ns);
		slot = slot_of(ns);
		if (slot >= LOCK_SLOTS)
			slot = LOCK_SLOTS - 1;
		count_add(row->slots[slot], 1);
	}
	bpf_map_delete_elem(&open_waits, &key);
	return true;
}

/* ---- delays ---- */

struct delay {
	u64 until;
};

#ifndef FOR_OLD_KERNELS
static long has_passed(u64 turn, struct delay *d)
{
	return bpf_ktime_get_ns() >= d->until;
}
#endif

/* Makes the new owner spin while it holds the lock, so others wait for it. */
static void delay(u64 lock)
{
	u64 *ns = bpf_map_lookup_elem(&delays, &lock), known;

	struct delay d;

	if (!ns && settings.delays == LOCK_DELAYS_OF_KNOWN) {
		known = known_lock(lock);
		ns = bpf_map_lookup_elem(&delays, &known);
	}
	if (!ns || !*ns || *ns > LOCK_DELAY_LONGEST_NS)
		return;
	d.until = bpf_ktime_get_ns() + *ns;
	count_add(counts.delayed, 1);
#ifndef FOR_OLD_KERNELS
	bpf_loop(1 << 22, has_passed, &d, 0);
#endif
}

SEC("?tp_btf/contention_begin")
int BPF_PROG(contention_begin, void *lock, unsigned int flags)
{
	if (wanted((u64)lock, flags))
		begin(ctx, (u64)lock, flags);
	return 0;
}

SEC("?tp_btf/contention_end")
int BPF_PROG(contention_end, void *lock, int ret)
{
	if (counts.enabled && end((u64)lock) && settings.delays && !ret)
		delay((u64)lock);
	return 0;
}

/* The events of system calls: the common fields, then number and arguments. */
struct enter {
	u64 common;
	long number;
	u64 args[6];
};

SEC("?tp/syscalls/sys_enter_futex")
int enter_futex(struct enter *e)
{
	u32 op = e->args[1] & 0x7f;

	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET && op != FUTEX_LOCK_PI &&
	    op != FUTEX_LOCK_PI2 && op != FUTEX_WAIT_REQUEUE_PI)
		return 0;
	if (wanted(e->args[0], FUTEX))
		begin(e, e->args[0], FUTEX);
	return 0;
}

SEC("?tp/syscalls/sys_exit_futex")
int exit_futex(void *ctx)
{
	(void)ctx;
	if (counts.enabled)
		end(0);
	return 0;
}
