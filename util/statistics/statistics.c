// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/statistics.h"

#include <math.h>

#include "base/types.h"

double statistics_normal_quantile(double level)
{
	double low = 0, high = 40; /* erf rounds to 1 long before */

	for (int i = 0; i < 100; i++) {
		double z = (low + high) / 2;

		if (erf(z / M_SQRT2) < level)
			low = z;
		else
			high = z;
	}
	return low;
}

void statistics_share_interval(double p, double n, double z, double *low, double *high)
{
	double middle = p + z * z / (2 * n);
	double spread = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

	*low = (middle - spread) / (1 + z * z / n);
	*high = (middle + spread) / (1 + z * z / n);
}

double statistics_share_draws(double part, double part_squares, double total, double squares)
{
	double p = total > 0 ? part / total : 0;
	double rest = MAX(squares - part_squares, 0), variance;

	if (squares <= 0 || total <= 0)
		return 0;
	variance = (part_squares * (1 - p) * (1 - p) + rest * p * p) / (total * total);
	if (p > 0 && p < 1 && variance > 0)
		return p * (1 - p) / variance;
	return total * total / squares;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double statistics_fisher_exact(double x, double n, double y, double m)
{
	double k = x + y, low = 0, high = 0;

	for (double i = MAX(k - m, 0); i <= MIN(k, n); i++) {
		double p = exp(log_choose(n, i) + log_choose(m, k - i) - log_choose(n + m, k));

		low += i <= x ? p : 0;
		high += i >= x ? p : 0;
	}
	return MIN(2 * MIN(low, high), 1);
}
