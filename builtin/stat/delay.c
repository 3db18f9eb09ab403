// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat -D: the times at which counting starts and stops. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "builtin/stat/internal.h"

static int bad_times(const char *text, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' does not say when to count", text);
	reason_hint(
		r,
		"a delay in ms (500, 2s), -1 to wait for --control, or ranges in ms: 10-20,30-40");
	return -EINVAL;
}

/* Adds a range, "10-20", which must come after the one before it. */
static int add_range(struct stat_request *ask, char *text)
{
	struct stat_range range = { 0, 0 };
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	if (!dash || parse_duration(text, 1000000, &range.from) ||
	    parse_duration(dash, 1000000, &range.to) || range.to <= range.from ||
	    (ask->ranges.count && range.from <= vec_last(&ask->ranges)->to))
		return -EINVAL;
	vec_push(&ask->ranges, range);
	return 0;
}

int stat_parse_delay(struct stat_request *ask, const char *text, struct reason *r)
{
	struct strlist parts = { VEC_INIT };
	u64 delay;
	int err = 0;

	vec_clear(&ask->ranges);
	ask->start_off = true;
	if (!strcmp(text, "-1"))
		return 0;
	if (!parse_duration(text, 1000000, &delay)) {
		ask->start_off = delay;
		if (delay)
			vec_push(&ask->ranges, (struct stat_range){ delay, UINT64_MAX });
		return 0;
	}
	strlist_split(&parts, text, ",");
	vec_for_each(&parts.list, it)
		err = err ? err : add_range(ask, *it);
	err = err || !parts.list.count ? bad_times(text, r) : 0;
	strlist_release(&parts);
	return err;
}

u64 stat_next_switch(const struct stat_session *q)
{
	const struct stat_range *range;
	u64 at;

	if (q->switches / 2 >= q->ask.ranges.count)
		return UINT64_MAX;
	range = &q->ask.ranges.items[q->switches / 2];
	at = q->switches % 2 ? range->to : range->from;
	return at == UINT64_MAX ? at : q->launched + at;
}

int stat_switch(struct stat_session *q, u64 now, struct reason *r)
{
	bool on = q->switches % 2 == 0;
	int err;

	/* the time before is not measured */
	if (!q->switches)
		q->started = q->interval_start = now;
	q->switches++;
	err = on ? stat_enable(q) : stat_disable(q);
	return err ? reason_errno(r, -err, "cannot %s the events", on ? "enable" : "disable") : 0;
}
