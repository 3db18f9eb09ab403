// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Controls from outside: --control, and the times of -D. Side-band events always stay enabled, so
 * later samples can be named.
 */
#include <errno.h>
#include <string.h>

#include "event/parse.h"
#include "record/record.h"

static bool carries_side_band_only(const struct recorder *rec, const struct event *ev)
{
	return ev == record_tracking_event(rec->set) && ev->attr.type == PERF_TYPE_SOFTWARE &&
	       ev->attr.config == PERF_COUNT_SW_DUMMY;
}

int record_pause(struct recorder *rec)
{
	int err = 0;

	vec_for_each(&rec->set->list, it)
		if (!err && (*it)->leader == *it && !carries_side_band_only(rec, *it))
			err = live_disable_event(rec->live, *it);
	return err;
}

static void say(struct recorder *rec, const char *text)
{
	if (rec->tell)
		rec->tell(text);
}

static void switch_one(struct recorder *rec, struct event *ev, bool on)
{
	live_forget_clocks(rec->live);
	on ? live_enable_event(rec->live, ev) : live_disable_event(rec->live, ev);
}

/* "enable", or "enable NAME" */
static void switch_events(struct recorder *rec, bool on)
{
	const char *name = rec->control->argument;
	struct event *ev = *name ? event_by_name(rec->set, name) : NULL;
	struct strbuf b = STRBUF_INIT;

	if (*name && !ev)
		strbuf_f(&b, "--control: there is no event '%s'\n", name);
	else if (ev)
		switch_one(rec, ev, on);
	else
		on ? live_enable(rec->live) : record_pause(rec);
	if (!b.len && *name)
		strbuf_f(&b, "Event %s %s\n", name, on ? "enabled" : "disabled");
	else if (!b.len)
		strbuf_f(&b, "Events %s\n", on ? "enabled" : "disabled");
	say(rec, b.s);
	strbuf_release(&b);
}

/* Answers "evlist", "evlist -v", "evlist -F", "evlist -g". */
static void list_events(struct recorder *rec)
{
	const char *how = rec->control->argument;
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&rec->set->list, it) {
		const struct event *ev = *it;

		if (strstr(how, "-g") && ev->leader != ev)
			continue;
		strbuf_str(&b, ev->name);
		for (u32 i = 1; strstr(how, "-g") && i < ev->members; i++)
			strbuf_f(&b, ",%s", rec->set->list.items[ev->index + i]->name);
		if (strstr(how, "-v")) {
			strbuf_str(&b, ": ");
			event_attr_print(&b, &ev->attr, ", ", ": ");
		} else if (strstr(how, "-F")) {
			strbuf_f(&b, ": sample_%s=%" PRIu64,
				 ev->attr.flags & ATTR_FREQ ? "freq" : "period",
				 ev->attr.sample_period);
		}
		strbuf_char(&b, '\n');
	}
	say(rec, strbuf_cstr(&b));
	strbuf_release(&b);
}

static void obey(struct recorder *rec, enum control_command command)
{
	switch (command) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		switch_events(rec, command == CONTROL_ENABLE);
		break;
	case CONTROL_EVLIST:
		list_events(rec);
		break;
	case CONTROL_SNAPSHOT:
		rec->snapshot_asked = rec->settings->aux_snapshot;
		rec->switch_asked = rec->finish;
		if (!rec->snapshot_asked && !rec->switch_asked)
			say(rec, "--control: snapshots need --switch-output or --snapshot\n");
		break;
	case CONTROL_STOP:
		rec->stop_asked = true;
		break;
	case CONTROL_PING:
		break;
	default:
		say(rec, "--control: an unknown command was ignored\n");
	}
}

void record_obey_control(struct recorder *rec)
{
	enum control_command command;

	if (!rec->control)
		return;
	while ((command = control_next(rec->control)) != CONTROL_NONE) {
		obey(rec, command);
		control_done(rec->control);
	}
}

static int bad_times(const char *text, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' does not say when to count", text);
	reason_hint(
		r,
		"a delay in ms (500, 2s), -1 to wait for --control, or ranges in ms: 10-20,30-40");
	return -EINVAL;
}

static int add_range(struct record_settings *s, char *text)
{
	struct record_range range = { 0, 0 };
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	if (!dash || parse_duration(text, 1000000, &range.from) ||
	    parse_duration(dash, 1000000, &range.to))
		return -EINVAL;
	/* 0 means immediately, but perf then also enables the events itself */
	range.from = MAX(range.from, (u64)1);
	if (range.to <= range.from || (s->ranges.count && range.from <= vec_last(&s->ranges)->to))
		return -EINVAL;
	vec_push(&s->ranges, range);
	return 0;
}

int record_parse_delay(struct record_settings *s, const char *text, struct reason *r)
{
	struct strlist parts = { VEC_INIT };
	int err = 0;

	vec_clear(&s->ranges);
	s->delay = RECORD_DELAY_FOREVER;
	if (!strcmp(text, "-1"))
		return 0;
	if (!parse_duration(text, 1000000, &s->delay)) {
		if (s->delay)
			vec_push(&s->ranges, (struct record_range){ s->delay, 0 });
		return 0;
	}
	strlist_split(&parts, text, ",");
	vec_for_each(&parts.list, p)
		err = err ? err : add_range(s, *p);
	strlist_release(&parts);
	if (err || !s->ranges.count)
		return bad_times(text, r);
	s->delay = s->ranges.items[0].from;
	return 0;
}
