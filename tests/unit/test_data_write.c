// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that we write: read back by us and by the system's perf, with equal
 * counts; kept whole when the disk is full or the recorder is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "data/reader.h"
#include "data/writer.h"
#include "rival.h"

static char dir[] = "/tmp/test-data-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[4][64];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name);
	return path[n];
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

/* Two events with ids 100.. and 200.., samples of ip, tid, time, id, period. */
static void make_events(struct event_set *set)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_COMM,
	};
	struct event *ev;

	event_set_init(set);
	ev = event_set_add(set, &attr, "cpu-clock");
	event_set_add_id(set, ev, 100);
	event_set_add_id(set, ev, 101);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	ev = event_set_add(set, &attr, "page-faults");
	event_set_add_id(set, ev, 200);
	assert_int_equal(event_set_finish(set, NULL), 0);
}

static void add_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, 8);
}

static void add_sample(struct strbuf *b, u64 id, u64 time)
{
	struct record_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 48 };
	u32 task[2] = { 1234, 1235 };

	strbuf_add(b, &h, sizeof(h));
	add_u64(b, id);
	add_u64(b, 0x401000 + time % 64);
	strbuf_add(b, task, 8);
	add_u64(b, time);
	add_u64(b, 7);
}

struct count {
	struct data_reader *d;
	u64 samples[2], records, last_time;
};

static int count_record(void *arg, const struct record *rec, const struct order_key *key)
{
	struct count *c = arg;
	struct sample s;

	c->records++;
	c->last_time = key->time;
	if (rec->type != PERF_RECORD_SAMPLE)
		return 0;
	assert_int_equal(sample_decode(data_events(c->d), rec, &s, NULL), 0);
	c->samples[s.event->index]++;
	return 0;
}

static struct count count_file(const char *path, struct context *ctx)
{
	struct reason r = REASON_INIT;
	struct count c = { NULL };

	if (data_open(ctx, path, false, &c.d, &r))
		fail_msg("%s", r.text);
	assert_int_equal(data_scan(c.d, count_record, &c, &r), 0);
	data_close(c.d);
	reason_release(&r);
	return c;
}

/* What a shell command prints, as a number. */
static long number_from(const char *cmd)
{
	FILE *f = popen(cmd, "r");
	long n = -1;

	assert_non_null(f);
	if (fscanf(f, "%ld", &n) != 1)
		n = -1;
	pclose(f);
	return n;
}

static long samples_by_other_perf(const char *path)
{
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "HOME=%s '%s' script -F time -i %s 2>/dev/null | grep -c :", dir,
		 rival(), path);
	return number_from(cmd);
}

static void set_features(struct data_writer *w, const struct event_set *set)
{
	static const char *const argv[] = {
		"perf",
		"record",
		"-o",
		"a file with a very long name that does not fit in the sixty-four bytes of padding",
	};
	static const char *const lists[] = { "0-1" };
	static const struct data_cpu cpus[2] = { { 0, 0, 0 }, { 1, 0, 0 } };
	static const struct data_node nodes[] = { { 0, 1000, 500, "0-1" } };
	static const struct data_pmu pmus[] = { { 4, "cpu" }, { 1, "software" } };
	static const struct data_cache caches[] = { { 1, 64, 64, 8, "Data", "32K", "0" } };
	static const u32 blocks[] = { 0, 1, 65 };
	static const struct data_memory memory[] = { { 0, blocks, 3 } };
	static const struct data_cap caps[] = { { "branches", "32" } };
	static const struct data_pmu_caps pmu_caps[] = { { "cpu", caps, 1 },
							 { "amd_l3", caps, 1 } };
	/* clang-format off */
	struct data_facts f = {
		.hostname = "testhost", .release = "6.1.0", .version = "7.0", .arch = "x86_64",
		.cpu_description = "a cpu", .cpuid = "GenuineIntel,6,1,1", .cpus_online = 2,
		.cpus_available = 2, .memory_total = 123456, .argv = argv, .argc = 4,
		.topology = { lists, lists, lists, 1, 1, 1, cpus }, .nodes = nodes, .node_count = 1,
		.pmus = pmus, .pmu_count = 2, .caches = caches, .cache_count = 1,
		.memory_block_size = 1 << 27, .memory = memory, .memory_count = 1,
		.pmu_caps = pmu_caps, .pmu_caps_count = 2,
	};
	/* clang-format on */

	data_set_facts(w, &f);
	data_set_events(w, set);
	data_set_sample_time(w, 1000, 2000);
	data_set_clock(w, 1, 1, 1700000000000000000ULL, 5000000000ULL);
}

static void write_samples(struct data_writer *w, unsigned rounds)
{
	struct strbuf b = STRBUF_INIT;

	for (unsigned i = 0; i < rounds; i++) {
		strbuf_clear(&b);
		add_sample(&b, 100 + i % 2, 1000 + 10 * i);
		add_sample(&b, 200, 1005 + 10 * i);
		record_build_finished_round(&b);
		/* in two pieces, as a ring wraps, cut inside a record */
		assert_int_equal(data_write2(w, b.s, 60, b.s + 60, b.len - 60, NULL), 0);
		assert_int_equal(data_flush(w, NULL), 0);
	}
	strbuf_release(&b);
}

static void test_round_trip(void **state)
{
	const u8 id[20] = { 1, 2, 3 };
	struct context ctx = { 0 };
	struct strbuf ids = STRBUF_INIT;
	const char *path = in_dir("round");
	struct event_set set;
	struct data_writer *w;
	struct data_reader *d;
	struct count c;
	struct stat st;
	size_t n;

	(void)state;
	make_events(&set);
	assert_int_equal(data_create(&ctx, path, true, &w, NULL), 0);
	assert_int_equal(data_write_header(w, &set, NULL), 0);
	write_samples(w, 50);
	set_features(w, &set);
	data_build_id_add(&ids, PERF_RECORD_MISC_USER, -1, id, 16, "/usr/bin/thing");
	data_feature_set(w, FEATURE_BUILD_ID, ids.s, ids.len);
	assert_int_equal(data_finish(w, NULL), 0);

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	c = count_file(path, &ctx);
	assert_int_equal(c.samples[0], 50);
	assert_int_equal(c.samples[1], 50);
	assert_int_equal(c.records, 150);
	assert_int_equal(ctx.conditions.list.count, 0);

	assert_int_equal(data_open(&ctx, path, false, &d, NULL), 0);
	assert_string_equal(data_feature_string(d, FEATURE_HOSTNAME), "testhost");
	assert_string_equal(data_cmdline(d, &n)[3],
			    "a file with a very long name "
			    "that does not fit in the sixty-four bytes of padding");
	assert_int_equal(n, 4);
	assert_string_equal(data_events(d)->list.items[1]->name, "page-faults");
	assert_int_equal(data_events(d)->list.items[0]->attr.size, 128);
	assert_int_equal(data_build_ids(d, &n)[0].size, 16);
	assert_int_equal(n, 1);
	assert_string_equal(data_build_ids(d, &n)[0].name, "/usr/bin/thing");
	data_close(d);

	strbuf_release(&ids);
	event_set_release(&set);

	needs_rival();
	assert_int_equal(samples_by_other_perf(path), 100);
}

static void test_old_is_kept(void **state)
{
	struct context ctx = { 0 };
	const char *path = in_dir("kept");
	struct event_set set;
	struct data_writer *w;

	(void)state;
	make_events(&set);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(data_create(&ctx, path, true, &w, NULL), 0);
		assert_int_equal(data_write_header(w, &set, NULL), 0);
		write_samples(w, i);
		set_features(w, &set);
		assert_int_equal(data_finish(w, NULL), 0);
	}
	assert_int_equal(count_file(path, &ctx).samples[0], 3);
	assert_int_equal(count_file(in_dir("kept.old"), &ctx).samples[0], 2);
	event_set_release(&set);
}

/* A recorder that dies after a flush: all that was flushed is there, for both perfs. */
static void test_killed(void **state)
{
	struct context ctx = { 0 };
	const char *path = in_dir("killed");
	struct event_set set;
	struct data_writer *w;

	(void)state;
	make_events(&set);
	assert_int_equal(data_create(&ctx, path, true, &w, NULL), 0);
	assert_int_equal(data_write_header(w, &set, NULL), 0);
	write_samples(w, 20);
	assert_int_equal(data_write(w, "half a rec", 10, NULL), 0);
	data_abandon(w);
	assert_int_equal(count_file(path, &ctx).samples[0], 20);
	assert_int_equal(ctx.conditions.list.count, 1);
	assert_string_equal(ctx.conditions.list.items[0].code, "no-features");
	assert_false(condition_list_damaged(&ctx.conditions));
	condition_list_release(&ctx.conditions);
	event_set_release(&set);

	needs_rival();
	assert_int_equal(samples_by_other_perf(path), 40);
}

/* A file size limit stands for a full disk: EFBIG comes at the same place as ENOSPC. */
static void test_full_disk(void **state)
{
	struct context ctx = { 0 };
	struct reason r = REASON_INIT;
	const char *path = in_dir("full");
	struct rlimit old, limit;
	struct strbuf b = STRBUF_INIT;
	struct event_set set;
	struct data_writer *w;
	struct count c;
	int err = 0;

	(void)state;
	make_events(&set);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 100000;
	assert_int_equal(data_create(&ctx, path, true, &w, NULL), 0);
	assert_int_equal(data_write_header(w, &set, NULL), 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (u64 t = 0; !err && t < 10000; t++) {
		strbuf_clear(&b);
		for (unsigned i = 0; i < 37; i++)
			add_sample(&b, 100, t);
		err = data_write2(w, b.s, 100, b.s + 100, b.len - 100, &r);
	}
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(r.text, path));
	reason_release(&r);
	assert_int_equal(data_finish(w, &r), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	c = count_file(path, &ctx);
	/* the last write took a part only; its whole records are there */
	assert_int_equal(c.samples[0], (100000 - 104 - 24 - 288) / 48);
	assert_false(condition_list_damaged(&ctx.conditions));
	condition_list_release(&ctx.conditions);
	reason_release(&r);
	strbuf_release(&b);
	event_set_release(&set);
}

static void write_stream(struct context *ctx, const char *path, bool tracing_data)
{
	int out = dup(1), fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	struct event_set set;
	struct data_writer *w;

	make_events(&set);
	fflush(stdout);
	dup2(fd, 1);
	assert_int_equal(data_create(ctx, "-", true, &w, NULL), 0);
	set_features(w, &set);
	if (tracing_data)
		data_feature_set(w, FEATURE_TRACING_DATA, "\x17\x08\x44tracing", 10);
	assert_int_equal(data_write_header(w, &set, NULL), 0);
	write_samples(w, 30);
	assert_int_equal(data_finish(w, NULL), 0);
	dup2(out, 1);
	close(fd);
	close(out);
	event_set_release(&set);
}

/* A stream, caught in a file: we and the other perf read it. */
static void test_stream(void **state)
{
	struct context ctx = { 0 };
	const char *path = in_dir("stream");
	struct data_reader *d;
	char cmd[256];
	size_t n;

	(void)state;
	write_stream(&ctx, path, true);
	assert_int_equal(count_file(path, &ctx).samples[1], 30);
	assert_int_equal(data_open(&ctx, path, false, &d, NULL), 0);
	assert_true(data_is_pipe(d));
	assert_string_equal(data_feature_string(d, FEATURE_HOSTNAME), "testhost");
	assert_string_equal(data_events(d)->list.items[1]->name, "page-faults");
	assert_int_equal(data_events(d)->list.items[0]->ids.count, 2);
	assert_memory_equal(data_feature(d, FEATURE_TRACING_DATA, &n), "\x17\x08\x44tracing", 10);
	data_close(d);
	assert_int_equal(ctx.conditions.list.count, 0);

	/* the other perf would want a true TRACING_DATA */
	write_stream(&ctx, path, false);
	snprintf(cmd, sizeof(cmd),
		 "HOME=%s '%s' script -F time -i - <%s 2>/dev/null | grep -c :", dir, rival(),
		 path);
	needs_rival();
	assert_int_equal(number_from(cmd), 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_old_is_kept),
		cmocka_unit_test(test_killed),     cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
