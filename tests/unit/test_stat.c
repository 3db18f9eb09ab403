// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts in domains, and ratios inside them; the answers are worked out beside the rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/parse.h"
#include "stat/stat.h"
#include "sys/topology.h"

static const struct event_parser parser = { .command = "stat", .counting = true };

static void parse(struct event_set *set, const char *text)
{
	struct reason r = REASON_INIT;

	event_set_init(set);
	if (event_parse(&parser, set, text, &r))
		fail_msg("%s", r.text);
}

/* Builds two sockets with two dies each, each die with one core of two threads. */
static void build_topology(struct cpu_topology *t)
{
	memset(t, 0, sizeof(*t));
	for (u32 cpu = 0; cpu < 8; cpu++)
		vec_push(&t->cpus, (struct cpu_place){ .cpu = cpu,
						       .core = 0,
						       .cluster = -1,
						       .die = (s32)cpu / 2 % 2,
						       .socket = (s32)cpu / 4,
						       .node = (s32)cpu / 4,
						       .online = true });
}

static void test_domains(void **state)
{
	static const struct {
		enum stat_by by;
		size_t count, of_cpu5;
		u32 cpus;
	} rows[] = {
		{ STAT_BY_ALL, 1, 0, 8 }, { STAT_BY_CPU, 8, 5, 1 },    { STAT_BY_CORE, 4, 2, 2 },
		{ STAT_BY_DIE, 4, 2, 2 }, { STAT_BY_SOCKET, 2, 1, 4 }, { STAT_BY_NODE, 2, 1, 4 },
	};
	const s32 cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct cpu_topology t;

	(void)state;
	build_topology(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stat_domains d;

		stat_domains_of_cpus(&d, rows[i].by, &t, cpus, ARRAY_SIZE(cpus));
		assert_int_equal(d.list.count, rows[i].count);
		assert_int_equal(d.of_column[5], rows[i].of_cpu5);
		assert_int_equal(d.list.items[0].cpus, rows[i].cpus);
		stat_domains_release(&d);
	}
	cpu_topology_release(&t);
}

static void count(struct stat_table *t, size_t column, u32 event, u64 value, u64 enabled,
		  u64 running)
{
	struct stat_count c = { value, enabled, running, true };

	stat_table_add(t, column, event, &c);
}

static void expect_metric(const struct stat_table *t, size_t domain, u32 event, size_t n,
			  double value, const char *unit)
{
	struct stat_metric m[STAT_METRICS_MAX];

	assert_int_equal(stat_metrics(t, domain, t->set->list.items[event], m), n);
	if (!n)
		return;
	assert_string_equal(m[0].unit, unit);
	assert_true(fabs(m[0].value - value) < 1e-9 * fabs(value));
}

/* Checks that instructions per cycle are those of each CPU, not of all. */
static void test_ratio_in_domain(void **state)
{
	const s32 cpus[] = { 0, 1, 2 };
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;

	(void)state;
	parse(&set, "cycles,instructions,branches,branch-misses");
	stat_domains_of_cpus(&d, STAT_BY_CPU, NULL, cpus, 3);
	stat_table_init(&t, &set, &d);
	count(&t, 0, 0, 1000, 1, 1);
	count(&t, 0, 1, 3000, 1, 1);
	count(&t, 1, 0, 500, 1, 1);
	count(&t, 1, 1, 250, 1, 1);
	count(&t, 1, 2, 100, 1, 1);
	count(&t, 1, 3, 7, 1, 1);
	count(&t, 2, 1, 10, 1, 1); /* no cycles on CPU 2 */
	count(&t, 2, 2, 0, 1, 1);  /* a zero base */
	count(&t, 2, 3, 7, 1, 1);
	stat_table_end_run(&t, 1000);
	expect_metric(&t, 0, 1, 1, 3.0, "insn per cycle");
	expect_metric(&t, 1, 1, 1, 0.5, "insn per cycle");
	expect_metric(&t, 2, 1, 0, 0, NULL);
	expect_metric(&t, 1, 3, 1, 7.0, "of all branches");
	expect_metric(&t, 2, 3, 0, 0, NULL);
	expect_metric(&t, 0, 3, 0, 0, NULL); /* not counted at all */
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

/* Rates are per second of any clock; other bases must count in the same mode. */
static void test_rates(void **state)
{
	const s32 any[] = { -1 };
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;

	(void)state;
	parse(&set, "task-clock,cs,faults,cycles,cycles:u,"
		    "instructions:u,duration_time,branch-misses:k,branches");
	stat_domains_of_cpus(&d, STAT_BY_ALL, NULL, any, 1);
	stat_table_init(&t, &set, &d);
	count(&t, 0, 0, 500000000, 1, 1); /* half a second */
	count(&t, 0, 1, 10, 1, 1);
	count(&t, 0, 2, 1000000, 1, 1);
	count(&t, 0, 3, 1500000000, 1, 1);
	count(&t, 0, 4, 1000000000, 1, 1);
	count(&t, 0, 5, 2000000000, 1, 1);
	count(&t, 0, 6, 1000000000, 1, 1);
	count(&t, 0, 7, 50, 1, 1);
	count(&t, 0, 8, 100, 1, 1);
	stat_table_end_run(&t, 1000000000);
	expect_metric(&t, 0, 0, 1, 0.5, "CPUs utilized");
	expect_metric(&t, 0, 1, 1, 20, "/sec");
	expect_metric(&t, 0, 2, 1, 2, "M/sec");
	expect_metric(&t, 0, 3, 1, 3, "GHz");
	expect_metric(&t, 0, 4, 1, 2, "GHz");
	expect_metric(&t, 0, 5, 1, 2, "insn per cycle");
	expect_metric(&t, 0, 6, 0, 0, NULL);
	expect_metric(&t, 0, 7, 1, 100, "/sec"); /* not 50 % of the branches of all modes */
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

/* Checks extrapolation, means and standard errors over runs: 10, 14, 12 -> 12 +- 2/sqrt(3). */
static void test_runs(void **state)
{
	const s32 any[] = { -1 };
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;
	struct stat_reading r;

	(void)state;
	parse(&set, "cs,faults");
	stat_domains_of_cpus(&d, STAT_BY_ALL, NULL, any, 1);
	stat_table_init(&t, &set, &d);
	for (u64 i = 0; i < 3; i++) {
		const u64 values[] = { 10, 14, 12 };

		count(&t, 0, 0, values[i] / 2, 100, 50); /* ran half the time */
		count(&t, 0, 1, 3, 100, 0);              /* never ran */
		stat_table_end_run(&t, 1000);
	}
	stat_read(&t, 0, set.list.items[0], &r);
	assert_true(r.counted);
	assert_true(fabs(r.value - 12) < 1e-9);
	assert_true(fabs(r.noise - 100 * 2 / sqrt(3) / 12) < 1e-9);
	assert_true(r.enabled == 100 && r.running == 50);
	stat_read(&t, 0, set.list.items[1], &r);
	assert_true(r.supported && !r.counted);
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

static void test_intervals(void **state)
{
	const s32 cpus[] = { 0, 1 };
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;
	struct stat_reading r;

	(void)state;
	parse(&set, "cs");
	stat_domains_of_cpus(&d, STAT_BY_ALL, NULL, cpus, 2);
	stat_table_init(&t, &set, &d);
	count(&t, 0, 0, 10, 100, 100);
	count(&t, 1, 0, 5, 100, 100);
	stat_table_end_interval(&t, 100);
	stat_read(&t, 0, set.list.items[0], &r);
	assert_true(r.value == 15);
	count(&t, 0, 0, 12, 200, 200);
	count(&t, 1, 0, 5, 200, 200);
	stat_table_end_interval(&t, 100);
	stat_read(&t, 0, set.list.items[0], &r);
	assert_true(r.value == 2 && r.enabled == 200);
	assert_true(t.wall.mean == 100);
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

/* Checks rows as text and CSV, with a shared counter, a missing event and a second comment. */
static void test_rows(void **state)
{
	const s32 any[] = { -1 };
	struct stat_style text = { .unit_width = 4, .merge = true, .thousands = "," };
	struct stat_style csv = { .unit_width = 4, .merge = true, .separator = "," };
	struct stat_count none = { 0 };
	struct strbuf b = STRBUF_INIT;
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;

	(void)state;
	parse(&set, "task-clock,cycles,instructions,stalled-cycles-backend,r1");
	stat_domains_of_cpus(&d, STAT_BY_ALL, NULL, any, 1);
	stat_table_init(&t, &set, &d);
	count(&t, 0, 0, 1234567890, 1000, 1000);
	count(&t, 0, 1, 1000000, 1000, 250);
	count(&t, 0, 2, 2000000, 1000, 1000);
	count(&t, 0, 3, 1000000, 1000, 1000);
	stat_table_add(&t, 0, 4, &none);
	stat_table_end_run(&t, 1234567890);
	stat_print_rows(&b, &t, &text, "");
	assert_string_equal(
		b.s,
		"          1,234.57 msec task-clock                       #    1.000 CPUs "
		"utilized          \n"
		"         4,000,000      cycles                           #    0.003 GHz          "
		"            (25.00%)\n"
		"         2,000,000      instructions                     #    0.50  insn per "
		"cycle         \n"
		"                                                         #    0.50  stalled "
		"cycles per insn\n"
		"         1,000,000      stalled-cycles-backend           #   25.00% backend "
		"cycles idle    \n"
		"   <not supported>      r1                                                       "
		"   \n");
	strbuf_clear(&b);
	stat_print_rows(&b, &t, &csv, "     1.000000000,");
	assert_string_equal(
		b.s, "     1.000000000,1234.57,msec,task-clock,1000,100.00,1.000,CPUs utilized\n"
		     "     1.000000000,4000000,,cycles,250,25.00,0.003,GHz\n"
		     "     1.000000000,2000000,,instructions,1000,100.00,0.50,insn per cycle\n"
		     "     1.000000000,,,,,,0.50,stalled cycles per insn\n"
		     "     1.000000000,1000000,,stalled-cycles-backend,1000,100.00,25.00,backend "
		     "cycles idle\n"
		     "     1.000000000,<not supported>,,r1,0,100.00,,\n");
	strbuf_release(&b);
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

/* Checks elapsed time: 7 digits show two digits of the error: 0.0008867 +- 0.0000245. */
static void test_elapsed(void **state)
{
	struct stat_series wall = { .runs = 2, .mean = 886700 };
	struct strbuf b = STRBUF_INIT;

	(void)state;
	wall.m2 = 24500.0 * 24500.0 * 2; /* error = sqrt(m2 / (n - 1) / n) */
	stat_print_elapsed(&b, &wall);
	assert_string_equal(b.s, "         0.0008867 +- 0.0000245 seconds time elapsed"
				 "  ( +-  2.76% )");
	strbuf_release(&b);
}

/*
 * Checks that a thread without readings is not counted, and that an event that none has is not
 * supported.
 */
static void test_supported(void **state)
{
	static const s32 tids[] = { 1, 2 };
	static const char *const comms[] = { "a", "b" };
	struct stat_count none = { 0 };
	struct stat_reading r;
	struct stat_domains d;
	struct stat_table t;
	struct event_set set;

	(void)state;
	parse(&set, "page-faults,r1");
	stat_domains_of_threads(&d, tids, comms, 2);
	stat_table_init(&t, &set, &d);
	count(&t, 0, 0, 5, 1000, 1000);
	stat_table_add(&t, 0, 1, &none);
	stat_table_end_run(&t, 1000);
	for (size_t domain = 0; domain < 2; domain++) {
		stat_read(&t, domain, set.list.items[0], &r);
		assert_true(r.supported && r.counted == (domain == 0));
		stat_read(&t, domain, set.list.items[1], &r);
		assert_true(!r.supported && !r.counted);
	}
	stat_table_release(&t);
	stat_domains_release(&d);
	event_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),   cmocka_unit_test(test_ratio_in_domain),
		cmocka_unit_test(test_supported), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_runs),      cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_rows),      cmocka_unit_test(test_elapsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
