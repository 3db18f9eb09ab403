/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of Documentation/, as text, inside the program: help needs neither
 * man nor files.  The table is made by scripts/pages at build time.
 */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

struct page {
	const char *name; /* "record" of perf-record.1.scd, "perf" of perf.1.scd */
	const char *text; /* lines of at most 79 columns */
};

/* Ended by a row without name. */
extern const struct page pages[];

/* Returns the text, which must not be freed, or NULL when there is no such page. */
const char *page_text(const char *name);

#endif
