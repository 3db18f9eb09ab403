/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics that are known, from the files arch/ARCH/metrics.
 *
 * A file is lines.  "model REGEX" begins a section for the machines whose CPU id
 * (sys/facts.h) it fits as a whole, "model REGEX on PMU" one for a single kind of their
 * cores; in it
 *	event ALIAS = EVENT			a name for an event's text
 *	metric NAME | GROUPS | UNIT | EXPRESSION | THRESHOLD | DESCRIPTION
 * GROUPS are separated by commas; UNIT is a factor with what the product is
 * called ("100%"), or empty; THRESHOLD, which may be empty, is an expression that is
 * true where the value deserves attention.  Expressions: stat/expr.h; an alias
 * holds inside its section.  Of metrics of one name and PMU the last that fits the machine
 * counts.  Each file cites the manuals its formulas come from.
 * Threads: read-only after loading.
 */
#ifndef STAT_CATALOGUE_H
#define STAT_CATALOGUE_H

#include "base/hash.h"
#include "base/text.h"

extern const char metric_catalogue_text[]; /* all files, made by scripts/metrics */

struct metric_entry {
	char *name, *unit /* "" or "%" */, *expression, *threshold, *description;
	double scale;
	struct strlist groups;
	char *pmu; /* the kind of cores that it is for, or NULL for any */
	u32 section;
};

struct metric_catalogue {
	VEC(struct metric_entry) list; /* by name */
	struct strmap events;          /* "SECTION ALIAS" -> index in texts */
	struct strlist texts;
};

/* Loads the metrics of a machine. */
void catalogue_load(struct metric_catalogue *c, const char *text, const char *cpuid);
void catalogue_release(struct metric_catalogue *c);
/* Finds a metric by name; one for this kind of cores (NULL: any) is preferred. */
const struct metric_entry *catalogue_find(const struct metric_catalogue *c, const char *name,
					  const char *pmu);
/* Removes the metric at that index. */
void catalogue_leave_out(struct metric_catalogue *c, size_t index);
bool metric_in_group(const struct metric_entry *m, const char *group);
/* Returns the text of the event that a name means in a section, or NULL. */
const char *catalogue_event(const struct metric_catalogue *c, u32 section, const char *alias);

#endif
