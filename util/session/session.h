/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conveyor: records in, in the order asked for, each sample with its thread
 * and place, out to a command's callbacks.
 *
 * Seekable file: pass 1 applies all side-band to the history; pass 2 gives
 * blocks (SESSION_SUMS) or a merged stream (SESSION_ORDERED) to callbacks.
 * Pipe, live ring: one pass over a bounded window that is sorted and flushed at
 * FINISHED_ROUND; side-band is applied in key order with the samples; late
 * records are counted and said.  A live session can run for days: see
 * session_set_window() and session_compact().
 *
 * Threads: with SESSION_SUMS callbacks run on several workers at once, each
 * with its number (0 .. session_workers() - 1), so that a command keeps one
 * aggregate per worker and merges at the end; with SESSION_ORDERED everything
 * runs on the calling thread.  What is printed must not depend on the number of
 * workers.
 * Errors: callbacks return 0 or -errno with their own reason kept; if workers
 * fail, the failure with the least order key wins.
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
	SESSION_FILE_ORDER, /* as it lies in the file, unsorted (-D, evlist) */
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
 * A sample with the values of counters is called back once for each of them that went on, as a
 * sample of that counter's event with the change as its period.
 */
struct session_sample {
	const struct record *record;
	const struct sample *sample;
	struct order_key key;
	const struct task *task;
	u32 comm;             /* history_comm_text() */
	struct location leaf; /* the place of sample->ip */
	/*
	 * All counters that were read with it, also those that stood still; step is this one's
	 * number.
	 */
	const struct session_step *steps;
	size_t step_count, step;
	u64 stack_end; /* session_end_code() of a stack that was unwound just now; 0: none was */
	/* for session_place() */
	struct history_recent *recent;
	struct recent_task *recalled;
};

/* Is it the first or the last callback of its recorded sample? */
bool session_is_first_step(const struct session_sample *s);
bool session_is_last_step(const struct session_sample *s);

struct session;

/*
 * history_locate() of another address of the sample, as its task sees it; in the callback that got
 * the sample, if that uses tasks or locations.
 */
static inline bool session_place(struct history *h, const struct session_sample *s, u8 cpumode,
				 u64 addr, struct location *out)
{
	return history_recall_place(h, s->recent, s->recalled, cpumode, addr, &s->key, out);
}

/*
 * What is known at once of a sample of a tracepoint, before it is decoded: nearly all of them tell
 * a handler no more than this and a few fields of their raw data.
 */
struct session_point {
	u64 time; /* of its key */
	const struct event *event;
	const u8 *raw;
	u32 raw_size;
	u32 cpu, pid, tid;                   /* as in struct sample_id */
	const struct session_sample *sample; /* NULL: not decoded so far */
	/* for session_point_sample() */
	struct deliver *deliver;
	const struct turn *turn;
};
const struct session_sample *session_point_decode(const struct session_point *p);
/* All of it, in the callback that got it. */
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
	/* Samples. worker is 0 when ordered. */
	int (*sample)(void *arg, unsigned worker, const struct session_sample *s, struct reason *r);
	/*
	 * In order of time, with no_tasks and no_locations: samples of tracepoints come here
	 * instead, while they are of the kind that perf's own commands record. NULL: not asked for.
	 */
	int (*point)(void *arg, const struct session_point *p, struct reason *r);
	/*
	 * All other records that want says (bit t of want[t / 64] for type t);
	 * NULL: none.  With SESSION_SUMS they come in pass 1, in file order, on the
	 * calling thread.
	 * In ordered mode the history already knows the record.
	 */
	int (*record)(void *arg, const struct record *rec, const struct order_key *key,
		      struct reason *r);
	u64 want[2];
	/*
	 * In order of time only.  A task has ended: at its EXIT record, after the history knows.
	 * Samples of it may still follow, from inside of exit().  NULL: not asked for.
	 */
	void (*task_end)(void *arg, const struct task *task, const struct order_key *key);
	/*
	 * In order of time only, every tick_every ns of the records' clock: what is older than
	 * now was called back, what is not comes later.  Where nothing happens for longer there
	 * is one tick, for the latest such time.  NULL: not asked for.
	 */
	int (*tick)(void *arg, u64 now, struct reason *r);
	u64 tick_every;
	/*
	 * In order of time, from a file, only: not NULL: workers run the callbacks, each with an
	 * arg of its own (piece_args, session_workers() of them), for a piece at a time, a run of
	 * records that follow each other.  It is called when a piece and all before it have been
	 * called back, so one call at a time and in order.  Not together with tick.
	 */
	int (*piece_end)(void *arg, struct reason *r);
	/*
	 * Not NULL: what has been made of a worker's piece is taken from it, on its thread, and
	 * piece_end() gets that as its arg, on whichever thread: no worker waits until the pieces
	 * before its own are done. What was taken and is not passed to piece_end() because another
	 * piece failed is the caller's to free.
	 */
	void *(*piece_take)(void *arg);
	void **piece_args;
	bool piece_makes; /* it calls session_piece_made() */
	/* Keep a sample? Cheap tests before anything is resolved; NULL: all. */
	bool (*filter)(void *arg, const struct sample *s, const struct order_key *key);
	/* samples with the values of counters come once, as they were recorded */
	bool whole_samples;
	bool no_tasks;     /* the callback does not use task, comm */
	bool no_locations; /* the callback does not use leaf */
	/* likewise, but samples that cannot be placed after a loss are counted */
	bool no_leaf;
	bool shows_chains; /* report at the end which frame-pointer chains stop at once */
	/* the callback leaves out some: what the file says of all does not apply */
	bool some_samples;
	bool judge_chains; /* chains that the kernel recorded are counted by where they end, too */
	bool no_chains;    /* the callback does not use call chains: stacks are not unwound */
	bool names_kernel; /* functions of the kernel will be named: its list is read meanwhile */
};

struct session_options {
	const char
		*input; /* file, directory or "-"; NULL: "perf.data", or "-" when stdin is a pipe */
	bool force;     /* -f */
	struct data_reader *data; /* input, open already, which the session closes; or NULL */
	struct symbol_options symbols;
	struct unwind_styles unwind; /* count 0: the default */
	bool no_jitdumps; /* do not read jitdump files; for callers that write recordings */
	/* user call chains that were recorded later stay records of their own */
	bool keep_deferred;
};

int session_open(struct context *ctx, const struct session_options *o, struct session **out,
		 struct reason *r) MUST_CHECK;
/* A session without a file, fed by session_push (live). */
struct session *session_new_live(struct context *ctx, struct event_set *set,
				 const struct symbol_options *o);
void session_free(struct session *s);
/* Before anything is read: objects whose stacks are unwound come from here first. */
void session_keep_objects(struct session *s,
			  const u8 *(*kept)(void *arg, const struct image *img, size_t *size),
			  void *arg);

/* Read everything and call back. */
int session_run(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);

/*
 * The same from chunks that arrive (live): push what each ring held, then
 * session_round; again and again; session_flush at the very end.  A round calls
 * back all that the rings of a later round cannot precede: what is not newer
 * than the newest record of the round before.  A FINISHED_ROUND record in a
 * chunk is a round too.  The chunk's bytes are copied.
 */
int session_push(struct session *s, const struct session_ops *ops, void *arg,
		 const struct data_chunk *c, struct reason *r);
/* The same without a copy: c->data is malloc-ed and given away, or comes back by give_back(). */
int session_push_owned(struct session *s, const struct session_ops *ops, void *arg,
		       const struct data_chunk *c, struct reason *r);
/*
 * Bytes that stay their owner's, who may move them while the session has them: a copy is made,
 * `bytes` is set to it, and only then what was there before is overwritten. So nothing is believed
 * of what was read until `bytes` is seen to be the same afterwards. Stacks are read where they are,
 * all else is copied.
 */
struct session_loan {
	const u8 *bytes; /* atomic; aligned to 8 bytes */
	/* from within the push: they may be moved from here on */
	void (*pushed)(struct session_loan *loan);
	void (*over)(struct session_loan *loan); /* they are not needed any more */
};
int session_push_lent(struct session *s, const struct session_ops *ops, void *arg,
		      const struct data_chunk *c, struct session_loan *loan, struct reason *r);
/*
 * Where the bytes of session_push_owned() go when they are not needed any more, so that they
 * can be used again; NULL: they are freed.  Before the first push.
 */
void session_set_give_back(struct session *s, void (*give_back)(void *arg, u8 *bytes), void *arg);
/* Drops the records that wait for their turn, without calling back. */
void session_drop_held(struct session *s);
int session_round(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
int session_flush(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
/*
 * Live: hold at most this many bytes of records whose turn has not come (0: 256 MB).  From half
 * of that on samples are dropped as they are pushed, first one in two, then three in four, at
 * the limit all of them, and counted (stats.dropped).  Side-band is always kept, and what is
 * called back is always in order.
 */
void session_set_window(struct session *s, u64 bytes);
u64 session_held(const struct session *s); /* bytes that wait now */
/*
 * Would session_push() drop this sample now?  For callers that hold records before they push them.
 */
struct session_shedder {
	u64 samples; /* samples that came while too much was waiting */
	u64 dropped;
};
bool session_sheds(struct session_shedder *s, u64 held, u64 most);
/*
 * Live, between two calls of the above: forget tasks that are gone, with their mappings, names,
 * images, symbols and unwind tables, once enough records have come since the last time to make it
 * worth the effort.  The functions (each may be NULL) return what the caller still uses; tasks,
 * comms and images that stay keep their numbers.  sweep() lets the caller drop what it made from
 * the other images (line_store_sweep(), files that it holds): the session has closed those images,
 * but they still exist.
 * Returns whether anything was done.
 */
struct session_keep {
	bool (*task)(void *arg, u32 id);
	bool (*comm)(void *arg, u32 comm);
	bool (*image)(void *arg, u32 image);
	void (*sweep)(void *arg, const bool *named);
	/* For session_trim(): what was made from images, without what is held open for them. */
	u64 (*bytes)(void *arg);
	void (*trim)(void *arg, const bool *named);
	void *arg;
};
bool session_compact(struct session *s, const struct session_keep *keep);
/*
 * Live, between two calls as well: when the tables made from images (symbols, call frame
 * information, the caller's) are larger than session_set_tables() (0: 32 MB), those go whose images
 * the caller does not name, though they may be mapped: each is read again when it is asked for.
 * Returns whether anything was done.
 */
bool session_trim(struct session *s, const struct session_keep *keep);
/*
 * Live, between two calls as well: reads symbols and call frame information again of images whose
 * files have changed, see symbol_store_renew(), by whose rules images is read and written.  What
 * the caller made from those images is the caller's to make again.
 */
bool session_renew(struct session *s, bool *images);
void session_set_tables(struct session *s, u64 bytes);
u64 session_tables(const struct session *s); /* bytes that the session's take now */
/* Count from zero again: session_stats(), stack ends, samples and periods of events. */
void session_restart_stats(struct session *s);

/*
 * From a callback: the image's symbols will be asked for when the samples are
 * read.  Where there are threads for it one more loads them meanwhile: the kernel takes as
 * long to write its list as many samples take.  Only the first image is heeded.
 */
void session_expect_symbols(struct session *s, u32 image);

/*
 * Work that a callback leaves to whichever thread has time, such as text of what it found. Where
 * there are threads for it and everything is in order of time, make() runs on any of them while
 * callbacks go on; else all is done at once.
 * put() is called on the thread of the callbacks, for one job after the other in the order in which
 * they were given; from then on the job is the caller's again. All were put when session_run()
 * returns, even where it fails.
 */
struct session_job {
	void (*make)(struct session_job *job);
	void (*put)(struct session_job *job);
};
void session_give_job(struct session *s, struct session_job *job);

/*
 * From piece_end(): so many bytes were made of the piece. Later pieces get as many records as
 * become about 256 KB, so that they stay in a processor's own cache until they have been passed on.
 */
void session_piece_made(struct session *s, size_t bytes);

unsigned session_workers(const struct session *s);
struct context *session_context(const struct session *s);
struct data_reader *session_data(struct session *s); /* NULL when live */
/* The copy of the kernel's code beside the data (record --kcore), or NULL; the session's. */
const char *session_kcore(const struct session *s);
struct event_set *session_events(struct session *s);
struct history *session_history(struct session *s);
/* Made when it is first asked for. */
struct unwinder *session_unwinder(struct session *s);
struct image_table *session_images(struct session *s);
struct symbol_store *session_symbols(struct session *s);

/* Counted while reading; valid after session_run. */
struct session_stats {
	u64 records[128]; /* by type; the last one gathers greater types */
	u64 total;
	u64 lost_events;   /* sum of LOST */
	u64 lost_samples;  /* sum of LOST_SAMPLES and PERF_FORMAT_LOST */
	u64 lost_chunks;   /* number of LOST records */
	u64 unresolved_id; /* samples of no known event */
	u64 filtered;      /* samples that filter() refused */
	u64 late;          /* records that came after their window was flushed */
	u64 dropped;       /* samples of a live session for which there was no room */
	u64 throttled;
	u64 unplaced_after_loss; /* user samples outside all known maps, after records were lost */
	u64 first_time, last_time;   /* ns, of samples */
	u64 stack_ends[UNWIND_ENDS]; /* stacks that were unwound, by why they ended */
};
const struct session_stats *session_stats(const struct session *s);
/* How many samples the file has; 0 until that is known.  Any thread, also during a run. */
u64 session_samples_ahead(const struct session *s);
/* Where user stacks ended, most stacks first; *out is malloc'ed.  After session_run. */
struct session_stack_end {
	u32 image;           /* 0: none, or not known by number */
	const char *object;  /* its path; "": not known */
	enum unwind_end end; /* UNWIND_ENDS: one that this version does not know */
	const char *why;     /* the same, as text */
	u64 count;
};
size_t session_stack_ends(const struct session *s, struct session_stack_end **out);
bool session_stack_is_whole(enum unwind_end end);
/* Why and in which image (0: not known) a stack ends, as one number above 0. */
static inline u64 session_end_code(u32 image, enum unwind_end end)
{
	return (u64)image << 8 | (end + 1);
}
/* The row for such a number, whose count is 0. */
struct session_stack_end session_end_of_code(const struct session *s, u64 code);
/*
 * By the CFI of its outermost frame: why does a chain end that the kernel recorded?  Any thread.
 */
u64 session_chain_end(struct session *s, u32 image, u64 offset);
/*
 * Do the event's chains say themselves how they ended, by that rule or because they are unwound
 * here?
 */
bool session_chains_speak(const struct session *s, const struct event *ev);
/*
 * Were its stacks unwound before they were written, and does the file list how all of them ended?
 */
bool session_lists_ends(const struct session *s, const struct event *ev);
/* Call chains that end too early for a reason that a person can remove; notes name each object. */
struct session_cut_chains {
	u64 count;
	size_t objects;
	const char *object; /* path of the one that has most of them */
};
/* Of the last session_run; count 0: worth no line. */
struct session_cut_chains session_cut_chains(const struct session *s);
/* Did the kernel follow frame pointers for the user part of the chains? */
bool session_chains_by_pointers(const struct session *s);
/* What would lengthen them: malloc'ed, NULL when nothing that a person could do. */
char *session_stack_hint(const struct session *s, const struct session_stack_end *e);
/* Samples of one event (index), and the sum of their periods. */
u64 session_event_samples(const struct session *s, u32 event);
u64 session_event_period(const struct session *s, u32 event);

#endif
