/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named self-checks of this machine and this installation, for perf test.
 *
 * A check answers Ok, Skip with the reason (what is missing here), or FAILED with the reason; with
 * -v its log is shown. A check may fork, open events and write files in its own temporary
 * directory, and cleans up everything.
 */
#ifndef BUILTIN_TEST_SELFTEST_H
#define BUILTIN_TEST_SELFTEST_H

#include "base/context.h"
#include "base/strbuf.h"

enum selftest_result { SELFTEST_OK, SELFTEST_SKIP, SELFTEST_FAILED };

struct selftest {
	struct context *ctx;
	int verbose;
	const char *dso;      /* the file that Symbols and Code read; NULL: this program */
	const char *objdump;  /* the program that Code runs; NULL: objdump */
	struct strbuf log;    /* lines for -v */
	struct strbuf reason; /* the reason of Skip and FAILED */
};

struct selftest_row {
	const char *name;
	enum selftest_result (*run)(struct selftest *t);
};

/* Ended by a row without name. */
extern const struct selftest_row selftests[];

/* Sets the reason and returns the result, for the checks. */
enum selftest_result selftest_skip(struct selftest *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
enum selftest_result selftest_fail(struct selftest *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
