// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat --versus: what the values of the runs say together. */
#include <math.h>

#include "builtin/stat/versus.h"

static size_t run_index(const struct versus *v, u64 round, size_t command)
{
	return round * v->commands.count + command;
}

double versus_value(const struct stat_session *q, u64 round, size_t command, u32 event)
{
	const struct versus *v = q->versus;

	return v->values.items[run_index(v, round, command) * q->events.set.list.count + event];
}

double versus_quantile_for(const struct versus *v, u64 pairs)
{
	return MAX(v->t, pairs < v->rounds ? versus_quantile(pairs, true) : 0);
}

bool versus_compare(const struct stat_session *q, size_t rival, u32 event,
		    struct statistics_change *out, u64 *pairs)
{
	struct statistics_pairs sums = { 0 };

	for (u64 i = 0; i < q->versus->rounds; i++) {
		double base = versus_value(q, i, 0, event),
		       other = versus_value(q, i, rival, event);

		if (!isnan(base) && !isnan(other))
			statistics_add_pair(&sums, base, other);
	}
	*pairs = sums.n;
	if (sums.n < 2)
		return false;
	statistics_compare_pairs(&sums, versus_quantile_for(q->versus, sums.n), out);
	return true;
}

u64 versus_far_out(const struct stat_session *q, size_t command, u32 event, double *factor)
{
	VEC(double) values = VEC_INIT;
	double low, high, middle;
	u64 found = 0;

	for (u64 i = 0; i < q->versus->rounds; i++)
		if (!isnan(versus_value(q, i, command, event)))
			vec_push(&values, versus_value(q, i, command, event));
	*factor = 1;
	statistics_far_out(values.items, values.count, &low, &high);
	middle = values.count ? statistics_median(values.items, values.count) : 0;
	vec_for_each(&values, it) {
		if (*it >= low && *it <= high)
			continue;
		found++;
		if (fabs(*it / middle - 1) > fabs(*factor - 1))
			*factor = *it / middle;
	}
	vec_release(&values);
	return found;
}
