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

/* Each release of Linux that brought something, the newest first, and what it knows that the one before does not. */
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
	bool no_guests, nothing; /* a PMU that cannot tell guests; one that refuses all */
	int tries, opened;
	struct perf_event_attr last;
} m;

static int machine_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu, int group_fd,
			unsigned long flags)
{
	(void)arg, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	m.tries++;
	assert_true(m.tries < 20);
	for (size_t i = 0; i < m.lacks; i++)
		if (attr->flags & releases[i].flags || attr->read_format & releases[i].read_format ||
		    attr->sample_type & releases[i].sample_type)
			return -EINVAL;
	if (m.nothing || (m.no_guests && attr->flags & (ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST)))
		return -EINVAL;
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

static const struct live_backend backend = { machine_open, machine_read, machine_control, machine_close,
					     machine_map, machine_unmap, NULL };

/* All that there is, and something that no kernel refuses. */
static const struct perf_event_attr everything = {
	.type = PERF_TYPE_SOFTWARE,
	.sample_period = 1000,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_CGROUP,
	.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
	.flags = ATTR_DISABLED | ATTR_MMAP | ATTR_COMM | ATTR_BUILD_ID | ATTR_CGROUP | ATTR_KSYMBOL |
		 ATTR_BPF_EVENT | ATTR_NAMESPACES | ATTR_EXCLUDE_GUEST,
};

/* Opens an event on the machine that m says; conditions: how many notes must be there, each named once. */
static void open_on(int verbose, int result, size_t conditions, struct perf_event_attr *got)
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
				   &(struct live_options){ .backend = &backend, .sys = &sys, .ring_pages = 1 },
				   &live, &r), result);
	*got = set.list.items[0]->attr;
	assert_int_equal(ctx.conditions.list.count, conditions);
	for (size_t i = 0; i < conditions; i++) {
		const struct condition *c = &ctx.conditions.list.items[i];

		assert_int_equal(c->weight, CONDITION_NOTE);
		assert_non_null(strstr(c->text, "refuses 'some'"));
		/* the youngest first: the releases that this machine lacks */
		if (i < m.lacks) {
			const char *since = strstr(c->text, "since Linux ");

			assert_non_null(since);
			since += strlen("since Linux ");
			assert_int_equal(strncmp(since, releases[i].name, strlen(releases[i].name)), 0);
		} else {
			assert_non_null(strstr(c->text, "not every PMU"));
		}
	}
	if (live)
		live_close(live);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
	target_release(&target);
	reason_release(&r);
}

/* Nothing is left out that the kernel knows, and no call is made in vain. */
static void each_release(void **state)
{
	struct perf_event_attr got, want;

	(void)state;
	for (m.lacks = 0; m.lacks <= ARRAY_SIZE(releases); m.lacks++) {
		want = everything;
		for (size_t i = 0; i < m.lacks; i++) {
			want.flags &= ~releases[i].flags;
			want.read_format &= ~releases[i].read_format;
			want.sample_type &= ~releases[i].sample_type;
		}
		open_on(0, 0, 0, &got);
		assert_int_equal(m.tries, m.lacks + 1);
		assert_true(m.last.flags == want.flags);
		assert_true(m.last.read_format == want.read_format);
		assert_true(m.last.sample_type == want.sample_type);
		assert_true(got.flags == want.flags);
		open_on(1, 0, m.lacks, &got);
		assert_true(got.flags == want.flags);
	}
	m.lacks = 0;
}

/* The oldest kernel, on a PMU that cannot leave out guests. */
static void guests_last(void **state)
{
	struct perf_event_attr got;

	(void)state;
	m = (struct machine){ .lacks = ARRAY_SIZE(releases), .no_guests = true };
	open_on(1, 0, ARRAY_SIZE(releases) + 1, &got);
	assert_true(got.flags == (ATTR_DISABLED | ATTR_MMAP | ATTR_COMM));
	m = (struct machine){ 0 };
}

/* What helped nothing is not blamed. */
static void refused_for_another_reason(void **state)
{
	struct perf_event_attr got;

	(void)state;
	m = (struct machine){ .nothing = true };
	open_on(1, -EINVAL, 0, &got);
	assert_int_equal(m.tries, ARRAY_SIZE(releases) + 2);
	m = (struct machine){ 0 };
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_release, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(guests_last, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(refused_for_another_reason, tree_make, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
