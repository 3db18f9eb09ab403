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
 * How many draws of equal weight would give the share part / total as precisely as weighted draws
 * did?  squares are the sums of the squared weights, of the part and of all.  0: nothing was drawn.
 *
 * The share is a ratio of two sums, whose variance is (part_squares (1-p)^2 + (squares -
 * part_squares) p^2) / total^2; that of n equal draws is p (1-p) / n.  Where p is 0 or 1, n is
 * total^2 / squares (L. Kish, "Survey Sampling", 1965).  Wilson's interval with such a number is
 * examined by C. Franco, R. J. A. Little, T. A. Louis and E. V. Slud, "Comparative Study of
 * Confidence Intervals for Proportions in Complex Sample Surveys" (2019).
 */
double statistics_share_draws(double part, double part_squares, double total, double squares);

/*
 * Fisher's exact test of x of n draws against y of m: how likely shares that differ at least as
 * much are if nothing changed, given the sum of x and y.  Two-sided; takes time in that sum.
 */
double statistics_fisher_exact(double x, double n, double y, double m);

#endif
