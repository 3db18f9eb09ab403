// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/compare.h"

#include <math.h>
#include <stdlib.h>

/*
 * Returns the chance of |x| < t. M. Abramowitz and I. A. Stegun, "Handbook of Mathematical
 * Functions" (1964), 26.7.3 for an odd number of degrees of freedom and 26.7.4 for an even one.
 */
static double student_chance(double t, unsigned freedom)
{
	double angle = atan(t / sqrt(freedom)), c = cos(angle), s = sin(angle);
	bool is_odd = freedom % 2;
	double term = is_odd ? c : 1, sum = freedom > 1 ? term : 0;

	for (unsigned j = is_odd ? 3 : 2; j + 2 <= freedom; j += 2) {
		term *= c * c * (j - 1) / j;
		sum += term;
	}
	return is_odd ? 2 / M_PI * (angle + s * sum) : s * sum;
}

double statistics_student_quantile(double level, unsigned freedom)
{
	double low = 0, high = 1;

	while (student_chance(high, freedom) < level && high < 1e9)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double t = (low + high) / 2;

		if (student_chance(t, freedom) < level)
			low = t;
		else
			high = t;
	}
	return low;
}

void statistics_add_pair(struct statistics_pairs *p, double base, double other)
{
	double from_base = base - p->base, from_other = other - p->other;

	p->n++;
	p->base += from_base / (double)p->n;
	p->other += from_other / (double)p->n;
	p->bb += from_base * (base - p->base);
	p->oo += from_other * (other - p->other);
	p->bo += from_base * (other - p->other);
}

/*
 * Computes Fieller's interval: all ratios for which other - ratio * base cannot be distinguished
 * from 0. If base itself can be distinguished from 0, those are the ratios between the roots of a
 * quadratic. bb, oo, bo: the variances of the two means, and their covariance.
 */
static void add_ratio(struct statistics_change *c, double bb, double oo, double bo, double t)
{
	double a = c->base * c->base - t * t * bb;
	double b = c->base * c->other - t * t * bo;
	double e = c->other * c->other - t * t * oo;
	double root = sqrt(fmax(b * b - a * e, 0));

	c->is_relative = c->base > 0 && a > 0;
	if (!c->is_relative)
		return;
	c->share = c->other / c->base - 1;
	c->share_low = (b - root) / a - 1;
	c->share_high = (b + root) / a - 1;
}

static void add_difference(struct statistics_change *c, double variance, double t)
{
	double half = t * sqrt(fmax(variance, 0));

	c->difference = c->other - c->base;
	c->low = c->difference - half;
	c->high = c->difference + half;
}

void statistics_compare_pairs(const struct statistics_pairs *p, double t,
			      struct statistics_change *out)
{
	double scale = 1 / ((double)(p->n - 1) * (double)p->n);

	*out = (struct statistics_change){ .base = p->base, .other = p->other };
	add_difference(out, (p->bb + p->oo - 2 * p->bo) * scale, t);
	add_ratio(out, p->bb * scale, p->oo * scale, p->bo * scale, t);
}

static void mean_of(const double *values, size_t n, double *mean, double *variance)
{
	struct statistics_pairs p = { 0 };

	for (size_t i = 0; i < n; i++)
		statistics_add_pair(&p, values[i], 0);
	*mean = p.base;
	*variance = p.bb / ((double)(n - 1) * (double)n);
}

void statistics_compare_sets(const double *base, size_t bases, const double *other, size_t others,
			     double level, struct statistics_change *out)
{
	double bb, oo, freedom, t;

	*out = (struct statistics_change){ 0 };
	mean_of(base, bases, &out->base, &bb);
	mean_of(other, others, &out->other, &oo);
	freedom = (bb + oo) * (bb + oo) /
		  (bb * bb / (double)(bases - 1) + oo * oo / (double)(others - 1));
	/* values that are all equal have no variance, so any t will do */
	t = statistics_student_quantile(level,
					freedom >= 1 && freedom < 1e6 ? (unsigned)freedom : 1);
	add_difference(out, bb + oo, t);
	add_ratio(out, bb, oo, 0, t);
}

int statistics_direction(const struct statistics_change *c)
{
	return c->low > 0 ? 1 : c->high < 0 ? -1 : 0;
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double statistics_median(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

void statistics_far_out(double *values, size_t n, double *low, double *high)
{
	size_t half = (n + 1) /
		      2; /* the middle value belongs to both halves, as Tukey's hinges have it */
	double q1, q3;

	*low = -INFINITY;
	*high = INFINITY;
	qsort(values, n, sizeof(*values), compare_values);
	if (n < 4)
		return;
	q1 = statistics_median(values, half);
	q3 = statistics_median(values + n - half, half);
	if (q3 > q1) {
		*low = q1 - 3 * (q3 - q1);
		*high = q3 + 3 * (q3 - q1);
	}
}
