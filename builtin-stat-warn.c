// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: what of the results deserves doubt, said after them, for people only. */
#include "builtin-stat.h"
#include "cli/say.h"

/* Below this share of the time a count is mostly extrapolated. */
static const double least_share = 0.05;

struct shares {
	double enabled, running;
	bool supported;
};

static struct shares shares_of(const struct stat_table *t, const struct event *ev)
{
	struct shares sum = { 0 };

	for (size_t d = 0; d < t->domains->list.count; d++) {
		struct stat_reading r;

		stat_read(t, d, ev, &r);
		sum.enabled += r.enabled;
		sum.running += r.running;
		sum.supported |= r.supported;
	}
	return sum;
}

static void say_group(struct stat_session *q, const struct event *leader)
{
	u64 watchdog = 0;

	sys_read_u64(&q->s->sys, &watchdog, "/proc/sys/kernel/nmi_watchdog");
	say_warning("the group that '%s' leads never ran: its %u events do not fit into the "
		       "counters at the same time", leader->name, leader->members);
	if (watchdog)
		say_hint("the NMI watchdog takes a counter: echo 0 >/proc/sys/kernel/nmi_watchdog");
	else
		say_hint("leave out events, or let the group be broken up: '{...}:W'");
}

/* Options that changed nothing, for want of another one. */
static void say_idle_options(const struct stat_settings *s)
{
	if (s->append && !s->output)
		say_warning("--append is left out: it is for a file, and there is no -o FILE");
	if (s->summary && !s->interval)
		say_warning("--summary is left out: it is for -I; without it there is nothing but the whole");
}

void stat_warn(struct stat_session *q)
{
	const struct stat_table *t = &q->table;

	say_idle_options(q->s);
	if (!q->ready)
		return;
	vec_for_each(&t->set->list, it) {
		const struct event *ev = *it;
		struct shares s = shares_of(t, ev);

		if (ev->tool || !s.supported || !(s.enabled > 0))
			continue;
		if (!(s.running > 0) && ev->leader == ev && ev->members > 1)
			say_group(q, ev);
		else if (s.running > 0 && s.running < s.enabled * least_share) {
			say_warning("'%s' ran %.1f%% of the time: its count is mostly extrapolated",
				       ev->name, 100 * s.running / s.enabled);
			say_hint("count fewer events at once");
		}
	}
}
