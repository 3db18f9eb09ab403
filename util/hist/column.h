/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: constant descriptors of a sort key or a value, with functions that collect, compare and
 * print it. The ui draws columns without knowing them; other components add theirs with
 * hist_add_columns(). The names are those of perf (-s, -F).
 */
#ifndef HIST_COLUMN_H
#define HIST_COLUMN_H

#include "base/strbuf.h"
#include "hist/sample.h"

struct frame_facts;
struct hist;
struct hist_collector;
struct hist_entry;
struct hist_field;
struct hist_view;

enum {
	HIST_VALUE = 1,        /* a sum of the entry (overhead, samples); if not set, a sort key */
	HIST_BY_FRAME = 2,     /* the key is a fact of the entry's frame */
	HIST_TEXT = 4,         /* collect() returns a text: hist_collector_text() */
	HIST_CHILDREN = 8,     /* only with children */
	HIST_PER_MEMBER = 16,  /* once for each event of a group */
	HIST_PERCENT = 32,     /* a percentage: ui may colour it */
	HIST_PARENT = 64,      /* filled from the chain, after it is folded */
	HIST_NO_PAD = 128,     /* not padded with spaces as the last column */
	HIST_BY_ADDRESS = 256, /* with HIST_BY_FRAME: one function's addresses differ */
	HIST_SYMBOL = 512,     /* hidden when -S or --symbol-filter leaves only one symbol */
	HIST_DSO = 1024,       /* the same for -d */
	HIST_COMM = 2048,      /* the same for -c */
	/* collect() returns hist_collector_frame() + 1, or 0; see hist_entry.key */
	HIST_FRAME_SLOT = 4096,
	HIST_OF_BRANCH = 8192,     /* columns of HIST_BRANCHES only */
	HIST_OF_ACCESS = 16384,    /* columns of HIST_ACCESSES only */
	HIST_RIGHT = 32768,        /* a key that is aligned to the right */
	HIST_LATENCY = 65536,      /* needs hist_sample.parallelism */
	HIST_EXTRA = 131072,       /* needs the weights beside the first */
	HIST_LINES = 262144,       /* needs source lines */
	HIST_TYPES = 524288,       /* needs services.data_type */
	HIST_ACCESS_SUM = 1048576, /* needs the sums by the kind of access */
	HIST_TASK_ID = 2097152,    /* the key is history_task_by_id()'s number */
	HIST_COMM_ID = 4194304,    /* the key is history_comm_text()'s number */
	/*
	 * a key whose text depends on more than the key, or with HIST_BY_FRAME on more than the
	 * frame
	 */
	HIST_OF_BOTH = 8388608,
	HIST_OF_PLACE = 16777216, /* collect() needs the place of the sample */
	HIST_PROGRAM = 33554432,  /* filled from the folded chain, as HIST_PARENT */
};

/* The parts of a sample that collect() sees. */
enum {
	HIST_SEES_DATA_SRC = 1,
	HIST_SEES_DATA = 2, /* the place of the data */
	HIST_SEES_CODE = 4,
	HIST_SEES_WEIGHT = 8,
	HIST_SEES_LATENCY = 16, /* of the instruction */
};

enum { FACT_WORDS = 2 };

struct hist_column {
	const char *name;  /* as typed: "comm" */
	const char *alias; /* "sym" for "symbol"; or NULL */
	const char *header;
	const char *children_header; /* header with totals of children; NULL if the same */
	unsigned flags;
	int min_width;
	/* Returns the sort key of a sample; NULL for HIST_BY_FRAME and HIST_VALUE. */
	u64 (*collect)(struct hist_collector *c, const struct hist_sample *s);
	/* Does the same, where one function serves several columns. */
	u64 (*collect_field)(struct hist_collector *c, const struct hist_field *f,
			     const struct hist_sample *s);
	unsigned sees;    /* HIST_SEES_* if collect() sees only these; 0 if everything */
	const void *priv; /* data for the column's own functions */
	/* Reports whether the column is in this table; NULL means always. */
	bool (*in_view)(const struct hist_view *v, const struct hist_field *f);
	/*
	 * Compares in the ascending order shown: < 0 puts a before b. For keys, 0 must mean "the
	 * same group". Larger values come first.
	 */
	int (*cmp)(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b);
	/*
	 * Compares frames for HIST_BY_FRAME by facts that were looked up once; NULL means only
	 * cmp().
	 */
	int (*cmp_facts)(const struct frame_facts *a, const struct frame_facts *b);
	/*
	 * Writes the beginning of that order as numbers, once for each frame. Compared one after
	 * the other, they never contradict cmp_facts(). Returns how many there are, at most
	 * FACT_WORDS; NULL means none.
	 */
	unsigned (*words)(const struct frame_facts *f, u64 *words);
	bool words_decide; /* where they are equal, cmp_facts() is 0 */
	/* Writes the text without padding; member is an index of the events of a group. */
	void (*format)(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 member, struct strbuf *out);
	/* Returns how many columns the text takes; NULL means the length of the text. */
	int (*width)(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e);
	/* For HIST_PERCENT: returns the sum that is shown, and what it is a part of. */
	u64 (*value)(const struct hist_view *v, const struct hist_entry *e, u32 member, u64 *of);
};

/* A column in use. */
struct hist_field {
	const struct hist_column *column;
	u32 slot; /* the slot of the sample key, for collect, HIST_PARENT and HIST_PROGRAM */
	/*
	 * the level of a key, in a hierarchy: numbered from 0 in the order of the keys; {a,b} share
	 * one
	 */
	u32 level;
	/* false if it only sorts, or a filter of one name makes all rows alike */
	bool shown;
};

/* Reports whether the field is in the view's table. */
static inline bool hist_field_shown(const struct hist_view *v, const struct hist_field *f)
{
	return f->shown && (!f->column->in_view || f->column->in_view(v, f));
}

/* Returns the header of the column. */
const char *hist_header(const struct hist *h, const struct hist_field *f);

/*
 * Reports whether a list of keys, in the syntax of -s and -F or NULL, names a column with any of
 * these flags.
 */
bool hist_lists_column(const struct hist *h, const char *keys, unsigned flags);
/* Adds columns; the table of columns must outlive the hist. */
void hist_add_columns(struct hist *h, const struct hist_column *columns, size_t count);
/* Returns the sort keys as they were requested, or the defaults: "comm,dso,symbol". */
const char *hist_sort_text(const struct hist *h);

#endif
