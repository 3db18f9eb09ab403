// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits off the CPU: at the switch away from a task, its stacks and the time are stored with the
 * task. At the switch back, the wait is sent or added to a sum.
 *
 * The stack itself is the key of a sum, so no two stacks share one, and none is lost to a hash.
 * Only callers that frame pointers miss are in it as a hash.
 */
#include "bpf/kernel.h"
#include "bpf/offcpu.h"
#include "bpf/refusals.h"
#include "bpf/stack_hash.h"

enum {
	STATE_WAITS = 1 | 2 | 4 | 8, /* S, D, T, t */
	STATE_NEW_LOAD = 0x400,      /* TASK_NOLOAD: idle threads of the kernel */
	IS_KTHREAD = 0x00200000,
	PLACES = 16384,
	VERDICTS = 4096, /* a power of two */
};

const volatile struct offcpu_settings settings;
struct offcpu_counts counts;
/*
 * Remembers, by a hash of the word, whether it is a return address: most stacks repeat the same
 * words.
 */
u64 verdicts[VERDICTS];

struct waiting {
	u64 since; /* 0 if not waiting */
	u64 woken; /* 0 until the wake-up */
	struct offcpu_place place;
	/* with the top of the stack; the other parts are used if it is the first of its place */
	struct offcpu_sum sum;
};

OF_TASKS(waits, struct waiting);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u8);
} tracked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, PLACES);
	__type(key, struct offcpu_place);
	__type(value, struct offcpu_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} events SEC(".maps");

/* Before Linux 5.14. */
struct task_struct___old {
	long state;
} __attribute__((preserve_access_index));

static u32 state_of(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return (u32)BPF_CORE_READ(task, __state);
	return (u32)BPF_CORE_READ(old, state);
}

static bool is_wanted(struct task_struct *task)
{
	u32 tid = (u32)task->pid;

	if (!tid || (task->flags & IS_KTHREAD) || (u32)task->tgid == settings.own_tgid)
		return false;
	return settings.all_tasks || bpf_map_lookup_elem(&tracked, &tid);
}

static bool send(const struct waiting *w, u64 end)
{
	struct offcpu_wait *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count_add(counts.ring_full, 1);
		return false;
	}
	e->begin = w->since;
	e->end = end;
	e->cgroup = bpf_get_current_cgroup_id();
	e->cpu = bpf_get_smp_processor_id();
	e->pad = 0;
	e->place = w->place;
	e->top = w->sum.top;
	bpf_ringbuf_submit(e, 0);
	count_add(counts.sent, 1);
	return true;
}

static void add(struct waiting *w, u64 ns)
{
	struct offcpu_sum *sum = bpf_map_lookup_elem(&sums, &w->place);
	long err = 0;

	if (!sum) {
		w->sum.ns = ns;
		w->sum.count = 1;
		w->sum.time = w->since;
		err = bpf_map_update_elem(&sums, &w->place, &w->sum, BPF_NOEXIST);
		if (!err) {
			count_add(counts.kept, 1);
			return;
		}
	}
	if (!sum) /* another CPU was first, or the map is full */
		sum = bpf_map_lookup_elem(&sums, &w->place);
	if (!sum) {
		count_refusal(err, &counts.sums_full);
		count_add(counts.sums_full_ns, err == -7 ? ns : 0); /* E2BIG */
		return;
	}
	count_add(sum->ns, ns);
	count_add(sum->count, 1);
	sum->time = w->since;
}

static bool wants_cpu(void)
{
	u32 cpu = bpf_get_smp_processor_id(), word = cpu / 64;

	if (!settings.some_cpus)
		return true;
	if (word >= OFFCPU_CPU_WORDS)
		return false;
	/*
	 * Without this the compiler drops the mask as redundant; verifiers of old kernels need it.
	 */
	barrier_var(word);
	return settings.cpus[word & (OFFCPU_CPU_WORDS - 1)] >> (cpu % 64) & 1;
}

static void end_wait(struct waiting *w, u64 end)
{
	if (wants_cpu() && end > w->since) {
		count_add(counts.waits, 1);
		if (end - w->since < settings.threshold || !send(w, end))
			add(w, end - w->since);
	}
	w->since = 0;
}

/*
 * Ends a wait whose switch back was not seen: idle CPUs of some kernels do not report all of them.
 * The wait itself ended at the wake-up.
 */
static void end_unseen(struct waiting *w)
{
	if (w->since && w->woken)
		end_wait(w, w->woken);
	w->since = 0;
}

#if defined(__TARGET_ARCH_x86)
static __always_inline bool is_indirect(u64 code)
{
	return (code & 0x38ff) == 0x10ff;
}
#endif

/* Checks whether the instruction before the address is a call. */
static __always_inline bool follows_call(u64 address)
{
#if defined(__TARGET_ARCH_x86)
	u64 code;

	if (bpf_probe_read_user(&code, sizeof(code), (void *)(address - sizeof(code))))
		return false;
	/* e8 and four bytes; or ff /2, with one to six more bytes for the address of the callee */
	if ((code >> 24 & 0xff) == 0xe8)
		return true;
	return is_indirect(code >> 48) || is_indirect(code >> 40) || is_indirect(code >> 32) ||
	       is_indirect(code >> 16) || is_indirect(code >> 8);
#else
	u32 code;

	if (bpf_probe_read_user(&code, sizeof(code), (void *)(address - sizeof(code))))
		return false;
	/* bl; or blr and its variants that authenticate the pointer */
	return (code & 0xfc000000) == 0x94000000 || (code & 0xfefff000) == 0xd63f0000;
#endif
}

/*
 * Does the same with a cache. A process that gets the verdict of another one has a place more or
 * less, and no time is lost.
 */
static __always_inline bool is_return_address(u64 word, u32 tgid)
{
	u64 known = word << 16 | (tgid & 0x7fff) << 1;
	u64 i = known * 0x9e3779b97f4a7c15ULL >> 52;
	u64 verdict;

	barrier_var(i);
	verdict = verdicts[i & (VERDICTS - 1)];
	if ((verdict & ~1ULL) == known)
		return verdict & 1;
	verdict = known | follows_call(word);
	barrier_var(i);
	verdicts[i & (VERDICTS - 1)] = verdict;
	return verdict & 1;
}

/*
 * Hashes the return addresses in the copied piece of stack. Most other words point into the stack
 * or are not addresses at all, and need no memory access.
 */
static __always_inline u64 hash_callers(const struct offcpu_top *top, u32 tgid)
{
	enum { BELOW = 1 << 20, REACH = 9 << 20, LOWEST_CODE = 1 << 16, ADDRESS_BITS = 48 };
	u64 hash = 1;

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < sizeof(top->bytes) / sizeof(u64); i++) {
		u64 word;

		__builtin_memcpy(&word, top->bytes + i * sizeof(u64), sizeof(word));
#if defined(__TARGET_ARCH_arm64)
		word &= BIT64(ADDRESS_BITS) - 1; /* the rest can be a signature */
#endif
		if (word < LOWEST_CODE || word >> ADDRESS_BITS || word - (top->sp - BELOW) < REACH)
			continue;
		if (is_return_address(word, tgid))
			hash = mix(hash, word);
	}
	return hash;
}

/* Since Linux 5.15. */
enum bpf_func_id___new { BPF_FUNC_task_pt_regs___new = 1 };

static __always_inline void keep_top(struct waiting *w, struct task_struct *task)
{
	struct offcpu_top *top = &w->sum.top;
	struct pt_regs *regs;

	top->size = 0;
	if (!settings.tops ||
	    !bpf_core_enum_value_exists(enum bpf_func_id___new, BPF_FUNC_task_pt_regs___new))
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	enum { CODE_OF_32_BITS = 0x23 };

	if (regs->cs == CODE_OF_32_BITS)
		return;
	top->ip = regs->ip;
	top->sp = regs->sp;
	top->fp = regs->bp;
	top->link = 0;
#elif defined(__TARGET_ARCH_arm64)
	if (regs->pstate & 0x10) /* a 32-bit mode */
		return;
	top->ip = regs->pc;
	top->sp = regs->sp;
	top->fp = regs->regs[29];
	top->link = regs->regs[30];
#else
	return; /* powerpc's chains have all callers */
#endif
	if (bpf_probe_read_user(top->bytes, sizeof(top->bytes), (void *)top->sp))
		return;
	top->size = sizeof(top->bytes);
	/* stacks that differ only in leftovers of earlier calls must not fill the map */
	if (counts.kept < PLACES / 2)
		w->place.callers = hash_callers(top, w->place.tgid);
}

static void begin_wait(void *ctx, struct task_struct *task, bool preempted)
{
	struct waiting *w;
	u32 state = state_of(task);
	long size;

	if (!is_wanted(task))
		return;
	w = make_of_task(waits, task);
	if (!w) {
		count_add(counts.no_memory, 1);
		return;
	}
	end_unseen(w);
	if (preempted || !(state & STATE_WAITS) || (state & STATE_NEW_LOAD))
		return;
	__builtin_memset(&w->place, 0, sizeof(w->place));
	w->place.tid = (u32)task->pid;
	w->place.tgid = (u32)task->tgid;
	w->place.state = state & STATE_WAITS;
	w->place.life = (u32)(task->start_time >> 12);
	w->place.execs = (u32)task->self_exec_id;
	bpf_probe_read_kernel_str(w->place.comm, sizeof(w->place.comm), task->comm);
	if (settings.kernel_frames) {
		size = bpf_get_stack(ctx, w->place.frames, OFFCPU_KERNEL * sizeof(u64), 0);
		w->place.kernel_count = size > 0 ? (u16)(size / sizeof(u64)) : 0;
	}
	if (settings.user_frames) {
		size = bpf_get_stack(ctx, w->place.frames + OFFCPU_KERNEL,
				     OFFCPU_USER * sizeof(u64), BPF_F_USER_STACK);
		w->place.user_count = size > 0 ? (u16)(size / sizeof(u64)) : 0;
		keep_top(w, task);
	}
	w->woken = 0;
	w->since = bpf_ktime_get_ns();
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	struct waiting *w;

	begin_wait(ctx, prev, preempted);
	w = of_task(waits, next);
	if (w && w->since)
		end_wait(w, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	struct waiting *w = of_task(waits, task);

	if (w && w->since && !w->woken)
		w->woken = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(task_newtask, struct task_struct *task, u64 clone_flags)
{
	u32 parent = (u32)bpf_get_current_pid_tgid(), tid = (u32)task->pid;
	u8 one = 1;

	if (!settings.inherit || !bpf_map_lookup_elem(&tracked, &parent))
		return 0;
	count_refusal(bpf_map_update_elem(&tracked, &tid, &one, BPF_ANY), &counts.untracked);
	return 0;
}

/* A thread that calls exec takes the number of the leader, which has exited by then. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, int old_pid)
{
	u32 old = (u32)old_pid, tid = (u32)task->pid;
	u8 one = 1;

	if (old == tid || !bpf_map_lookup_elem(&tracked, &old))
		return 0;
	bpf_map_delete_elem(&tracked, &old);
	count_refusal(bpf_map_update_elem(&tracked, &tid, &one, BPF_ANY), &counts.untracked);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	struct waiting *w = of_task(waits, task);
	u32 tid = (u32)task->pid;

	if (w)
		end_unseen(w);
	/* the tid becomes invalid here: another task may get it */
	bpf_map_delete_elem(&tracked, &tid);
	return 0;
}
