/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the session component share. session.c opens and closes; gather.c is pass 1;
 * deliver.c turns one record into a callback; sums.c gives blocks to workers. order.c merges blocks
 * by key (turns.c), within the bounds of bound.c; window.c does the same for input that can be read
 * only once. live.c holds what only live sessions need.
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "jit/code.h"
#include "base/bytes.h"
#include "data/stack_ends.h"
#include "data/times.h"
#include "session/session.h"

/* Chains of one image that end after their first frame. */
struct short_chains {
	u32 image;
	u64 count, low, high; /* count, and the offsets of the first and last place */
};

/* The counts of one worker. */
struct event_count {
	u64 samples, period;
};
struct counts {
	struct session_stats stats;
	VEC(struct event_count) events; /* by index */
	struct data_times times;
	struct map64 stack_ends;               /* image << 8 | enum unwind_end -> stacks */
	u64 user_chains;                       /* chains that the kernel recorded */
	VEC(struct short_chains) short_chains; /* those of them that end after their first frame */
	struct map64 short_by_image;           /* image -> index in it */
	u32 short_last;                        /* index of the last one that was counted */
};
void counts_record(struct counts *c, const struct event_set *set, const struct record *rec);
void counts_add_short(struct counts *c, const struct short_chains *more);
void counts_merge(struct counts *into, const struct counts *from);
void counts_release(struct counts *c);

/* Where the current sample's stack is, if it stays in lent bytes. */
struct lent_stack {
	struct session_loan *loan; /* NULL if the stack was copied */
	size_t at;                 /* offset in the lent bytes */
	bool stack;                /* whether the sample has a stack */
};
/*
 * Reports whether the owner has not moved the lent bytes since `bytes` was read. The atomic write
 * orders this check after all earlier reads.
 */
static inline bool session_loan_stayed(struct session_loan *loan, const u8 *bytes)
{
	return __atomic_fetch_add(&loan->bytes, 0, __ATOMIC_ACQ_REL) == bytes;
}

/* One worker's way from a record to the callbacks. */
struct deliver {
	struct session *s;
	const struct session_ops *ops;
	void *arg;
	unsigned worker;
	struct counts counts;
	struct condition_list conditions;
	VEC(u64) chain;  /* the current sample's chain, if its stack was unwound */
	VEC(u64) joined; /* the current sample's chain, if its user part was deferred */
	struct history_recent recent;
	u64 next_tick;        /* ns; 0 until the first record */
	struct sample sample; /* filled by sample_decode_next() */
	/* passed to the callback; ordered reading puts keys into its key */
	struct session_sample out;
	struct record record; /* of the sample, once session_point_sample() has decoded it */
	struct lent_stack lent;
	bool no_history; /* the callback uses only the sample */
};
struct unwind_request;
/*
 * Adds the caller of the leaf to a chain that the kernel recorded, or drops a stale one, on
 * machines with a link register (leaf.c).
 */
void deliver_leaf(struct deliver *d, struct sample *sample, const struct unwind_request *q);
/*
 * Gives a sample with registers and a piece of stack its chain: the kernel's recorded part and the
 * unwound frames. The chain lives until the next sample.
 */
void deliver_unwind(struct deliver *d, struct sample *sample, const struct task *task,
		    const struct order_key *key);
/*
 * Counts a user part of a chain that stops right after its beginning. The sample's task and place
 * are in d->out.
 */
void deliver_count_short(struct deliver *d, const struct sample *sample,
			 const struct order_key *key);
/*
 * Reports whether a sample's chain ends with the cookie of a chain that follows. deliver_join()
 * appends that chain if it has come; it lives until the next sample.
 */
static inline bool sample_defers(const struct sample *s, bool swap)
{
	return s->chain_count >= 2 &&
	       load_u64(s->chain + 8 * (s->chain_count - 2), swap) == PERF_CONTEXT_USER_DEFERRED;
}
void deliver_join(struct deliver *d, struct sample *sample, const struct order_key *key);
/*
 * readings.c: how far the counters in d->sample went since they were last read. The steps are valid
 * until the next call. Records come in order of time, or of the file.
 */
struct readings;
size_t deliver_steps(struct deliver *d, const struct order_key *key,
		     const struct session_step **steps);
bool readings_have_task(const struct readings *rd, u32 task);
/* Forgets the counts of tasks that ended before this time. */
void readings_forget_ended(struct readings *rd, const struct history *h, u64 before);
void readings_free(struct readings *rd);
struct deferred;
/* Keeps a CALLCHAIN_DEFERRED record as soon as it is read (deferred.c). */
void deferred_keep(struct session *s, const struct record *rec);
void deferred_free(struct deferred *f);
void deliver_init(struct deliver *d, struct session *s, const struct session_ops *ops, void *arg,
		  unsigned worker);
/* Adds what was counted and met to the session. */
void deliver_release(struct deliver *d);
/* Adds the counts and conditions to the session's, and keeps what is remembered of recent tasks. */
void deliver_pause(struct deliver *d);
static inline bool ops_want(const struct session_ops *ops, u32 type)
{
	return ops->record && type < 128 && (ops->want[type / 64] >> (type % 64) & 1);
}
/* Reports whether the callbacks take records of this type. */
static inline bool ops_take(const struct session_ops *ops, u32 type)
{
	return (type == PERF_RECORD_SAMPLE && ops->sample) || ops_want(ops, type) ||
	       (type == PERF_RECORD_EXIT && ops->task_end);
}
/* Passes a record to the callback that takes it. Returns 0, or the callback's -errno. */
int deliver(struct deliver *d, const struct record *rec, const struct order_key *key,
	    struct reason *r);
int deliver_sample(struct deliver *d, const struct record *rec, const struct order_key *key,
		   struct reason *r);
/* A record of a block, with its time, which determines its turn. */
struct turn {
	u64 time;
	const struct data_chunk *chunk;
	u32 offset; /* in the block */
	/* offset in the bytes held: the same, except in a copy of the remaining records */
	u32 at;
};
static inline struct order_key turn_key(const struct turn *t)
{
	return (struct order_key){ t->time, t->chunk->file, t->chunk->position + t->offset };
}
/* Delivers turns in order, up to the first callback that fails. */
int deliver_turns(struct deliver *d, const struct turn *turns, u32 count, struct reason *r);

struct turns {
	struct turn *items;
	size_t count, space; /* a VEC */
};
/*
 * Sorts turns by time and keeps the order of equal times; quick where ascending runs are long. May
 * swap the memory of t and scratch.
 */
void turns_sort(struct turns *t, struct turns *scratch);
/*
 * Returns the index, from `from` on, of the first turn in a sorted list that is not before the key.
 */
size_t turns_below(const struct turns *t, size_t from, const struct order_key *key);
/*
 * Merges two ascending lists into one; at equal times, a's come first. Stops when `to` is full or
 * one list has ended.
 */
struct turn *turns_merge(const struct turn **a, const struct turn *a_end, const struct turn **b,
			 const struct turn *b_end, struct turn *to, const struct turn *full);
/* Applies a side-band record to the history; reports a damaged one and skips it. */
void deliver_sideband(struct deliver *d, const struct record *rec, const struct order_key *key);

/* A record that waits for its turn. */
struct entry {
	struct order_key key;
	u32 chunk;  /* window: number of the chunk held */
	u32 offset; /* in its chunk, bytes */
};
struct entries {
	struct entry *items;
	size_t count, space; /* a VEC */
	struct entry *spare; /* scratch memory for the sort */
	size_t spare_space;
};
/* Sorts entries by key; quick where ascending runs are long. */
void entries_sort(struct entries *e);
void entries_release(struct entries *e);

/*
 * A block or chunk in use by ordered reading, with the records that have not gone out, sorted.
 * bound.c limits how much all of them hold.
 */
struct loaded {
	/* the callbacks' thread reads the chunk while other threads write around it */
	u8 before[64];
	struct data_chunk chunk;
	u8 behind[64];
	u8 *copy; /* a copy of the records that are left, once they are few; else NULL */
	struct turns turns;
	size_t at;
};
/* Returns the key of the next record. */
static inline struct order_key loaded_key(const struct loaded *l)
{
	return turn_key(&l->turns.items[l->at]);
}
/* Bytes that it holds. */
size_t loaded_bytes(const struct loaded *l);
/* Releases the chunk and empties the turns, which keep their memory for reuse. */
void loaded_clear(struct loaded *l);
/*
 * Returns a key that divides the turns that are left in two roughly equal parts. The first part is
 * not empty.
 */
struct order_key loaded_middle(struct loaded *const *list, size_t count);
/* Drops the turns from the key on, and their records where that frees much. */
void loaded_cut(struct loaded *l, const struct order_key *from);

/* The least key time of all records from a position of a file on, for files without blocks. */
struct span {
	u32 file;
	u64 position;
	u64 min_time; /* the least time in this span and all after it, once pass 1 is done */
};

struct window;
struct ahead;

/* For jit.c: the code that processes made at run time. */
struct jit_waiting { /* a function whose time has not been reached yet */
	u64 time;
	size_t function; /* number in its file */
};
struct jit_process {
	u32 pid, maj, min;
	u64 ino, generation;
	char *path;            /* the path of the file, as the process names it */
	struct jit_code *code; /* NULL if it cannot be read */
	u64 size;              /* the size of the file when it was last read */
	bool damaged;
	size_t taken;  /* how many functions were queued */
	u64 mapped_at; /* time; 0: before the recording */
	bool settled;  /* the clock has been settled */
	enum { JIT_UNKNOWN, JIT_EXACT, JIT_CYCLES, JIT_SHIFTED } clock;
	u64 shift;
	VEC(struct jit_waiting) waiting; /* sorted by time from `next` on */
	size_t next;
	VEC(u32) parts; /* by number in the file: number in the session + 1; 0 if none yet */
};
struct jit_part {
	struct jit_code *code; /* NULL once dropped */
	u32 part, image;       /* image 0: none */
};
struct session_jit {
	bool off;
	struct jit_clock clock;
	VEC(struct jit_process *) processes;
	struct jit_process *next;   /* the process with the next function of all, or NULL */
	pthread_mutex_t lock;       /* guards parts */
	VEC(struct jit_part) parts; /* by struct image's part */
};

struct session {
	struct context *ctx;
	struct data_reader *data; /* NULL in a live session */
	struct event_set *set;
	struct image_table *images;
	struct history *history;
	struct symbol_store *symbols;
	char *kallsyms, *kcore; /* beside the data, or NULL; kallsyms only if the user named none */
	unsigned workers;
	bool gathered;            /* pass 1 is done */
	u64 samples_ahead;        /* counted by pass 1; read by other threads while workers run */
	size_t build_ids_applied; /* how many ids of the reader's table */
	bool origin_known;        /* the header's architecture or release has been seen */
	u32 images_named;         /* images of a stream when ids were last applied */
	u64 lost_since;        /* time from which on maps may be missing after a loss of records */
	struct counts scanned; /* by pass 1 */
	struct counts counts;  /* what session_stats shows */
	/* of chains that were unwound before recording */
	struct data_stack_ends recorded_ends;
	struct session_cut_chains cut;
	u64 cut_most; /* the largest count of one object */
	VEC(struct span) spans;
	u64 order_most;        /* bytes that ordered reading holds at most */
	struct window *window; /* for input that can be read only once */
	struct ahead *ahead;   /* while a file is read in order */
	u64 tables_most;       /* bytes that tables of images take at most; 0: TABLES_BYTES */
	/* 0, or the size above which to trim: what was left last time, and a quarter */
	u64 trim_above;
	bool keep_deferred;                      /* deferred chains are not joined with samples */
	struct deferred *deferred;               /* NULL until the first one */
	struct readings *readings;               /* NULL until a sample holds counters */
	void (*give_back)(void *arg, u8 *bytes); /* NULL means free() */
	void *give_back_arg;
	struct deliver *live; /* between the pieces of a live session; NULL: not begun */
	struct symbol_loader {
		bool open; /* a run waits for its end */
		atomic_flag taken;
		bool started;
		u32 image;
		pthread_t thread;
	} loader;
	struct session_jit jit;
	struct unwind_styles unwind;
	struct object_search search; /* where the unwinder looks for objects */
	const u8 *(*kept)(void *arg, const struct image *img, size_t *size);
	void *kept_arg;
	struct unwinder *unwinder; /* created for the first stack */
	pthread_mutex_t unwinder_lock;
};

/* Sets up the state of jit.c. */
void session_jit_init(struct session *s);
void session_jit_release(struct session *s);
/*
 * Reports whether the process has mapped this file (jit_find.c). jit_find_dump() returns the path
 * of a readable copy, which the caller frees.
 */
bool jit_is_file(const struct jit_process *p, const struct record_mmap *m);
char *jit_find_dump(const struct session *s, const struct record_mmap *m, bool *kept,
		    struct reason *r);
/*
 * Reads the file that a record names, if it is a jitdump file. The history has applied the record;
 * time is that of its key.
 */
void session_jit_take_record(struct session *s, const struct record *rec, u64 time);
/* Maps the code that was made until this time, before a record of this time is handled. */
void session_jit_map_until(struct session *s, u64 time);
/* Reads what was appended to the files meanwhile, in a stream or live. */
void session_jit_read_more(struct session *s);
/*
 * Returns the object for code that was made, as struct object_search's kept does; NULL for images
 * of other kinds.
 */
const u8 *session_jit_kept(struct session *s, const struct image *img, size_t *size);
const u8 *session_jit_kept_symbols(void *arg, const struct image *img, size_t *size);
void session_jit_sweep(struct session *s, const bool *named);

/* Makes and puts the job now, on this thread. */
static inline void session_do_job(struct session_job *job)
{
	job->make(job);
	job->put(job);
}

/* Lets a thread load what session_expect_symbols() names, until session_end_loader() (sums.c). */
void session_begin_loader(struct session *s, const struct session_ops *ops);
void session_end_loader(struct session *s);
/*
 * Reports whether something other than the kernel unwound the user stacks. Chains then do not show
 * how they ended.
 */
bool session_unwound_before(const struct session *s, const struct perf_event_attr *attr);
/*
 * Reports whether a chain itself shows why it ends, as one that the kernel made from frame pointers
 * does.
 */
bool session_by_pointers(const struct session *s, const struct event *ev);
/* Adds a condition per object and cause for the stacks of this run that were cut off. */
void session_say_stacks(struct session *s, const struct session_ops *ops);
int session_gather(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
void session_apply_build_ids(struct session *s);
/* Applies the build-ids of a stream again after more ids or more images have come. */
void session_apply_new_build_ids(struct session *s);
/*
 * Notes that a LOST record covers the gap since its ring's previous record, whose time is `before`.
 */
static inline void session_note_loss(struct session *s, const struct record *rec, u64 before,
				     u64 time)
{
	if (rec->type == PERF_RECORD_LOST)
		s->lost_since = MIN(s->lost_since, MIN(before, time));
}
int session_run_sums(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
int session_run_ordered(struct session *s, const struct session_ops *ops, void *arg,
			struct reason *r);

struct window *window_new(struct session *s);
void window_free(struct window *w);
/* The owner of a chunk's bytes. All fields are zero when the reader owns them. */
struct window_owner {
	u8 *copy;                  /* malloc-ed, or NULL */
	bool given;                /* the session's give_back() gets it */
	struct session_loan *loan; /* or NULL */
};
/* Takes the chunk over. */
int window_push(struct window *w, struct deliver *d, struct data_chunk *c,
		const struct window_owner *owner, struct reason *r);
void window_drop_held(struct window *w);
/* Ends a round: calls back all records that no later record should precede. */
int window_round(struct window *w, struct deliver *d, struct reason *r);
int window_flush(struct window *w, struct deliver *d, struct reason *r);
void window_limit(struct window *w, u64 bytes);
u64 window_held(const struct window *w);
/* Returns the key before which no record will be called back any more. */
struct order_key window_out(const struct window *w);
/* Counts of images that are dropped belong to none. */
void counts_sweep(struct counts *c, const bool *named);

#endif
