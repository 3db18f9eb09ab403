/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a hist, made before its first sample and constant from hist_new() on, except for
 * what hist_narrow() and hist_set_verbose() change.
 */
#ifndef HIST_SETTINGS_H
#define HIST_SETTINGS_H

#include "base/text.h"
#include "hist/sample.h"
#include "symbol/srcline.h"

/* How many instructions of a function ran for each cycle, and how many of them were seen. */
struct hist_ipc {
	double ipc, coverage; /* coverage in percent */
};

/* What an instruction touches; texts are good until the next question. */
struct hist_data_type {
	const char *type;  /* "struct node", "(unknown)" */
	const char *field; /* "in.counts"; "": none */
	u64 offset;        /* bytes in the type */
};

enum call_graph_mode {
	CALL_GRAPH_NONE,
	CALL_GRAPH_FLAT,
	CALL_GRAPH_GRAPH,   /* percentages of everything */
	CALL_GRAPH_FRACTAL, /* percentages of the branch */
	CALL_GRAPH_FOLDED,
};
enum call_graph_value { CALL_GRAPH_PERCENT, CALL_GRAPH_PERIOD, CALL_GRAPH_COUNT };

struct call_graph_settings {
	enum call_graph_mode mode;
	enum call_graph_value value;
	double threshold; /* percent */
	u32 print_limit;  /* branches drawn below one branch, 0: all */
	bool caller;      /* outermost caller first */
	bool order_given;
	bool by_address; /* frames differ by address, not by function */
	bool by_line;    /* by function and source line */
	bool branches;   /* the word branch: recorded branches belong to chains */
};
/* perf's -g grammar: "graph,0.5,caller,function,percent" in any order. */
int call_graph_parse(struct call_graph_settings *g, const char *text, struct reason *r);

/*
 * Not set by an option, but known from the profile that is being made: functions that columns ask.
 * NULL: nobody knows, and the keys that need it are refused or empty.
 */
struct hist_services {
	/* For the key cgroup_id: a number for the sample's namespace, 0: not known. */
	u64 (*cgroup_space)(void *arg, const struct hist_sample *s);
	void (*cgroup_space_numbers)(void *arg, u64 number, u64 *dev, u64 *ino);
	void *cgroup_space_arg;
	/* For the key ipc_lbr, by any thread; false: nothing is known of the function. */
	bool (*ipc)(void *arg, u32 image, u32 symbol, struct hist_ipc *out);
	void *ipc_arg;
	/*
	 * For type, typeoff, typecln: of an offset in a function of an image; unchanged: unknown.
	 */
	void (*data_type)(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out);
	void *data_type_arg;
	/*
	 * Why chains of users end at this outermost frame, as hist_sample.stack_end; any thread.
	 * NULL:
	 * nobody asks, and hist_truth() knows nothing of stacks.
	 */
	u64 (*chain_end)(void *arg, u32 image, u64 offset);
	void *chain_end_arg;
	/*
	 * A sample of this image of the kernel was added, by any worker: its name will be asked
	 * for.
	 */
	void (*kernel_met)(void *arg, u32 image);
	void *kernel_met_arg;
};

struct hist_settings {
	bool chains;       /* the data has call chains and they are wanted */
	bool children;     /* total the callers of a sample too */
	bool group;        /* the events of a group in one view */
	bool forced_group; /* a group that was not recorded as one: it has no name */
	bool hierarchy; /* one key below the other: each has rows of its own, and none is hidden */
	bool only_rows; /* rows are printed, and no function is opened from one */
	bool hide_unresolved;
	bool truth;        /* count what hist_truth() says */
	bool truth_places; /* also in tables that do not look at places otherwise */
	bool relative;     /* percentages of what passes the filters */
	bool verbose;      /* full dso names, addresses beside symbols */
	bool call_sites;   /* name a caller by its call, not by the address after it */
	bool inlines;      /* frames for the functions inlined in users' frames */
	struct line_options lines;
	struct call_graph_settings graph;
	u32 max_stack;    /* frames kept, 0: all */
	u64 time_quantum; /* ns */
	bool nanoseconds; /* the key time with nine digits */
	enum hist_expansion expansion;
	bool latency;               /* the file tells how many tasks ran at a time */
	bool show_latency;          /* columns of it without being asked */
	bool prefer_latency;        /* latency is what is sorted by */
	bool raw_trace;             /* fields of tracepoints as they lie in the record */
	bool utilization;           /* percentages of kernel and user in the default columns */
	bool guest;                 /* and those of guests */
	const char *ignore_callees; /* extended regex: chains begin at what matches; or NULL */
	u32 sort_member;            /* the event of a group whose sums come first in the order */
	bool one_socket;            /* only this one: */
	s32 socket;
	const bool *parallelism; /* only these numbers, parallelism_count items; NULL: all */
	u32 parallelism_count;
	struct hist_services services;
	bool squares;         /* sum the squares of periods of entries, not of their totals */
	u32 picks;            /* samples that each entry keeps as examples; 0: none */
	double percent_limit; /* entries under it are not drawn; their trees are not made */
	struct strlist comms, dsos, symbols; /* only these; empty: all */
	const char *symbol_filter;           /* part of a symbol's name, or NULL */
	u32 *pids, *tids;                    /* only these, ascending */
	size_t pid_count, tid_count;
	const char *parent; /* extended regex; NULL: perf's default */
	bool exclude_other; /* only chains with a parent */
	const s32 *sockets; /* by CPU, -1: not known; or NULL */
	u32 socket_count;
};

#endif
