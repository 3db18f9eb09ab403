// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/schedstat in its versions, subtracted, kept in a file and printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "builtin/sched/schedstat.h"
#include "builtin/sched/stats.h"
#include "data/reader.h"
#include "data/schedstat_section.h"

/* Numbers from first on, so that each field has one of its own. */
static void numbers(struct strbuf *b, u64 first, u32 count)
{
	for (u32 i = 0; i < count; i++)
		strbuf_f(b, " %" PRIu64, first + i);
}

static void text_of(struct strbuf *b, u32 version, u64 first)
{
	strbuf_f(b, "version %u\ntimestamp %" PRIu64 "\n", version, 1000 + first);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		strbuf_f(b, "cpu%u", cpu);
		numbers(b, first, 9);
		strbuf_f(b, "\ndomain0 %s3", version == 17 ? "MC " : "");
		numbers(b, first + 100, version == 17 ? 33 + 12 : 24 + 12);
		strbuf_char(b, '\n');
	}
}

static void test_versions(void **state)
{
	(void)state;
	for (u32 version = 15; version <= 17; version++) {
		struct schedstat s;
		struct strbuf b = STRBUF_INIT;
		const struct schedstat_domain *d;
		u32 block = version == 17 ? 11 : 8;

		text_of(&b, version, 1);
		assert_int_equal(schedstat_parse(&s, b.s, b.len, NULL), 0);
		assert_true(s.version == version && s.timestamp == 1001 && s.cpus.count == 2);
		assert_true(s.cpus.items[1].cpu == 1 && s.cpus.items[1].fields[7] == 8);
		assert_int_equal(s.domains.count, 2);
		d = &s.domains.items[1];
		assert_string_equal(d->name, version == 17 ? "MC" : "domain0");
		assert_int_equal(d->cpu, 1);
		/* idle comes first in 15, busy later */
		assert_int_equal(d->balance[BALANCE_IDLE][0], 101 + (version == 15 ? 0 : block));
		assert_int_equal(d->balance[BALANCE_BUSY][0], 101 + (version == 15 ? block : 0));
		assert_int_equal(d->balance[BALANCE_NEWLY_IDLE][0], 101 + 2 * block);
		assert_int_equal(d->balance[BALANCE_NEWLY_IDLE][10], 101 + 3 * block - 1);
		assert_int_equal(d->other[11], 101 + 3 * block + 11);
		schedstat_release(&s);
		/* each cut of the text is refused or shorter */
		for (size_t n = 0; n < b.len; n++)
			if (!schedstat_parse(&s, b.s, n, NULL))
				schedstat_release(&s);
		strbuf_release(&b);
	}
}

static void test_damaged(void **state)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EINVAL },
		{ "hello", -EINVAL },
		{ "version 14\n", -ENOTSUP },
		{ "version 18\n", -ENOTSUP },
		{ "version 15\ncpu0 1 2\n", -EINVAL },
		{ "cpu0 1 2 3 4 5 6 7 8 9\n", -EINVAL },
		{ "version 15\ndomain0 3 1\n", -EINVAL },
		{ "version 17\ncpu0 1 2 3 4 5 6 7 8 x\n", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct schedstat s;

		assert_int_equal(schedstat_parse(&s, bad[i].text, strlen(bad[i].text), NULL),
				 bad[i].err);
	}
}

static void write_file(struct context *ctx, const char *path, u64 first, u64 second)
{
	struct schedstat_texts t = { STRBUF_INIT, STRBUF_INIT };
	struct reason r = REASON_INIT;

	text_of(&t.before, 17, first);
	text_of(&t.after, 17, second);
	if (schedstat_section_write(ctx, path, &t, &r))
		fail_msg("%s", r.text);
	strbuf_release(&t.before);
	strbuf_release(&t.after);
}

static bool has_line(const struct strbuf *b, const char *a, const char *value)
{
	for (const char *at = strbuf_cstr(b); at;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, a, strlen(a)) && at[strlen(a)] == ' ') {
			const char *end = strchr(at, '\n'), *found = strstr(at, value);

			if (found && found < end)
				return true;
		}
	return false;
}

static void test_file(void **state)
{
	struct context ctx = { .workers = 1, .buildid_dir = "", .symfs = "" };
	char one[] = "/tmp/schedstat-XXXXXX", two[] = "/tmp/schedstat-XXXXXX";
	struct strbuf b = STRBUF_INIT;
	struct reason r = REASON_INIT;
	struct data_reader *d;
	u32 cpu = 1, missing = 7;
	const struct stats_cpus second = { "1", &cpu, 1 }, none = { "7", &missing, 1 };

	(void)state;
	close(mkstemp(one));
	close(mkstemp(two));
	unlink(one);
	unlink(two);
	write_file(&ctx, one, 10, 60);
	write_file(&ctx, two, 10, 85);
	if (stats_print(&ctx, NULL, one, &b, &r))
		fail_msg("%s", r.text);
	assert_true(has_line(&b, "sched_count", " 100")); /* 50 on each of two CPUs */
	assert_true(has_line(&b, "sched_goidle", "100.00%"));
	assert_true(has_line(&b, "ttwu_move_balance", " 100"));
	assert_true(has_line(&b, "lb_imbalance_misfit", " 100"));
	strbuf_clear(&b);
	assert_int_equal(stats_print_diff(&ctx, NULL, one, two, &b, &r), 0);
	assert_true(has_line(&b, "sched_count", " 150"));
	assert_true(has_line(&b, "sched_count", "50.00%"));
	/* one CPU of the two, and one that is not there */
	strbuf_clear(&b);
	assert_int_equal(stats_print(&ctx, &second, one, &b, &r), 0);
	assert_true(has_line(&b, "sched_count", " 50"));
	assert_non_null(strstr(strbuf_cstr(&b), "CPU: <CPUS 1 SUMMARY>"));
	assert_int_equal(stats_print(&ctx, &none, one, &b, &r), -ENOENT);
	assert_non_null(strstr(r.text, "no statistics of the CPUs '7'"));
	reason_release(&r);
	/* for every other reader it is a file without samples */
	assert_int_equal(data_open(&ctx, one, true, &d, &r), 0);
	assert_int_equal(data_events(d)->list.count, 1);
	data_close(d);
	unlink(one);
	unlink(two);
	strbuf_release(&b);
	reason_release(&r);
	condition_list_release(&ctx.conditions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
