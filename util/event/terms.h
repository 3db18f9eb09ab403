/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terms between slashes: "event=0x3c,umask=1,period=1000,name=foo". */
#ifndef EVENT_TERMS_H
#define EVENT_TERMS_H

#include "event/internal.h"

struct pmu;

struct term {
	struct span name;  /* in the user's text, for the caret */
	struct span value; /* n == 0 if it has none */
	char *key, *text;  /* copies; text is NULL without a value */
	bool used;
};

struct terms {
	VEC(struct term) list;
};

/* Reads from p->at (after the first slash) to after the second. */
int terms_read(struct parse *p, struct terms *t);
/* Splits an events file; the spans are those of where. */
void terms_of_text(struct terms *t, const char *text, struct span where);
void terms_release(struct terms *t);

/*
 * Applies the terms that every event has (period, name, call-graph ...) to the events from first
 * on, and marks them used.
 */
int terms_apply_common(struct parse *p, struct terms *t, size_t first);
/* Applies the terms that are the PMU's: config words, format fields, its named events. */
int terms_apply_pmu(struct parse *p, struct terms *t, const struct pmu *pmu, struct event *ev);
/*
 * Reports the first unused term as an error, with what would have been possible. pmu may be NULL.
 */
int terms_refuse_rest(struct parse *p, const struct terms *t, const struct pmu *pmu);

#endif
