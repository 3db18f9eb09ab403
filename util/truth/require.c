// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads conditions on a truth, and finds those that do not hold. */
#include "truth/require.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "truth/internal.h"

enum unit { UNIT_PERCENT = 1, UNIT_COUNT = 2 };

static const struct {
	const char *name;
	unsigned units;
} known[REQUIRE_NAMES] = {
	[REQUIRE_WHOLE] = { "whole", UNIT_PERCENT },
	[REQUIRE_NAMED] = { "named", UNIT_PERCENT },
	[REQUIRE_LOST] = { "lost", UNIT_PERCENT | UNIT_COUNT },
	[REQUIRE_THROTTLED] = { "throttled", UNIT_PERCENT | UNIT_COUNT },
	[REQUIRE_MULTIPLEXED] = { "multiplexed", UNIT_PERCENT },
	[REQUIRE_SAMPLES] = { "samples", UNIT_COUNT },
};

/* ---- parsing ---- */

static int unknown_name(const char *name, struct reason *r)
{
	const char *names[REQUIRE_NAMES], *near;

	for (size_t i = 0; i < REQUIRE_NAMES; i++)
		names[i] = known[i].name;
	near = nearest_name(name, names, REQUIRE_NAMES);
	reason_set(r, EINVAL, "unknown name '%s'", name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r,
			    "the names are whole, named, lost, throttled, multiplexed and samples");
	return -EINVAL;
}

static int find_name(const char *name, enum require_name *out, struct reason *r)
{
	for (size_t i = 0; i < REQUIRE_NAMES; i++)
		if (!strcmp(name, known[i].name)) {
			*out = (enum require_name)i;
			return 0;
		}
	return unknown_name(name, r);
}

static int bad_condition(const char *text, const char *hint, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' is not a condition", text);
	reason_hint(r, "%s", hint);
	return -EINVAL;
}

/* value: after the operator. */
static int take_value(struct require_condition *c, const char *value, struct reason *r)
{
	size_t len = strlen(value);
	u64 count;

	c->percent = len && value[len - 1] == '%';
	if (c->percent ? !(known[c->name].units & UNIT_PERCENT)
		       : !(known[c->name].units & UNIT_COUNT))
		return bad_condition(
			c->text,
			c->percent ? "it is a number of samples: samples>=1000"
				   : "it is a share: give it in percent, such as whole>=90%",
			r);
	if (!isdigit((unsigned char)value[0]))
		return bad_condition(c->text, "a number follows the operator: named>=95%", r);
	if (!c->percent) {
		if (parse_count(value, &count))
			return bad_condition(c->text, "the number is not a whole number", r);
		c->value = (double)count;
		return 0;
	}
	if (parse_percent(value, &c->value) || c->value > 100)
		return bad_condition(c->text, "a share is between 0% and 100%", r);
	return 0;
}

static int parse_one(struct require_condition *c, struct reason *r)
{
	size_t n = strcspn(c->text, "<>=");
	const char *op = c->text + n;
	bool equal = op[0] && op[1] == '=';
	char *name = xstrndup(c->text, n);
	int err = find_name(name, &c->name, r);

	free(name);
	if (err)
		return err;
	if (*op != '<' && *op != '>')
		return bad_condition(c->text, "the operators are >=, >, <= and <: whole>=90%", r);
	c->op = *op == '<' ? (equal ? REQUIRE_AT_MOST : REQUIRE_LESS)
			   : (equal ? REQUIRE_AT_LEAST : REQUIRE_MORE);
	return take_value(c, op + 1 + equal, r);
}

static char *without_spaces(const char *s)
{
	char *copy = xstrdup(s), *to = copy;

	for (; *s; s++)
		if (*s != ' ' && *s != '\t')
			*to++ = *s;
	*to = '\0';
	return copy;
}

int require_parse(struct require *q, const char *text, struct reason *r)
{
	char *plain = without_spaces(text);
	struct strlist parts = { 0 };
	int err = 0;

	if (list_has_gap(plain)) {
		err = reason_set(r, EINVAL, "a condition is missing from '%s'", text);
		reason_hint(r, "conditions with commas between them, such as "
			       "whole>=90%%,named>=95%%,lost<1%%");
	}
	strlist_split(&parts, plain, ",");
	for (size_t i = 0; !err && i < parts.list.count; i++) {
		struct require_condition c = { .text = xstrdup(parts.list.items[i]) };

		err = parse_one(&c, r);
		vec_push(&q->list, c);
	}
	strlist_release(&parts);
	free(plain);
	return err;
}

void require_release(struct require *q)
{
	vec_for_each(&q->list, c)
		free(c->text);
	vec_release(&q->list);
}

bool require_asks(const struct require *q, enum require_name name)
{
	vec_for_each(&q->list, c)
		if (c->name == name)
			return true;
	return false;
}

/* ---- checking ---- */

static bool holds(const struct require_condition *c, double value)
{
	switch (c->op) {
	case REQUIRE_LESS:
		return value < c->value;
	case REQUIRE_AT_MOST:
		return value <= c->value;
	case REQUIRE_MORE:
		return value > c->value;
	default:
		return value >= c->value;
	}
}

static void begin(struct strbuf *b, const struct require_condition *c)
{
	strbuf_f(b, "'%s' does not hold: ", c->text);
}

static void end(struct strbuf *b, struct strlist *list)
{
	strlist_add(list, strbuf_cstr(b));
	strbuf_release(b);
}

/* The largest causes, with what cures them. */
static void put_causes(const struct truth_share *s, struct strbuf *b)
{
	enum { MOST = 3 };

	for (size_t i = 0; i < s->causes.count && i < MOST; i++) {
		const struct truth_cause *c = &s->causes.items[i];

		strbuf_f(b, "; %.1f%% ", 100.0 * (double)c->samples / (double)s->all);
		truth_cause_text(c, b);
		if (c->cure) {
			strbuf_str(b, ": ");
			strbuf_printable(b, c->cure);
		}
	}
	if (s->causes.count > MOST)
		strbuf_f(b, "; %zu more causes", s->causes.count - MOST);
}

static const struct truth_share *share_of(const struct require_condition *c,
					  const struct truth_event *e)
{
	return c->name == REQUIRE_WHOLE ? &e->whole : &e->named;
}

static void say_share(const struct require_condition *c, const struct truth_event *e,
		      struct strlist *list)
{
	const struct truth_share *s = share_of(c, e);
	struct strbuf b = STRBUF_INIT;

	begin(&b, c);
	if (s->state == TRUTH_UNKNOWN) {
		strbuf_f(&b, "unknown: %s", s->why);
	} else {
		strbuf_f(&b, "%s%.1f%% of %" PRIu64 " %s of '",
			 s->state == TRUTH_ABOUT ? "about " : "", truth_percent(s), s->all,
			 c->name == REQUIRE_WHOLE ? "stacks" : "samples");
		strbuf_printable(&b, e->name);
		strbuf_f(&b, "' are %s", known[c->name].name);
		put_causes(s, &b);
	}
	end(&b, list);
}

/* Of the event that is farthest from holding it. */
static void check_share(const struct require_condition *c, const struct truth *t,
			struct require_lines *out)
{
	const struct truth_event *worst = NULL, *without = NULL;
	bool low = c->op == REQUIRE_LESS || c->op == REQUIRE_AT_MOST;
	bool applies = false;

	vec_for_each(&t->events, e) {
		const struct truth_share *s = share_of(c, e);
		double percent = truth_percent(s),
		       before = worst ? truth_percent(share_of(c, worst)) : 0;

		if (!e->samples)
			continue;
		if (s->state == TRUTH_NOT_APPLICABLE) {
			without = e;
			continue;
		}
		applies = true;
		if (s->state == TRUTH_UNKNOWN || !holds(c, percent))
			if (!worst || s->state == TRUTH_UNKNOWN ||
			    (low ? percent > before : percent < before))
				worst = e;
	}
	if (worst)
		say_share(c, worst, &out->broken);
	if (without && !applies) {
		struct strbuf b = STRBUF_INIT;

		strbuf_f(&b, "'%s' does not apply: %s", c->text, share_of(c, without)->why);
		end(&b, &out->notes);
	}
}

static void check_samples(const struct require_condition *c, const struct truth *t,
			  struct require_lines *out)
{
	vec_for_each(&t->events, e) {
		struct strbuf b = STRBUF_INIT;

		if ((!e->counts && !e->samples) || holds(c, (double)e->samples))
			continue;
		begin(&b, c);
		strbuf_f(&b, "there are %" PRIu64 " samples of '", e->samples);
		strbuf_printable(&b, e->name);
		strbuf_char(&b, '\'');
		if (c->op == REQUIRE_MORE || c->op == REQUIRE_AT_LEAST)
			strbuf_str(&b, ": record for longer, or with a higher frequency (-F)");
		end(&b, &out->broken);
		return;
	}
}

static void check_file(const struct require_condition *c, const struct truth *t,
		       struct require_lines *out)
{
	bool lost = c->name == REQUIRE_LOST;
	u64 count = lost ? t->lost : t->throttled;
	double percent = lost ? truth_lost_percent(t) : truth_throttled_percent(t);
	struct strbuf b = STRBUF_INIT;

	if (holds(c, c->percent ? percent : (double)count))
		return;
	begin(&b, c);
	if (lost)
		strbuf_f(&b, "%" PRIu64 " samples (%.2f%%) were lost, since buffers were full",
			 count, percent);
	else
		strbuf_f(&b, "events were throttled %" PRIu64 " times in %" PRIu64 " samples",
			 count, t->delivered);
	if (c->op == REQUIRE_LESS || c->op == REQUIRE_AT_MOST)
		strbuf_f(&b, ": %s", lost ? truth_lost_cure : truth_throttled_cure);
	end(&b, &out->broken);
}

static void say_unknown(const struct require_condition *c, const char *why,
			struct require_lines *out)
{
	struct strbuf b = STRBUF_INIT;

	begin(&b, c);
	strbuf_f(&b, "unknown: %s", why);
	end(&b, &out->broken);
}

static void put_times(const struct require_condition *c, const struct truth_event *e,
		      struct require_lines *out)
{
	struct strbuf b = STRBUF_INIT;

	begin(&b, c);
	if (e->times.state == TRUTH_UNKNOWN) {
		strbuf_f(&b, "unknown: %s", e->times.why);
		if (e->times.cure)
			strbuf_f(&b, ": %s", e->times.cure);
	} else {
		strbuf_char(&b, '\'');
		strbuf_printable(&b, e->name);
		strbuf_f(&b, "' was not counted in %.2f%% of the time in which it was enabled",
			 truth_multiplexed_percent(e));
		if (c->op == REQUIRE_LESS || c->op == REQUIRE_AT_MOST)
			strbuf_str(&b, ": record fewer events at a time");
	}
	end(&b, &out->broken);
}

/* Of the event that is farthest from holding it. */
static void check_multiplexed(const struct require_condition *c, const struct truth *t,
			      struct require_lines *out)
{
	bool low = c->op == REQUIRE_LESS || c->op == REQUIRE_AT_MOST, applies = false;
	const struct truth_event *worst = NULL;
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&t->events, e) {
		double percent = truth_multiplexed_percent(e),
		       before = worst ? truth_multiplexed_percent(worst) : 0;

		if (!truth_counts(e) || e->times.state == TRUTH_NOT_APPLICABLE)
			continue;
		applies = true;
		if (e->times.state == TRUTH_UNKNOWN) {
			worst = e;
			break;
		}
		if (!holds(c, percent) && (!worst || (low ? percent > before : percent < before)))
			worst = e;
	}
	if (worst)
		put_times(c, worst, out);
	if (applies)
		return;
	strbuf_f(&b, "'%s' does not apply: no event needs a counter", c->text);
	end(&b, &out->notes);
}

void require_check(const struct require *q, const struct truth *t, struct require_lines *out)
{
	vec_for_each(&q->list, c) {
		if (c->name == REQUIRE_SAMPLES)
			check_samples(c, t, out);
		else if (c->name == REQUIRE_LOST || c->name == REQUIRE_THROTTLED)
			check_file(c, t, out);
		else if (c->name == REQUIRE_MULTIPLEXED)
			check_multiplexed(c, t, out);
		else if (!t->samples)
			say_unknown(c, "there are no samples", out);
		else
			check_share(c, t, out);
	}
}

void require_lines_release(struct require_lines *l)
{
	strlist_release(&l->broken);
	strlist_release(&l->notes);
}
