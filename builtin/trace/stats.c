// SPDX-License-Identifier: GPL-2.0-or-later
/* What calls did, in numbers: of one task or of all. */
#include <math.h>
#include <stdlib.h>

#include "builtin/trace/internal.h"

struct call_stats *stats_get(struct stats_table *t, u64 index)
{
	bool added;
	u64 *slot = map64_put(&t->by_index, index, &added);

	if (added) {
		*slot = t->list.count;
		vec_push_zero(&t->list)->index = index;
	}
	return &t->list.items[*slot];
}

void stats_add_errno(struct call_stats *s, u32 err, u64 count)
{
	vec_for_each(&s->errnos, e)
		if (e->err == err) {
			e->count += count;
			return;
		}
	vec_push(&s->errnos, (struct errno_count){ err, count });
}

static u32 bucket_of(u64 ns)
{
	u32 b = 0;

	for (ns >>= 8; ns && b < TRACE_BUCKETS - 1; b++)
		ns >>= 1;
	return b;
}

static u64 timed_calls(const struct call_stats *s)
{
	return s->calls - s->unseen;
}

double stats_average(const struct call_stats *s)
{
	return timed_calls(s) ? (double)s->total / (double)timed_calls(s) : 0;
}

static void add_time(struct call_stats *s, u64 duration)
{
	if (!timed_calls(s) || duration < s->min)
		s->min = duration;
	s->max = MAX(s->max, duration);
	s->total += duration;
	s->squares += (double)duration * (double)duration;
	s->buckets[bucket_of(duration)]++;
}

void stats_add(struct stats_table *t, u64 index, bool timed, u64 duration, s64 result)
{
	struct call_stats *s = stats_get(t, index);

	if (timed)
		add_time(s, duration);
	s->unseen += !timed;
	s->calls++;
	if (syscall_failed(result)) {
		s->errors++;
		stats_add_errno(s, (u32)-result, 1);
	}
}

void stats_release(struct stats_table *t)
{
	vec_for_each(&t->list, s)
		vec_release(&s->errnos);
	vec_release(&t->list);
	map64_release(&t->by_index);
}

void stats_merge(struct stats_table *to, const struct stats_table *from)
{
	vec_for_each(&from->list, s) {
		struct call_stats *d = stats_get(to, s->index);

		if (timed_calls(s))
			d->min = timed_calls(d) ? MIN(d->min, s->min) : s->min;
		d->unseen += s->unseen;
		d->max = MAX(d->max, s->max);
		d->calls += s->calls;
		d->errors += s->errors;
		d->total += s->total;
		d->squares += s->squares;
		for (u32 i = 0; i < TRACE_BUCKETS; i++)
			d->buckets[i] += s->buckets[i];
		vec_for_each(&s->errnos, e)
			stats_add_errno(d, e->err, e->count);
	}
}

/* Returns the standard error of the mean in percent, as 6.1 prints it. */
double stats_deviation(const struct call_stats *s)
{
	double n = (double)timed_calls(s), mean = stats_average(s), variance;

	if (n < 2 || mean <= 0)
		return 0;
	variance = (s->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? 100.0 * sqrt(variance / n) / mean : 0;
}

static int by_total(const void *a, const void *b)
{
	const struct call_stats *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_errno(const void *a, const void *b)
{
	const struct errno_count *x = a, *y = b;

	return x->err < y->err ? -1 : x->err > y->err;
}

void stats_sort(struct stats_table *t)
{
	map64_release(&t->by_index); /* the order changes */
	vec_sort(&t->list, by_total);
	vec_for_each(&t->list, s)
		vec_sort(&s->errnos, by_errno);
}

const char *stats_abi(const struct trace *t, u64 index)
{
	return index >> 32 && t->compat ? syscall_book_arch(t->compat)->name : NULL;
}

void stats_label(const struct trace *t, u64 index, struct strbuf *b)
{
	const char *abi = stats_abi(t, index);

	if (abi)
		strbuf_f(b, "[%s] ", abi);
	strbuf_str(b, stats_name(t, index));
}

const char *stats_name(const struct trace *t, u64 index)
{
	struct syscall_book *b = stats_abi(t, index) ? t->compat : t->native;

	return (u32)index == TRACE_ROWS ? "(other numbers)" : syscall_find_any(b, (u32)index)->name;
}
