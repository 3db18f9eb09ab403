// SPDX-License-Identifier: GPL-2.0-or-later
/* Event sets: who owns an id, and where ids lie in records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "event/event.h"
#include "event/names.h"
#include "event/parse.h"

static struct event *add(struct event_set *set, u64 sample_type, u64 flags)
{
	struct perf_event_attr attr = { .sample_type = sample_type, .flags = flags };

	return event_set_add(set, &attr, "x");
}

static void test_positions(void **state)
{
	const u64 all = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	const u64 tail = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	static const struct {
		u64 type, flags;
		int start, end, size;
	} rows[] = {
		{ PERF_SAMPLE_IDENTIFIER | all | tail, ATTR_SAMPLE_ID_ALL, 0, 1, 40 },
		{ PERF_SAMPLE_ID | all | tail, ATTR_SAMPLE_ID_ALL, 4, 3, 40 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_TIME, ATTR_SAMPLE_ID_ALL, 1, 1, 16 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_IP, 0, 1, -1, 0 },
		{ PERF_SAMPLE_IP | PERF_SAMPLE_TID, ATTR_SAMPLE_ID_ALL, -1, -1, 8 },
		{ ~0ULL, ~0ULL, 0, 1, 48 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_set set;
		struct event *ev;

		event_set_init(&set);
		ev = add(&set, rows[i].type, rows[i].flags);
		assert_int_equal(event_set_finish(&set, NULL), 0);
		assert_int_equal(ev->id_from_start, rows[i].start);
		assert_int_equal(ev->id_from_end, rows[i].end);
		assert_int_equal(ev->sample_id_size, rows[i].size);
		assert_true(set.same_id_position);
		event_set_release(&set);
	}
}

static void test_mixed(void **state)
{
	struct event_set set;

	(void)state;
	event_set_init(&set);
	add(&set, PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_RAW, ATTR_SAMPLE_ID_ALL);
	add(&set, PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_TIME, ATTR_SAMPLE_ID_ALL);
	assert_int_equal(event_set_finish(&set, NULL), 0);
	assert_false(set.same_id_position);
	assert_int_equal(set.sample_type_all, PERF_SAMPLE_ID | PERF_SAMPLE_IP);
	assert_int_equal(set.sample_type_any,
			 PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_RAW | PERF_SAMPLE_TIME);
	event_set_release(&set);
	event_set_init(&set);
	assert_int_equal(event_set_finish(&set, NULL), 0);
	assert_null(event_by_id(&set, 0));
	event_set_release(&set);
}

static void test_ids(void **state)
{
	struct event_set set;
	struct event *a, *b;

	(void)state;
	event_set_init(&set);
	a = add(&set, PERF_SAMPLE_ID, 0);
	assert_ptr_equal(event_by_id(&set, 0), a);
	b = add(&set, PERF_SAMPLE_ID, 0);
	event_set_add_id(&set, a, 7);
	event_set_add_id(&set, b, 8);
	event_set_add_id(&set, b, 7); /* a claims it already */
	assert_ptr_equal(event_by_id(&set, 7), a);
	assert_ptr_equal(event_by_id(&set, 8), b);
	assert_null(event_by_id(&set, 0));
	assert_null(event_by_id(&set, 9));
	assert_int_equal(b->ids.count, 2);
	event_set_release(&set);
}

/* Checks that the first event with a counter leads its group. */
static void test_lead(void **state)
{
	struct event_set set;
	struct event *ev[4];

	(void)state;
	event_set_init(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ev); i++)
		ev[i] = add(&set, 0, 0);
	ev[0]->tool = ev[2]->tool = TOOL_DURATION_TIME;
	event_set_lead(&set, 0, 4);
	assert_ptr_equal(ev[0]->leader, ev[0]);
	assert_int_equal(ev[0]->members, 1);
	for (size_t i = 1; i < ARRAY_SIZE(ev); i++)
		assert_ptr_equal(ev[i]->leader, ev[1]);
	assert_int_equal(ev[1]->members, 3);
	event_set_release(&set);

	/* tools alone are no group */
	event_set_init(&set);
	for (size_t i = 0; i < 2; i++) {
		ev[i] = add(&set, 0, 0);
		ev[i]->tool = TOOL_DURATION_TIME;
	}
	event_set_lead(&set, 0, 2);
	assert_ptr_equal(ev[1]->leader, ev[1]);
	assert_int_equal(ev[0]->members, 1);
	event_set_release(&set);
}

/* Checks that an attr is printed as perf 6.1 prints it, except for newer fields. */
static void test_attr_text(void **state)
{
	struct perf_event_attr attr = {
		.size = 128,
		.config = 0x2,
		.sample_freq = 50,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_ID |
			       PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.flags = ATTR_FREQ | 2ULL << ATTR_PRECISE_SHIFT | ATTR_SIGTRAP,
		.clockid = -1,
		.config1 = ~0ULL,
	};
	struct strbuf b = STRBUF_INIT;

	(void)state;
	event_attr_print(&b, &attr, ", ", ": ");
	assert_string_equal(b.s, "size: 128, config: 0x2, { sample_period, sample_freq }: 50, "
				 "sample_type: IP|ID|CPU|DATA_SRC|WEIGHT, read_format: ID|LOST, "
				 "freq: 1, precise_ip: 2, sigtrap: 1, "
				 "{ bp_addr, config1 }: 0xffffffffffffffff, clockid: -1");
	strbuf_clear(&b);
	attr = (struct perf_event_attr){ .type = 1, .flags = ATTR_DISABLED };
	event_attr_print(&b, &attr, "\n  ", NULL);
	assert_string_equal(b.s, "type                             1\n"
				 "  disabled                         1");
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_positions), cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_ids),       cmocka_unit_test(test_lead),
		cmocka_unit_test(test_attr_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
