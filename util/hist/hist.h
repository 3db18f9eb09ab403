/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: samples grouped by keys, with their call chains.
 *
 *	      hist_new, hist_set_keys		columns and settings
 *	            |
 *	sample -> collector \			one for each worker: rows of (event, key,
 *	sample -> collector -+			leaf, chain) with sums; nothing is named
 *	sample -> collector /
 *	            |
 *	      hist_finish			rows are merged, each frame is named once,
 *	            |				entries are made and sorted into views
 *	      hist_view, hist_fields		what ui draws, without knowing the columns
 *	            |
 *	      hist_narrow			zooms and filters; any number of times
 *
 * A table that goes on while it is shown is a pool (hist/pool.h), of which each snapshot is
 * a finished hist.
 * The parts of this file, in order: samples, columns, settings, life, collect, look (entries
 * and views), zooms, trees of keys (hierarchy), stacks.
 *
 * Columns are constant descriptors (struct hist_column); other rooms add theirs
 * with hist_add_columns().  Keys and fields have perf's names.
 * Sums are integers (u64); percentages are made when drawing.
 * Order of entries: sort fields, then content, never ids or pointers: the result
 * does not depend on the number of workers.
 * Threads: a collector belongs to one worker; the rest is single-threaded but
 * for naming.
 * Life: hist_free() frees everything that a hist returned.
 */
#ifndef HIST_HIST_H
#define HIST_HIST_H

#include "base/strbuf.h"
#include "base/text.h"
#include "chain/chain.h"
#include "event/data_src.h"
#include "event/sample.h"
#include "event/tracepoint.h"
#include "process/history.h"
#include "symbol/symbol.h"

struct hist;
struct hist_collector;
struct hist_view;
struct hist_entry;
struct hist_field;

/* A place that a sample names beside its own: an end of a branch, the data of an access. */
struct hist_place {
	u64 addr;
	struct location at;
	u8 cpumode;
};
struct hist_branch {
	struct hist_place from, to;
	u64 flags; /* as sample_branch() has them */
};
struct hist_access {
	struct hist_place code, data;
};

/* One sample, resolved; or one branch of its stack. */
struct hist_sample {
	const struct sample *sample;
	const struct order_key *key;
	const struct task *task;
	u32 comm;	      /* history_comm_text() */
	struct location leaf; /* of sample->ip */
	bool swap;	      /* the file's byte order is not the host's */
	u32 parallelism;      /* tasks that ran at its time, at least 1; 0: not known */
	const struct hist_branch *branch; /* HIST_BRANCHES, else NULL */
	const struct hist_access *access; /* HIST_ACCESSES, else NULL */
};

/* What a row of the table is. */
enum hist_expansion { HIST_SAMPLES, HIST_BRANCHES, HIST_ACCESSES };

struct hist_sums {
	u64 samples, period, weight;
	u64 mode_period[5]; /* by enum hist_mode */
	/* only where a column asks for them (HIST_LATENCY, HIST_EXTRA) */
	u64 latency; /* 1000 * period / parallelism */
	u64 weight2, weight3;
	double squares; /* of the samples' periods, summed, with settings.squares */
	u64 *access; /* period by enum data_src_class; NULL: no column asks (HIST_ACCESS_SUM) */
};
enum hist_mode { HIST_SYS, HIST_USER, HIST_GUEST_SYS, HIST_GUEST_USER, HIST_OTHER };

/* ---- columns ---- */

enum {
	HIST_VALUE = 1,	      /* a sum of the entry (overhead, samples); else a sort key */
	HIST_BY_FRAME = 2,    /* the key is a fact of the entry's frame */
	HIST_TEXT = 4,	      /* collect() returns a text: hist_collector_text() */
	HIST_CHILDREN = 8,    /* only with children */
	HIST_PER_MEMBER = 16, /* once for each event of a group */
	HIST_PERCENT = 32,    /* a percentage: ui may colour it */
	HIST_PARENT = 64,     /* filled from the folded chain */
	HIST_NO_PAD = 128,    /* as last column it is not filled up with blanks */
	HIST_BY_ADDRESS = 256, /* with HIST_BY_FRAME: one function's addresses differ */
	HIST_SYMBOL = 512,    /* what -S and --symbol-filter leave out when they fix it */
	HIST_DSO = 1024,      /* the same for -d */
	HIST_COMM = 2048,     /* the same for -c */
	/* collect() returns hist_collector_frame() + 1, or 0; see hist_entry.key */
	HIST_FRAME_SLOT = 4096,
	HIST_OF_BRANCH = 8192,  /* of HIST_BRANCHES only */
	HIST_OF_ACCESS = 16384, /* of HIST_ACCESSES only */
	HIST_RIGHT = 32768,	/* a key that stands to the right */
	HIST_LATENCY = 65536,	/* needs hist_sample.parallelism */
	HIST_EXTRA = 131072,	/* needs the weights beside the first */
	HIST_LINES = 262144,	/* needs source lines */
	HIST_TYPES = 524288,	/* needs settings.data_type */
	HIST_ACCESS_SUM = 1048576, /* needs the sums by what accesses did */
	HIST_TASK_ID = 2097152,	/* the key is history_task_by_id()'s number */
	HIST_COMM_ID = 4194304,	/* the key is history_comm_text()'s number */
};

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
	const void *priv; /* of the column's own functions */
	/* Is it a column of this table? NULL: always. */
	bool (*in_view)(const struct hist_view *v, const struct hist_field *f);
	/*
	 * Ascending order as shown: < 0 puts a before b.  For keys 0 must mean
	 * "the same group".  Values: larger sums first.
	 */
	int (*cmp)(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b);
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
	u32 slot;   /* of the sample key, for collect and HIST_PARENT */
	u32 level;  /* of a key, in a hierarchy: from 0 in the order of the keys; {a,b} share one */
	bool shown; /* false: sorts only, or all rows are known to be alike (a filter of one name) */
};

/* Is it in the view's table? */
static inline bool hist_field_shown(const struct hist_view *v, const struct hist_field *f)
{
	return f->shown && (!f->column->in_view || f->column->in_view(v, f));
}

/* The text over the column. */
const char *hist_header(const struct hist *h, const struct hist_field *f);

/* The table is not copied. */
void hist_add_columns(struct hist *h, const struct hist_column *columns, size_t count);
/* The sort keys as they were asked for or are the default: "comm,dso,symbol". */
const char *hist_sort_text(const struct hist *h);

/* ---- settings ---- */

/* How many instructions of a function ran for each cycle, and how many of them were seen. */
struct hist_ipc {
	double ipc, coverage; /* coverage in percent */
};

/* What an instruction touches; texts are good until the next question. */
struct hist_data_type {
	const char *type;  /* "struct node", "(unknown)" */
	const char *field; /* "in.counts"; "": none */
	u64 offset;	   /* bytes in the type */
};

enum call_graph_mode {
	CALL_GRAPH_NONE,
	CALL_GRAPH_FLAT,
	CALL_GRAPH_GRAPH,   /* percentages of everything */
	CALL_GRAPH_FRACTAL, /* of the branch */
	CALL_GRAPH_FOLDED,
};
enum call_graph_value { CALL_GRAPH_PERCENT, CALL_GRAPH_PERIOD, CALL_GRAPH_COUNT };

struct call_graph_settings {
	enum call_graph_mode mode;
	enum call_graph_value value;
	double threshold; /* percent */
	u32 print_limit;  /* branches drawn below one branch, 0: all */
	bool caller;	  /* outermost caller first */
	bool order_given;
	bool by_address; /* frames differ by address, not by function */
	bool by_line;	 /* by function and source line */
	bool branches;	 /* the word branch: recorded branches belong to chains */
};
/* perf's -g grammar: "graph,0.5,caller,function,percent" in any order. */
int call_graph_parse(struct call_graph_settings *g, const char *text, struct reason *r);

struct hist_settings {
	bool chains;   /* the data has call chains and they are wanted */
	bool children; /* total the callers of a sample too */
	bool group;    /* the events of a group in one view */
	bool forced_group; /* a group that was not recorded as one: it has no name */
	bool hide_unresolved;
	bool relative; /* percentages of what passes the filters */
	bool verbose;  /* full dso names, addresses beside symbols */
	bool call_sites; /* name a caller by its call, not by the address behind it */
	bool inlines;	 /* frames for the functions inlined in users' frames */
	struct line_options lines;
	struct call_graph_settings graph;
	u32 max_stack;	  /* frames kept, 0: all */
	u64 time_quantum; /* ns */
	bool nanoseconds; /* the key time with nine digits */
	enum hist_expansion expansion;
	bool latency;	/* the file tells how many tasks ran at a time */
	bool show_latency;   /* columns of it without being asked */
	bool prefer_latency; /* latency is what is sorted by */
	bool raw_trace; /* fields of tracepoints as they lie in the record */
	bool utilization; /* percentages of kernel and user in the default columns */
	bool guest;	  /* and those of guests */
	const char *ignore_callees; /* extended regex: chains begin at what matches; or NULL */
	u32 sort_member; /* the event of a group whose sums come first in the order */
	bool one_socket; /* only this one: */
	s32 socket;
	const bool *parallelism; /* only these numbers, parallelism_count items; NULL: all */
	u32 parallelism_count;
	/* For the key cgroup_id: a number for the sample's namespace, 0: not known. */
	u64 (*cgroup_space)(void *arg, const struct hist_sample *s);
	void (*cgroup_space_numbers)(void *arg, u64 number, u64 *dev, u64 *ino);
	void *cgroup_space_arg;
	/* For the key ipc_lbr: false: nothing is known of the function. */
	bool (*ipc)(void *arg, u32 image, u32 symbol, struct hist_ipc *out);
	void *ipc_arg;
	/* For type, typeoff, typecln: of an offset in a function of an image; unchanged: unknown. */
	void (*data_type)(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out);
	void *data_type_arg;
	/* A sample of this image of the kernel was added, by any worker: its name will be asked for. */
	void (*kernel_met)(void *arg, u32 image);
	void *kernel_met_arg;
	bool squares; /* sum the squares of periods of entries, not of their totals */
	u32 picks; /* samples that each entry keeps as examples; 0: none */
	double percent_limit; /* entries under it are not drawn; their trees are not made */
	struct strlist comms, dsos, symbols; /* only these; empty: all */
	const char *symbol_filter; /* part of a symbol's name, or NULL */
	u32 *pids, *tids;	   /* only these, ascending */
	size_t pid_count, tid_count;
	const char *parent;  /* extended regex; NULL: perf's default */
	bool exclude_other;  /* only chains with a parent */
	const s32 *sockets; /* by CPU, -1: not known; or NULL */
	u32 socket_count;
};

/* ---- life ---- */

/* settings are copied; its pointers must outlive the hist. */
struct hist *hist_new(struct context *ctx, const struct event_set *events, struct history *history,
		      const struct image_table *images, const struct hist_settings *settings);
void hist_free(struct hist *h);
/* Says with a warning when settings.sort_member, which was asked for, names no event of a group. */
void hist_check_member(struct context *ctx, const struct hist_settings *set, const struct event_set *events);
/*
 * sort and fields are perf's -s and -F: NULL, a list, or "+list" to add to the
 * defaults.  traces: the default key is the trace text.  -EINVAL with a reason
 * that names the unknown key.
 */
int hist_set_keys(struct hist *h, const char *sort, const char *fields, bool traces,
		  struct reason *r) MUST_CHECK;
/* The same for one more value column ("sample", "period"), after the overheads. */
int hist_add_value(struct hist *h, const char *name, struct reason *r) MUST_CHECK;
const struct hist_settings *hist_settings(const struct hist *h);

/* ---- collect ---- */

struct hist_collector *hist_collector_new(struct hist *h);
void hist_collector_free(struct hist_collector *c);
void hist_collector_add(struct hist_collector *c, const struct hist_sample *s);
/* Number of a text, for columns with HIST_TEXT. */
u64 hist_collector_text(struct hist_collector *c, const char *text);
/* Number of a place's frame, for columns with HIST_FRAME_SLOT. */
u64 hist_collector_frame(struct hist_collector *c, const struct hist_place *p);
/* Scratch of a worker's columns. */
struct strbuf *hist_collector_scratch(struct hist_collector *c);
/* NULL when the file has no tracepoint formats; made on first use. */
struct tracepoint_printer *hist_collector_printer(struct hist_collector *c);
void hist_set_tracepoints(struct hist *h, const struct tracepoint_formats *formats);

/* Collectors are emptied.  Views are ready afterwards. */
int hist_finish(struct hist *h, struct hist_collector *const *collectors, size_t count,
		struct symbol_store *symbols, struct reason *r) MUST_CHECK;

/* ---- look ---- */

/* A call tree: children in the order of drawing. */
struct call_tree {
	VEC(frame_id) frames;		  /* a run without branches; see hist_frame() */
	VEC(struct call_tree *) children; /* in the order of drawing */
	u64 period, samples;		  /* of everything through here */
	u64 own_period, own_samples;	  /* of chains that end here */
};

/* One of an entry's samples. */
struct hist_pick {
	u64 time; /* ns */
	u32 cpu, pid, tid;
	u32 comm; /* history_comm_text() */
};

struct hist_entry {
	const u64 *key;	 /* sample key, by slot; HIST_FRAME_SLOT: hist_frame() id + 1, or 0 */
	frame_id frame;	 /* hist_frame() */
	u32 key_class, frame_class;
	u32 max_depth;	 /* of its call chains */
	struct hist_sums *self, *total; /* by member of the view */
	struct call_tree *tree; /* root without frames; NULL: none */
	const struct hist_pick *picks; /* settings.picks at most, by time */
	u32 pick_count;
	u32 pick_list; /* the room's own */
};

/* What was counted for one event. */
struct hist_totals {
	u64 samples, period;	     /* all */
	u64 shown_samples, shown_period; /* that passed the filters */
	u64 latency, shown_latency;
	double squares, shown_squares; /* with settings.squares */
	u64 access[DATA_SRC_CLASSES]; /* of the entries, where they have it */
};

struct hist_view {
	const struct hist *hist;
	u32 member_count;
	const struct event *const *members; /* leader first */
	struct hist_totals *totals;	    /* by member */
	struct hist_entry **entries;	    /* sorted */
	size_t entry_count;
};

/*
 * Narrow what the views show, any number of times: entries that pass all zooms and have
 * symbol_part in their symbol's name and at least the limit.  The shown totals become
 * those of what passes (the limit aside), so relative percentages are of that.
 * A column that a zoom makes say nothing new is not shown.  Percentages change with
 * relative; sort_member is the member of a group whose sums order the entries.
 * {0} shows everything.  The view's entries and the fields are made anew.
 */
struct hist_zoom {
	const struct hist_field *field; /* passes what this field groups with like */
	const struct hist_entry *like; /* NULL: nothing passes */
};
struct hist_narrowing {
	const struct hist_zoom *zooms;
	size_t zoom_count;
	const char *symbol_part; /* or NULL */
	double percent_limit;
	bool relative;
	u32 sort_member;
};
void hist_narrow(struct hist *h, const struct hist_narrowing *n);
/*
 * Call trees anew: of entries with at least so many percent, with branches of at least as
 * many (the settings' percent_limit and graph.threshold).  Entries stay where they are; trees
 * that were had from them are gone.  Narrow again afterwards.  -ECANCELED: all is as it was.
 */
int hist_limit_trees(struct hist *h, double percent) MUST_CHECK;
/* Full dso names and addresses, or not: settings.verbose. */
void hist_set_verbose(struct hist *h, bool verbose);

/*
 * The entries that a view shows as a tree: a node sums those that are alike in the keys
 * of its level and of those above.  Children are in the order of drawing.  The root has no
 * level.  Without children totals (settings.children).  Free it with hist_hierarchy_free().
 */
struct hist_node {
	struct hist_entry entry; /* sums; keys of this level and those above; the tree of a leaf */
	const struct hist_entry *first; /* one of the view's that it sums */
	u32 level;
	bool is_leaf;
	u64 *access; /* memory of the sums' */
	VEC(struct hist_node *) children;
};
struct hist_node *hist_hierarchy_new(const struct hist_view *v);
void hist_hierarchy_free(struct hist_node *n);
u32 hist_levels(const struct hist *h);

/*
 * All chains of one event as a tree from the outermost frame; frames of one name are one,
 * whatever their object.  In front stand the keys of the sample (comm, if nothing else was
 * asked for).  Node 0 is the root; parents come before their children, and children are
 * linked in order of their names.  Free it with hist_stacks_free().
 */
enum stack_kind { STACK_KEY, STACK_USER, STACK_KERNEL, STACK_INLINED };
struct stack_node {
	u32 name;	 /* in names */
	u32 parent;
	u32 child, next; /* 0: none */
	enum stack_kind kind;
	u64 samples, period;	     /* of everything through here */
	u64 own_samples, own_period; /* of chains that end here */
};
struct hist_stacks {
	VEC(struct stack_node) nodes;
	struct strtab names;
};
struct hist_stacks *hist_stacks_new(struct hist *h, const struct event *ev);
/* Samples with a frame whose function is not known. */
u64 hist_stacks_unknown(const struct hist_stacks *f);
void hist_stacks_free(struct hist_stacks *f);

size_t hist_view_count(const struct hist *h);
const struct hist_view *hist_view(const struct hist *h, size_t i);
/* Fields in the order of output. */
const struct hist_field *hist_fields(const struct hist *h, size_t *count);
/* What 100 % is, for a member. */
u64 hist_view_period(const struct hist_view *v, u32 member);
u64 hist_view_latency(const struct hist_view *v, u32 member);

const struct frame *hist_frame(const struct hist *h, frame_id id);
/* Of a hist_pick. */
const char *hist_comm_text(const struct hist *h, u32 comm);
/* The name that a call chain shows for a frame. */
void hist_frame_text(const struct hist *h, frame_id id, struct strbuf *out);
/*
 * The function, NULL: none is known; an inlined one (frame.inlined) has the place of
 * the function around it and no number in the image's table.
 */
const struct symbol *hist_frame_symbol(const struct hist *h, const struct frame *f);
/* "file.c:12", or what stands for it; empty unless a column or the call graph shows lines. */
void hist_frame_line(const struct hist *h, const struct frame *f, enum line_style style,
		     struct strbuf *out);
/* All symbols of the frame's image. */
const struct symbol_table *hist_frame_symbols(const struct hist *h, const struct frame *f);
const struct image *hist_frame_image(const struct hist *h, const struct frame *f);
/* [k] [.] [g] [u] [H] by the frame's mode. */
char hist_frame_mark(const struct frame *f);

#endif
