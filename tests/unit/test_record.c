// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "record/internal.h"
#include "sys/sys.h"
#include "tree.h"

#define MB (1ULL << 20)

static void expect(const struct loss_facts *f, const char *in_cause, const char *whole_remedy)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;

	record_explain_loss(f, &cause, &remedy);
	assert_non_null(strstr(strbuf_cstr(&cause), in_cause));
	assert_string_equal(strbuf_cstr(&remedy), whole_remedy);
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

/* The kernel's chains of arm64 lack the link register, those of powerpc have it, x86 has none. */
static void leaf_registers(void **state)
{
	(void)state;
	assert_int_equal(record_leaf_regs(arch_by_name("aarch64")), BIT64(30));
	assert_int_equal(record_leaf_regs(arch_by_name("ppc64le")), 0);
	assert_int_equal(record_leaf_regs(arch_by_name("x86_64")), 0);
}

/* A ring below the usual size comes first, whatever else was slow. */
static void small_rings(void **state)
{
	struct loss_facts f = { .lost = 1,
				.ring = 4096,
				.ring_may_grow = true,
				.ran_ns = 100,
				.waited_ns = 90,
				.emptying_ns = 90 };

	(void)state;
	expect(&f, "rings of 4 kB", "use larger rings: -m 2M");
	f.ring = 2 * MB;
	f.waited_ns = f.emptying_ns = 0;
	expect(&f, "rings of 2048 kB", "use larger rings: -m 8M");
}

static void no_cpu(void **state)
{
	struct loss_facts f = { .lost = 1,
				.ring = 2 * MB,
				.ring_may_grow = true,
				.ran_ns = 1000,
				.waited_ns = 400,
				.emptying_ns = 900 };

	(void)state;
	expect(&f, "waited for a CPU 40%", "give it priority over what it watches: -r 1 (as root)");
	f.waited_ns = 100;
	f.freq_applies = true;
	f.freq = 4000;
	expect(&f, "writing them took 90%", "take fewer samples: -F 2000");
}

/* Each kind of recording has its own way to write less. */
static void less_to_write(void **state)
{
	struct loss_facts f = { .lost = 1,
				.ring = 512 * 1024,
				.ran_ns = 1000,
				.freq = 4000,
				.freq_applies = true,
				.stack_bytes = 8192 };

	(void)state;
	expect(&f, "rings of 512 kB", "copy less of the stack: --call-graph dwarf,4096");
	f.stack_bytes = 1024;
	expect(&f, "rings", "take fewer samples: -F 2000");
	f.freq_applies = false;
	expect(&f, "rings", "sample only every tenth event: -c 10");
	f.period = 100;
	expect(&f, "rings", "take fewer samples: -c 1000");
	f.ring = 64 * MB;
	f.ring_may_grow = true;
	expect(&f, "rings of 65536 kB", "take fewer samples: -c 1000");
}

/* Own samples go, wherever the ring wraps, also through a record; all else stays as it was. */
static void own_samples(void **state)
{
	enum { RECORDS = 9, SIZE = 32, ALL = RECORDS * SIZE, OURS = 4711 };
	const struct record_own own = { .pid = OURS, .pid_at = 16 };
	const u32 pids[RECORDS] = { OURS, 1, OURS, OURS, 2, OURS, 0, 3, OURS };
	u8 all[ALL] = { 0 }, want[ALL];
	struct strbuf out = STRBUF_INIT;
	size_t kept = 0;

	(void)state;
	for (u32 i = 0; i < RECORDS; i++) {
		/* one is no sample, though our number stands in it */
		u32 type = i == 5 ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SAMPLE;
		u16 size = SIZE;
		u8 *p = all + i * SIZE;

		memcpy(p, &type, 4);
		memcpy(p + 6, &size, 2);
		memcpy(p + 16, &pids[i], 4);
		p[24] = (u8)(i + 1);
		if (type == PERF_RECORD_SAMPLE && pids[i] == OURS)
			continue;
		memcpy(want + kept, p, SIZE);
		kept += SIZE;
	}
	for (size_t cut = 8; cut <= ALL; cut += 8) {
		u8 first[ALL], second[ALL];
		struct ring_data d = { first, cut < ALL ? second : NULL, cut, ALL - cut };
		struct record_counts c = { 0 };

		memcpy(first, all, cut);
		memcpy(second, all + cut, ALL - cut);
		assert_int_equal(record_tally(&c, &d, SIZE_MAX, &own), 4);
		assert_int_equal(c.own, 4);
		assert_int_equal(c.samples, 4);
		record_without_own(&d, &own, &out);
		assert_int_equal(out.len, kept);
		assert_memory_equal(out.s, want, kept);
		assert_int_equal(record_tally(&c, &d, ALL, &(struct record_own){ .pid = OURS }), 0);
		assert_int_equal(d.first_size + d.second_size, ALL);
		/* a piece ends with the record that makes it large enough */
		assert_int_equal(
			record_tally(&c, &d, 3 * SIZE - 1, &(struct record_own){ .pid = OURS }), 0);
		assert_int_equal(d.first_size, MIN(cut, 3 * SIZE));
		assert_int_equal(d.first_size + d.second_size, 3 * SIZE);
	}
	strbuf_release(&out);
}

/* ---- the default event on machines that are not here ---- */

struct machine {
	const char *cpuinfo;
	bool pmu;         /* counts cycles */
	bool ibs;         /* samples precise cycles with a PMU that cannot exclude guests */
	const char *name; /* what the event is called once it is open */
	u32 type;
	bool exclude_guest;
};

static int machine_open(void *arg, const struct perf_event_attr *attr, pid_t pid, s32 cpu,
			int group_fd, unsigned long flags)
{
	const struct machine *m = arg;

	(void)pid, (void)cpu, (void)group_fd, (void)flags;
	if (attr->type == PERF_TYPE_HARDWARE && !m->pmu)
		return -ENOENT;
	if (attr->type == PERF_TYPE_HARDWARE && m->ibs && (attr->flags & ATTR_PRECISE_MASK) &&
	    (attr->flags & ATTR_EXCLUDE_GUEST))
		return -EINVAL;
	return memfd_create("event", MFD_CLOEXEC);
}

static ssize_t machine_read(void *arg, int fd, void *data, size_t size)
{
	(void)arg, (void)fd;
	memset(data, 0, size);
	return (ssize_t)size;
}

static int machine_control(void *arg, int fd, unsigned long request, void *value)
{
	(void)arg, (void)fd, (void)request, (void)value;
	return 0;
}

static void machine_close(void *arg, int fd)
{
	(void)arg;
	close(fd);
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

static void expect_default(const struct machine *m)
{
	struct live_backend backend = { machine_open, machine_read,  machine_control, machine_close,
					machine_map,  machine_unmap, (void *)m };
	struct context ctx = { .buildid_dir = "" };
	struct sys sys = { .root = tree_root };
	struct target t = { .tids = xcalloc(1, sizeof(pid_t)), .tid_count = 1 };
	struct event_set set;
	const struct event *ev;
	struct live *l;

	t.tids[0] = getpid();
	tree_put("/proc/cpuinfo", m->cpuinfo);
	tree_put("/sys/devices/system/cpu/online", "0");
	event_set_init(&set);
	record_add_default_event(NULL, &sys, &set);
	assert_int_equal(live_open(&ctx, &set, &t,
				   &(struct live_options){ .backend = &backend, .sys = &sys }, &l,
				   NULL),
			 0);
	ev = set.list.items[0];
	assert_string_equal(ev->name, m->name);
	assert_int_equal(ev->attr.type, m->type);
	assert_int_equal((ev->attr.flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT, 3);
	assert_int_equal(!!(ev->attr.flags & ATTR_EXCLUDE_GUEST), m->exclude_guest);
	live_close(l);
	condition_list_release(&ctx.conditions);
	event_set_release(&set);
	target_release(&t);
}

#define INTEL "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6"
#define AMD   "processor : 0\nvendor_id : AuthenticAMD\ncpu family : 25"
#define ARM64 "processor : 0\nBogoMIPS : 100.00\n\nvendor_id : AuthenticAMD"

/* perf 6.1 opens the same on these machines, by arch_evsel__fixup_new_cycles(). */
static void default_event_by_machine(void **state)
{
	static const struct machine machines[] = {
		{ INTEL, false, false, "cpu-clock:pppH", PERF_TYPE_SOFTWARE, true },
		{ INTEL, true, false, "cycles:P", PERF_TYPE_HARDWARE, true },
		{ AMD, false, false, "cpu-clock:ppp", PERF_TYPE_SOFTWARE, false },
		{ AMD, true, true, "cycles:P", PERF_TYPE_HARDWARE, false },
		{ ARM64, true, false, "cycles:P", PERF_TYPE_HARDWARE, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		expect_default(&machines[i]);
}

/* A record of a process, as the kernel writes its beginning: 32 bytes. */
static void add_task_record(struct strbuf *to, u32 type, u32 pid)
{
	const u32 rest[6] = { pid, pid, pid, pid };
	const struct record_header h = { .type = type, .size = sizeof(h) + sizeof(rest) };

	strbuf_add(to, &h, sizeof(h));
	strbuf_add(to, rest, sizeof(rest));
}

static void note(struct carried_tasks *c, struct strbuf *b)
{
	const struct ring_data d = { .first = (const u8 *)b->s, .first_size = b->len };

	carried_note(c, &d);
	strbuf_clear(b);
}

/*
 * The records of a pid with which the next file begins, where /proc lists its name and maybe its
 * mapping.
 */
static size_t carried_over(struct carried_tasks *c, u32 pid, bool has_mapping, u64 ring_bytes)
{
	struct strbuf begin = STRBUF_INIT;
	size_t n = 0, listed;

	add_task_record(&begin, PERF_RECORD_COMM, pid);
	if (has_mapping)
		add_task_record(&begin, PERF_RECORD_MMAP2, pid);
	listed = begin.len;
	carried_begin(c, &begin, ring_bytes);
	for (size_t at = listed; at < begin.len; at += 32)
		n += ((const u32 *)(begin.s + at))[2] == pid;
	strbuf_release(&begin);
	return n;
}

/*
 * A process that /proc does not know any more is named in the next file as long as a ring may hold
 * a sample of its: until all rings were emptied after the record of its end, or as much was read
 * as they can hold.
 */
static void tasks_that_are_gone(void **state)
{
	enum { PID = 42, RINGS = 1000 };

	struct carried_tasks *c = carried_new();
	struct strbuf ring = STRBUF_INIT;
	u64 noted;

	(void)state;
	assert_int_equal(carried_over(c, 1, true, RINGS), 0);
	add_task_record(&ring, PERF_RECORD_COMM, PID);
	add_task_record(&ring, PERF_RECORD_MMAP2, PID);
	note(c, &ring);
	/* alive: /proc says it all */
	assert_int_equal(carried_over(c, PID, true, RINGS), 0);
	/* about to end, though all rings were emptied: the record of its end is still to come */
	carried_drained(c, carried_noted(c));
	assert_int_equal(carried_over(c, PID, false, RINGS), 2);
	/*
	 * its end is in the ring of one CPU; another that was emptied before it may have filled
	 * since
	 */
	noted = carried_noted(c);
	add_task_record(&ring, PERF_RECORD_EXIT, PID);
	note(c, &ring);
	carried_drained(c, noted);
	assert_int_equal(carried_over(c, PID, false, RINGS), 4);
	/* and in the next file nothing is left of it */
	carried_drained(c, carried_noted(c));
	assert_int_equal(carried_over(c, PID, false, RINGS), 0);

	/* rings that never are empty */
	add_task_record(&ring, PERF_RECORD_COMM, PID + 1);
	add_task_record(&ring, PERF_RECORD_EXIT, PID + 1);
	note(c, &ring);
	assert_int_equal(carried_over(c, PID + 1, false, RINGS), 2);
	while (carried_noted(c) < RINGS) {
		add_task_record(&ring, PERF_RECORD_SAMPLE, PID + 2);
		note(c, &ring);
	}
	assert_int_equal(carried_over(c, PID + 1, false, RINGS), 3);
	for (int i = 0; i < RINGS / 32; i++)
		add_task_record(&ring, PERF_RECORD_SAMPLE, PID + 2);
	note(c, &ring);
	assert_int_equal(carried_over(c, PID + 1, false, RINGS), 0);
	strbuf_release(&ring);
	carried_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(default_event_by_machine, tree_make, tree_remove),
		cmocka_unit_test(leaf_registers),
		cmocka_unit_test(small_rings),
		cmocka_unit_test(no_cpu),
		cmocka_unit_test(less_to_write),
		cmocka_unit_test(own_samples),
		cmocka_unit_test(tasks_that_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
