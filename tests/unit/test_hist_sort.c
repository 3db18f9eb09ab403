// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What several threads sort and measure is what one thread does; rows are found by their chains and
 * by a hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hist/columns.h"
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

/*
 * Makes items with so many distinct keys; if there are few, most comparisons are decided by the
 * numbers.
 */
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
			struct item *items = make(counts[c], distinct),
				    *expected = make(counts[c], distinct);

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

/*
 * Sorts words of all magnitudes, of a few values, and all the same, depending on m. Equal items
 * keep their order.
 */
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
			items[i].words[w] =
				(seed ^ seed >> 32) & masks[(m + w) % ARRAY_SIZE(masks)];
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

/* Returns how many samples the row for this one has. Each row must exist once. */
static u64 samples_of(const struct row_table *t, u32 key, u32 chain)
{
	u64 samples = 0;
	u32 met = 0;

	vec_for_each(&t->rows, r)
		if (r->key == key && r->chain == chain) {
			samples = r->samples;
			met++;
		}
	assert_int_equal(met, 1);
	return samples;
}

/*
 * Checks rows of chains: for each chain (0: none), key k comes k + 1 times in each of two rounds.
 */
static void test_rows_of_chains(void **state)
{
	enum { CHAINS = 3000, KEYS = 3 };
	struct row_table t = { 0 };

	(void)state;
	for (u32 i = 0; i < 2 * CHAINS * KEYS * KEYS; i++) {
		u32 key = i % KEYS, chain = i / KEYS % CHAINS, round = i / KEYS / CHAINS % KEYS;

		if (round <= key)
			rows_add_later(
				&t,
				&(struct row){
					.key = key, .chain = chain, .samples = 1, .period = 7 },
				NULL);
	}
	rows_flush(&t);
	assert_int_equal(t.rows.count, CHAINS * KEYS);
	for (u32 chain = 0; chain < CHAINS; chain += 997)
		for (u32 key = 0; key < KEYS; key++)
			assert_int_equal(samples_of(&t, key, chain), 2 * (key + 1));
	rows_release(&t);
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

static u32 widest; /* the class of the frame whose text takes 9 columns; others take 3 */

static int width(const struct hist_view *v, const struct hist_field *f, const struct hist_entry *e)
{
	(void)v;
	(void)f;
	return e->frame_class == widest ? 9 : 3;
}

/*
 * Checks that the widest text of a column is found wherever it is, among the entries that are
 * drawn.
 */
static void test_widest(void **state)
{
	enum { ENTRIES = 150000, DRAWN = 140000, CLASSES = ENTRIES };
	static const u32 at[] = { 0, 1, 4095, 4096, 65535, 65536, 131072, DRAWN - 1 };
	static const unsigned workers[] = { 1, 2, 7 };
	const struct hist_column by_entry = { .flags = HIST_OF_BOTH, .width = width };
	const struct hist_column by_class = { .flags = HIST_BY_FRAME, .width = width };
	const struct hist_field fields[] = { { .column = &by_entry }, { .column = &by_class } };
	struct context ctx = { .symfs = "" };
	struct hist h = { .ctx = &ctx, .frame_classes = CLASSES, .chains = chains_new(NULL) };
	struct hist_view v = { .hist = &h, .entry_count = ENTRIES };
	struct hist_entry *entries = xcalloc(ENTRIES, sizeof(*entries));

	(void)state;
	v.entries = xcalloc(ENTRIES, sizeof(*v.entries));
	h.frame_of_class = xcalloc(CLASSES, sizeof(*h.frame_of_class));
	for (u32 i = 0; i < ENTRIES; i++) {
		v.entries[i] = &entries[i];
		entries[i].frame_class = i;
	}
	for (size_t w = 0; w < ARRAY_SIZE(workers); w++)
		for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
			ctx.workers = workers[w];
			for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
				widest = at[i];
				assert_int_equal(hist_widest(&v, &fields[f], DRAWN, 0), 9);
			}
			widest = DRAWN;
			assert_int_equal(hist_widest(&v, &fields[f], DRAWN, 0), 3);
			assert_int_equal(hist_widest(&v, &fields[f], ENTRIES, 0), 9);
		}
	chains_free(h.chains);
	free(h.frame_of_class);
	free(v.entries);
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),           cmocka_unit_test(test_sort_words),
		cmocka_unit_test(test_rows_of_chains), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_widest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
