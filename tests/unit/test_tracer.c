// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers of tracepoints: fields of every kind, late formats, what is missing, losses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "synth.h"
#include "tracepoint/tracepoint.h"
#include "tracer/state.h"
#include "tracer/tracer.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { ALL_ID = 70, WAKE_ID = 71 };

/* Fields of every kind; raw_of_all() fills them. */
static const char all_format[] =
	"name: all\nID: 70\n" COMMON "\tfield:unsigned char u8;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:signed char s8;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:unsigned short u16;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:short s16;\toffset:12;\tsize:2;\tsigned:1;\n"
	"\tfield:unsigned int u32;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t s32;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 u64;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 s64;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:const void * pointer;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] name;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[2];\toffset:64;\tsize:16;\tsigned:0;\n"
	"\tfield:short steps[2];\toffset:80;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u32[] list;\toffset:84;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 bytes[4];\toffset:88;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";

static const char wake_format[] =
	"name: wake\nID: 71\n" COMMON "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"pid=%d\", REC->pid\n";

/* clang-format off */
enum {
	U8, S8, U16, S16, U32, S32, U64, S64, POINTER, COMM, PATH, NAME, ARGS, STEPS, LIST, BYTES,
};
/* clang-format on */

static void raw_of_all(struct strbuf *b, bool swap)
{
	synth_put(b, ALL_ID, 2, swap);
	synth_put(b, 0, 6, swap);
	synth_put(b, 0xfe, 1, swap);
	synth_put(b, 0xfe, 1, swap);
	synth_put(b, 0xfedc, 2, swap);
	synth_put(b, 0xfedc, 2, swap);
	synth_put(b, 0, 2, swap);
	synth_put(b, 0xfedcba98, 4, swap);
	synth_put(b, 0xfedcba98, 4, swap);
	synth_put(b, 0xfedcba9876543210, 8, swap);
	synth_put(b, 0xfedcba9876543210, 8, swap);
	synth_put(b, 0xffff888012345678, 8, swap);
	strbuf_add(b, "12345678", 8); /* no NUL: all of it */
	synth_put(b, 5 << 16 | 100, 4, swap);
	synth_put(b, 3 << 16 | (105 - 64), 4, swap);
	synth_put(b, 11, 8, swap);
	synth_put(b, 1ULL << 40, 8, swap);
	synth_put(b, 0xffff, 2, swap);
	synth_put(b, 3, 2, swap);
	synth_put(b, 8 << 16 | 92, 4, swap);
	strbuf_add(b, "\1\0\0\377", 4);
	synth_put(b, 21, 4, swap); /* 92: list */
	synth_put(b, 0x80000000, 4, swap);
	strbuf_add(b, "/etc\0ab\0", 8); /* 100: path, 105: name */
}

/* ---- a recording and its analysis ---- */

struct made {
	struct synth s;
	struct tracepoint_formats *formats;
	struct context ctx;
	struct session *session;
	struct reason r;
	char path[32];
};

static void made_init(struct made *m, bool swap)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = ALL_ID,
		.sample_period = 1,
		.sample_type = SYNTH_SAMPLE_TYPE | PERF_SAMPLE_RAW,
		.flags = ATTR_SAMPLE_ID_ALL,
	};

	*m = (struct made){ .path = "/tmp/tracer-XXXXXX" };
	synth_init(&m->s, swap);
	synth_event(&m->s, &attr, "demo:all");
	attr.config = WAKE_ID;
	synth_event(&m->s, &attr, "demo:wake");
	m->formats = tracepoint_formats_new(swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), 8);
	m->ctx.workers = 1;
	m->ctx.buildid_dir = m->ctx.symfs = "";
}

static void describe(struct made *m, const char *format)
{
	assert_int_equal(tracepoint_formats_add(m->formats, "demo", format, strlen(format), NULL),
			 0);
}

static void made_release(struct made *m)
{
	session_free(m->session);
	tracepoint_formats_free(m->formats);
	condition_list_release(&m->ctx.conditions);
	reason_release(&m->r);
	synth_release(&m->s);
	unlink(m->path);
}

static u64 condition_count(const struct made *m, const char *code)
{
	u64 n = 0;

	vec_for_each(&m->ctx.conditions.list, c)
		if (!strcmp(c->code, code))
			n += c->count;
	return n;
}

static void open_bytes(struct made *m, const struct strbuf *b)
{
	struct session_options o = { .input = m->path, .force = true };
	int fd = mkstemp(m->path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(synth_write_bytes(m->path, b), 0);
	o.symbols.symfs = o.symbols.buildid_dir = "";
	assert_int_equal(session_open(&m->ctx, &o, &m->session, &m->r), 0);
}

/* Runs the rows over the file, with the formats of m. */
static int run_file(struct made *m, struct tracer *t)
{
	struct strbuf b = STRBUF_INIT;

	synth_file(&m->s, &b);
	open_bytes(m, &b);
	strbuf_release(&b);
	tracer_use_formats(t, m->formats);
	return tracer_run(t, m->session, &m->r);
}

static void wake(struct made *m, u32 pid, u32 cpu, u64 time)
{
	struct strbuf raw = STRBUF_INIT;

	synth_put(&raw, WAKE_ID, 2, m->s.swap);
	synth_put(&raw, 0, 6, m->s.swap);
	synth_put(&raw, pid, 4, m->s.swap);
	synth_sample(&m->s, .event = 1, .pid = 5, .tid = 5, .cpu = cpu, .time = time, .raw = raw.s,
		     .raw_size = (u32)raw.len);
	strbuf_release(&raw);
}

/* ---- rows ---- */

static void assert_text(const struct tracer_hit *hit, unsigned field, const char *want)
{
	u32 len;
	const char *got = tracer_text(hit, field, &len);

	assert_int_equal(len, strlen(want));
	assert_memory_equal(got, want, len);
}

static int on_all(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	(void)r;
	++*(u32 *)arg;
	assert_true(tracer_u64(hit, U8) == 0xfe && tracer_s64(hit, U8) == 0xfe);
	assert_true(tracer_u64(hit, S8) == 0xfe && tracer_s64(hit, S8) == -2);
	assert_true(tracer_s64(hit, U16) == 0xfedc && tracer_s64(hit, S16) == -0x124);
	assert_true(tracer_s64(hit, U32) == 0xfedcba98 && tracer_s64(hit, S32) == -0x1234568);
	assert_true(tracer_u64(hit, S32) == 0xfedcba98);
	assert_true(tracer_u64(hit, U64) == 0xfedcba9876543210);
	assert_true(tracer_s64(hit, S64) == (s64)0xfedcba9876543210);
	assert_true(tracer_u64(hit, POINTER) == 0xffff888012345678);
	assert_text(hit, COMM, "12345678");
	assert_text(hit, PATH, "/etc");
	assert_text(hit, NAME, "ab");
	assert_int_equal(tracer_count(hit, ARGS), 2);
	assert_true(tracer_element(hit, ARGS, 0) == 11 &&
		    tracer_element(hit, ARGS, 1) == 1LL << 40);
	assert_int_equal(tracer_element(hit, ARGS, 2), 0);
	assert_int_equal(tracer_count(hit, STEPS), 2);
	assert_true(tracer_element(hit, STEPS, 0) == -1 && tracer_element(hit, STEPS, 1) == 3);
	assert_int_equal(tracer_count(hit, LIST), 2);
	assert_true(tracer_element(hit, LIST, 0) == 21 &&
		    tracer_element(hit, LIST, 1) == 0x80000000);
	assert_int_equal(tracer_count(hit, BYTES), 4);
	assert_true(tracer_element(hit, BYTES, 0) == 1 && tracer_element(hit, BYTES, 3) == 255);
	assert_false(tracer_has(hit, TRACER_FIELDS));
	return 0;
}

static const struct tracer_row all_row = {
	"demo:all", .fn = on_all, .fields = {
		[U8] = { "u8" }, [S8] = { "s8" }, [U16] = { "u16" }, [S16] = { "s16" },
		[U32] = { "u32" }, [S32] = { "s32" }, [U64] = { "u64" }, [S64] = { "s64" },
		[POINTER] = { "pointer" }, [COMM] = { "comm", TRACER_TEXT },
		[PATH] = { "path", TRACER_TEXT }, [NAME] = { "name", TRACER_TEXT },
		[ARGS] = { "args", TRACER_ARRAY }, [STEPS] = { "steps", TRACER_ARRAY },
		[LIST] = { "list", TRACER_ARRAY }, [BYTES] = { "bytes", TRACER_ARRAY },
	},
};

static struct tracer *tracer_of(const struct tracer_row *row, void *arg)
{
	return tracer_new(&(struct tracer_settings){ .rows = row, .row_count = 1, .arg = arg });
}

static void test_fields(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct strbuf raw = STRBUF_INIT;
		struct made m;
		u32 calls = 0;
		struct tracer *t = tracer_of(&all_row, &calls);

		made_init(&m, swap);
		describe(&m, all_format);
		describe(&m, wake_format);
		raw_of_all(&raw, swap);
		synth_sample(&m.s, .time = 20, .raw = raw.s, .raw_size = (u32)raw.len);
		wake(&m, 7, 0, 30); /* no row wants it: not called */
		assert_int_equal(run_file(&m, t), 0);
		assert_int_equal(calls, 1);
		assert_int_equal(tracer_stats(t)->hits, 1);
		assert_int_equal(condition_count(&m, "tracepoint-format"), 0);
		assert_int_equal(condition_count(&m, "tracepoint-data"), 0);
		tracer_free(t);
		made_release(&m);
		strbuf_release(&raw);
	}
}

/* Wake-ups: a sum of pids, and states by pid that end at the second wake-up. */
struct wakes {
	u64 sum, calls, pairs;
	bool has_cpu;
	struct tracer_states states;
	VEC(struct tracer_gap) gaps;
};

enum { PID, TARGET_CPU };

static int on_wake(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct wakes *w = arg;

	w->calls++;
	w->sum += tracer_u64(hit, PID);
	w->has_cpu = tracer_has(hit, TARGET_CPU);
	assert_int_equal(tracer_u64(hit, TARGET_CPU), 0);
	assert_int_equal(tracer_count(hit, TARGET_CPU), 0);
	assert_text(hit, TARGET_CPU, "");
	if (tracer_s64(hit, PID) < 0)
		return reason_set(r, EDOM, "pid %d at %" PRIu64, (int)tracer_s64(hit, PID),
				  tracer_hit_sample(hit)->key.time);
	return 0;
}

static const struct tracer_row wake_row = {
	"demo:wake",
	.fn = on_wake,
	.fields = { [PID] = { "pid" }, [TARGET_CPU] = { "target_cpu", .optional = true } },
};

static void test_missing_fields(void **state)
{
	static const struct tracer_field refused[] = {
		{ "gone" },
		{ "pid", TRACER_TEXT },
		{ "pid", TRACER_ARRAY },
	};
	static const char *const texts[] = {
		"'demo:wake' has no field 'gone' in the kernel that was recorded",
		"field 'pid' of 'demo:wake' is 'pid_t' in the kernel that was recorded, not text",
		("field 'pid' of 'demo:wake' is 'pid_t' in the kernel that was recorded, not an "
		 "array of numbers"),
	};
	struct wakes w = { 0 };

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(refused); i++) {
		struct tracer_row row = wake_row;
		struct tracer *t = tracer_of(&row, &w);
		struct made m;

		if (i < ARRAY_SIZE(refused))
			row.fields[PID] = refused[i];
		made_init(&m, false);
		describe(&m, wake_format);
		wake(&m, 7, 0, 30);
		if (i < ARRAY_SIZE(refused)) {
			assert_int_equal(run_file(&m, t), -ENOTSUP);
			assert_string_equal(m.r.text, texts[i]);
			assert_int_equal(w.calls, 0);
		} else {
			assert_int_equal(run_file(&m, t), 0);
			assert_int_equal(w.sum, 7);
			assert_false(w.has_cpu);
		}
		tracer_free(t);
		made_release(&m);
	}
}

static void test_missing_events(void **state)
{
	const struct tracer_row rows[] = {
		wake_row,
		{ "demo:switch", .fn = on_wake },
		{ "demo:exit", .fn = on_wake },
		{ "demo:rare", .fn = on_wake, .optional = true },
	};
	struct tracer_settings o = { .rows = rows, .row_count = 4 };
	struct strbuf want = STRBUF_INIT;
	struct tracer *t = tracer_new(&o);
	struct made m;

	(void)state;
	made_init(&m, false);
	describe(&m, wake_format);
	assert_int_equal(run_file(&m, t), -ENOENT);
	strbuf_f(&want, "'%s' has no event 'demo:switch', 'demo:exit'", m.path);
	assert_string_equal(m.r.text, want.s);
	assert_string_equal(m.r.hint,
			    "record with: perf record -a -e demo:wake,demo:switch,demo:exit");
	tracer_free(t);
	/* optional ones alone: one of them is needed; the command has a word for how to record */
	o = (struct tracer_settings){ .rows = rows + 3,
				      .row_count = 1,
				      .record = "record with: perf demo record" };
	t = tracer_new(&o);
	tracer_use_formats(t, m.formats);
	assert_int_equal(tracer_bind(t, m.session, &m.r), -ENOENT);
	assert_non_null(strstr(m.r.text, "has none of the events"));
	assert_string_equal(m.r.hint, "record with: perf demo record");
	tracer_free(t);
	/* there, but without a format */
	t = tracer_of(&all_row, NULL);
	assert_int_equal(tracer_bind(t, m.session, &m.r), -ENOENT);
	assert_non_null(strstr(m.r.text, "does not describe the fields of 'demo:all'"));
	tracer_free(t);
	strbuf_release(&want);
	made_release(&m);
}

/* Appends the TRACING_DATA record of a stream, and its payload. */
static void put_tracing_data(struct synth *s, const char *format)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_add(&b, "\27\10\104tracing0.6\0", 14);
	synth_put(&b, s->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), 1, false);
	synth_put(&b, 8, 1, false);
	synth_put(&b, 4096, 4, s->swap);
	strbuf_add(&b, "header_page\0\0\0\0\0\0\0\0\0", 20);
	strbuf_add(&b, "header_event\0\0\0\0\0\0\0\0\0", 21);
	synth_put(&b, 0, 4, s->swap); /* ftrace formats */
	synth_put(&b, 1, 4, s->swap); /* systems */
	strbuf_add(&b, "demo", 5);
	synth_put(&b, 1, 4, s->swap);
	synth_put(&b, strlen(format), 8, s->swap);
	strbuf_str(&b, format);
	synth_put(&b, 0, 8, s->swap); /* kallsyms, printk formats */
	synth_put(&b, 0, 8, s->swap); /* comms */
	while (b.len % 8)
		strbuf_char(&b, '\0');
	synth_begin(s, PERF_RECORD_HEADER_TRACING_DATA, 0);
	synth_u32(s, (u32)b.len);
	synth_end(s);
	strbuf_add(&s->data, b.s, b.len);
	strbuf_release(&b);
}

/* Checks a stream, which describes its events after the session has begun. */
static void test_stream(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct wakes w = { 0 };
		struct strbuf b = STRBUF_INIT;
		struct tracer *t = tracer_of(&wake_row, &w);
		struct made m;

		made_init(&m, swap);
		put_tracing_data(&m.s, wake_format);
		wake(&m, 7, 0, 30);
		wake(&m, 8, 0, 40);
		synth_pipe(&m.s, &b);
		open_bytes(&m, &b);
		assert_int_equal(tracer_run(t, m.session, &m.r), 0);
		assert_int_equal(w.sum, 15);
		tracer_free(t);
		made_release(&m);
		/*
		 * what it lacks is said at its end (it has no names for what it does not describe)
		 */
		t = tracer_of(&all_row, &w);
		made_init(&m, swap);
		open_bytes(&m, &b);
		assert_int_equal(tracer_run(t, m.session, &m.r), -ENOENT);
		assert_non_null(strstr(m.r.text, "the recording has no event 'demo:all'"));
		tracer_free(t);
		made_release(&m);
		strbuf_release(&b);
	}
}

static int live_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	(void)worker;
	return tracer_sample(arg, s, r);
}

/* Checks a live session that learns the format between two samples. */
static void test_late_format(void **state)
{
	static const struct session_ops ops = { .order = SESSION_ORDERED, .sample = live_sample };
	struct symbol_options symbols = { .symfs = "", .buildid_dir = "" };
	struct wakes w = { 0 };
	struct tracer *t = tracer_of(&wake_row, &w);
	struct event_set set;
	struct made m;

	(void)state;
	made_init(&m, false);
	synth_set(&m.s, &set);
	m.session = session_new_live(&m.ctx, &set, &symbols);
	tracer_use_formats(t, m.formats);
	assert_int_equal(tracer_bind(t, m.session, &m.r), 0);
	for (u32 i = 0; i < 3; i++) {
		struct data_chunk c = { 0 };

		strbuf_clear(&m.s.data);
		wake(&m, 100 + i, 0, 10 + i);
		c.data = (const u8 *)m.s.data.s;
		c.size = m.s.data.len;
		assert_int_equal(session_push(m.session, &ops, t, &c, &m.r), 0);
		assert_int_equal(session_flush(m.session, &ops, t, &m.r), 0);
		if (!i)
			describe(&m, wake_format);
	}
	assert_int_equal(tracer_stats(t)->undescribed, 1);
	assert_int_equal(tracer_stats(t)->hits, 2);
	assert_int_equal(w.sum, 203);
	assert_int_equal(tracer_finish(t, &m.r), 0);
	assert_int_equal(condition_count(&m, "tracepoint-format"), 1);
	assert_int_equal(condition_count(&m, "tracepoint-data"), 0);
	tracer_free(t);
	made_release(&m);
	event_set_release(&set);
}

static int on_pair(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct wakes *w = arg;
	u64 pid = tracer_u64(hit, PID), *open = tracer_state(&w->states, pid);

	(void)r;
	w->calls++;
	if (*open) {
		w->pairs++;
		tracer_state_drop(&w->states, pid);
	} else {
		*open = tracer_hit_sample(hit)->key.time;
	}
	return 0;
}

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct wakes *w = arg;

	vec_push(&w->gaps, *gap);
	tracer_states_lose(&w->states);
}

static void test_lost_records(void **state)
{
	const struct tracer_row row = { "demo:wake", .fn = on_pair, .fields = { { "pid" } } };
	struct wakes w = { .states = { .size = sizeof(u64) } };
	struct tracer *t = tracer_new(&(struct tracer_settings){
		.rows = &row, .row_count = 1, .lost = on_lost, .arg = &w });
	struct made m;

	(void)state;
	made_init(&m, false);
	describe(&m, wake_format);
	wake(&m, 1, 0, 10);
	wake(&m, 1, 0, 20); /* a pair, nothing open */
	wake(&m, 2, 0, 30);
	wake(&m, 3, 2, 40);
	m.s.cpu = 2;
	synth_lost(&m.s, synth_id(1, 0), 9, 60);
	wake(&m, 2, 0, 70); /* opens again: 2 is no pair over the gap */
	wake(&m, 2, 0, 80);
	m.s.cpu = 3;
	synth_lost(&m.s, synth_id(1, 0), 4, 90);
	assert_int_equal(run_file(&m, t), 0);
	assert_int_equal(w.calls, 6);
	assert_int_equal(w.pairs, 2);
	assert_int_equal(tracer_states_lost(&w.states), 2); /* 2, and 3, which is not seen again */
	assert_int_equal(w.gaps.count, 2);
	assert_int_equal(w.gaps.items[0].cpu, 2);
	assert_int_equal(w.gaps.items[0].from, 40);
	assert_int_equal(w.gaps.items[0].until, 60);
	assert_int_equal(w.gaps.items[0].count, 9);
	assert_int_equal(w.gaps.items[1].cpu, 3);
	assert_int_equal(w.gaps.items[1].from, 0); /* nothing was seen of it */
	assert_int_equal(tracer_stats(t)->gaps, 2);
	assert_int_equal(tracer_stats(t)->lost, 13);
	vec_release(&w.gaps);
	tracer_states_release(&w.states);
	tracer_free(t);
	made_release(&m);
}

/* Checks that samples that are cut, or whose text points elsewhere, are skipped and counted. */
static void test_damaged_samples(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct made m;
	u32 calls = 0;
	struct tracer *t = tracer_of(&all_row, &calls);

	(void)state;
	made_init(&m, false);
	describe(&m, all_format);
	raw_of_all(&raw, false);
	for (u32 n = 0; n <= 80; n += 16)
		synth_sample(&m.s, .time = 10 + n, .raw = raw.s, .raw_size = n);
	synth_sample(&m.s, .time = 200, .raw = raw.s, .raw_size = (u32)raw.len);
	raw.s[56] = raw.s[57] = (char)0xff; /* where path lies */
	synth_sample(&m.s, .time = 210, .raw = raw.s, .raw_size = (u32)raw.len);
	assert_int_equal(run_file(&m, t), 0);
	assert_int_equal(calls, 1);
	assert_int_equal(tracer_stats(t)->damaged, 7);
	assert_int_equal(condition_count(&m, "tracepoint-data"), 7);
	assert_int_equal(condition_count(&m, "tracepoint-format"), 0);
	tracer_free(t);
	made_release(&m);
	strbuf_release(&raw);
}

/* Checks that a number beyond the end of a sample is not taken as 0. */
static void test_cut_number(void **state)
{
	struct wakes w = { 0 };
	struct tracer *t = tracer_of(&wake_row, &w);
	struct made m;

	(void)state;
	made_init(&m, false);
	describe(&m, wake_format);
	synth_sample(&m.s, .event = 1, .time = 10, .raw = "\0\0\0", .raw_size = 4);
	synth_sample(&m.s, .event = 1, .time = 20);
	wake(&m, 1, 0, 30);
	assert_int_equal(run_file(&m, t), 0);
	assert_int_equal(w.calls, 1);
	assert_int_equal(tracer_stats(t)->damaged, 2);
	tracer_free(t);
	made_release(&m);
}

static void test_handler_fails(void **state)
{
	struct wakes w = { 0 };
	struct tracer *t = tracer_of(&wake_row, &w);
	struct made m;

	(void)state;
	made_init(&m, false);
	describe(&m, wake_format);
	wake(&m, 1, 0, 10);
	wake(&m, (u32)-4, 0, 20);
	wake(&m, 1, 0, 30);
	assert_int_equal(run_file(&m, t), -EDOM);
	assert_string_equal(m.r.text, "pid -4 at 20");
	assert_int_equal(w.calls, 2);
	tracer_free(t);
	made_release(&m);
}

static u32 cleared;

static void count_clear(void *state)
{
	(void)state;
	cleared++;
}

static void test_states(void **state)
{
	struct tracer_states s = { .size = sizeof(u32), .clear = count_clear };
	u32 *one, *kept;

	(void)state;
	cleared = 0;
	assert_null(tracer_state_find(&s, 1));
	one = tracer_state(&s, 1);
	assert_int_equal(*one, 0);
	*one = 5;
	kept = tracer_state(&s, 1000);
	for (u32 i = 2; i < 1000; i++)
		tracer_state(&s, i);
	assert_ptr_equal(tracer_state_find(&s, 1), one);
	assert_int_equal(*one, 5);
	tracer_state_lose(&s, 2);
	tracer_state_lose(&s, 2); /* is not there */
	assert_null(tracer_state_find(&s, 2));
	assert_int_equal(tracer_states_lost(&s), 1);
	for (u32 i = 3; i < 1000; i++)
		tracer_state_drop(&s, i);
	assert_int_equal(cleared, 998);
	tracer_states_lose(&s);
	tracer_states_lose(&s); /* twice in doubt counts once */
	assert_int_equal(tracer_states_lost(&s), 3);
	assert_null(tracer_state_find(&s, 1));
	assert_int_equal(tracer_states_lost(&s), 3);
	*kept = 9;
	assert_int_equal(*(u32 *)tracer_state(&s, 1000), 0);
	assert_int_equal(tracer_states_lost(&s), 3);
	assert_int_equal(cleared, 1000);
	tracer_states_release(&s);
	assert_int_equal(cleared, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),          cmocka_unit_test(test_missing_fields),
		cmocka_unit_test(test_missing_events),  cmocka_unit_test(test_stream),
		cmocka_unit_test(test_late_format),     cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_damaged_samples), cmocka_unit_test(test_cut_number),
		cmocka_unit_test(test_handler_fails),   cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
