/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf report inside: builtin-report.c begins and ends, -options.c reads the options, -run.c
 * does the work, -samples.c says what a sample counts as, -side.c keeps what other records
 * tell of samples, -blocks.c is --total-cycles, -types.c knows the data that is touched.
 */
#ifndef BUILTIN_REPORT_H
#define BUILTIN_REPORT_H

#include <pthread.h>

#include "annotate/annotate.h"
#include "analysis/analysis.h"
#include "builtin.h"
#include "cli/options.h"
#include "hist/hist.h"
#include "session/choice.h"
#include "ui/stdio/hist.h"

/* On a cache line of its own. */
struct report_seen {
	_Alignas(64) u64 samples;
};

/* A thread begins or ends to run. */
struct report_change {
	struct order_key key;
	u32 tid;
	bool runs;
};
/* How many threads run from a time on. */
struct report_step {
	u64 time;
	u32 running;
};
/* The cgroup namespace of a thread from a time on. */
struct report_space {
	struct order_key key;
	u32 tid;
	u64 dev, ino;
};
/* What a thread's counter read at its end. */
struct report_reading {
	u32 pid, tid, event;
	u64 value;
};

enum { REPORT_BRANCH_TYPES = 16 };
/* Kinds of branches, by worker. */
struct report_branch_types {
	_Alignas(64) u64 counts[REPORT_BRANCH_TYPES];
	u64 forward, backward, cross_4k, cross_2m;
};

struct report_annotate;
struct report_types;
struct branch_profile;

/* A function's instructions and cycles in basic blocks. */
struct report_ipc_function {
	u64 start; /* offset in the image */
	double executed, cycles;
	u32 covered, code; /* instructions that blocks ran through; all of them */
};
struct report_ipc {
	struct annotator *annotator;
	struct map64 by_function; /* image << 32 | symbol -> index */
	VEC(struct report_ipc_function) list;
};

/* A chain under way, by worker: in the file's byte order, leaf first. */
struct report_path {
	_Alignas(64) VEC(u64) ips;
};

struct report {
	bool wrong_use; /* a key that there is not: exit 129 */
	struct context *ctx;
	struct session *session;
	struct hist *hist;
	struct hist_collector **collectors;
	unsigned collector_count;
	struct out out;

	struct session_options open;
	struct debuginfod_wish debuginfod;
	struct hist_settings set;
	struct stdio_settings draw;

	/* as typed */
	const char *sort, *fields, *graph, *widths, *pids, *tids, *cpus, *time, *percentage;
	const char *percent_limit, *color;
	struct strlist comms, dsos, symbols;
	bool no_graph, graph_given, inverted, children, group, group_given, hide_unresolved;
	bool show_samples, show_period;
	bool tui_given, tui; /* --tui; the terminal browser is what is used */
	char *other;	     /* the file that was chosen there to go on with */
	struct report_branch_types *branch_types; /* by worker */
	struct report_annotate *annotate; /* for the browser: counts by address; else NULL */
	struct annotate_settings code; /* what the browser disassembles with */
	enum annotate_percent percent;
	const char *percent_type;
	bool asm_raw, source;
	bool reference_chains, stitch;
	struct report_chains *chains; /* of threads, for either of them or LBR; else NULL */
	bool total_cycles;
	struct branch_profile *blocks; /* --total-cycles, the key ipc_lbr; else NULL */
	struct line_store *block_lines;
	struct report_ipc *ipc; /* made on first use */
	struct report_types *types; /* likewise */
	bool branch_history, with_branches; /* the option; are they drawn in chains? */
	struct report_path *paths;
	struct report_seen *seen; /* by worker: samples so far */
	bool header, header_only, show_info, stats, tasks, mmaps, dump, skip_empty, stdio;
	bool itrace_given, demangle;
	bool hierarchy, branches, branches_given, memory, threads, disable_order, show_switches;
	bool folded, json;
	const char *flamegraph;
	const char *parallelism, *switch_on, *switch_off, *pretty;
	unsigned max_stack;

	struct sample_choice choice;
	u32 *width_list;
	s32 *sockets;
	/* of other records, in order once side_ready; under side_lock until then */
	VEC(struct report_change) changes;
	VEC(struct report_step) steps;
	VEC(struct report_space) spaces;
	VEC(struct report_reading) readings;
	struct map64 running; /* tid -> does it run */
	u32 running_count, machine_cpus; /* 0: not known */
	bool side_live; /* a stream: records and samples come in one order */
	bool side_ready;
	pthread_mutex_t side_lock;
	bool *parallelism_wanted;
	const struct event *on, *off; /* --switch-on, --switch-off */
	bool switched_off;
	struct map64 read_values; /* of counters read with samples: id -> last value */
};

void report_option_rows(struct report *p, option_rows *rows);
/* What the options' texts say, into p->set, p->draw and the like. */
int report_parse_texts(struct report *p, struct reason *r);

/* Into the collectors: the sample, or each of its branches or counters. */
void report_add_sample(struct report *p, unsigned worker, const struct session_sample *s);
void report_add_one(struct report *p, unsigned worker, const struct session_sample *s,
		    struct hist_sample *h);
/*
 * An address that is none of a return: each has a marker in front, which says whose it is
 * and that the frame stands at the address itself.
 */
void report_push_address(struct report_path *path, u64 addr, bool swap);
/* Chains that lie elsewhere (-chains.c): in order of time, on one thread. */
bool report_has_lbr_chains(const struct report *p);
void report_chains_begin(struct report *p);
void report_chains_release(struct report *p);
void report_take_chain(struct report *p, unsigned worker, const struct task *task, struct sample *s);
/* The sample with its branches, newest first, in front of its chain. */
void report_add_history(struct report *p, unsigned worker, const struct session_sample *s);
void report_add_branches(struct report *p, unsigned worker, const struct session_sample *s);
/* A place of which only the address is known: the kernel has the upper half. */
void report_find_place(struct report *p, const struct session_sample *s, u64 addr,
		       struct hist_place *out);
/* "# Branch Statistics:" of all workers; nothing where no kinds were recorded. */
void report_print_branch_types(struct report *p);

/* Basic blocks of branch stacks (-blocks.c), in order of time on one thread. */
bool report_wants_blocks(const struct report *p);
void report_blocks_begin(struct report *p);
void report_blocks_add(struct report *p, const struct session_sample *s);
void report_blocks_release(struct report *p);
void report_print_blocks(struct report *p);
/* Of settings->ipc; arg is the report. */
bool report_ipc(void *arg, u32 image, u32 symbol, struct hist_ipc *out);

/* Of settings->data_type (-types.c); arg is the report. */
void report_data_type(void *arg, u32 image, u32 symbol, u64 offset, struct hist_data_type *out);
void report_types_release(struct report *p);

bool report_keep_sample(void *arg, const struct sample *s, const struct order_key *key);

/* Which other records are of interest: bits as in session_ops.want. */
void report_side_wants(struct report *p, u64 want[2]);
int report_side_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r);
/* Threads that ran at the time, at least 1; from any worker, once the records are read. */
u32 report_parallelism(struct report *p, u64 time);
/* Of settings->cgroup_space and cgroup_space_numbers; arg is the report. */
u64 report_cgroup_space(void *arg, const struct hist_sample *s);
void report_cgroup_numbers(void *arg, u64 number, u64 *dev, u64 *ino);
/* The table of --threads. */
void report_print_threads(struct report *p);
void report_side_release(struct report *p);

/* The browser's way into functions: counts gathered with the samples, then its key 'a'. */
void report_annotate_begin(struct report *p);
void report_annotate_add(struct report *p, unsigned worker, const struct session_sample *s);
/* A branch counts where it begins and where it ends. */
void report_annotate_add_branch(struct report *p, unsigned worker, const struct sample *s,
				const struct hist_branch *b);
void report_annotate_end(struct report *p);
void report_annotate_release(struct report *p);
/* True: the user quits. */
bool report_annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol);

/* The finished tables, in the form asked for. */
int report_print(struct report *p, struct reason *r);
/* The JSON object's begin: version, file, and the header where it was asked for. */
void report_json_begin(struct report *p);
/* The whole object of --stats, --tasks, --mmaps or --header-only. */
int report_json_records(struct report *p, struct reason *r);
/* As further members of a JSON object. */
void report_json_branch_types(struct report *p);
void report_json_threads(struct report *p);

/* Everything after the file was opened: 0, an exit code, or -errno with a reason. */
int report_run(struct report *p, struct reason *r);

#endif
