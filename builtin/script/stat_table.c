// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The records of `perf stat record`.
 *
 * STAT: u64 id; u32 cpu, thread; u64 value, enabled, running.  STAT_ROUND: u64 type, time.
 * THREAD_MAP: u64 count; each u64 pid, char comm[16].  STAT_CONFIG: u64 count; each u64 tag, value.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "builtin/script/stat_table.h"

struct stat_count {
	u64 value, enabled, running;
};

struct stat_value {
	u32 cpu, thread;
	struct stat_count now, before; /* before: at the last round */
};

/* The values that one event has at the moment. */
struct stat_values {
	VEC(struct stat_value) list;
};

struct stat_table {
	const struct event_set *set;
	VEC(s32) threads;           /* pids of the file's list */
	struct stat_values *events; /* by event index */
	size_t event_count;
	bool intervals, scale, global;
};

enum { CONFIG_AGGREGATION = 0, CONFIG_INTERVAL = 1, CONFIG_SCALE = 2 };
enum { AGGREGATION_GLOBAL = 1 };

static void take_config(struct stat_table *t, const u8 *p, size_t size, bool swap)
{
	u64 count = size >= 8 ? load_u64(p, swap) : 0;

	for (u64 i = 0; i < count && (i + 1) * 16 <= size - 8; i++) {
		u64 tag = load_u64(p + 8 + i * 16, swap), value = load_u64(p + 16 + i * 16, swap);

		if (tag == CONFIG_INTERVAL)
			t->intervals = value;
		else if (tag == CONFIG_SCALE)
			t->scale = value;
		else if (tag == CONFIG_AGGREGATION)
			t->global = value == AGGREGATION_GLOBAL;
	}
}

static void take_threads(struct stat_table *t, const u8 *p, size_t size, bool swap)
{
	enum { ENTRY = 24 };
	u64 count = size >= 8 ? load_u64(p, swap) : 0;

	for (u64 i = 0; i < count && (i + 1) * ENTRY <= size - 8; i++)
		vec_push(&t->threads, (s32)load_u64(p + 8 + i * ENTRY, swap));
}

static void take_value(struct stat_table *t, const u8 *p, bool swap)
{
	const struct stat_value v = {
		.cpu = load_u32(p + 8, swap),
		.thread = load_u32(p + 12, swap),
		.now = { load_u64(p + 16, swap), load_u64(p + 24, swap), load_u64(p + 32, swap) },
	};
	const struct event *ev = event_by_id(t->set, load_u64(p, swap));

	if (!ev || ev->index >= t->event_count)
		return;
	vec_for_each(&t->events[ev->index].list, old)
		if (old->cpu == v.cpu && old->thread == v.thread) {
			old->now = v.now;
			return;
		}
	vec_push(&t->events[ev->index].list, v);
}

static int by_thread(const void *pa, const void *pb)
{
	const struct stat_value *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (s32)a->cpu < (s32)b->cpu ? -1 : (s32)a->cpu > (s32)b->cpu;
}

/* Returns the value that a row shows, and extrapolates multiplexed counts as perf stat does. */
static struct stat_count shown(const struct stat_table *t, struct stat_value *v)
{
	struct stat_count c = v->now;

	if (t->intervals) {
		c.value -= v->before.value;
		c.enabled -= v->before.enabled;
		c.running -= v->before.running;
		v->before = v->now;
	}
	if (t->scale && !c.running)
		c.value = 0;
	else if (t->scale && c.running < c.enabled)
		c.value = (u64)((double)c.value * (double)c.enabled / (double)c.running);
	return c;
}

static void put_event(const struct stat_table *t, const struct event *ev, u64 time,
		      const struct stat_table_ops *ops, void *arg)
{
	struct stat_values *values = &t->events[ev->index];

	vec_sort(&values->list, by_thread);
	vec_for_each(&values->list, v) {
		struct stat_count c = shown(t, v);
		const struct stat_row row = {
			.event = ev,
			.cpu = (s32)v->cpu,
			.time = time,
			.thread = v->thread < t->threads.count ? t->threads.items[v->thread] : -1,
			.value = c.value,
			.enabled = c.enabled,
			.running = c.running,
		};

		ops->row(arg, &row);
	}
}

/*
 * Adds rows of zeros, wherever others have values, for events that could not be counted and so have
 * no records.
 */
static void fill_missing(struct stat_table *t)
{
	struct stat_values *full = NULL;

	for (size_t i = 0; i < t->event_count && !full; i++)
		if (t->events[i].list.count)
			full = &t->events[i];
	for (size_t i = 0; full && i < t->event_count; i++)
		if (!t->events[i].list.count)
			vec_for_each(&full->list, v)
				vec_push(&t->events[i].list,
					 (struct stat_value){ .cpu = v->cpu, .thread = v->thread });
}

static void put_round(struct stat_table *t, u64 time, const struct stat_table_ops *ops, void *arg)
{
	fill_missing(t);
	vec_for_each(&t->set->list, ev)
		if ((*ev)->index < t->event_count)
			put_event(t, *ev, time, ops, arg);
	if (ops->round)
		ops->round(arg, time);
}

void stat_table_record(struct stat_table *t, const struct record *rec,
		       const struct stat_table_ops *ops, void *arg)
{
	const u8 *p = rec->data + 8;
	size_t size = rec->size - 8u;
	bool swap = t->set->swap;

	if (rec->type == PERF_RECORD_STAT_CONFIG)
		take_config(t, p, size, swap);
	else if (rec->type == PERF_RECORD_THREAD_MAP)
		take_threads(t, p, size, swap);
	else if (rec->type == PERF_RECORD_STAT && size >= 40)
		take_value(t, p, swap);
	else if (rec->type == PERF_RECORD_STAT_ROUND && size >= 16)
		put_round(t, load_u64(p + 8, swap), ops, arg);
}

bool stat_table_is_global(const struct stat_table *t)
{
	return t->global;
}

struct stat_table *stat_table_new(const struct event_set *set)
{
	struct stat_table *t = xcalloc(1, sizeof(*t));

	t->set = set;
	t->event_count = set->list.count;
	t->events = xcalloc(t->event_count + 1, sizeof(*t->events));
	return t;
}

void stat_table_free(struct stat_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->event_count; i++)
		vec_release(&t->events[i].list);
	free(t->events);
	vec_release(&t->threads);
	free(t);
}
