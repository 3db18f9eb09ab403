/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on a truth: "whole>=90%,named>=95%,lost<1%,samples>=1000".
 *
 *	require_parse()		--require, once or several times
 *	require_check()		which of them do not hold, in a line each
 */
#ifndef TRUTH_REQUIRE_H
#define TRUTH_REQUIRE_H

#include "base/reason.h"
#include "base/text.h"
#include "truth/truth.h"

enum require_name {
	REQUIRE_WHOLE,
	REQUIRE_NAMED,
	REQUIRE_LOST,
	REQUIRE_THROTTLED,
	REQUIRE_MULTIPLEXED,
	REQUIRE_SAMPLES,
	REQUIRE_NAMES
};

struct require_condition {
	enum require_name name;
	enum { REQUIRE_LESS, REQUIRE_AT_MOST, REQUIRE_MORE, REQUIRE_AT_LEAST } op;
	double value;
	bool percent;
	char *text; /* as typed, without spaces */
};

struct require {
	VEC(struct require_condition) list;
};

/* Adds what the text says.  -EINVAL with a reason. */
int require_parse(struct require *q, const char *text, struct reason *r) MUST_CHECK;
void require_release(struct require *q);
/* Is there a condition of this name? */
bool require_asks(const struct require *q, enum require_name name);

/* Lines about the conditions, without newlines: broken ones, and those that do not apply. */
struct require_lines {
	struct strlist broken, notes;
};
void require_check(const struct require *q, const struct truth *t, struct require_lines *out);
void require_lines_release(struct require_lines *l);

#endif
