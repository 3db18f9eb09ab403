// SPDX-License-Identifier: GPL-2.0-or-later
/* Mean and deviation of the mean, by Welford's method: one pass, no large squares. */
#include <math.h>

#include "builtin/bench/internal.h"

void figures_add(struct figures *f, double value)
{
	double distance = value - f->mean;

	f->count++;
	f->mean += distance / (double)f->count;
	f->squares += distance * (value - f->mean);
}

double figures_deviation(const struct figures *f)
{
	if (f->count < 2)
		return 0;
	return sqrt(f->squares / (double)(f->count - 1) / (double)f->count);
}

double figures_percent(const struct figures *f)
{
	return f->mean != 0 ? 100.0 * figures_deviation(f) / f->mean : 0;
}
