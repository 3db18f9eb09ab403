// SPDX-License-Identifier: GPL-2.0-or-later
/* Quantiles, intervals and chances against published values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics/statistics.h"

static void near(double a, double b, double tolerance)
{
	if (fabs(a - b) > tolerance)
		fail_msg("%.6f is not %.6f", a, b);
}

static void quantiles(void **state)
{
	(void)state;
	near(statistics_normal_quantile(0.95), 1.959964, 1e-6);
	near(statistics_normal_quantile(0.99), 2.575829, 1e-6);
	near(statistics_normal_quantile(0.6827), 1.000022, 1e-4);
}

/*
 * R. G. Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I,
 * method 3.
 */
static void intervals(void **state)
{
	static const struct {
		double r, n, low, high;
	} rows[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};
	double low, high;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		statistics_share_interval(rows[i].r / rows[i].n, rows[i].n,
					  statistics_normal_quantile(0.95), &low, &high);
		near(low, rows[i].low, 5e-5);
		near(high, rows[i].high, 5e-5);
	}
}

/*
 * Equal weights are as many draws as there are; a sum of weights w, half of which are w[i] = 3, is
 * worked out by hand.
 */
static void draws(void **state)
{
	(void)state;
	near(statistics_share_draws(30, 30, 100, 100), 100, 1e-9);
	near(statistics_share_draws(30 * 7, 30 * 49, 100 * 7, 100 * 49), 100, 1e-9);
	near(statistics_share_draws(0, 0, 100, 100), 100, 1e-9);
	near(statistics_share_draws(100, 100, 100, 100), 100, 1e-9);
	/* 10 of weight 3 and 10 of weight 1: 40 in all, squares 100 */
	near(statistics_share_draws(40, 100, 40, 100), 16, 1e-9);
	near(statistics_share_draws(30, 90, 40, 100),
	     0.75 * 0.25 * 1600 / (90 / 16.0 + 10 * 9 / 16.0), 1e-9);
	/* one heavy draw is worth less than many light ones of the same sum */
	near(statistics_share_draws(3, 9, 40, 100),
	     3 / 40.0 * 37 / 40 * 1600 / (9 * 37 * 37 / 1600.0 + 91 * 9 / 1600.0), 1e-9);
	assert_true(statistics_share_draws(3, 9, 40, 100) < statistics_share_draws(3, 3, 40, 100));
	assert_true(statistics_share_draws(0, 0, 0, 0) == 0);
	assert_true(statistics_share_draws(1, 0, 1, 0) == 0);
}

/* Fisher's lady who tastes tea, and 1 of 12 against 9 of 12; the smaller tail twice. */
static void chances(void **state)
{
	(void)state;
	near(statistics_fisher_exact(3, 4, 1, 4), 34.0 / 70, 1e-9);
	near(statistics_fisher_exact(1, 12, 9, 12), 2 * 0.001379728, 1e-7);
	near(statistics_fisher_exact(5, 10, 5, 10), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),
		cmocka_unit_test(intervals),
		cmocka_unit_test(draws),
		cmocka_unit_test(chances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
