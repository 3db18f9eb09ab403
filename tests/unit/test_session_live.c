// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions that run for days: what they hold, what they forget, what they call back. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/tables.h"
#include "session/session.h"
#include "synth.h"

struct live {
	struct context ctx;
	struct synth synth;
	struct event_set set;
	struct session *s;
	struct session_ops ops;
	u64 position;
	/* what was called back */
	u64 samples, last_time, ticks, last_tick, ended;
	u32 last_ended; /* tid */
	u64 misplaced;  /* samples that were not in the program that their comm names */
};

static const struct symbol_options no_symbols = { .symfs = "", .buildid_dir = "" };

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct live *l = arg;
	const char *comm = history_comm_text(session_history(l->s), ss->comm);
	const struct image *im = image_get(session_images(l->s), ss->leaf.image);

	(void)worker, (void)r;
	assert_true(ss->key.time >= l->last_time);
	assert_true(!l->last_tick || ss->key.time >= l->last_tick);
	l->last_time = ss->key.time;
	l->samples++;
	l->misplaced += strcmp(im->name, comm) != 0;
	symbols_of(session_symbols(l->s), ss->leaf.image);
	return 0;
}

static int on_tick(void *arg, u64 now, struct reason *r)
{
	struct live *l = arg;

	(void)r;
	assert_int_equal(now % l->ops.tick_every, 0);
	assert_true(now > l->last_tick && l->last_time < now);
	l->last_tick = now;
	l->ticks++;
	return 0;
}

static void on_task_end(void *arg, const struct task *task, const struct order_key *key)
{
	struct live *l = arg;

	(void)key;
	l->ended++;
	l->last_ended = task->tid;
}

static int setup(void **state)
{
	struct live *l = calloc(1, sizeof(*l));

	l->ctx = (struct context){ .buildid_dir = "", .symfs = "" };
	synth_init(&l->synth, false);
	synth_event(&l->synth, NULL, "cpu-clock");
	synth_set(&l->synth, &l->set);
	l->s = session_new_live(&l->ctx, &l->set, &no_symbols);
	l->ops = (struct session_ops){ .order = SESSION_ORDERED,
				       .sample = on_sample,
				       .tick = on_tick,
				       .task_end = on_task_end,
				       .tick_every = 1000000 };
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct live *l = *state;

	session_free(l->s);
	event_set_release(&l->set);
	synth_release(&l->synth);
	condition_list_release(&l->ctx.conditions);
	free(l);
	return 0;
}

/* Pushes what was made since the last call, as a ring would hold it. */
static void push(struct live *l)
{
	struct data_chunk c = { .data = (const u8 *)l->synth.data.s,
				.size = l->synth.data.len,
				.position = l->position };

	l->position += c.size;
	assert_int_equal(session_push(l->s, &l->ops, l, &c, NULL), 0);
	strbuf_clear(&l->synth.data);
	vec_clear(&l->synth.at);
}

static void round_ends(struct live *l)
{
	push(l);
	assert_int_equal(session_round(l->s, &l->ops, l, NULL), 0);
}

static void map(struct live *l, u32 pid, u64 start, const char *file, u64 time)
{
	synth_map(&l->synth, .pid = pid, .tid = pid, .start = start, .len = 0x1000, .file = file,
		  .time = time);
}

/* Makes a short process with its own program, which has exited before the next one starts. */
static void short_process(struct live *l, u32 n, u64 time)
{
	u32 pid = 1000 + n % 30000;
	char name[16], path[32];

	snprintf(name, sizeof(name), "job%u", n);
	snprintf(path, sizeof(path), "/no/%s", name);
	synth_fork(&l->synth, pid, 1, time);
	synth_exec(&l->synth, pid, pid, name, time + 100);
	map(l, pid, 0x400000, path, time + 200);
	map(l, pid, 0x500000, "/no/libc.so", time + 300);
	map(l, pid, 0x600000, "//anon", time + 400);
	for (u32 i = 0; i < 4; i++)
		synth_sample(&l->synth, .pid = pid, .tid = pid, .time = time + 500 + i,
			     .ip = 0x400010 + i);
	synth_exit(&l->synth, pid, pid, time + 900);
}

struct sizes {
	size_t images, lives, comms, versions, nodes, bytes;
};

static struct sizes sizes_of(const struct live *l)
{
	const struct history *h = session_history(l->s);

	return (struct sizes){
		.images = image_count(session_images(l->s)),
		.lives = segments_count(&h->lives),
		.comms = segments_count(&h->comms.texts),
		.versions = segments_count(&h->times.versions),
		.nodes = segments_count(&h->spaces.nodes),
		.bytes = mallinfo2().uordblks + mallinfo2().hblkhd,
	};
}

/*
 * Simulates three hours of five short processes a second, each of which maps a program and code of
 * its own.
 */
static void test_soak(void **state)
{
	enum { PROCESSES = 54000, A_ROUND = 50, FIRST_HOUR = PROCESSES / 3 };
	struct live *l = *state;
	struct sizes most = { 0 }, after = { 0 };

	for (u32 i = 0; i < PROCESSES; i++) {
		struct sizes now;

		short_process(l, i, 1000 + (u64)i * 200000000);
		if (i % A_ROUND)
			continue;
		round_ends(l);
		session_compact(l->s, NULL);
		now = sizes_of(l);
		if (i < FIRST_HOUR) {
			most.images = MAX(most.images, now.images);
			most.lives = MAX(most.lives, now.lives);
			most.comms = MAX(most.comms, now.comms);
			most.bytes = MAX(most.bytes, now.bytes);
		} else {
			after.images = MAX(after.images, now.images);
			after.lives = MAX(after.lives, now.lives);
			after.comms = MAX(after.comms, now.comms);
			after.bytes = MAX(after.bytes, now.bytes);
		}
		assert_true(now.versions < 100000 && now.nodes < 100000);
	}
	push(l);
	assert_int_equal(session_flush(l->s, &l->ops, l, NULL), 0);
	assert_int_equal(l->samples, 4 * PROCESSES);
	assert_int_equal(l->misplaced, 0);
	assert_true(most.lives < PROCESSES / 4 && most.images < PROCESSES / 2);
	assert_in_range(after.images, 1, most.images + most.images / 10);
	assert_in_range(after.lives, 1, most.lives + most.lives / 10);
	assert_in_range(after.comms, 1, most.comms + most.comms / 10);
	assert_in_range(after.bytes, 0, most.bytes + most.bytes / 10);
	assert_in_range(l->ctx.conditions.list.count, 0, CONDITIONS_MAX + 10);
}

static bool keeps_image(void *arg, u32 image)
{
	return image == *(u32 *)arg;
}

static void check_swept(void *arg, const bool *named)
{
	assert_true(named[*(u32 *)arg]);
}

/* Checks that an image that a row shows is kept after nobody maps it any more. */
static void test_kept_image(void **state)
{
	struct live *l = *state;
	u32 kept;
	struct session_keep keep = { .image = keeps_image, .sweep = check_swept, .arg = &kept };
	bool compacted = false;

	kept = image_intern(session_images(l->s),
			    &(struct image){ .path = "/no/shown", .pid = -1 });
	for (u32 i = 0; i < 10000; i++) {
		short_process(l, i, 1000 + (u64)i * 200000000);
		round_ends(l);
		compacted |= session_compact(l->s, &keep);
	}
	assert_true(compacted);
	assert_string_equal(image_get(session_images(l->s), kept)->path, "/no/shown");
	assert_int_equal(image_intern(session_images(l->s),
				      &(struct image){ .path = "/no/shown", .pid = -1 }),
			 kept);
}

/* Rings that are never at a turn's end: samples are dropped, side-band and order are not. */
static void test_window_is_bounded(void **state)
{
	enum { LIMIT = 1 << 20, SAMPLES = 200000 };
	struct live *l = *state;
	const struct session_stats *st = session_stats(l->s);

	session_set_window(l->s, LIMIT);
	for (u32 i = 0; i < SAMPLES; i++) {
		if (i % 1000 == 0) {
			char name[16], path[32];

			snprintf(name, sizeof(name), "p%u", i);
			snprintf(path, sizeof(path), "/no/%s", name);
			synth_exec(&l->synth, 7, 7, name, 1000 + (u64)i * 10);
			map(l, 7, 0x400000, path, 1000 + (u64)i * 10);
		}
		synth_sample(&l->synth, .pid = 7, .tid = 7, .time = 1001 + (u64)i * 10,
			     .ip = 0x400010);
		if (i % 100 == 99)
			push(l);
		assert_true(session_held(l->s) < LIMIT + LIMIT / 4);
	}
	round_ends(l);
	assert_int_equal(session_flush(l->s, &l->ops, l, NULL), 0);
	assert_true(st->dropped > SAMPLES / 2);
	assert_int_equal(l->samples + st->dropped, SAMPLES);
	assert_int_equal(st->late, 0);
	assert_int_equal(l->misplaced, 0);
	assert_int_equal(st->records[PERF_RECORD_COMM], SAMPLES / 1000);
}

/*
 * Checks what is shed: one in two from half of the limit on, three in four from three quarters on,
 * then all.
 */
static void test_what_is_shed(void **state)
{
	struct session_shedder s = { 0 };
	u64 kept[4] = { 0 };

	(void)state;
	for (u64 held = 0; held < 4000; held++)
		kept[held / 1000] += !session_sheds(&s, held, 3000);
	assert_int_equal(kept[0], 1000);
	assert_int_equal(kept[1], 750);
	assert_in_range(kept[2], 310, 320); /* half of 250, a quarter of 750 */
	assert_int_equal(kept[3], 0);
	assert_int_equal(s.dropped, 4000 - kept[0] - kept[1] - kept[2]);
}

static void test_ticks_and_ends(void **state)
{
	struct live *l = *state;

	for (u32 i = 0; i < 100; i++)
		short_process(l, i, 1000 + (u64)i * 500000);
	round_ends(l);
	assert_int_equal(session_flush(l->s, &l->ops, l, NULL), 0);
	assert_int_equal(l->ended, 100);
	assert_int_equal(l->last_ended, 1099);
	assert_int_equal(l->ticks, 49);
	assert_int_equal(l->last_tick, 49000000);
}

/*
 * Checks that statistics restart, so a refresh of a screen shows the time since the one
 * before.
 */
static void test_statistics_begin_again(void **state)
{
	struct live *l = *state;

	for (u32 turn = 1; turn <= 3; turn++) {
		for (u32 i = 0; i < turn * 10; i++)
			short_process(l, i, turn * 1000000000ULL + (u64)i * 1000000);
		round_ends(l);
		assert_int_equal(session_flush(l->s, &l->ops, l, NULL), 0);
		assert_int_equal(session_stats(l->s)->records[PERF_RECORD_SAMPLE], turn * 40);
		assert_int_equal(session_event_samples(l->s, 0), turn * 40);
		session_restart_stats(l->s);
		assert_int_equal(session_stats(l->s)->total, 0);
		assert_int_equal(session_event_samples(l->s, 0), 0);
	}
}

#define LIVE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE_TEST(test_soak),
		LIVE_TEST(test_kept_image),
		LIVE_TEST(test_window_is_bounded),
		cmocka_unit_test(test_what_is_shed),
		LIVE_TEST(test_ticks_and_ends),
		LIVE_TEST(test_statistics_begin_again),
	};

	return cmocka_run_group_tests_name("session_live", tests, NULL, NULL);
}
