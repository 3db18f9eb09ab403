// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of /proc/schedstat: sums of all CPUs, each CPU with -v, domains by their names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/sched/schedstat.h"
#include "builtin/sched/stats.h"
#include "data/schedstat_section.h"

enum { SCHED_COUNT = 2, GOIDLE = 3, TTWU_COUNT = 4, TTWU_LOCAL = 5, CPU_TIME = 6, RUN_DELAY = 7 };
enum { LB_COUNT = 0, LB_BALANCED = 1, LB_FAILED = 2 };

static bool is_chosen(const struct stats_cpus *only, u32 cpu)
{
	for (size_t i = 0; i < only->count; i++)
		if (only->list[i] == cpu)
			return true;
	return false;
}

/* Drops what other CPUs counted. */
static int keep_cpus(struct schedstat *s, const struct stats_cpus *only, const char *path,
		     struct reason *r)
{
	size_t cpus = 0, domains = 0;

	vec_for_each(&s->cpus, c)
		if (is_chosen(only, c->cpu))
			s->cpus.items[cpus++] = *c;
	vec_for_each(&s->domains, d)
		if (is_chosen(only, d->cpu))
			s->domains.items[domains++] = *d;
	s->cpus.count = cpus;
	s->domains.count = domains;
	return cpus ? 0
		    : reason_set(r, ENOENT, "'%s' has no statistics of the CPUs '%s'", path,
				 only->text);
}

static int read_stats(struct context *ctx, const struct stats_cpus *only, const char *path,
		      struct schedstat *s, struct reason *r)
{
	struct schedstat_texts t = { STRBUF_INIT, STRBUF_INIT };
	struct schedstat before = { 0 };
	int err;

	ctx->recorder = "perf sched stats record";
	err = schedstat_section_read(ctx, path, &t, r);

	if (!err)
		err = schedstat_parse(s, strbuf_cstr(&t.after), t.after.len, r);
	if (!err)
		err = schedstat_parse(&before, strbuf_cstr(&t.before), t.before.len, r);
	if (!err)
		err = schedstat_subtract(s, &before, r);
	if (!err && only)
		err = keep_cpus(s, only, path, r);
	schedstat_release(&before);
	strbuf_release(&t.before);
	strbuf_release(&t.after);
	return err;
}

static void rule(struct strbuf *b)
{
	strbuf_pad(b, '-', 100);
	strbuf_char(b, '\n');
}

/* One column of values, or two to compare. */
struct columns {
	const u64 *first, *second; /* second NULL: one */
};

static void put_field(struct strbuf *b, const struct columns *c, const char *name, unsigned i,
		      unsigned base)
{
	strbuf_f(b, "%-64s : %14" PRIu64, name, c->first[i]);
	if (c->second) {
		double change = c->first[i] ? 100.0 * ((double)c->second[i] - (double)c->first[i]) /
						      (double)c->first[i]
					    : 0;

		strbuf_f(b, ", %14" PRIu64, c->second[i]);
		if (c->first[i])
			strbuf_f(b, "  | %9.2f%% |", change);
		else
			strbuf_f(b, "  | %10s |", c->second[i] ? "new" : "");
	} else if (base != i) {
		strbuf_f(b, "  ( %8.2f%% )",
			 c->first[base] ? 100.0 * (double)c->first[i] / (double)c->first[base] : 0);
	}
	strbuf_char(b, '\n');
}

static void put_head(struct strbuf *b, const struct columns *c, const char *title)
{
	rule(b);
	strbuf_f(b, "%s\n", title);
	rule(b);
	if (c->second)
		strbuf_f(b, "%-64s   %14s  %14s    %9s\n", "DESC", "COUNT1", "COUNT2", "CHANGE");
	else
		strbuf_f(b, "%-64s   %14s  %12s\n", "DESC", "COUNT", "PCT_CHANGE");
	rule(b);
}

static void put_cpu(struct strbuf *b, const struct columns *c, const char *title)
{
	static const unsigned base[SCHEDSTAT_CPU_FIELDS] = {
		0, 1, 2, SCHED_COUNT, 4, TTWU_COUNT, 6, CPU_TIME, 8,
	};

	put_head(b, c, title);
	for (unsigned i = 0; i < SCHEDSTAT_CPU_FIELDS; i++)
		put_field(b, c, schedstat_cpu_names[i], i, base[i]);
}

/* All of one name or number added up. */
struct domain_sum {
	char name[16];
	u64 balance[BALANCES][SCHEDSTAT_BALANCE_FIELDS], other[SCHEDSTAT_OTHER_FIELDS];
};

static void add_domain(struct domain_sum *sum, const struct schedstat_domain *d)
{
	for (unsigned k = 0; k < BALANCES; k++)
		for (unsigned i = 0; i < SCHEDSTAT_BALANCE_FIELDS; i++)
			sum->balance[k][i] += d->balance[k][i];
	for (unsigned i = 0; i < SCHEDSTAT_OTHER_FIELDS; i++)
		sum->other[i] += d->other[i];
}

typedef VEC(struct domain_sum) domain_sums;

static void sum_domains(const struct schedstat *s, domain_sums *sums)
{
	vec_for_each(&s->domains, d) {
		struct domain_sum *found = NULL;

		vec_for_each(sums, it)
			if (!strcmp(it->name, d->name))
				found = it;
		if (!found) {
			found = vec_push_zero(sums);
			memcpy(found->name, d->name, sizeof(found->name));
		}
		add_domain(found, d);
	}
}

static void put_domain(struct strbuf *b, const struct domain_sum *x, const struct domain_sum *y,
		       u32 version)
{
	static const char *const kinds[BALANCES] = { "busy", "idle", "newly idle" };
	struct strbuf title = STRBUF_INIT;

	for (unsigned k = 0; k < BALANCES; k++) {
		const struct columns c = { x->balance[k], y ? y->balance[k] : NULL };

		strbuf_clear(&title);
		strbuf_f(&title, "DOMAIN %s, all CPUs: balancing while %s", x->name, kinds[k]);
		put_head(b, &c, strbuf_cstr(&title));
		for (unsigned i = 0; i < SCHEDSTAT_BALANCE_FIELDS; i++)
			if (schedstat_has(version, i))
				put_field(b, &c, schedstat_balance_names[i], i,
					  i == LB_BALANCED || i == LB_FAILED ? LB_COUNT : i);
	}
	strbuf_clear(&title);
	strbuf_f(&title, "DOMAIN %s, all CPUs: pushing and waking", x->name);
	put_head(b, &(struct columns){ x->other, y ? y->other : NULL }, strbuf_cstr(&title));
	for (unsigned i = 0; i < SCHEDSTAT_OTHER_FIELDS; i++)
		put_field(b, &(struct columns){ x->other, y ? y->other : NULL },
			  schedstat_other_names[i], i, i);
	strbuf_release(&title);
}

static void sum_cpus(const struct schedstat *s, u64 sum[SCHEDSTAT_CPU_FIELDS])
{
	vec_for_each(&s->cpus, c)
		for (unsigned i = 0; i < SCHEDSTAT_CPU_FIELDS; i++)
			sum[i] += c->fields[i];
}

static const u64 *cpu_fields(const struct schedstat *s, u32 cpu)
{
	vec_for_each(&s->cpus, c)
		if (c->cpu == cpu)
			return c->fields;
	return NULL;
}

static void put_all(struct context *ctx, const struct stats_cpus *only, const struct schedstat *x,
		    const struct schedstat *y, struct strbuf *b)
{
	u64 first[SCHEDSTAT_CPU_FIELDS] = { 0 }, second[SCHEDSTAT_CPU_FIELDS] = { 0 };
	domain_sums dx = VEC_INIT, dy = VEC_INIT;
	struct strbuf title = STRBUF_INIT;

	sum_cpus(x, first);
	if (y)
		sum_cpus(y, second);
	strbuf_f(&title, "CPU: <%s%s SUMMARY>", only ? "CPUS " : "ALL CPUS",
		 only ? only->text : "");
	put_cpu(b, &(struct columns){ first, y ? second : NULL }, strbuf_cstr(&title));
	for (size_t i = 0; ctx->verbose && i < x->cpus.count; i++) {
		const u64 *other = y ? cpu_fields(y, x->cpus.items[i].cpu) : NULL;

		strbuf_clear(&title);
		strbuf_f(&title, "CPU: %u", x->cpus.items[i].cpu);
		if (!y || other)
			put_cpu(b, &(struct columns){ x->cpus.items[i].fields, other },
				strbuf_cstr(&title));
	}
	sum_domains(x, &dx);
	if (y)
		sum_domains(y, &dy);
	vec_for_each(&dx, d) {
		const struct domain_sum *other = NULL;

		vec_for_each(&dy, it)
			if (!strcmp(it->name, d->name))
				other = it;
		if (!y || other)
			put_domain(b, d, other, x->version);
	}
	strbuf_release(&title);
	vec_release(&dx);
	vec_release(&dy);
}

static void put_legend(struct strbuf *b)
{
	strbuf_str(b,
		   "COUNT       what was counted between begin and end; rq_cpu_time and run_delay "
		   "are ns\n"
		   "PCT_CHANGE  share of sched_goidle in sched_count, ttwu_local in ttwu_count, "
		   "run_delay in\n"
		   "            rq_cpu_time, lb_balanced and lb_failed in lb_count\n");
}

int stats_print(struct context *ctx, const struct stats_cpus *only, const char *path,
		struct strbuf *b, struct reason *r)
{
	struct schedstat s = { 0 };
	int err = read_stats(ctx, only, path, &s, r);

	if (!err) {
		put_legend(b);
		rule(b);
		strbuf_f(b, "%-64s : %14" PRIu64 "\n", "Time elapsed (in jiffies)", s.timestamp);
		put_all(ctx, only, &s, NULL, b);
	}
	schedstat_release(&s);
	return err;
}

int stats_print_diff(struct context *ctx, const struct stats_cpus *only, const char *before,
		     const char *after, struct strbuf *b, struct reason *r)
{
	struct schedstat x = { 0 }, y = { 0 };
	int err = read_stats(ctx, only, before, &x, r);

	if (!err)
		err = read_stats(ctx, only, after, &y, r);
	if (!err && x.version != y.version)
		err = reason_set(r, EINVAL,
				 "'%s' has version %u of the statistics and '%s' version %u",
				 before, x.version, after, y.version);
	if (!err) {
		rule(b);
		strbuf_f(b, "%-64s : %14" PRIu64 ", %14" PRIu64 "\n", "Time elapsed (in jiffies)",
			 x.timestamp, y.timestamp);
		put_all(ctx, only, &x, &y, b);
	}
	schedstat_release(&x);
	schedstat_release(&y);
	return err;
}
