/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the hist component.
 *
 * rows:    (event, sample key, leaf frame, chain) -> sums; collectors have raw
 *          frames and chains, the hist (after the merge) has folded ones.
 * keys:    sample keys, each `slots` u64, interned; a number each.
 * classes: key_class[key], frame_class[frame]: equal class = equal in all sort
 *          fields of that side.  A class number is a rank: classes ascend in the
 *          order of the sort keys, so they do not depend on collection order.
 * An entry is one (key class, frame class) of a view.
 */
#ifndef HIST_INTERNAL_H
#define HIST_INTERNAL_H

#include <regex.h>

#include "base/hash.h"
#include "base/threads.h"
#include "base/vec.h"
#include "hist/hist.h"
#include "hist/met.h"

/* What tells one row from another. */
struct row_ids {
	u32 event, key;
	frame_id leaf;
	chain_id chain;
};

struct row {
	u32 event, key;
	frame_id leaf;
	chain_id chain;
	u64 samples, period, weight;
};

/* Sums that few reports ask for. */
struct row_extra {
	u64 latency, weight2, weight3;
	double squares; /* the squares of the periods, summed */
	u32 picks;      /* picks.c: the first of the row's samples; 0: none */
};

/* A sample that may be one of its entry's. */
struct pick_node {
	struct hist_pick pick;
	u64 rank, position;
	u32 next; /* the next one of the same row: index + 1; 0: there is none */
};
typedef VEC(struct pick_node) pick_nodes;

/* A row of which the slot, or the first row of its chain, is being prefetched from memory. */
struct waiting_row {
	bool is, has_extra;
	u64 hash; /* of one without a chain */
	struct row row;
	struct row_extra extra;
};

struct row_table {
	VEC(struct row) rows;
	bool has_extra;
	VEC(struct row_extra) extra; /* parallel to rows, if has_extra */
	/* by chain: the index + 1 of its first row that rows_add_later() brought; not in a slot */
	VEC(u32) of_chain;
	u32 *slots; /* index + 1 */
	size_t space, slotted;
	struct waiting_row waiting;
	pick_nodes *picks; /* the nodes into which row_extra.picks points; NULL: there are none */
};
/* x: NULL without extras. */
void rows_add(struct row_table *t, const struct row *r, const struct row_extra *x);
/*
 * As rows_add(), but the row is there only after the next of these, or rows_flush(). Rows with
 * chains are not found by rows_add_hashed(): a table gets them by one way or the other.
 */
void rows_add_later(struct row_table *t, const struct row *r, const struct row_extra *x);
void rows_flush(struct row_table *t);
/* Nothing more will be added: rows_flush(), and frees what finds rows. */
void rows_close(struct row_table *t);
u64 row_hash(const struct row *r);
/* hash: row_hash(r).  Returns the row's index. */
u32 rows_add_hashed(struct row_table *t, const struct row *r, const struct row_extra *x, u64 hash);
static inline const struct row_extra *rows_extra(const struct row_table *t, size_t i)
{
	return t->has_extra ? &t->extra.items[i] : NULL;
}
void rows_release(struct row_table *t);

struct key_table {
	u32 width; /* u64 for each key */
	VEC(u64) values;
	u32 count;
	/* number + 1 below the upper half of the hash, so that only one key is looked at */
	u64 *slots;
	size_t space;
};
u32 keys_add(struct key_table *t, const u64 *values);
u32 keys_add_hashed(struct key_table *t, const u64 *values, u64 hash);
/* One step for a value: keys of ten are common, and each sample has one. */
static inline u64 key_hash(const u64 *values, u32 width)
{
	u64 h = width;

	for (u32 i = 0; i < width; i++) {
		h = (h ^ values[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return hash_u64(h);
}
static inline u64 *keys_get(const struct key_table *t, u32 n)
{
	return t->values.items + (size_t)n * t->width;
}
/* A loop: keys are shorter than what a call takes. */
static inline bool keys_equal(const u64 *a, const u64 *b, u32 width)
{
	for (u32 i = 0; i < width; i++)
		if (a[i] != b[i])
			return false;
	return true;
}
void keys_release(struct key_table *t);

/* Of a table without chains: where the samples of one place and one key were added. */
struct recent_row {
	u64 addr, offset;
	u32 image, key, event;
	u32 row; /* index + 1; 0: nothing is kept here */
	u8 cpumode;
};
enum { RECENT_ROWS = 512 };

/* Texts of values that were met lately, each where the value and its words meet by their hash. */
struct recent_text {
	void (*put)(u64 value, struct strbuf *b); /* NULL: nothing is kept here */
	u64 value;
	u64 text; /* a number of texts */
};
enum { RECENT_TEXTS = 256 };

/* Numbers + 1 of keys that were met lately, by a hash of their values; 0: nothing is kept here. */
enum { RECENT_KEYS = 256 };

struct hist_collector {
	struct hist *hist;
	bool kernel_met; /* and told */
	bool plain;      /* neither chains nor extra sums: recent is used */
	bool placeless;  /* hist_is_placeless(): all leaves of a mode are one */
	u32 *filled;     /* those of the hist's fields that are part of the key */
	u32 filled_count;
	struct recent_row recent[RECENT_ROWS];
	bool meets; /* met is used: plain, and no column sees more than it keeps */
	struct met_table met;
	struct chains *chains;
	struct key_table keys;
	struct row_table rows;
	struct strtab texts;
	struct recent_text recent_texts[RECENT_TEXTS];
	struct hist_totals *totals; /* by event */
	u64 *key;                   /* scratch, one key */
	u32 recent_keys[RECENT_KEYS];
	struct strbuf scratch;
	struct tracepoint_printer *printer;
	pick_nodes picks;
	u64 cleared; /* how often the tables were emptied: numbers of before mean nothing afterwards
		      */
	u32 taken;   /* how often its rows were taken since then */
};

struct view {
	struct hist_view pub;
	const struct event **members;
	VEC(struct hist_entry *) entries;
	VEC(struct hist_entry *) narrowed; /* those that hist_narrow() left */
};

struct key_level {
	const struct hist_column *column;
	u32 level;
};

struct frame_type {
	u32 type, field; /* in texts */
	u64 offset;
};

struct hist {
	struct context *ctx;
	const struct event_set *events;
	struct history *history;
	const struct image_table *images;
	const struct tracepoint_formats *formats;
	struct symbol_store *symbols; /* from finish on */
	struct line_store *lines;     /* likewise; NULL: no lines, no inlined functions */
	/* pool.c: all places of a function of it count as its first; or NULL */
	const struct symbol_store *functions;
	bool borrowed; /* lines and columns are another's: this is a snapshot */
	bool finished;
	u32 *line_texts, *file_texts; /* by frame, in texts; NULL: no column shows them */
	pick_nodes picks;
	struct frame_type *types; /* by frame; NULL: no column shows them */
	struct hist_settings set;

	VEC(const struct hist_column *) columns; /* all that are known */
	VEC(struct hist_field) fields;           /* in the order of output */
	VEC(u32) order;                          /* indices into fields: order of sorting */
	u32 slots;                               /* width of a sample key */
	s32 parent_slot, program_slot;           /* -1: not in use */
	s32 access_slot;    /* the classes of data_src, a byte each; -1: not in use */
	bool strict_fields; /* -F gave the whole output */
	struct strbuf sort_text;
	VEC(struct key_level) levels; /* the levels of the keys that were named */
	u32 level_count;
	bool level_open;                /* within {} */
	bool wants_extra;               /* a column asks for sums of row_extra */
	VEC(struct hist_column *) made; /* columns of tracepoint fields */

	struct chains *chains;    /* folded, after finish */
	VEC(u64) chain_ends;      /* by chain, why it ends; [0] is 0.  Empty: not known of any */
	struct hist_truth *truth; /* by event; NULL: not counted so far */
	struct key_table keys;
	struct row_table rows;
	struct strtab texts;
	struct hist_totals *totals;   /* by event */
	struct hist_totals *left_out; /* by event: sums of rows of entries that nobody looks at;
					 NULL: there are none */
	/* callers.c: stands for frames that nobody looks at; UINT32_MAX: there is none */
	frame_id rest_frame;
	bool trees_wait; /* call trees are made when they are wanted: hist_want_tree() */

	u32 *key_class, *frame_class, *graph_class;
	u32 key_classes, frame_classes;
	u32 *key_of_class; /* a key of each class */
	frame_id *frame_of_class, *frame_of_graph_class;

	struct view *views;
	size_t view_count;
	u32 sort_member; /* whose sums come first in the order */
	u32 *view_of_event, *member_of_event;
	VEC(struct arena) arenas; /* entries */
	VEC(struct call_tree *) trees;
};

/*
 * The columns that a key like "next_comm", "sched_switch.next_comm/raw" or
 * "trace_fields" means, made on first use: -ENOENT when there is no such field,
 * -EINVAL with a reason when the event is not clear.
 */
typedef VEC(const struct hist_column *) column_list;
int hist_trace_columns(struct hist *h, const char *key, column_list *out, struct reason *r);

/* Columns, keys and settings of another, nothing collected.  It must outlive this one. */
struct hist *hist_like(struct hist *of);
/*
 * The rows have been taken: their sums are 0.  Tables stay for the samples that come, most of which
 * are of places and keys that were met before, unless few of the rows were still met.
 */
void hist_collector_rest(struct hist_collector *c);
/* Does a column or the call graph show source lines, or chains inlined functions? */
bool hist_shows_lines(const struct hist *h);
/* merge.c: does anything shown differ between two places of one function? */
bool hist_shows_places(const struct hist *h);

int hist_merge(struct hist *h, struct hist_collector *const *collectors, size_t count,
	       struct reason *r);
/*
 * truth.c: by chain of a collector whose frames are still there, why it ends; NULL: nobody asks.
 * The caller frees it.
 */
u64 *hist_find_ends(const struct hist *h, const struct chains *c);
/* These are the ends of chains first + 1 .. first + count. */
void hist_take_ends(struct hist *h, const u64 *ends, u32 first, u32 count);
/* A chain that was cut ends as it did before. */
void hist_copy_end(struct hist *h, chain_id to, chain_id from);
/* Of rows that are shown: shown_class is UINT32_MAX for leaves that are not. */
void hist_count_truth(struct hist *h, const u32 *shown_class);
void hist_free_truth(struct hist *h);
void hist_classify(struct hist *h);
/*
 * Are call trees made of it? Only these, and flame graphs, need the classes of frames in graphs.
 */
bool hist_draws_trees(const struct hist *h);
/* graph_class and frame_of_graph_class, unless they are there already. */
void hist_classify_for_graphs(struct hist *h);
/*
 * first.c: which rows of a pool may belong to the first entries of their view, most of each. False:
 * all may, as far as can be told beforehand.  periods: by row; hashes: by frame, frames that are
 * shown alike have one; buckets: how many these are put into, a power of two.
 */
bool hist_first_rows(const struct row_ids *rows, const u64 *periods, size_t count, size_t events,
		     const u32 *hashes, u32 buckets, size_t most, bool *wanted);
/*
 * The numbers of the rows, those of an event together: event e's are from first[e] up to first[e +
 * 1].
 * first: events + 1 zeros; the caller frees what is returned.
 */
u32 *hist_rows_by_event(const struct row_ids *rows, size_t count, size_t events, u32 *first);
/* Do entries follow each other by their period, and is each made of the rows of one function? */
bool hist_has_first_rows(const struct hist *h);
/* places.c: is anything left out for where its samples were? */
bool hist_filters_places(const struct hist_settings *s);
/* Is each entry of one function, and has a view one member, of which everything is shown? */
bool hist_can_leave_out(const struct hist *h);
/* The k-th largest, from 0 on; they are put in another order. */
u64 hist_kth_largest(u64 *v, size_t count, size_t k);
/*
 * callers.c: which frames of a pool may belong to the first entries, most of each view, or to their
 * call trees. False: all may. Arguments as above; wanted: by frame, all false.
 */
bool hist_first_frames(const struct hist *h, const struct row_ids *rows, const u64 *periods,
		       size_t count, const struct chains *chains, const u32 *hashes, u32 buckets,
		       size_t most, bool *wanted);
/*
 * Do entries follow each other by the period of all they called? There is at most one key then,
 * too.
 */
bool hist_has_first_frames(const struct hist *h);
/* The mode of the frame that stands for all the others. */
#define HIST_REST_MODE 0xff
/* How many buckets so many frames are to have there: most have one of their own then. */
u32 hist_frame_buckets(u32 frames);
/*
 * And rows: what few others share with an entry hardly makes it one of the first, and the sums stay
 * in the cache.
 */
enum { HIST_ROW_BUCKETS = 1 << 14 };
/* Frames that are shown alike have the same. */
u64 hist_frame_bucket(const struct frame *f, const struct symbol *s);
/* Where source lines or inlined functions are shown, else NULL; the hist's. */
struct line_store *hist_lines(struct hist *h);
/* lines.c: of all frames, merged and named; see lists_fold(). */
void hist_find_lines(struct hist *h, struct chains *all, struct frame_runs *runs);
/* Of folded frames: the texts that the columns show. */
void hist_render_lines(struct hist *h);
/* types.c: of folded frames. */
void hist_find_types(struct hist *h);
/* picks.c: a list of the sample alone; a list of both; the collector's become the hist's. */
u32 hist_pick_sample(struct hist_collector *c, const struct hist_sample *s);
u32 picks_join(struct pick_node *nodes, u32 a, u32 b);
/* What its lists' numbers must be raised by. */
u32 hist_take_picks(struct hist *h, struct hist_collector *c);
/* After all entries were made. */
void hist_choose_picks(struct hist *h);
/* columns_access.c: an access's classes as one number; the sums of it, to add a period to. */
u64 hist_access_classes(u64 data_src);
void hist_add_access(u64 *sums, u64 classes, u64 period);
/* After all entries were made: which columns have anything. */
void hist_total_access(struct hist *h);
/* Are keys of samples completed by what their chains say? */
bool hist_fills_keys(const struct hist *h);
/* Sets one slot of every row's key, to what text_of() makes of the row. */
void hist_fill_slot(struct hist *h, s32 slot, u64 (*text_of)(void *arg, const struct row *row),
		    void *arg);
int hist_parents(struct hist *h, struct reason *r);
/* program.c: fills the column "place". */
void hist_program_places(struct hist *h);
int hist_ignore_callees(struct hist *h, struct reason *r);
void hist_hide_fixed(struct hist *h);
void hist_make_entries(struct hist *h);
void hist_sort_views(struct hist *h);
bool hist_frame_passes(const struct hist *h, const struct frame *f);
const char *hist_frame_dso(const struct hist *h, const struct frame *f);
enum hist_mode hist_mode_of(u8 cpumode);

/* Everything about the samples of one (view, key class): see entries.c. */
struct group {
	struct hist *h;
	struct view *view;
	const struct chain_list *chains;
	const u32 *shown_class; /* by frame: its class; UINT32_MAX: filtered out */
	const struct row *rows; /* those of the leader event only */
	size_t row_count;
	struct hist_entry *const *entries;
	size_t entry_count;
};
enum { HIST_MAX_THREADS = MOST_THREADS };
/* How many threads so many jobs are worth: at least one. */
unsigned hist_threads(const struct hist *h, size_t jobs);
/* Runs each of args on a thread. */
void hist_run_threads(unsigned count, void *(*fn)(void *), void *const *args);
/*
 * sort.c: as qsort_r(), on all threads; cmp is called by several at a time and gives a total order.
 */
void hist_sort(const struct hist *h, void *items, size_t count, size_t size,
	       int (*cmp)(const void *a, const void *b, void *arg), void *arg);
/*
 * Items that begin with so many u64: ascending by these, the first one decides. Equal items come in
 * any order.
 * On all threads.
 */
void hist_sort_words(const struct hist *h, void *items, size_t count, size_t size, unsigned words);

struct tree_builder;
struct tree_builder *tree_builder_new(struct hist *h);
/* Its trees stay with the hist; not for several at once. */
void tree_builder_free(struct tree_builder *b);
/*
 * Trees of all entries of a group that are worth drawing, made by so many threads: a builder for
 * each.
 */
void trees_build(struct tree_builder *const *builders, unsigned count, const struct group *g);

#endif
