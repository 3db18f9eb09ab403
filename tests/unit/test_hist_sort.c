// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorting by several threads gives what one thread gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hist/internal.h"

struct item {
	u32 key, number;
	u64 more;
};

static int by_key(const void *pa, const void *pb, void *arg)
{
	const struct item *a = pa, *b = pb;

	(void)arg;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* distinct: how many keys there are; with few of them most comparisons go to the numbers. */
static struct item *make(size_t count, u32 distinct)
{
	struct item *items = xcalloc(count + 1, sizeof(*items));
	u32 seed = 1;

	for (size_t i = 0; i < count; i++) {
		seed = seed * 1103515245 + 12345;
		items[i] = (struct item){ (seed >> 8) % distinct, (u32)(count - i), ~(u64)i };
	}
	return items;
}

static void test_sort(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 4095, 8192, 12289, 30001, 60000 };
	static const unsigned workers[] = { 1, 2, 3, 4, 7, 64 };
	struct context ctx = { .symfs = "" };
	struct hist h = { .ctx = &ctx };

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
		for (size_t w = 0; w < ARRAY_SIZE(workers); w++) {
			u32 distinct = w % 2 ? 1000000 : 5;
			struct item *items = make(counts[c], distinct), *expected = make(counts[c], distinct);

			ctx.workers = workers[w];
			hist_sort(&h, items, counts[c], sizeof(*items), by_key, NULL);
			qsort_r(expected, counts[c], sizeof(*expected), by_key, NULL);
			assert_memory_equal(items, expected, counts[c] * sizeof(*items));
			free(items);
			free(expected);
		}
}

struct worded_item {
	u64 words[3];
	u32 number;
};

static int by_words_and_number(const void *pa, const void *pb)
{
	const struct worded_item *a = pa, *b = pb;

	for (u32 i = 0; i < ARRAY_SIZE(a->words); i++)
		if (a->words[i] != b->words[i])
			return a->words[i] < b->words[i] ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Words of all magnitudes, of a few values, and the same in all, by m; equal items stay in their order. */
static void sort_worded(struct context *ctx, size_t count, size_t m)
{
	static const u64 masks[] = { 3, 0xff00, UINT64_MAX, 0, 0xff00000000000000 };
	struct worded_item *items = xcalloc(count + 1, sizeof(*items));
	struct worded_item *expected = xcalloc(count + 1, sizeof(*expected));
	struct hist h = { .ctx = ctx };
	u64 seed = m + 1;

	for (size_t i = 0; i < count; i++) {
		for (u32 w = 0; w < ARRAY_SIZE(items->words); w++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			items[i].words[w] = (seed ^ seed >> 32) & masks[(m + w) % ARRAY_SIZE(masks)];
		}
		items[i].number = (u32)i;
		expected[i] = items[i];
	}
	hist_sort_words(&h, items, count, sizeof(*items), ARRAY_SIZE(items->words));
	qsort(expected, count, sizeof(*expected), by_words_and_number);
	if (count >= 128)
		assert_memory_equal(items, expected, count * sizeof(*items));
	for (size_t i = 0; i < count; i++)
		assert_memory_equal(items[i].words, expected[i].words, sizeof(items->words));
	free(items);
	free(expected);
}

static void test_sort_words(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 127, 128, 129, 5000, 8192, 30001, 70000 };
	static const unsigned workers[] = { 1, 2, 3, 7 };
	struct context ctx = { .symfs = "" };

	(void)state;
	for (size_t w = 0; w < ARRAY_SIZE(workers); w++)
		for (size_t c = 0; c < ARRAY_SIZE(counts); c++)
			for (size_t m = 0; m < 5; m++) {
				ctx.workers = workers[w];
				sort_worded(&ctx, counts[c], m);
			}
}

static void count_piece(void *arg, size_t piece)
{
	__atomic_fetch_add(&((u32 *)arg)[piece], 1, __ATOMIC_RELAXED);
}

static void test_pieces(void **state)
{
	struct context ctx = { .symfs = "", .workers = 7 };
	struct hist h = { .ctx = &ctx };
	u32 done[1000] = { 0 };

	(void)state;
	hist_in_pieces(&h, 0, count_piece, done);
	hist_in_pieces(&h, ARRAY_SIZE(done), count_piece, done);
	for (size_t i = 0; i < ARRAY_SIZE(done); i++)
		assert_int_equal(done[i], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sort_words),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
