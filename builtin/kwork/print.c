// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables and lines, laid out as perf 6.1 prints them. */
#include <stdlib.h>
#include <string.h>

#include "builtin/kwork/internal.h"
#include "cli/say.h"

enum { NAME = 30, CPU = 4, MS = 10, STAMP = 17, COUNT = 9 };

static void put_dots(struct strbuf *b, size_t n)
{
	strbuf_pad(b, '-', (int)n);
}

static void put_ms(struct strbuf *b, u64 ns)
{
	strbuf_millis(b, ns, MS);
}

/* Adds seconds with microseconds, cut rather than rounded. */
static void put_stamp(struct strbuf *b, u64 ns)
{
	strbuf_dec_pad(b, ns / 1000000000, STAMP - 7);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, ns % 1000000000 / 1000, 6);
}

/* ---- report, latency ---- */

static void put_separator(struct strbuf *b, size_t width)
{
	strbuf_char(b, ' ');
	put_dots(b, width);
	strbuf_char(b, '\n');
}

static size_t put_heads(const struct kwork *k, struct strbuf *b)
{
	bool delay = k->view == KWORK_LATENCY;
	const char *what = delay ? "Max delay" : "Max runtime";
	size_t start;

	strbuf_str(b, "\n ");
	start = b->len;
	strbuf_f(b, " %-*s | %-*s | %-*s | %-*s | %-*s |", NAME, "Kwork Name", CPU, "Cpu", MS + 3,
		 delay ? "Avg delay" : "Total Runtime", COUNT, "Count", MS + 3, what);
	strbuf_f(b, " %s start%*s | %s end%*s |", what, delay ? 4 : 2, "", what, delay ? 6 : 4, "");
	start = b->len - start;
	strbuf_char(b, '\n');
	put_separator(b, start);
	return start;
}

static void put_row(const struct works *w, struct work *work, struct strbuf *b)
{
	strbuf_add(b, "  ", 2);
	strbuf_str(b, works_title(w, work));
	strbuf_f(b, " | %0*" PRIu32 " | ", CPU, work->cpu);
	if (w->k->view == KWORK_LATENCY)
		strbuf_f(b, "%*.3f", MS, (double)work->total / (double)work->count / 1e6);
	else
		put_ms(b, work->total);
	strbuf_f(b, " ms | %*" PRIu64 " | ", COUNT, work->count);
	put_ms(b, work->max);
	strbuf_str(b, " ms | ");
	put_stamp(b, work->max_from);
	strbuf_str(b, " s | ");
	put_stamp(b, work->max_until);
	strbuf_str(b, " s |\n");
}

static void put_summary(const struct works *w, struct strbuf *b)
{
	u64 time = w->last - w->first;

	strbuf_f(b, "  Total count            : %9" PRIu64 "\n", w->all_count);
	strbuf_f(b, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n",
		 (double)w->all_runtime / 1e6,
		 time ? 100.0 * (double)w->all_runtime / (double)time : 0.0);
	strbuf_f(b, "  Total time span (msec) : %9.3f\n", (double)time / 1e6);
}

static void put_lost(const struct works *w, struct strbuf *b)
{
	const struct session_stats *s = session_stats(w->session);

	if (s->lost_events && s->total)
		strbuf_f(b,
			 "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64 ", in %" PRIu64
			 " chunks)\n",
			 100.0 * (double)s->lost_events / (double)s->total, s->lost_events,
			 s->total, s->lost_chunks);
}

static void put_skipped(const struct works *w, struct strbuf *b)
{
	const u64 *n = w->skipped, all = n[EVENT_RAISE] + n[EVENT_ENTRY] + n[EVENT_EXIT];
	u64 total = session_stats(w->session)->total;

	if (all && total)
		strbuf_f(b,
			 "  INFO: %.3f%% skipped events (%" PRIu64 " including %" PRIu64
			 " raise, %" PRIu64 " entry, %" PRIu64 " exit)\n",
			 100.0 * (double)all / (double)total, all, n[EVENT_RAISE], n[EVENT_ENTRY],
			 n[EVENT_EXIT]);
}

void kwork_explain_empty(const struct works *w)
{
	const struct kwork *k = w->k;

	if (w->session && k->name && !w->met_name) /* a warning says so */
		return;
	say_empty_table(k->a.ctx,
			k->view == KWORK_LATENCY ? "no work was seen both raised and started"
						 : "no work was seen from its start to its end",
			k->kinds_text || k->name || sample_choice_any(&k->filters.choice));
}

void kwork_print_table(struct works *w, const struct sort_order *order, struct strbuf *b)
{
	size_t count, width = put_heads(w->k, b);
	struct work **rows = works_sorted(w, order, &count);

	for (size_t i = 0; i < count; i++)
		put_row(w, rows[i], b);
	free(rows);
	if (!count)
		kwork_explain_empty(w);
	put_separator(b, width);
	if (w->k->summary) {
		put_summary(w, b);
		put_separator(b, width);
	}
	if (w->session) {
		put_lost(w, b);
		put_skipped(w, b);
	}
	strbuf_char(b, '\n');
}

/* ---- timehist ---- */

static const int timehist_widths[] = { STAMP, STAMP, CPU + 2, NAME, MS, MS };

static void put_timehist_row(struct strbuf *b, const char *const *cells)
{
	for (size_t i = 0; i < ARRAY_SIZE(timehist_widths); i++)
		strbuf_f(b, "%s%-*s", i ? "  " : " ", timehist_widths[i], cells[i]);
	strbuf_char(b, '\n');
}

void kwork_print_timehist_head(struct strbuf *b)
{
	static const char *const heads[] = { "Runtime start", "Runtime end", "Cpu",
					     "Kwork name",    "Runtime",     "Delaytime" };
	static const char *const units[] = { "", "", "", "(TYPE)NAME:NUM", "(msec)", "(msec)" };

	put_timehist_row(b, heads);
	put_timehist_row(b, units);
	for (size_t i = 0; i < ARRAY_SIZE(timehist_widths); i++) {
		strbuf_str(b, i ? "  " : " ");
		put_dots(b, (size_t)timehist_widths[i]);
	}
	strbuf_char(b, '\n');
}

void kwork_add_line(struct works *w, const struct lane *lane, u64 until)
{
	struct work *work = &w->list.items[lane->row - 1];
	const char *chain = lane->chain ? lane->chain : "";
	size_t len = strlen(chain) + 1;
	struct kwork_line *s = session_line(w->lines, sizeof(*s) + len);
	u64 since = lane->entered.since, raised = lane->delayed_since;

	w->has_lines = true;
	*s = (struct kwork_line){ since, until,
				  raised && raised <= since ? since - raised : UINT64_MAX,
				  works_title(w, work), work->cpu };
	memcpy(s->chain, chain, len);
}

void kwork_put_line(const void *arg, const void *facts, struct strbuf *b)
{
	const struct kwork_line *s = facts;

	(void)arg;
	strbuf_char(b, ' ');
	put_stamp(b, s->since);
	strbuf_add(b, "  ", 2);
	put_stamp(b, s->until);
	strbuf_add(b, "  [", 3);
	strbuf_dec_zero(b, s->cpu, CPU);
	strbuf_add(b, "]  ", 3);
	strbuf_str(b, s->title);
	strbuf_add(b, "  ", 2);
	put_ms(b, s->until - s->since);
	strbuf_add(b, "  ", 2);
	if (s->delay != UINT64_MAX)
		put_ms(b, s->delay);
	else
		strbuf_pad(b, ' ', MS);
	strbuf_char(b, ' ');
	if (s->chain[0]) {
		strbuf_char(b, ' ');
		strbuf_str(b, s->chain);
	}
	strbuf_char(b, '\n');
}
