/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers the accesses to memory that were seen before, and the row that each was added to;
 * internal to this component.
 *
 *	key = met_key(...) -> row = met_row(t, &key) -> if NO_ROW: make one, met_keep(t, &key, row)
 *
 * Where all columns of a table see nothing of a sample but the words and the places in struct
 * met_key, equal ones belong to one row, and the columns need not be asked again: that takes most
 * of the time of a report on accesses otherwise.  Memory: at most MET_MOST entries, and about two
 * for each row.  One thread for each table.
 */
#ifndef HIST_MET_H
#define HIST_MET_H

#include <string.h>

#include "hist/sample.h"

enum {
	MET_LEAST = 1 << 10, /* entries */
	MET_MOST = 1 << 17,
	MET_EVENTS = 1 << 10, /* greater indices of events are not kept */
	NO_ROW = UINT32_MAX,
};

struct met_key {
	u64 code, code_offset, data, data_offset, data_src, weight;
	u32 code_image, data_image;
	u32 rest; /* cpumodes, latency, event index */
	u32 row;  /* number + 1 in the table, or 0 if unused */
};
_Static_assert(sizeof(struct met_key) == 64, "an entry is a line of the cache");

struct met_table {
	struct met_key *entries; /* NULL until the first */
	u32 space;               /* a power of two */
	unsigned sees;           /* HIST_SEES_*: the parts of a key that count */
};

static inline u32 met_slot(const struct met_table *t, const struct met_key *k)
{
	u64 h = k->code * 0x9e3779b97f4a7c15ULL + k->data * 0xc2b2ae3d27d4eb4fULL;

	h ^= (k->data_src ^ k->weight << 40 ^ k->rest) * 0xd6e8feb86659fd93ULL;
	h ^= h >> 32;
	return (u32)(h * 0x9e3779b97f4a7c15ULL >> 40) & (t->space - 1);
}

static inline bool met_equal(const struct met_key *a, const struct met_key *b)
{
	return a->code == b->code && a->data == b->data && a->data_src == b->data_src &&
	       a->weight == b->weight && a->code_offset == b->code_offset &&
	       a->data_offset == b->data_offset && a->code_image == b->code_image &&
	       a->data_image == b->data_image && a->rest == b->rest;
}

/* Returns the number of the row, or NO_ROW. */
static inline u32 met_row(const struct met_table *t, const struct met_key *k)
{
	u32 slot;

	if (unlikely(!t->entries))
		return NO_ROW;
	slot = met_slot(t, k);
	/* each has two adjacent slots */
	for (u32 i = 0; i < 2; i++) {
		const struct met_key *e = &t->entries[slot ^ i];

		if (e->row && met_equal(e, k))
			return e->row - 1;
	}
	return NO_ROW;
}

/* Keeps the row of a key; rows is how many there are, for the table's size. */
void met_keep(struct met_table *t, const struct met_key *k, u32 row, size_t rows);
void met_clear(struct met_table *t);
void met_release(struct met_table *t);

#endif
