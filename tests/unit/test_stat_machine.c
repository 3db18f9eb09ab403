// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole of perf stat on machines that are not here: a tree of files as
 * /proc and /sys show them, and counters that hold what a script says.  Answers are
 * worked out beside each test.
 */
#include "machine.h"

#include "builtin/stat/internal.h"

/* CPUs 0 1 4 5 are socket 0, 2 3 6 7 socket 1; CPUs n and n + 4 share a core. */
static void test_sockets(void **state)
{
	static const struct script s[] = { { CYCLES, 1000, 0 },
					   { INSTRUCTIONS, 100, 100 }, /* 100, 200 ... 800 */
					   { 20, RAW(4, 3), 10, 5 },  /* 10 on CPU 0, 20 on CPU 2 */
					   { 21, RAW(4, 3), 30, 10 }, /* 30, 50 */
					   SCRIPT_END };

	(void)state;
	skylake();
	/* socket 0: 100 + 200 + 500 + 600 of 4000; socket 1: 300 + 400 + 700 + 800 */
	expect(s, "-a -x, -e cycles,instructions --per-socket",
	       (const char *const[]){ "S0,4,1400,,instructions,4000,100.00,0.35,insn per cycle\n",
				      "S1,4,2200,,instructions,4000,100.00,0.55,insn per cycle\n",
				      NULL });
	/* core 0 of socket 0: CPUs 0, 4: 100 + 500 of 2000 */
	expect(s, "-a -x, -e cycles,instructions --per-core",
	       (const char *const[]){
		       "S0-D0-C0,2,600,,instructions,2000,100.00,0.30,insn per cycle\n",
		       "S1-D0-C1,2,1200,,instructions,2000,100.00,0.60,insn per cycle\n", NULL });
	expect(s, "-a -A -x, -e cycles,instructions",
	       (const char *const[]){ "CPU6,700,,instructions,1000,100.00,0.70,insn per cycle\n",
				      NULL });
	/* (10 + 20 + 30 + 50) * 0.5; by socket (10 + 30) and (20 + 50), each times 0.5 */
	expect(s, "-a -x, -e uncore_imc/reads/", (const char *const[]){ "55.00,MiB,", NULL });
	expect(s, "-a -x, -e uncore_imc/reads/ --per-socket",
	       (const char *const[]){ "S0,1,20.00,MiB,", "S1,1,35.00,MiB,", NULL });
	expect(s, "-a -x, --no-merge -e uncore_imc/reads/",
	       (const char *const[]){ "15.00,MiB,", "40.00,MiB,", NULL });
}

/* percore: both threads of a core together, once for the core or on each thread's line. */
static void test_percore(void **state)
{
	static const struct script s[] = { { 4, 0x3c, 10, 1 }, SCRIPT_END };
	char *out;

	(void)state;
	skylake();
	/* CPUs 1 and 5: 11 + 15 */
	out = run(s, "-a -A -x, --percore-show-thread -e cpu/event=0x3c,percore/");
	assert_non_null(strstr(out, "CPU1,26,,"));
	assert_non_null(strstr(out, "CPU5,26,,"));
	free(out);
	out = run(s, "-a -A -x, -e cpu/event=0x3c,percore/");
	assert_non_null(strstr(out, "CPU1,26,,"));
	assert_null(strstr(out, "CPU5,"));
	free(out);
}

/* Clusters 0 and 10 of two CPUs each, as Arm's firmware tells them: 50 + 60 and 70 + 80. */
static void test_clusters(void **state)
{
	static const struct script s[] = { { CYCLES, 50, 10 }, SCRIPT_END };

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, (s32)(cpu / 2) * 10, cpu);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0-3");
	expect(s, "-a -x, --per-cluster -e cycles",
	       (const char *const[]){ "S0-D0-CLS0,2,110,,cycles,", "S0-D0-CLS10,2,150,,cycles,",
				      NULL });
}

/*
 * Events of the Arm architecture that the driver does not list, in whatever way they are written;
 * what the driver lists is the driver's own.
 */
static void test_arm_events(void **state)
{
	static const struct script s[] = {
		{ 8, 0x1b, 100 }, { 8, 0x10, 200 }, { 8, 0x4005, 300 }, { 8, 0x99, 400 }, SCRIPT_END
	};

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0");
	make_cpu(0, 0, 0, -1, 0);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0");
	tree_put(DEVICES "armv8_pmuv3_0/format/event", "config:0-15");
	tree_put(DEVICES "armv8_pmuv3_0/events/ld_spec", "event=0x99");
	expect(s, "-a -x, -e inst_spec,armv8_pmuv3_0/br_mis_pred/,stall_backend_mem,ld_spec",
	       (const char *const[]){ "100,,inst_spec,", "200,,armv8_pmuv3_0/br_mis_pred/,",
				      "300,,stall_backend_mem,", "400,,ld_spec,", NULL });
	/* no other PMU has them */
	make_machine("processor : 0\nBogoMIPS : 50.00", "0");
	make_cpu(0, 0, 0, -1, 0);
	make_pmu("cpu", 8, "caps/branches", "16");
	assert_int_not_equal(run_code(s, "-a -e cpu/inst_spec/", false), 0);
}

/*
 * NUMA nodes and caches of a machine whose nodes are not its sockets: CPUs 0 1 and 2 3 are
 * nodes 0 and 1 of one socket, with a last cache each: 1 + 2 and 3 + 4.
 */
static void test_nodes_and_caches(void **state)
{
	static const struct script s[] = { { CYCLES, 1, 1 }, SCRIPT_END };

	(void)state;
	make_machine("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 1\nstepping : 1", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++) {
		make_cpu(cpu, 0, 0, -1, cpu);
		make_cache(cpu, 0, 1, "Data", (const char *const[]){ "0", "1", "2", "3" }[cpu]);
		make_cache(cpu, 1, 3, "Unified", cpu < 2 ? "0-1" : "2-3");
	}
	make_pmu("cpu", 4, "caps/branches", "16");
	tree_put("/sys/devices/system/node/online", "0-1");
	tree_put("/sys/devices/system/node/node0/cpulist", "0-1");
	tree_put("/sys/devices/system/node/node1/cpulist", "2-3");
	expect(s, "-a -x, --per-node -e cycles",
	       (const char *const[]){ "N0,2,3,,cycles,", "N1,2,7,,cycles,", NULL });
	expect(s, "-a -x, --per-cache -e cycles",
	       (const char *const[]){ "S0-D0-L3-ID0,2,3,,cycles,", "S0-D0-L3-ID2,2,7,,cycles,",
				      NULL });
	expect(s, "-a -x, --per-cache=L1 -e cycles",
	       (const char *const[]){ "S0-D0-L1-ID3,1,4,,cycles,", NULL });
	expect(s, "-a -x, --per-socket -e cycles",
	       (const char *const[]){ "S0,4,10,,cycles,", NULL });
}

/* Checks two dies with two cores each: 1 + 2 and 3 + 4, by AMD's die_id. */
static void test_dies(void **state)
{
	static const struct script s[] = { { CYCLES, 1, 1 }, SCRIPT_END };

	(void)state;
	make_machine("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 1\nstepping : 1", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, cpu / 2, -1, cpu);
	make_pmu("cpu", 4, "caps/branches", "16");
	expect(s, "-a -x, --per-die -e cycles",
	       (const char *const[]){ "S0-D0,2,3,,cycles,", "S0-D1,2,7,,cycles,", NULL });
	expect(s, "-C 1-2 -x, --per-die -e cycles",
	       (const char *const[]){ "S0-D0,1,2,,cycles,", "S0-D1,1,3,,cycles,", NULL });
}

/*
 * Counters that were shared: 30 counted in 4 % of the time stand for 750, with the share, and a
 * warning for people alone; a group that never ran is said with its cause.
 */
static void test_shares(void **state)
{
	static const struct script s[] = {
		{ CYCLES, 30, 0, 960 },
		{ INSTRUCTIONS, 200, 0, 500 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 0, 1000 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0, 1000 },
		SCRIPT_END
	};
	char *out;
	int code;

	(void)state;
	skylake();
	expect(s, "-C 0 -x, -e cycles,instructions",
	       (const char *const[]){ "\n750,,cycles,40,4.00,,\n",
				      "\n400,,instructions,500,50.00,0.53,insn per cycle\n",
				      NULL });
	expect(s, "-C 0 -x, --no-scale -e cycles,instructions",
	       (const char *const[]){ "\n30,,cycles,40,100.00,,\n",
				      "\n200,,instructions,500,100.00,6.67,insn per cycle\n",
				      NULL });
	out = run_stderr(s, "-C 0 -e cycles,instructions true", &code);
	assert_non_null(strstr(out, "  (4.00%)\n"));
	assert_non_null(strstr(out, "  (50.00%)\n"));
	assert_non_null(strstr(out, "warning: 'cycles' ran 4.0% of the time"));
	assert_null(strstr(out, "'instructions' ran"));
	free(out);
	out = run_stderr(s, "-C 0 -e {branches,branch-misses} true", &code);
	assert_non_null(strstr(out, "<not counted>"));
	assert_non_null(
		strstr(out, "warning: the group led by 'branches' never ran: its 2 events"));
	assert_non_null(strstr(out, "'{...}:W'"));
	free(out);
	tree_put("/proc/sys/kernel/nmi_watchdog", "1");
	out = run_stderr(s, "-C 0 -g -e branches,branch-misses true", &code);
	assert_non_null(strstr(out, "as root: sysctl kernel.nmi_watchdog=0"));
	free(out);
	/* nothing but rows for programs */
	out = run_stderr(s, "-C 0 -x, -e cycles,{branches,branch-misses} true", &code);
	assert_string_equal(out, "750,,cycles,40,4.00,,\n<not counted>,,branches,0,0.00,,\n"
				 "<not counted>,,branch-misses,0,0.00,,\n");
	free(out);
	out = run_stderr(s, "-C 0 -j -e cycles true", &code);
	assert_true(out[0] == '{' && strchr(out, '\n')[1] == '\0');
	free(out);
}

/* Checks which attributes the kernel gets: modes, groups, more events with each -d. */
static void test_attributes(void **state)
{
	static const struct script s[] = { { CYCLES, 1, 0 },
					   { INSTRUCTIONS, 1, 0 },
					   { PERF_TYPE_HW_CACHE, 0, 100, 0 },
					   { PERF_TYPE_HW_CACHE, 0x10000, 5, 0 },
					   { PERF_TYPE_HW_CACHE, 2, 50, 0 },
					   { PERF_TYPE_HW_CACHE, 0x10002, 10, 0 },
					   { PERF_TYPE_HW_CACHE, 3, 200, 0 },
					   { PERF_TYPE_HW_CACHE, 0x10003, 1, 0 },
					   { PERF_TYPE_HW_CACHE, 0x10201, 1, 0 },
					   { PERF_TYPE_HW_CACHE, 0x200, 40, 0 },
					   { PERF_TYPE_HW_CACHE, 0x10200, 4, 0 },
					   SCRIPT_END };
	const u64 modes = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;

	(void)state;
	skylake();
	free(run(s, "-C 0 -x, --all-user -e cycles"));
	assert_true((counters[0].attr.flags & modes) == (ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV));
	free(run(s, "-C 0 -x, --all-kernel -e cycles"));
	assert_true((counters[0].attr.flags & modes) == ATTR_EXCLUDE_USER);
	free(run(s, "-C 0 -x, -g -e cycles,instructions"));
	assert_int_equal(counters[0].group, -1);
	assert_int_equal(counters[1].group, FIRST_FD);
	free(run(s, "-C 0 -x, -M IPC"));
	assert_int_equal(counters[1].group, FIRST_FD);
	free(run(s, "-C 0 -x, --metric-no-group -M IPC"));
	assert_int_equal(counters[1].group, -1);
	free(run(s, "-C 0 -x, -i -e cycles"));
	assert_false(counters[0].attr.flags & ATTR_INHERIT);
	/* 5 of 100, 10 of 50; then the TLB's 1 of 200; then 4 of 40 prefetches */
	expect(s, "-C 0 -x, -d",
	       (const char *const[]){ "5.00,of all L1-dcache accesses\n",
				      "20.00,of all LL-cache accesses\n", NULL });
	expect(s, "-C 0 -x, -dd",
	       (const char *const[]){ "20.00,of all LL-cache accesses\n",
				      "0.50,of all dTLB cache accesses\n", NULL });
	expect(s, "-C 0 -x, -ddd",
	       (const char *const[]){ ",,L1-dcache-prefetches,", ",,L1-dcache-prefetch-misses,",
				      NULL });
}

/* Performance cores 0-1, efficient ones 2-3: each PMU counts on its own, --hybrid-merge adds. */
static void test_hybrid(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_HARDWARE, 4ULL << 32, 1000, 100 },   /* 1000, 1100 */
		{ PERF_TYPE_HARDWARE, 10ULL << 32, 100, 10 },    /* 120, 130 on CPUs 2, 3 */
		{ PERF_TYPE_HARDWARE, 4ULL << 32 | 1, 4200, 0 }, /* instructions */
		{ PERF_TYPE_HARDWARE, 10ULL << 32 | 1, 125, 0 },
		SCRIPT_END
	};
	char *out;

	(void)state;
	make_machine("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 151\nstepping : 2", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, -1, cpu);
	make_pmu("cpu_core", 4, "cpus", "0-1");
	make_pmu("cpu_atom", 10, "cpus", "2-3");
	/* 8400 / 2100, 250 / 250: never one kind's instructions by the other's cycles */
	expect(s, "-a -x, -e cycles,instructions",
	       (const char *const[]){
		       "2100,,cpu_core/cycles/,", "250,,cpu_atom/cycles/,",
		       "8400,,cpu_core/instructions/,2000,100.00,4.00,insn per cycle",
		       "250,,cpu_atom/instructions/,2000,100.00,1.00,insn per cycle", NULL });
	expect(s, "-a -x, --hybrid-merge -e cycles", (const char *const[]){ "2350,,", NULL });
	out = run(s, "-a -x, --cputype atom -e cycles");
	assert_non_null(strstr(out, "250,,cpu_atom/cycles/,"));
	assert_null(strstr(out, "cpu_core"));
	free(out);
}

/*
 * A weak group that the counters have no room for is counted one by one; of another one the rest
 * is.
 */
static void test_weak_group(void **state)
{
	static const struct script s[] = { { CYCLES, 1000, 0 },
					   { INSTRUCTIONS, 500, 0 },
					   { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 20,
					     0 },
					   SCRIPT_END };
	char *out;
	int code;

	(void)state;
	skylake();
	group_room = 2;
	expect(s, "-C 0 -x, -e {cycles,instructions,branch-misses}:W",
	       (const char *const[]){ "\n1000,,cycles,", "\n500,,instructions,",
				      "\n20,,branch-misses,", NULL });
	for (int i = counter_count - 3; i < counter_count; i++)
		assert_int_equal(counters[i].group, -1);
	out = run_stderr(s, "-C 0 -e {cycles,instructions,branch-misses} true", &code);
	assert_int_equal(code, 0);
	assert_non_null(strstr(out, "<not supported>      branch-misses"));
	assert_non_null(strstr(out, " 1000      cycles"));
	assert_non_null(strstr(
		out, "warning: 'branch-misses' does not fit into the counters beside the group "
		     "that 'cycles' leads"));
	assert_non_null(
		strstr(out, "hint: leave out events, or let the group be broken up: '{...}:W'"));
	free(out);
	/* with room for it, it is a group */
	group_room = 3;
	expect(s, "-C 0 -x, -e {cycles,instructions,branch-misses}:W",
	       (const char *const[]){ "\n1000,,cycles,", "\n500,,instructions,",
				      "\n20,,branch-misses,", NULL });
	assert_int_equal(counters[1].group, FIRST_FD);
	assert_int_equal(counters[2].group, FIRST_FD);
	group_room = MOST_FDS;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets),    cmocka_unit_test(test_percore),
		cmocka_unit_test(test_clusters),   cmocka_unit_test(test_arm_events),
		cmocka_unit_test(test_dies),       cmocka_unit_test(test_nodes_and_caches),
		cmocka_unit_test(test_hybrid),     cmocka_unit_test(test_shares),
		cmocka_unit_test(test_weak_group), cmocka_unit_test(test_attributes),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
