/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a hist, made before its first sample. They are constant from hist_new() on,
 * except for what hist_narrow() and hist_set_verbose() change.
 */
#ifndef HIST_SETTINGS_H
#define HIST_SETTINGS_H

#include "base/text.h"
#include "hist/sample.h"
#include "symbol/srcline.h"

/* How many instructions of a function ran in each cycle, and what part of them was seen. */
struct hist_ipc {
	double ipc, coverage; /* coverage in percent */
};

/* The data that an instruction accesses; texts are valid until the next call. */
struct hist_data_type {
	const char *type;  /* "struct node", "(unknown)" */
	const char *field; /* "in.counts"; "" for none */
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
	u32 print_limit;  /* branches drawn below one branch; 0 means all */
	bool caller;      /* outermost caller first */
	bool order_given;
	bool by_address; /* frames differ by address, not by function */
	bool by_line;    /* by function and source line */
	bool branches;   /* the word branch: adds recorded branches to chains */
};
/*
 * Parses perf's -g grammar: "graph,0.5,caller,function,percent" in any order. Returns 0 or -EINVAL
 * with a reason.
 */
int call_graph_parse(struct call_graph_settings *g, const char *text, struct reason *r);

/*
 * Functions that columns call; no option sets them, but the profile that is being made provides
 * them. If one is NULL, the keys that need it are refused or empty.
 */
struct hist_services {
	/* For the key cgroup_id: returns a number for the sample's namespace, or 0 if unknown. */
	u64 (*cgroup_space)(void *arg, const struct hist_sample *s);
	void (*cgroup_space_numbers)(void *arg, u64 number, u64 *dev, u64 *ino);
	void *cgroup_space_arg;
	/* For the key ipc_lbr, on any thread; returns false if nothing is known of the function. */
	bool (*ipc)(void *arg, u32 image, u32 symbol, struct hist_ipc *out);
	void *ipc_arg;
	/*
	 * For type, typeoff, typecln: finds the type at an offset in a function of an image; leaves
	 * *out unchanged if unknown.
	 */
	void (*data_type)(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out);
	void *data_type_arg;
	/*
	 * Why chains of users end at this outermost frame, as hist_sample.stack_end; 0: no code is
	 * there.  Any thread.  NULL: nobody asks, and hist_truth() knows nothing of stacks.
	 */
	u64 (*chain_end)(void *arg, u32 image, u64 offset);
	void *chain_end_arg;
	/*
	 * Called by any worker when a sample of this image of the kernel was added: its name will
	 * be needed.
	 */
	void (*kernel_met)(void *arg, u32 image);
	void *kernel_met_arg;
};

struct hist_settings {
	bool chains;       /* the data has call chains and they are wanted */
	bool children;     /* also total the callers of a sample */
	bool group;        /* the events of a group in one view */
	bool forced_group; /* a group that was not recorded as a group: it has no name */
	bool hierarchy;    /* one key below the other: each has its own rows, and none is hidden */
	bool only_rows;    /* rows are only printed, and no function is opened from one */
	bool hide_unresolved;
	bool truth;        /* count for hist_truth() */
	bool truth_places; /* also in tables that do not use places */
	bool relative;     /* percentages of the samples that pass the filters */
	bool verbose;      /* full dso names, addresses beside symbols */
	bool call_sites;   /* name a caller by its call, not by the address after it */
	bool inlines;      /* frames for the functions inlined in users' frames */
	struct line_options lines;
	struct call_graph_settings graph;
	u32 max_stack;    /* how many frames to keep; 0 means all */
	u64 time_quantum; /* ns */
	bool nanoseconds; /* the key time with nine digits */
	enum hist_expansion expansion;
	bool latency;               /* the file shows how many tasks ran simultaneously */
	bool show_latency;          /* show its columns by default */
	bool prefer_latency;        /* sort by latency */
	bool raw_trace;             /* fields of tracepoints as in the record */
	bool utilization;           /* percentages of kernel and user in the default columns */
	bool guest;                 /* and percentages of guests */
	const char *ignore_callees; /* extended regex, or NULL: chains begin at the first match */
	u32 sort_member;            /* the member of a group whose sums come first in the order */
	bool one_socket;            /* only this one: */
	s32 socket;
	const bool *parallelism; /* only these numbers, parallelism_count items; NULL means all */
	u32 parallelism_count;
	struct hist_services services;
	bool squares;         /* sum the squares of periods of entries, not of totals */
	u32 picks;            /* how many samples each entry keeps as examples; may be 0 */
	double percent_limit; /* entries below it are not drawn, and get no trees */
	struct strlist comms, dsos, symbols; /* only these; empty means all */
	const char *symbol_filter;           /* part of a symbol's name, or NULL */
	u32 *pids, *tids;                    /* only these, ascending */
	size_t pid_count, tid_count;
	const char *parent; /* extended regex; NULL: perf's default */
	bool exclude_other; /* only chains with a parent */
	const s32 *sockets; /* by CPU, -1 if unknown; or NULL */
	u32 socket_count;
};

#endif
