/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that compare with another perf: the one that tests/run names (see tests/rival). After
 * cmocka.h.
 */
#ifndef TESTS_RIVAL_H
#define TESTS_RIVAL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the path of the other perf, which need not exist. */
static const char *rival(void)
{
	const char *path = getenv("RIVAL_PERF");

	return path && *path ? path : "/usr/bin/perf";
}

static bool have_rival(void)
{
	return !access(rival(), X_OK);
}

/*
 * Skips the test with a reason where there is no other perf. Call it before the test allocates
 * anything.
 */
static void needs_rival(void)
{
	if (have_rival())
		return;
	fprintf(stderr, "# skip: no other perf at %s\n", rival());
	skip();
}

#endif
