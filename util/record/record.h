/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording: from settings to a perf.data file.
 *
 *	options --record/settings.h--> record_configure() --> attrs of the events
 *	kernel --rings--> record_run() --[record/sink.h]--> data_writer --> file
 *
 * settings.h says what to record, sink.h what may be between rings and file; this header declares
 * the recorder itself.
 *
 * Order of calls, each 0 or -errno with a reason:
 *	record_configure()  the request -> the events' attrs
 *	record_open()       opens everything; nothing on disk has changed yet
 *	record_start()      creates the file, writes what already runs
 *	record_run()        until the workload, the targets or the user end it
 *	record_close()      events and rings; the writer is left to the caller
 * record_start() also gives the writer the header's facts; the caller adds those that need a second
 * pass over the data (build IDs).
 * Threads: the caller's, and while record_run() runs those of settings.threads: each empties its
 * rings into separate files. The signal handlers that record_run() needs are installed by
 * loop_signals(); they only set flags and wake the poll.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/context.h"
#include "base/text.h"
#include "data/writer.h"
#include "live/control.h"
#include "live/live.h"
#include "live/loop.h"
#include "record/settings.h"
#include "record/sink.h"
#include "synth/synth.h"

struct sys;

/*
 * Adds cycles, as precise as the machine can sample it, without guests unless ctx says so (NULL: it
 * does not); live_open() may open cpu-clock instead. On AMD guests are included: IBS samples
 * precise cycles there, cannot filter and refuses exclude_guest, so the samples would not be
 * precise.
 */
void record_add_default_event(const struct context *ctx, const struct sys *sys,
			      struct event_set *set);
/*
 * Registers that a sample with a call chain by frame pointers must carry to find the caller of a
 * function without a frame: the link register, where the kernel's chains lack it.
 */
struct arch;
u64 record_leaf_regs(const struct arch *a);
/* Puts all events into the group of the first. */
void record_make_group(struct event_set *set);
/* Makes the kernel drop hits of tracepoints in this process. */
void record_exclude_self(struct event_set *set);
/*
 * Fills in the attrs. Adds the event that carries side-band records where no event runs from the
 * start.
 */
int record_configure(struct event_set *set, const struct record_settings *s, const struct target *t,
		     bool workload, struct reason *r);
/* Settles the sizes of AUX areas, for events that have one; called before record_configure(). */
int record_settle_aux(struct event_set *set, struct record_settings *s, struct reason *r);
/* Returns the event whose side-band records report what ran. */
const struct event *record_tracking_event(const struct event_set *set);
/* Reports whether any event writes into a ring that keeps the newest records (overwrite). */
bool record_keeps_newest(const struct event_set *set);

/* Counts made while writing. */
struct record_counts {
	u64 wakeups; /* times that a ring or a signal ended the wait */
	u64 samples;
	u64 own;           /* samples of the recorder itself, which were left out */
	u64 lost;          /* records that did not fit in a ring, by LOST records */
	u64 lost_samples;  /* by the counters themselves, where the kernel has them */
	u64 throttled;     /* times the kernel stopped an event for a while */
	VEC(u64) of_event; /* samples, by event; empty: they are not counted one by one */
	/*
	 * of the loop, in ns: its duration, and of it the time for emptying rings and waiting for a
	 * CPU
	 */
	u64 ran_ns, emptying_ns, waited_ns;
};

/* filter.c: BPF programs that drop samples, of the events with a filter. Zero bytes are none. */
struct record_filters {
	struct context *ctx;
	struct live *live; /* borrowed */
	VEC(struct record_filter) list;
};
int record_filters_open(struct record_filters *all, struct context *ctx,
			const struct event_set *set, struct live *live,
			struct reason *r) MUST_CHECK;
/* Returns how many samples of the event were dropped so far. */
u64 record_filter_dropped(const struct record_filters *all, const struct event *ev);
/* Warns of samples that the programs did not see.  Once, before record_filters_close(). */
void record_filters_say_missed(struct record_filters *all);
void record_filters_close(struct record_filters *all);

/*
 * user.c: -u. Returns why the samples of these events cannot be filtered by user (why has the
 * text), or NULL; the next function returns their filters.
 */
const char *record_user_unfiltered(const struct event_set *set, bool names_tasks,
				   struct reason *why);
int record_user_filter(struct event_set *set, u32 uid, struct reason *r) MUST_CHECK;

struct record_stacks;
struct carried_tasks;
struct held_programs;

/* One counter that lost samples. */
struct record_loss {
	const struct event *event;
	s32 cpu;      /* -1: any */
	pid_t thread; /* -1: any */
	u64 lost;
};

struct recorder {
	struct context *ctx;
	const struct record_settings *settings;
	struct event_set *set;
	struct target *target;
	const struct sys *sys;                 /* the machine that is recorded; NULL: this host */
	const struct live_backend *backend;    /* NULL: the kernel */
	struct workload *workload;             /* NULL: none */
	struct record_programs *user_programs; /* BPF programs that are events; NULL: none */

	/*
	 * The caller's end of a file: features that need a second pass, data_finish(),
	 * the new name.  Only for switch_output.
	 */
	int (*finish)(void *arg, struct reason *r);
	void *finish_arg;
	const struct record_sink *sink; /* set before record_start(); NULL: rings to file */
	/* The events as the file describes them, if a sink changes their samples; NULL: set. */
	const struct event_set *written;
	struct control *control;        /* NULL: none */
	void (*tell)(const char *text); /* what control has to say: whole lines */
	int argc;                       /* the count for the whole program, for the header */
	const char **argv;

	/* set by the calls */
	u64 begun;          /* ns of CLOCK_BOOTTIME, when the first file began */
	u64 begin_bytes;    /* bytes of the current file once its beginning was written */
	bool running;       /* the target runs: much may have changed since the beginning */
	bool counts_events; /* samples of each event are counted, set by the caller */
	struct record_trigger *trigger;                /* --switch-output-event; NULL: none */
	bool switch_asked, snapshot_asked, stop_asked; /* by control */
	struct strlist files;                          /* the finished ones */
	size_t dropped;             /* how many of these were removed for switch_output.max_files */
	struct held_programs *held; /* NULL: nothing is held for the build-id cache */
	struct carried_tasks *carried; /* NULL: files do not end by their size */
	bool left; /* rings have records for which the file that ends has no room */
	struct live *live;
	struct data_writer *writer;
	/* the files of a directory, by ring; NULL: all goes into writer */
	struct data_writer **parts;
	struct record_stacks *stacks; /* NULL: not settings->live_stacks */
	struct off_cpu *off_cpu;      /* NULL: not settings->off_cpu */
	struct record_counts counts;
	VEC(struct record_loss) losses; /* after record_run() */
	struct live_times *timed;       /* by event, up to the end of the last file */
	struct record_filters filters;
	bool size_limit_reached;
	bool ended_as_asked; /* ended by --timeout, --max-size or --control, not by the workload */
	struct bpf_programs programs;
	int wake_fd;
};

/*
 * Starts events each of whose samples starts a new file. They are opened on the recorder's target
 * (without a workload: on all CPUs) and not recorded. Called before record_run().
 */
int record_trigger_start(struct recorder *rec, struct event_set *set, struct reason *r);

/* features.c, for each file */
void record_features(struct recorder *rec, int argc, const char **argv);
/* Adds the BPF programs at a file's start (a stream has features only there) and at its end. */
void record_bpf_features(struct recorder *rec);

static inline const struct event_set *record_written_set(const struct recorder *rec)
{
	return rec->written ? rec->written : rec->set;
}

int record_open(struct recorder *rec, struct reason *r);
int record_start(struct recorder *rec, struct reason *r);
/* Begins a file with everything that record_start() puts in. */
int record_begin_file(struct recorder *rec, struct reason *r);
/* Adds what comes only at a file's end (tail_synth); called before data_finish(). */
int record_end_file(struct recorder *rec, struct reason *r);
/* control.c: carries out the commands that have arrived. */
void record_obey_control(struct recorder *rec);
/* Pauses the counting of all events but the side-band ones. */
int record_pause(struct recorder *rec);
/* rotate.c: finish(), then a new file. */
int record_switch_file(struct recorder *rec, struct reason *r);
/* Puts the time into the name of the finished file; *name: the caller frees it. */
int record_stamp_file(struct recorder *rec, char **name, struct reason *r);
int record_run(struct recorder *rec, struct reason *r);
void record_close(struct recorder *rec);

/*
 * Stacks unwound beside the write path (--call-graph dwarf,live).
 *
 * The loop copies the contents of a ring and frees the ring immediately. A separate thread puts the
 * records in order, unwinds a sample when every ring was emptied past its time, and leaves records
 * with ordinary call chains for the loop to write. If it lags beyond a bound, the rest waits in an
 * unlinked file in TMPDIR (/tmp), so nothing is dropped because it is slow. What a file has no room
 * for (--switch-output=SIZE, --max-size) waits for the next one. Executable files are opened when
 * their mapping is reported, and kept open until the end.
 *
 * record_open() makes it when the settings ask for it, record_close() ends it.
 *
 * After record_run(), record_stacks_ends() returns how many stacks ended for each reason (enum
 * unwind_end), and record_stacks_spilled() how many bytes had to wait on disk.
 */
const u64 *record_stacks_ends(const struct record_stacks *s);
/* Appends why stacks were cut off, a line for each object and reason. */
void record_stacks_cut_text(const struct record_stacks *s, struct strbuf *out);
u64 record_stacks_spilled(const struct record_stacks *s);
/* Returns how many bytes were read in place in a ring. */
u64 record_stacks_uncopied(const struct record_stacks *s);
/* Returns how often the worker's priority was raised. */
u64 record_stacks_hurries(const struct record_stacks *s);
/* Sets the counts of samples to those in the files. */
void record_stacks_counts(const struct record_stacks *s, struct record_counts *c);

/*
 * held.c: executable files that a command, or anything on the machine, maps while it is recorded,
 * so the build ID cache can take files that have gone by the end. NULL: not for such a target, or
 * not permitted; names are then missing. After record_open(), before the target runs.
 */
struct image;
struct build_id;
struct held_programs *held_new(const struct recorder *rec);
/* Holds the mappings in the records of running processes to which no name may lead later. */
void held_note_running(struct held_programs *h, const void *records, size_t size);
void held_stop(struct held_programs *h);
/*
 * Returns the path of a held image, for rewrite_objects.held after held_stop(), or NULL. The caller
 * frees it.
 */
char *held_path(void *arg, const struct image *img);
/* For rewrite_objects.held_id. */
bool held_id(void *arg, const struct image *img, struct build_id *id);
void held_free(struct held_programs *h);

/*
 * truth.c: shares of whole stacks and named samples stay unknown.  After record_run(), before
 * record_close(); names of events are the set's.
 */
struct truth;
void record_find_truth(const struct recorder *rec, struct truth *t);
/* Does more than one event take samples? */
bool record_has_several(const struct event_set *set);

/* What is known about records that were lost. */
struct loss_facts {
	u64 lost;
	u64 ring; /* bytes of each */
	bool ring_may_grow;
	u64 ran_ns, emptying_ns, waited_ns;
	u32 stack_bytes;   /* copied with each sample, 0: none */
	bool freq_applies; /* some event is sampled by frequency */
	u64 freq, period;
};
/* Fills in the facts about loss; called before record_close(). */
void record_loss_facts(const struct recorder *rec, struct loss_facts *f);
/* Adds the likeliest cause in half a sentence, and the one thing that would have helped. */
void record_explain_loss(const struct loss_facts *f, struct strbuf *cause, struct strbuf *remedy);
/* Returns how many ns this thread was ready but had no CPU; 0 if the kernel does not count them. */
u64 record_waited_ns(void);

#endif
