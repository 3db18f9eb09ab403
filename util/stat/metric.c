// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes the comment after a count. The divisor is another event of the same domain that counts
 * in the same modes (user, kernel ...), or a clock. A row of the table says which. A missing,
 * uncounted or zero divisor means no comment.
 */
#include <string.h>

#include "stat/metrics.h"
#include "stat/stat.h"

static u64 modes(const struct event *ev)
{
	return ev->attr.flags & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV |
				 ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_IDLE);
}

static bool same_cgroup(const struct event *a, const struct event *b)
{
	return !a->cgroup || !b->cgroup ? a->cgroup == b->cgroup : !strcmp(a->cgroup, b->cgroup);
}

/*
 * Reports whether both count on the same kind of core. On a hybrid machine, the upper half of
 * config has it.
 */
static bool same_core(const struct event *a, const struct event *b)
{
	return a->attr.config >> 32 == b->attr.config >> 32;
}

static bool is_event(const struct event *ev, u32 type, u64 config)
{
	return !ev->tool && ev->attr.type == type && (u32)ev->attr.config == config;
}

static bool is_clock(const struct event *ev)
{
	return is_event(ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) ||
	       is_event(ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

/*
 * Reports whether an event is the divisor of ev. A clock runs in every mode, whatever its modifiers
 * say.
 */
static bool is_base(const struct event *it, const struct event *ev, u32 type, u64 config)
{
	return is_event(it, type, config) && same_cgroup(it, ev) &&
	       (type == PERF_TYPE_SOFTWARE || (modes(it) == modes(ev) && same_core(it, ev)));
}

static bool has_base(const struct stat_table *t, const struct event *ev, u32 type, u64 config)
{
	vec_for_each(&t->set->list, it)
		if (is_base(*it, ev, type, config))
			return true;
	return false;
}

/* Returns the mean of the first counted divisor of ev in this domain, or 0. */
static double base(const struct stat_table *t, size_t domain, const struct event *ev, u32 type,
		   u64 config)
{
	vec_for_each(&t->set->list, it) {
		struct stat_reading r;

		if (!is_base(*it, ev, type, config))
			continue;
		stat_read(t, domain, *it, &r);
		if (r.counted && r.value > 0)
			return r.value;
	}
	return 0;
}

/* Returns how many ns the domain's CPUs or tasks were busy, by task-clock or cpu-clock. */
static double clock_of(const struct stat_table *t, size_t domain, const struct event *ev)
{
	double ns = base(t, domain, ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	return ns > 0 ? ns : base(t, domain, ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

#define STALLS_UNIT               "stalled cycles per insn"
#define GHZ_UNIT                  "GHz"
#define CACHE_READ(cache, result) ((cache) | (result) << 16)

/* value / base, times factor. */
static const struct ratio {
	u32 type;
	u64 config;
	u32 base_type;
	u64 base_config;
	double factor;
	const char *format, *unit;
} ratios[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, 1, "%7.2f ", "insn per cycle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100, "%7.2f%%", "of all branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES, 100, "%8.3f %%", "of all cache refs" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, 100, "%7.2f%%", "frontend cycles idle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CPU_CYCLES, 100, "%7.2f%%", "backend cycles idle" },
	{ PERF_TYPE_HW_CACHE, CACHE_READ(0, 1), PERF_TYPE_HW_CACHE, CACHE_READ(0, 0), 100,
	  "%7.2f%%", "of all L1-dcache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE_READ(1, 1), PERF_TYPE_HW_CACHE, CACHE_READ(1, 0), 100,
	  "%7.2f%%", "of all L1-icache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE_READ(2, 1), PERF_TYPE_HW_CACHE, CACHE_READ(2, 0), 100,
	  "%7.2f%%", "of all LL-cache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE_READ(3, 1), PERF_TYPE_HW_CACHE, CACHE_READ(3, 0), 100,
	  "%7.2f%%", "of all dTLB cache accesses" },
	{ PERF_TYPE_HW_CACHE, CACHE_READ(4, 1), PERF_TYPE_HW_CACHE, CACHE_READ(4, 0), 100,
	  "%7.2f%%", "of all iTLB cache accesses" },
};

static const struct ratio *ratio_of(const struct event *ev)
{
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		if (is_event(ev, ratios[i].type, ratios[i].config))
			return &ratios[i];
	return NULL;
}

/* Returns a rate such as "1.234 K/sec". The unit keeps the number below 1,000 if possible. */
static struct stat_metric rate(double per_second)
{
	static const struct {
		double above;
		const char *unit;
	} steps[] = { { 1e9, "G/sec" }, { 1e6, "M/sec" }, { 1e3, "K/sec" } };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (per_second > steps[i].above)
			return (struct stat_metric){ per_second / steps[i].above, "%8.3f",
						     steps[i].unit };
	return (struct stat_metric){ per_second, "%8.3f", "/sec" };
}

/* Computes the larger of the two stalls, for each instruction. */
static size_t stalls_per_instruction(const struct stat_table *t, size_t domain,
				     const struct event *ev, double instructions,
				     struct stat_metric *out)
{
	double front =
		base(t, domain, ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	double back = base(t, domain, ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	double most = MAX(front, back);

	if (!(most > 0) || !(instructions > 0))
		return 0;
	*out = (struct stat_metric){ most / instructions, "%7.2f ", STALLS_UNIT };
	return 1;
}

static size_t own_metrics(const struct stat_table *t, size_t domain, const struct event *ev,
			  struct stat_metric *out)
{
	const struct ratio *ratio = ratio_of(ev);
	struct stat_reading r;
	double of, ns;
	size_t n = 0;

	stat_read(t, domain, ev, &r);
	if (!r.counted || ev->tool)
		return 0;
	if (is_clock(ev)) {
		if (!(t->wall.mean > 0))
			return 0;
		out[0] = (struct stat_metric){ r.value / t->wall.mean, "%8.3f", "CPUs utilized" };
		return 1;
	}
	if (ratio) {
		of = base(t, domain, ev, ratio->base_type, ratio->base_config);
		if (of > 0)
			out[n++] = (struct stat_metric){ ratio->factor * r.value / of,
							 ratio->format, ratio->unit };
		if (is_event(ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS))
			n += stalls_per_instruction(t, domain, ev, r.value, &out[n]);
		if (n)
			return n;
	}
	ns = clock_of(t, domain, ev);
	if (!(ns > 0))
		return 0;
	out[0] = is_event(ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)
			 ? (struct stat_metric){ r.value / ns, "%8.3f", GHZ_UNIT }
			 : rate(1e9 * r.value / ns);
	return 1;
}

size_t stat_metrics(const struct stat_table *t, size_t domain, const struct event *ev,
		    struct stat_metric out[STAT_METRICS_MAX])
{
	size_t n = own_metrics(t, domain, ev, out);

	if (t->metrics)
		n += metric_set_values(t->metrics, t, domain, ev, out + n, STAT_METRICS_MAX - n);
	return n;
}

size_t stat_metric_units(const struct stat_table *t, const struct event *ev,
			 const char *units[STAT_METRICS_MAX])
{
	const struct ratio *ratio = ratio_of(ev);
	size_t n = 0;

	if (ratio && has_base(t, ev, ratio->base_type, ratio->base_config))
		units[n++] = ratio->unit;
	if (is_event(ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS) &&
	    (has_base(t, ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND) ||
	     has_base(t, ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND)))
		units[n++] = STALLS_UNIT;
	else if (is_event(ev, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) &&
		 (has_base(t, ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) ||
		  has_base(t, ev, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)))
		units[n++] = GHZ_UNIT;
	if (t->metrics)
		n += metric_set_labels(t->metrics, ev, units + n, STAT_METRICS_MAX - n);
	return n;
}
