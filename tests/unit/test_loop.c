// SPDX-License-Identifier: GPL-2.0-or-later
/* What ends a wait: descriptors, signals, times, the end of a command; and how rings are cut. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "live/loop.h"

static const u64 long_time = 60000000000ULL;

static void test_descriptors(void **state)
{
	int one[2], two[2];
	size_t first, second;
	struct loop l;

	(void)state;
	assert_int_equal(pipe(one) | pipe(two), 0);
	loop_init(&l, -1);
	first = loop_add(&l, one[0]);
	second = loop_add(&l, -1);
	assert_int_equal(loop_wait(&l, 1), 0);
	assert_int_equal(write(two[1], "x", 1), 1);
	assert_int_equal(loop_wait(&l, 1), 0);
	loop_set(&l, second, two[0]);
	assert_int_equal(loop_wait(&l, clock_now() + long_time), 1);
	assert_false(loop_ready(&l, first));
	assert_true(loop_ready(&l, second));
	close(one[1]); /* its writer has gone */
	loop_set(&l, second, -1);
	assert_int_equal(loop_wait(&l, clock_now() + long_time), 1);
	assert_true(loop_ready(&l, first));
	assert_false(loop_ready(&l, second));
	loop_release(&l);
	close(one[0]);
	close(two[0]);
	close(two[1]);
}

static void test_times(void **state)
{
	enum { SOON, LATER, NEVER };
	struct loop l;
	u64 begun = clock_now();

	(void)state;
	loop_init(&l, -1);
	assert_false(loop_is_due(&l, SOON));
	loop_at(&l, SOON, begun + 3000000);
	loop_at(&l, LATER, begun + long_time);
	assert_int_equal(loop_wait(&l, LOOP_NEVER), 0);
	assert_true(clock_now() >= begun + 3000000);
	assert_true(loop_is_due(&l, SOON));
	assert_false(loop_is_due(&l, LATER));
	assert_false(loop_is_due(&l, NEVER));
	loop_at(&l, SOON, LOOP_NEVER);
	assert_false(loop_is_due(&l, SOON));
	begun = clock_now();
	assert_int_equal(loop_wait(&l, begun + 2000000), 0); /* earlier than both */
	assert_true(clock_now() >= begun + 2000000);
	loop_release(&l);
}

/* Intervals of 50 from 100 on end at 150, 200, 250 ... however late each is seen. */
static void test_next(void **state)
{
	(void)state;
	assert_int_equal(loop_next(150, 50, 120), 150);
	assert_int_equal(loop_next(150, 50, 150), 200);
	assert_int_equal(loop_next(150, 50, 199), 200);
	assert_int_equal(loop_next(150, 50, 200), 250);
	assert_int_equal(loop_next(150, 50, 1234), 1250);
}

static void test_signals(void **state)
{
	struct context ctx = { 0 };
	struct reason r = REASON_INIT;
	struct loop l;
	int wake;

	(void)state;
	assert_int_equal(loop_signals(&ctx, LOOP_ALL_ENDS, &wake, &r), 0);
	loop_init(&l, wake);
	assert_int_equal(loop_ending_signal(), 0);
	raise(SIGTERM);
	assert_int_equal(loop_wait(&l, clock_now() + long_time), 1);
	assert_int_equal(loop_wait(&l, 1), 0); /* each signal ends one wait */
	assert_int_equal(loop_ending_signal(), SIGTERM);
	assert_false(context_cancelled(&ctx));
	raise(SIGQUIT);
	assert_int_equal(loop_wait(&l, clock_now() + long_time), 1);
	assert_int_equal(loop_ending_signal(), SIGQUIT);
	assert_int_equal(loop_ending_signals(), 2);
	assert_true(context_cancelled(&ctx));
	loop_signal_switches(false);
	raise(SIGUSR2);
	assert_false(loop_switch_signal());
	loop_signal_switches(true);
	raise(SIGUSR2);
	assert_int_equal(loop_wait(&l, clock_now() + long_time), 1);
	assert_true(loop_switch_signal());
	assert_false(loop_switch_signal());
	loop_release(&l);
	close(wake);
}

static void test_a_command_ends(void **state)
{
	const char *const ends[] = { "sh", "-c", "exit 3", NULL }, *const stays[] = { "sleep", "60",
										      NULL };
	struct workload w = { .go_fd = -1, .error_fd = -1 };
	struct reason r = REASON_INIT;
	int wake;

	(void)state;
	assert_int_equal(loop_signals(NULL, 0, &wake, &r), 0);
	assert_int_equal(workload_prepare(&w, ends, &r), 0);
	assert_int_equal(workload_start(&w, &r), 0);
	assert_true(loop_wait_end(&w, wake, clock_now() + long_time));
	assert_int_equal(workload_exit_code(&w), 3);
	assert_int_equal(workload_prepare(&w, stays, &r), 0);
	assert_int_equal(workload_start(&w, &r), 0);
	assert_false(loop_wait_end(&w, wake, clock_now() + 1000000));
	loop_end_workload(&w);
	assert_int_equal(workload_end_signal(&w), SIGTERM);
	raise(SIGINT);
	assert_true(loop_wait_end(NULL, wake, LOOP_NEVER));
	close(wake);
}

/* Records of 8, 16, 24 ... bytes, of which the ring's end cuts one in two. */
static void test_cut(void **state)
{
	enum { RECORDS = 10, ALL = 8 * RECORDS * (RECORDS + 1) / 2 };
	u8 bytes[ALL] = { 0 };
	size_t ends[RECORDS], at = 0;

	(void)state;
	for (u16 i = 0; i < RECORDS; i++) {
		const u16 size = (u16)(8 * (i + 1));

		memcpy(bytes + at + 6, &size, sizeof(size));
		at += size;
		ends[i] = at;
	}
	for (size_t wrap = 8; wrap <= ALL; wrap += 8)
		for (size_t most = 1; most <= ALL + 8; most++) {
			struct ring_data d = { bytes, bytes + wrap, wrap, ALL - wrap };
			size_t i = 0;

			ring_data_cut(&d, most);
			while (i < RECORDS - 1 && ends[i] < most)
				i++;
			assert_int_equal(d.first_size + d.second_size, ends[i]);
			assert_int_equal(d.first_size, MIN(wrap, ends[i]));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors),    cmocka_unit_test(test_times),
		cmocka_unit_test(test_next),           cmocka_unit_test(test_signals),
		cmocka_unit_test(test_a_command_ends), cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
