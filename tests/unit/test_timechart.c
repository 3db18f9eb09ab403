// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of the picture of perf timechart is put together in order, whoever was ready first. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "timechart/draw.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_lanes),
	};

	return cmocka_run_group_tests_name("timechart", tests, NULL, NULL);
}
