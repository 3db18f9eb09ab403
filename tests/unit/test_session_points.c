// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples of tracepoints that reach a callback undecoded say the same as decoded ones, and decode
 * to the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/internal.h"
#include "synth.h"

enum { SAMPLES = 40000 };

/* What all of it says. */
struct seen {
	u64 time, ip, period, position, id, chain_count, first_ip;
	u32 cpu, pid, tid, event, raw_size, raw;
	u16 misc, size;
};

struct trial {
	VEC(struct seen) want;
	u64 number, points, samples;
	u64 sums[3][2]; /* samples and periods of each event */
};

static char *write_file(bool id_first, bool swap)
{
	const u64 id = id_first ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.flags = ATTR_SAMPLE_ID_ALL,
		.sample_type = id | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	};
	const u64 chain[] = { PERF_CONTEXT_USER, 0x1000, 0x2000 };
	char *path = xstrdup("/tmp/points-XXXXXX");
	int fd = mkstemp(path);
	struct synth s;

	assert_true(fd >= 0);
	close(fd);
	synth_init(&s, swap);
	synth_event(&s, &attr, "demo:plain");
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	synth_event(&s, &attr, "demo:chains");
	attr.sample_type &= ~(u64)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	synth_event(&s, &attr, "demo:no_raw");
	/* two rings, each in order */
	for (u32 i = 0; i < SAMPLES; i += 500)
		for (u32 cpu = 0; cpu < 2; cpu++)
			for (u32 k = cpu; k < 500; k += 2) {
				u32 n = i + k, raw[4] = { n, n * 3, n * 5, n * 7 };

				synth_sample(&s, .event = n % 97 == 5 ? 2 : n % 11 == 3,
					     .pid = 5 + n % 3, .tid = 7 + n % 13, .cpu = cpu,
					     .time = 1000 + n, .ip = 0x1000 + n,
					     .period = 1 + n % 5, .raw = raw,
					     .raw_size = 4 + n % 4 * 4, .chain = chain,
					     .chain_count = n % 4);
			}
	assert_int_equal(synth_write(&s, path), 0);
	synth_release(&s);
	return path;
}

static struct seen seen_of(const struct session_sample *s)
{
	const struct sample *sample = s->sample;
	struct seen seen;

	memset(&seen, 0, sizeof(seen));
	seen.time = s->key.time;
	seen.position = s->key.position;
	seen.ip = sample->ip;
	seen.period = sample->period;
	seen.id = sample->id.id;
	seen.chain_count = sample->chain_count;
	seen.first_ip = sample->chain_count ? load_u64(sample->chain, false) : 0;
	seen.cpu = sample->id.cpu;
	seen.pid = sample->id.pid;
	seen.tid = sample->id.tid;
	seen.event = sample->event->index;
	seen.raw_size = sample->raw_size;
	seen.raw = sample->raw_size ? load_u32(sample->raw, false) : 0;
	seen.misc = s->record->misc;
	seen.size = s->record->size;
	assert_int_equal(s->record->position, s->key.position);
	assert_int_equal(sample->id.time, s->key.time);
	return seen;
}

static int keep_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct trial *t = arg;

	(void)worker;
	(void)r;
	vec_push(&t->want, seen_of(s));
	return 0;
}

static int check_sample(void *arg, unsigned worker, const struct session_sample *s,
			struct reason *r)
{
	struct trial *t = arg;
	struct seen seen = seen_of(s);

	(void)worker;
	(void)r;
	t->samples++;
	assert_true(t->number < t->want.count);
	assert_memory_equal(&seen, &t->want.items[t->number++], sizeof(seen));
	return 0;
}

static int check_point(void *arg, const struct session_point *p, struct reason *r)
{
	struct trial *t = arg;
	const struct seen *want = &t->want.items[t->number];

	t->points++;
	assert_true(t->number < t->want.count);
	assert_int_equal(p->time, want->time);
	assert_int_equal(p->event->index, want->event);
	assert_int_equal(p->cpu, want->cpu);
	assert_int_equal(p->pid, want->pid);
	assert_int_equal(p->tid, want->tid);
	assert_int_equal(p->raw_size, want->raw_size);
	assert_int_equal(load_u32(p->raw, false), want->raw);
	if (t->points % 3) { /* not all are decoded */
		t->number++;
		return 0;
	}
	t->samples--;
	return check_sample(arg, 0, session_point_sample(p), r);
}

static bool keep_all(void *arg, const struct sample *s, const struct order_key *key)
{
	(void)arg;
	(void)s;
	(void)key;
	return true;
}

static void run(struct trial *t, const char *path, unsigned workers, const struct session_ops *ops)
{
	struct context ctx = { .workers = workers, .buildid_dir = "", .symfs = "" };
	struct session_options o = { .input = path,
				     .force = true,
				     .symbols = { .symfs = "", .buildid_dir = "" } };
	struct session *s;

	t->number = t->points = t->samples = 0;
	assert_int_equal(session_open(&ctx, &o, &s, NULL), 0);
	assert_int_equal(session_run(s, ops, t, NULL), 0);
	for (u32 i = 0; i < 3; i++) {
		u64 sums[2] = { session_event_samples(s, i), session_event_period(s, i) };

		if (ops->sample == keep_sample)
			memcpy(t->sums[i], sums, sizeof(sums));
		assert_memory_equal(t->sums[i], sums, sizeof(sums));
	}
	assert_int_equal(session_stats(s)->first_time, 1000);
	assert_int_equal(session_stats(s)->last_time, 1000 + SAMPLES - 1);
	session_free(s);
	condition_list_release(&ctx.conditions);
}

static void compare(bool id_first, bool swap, bool points)
{
	static const unsigned workers[] = { 1, 2, 7 };
	struct session_ops ops = { .order = SESSION_ORDERED,
				   .sample = keep_sample,
				   .no_tasks = true,
				   .no_locations = true,
				   .no_chains = true };
	char *path = write_file(id_first, swap);
	struct trial t = { .number = 0 };

	run(&t, path, 1, &ops);
	assert_int_equal(t.want.count, SAMPLES);
	ops.sample = check_sample;
	ops.point = check_point;
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		run(&t, path, workers[i], &ops);
		assert_int_equal(t.number, SAMPLES);
		assert_int_equal(t.points + t.samples, SAMPLES);
		/*
		 * all that have raw data, but for the first one and the one after each that has
		 * none
		 */
		assert_int_equal(points ? t.points > SAMPLES - SAMPLES / 20 : !t.points, 1);
	}
	ops.filter = keep_all;
	run(&t, path, 2, &ops);
	assert_int_equal(t.samples, SAMPLES);
	vec_release(&t.want);
	unlink(path);
	free(path);
}

static void test_points_are_samples(void **state)
{
	(void)state;
	compare(true, false, true);
	compare(false, false, true);
}

/* Checks that all samples of the other byte order are decoded. */
static void test_other_byte_order(void **state)
{
	(void)state;
	compare(true, true, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points_are_samples),
		cmocka_unit_test(test_other_byte_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
