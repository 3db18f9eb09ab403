/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording: from settings to a perf.data file.
 *
 * Order of calls, each 0 or -errno with a reason:
 *	record_configure()  what is asked for -> the events' attrs
 *	record_open()	    opens everything; nothing on disk has changed yet
 *	record_start()	    creates the file, writes what already runs
 *	record_run()	    until the workload, the targets or the user end it
 *	record_close()	    events and rings; the writer is left to the caller
 * record_start() also gives the writer the header's facts; the caller adds those
 * that need a second pass over the data (build-ids).
 * Threads: the caller's, and while record_run() runs those of settings.threads: each
 * empties its rings into files of their own.  The signal handlers that record_run()
 * needs are installed by loop_signals(); they only set flags and wake the poll.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/context.h"
#include "base/text.h"
#include "data/writer.h"
#include "live/control.h"
#include "live/live.h"
#include "live/loop.h"
#include "synth/synth.h"

struct sys;

enum call_graph {
	CALL_GRAPH_NONE,
	CALL_GRAPH_FP,	  /* frame pointers, by the kernel */
	CALL_GRAPH_DWARF, /* registers and a copy of the stack in each sample */
	CALL_GRAPH_LBR,	  /* the CPU's branch records */
};

/* What of the running system is told at a file's begin (--synth). */
enum {
	SYNTH_TASKS = 1,   /* processes and threads, by name */
	SYNTH_MAPS = 2,	   /* what they have mapped */
	SYNTH_CGROUPS = 4,
	SYNTH_ALL = 7,
};

/* When to go on in a new file; the conditions may be combined with none. */
struct record_rotation {
	bool on_signal;	 /* SIGUSR2 */
	bool on_event;	 /* by record_trigger_start() */
	u64 size;	 /* bytes, 0: no */
	u64 time;	 /* ns, 0: no */
	u64 max_files; /* keep the last ones only; 0: all */
};

/* ns since the start in which events count; to 0: up to the end */
struct record_range {
	u64 from, to;
};
/*
 * Samples of the recorder itself.  As usual: left out of what CPUs or a user's processes do,
 * unless a tracepoint is among the events that tells of other processes, too: all but system calls.
 */
enum record_own_samples { OWN_AS_USUAL, OWN_KEEP, OWN_LEAVE_OUT };
/* Where a reader runs: anywhere, or by the CPU of the ring that it empties. */
enum record_affinity { AFFINITY_NONE, AFFINITY_NODE, AFFINITY_CPU };
/* A thread of --threads: the CPUs whose rings it empties, and those that it runs on. */
struct record_thread {
	u32 *cpus, *affinity; /* ascending */
	size_t cpu_count, affinity_count;
};
enum { RECORD_STACK_BYTES = 8192 }; /* copied with a sample when no size is given */
#define RECORD_DELAY_FOREVER UINT64_MAX /* until they are enabled from outside */

struct record_settings {
	/* how often */
	u64 freq;   /* Hz; 0: by period */
	u64 period; /* events for each sample */
	bool freq_given, period_given;
	bool no_samples;

	/* what a sample holds */
	enum call_graph call_graph;
	u32 stack_bytes; /* of CALL_GRAPH_DWARF, a multiple of 8 */
	bool live_stacks; /* of CALL_GRAPH_DWARF: unwound while recording, see below */
	u64 stack_memory; /* bytes of samples that may wait for that in memory; 0: 64 MB */
	u16 max_stack;	 /* frames; 0: the kernel's default */
	bool defer_callchain; /* user part at the return to user space, in a record of its own */
	bool user_callchains, kernel_callchains; /* only this side */
	bool off_cpu_by_switches; /* by a tracepoint and records of switches, not by BPF */
	bool off_cpu; /* waits off the CPU, too: record/offcpu.h */
	u64 off_cpu_threshold; /* ns; longer ones have samples of their own */
	bool data_maps; /* side-band tells of mappings without code, too */
	bool addresses, data_source, phys_addresses, data_page_size, code_page_size, weight, transaction;
	bool stat, running_time, time, raw, cpu, identifier;
	bool time_given; /* time says it, not the target */
	bool period_field_given, period_field;
	u64 branch_filter;	  /* PERF_SAMPLE_BRANCH_*; 0: none */
	u64 user_regs, intr_regs; /* masks of register numbers */

	/* side-band */
	bool namespaces, cgroups, switch_events, build_id_mmap, no_bpf_event;
	bool no_inherit, all_user, all_kernel, no_buffering;
	bool use_clockid;
	s32 clockid;

	/* the file and the end */
	const char *output;
	u64 ring_pages; /* 0: default */
	u64 delay; /* ns before events count, or RECORD_DELAY_FOREVER */
	VEC(struct record_range) ranges; /* of -D: ascending; empty: all the time, or never */
	bool steered; /* --control may switch events */
	u64 max_size;	/* bytes, 0: no limit */
	u64 timeout;	/* ns after which recording ends; 0: none */
	int compress_level; /* of zstd; 0: no compression */
	u64 flush_bytes;    /* a ring with less is left alone, while recording */
	struct record_rotation switch_output;
	bool timestamp_filename; /* the time in the file's name */
	bool overwrite; /* rings keep the newest; written at a switch and at the end */
	unsigned synth; /* SYNTH_* */
	bool tail_synth; /* at a file's end, not at its beginning */
	bool kcore; /* the output is a directory; beside the data a copy of the kernel's code */
	unsigned aio; /* writes that may wait for each ring; 0: none, each is done at once */
	enum record_affinity affinity;
	unsigned synth_threads; /* 0, 1: none but the caller's */
	u64 map_timeout; /* ns for the maps of one process; 0: the usual */
	/* AUX areas: pages of each, 0: default; newest bytes at SIGUSR2 only, 0: all that there is */
	u64 aux_pages, aux_snapshot_bytes;
	bool aux_snapshot, aux_snapshot_at_exit;
	enum record_own_samples own;
	u32 aux_sample; /* bytes in each sample, 0: none */
	/* the output is a directory with a file for each ring; empty: one file, one thread */
	VEC(struct record_thread) threads;
};

/*
 * The text forms of options.  A reason names what is wrong and what there is.
 * "fp", "fp,32", "fp,defer", "dwarf", "dwarf,4096", "lbr"
 */
int record_parse_call_graph(struct record_settings *s, const char *text, struct reason *r);
/* "node", "cpu" */
int record_parse_affinity(const char *text, enum record_affinity *a, struct reason *r);
/* "any,u" ... -> PERF_SAMPLE_BRANCH_* */
int record_parse_branch_filter(const char *text, u64 *mask, struct reason *r);
/* "ax,ip" of this machine, of user space or interrupt; NULL: those that unwinding needs */
int record_parse_regs(const char *text, bool interrupt, u64 *mask, struct reason *r);
/*
 * Registers that a sample with a call chain by frame pointers has to carry, so that the caller of a
 * function without a frame can be found: the link register, where the kernel's chains lack it.
 */
struct arch;
u64 record_leaf_regs(const struct arch *a);
/* "AX BX CX ...": the names of those that the kernel gives */
void record_list_regs(bool interrupt, struct strbuf *out);
/* "monotonic", "mono", "raw", "boottime", "tai", a number */
int record_parse_clockid(const char *text, s32 *id, struct reason *r);
/* -m: ring pages, then with a comma those of AUX areas; either may be missing */
int record_parse_mmap_pages(struct record_settings *s, const char *text, struct reason *r);
/* -S: "", "64K", "64Ke", "e" */
int record_parse_snapshot(struct record_settings *s, const char *text, struct reason *r);
/* --aux-sample: NULL, "8K" */
int record_parse_aux_sample(struct record_settings *s, const char *text, struct reason *r);
/* Pages ("128") or a size ("512K"), rounded up to a power of two of pages. */
int record_parse_ring_pages(const char *text, u64 *pages, struct reason *r);
/* "signal" (also NULL), "100M", "30s" */
int record_parse_switch_output(struct record_settings *s, const char *text, struct reason *r);
/* -D: "500", "2s", "-1", "10-20,30-40" -> delay and ranges */
int record_parse_delay(struct record_settings *s, const char *text, struct reason *r);
/*
 * --threads: "cpu" (also NULL), "core", "package", "numa": a thread for each of these;
 * or CPUS[/AFFINITY][:CPUS[/AFFINITY]...], lists such as 0-3,8.  Rings of CPUs that no
 * thread has are emptied by the main thread.
 */
int record_parse_threads(struct record_settings *s, const char *text, const struct sys *sys,
			 struct reason *r);
/* Does --switch-output ask for several files? */
bool record_switches(const struct record_settings *s);
void record_clear_threads(struct record_settings *s);
void record_settings_release(struct record_settings *s);
/* "no", "all", or of "task", "mmap", "cgroup" those that are named -> SYNTH_* */
int record_parse_synth(const char *text, unsigned *mask, struct reason *r);
/* The highest frequency that the kernel takes, Hz. */
int record_max_freq(u64 *freq, struct reason *r);

/*
 * Adds cycles, as precise as the machine can sample it, without guests unless ctx says so (NULL: it
 * does not); live_open() may open
 * cpu-clock instead.  On AMD guests are included: precise cycles are sampled by IBS there, which
 * cannot filter and refuses exclude_guest, so that the samples would not be precise.
 */
void record_add_default_event(const struct context *ctx, const struct sys *sys, struct event_set *set);
/* All events in the group of the first. */
void record_make_group(struct event_set *set);
/* Tracepoints that hit in this process are dropped by the kernel itself. */
void record_exclude_self(struct event_set *set);
/*
 * Fill the attrs.  Adds the event that carries side-band where no event runs from
 * the start.
 */
int record_configure(struct event_set *set, const struct record_settings *s,
		     const struct target *t, bool workload, struct reason *r);
/* Before record_configure(): the sizes of AUX areas, where an event has one. */
int record_settle_aux(struct event_set *set, struct record_settings *s, struct reason *r);
/* The event whose side-band tells what ran. */
const struct event *record_tracking_event(const struct event_set *set);
/* Does any event write into a ring that keeps the newest (overwrite)? */
bool record_keeps_newest(const struct event_set *set);

/* What was seen while writing. */
struct record_counts {
	u64 wakeups; /* times that a ring or a signal ended the wait */
	u64 samples;
	u64 own; /* samples of the recorder itself, which were left out */
	u64 lost;	  /* records that did not fit in a ring, by LOST records */
	u64 lost_samples; /* by the counters themselves, where the kernel has them */
	u64 throttled;	  /* times the kernel stopped an event for a while */
	/* of the loop, ns: how long it took, in it emptying rings, and waiting for a CPU */
	u64 ran_ns, emptying_ns, waited_ns;
};

/*
 * A consumer of records between the rings and the file: one that looks at samples
 * and hands on something else in their place (a chain instead of a stack).  With one
 * set, nothing goes from the rings to the file by itself: the consumer writes
 * whole records with data_write(rec->writer), what it has no use for
 * unchanged, in turn() only.
 *
 * Both calls come from the thread that runs record_run(), which does nothing else
 * meanwhile: rings fill while they take their time.  A consumer's own threads
 * must not write; they leave their results for the next turn(), and may wake the
 * loop by loop_wake().  Records reach take() as they lie in their ring, which
 * is in order of time except for what a context interrupted.
 * Time: all that was taken before a turn() is older than all that is taken after
 * the next one, so what was taken before the last but one turn() is complete.
 * Exclusive with reader threads, since those have a file for each ring.
 * Errors: 0 or -errno with a reason; recording then ends, the file is whole.
 */
struct record_sink {
	void *arg;
	/* Whole records; memory of the kernel, gone when it returns. */
	int (*take)(void *arg, u32 ring, const struct ring_data *d, struct reason *r);
	/*
	 * Every ring was emptied once (even if nothing came).  all: the file ends here
	 * (the end, or a switch of files), write everything and hold back nothing.  1: the file has
	 * no room for all of it, the rest is for the next one.
	 */
	int (*turn)(void *arg, bool all, struct reason *r);
	/* Records that were written at a file's begin without passing a ring; NULL: no use for them. */
	int (*begin)(void *arg, const void *records, size_t size, struct reason *r);
	/* At a file's end, after turn(): what belongs into its features; NULL: nothing. */
	void (*end)(void *arg, struct data_writer *w);
};

struct record_filter;
struct record_stacks;
struct carried_tasks;

/* One counter that lost samples. */
struct record_loss {
	const struct event *event;
	s32 cpu; /* -1: any */
	pid_t thread; /* -1: any */
	u64 lost;
};

struct recorder {
	struct context *ctx;
	const struct record_settings *settings;
	struct event_set *set;
	struct target *target;
	const struct sys *sys; /* the machine that is recorded; NULL: this host */
	const struct live_backend *backend; /* NULL: the kernel */
	struct workload *workload; /* NULL: none */
	struct record_programs *user_programs; /* BPF programs that are events; NULL: none */

	/*
	 * The caller's end of a file: features that need a second pass, data_finish(),
	 * the new name.  Only for switch_output.
	 */
	int (*finish)(void *arg, struct reason *r);
	void *finish_arg;
	const struct record_sink *sink; /* set before record_start(); NULL: rings to file */
	/* What the file says of the events, where a sink changes their samples; NULL: set. */
	const struct event_set *written;
	struct control *control; /* NULL: none */
	void (*tell)(const char *text); /* what control has to say: whole lines */
	int argc; /* of the whole program, for the header */
	const char **argv;

	/* set by the calls */
	u64 begun;	      /* ns of CLOCK_BOOTTIME, when the first file began */
	u64 begin_bytes;      /* of the file being written: what was told at its beginning */
	bool running;	      /* the target runs: what there is now differs from the begin */
	struct record_trigger *trigger; /* --switch-output-event; NULL: none */
	bool switch_asked, snapshot_asked, stop_asked; /* by control */
	struct strlist files; /* that were switched away from */
	size_t dropped;	      /* of these: removed for switch_output.max_files */
	struct carried_tasks *carried; /* NULL: files do not end by their size */
	bool left; /* rings hold records for which the file that ends has no room */
	struct live *live;
	struct data_writer *writer;
	struct data_writer **parts; /* of a directory: by ring; NULL: all into writer */
	struct record_stacks *stacks; /* NULL: not settings->live_stacks */
	struct off_cpu *off_cpu; /* NULL: not settings->off_cpu */
	struct record_counts counts;
	VEC(struct record_loss) losses; /* after record_run() */
	VEC(struct record_filter) filters; /* filter.c */
	bool size_limit_reached;
	bool ended_as_asked; /* ended by --timeout, --max-size or --control, not by the workload */
	struct bpf_programs programs;
	int wake_fd;
};

/*
 * Events of which any sample asks for a new file.  They are opened on the recorder's
 * target (without a workload: on all CPUs) and not recorded.  Before record_run().
 */
int record_trigger_start(struct recorder *rec, struct event_set *set, struct reason *r);

/* features.c, for each file */
void record_features(struct recorder *rec, int argc, const char **argv);
/* BPF programs: at a file's begin (a stream has features there only) and at its end. */
void record_bpf_features(struct recorder *rec);

static inline const struct event_set *record_written_set(const struct recorder *rec)
{
	return rec->written ? rec->written : rec->set;
}

int record_open(struct recorder *rec, struct reason *r);
int record_start(struct recorder *rec, struct reason *r);
/* A file with all that record_start() puts in. */
int record_begin_file(struct recorder *rec, struct reason *r);
/* What stands only at a file's end (tail_synth); before data_finish(). */
int record_end_file(struct recorder *rec, struct reason *r);
/* control.c: whatever has arrived. */
void record_obey_control(struct recorder *rec);
/* All events but the side-band stop counting. */
int record_pause(struct recorder *rec);
/* rotate.c: finish(), then a new file. */
int record_switch_file(struct recorder *rec, struct reason *r);
/* Put the time in the name of the finished file; *name: the caller frees it. */
int record_stamp_file(struct recorder *rec, char **name, struct reason *r);
int record_run(struct recorder *rec, struct reason *r);
void record_close(struct recorder *rec);

/*
 * Stacks unwound beside the write path (--call-graph dwarf,live).
 *
 * The loop copies what a ring holds and frees the ring at once; a thread of its own
 * puts the records in order, unwinds a sample when every ring was emptied past its
 * time, and leaves records with ordinary call chains for the loop to write.  What it
 * is behind with beyond a bound waits in an unlinked file of TMPDIR (/tmp): nothing is
 * dropped because it is slow.  What a file has no room for (--switch-output=SIZE, --max-size) waits
 * for the next one.  Executable files are opened when their mapping is told
 * and kept until the end.
 *
 * record_open() makes it when the settings ask for it, record_close() ends it.
 *
 * After record_run(): stacks by why they ended (enum unwind_end), and bytes that had to
 * wait on disk.
 */
const u64 *record_stacks_ends(const struct record_stacks *s);
u64 record_stacks_spilled(const struct record_stacks *s);
u64 record_stacks_samples(const struct record_stacks *s); /* in the files */

/*
 * held.c: executable files that a command, or anything on the machine, maps while it is recorded,
 * so that the build-id cache can take what is gone by the end.  NULL: not of such a target, or it
 * is not allowed; names are then missing.  After record_open(), before the target runs.
 */
struct held_programs;
struct image;
struct held_programs *held_new(const struct recorder *rec);
void held_stop(struct held_programs *h);
/* For rewrite_objects.held, after held_stop(). */
char *held_path(void *arg, const struct image *img);
void held_free(struct held_programs *h);

/* What is known about records that were lost. */
struct loss_facts {
	u64 lost;
	u64 ring; /* bytes of each */
	bool ring_may_grow;
	u64 ran_ns, emptying_ns, waited_ns;
	u32 stack_bytes; /* copied with each sample, 0: none */
	bool freq_applies; /* some event is sampled by frequency */
	u64 freq, period;
};
/* Before record_close(). */
void record_loss_facts(const struct recorder *rec, struct loss_facts *f);
/* The likeliest cause in half a sentence, and the one thing that would have helped. */
void record_explain_loss(const struct loss_facts *f, struct strbuf *cause, struct strbuf *remedy);
/* Ns that this thread was ready and had no CPU; 0 where the kernel does not count. */
u64 record_waited_ns(void);

#endif
