// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf kwork -b: sums are computed in the kernel.
 *
 * Unneeded programs are not loaded. The rules are those of builtin/kwork: a softirq waits since it
 * was first raised; an item is found by its address when it was activated and by its worker when it
 * runs.
 */
#include "bpf/kwork.h"
#include "bpf/refusals.h"
#include "bpf/kernel.h"

enum { IRQ, SOFTIRQ, WORKQUEUE };
enum { KERNEL_TASK = 0x00200000 /* PF_KTHREAD */ };

const volatile struct kwork_settings settings;
struct kwork_counts counts;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct kwork_row_key);
	__type(value, struct kwork_row_sums);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct kwork_span_key);
	__type(value, u64);
} raised SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct kwork_span_key);
	__type(value, struct kwork_span);
} entered SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct kwork_task_key);
	__type(value, struct kwork_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kwork_cpu);
} cpus SEC(".maps");

/* ---- report, latency ---- */

static struct kwork_row_sums *row_of(const struct kwork_row_key *key)
{
	struct kwork_row_sums zero = {}, *sums = bpf_map_lookup_elem(&rows, key);
	long err;

	if (sums)
		return sums;
	/* it also fails if another CPU was first */
	err = bpf_map_update_elem(&rows, key, &zero, BPF_NOEXIST);
	sums = bpf_map_lookup_elem(&rows, key);
	if (!sums)
		count_refusal(err, &counts.rows);
	return sums;
}

static void add_time(const struct kwork_row_key *key, u64 from, u64 until)
{
	struct kwork_row_sums *sums = row_of(key);
	u64 time = until - from;

	if (!sums || until < from)
		return;
	count_add(sums->count, 1);
	count_add(sums->total, time);
	if (time < sums->max)
		return;
	sums->max = time;
	sums->max_from = from;
	sums->max_until = until;
}

/*
 * Notes when work was raised. With replace, a new time wins: an item that is activated again was
 * not seen to run.
 */
static void raise_at(const struct kwork_span_key *key, bool replace)
{
	u64 now = bpf_ktime_get_ns();

	count_refusal(bpf_map_update_elem(&raised, key, &now, replace ? BPF_ANY : BPF_NOEXIST),
		      &counts.spans);
}

static void enter(const struct kwork_span_key *by, const struct kwork_span_key *raise,
		  const struct kwork_row_key *row)
{
	struct kwork_span span = { .since = bpf_ktime_get_ns(), .row = *row };
	u64 *since;

	if (!settings.latency) {
		count_refusal(bpf_map_update_elem(&entered, by, &span, BPF_ANY), &counts.spans);
		return;
	}
	since = bpf_map_lookup_elem(&raised, raise);
	if (!since)
		return;
	add_time(row, *since, span.since);
	bpf_map_delete_elem(&raised, raise);
}

static void leave(const struct kwork_span_key *by)
{
	struct kwork_span *span = bpf_map_lookup_elem(&entered, by);
	struct kwork_row_key row;

	if (!span)
		return;
	row = span->row;
	add_time(&row, span->since, bpf_ktime_get_ns());
	bpf_map_delete_elem(&entered, by);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_entry, int irq, struct irqaction *action)
{
	struct kwork_span_key by = { IRQ, bpf_get_smp_processor_id(), irq };
	struct kwork_row_key row = { IRQ, by.cpu, irq };

	bpf_probe_read_kernel_str(row.name, sizeof(row.name), BPF_CORE_READ(action, name));
	enter(&by, &by, &row);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_exit, int irq)
{
	struct kwork_span_key by = { IRQ, bpf_get_smp_processor_id(), irq };

	leave(&by);
	return 0;
}

SEC("tp_btf/softirq_raise")
int BPF_PROG(softirq_raise, unsigned int vector)
{
	struct kwork_span_key by = { SOFTIRQ, bpf_get_smp_processor_id(), vector };

	raise_at(&by, false);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct kwork_span_key by = { SOFTIRQ, bpf_get_smp_processor_id(), vector };
	struct kwork_row_key row = { SOFTIRQ, by.cpu, vector };

	enter(&by, &by, &row);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int vector)
{
	struct kwork_span_key by = { SOFTIRQ, bpf_get_smp_processor_id(), vector };

	leave(&by);
	return 0;
}

SEC("tp_btf/workqueue_activate_work")
int BPF_PROG(workqueue_activate, struct work_struct *item)
{
	struct kwork_span_key by = { WORKQUEUE, 0, (u64)item };

	raise_at(&by, true);
	return 0;
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(workqueue_start, struct work_struct *item)
{
	struct kwork_span_key raise = { WORKQUEUE, 0, (u64)item };
	struct kwork_span_key by = { WORKQUEUE, 0, (u32)bpf_get_current_pid_tgid() };
	struct kwork_row_key row = { WORKQUEUE, bpf_get_smp_processor_id(), (u64)item };

	row.function = (u64)BPF_CORE_READ(item, func);
	enter(&by, &raise, &row);
	return 0;
}

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(workqueue_end, struct work_struct *item)
{
	struct kwork_span_key by = { WORKQUEUE, 0, (u32)bpf_get_current_pid_tgid() };

	leave(&by);
	return 0;
}

/* ---- top ---- */

static void add_to_task(struct task_struct *task, u64 time, u64 now)
{
	struct kwork_task_key key = { BPF_CORE_READ(task, pid), bpf_get_smp_processor_id() };
	struct kwork_task *sums = bpf_map_lookup_elem(&tasks, &key), fresh = {};
	long err;

	if (!sums) {
		fresh.tgid = BPF_CORE_READ(task, tgid);
		fresh.is_kernel = !!(BPF_CORE_READ(task, flags) & KERNEL_TASK);
		err = bpf_map_update_elem(&tasks, &key, &fresh, BPF_NOEXIST);
		sums = bpf_map_lookup_elem(&tasks, &key);
		if (!sums) {
			count_refusal(err, &counts.rows);
			return;
		}
	}
	sums->runtime += time;
	sums->last = now;
	BPF_CORE_READ_STR_INTO(&sums->comm, task, comm); /* it may have been renamed since */
}

/* Adds the time that passed on this CPU since its last event to its owner. */
static struct kwork_cpu *pass(struct task_struct *task)
{
	u32 zero = 0;
	struct kwork_cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
	u64 now = bpf_ktime_get_ns(), time;

	if (!cpu)
		return NULL;
	time = cpu->last ? now - cpu->last : 0;
	cpu->last = now;
	if (!time)
		return cpu;
	if (cpu->irqs)
		cpu->hard += time;
	else if (cpu->softirqs)
		cpu->soft += time;
	else
		add_to_task(task, time, now);
	return cpu;
}

static struct task_struct *current_task(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(top_irq_entry)
{
	struct kwork_cpu *cpu = pass(current_task());

	if (cpu)
		cpu->irqs++;
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(top_irq_exit)
{
	struct kwork_cpu *cpu = pass(current_task());

	if (cpu && cpu->irqs)
		cpu->irqs--;
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(top_softirq_entry)
{
	struct kwork_cpu *cpu = pass(current_task());

	if (cpu)
		cpu->softirqs++;
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(top_softirq_exit)
{
	struct kwork_cpu *cpu = pass(current_task());

	if (cpu && cpu->softirqs)
		cpu->softirqs--;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(top_switch, bool preempted, struct task_struct *prev)
{
	struct kwork_cpu *cpu = pass(prev);

	if (cpu)
		cpu->irqs = cpu->softirqs = 0;
	return 0;
}
