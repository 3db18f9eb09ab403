// SPDX-License-Identifier: GPL-2.0-or-later
/* Delays as text: a table, and histograms. */
#include "builtin/sched/latency.h"

static void put_name(struct latency *l, const struct delays *d, struct strbuf *b)
{
	strbuf_printable(b, l->name(l, d->comm));
	if (l->hist_mode == HIST_CGROUP)
		return;
	if (d->merged > 1)
		strbuf_f(b, ":(%u)", d->merged);
	else
		strbuf_f(b, ":%u", d->tid);
}

static void put_line(struct latency *l, const struct delays *d, struct strbuf *b)
{
	size_t from = b->len;

	strbuf_str(b, "  ");
	put_name(l, d, b);
	strbuf_char(b, ' ');
	strbuf_pad(b, ' ', 24 - (int)(b->len - from));
	strbuf_f(b, "|%11.3f ms |%9" PRIu64 " | avg:%8.3f ms | max:%8.3f ms | max start: ",
		 (double)d->runtime / 1e6, d->count,
		 d->count ? (double)(d->total / d->count) / 1e6 : 0, (double)d->most / 1e6);
	sched_put_seconds(b, d->most_from, 12);
	strbuf_str(b, " s | max end: ");
	sched_put_seconds(b, d->most_to, 12);
	strbuf_str(b, " s\n");
}

static void put_rule(struct strbuf *b, int length)
{
	strbuf_char(b, ' ');
	strbuf_pad(b, '-', length);
	strbuf_char(b, '\n');
}

void latency_put_table(struct latency *l, struct out *out)
{
	struct strbuf *b = out_buf(out);
	u64 runtime = 0, count = 0;

	strbuf_char(b, '\n');
	put_rule(b, 139);
	strbuf_str(
		b,
		"  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay "
		"ms    | "
		"Max delay start           | Max delay end          |\n");
	put_rule(b, 139);
	vec_for_each(&l->rows, d) {
		if (delays_are_empty(d))
			break;
		put_line(l, d, b);
		runtime += d->runtime;
		count += d->count;
		out_done(out);
	}
	put_rule(b, 113);
	strbuf_f(b, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n", (double)runtime / 1e6,
		 count);
	put_rule(b, 51);
}

void latency_put_histograms(struct latency *l, struct out *out)
{
	struct strbuf *b = out_buf(out);

	if (!l->histogram)
		return;
	if (l->hist_mode == HIST_ALL) {
		strbuf_str(b, "\n  Delays of all tasks\n");
		histogram_put(&l->all, b);
	}
	vec_for_each(&l->rows, d)
		if (d->hist && !delays_are_empty(d)) {
			strbuf_str(b, "\n  Delays of ");
			put_name(l, d, b);
			strbuf_char(b, '\n');
			histogram_put(d->hist, b);
			out_done(out);
		}
	for (size_t i = 0; i < l->cpus.count; i++)
		if (l->cpus.items[i].count) {
			strbuf_f(b, "\n  Delays on CPU %zu\n", i);
			histogram_put(&l->cpus.items[i], b);
		}
}
