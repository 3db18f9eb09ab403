// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading files that another perf wrote, laid out in every way it knows:
 * the same counts and the same header text as it prints itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "config.h"
#include "data/reader.h"
#include "rival.h"

static char dir[] = "/tmp/test-data-XXXXXX";

static const struct recording {
	const char *name, *how;
} recordings[] = {
	{ "plain",
	  "record -N -q -F 999 -e cpu-clock -o plain -- sh -c \"echo it\\\\'s; ls -l /usr/lib\"" },
	{ "group",
	  "record -N -q -g -e 'top{page-faults,cpu-clock}' -e '{task-clock,cs}:S' -o group -- ls "
	  "-l /usr/lib" },
	{ "dwarf",
	  "record -N -q -F 500 -d -W --call-graph dwarf,1024 -e cpu-clock -k mono -o dwarf -- ls "
	  "-lR /usr/include" },
	{ "tracepoint",
	  "record -N -q -a -e sched:sched_switch -e 'sched:sched_process_*' -o tracepoint -- "
	  "sleep 0.1" },
	{ "compressed",
	  "record -N -q -z -F 5000 -a -g -e cpu-clock -o compressed -- ls -lR /usr/include" },
	{ "directory",
	  "record -N -q --threads -a -F 2000 -e cpu-clock -o directory -- ls -l /usr/lib" },
	{ "stat", "stat record -o stat -e cpu-clock,page-faults -- ls /usr/lib" },
	{ "stream",
	  "record -N -q -F 999 -e cpu-clock,page-faults -o - -- ls -l /usr/lib 2>/dev/null | cat "
	  ">stream" },
};

static int shell(const char *fmt, ...) PRINTF_LIKE(1, 2);
static int shell(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return system(cmd);
}

/* All at once: each waits most of its time. */
static int record_all(void **state)
{
	struct strbuf cmd = STRBUF_INIT;
	int err;

	(void)state;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	setenv("HOME", dir, 1);
	if (!have_rival())
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++)
		strbuf_f(&cmd, "{ '%s' %s; } >/dev/null 2>&1 & ", rival(), recordings[i].how);
	strbuf_str(&cmd, "wait");
	err = system(strbuf_cstr(&cmd));
	strbuf_release(&cmd);
	return err;
}

static int remove_all(void **state)
{
	(void)state;
	return shell("rm -rf %s", dir);
}

static char *output_of(const char *cmd)
{
	struct strbuf b = STRBUF_INIT;
	FILE *f = popen(cmd, "r");
	size_t n;

	assert_non_null(f);
	while ((n = fread(strbuf_grow(&b, 65536), 1, 65536, f)) > 0)
		b.len += n;
	pclose(f);
	strbuf_str(&b, "");
	return strbuf_detach(&b);
}

/* Show the first line that differs, not the whole. */
static void assert_same_text(const char *what, const char *theirs, const char *ours)
{
	size_t i = 0, line = 0;

	while (theirs[i] && theirs[i] == ours[i])
		if (theirs[i++] == '\n')
			line = i;
	if (theirs[i] || ours[i])
		fail_msg("%s\ntheirs: %.*s\nours:   %.*s", what, (int)strcspn(theirs + line, "\n"),
			 theirs + line, (int)strcspn(ours + line, "\n"), ours + line);
}

static void compare_header(const char *name, bool full)
{
	struct context ctx = { 0 };
	struct reason r = REASON_INIT;
	struct strbuf ours = STRBUF_INIT;
	struct data_reader *d;
	char cmd[256], *theirs;

	snprintf(cmd, sizeof(cmd), "'%s' report --header-only %s --stdio -i %s 2>/dev/null",
		 rival(), full ? "-I" : "", name);
	theirs = output_of(cmd);
	if (data_open(&ctx, name, false, &d, &r))
		fail_msg("%s: %s", name, r.text);
	data_header_print(d, &ours, full);
	assert_same_text(cmd, theirs, strbuf_cstr(&ours));
	data_close(d);
	condition_list_release(&ctx.conditions);
	strbuf_release(&ours);
	free(theirs);
}

static void test_header_text(void **state)
{
	(void)state;
	needs_rival();
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++) {
		compare_header(recordings[i].name, false);
		compare_header(recordings[i].name, true);
	}
}

/* No feature bits; and data.size 0 as well, as a killed recorder leaves it. */
static void test_header_text_without_features(void **state)
{
	(void)state;
	needs_rival();
	assert_int_equal(shell("cp plain bare && dd if=/dev/zero of=bare bs=1 seek=72 count=32 "
			       "conv=notrunc status=none"),
			 0);
	compare_header("bare", true);
	assert_int_equal(shell("dd if=/dev/zero of=bare bs=1 seek=48 count=8 conv=notrunc "
			       "status=none"),
			 0);
	compare_header("bare", true);
}

struct seen {
	struct data_reader *d;
	u64 count[128];
	u64 bad, last;
};

static int see(void *arg, const struct record *rec, const struct order_key *key)
{
	struct seen *s = arg;
	struct sample sample;

	s->last = key->time;
	s->count[MIN(rec->type, 127)]++;
	if (rec->type == PERF_RECORD_SAMPLE && sample_decode(data_events(s->d), rec, &sample, NULL))
		s->bad++;
	return 0;
}

/* "          SAMPLE events:      17240  (84.5%)" lines of report --stats. */
static void compare_counts(const char *name, const struct seen *s)
{
	char cmd[256], *text, *save;
	bool total = false;

	snprintf(cmd, sizeof(cmd), "'%s' report --stats -i %s 2>/dev/null", rival(), name);
	text = output_of(cmd);
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char kind[64], full[96];
		u64 n;

		if (sscanf(l, " %63s events: %" SCNu64, kind, &n) != 2) {
			if (total)
				break; /* what follows is by event */
			continue;
		}
		total |= !strcmp(kind, "TOTAL");
		snprintf(full, sizeof(full), "PERF_RECORD_%s", kind);
		for (u32 t = 0; t < 127; t++)
			if (record_type_name(t) && !strcmp(record_type_name(t), full) &&
			    t != PERF_RECORD_COMPRESSED && s->count[t] != n)
				fail_msg("%s: %s: theirs %" PRIu64 ", ours %" PRIu64, name, kind, n,
					 s->count[t]);
	}
	if (!total)
		fail_msg("%s: the other perf gives no counts", name);
	free(text);
}

/* Compressed records need a library. */
static bool is_readable(const char *name)
{
#ifdef HAVE_ZSTD
	(void)name;
	return true;
#else
	return strcmp(name, "compressed") != 0;
#endif
}

static void test_counts(void **state)
{
	(void)state;
	needs_rival();
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++) {
		struct context ctx = { 0 };
		struct seen s = { NULL };
		const char *name = recordings[i].name;

		if (!strcmp(name, "stream")) /* it reads streams from pipes only */
			continue;
		if (!is_readable(name))
			continue;
		assert_int_equal(data_open(&ctx, name, false, &s.d, NULL), 0);
		assert_int_equal(data_scan(s.d, see, &s, NULL), 0);
		assert_int_equal(s.bad, 0);
		compare_counts(name, &s);
		assert_int_equal(ctx.conditions.list.count, 0);
		data_close(s.d);
	}
}

/* The three ways to walk give the same records: scan, chunks again, blocks in any order. */
static void walk_again(const char *name)
{
	struct context ctx = { 0 };
	struct seen scan = { NULL }, next = { NULL }, blocks = { NULL };
	struct data_chunk c;
	struct record rec;
	struct order_key key = { 0 };
	size_t at;

	assert_int_equal(data_open(&ctx, name, false, &scan.d, NULL), 0);
	next.d = blocks.d = scan.d;
	assert_int_equal(data_scan(scan.d, see, &scan, NULL), 0);
	assert_int_equal(data_rewind(scan.d, NULL), 0);
	while (data_next(scan.d, &c, NULL) == 1) {
		for (at = 0; data_chunk_record(&c, &at, &rec);)
			see(&next, &rec, &key);
		data_chunk_release(&c);
	}
	assert_memory_equal(scan.count, next.count, sizeof(scan.count));
	for (size_t i = data_block_count(scan.d); i-- > 0;) {
		assert_int_equal(data_block(scan.d, i, &c, NULL), 0);
		for (at = 0; data_chunk_record(&c, &at, &rec);)
			see(&blocks, &rec, &key);
		data_chunk_release(&c);
	}
	if (strcmp(name, "compressed"))
		assert_memory_equal(scan.count, blocks.count, sizeof(scan.count));
	else
		assert_int_equal(data_block_count(scan.d), 0);
	data_close(scan.d);
}

static void test_walks_agree(void **state)
{
	(void)state;
	needs_rival();
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++)
		if (is_readable(recordings[i].name))
			walk_again(recordings[i].name);
}

/* A stream that comes through a pipe in small pieces. */
static void test_pipe(void **state)
{
	struct context ctx = { 0 };
	struct seen file = { NULL }, pipe = { NULL };
	int in = dup(0), fds[2];

	(void)state;
	needs_rival();
	assert_int_equal(data_open(&ctx, "stream", false, &file.d, NULL), 0);
	assert_int_equal(data_scan(file.d, see, &file, NULL), 0);
	data_close(file.d);
	assert_int_equal(shell("mkfifo fifo"), 0);
	assert_int_equal(shell("dd if=stream of=fifo bs=777 status=none &"), 0);
	fds[0] = fileno(fopen("fifo", "r"));
	dup2(fds[0], 0);
	assert_int_equal(data_open(&ctx, NULL, false, &pipe.d, NULL), 0);
	assert_int_equal(data_events(pipe.d)->list.count, 2);
	assert_string_equal(data_feature_string(pipe.d, FEATURE_ARCH),
			    data_feature_string(pipe.d, FEATURE_ARCH));
	assert_int_equal(data_scan(pipe.d, see, &pipe, NULL), 0);
	assert_memory_equal(file.count, pipe.count, sizeof(file.count));
	assert_int_not_equal(data_rewind(pipe.d, NULL), 0);
	data_close(pipe.d);
	dup2(in, 0);
	close(in);
	assert_int_equal(ctx.conditions.list.count, 0);
}

/* Block times bound the keys of their records, and records without a time follow. */
static void test_block_times(void **state)
{
	struct context ctx = { 0 };
	struct data_reader *d;
	struct seen s = { NULL };
	u64 most = 0;

	(void)state;
	needs_rival();
	assert_int_equal(data_open(&ctx, "dwarf", false, &d, NULL), 0);
	s.d = d;
	assert_int_equal(data_scan(d, see, &s, NULL), 0);
	assert_true(data_block_count(d) > 0);
	for (size_t i = 0; i < data_block_count(d); i++) {
		const struct data_block_info *b = data_block_info(d, i);

		assert_true(b->size <= 1 << 20);
		assert_true(b->min_time <= b->max_time);
		most = MAX(most, b->max_time);
		if (i)
			assert_true(b->first_order >= b[-1].min_time &&
				    b->first_order <= b[-1].max_time);
	}
	assert_true(most >= s.last);
	data_close(d);
}

/* A file that is larger than all memory that reading it may take. */
static void test_bounded_memory(void **state)
{
	struct context ctx = { 0 };
	struct rusage before, after;
	struct data_reader *d;
	struct data_chunk c;
	u64 bytes = 0;

	(void)state;
	needs_rival();
	/* the records of "plain" again and again, 200 MB of them, with data.size 0 */
	assert_int_equal(shell("python3 - <<'END'\n"
			       "import struct\n"
			       "d = bytearray(open('plain', 'rb').read())\n"
			       "at, size = struct.unpack_from('<2Q', d, 40)\n"
			       "struct.pack_into('<Q', d, 48, 0)\n"
			       "with open('big', 'wb') as f:\n"
			       "    f.write(d[:at])\n"
			       "    for i in range(200 * 2**20 // size): f.write(d[at:at + size])\n"
			       "END"),
			 0);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(data_open(&ctx, "big", false, &d, NULL), 0);
	while (data_next(d, &c, NULL) == 1) {
		bytes += c.size;
		data_chunk_release(&c);
	}
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(bytes, data_size(d));
	assert_true(bytes > 190 << 20);
	assert_true(after.ru_maxrss - before.ru_maxrss < 8 << 10); /* kB */
	assert_string_equal(ctx.conditions.list.items[0].code, "recording-cut");
	assert_false(condition_list_damaged(&ctx.conditions));
	data_close(d);
	condition_list_release(&ctx.conditions);
	unlink("big");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_text),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_header_text_without_features),
		cmocka_unit_test(test_walks_agree),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_block_times),
		cmocka_unit_test(test_bounded_memory),
	};

	return cmocka_run_group_tests(tests, record_all, remove_all);
}
