// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of sums: percentages, numbers of samples, periods, averages. */
#include "hist/columns.h"

static u64 of_all(const struct hist_view *v, u32 member)
{
	return hist_view_period(v, member);
}

static u64 overhead_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	*of = of_all(v, m);
	return e->self[m].period;
}

static u64 children_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	*of = of_all(v, m);
	return e->total[m].period;
}

#define MODE_VALUE(name, mode)                                                                     \
	static u64 name##_value(const struct hist_view *v, const struct hist_entry *e, u32 m,      \
				u64 *of)                                                           \
	{                                                                                          \
		*of = of_all(v, m);                                                                \
		return e->self[m].mode_period[mode];                                               \
	}
MODE_VALUE(sys, HIST_SYS)
MODE_VALUE(user, HIST_USER)
MODE_VALUE(guest_sys, HIST_GUEST_SYS)
MODE_VALUE(guest_user, HIST_GUEST_USER)

static u64 samples_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	(void)v;
	*of = 0;
	return e->self[m].samples;
}

static u64 period_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	(void)v;
	*of = 0;
	return e->self[m].period;
}

static u64 latency_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	*of = hist_view_latency(v, m);
	return e->self[m].latency;
}

static u64 latency_children_value(const struct hist_view *v, const struct hist_entry *e, u32 m,
				  u64 *of)
{
	*of = hist_view_latency(v, m);
	return e->total[m].latency;
}

/* Averages, in tenths, as they are shown. */
static u64 tenths(u64 sum, u64 samples)
{
	return samples ? (sum * 10 + samples / 2) / samples : 0;
}

#define WEIGHT_VALUE(name, field)                                                                  \
	static u64 name##_value(const struct hist_view *v, const struct hist_entry *e, u32 m,      \
				u64 *of)                                                           \
	{                                                                                          \
		(void)v;                                                                           \
		*of = 0;                                                                           \
		return tenths(e->self[m].field, e->self[m].samples);                               \
	}
WEIGHT_VALUE(weight1, weight)
WEIGHT_VALUE(weight2, weight2)
WEIGHT_VALUE(weight3, weight3)

static int member_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b, u32 m)
{
	u64 of;

	return u64_cmp(f->column->value(v, b, m, &of), f->column->value(v, a, m, &of));
}

/*
 * Compares sums, larger first: the chosen member's, then the leader's, then those of its members.
 */
int hist_value_cmp(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b)
{
	u32 first = v->hist->sort_member;
	int d = first && first < v->member_count ? member_cmp(v, f, a, b, first) : 0;

	for (u32 m = 0; !d && m < v->member_count; m++)
		d = member_cmp(v, f, a, b, m);
	return d;
}

static void percent_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of, value = f->column->value(v, e, m, &of);

	/* not totalled: --no-children, or no call chains */
	if ((f->column->flags & HIST_CHILDREN) && !v->hist->set.children)
		strbuf_str(out, "N/A");
	else
		strbuf_f(out, "%.2f%%", of ? (double)value * 100.0 / (double)of : 0.0);
}

static void number_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of;

	strbuf_dec(out, f->column->value(v, e, m, &of));
}

static void tenths_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of, value = f->column->value(v, e, m, &of);

	strbuf_f(out, "%" PRIu64 ".%u", value / 10, (unsigned)(value % 10));
}

#define PERCENT(n, h, v, fl)                                                                       \
	{                                                                                          \
		.name = n, .header = h, .min_width = 8, .cmp = hist_value_cmp, .value = v,         \
		.format = percent_format,                                                          \
		.flags = HIST_VALUE | HIST_PERCENT | HIST_PER_MEMBER | (fl)                        \
	}

#define AVERAGE(n, h, v)                                                                           \
	{                                                                                          \
		.name = n, .header = h, .min_width = 8, .cmp = hist_value_cmp, .value = v,         \
		.format = tenths_format, .flags = HIST_VALUE | HIST_PER_MEMBER | HIST_EXTRA        \
	}

const struct hist_column hist_value_columns[] = {
	{ .name = "overhead",
	  .header = "Overhead",
	  .children_header = "Self",
	  .min_width = 8,
	  .cmp = hist_value_cmp,
	  .value = overhead_value,
	  .format = percent_format,
	  .flags = HIST_VALUE | HIST_PERCENT | HIST_PER_MEMBER },
	PERCENT("overhead_sys", "sys", sys_value, 0),
	PERCENT("overhead_us", "usr", user_value, 0),
	PERCENT("overhead_guest_sys", "guest sys", guest_sys_value, 0),
	PERCENT("overhead_guest_us", "guest usr", guest_user_value, 0),
	PERCENT("overhead_children", "Children", children_value, HIST_CHILDREN),
	{ .name = "sample",
	  .header = "Samples",
	  .min_width = 12,
	  .cmp = hist_value_cmp,
	  .value = samples_value,
	  .format = number_format,
	  .flags = HIST_VALUE | HIST_PER_MEMBER },
	{ .name = "period",
	  .header = "Period",
	  .min_width = 12,
	  .cmp = hist_value_cmp,
	  .value = period_value,
	  .format = number_format,
	  .flags = HIST_VALUE | HIST_PER_MEMBER },
	PERCENT("latency", "Latency", latency_value, HIST_LATENCY),
	PERCENT("latency_children", "Latency", latency_children_value,
		HIST_LATENCY | HIST_CHILDREN),
	AVERAGE("weight1", "Weight1", weight1_value),
	AVERAGE("weight2", "Weight2", weight2_value),
	AVERAGE("weight3", "Weight3", weight3_value),
};
const size_t hist_value_column_count = ARRAY_SIZE(hist_value_columns);
