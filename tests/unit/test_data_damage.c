// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile files: cut at every place, bytes flipped in thousands of variants,
 * fields set to absurd values.  Reading them must end, touch nothing outside
 * (the sanitized build sees to that), and say what was wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "data/reader.h"
#include "data/stack_ends.h"
#include "data/times.h"
#include "data/writer.h"
#include "rival.h"

static char dir[] = "/tmp/test-damage-XXXXXX";

struct bytes {
	u8 *p;
	size_t size;
};

/* Variants live in memory; the reader opens them through /proc. */
static int variant_fd = -1;

static void write_variant(const u8 *p, size_t size)
{
	assert_int_equal(ftruncate(variant_fd, 0), 0);
	assert_int_equal(pwrite(variant_fd, p, size, 0), size);
}

static struct bytes load(const char *name)
{
	struct bytes b = { NULL, 0 };
	struct stat st;
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		return b;
	fstat(fd, &st);
	b.p = malloc((size_t)st.st_size + 1);
	b.size = (size_t)read(fd, b.p, (size_t)st.st_size);
	close(fd);
	return b;
}

struct walk_result {
	struct data_reader *d;
	u64 records, samples;
};

/* Everything that can be had from a record. */
static int touch(void *arg, const struct record *rec, const struct order_key *key)
{
	struct walk_result *w = arg;
	const struct event_set *set = data_events(w->d);
	union {
		struct sample sample;
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_namespaces namespaces;
		struct record_cgroup cgroup;
		struct record_ksymbol ksymbol;
		struct record_text_poke poke;
		struct record_read read;
	} u;
	struct sample_id id;

	(void)key;
	w->records++;
	record_sample_id(set, rec, &id, NULL, NULL);
	record_get_mmap(set, rec, &u.mmap, NULL);
	record_get_comm(set, rec, &u.comm, NULL);
	record_get_task(set, rec, &u.task, NULL);
	record_get_namespaces(set, rec, &u.namespaces, NULL);
	record_get_cgroup(set, rec, &u.cgroup, NULL);
	record_get_ksymbol(set, rec, &u.ksymbol, NULL);
	record_get_text_poke(set, rec, &u.poke, NULL);
	record_get_read(set, rec, &u.read, NULL);
	if (rec->type != PERF_RECORD_SAMPLE)
		return 0;
	if (!sample_decode(set, rec, &u.sample, NULL))
		w->samples++;
	return 0;
}

static void touch_features(struct data_reader *d)
{
	struct strbuf text = STRBUF_INIT;
	size_t n;

	data_header_print(d, &text, true);
	data_build_ids(d, &n);
	data_cmdline(d, &n);
	data_arch(d);
	data_tracepoints(d, NULL);
	strbuf_release(&text);
}

/* Read the variant in every way; a reason or a condition must name what is wrong. */
static int read_variant(struct context *ctx, struct walk_result *w)
{
	struct reason r = REASON_INIT;
	struct data_chunk c;
	char path[64];
	int err;

	*w = (struct walk_result){ NULL };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", variant_fd);
	alarm(20); /* a hang ends the test */
	err = data_open(ctx, path, true, &w->d, &r);
	if (err) {
		assert_non_null(r.text);
		reason_release(&r);
		return err;
	}
	touch_features(w->d);
	err = data_scan(w->d, touch, w, &r);
	for (size_t i = 0; !err && i < data_block_count(w->d); i++)
		if (!data_block(w->d, i, &c, NULL))
			data_chunk_release(&c);
	data_close(w->d);
	reason_release(&r);
	return err;
}

static void read_and_forget(void)
{
	struct context ctx = { 0 };
	struct walk_result w;

	read_variant(&ctx, &w);
	condition_list_release(&ctx.conditions);
}

static void cut_everywhere(const struct bytes *b)
{
	/* every byte of the header, then every 8th byte: all boundaries of records are there */
	for (size_t size = 0; size < b->size; size += size < 512 || b->size < 4096 ? 1 : 40) {
		write_variant(b->p, size);
		read_and_forget();
	}
}

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Flip single bits, whole bytes, and set u16/u32/u64 to the values that overflow. */
static void mutate(u8 *p, size_t size, u64 *seed)
{
	static const u64 absurd[] = { 0,          1,          7,          8,
				      0x7fffffff, 0xffffffff, 1ULL << 63, UINT64_MAX - 7,
				      UINT64_MAX };
	unsigned edits = 1 + next_random(seed) % 3;

	while (edits--) {
		/* half of them in the header and attrs, or in the features at the end */
		u64 kind = next_random(seed) % 4;
		size_t at = next_random(seed) % size;
		u64 v = absurd[next_random(seed) % ARRAY_SIZE(absurd)];

		if (kind == 0)
			at = MIN(at % 512, size - 1);
		else if (kind == 1)
			at = size - 1 - MIN(at % 4096, size - 1);
		switch (next_random(seed) % 4) {
		case 0:
			p[at] ^= (u8)(1 << next_random(seed) % 8);
			break;
		case 1:
			p[at] = (u8)next_random(seed);
			break;
		case 2:
			memcpy(p + at, &v, MIN(4, size - at));
			break;
		default:
			at &= ~(size_t)7;
			memcpy(p + at, &v, MIN(8, size - at));
		}
	}
}

static void flip(const struct bytes *b, unsigned variants, u64 seed)
{
	u8 *p = malloc(b->size + 1);

	for (unsigned i = 0; i < variants; i++) {
		memcpy(p, b->p, b->size);
		mutate(p, b->size, &seed);
		write_variant(p, b->size);
		read_and_forget();
	}
	free(p);
}

static int record_all(void **state)
{
	(void)state;
	variant_fd = memfd_create("variant", MFD_CLOEXEC);
	if (variant_fd < 0 || !mkdtemp(dir) || chdir(dir))
		return -1;
	setenv("HOME", dir, 1);
	if (!have_rival())
		return 0;
	setenv("RIVAL_PERF", rival(), 1);
	return system(
		"record() { \"$RIVAL_PERF\" record -q -F 500 \"$@\"; }; { "
		"record -g -d -e cpu-clock,page-faults -o plain -- true & "
		"record -z -e cpu-clock -o compressed -- true & "
		"record -e sched:sched_process_exec -o tracepoint -- true & "
		"record -e cpu-clock --call-graph dwarf,512 -e '{cs,task-clock}:S' -o dwarf -- "
		"true & "
		"record -N -e cpu-clock -o - -- true 2>/dev/null | cat >stream; "
		"wait; } >/dev/null 2>&1");
}

static int remove_all(void **state)
{
	char cmd[64];

	(void)state;
	close(variant_fd);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static const char *const names[] = { "plain", "compressed", "tracepoint", "dwarf", "stream" };

static void test_cut_everywhere(void **state)
{
	(void)state;
	needs_rival();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bytes b = load(names[i]);

		if (!b.p)
			skip();
		cut_everywhere(&b);
		free(b.p);
	}
}

static void test_flipped(void **state)
{
	(void)state;
	needs_rival();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bytes b = load(names[i]);

		if (!b.p)
			skip();
		flip(&b, 3000, i + 1);
		free(b.p);
	}
}

/*
 * A file of n equal samples, in memory; ends, times: NULL, or the sections that say why stacks
 * ended and how long the event counted.
 */
static struct bytes samples_file_with(unsigned n, const struct data_stack_ends *ends,
				      const struct data_times *times)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	struct {
		struct record_header h;
		u64 ip, task;
	} sample = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) }, 0x401000, 1 };
	struct context ctx = { 0 };
	struct event_set set;
	struct data_writer *w;

	event_set_init(&set);
	event_set_add_id(&set, event_set_add(&set, &attr, "cpu-clock"), 1);
	assert_int_equal(event_set_finish(&set, NULL), 0);
	assert_int_equal(data_create(&ctx, "samples", false, &w, NULL), 0);
	assert_int_equal(data_write_header(w, &set, NULL), 0);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(data_write(w, &sample, sizeof(sample), NULL), 0);
	if (times)
		assert_int_equal(data_write_times(w, &set, times, NULL), 0);
	data_set_events(w, &set);
	if (ends)
		data_set_stack_ends(w, ends);
	assert_int_equal(data_finish(w, NULL), 0);
	event_set_release(&set);
	return load("samples");
}

static struct bytes samples_file(unsigned n)
{
	return samples_file_with(n, NULL, NULL);
}

static const struct condition *only_condition(struct context *ctx, const char *code)
{
	assert_int_equal(ctx->conditions.list.count, 1);
	assert_string_equal(ctx->conditions.list.items[0].code, code);
	return &ctx->conditions.list.items[0];
}

/* Reads the section of the variant; says whether there is a warning. */
static bool reads_ends(const struct bytes *b, u64 *count)
{
	struct context ctx = { 0 };
	struct data_reader *d;
	struct data_stack_ends ends;
	bool warned;
	char path[64];

	write_variant(b->p, b->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", variant_fd);
	assert_int_equal(data_open(&ctx, path, true, &d, NULL), 0);
	ends = data_stack_ends(d);
	*count = 0;
	vec_for_each(&ends.list, e)
		*count += e->count;
	warned = ctx.conditions.list.count;
	if (warned)
		assert_int_equal(only_condition(&ctx, "damaged-stack-ends")->weight,
				 CONDITION_WARNING);
	vec_release(&ends.list);
	data_close(d);
	condition_list_release(&ctx.conditions);
	return warned;
}

struct taking {
	struct data_reader *d;
	struct data_times times;
};

static int take_time(void *arg, const struct record *rec, const struct order_key *key)
{
	struct taking *t = arg;

	(void)key;
	data_take_time(&t->times, data_events(t->d), rec);
	return 0;
}

/* What the file says of its only event. */
static struct data_time read_time(const struct bytes *b)
{
	struct context ctx = { 0 };
	struct taking t = { 0 };
	struct data_time time = { 0 };
	char path[64];

	write_variant(b->p, b->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", variant_fd);
	assert_int_equal(data_open(&ctx, path, true, &t.d, NULL), 0);
	assert_int_equal(data_scan(t.d, take_time, &t, NULL), 0);
	assert_in_range(t.times.list.count, 0, 1);
	if (t.times.list.count)
		time = t.times.list.items[0];
	vec_release(&t.times.list);
	data_close(t.d);
	condition_list_release(&ctx.conditions);
	return time;
}

static void test_times(void **state)
{
	const u64 enabled = 0x1122334455667788, running = 0x1122334400000000;
	/* words before enabled: type, id, state */
	static const struct {
		int word;
		u64 value;
		enum data_time_state state;
	} variants[] = {
		{ -3, 2, DATA_TIME_NONE },  /* of another type */
		{ -2, 99, DATA_TIME_NONE }, /* which no event has */
		{ -1, 0, DATA_TIME_NONE },
		{ -1, 3, DATA_TIME_NONE },
		{ -1, 1ULL << 32 | DATA_TIME_KNOWN, DATA_TIME_NONE },
		{ -1, DATA_TIME_UNKNOWN, DATA_TIME_UNKNOWN },
		{ 0, 5, DATA_TIME_NONE }, /* less than running */
		{ 1, 0, DATA_TIME_KNOWN },
	};
	struct data_times times = { 0 };
	struct data_time t;
	struct bytes b;
	u8 *at;

	(void)state;
	vec_push(&times.list, (struct data_time){ DATA_TIME_KNOWN, enabled, running });
	b = samples_file_with(10, NULL, &times);
	vec_release(&times.list);
	t = read_time(&b);
	assert_int_equal(t.state, DATA_TIME_KNOWN);
	assert_true(t.enabled == enabled && t.running == running);
	at = memmem(b.p, b.size, &enabled, 8);
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		u8 *word = at + 8 * variants[i].word;
		u64 before;

		memcpy(&before, word, 8);
		memcpy(word, &variants[i].value, 8);
		assert_int_equal(read_time(&b).state, variants[i].state);
		memcpy(word, &before, 8);
	}
	/* a record that is too short for it */
	at[-32 + 6] = 40;
	assert_int_equal(read_time(&b).state, DATA_TIME_NONE);
	at[-32 + 6] = 48;
	assert_int_equal(read_time(&b).state, DATA_TIME_KNOWN);
	free(b.p);
}

/* Damages the sums by reason, the size of stacks and the length of the section, one at a time. */
static void test_stack_ends(void **state)
{
	struct data_stack_ends ends = { .bytes = 1024, .mode = "dwarf,live" };
	const u64 huge = UINT64_MAX, shorter[] = { 2, 20, 0 /* the last byte */ };
	struct bytes b;
	u64 count, whole;
	u8 *sums, *size;

	(void)state;
	vec_push(&ends.list, (struct data_stack_end){ 0x1122334455, "too small", "/bin/large" });
	vec_push(&ends.list, (struct data_stack_end){ 7, "no file", "/bin/lost" });
	b = samples_file_with(10, &ends, NULL);
	vec_release(&ends.list);
	assert_false(reads_ends(&b, &count));
	assert_int_equal(count, 0x1122334455 + 7);
	sums = memmem(b.p, b.size, &(u64){ 0x1122334455 }, 8);
	assert_non_null(sums);
	/* counts of which the sum has no room, or is not that of the rows */
	memcpy(sums, &huge, 8);
	assert_true(reads_ends(&b, &count));
	assert_int_equal(count, 0);
	memcpy(sums, &(u64){ 0x1122334456 }, 8);
	assert_true(reads_ends(&b, &count));
	memcpy(sums, &(u64){ 0x1122334455 }, 8);
	assert_false(reads_ends(&b, &count));
	/* more rows than the section has room for */
	sums[-4] = 200;
	assert_true(reads_ends(&b, &count));
	assert_int_equal(count, 0);
	sums[-4] = 2;
	/* a size that no kernel copies */
	memcpy(memmem(sums, b.size - (size_t)(sums - b.p), &(u32[]){ 1024, 64 }, 8),
	       &(u32){ 1 << 20 }, 4);
	assert_true(reads_ends(&b, &count));
	memcpy(memmem(sums, b.size - (size_t)(sums - b.p), &(u32[]){ 1 << 20, 64 }, 8),
	       &(u32){ 1024 }, 4);
	assert_false(reads_ends(&b, &count));
	/* cut short: in the version, in the sums, in the rows */
	size = memmem(b.p, b.size, &(u64){ (u64)(sums - 8 - b.p) }, 8);
	assert_non_null(size);
	size += 8;
	whole = load_u64(size, false);
	for (size_t i = 0; i < ARRAY_SIZE(shorter); i++) {
		memcpy(size, &(u64){ shorter[i] ? shorter[i] : whole - 1 }, 8);
		assert_true(reads_ends(&b, &count));
		assert_int_equal(count, 0);
	}
	free(b.p);
}

enum { SAMPLES = 100000, SAMPLE_SIZE = 24, BAD = 70000 };

/* One record with an impossible header in the middle: all the others are there. */
static void test_resync(void **state)
{
	struct bytes b = samples_file(SAMPLES);
	u64 begin = load_u64(b.p + 40, false);
	u8 *bad = b.p + begin + (u64)BAD * SAMPLE_SIZE;
	static const u16 sizes[] = { 0, 4, 23, 7 };
	char offset[32];

	(void)state;
	snprintf(offset, sizeof(offset), "%#" PRIx64, begin + (u64)BAD * SAMPLE_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct context ctx = { 0 };
		struct walk_result w;
		const struct condition *c;

		memcpy(bad + 6, &sizes[i], 2);
		write_variant(b.p, b.size);
		assert_int_equal(read_variant(&ctx, &w), 0);
		assert_int_equal(w.samples, SAMPLES - 1);
		c = only_condition(&ctx, "damaged-record");
		assert_int_equal(c->weight, CONDITION_DAMAGE);
		assert_non_null(strstr(c->text, offset));
		condition_list_release(&ctx.conditions);
	}
	free(b.p);
}

/* Half a megabyte of zeros where records were, across the edges of chunks. */
static void test_hole(void **state)
{
	struct bytes b = samples_file(SAMPLES);
	u64 begin = load_u64(b.p + 40, false);
	u64 first = 30000, count = 30000;
	struct context ctx = { 0 };
	struct walk_result w;

	(void)state;
	memset(b.p + begin + first * SAMPLE_SIZE, 0, count * SAMPLE_SIZE);
	write_variant(b.p, b.size);
	assert_int_equal(read_variant(&ctx, &w), 0);
	assert_int_equal(w.samples, SAMPLES - count);
	only_condition(&ctx, "damaged-record");
	condition_list_release(&ctx.conditions);
	free(b.p);
}

/* Cut inside a record: what is whole is read, and the place is named. */
static void test_truncated(void **state)
{
	struct bytes b = samples_file(1000);
	u64 begin = load_u64(b.p + 40, false);
	struct context ctx = { 0 };
	struct walk_result w;

	(void)state;
	write_variant(b.p, begin + 500 * SAMPLE_SIZE + 13);
	assert_int_equal(read_variant(&ctx, &w), 0);
	assert_int_equal(w.samples, 500);
	assert_true(condition_list_damaged(&ctx.conditions));
	assert_string_equal(ctx.conditions.list.items[0].code, "file-truncated");
	condition_list_release(&ctx.conditions);

	/* data.size 0, as a killed recorder leaves it: no damage */
	memset(b.p + 48, 0, 8);
	write_variant(b.p, begin + 500 * SAMPLE_SIZE + 13);
	assert_int_equal(read_variant(&ctx, &w), 0);
	assert_int_equal(w.samples, 500);
	assert_false(condition_list_damaged(&ctx.conditions));
	condition_list_release(&ctx.conditions);
	free(b.p);
}

/* Types that nobody knows are skipped by their size, and said. */
static void test_unknown_types(void **state)
{
	struct bytes b = samples_file(1000);
	u64 begin = load_u64(b.p + 40, false);
	static const u32 types[] = { 30, 63, 90, 200 }, wild = 0x80000009;
	struct context ctx = { 0 };
	struct walk_result w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		memcpy(b.p + begin + (10 + i) * SAMPLE_SIZE, &types[i], 4);
	write_variant(b.p, b.size);
	assert_int_equal(read_variant(&ctx, &w), 0);
	assert_int_equal(w.samples, 1000 - ARRAY_SIZE(types));
	assert_int_equal(w.records, 1000);
	assert_int_equal(only_condition(&ctx, "unknown-record")->count, ARRAY_SIZE(types));
	assert_false(condition_list_damaged(&ctx.conditions));
	condition_list_release(&ctx.conditions);

	/* a type that no perf will have is no record */
	memcpy(b.p + begin + 100 * SAMPLE_SIZE, &wild, 4);
	write_variant(b.p, b.size);
	assert_int_equal(read_variant(&ctx, &w), 0);
	assert_int_equal(w.records, 999);
	assert_true(condition_list_damaged(&ctx.conditions));
	condition_list_release(&ctx.conditions);
	free(b.p);
}

static void expect_refusal(const void *p, size_t size, const char *word)
{
	struct context ctx = { 0 };
	struct reason r = REASON_INIT;
	struct data_reader *d;
	char path[64];

	write_variant(p, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", variant_fd);
	assert_true(data_open(&ctx, path, true, &d, &r) < 0);
	if (!strstr(r.text, word))
		fail_msg("'%s' does not say '%s'", r.text, word);
	reason_release(&r);
	condition_list_release(&ctx.conditions);
}

static void test_foreign(void **state)
{
	(void)state;
	expect_refusal("", 0, "empty");
	expect_refusal("PERF", 4, "not a perf.data");
	expect_refusal("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, "not a perf.data");
	expect_refusal("PERFFILE\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, "2.6.36");
	expect_refusal("PERFILE2\x68\0\0\0\0\0\0\0", 16, "damaged");
	expect_refusal("PERFILE2\x10\0\0\0\0\0\0\0", 16, "no events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resync),         cmocka_unit_test(test_hole),
		cmocka_unit_test(test_truncated),      cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_foreign),        cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_stack_ends),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, record_all, remove_all);
}
