// SPDX-License-Identifier: GPL-2.0-or-later
/* The conveyor: the same answers for any number of workers, from files and pipes. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/internal.h"
#include "config.h"
#include "synth.h"
#ifdef HAVE_ZSTD
#include "synth_zstd.h"
#endif

enum { MAX_WORKERS = 16 };

/* What a run called back. */
struct seen {
	struct session *s;
	VEC(struct order_key) keys; /* ordered: each record's */
	VEC(u32) types;
	struct strbuf lines;            /* ordered: "time comm image+offset" of each sample */
	struct map64 sums[MAX_WORKERS]; /* hash of (comm, image, offset) -> sum of periods */
	u64 fail_at;                    /* time of the sample whose callback fails, 0: none */
	int errors;
};

static u64 place_hash(const struct seen *seen, const struct session_sample *ss)
{
	const char *comm = history_comm_text(session_history(seen->s), ss->comm);
	const struct image *im = image_get(session_images(seen->s), ss->leaf.image);

	return hash_combine(hash_combine(hash_str(comm), hash_str(im->path)), ss->leaf.offset);
}

static int sum_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct seen *seen = arg;

	assert_true(worker < MAX_WORKERS);
	if (seen->fail_at && ss->key.time >= seen->fail_at)
		return reason_set(r, EDOM, "failed at %" PRIu64, ss->key.time);
	*map64_put(&seen->sums[worker], place_hash(seen, ss), NULL) += ss->sample->period;
	return 0;
}

static int line_sample(void *arg, unsigned worker, const struct session_sample *ss,
		       struct reason *r)
{
	struct seen *seen = arg;

	(void)worker, (void)r;
	vec_push(&seen->keys, ss->key);
	vec_push(&seen->types, PERF_RECORD_SAMPLE);
	strbuf_f(&seen->lines, "%" PRIu64 " %s %s+%" PRIx64 " %u\n", ss->key.time,
		 history_comm_text(session_history(seen->s), ss->comm),
		 image_get(session_images(seen->s), ss->leaf.image)->path, ss->leaf.offset,
		 ss->sample->id.cpu);
	return 0;
}

static int note_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct seen *seen = arg;

	(void)r;
	vec_push(&seen->keys, *key);
	vec_push(&seen->types, rec->type);
	return 0;
}

static void seen_release(struct seen *seen)
{
	vec_release(&seen->keys);
	vec_release(&seen->types);
	strbuf_release(&seen->lines);
	for (unsigned i = 0; i < MAX_WORKERS; i++)
		map64_release(&seen->sums[i]);
}

/* Returns one number for all sums of all workers, independent of who summed what. */
static u64 digest(const struct seen *seen)
{
	struct map64 all = { 0 };
	u64 d = 0;

	for (unsigned i = 0; i < MAX_WORKERS; i++)
		for (size_t k = 0; k < seen->sums[i].space; k++)
			if (seen->sums[i].slots[k].used)
				*map64_put(&all, seen->sums[i].slots[k].key, NULL) +=
					seen->sums[i].slots[k].value;
	for (size_t k = 0; k < all.space; k++)
		if (all.slots[k].used)
			d += hash_combine(all.slots[k].key, all.slots[k].value);
	map64_release(&all);
	return d;
}

struct run {
	struct context ctx;
	struct session *s;
	struct reason r;
	struct seen seen;
	int err;
};

static const struct session_ops sums_ops = { .order = SESSION_SUMS, .sample = sum_sample };
static const struct session_ops ordered_ops = {
	.order = SESSION_ORDERED,
	.sample = line_sample,
	.record = note_record,
	.want = { BIT64(PERF_RECORD_MMAP2) | BIT64(PERF_RECORD_COMM) | BIT64(PERF_RECORD_FORK) },
};

static void run_on(struct run *run, const char *path, const struct session_ops *ops,
		   unsigned workers)
{
	struct session_options o = { .input = path, .force = true };

	run->ctx.workers = workers;
	run->ctx.buildid_dir = run->ctx.symfs = "";
	o.symbols.symfs = o.symbols.buildid_dir = "";
	run->err = session_open(&run->ctx, &o, &run->s, &run->r);
	if (run->err)
		return;
	run->seen.s = run->s;
	run->err = session_run(run->s, ops, &run->seen, &run->r);
}

static void run_release(struct run *run)
{
	seen_release(&run->seen);
	session_free(run->s);
	condition_list_release(&run->ctx.conditions);
	reason_release(&run->r);
	*run = (struct run){ 0 };
}

static char *temp_file(void)
{
	char *path = xstrdup("/tmp/session-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

/*
 * Makes a busy machine with n samples: CPUs whose rings are emptied one after the other, processes
 * that fork, exec and map, and threads whose FORK was lost. Times are distinct and start at 1000.
 */
static void busy_machine(struct synth *s, u32 n)
{
	enum { CPUS = 4, ROUND = 500 };
	u64 now = 1000;

	synth_event(s, NULL, "cpu-clock");
	synth_event(s, NULL, "task-clock");
	synth_map(s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0xffffffff81000000, .len = 0x1000000,
		  .pgoff = 0xffffffff81000000, .v1 = true, .file = "[kernel.kallsyms]_text");
	synth_comm(s, 1, 1, "init", 0);
	synth_map(s, .pid = 1, .tid = 1, .start = 0x400000, .len = 0x10000, .file = "/sbin/init");
	for (u32 i = 0; i < n; i += ROUND) {
		/* in a round each CPU's records ascend, and CPUs overlap */
		for (u32 cpu = 0; cpu < CPUS; cpu++) {
			u32 pid = 100 + i / ROUND * CPUS + cpu;

			s->cpu = cpu;
			for (u32 k = cpu; k < ROUND; k += CPUS) {
				u64 t = now + k * 10;

				if (k == cpu)
					synth_fork(s, pid, 1, t + 1);
				if (k == cpu + 20)
					synth_exec(s, pid, pid, cpu % 2 ? "odd" : "even", t + 1);
				if (k == cpu + 24)
					synth_map(s, .pid = pid, .tid = pid, .start = 0x400000,
						  .len = 0x8000, .file = cpu ? "/bin/a" : "/bin/b",
						  .time = t + 1);
				/* some threads were never told of */
				synth_sample(s, .event = k % 3 == 0, .pid = pid,
					     .tid = k % 11 ? pid : pid + 100000, .cpu = cpu,
					     .time = t + 2, .period = 1 + k % 7,
					     .mode = k % 5 ? SYNTH_USER : SYNTH_KERNEL,
					     .ip = (k % 5 ? 0x400000 : 0xffffffff81000000) + k * 8);
			}
		}
		synth_round(s);
		now += ROUND * 10;
	}
}

static void test_sums_do_not_depend_on_workers(void **state)
{
	static const unsigned workers[] = { 1, 2, 7 };
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();
	u64 want = 0;

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 100000);
	assert_int_equal(synth_write(&s, path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		run_on(&run, path, &sums_ops, workers[i]);
		assert_int_equal(run.err, 0);
		assert_int_equal(session_workers(run.s), workers[i]);
		assert_int_equal(session_event_samples(run.s, 0) + session_event_samples(run.s, 1),
				 100000);
		assert_int_equal(session_stats(run.s)->records[PERF_RECORD_SAMPLE], 100000);
		assert_int_equal(session_stats(run.s)->first_time, 1002);
		if (!i)
			want = digest(&run.seen);
		assert_true(digest(&run.seen) == want);
		run_release(&run);
	}
	unlink(path);
	free(path);
	synth_release(&s);
}

static void assert_ascending(const struct seen *seen)
{
	for (size_t i = 1; i < seen->keys.count; i++)
		assert_true(order_key_cmp(&seen->keys.items[i - 1], &seen->keys.items[i]) < 0);
}

static void test_order_is_exact(void **state)
{
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 50000);
	assert_int_equal(synth_write(&s, path), 0);
	run_on(&run, path, &ordered_ops, 2);
	assert_int_equal(run.err, 0);
	assert_ascending(&run.seen);
	/* samples; a fork, an exec and a map for each of four CPUs; init's two */
	assert_int_equal(run.seen.keys.count, 50000 + 100 * 4 * 3 + 2);
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

/* Checks blocks that each span all times, and records with time 0, which perf wrote at the end. */
static void test_order_of_shuffled_blocks(void **state)
{
	enum { N = 60000 };
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	srand(11);
	synth_init(&s, false);
	synth_event(&s, NULL, "cpu-clock");
	for (u32 i = 0; i < N; i++)
		synth_sample(&s, .pid = 7, .tid = 7, .ip = 0x1000,
			     .time = 1 + (u64)rand() % (N / 3), .cpu = i % 4);
	synth_map(&s, .pid = 7, .tid = 7, .start = 0x1000, .len = 0x1000, .file = "/bin/tail");
	synth_comm(&s, 7, 7, "tail", 0);
	assert_int_equal(synth_write(&s, path), 0);
	run_on(&run, path, &ordered_ops, 1);
	assert_int_equal(run.err, 0);
	assert_int_equal(run.seen.keys.count, N + 2);
	assert_ascending(&run.seen);
	assert_int_equal(run.seen.types.items[0], PERF_RECORD_MMAP2);
	assert_null(strstr(run.seen.lines.s, "unknown"));
	assert_null(strstr(run.seen.lines.s, ":7"));
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

static void ordered_lines(const char *path, char **lines, size_t *records)
{
	struct run run = { 0 };

	run_on(&run, path, &ordered_ops, 2);
	if (run.err)
		print_error("%s\n", run.r.text);
	assert_int_equal(run.err, 0);
	vec_for_each(&run.ctx.conditions.list, c)
		assert_string_equal(c->code, "no-features"); /* as made */
	assert_int_equal(session_stats(run.s)->late, 0);
	*records = run.seen.keys.count;
	*lines = strbuf_detach(&run.seen.lines);
	run_release(&run);
}

/* How much memory a run in order takes beside what was there at its begin. */
struct peak {
	u64 samples, last, begin, most;
};

static u64 memory_in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static int measure_sample(void *arg, unsigned worker, const struct session_sample *ss,
			  struct reason *r)
{
	struct peak *p = arg;

	(void)worker, (void)r;
	assert_true(ss->key.time >= p->last);
	p->last = ss->key.time;
	if (p->samples++ % 1000 == 0)
		p->most = MAX(p->most, memory_in_use());
	return 0;
}

static const struct session_ops measure_ops = { .order = SESSION_ORDERED,
						.sample = measure_sample };

static void measure(const char *path, u64 most, struct peak *p)
{
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct session_options o = { .input = path,
				     .force = true,
				     .symbols = { .symfs = "", .buildid_dir = "" } };
	struct session *s;

	*p = (struct peak){ .begin = memory_in_use() };
	assert_int_equal(session_open(&ctx, &o, &s, NULL), 0);
	if (most)
		s->order_most = most;
	assert_int_equal(session_run(s, &measure_ops, p, NULL), 0);
	assert_int_equal(session_event_samples(s, 0), p->samples);
	session_free(s);
	condition_list_release(&ctx.conditions);
}

enum { TANGLED = 300000 };

/*
 * Makes samples whose times fall, or are all the same: each block overlaps all others, or seems to.
 */
static void tangle(struct synth *s, bool equal)
{
	synth_init(s, false);
	synth_event(s, NULL, "cpu-clock");
	for (u32 i = 0; i < TANGLED; i++)
		synth_sample(s, .pid = 7, .tid = 7, .ip = 0x1000,
			     .time = equal ? 5 : 1 + TANGLED - i, .cpu = i % 4);
}

static void bounded(const char *path, u64 most, u64 bound)
{
	struct peak p;

	measure(path, most, &p);
	assert_int_equal(p.samples, TANGLED);
	assert_true(p.most - p.begin < bound);
}

/*
 * Checks that the memory for records is bounded, whatever their order. 20 MB of them, which need as
 * much again to be sorted, are read in several passes with 2 MB. Buffers of the reader come on top.
 */
static void test_order_in_bounded_memory(void **state)
{
	enum { MOST = 2 << 20, WITH_BUFFERS = 18 << 20 };
	struct synth s;
	char *path = temp_file();
	struct peak all;

	(void)state;
	tangle(&s, false);
	assert_int_equal(synth_write(&s, path), 0);
	measure(path, 0, &all);
	assert_int_equal(all.samples, TANGLED);
	bounded(path, MOST, WITH_BUFFERS);
#ifdef HAVE_ZSTD
	synth_compress(&s, 4000);
	assert_int_equal(synth_write(&s, path), 0);
	bounded(path, MOST, WITH_BUFFERS);
	synth_release(&s);
	tangle(&s, true);
	synth_compress(&s, 4000);
	assert_int_equal(synth_write(&s, path), 0);
	bounded(path, 0, WITH_BUFFERS); /* where times are equal, nothing has to be held */
#endif
	unlink(path);
	free(path);
	synth_release(&s);
}

/* Checks that any number of passes gives the same as one pass. */
static void test_passes_do_not_matter(void **state)
{
	static const u64 most[] = { 1, 300000, 3000000 };
	struct synth s;
	char *path = temp_file(), *want;
	size_t records;

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 3000);
	for (u32 i = 0; i < 3000; i++)
		synth_sample(&s, .pid = 100, .tid = 100, .time = 1 + (u64)rand() % 60000,
			     .ip = 0x400000 + i % 100);
	assert_int_equal(synth_write(&s, path), 0);
	ordered_lines(path, &want, &records);
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		struct run run = { .ctx = { .buildid_dir = "", .symfs = "" } };
		struct session_options o = { .input = path, .force = true };

		assert_int_equal(session_open(&run.ctx, &o, &run.s, &run.r), 0);
		run.seen.s = run.s;
		run.s->order_most = most[i];
		assert_int_equal(session_run(run.s, &ordered_ops, &run.seen, &run.r), 0);
		assert_int_equal(run.seen.keys.count, records);
		assert_string_equal(run.seen.lines.s, want);
		run_release(&run);
	}
	free(want);
	unlink(path);
	free(path);
	synth_release(&s);
}

static void write_pipe(const struct synth *s, const char *path)
{
	struct strbuf b = STRBUF_INIT;

	synth_pipe(s, &b);
	assert_int_equal(synth_write_bytes(path, &b), 0);
	strbuf_release(&b);
}

/* Checks that a file gives the same as a stream, compressed, and in the other byte order. */
static void test_pipe_and_byte_order_equal_the_file(void **state)
{
	struct synth s, swapped;
	char *path = temp_file(), *want, *got;
	size_t records, n;

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 20000);
	assert_int_equal(synth_write(&s, path), 0);
	ordered_lines(path, &want, &records);
	write_pipe(&s, path);
	ordered_lines(path, &got, &n);
	assert_string_equal(got, want);
	assert_int_equal(n, records);
	free(got);
	synth_init(&swapped, true);
	busy_machine(&swapped, 20000);
	assert_int_equal(synth_write(&swapped, path), 0);
	ordered_lines(path, &got, &n);
	assert_string_equal(got, want);
	free(got);
	write_pipe(&swapped, path);
	ordered_lines(path, &got, &n);
	assert_string_equal(got, want);
	free(got);
	synth_release(&swapped);
#ifdef HAVE_ZSTD
	synth_compress(&s, 50000);
	assert_int_equal(synth_write(&s, path), 0);
	ordered_lines(path, &got, &n);
	assert_string_equal(got, want);
	assert_int_equal(n, records);
	free(got);
#endif
	free(want);
	synth_release(&s);
	unlink(path);
	free(path);
}

/*
 * Checks that a file without times keeps the order in which it was written: a map counts for what
 * follows it.
 */
static void test_no_times(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
		.flags = ATTR_SAMPLE_ID_ALL,
		.sample_period = 1,
	};
	static const char want[] = "0 :3 [unknown]+1000 0\n"
				   "0 :3 /bin/one+0 1\n"
				   "0 new /bin/two+0 2\n";
	static const enum session_order orders[] = { SESSION_ORDERED, SESSION_FILE_ORDER };
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	synth_event(&s, &attr, "cpu-clock");
	synth_sample(&s, .pid = 3, .tid = 3, .ip = 0x1000, .cpu = 0);
	synth_map(&s, .pid = 3, .tid = 3, .start = 0x1000, .len = 0x1000, .file = "/bin/one");
	synth_sample(&s, .pid = 3, .tid = 3, .ip = 0x1000, .cpu = 1);
	synth_exec(&s, 3, 3, "new", 0);
	synth_map(&s, .pid = 3, .tid = 3, .start = 0x1000, .len = 0x1000, .file = "/bin/two");
	synth_sample(&s, .pid = 3, .tid = 3, .ip = 0x1000, .cpu = 2);
	for (size_t i = 0; i < 4; i++) {
		struct session_ops ops = ordered_ops;

		ops.order = orders[i % 2];
		if (i < 2)
			assert_int_equal(synth_write(&s, path), 0);
		else
			write_pipe(&s, path);
		run_on(&run, path, &ops, 1);
		assert_int_equal(run.err, 0);
		assert_string_equal(run.seen.lines.s, want);
		run_release(&run);
	}
	unlink(path);
	free(path);
	synth_release(&s);
}

/*
 * Checks that records of a ring that is emptied two rounds too late are counted, and still called
 * back.
 */
static void test_late_records_of_a_pipe(void **state)
{
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	synth_event(&s, NULL, "cpu-clock");
	for (u64 t = 100; t <= 400; t += 100) {
		synth_sample(&s, .pid = 1, .tid = 1, .time = t);
		synth_round(&s);
	}
	synth_sample(&s, .pid = 1, .tid = 1, .time = 350); /* not too late yet */
	synth_sample(&s, .pid = 1, .tid = 1, .time = 50);
	synth_comm(&s, 2, 2, "written-late", 0);
	write_pipe(&s, path);
	run_on(&run, path, &ordered_ops, 1);
	assert_int_equal(run.err, 0);
	assert_int_equal(session_stats(run.s)->late, 1);
	assert_int_equal(run.ctx.conditions.list.count, 1);
	assert_string_equal(run.ctx.conditions.list.items[0].code, "late-records");
	assert_int_equal(run.seen.keys.count, 7);
	run_release(&run);
	/* the file knows better */
	assert_int_equal(synth_write(&s, path), 0);
	run_on(&run, path, &ordered_ops, 1);
	assert_int_equal(session_stats(run.s)->late, 0);
	assert_ascending(&run.seen);
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

static const struct condition *condition(const struct run *run, const char *code)
{
	vec_for_each(&run->ctx.conditions.list, c)
		if (!strcmp(c->code, code))
			return c;
	return NULL;
}

/* Checks that a damaged sample is named and skipped, and that an unknown id is counted. */
static void test_damaged_samples(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = SYNTH_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
	static const u64 chain[] = { 1, 2, 3 };
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();
	size_t at;

	(void)state;
	synth_init(&s, false);
	synth_event(&s, &attr, "cpu-clock");
	synth_event(&s, &attr, "task-clock");
	for (u32 i = 0; i < 10; i++) {
		synth_sample(&s, .pid = 1, .tid = 1, .time = 10 + i, .chain = chain,
			     .chain_count = 3, .id = i == 7 ? 999999 : 0);
		at = s.data.len - 4 * 8;
		if (i == 5) /* a chain of more entries than the record can hold */
			memcpy(s.data.s + at, &(u64){ 1ULL << 61 }, 8);
	}
	assert_int_equal(synth_write(&s, path), 0);
	run_on(&run, path, &ordered_ops, 1);
	assert_int_equal(run.err, 0);
	assert_int_equal(run.seen.keys.count, 8);
	assert_int_equal(session_stats(run.s)->unresolved_id, 1);
	assert_non_null(condition(&run, "bad-record"));
	assert_non_null(strstr(condition(&run, "bad-record")->text, "PERF_RECORD_SAMPLE"));
	assert_int_equal(condition(&run, "bad-record")->count, 1);
	assert_int_equal(condition(&run, "bad-record")->first.time, 15);
	assert_non_null(condition(&run, "unknown-event-id"));
	assert_true(condition_list_damaged(&run.ctx.conditions));
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

/* Checks that the failure with the least key is reported, whichever worker fails first. */
static void test_least_failure_wins(void **state)
{
	static const unsigned workers[] = { 1, 2, 7 };
	struct session_ops ops = sums_ops;
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 100000);
	assert_int_equal(synth_write(&s, path), 0);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		char *text = xasprintf("failed at %d", 500002);

		run.seen.fail_at = 500000;
		run_on(&run, path, &ops, workers[i]);
		assert_int_equal(run.err, -EDOM);
		assert_string_equal(run.r.text, text);
		free(text);
		run_release(&run);
	}
	run.ctx.cancelled = true;
	run_on(&run, path, &sums_ops, 2);
	assert_int_equal(run.err, -EINTR);
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

static bool only_cpu_2(void *arg, const struct sample *sample, const struct order_key *key)
{
	(void)arg, (void)key;
	return sample->id.cpu == 2;
}

/*
 * Checks that other records come from pass 1 when sums are made, and that lost, filtered and
 * thrown-away ones are counted.
 */
static void test_counts(void **state)
{
	struct session_ops ops = sums_ops;
	static const u8 id[20] = { 0xab, 0xcd };
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 2000);
	synth_lost(&s, synth_id(0, 0), 12, 99999);
	synth_lost(&s, synth_id(0, 1), 5, 99999);
	synth_build_id(&s, SYNTH_USER, -1, id, "/bin/a");
	assert_int_equal(synth_write(&s, path), 0);
	ops.record = note_record;
	ops.want[0] = BIT64(PERF_RECORD_LOST) | BIT64(PERF_RECORD_FORK);
	ops.want[1] = BIT64(PERF_RECORD_FINISHED_ROUND - 64);
	ops.filter = only_cpu_2;
	run_on(&run, path, &ops, 2);
	assert_int_equal(run.err, 0);
	assert_int_equal(session_stats(run.s)->lost_events, 17);
	assert_int_equal(session_stats(run.s)->lost_chunks, 2);
	assert_int_equal(session_stats(run.s)->filtered, 1500);
	assert_int_equal(session_event_samples(run.s, 0) + session_event_samples(run.s, 1), 500);
	assert_int_equal(run.seen.keys.count, 2 + 16 + 4);
	assert_non_null(condition(&run, "lost-events"));
	for (u32 i = 0; i < image_count(session_images(run.s)); i++) {
		const struct image *im = image_get(session_images(run.s), i);

		assert_int_equal(im->build_id.size, strcmp(im->path, "/bin/a") ? 0 : 20);
	}
	/* a second run over the same session counts anew */
	seen_release(&run.seen);
	run.seen = (struct seen){ .s = run.s };
	assert_int_equal(session_run(run.s, &ops, &run.seen, &run.r), 0);
	assert_int_equal(session_stats(run.s)->filtered, 1500);
	assert_int_equal(session_stats(run.s)->lost_events, 17);
	assert_int_equal(run.seen.keys.count, 2 + 16 + 4);
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

/* Checks that samples outside all maps are blamed on lost records only from the loss on. */
static void test_lost_maps(void **state)
{
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	synth_event(&s, NULL, "cpu-clock");
	synth_comm(&s, 5, 5, "five", 0);
	synth_map(&s, .pid = 5, .tid = 5, .start = 0x1000, .len = 0x1000, .file = "/bin/five");
	synth_sample(&s, .pid = 5, .tid = 5, .ip = 0x9000, .time = 100);
	synth_sample(&s, .pid = 5, .tid = 5, .ip = 0x1000, .time = 200);
	synth_lost(&s, synth_id(0, 0), 3, 300);
	synth_sample(&s, .pid = 5, .tid = 5, .ip = 0x9000, .time = 250);
	synth_sample(&s, .pid = 5, .tid = 5, .ip = 0x9000, .time = 400);
	synth_sample(&s, .pid = 5, .tid = 5, .ip = 0x1000, .time = 500);
	for (int pipe = 0; pipe < 2; pipe++) {
		if (pipe)
			write_pipe(&s, path);
		else
			assert_int_equal(synth_write(&s, path), 0);
		run_on(&run, path, &sums_ops, 2);
		assert_int_equal(run.err, 0);
		assert_int_equal(session_stats(run.s)->unplaced_after_loss, 2);
		assert_int_equal(condition(&run, "lost-maps")->count, 2);
		run_release(&run);
	}
	unlink(path);
	free(path);
	synth_release(&s);
}

static void test_file_order(void **state)
{
	struct session_ops ops = ordered_ops;
	struct run run = { 0 };
	struct synth s;
	char *path = temp_file();

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 1000);
	assert_int_equal(synth_write(&s, path), 0);
	ops.order = SESSION_FILE_ORDER;
	ops.want[0] = ops.want[1] = UINT64_MAX;
	run_on(&run, path, &ops, 1);
	assert_int_equal(run.err, 0);
	assert_int_equal(run.seen.keys.count, s.at.count);
	assert_int_equal(session_stats(run.s)->total, s.at.count);
	for (size_t i = 0; i < s.at.count; i++) {
		assert_int_equal(run.seen.types.items[i], synth_record(&s, i).type);
		if (i)
			assert_true(run.seen.keys.items[i - 1].position <
				    run.seen.keys.items[i].position);
	}
	run_release(&run);
	unlink(path);
	free(path);
	synth_release(&s);
}

/* Checks a directory, each file of which covers all of the time. */
static void test_directory(void **state)
{
	static const unsigned workers[] = { 1, 7 };
	char dir[] = "/tmp/session-dir-XXXXXX";
	struct run run = { 0 };
	struct synth files[3];
	char *path[3];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (u32 f = 0; f < 3; f++) {
		synth_init(&files[f], false);
		synth_event(&files[f], NULL, "cpu-clock");
		if (!f) {
			synth_comm(&files[f], 5, 5, "five", 0);
			synth_map(&files[f], .pid = 5, .tid = 5, .start = 0x1000, .len = 0x1000,
				  .file = "/bin/five");
		}
		for (u32 i = 0; f && i < 30000; i++)
			synth_sample(&files[f], .pid = 5, .tid = 5, .ip = 0x1010, .cpu = f,
				     .time = 10 + i / 3);
		path[f] = f ? xasprintf("%s/data.%u", dir, f - 1) : xasprintf("%s/data", dir);
		assert_int_equal(f ? synth_write_bytes(path[f], &files[f].data)
				   : synth_write(&files[f], path[f]),
				 0);
		synth_release(&files[f]);
	}
	run_on(&run, dir, &ordered_ops, 1);
	assert_int_equal(run.err, 0);
	assert_int_equal(run.seen.keys.count, 60002);
	assert_ascending(&run.seen);
	assert_null(strstr(run.seen.lines.s, "unknown"));
	run_release(&run);
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		run_on(&run, dir, &sums_ops, workers[i]);
		assert_int_equal(run.err, 0);
		assert_int_equal(session_event_samples(run.s, 0), 60000);
		run_release(&run);
	}
	for (u32 f = 0; f < 3; f++) {
		unlink(path[f]);
		free(path[f]);
	}
	rmdir(dir);
}

/* Rings that are pushed a round at a time give what the file gives. */
static void test_live(void **state)
{
	struct symbol_options symbols = { .symfs = "", .buildid_dir = "" };
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct seen seen = { 0 };
	struct synth s;
	struct event_set set;
	char *path = temp_file(), *want;
	size_t records, begin = 0;

	(void)state;
	synth_init(&s, false);
	busy_machine(&s, 5000);
	assert_int_equal(synth_write(&s, path), 0);
	ordered_lines(path, &want, &records);
	synth_set(&s, &set);
	seen.s = session_new_live(&ctx, &set, &symbols);
	for (size_t i = 0; i < s.at.count; i++) {
		struct record rec = synth_record(&s, i);
		struct data_chunk c;

		if (rec.type != PERF_RECORD_FINISHED_ROUND)
			continue;
		c = (struct data_chunk){ .data = (const u8 *)s.data.s + begin,
					 .size = rec.position - begin,
					 .position = begin };
		begin = rec.position + rec.size;
		assert_int_equal(session_push(seen.s, &ordered_ops, &seen, &c, NULL), 0);
		assert_int_equal(session_round(seen.s, &ordered_ops, &seen, NULL), 0);
	}
	assert_true(seen.keys.count < records);
	assert_int_equal(session_flush(seen.s, &ordered_ops, &seen, NULL), 0);
	assert_int_equal(seen.keys.count, records);
	assert_string_equal(seen.lines.s, want);
	assert_int_equal(session_event_samples(seen.s, 0) + session_event_samples(seen.s, 1), 5000);
	session_free(seen.s);
	seen_release(&seen);
	event_set_release(&set);
	condition_list_release(&ctx.conditions);
	free(want);
	unlink(path);
	free(path);
	synth_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_do_not_depend_on_workers),
		cmocka_unit_test(test_order_is_exact),
		cmocka_unit_test(test_order_of_shuffled_blocks),
		cmocka_unit_test(test_order_in_bounded_memory),
		cmocka_unit_test(test_passes_do_not_matter),
		cmocka_unit_test(test_pipe_and_byte_order_equal_the_file),
		cmocka_unit_test(test_no_times),
		cmocka_unit_test(test_late_records_of_a_pipe),
		cmocka_unit_test(test_damaged_samples),
		cmocka_unit_test(test_least_failure_wins),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_lost_maps),
		cmocka_unit_test(test_file_order),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
