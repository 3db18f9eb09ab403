// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes the difference between two sides of a row, and its confidence. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "builtin/diff/diff.h"
#include "statistics/statistics.h"

static const struct {
	const char *name, *head;
} methods[] = {
	[DIFF_DELTA_ABS] = { "delta-abs", "Delta Abs" },
	[DIFF_DELTA] = { "delta", "Delta" },
	[DIFF_RATIO] = { "ratio", "Ratio" },
	[DIFF_WDIFF] = { "wdiff", "Weighted diff" },
	[DIFF_CYCLES] = { "cycles", "[Program Block Range] Cycles Diff" },
};

const char *diff_method_head(enum diff_method m)
{
	return methods[m].head;
}

/* Parses the weights of "wdiff:WEIGHT-B,WEIGHT-A". */
static int parse_weights(struct diff_settings *s, const char *text, struct reason *r)
{
	struct strlist parts = { 0 };
	bool good;

	strlist_split(&parts, text, ",");
	good = parts.list.count == 2 && strchr(text, ',') &&
	       !parse_int(parts.list.items[0], &s->weight[0]) &&
	       !parse_int(parts.list.items[1], &s->weight[1]);
	strlist_release(&parts);
	if (good)
		return 0;
	reason_set(r, EINVAL, "wdiff needs two weights, not '%s'", text);
	reason_hint(r, "the baseline's, then the data's: -c wdiff:1,2");
	return -EINVAL;
}

int diff_method_parse(struct diff_settings *s, const char *text, struct reason *r)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		if (strlen(methods[i].name) != len || strncmp(text, methods[i].name, len))
			continue;
		s->method = (enum diff_method)i;
		if (i == DIFF_WDIFF)
			return parse_weights(s, text[len] ? text + len + 1 : "", r);
		if (text[len])
			return reason_set(r, EINVAL, "the method '%s' takes no '%s'",
					  methods[i].name, text + len);
		return 0;
	}
	reason_set(r, EINVAL, "'%s' is not a way to compare", text);
	reason_hint(r, "delta, delta-abs, ratio, wdiff:WEIGHT,WEIGHT or cycles");
	return -EINVAL;
}

static double share(const struct diff_table *t, const struct diff_side *side, size_t file)
{
	const struct diff_side *all = &t->totals[file];

	return all->period ? (double)side->period / (double)all->period : 0;
}

double diff_share(const struct diff_table *t, const struct diff_row *row, size_t file)
{
	return 100 * share(t, &row->side[file], file);
}

struct diff_value diff_compute(const struct diff_settings *s, const struct diff_table *t,
			       const struct diff_row *row, size_t file)
{
	const struct diff_side *base = &row->side[0], *data = &row->side[file];
	struct diff_value v = { .kind = DIFF_NUMBER };

	if (!t->totals[file].present || (!base->present && !data->present))
		return (struct diff_value){ .kind = DIFF_NONE };
	switch (s->method) {
	case DIFF_RATIO:
		if (base->period)
			v.number = (double)data->period / (double)base->period;
		else if (!base->present && data->period)
			v.number = INFINITY;
		else
			v.kind = DIFF_NOT_DEFINED;
		break;
	case DIFF_WDIFF:
		v.number = (double)data->period * (double)s->weight[1] -
			   (double)base->period * (double)s->weight[0];
		break;
	default:
		v.number = diff_share(t, row, file) - diff_share(t, row, 0);
	}
	return v;
}

/* Returns the mean weight of the samples, weighted by period, so heavy samples count more. */
static double weight(double squares, double period)
{
	return period > 0 && squares > 0 ? squares / period : 0;
}

/*
 * Returns what a sample of the row would weigh in a file that has none: as much heavier than that
 * file's others as it is in the peer's file. The files may have been recorded with different
 * periods.
 */
static double weight_elsewhere(const struct diff_side *all, const struct diff_side *peer,
			       const struct diff_side *peer_all)
{
	double own = weight(all->squares, (double)all->period);
	double others = weight(peer_all->squares - peer->squares,
			       (double)(peer_all->period - peer->period));

	return others > 0 ? weight(peer->squares, (double)peer->period) * own / others : own;
}

/*
 * Returns the number of draws of equal weight that would give this share as precisely as the file's
 * samples did. A row without samples in the file takes its weights from the other side.
 */
static double draws(const struct diff_table *t, const struct diff_row *row, size_t file,
		    size_t other)
{
	const struct diff_side *all = &t->totals[file], *side = &row->side[file],
			       *peer = &row->side[other];
	double total = (double)all->period;

	if (all->squares > 0 && !side->samples && peer->squares > 0)
		return total / weight_elsewhere(all, peer, &t->totals[other]);
	return statistics_share_draws((double)side->period, side->squares, total, all->squares);
}

enum { FEW = 5 }; /* samples for which an interval is only an approximation */

/*
 * Reports whether, where a side has few samples, their numbers alone show a change. One sample
 * never does.
 */
static bool few_agree(const struct diff_table *t, const struct diff_row *row, size_t file,
		      double level)
{
	const struct diff_side *a = &row->side[0], *b = &row->side[file];
	u64 n = t->totals[0].samples, m = t->totals[file].samples;

	if (a->samples >= FEW && b->samples >= FEW)
		return true;
	if (a->samples + b->samples < 2 || a->samples > n || b->samples > m)
		return false;
	return statistics_fisher_exact((double)a->samples, (double)n, (double)b->samples,
				       (double)m) < 1 - level;
}

static struct diff_interval of_shares(const struct diff_table *t, const struct diff_row *row,
				      size_t file, double level)
{
	double z = statistics_normal_quantile(level);
	double a = share(t, &row->side[0], 0), b = share(t, &row->side[file], file);
	double n = draws(t, row, 0, file), m = draws(t, row, file, 0);
	double a_low, a_high, b_low, b_high;
	struct diff_interval i = { .known = n > 0 && m > 0 };

	if (!i.known)
		return i;
	statistics_share_interval(a, n, z, &a_low, &a_high);
	statistics_share_interval(b, m, z, &b_low, &b_high);
	i.low = 100 * (b - a - hypot(b - b_low, a_high - a));
	i.high = 100 * (b - a + hypot(b_high - b, a - a_low));
	i.change = (i.low > 0 || i.high < 0) && few_agree(t, row, file, level);
	return i;
}

/*
 * Returns the ratio of a row that only one side has, if the other side had as many samples as
 * chance allows. Both counts are taken as Poisson's; given their sum, the one that is 0 is
 * binomial.
 */
static double ratio_to_none(const struct diff_table *t, const struct diff_row *row, size_t none,
			    size_t other, double level)
{
	const struct diff_side *has = &row->side[other];
	double n = (double)has->period * (double)has->period / has->squares;
	double lighter = weight_elsewhere(&t->totals[none], has, &t->totals[other]) /
			 weight(has->squares, (double)has->period);

	return (pow(2 / (1 - level), 1 / n) - 1) * lighter;
}

static struct diff_interval of_ratio(const struct diff_table *t, const struct diff_row *row,
				     size_t file, double level)
{
	double a = (double)row->side[0].period, b = (double)row->side[file].period, middle, spread;
	struct diff_interval i = { .known = true };

	if (a <= 0) {
		i.low = 1 / ratio_to_none(t, row, 0, file, level);
		i.high = INFINITY;
	} else if (b <= 0) {
		i.high = ratio_to_none(t, row, file, 0, level);
	} else {
		middle = log(b / a);
		spread = statistics_normal_quantile(level) *
			 sqrt(row->side[0].squares / (a * a) + row->side[file].squares / (b * b));
		i.low = exp(middle - spread);
		i.high = exp(middle + spread);
	}
	i.change = i.low > 1 || i.high < 1;
	return i;
}

/*
 * Returns the most that a side without samples of the row may have had there: Poisson's limit for a
 * count of 0.
 */
static double most_unseen(const struct diff_table *t, const struct diff_row *row, size_t file,
			  size_t other, double level)
{
	if (row->side[file].period)
		return 0;
	return -log((1 - level) / 2) *
	       weight_elsewhere(&t->totals[file], &row->side[other], &t->totals[other]);
}

static struct diff_interval of_weighted(const struct diff_settings *s, const struct diff_table *t,
					const struct diff_row *row, size_t file)
{
	const struct diff_side *base = &row->side[0], *data = &row->side[file];
	double x = (double)s->weight[0], y = (double)s->weight[1];
	double difference = (double)data->period * y - (double)base->period * x;
	double spread = statistics_normal_quantile(s->level) *
			hypot(x * sqrt(base->squares), y * sqrt(data->squares));
	/* one of both is 0, as one side has samples */
	double unseen = most_unseen(t, row, file, 0, s->level) * y -
			most_unseen(t, row, 0, file, s->level) * x;
	struct diff_interval i = { .known = true };

	i.low = difference - hypot(spread, MIN(unseen, 0));
	i.high = difference + hypot(spread, MAX(unseen, 0));
	i.change = i.low > 0 || i.high < 0;
	return i;
}

struct diff_interval diff_interval(const struct diff_settings *s, const struct diff_table *t,
				   const struct diff_row *row, size_t file)
{
	const struct diff_side *base = &row->side[0], *data = &row->side[file];

	if (!t->totals[file].present)
		return (struct diff_interval){ 0 };
	if (s->method == DIFF_DELTA || s->method == DIFF_DELTA_ABS)
		return of_shares(t, row, file, s->level);
	if (t->totals[0].squares <= 0 || t->totals[file].squares <= 0 ||
	    (!base->period && !data->period) || (base->present && !base->period) ||
	    (data->present && !data->period))
		return (struct diff_interval){ 0 };
	return s->method == DIFF_RATIO ? of_ratio(t, row, file, s->level)
				       : of_weighted(s, t, row, file);
}

size_t diff_changed_rows(const struct diff_settings *s, const struct diff_table *t)
{
	size_t changed = 0;

	for (size_t k = 0; k < t->row_count; k++) {
		bool any = false;

		for (size_t f = 1; f < t->file_count; f++)
			any |= diff_interval(s, t, t->rows[k], f).change;
		changed += any;
	}
	return changed;
}
