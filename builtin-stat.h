/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf stat: builtin-stat.c asks, builtin-stat-run.c measures. */
#ifndef BUILTIN_STAT_H
#define BUILTIN_STAT_H

#include <sys/resource.h>

#include "base/context.h"
#include "builtin-session-probe.h"
#include "event/parse.h"
#include "live/control.h"
#include "live/live.h"
#include "stat/metrics.h"
#include "stat/stat.h"
#include "sys/topology.h"

/* A root port of --iostat: a stack of a die. */
struct stat_port {
	char *pmu, *name; /* "uncore_iio_0", "0000:00" */
	u32 die, first_event;
};

struct stat_settings {
	bool system_wide, null_run, append, big_num, sync, scale, merge, table, summary, quiet;
	bool inherit, group, all_user, all_kernel, json, metric_only, hide_zero, csv_summary;
	bool percore_show_thread, hybrid_merge, interval_clear, affinity;
	bool metric_only_given;
	bool to_freeze;	    /* the CPU's counters run on in SMIs, and must not for --smi-cost */
	bool frozen_on_smi; /* by us, until stat_thaw() */
	bool transaction, smi_cost, topdown, bpf_counters;
	int detailed, by, verbose, topdown_level;
	const char *cache_level, *for_each_cgroup, *control_text, *iostat, *bpf_prog;
	VEC(struct stat_port) ports; /* of --iostat, by name */
	char *core_pmu; /* of --cputype */
	const char *bpf_attr_map;
	struct strlist metric_names; /* of -M */
	struct metric_set metrics;
	bool metric_no_group, metric_no_merge, metric_no_threshold;
	bool record; /* perf stat record: output is its file */
	int full_argc;
	const char *const *full_argv; /* of the whole command, for the file's header */
	size_t next_cgroup; /* first event that -G has not looked at */
	u64 repeat, interval, timeout, interval_count; /* ns, and counts */
	int delay;				       /* ms; -1: start disabled */
	const char *pids, *tids, *cpus, *output, *separator, *pre, *post;
	int log_fd;
	struct event_set set;
	struct event_parser parser;
	struct session_probes probes; /* of this session alone */
	struct sys sys;
};

/* One invocation: what is measured, how it is added up, where it goes. */
struct stat_session {
	struct context *ctx;
	struct stat_settings *s;
	const char *const *argv; /* the command; NULL: none */
	char *title;		 /* 'CMD ARGS', "system wide" ... */
	struct target target;
	struct cpu_topology topology;
	struct stat_domains domains;
	struct stat_table table;
	struct stat_style style;
	struct live *live;
	const struct live_backend *backend; /* NULL: the kernel */
	struct control control;
	bool disabled_by_control;
	struct workload workload;
	struct rusage usage; /* of the workload */
	VEC(double) runs;    /* seconds */
	int fd;		     /* where results go */
	int write_err;	     /* -errno of the first write there that failed */
	u64 started, interval_start; /* ns */
	unsigned intervals;
	struct data_writer *writer; /* perf stat record, or NULL */
	struct strbuf records;	    /* STAT records of this round */
	bool from_file;		    /* perf stat report */
	bool cut_short; /* --timeout or --interval-count ended the command */
	bool ready; /* domains and table are there */
};

/* builtin-stat-options.c: as options_parse(). */
int stat_parse_options(struct stat_settings *s, int *argc, const char **argv);
/* "3", "L3", "l3d" -> 3; NULL -> 0: each CPU's last cache. */
int stat_cache_level(const char *text, u32 *level, struct reason *r);
/* builtin-stat-events.c: what is counted, after all options are known. */
int stat_choose_events(struct stat_settings *s, struct reason *r);
/*
 * For --smi-cost the CPU's counters stop in SMIs as long as they are measured: between these two.
 * The first is called once signals are caught, since a process that dies in between leaves them so.
 */
int stat_freeze(struct stat_settings *s, struct reason *r);
void stat_thaw(struct stat_settings *s);
/* Refuses what needs hardware or BPF that is not there. */
int stat_check_hardware(struct stat_settings *s, struct reason *r);
/* Refuses events of uncore PMUs; for measurements of tasks. */
int stat_check_uncore(const struct stat_settings *s, struct reason *r);
/* builtin-stat-warn.c: groups that never ran, shares that are too small. */
void stat_warn(struct stat_session *q);
/* builtin-stat-iostat.c: -EOPNOTSUPP without a reason when no PMU tells of ports. */
int iostat_find_ports(struct stat_settings *s, struct reason *r);
int iostat_add_events(struct stat_settings *s, struct reason *r);
void iostat_print(const struct stat_session *q, struct strbuf *b, const char *prefix, bool head);
/* --iostat=list */
void iostat_list(struct stat_session *q);
void iostat_release(struct stat_settings *s);
/* builtin-stat-record.c: each does nothing unless a file is written. */
struct data_writer;
int stat_record_begin(struct stat_session *q, struct reason *r);
void stat_record_count(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		       const struct live_count *c);
int stat_record_round(struct stat_session *q, bool final, u64 time, struct reason *r);
int stat_record_end(struct stat_session *q, bool failed, struct reason *r);
/* builtin-stat-report.c: a command of its own. */
int stat_report(struct context *ctx, int argc, const char **argv);
/* thousands: room for the locale's separator, as long as the style lives. */
void stat_choose_style(struct stat_session *q, char *thousands, size_t size);
/* In front of the rows of an interval that ends at time (ns); the caller frees it. */
char *stat_interval_prefix(const struct stat_settings *s, u64 time);
/* The rows of an interval, with a head now and then. */
/*
 * When the next interval ends: the first time after now that is due or any number of lengths later.
 * What comes late is not made up for, and moves none of the others.  All in ns.
 */
u64 stat_next_interval(u64 due, u64 length, u64 now);
void stat_print_interval(struct stat_session *q, struct strbuf *b, const char *prefix);
/* Writes text where results go; a failure is kept for the end of the run. */
void stat_write(struct stat_session *q, const struct strbuf *b);
/* The whole at the end. */
void stat_print_results(struct stat_session *q);
/* Is it the command alone that is counted, from its exec on? */
bool stat_counts_command(const struct stat_session *q);
/* Every run or interval, with its results printed. */
int stat_run_all(struct stat_session *q, struct reason *r);
/* builtin-stat-control.c: obeys all commands that have come; true: stop. */
bool stat_obey_control(struct stat_session *q);
/* Number of the signal that ended the measurement, 0: none. */
int stat_signal(void);
/*
 * The command on a machine: NULL, the one that we run on.  Tests give a tree of
 * files and counters of their own.
 */
int stat_on(struct context *ctx, const struct sys *sys, const struct live_backend *backend,
	    int argc, const char **argv);

#endif
