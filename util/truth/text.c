// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes a truth as a line, as a list of causes, and as JSON. */
#include <inttypes.h>

#include "base/json.h"
#include "base/text.h"
#include "event/event.h"
#include "truth/internal.h"

void truth_cause_text(const struct truth_cause *c, struct strbuf *out)
{
	if (c->object[0]) {
		strbuf_printable(out, path_base(c->object));
		strbuf_str(out, ": ");
	}
	strbuf_printable(out, c->why);
}

/* What a line says of several events: the sum of those that the share applies to. */
struct sum {
	u64 good, all;
	bool any, about;
	const struct truth_cause *worst;
};

static void sum_add(struct sum *s, const struct truth_share *share)
{
	if (share->state > TRUTH_ABOUT || !share->all)
		return;
	s->any = true;
	s->about |= share->state == TRUTH_ABOUT;
	s->good += share->good;
	s->all += share->all;
	if (share->causes.count &&
	    (!s->worst || share->causes.items[0].samples > s->worst->samples))
		s->worst = &share->causes.items[0];
}

/* A share that is not all of it is never shown as 100.0. */
static void put_percent(u64 good, u64 all, const char *unit, struct strbuf *out)
{
	double p = all ? 100.0 * (double)good / (double)all : 100;

	strbuf_f(out, "%.1f%s", good < all && p > 99.9 ? 99.9 : p, unit);
}

/* Without the sign %, by which rows of a table are found. */
static void put_share(const struct sum *s, const char *what, struct strbuf *out)
{
	if (s->about)
		strbuf_str(out, "about ");
	put_percent(s->good, s->all, " percent", out);
	strbuf_f(out, " %s", what);
	/* what is less than one in a hundred is not worth the line's room */
	if (s->worst && s->worst->samples * 100 >= s->all) {
		strbuf_str(out, " (");
		truth_cause_text(s->worst, out);
		strbuf_char(out, ')');
	}
	strbuf_str(out, ", ");
}

static void sum_events(const struct truth *t, const struct event *const *events, size_t count,
		       struct sum *whole, struct sum *named)
{
	vec_for_each(&t->events, e)
		for (size_t i = 0; i < count; i++)
			if (events[i]->index == e->event) {
				sum_add(whole, &e->whole);
				sum_add(named, &e->named);
			}
}

static bool is_among(const struct truth_event *e, const struct event *const *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (events[i]->index == e->event)
			return true;
	return false;
}

/* The event that was multiplexed most, if any of them was. */
static void put_line_of_times(const struct truth *t, const struct event *const *events,
			      size_t count, struct strbuf *out)
{
	const struct truth_event *most = NULL;
	double percent = 0;

	vec_for_each(&t->events, e)
		if (is_among(e, events, count) && truth_counts(e) &&
		    truth_multiplexed_percent(e) > percent) {
			most = e;
			percent = truth_multiplexed_percent(e);
		}
	if (!most)
		return;
	strbuf_str(out, ", ");
	strbuf_printable(out, most->name);
	strbuf_f(out, " not counted in %.1f percent of its time", MAX(percent, 0.1));
}

void truth_line(const struct truth *t, const struct event *const *events, size_t count,
		struct strbuf *out)
{
	struct sum whole = { 0 }, named = { 0 };

	sum_events(t, events, count, &whole, &named);
	if (whole.any)
		put_share(&whole, "of stacks whole", out);
	if (named.any)
		put_share(&named, "of samples named", out);
	strbuf_f(out, "%" PRIu64 " lost", t->lost);
	if (t->throttled)
		strbuf_f(out, ", throttled %" PRIu64 " times", t->throttled);
	put_line_of_times(t, events, count, out);
}

/* A share that is not nothing is never shown as 0.0. */
static void put_share_of_time(const struct truth_event *e, struct strbuf *out)
{
	double p = truth_multiplexed_percent(e);

	strbuf_f(out, "%.1f%%", p > 0 && p < 0.1 ? 0.1 : p);
}

void truth_short(const struct truth *t, const struct event *const *events, size_t count,
		 struct strbuf *out)
{
	struct sum whole = { 0 }, named = { 0 };

	sum_events(t, events, count, &whole, &named);
	if (whole.any) {
		put_percent(whole.good, whole.all, "%", out);
		strbuf_str(out, " whole, ");
	}
	if (named.any) {
		put_percent(named.good, named.all, "%", out);
		strbuf_str(out, " named");
	} else {
		strbuf_f(out, "%" PRIu64 " lost", t->lost);
	}
}

static void put_causes(const struct truth_event *e, const struct truth_share *s, const char *name,
		       const char *what, struct strbuf *out)
{
	strbuf_printable(out, e->name);
	if (s->state > TRUTH_ABOUT) {
		strbuf_f(out, ": %s %s: %s\n", name,
			 s->state == TRUTH_UNKNOWN ? "is unknown" : "does not apply", s->why);
		return;
	}
	strbuf_str(out, s->state == TRUTH_ABOUT ? ": about " : ": ");
	put_percent(s->good, s->all, "%", out);
	strbuf_f(out, " of %s\n", what);
	vec_for_each(&s->causes, c) {
		strbuf_f(out, "%10" PRIu64 "  %5.1f%%  ", c->samples,
			 100.0 * (double)c->samples / (double)s->all);
		if (c->object[0]) {
			strbuf_printable(out, c->object);
			strbuf_str(out, ": ");
		}
		strbuf_printable(out, c->why);
		strbuf_char(out, '\n');
		if (!c->cure)
			continue;
		strbuf_pad(out, ' ', 20);
		strbuf_printable(out, c->cure);
		strbuf_char(out, '\n');
	}
}

/* Of the event that was multiplexed most. */
static void put_multiplexed(const struct truth *t, struct strbuf *out)
{
	const struct truth_event *e = truth_most_multiplexed(t);

	if (!e) {
		strbuf_str(out, "unknown");
		return;
	}
	put_share_of_time(e, out);
	if (e->times.running == e->times.enabled)
		return;
	strbuf_str(out, " of the time of ");
	strbuf_printable(out, e->name);
	strbuf_str(out, ": record fewer events at a time");
}

void truth_causes_text(const struct truth *t, struct strbuf *out)
{
	vec_for_each(&t->events, e) {
		if (!e->samples)
			continue;
		put_causes(e, &e->whole, "whole", "stacks whole", out);
		put_causes(e, &e->named, "named", "samples named", out);
	}
	strbuf_f(out, "%" PRIu64 " lost, throttled %" PRIu64 " times, multiplexed: ", t->lost,
		 t->throttled);
	put_multiplexed(t, out);
	strbuf_char(out, '\n');
}

/* ---- JSON ---- */

static void share_json(const struct truth_share *s, const char *name, struct strbuf *out)
{
	const char *between = "";

	strbuf_f(out, ",\"%s\":", name);
	if (s->state > TRUTH_ABOUT) {
		strbuf_f(out, "{\"state\":\"%s\",\"why\":",
			 s->state == TRUTH_UNKNOWN ? "unknown" : "not applicable");
		json_text(out, s->why);
		strbuf_char(out, '}');
		return;
	}
	strbuf_f(out,
		 "{\"state\":\"%s\",\"samples\":%" PRIu64 ",\"of\":%" PRIu64
		 ",\"percent\":%.4f,\"causes\":[",
		 s->state == TRUTH_ABOUT ? "about" : "known", s->good, s->all, truth_percent(s));
	vec_for_each(&s->causes, c) {
		strbuf_f(out, "%s{\"samples\":%" PRIu64 ",\"dso\":", between, c->samples);
		json_text(out, c->object);
		strbuf_str(out, ",\"why\":");
		json_text(out, c->why);
		strbuf_str(out, ",\"cure\":");
		if (c->cure)
			json_text(out, c->cure);
		else
			strbuf_str(out, "null");
		strbuf_char(out, '}');
		between = ",";
	}
	strbuf_str(out, "]}");
}

/* Shares of time; e: NULL if nothing is known. */
static void multiplexed_json(const struct truth_event *e, struct strbuf *out)
{
	strbuf_str(out, ",\"multiplexed\":{\"state\":");
	if (e && e->times.state == TRUTH_KNOWN)
		strbuf_f(out,
			 "\"known\",\"enabled_ns\":%" PRIu64 ",\"running_ns\":%" PRIu64
			 ",\"percent\":%.4f}",
			 e->times.enabled, e->times.running, truth_multiplexed_percent(e));
	else if (e && e->times.state == TRUTH_NOT_APPLICABLE)
		strbuf_str(out, "\"not applicable\"}");
	else
		strbuf_str(out, "\"unknown\"}");
}

void truth_json(const struct truth *t, struct strbuf *out)
{
	const char *between = "";

	strbuf_f(out,
		 "{\"samples\":%" PRIu64 ",\"lost\":%" PRIu64
		 ",\"lost_percent\":%.4f,\"throttled\":%" PRIu64 ",\"throttled_percent\":%.4f",
		 t->samples, t->lost, truth_lost_percent(t), t->throttled,
		 truth_throttled_percent(t));
	multiplexed_json(truth_most_multiplexed(t), out);
	strbuf_str(out, ",\"events\":[");
	vec_for_each(&t->events, e) {
		strbuf_f(out, "%s\n{\"name\":", between);
		json_text(out, e->name);
		strbuf_f(out, ",\"samples\":%" PRIu64, e->samples);
		share_json(&e->whole, "whole", out);
		share_json(&e->named, "named", out);
		multiplexed_json(e, out);
		strbuf_char(out, '}');
		between = ",";
	}
	strbuf_str(out, "]}");
}
