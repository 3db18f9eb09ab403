// SPDX-License-Identifier: GPL-2.0-or-later
/* Who watches a run sees what its recording holds. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "counting.h"
#include "event/parse.h"
#include "record/internal.h"
#include "watch/watch.h"

/* A shell whose children come and go: each page fault is a sample of both. */
static const char program[] = "for i in 1 2 3 4 5 6 7 8; do /bin/true; ls / >/dev/null; done";

struct seen {
	struct session *s;
	struct map64 places; /* hash of (comm, object, offset) -> samples */
	u64 samples, last, ended;
};

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct seen *seen = arg;
	const char *comm = history_comm_text(session_history(seen->s), ss->comm);
	const struct image *im = image_get(session_images(seen->s), ss->leaf.image);

	(void)worker, (void)r;
	assert_true(ss->key.time >= seen->last);
	seen->last = ss->key.time;
	seen->samples++;
	*map64_put(&seen->places,
		   hash_combine(hash_combine(hash_str(comm), hash_str(im->path)), ss->leaf.offset),
		   NULL) += 1;
	return 0;
}

static void on_task_end(void *arg, const struct task *task, const struct order_key *key)
{
	struct seen *seen = arg;

	(void)task, (void)key;
	seen->ended++;
}

static const struct session_ops ops = { .order = SESSION_ORDERED,
					.sample = on_sample,
					.task_end = on_task_end };
static const struct symbol_options no_symbols = { .symfs = "", .buildid_dir = "" };

static void assert_same_places(const struct seen *a, const struct seen *b)
{
	assert_true(a->samples > 500);
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->places.count, b->places.count);
	for (size_t i = 0; i < a->places.space; i++) {
		const struct map64_slot *s = &a->places.slots[i];
		const u64 *other = s->used ? map64_get(&b->places, s->key) : NULL;

		assert_true(!s->used || (other && *other == s->value));
	}
}

struct run {
	struct context ctx;
	struct record_settings settings;
	struct workload workload;
	struct target target;
	struct recorder rec;
	struct event_set recorded, watched;
	struct live *live;
	struct seen live_seen, file_seen;
	struct watch *watch;
	char path[64];
};

static int parse(struct run *m, struct event_set *set, struct reason *r)
{
	struct event_parser parser = { 0 };
	int err;

	event_set_init(set);
	err = event_parse(&parser, set, "page-faults:u", r);
	return err ? err : record_configure(set, &m->settings, &m->target, true, r);
}

static int open_both(struct run *m, struct reason *r)
{
	const char *argv[] = { "sh", "-c", program, NULL };
	const struct live_options o = { 0 };
	int err = workload_prepare(&m->workload, argv, r);

	m->target.tids = xcalloc(1, sizeof(pid_t));
	m->target.tids[0] = m->workload.pid;
	if (!err)
		err = parse(m, &m->recorded, r);
	if (!err)
		err = parse(m, &m->watched, r);
	if (!err)
		err = loop_signals(&m->ctx, 0, &m->rec.wake_fd, r);
	if (!err)
		err = record_open(&m->rec, r);
	if (!err)
		err = record_start(&m->rec, r);
	if (!err)
		err = live_open(&m->ctx, &m->watched, &m->target, &o, &m->live, r);
	return err ? err : event_set_finish(&m->watched, r);
}

static int begin_watching(struct run *m, enum feed_overload overload, struct reason *r)
{
	const struct feed_settings feed = { .ops = &ops,
					    .arg = &m->live_seen,
					    .overload = overload };
	int err;

	m->live_seen.s = session_new_live(&m->ctx, &m->watched, &no_symbols);
	m->watch = watch_new(m->live, m->live_seen.s, &feed);
	err = watch_begin(m->watch, record_tracking_event(&m->watched), &m->target, NULL, r);
	return err ? err : watch_start(m->watch, r);
}

static int read_recording(struct run *m, struct reason *r)
{
	const struct session_options o = { .input = m->path, .force = true, .symbols = no_symbols };
	int err = session_open(&m->ctx, &o, &m->file_seen.s, r);

	return err ? err : session_run(m->file_seen.s, &ops, &m->file_seen, r);
}

static void finish(struct run *m)
{
	watch_free(m->watch);
	session_free(m->live_seen.s);
	session_free(m->file_seen.s);
	live_close(m->live);
	loop_end_workload(&m->workload);
	record_close(&m->rec);
	event_set_release(&m->recorded);
	event_set_release(&m->watched);
	target_release(&m->target);
	map64_release(&m->live_seen.places);
	map64_release(&m->file_seen.places);
	condition_list_release(&m->ctx.conditions);
	unlink(m->path);
}

static void test_what_is_watched_is_what_is_recorded(void **state)
{
	struct run m = { .ctx = { .buildid_dir = "", .symfs = "" },
			 .settings = { .period = 1, .period_given = true, .synth = SYNTH_ALL },
			 .workload = { .go_fd = -1, .error_fd = -1 },
			 .target = { .held = true, .inherit = true, .tid_count = 1 },
			 .path = "/tmp/perf-watch.XXXXXX" };
	struct reason r = REASON_INIT;
	struct pollfd ready;
	int err, fd = mkstemp(m.path);

	(void)state;
	if (!counts()) {
		close(fd);
		unlink(m.path);
		skip();
	}
	assert_true(fd >= 0);
	close(fd);
	m.settings.output = m.path;
	m.rec = (struct recorder){ .ctx = &m.ctx,
				   .settings = &m.settings,
				   .target = &m.target,
				   .set = &m.recorded,
				   .workload = &m.workload,
				   .wake_fd = -1 };
	err = open_both(&m, &r);
	if (!err)
		err = begin_watching(&m, FEED_SPILL, &r);
	if (!err)
		err = record_run(&m.rec, &r);
	if (!err)
		err = data_finish(m.rec.writer, &r);
	if (err)
		print_error("%s\n", r.text);
	assert_int_equal(err, 0);
	watch_stop(m.watch);
	ready = (struct pollfd){ .fd = watch_fd(m.watch), .events = POLLIN };
	assert_int_equal(poll(&ready, 1, 0), 1);
	while ((err = watch_step(m.watch, 0, &r)) > 0)
		;
	assert_int_equal(err, 0);
	assert_int_equal(read_recording(&m, &r), 0);
	assert_same_places(&m.live_seen, &m.file_seen);
	assert_true(m.live_seen.ended >= 17);
	assert_int_equal(m.live_seen.ended, m.file_seen.ended);
	finish(&m);
	reason_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_watched_is_what_is_recorded),
	};
	const struct CMUnitTest others[] = { cmocka_unit_test(needs_root) };

	if (geteuid())
		return cmocka_run_group_tests(others, NULL, NULL);
	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
