// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat --control: commands that arrive while it counts. */
#include <stdlib.h>

#include "builtin/stat/internal.h"

static void say(const struct stat_session *q, enum stat_said kind, char *text)
{
	if (q->host->say)
		q->host->say(kind, text);
	free(text);
}

/* Switches counting for "enable" or "enable NAME". */
static void switch_events(struct stat_session *q, bool on)
{
	const char *name = q->control.argument;
	struct event *ev = *name ? event_by_name(&q->events.set, name) : NULL;

	if (*name && !ev) {
		say(q, STAT_SAID_WARNING, xasprintf("--control: there is no event '%s'", name));
		return;
	}
	/* the counts so far belong to the interval that ends now */
	if (ev)
		on ? live_enable_event(q->live, ev) : live_disable_event(q->live, ev);
	else
		on ? stat_enable(q) : stat_disable(q);
	if (!q->ask.quiet && stat_for_people(&q->ask))
		say(q, STAT_SAID_NOTE,
		    xasprintf("%s%s %s", *name ? "event " : "events", name,
			      on ? "enabled" : "disabled"));
}

static void list_events(const struct stat_session *q)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&q->events.set.list, it) {
		strbuf_str(&b, (*it)->name);
		if (*q->control.argument) {
			strbuf_str(&b, ": ");
			event_attr_print(&b, &(*it)->attr, ", ", ": ");
		}
		strbuf_char(&b, '\n');
	}
	say(q, STAT_SAID_TEXT, strbuf_detach(&b));
}

bool stat_obey_control(struct stat_session *q)
{
	enum control_command command;
	bool stop = false;

	while (!stop && (command = control_next(&q->control)) != CONTROL_NONE) {
		if (command == CONTROL_ENABLE || command == CONTROL_DISABLE)
			switch_events(q, command == CONTROL_ENABLE);
		else if (command == CONTROL_EVLIST)
			list_events(q);
		else if (command == CONTROL_SNAPSHOT)
			say(q, STAT_SAID_WARNING,
			    xstrdup("--control: only perf record takes snapshots"));
		else if (command == CONTROL_UNKNOWN)
			say(q, STAT_SAID_WARNING,
			    xstrdup("--control: an unknown command was ignored"));
		stop = command == CONTROL_STOP;
		control_done(&q->control);
	}
	return stop;
}
