/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a finished hist shows: a view for each event (or group), its entries in order, their
 * call trees, and the names of their frames.
 *
 *	hist_view(), hist_fields()	entries and the columns in use
 *	hist_narrow()			zooms and filters; any number of times
 *	hist_limit_trees()		call trees again, for another limit
 *	hist_hierarchy_new()		the same entries as a tree of keys
 *
 * Pointers are the hist's and are good until the next call that makes them again.
 */
#ifndef HIST_VIEW_H
#define HIST_VIEW_H

#include "base/strbuf.h"
#include "chain/chain.h"
#include "event/data_src.h"
#include "hist/column.h"
#include "symbol/symbol.h"

struct event;
struct hist;
struct hist_field;

/* A call tree: children in drawing order. */
struct call_tree {
	VEC(frame_id) frames;             /* a run without branches; see hist_frame() */
	VEC(struct call_tree *) children; /* in drawing order */
	u64 period, samples;              /* the sums of everything through here */
	u64 own_period, own_samples;      /* the sums of chains that end here */
};

/* One of an entry's samples. */
struct hist_pick {
	u64 time; /* ns */
	u32 cpu, pid, tid;
	u32 comm; /* history_comm_text() */
};

struct hist_entry {
	const u64 *key; /* sample key, by slot; HIST_FRAME_SLOT: hist_frame() id + 1, or 0 */
	frame_id frame; /* hist_frame() */
	u32 key_class, frame_class;
	u32 max_depth;                 /* the greatest depth of its call chains */
	struct hist_sums *self;        /* by member of the view */
	struct hist_total *total;      /* likewise */
	struct call_tree *tree;        /* root without frames, or NULL */
	const struct hist_pick *picks; /* settings.picks at most, by time */
	u32 pick_count;
	u32 pick_list; /* used only inside the component */
	bool left_out; /* counted in the sums of a hierarchy, but without a row */
};

/* The counts of one event. */
struct hist_totals {
	u64 samples, period;             /* all */
	u64 shown_samples, shown_period; /* the sums of what passed the filters */
	u64 latency, shown_latency;
	double squares, shown_squares; /* with settings.squares */
	/* the counts by class over the entries, if they have any */
	u64 access[DATA_SRC_CLASSES];
};

struct hist_view {
	const struct hist *hist;
	u32 member_count;
	const struct event *const *members; /* leader first */
	struct hist_totals *totals;         /* by member */
	struct hist_entry **entries;        /* sorted */
	size_t entry_count;
};

/* ---- views ---- */

size_t hist_view_count(const struct hist *h);
const struct hist_view *hist_view(const struct hist *h, size_t i);
/* Returns the fields in output order. */
const struct hist_field *hist_fields(const struct hist *h, size_t *count);
/* Returns a member's period that percentages are of. */
u64 hist_view_period(const struct hist_view *v, u32 member);
u64 hist_view_latency(const struct hist_view *v, u32 member);

/* Prefetches the next entries and their parts, for a walk over the entries that is at this one. */
void hist_fetch_ahead(const struct hist_view *v, size_t entry);
/* Reports whether any event of the entry has at least this percentage; true if limit <= 0. */
bool hist_above_limit(const struct hist_view *v, const struct hist_entry *e, double limit);
/*
 * Returns the width in columns of the widest text of a key, without its header, among the first
 * entries above the limit.
 */
int hist_widest(const struct hist_view *v, const struct hist_field *f, size_t entries,
		double limit);

/* ---- zooms ---- */

/*
 * Narrows what the views show, any number of times, to entries that pass all zooms, have
 * symbol_part in their symbol's name, and reach the limit. The shown totals become those of what
 * passes (ignoring the limit), so relative percentages are of that. A column that a zoom makes
 * constant is not shown. Percentages change with relative; sort_member is the member of a group
 * whose sums order the entries. least_samples and most_entries leave out rows as the limit does. If
 * place is not NULL, entries are sorted by what it returns for them; equal ones keep their order.
 * With sums, entries below the limits stay and are marked (left_out), since the levels of a
 * hierarchy sum them as well. {0} shows everything. Makes the view's entries and the fields again.
 */
struct hist_zoom {
	const struct hist_field *field; /* an entry passes if this field groups it with `like` */
	const struct hist_entry *like;  /* NULL: no entry passes */
};
struct hist_narrowing {
	const struct hist_zoom *zooms;
	size_t zoom_count;
	const char *symbol_part; /* or NULL */
	double percent_limit;
	bool relative;
	u32 sort_member;
	u64 least_samples;   /* of all members together */
	size_t most_entries; /* 0 means all */
	bool sums;
	u64 (*place)(void *arg, const struct hist_view *v, const struct hist_entry *e);
	void *place_arg;
};
void hist_narrow(struct hist *h, const struct hist_narrowing *n);
/*
 * Makes the call trees again, of entries with at least this many percent, with branches of at least
 * as many (the settings' percent_limit and graph.threshold). Entries stay in place; their old trees
 * are freed. Narrow again afterwards. Returns -ECANCELED and changes nothing if cancelled.
 */
int hist_limit_trees(struct hist *h, double percent) MUST_CHECK;
/* Makes the entry's call tree, if it is one of those that wait for that. */
void hist_want_tree(const struct hist_view *v, struct hist_entry *e);
/* Sets settings.verbose: full dso names and addresses. */
void hist_set_verbose(struct hist *h, bool verbose);

/* ---- hierarchy ---- */

/*
 * The entries that a view shows as a tree: a node sums entries that are alike in the keys of its
 * level and of those above. Children are in drawing order. The root has no level. Does not work
 * with children totals (settings.children). Free it with hist_hierarchy_free().
 */
struct hist_node {
	struct hist_entry entry; /* sums; keys of this level and those above; a leaf's tree */
	const struct hist_entry *first; /* the first entry of the view that it sums */
	u32 level;
	bool is_leaf;
	u64 *access; /* memory for the sums */
	VEC(struct hist_node *) children;
};
struct hist_node *hist_hierarchy_new(const struct hist_view *v);
void hist_hierarchy_free(struct hist_node *n);
u32 hist_levels(const struct hist *h);

/*
 * Calls work for each piece from 0 to count - 1, on all threads that the context allows. Several
 * threads may read entries and frames and make their texts, except texts with source lines.
 */
void hist_in_pieces(const struct hist *h, size_t count, void (*work)(void *arg, size_t piece),
		    void *arg);

/* ---- frames ---- */

const struct frame *hist_frame(const struct hist *h, frame_id id);
/* Returns the comm of a hist_pick. */
const char *hist_comm_text(const struct hist *h, u32 comm);
/* Writes the name that a call chain shows for a frame. */
void hist_frame_text(const struct hist *h, frame_id id, struct strbuf *out);
/*
 * Returns the frame's function, or NULL if unknown. An inlined one (frame.inlined) has the place of
 * the function around it and no number in the image's table.
 */
const struct symbol *hist_frame_symbol(const struct hist *h, const struct frame *f);
/*
 * Returns the function to print. Also returns NULL if its name is gone: names are read in place,
 * and in a live session another program may have truncated their file since it was opened.
 */
const struct symbol *hist_named_symbol(const struct hist *h, const struct frame *f);
/* Writes "file.c:12" or a substitute; nothing unless a column or the call graph shows lines. */
void hist_frame_line(const struct hist *h, const struct frame *f, enum line_style style,
		     struct strbuf *out);
/* Returns all symbols of the frame's image. */
const struct symbol_table *hist_frame_symbols(const struct hist *h, const struct frame *f);
const struct image *hist_frame_image(const struct hist *h, const struct frame *f);
/* Returns the letter of the frame's mode: [k] [.] [g] [u] [H]. */
char hist_frame_mark(const struct frame *f);

#endif
