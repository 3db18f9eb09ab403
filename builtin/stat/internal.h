/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of perf stat share. */
#ifndef BUILTIN_STAT_INTERNAL_H
#define BUILTIN_STAT_INTERNAL_H

#include <sys/resource.h>

#include "builtin/stat/counting.h"
#include "event/parse.h"
#include "live/control.h"
#include "live/live.h"
#include "live/loop.h"
#include "live/offline.h"
#include "stat/metrics.h"
#include "stat/stat.h"
#include "sys/topology.h"

/* ns since the command was started; to UINT64_MAX: until the end. */
struct stat_range {
	u64 from, to;
};

/* What the user asked for; constant once the options are parsed. */
struct stat_request {
	/* what is counted, besides the events */
	bool null_run, group, all_user, all_kernel, transaction, smi_cost, topdown;
	bool metric_no_group, metric_no_merge, metric_no_threshold, hybrid_merge;
	int detailed, topdown_level;
	struct strlist metric_names; /* the names in -M */
	const char *for_each_cgroup, *iostat, *bpf_prog, *bpf_attr_map;
	bool bpf_counters;
	/* where */
	bool system_wide, inherit;
	const char *pids, *tids, *user, *cpus;
	/* when */
	bool sync;
	u64 repeat, interval, timeout, interval_count; /* ns, and counts */
	bool repeat_given;
	/* -D was given: nothing is counted at the start */
	bool start_off;
	VEC(struct stat_range) ranges; /* but in these, ascending */
	const char *pre, *post, *control;
	/* how it is added up and printed */
	int by; /* enum stat_by */
	const char *cache_level;
	bool append, big_num, scale, merge, table, summary, quiet, json, hide_zero, csv_summary;
	bool metric_only, metric_only_given, percore_show_thread, interval_clear, affinity;
	const char *output, *separator;
	int log_fd, verbose;
	/* --versus: the rivals of the command, and how long they are compared */
	struct strlist rivals;
	double within; /* the half of an interval, as a share of the baseline */
	bool within_given, max_time_given;
	u64 max_time; /* ns */
	const char *fail_above;
	bool show_output, ignore_failure, markdown;
	/* perf stat record: output is its file */
	bool record;
	int full_argc;
	const char *const *full_argv; /* the whole command, for the file's header */
};

#define STAT_REQUEST_INIT                                                                          \
	{                                                                                          \
		.inherit = true, .big_num = true, .scale = true, .merge = true,                    \
		.csv_summary = true, .log_fd = -1, .repeat = 1, .within = 0.01,                    \
		.max_time = 60000000000ULL                                                         \
	}

/* Takes stat.big-num and stat.no-csv-summary from the configuration. */
void stat_ask_from_config(const struct context *ctx, struct stat_request *ask);

/* A root port of --iostat: a stack of a die. */
struct stat_port {
	char *pmu, *name; /* "uncore_iio_0", "0000:00" */
	u32 die, first_event;
};

/* The events that were chosen on a machine. */
struct stat_events {
	struct sys sys;
	struct event_parser parser;
	struct event_set set;
	struct metric_set metrics;
	VEC(struct stat_port) ports; /* the ports of --iostat, by name */
	char *core_pmu;              /* the PMU of --cputype */
	size_t next_cgroup;          /* first event that -G has not handled */
};

/* Counts on their way to be printed, from counters or from a file. */
struct stat_printer {
	const struct stat_request *ask;
	const struct stat_events *events;
	struct cpu_topology topology;
	struct stat_domains domains;
	struct stat_table table;
	bool ready; /* domains and table have been set up */
	struct stat_style style;
	char thousands[8];          /* the separator that the style has */
	char *title;                /* 'CMD ARGS', "system wide" ... */
	VEC(double) runs;           /* seconds */
	unsigned intervals;         /* printed so far */
	const struct rusage *usage; /* what the command used; NULL: not printed */
	int fd, write_err;          /* write_err: -errno of the first write that failed */
};

/*
 * What user_time and system_time are of; TIMES_UNKNOWN: of tasks on some CPUs, which nothing says.
 */
enum stat_times_of {
	TIMES_OF_COMMAND,
	TIMES_OF_PROCESSES,
	TIMES_OF_THREADS,
	TIMES_OF_CPUS,
	TIMES_UNKNOWN
};

/* ns of the user and of the system: at the last reading, and counted so far. */
struct stat_time {
	s32 id;       /* a task or a CPU */
	size_t index; /* of live_cpu() or live_thread() */
	u64 last[2], sum[2];
};

struct stat_times {
	bool wanted, on;
	enum stat_times_of of;
	VEC(struct stat_time) list;
};

struct versus; /* versus.h */

/* One invocation that measures. */
struct stat_session {
	struct context *ctx;
	const struct stat_host *host;
	struct stat_request ask;
	struct stat_events events;
	struct stat_printer out;
	const char *const *argv; /* the command; NULL: none */
	struct target target;
	bool by_user; /* -u: BPF counts all that this user runs */
	u32 user;
	bool count_command_of_user; /* -u by a list of processes: the command is a target as well */
	struct live *live;
	struct offline_watch cpus; /* the CPUs of this run */
	struct event_set here_set; /* with -p PID -C CPU: an event that is never multiplexed ... */
	struct live *here;         /* set while a run is open; otherwise NULL */
	struct stat_bpf *bpf;      /* while a run is open; NULL: not */
	bool lost_by_bpf;          /* counts are missing, of which a warning is in the conditions */
	struct control control;
	int wake_fd; /* readable when a signal has come */
	struct workload workload;
	struct rusage usage; /* what the workload used */
	struct stat_times times;
	u64 launched;                /* ns: when the command was started, or we */
	u64 started, interval_start; /* ns; started: the first counting */
	size_t switches; /* how often this run was switched on or off, by the ranges of -D */
	u64 runs;        /* completed */
	u64 enabled;     /* ns: the longest that an event of tasks was enabled, at the last look */
	/* ns, over all runs: the command's CPU time, and how much events saw of it */
	u64 used, seen;
	struct data_writer *writer; /* perf stat record, or NULL */
	struct strbuf records;      /* STAT records of this round */
	int exit_code;              /* exit code after an error; 0: the usual one */
	bool warned_of_program;     /* the kernel ends the events of the command itself */
	struct versus *versus;      /* --versus; NULL: no rivals were given */
	bool cut_short;             /* --timeout or --interval-count ended the command */
	bool to_freeze; /* the CPU's counters run on in SMIs, and must not for --smi-cost */
	bool frozen;    /* by us, until stat_thaw() */
};

/* Reports whether rows are for people, not for programs. */
static inline bool stat_for_people(const struct stat_request *ask)
{
	return !ask->separator && !ask->json;
}

/* Reports whether tasks are counted that run already. */
static inline bool stat_counts_tasks(const struct stat_request *ask)
{
	return ask->pids || ask->tids || ask->user;
}

/* options.c: as options_parse(). */
int stat_parse_options(struct stat_session *q, int *argc, const char **argv);

/* hotplug.c: at the begin of a run, before counters are read for an interval, and at the end. */
void stat_look_after_cpus(struct stat_session *q);

/* target.c */
int stat_choose_target(struct stat_session *q, struct reason *r);
/* Parses "3", "L3", "l3d" into 3; NULL gives 0, each CPU's last cache. */
int stat_cache_level(const char *text, u32 *level, struct reason *r);
int stat_read_caches(struct stat_session *q, struct reason *r);
/* Reports whether only the command is counted, from its exec on. */
bool stat_counts_command(const struct stat_session *q);

/* events.c: chooses what is counted, after all options are known. */
int stat_choose_events(struct stat_session *q, struct reason *r);
/*
 * Reports whether the event counts for a whole package (or another set of CPUs), whatever task runs
 * there.
 */
bool stat_is_uncore(const struct stat_events *e, const struct event *ev);
/* Refuses such events, for measurements of tasks. */
int stat_check_uncore(const struct stat_events *e, struct reason *r);

/* hardware.c: refuses what needs hardware or BPF that is not there. */
int stat_check_hardware(struct stat_session *q, struct reason *r);
int stat_need_hardware(const struct stat_events *e, const char *option, const char *what,
		       struct reason *r);
/*
 * Makes the CPU's counters stop in SMIs for --smi-cost, until the next function undoes that. Call
 * it once signals are caught, since a process that dies in between leaves them so.
 */
int stat_freeze(struct stat_session *q, struct reason *r);
void stat_thaw(struct stat_session *q);

/* iostat.c: -EOPNOTSUPP without a reason when no PMU has root ports. */
int iostat_find_ports(struct stat_events *e, const char *asked, struct reason *r);
int iostat_add_events(struct stat_events *e, struct reason *r);
void iostat_print(const struct stat_printer *p, struct strbuf *b, const char *prefix, bool head);
/* Prints --iostat=list. */
void iostat_list(struct stat_printer *p);
void iostat_release(struct stat_events *e);

/* run.c: every run or interval, with its results printed. */
int stat_run_all(struct stat_session *q, struct reason *r);
/*
 * Makes one run with --pre and --post and adds it to the table. After the last one, its events stay
 * open.
 */
int stat_run_once(struct stat_session *q, bool last, struct reason *r);
/* Forgets what the table has of runs so far. */
void stat_forget_runs(struct stat_session *q);
/* Returns the signal that ended the measurement before it was complete, or 0. */
int stat_ended_by(const struct stat_session *q);

/* delay.c: -D "500", "2s", "-1", "10-20,30-40" */
int stat_parse_delay(struct stat_request *ask, const char *text, struct reason *r);
/* Returns when counting is next switched on or off, in ns, or UINT64_MAX for never. */
u64 stat_next_switch(const struct stat_session *q);
int stat_switch(struct stat_session *q, u64 now, struct reason *r);

/* run.c: all events; 0 or -errno of the first that failed. */
int stat_enable(struct stat_session *q);
int stat_disable(struct stat_session *q);

/* user.c: where -u counts, once the events are known. */
int stat_settle_user(struct stat_session *q, struct reason *r);

/* bpf.c: chooses the events that BPF counts; refuses what it cannot count. */
int stat_bpf_choose(struct stat_session *q, struct reason *r);
/* Returns why a program cannot read the event, or NULL if it can. */
const char *stat_bpf_cannot(const struct event *ev);
/* Opens those events after the others, even if there are none of the others. */
int stat_bpf_open(struct stat_session *q, struct reason *r);
void stat_bpf_enable(struct stat_session *q, bool on);
/* Updates what stat_bpf_read() returns to the present. */
void stat_bpf_refresh(struct stat_session *q);
/* Reads an event with by_bpf as live_read() does. */
int stat_bpf_read(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		  struct live_count *c);
void stat_bpf_close(struct stat_session *q);

/* read.c: domains and table, after the events were opened. */
void stat_prepare_table(struct stat_session *q);
/* Reads all counters into the table; wall is the time of the run or interval so far, in ns. */
int stat_read_counters(struct stat_session *q, u64 wall, struct reason *r);

/* times.c: user_time and system_time. */
bool stat_counts_times(const struct stat_session *q);
/* Begins the times of a run, whose events are open. */
void stat_times_begin(struct stat_session *q);
/* Starts the times; fresh means that what is counted has not used any time so far. */
void stat_times_enable(struct stat_session *q, bool fresh);
void stat_times_disable(struct stat_session *q);
/*
 * Adds what has passed; tasks that end before their last look lose what came after the one before.
 */
void stat_times_look(struct stat_session *q);
bool stat_times_end_by_themselves(const struct stat_session *q);
/* Adds the times to the table. */
void stat_times_add(struct stat_session *q, const struct event *ev, u64 wall);
/* Explains why a row is empty. */
void stat_times_say_missing(struct stat_session *q);
void stat_times_say_steps(const struct stat_session *q);

/* control.c: obeys all commands that have come; true: stop. */
bool stat_obey_control(struct stat_session *q);

/* warn.c: conditions about groups that never ran, shares that are too small. */
void stat_warn(struct stat_session *q);
void stat_warn_ended(struct stat_session *q);
void stat_keep_privileged(struct stat_session *q);

/* record.c: each does nothing unless a file is written. */
struct data_writer;
int stat_record_begin(struct stat_session *q, struct reason *r);
void stat_record_count(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		       const struct live_count *c);
int stat_record_round(struct stat_session *q, bool final, u64 time, struct reason *r);
int stat_record_end(struct stat_session *q, bool failed, struct reason *r);

/* output.c: where results go; nothing is changed yet. */
int stat_open_output(struct stat_printer *p, struct reason *r);
/*
 * Empties a file of results when the work starts, and writes its first line. Only the first call
 * does anything.
 */
int stat_start_output(struct stat_printer *p, struct reason *r);
/* Returns the result of the writes, at the end. */
int stat_check_output(const struct stat_printer *p, struct reason *r);
void stat_choose_style(struct stat_printer *p, const struct event_set *set);
/* Writes text where results go; a failure is kept for the end of the run. */
void stat_write(struct stat_printer *p, const struct strbuf *b);
/*
 * Returns the text in front of the rows of an interval that ends at time (ns); the caller frees it.
 */
char *stat_interval_prefix(const struct stat_request *ask, u64 time);
/* Prints the rows of an interval, with a head from time to time. */
void stat_print_interval(struct stat_printer *p, struct strbuf *b, const char *prefix);
/* Prints the results of the whole measurement at the end. */
void stat_print_results(struct stat_printer *p);
/* Closes what stat_start_output() opened. */
void stat_printer_release(struct stat_printer *p);

#endif
