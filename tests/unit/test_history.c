// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes in time: each rule of the design with a made-up file of known answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/history.h"
#include "process/tables.h"
#include "synth.h"

struct fixture {
	struct synth s;
	struct context ctx;
	struct image_table *images;
	struct history *h;
	struct event_set set;
	struct reason r;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	synth_init(&f->s, false);
	synth_event(&f->s, NULL, "cpu-clock");
	f->images = image_table_new();
	f->h = history_new(&f->ctx, f->images);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	history_free(f->h);
	image_table_free(f->images);
	event_set_release(&f->set);
	condition_list_release(&f->ctx.conditions);
	reason_release(&f->r);
	synth_release(&f->s);
	free(f);
	return 0;
}

struct keyed {
	struct order_key key;
	struct record rec;
};

static int by_key(const void *a, const void *b)
{
	return order_key_cmp(&((const struct keyed *)a)->key, &((const struct keyed *)b)->key);
}

/* Applies everything that was made so far, in the order of its keys. */
static void apply(struct fixture *f)
{
	VEC(struct keyed) list = VEC_INIT;

	synth_set(&f->s, &f->set);
	for (size_t i = 0; i < f->s.at.count; i++) {
		struct record rec = synth_record(&f->s, i);
		struct order_key key = { record_time(&f->set, &rec), 0, rec.position };

		vec_push(&list, (struct keyed){ key, rec });
	}
	vec_sort(&list, by_key);
	vec_for_each(&list, k)
		assert_int_equal(history_apply(f->h, &f->set, &k->rec, &k->key, &f->r), 0);
	vec_release(&list);
}

static struct order_key at(u64 time)
{
	return (struct order_key){ time, 0, UINT64_MAX };
}

static const char *comm_at(struct fixture *f, u32 pid, u32 tid, u64 time)
{
	struct order_key key = at(time);
	const struct task *t = history_task(f->h, 0, pid, tid, &key);

	return history_comm_text(f->h, history_comm(f->h, t, &key));
}

static const struct image *image_at_key(struct fixture *f, u32 pid, u32 tid, u64 addr,
					struct order_key key, u64 *offset)
{
	const struct task *t = history_task(f->h, 0, pid, tid, &key);
	struct location l;

	history_locate(f->h, t, SYNTH_USER, addr, &key, &l);
	if (offset)
		*offset = l.offset;
	return image_get(f->images, l.image);
}

static const char *name_at(struct fixture *f, u32 pid, u32 tid, u64 addr, u64 time)
{
	return image_at_key(f, pid, tid, addr, at(time), NULL)->name;
}

static const char *kernel_name(struct fixture *f, u64 addr, u64 time, u64 *offset)
{
	struct order_key key = at(time);
	const struct task *t = history_task(f->h, 0, 0, 0, &key);
	struct location l;

	history_locate(f->h, t, SYNTH_KERNEL, addr, &key, &l);
	if (offset)
		*offset = l.offset;
	return image_get(f->images, l.image)->name;
}

static void map_at(struct fixture *f, u32 pid, u64 start, u64 len, const char *file, u64 time)
{
	synth_map(&f->s, .pid = pid, .tid = pid, .start = start, .len = len, .file = file,
		  .time = time);
}

static void test_fork_shares_then_parts(void **state)
{
	struct fixture *f = *state;
	struct order_key before = at(25), after = at(35);

	synth_comm(&f->s, 10, 10, "sh", 0);
	map_at(f, 10, 0x1000, 0x1000, "/bin/sh", 0);
	synth_fork(&f->s, 11, 10, 20);
	map_at(f, 10, 0x5000, 0x1000, "/lib/parent.so", 30);
	map_at(f, 11, 0x6000, 0x1000, "/lib/child.so", 40);
	apply(f);
	assert_string_equal(comm_at(f, 11, 11, 25), "sh");
	assert_string_equal(name_at(f, 11, 11, 0x1800, 25), "sh");
	assert_string_equal(name_at(f, 11, 11, 0x5800, 50), "[unknown]");
	assert_string_equal(name_at(f, 11, 11, 0x6800, 50), "child.so");
	assert_string_equal(name_at(f, 10, 10, 0x6800, 50), "[unknown]");
	assert_string_equal(name_at(f, 10, 10, 0x5800, 50), "parent.so");
	assert_string_equal(name_at(f, 10, 10, 0x5800, 29), "[unknown]");
	/* until one of them maps something they are one space */
	assert_int_equal(history_space(f->h, history_task(f->h, 0, 11, 11, &before), &before),
			 history_space(f->h, history_task(f->h, 0, 10, 10, &before), &before));
	assert_int_not_equal(history_space(f->h, history_task(f->h, 0, 11, 11, &after), &after),
			     history_space(f->h, history_task(f->h, 0, 10, 10, &after), &after));
}

static void test_pid_reuse(void **state)
{
	struct fixture *f = *state;
	struct order_key early = at(15), later = at(45);
	const struct task *a, *b;

	synth_fork(&f->s, 20, 1, 10);
	synth_exec(&f->s, 20, 20, "first", 11);
	map_at(f, 20, 0x1000, 0x1000, "/bin/first", 12);
	synth_exit(&f->s, 20, 20, 30);
	synth_fork(&f->s, 20, 1, 40);
	synth_exec(&f->s, 20, 20, "second", 50);
	map_at(f, 20, 0x2000, 0x1000, "/bin/second", 51);
	apply(f);
	assert_string_equal(comm_at(f, 20, 20, 15), "first");
	assert_string_equal(comm_at(f, 20, 20, 60), "second");
	assert_string_equal(name_at(f, 20, 20, 0x1000, 35), "first");
	assert_string_equal(name_at(f, 20, 20, 0x1000, 45), "[unknown]");
	assert_string_equal(name_at(f, 20, 20, 0x2000, 60), "second");
	a = history_task(f->h, 0, 20, 20, &early);
	b = history_task(f->h, 0, 20, 20, &later);
	assert_ptr_not_equal(a, b);
	assert_int_not_equal(a->generation, b->generation);
}

static void test_tid_reuse_in_other_process(void **state)
{
	struct fixture *f = *state;

	synth_comm(&f->s, 30, 30, "alpha", 0);
	map_at(f, 30, 0x1000, 0x1000, "/bin/alpha", 0);
	synth_comm(&f->s, 40, 40, "beta", 0);
	map_at(f, 40, 0x1000, 0x1000, "/bin/beta", 0);
	synth_thread(&f->s, 30, 55, 10);
	synth_exit(&f->s, 30, 55, 20);
	synth_thread(&f->s, 40, 55, 30);
	apply(f);
	assert_string_equal(comm_at(f, 30, 55, 15), "alpha");
	assert_string_equal(name_at(f, 30, 55, 0x1000, 15), "alpha");
	assert_string_equal(comm_at(f, 40, 55, 35), "beta");
	assert_string_equal(name_at(f, 40, 55, 0x1000, 35), "beta");
}

/*
 * Checks an exec by a thread, which takes the leader's tid and removes the old image's maps for
 * all.
 */
static void test_exec_from_thread(void **state)
{
	struct fixture *f = *state;

	synth_comm(&f->s, 50, 50, "old", 0);
	map_at(f, 50, 0x1000, 0x1000, "/bin/old", 0);
	synth_thread(&f->s, 50, 51, 10);
	synth_exit(&f->s, 50, 50, 20);
	synth_exec(&f->s, 50, 50, "new", 21);
	map_at(f, 50, 0x8000, 0x1000, "/bin/new", 22);
	map_at(f, 50, 0xf000, 0x1000, "[vdso]", 24);
	map_at(f, 50, 0x9000, 0x1000, "/lib/mapped-by-new", 26);
	apply(f);
	assert_string_equal(name_at(f, 50, 50, 0x1000, 20), "old");
	/* inside execve the user part of a chain is still the old program's */
	assert_string_equal(name_at(f, 50, 50, 0x1000, 23), "old");
	assert_string_equal(name_at(f, 50, 50, 0x8000, 23), "new");
	assert_string_equal(name_at(f, 50, 50, 0x1000, 25), "old");
	assert_string_equal(name_at(f, 50, 50, 0x1000, 30), "[unknown]");
	assert_string_equal(name_at(f, 50, 50, 0x8000, 30), "new");
	assert_string_equal(comm_at(f, 50, 50, 30), "new");
}

/* Checks execve of a set-uid program: the EXIT after its COMM ends nothing. */
static void test_exit_inside_exec(void **state)
{
	struct fixture *f = *state;
	struct order_key before = at(22), after = at(40);

	synth_comm(&f->s, 1, 1, "sh", 0);
	synth_fork(&f->s, 65, 1, 10);
	synth_exec(&f->s, 65, 65, "sudo", 20);
	synth_exit(&f->s, 65, 65, 21);
	map_at(f, 65, 0x8000, 0x1000, "/bin/sudo", 23);
	map_at(f, 65, 0x9000, 0x1000, "/lib/libc.so", 24);
	synth_exit(&f->s, 65, 65, 50);
	/* its FORK was lost: another task, of which the first's name tells nothing */
	map_at(f, 65, 0x8000, 0x1000, "/bin/other", 60);
	apply(f);
	assert_string_equal(comm_at(f, 65, 65, 19), "sh");
	assert_string_equal(comm_at(f, 65, 65, 40), "sudo");
	assert_string_equal(comm_at(f, 65, 65, 51), "sudo");
	assert_ptr_equal(history_task(f->h, 0, 65, 65, &before),
			 history_task(f->h, 0, 65, 65, &after));
	assert_string_equal(name_at(f, 65, 65, 0x8000, 40), "sudo");
	assert_string_equal(comm_at(f, 65, 65, 61), ":65");
}

static void test_leader_exit_keeps_threads_running(void **state)
{
	struct fixture *f = *state;

	synth_comm(&f->s, 60, 60, "srv", 0);
	map_at(f, 60, 0x1000, 0x1000, "/bin/srv", 0);
	synth_thread(&f->s, 60, 61, 10);
	synth_exit(&f->s, 60, 60, 20);
	synth_map(&f->s, .pid = 60, .tid = 61, .start = 0x4000, .len = 0x1000,
		  .file = "/lib/late.so", .time = 30);
	apply(f);
	assert_string_equal(name_at(f, 60, 61, 0x1000, 40), "srv");
	assert_string_equal(name_at(f, 60, 61, 0x4000, 40), "late.so");
	assert_string_equal(comm_at(f, 60, 61, 40), "srv");
}

static void test_vfork_child_exec_leaves_parent(void **state)
{
	struct fixture *f = *state;

	synth_comm(&f->s, 70, 70, "make", 0);
	map_at(f, 70, 0x1000, 0x1000, "/usr/bin/make", 0);
	synth_fork(&f->s, 71, 70, 10);
	synth_exec(&f->s, 71, 71, "cc", 20);
	map_at(f, 71, 0x1000, 0x1000, "/usr/bin/cc", 21);
	apply(f);
	assert_string_equal(name_at(f, 71, 71, 0x1000, 15), "make");
	assert_string_equal(name_at(f, 71, 71, 0x1000, 30), "cc");
	assert_string_equal(name_at(f, 70, 70, 0x1000, 30), "make");
	assert_string_equal(comm_at(f, 71, 71, 15), "make");
}

static void test_lost_fork(void **state)
{
	struct fixture *f = *state;
	struct order_key key = at(15);
	const struct task *t;

	/* a process first seen by its COMM, a thread of it never told of */
	synth_exec(&f->s, 80, 80, "seen", 20);
	map_at(f, 80, 0x1000, 0x1000, "/bin/seen", 21);
	/* tid 90 dies, then maps memory: somebody else's now */
	synth_comm(&f->s, 90, 90, "gone", 0);
	map_at(f, 90, 0x1000, 0x1000, "/bin/gone", 0);
	synth_exit(&f->s, 90, 90, 30);
	map_at(f, 90, 0x9000, 0x1000, "/bin/heir", 40);
	apply(f);
	t = history_task(f->h, 0, 80, 80, &key);
	assert_string_equal(comm_at(f, 80, 80, 15), ":80");
	assert_string_equal(comm_at(f, 80, 80, 25), "seen");
	assert_ptr_equal(t, history_task(f->h, 0, 80, 80, &(struct order_key){ 30, 0, 0 }));
	assert_string_equal(comm_at(f, 80, 81, 30), ":81");
	assert_string_equal(name_at(f, 80, 81, 0x1000, 30), "seen");
	assert_string_equal(name_at(f, 90, 90, 0x1000, 35), "gone");
	assert_string_equal(name_at(f, 90, 90, 0x1000, 45), "[unknown]");
	assert_string_equal(name_at(f, 90, 90, 0x9000, 45), "heir");
}

static void test_sample_before_first_fork_is_a_stranger(void **state)
{
	struct fixture *f = *state;
	struct order_key key = at(5);
	const struct task *t;

	synth_comm(&f->s, 1, 1, "init", 0);
	synth_fork(&f->s, 95, 1, 10);
	apply(f);
	t = history_task(f->h, 0, 95, 95, &key);
	assert_string_equal(comm_at(f, 95, 95, 5), ":95");
	assert_int_equal(t->generation, 0);
	assert_string_equal(comm_at(f, 95, 95, 15), "init");
	assert_int_equal(history_task(f->h, 0, 95, 95, &(struct order_key){ 15, 0, 0 })->generation,
			 1);
	/* asked again: the same one */
	assert_ptr_equal(t, history_task(f->h, 0, 95, 95, &key));
}

/* Anonymous memory over a part of a file's text, at 2 MB bounds, is the text in huge pages. */
static void test_text_in_huge_pages(void **state)
{
	struct fixture *f = *state;
	u64 offset;

	synth_comm(&f->s, 10, 10, "p", 1);
	map_at(f, 10, 0x400000, 0x800000, "/bin/prog", 10);
	map_at(f, 10, 0x600000, 0x400000, "//anon", 20);
	map_at(f, 10, 0x7f0000400000, 0x200000, "//anon", 30); /* a JIT */
	map_at(f, 10, 0xb00000, 0x10000, "//anon", 40);        /* not at such a bound */
	apply(f);
	assert_string_equal(name_at(f, 10, 10, 0x612345, 25), "prog");
	image_at_key(f, 10, 10, 0x612345, at(25), &offset);
	assert_int_equal(offset, 0x212345);
	assert_string_equal(name_at(f, 10, 10, 0x7f0000400010, 45), "[JIT] tid 10");
	assert_string_equal(name_at(f, 10, 10, 0xb00010, 45), "[JIT] tid 10");
	assert_string_equal(name_at(f, 10, 10, 0xb00010, 35), "prog");
}

static void test_overlap_replaces_and_splits(void **state)
{
	struct fixture *f = *state;
	u64 offset;

	synth_map(&f->s, .pid = 5, .tid = 5, .start = 0x10000, .len = 0x10000, .pgoff = 0x3000,
		  .file = "/lib/big.so");
	map_at(f, 5, 0x14000, 0x2000, "/lib/mid.so", 10);
	map_at(f, 5, 0x1f000, 0x2000, "/lib/end.so", 20);
	map_at(f, 5, 0xf000, 0x20000, "/lib/all.so", 30);
	apply(f);
	assert_string_equal(name_at(f, 5, 5, 0x15fff, 5), "big.so");
	assert_string_equal(name_at(f, 5, 5, 0x13fff, 15), "big.so");
	assert_string_equal(name_at(f, 5, 5, 0x14000, 15), "mid.so");
	assert_string_equal(image_at_key(f, 5, 5, 0x16010, at(15), &offset)->name, "big.so");
	assert_int_equal(offset, 0x3000 + 0x6010);
	assert_string_equal(name_at(f, 5, 5, 0x1efff, 25), "big.so");
	assert_string_equal(name_at(f, 5, 5, 0x1f000, 25), "end.so");
	assert_string_equal(name_at(f, 5, 5, 0x14000, 35), "all.so");
	assert_string_equal(name_at(f, 5, 5, 0x2f000, 35), "[unknown]");
}

/* Checks that at equal times the position decides: only records before the sample count. */
static void test_map_at_the_samples_time(void **state)
{
	struct fixture *f = *state;
	struct order_key before = { 10, 0, 0 }, after = { 10, 0, UINT64_MAX };

	synth_comm(&f->s, 6, 6, "x", 0);
	before.position = f->s.data.len;
	map_at(f, 6, 0x1000, 0x1000, "/bin/x", 10);
	apply(f);
	before.position--;
	assert_string_equal(image_at_key(f, 6, 6, 0x1000, before, NULL)->name, "[unknown]");
	assert_string_equal(image_at_key(f, 6, 6, 0x1000, after, NULL)->name, "x");
}

/* Checks that a file without times is in file order, also for maps that touch each other. */
static void test_no_times(void **state)
{
	struct fixture *f = *state;
	size_t first, second;

	map_at(f, 7, 0x1000, 0x1000, "/bin/one", 0);
	first = f->s.data.len;
	synth_sample(&f->s, .pid = 7, .tid = 7, .ip = 0x1000);
	map_at(f, 7, 0x1000, 0x1000, "/bin/two", 0);
	second = f->s.data.len;
	map_at(f, 7, 0x3000, 0x1000, "/bin/three", 0);
	apply(f);
	assert_string_equal(
		image_at_key(f, 7, 7, 0x1000, (struct order_key){ 0, 0, first }, NULL)->name,
		"one");
	assert_string_equal(
		image_at_key(f, 7, 7, 0x1000, (struct order_key){ 0, 0, second }, NULL)->name,
		"two");
	assert_string_equal(name_at(f, 7, 7, 0x3000, 0), "three");
}

/* Checks records with time 0, which perf writes for running tasks at the end of a rotated file. */
static void test_rotation_tail(void **state)
{
	struct fixture *f = *state;

	synth_exec(&f->s, 8, 8, "later", 50);
	map_at(f, 8, 0x2000, 0x1000, "/bin/later", 51);
	map_at(f, 8, 0xf000, 0x1000, "[vdso]", 52);
	map_at(f, 8, 0x9000, 0x1000, "/lib/mapped-by-later", 53);
	synth_task(&f->s, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 8, 1, 8, 1, 0);
	synth_comm(&f->s, 8, 8, "runs", 0);
	map_at(f, 8, 0x1000, 0x1000, "/bin/runs", 0);
	apply(f);
	assert_string_equal(comm_at(f, 8, 8, 10), "runs");
	assert_string_equal(name_at(f, 8, 8, 0x1000, 10), "runs");
	assert_string_equal(comm_at(f, 8, 8, 60), "later");
	assert_string_equal(name_at(f, 8, 8, 0x1000, 60), "[unknown]");
	assert_string_equal(name_at(f, 8, 8, 0x2000, 60), "later");
}

/* Checks that a FORK that perf wrote for a running thread does not clone a parent's maps. */
static void test_written_fork_clones_nothing(void **state)
{
	struct fixture *f = *state;

	synth_comm(&f->s, 1, 1, "systemd", 0);
	map_at(f, 1, 0x1000, 0x1000, "/bin/systemd", 0);
	synth_task(&f->s, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 9, 1, 9, 1, 0);
	synth_comm(&f->s, 9, 9, "daemon", 0);
	apply(f);
	assert_string_equal(name_at(f, 9, 9, 0x1000, 10), "[unknown]");
	assert_string_equal(comm_at(f, 9, 9, 10), "daemon");
}

/* Checks that what comes too late is applied at the newest key and counted. */
static void test_late_flush(void **state)
{
	struct fixture *f = *state;
	struct record late;

	synth_comm(&f->s, 12, 12, "on-time", 100);
	apply(f);
	map_at(f, 12, 0x1000, 0x1000, "/bin/late", 50);
	late = synth_record(&f->s, 1);
	assert_int_equal(
		history_apply(f->h, &f->set, &late, &(struct order_key){ 50, 0, 1 }, &f->r), 0);
	assert_int_equal(f->ctx.conditions.list.count, 1);
	assert_string_equal(f->ctx.conditions.list.items[0].code, "late-sideband");
	assert_string_equal(name_at(f, 12, 12, 0x1000, 60), "[unknown]");
	assert_string_equal(name_at(f, 12, 12, 0x1000, 100), "late");
}

static void test_exited_task_owns_nothing(void **state)
{
	struct fixture *f = *state;
	u32 none = UINT32_MAX;

	map_at(f, none, 0x1000, 0x1000, "/bin/ghost", 10);
	synth_comm(&f->s, none, none, "ghost", 10);
	synth_fork(&f->s, none, 1, 11);
	apply(f);
	assert_string_equal(name_at(f, none, none, 0x1000, 20), "[unknown]");
	assert_string_equal(comm_at(f, none, none, 20), ":-1");
}

static void test_swapper(void **state)
{
	struct fixture *f = *state;

	apply(f);
	assert_string_equal(comm_at(f, 0, 0, 0), "swapper");
}

static void test_same_pid_in_host_and_guest(void **state)
{
	struct fixture *f = *state;
	struct order_key key = at(10);
	u32 machine = history_machine(PERF_RECORD_MISC_GUEST_USER, 100);
	const struct task *host, *guest;
	struct location l;

	synth_comm(&f->s, 100, 100, "qemu", 0);
	map_at(f, 100, 0x1000, 0x1000, "/usr/bin/qemu", 0);
	synth_map(&f->s, .mode = PERF_RECORD_MISC_GUEST_USER, .pid = 100, .tid = 100,
		  .start = 0x1000, .len = 0x1000, .file = "/guest/app");
	synth_map(&f->s, .mode = PERF_RECORD_MISC_GUEST_KERNEL, .pid = 100, .tid = 0,
		  .start = 0xffffffff81000000, .len = 0x1000000, .pgoff = 0xffffffff81000000,
		  .file = "[guest.kernel.kallsyms.100]_text");
	apply(f);
	assert_int_equal(machine, 100);
	assert_int_equal(history_machine(SYNTH_USER, 100), 0);
	assert_int_not_equal(history_machine(PERF_RECORD_MISC_GUEST_KERNEL, 0), 0);
	host = history_task(f->h, 0, 100, 100, &key);
	guest = history_task(f->h, machine, 100, 100, &key);
	assert_ptr_not_equal(host, guest);
	assert_true(history_locate(f->h, host, SYNTH_USER, 0x1000, &key, &l));
	assert_string_equal(image_get(f->images, l.image)->path, "/usr/bin/qemu");
	assert_true(history_locate(f->h, guest, PERF_RECORD_MISC_GUEST_USER, 0x1000, &key, &l));
	assert_string_equal(image_get(f->images, l.image)->path, "/guest/app");
	assert_true(history_locate(f->h, guest, PERF_RECORD_MISC_GUEST_KERNEL, 0xffffffff81000010,
				   &key, &l));
	assert_string_equal(image_get(f->images, l.image)->name, "[guest.kernel.kallsyms.100]");
	assert_int_equal(image_get(f->images, l.image)->guest, 100);
}

static void test_guest_by_event_id(void **state)
{
	struct fixture *f = *state;
	/* id 7 of the host; 8 on CPU 3 of guest 500; a count that does not fit */
	struct {
		struct record_header head;
		u64 words[1 + 2 * 4 + 2 * 2];
	} index = { { PERF_RECORD_ID_INDEX, 0, sizeof(index) },
		    { 2, 7, 0, 0, 0, 8, 0, UINT64_MAX, 0, 0, 0, 500, 3 } };
	struct record rec = { .type = PERF_RECORD_ID_INDEX,
			      .size = sizeof(index),
			      .data = (const u8 *)&index };
	struct order_key key = at(0);
	struct guest_place place;

	apply(f);
	assert_false(history_guest_place(f->h, 8, &place));
	assert_int_equal(history_apply(f->h, &f->set, &rec, &key, &f->r), 0);
	assert_false(history_guest_place(f->h, 7, &place));
	assert_true(history_guest_place(f->h, 8, &place));
	assert_int_equal(place.machine, 500);
	assert_int_equal(place.vcpu, 3);
	assert_int_equal(history_machine_by_id(f->h, PERF_RECORD_MISC_GUEST_USER, 100, 8), 500);
	assert_int_equal(history_machine_by_id(f->h, PERF_RECORD_MISC_GUEST_USER, 100, 7), 100);
	assert_int_equal(history_machine_by_id(f->h, SYNTH_USER, 100, 8), 0);
	assert_string_equal(
		history_comm_text(f->h,
				  history_comm(f->h, history_task(f->h, 500, 0, 0, &key), &key)),
		"swapper");
	index.words[0] = UINT64_MAX / 16;
	assert_int_not_equal(history_apply(f->h, &f->set, &rec, &key, &f->r), 0);
}

static void test_kernel_modules_and_bpf(void **state)
{
	struct fixture *f = *state;
	const u64 text = 0xffffffff81000000, module = 0xffffffffc0000000;
	u64 offset;

	/* the module first: the kernel's map must lie under it all the same */
	synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = module, .len = 0x5000,
		  .v1 = true, .file = "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz");
	synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = text, .len = 0x40000000,
		  .pgoff = text + 0x40, .v1 = true, .file = "[kernel.kallsyms]_text");
	synth_ksymbol(&f->s, module + 0x10000, 0x100, false, "bpf_prog_1234_xdp", 20);
	synth_ksymbol(&f->s, module + 0x10000, 0x100, true, "bpf_prog_1234_xdp", 30);
	apply(f);
	assert_string_equal(kernel_name(f, text + 0x1234, 1, &offset), "[kernel.kallsyms]");
	assert_true(offset == text + 0x1234);
	assert_string_equal(kernel_name(f, module + 0x10, 1, &offset), "[ext4]");
	assert_true(offset == module + 0x10);
	assert_string_equal(kernel_name(f, module + 0x10010, 10, NULL), "[kernel.kallsyms]");
	assert_string_equal(kernel_name(f, module + 0x10010, 25, &offset), "bpf_prog_1234_xdp");
	assert_true(offset == module + 0x10010);
	assert_string_equal(kernel_name(f, module + 0x10010, 35, &offset), "[kernel.kallsyms]");
	assert_true(offset == module + 0x10010);
	assert_string_equal(kernel_name(f, 0x1000, 35, NULL), "[unknown]");
	for (u32 i = 0; i < image_count(f->images); i++) {
		const struct image *im = image_get(f->images, i);

		if (im->kind != IMAGE_KERNEL)
			continue;
		assert_string_equal(im->reference_name, "_text");
		assert_true(im->reference_addr == text + 0x40);
	}
}

/* Checks kptr_restrict, where the kernel's map is 0+0; no map at all means the same. */
static void test_kernel_without_addresses(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(kernel_name(f, 0xffffffff81000000, 1, NULL), "[kernel.kallsyms]");
	synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .v1 = true,
		  .file = "[kernel.kallsyms]_text");
	apply(f);
	assert_string_equal(kernel_name(f, 0xffffffff81000000, 1, NULL), "[kernel.kallsyms]");
	assert_string_equal(kernel_name(f, 0xffffffff81000000, 1, NULL), "[kernel.kallsyms]");
}

static void test_generated_code_and_vdso(void **state)
{
	struct fixture *f = *state;
	const struct image *im;
	u64 offset;

	synth_map(&f->s, .pid = 33, .tid = 33, .start = 0x7000, .len = 0x1000, .file = "//anon");
	synth_map(&f->s, .pid = 33, .tid = 33, .start = 0x9000, .len = 0x1000, .file = "//anon",
		  .data = true);
	synth_map(&f->s, .pid = 33, .tid = 33, .start = 0xb000, .len = 0x2000, .pgoff = 0x5000,
		  .file = "[vdso]");
	apply(f);
	im = image_at_key(f, 33, 33, 0x7010, at(1), &offset);
	assert_int_equal(im->kind, IMAGE_JIT);
	assert_string_equal(im->path, "/tmp/perf-33.map");
	assert_string_equal(im->name, "[JIT] tid 33");
	assert_int_equal(offset, 0x7010);
	im = image_at_key(f, 33, 33, 0x9010, at(1), &offset);
	assert_int_equal(im->kind, IMAGE_OTHER);
	assert_int_equal(offset, 0x9010);
	im = image_at_key(f, 33, 33, 0xb010, at(1), &offset);
	assert_int_equal(im->kind, IMAGE_VDSO);
	assert_int_equal(offset, 0x10);
}

/* Anonymous memory that is mapped, or protected, anew leaves the code that a jitdump file told. */
static void test_code_stays_in_anonymous_memory(void **state)
{
	struct fixture *f = *state;
	const struct image want = {
		.kind = IMAGE_DUMP, .pid = 33, .path = "/x/jit-33.dump", .part = 2
	};
	struct mapping m = { .start = 0x7800, .end = 0x8800, .pgoff = 0x90, .prot = 5 };
	const struct image *im;
	u64 offset;

	map_at(f, 33, 0x7000, 0x1000, "//anon", 10);
	apply(f);
	m.image = image_intern(f->images, &want);
	history_map_code(f->h, 0, 33, &m, &(struct order_key){ .time = 20 });
	im = image_at_key(f, 33, 33, 0x7900, at(15), &offset);
	assert_int_equal(im->kind, IMAGE_JIT);
	im = image_at_key(f, 33, 33, 0x7900, at(25), &offset);
	assert_int_equal(im->kind, IMAGE_DUMP);
	assert_int_equal(im->part, 2);
	assert_int_equal(offset, 0x190);
	/* a part of it, and more than it */
	vec_clear(&f->s.at);
	event_set_release(&f->set);
	map_at(f, 33, 0x8000, 0x1000, "//anon", 30);
	map_at(f, 33, 0x6000, 0x9000, "//anon", 40);
	map_at(f, 33, 0x8000, 0x100, "/bin/file", 50);
	apply(f);
	for (u64 time = 35; time < 50; time += 10) {
		assert_string_equal(name_at(f, 33, 33, 0x7801, time), "jit-33.dump");
		assert_string_equal(name_at(f, 33, 33, 0x8100, time), "jit-33.dump");
		assert_string_equal(name_at(f, 33, 33, 0x8900, time), "[JIT] tid 33");
		image_at_key(f, 33, 33, 0x8100, at(time), &offset);
		assert_int_equal(offset, 0x990);
	}
	assert_string_equal(name_at(f, 33, 33, 0x6000, 45), "[JIT] tid 33");
	/* a file does replace it */
	assert_string_equal(name_at(f, 33, 33, 0x8000, 55), "file");
	assert_string_equal(name_at(f, 33, 33, 0x8100, 55), "jit-33.dump");
}

static void test_fork_told_twice(void **state)
{
	struct fixture *f = *state;
	struct order_key key = at(30);

	synth_comm(&f->s, 1, 1, "init", 0);
	synth_fork(&f->s, 44, 1, 20);
	synth_comm(&f->s, 44, 44, "named", 20);
	synth_fork(&f->s, 44, 1, 20);
	apply(f);
	assert_int_equal(history_task(f->h, 0, 44, 44, &key)->generation, 1);
	assert_string_equal(comm_at(f, 44, 44, 30), "named");
}

static void test_maps_that_perf_had_no_time_for(void **state)
{
	struct fixture *f = *state;
	u16 misc;

	synth_map(&f->s, .mode = SYNTH_USER, .pid = 5, .tid = 5, .start = 0x1000, .len = 0x1000,
		  .file = "/bin/x");
	/* the bit of MISC that says so */
	memcpy(&misc, f->s.data.s + f->s.at.items[0] + 4, sizeof(misc));
	misc |= 1 << 12;
	memcpy(f->s.data.s + f->s.at.items[0] + 4, &misc, sizeof(misc));
	apply(f);
	assert_int_equal(f->ctx.conditions.list.count, 1);
	assert_string_equal(f->ctx.conditions.list.items[0].code, "maps-not-read");
}

/* Checks that a damaged record is refused with a reason and changes nothing. */
static void test_damaged_record(void **state)
{
	struct fixture *f = *state;
	struct record rec;

	map_at(f, 5, 0x1000, 0x1000, "/bin/x", 10);
	synth_set(&f->s, &f->set);
	rec = synth_record(&f->s, 0);
	rec.size = 24;
	assert_int_equal(history_apply(f->h, &f->set, &rec, &(struct order_key){ 10, 0, 0 }, &f->r),
			 -EINVAL);
	assert_non_null(f->r.text);
	assert_string_equal(name_at(f, 5, 5, 0x1000, 20), "[unknown]");
}

/* Compares the tree with the simplest model: an array with one owner for each page. */
static void test_space_against_model(void **state)
{
	enum { PAGES = 256, STEPS = 3000 };
	struct spaces sp;
	u32 roots[STEPS], owner[PAGES] = { 0 };
	static u32 saved[STEPS][PAGES];
	u32 root = 0;

	(void)state;
	srand(7);
	spaces_init(&sp);
	for (u32 i = 0; i < STEPS; i++) {
		u64 start = (u64)rand() % PAGES, end = start + 1 + (u64)rand() % (PAGES - start);
		bool unmap = rand() % 8 == 0;

		spaces_freeze(&sp);
		root = unmap ? space_unmap(&sp, root, start, end)
			     : space_map(&sp, root,
					 &(struct mapping){ .start = start,
							    .end = end,
							    .pgoff = start,
							    .image = i + 1 });
		for (u64 p = start; p < end; p++)
			owner[p] = unmap ? 0 : i + 1;
		roots[i] = root;
		memcpy(saved[i], owner, sizeof(owner));
	}
	for (u32 i = 0; i < STEPS; i += 7)
		for (u64 p = 0; p < PAGES; p++) {
			const struct mapping *m = space_find(&sp, roots[i], p);

			assert_int_equal(m ? m->image : 0, saved[i][p]);
			/* a split keeps offsets */
			if (m)
				assert_int_equal(p - m->start + m->pgoff, p);
		}
	spaces_release(&sp);
}

static void test_timeline_against_model(void **state)
{
	struct timelines t;
	u32 newest = 0;

	(void)state;
	timelines_init(&t);
	assert_int_equal(timeline_at(&t, 0, &(struct order_key){ 1, 0, 0 }), 0);
	for (u32 i = 1; i <= 1000; i++)
		newest = timeline_add(&t, newest, &(struct order_key){ 10ULL * i, 0, 0 }, i);
	for (u64 time = 0; time < 10100; time++) {
		u64 want = MIN(time / 10, 1000);

		struct key_range holds = { .until = at(UINT64_MAX) };

		assert_int_equal(timeline_value(&t, newest, &(struct order_key){ time, 0, 5 }, 0),
				 want);
		timeline_within(&t, newest, &(struct order_key){ time, 0, 5 }, &holds);
		assert_int_equal(holds.since.time, 10 * want);
		assert_true(holds.until.time == (want < 1000 ? 10 * (want + 1) : UINT64_MAX));
	}
	timelines_release(&t);
}

static void poke(struct fixture *f, u64 addr, u16 old, u16 new, u64 time)
{
	u8 bytes[16] = { 0 };

	for (u32 i = 0; i < (u32)old + new; i++)
		bytes[i] = (u8)(rand() % 2);
	synth_begin(&f->s, PERF_RECORD_TEXT_POKE, SYNTH_KERNEL);
	synth_u64(&f->s, addr);
	synth_u16(&f->s, old);
	synth_u16(&f->s, new);
	strbuf_add(&f->s.data, bytes, (old + new + 11) / 8 * 8 - 4);
	synth_end_side(&f->s, 0, 0, time);
}

/* Compares every form of a function with what each version alone makes of its bytes. */
static void test_code_forms_against_versions(void **state)
{
	enum { AT = 0x1000, SIZE = 6, POKES = 300 };
	struct fixture *f = *state;
	struct code_forms forms;
	u8 was[POKES + 2][SIZE];
	u32 same = 0, other = 0;

	srand(11);
	for (u32 i = 0; i < POKES; i++) {
		u16 new = (u16)(rand() % 5), old = rand() % 4 ? new : (u16)(rand() % 5);

		poke(f, AT - 4 + (u64)rand() % (SIZE + 10), old, new, 10 + i);
	}
	apply(f);
	code_forms_read(&forms, f->h, AT, (const u8[SIZE]){ 0 }, SIZE);
	assert_int_equal(forms.count, history_code_changes(f->h, AT, SIZE, LAST_CODE));
	assert_in_range(forms.count, 50, POKES - 20); /* some touch it and some do not */
	assert_int_equal(code_forms_before(&forms, LAST_CODE), forms.count);
	for (code_version v = 0; v <= POKES + 1; v++) {
		u32 n = code_forms_before(&forms, v);
		u8 again[SIZE] = { 0 };

		assert_int_equal(n, history_code_changes(f->h, AT, SIZE, v));
		memset(was[v], 0, SIZE);
		history_code(f->h, AT, was[v], SIZE, v);
		history_code(f->h, AT, again, SIZE, code_forms_version(&forms, n));
		assert_memory_equal(was[v], again, SIZE);
		for (code_version o = 0; o < v; o++) {
			bool equal = !memcmp(was[o], was[v], SIZE);

			assert_int_equal(
				forms.forms[n] == forms.forms[code_forms_before(&forms, o)], equal);
			same += equal;
			other += !equal;
		}
	}
	assert_true(same > 1000 && other > 1000);
	code_forms_release(&forms);
	/* nothing touches these bytes */
	code_forms_read(&forms, f->h, 0x900000, (const u8[SIZE]){ 0 }, SIZE);
	assert_int_equal(forms.count, 0);
	assert_int_equal(code_forms_before(&forms, LAST_CODE), 0);
	assert_int_equal(code_forms_version(&forms, 0), 0);
	code_forms_release(&forms);
}

/* Checks that cached answers are the same as the tables', in any order of time. */
static void test_recent_answers_are_those_of_the_tables(void **state)
{
	enum { STEPS = 400, QUESTIONS = 40000 };
	struct fixture *f = *state;
	struct history_recent recent = { 0 };
	u32 places = 0;

	srand(11);
	synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0x100000, .len = 0x10000,
		  .v1 = true, .file = "[kernel.kallsyms]_text", .time = 0);
	for (u32 i = 1; i <= STEPS; i++) {
		u32 pid = 1 + (u32)rand() % 5;
		char name[16];

		snprintf(name, sizeof(name), "p%u", i);
		if (i % 4 == 0)
			synth_fork(&f->s, pid, 1, i * 10);
		else if (i % 4 == 1)
			synth_exec(&f->s, pid, pid, name, i * 10);
		else if (i % 16 == 3)
			synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .v1 = true,
				  .file = "[module]",
				  .start = 0x200000 + 0x1000 * (u64)(rand() % 16), .len = 0x3000,
				  .time = i * 10);
		else
			map_at(f, pid, 0x1000 * (1 + (u64)rand() % 16), 0x3000, name, i * 10);
	}
	apply(f);
	for (u32 i = 0; i < QUESTIONS; i++) {
		/* pid 6 is nobody's; tid 33 + n shares the slot of tid n */
		u32 pid = 1 + (u32)rand() % 6, tid = rand() % 8 ? pid : pid + 33;
		u8 mode = rand() % 3 ? SYNTH_USER : SYNTH_KERNEL;
		u64 addr = (mode == SYNTH_USER ? 0 : 0x100000 * (1 + (u64)rand() % 2)) +
			   0x800 * ((u64)rand() % 48);
		struct order_key key = at((u64)rand() % (STEPS * 10 + 20));
		struct recent_task *t = history_recall(f->h, &recent, 0, pid, tid, &key);
		struct location got, want;
		bool found;

		assert_ptr_equal(t->task, history_task(f->h, 0, pid, tid, &key));
		assert_int_equal(t->comm, history_comm(f->h, t->task, &key));
		found = history_recall_place(f->h, &recent, t, mode, addr, &key, &got);
		assert_int_equal(found, history_locate(f->h, t->task, mode, addr, &key, &want));
		assert_ptr_equal(got.mapping, want.mapping);
		assert_int_equal(got.image, want.image);
		assert_int_equal(got.offset, want.offset);
		places += found;
	}
	assert_in_range(places, QUESTIONS / 10, QUESTIONS - 1);
}

/* Checks that 100,000 overlapping maps and 100,000 lives of one pid do not take long. */
static void test_hostile_file(void **state)
{
	struct fixture *f = *state;
	struct order_key key;

	srand(3);
	for (u32 i = 0; i < 100000; i++)
		map_at(f, 5, 0x1000 * (1 + (u64)rand() % 100000),
		       0x1000 * (1 + (u64)rand() % 100000), "/bin/x", i + 1);
	for (u32 i = 0; i < 100000; i++)
		synth_fork(&f->s, 6, 5, 200000 + i);
	for (u32 i = 0; i < 50000; i++) {
		synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0x100000 + i * 0x1000ULL,
			  .len = 0x1000, .v1 = true, .file = "[module]", .time = 400000 + i);
		synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0x100000 + i % 2,
			  .len = 0x10000000, .v1 = true, .file = "[kernel.kallsyms]_text",
			  .time = 400000 + i);
	}
	apply(f);
	for (u32 i = 0; i < 100000; i++) {
		key = at(200000 + i);
		assert_int_equal(history_task(f->h, 0, 6, 6, &key)->generation, i + 1);
	}
}

/* Applies the records that were made since the last call, in the order in which they were made. */
static void apply_new(struct fixture *f, struct history *h, size_t *from)
{
	if (!f->set.list.count)
		synth_set(&f->s, &f->set);
	for (; *from < f->s.at.count; ++*from) {
		struct record rec = synth_record(&f->s, *from);
		struct order_key key = { record_time(&f->set, &rec), 0, rec.position };

		assert_int_equal(history_apply(h, &f->set, &rec, &key, &f->r), 0);
	}
}

static void assert_same_answer(struct fixture *f, struct history *a, struct history *b, u32 pid,
			       u32 tid, u64 time)
{
	struct order_key key = at(time);
	const struct task *x = history_task(a, 0, pid, tid, &key),
			  *y = history_task(b, 0, pid, tid, &key);
	struct location l, m;

	assert_int_equal(x->pid, y->pid);
	assert_int_equal(x->tid, y->tid);
	assert_string_equal(history_comm_text(a, history_comm(a, x, &key)),
			    history_comm_text(b, history_comm(b, y, &key)));
	for (u64 addr = 0x800; addr < 0x14000; addr += 0x800) {
		assert_int_equal(history_locate(a, x, SYNTH_USER, addr, &key, &l),
				 history_locate(b, y, SYNTH_USER, addr, &key, &m));
		assert_int_equal(l.image, m.image);
		assert_int_equal(l.offset, m.offset);
	}
	for (u64 addr = 0x100000; addr < 0x214000; addr += 0x9000) {
		assert_int_equal(history_locate(a, x, SYNTH_KERNEL, addr, &key, &l),
				 history_locate(b, y, SYNTH_KERNEL, addr, &key, &m));
		assert_int_equal(l.image, m.image);
	}
	(void)f;
}

enum { FORKED = 12 };
struct life_times {
	u64 born, exited; /* exited 0: it runs */
};

/* Makes a random event. Tasks that exited do nothing until their tid is used again. */
static void random_event(struct fixture *f, struct life_times *t, u64 time)
{
	u32 tid = 1 + (u32)rand() % FORKED, parent = 1 + (u32)rand() % FORKED;
	char name[16];

	snprintf(name, sizeof(name), "p%u", (u32)rand() % 50);
	switch (t[tid].exited ? 0 : rand() % 8) {
	case 0:
	case 1: /* its EXIT may have been lost */
		if (t[parent].exited)
			break;
		synth_fork(&f->s, tid, parent, time);
		if (t[tid].exited)
			t[tid] = (struct life_times){ .born = time };
		break;
	case 2:
		synth_exit(&f->s, tid, tid, time);
		t[tid].exited = time;
		break;
	case 3:
		synth_exec(&f->s, tid, tid, name, time);
		break;
	case 4:
		synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .v1 = true, .file = "[module]",
			  .start = 0x200000 + 0x1000 * (u64)(rand() % 16), .len = 0x3000,
			  .time = time);
		break;
	default:
		map_at(f, tid, 0x1000 * (1 + (u64)rand() % 16), 0x3000, name, time);
	}
}

/*
 * Checks that a history that forgets the past gives the same answers about the present as one that
 * does not.
 */
static void test_compacted_history_answers_alike(void **state)
{
	enum { ROUNDS = 120, EVENTS = 40 };
	struct fixture *f = *state;
	struct history *whole = history_new(&f->ctx, f->images);
	struct life_times lives[FORKED + 2] = { 0 };
	u64 time = 1;
	size_t in_whole = 0, in_compacted = 0;

	srand(5);
	synth_map(&f->s, .mode = SYNTH_KERNEL, .pid = -1, .start = 0x100000, .len = 0x10000,
		  .v1 = true, .file = "[kernel.kallsyms]_text", .time = 0);
	for (u32 round = 0; round < ROUNDS; round++) {
		u64 before = time - (u64)rand() % 30 % time;
		struct order_key key = at(before);

		for (u32 i = 0; i < EVENTS; i++)
			random_event(f, lives, time++);
		apply_new(f, f->h, &in_compacted);
		apply_new(f, whole, &in_whole);
		history_compact(f->h, &key, NULL);
		for (u32 tid = 1; tid <= FORKED + 1; tid++) {
			u64 from = MAX(before, lives[tid].born);

			if (lives[tid].exited && lives[tid].exited < before)
				continue;
			for (u32 i = 0; i < 6; i++)
				assert_same_answer(f, f->h, whole, tid, tid,
						   from + (u64)rand() % (time - from));
		}
	}
	assert_true(segments_count(&f->h->times.versions) * 4 <
		    segments_count(&whole->times.versions));
	history_free(whole);
}

static bool keeps_first_task(void *arg, u32 id)
{
	return id == *(u32 *)arg;
}

static bool keeps_first_comm(void *arg, u32 comm)
{
	return comm == ((u32 *)arg)[1];
}

/* Checks that a task that a row of a screen still shows keeps its name. */
static void test_kept_task_keeps_its_name(void **state)
{
	struct fixture *f = *state;
	struct order_key key = at(25), later = at(1000000);
	size_t applied = 0;
	const struct task *t;
	u32 kept[2];
	struct history_keep keep = { keeps_first_task, keeps_first_comm, kept };

	synth_fork(&f->s, 20, 1, 10);
	synth_exec(&f->s, 20, 20, "watched", 20);
	map_at(f, 20, 0x1000, 0x1000, "/bin/watched", 21);
	synth_exit(&f->s, 20, 20, 30);
	apply_new(f, f->h, &applied);
	t = history_task(f->h, 0, 20, 20, &key);
	kept[0] = t->id;
	kept[1] = history_comm(f->h, t, &key);
	for (u32 i = 0; i < 100; i++) {
		synth_fork(&f->s, 100 + i, 1, 100 + i);
		synth_exec(&f->s, 100 + i, 100 + i, "other", 100 + i);
		synth_exit(&f->s, 100 + i, 100 + i, 100 + i);
		apply_new(f, f->h, &applied);
		history_compact(f->h, &later, &keep);
	}
	t = history_task_by_id(f->h, kept[0]);
	assert_int_equal(t->pid, 20);
	assert_string_equal(history_comm_text(f->h, kept[1]), "watched");
	assert_string_equal(history_comm_text(f->h, history_comm(f->h, t, &later)), "watched");
	history_compact(f->h, &later, NULL);
	assert_string_equal(history_comm_text(f->h, kept[1]), "");
}

/*
 * Checks the size after an hour of a busy machine: 200 short processes a second with names of their
 * own.
 */
static void test_compacted_history_stays_small(void **state)
{
	enum { PROCESSES = 100000, WARM_UP = 10000 };
	struct fixture *f = *state;
	struct history *h = f->h;
	u32 lives = 0, processes = 0, comms = 0;
	size_t applied = 0, tids = 0;
	char name[16];

	for (u32 i = 0; i < PROCESSES; i++) {
		u32 pid = 1000 + i % 30000;
		u64 time = 10 + (u64)i * 10;
		struct order_key before = at(time - 10);

		snprintf(name, sizeof(name), "job%u", i);
		synth_fork(&f->s, pid, 1, time);
		synth_exec(&f->s, pid, pid, name, time + 1);
		map_at(f, pid, 0x1000, 0x1000, "/bin/job", time + 2);
		map_at(f, pid, 0x10000, 0x1000, "/lib/libc.so", time + 3);
		if (i % 50) /* the EXIT of others is lost */
			synth_exit(&f->s, pid, pid, time + 4);
		apply_new(f, h, &applied);
		strbuf_clear(&f->s.data);
		vec_clear(&f->s.at);
		applied = 0;
		/* a stranger */
		history_comm(h, history_task(h, 0, 40000 + i, 40000 + i, &before), &before);
		if (history_should_compact(h))
			history_compact(h, &before, NULL);
		if (i == WARM_UP * 4) {
			lives = segments_count(&h->lives);
			processes = segments_count(&h->processes);
			comms = segments_count(&h->comms.texts);
			tids = h->tids.space;
		}
	}
	assert_true(lives < WARM_UP * 2);
	assert_in_range(segments_count(&h->lives), 1, lives + lives / 10);
	assert_in_range(segments_count(&h->processes), 1, processes + processes / 10);
	assert_in_range(segments_count(&h->comms.texts), 1, comms + comms / 10);
	assert_in_range(h->tids.space, 1, tids);
	assert_true(segments_count(&h->times.versions) < 100000);
}

#define HISTORY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HISTORY_TEST(test_fork_shares_then_parts),
		HISTORY_TEST(test_pid_reuse),
		HISTORY_TEST(test_tid_reuse_in_other_process),
		HISTORY_TEST(test_exec_from_thread),
		HISTORY_TEST(test_exit_inside_exec),
		HISTORY_TEST(test_leader_exit_keeps_threads_running),
		HISTORY_TEST(test_vfork_child_exec_leaves_parent),
		HISTORY_TEST(test_lost_fork),
		HISTORY_TEST(test_sample_before_first_fork_is_a_stranger),
		HISTORY_TEST(test_overlap_replaces_and_splits),
		HISTORY_TEST(test_text_in_huge_pages),
		HISTORY_TEST(test_map_at_the_samples_time),
		HISTORY_TEST(test_no_times),
		HISTORY_TEST(test_rotation_tail),
		HISTORY_TEST(test_written_fork_clones_nothing),
		HISTORY_TEST(test_late_flush),
		HISTORY_TEST(test_exited_task_owns_nothing),
		HISTORY_TEST(test_swapper),
		HISTORY_TEST(test_same_pid_in_host_and_guest),
		HISTORY_TEST(test_guest_by_event_id),
		HISTORY_TEST(test_kernel_modules_and_bpf),
		HISTORY_TEST(test_kernel_without_addresses),
		HISTORY_TEST(test_generated_code_and_vdso),
		HISTORY_TEST(test_code_stays_in_anonymous_memory),
		HISTORY_TEST(test_fork_told_twice),
		HISTORY_TEST(test_maps_that_perf_had_no_time_for),
		HISTORY_TEST(test_damaged_record),
		HISTORY_TEST(test_code_forms_against_versions),
		HISTORY_TEST(test_recent_answers_are_those_of_the_tables),
		HISTORY_TEST(test_compacted_history_answers_alike),
		HISTORY_TEST(test_kept_task_keeps_its_name),
		HISTORY_TEST(test_compacted_history_stays_small),
		HISTORY_TEST(test_hostile_file),
		cmocka_unit_test(test_space_against_model),
		cmocka_unit_test(test_timeline_against_model),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
