/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conveyor: takes in records, sorts them as requested, finds each sample's thread and place,
 * and calls a command's callbacks.
 *
 * Seekable file: pass 1 applies all side-band to the history; pass 2 gives blocks (SESSION_SUMS) or
 * a merged stream (SESSION_ORDERED) to callbacks. Pipe, live ring: one pass over a bounded window
 * that is sorted and flushed at FINISHED_ROUND. Side-band is applied in key order with the samples;
 * late records are counted and reported. A live session can run for days: see session_set_window()
 * and session_compact().
 *
 * Threads: with SESSION_SUMS callbacks run on several workers simultaneously, each with its number
 * (0 .. session_workers() - 1). A command keeps one aggregate per worker and merges them at the
 * end. With SESSION_ORDERED everything runs on the calling thread. The output must not depend on
 * the number of workers.
 *
 * Errors: callbacks return 0 or -errno and keep their own reason. If workers fail, the failure with
 * the least order key wins.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "chain/chain.h"
#include "data/reader.h"
#include "process/history.h"
#include "symbol/symbol.h"
#include "unwind/unwind.h"

enum session_order {
	/* samples in any order, on workers; in order of time where they hold counters */
	SESSION_SUMS,
	SESSION_ORDERED,    /* everything in order of key, on one thread */
	SESSION_FILE_ORDER, /* in the order of the file, unsorted (-D, evlist) */
};

/*
 * A counter that was read with a sample (PERF_SAMPLE_READ), and how far it went since its last
 * reading.
 */
struct session_step {
	const struct event *event;
	u64 change;
};

/*
 * A sample with the values of counters is called back once for each counter that advanced. Each
 * time it is a sample of that counter's event, with the change as its period.
 */
struct session_sample {
	const struct record *record;
	const struct sample *sample;
	struct order_key key;
	const struct task *task;
	u32 comm;             /* history_comm_text() */
	struct location leaf; /* the place of sample->ip */
	/*
	 * All counters that were read with it, also those that did not advance; step is this one's
	 * index.
	 */
	const struct session_step *steps;
	size_t step_count, step;
	u64 stack_end; /* session_end_code() if its stack was unwound just now, or else 0 */
	/* for session_place() */
	struct history_recent *recent;
	struct recent_task *recalled;
};

/* Reports whether this is the first, or the last, callback of its recorded sample. */
bool session_is_first_step(const struct session_sample *s);
bool session_is_last_step(const struct session_sample *s);

struct session;

/*
 * Locates another address of the sample as its task sees it, like history_locate(). Works in the
 * callback that got the sample, if that uses tasks or locations.
 */
static inline bool session_place(struct history *h, const struct session_sample *s, u8 cpumode,
				 u64 addr, struct location *out)
{
	return history_recall_place(h, s->recent, s->recalled, cpumode, addr, &s->key, out);
}

/*
 * What is known of a tracepoint's sample before it is decoded. For nearly all of them, a handler
 * needs only this and a few fields of their raw data.
 */
struct session_point {
	u64 time; /* of its key */
	const struct event *event;
	const u8 *raw;
	u32 raw_size;
	u32 cpu, pid, tid;                   /* as in struct sample_id */
	const struct session_sample *sample; /* NULL until decoded */
	/* for session_point_sample() */
	struct deliver *deliver;
	const struct turn *turn;
};
const struct session_sample *session_point_decode(const struct session_point *p);
/* Returns the whole sample, in the callback that got the point. */
static inline const struct session_sample *session_point_sample(const struct session_point *p)
{
	return p->sample ? p->sample : session_point_decode(p);
}
static inline struct session_point session_point_of(const struct session_sample *s)
{
	const struct sample *sample = s->sample;

	return (struct session_point){
		.time = s->key.time,
		.event = sample->event,
		.raw = sample->raw,
		.raw_size = sample->raw_size,
		.cpu = sample->id.cpu,
		.pid = sample->id.pid,
		.tid = sample->id.tid,
		.sample = s,
	};
}

struct session_ops {
	enum session_order order;
	/* Takes samples. worker is 0 when ordered. */
	int (*sample)(void *arg, unsigned worker, const struct session_sample *s, struct reason *r);
	/*
	 * Takes samples of tracepoints instead of sample(), if they are of the kind that perf's own
	 * commands record. Only in order of time, with no_tasks and no_locations; may be NULL.
	 */
	int (*point)(void *arg, const struct session_point *p, struct reason *r);
	/*
	 * Takes the other records that `want` names (bit t of want[t / 64] for type t); may be
	 * NULL. With SESSION_SUMS they come in pass 1, in file order, on the calling thread. In
	 * ordered mode the history already knows the record.
	 */
	int (*record)(void *arg, const struct record *rec, const struct order_key *key,
		      struct reason *r);
	u64 want[2];
	/*
	 * Called when a task has ended, at its EXIT record, after the history has applied it.
	 * Samples of the task may still follow, from inside exit(). Only in order of time; may be
	 * NULL.
	 */
	void (*task_end)(void *arg, const struct task *task, const struct order_key *key);
	/*
	 * Called every tick_every ns of the records' clock: everything older than now was called
	 * back, and all other records come later. A longer time without records gets one tick, the
	 * latest. Only in order of time; may be NULL.
	 */
	int (*tick)(void *arg, u64 now, struct reason *r);
	u64 tick_every;
	/*
	 * Called when a piece and all before it have been called back, so one call at a time and in
	 * order. If it is not NULL, workers run the callbacks for a piece at a time, a run of
	 * consecutive records. Each worker has its own arg (piece_args, session_workers() of them).
	 * Only in order of time, from a file; not together with tick.
	 */
	int (*piece_end)(void *arg, struct reason *r);
	/*
	 * If not NULL, takes a worker's piece from it, on its thread. piece_end() gets the result
	 * as its arg, on any thread, so no worker waits until earlier pieces are done. When another
	 * piece fails, the caller frees what was taken and not passed to piece_end().
	 */
	void *(*piece_take)(void *arg);
	void **piece_args;
	bool piece_makes; /* piece_end() calls session_piece_made() */
	/*
	 * Reports whether to keep a sample. It makes cheap tests before anything is resolved; NULL
	 * keeps all.
	 */
	bool (*filter)(void *arg, const struct sample *s, const struct order_key *key);
	/* samples with the values of counters come once, as they were recorded */
	bool whole_samples;
	bool no_tasks;     /* the callback does not use task, comm */
	bool no_locations; /* the callback does not use leaf */
	/* likewise, but count samples that cannot be placed after a loss */
	bool no_leaf;
	bool shows_chains; /* report at the end which frame-pointer chains stop immediately */
	/* the callback leaves out some samples: the file's totals do not apply */
	bool some_samples;
	bool judge_chains; /* count chains that the kernel recorded by where they end as well */
	bool no_chains;    /* the callback does not use call chains: stacks are not unwound */
	bool names_kernel; /* functions of the kernel will be named, so read its list meanwhile */
};

struct session_options {
	const char
		*input; /* file, directory or "-"; NULL: "perf.data", or "-" when stdin is a pipe */
	bool force;     /* -f */
	struct data_reader *data; /* input that is open already, or NULL; the session closes it */
	struct symbol_options symbols;
	struct unwind_styles unwind; /* count 0: the default */
	bool no_jitdumps; /* do not read jitdump files; for callers that write recordings */
	/* leave user call chains that were recorded later in their own records */
	bool keep_deferred;
};

int session_open(struct context *ctx, const struct session_options *o, struct session **out,
		 struct reason *r) MUST_CHECK;
/* Returns a session without a file, fed by session_push() (live). */
struct session *session_new_live(struct context *ctx, struct event_set *set,
				 const struct symbol_options *o);
void session_free(struct session *s);
/* Sets where objects to unwind with are looked for first. Call it before anything is read. */
void session_keep_objects(struct session *s,
			  const u8 *(*kept)(void *arg, const struct image *img, size_t *size),
			  void *arg);

/* Reads everything and calls back. */
int session_run(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);

/*
 * Adds the records of a chunk that arrived (live). Push what each ring held, then call
 * session_round(), again and again; call session_flush() at the very end. A round calls back all
 * that the rings of a later round cannot precede: what is not newer than the newest record of the
 * round before. A FINISHED_ROUND record in a chunk is a round as well. The chunk's bytes are
 * copied.
 */
int session_push(struct session *s, const struct session_ops *ops, void *arg,
		 const struct data_chunk *c, struct reason *r);
/*
 * Does the same without a copy: takes over c->data, which is malloc-ed, or returns it by
 * give_back().
 */
int session_push_owned(struct session *s, const struct session_ops *ops, void *arg,
		       const struct data_chunk *c, struct reason *r);
/*
 * Lent bytes, which their owner may move while the session uses them. The owner makes a copy, sets
 * `bytes` to it, and only then overwrites the old bytes. A reader must check that `bytes` is
 * unchanged before it trusts what it read. Stacks are read in place; all else is copied.
 */
struct session_loan {
	const u8 *bytes; /* atomic; aligned to 8 bytes */
	/* called within the push: the bytes may be moved from here on */
	void (*pushed)(struct session_loan *loan);
	void (*over)(struct session_loan *loan); /* called when the bytes are not needed any more */
};
int session_push_lent(struct session *s, const struct session_ops *ops, void *arg,
		      const struct data_chunk *c, struct session_loan *loan, struct reason *r);
/*
 * Sets where the bytes of session_push_owned() go when they are not needed any more, so their owner
 * can use them again; NULL frees them. Call it before the first push.
 */
void session_set_give_back(struct session *s, void (*give_back)(void *arg, u8 *bytes), void *arg);
/* Drops the records that wait for their turn, without calling back. */
void session_drop_held(struct session *s);
int session_round(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
int session_flush(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
/*
 * Limits the bytes of live records whose turn has not come; 0 means 256 MB. From half of that on,
 * it drops samples as they are pushed: one in two, then three in four, at the limit all of them.
 * stats.dropped counts them. Side-band is always kept, and records are always called back in order.
 */
void session_set_window(struct session *s, u64 bytes);
u64 session_held(const struct session *s); /* bytes that wait now */
/*
 * Decides whether session_push() would drop this sample now, for callers that hold records before
 * they push them.
 */
struct session_shedder {
	u64 samples; /* samples that came under overload */
	u64 dropped;
};
bool session_sheds(struct session_shedder *s, u64 held, u64 most);
/*
 * Live, between two calls of the above: forgets tasks that are gone, with their mappings, names,
 * images, symbols and unwind tables. It waits until enough records have come since the last time to
 * make that worth the effort. The functions (each may be NULL) return what the caller still uses;
 * tasks, comms and images that stay keep their numbers. sweep() lets the caller drop what it made
 * from the other images (line_store_sweep(), files that it holds): the session has closed those
 * images, but they still exist. Returns whether it did anything.
 */
struct session_keep {
	bool (*task)(void *arg, u32 id);
	bool (*comm)(void *arg, u32 comm);
	bool (*image)(void *arg, u32 image);
	void (*sweep)(void *arg, const bool *named);
	/*
	 * For session_trim(): returns the size of what was made from images, without the files held
	 * open for them.
	 */
	u64 (*bytes)(void *arg);
	void (*trim)(void *arg, const bool *named);
	void *arg;
};
bool session_compact(struct session *s, const struct session_keep *keep);
/*
 * Drops tables made from images (symbols, call frame information, the caller's) when they take more
 * than session_set_tables() allows (0: 32 MB). Works live, also between two calls. Drops those of
 * images that the caller does not name, even if these are mapped; they are read again on demand.
 * Returns whether it did anything.
 */
bool session_trim(struct session *s, const struct session_keep *keep);
/*
 * Reads symbols and call frame information again for images whose files have changed. Works live,
 * also between two calls. See symbol_store_renew() for how `images` is read and written. The caller
 * must renew what it made from those images itself.
 */
bool session_renew(struct session *s, bool *images);
void session_set_tables(struct session *s, u64 bytes);
u64 session_tables(const struct session *s); /* bytes that the session's take now */
/* Sets all counts to zero: session_stats(), stack ends, samples and periods of events. */
void session_restart_stats(struct session *s);

/*
 * Announces, from a callback, that the image's symbols will be needed when the samples are read. If
 * threads may be used, one more loads them meanwhile: the kernel takes as long to write its list as
 * many samples take. Only the first image counts.
 */
void session_expect_symbols(struct session *s, u32 image);

/*
 * A job that a callback leaves to any thread that has time, such as making text of what it found.
 * make() runs on any thread while callbacks go on, if there are threads and everything is in order
 * of time; if not, session_give_job() does all of it. put() is called on the thread of the
 * callbacks, for one job after another in the order given. After that the job is the caller's
 * again. All jobs were put when session_run() returns, even if it fails.
 */
struct session_job {
	void (*make)(struct session_job *job);
	void (*put)(struct session_job *job);
};
void session_give_job(struct session *s, struct session_job *job);

/*
 * Reports, from piece_end(), how many bytes were made of the piece. Later pieces get as many
 * records as become about 256 KB, so they stay in a processor's own cache until they are passed on.
 */
void session_piece_made(struct session *s, size_t bytes);

unsigned session_workers(const struct session *s);
struct context *session_context(const struct session *s);
struct data_reader *session_data(struct session *s); /* NULL when live */
/*
 * Returns the path of the copy of the kernel's code beside the data (record --kcore), or NULL. The
 * session owns it.
 */
const char *session_kcore(const struct session *s);
struct event_set *session_events(struct session *s);
struct history *session_history(struct session *s);
/* Returns the session's unwinder, and creates it on the first call. */
struct unwinder *session_unwinder(struct session *s);
struct image_table *session_images(struct session *s);
struct symbol_store *session_symbols(struct session *s);

/* Counted while reading; valid after session_run. */
struct session_stats {
	u64 records[128]; /* by type; the last one counts all greater types */
	u64 total;
	u64 lost_events;   /* sum of LOST */
	u64 lost_samples;  /* sum of LOST_SAMPLES and PERF_FORMAT_LOST */
	u64 lost_chunks;   /* number of LOST records */
	u64 unresolved_id; /* samples of no known event */
	u64 filtered;      /* samples that filter() refused */
	u64 late;          /* records that came after their window was flushed */
	u64 dropped;       /* samples that a live session dropped for lack of room */
	u64 throttled;
	u64 unplaced_after_loss; /* user samples outside all known maps, after records were lost */
	u64 first_time, last_time;   /* ns, of samples */
	u64 stack_ends[UNWIND_ENDS]; /* stacks that were unwound, by why they ended */
};
const struct session_stats *session_stats(const struct session *s);
/* How long events were enabled and counted; an empty list: the recording does not say it. */
struct data_times;
const struct data_times *session_times(const struct session *s);
/* How many samples the file has; 0 until that is known.  Any thread, also during a run. */
u64 session_samples_ahead(const struct session *s);
/* Where user stacks ended, most stacks first; *out is malloc'ed.  After session_run. */
struct session_stack_end {
	u32 image;           /* 0: none, or its number is unknown */
	const char *object;  /* its path; "" if unknown */
	enum unwind_end end; /* UNWIND_ENDS if this version does not know the reason */
	const char *why;     /* the same, as text */
	u64 count;
};
size_t session_stack_ends(const struct session *s, struct session_stack_end **out);
bool session_stack_is_whole(enum unwind_end end);
/* Returns why and in which image (0: not known) a stack ends, as one number above 0. */
static inline u64 session_end_code(u32 image, enum unwind_end end)
{
	return (u64)image << 8 | (end + 1);
}
/* Returns the row for such a number, with a count of 0. */
struct session_stack_end session_end_of_code(const struct session *s, u64 code);
/*
 * By the CFI of its outermost frame: why does a chain end that the kernel recorded?  0: no code is
 * there.  Any thread.
 */
u64 session_chain_end(struct session *s, u32 image, u64 offset);
/*
 * Reports whether the event's chains themselves show how they ended: by that rule, or because they
 * are unwound here.
 */
bool session_chains_speak(const struct session *s, const struct event *ev);
/*
 * Reports whether the event's stacks were unwound before they were written, and the file lists how
 * they all ended.
 */
bool session_lists_ends(const struct session *s, const struct event *ev);
/* Call chains that end too early for a reason that the user can remove; notes name each object. */
struct session_cut_chains {
	u64 count;
	size_t objects;
	const char *object; /* path of the object with most of them */
};
/*
 * Returns the cut chains of the last session_run(). A count of 0 means that they are not worth a
 * line.
 */
struct session_cut_chains session_cut_chains(const struct session *s);
/* Reports whether the kernel followed frame pointers for the user part of the chains. */
bool session_chains_by_pointers(const struct session *s);
/* Returns what the user can do to lengthen the chains, malloc'ed; NULL when nothing helps. */
char *session_stack_hint(const struct session *s, const struct session_stack_end *e);
/* Samples of one event (index), and the sum of their periods. */
u64 session_event_samples(const struct session *s, u32 event);
u64 session_event_period(const struct session *s, u32 event);

#endif
