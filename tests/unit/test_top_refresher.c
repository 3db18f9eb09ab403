// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread behind the browser of perf top does not keep the screen waiting: neither while it
 * reads symbols, nor while it takes samples in. Each of the two is made to last until the screen
 * has had the lock.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "counting.h"

#include "base/alloc.h"
#include "builtin/top/refresher.h"
#include "cli/options.h"
#include "symbol/symbol.h"

enum { PATIENCE = 30000, PAGES = 64 }; /* PATIENCE: ms after which something never happens */

struct run {
	struct context ctx;
	struct top t;
	struct refresher *x;
	pthread_t screen;
	atomic_bool counts;                             /* samples are taken in */
	atomic_bool lasts_in_symbols, lasts_in_samples; /* what the thread waits in */
	atomic_bool waits, had; /* the thread waits there; the screen has had the lock since */
	atomic_bool never;      /* it had not until patience ended */
};

static struct run m;

static void nap(void)
{
	usleep(1000);
}

/* What the thread does until the screen has had the lock. */
static void last(void (*meanwhile)(void *arg), void *arg)
{
	atomic_store(&m.waits, true);
	for (int ms = 0; !atomic_load(&m.had) && !atomic_load(&m.never); ms++) {
		if (ms == PATIENCE) {
			atomic_store(&m.never, true);
			break;
		}
		if (meanwhile)
			meanwhile(arg);
		nap();
	}
}

static const u8 *kept(void *arg, const struct image *img, size_t *size)
{
	(void)arg, (void)img, (void)size;
	if (atomic_load(&m.lasts_in_symbols) && !pthread_equal(pthread_self(), m.screen))
		last(NULL, NULL);
	return NULL;
}

static void count_again(void *arg)
{
	assert_int_equal(top_count_sample(&m.t, 0, arg, NULL), 0);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	if (atomic_load(&m.lasts_in_samples) && !pthread_equal(pthread_self(), m.screen))
		last(count_again, (void *)(uintptr_t)s);
	return atomic_load(&m.counts) ? top_count_sample(arg, worker, s, r) : 0;
}

/* Page faults in this program and in the C library. */
static void fault(void)
{
	const size_t size = PAGES * 4096UL;
	volatile u8 *p =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	for (size_t i = 0; i < size / 2; i += 4096)
		p[i] = 1;
	memset((u8 *)(uintptr_t)p + size / 2, 1, size / 2);
	munmap((u8 *)(uintptr_t)p, size);
}

static void parse(struct top *t)
{
	static const char *const usage[] = { "perf top", NULL };
	static char tid[16]; /* the options keep it */
	const char *argv[] = { "top",  "-e", "page-faults:u", "-c", "1", "-d",
			       "0.05", "-s", "dso,symbol",    "-t", tid, NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "top", .usage = usage };
	int argc = ARRAY_SIZE(argv) - 1;

	snprintf(tid, sizeof(tid), "%d", (int)getpid());
	top_option_rows(t, &rows);
	o.rows = rows.items;
	assert_int_equal(options_parse(&o, &argc, argv), 0);
	assert_int_equal(top_parse_texts(t, NULL), 0);
	vec_release(&rows);
}

static int open_top(struct top *t, struct reason *r)
{
	const struct symbol_options symbols = { .symfs = "", .buildid_dir = "" };
	int err;

	t->ops = (struct session_ops){ .order = SESSION_ORDERED, .sample = on_sample };
	top_beside_begin(t, &t->ops);
	err = top_source_open(t->source, &symbols, &t->ops, t, r);
	t->session = top_source_session(t->source);
	t->watch = top_source_watch(t->source);
	if (err)
		return err;
	symbol_store_keep(session_symbols(t->session), kept, NULL);
	t->hist = hist_new(&m.ctx, session_events(t->session), session_history(t->session),
			   session_images(t->session), &t->o.set);
	err = hist_set_keys(t->hist, t->o.sort, NULL, false, r);
	if (err)
		return err;
	t->collector = hist_collector_new(t->hist);
	t->pool = hist_pool_new(t->hist, session_symbols(t->session));
	top_expand_begin(t);
	return 0;
}

/* The first table, of nothing yet; then the thread runs, and samples count. */
static void begin(void)
{
	struct reason r = REASON_INIT;
	struct hist *h = NULL;
	int err;

	if (!counts())
		skip();
	if (geteuid()) {
		fprintf(stderr, "# skip: needs root\n");
		skip();
	}
	memset(&m, 0, sizeof(m));
	m.ctx = (struct context){ .buildid_dir = "", .symfs = "" };
	m.screen = pthread_self();
	top_init(&m.t, &m.ctx);
	m.t.begun = clock_now();
	parse(&m.t);
	err = open_top(&m.t, &r);
	if (!err)
		err = refresher_new(&m.t, &m.x, &h, &r);
	if (!err)
		err = refresher_start(m.x, &r);
	if (err)
		print_error("%s\n", r.text);
	assert_int_equal(err, 0);
	hist_free(h);
	atomic_store(&m.counts, true);
}

static void end(void)
{
	struct reason r = REASON_INIT;

	assert_int_equal(refresher_free(m.x, &r), 0);
	top_release(&m.t);
	condition_list_release(&m.ctx.conditions);
}

/* As a wait for a key. */
static void let_it_work(void)
{
	refresher_give(m.x);
	nap();
	refresher_take(m.x);
}

static void await(bool (*is)(void))
{
	int ms = 0;

	while (!is() && ms++ < PATIENCE)
		let_it_work();
	assert_true(is());
}

static bool it_waits(void)
{
	return atomic_load(&m.waits);
}

static bool is_due(void)
{
	return refresher_due(m.x);
}

static u64 samples_of(const struct hist *h)
{
	return hist_view(h, 0)->totals[0].samples;
}

/* How many samples the next table has; 0: it is not there yet. */
static u64 next_table(void)
{
	struct hist *h;
	u64 samples;

	await(is_due);
	h = refresher_next(m.x);
	samples = h ? samples_of(h) : 0;
	if (h)
		refresher_shown(m.x);
	hist_free(h);
	return samples;
}

static void await_samples(void)
{
	u64 samples = 0;

	for (int i = 0; i < PATIENCE && samples < PAGES / 2; i++)
		samples = next_table();
	assert_true(samples >= PAGES / 2);
}

static void has_the_lock_while(atomic_bool *lasts)
{
	atomic_store(lasts, true);
	fault();
	await(it_waits);
	atomic_store(&m.had, true); /* this thread has the lock now */
	await_samples();
	assert_false(atomic_load(&m.never));
}

static void test_the_screen_does_not_wait_for_symbols(void **state)
{
	(void)state;
	begin();
	has_the_lock_while(&m.lasts_in_symbols);
	end();
}

static void test_the_screen_does_not_wait_for_samples(void **state)
{
	(void)state;
	begin();
	has_the_lock_while(&m.lasts_in_samples);
	end();
}

static void let_refreshes_pass(int count)
{
	for (int i = 0; i < count; i++) {
		refresher_next_counts(m.x);
		while (!refresher_counts_due(m.x))
			let_it_work();
	}
}

/*
 * While a menu is open no table is made; samples count all the same, and the next one is made once
 * it is asked for.
 */
static void test_what_nobody_looks_at_is_not_made(void **state)
{
	u64 made, before;

	(void)state;
	begin();
	fault();
	await_samples();
	before = m.t.all.samples;
	let_refreshes_pass(3); /* at most one more is made, and thrown away */
	made = m.t.tables;
	fault();
	let_refreshes_pass(5);
	assert_int_equal(m.t.tables, made);
	assert_true(m.t.all.samples >= before + PAGES / 2);
	m.t.o.refresh = 3600 * 1000000000ULL; /* it comes at once all the same */
	assert_true(refresher_due(m.x));
	assert_null(refresher_next(m.x));
	assert_false(refresher_due(m.x));
	while (m.t.tables == made)
		next_table();
	assert_int_equal(m.t.tables, made + 1);
	end();
}

/*
 * A held lock comes when what the thread does without it has ended, and that does not begin again
 * meanwhile.
 */
static void *let_go(void *arg)
{
	(void)arg;
	usleep(50000);
	atomic_store(&m.had, true);
	return NULL;
}

static void test_nothing_is_read_while_the_lock_is_held(void **state)
{
	pthread_t other;
	u64 tables;

	(void)state;
	begin();
	atomic_store(&m.lasts_in_symbols, true);
	fault();
	await(it_waits);
	assert_int_equal(pthread_create(&other, NULL, let_go, NULL), 0);
	refresher_hold(m.x, true);
	assert_true(atomic_load(&m.had));
	tables = m.t.tables;
	for (int i = 0; i < 300; i++)
		let_it_work();
	assert_int_equal(m.t.tables, tables);
	refresher_hold(m.x, false);
	await_samples();
	let_refreshes_pass(1);
	next_table();
	await_samples();
	assert_true(m.t.tables > tables);
	pthread_join(other, NULL);
	end();
}

/* Soon after the start, but not before something was sampled, nor later than any other one. */
static void test_first_table(void **state)
{
	const u64 ms = 1000000, begun = 5000 * ms;
	struct top t = { .begun = begun, .o = { .refresh = 2000 * ms } };

	(void)state;
	assert_int_equal(top_first_table(&t, begun + 50 * ms), begun + 300 * ms);
	assert_int_equal(top_first_table(&t, begun + 290 * ms), begun + 390 * ms);
	t.o.refresh = 60 * ms;
	assert_int_equal(top_first_table(&t, begun + 50 * ms), begun + 110 * ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_table),
		cmocka_unit_test(test_the_screen_does_not_wait_for_symbols),
		cmocka_unit_test(test_the_screen_does_not_wait_for_samples),
		cmocka_unit_test(test_what_nobody_looks_at_is_not_made),
		cmocka_unit_test(test_nothing_is_read_while_the_lock_is_held),
	};

	return cmocka_run_group_tests_name("top_refresher", tests, NULL, NULL);
}
