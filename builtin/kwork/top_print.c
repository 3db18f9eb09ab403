// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of perf kwork top. */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/top.h"
#include "cli/say.h"

enum { PID = 7, RATE = 6, BAR = 30, RUNTIME = 13, COMMAND = 16 };

static u64 time_of(const struct cpu_time *c)
{
	return c->hard + c->soft + c->idle + c->tasks;
}

static void add_rates(struct top *t)
{
	vec_for_each(&t->shares, s)
		t->tasks.items[s->task].rate +=
			100.0 * (double)s->time / (double)time_of(&t->cpus.items[s->cpu]);
	vec_for_each(&t->tasks, task)
		task->wanted =
			task->runtime &&
			(!t->k->name || !strcmp(strtab_get(&t->names, task->name), t->k->name));
}

static int up(double a, double b)
{
	return a < b ? -1 : a > b;
}

static int task_cmp(const void *x, const void *y, void *arg)
{
	const struct sort_order *o = arg;
	const struct top_task *a = x, *b = y;
	int c = 0;

	for (unsigned i = 0; !c && i < o->count; i++)
		switch (o->keys[i]) {
		case SORT_RATE:
			c = up(b->rate, a->rate);
			break;
		case SORT_RUNTIME:
			c = up((double)b->runtime, (double)a->runtime);
			break;
		default:
			c = a->pid < b->pid ? -1 : a->pid > b->pid;
		}
	if (!c)
		c = a->pid < b->pid ? -1 : a->pid > b->pid;
	if (!c)
		c = a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
	return c ? c : up((double)b->runtime, (double)a->runtime);
}

/* ---- text ---- */

static void put_bar(const struct cpu_time *c, u32 cpu, struct strbuf *b)
{
	u64 ratio = c->tasks * 10000 / time_of(c);
	int width = (int)(BAR * ratio / 10000);

	strbuf_f(b, "%%Cpu%-4" PRIu32 "[", cpu);
	strbuf_pad(b, '|', width);
	strbuf_pad(b, ' ', BAR - width);
	strbuf_f(b, " %*.2f%%]\n", RATE, (double)ratio / 100);
}

static void put_cpus(const struct top *t, struct strbuf *b)
{
	u64 all = 0, idle = 0, hard = 0, soft = 0;
	u32 count = 0;
	double part;

	vec_for_each(&t->cpus, c) {
		all += time_of(c);
		idle += c->idle;
		hard += c->hard;
		soft += c->soft;
		count += !!time_of(c);
	}
	part = all ? 100.0 / (double)all : 0.0;
	strbuf_f(b, "\nTotal  : %10.3f ms, %" PRIu32 " cpus\n", (double)all / 1e6, count);
	strbuf_f(b, "%%Cpu(s): %*.2f%% id, %*.2f%% hi, %*.2f%% si\n", RATE, (double)idle * part,
		 RATE, (double)hard * part, RATE, (double)soft * part);
	for (u32 i = 0; i < t->cpus.count; i++)
		if (time_of(&t->cpus.items[i]))
			put_bar(&t->cpus.items[i], i, b);
}

static void put_task(const struct top *t, const struct top_task *task, struct strbuf *b)
{
	const char *name = strtab_get(&t->names, task->name);
	size_t start;

	strbuf_f(b, "  %*" PRIu32 "  ", PID, task->pid);
	if (t->in_kernel)
		strbuf_f(b, "%*" PRIu32 "  ", PID, task->tgid);
	strbuf_f(b, "%*.2f  %*.3f ms  ", RATE, task->rate, RUNTIME, (double)task->runtime / 1e6);
	start = b->len;
	if (task->is_kernel)
		strbuf_char(b, '[');
	strbuf_printable(b, name);
	if (task->is_kernel)
		strbuf_char(b, ']');
	strbuf_pad(b, ' ', COMMAND - (int)(b->len - start));
	strbuf_char(b, '\n');
}

static void put_tasks(const struct top *t, struct strbuf *b)
{
	size_t start;

	strbuf_str(b, "\n ");
	start = b->len;
	strbuf_f(b, " %*s  ", PID, "PID");
	if (t->in_kernel)
		strbuf_f(b, "%*s  ", PID, "SPID");
	strbuf_f(b, "%*s  %*s  %-*s", RATE, "%CPU", RUNTIME + 3, "RUNTIME", COMMAND, "COMMAND");
	start = b->len - start;
	strbuf_str(b, "\n  ");
	strbuf_pad(b, '-', (int)start);
	strbuf_char(b, '\n');
	vec_for_each(&t->tasks, task)
		if (task->wanted)
			put_task(t, task, b);
	strbuf_char(b, '\n');
}

/* Finds names for tasks that were never switched, in the side-band records. */
static void name_strangers(struct top *t)
{
	static const struct order_key end = { .time = UINT64_MAX };
	struct history *h = t->session ? session_history(t->session) : NULL;

	if (!h)
		return;
	vec_for_each(&t->tasks, task) {
		const struct task *known;

		if (task->name || !task->runtime)
			continue;
		known = history_task(h, 0, task->pid, task->pid, &end);
		task->name =
			strtab_add(&t->names, history_comm_text(h, history_comm(h, known, &end)));
	}
}

static bool any_wanted(const struct top *t)
{
	vec_for_each(&t->tasks, task)
		if (task->wanted)
			return true;
	return false;
}

void kwork_print_top(struct top *t, const struct sort_order *order)
{
	struct strbuf *b = out_buf(&t->k->a.out);

	name_strangers(t);
	add_rates(t);
	if (!any_wanted(t) && !t->k->name)
		say_empty_table(t->k->a.ctx, "no task was seen to run",
				sample_choice_any(&t->k->filters.choice));
	if (t->k->name && !any_wanted(t))
		condition_add(&t->k->a.ctx->conditions, CONDITION_WARNING, "kwork-absent", NULL,
			      NULL, 1, NULL, "no task that ran has the name '%s'", t->k->name);
	put_cpus(t, b);
	if (t->tasks.count)
		qsort_r(t->tasks.items, t->tasks.count, sizeof(*t->tasks.items), task_cmp,
			(void *)order);
	put_tasks(t, b);
}
