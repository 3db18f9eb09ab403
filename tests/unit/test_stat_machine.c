// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole of perf stat on machines that are not here: a tree of files as
 * /proc and /sys show them, and counters that hold what a script says.  Answers are
 * worked out beside each test.
 */
#include "machine.h"

#include "stat/expr.h"

/* CPUs 0 1 4 5 are socket 0, 2 3 6 7 socket 1; CPUs n and n + 4 share a core. */
static void test_sockets(void **state)
{
	static const struct script s[] = {
		{ CYCLES, 1000, 0 },
		{ INSTRUCTIONS, 100, 100 }, /* 100, 200 ... 800 */
		{ 20, RAW(4, 3), 10, 5 },   /* 10 on CPU 0, 20 on CPU 2 */
		{ 21, RAW(4, 3), 30, 10 },  /* 30, 50 */
		SCRIPT_END
	};

	(void)state;
	skylake();
	/* socket 0: 100 + 200 + 500 + 600 of 4000; socket 1: 300 + 400 + 700 + 800 */
	expect(s, "-a -x, -e cycles,instructions --per-socket", (const char *const[]){
		"S0,4,1400,,instructions,4000,100.00,0.35,insn per cycle\n",
		"S1,4,2200,,instructions,4000,100.00,0.55,insn per cycle\n", NULL });
	/* core 0 of socket 0: CPUs 0, 4: 100 + 500 of 2000 */
	expect(s, "-a -x, -e cycles,instructions --per-core", (const char *const[]){
		"S0-D0-C0,2,600,,instructions,2000,100.00,0.30,insn per cycle\n",
		"S1-D0-C1,2,1200,,instructions,2000,100.00,0.60,insn per cycle\n", NULL });
	expect(s, "-a -A -x, -e cycles,instructions", (const char *const[]){
		"CPU6,700,,instructions,1000,100.00,0.70,insn per cycle\n", NULL });
	/* (10 + 20 + 30 + 50) * 0.5; by socket (10 + 30) and (20 + 50), each times 0.5 */
	expect(s, "-a -x, -e uncore_imc/reads/", (const char *const[]){ "55.00,MiB,", NULL });
	expect(s, "-a -x, -e uncore_imc/reads/ --per-socket", (const char *const[]){
		"S0,1,20.00,MiB,", "S1,1,35.00,MiB,", NULL });
	expect(s, "-a -x, --no-merge -e uncore_imc/reads/", (const char *const[]){
		"15.00,MiB,", "40.00,MiB,", NULL });
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

/*
 * Optimization Reference Manual, Top-Down Analysis Method, two threads on a core:
 * slots = 4 * 1000 / 2 = 2000; front end 300 / 2000 = 15 %;
 * bad speculation (1500 - 1000 + 4 * 50 / 2) / 2000 = 30 %; retiring 1000 / 2000 = 50 %;
 * back end 100 - 15 - 30 - 50 = 5 %.
 */
static void test_topdown_skylake(void **state)
{
	static const struct script s[] = {
		{ 4, RAW(0x9c, 1), 300, 0 }, { 4, RAW(0x0e, 1), 1500, 0 },
		{ 4, RAW(0xc2, 2), 1000, 0 }, { 4, RAW(0x0d, 1), 50, 0 },
		{ 4, RAW(0x3c, 0) | 1 << 21, 1000, 0 }, { CYCLES, 700, 0 }, SCRIPT_END
	};

	(void)state;
	skylake();
	expect(s, "-C 0 -x, -M TopdownL1", (const char *const[]){
		",15.0,%  tma_frontend_bound\n", ",30.0,%  tma_bad_speculation\n",
		",50.0,%  tma_retiring\n", ",5.0,%  tma_backend_bound\n", NULL });
	expect(s, "-C 0 -j -M tma_bad_speculation", (const char *const[]){
		"\"metric-value\" : 30.000000, \"metric-unit\" : \"%  tma_bad_speculation\", "
		"\"metric-threshold\" : \"bad\"", NULL });
	expect(s, "-C 0 -j --metric-no-threshold -M tma_bad_speculation", (const char *const[]){
		"\"metric-unit\" : \"%  tma_bad_speculation\"}", NULL });
	expect(s, "-C 0 -x, --topdown", (const char *const[]){ "%  tma_retiring", "50.0,", NULL });
}

/* Ice Lake: the four parts of 100 slots are the events themselves. */
static void test_topdown_icelake(void **state)
{
	static const struct script s[] = {
		{ 4, 0x0400, 100, 0 }, { 4, 0x8000, 40, 0 }, { 4, 0x8100, 10, 0 },
		{ 4, 0x8200, 20, 0 },  { 4, 0x8300, 30, 0 }, SCRIPT_END
	};
	static const char *const events[][2] = {
		{ "slots", "event=0x00,umask=0x4" }, { "topdown-retiring", "event=0x00,umask=0x80" },
		{ "topdown-bad-spec", "event=0x00,umask=0x81" },
		{ "topdown-fe-bound", "event=0x00,umask=0x82" },
		{ "topdown-be-bound", "event=0x00,umask=0x83" },
	};

	(void)state;
	make_machine("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 106\nstepping : 1", "0");
	make_cpu(0, 0, 0, -1, 0);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu/events/%s",
			 events[i][0]);
		tree_put(path, events[i][1]);
	}
	expect(s, "-C 0 -x, -M TopdownL1", (const char *const[]){
		",20.0,%  tma_frontend_bound\n", ",10.0,%  tma_bad_speculation\n",
		",40.0,%  tma_retiring\n", ",30.0,%  tma_backend_bound\n", NULL });
	/* one group, which slots leads, for all four */
	assert_int_equal(counter_count, 5);
	assert_int_equal(counters[0].attr.config, 0x400);
	assert_int_equal(counters[4].group, FIRST_FD);
}

/*
 * PPR of family 19h, model 11h, pipeline utilization: 6 * 1000 slots; front end 1500 = 25 %;
 * back end 3000 = 50 %; other thread 300 = 5 %; dispatched 1200, of them 900 ended:
 * bad speculation 5 %, retiring 15 %.
 */
static void test_topdown_zen4(void **state)
{
	static const struct script s[] = {
		{ 4, RAW(0xa0, 0x01) | 1ULL << 32, 1500, 0 }, { 4, RAW(0xa0, 0x1e) | 1ULL << 32, 3000, 0 },
		{ 4, RAW(0xa0, 0x60) | 1ULL << 32, 300, 0 }, { 4, RAW(0xaa, 0x07), 1200, 0 },
		{ 4, 0xc1, 900, 0 }, { 4, 0x76, 1000, 0 }, SCRIPT_END
	};

	(void)state;
	make_machine("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nstepping : 1", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, cpu / 2, -1, cpu);
	make_pmu("cpu", 4, "caps/branches", "16");
	expect(s, "-a -x, --per-die -M PipelineL1", (const char *const[]){
		"S0-D0,2,", "S0-D1,2,", ",25.0,%  frontend_bound\n", ",50.0,%  backend_bound\n",
		",5.0,%  smt_contention\n", ",5.0,%  bad_speculation\n", ",15.0,%  retiring\n",
		NULL });
}

/*
 * Neoverse N2 guide: slots 5 * 1000; front end 1000 / 5000 - 4 * 10 / 1000 = 16 %;
 * back end 500 / 5000 = 10 %; 800 of 1000 operations ended, 3500 of 5000 slots used:
 * retiring 0.8 * 0.7 = 56 %; bad speculation 0.2 * 0.7 + 0.04 = 18 %.
 */
static void test_topdown_neoverse(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_RAW, 0x11, 1000, 0 }, { PERF_TYPE_RAW, 0x3f, 1500, 0 },
		{ PERF_TYPE_RAW, 0x3e, 1000, 0 }, { PERF_TYPE_RAW, 0x3d, 500, 0 },
		{ PERF_TYPE_RAW, 0x3a, 800, 0 },  { PERF_TYPE_RAW, 0x3b, 1000, 0 },
		{ PERF_TYPE_RAW, 0x10, 10, 0 },	  { CYCLES, 50, 10 }, SCRIPT_END
	};

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0-3");
	tree_put("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		  "0x00000000410fd490");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, (s32)(cpu / 2) * 10, cpu);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0-3");
	expect(s, "-C 0 -x, -M TopdownL1", (const char *const[]){
		",16.0,%  frontend_bound\n", ",10.0,%  backend_bound\n", ",56.0,%  retiring\n",
		",18.0,%  bad_speculation\n", NULL });
	/* clusters 0 and 10: 50 + 60 and 70 + 80 */
	expect(s, "-a -x, --per-cluster -e cycles", (const char *const[]){
		"S0-D0-CLS0,2,110,,cycles,", "S0-D0-CLS10,2,150,,cycles,", NULL });
}

/* POWER9 CPI stack: 3000 cycles for 1000 instructions, 1500 of them stalled. */
static void test_power9(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_RAW, 0x600f4, 3000, 0 }, { PERF_TYPE_RAW, 0x500fa, 1000, 0 },
		{ PERF_TYPE_RAW, 0x1e054, 1500, 0 }, SCRIPT_END
	};

	(void)state;
	make_machine("processor : 0\ncpu : POWER9\nrevision : 2.2 (pvr 004e 1202)", "0");
	make_cpu(0, 0, 0, -1, 0);
	make_pmu("cpu", 4, "caps/pmu_name", "POWER9");
	expect(s, "-C 0 -x, -M RUN_CPI,STALL_CPI", (const char *const[]){
		",3.00,RUN_CPI\n", ",1.50,STALL_CPI\n", NULL });
}

/* Performance cores 0-1, efficient ones 2-3: each PMU counts on its own, --hybrid-merge adds. */
static void test_hybrid(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_HARDWARE, 4ULL << 32, 1000, 100 },	   /* 1000, 1100 */
		{ PERF_TYPE_HARDWARE, 10ULL << 32, 100, 10 },	   /* 120, 130 on CPUs 2, 3 */
		{ PERF_TYPE_HARDWARE, 4ULL << 32 | 1, 4200, 0 },   /* instructions */
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
	expect(s, "-a -x, -e cycles,instructions", (const char *const[]){
		"2100,,cpu_core/cycles/,", "250,,cpu_atom/cycles/,",
		"8400,,cpu_core/instructions/,2000,100.00,4.00,insn per cycle",
		"250,,cpu_atom/instructions/,2000,100.00,1.00,insn per cycle", NULL });
	expect(s, "-a -x, --hybrid-merge -e cycles", (const char *const[]){ "2350,,", NULL });
	out = run(s, "-a -x, --cputype atom -e cycles");
	assert_non_null(strstr(out, "250,,cpu_atom/cycles/,"));
	assert_null(strstr(out, "cpu_core"));
	free(out);
}

static double number_of(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "a-b") ? 6 : !strcmp(name, "cpu/x,y/") ? 4 : !strcmp(name, "n") ? 0 :
								       __builtin_nan("");
}

static void test_expressions(void **state)
{
	static const struct {
		const char *text;
		double value; /* -1: not a number */
	} rows[] = {
		{ "1 + 2 * 3", 7 },	     { "(1 + 2) * 3", 9 },   { "8 - 4 - 2", 2 },
		{ "-a\\-b + 10", 4 },	     { "cpu@x\\,y@ * 2", 8 }, { "7 % 4 / 2", 1.5 },
		{ "1 / n", -1 },	     { "d_ratio(1, n)", 0 }, { "unknown + 1", -1 },
		{ "min(3, max(1, 2))", 2 },  { "5 if n else 7", 7 }, { "5 if n == 0 else 1 / n", 5 },
		{ "1 < 2 & 3 >= 4 | 1", 1 }, { "1e3 - .5", 999.5 },  { "2 if 0 else 3 if 1 else 4", 3 },
	};
	static const char *const faults[] = { "", "1 +", "(1", "foo(1, 2)", "1 2", "min(1)", "1 if 2" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reason r = REASON_INIT;
		struct expr *e = expr_parse(rows[i].text, &r);
		double v;

		if (!e)
			fail_msg("%s: %s", rows[i].text, r.text);
		v = expr_value(e, number_of, NULL);
		if (rows[i].value < 0 ? v == v : v != rows[i].value)
			fail_msg("%s: %f", rows[i].text, v);
		expr_free(e);
	}
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct reason r = REASON_INIT;

		assert_null(expr_parse(faults[i], &r));
		assert_non_null(strchr(r.text, '^'));
		reason_release(&r);
	}
}

/* Every metric of every machine parses, and its threshold too. */
static void test_catalogue(void **state)
{
	static const char *const cpuids[] = {
		"GenuineIntel,6,60,1", "GenuineIntel,6,85,4", "GenuineIntel,6,143,8",
		"AuthenticAMD,23,1,2", "AuthenticAMD,25,97,2", "AuthenticAMD,26,2,1",
		"0x00000000410fd490", "0x00000000411fd401", "0x00000000410fd0c1", "78,513",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpuids); i++) {
		struct metric_catalogue c;

		catalogue_load(&c, metric_catalogue_text, cpuids[i]);
		assert_true(c.list.count > 25);
		vec_for_each(&c.list, it) {
			const char *const texts[] = { it->expression, it->threshold };

			assert_true(*it->description && it->scale > 0);
			for (size_t k = 0; k < 2; k++) {
				struct reason r = REASON_INIT;
				struct expr *e = *texts[k] ? expr_parse(texts[k], &r) : NULL;

				if (*texts[k] && !e)
					fail_msg("%s: %s", it->name, r.text);
				expr_free(e);
			}
		}
		catalogue_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),	  cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_sockets),		  cmocka_unit_test(test_percore),
		cmocka_unit_test(test_topdown_skylake),	  cmocka_unit_test(test_topdown_icelake),
		cmocka_unit_test(test_topdown_zen4),	  cmocka_unit_test(test_topdown_neoverse),
		cmocka_unit_test(test_power9),		  cmocka_unit_test(test_hybrid),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
