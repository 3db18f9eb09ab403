// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of a CPU that was offline, opened again on a machine that the test plays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "live/live.h"
#include "live/offline.h"
#include "sys/sys.h"
#include "tree.h"

#define IOC_ENABLE  _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)
#define IOC_ID      _IOR('$', 7, u64 *)

enum { PAGE = 4096, DATA = PAGE, HEAD = 1024, TAIL = 1032, FIRST_FD = 100, FDS = 100 };

/* Descriptors are numbers from FIRST_FD on, the id of each is ten times that. */
static struct machine {
	int opened;
	bool open[FIRST_FD + FDS], on[FIRST_FD + FDS];
	u8 *ring[FIRST_FD + FDS];
	s32 cpu[FIRST_FD + FDS];
	u64 value[FIRST_FD + FDS];
	s32 refused; /* CPU that cannot be opened; 0: none */
} m;

static int machine_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
			int group_fd, unsigned long flags)
{
	int fd = FIRST_FD + m.opened;

	(void)arg, (void)pid, (void)group_fd, (void)flags;
	if (m.refused && cpu == m.refused)
		return -ENODEV;
	assert_in_range(m.opened, 0, FDS - 1);
	m.opened++;
	m.open[fd] = true;
	m.on[fd] = !(attr->flags & ATTR_DISABLED);
	m.cpu[fd] = cpu;
	return fd;
}

static ssize_t machine_read(void *arg, int fd, void *data, size_t size)
{
	const u64 words[] = { m.value[fd], 2 * m.value[fd], m.value[fd] };

	(void)arg;
	assert_true(m.open[fd]);
	assert_true(size >= sizeof(words));
	memcpy(data, words, sizeof(words));
	return sizeof(words);
}

static int machine_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg;
	assert_true(m.open[fd]);
	if (request == IOC_ID)
		*(u64 *)value = (u64)fd * 10;
	if (request == IOC_ENABLE || request == IOC_DISABLE)
		m.on[fd] = request == IOC_ENABLE;
	return 0;
}

static void machine_close(void *arg, int fd)
{
	(void)arg;
	assert_true(m.open[fd]);
	m.open[fd] = false;
}

static void *machine_map(void *arg, int fd, size_t size, int how, u64 offset)
{
	(void)arg, (void)offset;
	return m.ring[fd] = mmap(NULL, size, how, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void machine_unmap(void *arg, void *p, size_t size)
{
	(void)arg;
	munmap(p, size);
}

static const struct live_backend backend = { machine_open,  machine_read, machine_control,
					     machine_close, machine_map,  machine_unmap,
					     NULL };

struct run {
	struct context ctx;
	struct sys sys;
	struct target target;
	struct event_set set;
	struct live *live;
};

static void begin(struct run *t, u64 sample_type, u64 read_format, bool counting)
{
	const struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.sample_type = sample_type,
		.read_format = read_format,
		.flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL,
	};

	memset(&m, 0, sizeof(m));
	*t = (struct run){ .ctx = { .buildid_dir = "" },
			   .sys = { .root = tree_root },
			   .target = { .system_wide = true } };
	tree_put("/sys/devices/system/cpu/online", "0-2");
	event_set_init(&t->set);
	event_set_add(&t->set, &a, "one");
	event_set_add(&t->set, &a, "two");
	assert_int_equal(live_open(&t->ctx, &t->set, &t->target,
				   &(struct live_options){ .backend = &backend,
							   .sys = &t->sys,
							   .ring_pages = 1,
							   .counting = counting },
				   &t->live, NULL),
			 0);
}

static void end(struct run *t)
{
	live_close(t->live);
	for (int fd = FIRST_FD; fd < FIRST_FD + m.opened; fd++)
		assert_false(m.open[fd]);
	condition_list_release(&t->ctx.conditions);
	event_set_release(&t->set);
	target_release(&t->target);
}

/* The descriptor of an event on CPU 1. */
static int fd_of(const struct run *t, size_t event)
{
	return live_event_fd(t->live, t->set.list.items[event], 1, 0);
}

/* ---- records ---- */

struct ids {
	u64 one, two;
};

static void word(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static size_t head(struct strbuf *b, u32 type)
{
	struct record_header h = { .type = type };

	strbuf_add(b, &h, sizeof(h));
	return b->len - sizeof(h);
}

static void finish(struct strbuf *b, size_t at)
{
	u16 size = (u16)(b->len - at);

	memcpy(b->s + at + 6, &size, sizeof(size));
}

/* Values that are numbers of no event, to be left as they are. */
enum { OTHER = 77 };

static void put_fields(struct strbuf *b, u64 type, u64 bits, u64 v)
{
	for (u64 bit = 1; bit <= bits; bit <<= 1)
		if (type & bits & bit)
			word(b, v);
}

static void put_trailer(struct strbuf *b, u64 type, u64 id)
{
	put_fields(b, type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, OTHER);
	put_fields(b, type, PERF_SAMPLE_ID, id);
	put_fields(b, type, PERF_SAMPLE_STREAM_ID, id);
	put_fields(b, type, PERF_SAMPLE_CPU, OTHER);
	put_fields(b, type, PERF_SAMPLE_IDENTIFIER, id);
}

static void put_sample(struct strbuf *b, u64 type, u64 format, u64 id, const struct ids *group)
{
	size_t at = head(b, PERF_RECORD_SAMPLE);

	put_fields(b, type, PERF_SAMPLE_IDENTIFIER, id);
	put_fields(b, type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
		   OTHER);
	put_fields(b, type, PERF_SAMPLE_ID, id);
	put_fields(b, type, PERF_SAMPLE_STREAM_ID, id);
	put_fields(b, type, PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, OTHER);
	if (type & PERF_SAMPLE_READ && format & PERF_FORMAT_GROUP) {
		word(b, 2);
		word(b, OTHER); /* time enabled */
		for (int i = 0; i < 2; i++) {
			word(b, OTHER);
			word(b, i ? group->two : group->one);
			word(b, OTHER); /* lost */
		}
	} else if (type & PERF_SAMPLE_READ) {
		word(b, OTHER);
		word(b, OTHER);
		word(b, id);
		word(b, OTHER);
	}
	finish(b, at);
}

static void put_records(struct strbuf *b, u64 type, u64 format, const struct ids *ids)
{
	size_t at;

	put_sample(b, type, format, ids->one, ids);
	put_sample(b, type, format, ids->two, ids);
	at = head(b, PERF_RECORD_COMM);
	put_fields(b, 7, 7, OTHER);
	put_trailer(b, type, ids->two);
	finish(b, at);
	at = head(b, PERF_RECORD_LOST);
	word(b, ids->one);
	word(b, ids->one); /* a number that happens to be that */
	put_trailer(b, type, ids->one);
	finish(b, at);
	at = head(b, PERF_RECORD_THROTTLE);
	word(b, OTHER);
	word(b, ids->two);
	word(b, ids->two);
	put_trailer(b, type, ids->two);
	finish(b, at);
}

/* As the kernel: behind what is there, around the end. */
static void write_ring(u8 *ring, const struct strbuf *b)
{
	u64 at;

	memcpy(&at, ring + HEAD, sizeof(at));
	for (size_t i = 0; i < b->len; i++, at++)
		ring[DATA + at % PAGE] = (u8)b->s[i];
	memcpy(ring + HEAD, &at, sizeof(at));
}

static void expect_ring(struct run *t, const struct strbuf *want)
{
	struct strbuf got = STRBUF_INIT;
	struct ring_data d;

	assert_true(live_ring_get(t->live, 1, &d));
	/* what is asked for twice is as it was */
	assert_true(live_ring_get(t->live, 1, &d));
	strbuf_add(&got, d.first, d.first_size);
	strbuf_add(&got, d.second, d.second_size);
	live_ring_done(t->live, 1, &d);
	assert_int_equal(got.len, want->len);
	for (size_t i = 0; i < got.len; i += 8)
		assert_memory_equal(got.s + i, want->s + i, 8);
	strbuf_release(&got);
}

static void translate(u64 type, u64 format)
{
	struct strbuf written = STRBUF_INIT, want = STRBUF_INIT;
	struct ids first, second;
	struct run t;

	begin(&t, type, format, false);
	first = (struct ids){ (u64)fd_of(&t, 0) * 10, (u64)fd_of(&t, 1) * 10 };
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	second = (struct ids){ (u64)fd_of(&t, 0) * 10, (u64)fd_of(&t, 1) * 10 };
	assert_int_not_equal(first.one, second.one);
	assert_int_equal(live_id(t.live, t.set.list.items[1], 1, 0), first.two);
	put_records(&written, type, format, &second);
	put_records(&want, type, format, &first);
	/* a LOST record's count is no id */
	for (size_t at = 0, size; at < want.len; at += size) {
		struct record_header h;

		memcpy(&h, want.s + at, sizeof(h));
		size = h.size;
		if (h.type == PERF_RECORD_LOST)
			memcpy(want.s + at + 16, &second.one, 8);
	}
	/* several times around the end, which is at each place of the records once */
	for (int i = 0; i < 40; i++) {
		write_ring(m.ring[fd_of(&t, 0)], &written);
		expect_ring(&t, &want);
	}
	strbuf_release(&written);
	strbuf_release(&want);
	end(&t);
}

/*
 * Each record has the ids that its event had at first, wherever they lie in it; nothing else
 * changes.
 */
static void ids_stay(void **state)
{
	const u64 most = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID;
	const u64 format = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED;

	(void)state;
	translate(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		  PERF_FORMAT_ID);
	translate(most | PERF_SAMPLE_ID, PERF_FORMAT_ID);
	translate(most | PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ, format);
	translate(most | PERF_SAMPLE_ID | PERF_SAMPLE_READ, format | PERF_FORMAT_GROUP);
}

/* ---- counters ---- */

static void counts_go_on(void **state)
{
	struct live_count c;
	struct run t;

	(void)state;
	begin(&t, 0, 0, true);
	m.value[fd_of(&t, 0)] = 100;
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	m.value[fd_of(&t, 0)] = 5;
	assert_int_equal(live_read(t.live, t.set.list.items[0], 1, 0, &c), 0);
	assert_int_equal(c.value, 105);
	assert_int_equal(c.enabled, 210);
	assert_int_equal(c.running, 105);
	/* it cannot be opened again, but what was counted stays */
	m.refused = 1;
	assert_true(live_reopen(t.live, 1, NULL) < 0);
	assert_int_equal(live_read(t.live, t.set.list.items[0], 1, 0, &c), 0);
	assert_int_equal(c.value, 105);
	m.refused = 0;
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	m.value[fd_of(&t, 0)] = 1;
	assert_int_equal(live_read(t.live, t.set.list.items[0], 1, 0, &c), 0);
	assert_int_equal(c.value, 106);
	end(&t);
}

/* On or off as the others are. */
static void switched_as_before(void **state)
{
	struct run t;

	(void)state;
	begin(&t, PERF_SAMPLE_IDENTIFIER, PERF_FORMAT_ID, false);
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	assert_false(m.on[fd_of(&t, 0)]);
	assert_int_equal(live_enable(t.live), 0);
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	assert_true(m.on[fd_of(&t, 0)]);
	assert_int_equal(live_disable_event(t.live, t.set.list.items[0]), 0);
	assert_int_equal(live_reopen(t.live, 1, NULL), 0);
	assert_false(m.on[fd_of(&t, 0)]);
	assert_true(m.on[fd_of(&t, 1)]);
	assert_int_equal(m.cpu[fd_of(&t, 1)], 1);
	end(&t);
}

/* ---- which CPUs ---- */

struct told {
	char text[200];
	bool heeded;
};

static void note_gone(void *arg, size_t cpu, u64 after)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	snprintf(t->text + len, sizeof(t->text) - len, "gone %zu %llu, ", cpu,
		 (unsigned long long)after / 1000000);
}

static bool note_back(void *arg, size_t cpu, u64 gone_at, u64 after)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	snprintf(t->text + len, sizeof(t->text) - len, "back %zu %llu-%llu, ", cpu,
		 (unsigned long long)gone_at / 1000000, (unsigned long long)after / 1000000);
	return t->heeded;
}

/* At this time the CPUs of the list are online. */
static void at(struct run *t, struct offline_watch *w, u64 ms, const char *online,
	       struct told *told, const char *want)
{
	const struct offline_ops ops = { note_gone, note_back };

	told->text[0] = '\0';
	tree_put("/sys/devices/system/cpu/online", online);
	offline_look(w, t->live, &t->sys, (5000 + ms) * 1000000, &ops, told);
	assert_string_equal(told->text, want);
}

static void tree_move(const char *from, const char *to)
{
	char *a = xasprintf("%s%s", tree_root, from), *b = xasprintf("%s%s", tree_root, to);

	assert_int_equal(rename(a, b), 0);
	free(a);
	free(b);
}

static void who_went(void **state)
{
	struct offline_watch w = { 0 };
	struct told told = { .heeded = true };
	struct run t;

	(void)state;
	begin(&t, PERF_SAMPLE_IDENTIFIER, PERF_FORMAT_ID, false);
	tree_put("/sys/devices/system/cpu/cpu2/topology/core_id", "0");
	at(&t, &w, 0, "0-2", &told, "");
	at(&t, &w, 500, "0,2", &told, ""); /* too early to look */
	at(&t, &w, 2500, "0,2", &told, "gone 1 2500, ");
	at(&t, &w, 4000, "0,2", &told, "");
	told.heeded = false;
	at(&t, &w, 6000, "0-2", &told, "back 1 2500-6000, ");
	told.heeded = true;
	at(&t, &w, 7000, "0-2", &told, "back 1 2500-7000, ");
	at(&t, &w, 8000, "0-2", &told, "");
	/* away and here again between two looks: another directory of the same name */
	tree_put("/sys/devices/system/cpu/new/core_id", "0");
	tree_move("/sys/devices/system/cpu/cpu2/topology", "/sys/devices/system/cpu/old");
	tree_move("/sys/devices/system/cpu/new", "/sys/devices/system/cpu/cpu2/topology");
	at(&t, &w, 9000, "0-2", &told, "gone 2 9000, back 2 9000-9000, ");
	at(&t, &w, 10000, "0-2", &told, "");
	offline_release(&w);
	end(&t);
}

/*
 * A list that is not the kernel's says nothing of CPUs that are not in it; events of tasks are not
 * concerned.
 */
static void who_did_not(void **state)
{
	struct offline_watch w = { 0 };
	struct told told = { .heeded = true };
	struct run t;

	(void)state;
	begin(&t, PERF_SAMPLE_IDENTIFIER, PERF_FORMAT_ID, false);
	at(&t, &w, 0, "0-1", &told, "");
	at(&t, &w, 2000, "0-1", &told, "");
	at(&t, &w, 4000, "0", &told, "gone 1 4000, ");
	offline_release(&w);
	live_close(t.live);
	t.target.system_wide = false;
	t.target.tids = xcalloc(1, sizeof(pid_t));
	t.target.tids[0] = getpid();
	t.target.tid_count = 1;
	tree_put("/sys/devices/system/cpu/online", "0-2");
	assert_int_equal(live_open(&t.ctx, &t.set, &t.target,
				   &(struct live_options){
					   .backend = &backend, .sys = &t.sys, .ring_pages = 1 },
				   &t.live, NULL),
			 0);
	assert_false(live_can_reopen(t.live));
	w = (struct offline_watch){ 0 };
	at(&t, &w, 0, "0-2", &told, "");
	at(&t, &w, 2000, "0", &told, "");
	offline_release(&w);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ids_stay, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(counts_go_on, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(switched_as_before, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(who_went, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(who_did_not, tree_make, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
