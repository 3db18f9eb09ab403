// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples in any order: gives free blocks to workers, or chunks of what must be inflated in order.
 * When a callback fails, the others go on with blocks that may hold a lesser key, so which failure
 * is reported does not depend on luck.
 */
#include <errno.h>

#include "base/self_profile.h"
#include "session/internal.h"

struct sums {
	struct session *s;
	const struct session_ops *ops;
	void *arg;
	bool blocks; /* any block by number; else the next chunk */
	_Atomic size_t next;
	pthread_mutex_t lock; /* guards what follows, and data_next */
	bool ended;
	bool failed;
	struct order_key failed_at;
	int err;
	struct reason *reason;
};

struct sums_worker {
	struct sums *sums;
	struct deliver d;
	struct order_key key; /* the key of the current record */
	pthread_t thread;
	bool started;
};

/* Keeps the failure with the least key; takes r over. */
static void fail(struct sums *m, int err, const struct order_key *key, struct reason *r)
{
	pthread_mutex_lock(&m->lock);
	if (!m->failed || order_key_cmp(key, &m->failed_at) < 0) {
		m->failed = true;
		m->failed_at = *key;
		m->err = err;
		reason_move(m->reason, r);
	} else {
		reason_release(r);
	}
	pthread_mutex_unlock(&m->lock);
}

static bool needed(struct sums *m, const struct data_block_info *info)
{
	bool is;

	pthread_mutex_lock(&m->lock);
	is = !m->failed || info->min_time <= m->failed_at.time;
	pthread_mutex_unlock(&m->lock);
	return is;
}

/*
 * Reads the next chunk and the key time that its first record takes if it has none. Returns 1, 0 at
 * the end, or -errno.
 */
static int next_block(struct sums *m, struct data_chunk *c, u64 *time, struct reason *r)
{
	struct data_reader *data = m->s->data;

	for (;;) {
		size_t i = atomic_fetch_add(&m->next, 1);
		const struct data_block_info *info = data_block_info(data, i);
		int err;

		if (!info)
			return 0;
		if (!needed(m, info))
			continue;
		*time = info->first_order;
		err = data_block(data, i, c, r);
		return err ? err : 1;
	}
}

static int next_chunk(struct sums *m, struct data_chunk *c, u64 *time, struct reason *r)
{
	int got = 0;

	pthread_mutex_lock(&m->lock);
	if (!m->ended && !m->failed)
		got = data_next(m->s->data, c, r);
	m->ended |= got <= 0;
	pthread_mutex_unlock(&m->lock);
	*time = 0;
	return got;
}

static int work_chunk(struct sums_worker *w, const struct data_chunk *c, u64 time, struct reason *r)
{
	const struct event_set *set = w->d.s->set;
	/* times of the other records matter only where samples may lack one */
	bool track = !(set->sample_type_all & PERF_SAMPLE_TIME);
	struct record rec;
	size_t at = 0;
	int err = 0;

	w->key = (struct order_key){ .time = time, .file = c->file };
	while (!err && data_chunk_record(c, &at, &rec)) {
		bool is_sample = rec.type == PERF_RECORD_SAMPLE;

		if (is_sample || track)
			w->key.time = record_key_time(set, &rec, w->key.time);
		w->key.position = rec.position;
		if (is_sample)
			err = deliver_sample(&w->d, &rec, &w->key, r);
	}
	return err;
}

static void *work(void *arg)
{
	struct sums_worker *w = arg;
	struct sums *m = w->sums;
	struct reason r = REASON_INIT;
	struct data_chunk c;
	int got = 1, err;
	u64 time;

	while (got > 0) {
		w->key = (struct order_key){ 0 };
		if (context_cancelled(m->s->ctx)) {
			got = reason_set(&r, EINTR, "interrupted");
			break;
		}
		got = m->blocks ? next_block(m, &c, &time, &r) : next_chunk(m, &c, &time, &r);
		if (got <= 0)
			break;
		phase_begin("pass 2: samples of a block");
		err = work_chunk(w, &c, time, &r);
		phase_end_bytes(c.size);
		data_chunk_release(&c);
		if (err)
			fail(m, err, &w->key, &r);
	}
	if (got < 0)
		fail(m, got, &w->key, &r);
	reason_release(&r);
	return NULL;
}

static void *load_symbols(void *arg)
{
	struct session *s = arg;

	symbols_of(s->symbols, s->loader.image);
	return NULL;
}

void session_expect_symbols(struct session *s, u32 image)
{
	struct symbol_loader *l = &s->loader;

	if (!l->open || atomic_flag_test_and_set(&l->taken))
		return;
	l->image = image;
	l->started = !pthread_create(&l->thread, NULL, load_symbols, s);
}

static void expect_kernel(void *arg, const struct mapping *m)
{
	struct session *s = arg;

	if (image_get(s->images, m->image)->kind == IMAGE_KERNEL)
		session_expect_symbols(s, m->image);
}

void session_begin_loader(struct session *s, const struct session_ops *ops)
{
	static const struct order_key end = { .time = UINT64_MAX };

	enum { MANY = 20000 }; /* fewer are read before a thread would have started */

	s->loader.open = true;
	if (ops->names_kernel && s->samples_ahead > MANY)
		history_each_mapping(s->history, history_kernel_space(s->history, 0, &end),
				     expect_kernel, s);
}

/*
 * Waits for the loader's end before the workers report their conditions, because the loader adds to
 * the same list.
 */
void session_end_loader(struct session *s)
{
	struct symbol_loader *l = &s->loader;

	l->open = false;
	if (l->started)
		pthread_join(l->thread, NULL);
	l->started = false;
}

static unsigned useful_workers(const struct sums *m)
{
	size_t blocks = data_block_count(m->s->data);

	return m->blocks && blocks < m->s->workers ? MAX((unsigned)blocks, 1U) : m->s->workers;
}

int session_run_sums(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	struct sums m = {
		.s = s, .ops = ops, .arg = arg, .reason = r, .blocks = data_block_count(s->data) > 0
	};
	unsigned n = useful_workers(&m);
	struct sums_worker **workers = xcalloc(n, sizeof(*workers));
	int err = m.blocks ? 0 : data_rewind(s->data, r);

	if (err) {
		free(workers);
		return err;
	}
	pthread_mutex_init(&m.lock, NULL);
	for (unsigned i = 0; i < n; i++) {
		workers[i] = xcalloc_apart(1, sizeof(**workers));
		workers[i]->sums = &m;
		deliver_init(&workers[i]->d, s, ops, arg, i);
	}
	data_arch(s->data); /* the reader caches it, before there are other threads */
	if (n > 1 && m.blocks)
		session_begin_loader(s, ops);
	/* when a thread cannot be started, this costs time, but no results */
	for (unsigned i = 1; i < n; i++)
		workers[i]->started = !pthread_create(&workers[i]->thread, NULL, work, workers[i]);
	work(workers[0]);
	phase_begin("pass 2: wait for the other workers");
	for (unsigned i = 1; i < n; i++)
		if (workers[i]->started)
			pthread_join(workers[i]->thread, NULL);
	session_end_loader(s);
	phase_end();
	for (unsigned i = 0; i < n; i++) {
		deliver_release(&workers[i]->d);
		free(workers[i]);
	}
	pthread_mutex_destroy(&m.lock);
	free(workers);
	return m.err;
}
