// SPDX-License-Identifier: GPL-2.0-or-later
/* From rings to a session: whatever waits wherever, the callbacks get the same. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "feed/feed.h"
#include "synth.h"

struct machine {
	struct context ctx;
	struct synth synth;
	struct event_set set;
	struct session *s;
	struct session_ops ops;
	struct feed *feed;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ended, stuck, waits;
	int err;
	u32 pieces; /* that the worker has done */
	u64 samples, last, digest, fail_at, taken;
};

static const struct symbol_options no_symbols = { .symfs = "", .buildid_dir = "" };

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct machine *m = arg;

	(void)worker;
	assert_true(ss->key.time >= m->last);
	m->last = ss->key.time;
	m->samples++;
	m->digest = hash_combine(m->digest, ss->key.time);
	m->digest = hash_combine(m->digest, ss->sample->ip);
	if (m->fail_at && m->samples >= m->fail_at)
		return reason_set(r, EDOM, "enough");
	pthread_mutex_lock(&m->lock);
	m->waits = m->stuck;
	pthread_cond_broadcast(&m->changed);
	while (m->stuck)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
	return 0;
}

static void after(void *arg, enum feed_piece piece, int err, struct reason *why)
{
	struct machine *m = arg;

	(void)why;
	pthread_mutex_lock(&m->lock);
	m->pieces++;
	m->ended |= piece == FEED_END;
	m->err = err ? err : m->err;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

static void taken(void *arg, const u8 *data, size_t size, u64 piece)
{
	struct machine *m = arg;
	const struct data_chunk c = { .data = data, .size = size };
	struct record rec;
	size_t at = 0, records = 0;

	while (data_chunk_record(&c, &at, &rec))
		records++;
	assert_true(records > 0 && at == size);
	assert_int_equal(piece, ++m->taken);
}

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	m->ctx = (struct context){ .buildid_dir = "", .symfs = "" };
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->changed, NULL);
	synth_init(&m->synth, false);
	synth_event(&m->synth, NULL, "cpu-clock");
	synth_set(&m->synth, &m->set);
	m->s = session_new_live(&m->ctx, &m->set, &no_symbols);
	m->ops = (struct session_ops){ .order = SESSION_ORDERED, .sample = on_sample };
	*state = m;
	return 0;
}

static void set_stuck(struct machine *m, bool stuck)
{
	pthread_mutex_lock(&m->lock);
	m->stuck = stuck;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

static int teardown(void **state)
{
	struct machine *m = *state;

	set_stuck(m, false);
	feed_free(m->feed);
	session_free(m->s);
	event_set_release(&m->set);
	synth_release(&m->synth);
	condition_list_release(&m->ctx.conditions);
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
	free(m);
	return 0;
}

/* Takes what is there as a ring that wraps would hold it. */
static void take(struct machine *m)
{
	const u8 *data = (const u8 *)m->synth.data.s;
	size_t size = m->synth.data.len, cut = size / 3;
	struct ring_data ring = { data, data + cut, cut, size - cut };

	assert_int_equal(feed_take(m->feed, &ring, NULL), 0);
	strbuf_clear(&m->synth.data);
	vec_clear(&m->synth.at);
}

enum { ROUNDS = 40, A_ROUND = 500 };

/* Fills two rings, which are emptied one after the other, with interleaved times. */
static void two_rings(struct machine *m, u32 rounds)
{
	for (u32 i = 0; i < rounds; i++) {
		for (u32 ring = 0; ring < 2; ring++) {
			for (u32 n = 0; n < A_ROUND; n++)
				synth_sample(&m->synth, .pid = 7, .tid = 7, .ip = 0x1000 + n,
					     .time = 1000 + (u64)(i * A_ROUND + n) * 10 + ring);
			take(m);
		}
		feed_round(m->feed);
	}
	feed_end(m->feed);
}

static void await_end(struct machine *m)
{
	pthread_mutex_lock(&m->lock);
	while (!m->ended)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

static void feed(struct machine *m, u64 most, enum feed_overload overload)
{
	m->feed = feed_new(m->s, &(struct feed_settings){ .ops = &m->ops,
							  .arg = m,
							  .most_waiting = most,
							  .overload = overload,
							  .after = after,
							  .taken = taken });
}

/*
 * Checks that the result is the same with pieces in memory, on disk or both, and on a thread of the
 * feed or of the caller.
 */
static void test_where_pieces_wait_does_not_matter(void **state)
{
	u64 digest = 0;

	(void)state;
	for (u32 i = 0; i < 4; i++) {
		void *another;
		struct machine *m;

		setup(&another);
		m = another;
		feed(m, i == 1 ? 1 : i == 2 ? 200000 : 0, FEED_SPILL);
		if (i < 3)
			assert_int_equal(feed_start(m->feed, NULL), 0);
		two_rings(m, ROUNDS);
		if (i < 3)
			await_end(m);
		else
			assert_int_equal(feed_work(m->feed, UINT64_MAX, NULL), 0);
		assert_int_equal(m->samples, 2 * ROUNDS * A_ROUND);
		assert_int_equal(m->taken, 2 * ROUNDS);
		assert_true(i != 1 || feed_spilled(m->feed) > 1000000);
		assert_true(i != 0 || feed_spilled(m->feed) == 0);
		assert_int_equal(feed_waiting(m->feed), 0);
		assert_true(!digest || m->digest == digest);
		digest = m->digest;
		teardown(&another);
	}
}

/*
 * Checks that a screen that falls behind shows fewer samples, in order, and says how many it left
 * out.
 */
static void test_shedding(void **state)
{
	struct machine *m = *state;
	const u64 limit = 300000;

	feed(m, limit, FEED_SHED);
	m->stuck = true;
	assert_int_equal(feed_start(m->feed, NULL), 0);
	two_rings(m, ROUNDS);
	assert_true(feed_waiting(m->feed) <= limit + limit / 4);
	pthread_mutex_lock(&m->lock);
	m->stuck = false;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	await_end(m);
	assert_true(m->samples > 1000 && feed_dropped(m->feed) > 1000);
	assert_int_equal(m->samples + feed_dropped(m->feed), 2 * ROUNDS * A_ROUND);
	assert_int_equal(feed_spilled(m->feed), 0);
}

static void test_failing_callback(void **state)
{
	struct machine *m = *state;

	feed(m, 0, FEED_SPILL);
	m->fail_at = 100;
	assert_int_equal(feed_start(m->feed, NULL), 0);
	two_rings(m, ROUNDS);
	await_end(m);
	assert_int_equal(m->err, -EDOM);
	assert_int_equal(m->samples, 100);
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/*
 * Checks that a step on the caller's thread ends in time if nothing comes, and when it is
 * cancelled.
 */
static void test_steps(void **state)
{
	struct machine *m = *state;
	struct reason r = REASON_INIT;
	u64 begin = now_ns();

	feed(m, 0, FEED_SPILL);
	assert_int_equal(feed_work(m->feed, begin + 100000000, &r), 1);
	assert_true(now_ns() - begin >= 100000000);
	two_rings(m, 2);
	m->ctx.cancelled = true;
	assert_int_equal(feed_work(m->feed, UINT64_MAX, &r), -EINTR);
	assert_int_equal(m->samples, 0);
	m->ctx.cancelled = false;
	assert_int_equal(feed_work(m->feed, UINT64_MAX, &r), 0);
	assert_int_equal(m->samples, 4 * A_ROUND);
	reason_release(&r);
}

/* Records that stay in their ring */

enum { RING = 256 << 10, IN_USE = RING / 8 * 3 };

struct small_ring {
	u8 bytes[RING];
	u64 head, tail;
};

/*
 * Immediately overwrites what the feed gives back, as the kernel would do later. The worker may be
 * reading it, and then reads it again elsewhere. This race is by design, so it is hidden from tools
 * that look for races.
 */
static void make_room(struct machine *m, struct small_ring *g, u32 ring)
{
	for (u64 n = feed_returned(m->feed, ring); n; n--, g->tail++)
#ifndef __SANITIZE_THREAD__
		g->bytes[g->tail % RING] = 0xa5;
#else
		;
#endif
}

static void take_ring(struct machine *m, struct small_ring *g, u32 ring, u64 most)
{
	size_t size = m->synth.data.len;
	struct ring_data d = { .first = &g->bytes[g->head % RING] };

	for (make_room(m, g, ring); g->head - g->tail + size > RING; make_room(m, g, ring))
		usleep(1000);
	for (size_t i = 0; i < size; i++)
		g->bytes[(g->head + i) % RING] = (u8)m->synth.data.s[i];
	d.first_size = MIN(size, RING - g->head % RING);
	d.second_size = size - d.first_size;
	d.second = d.second_size ? g->bytes : NULL;
	g->head += size;
	assert_int_equal(feed_take_ring(m->feed, ring, &d, most, NULL), 0);
	strbuf_clear(&m->synth.data);
	vec_clear(&m->synth.at);
}

static void one_round(struct machine *m, struct small_ring g[2], u32 i, u64 most)
{
	for (u32 ring = 0; ring < 2; ring++) {
		for (u32 n = 0; n < A_ROUND; n++)
			synth_sample(&m->synth, .pid = 7, .tid = 7, .ip = 0x1000 + n,
				     .time = 1000 + (u64)(i * A_ROUND + n) * 10 + ring);
		take_ring(m, &g[ring], ring, most);
	}
	feed_round(m->feed);
}

static void await_stuck(struct machine *m)
{
	pthread_mutex_lock(&m->lock);
	while (!m->waits)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

static u64 digest_of_copies(void)
{
	void *state;
	struct machine *m;
	u64 digest;

	setup(&state);
	m = state;
	feed(m, 0, FEED_SPILL);
	two_rings(m, ROUNDS);
	assert_int_equal(feed_work(m->feed, UINT64_MAX, NULL), 0);
	digest = m->digest;
	teardown(&state);
	return digest;
}

/*
 * Instead of libc's: a disk that is slow, until the worker, which goes on now, has taken other
 * pieces. NULL: a disk that is not.
 */
static struct machine *slow_disk;
static bool overtaken;

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	struct machine *m = slow_disk;

	(void)count;
	if (m) {
		slow_disk = NULL;
		pthread_mutex_lock(&m->lock);
		m->stuck = false;
		pthread_cond_broadcast(&m->changed);
		for (u32 i = 0, before = m->pieces; i < 1000 && !overtaken; i++) {
			pthread_mutex_unlock(&m->lock);
			usleep(10000);
			pthread_mutex_lock(&m->lock);
			overtaken = m->pieces > before + 1; /* it was at one of them */
		}
		pthread_mutex_unlock(&m->lock);
	}
	return pwrite(fd, parts[0].iov_base, parts[0].iov_len, at);
}

/*
 * Checks that a worker that keeps up reads everything in place except what wraps around the end of
 * a ring.
 */
static void test_records_stay_in_rings(void **state)
{
	struct small_ring *g = calloc(2, sizeof(*g));
	struct machine *m = *state;
	u64 all;

	feed(m, 0, FEED_SPILL);
	for (u32 i = 0; i < ROUNDS; i++) {
		one_round(m, g, i, RING);
		while (feed_has_work(m->feed))
			assert_int_equal(feed_work(m->feed, 1, NULL), 1);
	}
	feed_end(m->feed);
	assert_int_equal(feed_work(m->feed, UINT64_MAX, NULL), 0);
	assert_int_equal(m->samples, 2 * ROUNDS * A_ROUND);
	assert_int_equal(m->digest, digest_of_copies());
	all = g[0].head + g[1].head;
	assert_true(all > 4 * (u64)RING);
	assert_in_range(feed_lent(m->feed), all - all / RING * 100, all);
	for (u32 ring = 0; ring < 2; ring++) {
		make_room(m, &g[ring], ring);
		assert_int_equal(g[ring].tail, g[ring].head);
	}
	feed_free(m->feed);
	m->feed = NULL;
	free(g);
}

static void wait_for_room(struct machine *m, struct small_ring *g)
{
	for (u32 ring = 0; ring < 2; ring++)
		for (make_room(m, &g[ring], ring); g[ring].tail < g[ring].head;
		     make_room(m, &g[ring], ring))
			usleep(1000);
}

/*
 * Checks that a worker that stands still does not block the rings: what waits is copied or put on
 * disk, and so is what the session holds when it goes on.
 */
static void worker_stands_still(u64 memory, bool disk)
{
	struct small_ring *g = calloc(2, sizeof(*g));
	struct machine *m;
	void *state;

	setup(&state);
	m = state;
	feed(m, memory, FEED_SPILL);
	m->stuck = true;
	assert_int_equal(feed_start(m->feed, NULL), 0);
	one_round(m, g, 0, IN_USE);
	one_round(m, g, 1, IN_USE);
	await_stuck(m);
	assert_int_equal(feed_waiting(m->feed), 0);
	for (u32 i = 2; i < ROUNDS; i++) {
		/* the kernel always has the rest of the ring */
		for (u32 ring = 0; ring < 2; ring++) {
			make_room(m, &g[ring], ring);
			assert_true(g[ring].head - g[ring].tail <= IN_USE);
		}
		one_round(m, g, i, IN_USE);
	}
	assert_true(disk ? feed_spilled(m->feed) > RING : feed_waiting(m->feed) > RING);
	set_stuck(m, false);
	if (memory % 2) /* not the end, but the worker lets the rings go */
		wait_for_room(m, g);
	feed_end(m->feed);
	await_end(m);
	assert_int_equal(m->samples, 2 * ROUNDS * A_ROUND);
	assert_int_equal(m->digest, digest_of_copies());
	wait_for_room(m, g);
	teardown(&state);
	free(g);
}

static void test_worker_stands_still(void **state)
{
	(void)state;
	worker_stands_still(0, false);
	worker_stands_still(1 << 10, true);
	worker_stands_still((1 << 10) + 1, true);
}

/* Checks that the worker goes on with records in memory while others are written to a slow disk. */
static void test_slow_disk(void **state)
{
	struct small_ring *g = calloc(2, sizeof(*g));
	struct machine *m = *state;

	feed(m, 1 << 10, FEED_SPILL);
	m->stuck = true;
	assert_int_equal(feed_start(m->feed, NULL), 0);
	one_round(m, g, 0, RING);
	one_round(m, g, 1, RING);
	await_stuck(m);
	for (u32 i = 2; i < 4; i++)
		one_round(m, g, i, RING);
	slow_disk = m;
	overtaken = false;
	for (u32 i = 4; i < ROUNDS; i++)
		one_round(m, g, i, IN_USE);
	assert_null(slow_disk);
	assert_true(overtaken);
	feed_end(m->feed);
	await_end(m);
	assert_int_equal(m->samples, 2 * ROUNDS * A_ROUND);
	assert_int_equal(m->digest, digest_of_copies());
	wait_for_room(m, g);
	feed_free(m->feed);
	m->feed = NULL;
	free(g);
}

static bool may_raise_priorities(void)
{
	struct rlimit l;

	return !geteuid() || (!getrlimit(RLIMIT_NICE, &l) && l.rlim_cur >= 20);
}

/*
 * Checks that the worker's priority is raised once each time it falls behind, and stays low while
 * it keeps up.
 */
static void test_worker_hurries(void **state)
{
	struct machine *m = *state;
	int own = getpriority(PRIO_PROCESS, 0);

	if (!may_raise_priorities())
		skip();
	feed(m, 1 << 20, FEED_SPILL);
	/* at a priority as low as that of a worker there is nothing to step back to */
	assert_int_equal(setpriority(PRIO_PROCESS, 0, 0), 0);
	assert_int_equal(feed_start(m->feed, NULL), 0);
	setpriority(PRIO_PROCESS, 0, own);
	for (u32 i = 0; i < 20; i++) {
		two_rings(m, 1);
		while (feed_has_work(m->feed))
			usleep(100);
	}
	assert_int_equal(feed_hurries(m->feed), 0);
	for (u32 i = 0; i < 50 && feed_hurries(m->feed) < 3; i++) {
		u64 before = feed_hurries(m->feed);

		set_stuck(m, true);
		two_rings(m, ROUNDS);
		two_rings(m, ROUNDS);
		assert_true(feed_hurries(m->feed) <= before + 1);
		assert_true(i > 0 || feed_hurries(m->feed) == 1);
		set_stuck(m, false);
		while (feed_has_work(m->feed))
			usleep(1000);
		usleep(1000); /* now it most likely waits, and has stepped back */
	}
	assert_int_equal(feed_hurries(m->feed), 3);
}

#define FEED_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_pieces_wait_does_not_matter),
		FEED_TEST(test_shedding),
		FEED_TEST(test_failing_callback),
		FEED_TEST(test_steps),
		FEED_TEST(test_records_stay_in_rings),
		cmocka_unit_test(test_worker_stands_still),
		FEED_TEST(test_slow_disk),
		FEED_TEST(test_worker_hurries),
	};

	return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
