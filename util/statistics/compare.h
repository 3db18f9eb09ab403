/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two sets of measurements: how much more or less is the second one, and how sure is that?
 *
 * Runs that were made in pairs are compared by their differences (Student, "The Probable Error of
 * a Mean", 1908); sets of independent runs by their means (B. L. Welch, "The Generalization of
 * 'Student's' Problem when Several Different Population Variances are Involved", 1947).  Either
 * way the interval of the ratio is Fieller's (E. C. Fieller, "Some Problems in Interval
 * Estimation", 1954), which holds 1 exactly where the interval of the difference holds 0.
 *
 * Pure functions, for any thread.
 */
#ifndef STATISTICS_COMPARE_H
#define STATISTICS_COMPARE_H

#include <stddef.h>

#include "base/types.h"

/*
 * Returns the t for which a value of Student's distribution lies within -t and t with this chance,
 * such as 2.262 for 0.95 and 9 degrees of freedom (at least 1).
 */
double statistics_student_quantile(double level, unsigned freedom);

/* Sums of n pairs by Welford's method. Zero it before the first pair. */
struct statistics_pairs {
	u64 n;
	double base, other; /* means */
	double bb, oo, bo;  /* sums of products of the distances from the means */
};
void statistics_add_pair(struct statistics_pairs *p, double base, double other);

struct statistics_change {
	double base, other;           /* means */
	double difference, low, high; /* other - base, with its interval */
	/* other / base - 1 with its interval; meaningless unless is_relative */
	double share, share_low, share_high;
	bool is_relative; /* base is above zero beyond doubt */
};
/* Compares pairs, of which there must be at least two. t: the quantile for the interval. */
void statistics_compare_pairs(const struct statistics_pairs *p, double t,
			      struct statistics_change *out);
/*
 * Compares sets of independent values, with at least two on each side. The degrees of freedom are
 * Welch's, rounded down.
 */
void statistics_compare_sets(const double *base, size_t bases, const double *other, size_t others,
			     double level, struct statistics_change *out);
/*
 * Returns 1 if the second is shown to be more, -1 if it is shown to be less, 0 if the interval of
 * the difference contains 0.
 */
int statistics_direction(const struct statistics_change *c);

/*
 * Sorts the values and computes Tukey's outer fences. Values beyond them are "far out": they are
 * farther from the quartiles than three times the distance between the quartiles (J. W. Tukey,
 * "Exploratory Data Analysis", 1977). With fewer than four values, or if half of them are equal,
 * nothing is far out.
 */
void statistics_far_out(double *values, size_t n, double *low, double *high);
/* Returns the middle one of sorted values, or the mean of the middle two. n must be above 0. */
double statistics_median(const double *sorted, size_t n);

#endif
