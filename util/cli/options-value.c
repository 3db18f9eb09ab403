// SPDX-License-Identifier: GPL-2.0-or-later
/* What an option's value is and where it goes, by kind. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/options-internal.h"

bool option_negatable(const struct option_row *row)
{
	if (row->flags & OPT_NO_NEGATE)
		return false;
	switch (row->kind) {
	case OPTION_FLAG:
	case OPTION_COUNT:
	case OPTION_CALLBACK:
	case OPTION_SET_INT:
		return true;
	default:
		return false;
	}
}

bool option_takes_value(const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_FLAG:
	case OPTION_COUNT:
	case OPTION_SET_INT:
		return false;
	case OPTION_CALLBACK:
		return row->arg;
	default:
		return true;
	}
}

void option_listed_name(const struct option_row *row, struct strbuf *b)
{
	if (row->flags & OPT_NEGATE_ONLY)
		strbuf_str(b, "no-");
	strbuf_str(b, row->long_name);
}

/* What the user typed; NULL: unknown. */
static const char *const *typed_words;

void options_typed(const char *const *words)
{
	typed_words = words;
}

/*
 * Reports whether the word names the row, in the shortest form that the parser takes or in a
 * cluster of short options.
 */
static bool names(const char *word, const struct option_row *row)
{
	size_t len;

	if (word[0] != '-' || !word[1])
		return false;
	if (word[1] != '-')
		return row->short_name && strchr(word + 1, row->short_name);
	len = strcspn(word + 2, "=");
	return len && row->long_name && !strncmp(word + 2, row->long_name, len);
}

/*
 * Reports whether the user typed the option. Commands that run another one add options of which the
 * user knows nothing.
 */
static bool was_typed(const struct option_row *row)
{
	for (size_t i = 0; typed_words && typed_words[i]; i++)
		if (names(typed_words[i], row))
			return true;
	return !typed_words;
}

static void prefix_name(const struct option_row *row, struct reason *r)
{
	if (r->of_machine || !was_typed(row))
		return;
	if (row->long_name)
		reason_prefix(r, "option '--%s'", row->long_name);
	else
		reason_prefix(r, "option '-%c'", row->short_name);
}

static int bad_number(int err, const char *value, const char *what, struct reason *r)
{
	if (err == -ERANGE)
		return reason_set(r, ERANGE, "'%s' is out of range", value);
	return reason_set(r, EINVAL, "'%s' is not %s", value, what);
}

static int store_unsigned(const struct option_row *row, const char *value, struct reason *r)
{
	u64 max = row->kind == OPTION_UINT ? UINT_MAX : UINT64_MAX;
	u64 v;
	int err = parse_count(value, &v);

	if (!err && v > max)
		err = -ERANGE;
	if (err)
		return bad_number(err, value, "a number", r);
	if (row->kind == OPTION_UINT)
		*(unsigned *)row->value = v;
	else
		*(u64 *)row->value = v;
	return 0;
}

static int store_int(const struct option_row *row, const char *value, struct reason *r)
{
	s64 v;
	int err = parse_int(value, &v);

	if (!err && (v > INT_MAX || v < INT_MIN))
		err = -ERANGE;
	if (err)
		return bad_number(err, value, "a number", r);
	*(int *)row->value = v;
	return 0;
}

static int store_value(const struct option_row *row, const char *value, struct reason *r)
{
	int err;

	switch (row->kind) {
	case OPTION_STRING:
		*(const char **)row->value = value;
		return 0;
	case OPTION_LIST:
		if (value)
			strlist_add(row->value, value);
		return 0;
	default:
		break;
	}
	if (!value) /* left out where that is allowed: only .given tells */
		return 0;
	switch (row->kind) {
	case OPTION_U64:
	case OPTION_UINT:
		return store_unsigned(row, value, r);
	case OPTION_INT:
		return store_int(row, value, r);
	case OPTION_SIZE:
		err = parse_size(value, row->value);
		return err ? bad_number(err, value, "a size (like 4096, 64K or 1M)", r) : 0;
	case OPTION_DURATION:
		err = parse_duration(value, row->unit, row->value);
		return err ? bad_number(err, value, "a time (like 10s, 250ms or 5m)", r) : 0;
	default:
		return reason_set(r, EINVAL, "takes no value");
	}
}

static int call_back(const struct options *o, const struct option_row *row, const char *value,
		     bool negated, struct reason *r)
{
	struct option_call call = {
		.row = row,
		.value = value,
		.negated = negated,
		.settings = o->settings,
	};

	return row->set(&call, r);
}

int option_store(const struct options *o, const struct option_row *row, const char *value,
		 bool negated, struct reason *r)
{
	int err = 0;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)row->value = !negated;
		break;
	case OPTION_COUNT:
		*(int *)row->value = negated ? 0 : *(int *)row->value + 1;
		break;
	case OPTION_SET_INT:
		*(int *)row->value = negated ? 0 : (int)row->unit;
		break;
	case OPTION_CALLBACK:
		err = call_back(o, row, value, negated, r);
		break;
	default:
		err = store_value(row, value, r);
	}
	if (err)
		prefix_name(row, r);
	return err;
}
