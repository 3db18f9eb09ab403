/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session component's own view of itself.
 *
 * session.c opens and closes; gather.c is pass 1; deliver.c turns one record into a callback;
 * sums.c gives blocks to workers; order.c merges blocks in order of key (turns.c), within the
 * bounds of bound.c; window.c does the same for what can be read only once; live.c is what runs for
 * days.
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "jit/code.h"
#include "base/bytes.h"
#include "data/stack_ends.h"
#include "session/session.h"

/* Chains that end after their first frame, which is in the image. */
struct short_chains {
	u32 image;
	u64 count, low, high; /* offsets of the least and the greatest place */
};

/* What one worker counts. */
struct event_count {
	u64 samples, period;
};
struct counts {
	struct session_stats stats;
	VEC(struct event_count) events;        /* by index */
	struct map64 stack_ends;               /* image << 8 | enum unwind_end -> stacks */
	u64 user_chains;                       /* chains that the kernel recorded */
	VEC(struct short_chains) short_chains; /* those of them that end after their first frame */
	struct map64 short_by_image;           /* image -> index in it */
	u32 short_last;                        /* index of the last one that was met */
};
void counts_record(struct counts *c, const struct event_set *set, const struct record *rec);
void counts_add_short(struct counts *c, const struct short_chains *more);
void counts_merge(struct counts *into, const struct counts *from);
void counts_release(struct counts *c);

/* Where the stack of the sample under way is, if it stays in bytes that are lent. */
struct lent_stack {
	struct session_loan *loan; /* NULL: it is not */
	size_t at;                 /* in them */
	bool stack;                /* there is one */
};
/*
 * Was all that was read there up to now what its owner had lent? What is written to comes after all
 * that was read.
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
	VEC(u64) chain;  /* the chain of the sample under way, when its stack was unwound */
	VEC(u64) joined; /* the chain of that sample, when its user part was deferred */
	struct history_recent recent;
	u64 next_tick;        /* 0: the first record says */
	struct sample sample; /* what sample_decode_next() fills */
	/* what the callback gets; its key is where ordered reading puts keys */
	struct session_sample out;
	struct record record; /* of the sample, where session_point_sample() has decoded it */
	struct lent_stack lent;
	bool no_history; /* the callback asks for nothing but the sample */
};
struct unwind_request;
/*
 * leaf.c: the caller of the leaf in a chain that the kernel recorded, on machines with a link
 * register.
 */
void deliver_leaf(struct deliver *d, struct sample *sample, const struct unwind_request *q);
/*
 * A sample with registers and a piece of stack gets a chain of what was recorded
 * (the kernel's part) and the frames unwound; it lives until the next one.
 */
void deliver_unwind(struct deliver *d, struct sample *sample, const struct task *task,
		    const struct order_key *key);
/* Once the sample's task and place are in d->out: is its user part a chain that stops at once? */
void deliver_count_short(struct deliver *d, const struct sample *sample,
			 const struct order_key *key);
/*
 * deferred.c: does a sample's chain end with the cookie of one that follows? deliver_join() puts it
 * there, if it has come; it lives until the next sample.
 */
static inline bool sample_defers(const struct sample *s, bool swap)
{
	return s->chain_count >= 2 &&
	       load_u64(s->chain + 8 * (s->chain_count - 2), swap) == PERF_CONTEXT_USER_DEFERRED;
}
void deliver_join(struct deliver *d, struct sample *sample, const struct order_key *key);
/*
 * readings.c: how far the counters in d->sample went since they were last read; the steps are good
 * until the next call.  In order of time, or of the file.
 */
struct readings;
size_t deliver_steps(struct deliver *d, const struct order_key *key,
		     const struct session_step **steps);
bool readings_have_task(const struct readings *rd, u32 task);
/* What tasks that ended before this time counted. */
void readings_forget_ended(struct readings *rd, const struct history *h, u64 before);
void readings_free(struct readings *rd);
struct deferred;
/* A CALLCHAIN_DEFERRED record, as soon as it is met. */
void deferred_keep(struct session *s, const struct record *rec);
void deferred_free(struct deferred *f);
void deliver_init(struct deliver *d, struct session *s, const struct session_ops *ops, void *arg,
		  unsigned worker);
/* Adds what was counted and met to the session. */
void deliver_release(struct deliver *d);
/* The same, but it goes on: what it remembers of recent tasks is kept. */
void deliver_pause(struct deliver *d);
static inline bool ops_want(const struct session_ops *ops, u32 type)
{
	return ops->record && type < 128 && (ops->want[type / 64] >> (type % 64) & 1);
}
/* Is the record one for the callbacks? */
static inline bool ops_take(const struct session_ops *ops, u32 type)
{
	return (type == PERF_RECORD_SAMPLE && ops->sample) || ops_want(ops, type) ||
	       (type == PERF_RECORD_EXIT && ops->task_end);
}
/* To whichever callback takes it: 0, or -errno of the callback. */
int deliver(struct deliver *d, const struct record *rec, const struct order_key *key,
	    struct reason *r);
int deliver_sample(struct deliver *d, const struct record *rec, const struct order_key *key,
		   struct reason *r);
/* A record of a block, with what tells when its turn is. */
struct turn {
	u64 time;
	const struct data_chunk *chunk;
	u32 offset; /* in the block */
	/* in the bytes that are there: the same, unless they are a copy of those that are left */
	u32 at;
};
static inline struct order_key turn_key(const struct turn *t)
{
	return (struct order_key){ t->time, t->chunk->file, t->chunk->position + t->offset };
}
/* The same with one after the other, up to the first callback that fails. */
int deliver_turns(struct deliver *d, const struct turn *turns, u32 count, struct reason *r);

struct turns {
	struct turn *items;
	size_t count, space; /* a VEC */
};
/*
 * Ascending by time, where those of one time stay as they are; quick where ascending runs are long.
 * What is scratch may change places with them.
 */
void turns_sort(struct turns *t, struct turns *scratch);
/* Of sorted ones, from number from on: where those end that come before the key. */
size_t turns_below(const struct turns *t, size_t from, const struct order_key *key);
/*
 * Two that ascend become one: the first ones of a time are a's. As many as there is room for, up to
 * the end of one of them.
 */
struct turn *turns_merge(const struct turn **a, const struct turn *a_end, const struct turn **b,
			 const struct turn *b_end, struct turn *to, const struct turn *full);
/* Into the history; a damaged record is noted and passed over. */
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
/* Ascending by key; quick where ascending runs are long. */
void entries_sort(struct entries *e);
void entries_release(struct entries *e);

/*
 * A block or chunk under way in ordered reading: its records that are still to go out, sorted.
 * bound.c keeps what all of them hold within limits.
 */
struct loaded {
	/* the thread of the callbacks reads the chunk while what is around it is written */
	u8 before[64];
	struct data_chunk chunk;
	u8 behind[64];
	u8 *copy; /* a copy of the records that are left, once they are few; else NULL */
	struct turns turns;
	size_t at;
};
/* Of its next record. */
static inline struct order_key loaded_key(const struct loaded *l)
{
	return turn_key(&l->turns.items[l->at]);
}
/* Bytes that it holds. */
size_t loaded_bytes(const struct loaded *l);
/* Also for reuse: turns keep their memory. */
void loaded_clear(struct loaded *l);
/* A key that divides what is left of them in two parts, roughly equal; the first is not empty. */
struct order_key loaded_middle(struct loaded *const *list, size_t count);
/* Leave out turns from the key on, and their records. */
void loaded_cut(struct loaded *l, const struct order_key *from);

/* Least key time of all records from a position of a file on, for what has no blocks. */
struct span {
	u32 file;
	u64 position;
	u64 min_time; /* the least time in this span and all after it, once pass 1 is done */
};

struct window;
struct ahead;

/* Of jit.c: the code that processes made at run time. */
struct jit_waiting { /* a function whose time has not been reached yet */
	u64 time;
	size_t function; /* number in its file */
};
struct jit_process {
	u32 pid, maj, min;
	u64 ino, generation;
	char *path;            /* the path of the file, as the process names it */
	struct jit_code *code; /* NULL: it cannot be read */
	u64 size;              /* the size of the file when it was last read */
	bool damaged;
	size_t taken;  /* functions that wait, or waited */
	u64 mapped_at; /* time; 0: before the recording */
	bool settled;  /* the clock is */
	enum { JIT_UNKNOWN, JIT_EXACT, JIT_CYCLES, JIT_SHIFTED } clock;
	u64 shift;
	VEC(struct jit_waiting) waiting; /* in order of time from next on */
	size_t next;
	VEC(u32) parts; /* by number in the file: number in the session + 1; 0: none yet */
};
struct jit_part {
	struct jit_code *code; /* NULL: gone */
	u32 part, image;       /* image 0: none */
};
struct session_jit {
	bool off;
	struct jit_clock clock;
	VEC(struct jit_process *) processes;
	struct jit_process *next;   /* whose function is the next of all; NULL: none waits */
	pthread_mutex_t lock;       /* guards parts */
	VEC(struct jit_part) parts; /* by struct image's part */
};

struct session {
	struct context *ctx;
	struct data_reader *data; /* NULL: live */
	struct event_set *set;
	struct image_table *images;
	struct history *history;
	struct symbol_store *symbols;
	char *kallsyms, *kcore; /* beside the data, kallsyms where the user named none; or NULL */
	unsigned workers;
	bool gathered;            /* pass 1 is done */
	u64 samples_ahead;        /* counted by it; other threads look while workers run */
	size_t build_ids_applied; /* how many of the reader's list */
	bool origin_known;        /* the header's architecture or release has been seen */
	u32 images_named;         /* images when that was done last, of a stream */
	u64 lost_since; /* time from which on maps may be missing because records were lost */
	struct counts scanned; /* by pass 1 */
	struct counts counts;  /* what session_stats shows */
	/* of chains that were unwound before they were written */
	struct data_stack_ends recorded_ends;
	struct session_cut_chains cut;
	u64 cut_most; /* of one object */
	VEC(struct span) spans;
	u64 order_most;        /* bytes that ordered reading holds at most */
	struct window *window; /* what is read only once */
	struct ahead *ahead;   /* while everything is read in order from a file */
	u64 tables_most;       /* bytes that tables of images take at most; 0: TABLES_BYTES */
	/* what they took when nothing more could go, and a quarter; 0: as much as they may */
	u64 trim_above;
	bool keep_deferred;                      /* deferred chains are not joined with samples */
	struct deferred *deferred;               /* NULL: none met */
	struct readings *readings;               /* NULL until a sample holds counters */
	void (*give_back)(void *arg, u8 *bytes); /* NULL: free() */
	void *give_back_arg;
	struct deliver *live; /* between the pieces of a live session; NULL: not begun */
	struct symbol_loader {
		bool open; /* a run waits for it at its end */
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
	struct unwinder *unwinder; /* made when the first stack comes */
	pthread_mutex_t unwinder_lock;
};

/* jit.c */
void session_jit_init(struct session *s);
void session_jit_release(struct session *s);
/* A record that the history knows by now: does it tell of a file?  time: of its key. */
/*
 * jit_find.c: whether the process has this file; the path of what can be read of it, freed by the
 * caller.
 */
bool jit_is_file(const struct jit_process *p, const struct record_mmap *m);
char *jit_find_dump(const struct session *s, const struct record_mmap *m, bool *kept,
		    struct reason *r);
void session_jit_take_record(struct session *s, const struct record *rec, u64 time);
/* Before a record of this time: map what was made until then. */
void session_jit_map_until(struct session *s, u64 time);
/* Of a stream, or live: the files may have grown. */
void session_jit_read_more(struct session *s);
/* As struct object_search's kept, for the code that was made; NULL: the image is another. */
const u8 *session_jit_kept(struct session *s, const struct image *img, size_t *size);
const u8 *session_jit_kept_symbols(void *arg, const struct image *img, size_t *size);
void session_jit_sweep(struct session *s, const bool *named);

/* Now, on this thread. */
static inline void session_do_job(struct session_job *job)
{
	job->make(job);
	job->put(job);
}

/* sums.c: a thread that loads what session_expect_symbols() says, until the end. */
void session_begin_loader(struct session *s, const struct session_ops *ops);
void session_end_loader(struct session *s);
/*
 * Were the user stacks unwound by something other than the kernel? Then chains do not say how they
 * ended.
 */
bool session_unwound_before(const struct session *s, const struct perf_event_attr *attr);
/* Does the chain itself say why it ends, as one that the kernel made from frame pointers? */
bool session_by_pointers(const struct session *s, const struct event *ev);
/* What the user should know of the stacks of this run: a condition per object and cause. */
void session_say_stacks(struct session *s, const struct session_ops *ops);
int session_gather(struct session *s, const struct session_ops *ops, void *arg, struct reason *r);
void session_apply_build_ids(struct session *s);
/* Of a stream: again when more ids or more images have come. */
void session_apply_new_build_ids(struct session *s);
/*
 * A LOST record covers the gap since its ring's previous record, whose time is `before`.
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
/* Whose the bytes of a chunk are, unless the reader's (all of it zero). */
struct window_owner {
	u8 *copy;                  /* malloc-ed, or NULL */
	bool given;                /* the session's give_back() gets it */
	struct session_loan *loan; /* or NULL */
};
/* Takes the chunk over. */
int window_push(struct window *w, struct deliver *d, struct data_chunk *c,
		const struct window_owner *owner, struct reason *r);
void window_drop_held(struct window *w);
/* The end of a round: all that no later record should precede. */
int window_round(struct window *w, struct deliver *d, struct reason *r);
int window_flush(struct window *w, struct deliver *d, struct reason *r);
void window_limit(struct window *w, u64 bytes);
u64 window_held(const struct window *w);
/* The key before which nothing will be called back any more. */
struct order_key window_out(const struct window *w);
/* Counts of images that are dropped belong to none. */
void counts_sweep(struct counts *c, const bool *named);

#endif
