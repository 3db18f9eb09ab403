// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why stacks ended that were unwound while recording, by object. The session counts by image and
 * forgets images of programs that have ended; here they are kept by path.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "data/stack_ends.h"
#include "record/internal.h"
#include "session/session.h"

enum { MOST_ROWS = 4096 }; /* further objects are counted together, without a name */

struct end_row {
	char *object;
	enum unwind_end end;
	u64 gone;    /* in images that the session has forgotten */
	u64 now;     /* in the others, when last asked */
	u64 written; /* in files that are closed */
};

struct record_ends {
	VEC(struct end_row) rows;
};

static struct end_row *row_of(struct record_ends *e, const char *object, enum unwind_end end)
{
	vec_for_each(&e->rows, row)
		if (row->end == end && !strcmp(row->object, object))
			return row;
	if (e->rows.count >= MOST_ROWS && object[0])
		return row_of(e, "", end);
	vec_push(&e->rows, (struct end_row){ .object = xstrdup(object), .end = end });
	return vec_last(&e->rows);
}

/* Returns the path to count under: "" for whole stacks, whose last object is of no interest. */
static const char *object_of(const struct session_stack_end *end)
{
	return session_stack_is_whole(end->end) || !end->image ? "" : end->object;
}

void record_ends_sweep(struct record_ends *e, const struct session *s, const bool *named)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);

	for (size_t i = 0; i < n; i++)
		if (!named[ends[i].image])
			row_of(e, object_of(&ends[i]), ends[i].end)->gone += ends[i].count;
	free(ends);
}

/*
 * Subtracts the counts of forgotten images, which the session moves to image 0. The rows have those
 * already, with their paths.
 */
static void subtract_gone(struct record_ends *e, u64 unnamed[UNWIND_ENDS])
{
	vec_for_each(&e->rows, row)
		unnamed[row->end] -= MIN(unnamed[row->end], row->gone);
}

static void gather(struct record_ends *e, const struct session *s)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);
	u64 unnamed[UNWIND_ENDS] = { 0 };

	vec_for_each(&e->rows, row)
		row->now = 0;
	for (size_t i = 0; i < n; i++)
		if (ends[i].image)
			row_of(e, object_of(&ends[i]), ends[i].end)->now += ends[i].count;
		else
			unnamed[ends[i].end] += ends[i].count;
	subtract_gone(e, unnamed);
	for (unsigned i = 0; i < UNWIND_ENDS; i++)
		if (unnamed[i])
			row_of(e, "", i)->now += unnamed[i];
	free(ends);
}

void record_ends_write(struct record_ends *e, const struct session *s, u32 bytes,
		       struct data_writer *w)
{
	struct data_stack_ends out = { .bytes = bytes, .mode = "dwarf,live" };

	gather(e, s);
	vec_for_each(&e->rows, row) {
		u64 all = row->gone + row->now;

		if (all > row->written)
			vec_push(&out.list,
				 (struct data_stack_end){ all - row->written,
							  unwind_end_text(row->end), row->object });
		row->written = all;
	}
	data_set_stack_ends(w, &out);
	vec_release(&out.list);
}

static int row_cmp(const void *pa, const void *pb)
{
	const struct end_row *a = pa, *b = pb;
	u64 all_a = a->gone + a->now, all_b = b->gone + b->now;

	if (all_a != all_b)
		return all_a > all_b ? -1 : 1;
	return a->end != b->end ? (int)a->end - (int)b->end : strcmp(a->object, b->object);
}

void record_ends_text(struct record_ends *e, const struct session *s, struct strbuf *out)
{
	gather(e, s);
	if (e->rows.count)
		vec_sort(&e->rows, row_cmp);
	vec_for_each(&e->rows, row) {
		if (session_stack_is_whole(row->end))
			continue;
		strbuf_f(out, "%12llu stacks cut off  ",
			 (unsigned long long)(row->gone + row->now));
		if (row->object[0]) {
			strbuf_str(out, "in ");
			strbuf_printable(out, row->object);
			strbuf_str(out, ": ");
		}
		strbuf_f(out, "%s\n", unwind_end_text(row->end));
	}
}

struct record_ends *record_ends_new(void)
{
	return xcalloc(1, sizeof(struct record_ends));
}

void record_ends_free(struct record_ends *e)
{
	if (!e)
		return;
	vec_for_each(&e->rows, row)
		free(row->object);
	vec_release(&e->rows);
	free(e);
}
