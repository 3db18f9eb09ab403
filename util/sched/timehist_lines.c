// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of perf sched timehist, in the columns of perf 6.1. */
#include "sched/timehist.h"

#include <string.h>

void timehist_put_chain(struct timehist *th, const struct session_sample *s, struct strbuf *b)
{
	enum { MOST = 128 };
	struct sched_frame frames[MOST];
	size_t count = sched_chain_of(th->frames, s, frames, MOST);
	const char *arrow = "";
	unsigned shown = 0;

	for (size_t i = 0; i < count && shown < th->max_stack; i++) {
		if (frames[i].scheduler)
			continue;
		strbuf_str(b, arrow);
		strbuf_printable(b, frames[i].name);
		arrow = " <- ";
		shown++;
	}
}

static void put_rule(struct strbuf *b, const char *before, int length)
{
	strbuf_str(b, before);
	strbuf_pad(b, '-', length);
}

static void put_padded(struct strbuf *b, const char *text, int width)
{
	size_t len = strlen(text);

	strbuf_add(b, text, len);
	strbuf_pad(b, ' ', width - (int)len);
}

static void put_visual_header(const struct timehist *th, struct strbuf *b)
{
	static const char digits[] = "0123456789abcdef";

	strbuf_char(b, ' ');
	for (u32 i = 0; i < th->cpu_count; i++)
		strbuf_char(b, digits[i % 16]);
	strbuf_char(b, ' ');
}

void timehist_put_header(struct timehist *th, struct strbuf *b)
{
	strbuf_f(b, "%15s %6s ", "time", "cpu");
	if (th->visual)
		put_visual_header(th, b);
	strbuf_f(b, " %-*s", th->comm_width, "task name");
	if (th->show_prio)
		strbuf_f(b, "  %5s", "prio");
	strbuf_f(b, "  %9s  %9s  %9s", "wait time", "sch delay", "run time");
	if (th->state)
		strbuf_str(b, "  state");
	if (th->pre_migrations)
		strbuf_f(b, "  %12s", "pre-mig time");
	strbuf_f(b, "\n%15s %-6s ", "", "");
	if (th->visual)
		strbuf_pad(b, ' ', (int)th->cpu_count + 2);
	strbuf_f(b, " %-*s", th->comm_width, "[tid/pid]");
	if (th->show_prio)
		strbuf_f(b, "  %5s", "");
	strbuf_f(b, "  %9s  %9s  %9s", "(msec)", "(msec)", "(msec)");
	if (th->state)
		strbuf_f(b, "  %5s", "");
	if (th->pre_migrations)
		strbuf_f(b, "  %12s", "(msec)");
	put_rule(b, "\n", 15);
	put_rule(b, " ", 6);
	strbuf_char(b, ' ');
	if (th->visual) {
		put_rule(b, " ", (int)th->cpu_count);
		strbuf_char(b, ' ');
	}
	put_rule(b, " ", th->comm_width);
	if (th->show_prio)
		put_rule(b, "  ", 5);
	for (int i = 0; i < 3; i++)
		put_rule(b, "  ", 9);
	if (th->state)
		put_rule(b, "  ", 5);
	if (th->pre_migrations)
		put_rule(b, "  ", 12);
	strbuf_char(b, '\n');
}

void timehist_put_name(struct timehist *th, const struct tasks_life *l, struct strbuf *b)
{
	size_t from = b->len;
	char name[17] = { 0 };

	if (!l) {
		strbuf_str(b, "<idle>");
		return;
	}
	memcpy(name, l->name, 16);
	strbuf_printable(b, name[0] ? name : ":");
	strbuf_char(b, '[');
	strbuf_dec(b, l->tid);
	if (l->pid != l->tid && l->pid != UINT32_MAX) {
		strbuf_char(b, '/');
		strbuf_dec(b, l->pid);
	}
	strbuf_char(b, ']');
	th->comm_width = MAX(th->comm_width, (int)(b->len - from));
}

static void put_place(struct strbuf *b, u64 time, u32 cpu)
{
	sched_put_seconds(b, time, 15);
	strbuf_str(b, " [");
	strbuf_dec_zero(b, cpu, 4);
	strbuf_str(b, "] ");
}

static void put_visual(const struct timehist *th, u32 cpu, char mark, struct strbuf *b)
{
	strbuf_char(b, ' ');
	strbuf_pad(b, ' ', (int)MIN(cpu, th->cpu_count));
	if (cpu < th->cpu_count) {
		strbuf_char(b, mark);
		strbuf_pad(b, ' ', (int)(th->cpu_count - cpu) - 1);
	}
	strbuf_char(b, ' ');
}

static void put_task(struct timehist *th, const struct tasks_life *l, struct strbuf *b)
{
	size_t from;

	strbuf_char(b, ' ');
	from = b->len;
	timehist_put_name(th, l, b);
	strbuf_pad(b, ' ', th->comm_width - (int)(b->len - from));
	strbuf_char(b, ' ');
}

static u64 after(u64 from, u64 to)
{
	return from && from < to ? to - from : 0;
}

static void put_times(struct timehist *th, const struct tasks_switch *s, struct strbuf *b)
{
	const struct tasks_wait *w = s->prev ? &s->prev->wait : NULL;
	u64 waited = 0, delay = 0;

	if (!w) {
		waited = timehist_cpu(th, s->cpu)->busy_before;
	} else if (w->in) {
		waited = after(w->out, w->in);
		/*
		 * a preempted task was not woken, so it has a wait time but no delay after a
		 * wake-up
		 */
		delay = w->why == TASKS_PREEMPTED ? 0 : after(w->woken, w->in);
	}
	sched_put_ms(b, waited, 6);
	sched_put_ms(b, delay, 6);
	sched_put_ms(b, s->ran, 6);
}

void timehist_put_switch(struct timehist *th, const struct tasks_switch *s, struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;
	const struct tasks_wait *w = s->prev ? &s->prev->wait : NULL;

	put_place(b, s->time, s->cpu);
	if (th->visual)
		put_visual(th, s->cpu, s->prev ? 's' : 'i', b);
	put_task(th, s->prev, b);
	if (th->show_prio)
		strbuf_f(b, "%6d ", s->prev ? s->prev->prio : 120);
	put_times(th, s, b);
	if (th->state)
		strbuf_f(b, " %5s ", s->prev ? s->state : "I");
	if (th->pre_migrations) {
		strbuf_char(b, ' ');
		sched_put_ms(b, w ? after(w->woken, w->moved) : 0, 8);
	}
	if (th->next) {
		strbuf_str(&text, "next: ");
		timehist_put_name(th, s->next, &text);
		strbuf_char(b, ' ');
		put_padded(b, strbuf_cstr(&text), th->comm_width);
		strbuf_release(&text);
	}
	if (th->wakeups && !th->next)
		strbuf_pad(b, ' ', th->comm_width + 2);
	if (s->prev && th->frames) {
		strbuf_str(b, "  ");
		timehist_put_chain(th, s->sample, b);
	}
	strbuf_char(b, '\n');
}

/* Under the three columns of times. */
static void put_gap(const struct timehist *th, struct strbuf *b)
{
	strbuf_pad(b, ' ', 2 + 9 + 2 + 9 + 2 + 9 + 1 + (th->show_prio ? 7 : 0));
}

void timehist_put_wakeup(struct timehist *th, const struct tasks_wakeup *w, struct strbuf *b)
{
	u32 tid = w->sample->sample->id.tid;

	put_place(b, w->sample->key.time, w->sample->sample->id.cpu);
	if (th->visual)
		strbuf_pad(b, ' ', (int)th->cpu_count + 2);
	put_task(th, tid ? tasks_now(th->a.tasks, tid) : NULL, b);
	put_gap(th, b);
	strbuf_str(b, "awakened: ");
	timehist_put_name(th, w->life, b);
	strbuf_char(b, '\n');
}

void timehist_put_move(struct timehist *th, const struct tasks_move *m, struct strbuf *b)
{
	u32 tid = m->sample->sample->id.tid, cpu = m->sample->sample->id.cpu;

	put_place(b, m->sample->key.time, cpu);
	if (th->visual)
		put_visual(th, cpu, 'm', b);
	put_task(th, tid ? tasks_now(th->a.tasks, tid) : NULL, b);
	put_gap(th, b);
	strbuf_str(b, "migrated: ");
	timehist_put_name(th, m->life, b);
	strbuf_f(b, " cpu %u => %u\n", m->from, m->to);
}
