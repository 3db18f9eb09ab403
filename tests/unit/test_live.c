// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "counting.h"
#include "live/live.h"
#include "synth/synth.h"
#include "sys/sys.h"

static struct context ctx = { .buildid_dir = "" };

static struct event *add_event(struct event_set *set, u32 type, u64 config)
{
	struct perf_event_attr a = { .type = type, .config = config };

	return event_set_add(set, &a, "test");
}

static struct event *add_sampling(struct event_set *set, u32 type, u64 config, u64 period)
{
	struct event *ev = add_event(set, type, config);

	ev->attr.sample_period = period;
	ev->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	ev->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	ev->attr.flags = ATTR_DISABLED | ATTR_INHERIT;
	return ev;
}

static void touch_pages(size_t pages)
{
	char *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	madvise(p, pages * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)p)[i * 4096] = 1;
	munmap(p, pages * 4096);
}

static void own_target(struct target *t)
{
	char pid[16];

	memset(t, 0, sizeof(*t));
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(target_add_pids(t, pid, NULL), 0);
}

static void counts_page_faults(void **state)
{
	struct event_set set;
	struct target t;
	struct live *l;
	struct live_count c;
	struct event *faults, *cycles;

	(void)state;
	if (!counts())
		skip();
	event_set_init(&set);
	faults = add_event(&set, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	cycles = add_event(&set, PERF_TYPE_RAW, 0xffffffffffffULL);
	own_target(&t);
	assert_int_equal(
		live_open(&ctx, &set, &t, &(struct live_options){ .counting = true }, &l, NULL), 0);
	assert_int_equal(live_enable(l), 0);
	touch_pages(1000);
	assert_int_equal(live_disable(l), 0);
	assert_int_equal(live_read(l, faults, 0, 0, &c), 0);
	assert_true(c.supported);
	assert_in_range(c.value, 1000, 1300);
	assert_true(c.enabled > 0 && c.running == c.enabled);
	/* no such raw event anywhere: flagged, not fatal */
	assert_int_equal(live_read(l, cycles, 0, 0, &c), 1);
	assert_false(c.supported);
	live_close(l);
	target_release(&t);
	event_set_release(&set);
}

static void group_is_read_at_once(void **state)
{
	struct event_set set;
	struct target t;
	struct live *l;
	struct live_count a, b, b2;
	struct event *leader, *member;

	(void)state;
	if (!counts())
		skip();
	event_set_init(&set);
	leader = add_event(&set, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	member = add_event(&set, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	member->leader = leader;
	leader->members = 2;
	own_target(&t);
	assert_int_equal(
		live_open(&ctx, &set, &t, &(struct live_options){ .counting = true }, &l, NULL), 0);
	assert_int_equal(live_enable(l), 0);
	touch_pages(100);
	assert_int_equal(live_read(l, leader, 0, 0, &a), 0);
	touch_pages(100);
	assert_int_equal(live_read(l, member, 0, 0, &b), 0);  /* as of the leader's instant */
	assert_int_equal(live_read(l, member, 0, 0, &b2), 0); /* a read of its own */
	assert_in_range(a.value, 100, 150);
	assert_true(b.value <= a.value);
	assert_true(b.running == a.running);
	assert_true(b2.value >= b.value + 100);
	live_close(l);
	target_release(&t);
	event_set_release(&set);
}

static size_t count_records(struct live *l, u32 type, size_t *total)
{
	size_t n = 0;

	for (size_t i = 0; i < live_ring_count(l); i++) {
		struct ring_data d;
		u8 *all;

		if (!live_ring_get(l, i, &d))
			continue;
		all = xmalloc(d.first_size + d.second_size);
		memcpy(all, d.first, d.first_size);
		if (d.second)
			memcpy(all + d.first_size, d.second, d.second_size);
		for (size_t at = 0; at < d.first_size + d.second_size;
		     at += load_u16(all + at + 6, false)) {
			assert_true(load_u16(all + at + 6, false) >= 8);
			n += load_u32(all + at, false) == type;
			++*total;
		}
		live_ring_done(l, i, &d);
		free(all);
	}
	return n;
}

/* More than a ring holds, read in turns: nothing lost, nothing torn at the wrap. */
static void ring_wraps(void **state)
{
	struct event_set set;
	struct target t;
	struct live *l;
	size_t samples = 0, total = 0;

	(void)state;
	if (!counts())
		skip();
	event_set_init(&set);
	add_sampling(&set, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	own_target(&t);
	assert_int_equal(
		live_open(&ctx, &set, &t, &(struct live_options){ .ring_pages = 2 }, &l, NULL), 0);
	assert_true(live_ring_count(l) >= 1);
	assert_int_equal(live_ring_size(l), 2 * sysconf(_SC_PAGESIZE));
	live_enable(l);
	for (int i = 0; i < 50; i++) {
		touch_pages(100);
		samples += count_records(l, PERF_RECORD_SAMPLE, &total);
	}
	live_disable(l);
	assert_in_range(samples, 5000, 5600);
	live_close(l);
	target_release(&t);
	event_set_release(&set);
}

static void cycles_become_clock(void **state)
{
	struct context own = { .buildid_dir = "" };
	struct event_set set;
	struct target t;
	struct live *l;
	struct event *ev;

	(void)state;
	if (!counts())
		skip();
	if (open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) >= 0)
		skip();
	event_set_init(&set);
	ev = add_sampling(&set, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000);
	own_target(&t);
	assert_int_equal(live_open(&own, &set, &t, &(struct live_options){ 0 }, &l, NULL), 0);
	assert_int_equal(ev->attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(ev->attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_string_equal(ev->name, "cpu-clock");
	assert_int_equal(own.conditions.list.count, 1);
	assert_string_equal(own.conditions.list.items[0].code, "event-fallback");
	condition_list_release(&own.conditions);
	live_close(l);
	target_release(&t);
	event_set_release(&set);
}

static void workload_runs_and_tells(void **state)
{
	const char *const exits[] = { "sh", "-c", "exit 7", NULL };
	const char *const dies[] = { "sh", "-c", "kill -9 $$", NULL };
	const char *const missing[] = { "no-such-program-here", NULL };
	const char *const directory[] = { "/tmp", NULL };
	struct workload w = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(workload_prepare(&w, exits, &r), 0);
	assert_false(workload_wait(&w, false)); /* held */
	assert_int_equal(workload_start(&w, &r), 0);
	assert_true(workload_wait(&w, true));
	assert_int_equal(workload_exit_code(&w), 7);
	assert_int_equal(workload_prepare(&w, dies, &r), 0);
	assert_int_equal(workload_start(&w, &r), 0);
	workload_wait(&w, true);
	assert_int_equal(workload_exit_code(&w), 128 + 9);
	assert_int_equal(workload_prepare(&w, missing, &r), -ENOENT);
	assert_non_null(strstr(r.text, "no-such-program-here"));
	assert_non_null(r.hint);
	assert_int_equal(workload_prepare(&w, directory, &r), -EACCES);
	/* never started: it goes away */
	assert_int_equal(workload_prepare(&w, exits, &r), 0);
	workload_kill(&w, SIGTERM);
	assert_true(w.reaped);
	assert_int_equal(workload_exit_code(&w), 0);
	reason_release(&r);
}

static void targets_name_what_is_wrong(void **state)
{
	struct target t = { 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(target_add_pids(&t, "999999999", &r), -ESRCH);
	assert_non_null(strstr(r.text, "999999999"));
	assert_int_equal(target_add_pids(&t, "12x", &r), -EINVAL);
	assert_int_equal(target_add_pids(&t, "-3", &r), -EINVAL);
	assert_int_equal(target_add_pids(&t, "", &r), -EINVAL);
	assert_int_equal(target_add_user(&t, "no-such-user", &r), -ENOENT);
	assert_int_equal(target_list_user(&t, "4294967294", "tasks are named", NULL, &r), -ESRCH);
	assert_string_equal(r.text, "user '4294967294' has no process now, and -u leaves out "
				    "those that start later: tasks are named");
	assert_non_null(r.hint);
	assert_int_equal(target_add_user(&t, "4294967294", &r), -ESRCH);
	assert_string_equal(r.text, "user '4294967294' has no process");
	assert_int_equal(target_add_user(&t, "0", &r), 0);
	assert_true(t.tid_count > 0);
	for (size_t i = 1; i < t.tid_count; i++)
		assert_true(t.tids[i - 1] < t.tids[i]);
	target_release(&t);
	reason_release(&r);
}

static void *sleeper(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

struct seen {
	bool own_comm, thread_comm, own_text, data_map;
	size_t forks, comms, mmaps;
};

static void look(const struct strbuf *b, pid_t tid, struct seen *s)
{
	memset(s, 0, sizeof(*s));
	for (size_t at = 0; at < b->len; at += load_u16(b->s + at + 6, false)) {
		const char *p = b->s + at;
		u32 pid = load_u32(p + 8, false), second = load_u32(p + 12, false);

		assert_true(load_u16(p + 6, false) >= 16 && load_u16(p + 6, false) % 8 == 0);
		switch (load_u32(p, false)) {
		case PERF_RECORD_FORK:
			s->forks++;
			break;
		case PERF_RECORD_COMM:
			s->comms++;
			s->own_comm |= pid == (u32)getpid() && second == pid &&
				       str_starts(p + 16, "test_live");
			s->thread_comm |= pid == (u32)getpid() && second == (u32)tid;
			break;
		case PERF_RECORD_MMAP2:
			s->mmaps++;
			if (pid == (u32)getpid() &&
			    load_u64(p + 16, false) <= (u64)(uintptr_t)look &&
			    load_u64(p + 16, false) + load_u64(p + 24, false) >
				    (u64)(uintptr_t)look)
				s->own_text = strstr(p + 72, "test_live") != NULL;
			s->data_map |= load_u16(p + 4, false) & PERF_RECORD_MISC_MMAP_DATA;
			break;
		}
	}
}

static void synthesis_tells_what_runs(void **state)
{
	struct strbuf b = STRBUF_INIT;
	struct event_set set;
	struct target t, all = { .system_wide = true };
	struct event *ev;
	struct seen s;
	pthread_t thread;
	pid_t tid = 0;

	(void)state;
	if (!counts())
		skip();
	pthread_create(&thread, NULL, sleeper, NULL);
	own_target(&t);
	assert_int_equal(t.tid_count, 2);
	tid = t.tids[1];
	event_set_init(&set);
	ev = add_sampling(&set, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(synth_tasks(&ctx, &b, ev, &t, NULL, NULL), 0);
	look(&b, tid, &s);
	assert_true(s.own_comm && s.thread_comm && s.own_text && !s.data_map);
	assert_int_equal(s.forks, 0);
	strbuf_clear(&b);
	ev->attr.flags |= ATTR_MMAP_DATA;
	assert_int_equal(synth_tasks(&ctx, &b, ev, &all, NULL, NULL), 0);
	look(&b, tid, &s);
	assert_true(s.own_comm && s.thread_comm && s.own_text && s.data_map);
	assert_int_equal(s.forks, s.comms);
	assert_true(s.mmaps > 3);
	strbuf_release(&b);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	target_release(&t);
	event_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_page_faults),
		cmocka_unit_test(group_is_read_at_once),
		cmocka_unit_test(ring_wraps),
		cmocka_unit_test(cycles_become_clock),
		cmocka_unit_test(workload_runs_and_tells),
		cmocka_unit_test(targets_name_what_is_wrong),
		cmocka_unit_test(synthesis_tells_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
