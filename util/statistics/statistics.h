/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes how sure a count is.  Pure functions, for any thread.
 *
 * A sample is a draw: shares are binomial, counts are Poisson's.  Levels and chances are between
 * 0 and 1.
 */
#ifndef STATISTICS_STATISTICS_H
#define STATISTICS_STATISTICS_H

/*
 * Returns the z for which a normal value lies within -z and z with this chance, such as 1.96 for
 * 0.95.
 */
double statistics_normal_quantile(double level);

/*
 * Computes Wilson's score interval for that z of a share p (0 to 1) of n draws, n above 0. E. B.
 * Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
 */
void statistics_share_interval(double p, double n, double z, double *low, double *high);

/*
 * Performs Fisher's exact test of x of n draws against y of m. Returns how likely shares that
 * differ at least as much are if nothing changed, given the sum of x and y. Two-sided; takes time
 * in that sum.
 */
double statistics_fisher_exact(double x, double n, double y, double m);

#endif
