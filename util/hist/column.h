/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: constant descriptors of a sort key or a value, with functions that collect, compare
 * and print it.  ui draws them without knowing them; other components add theirs with
 * hist_add_columns().  Names are perf's (-s, -F).
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
	HIST_VALUE = 1,        /* a sum of the entry (overhead, samples); else a sort key */
	HIST_BY_FRAME = 2,     /* the key is a fact of the entry's frame */
	HIST_TEXT = 4,         /* collect() returns a text: hist_collector_text() */
	HIST_CHILDREN = 8,     /* only with children */
	HIST_PER_MEMBER = 16,  /* once for each event of a group */
	HIST_PERCENT = 32,     /* a percentage: ui may colour it */
	HIST_PARENT = 64,      /* filled from the folded chain */
	HIST_NO_PAD = 128,     /* as last column it is not filled up with spaces */
	HIST_BY_ADDRESS = 256, /* with HIST_BY_FRAME: one function's addresses differ */
	HIST_SYMBOL = 512,     /* hidden when -S or --symbol-filter leaves only one symbol */
	HIST_DSO = 1024,       /* the same for -d */
	HIST_COMM = 2048,      /* the same for -c */
	/* collect() returns hist_collector_frame() + 1, or 0; see hist_entry.key */
	HIST_FRAME_SLOT = 4096,
	HIST_OF_BRANCH = 8192,     /* columns of HIST_BRANCHES only */
	HIST_OF_ACCESS = 16384,    /* columns of HIST_ACCESSES only */
	HIST_RIGHT = 32768,        /* a key that stands to the right */
	HIST_LATENCY = 65536,      /* needs hist_sample.parallelism */
	HIST_EXTRA = 131072,       /* needs the weights beside the first */
	HIST_LINES = 262144,       /* needs source lines */
	HIST_TYPES = 524288,       /* needs services.data_type */
	HIST_ACCESS_SUM = 1048576, /* needs the sums by what accesses did */
	HIST_TASK_ID = 2097152,    /* the key is history_task_by_id()'s number */
	HIST_COMM_ID = 4194304,    /* the key is history_comm_text()'s number */
	/*
	 * a key whose text shows more of an entry than its key, or with HIST_BY_FRAME than its
	 * frame
	 */
	HIST_OF_BOTH = 8388608,
	HIST_OF_PLACE = 16777216, /* collect() needs to know where the sample was */
	HIST_PROGRAM = 33554432,  /* filled from the folded chain, as HIST_PARENT */
};

/* What collect() sees of a sample. */
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
	const char *alias; /* "symbol" has "sym"; or NULL */
	const char *header;
	const char *children_header; /* where children are totalled, too; NULL: the same */
	unsigned flags;
	int min_width;
	/* Sort key of a sample; NULL for HIST_BY_FRAME and HIST_VALUE. */
	u64 (*collect)(struct hist_collector *c, const struct hist_sample *s);
	/* The same where one function serves several columns. */
	u64 (*collect_field)(struct hist_collector *c, const struct hist_field *f,
			     const struct hist_sample *s);
	unsigned sees;    /* HIST_SEES_*: collect() sees nothing else; 0: it may see all */
	const void *priv; /* data for the column's own functions */
	/* Is it a column of this table? NULL: always. */
	bool (*in_view)(const struct hist_view *v, const struct hist_field *f);
	/*
	 * Ascending order as shown: < 0 puts a before b.  For keys 0 must mean
	 * "the same group".  Values: larger sums first.
	 */
	int (*cmp)(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b);
	/*
	 * The same of HIST_BY_FRAME, by what was looked up once for each frame; NULL: cmp() alone.
	 */
	int (*cmp_facts)(const struct frame_facts *a, const struct frame_facts *b);
	/*
	 * The beginning of that order as numbers, which are made once for each frame: compared one
	 * after the other they never contradict cmp_facts(). Returns how many there are: FACT_WORDS
	 * at most. NULL: none.
	 */
	unsigned (*words)(const struct frame_facts *f, u64 *words);
	bool words_decide; /* where they are equal, cmp_facts() is 0 */
	/* Text without padding; member counts the events of a group. */
	void (*format)(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 member, struct strbuf *out);
	/* Columns that the text takes; NULL: as long as the text. */
	int (*width)(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e);
	/* HIST_PERCENT: the sum that is shown, and of what. */
	u64 (*value)(const struct hist_view *v, const struct hist_entry *e, u32 member, u64 *of);
};

/* A column in use. */
struct hist_field {
	const struct hist_column *column;
	u32 slot; /* the slot of the sample key, for collect, HIST_PARENT and HIST_PROGRAM */
	/* the level of a key, in a hierarchy: from 0 in the order of the keys; {a,b} share one */
	u32 level;
	/* false: sorts only, or all rows are known to be alike (a filter of one name) */
	bool shown;
};

/* Is it in the view's table? */
static inline bool hist_field_shown(const struct hist_view *v, const struct hist_field *f)
{
	return f->shown && (!f->column->in_view || f->column->in_view(v, f));
}

/* The text over the column. */
const char *hist_header(const struct hist *h, const struct hist_field *f);

/* Does a list of keys, as -s and -F take it (NULL: none), name a column with any of these flags? */
bool hist_lists_column(const struct hist *h, const char *keys, unsigned flags);
/* The table is not copied. */
void hist_add_columns(struct hist *h, const struct hist_column *columns, size_t count);
/* The sort keys as they were asked for or are the default: "comm,dso,symbol". */
const char *hist_sort_text(const struct hist *h);

#endif
