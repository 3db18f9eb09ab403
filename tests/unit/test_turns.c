// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns of records: whatever runs their times make, sorting them is stable, and merging stops where
 * there is no more room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/internal.h"

enum { MOST = 3000 };

static u64 seed = 1;

static u32 draw(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % below;
}

static int by_time_and_place(const void *pa, const void *pb)
{
	const struct turn *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Runs that ascend, of about so many turns; few times, so that many are equal. */
static void fill(struct turns *t, u32 count, u32 run)
{
	u64 time = 0;

	vec_clear(t);
	for (u32 i = 0; i < count; i++) {
		time = draw(run) ? time + draw(3) : draw(50);
		vec_push(t, (struct turn){ .time = time, .offset = i * 8, .at = i });
	}
}

static void same(const struct turn *got, const struct turn *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(got[i].time, want[i].time);
		assert_int_equal(got[i].offset, want[i].offset);
		assert_int_equal(got[i].at, want[i].at);
	}
}

static void test_sort(void **state)
{
	static const u32 counts[] = { 0, 1, 2, 3, 17, 1000, MOST },
			 runs[] = { 1, 2, 10, 400, 1000000 };
	struct turns t = VEC_INIT, want = VEC_INIT, scratch = VEC_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(runs); k++) {
			fill(&t, counts[i], runs[k]);
			vec_clear(&want);
			vec_for_each(&t, turn)
				vec_push(&want, *turn);
			if (want.count)
				qsort(want.items, want.count, sizeof(*want.items),
				      by_time_and_place);
			turns_sort(&t, &scratch);
			assert_int_equal(t.count, counts[i]);
			same(t.items, want.items, t.count);
		}
	vec_release(&t);
	vec_release(&want);
	vec_release(&scratch);
}

/* Merges as a reader with small batches does: again and again, until one of the two is empty. */
static void test_merge_in_parts(void **state)
{
	struct turn a[100], b[60], to[7];
	u64 time = 0;

	(void)state;
	for (u32 round = 0; round < 200; round++) {
		const struct turn *pa = a, *pb = b, *a_end = a + draw(ARRAY_SIZE(a) + 1),
				  *b_end = b + draw(ARRAY_SIZE(b) + 1);
		u64 before = 0;
		bool from_b = false;

		time = 0;
		for (u32 i = 0; i < ARRAY_SIZE(a); i++)
			a[i] = (struct turn){ .time = time += draw(3), .offset = i };
		time = 0;
		for (u32 i = 0; i < ARRAY_SIZE(b); i++)
			b[i] = (struct turn){ .time = time += draw(4), .offset = 1000 + i };
		while (pa < a_end && pb < b_end) {
			size_t left = (size_t)((a_end - pa) + (b_end - pb)),
			       room = 1 + draw(ARRAY_SIZE(to));
			struct turn *end = turns_merge(&pa, a_end, &pb, b_end, to, to + room);

			assert_true(end == to + room || pa == a_end || pb == b_end);
			assert_int_equal(left - (size_t)((a_end - pa) + (b_end - pb)), end - to);
			for (const struct turn *t = to; t < end; t++) {
				assert_true(t->time >= before);
				/* of equal times the first run's come first */
				assert_false(from_b && t->time == before && t->offset < 1000);
				from_b = t->offset >= 1000;
				before = t->time;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_merge_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
