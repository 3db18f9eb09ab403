// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the scene to the chart, which another thread may fill: it is half of the work. The chart
 * belongs to that thread until scene_end(), so each fact says how far the recording had been read,
 * on which it depends when cells are merged.
 */
#include "builtin/timechart/internal.h"

enum fact_kind { FACT_PART, FACT_CELL, FACT_WAKE };

struct fact {
	enum fact_kind kind;
	u32 lane;
	u64 last;
};

struct part_fact {
	struct fact fact;
	u64 from, until;
	u32 what, chain;
	enum cell_part part;
};
struct cell_fact {
	struct fact fact;
	struct cell cell;
};
struct wake_fact {
	struct fact fact;
	struct wake wake;
};

static void take(void *arg, const void *facts)
{
	struct chart *c = arg;
	const struct fact *f = facts;
	const struct part_fact *p = facts;

	c->last = f->last;
	if (f->kind == FACT_WAKE) {
		chart_wake(c, &((const struct wake_fact *)facts)->wake);
		return;
	}
	while (unlikely(c->lanes.count <= f->lane))
		chart_lane(c);
	if (f->kind == FACT_PART)
		chart_add_part(c, f->lane, p->part, p->from, p->until, p->what, p->chain);
	else
		chart_add(c, f->lane, &((const struct cell_fact *)facts)->cell);
}

void scene_begin(struct scene *s)
{
	s->facts = session_facts_new(s->session, take, &s->chart);
}

void scene_end(struct scene *s)
{
	session_lines_end(s->facts);
	s->chart.last = s->last;
	while (s->chart.lanes.count < s->lane_count)
		chart_lane(&s->chart);
}

void scene_part(struct scene *s, u32 lane, enum cell_part part, u64 from, u64 until, u32 what,
		u32 chain)
{
	struct part_fact *f;

	if (until <= from)
		return;
	f = session_line(s->facts, sizeof(*f));
	*f = (struct part_fact){ { FACT_PART, lane, s->last }, from, until, what, chain, part };
}

void scene_cell(struct scene *s, u32 lane, const struct cell *cell)
{
	struct cell_fact *f = session_line(s->facts, sizeof(*f));

	*f = (struct cell_fact){ { FACT_CELL, lane, s->last }, *cell };
}

void scene_wake(struct scene *s, const struct wake *wake)
{
	struct wake_fact *f = session_line(s->facts, sizeof(*f));

	*f = (struct wake_fact){ { FACT_WAKE, 0, s->last }, *wake };
}
