/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The optional parts of this program, under the names and HAVE_ macros that
 * perf-check(1) and scripts know.  "on" says that the part works here, not only
 * that a library was found at build time.
 */
#ifndef CLI_FEATURES_H
#define CLI_FEATURES_H

#include "base/types.h"

struct feature {
	const char *name;  /* "libelf" */
	const char *macro; /* "HAVE_LIBELF_SUPPORT" */
	bool on;
	bool old; /* only in `perf version --build-options` */
};

/* Ended by a row without name. */
extern const struct feature features[];

/* Finds a feature by name or macro, in any case. Returns NULL when there is none. */
const struct feature *feature_find(const char *name, size_t len);
/* Prints the line of `perf version --build-options` on stdio's standard output. */
void feature_print(const struct feature *f);
/* Prints the last of those lines: the licence of this binary, which depends on its libraries. */
void licence_print(void);

#endif
