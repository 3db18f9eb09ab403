// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/sched/histogram.h"

enum { BAR = 40, STEP = 100 };

static unsigned slot_of(const struct histogram *h, u64 us)
{
	if (h->linear)
		return (unsigned)MIN(us / STEP, (u64)HISTOGRAM_STEPS);
	return us ? MIN(64 - (unsigned)__builtin_clzll(us), HISTOGRAM_SLOTS - 1U) : 0;
}

/* Returns where a slot ends, in us. The last slot of a linear histogram has no end. */
static u64 slot_end(const struct histogram *h, int i)
{
	if (h->linear)
		return i < HISTOGRAM_STEPS ? (u64)(i + 1) * STEP : UINT64_MAX;
	return BIT64(i);
}

void histogram_add(struct histogram *h, u64 ns)
{
	h->slots[slot_of(h, ns / 1000)]++;
	h->least = h->count ? MIN(h->least, ns) : ns;
	h->most = MAX(h->most, ns);
	h->count++;
	h->sum += ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (!from->count)
		return;
	for (int i = 0; i < HISTOGRAM_SLOTS; i++)
		into->slots[i] += from->slots[i];
	into->linear = from->linear;
	into->least = into->count ? MIN(into->least, from->least) : from->least;
	into->most = MAX(into->most, from->most);
	into->count += from->count;
	into->sum += from->sum;
}

static void put_slot(const struct histogram *h, int i, u64 most, struct strbuf *b)
{
	u64 from = i ? slot_end(h, i - 1) : 0, to = slot_end(h, i);
	int length = (int)(h->slots[i] * BAR / most);

	if (to == UINT64_MAX)
		strbuf_f(b, "  %10" PRIu64 " - %-10s %10" PRIu64 " |", from, "...", h->slots[i]);
	else
		strbuf_f(b, "  %10" PRIu64 " - %-10" PRIu64 " %10" PRIu64 " |", from, to,
			 h->slots[i]);
	strbuf_pad(b, '*', h->slots[i] && !length ? 1 : length);
	strbuf_pad(b, ' ', BAR - (h->slots[i] && !length ? 1 : length));
	strbuf_str(b, "|\n");
}

/* Returns the upper end, in us, of the slot that contains this permille of the delays. */
static u64 upper_end(const struct histogram *h, unsigned permille)
{
	u64 wanted = (h->count * permille + 999) / 1000, so_far = 0;

	for (int i = 0; i < HISTOGRAM_SLOTS; i++) {
		so_far += h->slots[i];
		if (so_far >= wanted)
			return MIN(slot_end(h, i), (h->most + 999) / 1000);
	}
	return (h->most + 999) / 1000;
}

void histogram_put(const struct histogram *h, struct strbuf *b)
{
	int first = 0, last = HISTOGRAM_SLOTS - 1;
	u64 most = 1;

	strbuf_f(b, "  %23s %10s\n", "usecs", "count");
	if (!h->count)
		return;
	while (!h->slots[first])
		first++;
	while (!h->slots[last])
		last--;
	for (int i = first; i <= last; i++)
		most = MAX(most, h->slots[i]);
	for (int i = first; i <= last; i++)
		put_slot(h, i, most, b);
	strbuf_f(b,
		 "  count %" PRIu64 ", avg %.3f ms, min %.3f ms, max %.3f ms, half below %" PRIu64
		 " us, 95%% below %" PRIu64 " us, 99%% below %" PRIu64 " us\n",
		 h->count, (double)(h->sum / h->count) / 1e6, (double)h->least / 1e6,
		 (double)h->most / 1e6, upper_end(h, 500), upper_end(h, 950), upper_end(h, 990));
}
