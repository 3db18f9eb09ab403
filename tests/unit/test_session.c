// SPDX-License-Identifier: GPL-2.0-or-later
/* The conveyor: the same answers for any number of workers, from files and pipes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/session.h"
#include "synth.h"

enum { MAX_WORKERS = 16 };

/* What a run called back. */
struct seen {
	struct session *s;
	VEC(struct order_key) keys; /* ordered: each record's */
	VEC(u32) types;
	struct strbuf lines;	    /* ordered: "time comm image+offset" of each sample */
	struct map64 sums[MAX_WORKERS]; /* hash of (comm, image, offset) -> sum of periods */
	u64 fail_at; /* time of the sample whose callback fails, 0: none */
	int errors;
};

static u64 place_hash(const struct seen *seen, const struct session_sample *ss)
{
	const char *comm = history_comm_text(session_history(seen->s), ss->comm);
	const struct image *im = image_get(session_images(seen->s), ss->leaf.image);

	return hash_combine(hash_combine(hash_str(comm), hash_str(im->path)), ss->leaf.offset);
}

static int sum_sample(void *arg, unsigned worker, const struct session_sample *ss,
		      struct reason *r)
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

/* One number for all sums of all workers; it does not depend on who summed what. */
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
 * A busy machine: CPUs whose rings are emptied one after the other, processes
 * that fork, exec and map; n samples.  Times are distinct and start at 1000.
 */
static void busy_machine(struct synth *s, u32 n)
{
	enum { CPUS = 4, ROUND = 500 };
	u64 now = 1000;

	synth_event(s, NULL, "cpu-clock");
	synth_event(s, NULL, "task-clock");
	synth_map(s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0xffffffff81000000,
		  .len = 0x1000000, .pgoff = 0xffffffff81000000, .v1 = true,
		  .file = "[kernel.kallsyms]_text");
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
				synth_sample(s, .event = k % 3 == 0, .pid = pid, .tid = pid,
					     .cpu = cpu, .time = t + 2, .period = 1 + k % 7,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_do_not_depend_on_workers),
		cmocka_unit_test(test_order_is_exact),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
