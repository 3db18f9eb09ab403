// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums by what the memory accesses of a row did: the parts of its period by operation, cache,
 * memory and translation. A column that is 0 in all rows is not shown.
 *
 * The classes of a sample are a number in a slot of its key that no column compares.
 */
#include "hist/columns.h"

u64 hist_access_classes(u64 data_src)
{
	return (u64)data_src_op_class(data_src) | (u64)data_src_cache_class(data_src) << 8 |
	       (u64)data_src_memory_class(data_src) << 16 | (u64)data_src_tlb_class(data_src) << 24;
}

void hist_add_access(u64 *sums, u64 classes, u64 period)
{
	for (int i = 0; i < 4; i++, classes >>= 8)
		sums[classes & 0xff] += period;
}

void hist_total_access(struct hist *h)
{
	for (size_t i = 0; h->access_slot >= 0 && i < h->view_count; i++) {
		struct view *v = &h->views[i];

		vec_for_each(&v->entries, e)
			for (u32 m = 0; m < v->pub.member_count; m++)
				for (int c = 0; c < DATA_SRC_CLASSES; c++)
					v->pub.totals[m].access[c] += (*e)->self[m].access[c];
	}
}

static bool any_of(const struct hist_view *v, int class)
{
	for (u32 m = 0; m < v->member_count; m++)
		if (v->totals[m].access[class])
			return true;
	return false;
}

static int part_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	u64 of;
	int d = 0;

	for (u32 m = 0; !d && m < v->member_count; m++)
		d = u64_cmp(f->column->value(v, b, m, &of), f->column->value(v, a, m, &of));
	return d;
}

static void part_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of, value = f->column->value(v, e, m, &of);

	strbuf_f(out, "%.1f%%", of ? (double)value * 100.0 / (double)of : 0.0);
}

/* Defines the functions of one class: its part of the row, and whether any row has it. */
#define CLASS(name, class)                                                                         \
	static u64 name##_value(const struct hist_view *v, const struct hist_entry *e, u32 m,      \
				u64 *of)                                                           \
	{                                                                                          \
		(void)v;                                                                           \
		*of = e->self[m].period;                                                           \
		return e->self[m].access[class];                                                   \
	}                                                                                          \
	static bool name##_in_view(const struct hist_view *v, const struct hist_field *f)          \
	{                                                                                          \
		(void)f;                                                                           \
		return any_of(v, class);                                                           \
	}
CLASS(op_load, DATA_SRC_LOAD)
CLASS(op_store, DATA_SRC_STORE)
CLASS(op_load_store, DATA_SRC_LOAD_STORE)
CLASS(op_prefetch, DATA_SRC_PREFETCH)
CLASS(op_exec, DATA_SRC_EXEC)
CLASS(op_other, DATA_SRC_OTHER_OP)
CLASS(cache_l1, DATA_SRC_L1)
CLASS(cache_l2, DATA_SRC_L2)
CLASS(cache_l3, DATA_SRC_L3)
CLASS(cache_l4, DATA_SRC_L4)
CLASS(cache_l1_buffer, DATA_SRC_L1_BUFFER)
CLASS(cache_l2_buffer, DATA_SRC_L2_BUFFER)
CLASS(cache_other, DATA_SRC_OTHER_CACHE)
CLASS(memory_ram, DATA_SRC_RAM)
CLASS(memory_uncached, DATA_SRC_UNCACHED)
CLASS(memory_cxl, DATA_SRC_CXL)
CLASS(memory_io, DATA_SRC_IO)
CLASS(memory_pmem, DATA_SRC_PMEM)
CLASS(memory_msc, DATA_SRC_MSC)
CLASS(memory_other, DATA_SRC_OTHER_MEMORY)
CLASS(dtlb_l1, DATA_SRC_TLB_L1)
CLASS(dtlb_l2, DATA_SRC_TLB_L2)
CLASS(dtlb_any, DATA_SRC_TLB_ANY)
CLASS(dtlb_miss, DATA_SRC_TLB_MISS)
CLASS(dtlb_other, DATA_SRC_OTHER_TLB)

#define PART(n, h)                                                                                 \
	{                                                                                          \
		.name = #n, .header = h, .min_width = 8, .cmp = part_cmp, .value = n##_value,      \
		.in_view = n##_in_view, .format = part_format,                                     \
		.flags = HIST_VALUE | HIST_PERCENT | HIST_PER_MEMBER | HIST_ACCESS_SUM             \
	}

const struct hist_column hist_access_sum_columns[] = {
	PART(op_load, "Op Load"),
	PART(op_store, "Op Store"),
	PART(op_load_store, "Op Ld+St"),
	PART(op_prefetch, "Op Pfetch"),
	PART(op_exec, "Op Exec"),
	PART(op_other, "Op Other"),
	PART(cache_l1, "Cache L1"),
	PART(cache_l2, "Cache L2"),
	PART(cache_l3, "Cache L3"),
	PART(cache_l4, "Cache L4"),
	PART(cache_l1_buffer, "Cache L1-buf"),
	PART(cache_l2_buffer, "Cache L2-buf"),
	PART(cache_other, "Cache Other"),
	PART(memory_ram, "Memory RAM"),
	PART(memory_uncached, "Memory Uncach"),
	PART(memory_cxl, "Memory CXL"),
	PART(memory_io, "Memory IO"),
	PART(memory_pmem, "Memory PMem"),
	PART(memory_msc, "Memory MSC"),
	PART(memory_other, "Memory Other"),
	PART(dtlb_l1, "DTLB L1-Hit"),
	PART(dtlb_l2, "DTLB L2-Hit"),
	PART(dtlb_any, "DTLB L?-Hit"),
	PART(dtlb_miss, "DTLB Miss"),
	PART(dtlb_other, "DTLB Other"),
};
const size_t hist_access_sum_column_count = ARRAY_SIZE(hist_access_sum_columns);
