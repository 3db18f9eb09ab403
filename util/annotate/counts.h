/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of counts: sums by place. */
#ifndef ANNOTATE_COUNTS_H
#define ANNOTATE_COUNTS_H

#include "annotate/annotate.h"
#include "base/hash.h"
#include "base/vec.h"

struct place_count {
	u64 offset;
	u32 image, event, version;
	struct annotate_count count; /* both 0 in a free slot */
};

/* Runs of instructions between two branches. */
struct run_count {
	u64 start, end; /* offsets in the image */
	u32 image, least, most;
	u64 count, cycles;
};

struct annotate_counts {
	struct place_count *slots; /* hash table */
	size_t space, used;
	struct place_count *sorted; /* by (image, offset, event), when is_sorted */
	bool is_sorted;
	VEC(struct run_count) runs;
	struct map64 run_of;           /* hash of a run -> place in runs, + 1 */
	struct run_count *sorted_runs; /* by (image, end descending, start), when is_sorted */
	VEC(struct annotate_row) rows;
	struct annotate_count *row_counts;
};

void annotate_counts_sort(struct annotate_counts *c);
size_t annotate_counts_from(const struct annotate_counts *c, u32 image, u64 offset);
/* Adds the runs of src to dst and frees those of src (runs.c). */
void runs_merge(struct annotate_counts *dst, struct annotate_counts *src);
/* Drops the runs of images that are not kept. */
void runs_keep(struct annotate_counts *c, bool (*keeps)(void *arg, u32 image), void *arg);
void runs_sort(struct annotate_counts *c);
void runs_release(struct annotate_counts *c);
/* Lays the runs over the lines; start is the function's offset in its image. */
void runs_lay(struct annotation *n, u64 start, const struct annotate_counts *c);
/* Fills in counts and totals. Frees the memory in *counts and *totals and replaces it. */
void annotation_fill_at(struct annotation *n, u64 start, const struct annotate_counts *c,
			const u32 *events, u32 count, struct annotate_count **counts,
			struct annotate_count **totals);

#endif
