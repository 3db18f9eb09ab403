/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that several workers make out of samples, and their order in time.
 *
 * What a worker reads in one go is nearly sorted, so its rows are kept as runs: rows that follow
 * each other in the file and whose times do not descend. Putting them in order means to merge runs,
 * most of which do not overlap, and the outcome is a list of segments that are copied as a whole.
 */
#ifndef PYTHON_ROWS_H
#define PYTHON_ROWS_H

#include "module.h"

enum { MOST_ROW_COLUMNS = 64 };

struct row_chunk {
	u32 part, count, space;
	u64 *times;
	void *columns[MOST_ROW_COLUMNS];
};

struct row_run {
	const struct row_chunk *chunk;
	u32 first, count;
	u32 file; /* of the first row: what decides between equal times */
	u64 position;
};

struct row_part {                /* what one worker has */
	struct row_chunk *chunk; /* the last one */
	VEC(struct row_chunk *) chunks;
	VEC(struct row_run) runs;
	u64 time, next; /* of the last row, and where the record after it is */
	u32 file;
};

struct row_parts {
	struct row_part **parts; /* each on separate cache lines */
	unsigned count;
	size_t columns, widths[MOST_ROW_COLUMNS];
	bool sorted; /* rows come in order, from one worker */
};

void rows_init(struct row_parts *r, unsigned parts, const size_t *widths, size_t columns);
void rows_release(struct row_parts *r);
struct row_chunk *rows_more(struct row_parts *r, unsigned part);
void rows_begin_run(struct row_parts *r, unsigned part, const struct session_sample *ss);

/* Adds a row for the sample, and sets *at to its index in the columns of the returned chunk. */
static inline struct row_chunk *row_new(struct row_parts *r, unsigned part,
					const struct session_sample *ss, u32 *at)
{
	struct row_part *p = r->parts[part];
	struct row_chunk *c = p->chunk;
	bool fresh = unlikely(!c || c->count == c->space);

	if (fresh)
		c = rows_more(r, part);
	if (fresh || (!r->sorted && unlikely(ss->key.position != p->next ||
					     ss->key.time < p->time || ss->key.file != p->file)))
		rows_begin_run(r, part, ss);
	p->time = ss->key.time;
	p->next = ss->key.position + ss->record->size;
	vec_last(&p->runs)->count++;
	*at = c->count++;
	c->times[*at] = ss->key.time;
	return c;
}

struct row_segment {
	const struct row_chunk *chunk;
	u32 first, count;
};

struct row_order {
	VEC(struct row_segment) segments;
	u64 rows;
};

void rows_order(const struct row_parts *r, struct row_order *out);
void row_order_release(struct row_order *o);

#endif
