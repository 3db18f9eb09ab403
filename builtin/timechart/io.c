// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls that read, write and wait. */
#include <errno.h>

#include "builtin/timechart/internal.h"

static struct caller *caller_of(struct scene *s, u32 tid)
{
	u64 *slot = map64_put(&s->by_tid, tid, NULL);

	if (!*slot) {
		vec_push(&s->callers, (struct caller){ .row = NOBODY });
		*slot = s->callers.count;
	}
	return &s->callers.items[*slot - 1];
}

void scene_name_caller(struct scene *s, u32 tid, const char *text)
{
	struct caller *t = caller_of(s, tid);
	struct row row = {
		.pid = tid, .name = strtab_add(&s->names, text), .lane = NOBODY, .next = t->rows
	};

	if (t->row != NOBODY && s->rows.items[t->row].name == row.name)
		return;
	for (u32 i = t->rows; i; i = s->rows.items[i - 1].next)
		if (s->rows.items[i - 1].name == row.name) {
			t->row = i - 1;
			return;
		}
	for (int i = 0; i < IO_KINDS; i++)
		row.io[i] = NOBODY;
	vec_push(&s->rows, row);
	t->rows = (u32)s->rows.count;
	t->row = t->rows - 1;
}

static void flush(struct scene *s, struct row *r, enum io_kind kind, struct cell *last)
{
	if (!last->count)
		return;
	if (r->io[kind] == NOBODY)
		r->io[kind] = s->lane_count++;
	scene_cell(s, r->io[kind], last);
	*last = (struct cell){ .count = 0 };
}

void scene_call(struct scene *s, u32 tid, u64 time, enum io_kind kind, u32 fd)
{
	struct caller *t = caller_of(s, tid);

	t->open = true;
	t->kind = kind;
	t->since = time;
	t->fd = fd;
}

bool io_moves_bytes(enum io_kind kind)
{
	return kind == IO_READ || kind == IO_WRITE || kind == IO_SEND || kind == IO_RECEIVE;
}

/*
 * Calls on the same file with the same result are merged if the gap between them is at most this.
 */
static bool joins(const struct timechart *o, const struct cell *last, const struct cell *cell)
{
	return last->count && last->what == cell->what &&
	       !last->parts[PART_BLOCKED] == !cell->parts[PART_BLOCKED] &&
	       last->until + o->io_distance >= cell->from;
}

static void add_call(struct scene *s, struct caller *t, enum io_kind kind, struct cell *cell)
{
	struct row *r = &s->rows.items[t->row];
	struct cell *last = &t->last[kind];

	/* fast calls are made visible, but not over the next one */
	if (cell->until - cell->from < s->t->io_least)
		cell->until = cell->from + s->t->io_least;
	if (last->count && last->until > cell->from)
		last->until = MAX(last->from, cell->from);
	if (joins(s->t, last, cell)) {
		last->until = MAX(last->until, cell->until);
		for (int i = 0; i < CELL_PARTS; i++)
			last->parts[i] += cell->parts[i];
		last->count++;
		return;
	}
	flush(s, r, kind, last);
	*last = *cell;
}

void scene_return(struct scene *s, u32 tid, u64 time, enum io_kind kind, s64 ret)
{
	struct caller *t = caller_of(s, tid);
	struct cell cell = { .from = t->since, .until = time, .what = t->fd, .count = 1 };
	struct row *r;

	if (!t->open || t->kind != kind || t->row == NOBODY || time < t->since)
		return; /* it began before the recording, or its beginning was lost */
	t->open = false;
	s->io_calls++;
	if (ret == -EAGAIN && s->t->skip_again)
		return;
	cell.parts[PART_RUN] = time - cell.from;
	cell.parts[PART_BLOCKED] = ret < 0;
	if (ret > 0 && io_moves_bytes(kind))
		cell.parts[PART_WAIT] = (u64)ret;
	s->most_bytes = MAX(s->most_bytes, cell.parts[PART_WAIT]);
	cell.longest = cell.parts[PART_RUN];
	r = &s->rows.items[t->row];
	r->bytes += cell.parts[PART_WAIT];
	if (!r->first)
		r->first = cell.from;
	r->last = time;
	add_call(s, t, kind, &cell);
}

void scene_flush_calls(struct scene *s)
{
	vec_for_each(&s->callers, t)
		for (int kind = 0; t->row != NOBODY && kind < IO_KINDS; kind++)
			flush(s, &s->rows.items[t->row], kind, &t->last[kind]);
}
