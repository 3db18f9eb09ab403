// SPDX-License-Identifier: GPL-2.0-or-later
/* -v: how the time of each task and CPU was spent; the parts add up to the whole. */
#include "builtin/sched/internal.h"

static void put_cell(struct strbuf *b, u64 ns, int width)
{
	strbuf_dec_pad(b, ns / 1000000, width - 7);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, ns % 1000000, 6);
}

static void put_row(struct tasks *t, const struct tasks_row *row, struct strbuf *b)
{
	static const enum tasks_state order[] = {
		TASKS_RUNNING,  TASKS_READY,   TASKS_PREEMPTED,
		TASKS_SLEEPING, TASKS_BLOCKED, TASKS_UNKNOWN,
	};
	size_t from = b->len;
	u64 total = 0;

	strbuf_str(b, "  ");
	strbuf_printable(b, tasks_comm(t, row->comm));
	strbuf_f(b, ":%u", row->life->tid);
	strbuf_pad(b, ' ', 26 - (int)(b->len - from));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		total += row->sums.ns[order[i]];
		put_cell(b, row->sums.ns[order[i]], 15);
	}
	put_cell(b, total, 15);
	strbuf_char(b, '\n');
}

static u64 row_total(const struct tasks_row *row)
{
	u64 sum = 0;

	for (int i = 0; i < TASKS_STATES; i++)
		sum += row->sums.ns[i];
	return sum;
}

void sched_put_sums(struct tasks *t, struct context *ctx, struct out *out)
{
	const struct tasks_stats *st = tasks_stats(t);
	struct strbuf *b = out_buf(out);
	const struct tasks_cpu *cpus;
	size_t count;

	if (!ctx->verbose)
		return;
	strbuf_f(b, "\n  %-24s%15s%15s%15s%15s%15s%15s%15s\n", "Sums in ms", "run", "ready",
		 "preempted", "sleep", "blocked", "unknown", "= total");
	for (size_t i = 0; i < tasks_life_count(t); i++)
		for (const struct tasks_row *row = tasks_life_by_number(t, i)->rows; row;
		     row = row->next)
			if (row_total(row)) {
				put_row(t, row, b);
				out_done(out);
			}
	strbuf_f(b, "\n  %-24s%15s%15s%15s%15s\n", "", "busy", "idle", "unknown", "= elapsed");
	cpus = tasks_cpus(t, &count);
	for (size_t i = 0; i < count; i++) {
		if (!cpus[i].met)
			continue;
		strbuf_f(b, "  CPU %-20zu", i);
		put_cell(b, cpus[i].busy, 15);
		put_cell(b, cpus[i].idle, 15);
		put_cell(b, cpus[i].unknown, 15);
		put_cell(b, cpus[i].busy + cpus[i].idle + cpus[i].unknown, 15);
		strbuf_char(b, '\n');
	}
	strbuf_f(b, "\n  switches that were not recorded, and follow from run times: %" PRIu64,
		 st->inferred);
	strbuf_f(b,
		 "\n  waits whose wake-up was not seen, which count as sleep: %" PRIu64 "\n"
		 "  states that became unknown, by what was not recorded: %" PRIu64 "\n",
		 st->unwoken, st->in_doubt);
	out_done(out);
}
