// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks and streams of two recordings side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_table.h"
#include "builtin/diff/branches.h"
#include "builtin/diff/diff.h"
#include "statistics/statistics.h"

struct pair {
	const struct block *base, *data;
	double change; /* how the mean cycles changed */
};

static double mean(const struct block *b)
{
	return b->sum / (double)b->count;
}

/* Returns the variance of the values, 0 for a single one. */
static double variance(const struct block *b)
{
	double n = (double)b->count, v;

	if (b->count < 2)
		return 0;
	v = (b->squares - b->sum * b->sum / n) / (n - 1);
	return v > 0 ? v : 0;
}

static int pair_cmp(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;
	double x = fabs(a->change), y = fabs(b->change);

	return x > y ? -1 : x < y ? 1 : strcmp(a->base->key, b->base->key);
}

/* ---- the table of blocks ---- */

static void put_share(const struct branch_profile *p, const struct block *b, struct strbuf *out)
{
	struct strbuf key = STRBUF_INIT;
	const u64 *period;
	u64 all = branch_profile_period(p, b->event);

	/* the symbol without its mark "[.] " */
	strbuf_f(&key, "%" PRIu32 "\n%s\n%s", b->event, b->dso, b->symbol + 4);
	period = strmap_get(&p->symbol_period, strbuf_cstr(&key));
	strbuf_release(&key);
	if (period && all)
		strbuf_f(out, "%.2f%%", 100 * (double)*period / (double)all);
}

static void put_interval(const struct pair *p, double level, struct strbuf *out)
{
	double spread = statistics_normal_quantile(level) *
			sqrt(variance(p->base) / (double)p->base->count +
			     variance(p->data) / (double)p->data->count);

	if (p->base->count < 2 || p->data->count < 2)
		return;
	if (fabs(p->change) <= spread)
		strbuf_str(out, "no significant change");
	else
		strbuf_f(out, "[%+.1f, %+.1f]", p->change - spread, p->change + spread);
}

/* Adds eight bars that show how often the values from low to high came. */
static void put_bars(const struct block *b, u16 low, u16 high, struct strbuf *out)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	u32 counts[8] = { 0 }, most = 0;

	vec_for_each(&b->values, v)
		counts[(u32)(*v - low) * 8 / ((u32)(high - low) + 1)]++;
	for (int i = 0; i < 8; i++)
		most = MAX(most, counts[i]);
	for (int i = 0; i < 8; i++)
		strbuf_str(out, bars[most ? (counts[i] * 8 + most - 1) / most : 0]);
}

/* Adds "+-2.1% |..:|" of the baseline, then of the data, on one scale. */
static void put_histogram(const struct pair *p, struct strbuf *out)
{
	u16 low = UINT16_MAX, high = 0;

	for (int i = 0; i < 2; i++)
		vec_for_each(i ? &p->data->values : &p->base->values, v) {
			low = MIN(low, *v);
			high = MAX(high, *v);
		}
	for (int i = 0; i < 2; i++) {
		const struct block *b = i ? p->data : p->base;

		strbuf_f(out, "%s± %.1f%% ", i ? "  " : "", 100 * sqrt(variance(b)) / mean(b));
		put_bars(b, low, high, out);
	}
}

static void put_pair(const struct branch_profile *base, const struct pair *p,
		     const struct block_draw *draw, struct text_table *t)
{
	struct strbuf b = STRBUF_INIT;

	put_share(base, p->base, &b);
	text_table_cell(t, strbuf_cstr(&b), NULL);
	strbuf_clear(&b);
	strbuf_f(&b, "[%s] %4.0f", p->base->range, p->change);
	text_table_cell(t, strbuf_cstr(&b), NULL);
	if (draw->confidence) {
		strbuf_clear(&b);
		put_interval(p, draw->level, &b);
		text_table_cell(t, strbuf_cstr(&b), NULL);
	}
	if (draw->histogram) {
		strbuf_clear(&b);
		put_histogram(p, &b);
		text_table_cell(t, strbuf_cstr(&b), NULL);
	}
	text_table_cell(t, p->base->dso, NULL);
	text_table_cell(t, p->base->symbol, NULL);
	strbuf_release(&b);
}

static struct text_table *block_heads(const struct block_draw *draw)
{
	struct text_column columns[6];
	char *sure = xasprintf("%.4g%% interval", 100 * draw->level);
	struct text_table *t;
	size_t n = 0;

	columns[n++] = (struct text_column){ .head = "Baseline", .right = true };
	columns[n++] = (struct text_column){ .head = diff_method_head(DIFF_CYCLES), .right = true };
	if (draw->confidence)
		columns[n++] = (struct text_column){ .head = sure, .right = true };
	if (draw->histogram)
		columns[n++] = (struct text_column){ .head = "stddev/Hist" };
	columns[n++] = (struct text_column){ .head = "Shared Object" };
	columns[n++] = (struct text_column){ .head = "Symbol", .ragged = true };
	t = text_table_new(columns, n);
	free(sure);
	return t;
}

void block_table_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		      u32 data_event, const struct block_draw *draw, struct strbuf *b)
{
	const struct text_table_style style = { .separator = draw->separator,
						.no_heads = draw->no_heads };
	struct text_table *t = block_heads(draw);
	VEC(struct pair) pairs = VEC_INIT;

	vec_for_each(&base->blocks, block) {
		struct pair p = { .base = *block };

		p.data = (*block)->event == event
				 ? branch_profile_block(data, data_event, (*block)->key)
				 : NULL;
		if (!p.data)
			continue;
		p.change = mean(p.data) - mean(p.base);
		vec_push(&pairs, p);
	}
	vec_sort(&pairs, pair_cmp);
	vec_for_each(&pairs, p)
		put_pair(base, p, draw, t);
	text_table_put(t, &style, b);
	text_table_free(t);
	vec_release(&pairs);
}

/* ---- streams ---- */

enum { STREAMS = 5, STREAM_WIDTH = 42 };

static int stream_cmp(const void *pa, const void *pb)
{
	const struct stream *a = *(struct stream *const *)pa, *b = *(struct stream *const *)pb;

	return a->hits > b->hits ? -1 : a->hits < b->hits ? 1 : strcmp(a->key, b->key);
}

struct hot {
	VEC(const struct stream *) list;
};

static void find_hot(const struct branch_profile *p, u32 event, struct hot *out)
{
	vec_for_each(&p->streams, s)
		if ((*s)->event == event)
			vec_push(&out->list, *s);
	vec_sort(&out->list, stream_cmp);
	out->list.count = MIN(out->list.count, (size_t)STREAMS);
}

static const struct stream *like(const struct hot *h, const struct stream *s)
{
	vec_for_each(&h->list, other)
		if (!strcmp((*other)->key, s->key))
			return *other;
	return NULL;
}

static void put_cell(const char *text, struct strbuf *b)
{
	strbuf_pad(b, ' ', STREAM_WIDTH - (int)strlen(text));
	strbuf_str(b, text);
}

static void put_stream_head(const struct branch_profile *p, u32 event, const struct stream *s,
			    struct strbuf *b)
{
	u64 all = branch_profile_samples(p, event);
	char *text = xasprintf("cycles: %.0f, hits: %.2f%%", s->cycles / (double)s->hits,
			       all ? 100 * (double)s->hits / (double)all : 0);

	put_cell(text, b);
	free(text);
}

static void put_places(const struct stream *a, const struct stream *b, struct strbuf *out)
{
	for (size_t i = 0; i < a->places.count; i++) {
		put_cell(a->places.items[i], out);
		if (b) {
			strbuf_char(out, '\t');
			put_cell(b->places.items[i], out);
		}
		strbuf_char(out, '\n');
	}
	strbuf_char(out, '\n');
}

static void put_alone(const struct branch_profile *p, u32 event, const struct hot *mine,
		      const struct hot *theirs, const char *head, struct strbuf *b)
{
	int n = 0;

	strbuf_f(b, "[ %s ]\n\n", head);
	vec_for_each(&mine->list, s) {
		if (like(theirs, *s))
			continue;
		strbuf_f(b, "hot chain %d:\n", ++n);
		put_stream_head(p, event, *s, b);
		strbuf_char(b, '\n');
		put_cell("--------------------------", b);
		strbuf_char(b, '\n');
		put_places(*s, NULL, b);
	}
}

void stream_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		 u32 data_event, struct strbuf *b)
{
	struct hot mine = { 0 }, theirs = { 0 };
	int n = 0;

	find_hot(base, event, &mine);
	find_hot(data, data_event, &theirs);
	strbuf_str(b, "[ Matched hot streams ]\n\n");
	vec_for_each(&mine.list, s) {
		const struct stream *other = like(&theirs, *s);

		if (!other)
			continue;
		strbuf_f(b, "hot chain pair %d:\n", ++n);
		put_stream_head(base, event, *s, b);
		strbuf_char(b, '\t');
		put_stream_head(data, data_event, other, b);
		strbuf_char(b, '\n');
		put_cell("--------------------------", b);
		strbuf_char(b, '\t');
		put_cell("--------------------------", b);
		strbuf_char(b, '\n');
		put_places(*s, other, b);
	}
	put_alone(base, event, &mine, &theirs, "Hot streams in old perf data only", b);
	put_alone(data, data_event, &theirs, &mine, "Hot streams in new perf data only", b);
	vec_release(&mine.list);
	vec_release(&theirs.list);
}
