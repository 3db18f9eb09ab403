// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of values in print formats: what kernels write, and what no kernel does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builtin/script/engine_internal.h"

static void flags_and_symbols(void **state)
{
	struct engine_naming *n;
	u32 count = engine_namings_read(
		"\"%s %s %s\", ( REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1) ) "
		"? "
		"__print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, { (1 << 4), "
		"\"T\\\"t\" }) : \"R\", "
		"__print_symbolic(REC->vec, { 0, \"HI\" }, { -1, \"NONE\" }, { (( unsigned "
		"long)8UL), \"SCHED\" }), "
		"__print_hex(REC->buf, 3)",
		&n);

	(void)state;
	assert_int_equal(count, 2);
	assert_string_equal(n[0].field, "prev_state");
	assert_string_equal(n[0].delimiter, "|");
	assert_int_equal(n[0].count, 3);
	assert_int_equal(n[0].values[0].value, 1);
	assert_string_equal(n[0].values[0].text, "S");
	assert_int_equal(n[0].values[1].value, 16);
	assert_string_equal(n[0].values[1].text, "T\"t");
	assert_int_equal(n[0].values[2].value, 0);
	assert_string_equal(n[0].values[2].text, "R");
	assert_string_equal(n[1].field, "vec");
	assert_null(n[1].delimiter);
	assert_int_equal(n[1].count, 3);
	assert_true(n[1].values[1].value == UINT64_MAX);
	assert_int_equal(n[1].values[2].value, 8);
	engine_namings_free(n, count);
}

static void what_is_cut_or_odd(void **state)
{
	/* clang-format off */
	static const char *const formats[] = {
		"", "__print_flags(", "__print_flags(REC->a", "__print_flags(REC->a,", "__print_flags(REC->a, \"|",
		"__print_symbolic(REC->a, {", "__print_symbolic(REC->a, { NAME, \"x\" })", "__print_symbolic(1, { 1, \"x\" })",
		"__print_symbolic(REC->a, { ((((((1, \"x\" })", "__print_flags(REC->, \"\", { , })", "__print_",
	};
	/* clang-format on */
	char deep[1000] = "__print_symbolic(REC->a, { ";
	struct engine_naming *n;
	u32 count;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		count = engine_namings_read(formats[i], &n);
		assert_int_equal(count, 0);
		engine_namings_free(n, count);
	}
	count = engine_namings_read(NULL, &n);
	assert_int_equal(count, 0);
	engine_namings_free(n, count);
	memset(deep + strlen(deep), '(', sizeof(deep) - strlen(deep) - 1);
	count = engine_namings_read(deep, &n);
	assert_int_equal(count, 0);
	engine_namings_free(n, count);
	/* what is good before the damage is kept */
	count = engine_namings_read("__print_symbolic(REC->a, { 1 << 70, \"x\" }, { 2", &n);
	assert_int_equal(count, 1);
	assert_int_equal(n[0].count, 1);
	engine_namings_free(n, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_and_symbols),
		cmocka_unit_test(what_is_cut_or_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
