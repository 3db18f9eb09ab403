// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of tasks that run, fork and end while their events are opened, on a kernel that the test
 * plays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "live/live.h"
#include "sys/sys.h"
#include "tree.h"

#define IOC_ENABLE _IO('$', 0)

/*
 * Task 10 only runs; 11 was exchanged with its child, and 12 has ended, when the second event is
 * opened.
 */
enum { RUNS = 10, EXCHANGED, ENDED, FIRST_FD = 100, FDS = 16, VALUE = 7 };

static struct kernel {
	int opened;
	bool grouped[FDS], on[FDS];
	u64 format[FDS];
} k;

static int kernel_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
		       int group_fd, unsigned long flags)
{
	int n = k.opened;

	(void)arg, (void)cpu, (void)flags;
	if (group_fd >= 0 && pid == EXCHANGED)
		return -EINVAL;
	if (group_fd >= 0 && pid == ENDED)
		return -ENODEV;
	if (group_fd < 0 && pid == ENDED && n >= 3) /* the second event */
		return -ESRCH;
	assert_in_range(n, 0, FDS - 1);
	k.grouped[n] = group_fd >= 0;
	k.on[n] = !(attr->flags & ATTR_DISABLED);
	k.format[n] = attr->read_format;
	k.opened++;
	return FIRST_FD + n;
}

/* As of Linux since 6.6: a child lacks a part of the group, which cannot be read. */
static ssize_t kernel_read(void *arg, int fd, void *data, size_t size)
{
	const u64 words[] = { VALUE, 1000, 1000, 1 };
	bool id = k.format[fd - FIRST_FD] & PERF_FORMAT_ID;
	size_t bytes = sizeof(words) - (id ? 0 : sizeof(words[0]));

	(void)arg;
	if (k.format[fd - FIRST_FD] & PERF_FORMAT_GROUP)
		return -ECHILD;
	assert_true(size >= bytes);
	memcpy(data, words, bytes);
	return (ssize_t)bytes;
}

static int kernel_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg, (void)value;
	if (request == IOC_ENABLE)
		k.on[fd - FIRST_FD] = true;
	return 0;
}

static void kernel_close(void *arg, int fd)
{
	(void)arg, (void)fd;
}

static const struct live_backend backend = {
	.open = kernel_open, .read = kernel_read, .control = kernel_control, .close = kernel_close
};

static void test_running_tasks(void **state)
{
	static pid_t tids[] = { RUNS, EXCHANGED, ENDED };
	const struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE };
	struct target target = { .tids = tids, .tid_count = 3, .inherit = true };
	struct context ctx = { .buildid_dir = "" };
	struct sys sys = { .root = tree_root };
	struct event_set set;
	struct live_count c;
	struct live *live;

	(void)state;
	memset(&k, 0, sizeof(k));
	event_set_init(&set);
	for (int i = 0; i < 2; i++)
		event_set_add(&set, &a, i ? "two" : "one");
	((struct event *)set.list.items[1])->leader = set.list.items[0];
	((struct event *)set.list.items[0])->members = 2;
	assert_int_equal(live_open(&ctx, &set, &target,
				   &(struct live_options){
					   .backend = &backend, .sys = &sys, .counting = true },
				   &live, NULL),
			 0);
	/*
	 * one for each task; two for the first in the group, for the second alone and off, for the
	 * third none
	 */
	assert_int_equal(k.opened, 5);
	assert_true(k.grouped[3] && k.on[3]);
	assert_false(k.grouped[4] || k.on[4]);
	assert_int_equal(live_enable(live), 0);
	for (int i = 0; i < k.opened; i++)
		assert_true(k.on[i]);
	for (size_t t = 0; t < 3; t++)
		for (size_t e = 0; e < 2; e++) {
			bool none = t == 2 && e == 1;

			assert_int_equal(live_read(live, set.list.items[e], 0, t, &c), none);
			assert_true(c.supported);
			assert_int_equal(c.value, none ? 0 : VALUE);
		}
	live_close(live);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running_tasks),
	};

	return cmocka_run_group_tests_name("live_groups", tests, NULL, NULL);
}
