// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of the picture of perf timechart is put together in order, whoever was ready first; what
 * the scene says reaches the chart as if it had been there at once.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "builtin/timechart/draw.h"
#include "session/internal.h"

enum { LANES = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t made; /* lanes */

/* The first lanes are the last ones to be made, unless there is one thread alone. */
static void make(void *arg, size_t from, size_t until, struct strbuf *b)
{
	struct timespec end = { time(NULL) + 10, 0 };
	int err = 0;

	(void)arg;
	pthread_mutex_lock(&lock);
	while (!from && !err && made < LANES - until)
		err = pthread_cond_timedwait(&changed, &lock, &end);
	made += until - from;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (size_t i = from; i < until; i++)
		strbuf_f(b, "%zu ", i);
}

static void test_order_of_lanes(void **state)
{
	struct scene scene = { .chart.threads = 3 };
	struct drawing d = { .s = &scene };
	struct strbuf got = STRBUF_INIT, want = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < LANES; i++) {
		vec_push(&d.lanes, (struct drawn_lane){ 0 });
		strbuf_f(&want, "%zu ", i);
	}
	assert_true(lanes_to_text(&d, make, NULL, SIZE_MAX, &got));
	assert_int_equal(made, LANES);
	assert_string_equal(strbuf_cstr(&got), strbuf_cstr(&want));
	vec_release(&d.lanes);
	strbuf_release(&got);
	strbuf_release(&want);
}

enum { FACTS = 20000, MOST = 400, FEW_LANES = 6 };

/* One of them, into the scene or at once into a chart. */
static void say(u64 i, struct scene *s, struct chart *c)
{
	u64 from = i * 100, until = from + 1 + i * 7919 % 90;
	u32 lane = (u32)(i * 31 % FEW_LANES);
	struct cell cell = { .from = from,
			     .until = until,
			     .parts = { until - from, 5, 1 },
			     .longest = until - from,
			     .count = 1,
			     .what = (u32)i };
	struct wake wake = { from, (u32)i % 3, (u32)i % 5 };

	if (s) {
		s->last = until;
		scene_part(s, lane, PART_WAIT, from, until, (u32)i % 4, (u32)i % 2);
		scene_part(s, lane, PART_RUN, until, until, 0, 0);
		if (i % 5 == 0)
			scene_cell(s, FEW_LANES, &cell);
		if (i % 3 == 0)
			scene_wake(s, &wake);
		return;
	}
	c->last = until;
	chart_add_part(c, lane, PART_WAIT, from, until, (u32)i % 4, (u32)i % 2);
	if (i % 5 == 0)
		chart_add(c, FEW_LANES, &cell);
	if (i % 3 == 0)
		chart_wake(c, &wake);
}

static void test_facts(void **state)
{
	struct session session = { .workers = 1 };
	struct scene s = { .session = &session, .lane_count = FEW_LANES + 2 };
	struct chart at_once;

	(void)state;
	chart_init(&s.chart);
	chart_init(&at_once);
	s.chart.most = at_once.most = MOST;
	scene_begin(&s);
	while (at_once.lanes.count < s.lane_count)
		chart_lane(&at_once);
	for (u64 i = 1; i < FACTS; i++) {
		say(i, &s, NULL);
		say(i, NULL, &at_once);
	}
	scene_end(&s);
	assert_true(at_once.grain > 1);
	assert_int_equal(s.chart.grain, at_once.grain);
	assert_int_equal(s.chart.last, at_once.last);
	assert_int_equal(s.chart.cells, at_once.cells);
	assert_int_equal(s.chart.wakes.count, at_once.wakes.count);
	assert_memory_equal(s.chart.wakes.items, at_once.wakes.items,
			    at_once.wakes.count * sizeof(struct wake));
	assert_int_equal(s.chart.lanes.count, at_once.lanes.count);
	for (size_t i = 0; i < at_once.lanes.count; i++) {
		const struct lane *lane = &at_once.lanes.items[i];

		assert_int_equal(s.chart.lanes.items[i].cells.count, lane->cells.count);
		for (size_t k = 0; k < lane->cells.count; k++) {
			const struct cell *want = &lane->cells.items[k],
					  *got = &s.chart.lanes.items[i].cells.items[k];

			assert_memory_equal(got, want,
					    offsetof(struct cell, count) + sizeof(want->count));
		}
	}
	session_lines_free(s.facts);
	chart_release(&s.chart);
	chart_release(&at_once);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_lanes),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests_name("timechart", tests, NULL, NULL);
}
