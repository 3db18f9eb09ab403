// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jobs beside an ordered run, and lines of text as such jobs: what is written, and in which order,
 * does not depend on how many threads there are, and the thread that reads takes its share.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/internal.h"
#include "session/lines.h"
#include "synth.h"

enum { SAMPLES = 60000, FIRST = 1000, RUN_JOBS = 200, WAIT_MS = 20000 };

static const unsigned workers[] = { 1, 2, 7 };

/* Writes a file of two rings, in which all times are distinct. */
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
		for (u32 cpu = 0; cpu < 2; cpu++)
			for (u32 k = cpu; k < 400; k += 2)
				synth_sample(&s, .pid = 7, .tid = 7, .cpu = cpu,
					     .time = FIRST + i + k, .ip = 0x1000);
	assert_int_equal(synth_write(&s, path), 0);
	synth_release(&s);
	return path;
}

struct trial;
struct numbered_job {
	struct session_job job;
	struct trial *trial;
	u64 number;
	bool made;
};
struct trial {
	struct session *session;
	pthread_t caller;
	u64 fail_at; /* 0: no callback fails */
	u64 calls;
	/* jobs */
	bool wait_for_others, alone; /* alone: nobody came */
	u64 given, put, elsewhere;   /* elsewhere: made by another thread than the caller's */
	struct numbered_job jobs[RUN_JOBS];
	/* lines */
	struct session_lines *lines;
};

static int run(struct trial *t, const char *path, unsigned count,
	       int (*sample)(void *, unsigned, const struct session_sample *, struct reason *),
	       void (*begin)(struct trial *t), struct reason *r)
{
	struct context ctx = { .workers = count, .buildid_dir = "", .symfs = "" };
	struct session_options o = { .input = path,
				     .force = true,
				     .symbols = { .symfs = "", .buildid_dir = "" } };
	const struct session_ops ops = { .order = SESSION_ORDERED, .sample = sample };
	int err;

	t->caller = pthread_self();
	assert_int_equal(session_open(&ctx, &o, &t->session, r), 0);
	if (begin)
		begin(t);
	err = session_run(t->session, &ops, t, r);
	if (t->lines)
		session_lines_end(t->lines);
	session_free(t->session);
	condition_list_release(&ctx.conditions);
	return err;
}

/* ---- jobs ---- */

static void make(struct session_job *job)
{
	struct numbered_job *j = (struct numbered_job *)job;
	struct timespec pause = { .tv_nsec = j->number % 7 * 20000 };

	assert_false(j->made);
	nanosleep(&pause, NULL); /* so that some are made before those that were given earlier */
	if (!pthread_equal(pthread_self(), j->trial->caller))
		__atomic_fetch_add(&j->trial->elsewhere, 1, __ATOMIC_SEQ_CST);
	j->made = true;
}

static void put(struct session_job *job)
{
	struct numbered_job *j = (struct numbered_job *)job;

	assert_true(j->made);
	assert_true(pthread_equal(pthread_self(), j->trial->caller));
	assert_int_equal(j->number, j->trial->put);
	j->trial->put++;
}

/* Waits until another thread has made a job, for at most 20 seconds. */
static void wait_for_others(struct trial *t)
{
	const struct timespec a_while = { .tv_nsec = 1000000 };

	for (int ms = 0; ms < WAIT_MS && !__atomic_load_n(&t->elsewhere, __ATOMIC_SEQ_CST); ms++)
		nanosleep(&a_while, NULL);
	t->alone = !__atomic_load_n(&t->elsewhere, __ATOMIC_SEQ_CST);
}

static int give_jobs(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct trial *t = arg;

	(void)worker;
	if (t->fail_at && s->key.time == t->fail_at)
		return reason_set(r, EDOM, "failed");
	if (t->calls++ % (SAMPLES / RUN_JOBS))
		return 0;
	/* so that the reader sleeps: it has read as much as it may */
	if (t->wait_for_others && !t->given)
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	t->jobs[t->given] = (struct numbered_job){ { make, put }, t, t->given };
	session_give_job(t->session, &t->jobs[t->given++].job);
	if (t->wait_for_others && t->given == 1)
		wait_for_others(t);
	return 0;
}

static void test_jobs_are_put_in_order(void **state)
{
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		struct trial t = { .calls = 0 };

		assert_int_equal(run(&t, path, workers[i], give_jobs, NULL, NULL), 0);
		assert_int_equal(t.given, RUN_JOBS);
		assert_int_equal(t.put, RUN_JOBS);
		if (workers[i] == 1)
			assert_int_equal(t.elsewhere, 0);
	}
	unlink(path);
	free(path);
}

/* Checks that the reading thread makes jobs while the thread of the callbacks is busy. */
static void test_the_reader_makes_jobs(void **state)
{
	struct trial t = { .wait_for_others = true };
	char *path = write_file();

	(void)state;
	assert_int_equal(run(&t, path, 2, give_jobs, NULL, NULL), 0);
	assert_int_equal(t.put, RUN_JOBS);
	assert_false(t.alone);
	unlink(path);
	free(path);
}

/* Checks that what was given before a callback failed is still put. */
static void test_jobs_before_a_failure(void **state)
{
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		struct trial t = { .fail_at = FIRST + SAMPLES / 2 };
		struct reason r = REASON_INIT;

		assert_int_equal(run(&t, path, workers[i], give_jobs, NULL, &r), -EDOM);
		assert_int_equal(t.given, RUN_JOBS / 2);
		assert_int_equal(t.put, t.given);
		reason_release(&r);
	}
	unlink(path);
	free(path);
}

/* ---- lines ---- */

struct facts {
	u64 time;
	u32 more;
	char text[];
};

static u32 more_of(u64 time)
{
	/* some lines are larger than a piece of them */
	return time % 9973 == 5 ? 70000 + (u32)(time % 7) : (u32)(time % 61);
}

static int add_line(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct trial *t = arg;
	u32 more = more_of(s->key.time);
	struct facts *f = session_line(t->lines, sizeof(*f) + more);

	(void)worker;
	(void)r;
	assert_int_equal((uintptr_t)f % 8, 0);
	f->time = s->key.time;
	f->more = more;
	memset(f->text, 'a' + (int)(s->key.time % 26), more);
	return 0;
}

static void put_line(const void *arg, const void *facts, struct strbuf *b)
{
	const struct facts *f = facts;

	assert_string_equal(arg, "the argument");
	strbuf_dec(b, f->time);
	strbuf_add(b, f->text, f->more);
	strbuf_char(b, '\n');
}

static struct out file;

static void begin_lines(struct trial *t)
{
	t->lines = session_lines_new(t->session, &file, put_line, "the argument");
}

static void want_text(struct strbuf *b)
{
	strbuf_str(b, "before\n");
	for (u64 time = FIRST; time < FIRST + SAMPLES; time++) {
		strbuf_dec(b, time);
		strbuf_pad(b, (char)('a' + time % 26), (int)more_of(time));
		strbuf_char(b, '\n');
	}
	strbuf_str(b, "after\n");
}

static void test_lines_are_in_order(void **state)
{
	char *path = write_file(), name[] = "/tmp/lines-XXXXXX";
	struct strbuf want = STRBUF_INIT;

	(void)state;
	want_text(&want);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		struct trial t = { .calls = 0 };
		int fd = mkstemp(name);
		char *got = xmalloc(want.len + 1);

		out_init(&file, fd);
		out_str(&file, "before\n");
		assert_int_equal(run(&t, path, workers[i], add_line, begin_lines, NULL), 0);
		session_lines_end(t.lines);
		session_lines_free(t.lines);
		out_str(&file, "after\n");
		assert_int_equal(out_release(&file), 0);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(read_all(fd, got, want.len + 1), want.len);
		assert_memory_equal(got, want.s, want.len);
		close(fd);
		unlink(name);
		memcpy(name + strlen(name) - 6, "XXXXXX", 6);
		free(got);
	}
	strbuf_release(&want);
	unlink(path);
	free(path);
}

/* ---- facts ---- */

static struct {
	u64 next; /* time */
	int inside;
} taker;

static void take_facts(void *arg, const void *facts)
{
	const struct facts *f = facts;

	assert_ptr_equal(arg, &taker);
	/* nobody else is here */
	assert_int_equal(__atomic_fetch_add(&taker.inside, 1, __ATOMIC_SEQ_CST), 0);
	assert_int_equal(f->time, taker.next);
	assert_int_equal(f->more, more_of(f->time));
	if (f->more)
		assert_int_equal(f->text[f->more - 1], 'a' + f->time % 26);
	if (f->time % 5000 == 0) /* so that another thread would come meanwhile */
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	taker.next++;
	__atomic_fetch_sub(&taker.inside, 1, __ATOMIC_SEQ_CST);
}

static void begin_facts(struct trial *t)
{
	t->lines = session_facts_new(t->session, take_facts, &taker);
}

static void test_facts_are_taken_in_order(void **state)
{
	char *path = write_file();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		struct trial t = { .calls = 0 };

		taker.next = FIRST;
		assert_int_equal(run(&t, path, workers[i], add_line, begin_facts, NULL), 0);
		assert_int_equal(taker.next, FIRST + SAMPLES);
		session_lines_free(t.lines);
	}
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_are_put_in_order),
		cmocka_unit_test(test_the_reader_makes_jobs),
		cmocka_unit_test(test_jobs_before_a_failure),
		cmocka_unit_test(test_lines_are_in_order),
		cmocka_unit_test(test_facts_are_taken_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
