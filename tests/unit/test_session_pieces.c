// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordered reading by several threads: what is called back, and in which order, does not depend on
 * how many there are, nor on who fails first.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/ahead.h"
#include "session/internal.h"
#include "synth.h"

enum { SAMPLES = 60000, MOST_WORKERS = 7, FIRST = 1000 };

static const unsigned workers[] = { 1, 2, MOST_WORKERS };

/* What one worker gathers until its piece ends. */
struct worker {
	VEC(u64) piece;
	struct all *all;
};
struct all {
	VEC(u64) times; /* the times in all pieces that have ended */
	u64 pieces, fail_at;
	bool in_end;          /* somebody's piece is ending */
	bool wait;            /* the first worker waits for another one */
	bool shared;          /* a worker other than the first was called */
	bool alone;           /* it was not, while the first worker waited */
	unsigned threads;     /* the most that there were */
	bool take;            /* pieces are taken from workers */
	bool hold;            /* the first sample waits until pieces behind its own were taken */
	pthread_mutex_t lock; /* guards what follows */
	VEC(struct worker *) taken;
	struct session *session;
	size_t made;    /* bytes, as it says, of each sample; 0: it says nothing */
	size_t largest; /* the most samples of a piece, once what is made is known */
	struct worker workers[MOST_WORKERS];
};

static unsigned count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned count = 0;

	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		count += e->d_name[0] != '.';
	closedir(d);
	return count;
}

static size_t taken(struct all *all)
{
	size_t count;

	pthread_mutex_lock(&all->lock);
	count = all->taken.count;
	pthread_mutex_unlock(&all->lock);
	return count;
}

/* Holds the first piece until two others were made, for at most 20 seconds. */
static void hold(struct all *all)
{
	const struct timespec a_while = { .tv_nsec = 1000000 };

	for (int ms = 0; ms < 20000 && taken(all) < 2; ms++)
		nanosleep(&a_while, NULL);
	all->alone = taken(all) < 2;
}

/* Moves what the worker has gathered into a new piece. */
static void *on_piece_take(void *arg)
{
	struct worker *w = arg, *piece = xcalloc(1, sizeof(*piece));

	*piece = *w;
	w->piece.items = NULL;
	w->piece.count = w->piece.space = 0;
	pthread_mutex_lock(&w->all->lock);
	vec_push(&w->all->taken, piece);
	pthread_mutex_unlock(&w->all->lock);
	return piece;
}

/* Makes the first worker wait until another one was called, for at most 20 seconds. */
static void meet(struct all *all, unsigned number)
{
	const struct timespec a_while = { .tv_nsec = 1000000 };

	if (number)
		__atomic_store_n(&all->shared, true, __ATOMIC_SEQ_CST);
	for (int ms = 0; !number && ms < 20000 && !__atomic_load_n(&all->shared, __ATOMIC_SEQ_CST);
	     ms++)
		nanosleep(&a_while, NULL);
	if (!__atomic_load_n(&all->shared, __ATOMIC_SEQ_CST))
		all->alone = true;
}

static int on_sample(void *arg, unsigned number, const struct session_sample *s, struct reason *r)
{
	struct worker *w = arg;

	assert_ptr_equal(w, &w->all->workers[number]);
	if (w->all->wait && !w->all->alone)
		meet(w->all, number);
	if (w->all->hold && s->key.time == FIRST)
		hold(w->all);
	if (w->all->fail_at && s->key.time >= w->all->fail_at)
		return reason_set(r, EDOM, "failed at %" PRIu64, s->key.time);
	vec_push(&w->piece, s->key.time);
	return 0;
}

static int on_piece_end(void *arg, struct reason *r)
{
	struct worker *w = arg;

	(void)r;
	assert_false(__atomic_exchange_n(&w->all->in_end, true, __ATOMIC_SEQ_CST));
	if (w->all->made)
		session_piece_made(w->all->session, w->piece.count * w->all->made);
	if (w->all->pieces > AHEAD_BATCHES)
		w->all->largest = MAX(w->all->largest, w->piece.count);
	vec_for_each(&w->piece, time)
		vec_push(&w->all->times, *time);
	vec_clear(&w->piece);
	w->all->pieces++;
	w->all->threads = MAX(w->all->threads, count_threads());
	__atomic_store_n(&w->all->in_end, false, __ATOMIC_SEQ_CST);
	return 0;
}

/* Rings of four CPUs, emptied one after the other; all times are distinct. */
static char *write_file(void)
{
	char *path = xstrdup("/tmp/session-XXXXXX");
	int fd = mkstemp(path);
	struct synth s;

	assert_true(fd >= 0);
	close(fd);
	synth_init(&s, false);
	synth_event(&s, NULL, "cpu-clock");
	for (u32 i = 0; i < SAMPLES; i += 400)
		for (u32 cpu = 0; cpu < 4; cpu++)
			for (u32 k = cpu; k < 400; k += 4)
				synth_sample(&s, .pid = 7, .tid = 7, .cpu = cpu,
					     .time = FIRST + i + k, .ip = 0x1000);
	assert_int_equal(synth_write(&s, path), 0);
	synth_release(&s);
	return path;
}

static int run(const char *path, unsigned count, struct all *all, struct reason *r)
{
	struct context ctx = { .workers = count, .buildid_dir = "", .symfs = "" };
	struct session_options o = { .input = path,
				     .force = true,
				     .symbols = { .symfs = "", .buildid_dir = "" } };
	void *args[MOST_WORKERS];
	const struct session_ops ops = { .order = SESSION_ORDERED,
					 .sample = on_sample,
					 .piece_end = on_piece_end,
					 .piece_args = args,
					 .piece_take = all->take ? on_piece_take : NULL,
					 .piece_makes = all->made };
	struct session *s;
	int err;

	for (unsigned i = 0; i < MOST_WORKERS; i++) {
		args[i] = &all->workers[i];
		all->workers[i].all = all;
	}
	assert_int_equal(session_open(&ctx, &o, &s, r), 0);
	all->session = s;
	pthread_mutex_init(&all->lock, NULL);
	err = session_run(s, &ops, NULL, r);
	if (!err)
		assert_int_equal(session_event_samples(s, 0), SAMPLES);
	session_free(s);
	condition_list_release(&ctx.conditions);
	for (unsigned i = 0; i < MOST_WORKERS; i++)
		vec_release(&all->workers[i].piece);
	vec_for_each(&all->taken, it) {
		vec_release(&(*it)->piece);
		free(*it);
	}
	vec_release(&all->taken);
	pthread_mutex_destroy(&all->lock);
	return err;
}

static void check_times(const struct all *all, size_t count)
{
	assert_int_equal(all->times.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(all->times.items[i], FIRST + i);
}

static void test_pieces_are_in_order(void **state)
{
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(workers); i++) {
		struct all all = { .take = i % 2 };

		assert_int_equal(run(path, workers[i / 2], &all, NULL), 0);
		check_times(&all, SAMPLES);
		assert_true(all.pieces > 4);
		vec_release(&all.times);
	}
	unlink(path);
	free(path);
}

/*
 * Checks that everything before the first failure was called back, and nothing after it has ended.
 */
static void test_first_failure_ends_it(void **state)
{
	static const u64 places[] = { 0, 1, 8191, 8192, 31234, SAMPLES - 1 };
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(workers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(places); k++) {
			struct all all = { .fail_at = FIRST + places[k], .take = i % 2 };
			char *text = xasprintf("failed at %" PRIu64, all.fail_at);
			struct reason r = REASON_INIT;

			assert_int_equal(run(path, workers[i / 2], &all, &r), -EDOM);
			assert_string_equal(r.text, text);
			check_times(&all, places[k]);
			vec_release(&all.times);
			reason_release(&r);
			free(text);
		}
	unlink(path);
	free(path);
}

/* Checks that no thread only reads: while the first worker waits, the one that reads calls back. */
static void test_the_reader_is_a_worker(void **state)
{
	char *path = write_file();

	(void)state;
	for (unsigned count = 2; count < 4; count++) {
		struct all all = { .wait = true };
		unsigned before = count_threads();

		assert_int_equal(run(path, count, &all, NULL), 0);
		check_times(&all, SAMPLES);
		assert_true(all.shared);
		assert_false(all.alone);
		assert_in_range(all.threads, 2, before + count - 1);
		vec_release(&all.times);
	}
	unlink(path);
	free(path);
}

/*
 * Checks that a worker makes the next piece while an earlier one is still being made, where pieces
 * are taken.
 */
static void test_nobody_waits_for_a_piece(void **state)
{
	char *path = write_file();

	(void)state;
	for (unsigned count = 2; count < 4; count++) {
		struct all all = { .take = true, .hold = true };

		assert_int_equal(run(path, count, &all, NULL), 0);
		check_times(&all, SAMPLES);
		assert_false(all.alone);
		vec_release(&all.times);
	}
	unlink(path);
	free(path);
}

/* Pieces have as many records as become 256 KB, but not fewer than 128. */
static void test_pieces_fit_what_is_made(void **state)
{
	static const struct {
		size_t made, least, most; /* bytes of a sample; what the largest piece may have */
	} cases[] = {
		{ 1000, AHEAD_MADE / 1000, AHEAD_MADE / 1000 },
		{ 1 << 20, AHEAD_LEAST, AHEAD_LEAST },
		{ 1, AHEAD_FIRST + 1, AHEAD_TURNS },
	};
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
			struct all all = { .made = cases[k].made };

			assert_int_equal(run(path, workers[i], &all, NULL), 0);
			check_times(&all, SAMPLES);
			assert_in_range(all.largest, cases[k].least, cases[k].most);
			vec_release(&all.times);
		}
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_in_order),
		cmocka_unit_test(test_first_failure_ends_it),
		cmocka_unit_test(test_the_reader_is_a_worker),
		cmocka_unit_test(test_nobody_waits_for_a_piece),
		cmocka_unit_test(test_pieces_fit_what_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
