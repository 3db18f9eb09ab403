/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of columns share; hist/column.h explains what a column is. */
#ifndef HIST_COLUMNS_H
#define HIST_COLUMNS_H

#include "hist/internal.h"

extern const struct hist_column hist_value_columns[], hist_task_columns[], hist_frame_columns[],
	hist_branch_columns[], hist_access_columns[], hist_type_columns[],
	hist_access_sum_columns[];
extern const size_t hist_value_column_count, hist_task_column_count, hist_frame_column_count,
	hist_branch_column_count, hist_access_column_count, hist_type_column_count,
	hist_access_sum_column_count;

static inline u64 slot(const struct hist_field *f, const struct hist_entry *e)
{
	return e->key[f->slot];
}

static inline int u64_cmp(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Compares columns with value(): larger first. */
int hist_value_cmp(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b);
int hist_slot_cmp(const struct hist_view *v, const struct hist_field *f, const struct hist_entry *a,
		  const struct hist_entry *b);
int hist_text_cmp(const struct hist_view *v, const struct hist_field *f, const struct hist_entry *a,
		  const struct hist_entry *b);
void hist_text_format(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *e, u32 member, struct strbuf *out);

/* Writes a page size: 4K, 2M, 1G. */
void hist_page_format(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *e, u32 member, struct strbuf *out);

/* The facts of one frame, to be compared with many others. */
struct frame_facts {
	const struct frame *frame;
	const struct symbol *symbol; /* NULL if it has none */
	u32 dso;                     /* ascends with the names of the dsos; equal for equal names */
};

/* Compares and prints a frame as a symbol or a DSO, for any column. */
int hist_symbols_cmp(const struct hist *h, const struct frame *x, const struct frame *y);
void hist_symbol_text(const struct hist *h, const struct frame *x, struct strbuf *out);
/* Writes an address as 0x and 16 digits. */
void hist_address_text(u64 address, struct strbuf *out);
int hist_dsos_cmp(const struct hist *h, const struct frame *x, const struct frame *y);

#endif
