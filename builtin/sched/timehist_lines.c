// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of perf sched timehist, in the columns of perf 6.1. */
#include "builtin/sched/timehist.h"

#include <string.h>

static void put_rule(struct strbuf *b, const char *before, int length)
{
	strbuf_str(b, before);
	strbuf_pad(b, '-', length);
}

static void put_visual_header(const struct timehist *th, struct strbuf *b)
{
	static const char digits[] = "0123456789abcdef";

	strbuf_char(b, ' ');
	for (u32 i = 0; i < th->cpu_count; i++)
		strbuf_char(b, digits[i % 16]);
	strbuf_char(b, ' ');
}

void timehist_put_header(const struct timehist *th, struct strbuf *b)
{
	strbuf_f(b, "%15s %6s ", "time", "cpu");
	if (th->visual)
		put_visual_header(th, b);
	strbuf_f(b, " %-*s", (int)th->comm_width, "task name");
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
	strbuf_f(b, " %-*s", (int)th->comm_width, "[tid/pid]");
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
	put_rule(b, " ", (int)th->comm_width);
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

/* Adds a name, padded to the width of its column. */
static void put_name(const char *name, u32 len, u32 width, struct strbuf *b)
{
	strbuf_char(b, ' ');
	strbuf_add(b, name, len);
	strbuf_pad(b, ' ', (int)width - (int)len);
}

static void put_next(const struct timehist_line *l, struct strbuf *b)
{
	static const char before[] = " next: ";
	u32 len = (u32)strlen(before) - 1 + l->other_len;

	strbuf_str(b, before);
	strbuf_add(b, l->text + l->name_len, l->other_len);
	strbuf_pad(b, ' ', (int)l->other_width - (int)len);
}

static void put_time(struct strbuf *b, u64 ns, int width)
{
	if (ns != TIMEHIST_UNKNOWN) {
		sched_put_ms(b, ns, width);
		return;
	}
	strbuf_pad(b, ' ', width + 3);
	strbuf_str(b, "- ");
}

static void put_switch(const struct timehist *th, const struct timehist_line *l, struct strbuf *b)
{
	put_time(b, l->waited, 6);
	put_time(b, l->delay, 6);
	put_time(b, l->ran, 6);
	if (th->state)
		strbuf_f(b, " %5s ", l->state);
	if (th->pre_migrations) {
		strbuf_char(b, ' ');
		sched_put_ms(b, l->unmoved, 8);
	}
	if (th->next)
		put_next(l, b);
	else if (th->wakeups)
		strbuf_pad(b, ' ', (int)l->width + 2);
	strbuf_add(b, l->text + l->name_len + l->other_len, l->chain_len);
}

/* Adds the task that was woken or moved, under the three columns of times. */
static void put_other(const struct timehist *th, const struct timehist_line *l, const char *what,
		      struct strbuf *b)
{
	strbuf_pad(b, ' ', 2 + 9 + 2 + 9 + 2 + 9 + 1 + (th->show_prio ? 7 : 0));
	strbuf_str(b, what);
	strbuf_add(b, l->text + l->name_len, l->other_len);
}

static void put_loss(const struct timehist_line *l, struct strbuf *b)
{
	sched_put_seconds(b, l->time, 15);
	strbuf_f(b, " lost %" PRIu64 " events", l->lost);
	if (l->cpu != UINT32_MAX)
		strbuf_f(b, " on cpu %u", l->cpu);
	strbuf_char(b, '\n');
}

void timehist_put_line(const struct timehist *th, const struct timehist_line *l, struct strbuf *b)
{
	if (l->kind == TIMEHIST_LOSS) {
		put_loss(l, b);
		return;
	}
	put_place(b, l->time, l->cpu);
	if (th->visual && l->mark)
		put_visual(th, l->cpu, l->mark, b);
	else if (th->visual)
		strbuf_pad(b, ' ', (int)th->cpu_count + 2);
	put_name(l->text, l->name_len, l->width, b);
	strbuf_char(b, ' ');
	if (l->kind == TIMEHIST_SWITCH) {
		if (th->show_prio)
			strbuf_f(b, "%6d ", l->prio);
		put_switch(th, l, b);
	} else {
		put_other(th, l, l->kind == TIMEHIST_WAKEUP ? "awakened: " : "migrated: ", b);
	}
	if (l->kind == TIMEHIST_MOVE)
		strbuf_f(b, " cpu %u => %u", l->from, l->to);
	strbuf_char(b, '\n');
}
