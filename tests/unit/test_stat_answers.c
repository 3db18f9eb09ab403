// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A metric for each line of arch/ARCH/metrics that no other test computes, with the answer worked
 * out beside it, and which section each processor model gets.
 */
#include "machine.h"

#include "stat/catalogue.h"

#define HW(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define SW(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
/* linux/perf_event.h: cache | operation << 8 | result << 16; only reads here */
#define CACHE(kind, result) PERF_TYPE_HW_CACHE, (u64)(kind) | (u64)(result) << 16
enum { L1D, L1I, LL, DTLB, ITLB };

/*
 * 2000 cycles and 1000 instructions in 4 ms of processor time (task-clock counts ns), 400 branches
 * with 20 wrong guesses; each cache's misses of its reads; stalls 300 (front) and 500 (back).
 */
/* clang-format off */
static const struct script counts[] = {
	{ HW(CPU_CYCLES), 1500, 0, 0, ATTR_EXCLUDE_KERNEL }, { HW(CPU_CYCLES), 500, 0, 0, ATTR_EXCLUDE_USER },
	{ HW(CPU_CYCLES), 2000, 0 },	   { HW(INSTRUCTIONS), 1000, 0 },
	{ HW(BRANCH_INSTRUCTIONS), 400, 0 }, { HW(BRANCH_MISSES), 20, 0 },
	{ HW(CACHE_REFERENCES), 80, 0 },   { HW(CACHE_MISSES), 20, 0 },
	{ HW(STALLED_CYCLES_FRONTEND), 300, 0 }, { HW(STALLED_CYCLES_BACKEND), 500, 0 },
	{ SW(TASK_CLOCK), 4000000, 0 },	   { SW(CONTEXT_SWITCHES), 8, 0 },
	{ SW(CPU_MIGRATIONS), 2, 0 },	   { SW(PAGE_FAULTS), 40, 0 },
	{ SW(PAGE_FAULTS_MAJ), 10, 0 },
	{ CACHE(L1D, 0), 500, 0 },  { CACHE(L1D, 1), 50, 0 }, { CACHE(L1I, 0), 400, 0 }, { CACHE(L1I, 1), 8, 0 },
	{ CACHE(LL, 0), 50, 0 },    { CACHE(LL, 1), 10, 0 },  { CACHE(DTLB, 0), 600, 0 }, { CACHE(DTLB, 1), 3, 0 },
	{ CACHE(ITLB, 0), 300, 0 }, { CACHE(ITLB, 1), 6, 0 }, SCRIPT_END
};
/* clang-format on */

/*
 * Checks metrics that are one quotient of two events; linux/perf_event.h says what each event
 * counts.
 */
static void test_generic(void **state)
{
	static const struct {
		const char *metric, *line;
	} rows[] = {
		{ "insn_per_cycle", ",0.50,insn_per_cycle\n" },
		{ "IPC", ",0.50,IPC\n" },
		{ "CPI", ",2.00,CPI\n" },
		/* 2000 cycles in 4000000 ns: 0.0005, shown with two digits; see test_rates */
		{ "cs_per_second", ",2000.0,cs/sec  cs_per_second\n" },
		{ "migrations_per_second", ",500.0,migrations/sec  migrations_per_second\n" },
		{ "page_faults_per_second", ",10000.0,faults/sec  page_faults_per_second\n" },
		{ "major_fault_ratio", ",25.0,%  major_fault_ratio\n" },
		{ "branch_frequency", ",0.1,M/sec  branch_frequency\n" },
		{ "branch_miss_rate", ",5.0,%  branch_miss_rate\n" },
		{ "branch_mpki", ",20.00,branch_mpki\n" },
		{ "cache_miss_rate", ",25.0,%  cache_miss_rate\n" },
		{ "cache_mpki", ",20.00,cache_mpki\n" },
		{ "l1d_miss_rate", ",10.0,%  l1d_miss_rate\n" },
		{ "l1i_miss_rate", ",2.0,%  l1i_miss_rate\n" },
		{ "llc_miss_rate", ",20.0,%  llc_miss_rate\n" },
		{ "dtlb_miss_rate", ",0.5,%  dtlb_miss_rate\n" },
		{ "itlb_miss_rate", ",2.0,%  itlb_miss_rate\n" },
		{ "frontend_cycles_idle", ",15.0,%  frontend_cycles_idle\n" },
		{ "backend_cycles_idle", ",25.0,%  backend_cycles_idle\n" },
		{ "stalled_cycles_per_instruction", ",0.50,stalled_cycles_per_instruction\n" },
		{ "kernel_share", ",25.0,%  kernel_share\n" },
	};

	(void)state;
	skylake();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *args = xasprintf("-C 0 -x, -M %s", rows[i].metric);

		expect(counts, args, (const char *const[]){ rows[i].line, NULL });
		free(args);
	}
}

/* Returns the number in front of a label in "-x," output. */
static double value_of(const char *out, const char *label)
{
	const char *end = strstr(out, label), *start = end;

	assert_non_null(end);
	while (start > out && start[-1] != ',' && start[-1] != '\n')
		start--;
	return strtod(start, NULL);
}

/*
 * Checks rates: 8e9 cycles in 4 s are 2 per ns, and CPUs are processor time by the wall clock in
 * the same output.
 */
static void test_rates(void **state)
{
	static const struct script s[] = { { HW(CPU_CYCLES), 8000000000, 0 },
					   { SW(TASK_CLOCK), 4000000000, 0 },
					   SCRIPT_END };
	double ns, cpus;
	char *out;

	(void)state;
	skylake();
	expect(s, "-C 0 -x, -M cycles_frequency",
	       (const char *const[]){ ",2.00,cycles_frequency\n", NULL });
	out = run(s, "-C 0 -x, -M CPUs_utilized");
	ns = value_of(out, ",ns,duration_time,");
	cpus = value_of(out, ",CPUs_utilized\n");
	if (!(ns > 0) || cpus < 4e9 / ns * 0.999 - 0.01 || cpus > 4e9 / ns * 1.001 + 0.01)
		fail_msg("%f of %f ns:\n%s", cpus, ns, out);
	note_answer(",1,CPUs_utilized\n");
	free(out);
}

/*
 * Checks common events by the Arm Architecture Reference Manual: refills 30 of 300 accesses of the
 * second cache, misses 12 of 48 reads of the last, walks 4 of 800 and 5 of 250 look-ups.
 */
static void test_arm_common(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x16, 300, 0 },
					   { PERF_TYPE_RAW, 0x17, 30, 0 },
					   { PERF_TYPE_RAW, 0x36, 48, 0 },
					   { PERF_TYPE_RAW, 0x37, 12, 0 },
					   { PERF_TYPE_RAW, 0x25, 800, 0 },
					   { PERF_TYPE_RAW, 0x34, 4, 0 },
					   { PERF_TYPE_RAW, 0x26, 250, 0 },
					   { PERF_TYPE_RAW, 0x35, 5, 0 },
					   SCRIPT_END };

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0-3");
	tree_put("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd0c1");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, -1, cpu);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0-3");
	expect(s,
	       "-C 0 -x, -M "
	       "l2_cache_miss_ratio,ll_cache_read_miss_ratio,dtlb_walk_ratio,itlb_walk_ratio",
	       (const char *const[]){
		       ",10.0,%  l2_cache_miss_ratio\n", ",25.0,%  ll_cache_read_miss_ratio\n",
		       ",0.5,%  dtlb_walk_ratio\n", ",2.0,%  itlb_walk_ratio\n", NULL });
}

/*
 * Checks the CPI stacks of the guides that arch/powerpc/metrics names. 3000 cycles, 1000
 * instructions; 300 cycles without one in the pipeline, 900 that completed, 150 of another thread;
 * 5 wrong guesses, 7 loads missed the first cache, 2 the second.
 */
static void test_power(void **state)
{
	static const struct {
		const char *pvr, *metrics, *lines[8];
		struct script s[10];
	} rows[] = {
		{ "004e 1202",
		  "RUN_CPI,NOTHING_DISPATCHED_CPI,COMPLETION_CPI,"
		  "THREAD_BLOCK_STALL_CPI,BR_MPKI,L1_LD_MPKI,L2_MPKI",
		  { ",3.00,RUN_CPI\n", ",0.30,NOTHING_DISPATCHED_CPI\n", ",0.90,COMPLETION_CPI\n",
		    ",0.15,THREAD_BLOCK_STALL_CPI\n", ",5.00,BR_MPKI\n", ",7.00,L1_LD_MPKI\n",
		    ",2.00,L2_MPKI\n" },
		  { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
		    { PERF_TYPE_RAW, 0x500fa, 1000, 0 },
		    { PERF_TYPE_RAW, 0x100f8, 300, 0 },
		    { PERF_TYPE_RAW, 0x100f2, 900, 0 },
		    { PERF_TYPE_RAW, 0x1001c, 150, 0 },
		    { PERF_TYPE_RAW, 0x400f6, 5, 0 },
		    { PERF_TYPE_RAW, 0x3e054, 7, 0 },
		    { PERF_TYPE_RAW, 0x200fe, 2, 0 },
		    SCRIPT_END } },
		{ "004c 0200",
		  "RUN_CPI,GCT_EMPTY_CPI,BR_MPKI,L1_LD_MPKI",
		  { ",3.00,RUN_CPI\n", ",0.30,GCT_EMPTY_CPI\n", ",5.00,BR_MPKI\n",
		    ",7.00,L1_LD_MPKI\n" },
		  { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
		    { PERF_TYPE_RAW, 0x500fa, 1000, 0 },
		    { PERF_TYPE_RAW, 0x100f8, 300, 0 },
		    { PERF_TYPE_RAW, 0x400f6, 5, 0 },
		    { PERF_TYPE_RAW, 0x3e054, 7, 0 },
		    SCRIPT_END } },
		{ "0080 0200",
		  "RUN_CPI,DISPATCH_STALL_CPI,BR_MPKI,L1_LD_MPKI",
		  { ",3.00,RUN_CPI\n", ",0.30,DISPATCH_STALL_CPI\n", ",5.00,BR_MPKI\n",
		    ",7.00,L1_LD_MPKI\n" },
		  { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
		    { PERF_TYPE_RAW, 0x500fa, 1000, 0 },
		    { PERF_TYPE_RAW, 0x100f8, 300, 0 },
		    { PERF_TYPE_RAW, 0x400f6, 5, 0 },
		    { PERF_TYPE_RAW, 0x3e054, 7, 0 },
		    SCRIPT_END } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf("processor : 0\ncpu : POWER\nrevision : 2.2 (pvr %s)",
				       rows[i].pvr);
		char *args = xasprintf("-C 0 -x, -M %s", rows[i].metrics);

		make_machine(text, "0");
		make_cpu(0, 0, 0, -1, 0);
		make_pmu("cpu", 4, "caps/pmu_name", "POWER");
		expect(rows[i].s, args, rows[i].lines);
		free(args);
		free(text);
	}
}

/*
 * Slots that a thread has: on Haswell and Skylake (two threads on the core, 1000 cycles of it)
 * 4 * 1000 / 2; Zen 4 has 6 in each of 1000 cycles, Zen 5 eight.
 */
static void test_slots(void **state)
{
	static const struct script intel[] = { { 4, RAW(0x3c, 0) | ANY_THREAD, 1000, 0 },
					       { CYCLES, 700, 0 },
					       SCRIPT_END };
	static const struct script amd[] = { { 4, 0x76, 1000, 0 }, SCRIPT_END };
	static const struct {
		const char *cpuinfo, *metric, *line;
		const struct script *s;
	} rows[] = {
		{ "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 60\nstepping : 3", "tma_slots",
		  ",2000.00,tma_slots\n", intel },
		{ "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 94\nstepping : 3", "tma_slots",
		  ",2000.00,tma_slots\n", intel },
		{ "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 97\nstepping : 2",
		  "total_dispatch_slots", ",6000.00,total_dispatch_slots\n", amd },
		{ "vendor_id : AuthenticAMD\ncpu family : 26\nmodel : 2\nstepping : 1",
		  "total_dispatch_slots", ",8000.00,total_dispatch_slots\n", amd },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *args = xasprintf("-C 0 -x, -M %s", rows[i].metric);

		make_machine(rows[i].cpuinfo, "0-1");
		for (u32 cpu = 0; cpu < 2; cpu++) {
			make_cpu(cpu, 0, 0, -1, 0);
			make_siblings(cpu, "0-1", "0-1");
		}
		tree_put("/sys/devices/system/cpu/smt/active", "1");
		make_pmu("cpu", 4, "caps/branches", "16");
		expect(rows[i].s, args, (const char *const[]){ rows[i].line, NULL });
		free(args);
	}
}

/*
 * Models of one section (SDM volume 4, table 2-1; Intel's family file of Linux; AMD's PPRs; the
 * processor version registers of Linux): the formulas of each are those of the section's first.
 */
static void test_models(void **state)
{
	static const struct {
		const char *format, *metric, *pmu;
		const char *models;
	} rows[] = {
		{ "GenuineIntel,6,%s,1", "tma_frontend_bound", NULL,
		  "42 45 58 62 60 63 69 70 61 71 79 86" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "42 45" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "58 62" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "60 63 69 70" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "61 71 79 86" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "85 78 94 142 158 165 166" },
		{ "GenuineIntel,6,%s,1", "tma_retiring", NULL,
		  "106 108 125 126 140 141 143 167 173 174 207" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "106 108 125 126 140 141 167" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", NULL, "143 173 174 207" },
		{ "GenuineIntel,6,%s,1", "tma_memory_bound", "cpu_core",
		  "151 154 170 172 181 183 186 189 191 197 198" },
		{ "GenuineIntel,6,%s,1", "tma_retiring", "cpu_atom", "151 154 183 186 191" },
		{ "GenuineIntel,6,%s,1", "tma_retiring", "cpu_atom", "170 172 181" },
		{ "GenuineIntel,6,%s,1", "tma_retiring", "cpu_atom", "189 197 198" },
		{ "AuthenticAMD,25,%s,1", "retiring", NULL, "17 16 24 31 96 97 116 120 160 175" },
		{ "AuthenticAMD,26,%s,1", "retiring", NULL, "2 0 36 68 96" },
		{ "0x00000000%s", "retiring", NULL, "411fd401 410fd4f0" },
		{ "%s,0200", "retiring", NULL, "75 76 77" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct strlist models = { VEC_INIT };
		u32 section = 0;

		strlist_split(&models, rows[i].models, " ");
		vec_for_each(&models.list, it) {
			char cpuid[64];
			struct metric_catalogue c;
			const struct metric_entry *m;

			snprintf(cpuid, sizeof(cpuid), rows[i].format, *it);
			catalogue_load(&c, metric_catalogue_text, cpuid);
			m = catalogue_find(&c, rows[i].metric, rows[i].pmu);
			if (!m)
				fail_msg("%s has no %s", cpuid, rows[i].metric);
			if (it == models.list.items)
				section = m->section;
			else if (m->section != section)
				fail_msg("%s: %s of another section", cpuid, rows[i].metric);
			catalogue_release(&c);
		}
		strlist_release(&models);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic),    cmocka_unit_test(test_rates),
		cmocka_unit_test(test_arm_common), cmocka_unit_test(test_power),
		cmocka_unit_test(test_slots),      cmocka_unit_test(test_models),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
