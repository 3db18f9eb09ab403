// SPDX-License-Identifier: GPL-2.0-or-later
/* Arenas: what they hand out, and what they cost. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/hash.h"

static void test_each_piece_is_its_own(void **state)
{
	enum { PIECES = 3000, LARGE = 200000 };
	struct arena a = { NULL };
	u8 *pieces[PIECES];
	u8 *large;

	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = arena_alloc(&a, 1 + i % 90);
		assert_int_equal((uintptr_t)pieces[i] % 16, 0);
		memset(pieces[i], (int)(i % 251), 1 + i % 90);
	}
	large = arena_alloc(&a, LARGE);
	memset(large, 255, LARGE);
	assert_string_equal(arena_strndup(&a, "names", 4), "name");
	for (size_t i = 0; i < PIECES; i++)
		for (size_t k = 0; k < 1 + i % 90; k++)
			assert_int_equal(pieces[i][k], i % 251);
	arena_release(&a);
	assert_null(a.blocks);
}

/* Each object with stubs has an arena, often for a few names: top watches thousands of them. */
static void test_a_name_costs_little(void **state)
{
	enum { ARENAS = 500, MOST = 4096 };
	struct arena *all = xcalloc(ARENAS, sizeof(*all));
	struct mallinfo2 before = mallinfo2(), after;

	(void)state;
	for (size_t i = 0; i < ARENAS; i++)
		arena_strndup(&all[i], "a name", 6);
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <=
		    before.uordblks + before.hblkhd + ARENAS * MOST);
	for (size_t i = 0; i < ARENAS; i++)
		arena_release(&all[i]);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_piece_is_its_own),
		cmocka_unit_test(test_a_name_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
