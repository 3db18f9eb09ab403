// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel says, read from trees that stand for machines we do not have. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sys/explain.h"
#include "sys/facts.h"
#include "sys/topology.h"
#include "sys/tracefs.h"

static char root[] = "/tmp/perf-sys-XXXXXX";
static struct sys machine = { .root = root };

static void put(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", root, path), *slash = full + strlen(root);
	FILE *f;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(full);
}

static int new_machine(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	assert_non_null(mkdtemp(root));
	return 0;
}

static int remove_machine(void **state)
{
	char *command = xasprintf("rm -rf '%s'", root);

	(void)state;
	(void)!system(command);
	free(command);
	return 0;
}

/* Without sysfs the CPUs that are online are those of /proc/stat. */
static void test_cpus_without_sysfs(void **state)
{
	u32 *cpus = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(sys_cpus(&machine, "online", &cpus, &count, NULL), -ENOENT);
	put("/proc/stat", "cpu  10 0 10 0\ncpu0 5 0 5 0\ncpu2 5 0 5 0\nintr 12 3\nctxt 4\n");
	assert_int_equal(sys_cpus(&machine, "online", &cpus, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[1], 2);
	free(cpus);
	/* where it is mounted, its word holds */
	put("/sys/devices/system/cpu/present", "0-4\n");
	assert_int_equal(sys_cpus(&machine, "online", &cpus, &count, NULL), -ENOENT);
}

/* Two sockets of one core with two threads each, numbered as Intel does; CPU 4 is offline. */
static void build_two_sockets(void)
{
	put("/sys/devices/system/cpu/present", "0-4\n");
	put("/sys/devices/system/cpu/online", "0-3\n");
	for (int cpu = 0; cpu < 4; cpu++) {
		static const char *const files[] = { "core_id", "physical_package_id", "die_id",
						     "cluster_id" };
		const char *pair = cpu % 2 ? "1,3\n" : "0,2\n";
		char path[128];

		for (int i = 0; i < 4; i++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s",
				 cpu, files[i]);
			put(path, i == 1 ? (cpu % 2 ? "1\n" : "0\n") : i == 3 ? "65535\n" : "0\n");
		}
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 "core_siblings_list");
		put(path, pair);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 "core_cpus_list");
		put(path, pair);
	}
	put("/sys/devices/system/node/online", "0-1\n");
	put("/sys/devices/system/node/node0/cpulist", "0,2\n");
	put("/sys/devices/system/node/node1/cpulist", "1,3\n");
	put("/sys/devices/system/node/node1/meminfo",
	    "Node 1 MemTotal:       2048 kB\nNode 1 MemFree:        1000 kB\n");
}

static void test_topology(void **state)
{
	struct cpu_topology t;
	struct numa_topology numa;
	const struct cpu_place *p;

	(void)state;
	build_two_sockets();
	assert_int_equal(cpu_topology_read(&machine, &t, NULL), 0);
	assert_int_equal(t.cpus.count, 5);
	p = cpu_topology_find(&t, 3);
	assert_int_equal(p->socket, 1);
	assert_int_equal(p->node, 1);
	assert_int_equal(p->core, 0);
	assert_int_equal(p->cluster, -1);
	assert_true(p->online);
	p = cpu_topology_find(&t, 4);
	assert_false(p->online);
	assert_int_equal(p->socket, -1);
	assert_null(cpu_topology_find(&t, 5));
	assert_int_equal(t.packages.list.count, 2);
	assert_string_equal(t.packages.list.items[1], "1,3");
	assert_int_equal(t.cores.list.count, 2);
	assert_int_equal(t.dies.list.count, 0);
	cpu_topology_release(&t);
	assert_int_equal(numa_topology_read(&machine, &numa), 0);
	assert_int_equal(numa.nodes.count, 2);
	assert_int_equal(numa.nodes.items[1].memory_total, 2048);
	assert_int_equal(numa.nodes.items[1].memory_free, 1000);
	numa_topology_release(&numa);
}

static void put_cache(int cpu, int index, const char *level, const char *type, const char *cpus)
{
	static const char *const files[] = { "level", "type", "size", "shared_cpu_list",
					     "coherency_line_size" };
	const char *values[] = { level, type, "32K\n", cpus, "64\n" };
	char path[128];

	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu,
			 index, files[i]);
		put(path, values[i]);
	}
}

static void test_caches(void **state)
{
	struct cpu_caches c;
	u32 level;

	(void)state;
	put("/sys/devices/system/cpu/present", "0-1\n");
	for (int cpu = 0; cpu < 2; cpu++) {
		put_cache(cpu, 0, "1\n", "Data\n", cpu ? "1\n" : "0\n");
		put_cache(cpu, 1, "1\n", "Instruction\n", cpu ? "1\n" : "0\n");
		put_cache(cpu, 2, "3\n", "Unified\n", "0-1\n");
	}
	assert_int_equal(cpu_caches_read(&machine, &c), 0);
	assert_int_equal(c.list.count, 5);
	assert_int_equal(c.list.items[0].level, 1);
	assert_string_equal(c.list.items[4].cpus, "0-1");
	assert_int_equal(c.list.items[4].line_size, 64);
	cpu_caches_release(&c);
	assert_int_equal(cpu_cache_id(&machine, 1, 0, &level), 0);
	assert_int_equal(level, 3);
	assert_int_equal(cpu_cache_id(&machine, 1, 1, &level), 1);
	assert_int_equal(cpu_cache_id(&machine, 1, 2, &level), -1);
}

static void test_cpuid(void **state)
{
	static const struct {
		const char *cpuinfo, *midr, *cpuid, *description;
	} rows[] = {
		{ "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		  "model name\t: Intel(R)  Xeon(R)   Gold\nstepping\t: 7\n",
		  NULL, "GenuineIntel,6,85,7", "Intel(R) Xeon(R) Gold" },
		{ "processor\t: 0\nBogoMIPS\t: 50.00\n", "0x00000000410fd0c0\n",
		  "0x00000000410fd0c0", "" },
		{ "processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\n"
		  "revision\t: 2.2 (pvr 004e 1202)\n",
		  "", "78,4610", "POWER9 (raw), altivec supported" },
		{ "processor\t: 0\nisa\t\t: rv64imafdc\nmvendorid\t: 0x489\nmarchid\t\t: "
		  "0x8000000000000007\nmimpid\t\t: 0x20181004\n",
		  "", "0x489-0x8000000000000007-0x20181004", "" },
	};

	(void)state;
	put("/sys/devices/system/cpu/present", "0-7\n");
	put("/sys/devices/system/cpu/online", "0,2-3\n");
	put("/proc/meminfo", "MemTotal:       24684084 kB\nMemFree: 1 kB\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char midr[] =
			"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
		struct machine_facts f;

		put("/proc/cpuinfo", rows[i].cpuinfo);
		if (rows[i].midr && *rows[i].midr) {
			put(midr, rows[i].midr);
		} else {
			char *path = xasprintf("%s%s", root, midr);

			remove(path);
			free(path);
		}
		assert_int_equal(machine_facts_read(&machine, &f, NULL), 0);
		assert_string_equal(f.cpuid, rows[i].cpuid);
		assert_string_equal(f.cpu_description, rows[i].description);
		assert_int_equal(f.cpus_online, 3);
		assert_int_equal(f.cpus_available, 8);
		assert_int_equal(f.memory_total, 24684084);
		machine_facts_release(&f);
	}
}

static void test_tracefs(void **state)
{
	struct reason r = REASON_INIT;
	char *dir;

	(void)state;
	assert_null(tracefs_find(&machine, &r));
	assert_string_equal(r.hint, "as root: mount -t tracefs nodev /sys/kernel/tracing");
	put("/proc/mounts", "none /sys/kernel/tracing tracefs rw,relatime 0 0\n");
	assert_null(tracefs_find(&machine, &r));
	assert_non_null(strstr(r.hint, "setcap cap_dac_read_search"));
	assert_null(strstr(r.hint, "chmod"));
	put("/proc/mounts", "proc /proc proc rw 0 0\nnodev /mnt/t tracefs rw 0 0\n");
	put("/mnt/t/events/sched/sched_switch/id", "9\n");
	dir = tracefs_find(&machine, &r);
	assert_string_equal(dir, "/mnt/t");
	free(dir);
	put("/sys/kernel/debug/tracing/events/x", "");
	dir = tracefs_find(&machine, &r);
	assert_string_equal(dir, "/sys/kernel/debug/tracing");
	free(dir);
	reason_release(&r);
}

static void put_user(int paranoid, const char *capabilities)
{
	char text[128];

	snprintf(text, sizeof(text), "%d\n", paranoid);
	put("/proc/sys/kernel/perf_event_paranoid", text);
	snprintf(text, sizeof(text), "Name:\tperf\nCapEff:\t%s\nSeccomp:\t0\n", capabilities);
	put("/proc/self/status", text);
}

/* Each level of perf_event_paranoid names what it forbids, and the level that would do. */
static void test_paranoid(void **state)
{
	struct perf_event_attr kernel = { .type = PERF_TYPE_SOFTWARE };
	struct perf_event_attr user = { .type = PERF_TYPE_SOFTWARE, .flags = ATTR_EXCLUDE_KERNEL };
	struct perf_event_attr raw = { .type = PERF_TYPE_TRACEPOINT,
				       .sample_type = PERF_SAMPLE_RAW };
	const struct {
		int paranoid;
		const struct perf_event_attr *attr;
		int pid;
		const char *want;
	} rows[] = {
		{ 0, &raw, 5, "raw tracepoint data needs -1" },
		{ 1, &user, -1, "measuring every process of a CPU needs 0" },
		{ 2, &kernel, 5, "measuring the kernel needs 1" },
		{ 3, &user, 5, "measuring at all needs 2" },
		{ 4, &kernel, -1, "kernel.perf_event_paranoid is 4" },
		{ -1, &kernel, -1, "the kernel refuses" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct open_attempt a = {
			.attr = rows[i].attr, .event = "cs", .pid = rows[i].pid, .cpu = -1
		};
		struct reason r = REASON_INIT;

		put_user(rows[i].paranoid, "0000000000000000");
		assert_int_equal(explain_open(&machine, &a, EACCES, &r), -EACCES);
		if (!strstr(r.text, rows[i].want))
			fail_msg("paranoid %d: %s", rows[i].paranoid, r.text);
		assert_non_null(r.hint);
		reason_release(&r);
	}
	/* the hint is an event that can be typed */
	static const char *const names[][2] = {
		{ "cs", "'cs:u'" },
		{ "cs:k", "'cs:u'" },
		{ "cpu/cycles/k", "'cpu/cycles/u'" },
	};

	put_user(2, "0000000000000000");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct open_attempt n = {
			.attr = &kernel, .event = names[i][0], .pid = 5, .cpu = -1
		};
		struct reason why = REASON_INIT;

		explain_open(&machine, &n, EACCES, &why);
		assert_non_null(strstr(why.hint, names[i][1]));
		reason_release(&why);
	}
	/* with CAP_PERFMON the level is not the cause */
	struct open_attempt a = { .attr = &kernel, .event = "cs", .pid = -1, .cpu = 0 };
	struct reason r = REASON_INIT;

	put_user(4, "0000004000000000");
	explain_open(&machine, &a, EPERM, &r);
	assert_null(strstr(r.text, "paranoid"));
	reason_release(&r);
}

static void test_refusals(void **state)
{
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE };
	struct perf_event_attr precise = { .type = PERF_TYPE_RAW,
					   .flags = 2ULL << ATTR_PRECISE_SHIFT };
	struct perf_event_attr lbr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
				       .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK };
	struct perf_event_attr deep = { .sample_max_stack = 500 };
	struct perf_event_attr watch = { .type = PERF_TYPE_BREAKPOINT };
	struct perf_event_attr fast = { .flags = ATTR_FREQ, .sample_freq = 200000 };
	const struct {
		const struct perf_event_attr *attr;
		int err;
		const char *want;
	} rows[] = {
		{ &cycles, ENOENT, "given no hardware counters by its host" },
		{ &precise, EOPNOTSUPP, "cannot be sampled precisely" },
		{ &lbr, EOPNOTSUPP, "records no branch stacks" },
		{ &deep, EOVERFLOW, "500 entries are above the allowed 127" },
		{ &watch, ENOSPC, "no free breakpoint register" },
		{ &fast, EINVAL, "200000 Hz is above the allowed 100000" },
		{ &cycles, EMFILE, "they need 5000 open files" },
		{ &cycles, ESRCH, "there is no process or thread 12" },
		{ &cycles, ENOSYS, "CONFIG_PERF_EVENTS" },
	};

	(void)state;
	put("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
	put("/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put("/proc/sys/kernel/perf_event_max_stack", "127\n");
	put("/sys/bus/event_source/devices/software/type", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct open_attempt a = {
			.attr = rows[i].attr, .event = "x", .pid = 12, .cpu = -1, .wanted_fds = 5000
		};
		struct reason r = REASON_INIT;

		assert_int_equal(explain_open(&machine, &a, rows[i].err, &r), -rows[i].err);
		if (!strstr(r.text, rows[i].want))
			fail_msg("%s: %s", strerror(rows[i].err), r.text);
		if (rows[i].attr == &lbr)
			assert_non_null(strstr(r.hint, "--call-graph fp"));
		reason_release(&r);
	}
	assert_false(hardware_pmu_present(&machine));
	put("/sys/bus/event_source/devices/cpu_core/type", "4\n");
	assert_true(hardware_pmu_present(&machine));
}

static void check_kallsyms(const char *why, const char *hint)
{
	const char *h, *w = explain_kallsyms(&machine, &h);

	if (!why)
		assert_null(w);
	else
		assert_non_null(strstr(w, why));
	if (!hint)
		assert_null(h);
	else
		assert_non_null(strstr(h, hint));
}

static void test_kallsyms(void **state)
{
	(void)state;
	check_kallsyms("CONFIG_KALLSYMS", NULL);
	put("/proc/kallsyms", "");
	put("/proc/sys/kernel/kptr_restrict", "0\n");
	put_user(2, "0000000000000000");
	check_kallsyms("perf_event_paranoid", "sysctl kernel.perf_event_paranoid=1");
	put_user(1, "0000000000000000");
	check_kallsyms(NULL, NULL);
	put("/proc/sys/kernel/kptr_restrict", "1\n");
	check_kallsyms("kptr_restrict is 1", "sysctl kernel.kptr_restrict=0");
	put_user(1, "0000000400000000"); /* CAP_SYSLOG */
	check_kallsyms(NULL, NULL);
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	check_kallsyms("kptr_restrict is 2", "sysctl kernel.kptr_restrict=1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, new_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cpus_without_sysfs),
		TEST(test_topology),
		TEST(test_caches),
		TEST(test_cpuid),
		TEST(test_tracefs),
		TEST(test_paranoid),
		TEST(test_refusals),
		TEST(test_kallsyms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
