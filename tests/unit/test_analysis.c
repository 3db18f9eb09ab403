// SPDX-License-Identifier: GPL-2.0-or-later
/* The option rows that commands share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/analysis.h"

static const struct option_row *row_of(const option_rows *rows, const char *name)
{
	vec_for_each(rows, row)
		if (row->long_name && !strcmp(row->long_name, name))
			return row;
	return NULL;
}

/* Checks that a command chooses its options, their order and their letters. */
static void test_sample_rows(void **state)
{
	struct sample_filters f = { NULL };
	option_rows rows = VEC_INIT;

	(void)state;
	sample_option_rows(&rows, &f, "C:comms dsos S:symbols c:cpu time");
	assert_int_equal(rows.count, 6);
	assert_int_equal(rows.items[0].kind, OPTION_GROUP);
	assert_string_equal(rows.items[1].long_name, "comms");
	assert_int_equal(rows.items[1].short_name, 'C');
	assert_int_equal(row_of(&rows, "dsos")->short_name, 0);
	assert_ptr_equal(row_of(&rows, "dsos")->value, &f.dsos);
	assert_int_equal(row_of(&rows, "cpu")->short_name, 'c');
	assert_string_equal(rows.items[5].long_name, "time");
	assert_null(row_of(&rows, "pid"));
	vec_release(&rows);
}

static void test_sample_filters(void **state)
{
	struct sample_filters f = { .pid_text = "12,7", .cpu_text = "0,2-3" };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(sample_filters_parse(&f, &r), 0);
	assert_int_equal(f.pid_count, 2);
	assert_int_equal(f.pids[0], 7);
	assert_null(f.tids);
	assert_int_equal(f.choice.cpu_count, 3);
	sample_filters_release(&f);

	f = (struct sample_filters){ .tid_text = "x" };
	assert_int_not_equal(sample_filters_parse(&f, &r), 0);
	assert_non_null(strstr(r.text, "--tid"));
	reason_release(&r);
	sample_filters_release(&f);
}

/* Checks that the reason names the option when a file of names cannot be read. */
static void test_names_of_file(void **state)
{
	struct sample_filters f = { NULL };
	struct reason r = REASON_INIT;
	option_rows rows = VEC_INIT;
	struct option_call call = { .value = "main,file:///nonexistent/names" };

	(void)state;
	sample_option_rows(&rows, &f, "S:symbols");
	call.row = row_of(&rows, "symbols");
	assert_int_not_equal(call.row->set(&call, &r), 0);
	assert_non_null(strstr(r.text, "--symbols"));
	assert_int_equal(f.symbols.list.count, 1);
	assert_string_equal(f.symbols.list.items[0], "main");
	reason_release(&r);
	vec_release(&rows);
	sample_filters_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_rows),
		cmocka_unit_test(test_sample_filters),
		cmocka_unit_test(test_names_of_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
