// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks unwound beside the write path.
 *
 *	ring -> take() -> feed -> worker: session (window, history, unwinder) -> records
 *	with chains -> turn() writes
 *
 * Records stay in their ring until the worker has used them. A stack has 8 KB, of which unwinding
 * reads some hundred bytes, so copying costs more than unwinding. When the worker lags, the feed
 * (feed/feed.h) copies, queues and spills. This file turns a sample into a record in the worker,
 * and passes it back to the loop, which alone writes.
 * Locks: s->lock guards the finished records, the end and the error.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "feed/feed.h"
#include "record/internal.h"
#include "rewrite/rewrite.h"
#include "session/session.h"

enum {
	MANY_DONE = 1 << 20, /* finished bytes that are worth waking the loop for */
	BATCH = 1 << 18,     /* bytes that the worker gathers before it hands them over */
	/* smaller ones are emptied by copying: they have too little room to wait for the worker */
	LARGE_RING = 4 << 20,
};

struct record_stacks {
	struct recorder *rec;
	struct record_sink sink;
	struct event_set written;
	struct context ctx; /* the worker's own */
	struct session *session;
	struct session_ops ops;
	struct kept_objects *kept;
	struct feed *feed;
	bool begun;
	struct record_own own;

	pthread_mutex_t lock;
	pthread_cond_t done;
	struct strbuf finished;
	u64 ends_met; /* ends of files that the worker has come to */
	int err;
	struct reason why;

	/* the loop's */
	struct strbuf rest; /* finished records, from rest_at on, for which the file had no room */
	size_t rest_at;
	u64 ends_asked;
	struct record_counts counts; /* counts the written records */

	struct strbuf batch;      /* the worker's */
	size_t batch_before;      /* its length before the piece under way */
	struct record_ends *ends; /* the worker's, and the loop's between files */
};

/* The worker */

static int on_sample(void *arg, unsigned worker, const struct session_sample *sample,
		     struct reason *r)
{
	struct record_stacks *s = arg;

	(void)worker;
	(void)r;
	if (rewrite_has_stack(&sample->sample->event->attr))
		rewrite_chain(s->rec->set, sample->record, sample->sample, &s->batch);
	else
		strbuf_add(&s->batch, sample->record->data, sample->record->size);
	return 0;
}

/*
 * Reports whether the sample is not one of the recorder itself. The reader leaves those in, so it
 * need not copy what is around them.
 */
static bool is_of_others(void *arg, const struct sample *sample, const struct order_key *key)
{
	const struct record_stacks *s = arg;

	(void)key;
	return !s->own.pid_at || sample->id.pid != s->own.pid;
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct record_stacks *s = arg;

	(void)key;
	(void)r;
	strbuf_add(&s->batch, rec->data, rec->size);
	return 0;
}

/*
 * Hands the batch over. The loop must not wait for a worker of lower priority that copies while it
 * holds the lock.
 */
static void hand_over(struct record_stacks *s)
{
	struct strbuf batch = s->batch;
	bool many;

	if (!s->batch.len)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->finished.len) {
		strbuf_add(&s->finished, batch.s, batch.len);
	} else {
		s->batch = s->finished;
		s->finished = batch;
	}
	many = s->finished.len >= MANY_DONE;
	pthread_cond_signal(&s->done);
	pthread_mutex_unlock(&s->lock);
	strbuf_clear(&s->batch);
	if (many)
		loop_wake();
}

/* Sweeps the files of programs that have ended. */
static void sweep_kept(void *arg, const bool *named)
{
	struct record_stacks *s = arg;

	kept_sweep(s->kept, session_images(s->session), named, feed_done(s->feed));
	record_ends_sweep(s->ends, s->session, named);
}

static void note_end(struct record_stacks *s, bool end, int err, struct reason *why)
{
	pthread_mutex_lock(&s->lock);
	if (err) {
		s->err = err;
		reason_move(&s->why, why);
	}
	s->ends_met += end;
	pthread_cond_signal(&s->done);
	pthread_mutex_unlock(&s->lock);
}

static void after_piece(void *arg, enum feed_piece piece, int err, struct reason *why)
{
	struct record_stacks *s = arg;

	/* in order of time a round may end anywhere */
	if (s->batch.len >= BATCH || piece == FEED_END ||
	    (piece == FEED_ROUND && s->batch.len > s->batch_before))
		record_build_finished_round(&s->batch);
	if (s->batch.len >= BATCH || piece != FEED_RECORDS)
		hand_over(s);
	s->batch_before = s->batch.len;
	if (piece == FEED_END || err)
		note_end(s, piece == FEED_END, err, why);
}

/* The loop's side */

/* Keeps programs and libraries that begin to run. */
static void keep_objects(void *arg, const u8 *data, size_t size, u64 piece)
{
	struct record_stacks *s = arg;
	const struct data_chunk c = { .data = data, .size = size };
	struct record rec;
	size_t at = 0;

	while (data_chunk_record(&c, &at, &rec)) {
		struct record_mmap m;

		if (rec.type == PERF_RECORD_MMAP2 && !(rec.misc & PERF_RECORD_MISC_MMAP_DATA) &&
		    !record_get_mmap(s->rec->set, &rec, &m, NULL) && m.prot & PROT_EXEC)
			kept_note(s->kept, &m, piece);
	}
}

/* Lets the kernel overwrite the part of a ring that the worker no longer needs. */
static void free_ring(struct record_stacks *s, u32 ring)
{
	live_ring_free(s->rec->live, ring, feed_returned(s->feed, ring));
}

static void free_rings(struct record_stacks *s)
{
	for (u32 i = 0; s->rec->live && i < live_ring_count(s->rec->live); i++)
		free_ring(s, i);
}

/*
 * Returns the most bytes in use at which a reader loses nothing, if it wakes when half of a ring is
 * full and comes before the other half is. This is less than that half by what a turn finds
 * (record_stacks_turn_bytes()).
 */
static u64 most_in_use(u64 ring)
{
	return ring >= LARGE_RING ? ring / 8 * 3 : 0;
}

u64 record_stacks_turn_bytes(const struct recorder *rec)
{
	u64 ring = rec->stacks ? live_ring_size(rec->live) : 0;

	return most_in_use(ring) ? ring / 8 : 0;
}

static int take(void *arg, u32 ring, const struct ring_data *d, struct reason *r)
{
	struct record_stacks *s = arg;
	struct live *live = s->rec->live;

	if (!live || !live_ring_keep(live, ring))
		return feed_take(s->feed, d, r);
	free_ring(s, ring);
	return feed_take_ring(s->feed, ring, d, most_in_use(live_ring_size(live)), r);
}

/* Writes the first of the remaining records, as many as the file has room for. */
static struct ring_data fitting(struct record_stacks *s)
{
	struct ring_data d = { .first = (const u8 *)strbuf_cstr(&s->rest) + s->rest_at,
			       .first_size = s->rest.len - s->rest_at };
	u64 room = record_file_room(s->rec);
	struct record_own told = { 0 };

	record_count_events(s->rec, &told);
	if (room)
		record_tally(&s->counts, &d, (size_t)MIN(room, (u64)SIZE_MAX), &told);
	else
		d.first_size = 0;
	return d;
}

/* Writes the rest. Returns 1 if the file has no room for all of it. */
static int write_rest(struct record_stacks *s, struct reason *r)
{
	const struct ring_data d = fitting(s);
	int err = 0;

	if (d.first_size) {
		if (s->rec->carried)
			carried_note(s->rec->carried, &d);
		err = data_write(s->rec->writer, d.first, d.first_size, r);
		s->rest_at += d.first_size;
	}
	if (!err)
		err = data_flush(s->rec->writer, r);
	if (err || s->rest_at < s->rest.len)
		return err ? err : 1;
	strbuf_clear(&s->rest);
	s->rest_at = 0;
	return 0;
}

/*
 * Takes what the worker has finished; with all, waits until it comes to the end of the file.
 * Returns 1 if there is more to come, 0, or -errno with a reason.
 */
static int fetch(struct record_stacks *s, bool all, struct reason *r)
{
	struct strbuf empty = s->rest;
	int more;

	if (all)
		pthread_mutex_lock(&s->lock);
	else if (pthread_mutex_trylock(&s->lock))
		return 0; /* the next turn writes it */
	while (all && !s->err && s->ends_met < s->ends_asked && s->finished.len < MANY_DONE)
		pthread_cond_wait(&s->done, &s->lock);
	s->rest = s->finished;
	s->finished = empty;
	more = s->err ? s->err : all && s->ends_met < s->ends_asked;
	pthread_mutex_unlock(&s->lock);
	if (more < 0)
		reason_move(r, &s->why);
	return more;
}

static int turn(void *arg, bool all, struct reason *r)
{
	struct record_stacks *s = arg;
	int left = write_rest(s, r), more = 1;

	if (!all)
		feed_round(s->feed);
	free_rings(s);
	/* a full file need not wait for records that do not go into it */
	if (left || !record_file_room(s->rec))
		return left ? left : 1;
	if (all) {
		feed_end(s->feed);
		s->ends_asked++;
	}
	while (!left && more > 0) {
		more = fetch(s, all, r);
		left = more < 0 ? more : write_rest(s, r);
	}
	free_rings(s);
	return left;
}

/*
 * Takes the records about what ran before the recording. The beginning of a later file adds nothing
 * new.
 */
static int begin(void *arg, const void *records, size_t size, struct reason *r)
{
	struct record_stacks *s = arg;
	struct data_chunk c = { .data = records, .size = size };

	if (s->begun)
		return 0;
	s->begun = true;
	if (s->rec->target)
		s->own = record_own_samples(s->rec);
	keep_objects(s, records, size, 0);
	/* these records are written already */
	int err = session_push(s->session, &s->ops, s, &c, r);

	if (!err)
		err = session_flush(s->session, &s->ops, s, r);
	strbuf_clear(&s->batch);
	return err ? err : feed_start(s->feed, r);
}

static void end(void *arg, struct data_writer *w)
{
	struct record_stacks *s = arg;

	record_ends_write(s->ends, s->session, s->rec->settings->stack_bytes, w);
}

static void write_events(struct record_stacks *s)
{
	const struct event_set *set = s->rec->set;

	event_set_init(&s->written);
	vec_for_each(&set->list, it) {
		struct event *ev = event_set_copy(&s->written, *it);

		vec_for_each(&(*it)->ids, id)
			event_set_add_id(&s->written, ev, *id);
		rewrite_chain_attr(&ev->attr);
	}
	vec_for_each(&set->list, it) {
		struct event *ev = s->written.list.items[(*it)->index];

		ev->leader = s->written.list.items[(*it)->leader->index];
		ev->members = (*it)->members;
	}
	s->rec->written = &s->written;
}

int record_stacks_new(struct recorder *rec, struct record_stacks **out, struct reason *r)
{
	struct symbol_options o = { .symfs = rec->ctx->symfs,
				    .buildid_dir = rec->ctx->buildid_dir };
	struct record_stacks *s;

	if (rec->settings->threads.count) {
		reason_set(r, EINVAL,
			   "--threads writes rings as they are, without unwinding stacks");
		reason_hint(r, "leave out --threads, or ',live'");
		return -EINVAL;
	}
	s = xcalloc(1, sizeof(*s));
	s->rec = rec;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->done, NULL);
	s->ctx = (struct context){
		.workers = 1,
		.buildid_dir = rec->ctx->buildid_dir,
		.symfs = rec->ctx->symfs,
		.config = rec->ctx->config,
	};
	s->kept = kept_new();
	s->ends = record_ends_new();
	write_events(s);
	s->session = session_new_live(&s->ctx, rec->set, &o);
	session_keep_objects(s->session, kept_find, s->kept);
	s->ops = (struct session_ops){
		.order = SESSION_ORDERED,
		.sample = on_sample,
		.record = on_record,
		.filter = is_of_others,
		.want = { ~BIT64(PERF_RECORD_SAMPLE), ~BIT64(PERF_RECORD_FINISHED_ROUND - 64) },
		.whole_samples = true,
	};
	s->feed = feed_new(s->session, &(struct feed_settings){
					       .ops = &s->ops,
					       .arg = s,
					       .most_waiting = rec->settings->stack_memory,
					       .overload = FEED_SPILL,
					       .keep = { .sweep = sweep_kept, .arg = s },
					       .after = after_piece,
					       .taken = keep_objects,
				       });
	s->sink = (struct record_sink){
		.arg = s, .drops_own = true, .take = take, .turn = turn, .begin = begin, .end = end
	};
	rec->sink = &s->sink;
	*out = s;
	return 0;
}

const u64 *record_stacks_ends(const struct record_stacks *s)
{
	return session_stats(s->session)->stack_ends;
}

void record_stacks_cut_text(const struct record_stacks *s, struct strbuf *out)
{
	record_ends_text(s->ends, s->session, out);
}

void record_stacks_counts(const struct record_stacks *s, struct record_counts *c)
{
	c->samples = s->counts.samples;
	vec_clear(&c->of_event);
	vec_for_each(&s->counts.of_event, n)
		vec_push(&c->of_event, *n);
}

u64 record_stacks_spilled(const struct record_stacks *s)
{
	return feed_spilled(s->feed);
}

u64 record_stacks_uncopied(const struct record_stacks *s)
{
	return feed_lent(s->feed);
}

u64 record_stacks_hurries(const struct record_stacks *s)
{
	return feed_hurries(s->feed);
}

void record_stacks_free(struct record_stacks *s)
{
	if (!s)
		return;
	feed_free(s->feed);
	session_free(s->session);
	kept_free(s->kept);
	record_ends_free(s->ends);
	condition_list_merge(&s->rec->ctx->conditions, &s->ctx.conditions);
	event_set_release(&s->written);
	s->rec->sink = NULL;
	s->rec->written = NULL;
	strbuf_release(&s->batch);
	strbuf_release(&s->finished);
	strbuf_release(&s->rest);
	vec_release(&s->counts.of_event);
	reason_release(&s->why);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
