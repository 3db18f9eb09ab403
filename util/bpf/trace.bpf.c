// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls: at the entry the programs copy what the arguments point to, at the exit what the
 * call filled, and send the whole; or they only count calls (count_only).
 *
 * A task has one call at a time, so its storage needs no lock, whatever interrupts it. The storage
 * holds the call without the copied bytes, since kernels limit its size (Linux 7.3: 8 KB). The
 * bytes are in a record of the CPU; they are sent before another task can run on that CPU.
 */
#include "bpf/kernel.h"
#include "bpf/refusals.h"
#include "bpf/trace.h"

enum {
	ITEM_MOST = TRACE_TEXT,
	TEXTS_MOST = 64, /* the most words of argv */
	COUNT_MOST = 4096,
	OLD_TEXTS_MOST = 64, /* where the verifier checks each iteration of a loop */
	VECTORS_MOST = 8,
	VECTOR_BYTES = 256,
	MESSAGES_MOST = 4,
	MESSAGE_MISSING = 0x80, /* in `retry`, until the argument's own bit is set */
	CALL_HEAD = sizeof(struct trace_call),
};

#if defined(__TARGET_ARCH_x86)
#define X32_BIT 0x40000000
#else
#define X32_BIT 0
#endif

const volatile struct trace_settings settings;
struct trace_counts counts;
u64 unfollowed; /* processes that did not fit in `targets`: bpf_run_say_missed() reports them */

/* A record as it is sent. The space after TRACE_DATA fits one item that began before it. */
struct trace_record {
	struct trace_call call;
	u8 data[TRACE_DATA + ITEM_MOST + 64];
	u64 task; /* the address of the task whose call this is */
	u32 plan; /* its place in `plans` */
};

struct slot {
	struct trace_call call; /* without items */
	u32 plan;
	u8 copies, exec; /* from the plan */
	bool pending, before_exec;
	bool sent;    /* the entry, separately */
	bool quiet;   /* from the plan */
	bool running; /* the task is traced: the decision holds until it ends */
	bool copied;  /* this CPU's record belongs to this call */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct trace_record);
} records SEC(".maps");

OF_TASKS(slots, struct slot);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACE_PLANS);
	__type(key, u32);
	__type(value, struct trace_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct trace_command_key);
	__type(value, struct trace_command);
} commands SEC(".maps");

/* Processes (threads with by_tid) that are traced, with enum trace_target_state. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u32);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u32);
} excluded SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} cgroup SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, TRACE_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_sum_key);
	__type(value, struct trace_sum);
} sums SEC(".maps");

/* Likewise by task, which is on one CPU at a time; perf removes rows of tasks that have ended. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_sum_key);
	__type(value, struct trace_sum);
} task_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_errno_key);
	__type(value, u64);
} errnos SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct trace_sum);
} empty_sum SEC(".maps");

/* ---- which tasks ---- */

/*
 * Checks what can change while a task is traced: its CPU, cgroup and user, and whether tracing is
 * paused.
 */
static __always_inline bool is_outside(void)
{
	if (counts.paused)
		return true;
	if (settings.by_cpu) {
		u32 cpu = bpf_get_smp_processor_id();

		if (cpu >= 1024 || !(settings.cpus[cpu / 64 & 15] >> (cpu % 64) & 1))
			return true;
	}
	if (settings.by_cgroup && bpf_current_task_under_cgroup(&cgroup, 0) != 1)
		return true;
	return settings.by_uid && (u32)bpf_get_current_uid_gid() != settings.uid;
}

/*
 * Returns 0 if the task is not traced, else enum trace_target_state. s is the task's slot, once it
 * has one.
 */
static __always_inline u32 state_of(const struct slot *s, u64 id)
{
	u32 tgid = id >> 32, key = settings.by_tid ? (u32)id : tgid, *state;

	if (is_outside())
		return 0;
	if (s && s->running)
		return TRACE_RUNNING;
	if (bpf_map_lookup_elem(&excluded, &tgid))
		return 0;
	if (settings.all)
		return tgid == settings.own_tgid ? 0 : TRACE_RUNNING;
	state = bpf_map_lookup_elem(&targets, &key);
	return state ? *state : 0;
}

static __always_inline bool is_compat(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	enum { TS_COMPAT = 2 };

	return read_task(task, thread_info.status) & TS_COMPAT;
#elif defined(__TARGET_ARCH_arm64)
	return read_task(task, thread_info.flags) >> 22 & 1; /* TIF_32BIT */
#else
	return false;
#endif
}

static __always_inline void get_args(struct pt_regs *regs, bool compat, u64 args[TRACE_ARGS])
{
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		args[0] = (u32)regs->bx;
		args[1] = (u32)regs->cx;
		args[2] = (u32)regs->dx;
		args[3] = (u32)regs->si;
		args[4] = (u32)regs->di;
		args[5] = (u32)regs->bp;
		return;
	}
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	args[0] = regs->orig_x0;
	for (int i = 1; i < TRACE_ARGS; i++)
		args[i] = regs->regs[i];
#elif defined(__TARGET_ARCH_powerpc)
	args[0] = regs->orig_gpr3;
	for (int i = 1; i < TRACE_ARGS; i++)
		args[i] = regs->gpr[3 + i];
#elif defined(__TARGET_ARCH_riscv)
	args[0] = regs->orig_a0;
	args[1] = regs->a1;
	args[2] = regs->a2;
	args[3] = regs->a3;
	args[4] = regs->a4;
	args[5] = regs->a5;
#endif
}

static __always_inline u32 plan_index(u32 nr, bool compat)
{
	if (nr >= TRACE_NUMBERS)
		return 2 * TRACE_NUMBERS + compat;
	return nr + (compat ? TRACE_NUMBERS : 0);
}

/* Reports whether the call is of x32. A negative number is not valid, whatever its bits. */
static __always_inline bool is_x32(long id)
{
	return (int)id > 0 && id & X32_BIT;
}

static __always_inline struct trace_plan *plan_of(u32 nr, bool compat)
{
	u32 index = plan_index(nr, compat);

	return bpf_map_lookup_elem(&plans, &index);
}

static __always_inline struct trace_record *record_here(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&records, &zero);
}

/* Linux 6.11 and later. */
#ifdef FOR_OLD_KERNELS
#define bpf_preempt_disable()
#define bpf_preempt_enable()
#else
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;
#endif

/*
 * Prevents that another task runs on this CPU until the matching call. Linux 7.3 switches tasks
 * even inside programs. Another task would then use the same record, and the kernel would skip its
 * call, since a CPU never runs a program twice simultaneously.
 */
static __always_inline void keep_cpu(void)
{
	if (settings.keeps_cpu)
		bpf_preempt_disable();
}

static __always_inline void release_cpu(void)
{
	if (settings.keeps_cpu)
		bpf_preempt_enable();
}

/*
 * The task whose call the entry or exit program handles, or 0. A task can lose the CPU when the
 * program releases it. The kernel then skips the same program for the next task, and a second
 * program does its work.
 */
struct under_way {
	u64 enter, exit;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct under_way);
} programs_under_way SEC(".maps");

u64 caught_up; /* runs that the second programs took over: bpf_run_say_missed() */

static __always_inline struct under_way *set_under_way(bool is_enter)
{
	u32 zero = 0;
	struct under_way *u =
		settings.keeps_cpu ? bpf_map_lookup_elem(&programs_under_way, &zero) : NULL;

	if (u && is_enter)
		u->enter = bpf_get_current_task();
	else if (u)
		u->exit = bpf_get_current_task();
	return u;
}

static __always_inline bool is_left_out(bool is_enter)
{
	u32 zero = 0;
	struct under_way *u = bpf_map_lookup_elem(&programs_under_way, &zero);
	u64 whose = u ? is_enter ? u->enter : u->exit : 0;

	if (!whose || whose == bpf_get_current_task())
		return false;
	count_add(caught_up, 1);
	return true;
}

#include "bpf/trace_copies.h"

/* ---- sending ---- */

/*
 * Returns the record of this CPU with the current task's call, and with what was copied for it,
 * unless that has been sent.
 */
static __always_inline struct trace_record *record_of(struct slot *s)
{
	struct trace_record *r = record_here();
	u64 task = bpf_get_current_task();

	if (r && !(s->copied && r->task == task)) {
		r->call = s->call;
		r->call.size = 0;
		r->plan = s->plan;
		r->task = task;
		s->copied = true;
	}
	if (r)
		r->call.entry_time = s->call.entry_time; /* known only after the entry's copies */
	return r;
}

static __always_inline void send(struct trace_record *r, u32 flags)
{
	u32 size = r->call.size, cpu = bpf_get_smp_processor_id(), index = cpu < 255 ? cpu : 255;

	r->call.flags = (r->call.flags & (TRACE_COMPAT | TRACE_X32)) | flags;
	r->call.cpu = cpu;
	r->call.lost = counts.lost_by_cpu[index];
	if (settings.summary_by == TRACE_BY_CGROUP)
		r->call.cgroup = bpf_get_current_cgroup_id();
	if (size > TRACE_DATA + ITEM_MOST)
		size = 0;
	/* wake no reader: it polls often enough, and a wake-up costs more than the call */
	if (bpf_ringbuf_output(&events, r, CALL_HEAD + size, BPF_RB_NO_WAKEUP)) {
		count_add(counts.lost, 1);
		count_add(counts.lost_by_cpu[index], 1);
		return;
	}
	count_add(counts.sent, 1);
}

static __always_inline void send_entry(struct slot *s)
{
	struct trace_record *r = record_of(s);

	if (r)
		send(r, TRACE_HAS_ENTRY);
	s->sent = true;
	s->copied = false;
}

/* Copies what the arguments point to before the call. */
static __always_inline void copy_entry(struct slot *s)
{
	struct trace_record *r = record_of(s);

	if (!r)
		return;
	copy_side(hand(r), TRACE_ENTRY, ~0U, 0);
	s->call.retry = r->call.retry;
}

static __always_inline void enter(struct pt_regs *regs, long id)
{
	struct task_struct *task = this_task();
	u64 ids = bpf_get_current_pid_tgid();
	bool compat = is_compat(task);
	bool x32 = is_x32(id);
	u32 nr = x32 ? (u32)id & ~X32_BIT : (u32)id, state;
	struct trace_plan *p = plan_of(nr, compat);
	struct slot *s;

	if (!p || !p->enabled)
		return;
	s = of_task(slots, task);
	state = state_of(s, ids);
	if (!state || (state == TRACE_BEFORE_EXEC && !p->exec))
		return;
	if (!s)
		s = make_of_task(slots, task);
	if (!s) {
		count_add(counts.no_memory, 1);
		return;
	}
	s->plan = plan_index(nr, compat);
	s->call.nr = nr;
	s->call.flags = (compat ? TRACE_COMPAT : 0) | (x32 ? TRACE_X32 : 0);
	s->call.pid = ids >> 32;
	s->call.tid = s->call.entry_tid = ids;
	s->call.size = 0;
	s->call.retry = 0;
	s->sent = s->copied = false;
	s->copies = p->copies;
	s->exec = p->exec;
	s->quiet = p->quiet;
	s->running = state == TRACE_RUNNING;
	s->before_exec = !s->running;
	if (settings.count_only) {
		s->call.entry_time = bpf_ktime_get_ns();
		s->pending = true;
		return;
	}
	get_args(regs, compat, s->call.args);
	bpf_get_current_comm(s->call.comm, sizeof(s->call.comm));
	if (settings.sides & TRACE_ENTRY && p->copies & TRACE_ENTRY)
		copy_entry(s);
	s->call.entry_time = bpf_ktime_get_ns();
	s->pending = true;
	if (p->ends || (counts.many == TRACE_SEND_ENTRIES && state == TRACE_RUNNING))
		send_entry(s);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_enter, struct pt_regs *regs, long id)
{
	struct under_way *u = set_under_way(true);

	keep_cpu();
	enter(regs, id);
	release_cpu();
	if (u)
		u->enter = 0;
	return 0;
}

SEC("?tp_btf/sys_enter")
int BPF_PROG(trace_enter_again, struct pt_regs *regs, long id)
{
	if (!is_left_out(true))
		return 0;
	keep_cpu();
	enter(regs, id);
	release_cpu();
	return 0;
}

/*
 * A call that waits lets others run: their lines come between, and their calls need this CPU's
 * record. A call that does not wait needs one record, which costs half as much as two.
 * Before an exec it is unknown whether the new program will be traced. What was copied for it is
 * dropped here, and copied again once the exec has succeeded.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(trace_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	struct trace_record *r = settings.count_only ? NULL : record_here();
	struct slot *s;

	if (!r || (!counts.many && r->task != bpf_get_current_task()))
		return 0;
	s = of_task(slots, prev);
	if (s && s->pending && !s->sent) {
		if (!s->before_exec && (counts.many || s->copied))
			send_entry(s);
		else if (s->before_exec && s->copied && s->exec)
			s->call.retry |= 1 << (s->exec & 7) | 1 << ((s->exec - 1) & 7);
	}
	if (s)
		s->copied = false;
	return 0;
}

static __always_inline u32 bucket_of(u64 ns)
{
	u32 b = 0;

	for (ns >>= 8; ns && b < TRACE_BUCKETS - 1; b++)
		ns >>= 1;
	return b;
}

static __always_inline void add_square(struct trace_sum *t, u64 ns)
{
	u64 before = t->squares_low;

	if (ns >> 32) {
		u64 part = (ns >> 16) * (ns >> 16); /* in units of 2^32 */

		t->squares_high += part >> 32;
		t->squares_low += part << 32;
	} else {
		t->squares_low += ns * ns;
	}
	t->squares_high += t->squares_low < before;
}

static __always_inline struct trace_sum *row_of(void *map, const struct trace_sum_key *key)
{
	struct trace_sum *t = bpf_map_lookup_elem(map, key), *empty;
	u32 zero = 0;

	if (t)
		return t;
	empty = bpf_map_lookup_elem(&empty_sum, &zero);
	if (!empty)
		return NULL;
	if (!bpf_map_update_elem(map, key, empty, BPF_NOEXIST))
		count_add(counts.rows, 1);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline void count_call(struct slot *s, u64 ids)
{
	struct trace_sum_key key = { .nr = s->call.nr < TRACE_ROWS ? s->call.nr : TRACE_ROWS,
				     .compat = s->call.flags & TRACE_COMPAT ? 1 : 0 };
	u64 ns = s->call.exit_time - s->call.entry_time;
	struct trace_sum *t;

	if (settings.summary_by == TRACE_BY_TASK) {
		key.who = (u32)ids | read_task(this_task(), start_time) >> 12 << 32;
		t = row_of(&task_sums, &key);
	} else {
		if (settings.summary_by == TRACE_BY_CGROUP)
			key.who = bpf_get_current_cgroup_id();
		t = row_of(&sums, &key);
	}
	if (!t) {
		count_add(counts.no_row, 1);
		return;
	}
	if (!t->calls || ns < t->min)
		t->min = ns;
	if (ns > t->max)
		t->max = ns;
	if (!(t->calls & 0xfff)) { /* the name may change, but reading it each time is slow */
		bpf_get_current_comm(t->comm, sizeof(t->comm));
		t->pid = ids >> 32;
	}
	t->calls++;
	t->total += ns;
	add_square(t, ns);
	t->buckets[bucket_of(ns) & 31]++;
	if (s->call.result < 0 && s->call.result >= -4095) {
		struct trace_errno_key failed = { key.who, key.nr, key.compat, -s->call.result };
		u64 one = 1, *n = bpf_map_lookup_elem(&errnos, &failed);

		t->errors++;
		if (n)
			count_add(*n, 1);
		else if (bpf_map_update_elem(&errnos, &failed, &one, BPF_NOEXIST))
			count_add(counts.no_memory, 1);
		else
			count_add(counts.rows, 1);
	}
}

static __always_inline bool is_kept(const struct slot *s)
{
	if (s->quiet)
		return true;
	if (settings.failures_only && !(s->call.result < 0 && s->call.result >= -4095))
		return false;
	return s->call.exit_time - s->call.entry_time >= settings.least_duration;
}

/* Sends an exit without its entry: the task was in the call when the trace began. */
static __always_inline void send_exit_alone(struct task_struct *task, u64 ids, u32 nr, u32 abi,
					    long result)
{
	struct slot *s = make_of_task(slots, task);
	struct trace_record *r;

	if (!s)
		count_add(counts.no_memory, 1);
	if (!s || settings.count_only || settings.least_duration ||
	    (settings.failures_only && result >= 0))
		return;
	s->running = true;
	s->copied = false;
	s->call.nr = nr;
	s->call.flags = abi;
	s->call.pid = ids >> 32;
	s->call.tid = s->call.entry_tid = ids;
	s->call.size = 0;
	s->call.entry_time = 0;
	s->call.exit_time = bpf_ktime_get_ns();
	s->call.result = result;
	bpf_get_current_comm(s->call.comm, sizeof(s->call.comm));
	r = record_of(s);
	if (r)
		send(r, TRACE_HAS_EXIT);
}

#if defined(__TARGET_ARCH_x86)
#define call_number(regs) ((u32)(regs)->orig_ax)
#elif defined(__TARGET_ARCH_arm64)
#define call_number(regs) ((u32)(regs)->syscallno)
#elif defined(__TARGET_ARCH_riscv)
#define call_number(regs) ((u32)(regs)->a7)
#else
#define call_number(regs) ((u32)(regs)->gpr[0])
#endif

/* Copies what the call filled, and what could not be read at the entry. */
static __always_inline void copy_exit(const struct slot *s, struct trace_record *r)
{
	long result = r->call.result;

	/* pages that were missing at the entry: the kernel has loaded them meanwhile */
	if (settings.sides & TRACE_ENTRY && r->call.retry && !(s->exec && !result))
		copy_side(hand(r), TRACE_ENTRY, r->call.retry, TRACE_ITEM_LATE);
	/*
	 * a failed call fills in nothing, except that an interrupted one stores the remaining time
	 * (EINTR, ERESTART_RESTARTBLOCK)
	 */
	if (settings.sides & TRACE_EXIT && s->copies & TRACE_EXIT &&
	    (result >= 0 || result < -4095 || result == -4 || result == -516))
		copy_side(hand(r), TRACE_EXIT, ~0U, TRACE_ITEM_OUT);
}

static __always_inline void leave(struct pt_regs *regs, long result)
{
	struct task_struct *task = this_task();
	struct slot *s = of_task(slots, task);
	struct trace_record *r;
	u64 ids, now;

	if (!s || !s->pending) {
		u32 number = call_number(regs), nr = number & ~X32_BIT;
		bool compat = is_compat(task);
		u32 abi = (compat ? TRACE_COMPAT : 0) | (is_x32(number) ? TRACE_X32 : 0);
		struct trace_plan *p = s ? NULL : plan_of(nr, compat);

		ids = bpf_get_current_pid_tgid();
		if (p && p->enabled && (int)nr >= 0 && state_of(NULL, ids) == TRACE_RUNNING)
			send_exit_alone(task, ids, nr, abi, result);
		return;
	}
	now = bpf_ktime_get_ns();
	ids = bpf_get_current_pid_tgid();
	s->pending = false;
	s->call.exit_time = now;
	s->call.result = result;
	if (s->before_exec && state_of(NULL, ids) != TRACE_RUNNING)
		return; /* an exec that failed before the traced one */
	if (settings.count_only) {
		if (is_kept(s))
			count_call(s, ids);
		return;
	}
	if (!is_kept(s) && !s->sent)
		return;
	r = record_of(s);
	if (!r)
		return;
	r->call.exit_time = now;
	r->call.result = result;
	r->call.pid = ids >> 32;
	r->call.tid = ids;
	copy_exit(s, r);
	send(r, TRACE_HAS_EXIT | (s->sent ? TRACE_ENTRY_SENT : TRACE_HAS_ENTRY));
	s->copied = false;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(trace_exit, struct pt_regs *regs, long result)
{
	struct under_way *u = set_under_way(false);

	keep_cpu();
	leave(regs, result);
	release_cpu();
	if (u)
		u->exit = 0;
	return 0;
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(trace_exit_again, struct pt_regs *regs, long result)
{
	if (!is_left_out(false))
		return 0;
	keep_cpu();
	leave(regs, result);
	release_cpu();
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(trace_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 from = settings.by_tid ? parent->pid : parent->tgid,
	    to = settings.by_tid ? child->pid : child->tgid;
	u32 *state, running = TRACE_RUNNING;

	if (settings.all)
		return 0;
	state = bpf_map_lookup_elem(&targets, &from);
	if (!state || *state != TRACE_RUNNING)
		return 0;
	if ((from == to || settings.inherit) && !counts.many)
		counts.many = TRACE_SEND_WAITING;
	if (from != to && settings.inherit) {
		count_refusal(bpf_map_update_elem(&targets, &to, &running, BPF_ANY), &unfollowed);
	}
	return 0;
}

/* Copies the kernel's copy of the path, and the arguments from the new memory. */
static __always_inline void copy_exec(struct slot *s, struct task_struct *task,
				      struct linux_binprm *binary)
{
	u32 path = s->exec - 1, at;
	u64 start = task->mm->arg_start, n = task->mm->arg_end - start;
	struct trace_record *r = record_of(s);
	struct trace_item *item;
	long size;

	if (!r)
		return;
	item = s->call.retry >> (path & 7) & 1 ? next_item(r, &at) : NULL;
	if (item) {
		size = bpf_probe_read_kernel_str(item + 1, ITEM_MOST, binary->filename);
		if (size > 0)
			end_item(r, item, at, path, TRACE_ITEM_LATE, size);
	}
	item = s->call.retry >> (s->exec & 7) & 1 ? next_item(r, &at) : NULL;
	if (item) {
		u32 flags = TRACE_ITEM_LATE | (n > ITEM_MOST ? TRACE_ITEM_CUT : 0);

		copy_bytes(hand(r), start, n, s->exec, flags);
	}
	s->call.retry = r->call.retry = 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(trace_exec, struct task_struct *task, int old_pid, struct linux_binprm *binary)
{
	u32 tgid = task->tgid, running = TRACE_RUNNING, *state;
	struct slot *s = of_task(slots, task);

	state = bpf_map_lookup_elem(&targets, &tgid);
	if (state && *state == TRACE_BEFORE_EXEC)
		bpf_map_update_elem(&targets, &tgid, &running, BPF_ANY);
	state = bpf_map_lookup_elem(&excluded, &tgid);
	if (state && *state == TRACE_BEFORE_EXEC)
		bpf_map_delete_elem(&excluded, &tgid);
	keep_cpu();
	/* what could not be read at the entry; its memory is gone by the exit */
	if (settings.kinds >> TRACE_TEXTS & 1 && s && s->pending && s->exec && s->call.retry)
		copy_exec(s, task, binary);
	if (s)
		s->before_exec = false;
	release_cpu();
	return 0;
}

static __always_inline void send_end(struct slot *s, struct task_struct *task)
{
	struct trace_record *r;

	if (s->pending && !s->sent && !s->before_exec) /* no other task ran since it began */
		send_entry(s);
	s->pending = false;
	r = record_of(s);
	if (!r)
		return;
	r->call.pid = task->tgid;
	r->call.tid = task->pid;
	r->call.size = 0;
	r->call.exit_time = bpf_ktime_get_ns();
	r->call.result = task->exit_code;
	send(r, TRACE_ENDED | (task->signal->live.counter ? 0 : TRACE_LAST));
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(trace_end, struct task_struct *task)
{
	struct slot *s = of_task(slots, task);
	u32 key = settings.by_tid ? task->pid : task->tgid;

	if (settings.ends && (!s || !s->running) &&
	    state_of(NULL, (u64)task->tgid << 32 | (u32)task->pid) == TRACE_RUNNING) {
		s = make_of_task(slots, task);
		if (s) {
			s->running = true;
			bpf_get_current_comm(s->call.comm, sizeof(s->call.comm));
		}
	}
	keep_cpu();
	if (s && s->running && !settings.count_only)
		send_end(s, task);
	release_cpu();
	if (!settings.all && (settings.by_tid || !task->signal->live.counter))
		bpf_map_delete_elem(&targets, &key);
	return 0;
}
