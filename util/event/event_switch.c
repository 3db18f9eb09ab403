// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/event_switch.h"

#include <errno.h>

static int find(const struct event_set *set, const char *option, const char *name,
		const char *where, const struct event **ev, struct reason *r)
{
	*ev = name ? event_by_name(set, name) : NULL;
	if (!name || *ev)
		return 0;
	return reason_usage(r, "event '%s' of --%s is not in %s", name, option, where);
}

int event_switch_init(struct event_switch *sw, const struct event_set *set, const char *on,
		      const char *off, const char *where, struct reason *r)
{
	int err = find(set, "switch-on", on, where, &sw->on, r);

	sw->is_off = sw->on != NULL;
	return err ? err : find(set, "switch-off", off, where, &sw->off, r);
}

bool event_switch_passes(struct event_switch *sw, const struct event *ev)
{
	if (ev == sw->on && sw->is_off) {
		sw->is_off = false;
		return sw->show;
	}
	if (ev == sw->off && !sw->is_off) {
		sw->is_off = true;
		return sw->show;
	}
	return !sw->is_off;
}
