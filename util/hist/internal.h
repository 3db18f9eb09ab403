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

/* What distinguishes one row from another. */
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
	u32 picks;      /* picks.c: the first of the row's samples, or 0 */
};

/* A sample that its entry may show as an example. */
struct pick_node {
	struct hist_pick pick;
	u64 rank, position;
	u32 next; /* index + 1 of the next one of the same row, or 0 */
};
typedef VEC(struct pick_node) pick_nodes;

/* A row whose slot, or the first row of whose chain, is being prefetched. */
struct waiting_row {
	bool is, has_extra;
	u64 hash; /* of a row without a chain */
	struct row row;
	struct row_extra extra;
};

struct row_table {
	VEC(struct row) rows;
	bool has_extra;
	VEC(struct row_extra) extra; /* parallel to rows, if has_extra */
	/* by chain: the index + 1 of its first row from rows_add_later(), which has no slot */
	VEC(u32) of_chain;
	u32 *slots; /* index + 1 */
	size_t space, slotted;
	struct waiting_row waiting;
	pick_nodes *picks; /* the nodes that row_extra.picks refers to, or NULL */
};
/* Adds a row; x is NULL if the table has no extra sums. */
void rows_add(struct row_table *t, const struct row *r, const struct row_extra *x);
/*
 * Adds a row like rows_add(), but only at the next call or at rows_flush(). rows_add_hashed() does
 * not find such rows with chains, so a table must use only one of the two.
 */
void rows_add_later(struct row_table *t, const struct row *r, const struct row_extra *x);
void rows_flush(struct row_table *t);
/* Ends adding: calls rows_flush(), and frees the tables that find rows. */
void rows_close(struct row_table *t);
u64 row_hash(const struct row *r);
/* Adds a row whose row_hash() is `hash`. Returns its index. */
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
	/* number + 1, below the upper half of the hash, so usually only one key is compared */
	u64 *slots;
	size_t space;
};
u32 keys_add(struct key_table *t, const u64 *values);
u32 keys_add_hashed(struct key_table *t, const u64 *values, u64 hash);
/*
 * Hashes a key, with one step for each value: keys of ten values are common, and each sample has
 * one.
 */
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
/* Compares two keys. A loop is faster than a call for such short keys. */
static inline bool keys_equal(const u64 *a, const u64 *b, u32 width)
{
	for (u32 i = 0; i < width; i++)
		if (a[i] != b[i])
			return false;
	return true;
}
void keys_release(struct key_table *t);

/* For tables without chains: where the samples of one place and key were last added. */
struct recent_row {
	u64 addr, offset;
	u32 image, key, event;
	u32 row; /* index + 1, or 0 if unused */
	u8 cpumode;
};
enum { RECENT_ROWS = 512 };

/* Texts of recent values; the slot is a hash of the value and put(). */
struct recent_text {
	void (*put)(u64 value, struct strbuf *b); /* NULL if unused */
	u64 value;
	u64 text; /* number in texts */
};
enum { RECENT_TEXTS = 256 };

/* Numbers + 1 of recent keys, in a slot by the hash of their values; 0 if unused. */
enum { RECENT_KEYS = 256 };

struct hist_collector {
	struct hist *hist;
	bool kernel_met; /* and told */
	bool plain;      /* has no chains and no extra sums: recent is used */
	bool placeless;  /* hist_is_placeless(): all leaves of a mode are the same */
	u32 *filled;     /* the hist's fields that are part of the key */
	u32 filled_count;
	struct recent_row recent[RECENT_ROWS];
	bool meets; /* met is used: plain, and all columns see only what it keeps */
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
	u64 cleared; /* how often the tables were emptied, which makes earlier numbers invalid */
	u32 taken;   /* how often its rows were taken since then */
};

struct view {
	struct hist_view pub;
	const struct event **members;
	VEC(struct hist_entry *) entries;
	VEC(struct hist_entry *) narrowed; /* the entries that hist_narrow() left */
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
	struct symbol_store *symbols; /* set by hist_finish() */
	struct line_store *lines;     /* likewise; NULL without lines and inlined functions */
	/* pool.c: if not NULL, all places of one of its functions count as the first */
	const struct symbol_store *functions;
	bool borrowed; /* a snapshot: its lines and columns belong to another hist */
	bool finished;
	u32 *line_texts, *file_texts; /* by frame, in texts; NULL if no column shows them */
	pick_nodes picks;
	struct frame_type *types; /* by frame; NULL if no column shows them */
	struct hist_settings set;

	VEC(const struct hist_column *) columns; /* all known columns */
	VEC(struct hist_field) fields;           /* in the order of output */
	VEC(u32) order;                          /* indices into fields, in sorting order */
	u32 slots;                               /* width of a sample key */
	s32 parent_slot, program_slot;           /* -1 if unused */
	s32 access_slot;    /* the classes of data_src, a byte each; -1 if unused */
	bool strict_fields; /* -F gave the whole output */
	struct strbuf sort_text;
	VEC(struct key_level) levels; /* the levels of the keys that were named */
	u32 level_count;
	bool level_open;                /* within {} */
	bool wants_extra;               /* a column needs sums of row_extra */
	VEC(struct hist_column *) made; /* columns of tracepoint fields */

	struct chains *chains;    /* folded, after finish */
	VEC(u64) chain_ends;      /* by chain, why it ends; [0] is 0.  Empty: not known of any */
	struct hist_truth *truth; /* by event; NULL: not counted so far.  A pool has counted */
	struct key_table keys;
	struct row_table rows;
	struct strtab texts;
	struct hist_totals *totals;   /* by event */
	struct hist_totals *left_out; /* by event: sums of rows of entries that nobody looks at;
					 NULL: there are none */
	/* callers.c: stands for frames that are not shown; UINT32_MAX if unused */
	frame_id rest_frame;
	bool trees_wait; /* call trees are made on demand: hist_want_tree() */

	u32 *key_class, *frame_class, *graph_class;
	u32 key_classes, frame_classes;
	u32 *key_of_class; /* a key of each class */
	frame_id *frame_of_class, *frame_of_graph_class;

	struct view *views;
	size_t view_count;
	u32 sort_member; /* the member whose sums come first in the order */
	u32 *view_of_event, *member_of_event;
	VEC(struct arena) arenas; /* of the entries */
	VEC(struct call_tree *) trees;
};

/*
 * Finds the columns that a key like "next_comm", "sched_switch.next_comm/raw" or "trace_fields"
 * means; makes them on first use. Returns -ENOENT if there is no such field, or -EINVAL with a
 * reason if the event is ambiguous.
 */
typedef VEC(const struct hist_column *) column_list;
int hist_trace_columns(struct hist *h, const char *key, column_list *out, struct reason *r);

/* Returns an empty hist with the columns, keys and settings of `of`, which must outlive it. */
struct hist *hist_like(struct hist *of);
/*
 * Sets the sums to 0 after the rows have been taken. Keeps the tables, since most new samples have
 * known places and keys, unless few of the rows were still in use.
 */
void hist_collector_rest(struct hist_collector *c);
/*
 * Reports whether a column or the call graph shows source lines, or chains show inlined functions.
 */
bool hist_shows_lines(const struct hist *h);
/* Reports whether the output can distinguish two places of one function (merge.c). */
bool hist_shows_places(const struct hist *h);

int hist_merge(struct hist *h, struct hist_collector *const *collectors, size_t count,
	       struct reason *r);
/*
 * Returns why each chain of a collector ends, while its frames exist; NULL if nothing needs it
 * (truth.c). The caller frees it.
 */
u64 *hist_find_ends(const struct hist *h, const struct chains *c);
/* The same of one chain; 0 for the empty one, and if nobody asks. */
u64 hist_find_end(const struct hist *h, const struct chains *c, chain_id id);
bool hist_judges_ends(const struct hist *h);
/* The end of a sample that has no chain. */
u64 hist_end_without_chain(const struct frame *leaf);
/* These are the ends of chains first + 1 .. first + count. */
void hist_take_ends(struct hist *h, const u64 *ends, u32 first, u32 count);
/* Copies the end of a chain to the chain that it was cut to. */
void hist_copy_end(struct hist *h, chain_id to, chain_id from);
/* Counts the rows that are shown; shown_class is UINT32_MAX for leaves that are not. */
void hist_count_truth(struct hist *h, const u32 *shown_class);
void hist_free_truth(struct hist *h);
void hist_classify(struct hist *h);
/*
 * Reports whether call trees are made of the hist. Only these, and flame graphs, need the classes
 * of frames in graphs.
 */
bool hist_draws_trees(const struct hist *h);
/* Makes graph_class and frame_of_graph_class, unless they exist. */
void hist_classify_for_graphs(struct hist *h);
/*
 * Finds which rows of a pool may belong to the first `most` entries of their view (first.c).
 * Returns false if all may. periods is by row; hashes is by frame, equal for frames that are shown
 * alike. buckets is the number of buckets, a power of two.
 */
bool hist_first_rows(const struct row_ids *rows, const u64 *periods, size_t count, size_t events,
		     const u32 *hashes, u32 buckets, size_t most, bool *wanted);
/*
 * Returns the numbers of the rows ordered by event: event e's are from first[e] up to first[e + 1].
 * first must hold events + 1 zeros; the caller frees the result.
 */
u32 *hist_rows_by_event(const struct row_ids *rows, size_t count, size_t events, u32 *first);
/*
 * Reports whether entries are ordered by their periods, and each consists of the rows of one
 * function.
 */
bool hist_has_first_rows(const struct hist *h);
/* Reports whether a filter leaves out samples by their places (places.c). */
bool hist_filters_places(const struct hist_settings *s);
/*
 * Reports whether each entry is of one function, and each view has one member and shows everything.
 */
bool hist_can_leave_out(const struct hist *h);
/* Returns the k-th largest, counted from 0; reorders the values. */
u64 hist_kth_largest(u64 *v, size_t count, size_t k);
/*
 * Finds which frames of a pool may belong to the first `most` entries of each view, or to their
 * call trees (callers.c). Returns false if all may. Arguments as above; wanted is by frame, all
 * false.
 */
bool hist_first_frames(const struct hist *h, const struct row_ids *rows, const u64 *periods,
		       size_t count, const struct chains *chains, const u32 *hashes, u32 buckets,
		       size_t most, bool *wanted);
/*
 * Reports whether entries are ordered by the period of everything they called. Then there is at
 * most one key.
 */
bool hist_has_first_frames(const struct hist *h);
/* The mode of the frame that stands for all frames that are not shown. */
#define HIST_REST_MODE 0xff
/*
 * Returns how many buckets hist_first_frames() needs for so many frames; most get their own bucket
 * then.
 */
u32 hist_frame_buckets(u32 frames);
/*
 * The buckets for rows. Rows of a few other entries hardly make an entry one of the first, and the
 * sums stay in the cache.
 */
enum { HIST_ROW_BUCKETS = 1 << 14 };
/* Returns the hash of a frame's bucket, equal for frames that are shown alike. */
u64 hist_frame_bucket(const struct frame *f, const struct symbol *s);
/*
 * Returns the line store if source lines or inlined functions are shown, or NULL. The hist owns it.
 */
struct line_store *hist_lines(struct hist *h);
/* Finds the lines of all frames, merged and named (lines.c); see lists_fold(). */
void hist_find_lines(struct hist *h, struct chains *all, struct frame_runs *runs);
/* Makes the texts that the columns show, of folded frames. */
void hist_render_lines(struct hist *h);
/* Finds the data types of folded frames (types.c). */
void hist_find_types(struct hist *h);
/* Makes a list of just the sample, or joins two lists (picks.c). */
u32 hist_pick_sample(struct hist_collector *c, const struct hist_sample *s);
u32 picks_join(struct pick_node *nodes, u32 a, u32 b);
/* Takes over the collector's lists. Returns the number that was added to theirs. */
u32 hist_take_picks(struct hist *h, struct hist_collector *c);
/* Chooses the samples that each entry shows, after all entries were made. */
void hist_choose_picks(struct hist *h);
/* Returns an access's classes as one number, or adds a period to their sums (columns_access.c). */
u64 hist_access_classes(u64 data_src);
void hist_add_access(u64 *sums, u64 classes, u64 period);
/* Totals the accesses by class after all entries were made, which shows the columns with any. */
void hist_total_access(struct hist *h);
/* Reports whether chains complete the keys of samples. */
bool hist_fills_keys(const struct hist *h);
/* Sets one slot of every row's key, to what text_of() makes of the row. */
void hist_fill_slot(struct hist *h, s32 slot, u64 (*text_of)(void *arg, const struct row *row),
		    void *arg);
int hist_parents(struct hist *h, struct reason *r);
/* Fills the column "place" (program.c). */
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
	const u32 *shown_class; /* by frame: its class, or UINT32_MAX if filtered out */
	const struct row *rows; /* rows of the leader event only */
	size_t row_count;
	struct hist_entry *const *entries;
	size_t entry_count;
};
enum { HIST_MAX_THREADS = MOST_THREADS };
/* Returns how many threads the jobs are worth, at least one. */
unsigned hist_threads(const struct hist *h, size_t jobs);
/* Runs each of args on a thread. */
void hist_run_threads(unsigned count, void *(*fn)(void *), void *const *args);
/*
 * Sorts like qsort_r(), on all threads (sort.c). Several threads call cmp simultaneously; it must
 * be a total order.
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
/* Frees the builder and gives its trees to the hist; not for several threads simultaneously. */
void tree_builder_free(struct tree_builder *b);
/*
 * Trees of all entries of a group that are worth drawing, made by so many threads: a builder for
 * each.
 */
void trees_build(struct tree_builder *const *builders, unsigned count, const struct group *g);

#endif
