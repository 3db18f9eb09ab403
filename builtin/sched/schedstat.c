// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/sched/schedstat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *const schedstat_cpu_names[SCHEDSTAT_CPU_FIELDS] = {
	"yld_count",  "array_exp",   "sched_count", "sched_goidle", "ttwu_count",
	"ttwu_local", "rq_cpu_time", "run_delay",   "pcount",
};

enum { IMBALANCE = 3, OLD_BALANCE_FIELDS = 8 };

const char *const schedstat_balance_names[SCHEDSTAT_BALANCE_FIELDS] = {
	"lb_count",          "lb_balanced",       "lb_failed",           "lb_imbalance_load",
	"lb_imbalance_util", "lb_imbalance_task", "lb_imbalance_misfit", "lb_gained",
	"lb_hot_gained",     "lb_nobusyq",        "lb_nobusyg",
};

const char *const schedstat_other_names[SCHEDSTAT_OTHER_FIELDS] = {
	"alb_count",    "alb_failed",       "alb_pushed",       "sbe_count",
	"sbe_balanced", "sbe_pushed",       "sbf_count",        "sbf_balanced",
	"sbf_pushed",   "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance",
};

bool schedstat_has(u32 version, unsigned field)
{
	return version >= 17 || field <= IMBALANCE || field > IMBALANCE + 3;
}

void schedstat_release(struct schedstat *s)
{
	vec_release(&s->cpus);
	vec_release(&s->domains);
}

/* Reads the next word of the line as a number. */
static bool take(char **at, u64 *v)
{
	char *word = strsep(at, " ");

	return word && !parse_u64(word, v);
}

static bool take_all(char **at, u64 *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!take(at, &v[i]))
			return false;
	return true;
}

static bool take_balance(char **at, u32 version, u64 fields[SCHEDSTAT_BALANCE_FIELDS])
{
	for (unsigned i = 0; i < SCHEDSTAT_BALANCE_FIELDS; i++)
		if (schedstat_has(version, i) && !take(at, &fields[i]))
			return false;
	return true;
}

static bool parse_domain(struct schedstat *s, const char *word, char *rest)
{
	static const enum schedstat_balance old[] = { BALANCE_IDLE, BALANCE_BUSY,
						      BALANCE_NEWLY_IDLE };
	struct schedstat_domain d = { 0 };
	const char *name;

	if (!s->cpus.count || sscanf(word, "domain%u", &d.number) != 1)
		return false;
	d.cpu = vec_last(&s->cpus)->cpu;
	name = s->version >= 17 ? strsep(&rest, " ") : word;
	snprintf(d.name, sizeof(d.name), "%s", name ? name : word);
	if (!strsep(&rest, " ")) /* the mask */
		return false;
	for (unsigned i = 0; i < BALANCES; i++)
		if (!take_balance(&rest, s->version, d.balance[s->version == 15 ? old[i] : i]))
			return false;
	if (!take_all(&rest, d.other, SCHEDSTAT_OTHER_FIELDS))
		return false;
	vec_push(&s->domains, d);
	return true;
}

static bool parse_cpu(struct schedstat *s, const char *word, char *rest)
{
	struct schedstat_cpu c = { 0 };

	if (sscanf(word, "cpu%u", &c.cpu) != 1 || !take_all(&rest, c.fields, SCHEDSTAT_CPU_FIELDS))
		return false;
	vec_push(&s->cpus, c);
	return true;
}

static int parse_line(struct schedstat *s, char *line, struct reason *r)
{
	char *rest = line, *word = strsep(&rest, " ");
	u64 n = 0;
	bool ok = true;

	if (str_starts(word, "version")) {
		ok = take(&rest, &n);
		s->version = (u32)n;
		if (ok && (n < 15 || n > 17))
			return reason_set(r, ENOTSUP,
					  "/proc/schedstat of version %" PRIu64
					  ": versions 15 to 17 are known",
					  n);
	} else if (str_starts(word, "timestamp")) {
		ok = take(&rest, &s->timestamp);
	} else if (str_starts(word, "cpu")) {
		ok = s->version && parse_cpu(s, word, rest);
	} else if (str_starts(word, "domain")) {
		ok = s->version && parse_domain(s, word, rest);
	}
	return ok ? 0 : reason_set(r, EINVAL, "a line '%s' of /proc/schedstat is damaged", word);
}

int schedstat_parse(struct schedstat *s, const char *text, size_t size, struct reason *r)
{
	char *copy = xstrndup(text, size), *at = copy, *line;
	int err = 0;

	*s = (struct schedstat){ 0 };
	while (!err && (line = strsep(&at, "\n")))
		if (*line)
			err = parse_line(s, line, r);
	if (!err && !s->version)
		err = reason_set(r, EINVAL, "this is not the text of /proc/schedstat");
	free(copy);
	if (err)
		schedstat_release(s);
	return err;
}

static void subtract(u64 *now, const u64 *before, size_t count)
{
	for (size_t i = 0; i < count; i++) /* a counter that was reset says nothing */
		now[i] = now[i] >= before[i] ? now[i] - before[i] : 0;
}

static void subtract_domain(struct schedstat_domain *d, const struct schedstat *before)
{
	vec_for_each(&before->domains, b) {
		if (b->cpu != d->cpu || b->number != d->number)
			continue;
		for (unsigned i = 0; i < BALANCES; i++)
			subtract(d->balance[i], b->balance[i], SCHEDSTAT_BALANCE_FIELDS);
		subtract(d->other, b->other, SCHEDSTAT_OTHER_FIELDS);
		return;
	}
}

int schedstat_subtract(struct schedstat *now, const struct schedstat *before, struct reason *r)
{
	if (now->version != before->version)
		return reason_set(r, EINVAL, "statistics of versions %u and %u cannot be compared",
				  before->version, now->version);
	now->timestamp -= MIN(now->timestamp, before->timestamp);
	vec_for_each(&now->cpus, c)
		vec_for_each(&before->cpus, b)
			if (b->cpu == c->cpu)
				subtract(c->fields, b->fields, SCHEDSTAT_CPU_FIELDS);
	vec_for_each(&now->domains, d)
		subtract_domain(d, before);
	return 0;
}
