// SPDX-License-Identifier: GPL-2.0-or-later
/* Lays counts over an annotation's lines, and computes percentages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/counts.h"
#include "annotate/internal.h"
#include "base/alloc.h"

struct filling {
	struct annotation *n;
	const struct annotate_counts *c;
	const u32 *events;
	u32 columns;
	struct annotate_count *room; /* count of code lines times columns */
	u32 used;
};

static u32 column_of(const struct filling *f, u32 event)
{
	for (u32 i = 0; i < f->columns; i++)
		if (f->events[i] == event)
			return i;
	return NO_LINE;
}

static void count_at(struct filling *f, struct annotate_line *l, const struct place_count *p)
{
	u32 column = column_of(f, p->event);

	if (column == NO_LINE)
		return;
	if (l && !l->counts)
		l->counts = f->room + (size_t)f->used++ * f->columns;
	if (l) {
		l->counts[column].samples += p->count.samples;
		l->counts[column].period += p->count.period;
	}
	f->n->totals[column].samples += p->count.samples;
	f->n->totals[column].period += p->count.period;
}

static void walk(struct filling *f, u32 image, u64 start)
{
	struct annotation *n = f->n;
	size_t at = annotate_counts_from(f->c, image, start);
	struct annotate_line *here = NULL;
	u32 next = 0;

	for (; at < f->c->used && f->c->sorted[at].image == image &&
	       f->c->sorted[at].offset - start < n->size;
	     at++) {
		u64 offset = f->c->sorted[at].offset - start;

		while (next < n->count &&
		       (n->lines[next].kind != ANNOTATE_CODE || n->lines[next].offset <= offset)) {
			if (n->lines[next].kind == ANNOTATE_CODE)
				here = &n->lines[next];
			next++;
		}
		count_at(f, here && offset - here->offset < here->size ? here : NULL,
			 &f->c->sorted[at]);
	}
}

void annotation_fill_at(struct annotation *n, u64 start, const struct annotate_counts *c,
			const u32 *events, u32 count, struct annotate_count **counts,
			struct annotate_count **totals)
{
	struct filling f = { .n = n, .c = c, .events = events, .columns = count };

	free(*counts);
	free(*totals);
	*counts = f.room = xcalloc((size_t)n->code_count * count + 1, sizeof(*f.room));
	*totals = n->totals = xcalloc((size_t)count + 1, sizeof(*n->totals));
	n->columns = count;
	for (u32 i = 0; i < n->count; i++)
		n->lines[i].counts = NULL;
	walk(&f, n->image, start);
	runs_lay(n, start, c);
}

static const char *const percent_names[] = {
	[PERCENT_LOCAL_PERIOD] = "local-period",
	[PERCENT_LOCAL_HITS] = "local-hits",
	[PERCENT_GLOBAL_PERIOD] = "global-period",
	[PERCENT_GLOBAL_HITS] = "global-hits",
};

/* perf accepts the two words in either order. */
static const char *const percent_swapped[] = {
	[PERCENT_LOCAL_PERIOD] = "period-local",
	[PERCENT_LOCAL_HITS] = "hits-local",
	[PERCENT_GLOBAL_PERIOD] = "period-global",
	[PERCENT_GLOBAL_HITS] = "hits-global",
};

int annotate_percent_parse(const char *text, enum annotate_percent *out, struct reason *r)
{
	for (unsigned i = 0; i < ARRAY_SIZE(percent_names); i++) {
		if (!strcmp(text, percent_names[i]) || !strcmp(text, percent_swapped[i])) {
			*out = (enum annotate_percent)i;
			return 0;
		}
	}
	return reason_set(r, EINVAL,
			  "--percent-type is local-period, local-hits, global-period or "
			  "global-hits, not '%s'",
			  text);
}

const char *annotate_percent_name(enum annotate_percent p)
{
	return percent_names[p];
}

double annotation_percent(const struct annotation *n, const struct annotate_line *l, u32 column,
			  enum annotate_percent p, const struct annotate_count *all)
{
	bool hits = p == PERCENT_LOCAL_HITS || p == PERCENT_GLOBAL_HITS;
	bool local = p == PERCENT_LOCAL_PERIOD || p == PERCENT_LOCAL_HITS || !all;
	const struct annotate_count *of = local ? &n->totals[column] : &all[column];
	u64 part, whole = hits ? of->samples : of->period;

	if (!l->counts || !whole)
		return 0;
	part = hits ? l->counts[column].samples : l->counts[column].period;
	return 100.0 * (double)part / (double)whole;
}
