// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies in slots, and their table, as perf draws it. */
#include "builtin/ftrace/internal.h"

enum { BAR = 46 }; /* the table fits in 80 columns */

void ftrace_histogram_init(struct ftrace_histogram *h, const struct ftrace *f)
{
	u64 most;

	*h = (struct ftrace_histogram){ .sums.min = UINT64_MAX };
	h->scale.unit = f->use_nsec ? 1 : 1000;
	h->scale.slots = LATENCY_POWERS;
	h->scale.range = f->bucket_range;
	if (!f->bucket_range)
		return;
	h->scale.min = f->min_latency ? f->min_latency : f->bucket_range;
	most = f->max_latency ? f->max_latency
			      : h->scale.min + f->bucket_range * (LATENCY_POWERS - 2);
	h->scale.max = most;
	h->scale.slots = (u32)((most - h->scale.min + f->bucket_range - 1) / f->bucket_range) + 2;
}

void ftrace_histogram_add(struct ftrace_histogram *h, u64 ns)
{
	h->slots[latency_slot(&h->scale, ns)]++;
	h->sums.count++;
	h->sums.total += ns;
	h->sums.min = MIN(h->sums.min, ns);
	h->sums.max = MAX(h->sums.max, ns);
}

/* Returns where a slot begins, in units. */
static u64 begin_of(const struct latency_scale *s, u32 slot)
{
	if (!slot)
		return 0;
	if (!s->range)
		return 1ULL << (slot - 1);
	return slot + 1 == s->slots ? s->max : s->min + (slot - 1) * s->range;
}

/*
 * Returns the unit in which both ends of a slot are printed. Sets *scale to the number of base
 * units in one.
 */
static const char *unit_of(const struct latency_scale *s, u64 from, u64 *scale)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	int i = s->unit == 1 ? 0 : 1;

	*scale = 1;
	if (!s->range && from >= 1024) {
		*scale = 1024;
		i++;
	}
	if (!s->range && from >= 1024 * 1024) {
		*scale = 1024 * 1024;
		i++;
	}
	return names[i];
}

static void put_slot(const struct ftrace_histogram *h, u32 slot, u64 most, struct strbuf *b)
{
	u64 from = begin_of(&h->scale, slot), scale;
	const char *unit = unit_of(&h->scale, from, &scale);
	int bar = most ? (int)(h->slots[slot] * BAR / most) : 0;

	strbuf_f(b, "  %4" PRIu64 " - ", from / scale);
	if (slot + 1 == h->scale.slots)
		strbuf_f(b, "%-4s", "...");
	else
		strbuf_f(b, "%-4" PRIu64, begin_of(&h->scale, slot + 1) / scale);
	strbuf_f(b, " %2s | %10" PRIu64 " | ", unit, h->slots[slot]);
	strbuf_pad(b, '#', bar);
	strbuf_pad(b, ' ', BAR - bar);
	strbuf_str(b, " |\n");
}

static void put_sums(const struct ftrace_histogram *h, const struct ftrace *f, struct strbuf *b)
{
	double unit = f->use_nsec ? 1 : 1000;
	int decimals = f->use_nsec ? 0 : 3;
	const struct latency_sums *s = &h->sums;

	strbuf_f(b, "\n# statistics  (in %s)\n", f->use_nsec ? "nsec" : "usec");
	strbuf_f(b, "  total time: %20.*f\n", decimals, (double)s->total / unit);
	strbuf_f(b, "    avg time: %20.*f\n", decimals, (double)s->total / (double)s->count / unit);
	strbuf_f(b, "    max time: %20.*f\n", decimals, (double)s->max / unit);
	strbuf_f(b, "    min time: %20.*f\n", decimals, (double)s->min / unit);
	strbuf_f(b, "       count: %20" PRIu64 "\n", s->count);
}

void ftrace_histogram_print(const struct ftrace_histogram *h, const struct ftrace *f,
			    struct strbuf *b)
{
	if (!h->sums.count) {
		strbuf_str(b, "No data found\n");
		return;
	}
	strbuf_f(b, "# %14s | %10s | %-*s |\n", "  DURATION    ", "COUNT", BAR, "GRAPH");
	for (u32 i = 0; i < h->scale.slots; i++)
		if (h->slots[i] || !f->hide_empty)
			put_slot(h, i, h->sums.count, b);
	put_sums(h, f, b);
}
