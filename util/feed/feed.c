// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The queue between the reader and the worker. f->lock guards the queue, the flags and the counts.
 * The order of pieces does not depend on where they wait, so the result does not either.
 */
#include "base/clock.h"
#include "feed/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bug.h"
#include "base/bytes.h"
#include "base/threads.h"
#include "feed/internal.h"

enum {
	MOST_WAITING = 64 << 20,        /* bytes */
	UNUSED_OF_RECORDING = 16 << 20, /* bytes of unused buffers that are kept */
	UNUSED_OF_SCREEN = 1 << 20,
	WORKER_NICE = 10,
	LOOK_AGAIN = 50000000, /* ns after which a wait checks for a cancelled context */
};

struct piece {
	struct piece *next;
	enum feed_piece kind;
	u8 *data;          /* NULL: on disk, or lent */
	struct loan *loan; /* not NULL: still in its ring */
	/* the reader is copying the piece from its ring; nobody takes it before that ends */
	bool moving;
	u64 spilled_at;
	size_t size;
	u64 number;
};

struct feed {
	struct session *session;
	struct feed_settings o;
	struct buffers buffers;
	struct spill spill;
	struct loans loans;
	/* written by the reader */
	u64 taken;
	bool hurry; /* the piece taken last asks the worker to hurry */
	/* two after the last piece, since the second one releases it from the window */
	unsigned rounds_due;
	struct session_shedder shedder;
	/* written by the worker */
	u64 done, position;
	int err;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t work;
	struct piece *first, **last;
	u64 waiting, waiting_on_disk; /* bytes; waiting and lent are also read without the lock */
	u64 dropped, lent, hurries;
	struct {
		pid_t tid; /* 0: nobody may change its priority */
		/* its nice value at first, and the one it has now unless it hurries */
		int usual, low;
		bool hurries;
	} worker;
	bool stop;
};

/* The worker */

static int load(struct feed *f, struct piece *p, struct reason *r)
{
	if (p->data)
		return 0;
	p->data = piece_bytes(&f->buffers, p->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
	return spill_read(&f->spill, p->data, p->size, p->spilled_at, r);
}

static bool loan_changes(struct loan *n, enum loan_state from, enum loan_state to)
{
	return __atomic_compare_exchange_n(&n->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static void loan_pushed(struct session_loan *session)
{
	loan_changes((struct loan *)(void *)session, LOAN_PINNED, LOAN_LENT);
}

/*
 * Ends a loan when the session is done with what a ring holds, or with the copy of it. If the
 * reader is just making the copy, it sees that the copy is not wanted any more.
 */
static void loan_over(struct session_loan *session)
{
	struct loan *n = (struct loan *)(void *)session;
	struct feed *f = n->feed;
	size_t size = n->size;

	if (loan_changes(n, LOAN_LENT, LOAN_OVER) || loan_changes(n, LOAN_PINNED, LOAN_OVER)) {
		__atomic_fetch_add(&f->lent, size, __ATOMIC_RELAXED);
	} else if (!loan_changes(n, LOAN_MOVING, LOAN_OVER)) {
		u8 *moved = n->moved;

		loan_changes(n, LOAN_MOVED, LOAN_OVER);
		piece_bytes_put(&f->buffers, moved);
	}
}

static int push(struct feed *f, struct piece *p, struct reason *r)
{
	struct data_chunk c = { .size = p->size, .position = f->position };
	struct loan *n = p->loan;
	int err = n ? 0 : load(f, p, r);

	if (err)
		return err;
	c.data = p->data;
	p->data = NULL; /* the session owns it now and returns it by give_back() */
	p->loan = NULL;
	f->position += p->size;
	f->done = p->number;
	return n ? session_push_lent(f->session, f->o.ops, f->o.arg, &c, &n->session, r)
		 : session_push_owned(f->session, f->o.ops, f->o.arg, &c, r);
}

static int work_on(struct feed *f, struct piece *p, struct reason *r)
{
	int err;

	if (p->kind == FEED_RECORDS)
		return push(f, p, r);
	if (p->kind == FEED_END)
		return session_flush(f->session, f->o.ops, f->o.arg, r);
	err = session_round(f->session, f->o.ops, f->o.arg, r);
	if (!err && !f->o.remembers) {
		session_compact(f->session, &f->o.keep);
		session_trim(f->session, &f->o.keep);
	}
	return err;
}

static void give_back(void *arg, u8 *bytes)
{
	struct feed *f = arg;

	piece_bytes_put(&f->buffers, bytes);
}

static void free_piece(struct feed *f, struct piece *p)
{
	if (p->loan) /* the session has not seen it */
		__atomic_store_n(&p->loan->state, LOAN_OVER, __ATOMIC_RELEASE);
	piece_bytes_put(&f->buffers, p->data);
	free(p);
}

/* Reports whether the first piece may be taken. The caller holds f->lock. */
static bool can_take(const struct feed *f)
{
	return f->first && !f->first->moving;
}

/*
 * Takes the first piece from the queue; NULL if there is none or the feed is stopping. The caller
 * holds f->lock.
 */
static struct piece *take_first(struct feed *f)
{
	struct piece *p = f->first;

	if (f->stop || !can_take(f))
		return NULL;
	f->first = p->next;
	if (!f->first)
		f->last = &f->first;
	if (p->data)
		__atomic_fetch_sub(&f->waiting, p->size, __ATOMIC_RELAXED);
	else if (p->kind == FEED_RECORDS && !p->loan)
		__atomic_fetch_sub(&f->waiting_on_disk, p->size, __ATOMIC_RELAXED);
	if (p->loan) {
		p->loan->piece = NULL;
		loan_changes(p->loan, LOAN_WAITS, LOAN_PINNED);
	}
	return p;
}

/*
 * Hands a piece to the session and frees it. After the first error pieces are only freed, but
 * f->o.after() still hears of each FEED_END.
 */
static int run_piece(struct feed *f, struct piece *p, struct reason *why)
{
	enum feed_piece kind = p->kind;
	int err = f->err ? 0 : work_on(f, p, why);

	free_piece(f, p);
	if (err)
		f->err = err;
	if (f->o.after && (err || !f->err || kind == FEED_END))
		f->o.after(f->o.arg, kind, err, why);
	return err;
}

static int set_priority(pid_t tid, int nice)
{
	return setpriority(PRIO_PROCESS, (id_t)tid, nice);
}

/*
 * Lowers the worker's priority, because emptying the rings comes first: what waits here is not
 * lost. It stays as it was if it could not be raised again, which only a try shows, as both rights
 * and limits allow it.
 */
static void step_back(struct feed *f)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int usual = getpriority(PRIO_PROCESS, (id_t)tid);

	if (usual >= WORKER_NICE || set_priority(tid, WORKER_NICE) || set_priority(tid, usual) ||
	    set_priority(tid, WORKER_NICE))
		return;
	pthread_mutex_lock(&f->lock);
	f->worker.tid = tid;
	f->worker.usual = usual;
	f->worker.low = WORKER_NICE;
	pthread_mutex_unlock(&f->lock);
}

/*
 * Raises the worker's priority again. The reader does that, because a thread that gets no time
 * cannot. The caller holds f->lock.
 */
static void hurry_worker(struct feed *f)
{
	if (!f->worker.tid || f->worker.hurries)
		return;
	f->hurries++;
	f->worker.hurries = true;
	set_priority(f->worker.tid, f->worker.usual);
}

/*
 * Lowers the worker's priority. The caller holds f->lock, which is released meanwhile: the worker
 * may lose its CPU at that moment, and the reader would wait for the lock until it runs again.
 */
static void calm_worker(struct feed *f)
{
	f->worker.hurries = false;
	pthread_mutex_unlock(&f->lock);
	set_priority(f->worker.tid, f->worker.low);
	pthread_mutex_lock(&f->lock);
	if (f->worker.hurries) /* the reader has raised it meanwhile */
		set_priority(f->worker.tid, f->worker.usual);
}

/* Waits for a piece and takes it; NULL: stop. The caller holds f->lock. */
static struct piece *await_work(struct feed *f)
{
	while (!can_take(f) && !f->stop) {
		if (!f->first && f->worker.hurries)
			calm_worker(f);
		else
			pthread_cond_wait(&f->work, &f->lock);
	}
	return take_first(f);
}

static void *run_worker(void *arg)
{
	struct feed *f = arg;
	struct piece *p;

	step_back(f);
	for (;;) {
		struct reason why = REASON_INIT;

		pthread_mutex_lock(&f->lock);
		p = await_work(f);
		pthread_mutex_unlock(&f->lock);
		if (!p)
			return NULL;
		run_piece(f, p, &why);
		reason_release(&why);
	}
}

/* The first piece; NULL when none came until then. */
static struct piece *await_piece(struct feed *f, u64 until)
{
	u64 look = MIN(until, clock_now() + LOOK_AGAIN);
	struct timespec ts = { (time_t)(look / 1000000000), (long)(look % 1000000000) };
	struct piece *p;

	pthread_mutex_lock(&f->lock);
	if (!can_take(f) && !f->stop)
		pthread_cond_timedwait(&f->work, &f->lock, &ts);
	p = take_first(f);
	pthread_mutex_unlock(&f->lock);
	return p;
}

int feed_work(struct feed *f, u64 until, struct reason *r)
{
	struct piece *p;

	BUG_ON(f->started);
	do {
		bool ends;
		int err;

		if (context_cancelled(session_context(f->session)))
			return reason_set(r, EINTR, "interrupted");
		p = await_piece(f, until);
		if (!p)
			continue;
		ends = p->kind == FEED_END;
		err = run_piece(f, p, r);
		if (err || ends)
			return err;
	} while (until ? clock_now() < until : p != NULL);
	return 1;
}

bool feed_has_work(struct feed *f)
{
	bool has;

	pthread_mutex_lock(&f->lock);
	has = f->first != NULL;
	pthread_mutex_unlock(&f->lock);
	return has;
}

/* The reader */

static void enqueue(struct feed *f, struct piece *p)
{
	pthread_mutex_lock(&f->lock);
	*f->last = p;
	f->last = &p->next;
	if (p->data)
		__atomic_fetch_add(&f->waiting, p->size, __ATOMIC_RELAXED);
	else if (p->kind == FEED_RECORDS && !p->loan)
		__atomic_fetch_add(&f->waiting_on_disk, p->size, __ATOMIC_RELAXED);
	if (f->hurry || f->waiting > f->o.most_waiting / 8 || f->waiting_on_disk)
		hurry_worker(f);
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
}

static void mark(struct feed *f, enum feed_piece kind)
{
	struct piece *p = xcalloc(1, sizeof(*p));

	p->kind = kind;
	enqueue(f, p);
}

void feed_round(struct feed *f)
{
	if (!f->rounds_due)
		return;
	f->rounds_due--;
	mark(f, FEED_ROUND);
}

void feed_end(struct feed *f)
{
	mark(f, FEED_END);
}

/* Copies the two pieces of a ring into one buffer. */
static void copy(u8 *to, const struct ring_data *d)
{
	memcpy(to, d->first, d->first_size);
	if (d->second_size)
		memcpy(to + d->first_size, d->second, d->second_size);
}

/* Drops samples of a piece if too much is already waiting. */
static void shed(struct feed *f, struct piece *p, u64 waiting)
{
	const struct data_chunk c = { .data = p->data, .size = p->size };
	u64 before = f->shedder.dropped;
	struct record rec;
	size_t at = 0, left = 0;

	while (data_chunk_record(&c, &at, &rec)) {
		if (rec.type == PERF_RECORD_SAMPLE &&
		    session_sheds(&f->shedder, waiting + left, f->o.most_waiting))
			continue;
		memmove(p->data + left, rec.data, rec.size);
		left += rec.size;
	}
	p->size = left;
	pthread_mutex_lock(&f->lock);
	f->dropped += f->shedder.dropped - before;
	pthread_mutex_unlock(&f->lock);
}

static int copy_piece(struct feed *f, struct piece *p, const struct ring_data *d, u64 waiting,
		      struct reason *r)
{
	p->data = piece_bytes(&f->buffers, p->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
	copy(p->data, d);
	if (f->o.taken)
		f->o.taken(f->o.arg, p->data, p->size, p->number);
	if (f->o.overload == FEED_SHED && waiting >= f->o.most_waiting / 2)
		shed(f, p, waiting);
	return 0;
}

/*
 * Writes records to disk. The program sees them first (f->o.taken), in the ring itself if they are
 * in one piece there.
 */
static int put_aside(struct feed *f, struct piece *p, const struct ring_data *d, struct reason *r)
{
	u8 *whole = NULL;

	if (f->o.taken && d->second_size) {
		whole = piece_bytes(&f->buffers, p->size);
		if (!whole)
			return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records",
					  p->size);
		copy(whole, d);
	}
	if (f->o.taken)
		f->o.taken(f->o.arg, whole ? whole : d->first, p->size, p->number);
	piece_bytes_put(&f->buffers, whole);
	return spill_write(&f->spill, d, &p->spilled_at, r);
}

static struct piece *piece_of(struct feed *f, const struct ring_data *d)
{
	struct piece *p = xcalloc(1, sizeof(*p));

	p->size = d->first_size + d->second_size;
	p->number = ++f->taken;
	f->rounds_due = 2;
	return p;
}

static int take_out(struct feed *f, const struct ring_data *d, struct reason *r)
{
	struct piece *p = piece_of(f, d);
	u64 waiting = feed_waiting(f);
	int err;

	if (f->o.overload == FEED_SPILL && waiting + p->size > f->o.most_waiting)
		err = put_aside(f, p, d, r);
	else
		err = copy_piece(f, p, d, waiting, r);
	if (err) {
		free_piece(f, p);
		return err;
	}
	enqueue(f, p);
	return 0;
}

int feed_take(struct feed *f, const struct ring_data *d, struct reason *r)
{
	f->hurry = false; /* nothing of the ring stays in use */
	return take_out(f, d, r);
}

/* Records that stay in their ring */

static int take_copy(struct feed *f, u32 ring, const struct ring_data *d, struct reason *r)
{
	int err = take_out(f, d, r);

	if (!err)
		loan_new(&f->loans, ring, NULL, d->first_size + d->second_size)->state = LOAN_OVER;
	return err;
}

static void lend(struct feed *f, u32 ring, const u8 *bytes, size_t size)
{
	struct piece *p;

	if (!size)
		return;
	p = piece_of(f, &(struct ring_data){ .first = bytes, .first_size = size });
	p->loan = loan_new(&f->loans, ring, bytes, size);
	p->loan->session.pushed = loan_pushed;
	p->loan->session.over = loan_over;
	p->loan->feed = f;
	p->loan->piece = p;
	if (f->o.taken)
		f->o.taken(f->o.arg, bytes, size, p->number);
	enqueue(f, p);
}

/* Copies a loan's bytes from the ring to a buffer or to disk. */
static int move_bytes(struct feed *f, struct loan *n, struct piece *p, bool to_disk,
		      struct reason *r)
{
	const struct ring_data d = { .first = n->session.bytes, .first_size = n->size };

	if (to_disk)
		return spill_write(&f->spill, &d, &p->spilled_at, r);
	p->data = piece_bytes(&f->buffers, n->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", n->size);
	copy(p->data, &d);
	return 0;
}

/*
 * Moves a waiting piece out of its ring, like pieces that are taken now. The caller holds f->lock,
 * which is released while bytes are moved: a disk may be slow, and the worker has other pieces. The
 * piece that the worker wants next stays in memory even if much waits there, or the worker would
 * wait for the disk twice.
 */
static int move_piece(struct feed *f, struct loan *n, struct reason *r)
{
	struct piece *p = n->piece;
	bool to_disk = f->waiting + n->size > f->o.most_waiting && f->first != p;
	int err;

	p->moving = true;
	pthread_mutex_unlock(&f->lock);
	err = move_bytes(f, n, p, to_disk, r);
	pthread_mutex_lock(&f->lock);
	p->moving = false;
	pthread_cond_signal(&f->work);
	if (err)
		return err;
	__atomic_fetch_add(to_disk ? &f->waiting_on_disk : &f->waiting, n->size, __ATOMIC_RELAXED);
	p->loan = NULL;
	n->piece = NULL;
	n->state = LOAN_OVER;
	return 0;
}

/*
 * Copies bytes that the session is reading. The session checks afterwards whether what it has read
 * was valid.
 */
static int move_from_session(struct feed *f, struct loan *n, struct reason *r)
{
	if (!loan_changes(n, LOAN_LENT, LOAN_MOVING))
		return 0; /* it stays for a moment, or has just ended */
	n->moved = piece_bytes(&f->buffers, n->size);
	if (!n->moved)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", n->size);
	memcpy(n->moved, n->session.bytes, n->size);
	__atomic_store_n(&n->session.bytes, n->moved, __ATOMIC_SEQ_CST);
	if (!loan_changes(n, LOAN_MOVING, LOAN_MOVED))
		piece_bytes_put(&f->buffers, n->moved);
	n->left = true;
	return 0;
}

/*
 * Moves all of a ring out of it, because the worker is behind. The worker may be stalled, so it is
 * not asked.
 */
static int reclaim(struct feed *f, u32 ring, struct reason *r)
{
	int err = 0;

	for (struct loan *n = loans_of(&f->loans, ring)->first; n && !err; n = n->next) {
		bool waits;

		if (n->left || __atomic_load_n(&n->state, __ATOMIC_ACQUIRE) == LOAN_OVER)
			continue;
		pthread_mutex_lock(&f->lock);
		waits = n->piece;
		if (waits)
			err = move_piece(f, n, r);
		pthread_mutex_unlock(&f->lock);
		if (!waits)
			err = move_from_session(f, n, r);
	}
	return err;
}

/*
 * Reports whether records wait outside the rings. One that wraps around the end of a ring always
 * does, so a few are allowed for.
 */
static bool is_behind(struct feed *f)
{
	return feed_waiting(f) + __atomic_load_n(&f->waiting_on_disk, __ATOMIC_RELAXED) >
	       4ULL * UINT16_MAX;
}

/* Returns how many bytes of the first part are whole records. */
static size_t whole_records(const struct ring_data *d)
{
	size_t at = 0;

	while (d->second_size && at < d->first_size) {
		/* a header does not wrap around */
		u16 size = load_u16(d->first + at + 6, false);

		if (size < 8 || at + size > d->first_size)
			return at;
		at += size;
	}
	return d->first_size;
}

int feed_take_ring(struct feed *f, u32 ring, const struct ring_data *d, u64 most, struct reason *r)
{
	u64 out = loans_of(&f->loans, ring)->out + d->first_size + d->second_size;
	bool full = out > most, behind = is_behind(f);
	struct ring_data across = { .second = d->second };
	size_t whole;
	int err;

	f->hurry = out > most / 2; /* giving the worker more time is better than copying */
	if (full && (err = reclaim(f, ring, r)))
		return err;
	if (full || behind)
		return take_copy(f, ring, d, r);
	whole = whole_records(d);
	lend(f, ring, d->first, whole);
	if (whole < d->first_size) {
		across.first = d->first + whole;
		across.first_size = d->first_size - whole;
		across.second_size = load_u16(across.first + 6, false) - across.first_size;
		err = take_copy(f, ring, &across, r);
		if (err)
			return err;
	}
	if (d->second_size > across.second_size)
		lend(f, ring, d->second + across.second_size, d->second_size - across.second_size);
	return 0;
}

u64 feed_returned(struct feed *f, u32 ring)
{
	return loans_take_back(&f->loans, ring);
}

/* Life */

struct feed *feed_new(struct session *s, const struct feed_settings *settings)
{
	struct feed *f = xcalloc(1, sizeof(*f));
	pthread_condattr_t monotonic;

	f->session = s;
	f->o = *settings;
	if (!f->o.most_waiting)
		f->o.most_waiting = MOST_WAITING;
	f->last = &f->first;
	f->spill.fd = -1;
	buffers_init(&f->buffers,
		     f->o.overload == FEED_SPILL ? UNUSED_OF_RECORDING : UNUSED_OF_SCREEN);
	session_set_give_back(s, give_back, f);
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->work, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return f;
}

int feed_start(struct feed *f, struct reason *r)
{
	int err;

	BUG_ON(f->started);
	err = thread_beside(&f->thread, run_worker, f);
	f->started = !err;
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

static void stop(struct feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
	if (f->started)
		pthread_join(f->thread, NULL);
	f->started = false;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	stop(f);
	while (f->first) {
		struct piece *p = f->first;

		f->first = p->next;
		free_piece(f, p);
	}
	session_drop_held(f->session);
	session_set_give_back(f->session, NULL, NULL);
	loans_release(&f->loans);
	spill_release(&f->spill);
	buffers_release(&f->buffers);
	pthread_cond_destroy(&f->work);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

u64 feed_done(const struct feed *f)
{
	return f->done;
}

u64 feed_waiting(struct feed *f)
{
	return __atomic_load_n(&f->waiting, __ATOMIC_RELAXED);
}

u64 feed_spilled(struct feed *f)
{
	return __atomic_load_n(&f->spill.written, __ATOMIC_RELAXED);
}

u64 feed_dropped(struct feed *f)
{
	u64 dropped;

	pthread_mutex_lock(&f->lock);
	dropped = f->dropped;
	pthread_mutex_unlock(&f->lock);
	return dropped;
}

u64 feed_lent(struct feed *f)
{
	return __atomic_load_n(&f->lent, __ATOMIC_RELAXED);
}

u64 feed_hurries(struct feed *f)
{
	u64 hurries;

	pthread_mutex_lock(&f->lock);
	hurries = f->hurries;
	pthread_mutex_unlock(&f->lock);
	return hurries;
}
