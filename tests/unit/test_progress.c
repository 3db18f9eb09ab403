// SPDX-License-Identifier: GPL-2.0-or-later
/* The line of progress: after a second, not too often, erased at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/progress.h"

static char last[64];
static unsigned shown, erased;

static void take(const char *text)
{
	if (text)
		strncpy(last, text, sizeof(last) - 1);
	shown += text != NULL;
	erased += !text;
}

static void run(bool quiet, bool watched)
{
	const struct context ctx = { .quiet = quiet, .progress = watched ? take : NULL };
	struct progress p;

	shown = erased = 0;
	progress_begin(&p, &ctx);
	progress_say(&p, "too early");
	assert_int_equal(shown, 0);
	usleep(1100000);
	for (int i = 0; i < 100; i++)
		progress_say(&p, "%d of 100", i);
	progress_end(&p);
	progress_end(&p);
}

static void a_line_comes_after_a_second(void **state)
{
	(void)state;
	run(false, true);
	assert_in_range(shown, 1, 50);
	assert_non_null(strstr(last, " of 100"));
	assert_int_equal(erased, 1);
}

static void nobody_watches(void **state)
{
	(void)state;
	run(true, true);
	assert_int_equal(shown + erased, 0);
	run(false, false);
	assert_int_equal(shown + erased, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_comes_after_a_second),
		cmocka_unit_test(nobody_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
