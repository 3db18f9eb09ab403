// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters of names: parsed again for each name, since a filter is only a few characters long. */
#include "probe/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/internal.h"

struct filter {
	const char *at;
	const char *name;  /* NULL: only the form is checked */
	const char *fault; /* where it makes no sense */
};

static void skip(struct filter *f)
{
	while (isspace((unsigned char)*f->at))
		f->at++;
}

static bool either(struct filter *f, int depth);

static bool glob(struct filter *f)
{
	const char *s = f->at;
	bool inside = false, match;
	char *pattern;

	/* ! and the like inside [ ] belong to the glob */
	for (; *f->at && (inside || (!strchr("&|()", *f->at) && !isspace((unsigned char)*f->at)));
	     f->at++) {
		if (*f->at == '[')
			inside = true;
		else if (*f->at == ']')
			inside = false;
		else if (*f->at == '\\' && f->at[1])
			f->at++;
	}
	if (f->at == s) {
		f->fault = s;
		return false;
	}
	pattern = xstrndup(s, (size_t)(f->at - s));
	match = f->name && glob_match(pattern, f->name);
	free(pattern);
	return match;
}

static bool term(struct filter *f, int depth)
{
	bool match;

	skip(f);
	if (f->fault || depth > 64) {
		f->fault = f->fault ? f->fault : f->at;
		return false;
	}
	if (*f->at == '!') {
		f->at++;
		return !term(f, depth + 1);
	}
	if (*f->at != '(')
		return glob(f);
	f->at++;
	match = either(f, depth + 1);
	skip(f);
	if (*f->at == ')')
		f->at++;
	else if (!f->fault)
		f->fault = f->at;
	return match;
}

static bool both(struct filter *f, int depth)
{
	bool match = term(f, depth);

	for (skip(f); *f->at == '&' && !f->fault; skip(f)) {
		f->at++;
		match &= term(f, depth);
	}
	return match;
}

static bool either(struct filter *f, int depth)
{
	bool match = both(f, depth);

	for (skip(f); *f->at == '|' && !f->fault; skip(f)) {
		f->at++;
		match |= both(f, depth);
	}
	return match;
}

int probe_filter_check(const char *filter, struct reason *r)
{
	struct probe_parse p = { .text = filter, .at = filter, .r = r };
	struct filter f = { .at = filter };

	either(&f, 0);
	skip(&f);
	if (!f.fault && *f.at)
		f.fault = f.at;
	return f.fault ? probe_fault(&p, f.fault, "expected globs joined by & | ! and brackets")
		       : 0;
}

bool probe_filter_match(const char *filter, const char *name)
{
	struct filter f = { .at = filter, .name = name };

	return !filter || either(&f, 0);
}
