// SPDX-License-Identifier: GPL-2.0-or-later
/* Differences and how sure they are. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text_table.h"
#include "builtin/diff/diff.h"

struct example {
	struct diff_table t;
	struct diff_row row;
	struct diff_side totals[2], side[2];
};

static void fill(struct example *x, u64 a, u64 n, u64 b, u64 m)
{
	*x = (struct example){ 0 };
	x->totals[0] = (struct diff_side){ true, n, n * 1000, (double)n * 1e6 };
	x->totals[1] = (struct diff_side){ true, m, m * 1000, (double)m * 1e6 };
	x->side[0] = (struct diff_side){ a > 0, a, a * 1000, (double)a * 1e6 };
	x->side[1] = (struct diff_side){ b > 0, b, b * 1000, (double)b * 1e6 };
	x->t.file_count = 2;
	x->t.totals = x->totals;
	x->row.side = x->side;
}

static void near(double a, double b, double tolerance)
{
	if (fabs(a - b) > tolerance)
		fail_msg("%.6f is not %.6f", a, b);
}

/* The examples of Newcombe 1998, table II, method 10. */
static void newcombe(void **state)
{
	static const struct {
		u64 b, m, a, n;
		double low, high;
	} cases[] = {
		{ 56, 70, 48, 80, 0.0524, 0.3339 },
		{ 9, 10, 3, 10, 0.1705, 0.8090 },
		{ 10, 10, 0, 10, 0.6075, 1.0000 },
		{ 10, 10, 0, 20, 0.6791, 1.0000 },
	};
	const struct diff_settings s = { .method = DIFF_DELTA, .level = 0.95 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct diff_interval v;
		struct example x;

		fill(&x, cases[i].a, cases[i].n, cases[i].b, cases[i].m);
		v = diff_interval(&s, &x.t, &x.row, 1);
		assert_true(v.known && v.change);
		near(v.low, 100 * cases[i].low, 0.006);
		near(v.high, 100 * cases[i].high, 0.006);
	}
}

static void few_samples_say_nothing(void **state)
{
	const struct diff_settings s = { .method = DIFF_DELTA_ABS, .level = 0.95 };
	struct example x;

	(void)state;
	fill(&x, 2, 10, 4, 10);
	assert_false(diff_interval(&s, &x.t, &x.row, 1).change);
	fill(&x, 200, 1000, 400, 1000);
	assert_true(diff_interval(&s, &x.t, &x.row, 1).change);
}

static void methods(void **state)
{
	struct diff_settings s = { .level = 0.95 };
	struct reason r = REASON_INIT;
	struct diff_value v;
	struct diff_interval i;
	struct example x;

	(void)state;
	fill(&x, 20, 100, 30, 100);
	assert_int_equal(diff_method_parse(&s, "ratio", &r), 0);
	v = diff_compute(&s, &x.t, &x.row, 1);
	assert_int_equal(v.kind, DIFF_NUMBER);
	near(v.number, 1.5, 1e-9);
	/* exp(ln 1.5 -+ 1.96 sqrt(1/20 + 1/30)) */
	i = diff_interval(&s, &x.t, &x.row, 1);
	near(i.low, 0.8519, 1e-4);
	near(i.high, 2.6413, 1e-4);
	assert_false(i.change);
	assert_int_equal(diff_method_parse(&s, "wdiff:3,-4", &r), 0);
	v = diff_compute(&s, &x.t, &x.row, 1);
	near(v.number, 30000.0 * -4 - 20000.0 * 3, 1e-9);
	fill(&x, 20, 100, 0, 100);
	s.method = DIFF_DELTA;
	v = diff_compute(&s, &x.t, &x.row, 1);
	assert_int_equal(v.kind, DIFF_NUMBER);
	near(v.number, -20, 1e-9);
	for (const char *const *bad =
		     (const char *const[]){ "", "del", "delta:1", "wdiff", "wdiff:1", "wdiff:1,x",
					    "wdiff:1,2,3", NULL };
	     *bad; bad++) {
		assert_int_equal(diff_method_parse(&s, *bad, &r), -EINVAL);
		assert_non_null(r.hint ? r.hint : r.text);
		reason_release(&r);
	}
}

static struct diff_interval one_side(struct diff_settings *s, enum diff_method m, u64 a, u64 b,
				     double *value)
{
	struct example x;
	struct diff_value v;

	s->method = m;
	fill(&x, a, 100, b, 100);
	v = diff_compute(s, &x.t, &x.row, 1);
	assert_int_equal(v.kind, DIFF_NUMBER);
	*value = v.number;
	return diff_interval(s, &x.t, &x.row, 1);
}

/* A ratio's limit is Clopper and Pearson's: (2 / 0.05)^(1/n) - 1.  A count of 0 is at most -ln
 * 0.025 = 3.689. */
static void ratios_of_one_side(void **state)
{
	struct diff_settings s = { .level = 0.95, .weight = { 2, 3 } };
	struct diff_interval i;
	struct example x;
	double v;

	(void)state;
	i = one_side(&s, DIFF_RATIO, 6, 0, &v);
	near(v, 0, 0);
	near(i.low, 0, 0);
	near(i.high, 0.8493, 1e-4);
	assert_true(i.known && i.change);
	assert_false(one_side(&s, DIFF_RATIO, 5, 0, &v).change);
	i = one_side(&s, DIFF_RATIO, 0, 20, &v);
	assert_true(isinf(v) && isinf(i.high) && i.change);
	near(i.low, 1 / (pow(40, 0.05) - 1), 1e-9);
	i = one_side(&s, DIFF_WDIFF, 20, 0, &v);
	near(v, -40000, 0);
	near(i.low, -40000 - 2 * 1959.964 * sqrt(20), 1);
	near(i.high, -40000 + hypot(2 * 1959.964 * sqrt(20), 3 * 3688.879), 1);
	assert_true(i.known && i.change);
	i = one_side(&s, DIFF_WDIFF, 0, 3, &v);
	near(v, 9000, 0);
	near(i.low, 9000 - hypot(3 * 1959.964 * sqrt(3), 2 * 3688.879), 1);
	near(i.high, 9000 + 3 * 1959.964 * sqrt(3), 1);
	assert_false(i.change);
	fill(&x, 5, 100, 0, 0);
	assert_false(diff_interval(&s, &x.t, &x.row, 1).known);
	x.totals[1].present = false;
	assert_int_equal(diff_compute(&s, &x.t, &x.row, 1).kind, DIFF_NONE);
	s.method = DIFF_RATIO;
	fill(&x, 5, 100, 5, 100);
	x.side[0].period = 0;
	assert_int_equal(diff_compute(&s, &x.t, &x.row, 1).kind, DIFF_NOT_DEFINED);
}

static double chance(u64 *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

/*
 * Samples of one program, of which the row is a part with heavier periods, from 1 to `spread` times
 * 1000.
 */
static void draw(struct example *x, size_t file, u64 *seed, double part, double spread,
		 double heavier)
{
	struct diff_side all = { .present = true }, row = { 0 };

	for (u32 i = 0; i < 800; i++) {
		struct diff_side *sides[] = { &all, chance(seed) < part ? &row : NULL };
		u64 period = (u64)(1000 * pow(spread, chance(seed)) * (sides[1] ? heavier : 1));

		for (size_t k = 0; k < 2 && sides[k]; k++) {
			sides[k]->present = true;
			sides[k]->samples++;
			sides[k]->period += period;
			sides[k]->squares += (double)period * (double)period;
		}
	}
	x->totals[file] = all;
	x->side[file] = row;
}

/* Nothing changed: about one in twenty is outside of its 95% interval, whatever the periods. */
static void uneven_periods(void **state)
{
	static const struct {
		double part, spread, heavier;
	} cases[] = { { 0.3, 1, 1 },    { 0.3, 100, 1 }, { 0.3, 10000, 1 }, { 0.05, 1000, 1 },
		      { 0.8, 1000, 1 }, { 0.1, 10, 20 }, { 0.5, 10, 0.05 } };
	static const enum diff_method ways[] = { DIFF_DELTA, DIFF_RATIO, DIFF_WDIFF };
	enum { TRIALS = 2000 };
	u64 seed = 1;

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		u32 changed[3] = { 0 };

		for (u32 i = 0; i < TRIALS; i++) {
			struct example x;

			fill(&x, 0, 0, 0, 0);
			for (size_t file = 0; file < 2; file++)
				draw(&x, file, &seed, cases[k].part, cases[k].spread,
				     cases[k].heavier);
			for (size_t w = 0; w < 3; w++) {
				const struct diff_settings s = { .method = ways[w],
								 .weight = { 1, 1 },
								 .level = 0.95 };

				changed[w] += diff_interval(&s, &x.t, &x.row, 1).change;
			}
		}
		assert_in_range(changed[0], TRIALS * 3 / 100, TRIALS * 7 / 100);
		/* the sum of both files' samples is given, so these two vary a little less */
		assert_in_range(changed[1], 1, TRIALS * 7 / 100);
		assert_in_range(changed[2], 1, TRIALS * 7 / 100);
	}
}

/* One of `n` samples with the period; returns how many are the row's. */
static u64 draw_file(struct example *x, size_t file, u64 *seed, double part, u32 n, u64 period)
{
	u64 k = 0;

	for (u32 i = 0; i < n; i++)
		k += chance(seed) < part;
	x->totals[file] = (struct diff_side){ true, n, n * period,
					      (double)n * (double)period * (double)period };
	x->side[file] = (struct diff_side){ k > 0, k, k * period,
					    (double)k * (double)period * (double)period };
	return k;
}

/* Files with different periods: an equal row that one of them lacks is seldom called changed. */
static void rows_of_one_file(void **state)
{
	const struct diff_settings s = { .method = DIFF_DELTA_ABS, .level = 0.95 };
	enum { TRIALS = 3000 };
	u64 seed = 7;

	(void)state;
	for (size_t few = 0; few < 2; few++) {
		u32 lacking = 0, changed = 0, outside = 0;

		for (u32 i = 0; i < TRIALS; i++) {
			struct diff_interval v;
			struct example x;

			fill(&x, 0, 0, 0, 0);
			draw_file(&x, !few, &seed, 0.002, 5000, 1000);
			if (draw_file(&x, few, &seed, 0.002, 500, 10000))
				continue;
			lacking++;
			v = diff_interval(&s, &x.t, &x.row, 1);
			changed += v.change;
			outside += v.low > 0 || v.high < 0;
		}
		assert_in_range(outside, 0, lacking / 20);
		assert_true(lacking > TRIALS / 4);
		assert_in_range(changed, 0, lacking / 50);
	}
	/* really gone: 60 would be expected */
	for (size_t few = 0; few < 2; few++) {
		struct example x;

		fill(&x, 0, 0, 0, 0);
		draw_file(&x, !few, &seed, 0.12, 5000, 1000);
		draw_file(&x, few, &seed, 0, 500, 10000);
		assert_true(diff_interval(&s, &x.t, &x.row, 1).change);
	}
}

/* Tests by the hypergeometric distribution; a single sample is never enough. */
static void tiny_counts(void **state)
{
	static const struct {
		u64 a, n, b, m;
		bool change;
	} cases[] = {
		{ 0, 1000, 1, 1000, false },
		{ 0, 100000, 1, 1000, false },
		{ 1, 100, 0, 100000, false },
		/* all in one of equal files: 2 / 2^k */
		{ 0, 10000, 4, 10000, false },
		{ 0, 10000, 5, 10000, false },
		{ 0, 10000, 6, 10000, true },
		{ 6, 10000, 0, 10000, true },
		/* 2 (9 + 1) / 2^9 = 0.039, but 2 (8 + 1) / 2^8 = 0.07 */
		{ 1, 10000, 8, 10000, true },
		{ 1, 10000, 7, 10000, false },
		/* two of two in the file that is a tenth: 2 / 11^2 */
		{ 0, 100000, 2, 10000, true },
	};
	const struct diff_settings s = { .method = DIFF_DELTA, .level = 0.95 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct example x;

		fill(&x, cases[i].a, cases[i].n, cases[i].b, cases[i].m);
		if (diff_interval(&s, &x.t, &x.row, 1).change != cases[i].change)
			fail_msg("case %zu", i);
	}
}

static void tables(void **state)
{
	const struct text_column columns[] = {
		{ .head = "A", .min_width = 4, .right = true },
		{ .head = "Name", .ragged = true },
	};
	const struct text_table_style wide = { 0 }, csv = { .separator = "," };
	struct text_table *t = text_table_new(columns, 2);
	struct strbuf b = STRBUF_INIT;

	(void)state;
	text_table_cell(t, "1", NULL);
	text_table_cell(t, "plain", NULL);
	text_table_cell(t, "12345", NULL);
	text_table_cell(t, "a,b \"c\"", NULL);
	text_table_put(t, &wide, &b);
	assert_string_equal(strbuf_cstr(&b), "#     A  Name   \n# .....  .......\n#\n"
					     "      1  plain\n  12345  a,b \"c\"\n");
	strbuf_clear(&b);
	text_table_put(t, &csv, &b);
	assert_string_equal(strbuf_cstr(&b), "# A,Name\n1,plain\n12345,\"a,b \"\"c\"\"\"\n");
	strbuf_release(&b);
	text_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newcombe),       cmocka_unit_test(few_samples_say_nothing),
		cmocka_unit_test(methods),        cmocka_unit_test(ratios_of_one_side),
		cmocka_unit_test(uneven_periods), cmocka_unit_test(rows_of_one_file),
		cmocka_unit_test(tiny_counts),    cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
