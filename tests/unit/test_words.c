// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a line; mean and deviation of benchmarks. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"
#include "builtin/bench/internal.h"

/* The words of line, each in brackets; "!": it was refused. */
static void check(const char *line, const char *want)
{
	struct strlist words = { VEC_INIT };
	struct strbuf got = STRBUF_INIT;

	if (shell_words(&words, line)) {
		assert_string_equal("!", want);
	} else {
		vec_for_each(&words.list, w)
			strbuf_f(&got, "[%s]", *w);
		assert_string_equal(strbuf_cstr(&got), want);
	}
	strbuf_release(&got);
	strlist_release(&words);
}

static void test_words(void **state)
{
	(void)state;
	check("", "");
	check("  \t ", "");
	check("a  b\tc", "[a][b][c]");
	check("'a b' c", "[a b][c]");
	check("a'b c'd", "[ab cd]");
	check("\"a 'b\" '\"'", "[a 'b][\"]");
	check("'' x", "[][x]");
	check("a\\ b \\' \\\\", "[a b]['][\\]");
	check("\"a\\\"b\\n\"", "[a\"b\\n]");
	check("'a\\'", "[a\\]");
	check("a\\", "[a\\]");
	check("'a", "!");
	check("a \"b", "!");
}

static void test_figures(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct figures f = { 0 };

	(void)state;
	assert_true(figures_deviation(&f) == 0 && figures_percent(&f) == 0);
	figures_add(&f, 3);
	assert_true(figures_deviation(&f) == 0);
	f = (struct figures){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		figures_add(&f, values[i]);
	/* variance 32 / 7, of the mean of eight values 32 / 56 */
	assert_true(fabs(f.mean - 5) < 1e-12);
	assert_true(fabs(figures_deviation(&f) - sqrt(32.0 / 56)) < 1e-12);
	assert_true(fabs(figures_percent(&f) - 20 * sqrt(32.0 / 56)) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
