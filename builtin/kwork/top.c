// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf kwork top: shows which tasks used the CPUs. Each CPU's time from its first event to its last
 * is cut at every event. Each slice belongs to the interrupt handler, else the softirq, else the
 * task that was running, so the sums of a CPU add up to its time.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/top.h"

enum {
	MOST_CPUS = 1 << 16,
	DEAD_STATES = 0x30 /* X and Z, in whichever order the kernel has them */
};

/* ---- tasks and CPUs ---- */

static u64 key_of(u32 pid, u32 cpu)
{
	return pid ? pid : BIT64(32) | cpu;
}

static u32 task_of(struct top *t, u32 pid, u32 cpu)
{
	u64 *slot = map64_put(&t->by_pid, key_of(pid, cpu), NULL);

	if (!*slot) {
		vec_push(&t->tasks, (struct top_task){ .pid = pid, .cpu = cpu });
		*slot = t->tasks.count;
	}
	return (u32)*slot - 1;
}

static struct cpu_time *cpu_of(struct top *t, u32 cpu)
{
	if (cpu >= MOST_CPUS)
		return NULL;
	while (t->cpus.count <= cpu)
		vec_push_zero(&t->cpus);
	return &t->cpus.items[cpu];
}

static void add_share(struct top *t, u32 task, u32 cpu, u64 time)
{
	u64 *slot = map64_put(&t->by_share, (u64)cpu << 32 | task, NULL);

	if (!*slot) {
		vec_push(&t->shares, (struct share){ task, cpu, 0 });
		*slot = t->shares.count;
	}
	t->shares.items[*slot - 1].time += time;
	t->tasks.items[task].runtime += time;
}

void kwork_top_add(struct top *t, const struct counted_task *counted)
{
	struct cpu_time *c = cpu_of(t, counted->cpu);
	struct top_task *task;
	u32 number;

	if (!c)
		return;
	number = task_of(t, counted->pid, counted->cpu);
	*(counted->pid ? &c->tasks : &c->idle) += counted->runtime;
	add_share(t, number, counted->cpu, counted->runtime);
	task = &t->tasks.items[number];
	task->tgid = counted->tgid;
	task->is_kernel = counted->is_kernel;
	if (counted->last < task->named)
		return; /* on another CPU it had a later name */
	task->named = counted->last;
	task->name = strtab_add_n(&t->names, counted->comm, strnlen(counted->comm, 16));
}

void kwork_top_add_interrupts(struct top *t, u32 cpu, u64 hard, u64 soft)
{
	struct cpu_time *c = cpu_of(t, cpu);

	if (c) {
		c->hard += hard;
		c->soft += soft;
	}
}

/* ---- where time goes ---- */

static void add_task(struct top *t, u32 task, u32 cpu, u64 time)
{
	struct cpu_time *c = &t->cpus.items[cpu];

	*(t->tasks.items[task].pid ? &c->tasks : &c->idle) += time;
	add_share(t, task, cpu, time);
}

/* Adds time that cannot be a hardware interrupt's to the open softirq, or else to the task. */
static void add_below(struct top *t, u32 cpu, u64 time)
{
	struct cpu_time *c = &t->cpus.items[cpu];

	if (c->softirq.open)
		c->softirq.time += time;
	else if (time)
		add_task(t, c->task, cpu, time);
}

/* Adds the time since the CPU's last event to the work that ran there. */
static void pass(struct top *t, struct cpu_time *c, u32 cpu, u64 now)
{
	u64 time = c->known && now > c->last ? now - c->last : 0;

	c->last = now;
	if (c->irq.open)
		c->irq.time += time;
	else
		add_below(t, cpu, time);
}

static void end_irq(struct top *t, u32 cpu, bool finished)
{
	struct cpu_time *c = &t->cpus.items[cpu];
	struct top_work was = c->irq;

	c->irq = (struct top_work){ 0 };
	if (finished)
		c->hard += was.time;
	else
		add_below(t, cpu, was.time);
}

static void end_softirq(struct top *t, u32 cpu, bool finished)
{
	struct cpu_time *c = &t->cpus.items[cpu];
	struct top_work was = c->softirq;

	c->softirq = (struct top_work){ 0 };
	if (finished)
		c->soft += was.time;
	else
		add_below(t, cpu, was.time);
}

/* Closes what is open without its end, which was not recorded. */
static void drop_open(struct top *t, u32 cpu)
{
	if (t->cpus.items[cpu].irq.open)
		end_irq(t, cpu, false);
	if (t->cpus.items[cpu].softirq.open)
		end_softirq(t, cpu, false);
}

/* Closes everything that is open at the end of the recording. */
static void drop_all(struct top *t)
{
	for (u32 i = 0; i < t->cpus.count; i++)
		drop_open(t, i);
	for (u32 i = 0; i < t->tasks.count; i++) {
		const struct top_work *w = &t->tasks.items[i].softirq;

		if (w->open && w->time)
			add_task(t, i, w->cpu, w->time);
	}
}

/*
 * Returns the CPU of an event after bringing it to the event's time, or NULL if its number makes no
 * sense.
 */
static struct cpu_time *at_event(struct top *t, const struct tracer_hit *hit, u32 running)
{
	u32 cpu = tracer_cpu(hit);
	struct cpu_time *c = cpu_of(t, cpu);

	if (!c)
		return NULL;
	pass(t, c, cpu, tracer_time(hit));
	if (!c->known || t->tasks.items[c->task].pid != running) {
		drop_open(t, cpu);
		c->known = true; /* the first event, or one after a lost switch */
		c->task = task_of(t, running, cpu);
	}
	return c;
}

/* ---- events ---- */

enum { RUNNING, ID };

static struct cpu_time *at_irq(struct top *t, const struct tracer_hit *hit)
{
	return at_event(t, hit, (u32)tracer_u64(hit, RUNNING));
}

static struct top_work begin(const struct tracer_hit *hit)
{
	return (struct top_work){ true, (u32)tracer_u64(hit, ID), tracer_cpu(hit), 0 };
}

/* Begins a handler. Handlers of interrupts do not interrupt each other. */
static int on_irq_entry(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct cpu_time *c = at_irq(arg, hit);

	(void)r;
	if (!c)
		return 0;
	if (c->irq.open)
		end_irq(arg, tracer_cpu(hit), false);
	c->irq = begin(hit);
	return 0;
}

static int on_irq_exit(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct cpu_time *c = at_irq(arg, hit);

	(void)r;
	if (c && c->irq.open)
		end_irq(arg, tracer_cpu(hit), c->irq.id == (u32)tracer_u64(hit, ID));
	return 0;
}

/*
 * Begins a softirq. It interrupts neither a handler nor another softirq, so what is still open is
 * dropped.
 */
static int on_softirq_entry(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct cpu_time *c = at_irq(arg, hit);

	(void)r;
	if (!c)
		return 0;
	drop_open(arg, tracer_cpu(hit));
	c->softirq = begin(hit);
	return 0;
}

static int on_softirq_exit(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct cpu_time *c = at_irq(arg, hit);

	(void)r;
	if (!c)
		return 0;
	if (c->irq.open)
		end_irq(arg, tracer_cpu(hit), false);
	if (c->softirq.open)
		end_softirq(arg, tracer_cpu(hit), c->softirq.id == (u32)tracer_u64(hit, ID));
	return 0;
}

enum { PREV_PID, PREV_COMM, PREV_STATE, NEXT_PID, NEXT_COMM };

static void name_task(struct top *t, u32 task, const struct tracer_hit *hit, unsigned field)
{
	u32 len;
	const char *name = tracer_text(hit, field, &len);

	t->tasks.items[task].name = strtab_add_n(&t->names, name, len);
}

static int on_switch(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct top *t = arg;
	u32 prev_pid = (u32)tracer_u64(hit, PREV_PID), next, prev;
	struct cpu_time *c = at_event(t, hit, prev_pid);
	u32 cpu = tracer_cpu(hit);

	(void)r;
	if (!c)
		return 0;
	if (c->irq.open)
		end_irq(t, cpu, false);
	prev = c->task;
	name_task(t, prev, hit, PREV_COMM);
	t->tasks.items[prev].softirq = c->softirq;
	if (prev_pid && tracer_u64(hit, PREV_STATE) & DEAD_STATES)
		map64_remove(&t->by_pid, key_of(prev_pid, cpu)); /* its number can come again */
	next = task_of(t, (u32)tracer_u64(hit, NEXT_PID), cpu);
	name_task(t, next, hit, NEXT_COMM);
	c->task = next;
	c->softirq = t->tasks.items[next].softirq;
	t->tasks.items[next].softirq = (struct top_work){ 0 };
	return 0;
}

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct top *t = arg;

	for (u32 i = 0; i < t->cpus.count; i++)
		if (gap->cpu == UINT32_MAX || gap->cpu == i)
			t->cpus.items[i].known = false;
}

static bool keep(void *arg, const struct sample *s)
{
	return kwork_keep(((const struct top *)arg)->k, s);
}

void kwork_top_release(struct top *t)
{
	vec_release(&t->cpus);
	vec_release(&t->tasks);
	vec_release(&t->shares);
	map64_release(&t->by_pid);
	map64_release(&t->by_share);
	strtab_release(&t->names);
}

#define FIELDS(id) .fields = { [RUNNING] = { "common_pid" }, [ID] = { id } }

static const struct {
	enum kwork_kind kind;
	struct tracer_row row;
} all_rows[] = {
	{ KWORK_SCHED,
	  { "sched:sched_switch", .fn = on_switch,
	    .fields = { [PREV_PID] = { "prev_pid" },
			[PREV_COMM] = { "prev_comm", TRACER_TEXT },
			[PREV_STATE] = { "prev_state" },
			[NEXT_PID] = { "next_pid" },
			[NEXT_COMM] = { "next_comm", TRACER_TEXT } } } },
	{ KWORK_IRQ, { "irq:irq_handler_entry", .fn = on_irq_entry, FIELDS("irq") } },
	{ KWORK_IRQ, { "irq:irq_handler_exit", .fn = on_irq_exit, FIELDS("irq") } },
	{ KWORK_SOFTIRQ, { "irq:softirq_entry", .fn = on_softirq_entry, FIELDS("vec") } },
	{ KWORK_SOFTIRQ, { "irq:softirq_exit", .fn = on_softirq_exit, FIELDS("vec") } },
};

int kwork_run_top(struct kwork *k, const struct sort_order *order, struct reason *r)
{
	struct top t = { .k = k, .session = k->a.session };
	struct tracer_row rows[ARRAY_SIZE(all_rows)];
	size_t count = 0;
	char *hint = kwork_record_hint(k);
	struct tracer *tracer;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(all_rows); i++)
		if (kwork_has(k, all_rows[i].kind)) {
			rows[count] = all_rows[i].row;
			rows[count++].optional = all_rows[i].kind != KWORK_SCHED && !k->kinds_text;
		}
	strtab_add(&t.names, "");
	tracer = tracer_new(&(struct tracer_settings){
		.rows = rows,
		.row_count = count,
		.lost = on_lost,
		.record = hint,
		.keep = sample_choice_any(&k->filters.choice) ? keep : NULL,
		.no_tasks = true,
		.no_locations = true,
		.no_chains = true,
		.arg = &t });
	err = tracer_run(tracer, t.session, r);
	tracer_free(tracer);
	free(hint);
	drop_all(&t);
	if (!err)
		kwork_print_top(&t, order);
	kwork_top_release(&t);
	return err;
}
