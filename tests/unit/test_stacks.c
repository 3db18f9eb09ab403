// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks unwound while recording are those of `inject --convert-callchain`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "counting.h"
#include "data/reader.h"
#include "event/parse.h"
#include "record/internal.h"
#include "rewrite/rewrite.h"
#include "session/session.h"

static char dir[64], dump[80], converted[88], live[80];

static const char program[] = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";

/* Makes one recording that keeps the stacks. */
static int record_dump(void **state)
{
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct record_settings s = { .freq = 3000,
				     .call_graph = CALL_GRAPH_DWARF,
				     .stack_bytes = 8192,
				     .synth = SYNTH_ALL,
				     .output = dump };
	struct workload w = { .go_fd = -1, .error_fd = -1 };
	struct target t = { .held = true, .tid_count = 1 };
	const char *argv[] = { "sh", "-c", program, NULL };
	struct recorder rec = {
		.ctx = &ctx, .settings = &s, .target = &t, .workload = &w, .wake_fd = -1
	};
	struct reason r = REASON_INIT;
	struct event_parser parser = { 0 };
	struct event_set set;
	int err;

	(void)state;
	if (!counts())
		return 0;
	strcpy(dir, "/tmp/perf-stacks.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(dump, sizeof(dump), "%s/dump", dir);
	snprintf(converted, sizeof(converted), "%s/converted", dir);
	snprintf(live, sizeof(live), "%s/live", dir);
	event_set_init(&set);
	rec.set = &set;
	err = event_parse(&parser, &set, "cpu-clock", &r);
	if (!err)
		err = record_configure(&set, &s, &t, true, &r);
	if (!err)
		err = workload_prepare(&w, argv, &r);
	t.tids = xcalloc(1, sizeof(pid_t));
	t.tids[0] = w.pid;
	if (!err)
		err = loop_signals(&ctx, 0, &rec.wake_fd, &r);
	if (!err)
		err = record_open(&rec, &r);
	if (!err)
		err = record_start(&rec, &r);
	if (!err)
		err = record_run(&rec, &r);
	if (!err)
		err = data_finish(rec.writer, &r);
	if (err)
		fprintf(stderr, "cannot record: %s\n", r.text);
	loop_end_workload(&w);
	record_close(&rec);
	event_set_release(&set);
	target_release(&t);
	return err;
}

static int remove_all(void **state)
{
	(void)state;
	if (!*dir)
		return 0;
	unlink(dump);
	unlink(converted);
	unlink(live);
	return rmdir(dir);
}

/* Takes records as a ring that wraps would hold them. */
static void take(const struct recorder *rec, const u8 *data, size_t size)
{
	size_t cut = size / 3;
	struct ring_data ring = { data, data + cut, cut, size - cut };

	if (size)
		assert_int_equal(rec->sink->take(rec->sink->arg, 0, &ring, NULL), 0);
}

/*
 * Takes the records of a chunk with a turn wherever the recording had one. A chunk may end inside a
 * round; what follows it, from another CPU, is then older than what the chunk holds.
 */
static void take_rounds(const struct recorder *rec, const struct data_chunk *c)
{
	size_t from = 0;

	for (size_t at = 0, size; at + 8 <= c->size; at += size) {
		size = load_u16(c->data + at + 6, false);
		assert_true(size >= 8);
		if (load_u32(c->data + at, false) != PERF_RECORD_FINISHED_ROUND)
			continue;
		take(rec, c->data + from, at - from);
		from = at + size;
		assert_int_equal(rec->sink->turn(rec->sink->arg, false, NULL), 0);
	}
	take(rec, c->data + from, c->size - from);
}

/* Passes the recording's records through the consumer between rings and file. */
static void replay(u64 stack_memory, u64 *spilled, u64 ends[UNWIND_ENDS])
{
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct record_settings s = { .live_stacks = true, .stack_memory = stack_memory };
	struct recorder rec = { .ctx = &ctx, .settings = &s, .wake_fd = -1 };
	struct data_reader *d;
	struct record_stacks *stacks;
	struct data_chunk c;

	assert_int_equal(data_open(&ctx, dump, true, &d, NULL), 0);
	rec.set = data_events(d);
	assert_int_equal(record_stacks_new(&rec, &stacks, NULL), 0);
	assert_int_equal(data_create(&ctx, live, false, &rec.writer, NULL), 0);
	assert_int_equal(data_write_header(rec.writer, record_written_set(&rec), NULL), 0);
	assert_int_equal(rec.sink->begin(rec.sink->arg, "", 0, NULL), 0);
	while (data_next(d, &c, NULL) > 0) {
		take_rounds(&rec, &c);
		data_chunk_release(&c);
	}
	assert_int_equal(rec.sink->turn(rec.sink->arg, true, NULL), 0);
	rec.sink->end(rec.sink->arg, rec.writer);
	assert_int_equal(data_finish(rec.writer, NULL), 0);
	*spilled = record_stacks_spilled(stacks);
	memcpy(ends, record_stacks_ends(stacks), sizeof(u64) * UNWIND_ENDS);
	record_stacks_free(stacks);
	data_close(d);
	condition_list_release(&ctx.conditions);
}

struct expected_chains {
	struct one_chain {
		u64 time, ip, count;
		struct hash128 hash;
	} * items;
	size_t count, space;
	u64 type; /* sample_type */
};

static int keep_chain(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct expected_chains *l = arg;

	(void)worker;
	(void)r;
	l->type = s->sample->event->attr.sample_type;
	vec_push(l, (struct one_chain){
			    s->key.time, s->sample->ip, s->sample->chain_count,
			    hash128_bytes(s->sample->chain, s->sample->chain_count * 8, 0) });
	return 0;
}

static struct expected_chains read_chains(const char *path)
{
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	const struct session_options o = { .input = path, .force = true };
	const struct session_ops ops = { .order = SESSION_ORDERED, .sample = keep_chain };
	struct expected_chains l = { 0 };
	struct session *s;

	assert_int_equal(session_open(&ctx, &o, &s, NULL), 0);
	assert_int_equal(session_run(s, &ops, &l, NULL), 0);
	session_free(s);
	condition_list_release(&ctx.conditions);
	return l;
}

static void check_equal(const struct expected_chains *a, const struct expected_chains *b)
{
	size_t deep = 0;

	assert_true(a->count > 20);
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->items[i].time, b->items[i].time);
		assert_int_equal(a->items[i].ip, b->items[i].ip);
		assert_int_equal(a->items[i].count, b->items[i].count);
		assert_memory_equal(&a->items[i].hash, &b->items[i].hash, sizeof(a->items[i].hash));
		deep += a->items[i].count > 4;
	}
	assert_true(deep > a->count / 2);
}

static void live_is_converted(void **state)
{
	const struct rewrite_settings s = {
		.input = dump,
		.output = converted,
		.force = true,
		.convert_chains = true,
	};
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct expected_chains want, got, raw;
	u64 ends[UNWIND_ENDS], all = 0, spilled;

	(void)state;
	if (!*dir)
		skip(); /* nothing could be recorded */
	raw = read_chains(dump);
	assert_int_equal(rewrite_recording(&ctx, &s, NULL), 0);
	condition_list_release(&ctx.conditions);
	want = read_chains(converted);
	check_equal(&raw, &want);
	assert_true(raw.type & PERF_SAMPLE_STACK_USER);
	assert_false(want.type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER));
	/* in memory, and with everything beyond 1 kB put aside on disk */
	for (u64 memory = 0; memory <= 1024; memory += 1024) {
		replay(memory, &spilled, ends);
		got = read_chains(live);
		check_equal(&want, &got);
		assert_false(got.type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER));
		assert_int_equal(spilled > 0, memory > 0);
		vec_release(&got);
	}
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		all += ends[i];
	assert_true(all > 0 && all <= want.count);
	assert_true(ends[UNWIND_ROOT] >= all * 9 / 10);
	vec_release(&want);
	vec_release(&raw);
}

/* Chunks that their owner may move while the session has them. */
struct lent_chunk {
	struct session_loan loan; /* first */
	u8 *bytes;
	size_t size;
	bool pushed, moved;
};
struct lent_chunks {
	VEC(struct lent_chunk *) list;
	struct expected_chains chains;
	u64 moves, over;
};

static struct lent_chunks lent;

static void chunk_pushed(struct session_loan *loan)
{
	((struct lent_chunk *)(void *)loan)->pushed = true;
}

static void chunk_over(struct session_loan *loan)
{
	((struct lent_chunk *)(void *)loan)->pushed = false;
	lent.over++;
}

/* Moves a chunk and overwrites its old place, as the kernel does. */
static void move_chunk(struct lent_chunk *c)
{
	u8 *to;

	if (!c->pushed || c->moved)
		return;
	to = malloc(c->size);
	memcpy(to, c->bytes, c->size);
	c->loan.bytes = to;
	c->moved = true;
	memset(c->bytes, 0xa5, c->size);
	lent.moves++;
}

/* Moves all chunks, when asked for a file while its first stack is unwound. */
static const u8 *move_now(void *arg, const struct image *img, size_t *size)
{
	(void)arg;
	(void)img;
	(void)size;
	vec_for_each(&lent.list, it)
		move_chunk(*it);
	return NULL;
}

static struct lent_chunk *lend(const u8 *data, size_t size)
{
	struct lent_chunk *c = calloc(1, sizeof(*c));

	c->bytes = malloc(size);
	memcpy(c->bytes, data, size);
	c->size = size;
	c->loan = (struct session_loan){ c->bytes, chunk_pushed, chunk_over };
	vec_push(&lent.list, c);
	return c;
}

/*
 * Pushes the chunk in small parts without the ends of rounds, so nothing leaves before the
 * end; every third one moves at once.
 */
static void push_lent(struct session *s, const struct session_ops *ops, const struct data_chunk *c)
{
	enum { PART = 64 << 10 };

	size_t from = 0;

	for (size_t at = 0, size; at < c->size; at += size) {
		bool round = load_u32(c->data + at, false) == PERF_RECORD_FINISHED_ROUND;
		struct data_chunk part = { .position = c->position + from };
		struct lent_chunk *l;

		size = load_u16(c->data + at + 6, false);
		assert_true(size >= 8);
		part.size = at + (round ? 0 : size) - from;
		if (!round && at + size < c->size && part.size < PART)
			continue;
		if (part.size) {
			l = lend(c->data + from, part.size);
			assert_int_equal(
				session_push_lent(s, ops, &lent.chains, &part, &l->loan, NULL), 0);
			if (lent.list.count % 3 == 2)
				move_chunk(l);
		}
		from = at + size;
	}
}

/* Stacks are unwound where they lie, and again when they have moved meanwhile. */
static void stacks_move(void **state)
{
	const struct session_ops ops = { .order = SESSION_ORDERED, .sample = keep_chain };
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct expected_chains want;
	struct data_reader *d;
	struct data_chunk c;
	struct session *s;
	u64 moves;

	(void)state;
	if (!*dir)
		skip(); /* nothing could be recorded */
	want = read_chains(dump);
	assert_int_equal(data_open(&ctx, dump, true, &d, NULL), 0);
	s = session_new_live(&ctx, data_events(d),
			     &(struct symbol_options){ .symfs = "", .buildid_dir = "" });
	session_keep_objects(s, move_now, NULL);
	while (data_next(d, &c, NULL) > 0) {
		push_lent(s, &ops, &c);
		data_chunk_release(&c);
	}
	moves = lent.moves;
	assert_int_equal(session_flush(s, &ops, &lent.chains, NULL), 0);
	assert_true(moves > 0 && lent.moves > moves);
	assert_int_equal(lent.over, lent.list.count);
	check_equal(&want, &lent.chains);
	session_free(s);
	data_close(d);
	vec_for_each(&lent.list, it) {
		if ((*it)->moved)
			free((void *)(uintptr_t)(*it)->loan.bytes);
		free((*it)->bytes);
		free(*it);
	}
	vec_release(&lent.list);
	vec_release(&lent.chains);
	vec_release(&want);
	condition_list_release(&ctx.conditions);
}

static void words(void **state)
{
	struct record_settings s = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(record_parse_call_graph(&s, "dwarf,live", &r), 0);
	assert_true(s.live_stacks && s.stack_bytes == 32768 && s.call_graph == CALL_GRAPH_DWARF);
	assert_int_equal(record_parse_call_graph(&s, "dwarf", &r), 0);
	assert_true(!s.live_stacks && s.stack_bytes == 8192);
	assert_int_equal(record_parse_call_graph(&s, "dwarf,4096,live", &r), 0);
	assert_true(s.live_stacks && s.stack_bytes == 4096);
	assert_int_equal(record_parse_call_graph(&s, "dwarf,live,16384", &r), 0);
	assert_true(s.live_stacks && s.stack_bytes == 16384);
	assert_int_equal(record_parse_call_graph(&s, "dwarf,4096", &r), 0);
	assert_false(s.live_stacks);
	assert_int_equal(record_parse_call_graph(&s, "dwarf,0x2010", &r), 0);
	assert_int_equal(s.stack_bytes, 0x2010);
	assert_true(record_parse_call_graph(&s, "dwarf,0x", &r) < 0);
	assert_true(record_parse_call_graph(&s, "dwarf,0x10K", &r) < 0);
	reason_release(&r);
	/* rounded up to what the kernel takes */
	assert_int_equal(record_parse_call_graph(&s, "dwarf,live,7", &r), 0);
	assert_int_equal(s.stack_bytes, 8);
	assert_true(record_parse_call_graph(&s, "dwarf,live,99999", &r) < 0);
	assert_string_equal(r.text, "'99999' is not a size of a stack dump: 1 to 65528 bytes");
	assert_string_equal(r.hint, "--call-graph dwarf,live,32768 is the usual size");
	reason_release(&r);
	assert_true(record_parse_call_graph(&s, "dwarf,99999", &r) < 0);
	assert_string_equal(r.hint, "--call-graph dwarf,8192 is the usual size");
	reason_release(&r);
	assert_true(record_parse_call_graph(&s, "fp,live", &r) < 0);
	assert_non_null(strstr(r.hint, "dwarf,live"));
	reason_release(&r);
}

static u32 note_file(struct kept_objects *k, struct image_table *t, const char *path, u64 piece)
{
	struct record_mmap m = {
		.pid = (u32)getpid(), .start = 0x1000, .len = 0x1000, .filename = path
	};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	m.ino = st.st_ino;
	m.maj = major(st.st_dev);
	m.min = minor(st.st_dev);
	kept_note(k, &m, piece);
	return image_intern(
		t, &(struct image){
			   .path = path, .pid = -1, .ino = m.ino, .maj = m.maj, .min = m.min });
}

/*
 * Checks that files are kept as long as something maps them, or a waiting piece may refer to them.
 */
static void kept_files_are_let_go(void **state)
{
	struct image_table *images = image_table_new();
	struct kept_objects *k = kept_new();
	bool named[4] = { true };
	u32 mapped, gone;
	size_t size;

	(void)state;
	if (!*dir)
		skip(); /* nothing could be recorded */
	mapped = note_file(k, images, dump, 1);
	gone = note_file(k, images, converted, 2);
	assert_true(mapped < 4 && gone < 4);
	named[mapped] = true;
	kept_sweep(k, images, named, 1);
	assert_int_equal(kept_count(k), 2);
	assert_non_null(kept_find(k, image_get(images, gone), &size));
	assert_true(size > 1000);
	kept_sweep(k, images, named, 2);
	assert_int_equal(kept_count(k), 1);
	assert_null(kept_find(k, image_get(images, gone), &size));
	assert_non_null(kept_find(k, image_get(images, mapped), &size));
	note_file(k, images, converted, 3);
	assert_non_null(kept_find(k, image_get(images, gone), &size));
	kept_free(k);
	image_table_free(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(live_is_converted),
		cmocka_unit_test(stacks_move),
		cmocka_unit_test(kept_files_are_let_go),
	};
	const struct CMUnitTest others[] = { cmocka_unit_test(needs_root) };

	if (geteuid())
		return cmocka_run_group_tests(others, NULL, NULL);
	return cmocka_run_group_tests(tests, record_dump, remove_all);
}
