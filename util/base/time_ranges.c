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

/* Parses "12.5,13"; either end may be left out. */
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
		err = parse_seconds(start, &range.from) ? -EINVAL : 0;
	if (!err && comma[1])
		err = parse_seconds(comma + 1, &range.to);
	if (err == -ERANGE) { /* later than all times, as a script computes "all" */
		range.to = UINT64_MAX;
		err = 0;
	}
	free(start);
	if (err || range.from > range.to)
		return bad_range(text, r);
	vec_push(&t->list, range);
	return 0;
}

/* Takes "12.5%" at *s, in [0, 100], and moves *s after it. */
static bool take_percent(const char **s, double *out)
{
	size_t n = parse_decimal(*s, out);

	if (!n || (*s)[n] != '%' || *out > 100)
		return false;
	*s += n + 1;
	return true;
}

/* Parses a part: "10%" is the first tenth, "10%/2" the second, "10%-30%" from-to. */
static int parse_part(struct time_ranges *t, const char *text, u64 first, u64 last,
		      struct reason *r)
{
	double from, to, span = (double)(last - first);
	u64 number = 1;
	const char *s = text;

	if (!take_percent(&s, &to))
		return bad_range(text, r);
	if (*s == '-') {
		from = to;
		s++;
		if (!take_percent(&s, &to) || *s || to < from)
			return bad_range(text, r);
	} else {
		if ((*s && (*s != '/' || parse_count(s + 1, &number))) || !number || to <= 0 ||
		    to * (double)number > 100.000001)
			return bad_range(text, r);
		from = to * (double)(number - 1);
		to = to * (double)number;
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
	char *joined;
	int err = 0;

	strlist_split(&parts, text, relative ? ", " : " ");
	if (!parts.list.count)
		err = bad_range(text, r);
	for (size_t i = 0; !err && i < parts.list.count; i++) {
		char **part = &parts.list.items[i];

		if (!relative && str_ends(*part, ",") && i + 1 < parts.list.count &&
		    !strchr(part[1], ',')) {
			joined = xasprintf("%s%s", *part, part[1]); /* "A, B" */
			err = parse_absolute(t, joined, r);
			free(joined);
			i++;
		} else {
			err = relative ? parse_part(t, *part, first, last, r)
				       : parse_absolute(t, *part, r);
		}
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
