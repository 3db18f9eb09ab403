// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 1 in parts, by one thread and by several, tells the same as the walk over all that a file
 * may hold: of a plain file, of one whose samples hold what looks like records, and of damaged
 * ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/trace.h"
#include "data/reader.h"
#include "synth.h"

enum {
	RECORDS = 13 << 20, /* bytes: enough for three parts */
	FAKE = 48,          /* bytes of what looks like a sample */
	FAKES = 1200,       /* so many of them are in a sample: nearly as many as fit */
};

static unsigned taken, left;

static void count_parts(void *arg, const char *line)
{
	(void)arg;
	taken += strstr(line, "part ") && strstr(line, ": taken");
	left += strstr(line, "part ") && strstr(line, ": left to");
}

/* All that is told of a file, in one number each. */
struct told {
	u64 records, samples, lost, low, blocks, damage;
	u64 end_after;   /* the record with this number ends it; 0: none does */
	u64 digest;      /* of records other than samples, with their keys, in their order */
	u64 second_pass; /* of all records and keys, block by block */
};

static int see(void *arg, const struct record *rec, const struct order_key *key, u64 before)
{
	struct told *t = arg;

	t->records++;
	t->lost += rec->type == PERF_RECORD_LOST;
	t->digest = hash_combine(t->digest, hash_bytes(rec->data, rec->size));
	t->digest = hash_combine(t->digest, key->time);
	t->digest = hash_combine(t->digest, key->position);
	t->digest = hash_combine(t->digest, rec->file_offset);
	t->digest = hash_combine(t->digest, before);
	return t->records == t->end_after ? -EDOM : 0;
}

/* Of the walk that reports samples, too. */
struct whole {
	struct told told;
	u64 time;
};

static int see_any(void *arg, const struct record *rec, const struct order_key *key)
{
	struct whole *w = arg;
	u64 before = w->time;

	w->time = key->time;
	w->told.low = MIN(w->told.low, key->time);
	w->told.samples += rec->type == PERF_RECORD_SAMPLE;
	return rec->type == PERF_RECORD_SAMPLE ? 0 : see(&w->told, rec, key, before);
}

static void see_chunk(void *arg, const struct data_scanned *c)
{
	struct told *t = arg;

	t->samples += c->samples;
	t->low = MIN(t->low, c->min_time);
}

static void read_block(struct data_reader *d, size_t n, struct told *t)
{
	const struct data_block_info *info = data_block_info(d, n);
	u64 time = info->first_order, low = UINT64_MAX, high = 0;
	struct data_chunk c;
	struct record rec;
	size_t at = 0;

	assert_int_equal(data_block(d, n, &c, NULL), 0);
	while (data_chunk_record(&c, &at, &rec)) {
		time = record_key_time(data_events(d), &rec, time);
		low = MIN(low, time);
		high = MAX(high, time);
		t->second_pass = hash_combine(hash_combine(t->second_pass, rec.position), time);
	}
	assert_int_equal(at, info->size);
	assert_int_equal(low, info->min_time);
	assert_int_equal(high, info->max_time);
	data_chunk_release(&c);
}

/* workers 0: the walk over all that a file may hold */
static struct told tell_up_to(int fd, unsigned workers, u64 end_after)
{
	static const struct data_scan_ops ops = { see, see_chunk };
	struct context ctx = { .workers = MAX(workers, 1U) };
	struct whole w = { .told = { .low = UINT64_MAX, .end_after = end_after } };
	struct told *t = &w.told;
	int expected = end_after ? -EDOM : 0;
	struct data_reader *d;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	taken = left = 0;
	assert_int_equal(data_open(&ctx, path, true, &d, NULL), 0);
	t->damage -= ctx.conditions.list.count; /* what opening the file has noted */
	if (workers)
		assert_int_equal(data_scan_sideband(d, &ops, t, NULL), expected);
	else
		assert_int_equal(data_scan(d, see_any, &w, NULL), expected);
	for (size_t i = 0; !end_after && i < data_block_count(d); i++)
		read_block(d, i, t);
	t->damage += ctx.conditions.list.count;
	data_close(d);
	condition_list_release(&ctx.conditions);
	return *t;
}

static struct told tell(int fd, unsigned workers)
{
	return tell_up_to(fd, workers, 0);
}

static void begin(struct synth *s, bool swap, u64 more)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.sample_period = 1,
		.sample_type = SYNTH_SAMPLE_TYPE | more,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_COMM,
	};

	synth_init(s, swap);
	synth_event(s, &attr, "cpu-clock");
}

static void put_sample(struct synth *s, u64 i, const struct strbuf *raw)
{
	synth_sample(s, .pid = 5, .tid = 5, .time = 1000 * i + (i % 7) * 5000, .ip = i,
		     .raw = raw->s, .raw_size = (u32)raw->len);
}

/* Samples with other records between them, those without a time too. */
static void fill(struct synth *s, const struct strbuf *raw)
{
	for (u64 i = 1; s->data.len < RECORDS; i++) {
		put_sample(s, i, raw);
		if (i % 501 == 0)
			synth_comm(s, 5, 5, "name", 1000 * i);
		if (i % 701 == 0)
			synth_round(s);
		if (i % 5003 == 0)
			synth_lost(s, synth_id(0, 0), 3, 1000 * i);
	}
}

/* Also of a sample's payload: records that follow each other up to the end of it. */
static void make_fakes(struct strbuf *raw)
{
	strbuf_add(raw, "\0\0\0", 4);
	for (u64 i = 0; i < FAKES; i++) {
		synth_put(raw, PERF_RECORD_SAMPLE, 4, false);
		synth_put(raw, 0, 2, false);
		synth_put(raw, FAKE, 2, false);
		for (int j = 0; j < 5; j++)
			synth_put(raw, 0xfa4e0000 + i, 8, false);
	}
}

static int write_file(struct synth *s)
{
	int fd = memfd_create("split", 0);
	char path[64];

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	synth_write(s, path);
	return fd;
}

/* parts: how many are taken when there are three threads. */
static void compare(struct synth *s, unsigned parts, u64 damage)
{
	int fd = write_file(s);
	struct told all = tell(fd, 0), t;

	assert_int_equal(taken + left, 0);
	assert_int_equal(all.damage, damage);
	assert_true(all.samples > 100);
	for (unsigned workers = 1; workers < 8; workers++) {
		t = tell(fd, workers);
		assert_memory_equal(&t, &all, sizeof(t));
		if (workers == 1)
			assert_int_equal(taken, 1);
		if (workers != 3)
			continue;
		assert_int_equal(taken, parts);
		assert_int_equal(taken + left, 3);
	}
	close(fd);
	synth_release(s);
}

static void test_plain(void **state)
{
	struct strbuf none = STRBUF_INIT;
	struct synth s;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		begin(&s, swap, 0);
		fill(&s, &none);
		compare(&s, 3, 0);
	}
}

/* The second and the third part begin inside of a sample, where a row of records seems to be. */
static void test_wrong_guess(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct synth s;

	(void)state;
	begin(&s, false, PERF_SAMPLE_RAW);
	make_fakes(&raw);
	fill(&s, &raw);
	compare(&s, 1, 0);
	strbuf_release(&raw);
}

/* A record in the second third that is no plain one: what follows is read by one thread. */
static void hurt(u32 type, u16 size, u64 damage)
{
	struct strbuf none = STRBUF_INIT;
	struct synth s;
	u8 *rec;

	begin(&s, false, 0);
	fill(&s, &none);
	rec = (u8 *)s.data.s + s.at.items[s.at.count / 2];
	store_u32(rec, type);
	if (size != UINT16_MAX)
		store_u16(rec + 6, size);
	compare(&s, 2, damage);
}

static void test_damaged(void **state)
{
	(void)state;
	hurt(PERF_RECORD_SAMPLE, 0, 1);
	hurt(PERF_RECORD_SAMPLE, 4, 1);
	hurt(0, UINT16_MAX, 1);
	hurt(50, UINT16_MAX, 1); /* unknown: skipped and said */
}

/* The last record lacks its end. */
static void test_cut(void **state)
{
	struct strbuf none = STRBUF_INIT;
	struct synth s;

	(void)state;
	begin(&s, false, 0);
	fill(&s, &none);
	put_sample(&s, 1, &none);
	s.data.len -= 24;
	compare(&s, 3, 1);
}

/* What a callback refuses ends the pass, whichever part the record is in. */
static void test_refused(void **state)
{
	struct strbuf none = STRBUF_INIT;
	struct synth s;
	u64 records;
	int fd;

	(void)state;
	begin(&s, false, 0);
	fill(&s, &none);
	fd = write_file(&s);
	records = tell(fd, 0).records;
	assert_true(records > 100);
	for (unsigned workers = 1; workers < 4; workers++)
		for (u64 i = 0; i < 4; i++) {
			u64 last = 1 + i * (records - 1) / 3;

			assert_int_equal(tell_up_to(fd, workers, last).records, last);
		}
	close(fd);
	synth_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),   cmocka_unit_test(test_wrong_guess),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_refused),
	};

	if (trace_components("data", count_parts, NULL, NULL))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
