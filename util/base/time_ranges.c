// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/time_ranges.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

bool time_ranges_relative(const char *text)
{
	return strchr(text, '%') != NULL;
}

static int bad_range(const char *text, struct reason *r)
{
	reason_usage(r, "invalid time range '%s'", text);
	reason_hint(r, "write START,STOP in seconds, or parts as 10%%/2 or 0%%-10%%");
	return -EINVAL;
}

/* "12.5,13": either end may be left out */
static int parse_absolute(struct time_ranges *t, const char *text, struct reason *r)
{
	struct time_range range = { 0, UINT64_MAX };
	const char *comma = strchr(text, ',');
	char *start;
	int err = 0;

	if (!comma || strchr(comma + 1, ','))
		return bad_range(text, r);
	start = xstrndup(text, (size_t)(comma - text));
	if (*start)
		err = parse_seconds(start, &range.from);
	if (!err && comma[1])
		err = parse_seconds(comma + 1, &range.to);
	free(start);
	if (err || range.from > range.to)
		return bad_range(text, r);
	vec_push(&t->list, range);
	return 0;
}

/* "12.5%" at *s, in [0, 100]; *s moves after it */
static bool take_percent(const char **s, double *out)
{
	char *end;

	*out = strtod(*s, &end);
	if (end == *s || *end != '%' || !(*out >= 0 && *out <= 100))
		return false;
	*s = end + 1;
	return true;
}

/* "10%" is the first tenth, "10%/2" the second, "10%-30%" from-to */
static int parse_part(struct time_ranges *t, const char *text, u64 first, u64 last,
		      struct reason *r)
{
	double from, to, span = (double)(last - first), number = 1;
	const char *s = text;

	if (!take_percent(&s, &to))
		return bad_range(text, r);
	if (*s == '-') {
		from = to;
		s++;
		if (!take_percent(&s, &to) || *s || to < from)
			return bad_range(text, r);
	} else {
		char *end = NULL;

		if (*s == '/')
			number = strtod(s + 1, &end);
		if ((*s && (*s != '/' || *end || end == s + 1)) || number < 1 || to <= 0 ||
		    to * number > 100.000001)
			return bad_range(text, r);
		from = to * (number - 1);
		to = to * number;
	}
	vec_push(&t->list, (struct time_range){
		.from = first + (u64)(span * from / 100.0),
		.to = to >= 100 ? last : first + (u64)(span * to / 100.0),
	});
	return 0;
}

int time_ranges_parse(struct time_ranges *t, const char *text, u64 first, u64 last,
		      struct reason *r)
{
	bool relative = time_ranges_relative(text);
	struct strlist parts = { 0 };
	int err = 0;

	strlist_split(&parts, text, relative ? ", " : " ");
	if (!parts.list.count)
		err = bad_range(text, r);
	vec_for_each(&parts.list, part) {
		err = relative ? parse_part(t, *part, first, last, r)
			       : parse_absolute(t, *part, r);
		if (err)
			break;
	}
	strlist_release(&parts);
	if (err)
		time_ranges_release(t);
	return err;
}

void time_ranges_release(struct time_ranges *t)
{
	vec_release(&t->list);
}
