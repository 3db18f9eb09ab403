// SPDX-License-Identifier: GPL-2.0-or-later
/* Delays by row: keys to order them by, rows that become one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "builtin/sched/latency.h"

static int order(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_avg(const struct delays *a, const struct delays *b)
{
	return order(a->count ? a->total / a->count : 0, b->count ? b->total / b->count : 0);
}

static int by_max(const struct delays *a, const struct delays *b)
{
	return order(a->most, b->most);
}

static int by_switch(const struct delays *a, const struct delays *b)
{
	return order(a->count, b->count);
}

static int by_runtime(const struct delays *a, const struct delays *b)
{
	return order(a->runtime, b->runtime);
}

static int by_pid(const struct delays *a, const struct delays *b)
{
	return order(a->tid, b->tid);
}

static int add_key(struct latency *l, const char *name, struct reason *r)
{
	static const struct {
		const char *name;
		int (*cmp)(const struct delays *, const struct delays *);
	} keys[] = { { "avg", by_avg },
		     { "max", by_max },
		     { "switch", by_switch },
		     { "runtime", by_runtime },
		     { "pid", by_pid } };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (l->key_count < ARRAY_SIZE(l->keys))
			l->keys[l->key_count++] = keys[i].cmp;
		return 0;
	}
	reason_set(r, EINVAL, "--sort: no key '%s'", name);
	reason_hint(r, "the keys are avg, max, switch, runtime and pid");
	return -EINVAL;
}

int latency_parse_keys(struct latency *l, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	strlist_split(&names, l->sort, ", ");
	for (size_t i = 0; !err && i < names.list.count; i++)
		err = add_key(l, names.list.items[i], r);
	if (!err && !names.list.count)
		err = reason_set(r, EINVAL, "--sort: no key is given");
	strlist_release(&names);
	return err;
}

int latency_parse_mode(struct latency *l, struct reason *r)
{
	static const char *const modes[] = { "all", "task", "cpu", "cgroup" };
	struct strlist words = { VEC_INIT };
	bool chosen = false, scaled = false;
	int err = 0;

	if (!l->mode)
		return 0;
	l->histogram = true;
	strlist_split(&words, l->mode, ",");
	vec_for_each(&words.list, word) {
		size_t i = 0;

		while (i < ARRAY_SIZE(modes) && strcmp(modes[i], *word) != 0)
			i++;
		if (i < ARRAY_SIZE(modes) && !chosen) {
			l->hist_mode = i;
			chosen = true;
		} else if ((!strcmp(*word, "linear") || !strcmp(*word, "log")) && !scaled) {
			l->linear = !strcmp(*word, "linear");
			scaled = true;
		} else {
			err = -EINVAL;
		}
	}
	if (err || !words.list.count)
		err = reason_set(
			r, EINVAL,
			"--hist-mode must be one of 'all', 'task', 'cpu' and 'cgroup', or of "
			"'log' and 'linear', or one of each, "
			"not '%s'",
			l->mode);
	strlist_release(&words);
	return err;
}

bool delays_are_empty(const struct delays *d)
{
	return !d->merged || (!d->count && !d->runtime && !d->since_begin);
}

static void merge(struct delays *into, struct delays *d)
{
	into->merged += d->merged;
	into->runtime += d->runtime;
	into->count += d->count;
	into->total += d->total;
	into->since_begin += d->since_begin;
	if (d->serial < into->serial) {
		into->serial = d->serial;
		into->tid = d->tid;
	}
	if (d->most_to && (!into->most_to || d->most > into->most ||
			   (d->most == into->most && d->most_serial < into->most_serial))) {
		into->most = d->most;
		into->most_from = d->most_from;
		into->most_to = d->most_to;
		into->most_serial = d->most_serial;
	}
	if (d->hist && into->hist)
		histogram_merge(into->hist, d->hist);
	if (into->hist)
		free(d->hist);
	else
		into->hist = d->hist;
	*d = (struct delays){ 0 };
}

void latency_set_aside(struct latency *l, struct delays *d)
{
	bool added;
	u64 *slot;

	if (delays_are_empty(d)) {
		*d = (struct delays){ 0 };
		return;
	}
	slot = map64_put(&l->gone_by_comm, d->comm, &added);
	if (!added) {
		merge(&l->gone.items[*slot], d);
		return;
	}
	*slot = l->gone.count;
	vec_push(&l->gone, *d);
	*d = (struct delays){ 0 };
}

void latency_merge(struct latency *l)
{
	struct map64 first = { 0 };
	bool added;

	vec_for_each(&l->gone, d)
		vec_push(&l->rows, *d);
	vec_clear(&l->gone);
	vec_for_each(&l->rows, d) {
		u64 *slot;

		if (delays_are_empty(d))
			continue;
		slot = map64_put(&first, d->comm, &added);
		if (added) {
			*slot = (u64)(d - l->rows.items);
			continue;
		}
		merge(&l->rows.items[*slot], d);
	}
	map64_release(&first);
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct delays *a = x, *b = y;
	const struct latency *l = arg;

	if (delays_are_empty(a) || delays_are_empty(b))
		return delays_are_empty(a) - delays_are_empty(b);
	for (size_t i = 0; i < l->key_count; i++) {
		int cmp = l->keys[i](a, b);

		if (cmp)
			return cmp;
	}
	return a->tid < b->tid   ? -1
	       : a->tid > b->tid ? 1
				 : (a->comm > b->comm) - (a->comm < b->comm);
}

void latency_order(struct latency *l)
{
	if (l->rows.count)
		qsort_r(l->rows.items, l->rows.count, sizeof(*l->rows.items), compare, l);
}

struct histogram *latency_cpu(struct latency *l, u32 cpu)
{
	while (l->cpus.count <= cpu)
		vec_push_zero(&l->cpus);
	return &l->cpus.items[cpu];
}

void latency_clear(struct latency *l)
{
	vec_for_each(&l->rows, d)
		free(d->hist);
	vec_for_each(&l->gone, d)
		free(d->hist);
	vec_release(&l->rows);
	vec_release(&l->gone);
	map64_release(&l->gone_by_comm);
	vec_release(&l->cpus);
	l->all = (struct histogram){ 0 };
}
