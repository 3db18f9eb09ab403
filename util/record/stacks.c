// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks unwound beside the write path.
 *
 *	ring -> take() copies -> pieces, in order of arrival -> worker: session (window,
 *	history, unwinder) -> records with chains -> turn() writes
 *
 * A piece waits in memory, or in the spill file when more than most_waiting bytes
 * wait; the worker takes them in order, so the outcome does not depend on which.
 * A ROUND piece ends a turn over all rings, an END piece a file.
 * Locks: s->lock guards the queue, the finished records and the flags.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/internal.h"
#include "rewrite/rewrite.h"
#include "session/session.h"

enum {
	MOST_WAITING = 64 << 20, /* bytes in memory, unless the settings say another bound */
	MANY_DONE = 1 << 20,	 /* finished bytes that are worth waking the loop for */
	WORKER_NICE = 10,
	BATCH = 1 << 18,	 /* bytes that the worker gathers before it hands them over */
};

enum piece_kind { PIECE_RECORDS, PIECE_ROUND, PIECE_END };

struct piece {
	struct piece *next;
	enum piece_kind kind;
	u8 *data; /* NULL: spilled */
	u64 spilled_at;
	size_t size;
	u64 number; /* from 1 */
};

struct record_stacks {
	struct recorder *rec;
	struct record_sink sink;
	struct event_set written;
	struct context ctx; /* the worker's own */
	struct session *session;
	struct session_ops ops;
	struct kept_objects *kept;
	pthread_t thread;
	bool started, begun;
	u64 position; /* of the next byte taken */
	u64 pieces;   /* that were taken */
	bool taken; /* since the last round */

	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct piece *first, **last;
	size_t waiting; /* bytes in memory that the worker has not taken */
	u64 most_waiting;
	int spill_fd;
	u64 spill_end, spilled;
	struct strbuf finished;
	bool stop, ended; /* ended: the worker has met an END */
	int err;
	struct reason why;

	struct strbuf batch;   /* the worker's */
	u64 done_pieces;       /* the worker's: number of the last piece that the session has seen */
	u64 ends[UNWIND_ENDS]; /* told in files that are closed */
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

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct record_stacks *s = arg;

	(void)key;
	(void)r;
	strbuf_add(&s->batch, rec->data, rec->size);
	return 0;
}

static void hand_over(struct record_stacks *s)
{
	bool many;

	if (!s->batch.len)
		return;
	pthread_mutex_lock(&s->lock);
	strbuf_add(&s->finished, s->batch.s, s->batch.len);
	many = s->finished.len >= MANY_DONE;
	pthread_cond_signal(&s->done);
	pthread_mutex_unlock(&s->lock);
	strbuf_clear(&s->batch);
	if (many)
		record_wake();
}

/* Files of programs that are gone. */
static void sweep_kept(void *arg, const bool *named)
{
	struct record_stacks *s = arg;

	kept_sweep(s->kept, session_images(s->session), named, s->done_pieces);
}

/* Back from the spill file. */
static int load_piece(struct record_stacks *s, struct piece *p, struct reason *r)
{
	size_t done = 0;

	if (p->data)
		return 0;
	p->data = malloc(p->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
	while (done < p->size) {
		ssize_t n = pread(s->spill_fd, p->data + done, p->size - done,
				  (off_t)(p->spilled_at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return reason_errno(r, n ? errno : EIO, "cannot read records back from disk");
		done += (size_t)n;
	}
	/* what was read is not needed again; a file system that cannot give it back keeps it */
	fallocate(s->spill_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->spilled_at,
		  (off_t)p->size);
	return 0;
}

static int work_on(struct record_stacks *s, struct piece *p, struct reason *r)
{
	size_t before = s->batch.len;
	int err;

	if (p->kind == PIECE_RECORDS) {
		struct data_chunk c = { .size = p->size, .position = s->position };

		err = load_piece(s, p, r);
		if (err)
			return err;
		s->position += p->size;
		s->done_pieces = p->number;
		c.data = p->data;
		p->data = NULL; /* the session's now */
		err = session_push_owned(s->session, &s->ops, s, &c, r);
	} else if (p->kind == PIECE_ROUND) {
		err = session_round(s->session, &s->ops, s, r);
		if (!err)
			session_compact(s->session, &(struct session_keep){ .sweep = sweep_kept, .arg = s });
	} else {
		err = session_flush(s->session, &s->ops, s, r);
	}
	/* in order of time a round may end anywhere */
	if (s->batch.len >= BATCH || p->kind == PIECE_END ||
	    (p->kind == PIECE_ROUND && s->batch.len > before))
		record_build_finished_round(&s->batch);
	if (s->batch.len >= BATCH || p->kind != PIECE_RECORDS)
		hand_over(s);
	return err;
}

static struct piece *next_piece(struct record_stacks *s)
{
	struct piece *p;

	pthread_mutex_lock(&s->lock);
	while (!s->first && !s->stop)
		pthread_cond_wait(&s->work, &s->lock);
	p = s->stop ? NULL : s->first;
	if (p) {
		s->first = p->next;
		if (!s->first)
			s->last = &s->first;
		if (p->data)
			s->waiting -= p->size;
	}
	pthread_mutex_unlock(&s->lock);
	return p;
}

static void *run_worker(void *arg)
{
	struct record_stacks *s = arg;
	struct piece *p;

	/* emptying rings comes first: what waits here is not lost */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), WORKER_NICE);
	while ((p = next_piece(s))) {
		struct reason why = REASON_INIT;
		int err = s->err ? 0 : work_on(s, p, &why);

		pthread_mutex_lock(&s->lock);
		if (err) {
			s->err = err;
			reason_move(&s->why, &why);
		}
		if (p->kind == PIECE_END || err) {
			s->ended = true;
			pthread_cond_signal(&s->done);
		}
		pthread_mutex_unlock(&s->lock);
		reason_release(&why);
		free(p->data);
		free(p);
	}
	return NULL;
}

/* The loop's side */

static int open_spill(struct record_stacks *s, struct reason *r)
{
	const char *dir = getenv("TMPDIR");
	char *name;

	if (s->spill_fd >= 0)
		return 0;
	name = xasprintf("%s/perf-stacks-XXXXXX", dir && *dir ? dir : "/tmp");
	s->spill_fd = mkostemp(name, O_CLOEXEC);
	if (s->spill_fd < 0) {
		reason_errno(r, errno, "cannot put samples aside in '%s'", name);
		reason_hint(r, "TMPDIR names another directory");
	} else {
		unlink(name);
	}
	free(name);
	return s->spill_fd < 0 ? -EIO : 0;
}

static int spill(struct record_stacks *s, struct piece *p, struct reason *r)
{
	int err = open_spill(s, r);

	for (size_t done = 0; !err && done < p->size;) {
		ssize_t n = pwrite(s->spill_fd, p->data + done, p->size - done,
				   (off_t)(s->spill_end + done));

		if (n < 0 && errno != EINTR)
			err = reason_errno(r, errno, "cannot put samples aside on disk");
		done += n > 0 ? (size_t)n : 0;
	}
	if (err)
		return err;
	free(p->data);
	p->data = NULL;
	p->spilled_at = s->spill_end;
	s->spill_end += p->size;
	s->spilled += p->size;
	return 0;
}

static void enqueue(struct record_stacks *s, struct piece *p)
{
	pthread_mutex_lock(&s->lock);
	*s->last = p;
	s->last = &p->next;
	s->waiting += p->data ? p->size : 0;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
}

static void mark(struct record_stacks *s, enum piece_kind kind)
{
	struct piece *p = xcalloc(1, sizeof(*p));

	p->kind = kind;
	enqueue(s, p);
}

/* Programs and libraries that begin to run. */
static void keep_objects(struct record_stacks *s, const u8 *data, size_t size, u64 piece)
{
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

static int take(void *arg, u32 ring, const struct ring_data *d, struct reason *r)
{
	struct record_stacks *s = arg;
	struct piece *p = xcalloc(1, sizeof(*p));
	bool full;
	int err = 0;

	(void)ring;
	p->size = d->first_size + d->second_size;
	p->data = malloc(p->size);
	if (!p->data) {
		err = reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
		free(p);
		return err;
	}
	memcpy(p->data, d->first, d->first_size);
	if (d->second_size)
		memcpy(p->data + d->first_size, d->second, d->second_size);
	s->taken = true;
	p->number = ++s->pieces;
	keep_objects(s, p->data, p->size, p->number);
	pthread_mutex_lock(&s->lock);
	full = s->waiting + p->size > s->most_waiting;
	pthread_mutex_unlock(&s->lock);
	if (full)
		err = spill(s, p, r);
	if (err) {
		free(p->data);
		free(p);
		return err;
	}
	enqueue(s, p);
	return 0;
}

static int write_finished(struct record_stacks *s, struct strbuf *b, struct reason *r)
{
	int err = b->len ? data_write(s->rec->writer, b->s, b->len, r) : 0;

	strbuf_clear(b);
	return err ? err : data_flush(s->rec->writer, r);
}

static int turn(void *arg, bool all, struct reason *r)
{
	struct record_stacks *s = arg;
	struct strbuf b = STRBUF_INIT, none = STRBUF_INIT;
	bool more;
	int err = 0;

	if (all)
		mark(s, PIECE_END);
	else if (s->taken)
		mark(s, PIECE_ROUND);
	s->taken = false;
	do {
		pthread_mutex_lock(&s->lock);
		while (all && !s->ended && s->finished.len < MANY_DONE)
			pthread_cond_wait(&s->done, &s->lock);
		b = s->finished;
		s->finished = none;
		more = all && !s->ended;
		if (s->err)
			err = s->err;
		pthread_mutex_unlock(&s->lock);
		if (!err)
			err = write_finished(s, &b, r);
		else
			reason_move(r, &s->why);
		strbuf_release(&b);
	} while (more && !err);
	if (all)
		s->ended = false; /* the worker waits: its queue is empty */
	return err;
}

/* What ran before the recording; a later file's begin tells nothing new. */
static int begin(void *arg, const void *records, size_t size, struct reason *r)
{
	struct record_stacks *s = arg;
	struct data_chunk c = { .data = records, .size = size };

	if (s->begun)
		return 0;
	s->begun = true;
	keep_objects(s, records, size, s->pieces);
	s->position = size;
	/* they are written already */
	int err = session_push(s->session, &s->ops, s, &c, r);

	if (!err)
		err = session_flush(s->session, &s->ops, s, r);
	strbuf_clear(&s->batch);
	if (err)
		return err;
	/* signals are the loop's */
	sigset_t every, old;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	err = pthread_create(&s->thread, NULL, run_worker, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->started = !err;
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

static void end(void *arg, struct data_writer *w)
{
	struct record_stacks *s = arg;
	const struct session_stats *st = session_stats(s->session);
	const char *texts[UNWIND_ENDS];
	u64 ends[UNWIND_ENDS];

	for (size_t i = 0; i < UNWIND_ENDS; i++) {
		texts[i] = unwind_end_text((enum unwind_end)i);
		ends[i] = st->stack_ends[i] - s->ends[i];
		s->ends[i] = st->stack_ends[i];
	}
	data_set_stack_ends(w, texts, ends, UNWIND_ENDS);
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
	struct symbol_options o = { .symfs = rec->ctx->symfs, .buildid_dir = rec->ctx->buildid_dir };
	struct record_stacks *s;

	if (rec->settings->threads.count) {
		reason_set(r, EINVAL, "--threads write what rings hold as it is: no stacks are "
			   "unwound meanwhile");
		reason_hint(r, "leave out --threads, or ',live'");
		return -EINVAL;
	}
	s = xcalloc(1, sizeof(*s));
	s->rec = rec;
	s->most_waiting = rec->settings->stack_memory ? rec->settings->stack_memory : MOST_WAITING;
	s->last = &s->first;
	s->spill_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->done, NULL);
	s->ctx = (struct context){
		.workers = 1, .buildid_dir = rec->ctx->buildid_dir, .symfs = rec->ctx->symfs,
		.config = rec->ctx->config,
	};
	s->kept = kept_new();
	write_events(s);
	s->session = session_new_live(&s->ctx, rec->set, &o);
	session_keep_objects(s->session, kept_find, s->kept);
	s->ops = (struct session_ops){
		.order = SESSION_ORDERED, .sample = on_sample, .record = on_record,
		.want = { ~BIT64(PERF_RECORD_SAMPLE), ~BIT64(PERF_RECORD_FINISHED_ROUND - 64) },
	};
	s->sink = (struct record_sink){ s, take, turn, begin, end };
	rec->sink = &s->sink;
	*out = s;
	return 0;
}

const u64 *record_stacks_ends(const struct record_stacks *s)
{
	return session_stats(s->session)->stack_ends;
}

u64 record_stacks_spilled(const struct record_stacks *s)
{
	return s->spilled;
}

void record_stacks_free(struct record_stacks *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	if (s->started)
		pthread_join(s->thread, NULL);
	while (s->first) {
		struct piece *p = s->first;

		s->first = p->next;
		free(p->data);
		free(p);
	}
	session_free(s->session);
	kept_free(s->kept);
	condition_list_merge(&s->rec->ctx->conditions, &s->ctx.conditions);
	event_set_release(&s->written);
	s->rec->sink = NULL;
	s->rec->written = NULL;
	if (s->spill_fd >= 0)
		close(s->spill_fd);
	strbuf_release(&s->batch);
	strbuf_release(&s->finished);
	reason_release(&s->why);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
