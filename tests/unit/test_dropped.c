// SPDX-License-Identifier: GPL-2.0-or-later
/* What events ask for and older kernels refuse: left out in order, one feature after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "live/live.h"
#include "sys/sys.h"
#include "tree.h"

#define IOC_ID _IOR('$', 7, u64 *)

enum { FIRST_FD = 100 };

/*
 * Each release of Linux that brought something, the newest first, and what it knows that the one
 * before does not.
 */
static const struct release {
	const char *name;
	u64 flags, read_format, sample_type;
} releases[] = {
	{ "6.0", 0, PERF_FORMAT_LOST, 0 },
	{ "5.12", ATTR_BUILD_ID, 0, 0 },
	{ "5.7", ATTR_CGROUP, 0, PERF_SAMPLE_CGROUP },
	{ "5.1", ATTR_KSYMBOL | ATTR_BPF_EVENT, 0, 0 },
	{ "4.12", ATTR_NAMESPACES, 0, 0 },
};

/* The kernel that is played: without the first so many releases. */
static struct machine {
	size_t lacks;
	bool no_inherit;         /* of events that are read with samples, as before 6.12 */
	bool no_guests, nothing; /* a PMU that cannot tell guests; one that refuses all */
	/* members that a group can have beside its leader; 0: any number */
	size_t room;
	size_t in_group;
	int tries, opened;
	struct perf_event_attr last;
} m;

static int machine_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
			int group_fd, unsigned long flags)
{
	(void)arg, (void)pid, (void)cpu, (void)flags;
	m.tries++;
	assert_true(m.tries < 50);
	for (size_t i = 0; i < m.lacks; i++)
		if (attr->flags & releases[i].flags ||
		    attr->read_format & releases[i].read_format ||
		    attr->sample_type & releases[i].sample_type)
			return -EINVAL;
	if (m.no_inherit && attr->flags & ATTR_INHERIT && attr->sample_type & PERF_SAMPLE_READ)
		return -EINVAL;
	if (m.nothing || (m.no_guests && attr->flags & (ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST)))
		return -EINVAL;
	if (group_fd >= 0 && m.room && m.in_group == m.room)
		return -EINVAL;
	m.in_group += group_fd >= 0;
	m.last = *attr;
	return FIRST_FD + m.opened++;
}

static ssize_t machine_read(void *arg, int fd, void *data, size_t size)
{
	(void)arg, (void)fd;
	memset(data, 0, size);
	return (ssize_t)size;
}

static int machine_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg;
	if (request == IOC_ID)
		*(u64 *)value = (u64)fd;
	return 0;
}

static void machine_close(void *arg, int fd)
{
	(void)arg, (void)fd;
}

static void *machine_map(void *arg, int fd, size_t size, int how, u64 offset)
{
	(void)arg, (void)fd, (void)offset;
	return mmap(NULL, size, how, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void machine_unmap(void *arg, void *p, size_t size)
{
	(void)arg;
	munmap(p, size);
}

static const struct live_backend backend = { machine_open,  machine_read, machine_control,
					     machine_close, machine_map,  machine_unmap,
					     NULL };

/* All that there is, and something that no kernel refuses. */
static const struct perf_event_attr everything = {
	.type = PERF_TYPE_SOFTWARE,
	.sample_period = 1000,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_CGROUP,
	.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
	.flags = ATTR_DISABLED | ATTR_MMAP | ATTR_COMM | ATTR_BUILD_ID | ATTR_CGROUP |
		 ATTR_KSYMBOL | ATTR_BPF_EVENT | ATTR_NAMESPACES | ATTR_EXCLUDE_GUEST,
};

/* Checks that one note names everything that this machine lacks, newest first, and nothing else. */
static void check_note(const struct condition *c)
{
	const char *at = strstr(c->text, "refused 'some' with all it asks for; opened without ");

	assert_int_equal(c->weight, CONDITION_NOTE);
	assert_string_equal(c->object, "some");
	assert_non_null(at);
	for (size_t i = 0; i < m.lacks; i++) {
		at = strstr(at, "since Linux ");
		assert_non_null(at);
		at += strlen("since Linux ");
		assert_int_equal(strncmp(at, releases[i].name, strlen(releases[i].name)), 0);
	}
	assert_null(strstr(at, "since Linux "));
	assert_int_equal(strstr(at, "not every PMU") != NULL, m.no_guests);
}

/*
 * Opens an event on the machine that m says; noted: whether something that was left out must be
 * said.
 */
static void open_on(int verbose, int result, bool noted, struct perf_event_attr *got)
{
	struct context ctx = { .buildid_dir = "", .verbose = verbose };
	struct sys sys = { .root = tree_root };
	struct target target = { .system_wide = true };
	struct event_set set;
	struct live *live = NULL;
	struct reason r = REASON_INIT;

	m.tries = m.opened = 0;
	tree_put("/sys/devices/system/cpu/online", "0");
	event_set_init(&set);
	event_set_add(&set, &everything, "some");
	assert_int_equal(live_open(&ctx, &set, &target,
				   &(struct live_options){
					   .backend = &backend, .sys = &sys, .ring_pages = 1 },
				   &live, &r),
			 result);
	*got = set.list.items[0]->attr;
	assert_int_equal(ctx.conditions.list.count, noted);
	if (noted)
		check_note(ctx.conditions.list.items);
	if (live)
		live_close(live);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
	target_release(&target);
	reason_release(&r);
}

/*
 * Returns what is left of everything if the first so many releases and perhaps guests are unknown.
 */
static struct perf_event_attr left_of_everything(void)
{
	struct perf_event_attr want = everything;

	for (size_t i = 0; i < m.lacks; i++) {
		want.flags &= ~releases[i].flags;
		want.read_format &= ~releases[i].read_format;
		want.sample_type &= ~releases[i].sample_type;
	}
	if (m.no_guests)
		want.flags &= ~(u64)(ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST);
	return want;
}

/*
 * Checks that nothing is left out that kernel and PMU know. Tries each number of features with and
 * without guests.
 */
static void each_release(void **state)
{
	struct perf_event_attr got, want;

	(void)state;
	for (int no_guests = 0; no_guests < 2; no_guests++)
		for (size_t lacks = 0; lacks <= ARRAY_SIZE(releases); lacks++) {
			m = (struct machine){ .lacks = lacks, .no_guests = no_guests };
			want = left_of_everything();
			open_on(0, 0, false, &got);
			assert_int_equal(m.tries, 2 * lacks + 1 + no_guests);
			assert_true(m.last.flags == want.flags);
			assert_true(m.last.read_format == want.read_format);
			assert_true(m.last.sample_type == want.sample_type);
			assert_true(got.flags == want.flags);
			open_on(1, 0, lacks || no_guests, &got);
			assert_true(got.flags == want.flags);
		}
	m = (struct machine){ 0 };
}

/*
 * Checks that a new kernel whose PMU cannot leave out guests loses nothing else and blames nothing
 * else.
 */
static void guests_alone(void **state)
{
	struct perf_event_attr got;

	(void)state;
	m = (struct machine){ .no_guests = true };
	open_on(1, 0, true, &got);
	assert_int_equal(m.tries, 2);
	assert_true(got.flags == (everything.flags & ~(u64)ATTR_EXCLUDE_GUEST));
	assert_true(got.read_format == everything.read_format);
	assert_true(got.sample_type == everything.sample_type);
	m = (struct machine){ 0 };
}

/* Checks that features are not blamed if leaving them out did not help. */
static void refused_for_another_reason(void **state)
{
	struct perf_event_attr got;

	(void)state;
	m = (struct machine){ .nothing = true };
	open_on(1, -EINVAL, false, &got);
	assert_int_equal(m.tries, 2 * (ARRAY_SIZE(releases) + 1));
	m = (struct machine){ 0 };
}

/*
 * Opens a weak group of three. Its members give up what kernel or PMU made the leader give up, and
 * stay with it. If they do not fit beside it, the group is broken up and none loses anything more.
 */
static void open_weak_group(size_t tries)
{
	enum { COUNT = 3 };
	struct context ctx = { .buildid_dir = "" };
	struct sys sys = { .root = tree_root };
	struct target target = { .system_wide = true };
	struct perf_event_attr want = left_of_everything();
	struct event_set set;
	struct live *live = NULL;
	bool broken = m.room && m.room < COUNT - 1;

	m.tries = m.opened = 0;
	m.in_group = 0;
	tree_put("/sys/devices/system/cpu/online", "0");
	event_set_init(&set);
	for (int i = 0; i < COUNT; i++) {
		struct event *ev = event_set_add(&set, &everything, "some");

		/* only the leader reports new cgroups */
		ev->attr.flags &= i ? ~(u64)ATTR_CGROUP : ~0ULL;
		ev->leader = set.list.items[0];
	}
	set.list.items[0]->members = COUNT;
	set.list.items[0]->weak_group = true;
	assert_int_equal(live_open(&ctx, &set, &target,
				   &(struct live_options){ .backend = &backend, .sys = &sys },
				   &live, NULL),
			 0);
	for (int i = 0; i < COUNT; i++) {
		const struct event *ev = set.list.items[i];

		assert_ptr_equal(ev->leader, set.list.items[broken ? i : 0]);
		assert_true(ev->attr.flags == (i ? want.flags & ~(u64)ATTR_CGROUP : want.flags));
		assert_true(ev->attr.read_format == want.read_format);
		assert_true(ev->attr.sample_type == want.sample_type);
	}
	assert_int_equal(set.list.items[0]->members, broken ? 1 : COUNT);
	assert_int_equal(m.in_group, broken ? m.room : COUNT - 1);
	assert_int_equal(m.tries, tries);
	live_close(live);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
	target_release(&target);
}

static void weak_groups(void **state)
{
	(void)state;
	for (int no_guests = 0; no_guests < 2; no_guests++)
		for (size_t lacks = 0; lacks <= ARRAY_SIZE(releases); lacks++) {
			size_t each = 2 * lacks + 1 + (size_t)no_guests;

			m = (struct machine){ .lacks = lacks, .no_guests = no_guests };
			open_weak_group(3 * each);
			/* the third does not fit: then all are opened again, as they are by then */
			m.room = 1;
			open_weak_group(3 * each + 3);
		}
	m = (struct machine){ 0 };
}

/* Opens {some,some}:S, inherited. Expects these flags, and a note if it cannot be inherited. */
static void open_leader_sampling(u64 left)
{
	struct context ctx = { .buildid_dir = "" };
	struct sys sys = { .root = tree_root };
	struct target target = { .system_wide = true };
	struct event_set set;
	struct live *live = NULL;
	const struct condition *c;

	m.tries = m.opened = 0;
	tree_put("/sys/devices/system/cpu/online", "0");
	event_set_init(&set);
	for (int i = 0; i < 2; i++) {
		struct event *ev = event_set_add(&set, &everything, "some");

		ev->attr.flags |= ATTR_INHERIT;
		ev->attr.sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_READ;
		ev->leader = set.list.items[0];
	}
	set.list.items[0]->members = 2;
	assert_int_equal(live_open(&ctx, &set, &target,
				   &(struct live_options){ .backend = &backend, .sys = &sys },
				   &live, NULL),
			 0);
	for (int i = 0; i < 2; i++)
		assert_true(set.list.items[i]->attr.flags == left);
	assert_int_equal(ctx.conditions.list.count, m.no_inherit);
	c = ctx.conditions.list.items;
	if (m.no_inherit) {
		assert_int_equal(c->weight, CONDITION_NOTE);
		assert_non_null(strstr(
			c->text,
			"cannot read the counters of 'some' in threads and child processes"));
	}
	live_close(live);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
	target_release(&target);
}

/*
 * Checks that inheritance is given up only if the kernel cannot do it, whatever else kernel or PMU
 * lacks.
 */
static void leader_sampling(void **state)
{
	(void)state;
	for (int no_guests = 0; no_guests < 2; no_guests++) {
		u64 left = everything.flags & ~(no_guests ? (u64)ATTR_EXCLUDE_GUEST : 0);

		m = (struct machine){ .no_guests = no_guests };
		open_leader_sampling(left | ATTR_INHERIT);
		m = (struct machine){ .no_guests = no_guests, .no_inherit = true };
		open_leader_sampling(left);
	}
	m = (struct machine){ 0 };
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_release, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(guests_alone, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(leader_sampling, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(weak_groups, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(refused_for_another_reason, tree_make, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
