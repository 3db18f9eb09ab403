/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the component: options, the state of tasks and processes, lines and tables. */
#ifndef BUILTIN_TRACE_INTERNAL_H
#define BUILTIN_TRACE_INTERNAL_H

#include "analysis/analysis.h"
#include "base/out.h"
#include "bpf/bpf.h"
#include "bpf/trace.h"
#include "builtin/trace/trace.h"
#include "live/live.h"
#include "record/record.h"
#include "syscalls/syscalls.h"
#include "tracepoint/tracepoint.h"
#include "watch/watch.h"

enum { FAULTS_MAJOR = 1, FAULTS_MINOR = 2 };
enum { FAULTS_MIN_CONFIG = 5, FAULTS_MAJ_CONFIG = 6 }; /* PERF_COUNT_SW_PAGE_FAULTS_* */
enum summary_mode { SUMMARY_THREAD, SUMMARY_TOTAL, SUMMARY_CGROUP };

struct trace_options {
	bool all, inherit, force, full_time, failures, summary, with_summary, errno_summary, hist;
	bool comm, syscalls, syscalls_given, sched, print_sample, sort_events, libtraceevent,
		tool_stats, show_cpu;
	bool signals, kernel_graph, json, bpf, force_btf, bpf_summary, mode_given;
	bool show_time, show_duration, no_names, zeros, prefix;
	const char *cpus, *pids, *tids, *user, *cgroup, *output, *input, *ring, *filter_pids;
	const char *separator, *path, *fds, *on, *off;
	bool on_off_events;
	unsigned faults;
	unsigned min_stack, max_stack, max_summary, text_limit, alignment;
	u64 max_events, delay, map_timeout;
	enum summary_mode summary_mode;
	u64 least_duration;
	struct strlist words; /* the words of -e that name calls */
};

/* What calls of one number did, of one task or of all. */
struct call_stats {
	u64 index; /* stats_index() */
	u64 calls, errors, total, min, max;
	u64 unseen;     /* how many of the calls had no visible entry, and therefore no duration */
	double squares; /* sum of squares, ns * ns */
	u64 buckets[TRACE_BUCKETS];
	VEC(struct errno_count {
		u32 err;
		u64 count;
	})
	errnos;
};
struct stats_table {
	VEC(struct call_stats) list;
	struct map64 by_index;
};
/*
 * Returns the row of a call. All numbers above the largest possible call share one, however many a
 * program invents.
 */
static inline u64 stats_index(u32 nr, bool compat)
{
	return MIN(nr, (u32)TRACE_ROWS) | (u64)compat << 32;
}
struct call_stats *stats_get(struct stats_table *t, u64 index);
/* Adds a call to the statistics. timed means that duration is valid. */
void stats_add(struct stats_table *t, u64 index, bool timed, u64 duration, s64 result);
void stats_add_errno(struct call_stats *s, u32 err, u64 count);
void stats_merge(struct stats_table *to, const struct stats_table *from);
double stats_average(const struct call_stats *s);   /* ns */
double stats_deviation(const struct call_stats *s); /* percent */
/* Sorts rows by time and errors by number; nothing can be added after it. */
void stats_sort(struct stats_table *t);
void stats_release(struct stats_table *t);
struct trace;
/* Returns the ABI that the row belongs to where that is not the machine's own, or NULL. */
const char *stats_abi(const struct trace *t, u64 index);
/* Adds "close", or "[i386] close". */
void stats_label(const struct trace *t, u64 index, struct strbuf *b);
const char *stats_name(const struct trace *t, u64 index); /* good until the next one */

/* A task that made a call. */
struct trace_task {
	u32 pid, tid;
	char comm[16];
	bool pending; /* its call was begun, and no line shows it */
	bool shown;   /* a line that ends in "..." showed it */
	bool quiet;   /* the pending call is not to be shown */
	struct trace_call call;
	u8 *items; /* the items of the pending call */
	u32 items_space;
	u64 events, faults_major, faults_minor;
	u64 runtime; /* ns, --sched */
	struct stats_table stats;
	u64 cgroup;        /* --summary-mode=cgroup: a cgroup takes the place of a task */
	char *cgroup_name; /* its path, printable */
	size_t place;      /* in task_list */
	u64 life;          /* struct trace_sum_key's who; 0: the BPF programs did not count it */
	bool ended;
};

/* Descriptors and working directory of a process, as far as its calls reveal them. */
struct trace_process;

/* What the samples of an event are. */
enum bound_kind { BOUND_EVENT, BOUND_ENTER, BOUND_EXIT, BOUND_FAULT, BOUND_RUNTIME, BOUND_SIGNAL };
struct bound_event {
	u8 kind;
	bool known;                    /* kind is valid */
	bool hidden;                   /* -i: -e and -F ask for others */
	struct filter_program *filter; /* -i; NULL: all */
	const struct tracepoint_format *format;
	const struct tracepoint_field *number, *value; /* id; args or ret; runtime */
	u64 printed;
};

/*
 * Tasks that ended are kept for a while, since their parents' lines name them. Then they are
 * dropped, so a trace of weeks keeps little more than the living tasks.
 */
enum { ENDED_KEPT = 1024 };
struct ended_tasks {
	u32 tids[ENDED_KEPT];
	size_t next;
	u64 seen, most; /* tasks; at once */
};

/* -e FILE.o */
struct trace_object {
	char *path;
	struct bpf_run *run;
	VEC(struct trace_output {
		char *map;
		struct event *event; /* belongs to the set */
	})
	outputs;
};

struct trace {
	struct context *ctx;
	struct trace_options o;
	struct analysis a;
	struct out out;
	int out_fd; /* to close; -1: none */
	struct syscall_book *native, *compat;
	struct syscall_set want, want_compat;
	bool selected; /* -e named calls */
	bool excluded; /* -e '!...' */
	bool follows;  /* calls that -e leaves out also come, where they change descriptors */
	struct syscall_style style;
	struct event_set set; /* the events of -e and our own */
	struct record_settings settings;
	struct target target;
	u32 *left_out; /* --filter-pids */
	size_t left_out_count;
	size_t next_cgroup;
	u64 uncounted; /* calls for which the kernel's tables had no room */
	struct workload workload;
	u32 uid; /* of -u */
	bool has_command;
	struct strbuf args, chain, field;

	struct map64 tasks, processes; /* tid, pid -> pointer */
	struct trace_sockets *sockets; /* NULL until a socket is older than perf */
	VEC(struct trace_task *) task_list;
	struct ended_tasks ended;
	struct trace_task *current; /* the task of the last line that was begun */
	u64 base_time;
	u64 events, printed, lost;
	bool many;         /* more than one task was seen: lines name theirs */
	bool done;         /* --max-events, or the reader of the output went away */
	bool strings;      /* what pointers point to is copied */
	bool switched_off; /* --switch-on has not happened, or --switch-off has */
	u64 lost_by_cpu[256];

	struct trace_source_bpf *bpf;
	VEC(struct trace_object) objects;
	/* rings and files */
	struct live *live;
	struct session *session;
	struct tracepoint_formats *own_formats; /* the formats of a live trace */
	const struct tracepoint_formats *formats;
	struct chains *chains;
	struct tracepoint_printer *printer;
	VEC(struct bound_event) bound;          /* by index of the event */
	struct map64 small_spaces, call_places; /* abi.c: what it found out */
};

/* ---- options.c, select.c ---- */
int trace_settle(struct trace *t, bool has_command, struct reason *r);
/*
 * Reports whether the command, if there is one, is what is traced; otherwise it only says for how
 * long.
 */
bool trace_is_of_command(const struct trace *t);
int trace_add_words(struct trace *t, const char *text, struct reason *r);
void trace_select_again(struct trace *t);
bool trace_wants(const struct trace *t, u32 nr, bool compat);

/* ---- tasks.c ---- */
struct trace_task *trace_task_get(struct trace *t, u32 pid, u32 tid, const char *comm);
/* Returns the sums of a cgroup for the summary. */
struct trace_task *trace_cgroup_get(struct trace *t, u64 cgroup);
/*
 * Prepares for the first call of a task that may have the number of one that ended, which keeps its
 * row.
 */
void trace_task_begins(struct trace *t, u32 tid);
/*
 * Returns a task that the BPF programs counted, by struct trace_sum_key's who.
 * trace_task_find_life() returns NULL if there is none.
 */
struct trace_task *trace_task_of_life(struct trace *t, u64 who, u32 pid, const char *comm);
struct trace_task *trace_task_find_life(const struct trace *t, u64 who);
void trace_tasks_free(struct trace *t);
/* Ends a task; with last, also its process. */
void trace_task_end(struct trace *t, struct trace_task *task, bool last);
/* Forgets entries that wait for their exit, which mean nothing after a loss. */
void trace_forget_pending(struct trace *t);

/*
 * source.c: says why strings are pointers; not beside tables, which show none, nor where programs
 * read the output.
 */
void trace_note_pointers(const struct trace *t, const char *why);

/* ---- fds.c, fd_changes.c, selected.c ---- */
struct trace_process *process_get(struct trace *t, u32 pid);
void process_say_fd(struct trace *t, u32 pid, s32 fd, struct strbuf *out);
/* Notes what a call that has ended changed. */
void process_note(struct trace *t, const struct trace_call *c, const struct syscall_call *s);
/* Notes what a call changed whose entry was not seen, so its arguments are unknown. */
void process_note_unseen(struct trace *t, const struct trace_call *c, const struct syscall_call *s);
/* Reports whether the call is one that can change descriptors or the working directory. */
bool process_is_noted(const struct syscall *c);
void process_read_own(struct trace *t, u32 pid); /* the workload inherits our descriptors */
void process_end(struct trace *t, u32 pid);      /* its number may be used again */
void process_forget(struct trace *t, u32 pid);   /* no thread of it is left */
bool process_matches(struct trace *t, const struct trace_call *c, const struct syscall_call *s);
void processes_free(struct trace *t);

/* ---- calls.c ---- */
/* Takes one record of the BPF programs, or one made like it. */
void trace_take_call(struct trace *t, const struct trace_call *c, const u8 *items);
/* Prints a call that is still running as unfinished, before the line of another event. */
void trace_interrupt(struct trace *t);
void trace_say_loss(struct trace *t, u32 cpu, u64 lost);

/* ---- lines.c ---- */
struct trace_line {
	u64 time, duration;
	bool no_time, no_duration;
	const struct trace_task *task;
	u32 cpu;
};
void line_begin(struct trace *t, const struct trace_line *l);
void line_end(struct trace *t);
void line_call(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
	       const struct trace_task *task, bool continued, bool running);
void line_json(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
	       const struct trace_task *task);
/* Prints how a task ended; code is as wait() gives it. */
void line_task_end(struct trace *t, const struct trace_task *task, u64 time, u32 cpu, u32 code);
/* Adds a string for -x: printable, and quoted if it contains the separator. */
void line_field(struct trace *t, const char *text);
void line_separated(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
		    const struct trace_task *task);

/* ---- cgroups.c ---- */
void trace_name_cgroups(struct trace *t);

/* ---- summary.c, summary_values.c ---- */
void trace_summary(struct trace *t);
/* Prints the values of a summary. If task is NULL, they are of all tasks together. */
void summary_values(struct trace *t, const struct trace_task *task, struct stats_table *table,
		    u64 runtime);

/* ---- bpf_setup.c ---- */
bool trace_is_all(const struct trace *t); /* all tasks, of all CPUs or of some */
void trace_bpf_settings(struct trace *t, struct trace_settings *s);         /* before the load */
int trace_bpf_maps(struct trace *t, struct bpf_run *run, struct reason *r); /* after it */

/* ---- bpf.c: the source of calls ---- */
int trace_bpf_open(struct trace *t, struct reason *r);
int trace_bpf_start(struct trace *t, struct reason *r); /* attaches */
int trace_bpf_targets(struct trace *t, u32 state, struct reason *r);
/*
 * Takes the records until `until` (ns of time of the exit or entry; UINT64_MAX: all). Returns how
 * many.
 */
s64 trace_bpf_drain(struct trace *t, u64 until);
bool trace_bpf_alive(struct trace *t);
void trace_bpf_pause(struct trace *t, bool pause);
void trace_bpf_stop(struct trace *t);
/* Adds to the conditions what the programs could not do. */
void trace_bpf_say_losses(struct trace *t);
/*
 * Takes the rows of tasks that have ended out of the kernel's tables once there are many new ones.
 */
void trace_bpf_fold(struct trace *t);
void trace_bpf_sums(struct trace *t);
void trace_bpf_close(struct trace *t);

/* ---- describe.c ---- */
/* Reads names and types of arguments that the table lacks, before calls are traced. */
void trace_describe_calls(struct trace *t);

/* ---- source.c ---- */
/* Opens the BPF programs if they can be used; warns once if strings cannot be shown. */
int trace_choose_source(struct trace *t, struct reason *r);
/*
 * Lists the user's processes and the command, for -u where samples are needed, which no program
 * filters.
 */
int trace_list_user(struct trace *t, struct reason *r);

/* ---- objects.c ---- */
bool trace_is_object(const char *word);
void trace_add_object(struct trace *t, const char *path);
int trace_objects_open(struct trace *t, struct reason *r); /* adds their events to the set */
void trace_objects_configure(struct trace *t);             /* once the events are configured */
int trace_objects_start(struct trace *t, struct reason *r);
void trace_objects_stop(struct trace *t);
void trace_objects_free(struct trace *t);
void trace_print_output(const struct sample *s, struct strbuf *out);

/* ---- abi.c ---- */
/*
 * Takes the call number from a raw_syscalls sample: the bits for the ABI are replaced by
 * TRACE_COMPAT or TRACE_X32. False if the call is not wanted.
 */
bool trace_abi(struct trace *t, const struct session_sample *s, u64 *nr, u8 *flags);

/* ---- live.c, rings.c, file.c, options.c, events.c ---- */
int trace_live(struct trace *t, int argc, const char **argv, struct reason *r);
bool trace_needs_rings(const struct trace *t);
int trace_rings_open(struct trace *t, struct reason *r);
/* output.c: starts the work: FILE of -o becomes FILE.old, and a new file gets the output. */
int trace_start_output(struct trace *t, struct reason *r);
int trace_file(struct trace *t, struct reason *r);
int trace_rings_run_begin(struct trace *t, struct watch **w, struct reason *r);
/*
 * Checks that the events of --switch-on and --switch-off are among these. Returns 0 or -errno with
 * a reason.
 */
int trace_check_switches(const struct trace *t, const struct event_set *set, struct reason *r);
/*
 * Switches printing on or off if --switch-on or --switch-off names the event. Sets *print to
 * whether the event itself is printed.
 */
void trace_switch(struct trace *t, const char *event, bool *print);

/* ---- samples.c ---- */
extern const struct session_ops trace_ops;
int trace_bind(struct trace *t, struct reason *r); /* once the formats and the events are known */

/* ---- asked.c ---- */
int asked_bind(struct trace *t, const struct event *ev, struct bound_event *b, struct reason *r);
bool asked_passes(struct trace *t, const struct bound_event *b, const struct session_sample *s);
void asked_free(struct trace *t);

/* ---- call_events.c ---- */
/*
 * Prints the fields of a tracepoint of system calls; false if it is another one, or its call is not
 * known.
 */
bool call_event_print(struct trace *t, const struct tracepoint_format *f,
		      const struct session_sample *s, struct strbuf *out);
/* Reports whether the field is the number of the call, which the event's name repeats. */
bool call_event_hides(const struct tracepoint_format *f, const char *field);

/* ---- raw_calls.c, events.c ---- */
/* Reads the arguments in the field of raw_syscalls:sys_enter that has them. */
bool raw_read_args(const struct trace *t, const struct tracepoint_field *all,
		   const struct sample *s, u64 args[TRACE_ARGS]);
const char *sample_comm(struct trace *t, const struct session_sample *s);
void raw_enter(struct trace *t, const struct bound_event *b, const struct session_sample *s);
void raw_exit(struct trace *t, const struct bound_event *b, const struct session_sample *s);
void event_fault(struct trace *t, const struct session_sample *s);
void event_other(struct trace *t, struct bound_event *b, const struct session_sample *s);

/* ---- signals.c ---- */
void event_signal(struct trace *t, const struct bound_event *b, const struct session_sample *s);

/* ---- places.c ---- */
/* Prints a place; mode is PERF_RECORD_MISC_*, whose address it is. */
void place_print(struct trace *t, const struct session_sample *s, u8 mode, u64 addr, bool object,
		 bool symbol, struct strbuf *out, bool *mapped);
/* Prints the frames of the sample's call chain, one on each line; returns their number. */
size_t chain_print(struct trace *t, const struct session_sample *s, bool print);
/* Keeps the chain in t->chain, as a member of the next object, for --json. */
void trace_chain_keep(struct trace *t, const struct session_sample *s);

#endif
