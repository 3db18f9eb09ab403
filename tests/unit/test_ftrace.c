// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of function_graph, and slots of latencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builtin/ftrace/internal.h"

struct seen {
	u64 count, ns;
	char name[64];
};

static void take(void *arg, const char *line, size_t len)
{
	struct seen *s = arg;
	struct ftrace_call call;

	if (!ftrace_call_parse(line, len, &call))
		return;
	s->count++;
	s->ns = call.ns;
	snprintf(s->name, sizeof(s->name), "%.*s", (int)call.name_len, call.name ? call.name : "");
}

static void expect(const char *line, u64 count, u64 ns, const char *name)
{
	struct seen s = { .count = 0 };

	take(&s, line, strlen(line));
	assert_int_equal(s.count, count);
	assert_int_equal(s.ns, ns);
	assert_string_equal(s.name, name);
}

static void test_lines(void **state)
{
	(void)state;
	expect("# CPU  DURATION                  FUNCTION CALLS", 0, 0, "");
	expect(" 0)               |  vfs_read() {", 0, 0, "");
	expect(" 0)   1.382 us    |    _raw_spin_lock();", 1, 1382, "_raw_spin_lock");
	expect(" 1) + 10.291 us   |  do_filp_open();", 1, 10291, "do_filp_open");
	expect(" 1) # 1838.1 us   |  } /* vfs_read.part.0 */", 1, 1838100, "vfs_read.part.0");
	expect(" 1) $ 12345678 us |  }", 1, 12345678000, "");
	expect(" 1)   0.05 us     |  a$b();", 1, 50, "a$b");
	expect("  12.345678 |   1)  dd-77  |  d..1. |  2.500 us  |  late();", 1, 2500, "late");
	expect("  12.345678 |   1)  a us-7 |  d..1. |            |  late() {", 0, 0, "");
	expect(" 1) us |", 0, 0, "");
	expect("|", 0, 0, "");
	expect("", 0, 0, "");
}

static void test_pieces(void **state)
{
	static const char text[] =
		" 0)   1.000 us    |  a();\n 0)   2.000 us    |  b();\n 0)   3.0";
	struct seen s = { .count = 0 };
	struct ftrace_lines l = { .line = take, .arg = &s };

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		ftrace_lines_take(&l, text + i, 1);
	assert_int_equal(s.count, 2);
	ftrace_lines_take(&l, "00 us    |  c();\n", 17);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.ns, 3000);
	assert_string_equal(s.name, "c");
	strbuf_release(&l.rest);
}

static void test_powers(void **state)
{
	const struct latency_scale s = { .unit = 1000, .slots = LATENCY_POWERS };

	(void)state;
	assert_int_equal(latency_slot(&s, 0), 0);
	assert_int_equal(latency_slot(&s, 999), 0);
	assert_int_equal(latency_slot(&s, 1000), 1);
	assert_int_equal(latency_slot(&s, 1999), 1);
	assert_int_equal(latency_slot(&s, 2000), 2);
	assert_int_equal(latency_slot(&s, 1024 * 1000), 11);
	assert_int_equal(latency_slot(&s, UINT64_MAX), LATENCY_POWERS - 1);
}

static void test_ranges(void **state)
{
	struct ftrace f = { .bucket_range = 200, .min_latency = 1000, .max_latency = 1500 };
	struct ftrace_histogram h;
	struct strbuf b = STRBUF_INIT;

	(void)state;
	ftrace_histogram_init(&h, &f);
	assert_int_equal(h.scale.slots, 5); /* below, three rows (the last is cut), above */
	ftrace_histogram_add(&h, 999999);
	ftrace_histogram_add(&h, 1000000);
	ftrace_histogram_add(&h, 1400000);
	ftrace_histogram_add(&h, 1499999);
	ftrace_histogram_add(&h, 1500000);
	assert_int_equal(h.slots[0], 1);
	assert_int_equal(h.slots[1], 1);
	assert_int_equal(h.slots[2], 0);
	assert_int_equal(h.slots[3], 2);
	assert_int_equal(h.slots[4], 1);
	ftrace_histogram_print(&h, &f, &b);
	assert_non_null(strstr(b.s, "  1400 - 1500 us |          2 |"));
	assert_non_null(strstr(b.s, "  1500 - ...  us |          1 |"));
	assert_non_null(strstr(b.s, "       count:                    5\n"));
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_powers),
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
