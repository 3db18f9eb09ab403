// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics of processors that are not here: counters that hold what a script says, and the
 * answers worked out beside each test from the manual that is cited.
 */
#include <signal.h>
#include <sys/wait.h>

#include "machine.h"

#include "event/parse.h"
#include "stat/expr.h"
#include "stat/metrics.h"

static double number_of(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "a-b")        ? 6
	       : !strcmp(name, "cpu/x,y/") ? 4
	       : !strcmp(name, "n")        ? 0
					   : __builtin_nan("");
}

static void test_expressions(void **state)
{
	/* clang-format off */
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
	/* clang-format on */
	static const char *const faults[] = { "",    "1 +",    "(1",    "foo(1, 2)",
					      "1 2", "min(1)", "1 if 2" };

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

/* Checks that every metric of every machine and its threshold can be parsed. */
static void test_catalogue(void **state)
{
	/* clang-format off */
	static const char *const cpuids[] = {
		"GenuineIntel,6,60,1", "GenuineIntel,6,85,4", "GenuineIntel,6,143,8",
		"AuthenticAMD,23,1,2", "AuthenticAMD,25,97,2", "AuthenticAMD,26,2,1",
		"0x00000000410fd490", "0x00000000411fd401", "0x00000000410fd0c1", "78,513", "77,512", "128,512", "GenuineIntel,6,151,2",
		"GenuineIntel,6,106,1", "GenuineIntel,6,189,1",
	};
	/* clang-format on */

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

/*
 * Checks level 1 by the Optimization Reference Manual, Top-Down Analysis Method, two threads on a
 * core: slots = 4 * 1000 / 2 = 2000; front end 300 / 2000 = 15 %; bad speculation (1500 - 1000 + 4
 * * 50 / 2) / 2000 = 30 %; retiring 1000 / 2000 = 50 %; back end 100 - 15 - 30 - 50 = 5 %.
 */
static void test_topdown_skylake(void **state)
{
	static const struct script s[] = { { 4, RAW(0x9c, 1), 300, 0 },
					   { 4, RAW(0x0e, 1), 1500, 0 },
					   { 4, RAW(0xc2, 2), 1000, 0 },
					   { 4, RAW(0x0d, 1) | ANY_THREAD, 50, 0 },
					   { 4, RAW(0x3c, 0) | ANY_THREAD, 1000, 0 },
					   { CYCLES, 700, 0 },
					   SCRIPT_END };

	(void)state;
	skylake();
	expect(s, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",15.0,%  tma_frontend_bound\n",
				      ",30.0,%  tma_bad_speculation\n", ",50.0,%  tma_retiring\n",
				      ",5.0,%  tma_backend_bound\n", NULL });
	expect(s, "-C 0 -j -M tma_bad_speculation",
	       (const char *const[]){ "\"metric-value\" : 30.000000, \"metric-unit\" : \"%  "
				      "tma_bad_speculation\", "
				      "\"metric-threshold\" : \"bad\"",
				      NULL });
	expect(s, "-C 0 -j --metric-no-threshold -M tma_bad_speculation",
	       (const char *const[]){ "\"metric-unit\" : \"%  tma_bad_speculation\"}", NULL });
	expect(s, "-C 0 -x, --topdown", (const char *const[]){ "%  tma_retiring", "50.0,", NULL });
}

/* Checks Ice Lake, whose four parts of 100 slots are the events themselves. */
static void test_topdown_icelake(void **state)
{
	static const struct script s[] = { { 4, 0x0400, 100, 0 }, { 4, 0x8000, 40, 0 },
					   { 4, 0x8100, 10, 0 },  { 4, 0x8200, 20, 0 },
					   { 4, 0x8300, 30, 0 },  SCRIPT_END };
	static const char *const events[][2] = {
		{ "slots", "event=0x00,umask=0x4" },
		{ "topdown-retiring", "event=0x00,umask=0x80" },
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
	expect(s, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",20.0,%  tma_frontend_bound\n",
				      ",10.0,%  tma_bad_speculation\n", ",40.0,%  tma_retiring\n",
				      ",30.0,%  tma_backend_bound\n", NULL });
	/* one group, which slots leads, for all four */
	assert_int_equal(counter_count, 5);
	assert_int_equal(counters[0].attr.config, 0x400);
	assert_int_equal(counters[4].group, FIRST_FD);
}

/*
 * Checks level 1 by the PPR of family 19h, model 11h, pipeline utilization: 6 * 1000 slots; front
 * end 1500 = 25 %; back end 3000 = 50 %; other thread 300 = 5 %; dispatched 1200, of which 900
 * ended: bad speculation 5 %, retiring 15 %.
 */
static void test_topdown_zen4(void **state)
{
	static const struct script s[] = { { 4, RAW(0xa0, 0x01) | 1ULL << 32, 1500, 0 },
					   { 4, RAW(0xa0, 0x1e) | 1ULL << 32, 3000, 0 },
					   { 4, RAW(0xa0, 0x60) | 1ULL << 32, 300, 0 },
					   { 4, RAW(0xaa, 0x07), 1200, 0 },
					   { 4, 0xc1, 900, 0 },
					   { 4, 0x76, 1000, 0 },
					   SCRIPT_END };

	(void)state;
	make_machine("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nstepping : 1", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, cpu / 2, -1, cpu);
	make_pmu("cpu", 4, "caps/branches", "16");
	expect(s, "-a -x, --per-die -M PipelineL1",
	       (const char *const[]){ "S0-D0,2,", "S0-D1,2,", ",25.0,%  frontend_bound\n",
				      ",50.0,%  backend_bound\n", ",5.0,%  smt_contention\n",
				      ",5.0,%  bad_speculation\n", ",15.0,%  retiring\n", NULL });
}

static void arm(const char *midr)
{
	make_machine("processor : 0\nBogoMIPS : 50.00", "0-3");
	tree_put("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", midr);
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, -1, cpu);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0-3");
}

/*
 * Checks level 1 by the Neoverse N2 performance monitoring guide: slots 5 * 1000; front end 1000 /
 * 5000 - 4 * 10 / 1000 = 16 %; back end 500 / 5000 = 10 %; 800 of 1000 operations ended, 3500 of
 * 5000 slots used: retiring 0.8 * 0.7 = 56 %; bad speculation 0.2 * 0.7 + 0.04 = 18 %. V1 and V2:
 * slots 8 * 1000; front end 12.5 - 4 = 8.5 %; back end 6.25 %; used 6500 of 8000: retiring 0.8 *
 * 0.8125 = 65 %; bad speculation 0.2 * 0.8125 + 0.04 = 20.25 %.
 */
static void test_topdown_neoverse(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_RAW, 0x11, 1000, 0 }, { PERF_TYPE_RAW, 0x3f, 1500, 0 },
		{ PERF_TYPE_RAW, 0x3e, 1000, 0 }, { PERF_TYPE_RAW, 0x3d, 500, 0 },
		{ PERF_TYPE_RAW, 0x3a, 800, 0 },  { PERF_TYPE_RAW, 0x3b, 1000, 0 },
		{ PERF_TYPE_RAW, 0x10, 10, 0 },   SCRIPT_END
	};
	/* MIDR_EL1: implementer 0x41, parts 0xd40 (V1) and 0xd4f (V2) */
	static const char *const wide[] = { "0x00000000411fd401", "0x00000000410fd4f0" };

	(void)state;
	arm("0x00000000410fd490");
	expect(s, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",16.0,%  frontend_bound\n", ",10.0,%  backend_bound\n",
				      ",56.0,%  retiring\n", ",18.0,%  bad_speculation\n", NULL });
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++) {
		arm(wide[i]);
		expect(s, "-C 0 -j -M TopdownL1",
		       (const char *const[]){
			       "\"metric-value\" : 8.500000, \"metric-unit\" : \"%  "
			       "frontend_bound\"",
			       "\"metric-value\" : 6.250000, \"metric-unit\" : \"%  "
			       "backend_bound\"",
			       "\"metric-value\" : 65.000000, \"metric-unit\" : \"%  retiring\"",
			       "\"metric-value\" : 20.250000, \"metric-unit\" : \"%  "
			       "bad_speculation\"",
			       NULL });
	}
}

static void refuse(const struct script *s, const char *args, const char *why)
{
	/* what is not refused would count for ever */
	char *all = xasprintf("%s --timeout 20", args);
	int code;
	char *out = run_stderr(s, all, &code);

	if (!code || !strstr(out, why))
		fail_msg("stat %s: no '%s' in\n%s", all, why, out);
	free(out);
	free(all);
}

/*
 * Checks any other Arm processor by what its PMU says: slots 4 * 1000; front end 1000 / 4000 = 25
 * %; back end 500 / 4000 = 12.5 %; used 2500 of 4000, 800 of 1000 operations ended: retiring 50 %,
 * bad speculation 12.5 %.
 */
static void test_topdown_slots(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x11, 1000, 0 },
					   { PERF_TYPE_RAW, 0x3f, 1500, 0 },
					   { PERF_TYPE_RAW, 0x3e, 1000, 0 },
					   { PERF_TYPE_RAW, 0x3d, 500, 0 },
					   { PERF_TYPE_RAW, 0x3a, 800, 0 },
					   { PERF_TYPE_RAW, 0x3b, 1000, 0 },
					   SCRIPT_END };
	/* none, and what the kernel says of a processor that has no such register */
	static const char *const unknown[] = { NULL, "0x00000000" };

	(void)state;
	arm("0x00000000410fd850");
	tree_put(DEVICES "armv8_pmuv3_0/caps/slots", "0x00000004");
	expect(s, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",25.0,%  frontend_bound\n", ",12.5,%  backend_bound\n",
				      ",50.0,%  retiring\n", ",12.5,%  bad_speculation\n", NULL });
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		arm("0x00000000410fd850");
		if (unknown[i])
			tree_put(DEVICES "armv8_pmuv3_0/caps/slots", unknown[i]);
		refuse(s, "-C 0 -x, --topdown",
		       "--topdown needs a CPU model with known topdown metrics");
		refuse(s, "-C 0 -x, -M retiring", "there is no metric or metric group 'retiring'");
	}
}

/*
 * Checks two kinds of cores. Events by number count on both, so there is a result only if both have
 * as many slots.
 */
static void test_slots_of_kinds(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x11, 1000, 0 },
					   { PERF_TYPE_RAW, 0x3e, 1000, 0 },
					   SCRIPT_END };
	/* what the second says; NULL: nothing */
	static const char *const others[] = { "0x00000004", "0x00000008", NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		arm("0x00000000410fd850");
		make_pmu("armv8_cortex_a725", 8, "cpus", "0-1");
		make_pmu("armv9_cortex_x925", 9, "cpus", "2-3");
		for (size_t k = 0; k < 2; k++)
			tree_put(k ? DEVICES "armv8_pmuv3_0/caps/slots"
				   : DEVICES "armv8_cortex_a725/caps/slots",
				 "0x00000004");
		if (others[i])
			tree_put(DEVICES "armv9_cortex_x925/caps/slots", others[i]);
		if (i)
			refuse(s, "-a -x, -M frontend_bound",
			       "there is no metric or metric group 'frontend_bound'");
		else
			expect(s, "-a -x, -M frontend_bound",
			       (const char *const[]){ ",25.0,%  frontend_bound\n", NULL });
	}
}

static void power(const char *pvr)
{
	char text[128];

	snprintf(text, sizeof(text), "processor : 0\ncpu : POWER\nrevision : 2.2 (pvr %s)", pvr);
	make_machine(text, "0");
	make_cpu(0, 0, 0, -1, 0);
	make_pmu("cpu", 4, "caps/pmu_name", "POWER");
}

/*
 * Checks CPI stacks: 3000 cycles for 1000 instructions, 1500 of them stalled, 300 with an empty
 * pipeline (POWER10: nothing dispatched), 900 that completed, 150 given to another thread.
 */
static void test_power(void **state)
{
	static const struct script power9[] = { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
						{ PERF_TYPE_RAW, 0x500fa, 1000, 0 },
						{ PERF_TYPE_RAW, 0x1e054, 1500, 0 },
						{ PERF_TYPE_RAW, 0x100f8, 300, 0 },
						{ PERF_TYPE_RAW, 0x100f2, 900, 0 },
						{ PERF_TYPE_RAW, 0x1001c, 150, 0 },
						SCRIPT_END },
				   power8[] = { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
						{ PERF_TYPE_RAW, 0x500fa, 1000, 0 },
						{ PERF_TYPE_RAW, 0x4000a, 1500, 0 },
						{ PERF_TYPE_RAW, 0x100f8, 300, 0 },
						SCRIPT_END },
				   power10[] = { { PERF_TYPE_RAW, 0x600f4, 3000, 0 },
						 { PERF_TYPE_RAW, 0x500fa, 1000, 0 },
						 { PERF_TYPE_RAW, 0x30008, 1500, 0 },
						 { PERF_TYPE_RAW, 0x100f8, 300, 0 },
						 SCRIPT_END };

	(void)state;
	power("004e 1202");
	expect(power9, "-C 0 -x, -M RUN_CPI,STALL_CPI",
	       (const char *const[]){ ",3.00,RUN_CPI\n", ",1.50,STALL_CPI\n", NULL });
	expect(power9, "-C 0 -x, --topdown",
	       (const char *const[]){ "50.0,10.0,30.0,5.0,\n", NULL });
	expect(power9, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",10.0,%  frontend_bound\n", ",50.0,%  backend_bound\n",
				      ",30.0,%  retiring\n", ",5.0,%  thread_blocked\n", NULL });
	power("004d 0200");
	expect(power8, "-C 0 -x, -M TopdownL1,STALL_CPI",
	       (const char *const[]){ ",10.0,%  frontend_bound\n", ",50.0,%  backend_bound\n",
				      ",40.0,%  retiring\n", ",1.50,STALL_CPI\n", NULL });
	power("0080 0200");
	expect(power10, "-C 0 -x, -M TopdownL1,EXECUTION_STALL_CPI",
	       (const char *const[]){ ",10.0,%  frontend_bound\n", ",50.0,%  backend_bound\n",
				      ",40.0,%  retiring\n", ",1.50,EXECUTION_STALL_CPI\n", NULL });
}

static void intel(unsigned model)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "vendor_id : GenuineIntel\ncpu family : 6\nmodel : %u\nstepping : 1", model);
	make_machine(text, "0");
	make_cpu(0, 0, 0, -1, 0);
}

/*
 * Checks Sandy Bridge, Ivy Bridge, Haswell and Broadwell, one thread on the core: slots = 4 * 700 =
 * 2800; front end 700 / 2800 = 25 %; bad speculation (1300 - 1120 + 4 * 25) / 2800 = 10 %; retiring
 * 1120 / 2800 = 40 %; back end the other 25 %. Level 2: latency 4 * 70 / 2800 = 10 %, bandwidth 15
 * %; 30 wrong guesses of 40 new starts: 7.5 % and 2.5 %.
 */
static void test_topdown_older(void **state)
{
	static const unsigned models[] = { 42, 58, 60, 61, 79 };
	static const struct script s[] = { { 4, RAW(0x9c, 1), 700, 0 },
					   { 4, RAW(0x0e, 1), 1300, 0 },
					   { 4, RAW(0xc2, 2), 1120, 0 },
					   { 4, RAW(0x0d, 3) | CMASK(1) | ANY_THREAD, 25, 0 },
					   { 4, RAW(0x3c, 0) | ANY_THREAD, 700, 0 },
					   { CYCLES, 700, 0 },
					   { 4, RAW(0x9c, 1) | CMASK(4), 70, 0 },
					   { 4, 0xc5, 30, 0 },
					   { 4, RAW(0xc3, 1) | CMASK(1) | EDGE, 10, 0 },
					   SCRIPT_END };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		intel(models[i]);
		tree_put("/sys/devices/system/cpu/smt/active", "0");
		make_pmu("cpu", 4, "caps/max_precise", "3");
		expect(s, "-C 0 -x, -M TopdownL1",
		       (const char *const[]){
			       ",25.0,%  tma_frontend_bound\n", ",10.0,%  tma_bad_speculation\n",
			       ",40.0,%  tma_retiring\n", ",25.0,%  tma_backend_bound\n", NULL });
		expect(s, "-C 0 -x, -M TopdownL2",
		       (const char *const[]){ ",10.0,%  tma_fetch_latency\n",
					      ",15.0,%  tma_fetch_bandwidth\n",
					      ",7.5,%  tma_branch_mispredicts\n",
					      ",2.5,%  tma_machine_clears\n", NULL });
	}
}

/* The parts that are alike in all of them: level 1 is 25, 10, 40 and 25 %. */
#define OLDER(instructions, none)                                                                  \
	{ 4, RAW(0x9c, 1), 700, 0 }, { 4, RAW(0x0e, 1), 1300, 0 }, { 4, RAW(0xc2, 2), 1120, 0 },   \
		{ CYCLES, 700, 0 }, { INSTRUCTIONS, instructions, 0 },                             \
		{ 4, RAW(0x9c, 1) | CMASK(4), none, 0 }, { 4, 0xc5, 30, 0 },                       \
		{ 4, RAW(0xc3, 1) | CMASK(1) | EDGE, 10, 0 },                                      \
		{ 4, RAW(0xa3, 4) | CMASK(4), 130, 0 }, { 4, RAW(0xa3, 6) | CMASK(6), 80, 0 },     \
		{ 4, RAW(0xa2, 8), 20, 0 }, { 4, RAW(0x5e, 1), 95, 0 },                            \
	{                                                                                          \
		4, RAW(0x79, 0x30), 325, 0                                                         \
	}
#define ONE_THREAD                                                                                 \
	{ 4, RAW(0x0d, 3) | CMASK(1) | ANY_THREAD, 25, 0 },                                        \
	{                                                                                          \
		4, RAW(0x3c, 0) | ANY_THREAD, 700, 0                                               \
	}

/*
 * Checks level 2 of Sandy Bridge to Broadwell by the Optimization Reference Manual, "Back End" and
 * "Microcode Sequencer" of the method. Event numbers: SDM volume 3.
 *
 * Heavy: 1120 of 1300 issued end, of the sequencer's 325 then 280 of 2800 slots = 10 %; light 30 %.
 * Up to 1.8 instructions a cycle (1008 / 700), latency 10 %: 130 cycles of nothing, 100 - 50 of
 * one operation, 20 of full store buffers; (80 + 20) / 200 of 25 % = 12.5 %.
 * Above that (1400 / 700), latency 20 %: three operations are enough (100 - 30), and the 95 cycles
 * without anything to do are the front end's; 100 / (130 + 70 - 95 + 20) of 25 % = 20 %.
 */
static void test_topdown_older_level2(void **state)
{
	static const unsigned models[] = { 42, 58, 61, 79 };
	static const struct script slow[] = { OLDER(1008, 70),
					      ONE_THREAD,
					      { 4, RAW(0xb1, 1) | CMASK(1), 100, 0 },
					      { 4, RAW(0xb1, 1) | CMASK(2), 50, 0 },
					      { 4, RAW(0xb1, 1) | CMASK(3), 30, 0 },
					      SCRIPT_END },
				   quick[] = { OLDER(1400, 140),
					       ONE_THREAD,
					       { 4, RAW(0xb1, 1) | CMASK(1), 100, 0 },
					       { 4, RAW(0xb1, 1) | CMASK(2), 50, 0 },
					       { 4, RAW(0xb1, 1) | CMASK(3), 30, 0 },
					       SCRIPT_END };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		intel(models[i]);
		tree_put("/sys/devices/system/cpu/smt/active", "0");
		make_pmu("cpu", 4, "caps/max_precise", "3");
		expect(slow, "-C 0 -x, -M TopdownL2",
		       (const char *const[]){ ",12.5,%  tma_memory_bound\n",
					      ",12.5,%  tma_core_bound\n",
					      ",10.0,%  tma_heavy_operations\n",
					      ",30.0,%  tma_light_operations\n", NULL });
		expect(quick, "-C 0 -x, -M TopdownL2",
		       (const char *const[]){ ",20.0,%  tma_memory_bound\n",
					      ",5.0,%  tma_core_bound\n",
					      ",20.0,%  tma_fetch_latency\n", NULL });
	}
}

/*
 * Checks Haswell with two threads on the core: half of the 200 - 100 cycles with one operation are
 * this thread's.
 */
static void test_topdown_haswell_level2(void **state)
{
	static const struct script s[] = { OLDER(1008, 70),
					   { 4, RAW(0x0d, 3) | CMASK(1) | ANY_THREAD, 50, 0 },
					   { 4, RAW(0x3c, 0) | ANY_THREAD, 1400, 0 },
					   { 4, RAW(0xb1, 2) | CMASK(1), 200, 0 },
					   { 4, RAW(0xb1, 2) | CMASK(2), 100, 0 },
					   { 4, RAW(0xb1, 2) | CMASK(3), 60, 0 },
					   SCRIPT_END };

	(void)state;
	intel(63);
	tree_put("/sys/devices/system/cpu/smt/active", "1");
	make_pmu("cpu", 4, "caps/max_precise", "3");
	expect(s, "-C 0 -x, -M TopdownL2",
	       (const char *const[]){ ",12.5,%  tma_memory_bound\n", ",12.5,%  tma_core_bound\n",
				      ",10.0,%  tma_heavy_operations\n",
				      ",30.0,%  tma_light_operations\n", NULL });
}

/*
 * Checks level 2 of Skylake, one thread: slots 4 * 700; level 1 as for older ones (25, 10, 40, 25
 * %). Memory (80 + 20) / (150 + 30 + 0.4 * 50 + 20) = 100 / 220 of the 25 %; with 130 total stalls
 * it is 100 / 200: 12.5 % and 12.5 %. Heavy (1120 + 168 - 1008) / 2800 = 10 %, light 30 %.
 */
static void test_topdown_skylake_level2(void **state)
{
	static const struct script s[] = { { 4, RAW(0x9c, 1), 700, 0 },
					   { 4, RAW(0x0e, 1), 1300, 0 },
					   { 4, RAW(0xc2, 2), 1120, 0 },
					   { 4, RAW(0x0d, 1) | ANY_THREAD, 25, 0 },
					   { 4, RAW(0x3c, 0) | ANY_THREAD, 700, 0 },
					   { CYCLES, 700, 0 },
					   { INSTRUCTIONS, 1008, 0 },
					   { 4, RAW(0x9c, 1) | CMASK(4), 70, 0 },
					   { 4, 0xc5, 30, 0 },
					   { 4, RAW(0xc3, 1) | CMASK(1) | EDGE, 10, 0 },
					   { 4, RAW(0xa3, 0x14) | CMASK(20), 80, 0 },
					   { 4, RAW(0xa3, 4) | CMASK(4), 130, 0 },
					   { 4, RAW(0xa6, 0x40), 20, 0 },
					   { 4, RAW(0xa6, 2), 30, 0 },
					   { 4, RAW(0xa6, 4), 50, 0 },
					   { 4, RAW(0xc2, 4), 168, 0 },
					   SCRIPT_END };

	(void)state;
	intel(94);
	tree_put("/sys/devices/system/cpu/smt/active", "0");
	make_pmu("cpu", 4, "caps/max_precise", "3");
	expect(s, "-C 0 -x, --topdown --td-level 2",
	       (const char *const[]){ "%  tma_memory_bound", "%  tma_light_operations", NULL });
	expect(s, "-C 0 -x, -M TopdownL2",
	       (const char *const[]){
		       ",12.5,%  tma_memory_bound\n", ",12.5,%  tma_core_bound\n",
		       ",10.0,%  tma_heavy_operations\n", ",30.0,%  tma_light_operations\n",
		       ",10.0,%  tma_fetch_latency\n", ",15.0,%  tma_fetch_bandwidth\n",
		       ",7.5,%  tma_branch_mispredicts\n", ",2.5,%  tma_machine_clears\n", NULL });
}

static void put_topdown(const char *pmu, bool level2)
{
	static const char *const events[][2] = {
		{ "slots", "event=0x00,umask=0x4" },
		{ "topdown-retiring", "event=0x00,umask=0x80" },
		{ "topdown-bad-spec", "event=0x00,umask=0x81" },
		{ "topdown-fe-bound", "event=0x00,umask=0x82" },
		{ "topdown-be-bound", "event=0x00,umask=0x83" },
		{ "topdown-heavy-ops", "event=0x00,umask=0x84" },
		{ "topdown-br-mispredict", "event=0x00,umask=0x85" },
		{ "topdown-fetch-lat", "event=0x00,umask=0x86" },
		{ "topdown-mem-bound", "event=0x00,umask=0x87" },
	};

	for (size_t i = 0; i < (level2 ? ARRAY_SIZE(events) : 5); i++) {
		char path[160];

		snprintf(path, sizeof(path), DEVICES "%s/events/%s", pmu, events[i][0]);
		tree_put(path, events[i][1]);
	}
}

/* Checks Sapphire Rapids, where PERF_METRICS holds parts of 100 slots for both levels. */
static void test_topdown_sapphire(void **state)
{
	static const struct script s[] = { { 4, 0x0400, 100, 0 }, { 4, 0x8000, 40, 0 },
					   { 4, 0x8100, 10, 0 },  { 4, 0x8200, 20, 0 },
					   { 4, 0x8300, 30, 0 },  { 4, 0x8400, 5, 0 },
					   { 4, 0x8500, 7, 0 },   { 4, 0x8600, 12, 0 },
					   { 4, 0x8700, 18, 0 },  SCRIPT_END };

	(void)state;
	intel(143);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	put_topdown("cpu", true);
	expect(s, "-C 0 -x, -M TopdownL2",
	       (const char *const[]){
		       ",5.0,%  tma_heavy_operations\n", ",35.0,%  tma_light_operations\n",
		       ",7.0,%  tma_branch_mispredicts\n", ",3.0,%  tma_machine_clears\n",
		       ",12.0,%  tma_fetch_latency\n", ",8.0,%  tma_fetch_bandwidth\n",
		       ",18.0,%  tma_memory_bound\n", ",12.0,%  tma_core_bound\n", NULL });
}

/*
 * Checks level 2 of Ice Lake by counters: latency 5 * 2 of 100 slots; 6 wrong guesses of 8 new
 * starts of 10 %.
 */
static void test_topdown_icelake_level2(void **state)
{
	static const struct script s[] = { { 4, 0x0400, 100, 0 },
					   { 4, 0x8000, 40, 0 },
					   { 4, 0x8100, 10, 0 },
					   { 4, 0x8200, 20, 0 },
					   { 4, 0x8300, 30, 0 },
					   { 4, RAW(0x9c, 1) | CMASK(5), 2, 0 },
					   { 4, 0xc5, 6, 0 },
					   { 4, RAW(0xc3, 1) | CMASK(1) | EDGE, 2, 0 },
					   { 4, RAW(0xa3, 0x14) | CMASK(20), 8, 0 },
					   { 4, RAW(0xa3, 4) | CMASK(4), 13, 0 },
					   { 4, RAW(0xa6, 0x40), 2, 0 },
					   { 4, RAW(0xa6, 2), 3, 0 },
					   { 4, RAW(0xa6, 4), 5, 0 },
					   SCRIPT_END };

	(void)state;
	intel(106);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	put_topdown("cpu", false);
	/* memory: 30 % * (8 + 2) / (13 + 3 + 0.4 * 5 + 2) = 15 % */
	expect(s, "-C 0 -x, -M TopdownL2",
	       (const char *const[]){
		       ",10.0,%  tma_fetch_latency\n", ",10.0,%  tma_fetch_bandwidth\n",
		       ",7.5,%  tma_branch_mispredicts\n", ",2.5,%  tma_machine_clears\n",
		       ",15.0,%  tma_memory_bound\n", ",15.0,%  tma_core_bound\n", NULL });
}

/*
 * Checks Alder Lake with cores 0-1 and 2-3: each kind has its own metrics. The efficient cores
 * have five slots a cycle (Optimization Reference Manual, Gracemont): 5 * 2 * 100 = 1000 slots.
 */
static void test_hybrid_metrics(void **state)
{
	/* clang-format off */
	static const struct script s[] = {
		{ PERF_TYPE_HARDWARE, 4ULL << 32, 1000, 0 }, { PERF_TYPE_HARDWARE, 10ULL << 32, 100, 0 },
		{ PERF_TYPE_HARDWARE, 4ULL << 32 | 1, 4000, 0 }, { PERF_TYPE_HARDWARE, 10ULL << 32 | 1, 150, 0 },
		{ 4, 0x0400, 100, 0 }, { 4, 0x8000, 40, 0 }, { 4, 0x8100, 10, 0 }, { 4, 0x8200, 20, 0 },
		{ 4, 0x8300, 30, 0 }, { 10, 0x3c, 100, 0 }, { 10, 0x71, 100, 0 }, { 10, 0x73, 50, 0 },
		{ 10, 0x74, 150, 0 }, { 10, 0xc2, 200, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 10, 0 },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000000, 0 }, SCRIPT_END
	};
	/* clang-format on */
	char *out;

	(void)state;
	make_machine("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 151\nstepping : 2", "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, -1, cpu);
	make_pmu("cpu_core", 4, "cpus", "0-1");
	make_pmu("cpu_atom", 10, "cpus", "2-3");
	put_topdown("cpu_core", false);
	expect(s, "-a -x, -M insn_per_cycle",
	       (const char *const[]){ ",4.00,insn_per_cycle (cpu_core)\n",
				      ",1.50,insn_per_cycle (cpu_atom)\n", NULL });
	expect(s, "-a -x, -M TopdownL1",
	       (const char *const[]){ ",40.0,%  tma_retiring (cpu_core)\n",
				      ",40.0,%  tma_retiring (cpu_atom)\n",
				      ",20.0,%  tma_frontend_bound (cpu_core)\n",
				      ",20.0,%  tma_frontend_bound (cpu_atom)\n",
				      ",10.0,%  tma_bad_speculation (cpu_core)\n",
				      ",30.0,%  tma_backend_bound (cpu_core)\n",
				      ",10.0,%  tma_bad_speculation (cpu_atom)\n",
				      ",30.0,%  tma_backend_bound (cpu_atom)\n", NULL });
	expect(s, "-a -x, --topdown", (const char *const[]){ "tma_retiring (cpu_atom)", NULL });
	out = run(s, "-a -x, --cputype core -M insn_per_cycle,cs_per_second");
	assert_non_null(strstr(out, ",4.00,insn_per_cycle (cpu_core)\n"));
	assert_null(strstr(out, "cpu_atom"));
	/* switches belong to no kind: 40 in 4 CPU seconds */
	assert_non_null(strstr(out, ",10.0,cs/sec  cs_per_second\n"));
	free(out);
}

static void hybrid(unsigned model)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "vendor_id : GenuineIntel\ncpu family : 6\nmodel : %u\nstepping : 2", model);
	make_machine(text, "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, -1, cpu);
	make_pmu("cpu_core", 4, "cpus", "0-1");
	make_pmu("cpu_atom", 10, "cpus", "2-3");
	put_topdown("cpu_core", true);
}

/*
 * Checks the performance cores of every hybrid, whose PERF_METRICS (SDM volume 3) has both levels
 * as parts of 100 slots. What a part of level 2 leaves of its part of level 1 is the other one's.
 */
static void test_hybrid_level2(void **state)
{
	static const unsigned models[] = { 151, 183, 170, 189, 198 };
	static const struct script s[] = { { 4, 0x0400, 100, 0 }, { 4, 0x8000, 40, 0 },
					   { 4, 0x8100, 10, 0 },  { 4, 0x8200, 20, 0 },
					   { 4, 0x8300, 30, 0 },  { 4, 0x8400, 5, 0 },
					   { 4, 0x8500, 7, 0 },   { 4, 0x8600, 12, 0 },
					   { 4, 0x8700, 18, 0 },  SCRIPT_END };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		hybrid(models[i]);
		expect(s, "-a -x, -M TopdownL2",
		       (const char *const[]){ ",5.0,%  tma_heavy_operations (cpu_core)\n",
					      ",35.0,%  tma_light_operations (cpu_core)\n",
					      ",7.0,%  tma_branch_mispredicts (cpu_core)\n",
					      ",3.0,%  tma_machine_clears (cpu_core)\n",
					      ",12.0,%  tma_fetch_latency (cpu_core)\n",
					      ",8.0,%  tma_fetch_bandwidth (cpu_core)\n",
					      ",18.0,%  tma_memory_bound (cpu_core)\n",
					      ",12.0,%  tma_core_bound (cpu_core)\n", NULL });
	}
}

/*
 * Slots that an efficient core has in each cycle (Optimization Reference Manual, width of
 * allocation):
 * Gracemont 5, Crestmont 6, Skymont 8. On 2 CPUs of 300 cycles, 3000, 3600 and 4800 slots; of these
 * the front end 600 * 2, wrong guesses 120 * 2, back end 300 * 2, work 480 * 2. Event numbers: SDM
 * volume 3; Crestmont has another one for retiring, Skymont for all but wrong guesses.
 */
static void test_efficient_cores(void **state)
{
#define PARTS(front, back, work)                                                                   \
	{ 10, 0x3c, 300, 0 }, { 10, front, 600, 0 }, { 10, 0x73, 120, 0 }, { 10, back, 300, 0 },   \
		{ 10, work, 480, 0 }, SCRIPT_END
	static const struct {
		unsigned model;
		struct script script[6];
		const char *lines[5];
	} rows[] = {
		{ 154,
		  { PARTS(0x71, 0x74, 0xc2) },
		  { ",40.0,%  tma_frontend_bound (cpu_atom)\n",
		    ",8.0,%  tma_bad_speculation (cpu_atom)\n",
		    ",32.0,%  tma_retiring (cpu_atom)\n",
		    ",20.0,%  tma_backend_bound (cpu_atom)\n" } },
		{ 170,
		  { PARTS(0x71, 0x74, 0x72) },
		  { ",33.3,%  tma_frontend_bound (cpu_atom)\n",
		    ",6.7,%  tma_bad_speculation (cpu_atom)\n",
		    ",26.7,%  tma_retiring (cpu_atom)\n",
		    ",16.7,%  tma_backend_bound (cpu_atom)\n" } },
		{ 189,
		  { PARTS(RAW(0x9c, 1), RAW(0xa4, 2), RAW(0xc2, 2)) },
		  { ",25.0,%  tma_frontend_bound (cpu_atom)\n",
		    ",5.0,%  tma_bad_speculation (cpu_atom)\n",
		    ",20.0,%  tma_retiring (cpu_atom)\n",
		    ",12.5,%  tma_backend_bound (cpu_atom)\n" } },
		{ 198,
		  { PARTS(RAW(0x9c, 1), RAW(0xa4, 2), RAW(0xc2, 2)) },
		  { ",25.0,%  tma_frontend_bound (cpu_atom)\n",
		    ",5.0,%  tma_bad_speculation (cpu_atom)\n",
		    ",20.0,%  tma_retiring (cpu_atom)\n",
		    ",12.5,%  tma_backend_bound (cpu_atom)\n" } },
	};
#undef PARTS

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		hybrid(rows[i].model);
		expect(rows[i].script, "-a -x, --cputype atom -M TopdownL1", rows[i].lines);
	}
}

static void amd(unsigned family, unsigned model)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "vendor_id : AuthenticAMD\ncpu family : %u\nmodel : %u\nstepping : 1", family,
		 model);
	make_machine(text, "0-3");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, cpu / 2, -1, cpu);
	make_pmu("cpu", 4, "caps/branches", "16");
}

/*
 * Checks level 2 by the PPR of family 19h, model 11h, pipeline utilization: 6 * 1000 slots; front
 * end 1500, of which 6 * 100 in cycles without any operation: latency 10 %, bandwidth 15 %; bad
 * speculation (2400 - 1800) / 6000 = 10 %, 30 wrong guesses of 40 restarts: 7.5 % and 2.5 %; back
 * end 2400 = 40 %, 300 of 400 waiting cycles for loads: 30 % and 10 %; retiring 30 %, 600 of 1800
 * operations by microcode: 20 % and 10 %.
 */
static void test_topdown_zen4_level2(void **state)
{
	static const struct script s[] = { { 4, RAW(0xa0, 0x01) | 1ULL << 32, 1500, 0 },
					   { 4, RAW(0xa0, 0x1e) | 1ULL << 32, 2400, 0 },
					   { 4, RAW(0xaa, 0x07), 2400, 0 },
					   { 4, 0xc1, 1800, 0 },
					   { 4, 0x76, 1000, 0 },
					   { 4, RAW(0xa0, 0x01) | 1ULL << 32 | CMASK(6), 100, 0 },
					   { 4, 0xc3, 30, 0 },
					   { 4, 0x96, 10, 0 },
					   { 4, RAW(0xd6, 0x02), 400, 0 },
					   { 4, RAW(0xd6, 0xa2), 300, 0 },
					   { 4, 0xc1 | 1ULL << 32, 600, 0 },
					   SCRIPT_END };

	(void)state;
	amd(25, 17);
	expect(s, "-C 0 -x, -M PipelineL2",
	       (const char *const[]){
		       ",10.0,%  frontend_bound_latency\n", ",15.0,%  frontend_bound_bandwidth\n",
		       ",7.5,%  bad_speculation_mispredicts\n",
		       ",2.5,%  bad_speculation_pipeline_restarts\n",
		       ",30.0,%  backend_bound_memory\n", ",10.0,%  backend_bound_cpu\n",
		       ",20.0,%  retiring_fastpath\n", ",10.0,%  retiring_microcode\n", NULL });
}

/*
 * Checks the PPR of family 1Ah, pipeline utilization: 8 * 1000 slots; front end 2000 = 25 %, back
 * end 3200 = 40 %, other thread 400 = 5 %, dispatched 2400, of which 1600 ended: bad speculation 10
 * %, retiring 20 %. Level 2: latency 8 * 100 = 10 %, bandwidth 15 %; 30 wrong guesses of 40
 * restarts: 7.5 % and 2.5 %; 300 of 400 waiting cycles for loads: 30 % and 10 %; 400 of 1600
 * operations by microcode: 15 % and 5 %.
 */
static void test_topdown_zen5(void **state)
{
	static const struct script s[] = { { 4, RAW(0xa0, 0x01) | 1ULL << 32, 2000, 0 },
					   { 4, RAW(0xa0, 0x1e) | 1ULL << 32, 3200, 0 },
					   { 4, RAW(0xa0, 0x60) | 1ULL << 32, 400, 0 },
					   { 4, RAW(0xaa, 0x07), 2400, 0 },
					   { 4, 0xc1, 1600, 0 },
					   { 4, 0x76, 1000, 0 },
					   { 4, RAW(0xa0, 0x01) | 1ULL << 32 | CMASK(8), 100, 0 },
					   { 4, 0xc3, 30, 0 },
					   { 4, 0x96, 10, 0 },
					   { 4, RAW(0xd6, 0x02), 400, 0 },
					   { 4, RAW(0xd6, 0xa2), 300, 0 },
					   { 4, 0xc1 | 1ULL << 32, 400, 0 },
					   SCRIPT_END };

	(void)state;
	amd(26, 2);
	expect(s, "-C 0 -x, -M TopdownL1",
	       (const char *const[]){ ",25.0,%  frontend_bound\n", ",40.0,%  backend_bound\n",
				      ",5.0,%  smt_contention\n", ",10.0,%  bad_speculation\n",
				      ",20.0,%  retiring\n", NULL });
	expect(s, "-C 0 -x, -M PipelineL2",
	       (const char *const[]){
		       ",10.0,%  frontend_bound_latency\n", ",15.0,%  frontend_bound_bandwidth\n",
		       ",7.5,%  bad_speculation_mispredicts\n",
		       ",2.5,%  bad_speculation_pipeline_restarts\n",
		       ",30.0,%  backend_bound_memory\n", ",10.0,%  backend_bound_cpu\n",
		       ",15.0,%  retiring_fastpath\n", ",5.0,%  retiring_microcode\n", NULL });
}

/*
 * Checks the PPR of family 17h: 200 of 4000 branches mispredicted; 1500 operations in 1000
 * instructions.
 */
static void test_zen(void **state)
{
	static const struct script s[] = {
		{ 4, 0xc2, 4000, 0 },           { 4, 0xc3, 200, 0 },
		{ 4, 0xc1, 1500, 0 },           { INSTRUCTIONS, 1000, 0 },
		{ 4, RAW(0x29, 0x07), 400, 0 }, { 4, RAW(0x64, 0x70), 30, 0 },
		{ 4, RAW(0x64, 0x08), 10, 0 },  SCRIPT_END
	};

	(void)state;
	amd(23, 49);
	expect(s, "-C 0 -x, -M branch_misprediction_ratio,macro_ops_retired_pti",
	       (const char *const[]){ ",5.0,%  branch_misprediction_ratio\n",
				      ",1500.00,macro_ops_retired_pti\n", NULL });
	expect(s, "-C 0 -x, -M all_data_cache_accesses_pti,l2_cache",
	       (const char *const[]){ ",400.00,all_data_cache_accesses_pti\n",
				      ",30.00,l2_cache_hits_from_dc_misses_pti\n",
				      ",10.00,l2_cache_misses_from_dc_misses_pti\n", NULL });
}

/*
 * Checks metrics that every Arm core counts, each a quotient of two numbers: 900 of 1000 cycles ...
 */
static void test_arm_common(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x11, 1000, 0 },
					   { PERF_TYPE_RAW, 0x08, 900, 0 },
					   { PERF_TYPE_RAW, 0x21, 200, 0 },
					   { PERF_TYPE_RAW, 0x22, 10, 0 },
					   { PERF_TYPE_RAW, 0x04, 400, 0 },
					   { PERF_TYPE_RAW, 0x03, 20, 0 },
					   { PERF_TYPE_RAW, 0x23, 300, 0 },
					   { PERF_TYPE_RAW, 0x24, 150, 0 },
					   SCRIPT_END };

	(void)state;
	arm("0x00000000410fd0c1"); /* Neoverse N1 */
	expect(s,
	       "-C 0 -x, -M ipc,branch_misprediction_ratio,l1d_cache_miss_ratio,Cycle_Accounting",
	       (const char *const[]){ ",0.90,ipc\n", ",5.0,%  branch_misprediction_ratio\n",
				      ",5.0,%  l1d_cache_miss_ratio\n",
				      ",30.0,%  frontend_stalled_cycles\n",
				      ",15.0,%  backend_stalled_cycles\n", NULL });
}

/*
 * Checks -T: 600 of 1000 cycles in transactions, 500 of them in committed ones, 10 begun, and 3
 * locks elided. A CPU without the events of commits and locks has the other ratios.
 */
static void test_transaction(void **state)
{
	static const struct script s[] = { { CYCLES, 1000, 0 },         { 4, RAW(0x3c, 1), 600, 0 },
					   { 4, RAW(0x3c, 2), 500, 0 }, { 4, RAW(0xc9, 1), 10, 0 },
					   { 4, RAW(0xc8, 1), 3, 0 },   SCRIPT_END },
				   more[] = {
					   /*
					    * shared counters can make more of what was committed
					    * than of all: none was aborted
					    */
					   { CYCLES, 1000, 0 },         { 4, RAW(0x3c, 1), 600, 0 },
					   { 4, RAW(0x3c, 2), 610, 0 }, { 4, RAW(0xc9, 1), 10, 0 },
					   { 4, RAW(0xc8, 1), 3, 0 },   SCRIPT_END
				   };
	char *out;

	(void)state;
	intel(85);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	assert_int_not_equal(run_code(s, "-C 0 -T", true), 0);
	tree_put(DEVICES "cpu/events/cycles-t", "event=0x3c,umask=0x1");
	tree_put(DEVICES "cpu/events/tx-start", "event=0xc9,umask=0x1");
	out = run(s, "-C 0 -x, -T");
	assert_non_null(strstr(out, ",60.0,%  transactional_cycles\n"));
	assert_non_null(strstr(out, ",60.00,cycles_per_transaction\n"));
	assert_null(strstr(out, "aborted_cycles"));
	assert_null(strstr(out, "cycles_per_elision"));
	free(out);
	tree_put(DEVICES "cpu/events/cycles-ct", "event=0x3c,umask=0x2");
	tree_put(DEVICES "cpu/events/el-start", "event=0xc8,umask=0x1");
	expect(s, "-C 0 -x, -T",
	       (const char *const[]){
		       ",60.0,%  transactional_cycles\n", ",10.0,%  aborted_cycles\n",
		       ",60.00,cycles_per_transaction\n", ",200.00,cycles_per_elision\n", NULL });
	expect(more, "-C 0 -x, -T", (const char *const[]){ ",0.0,%  aborted_cycles\n", NULL });
}

static void check_frozen(const char *want)
{
	char *text = tree_get(DEVICES "cpu/freeze_on_smi");

	assert_int_equal(*text, *want);
	free(text);
}

/*
 * Checks --smi-cost: 3 interrupts; 1100 cycles by APERF, 1000 outside of them: 100 / 1100 = 9.1 %.
 */
static void test_smi_cost(void **state)
{
	static const struct script s[] = {
		{ CYCLES, 1000, 0 }, { 9, 4, 3, 0 }, { 9, 1, 1100, 0 }, SCRIPT_END
	};
	char *args, *seen;

	(void)state;
	intel(85);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	assert_int_not_equal(run_code(s, "-a --smi-cost", true), 0);
	tree_put(DEVICES "msr/type", "9");
	tree_put(DEVICES "msr/format/event", "config:0-63");
	tree_put(DEVICES "msr/events/smi", "event=0x4");
	tree_put(DEVICES "msr/events/aperf", "event=0x1");
	tree_put(DEVICES "cpu/freeze_on_smi", "1");
	expect(s, "-C 0 -x, --smi-cost --no-metric-only",
	       (const char *const[]){ ",3.00,smi_num\n", ",9.1,%  smi_cycles\n", NULL });
	expect(s, "-C 0 -x, --smi-cost", (const char *const[]){ "%  smi_cycles,", "9.1,", NULL });
	check_frozen("1"); /* it was so before */
	tree_put(DEVICES "cpu/freeze_on_smi", "0");
	/* the command finds the counters stopped in SMIs; afterwards they are as before */
	args = xasprintf("-C 0 -x, --smi-cost cp %s" DEVICES "cpu/freeze_on_smi %s/seen", tree_root,
			 tree_root);
	assert_int_equal(run_code(s, args, false), 0);
	free(args);
	seen = tree_get("/seen");
	assert_int_equal(*seen, '1');
	free(seen);
	check_frozen("0");
}

/*
 * Checks a signal that comes right after the CPU's switch was written, before anything was counted:
 * the switch is reset, and there are no results. The kernel itself sends it, from within the write.
 */
static void test_smi_cost_signal(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT };
	static const struct script s[] = {
		{ CYCLES, 1000, 0 }, { 9, 4, 3, 0 }, { 9, 1, 1100, 0 }, SCRIPT_END
	};

	(void)state;
	intel(85);
	make_pmu("cpu", 4, "caps/max_precise", "3");
	tree_put(DEVICES "msr/type", "9");
	tree_put(DEVICES "msr/format/event", "config:0-63");
	tree_put(DEVICES "msr/events/smi", "event=0x4");
	tree_put(DEVICES "msr/events/aperf", "event=0x1");
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int status;
		pid_t child;

		tree_put(DEVICES "cpu/freeze_on_smi", "0");
		child = fork(); /* what a signal said is remembered by the process */
		assert_true(child >= 0);
		if (!child) {
			char *dir = xasprintf("%s" DEVICES "cpu", tree_root);
			int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

			signal(signals[i], SIG_DFL); /* earlier tests' handlers would do */
			if (fd < 0 || fcntl(fd, F_SETSIG, signals[i]))
				_exit(98);
			if (fcntl(fd, F_NOTIFY, DN_MODIFY))
				_exit(errno == EINVAL ? 99 : 98);
			_exit(run_code(s, "-C 0 -x, --smi-cost", false));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 99) {
			print_message(
				"# a change of a directory sends no signal: this kernel lacks "
				"CONFIG_DNOTIFY\n");
			skip();
		}
		assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
		check_frozen("0");
	}
}

/*
 * Checks --iostat, which counts in units of 4 bytes. Stack 0 of die 0 (CPU 0): 262144 units are 1
 * MB, and with per_cpu one more unit on CPU 2, of die 1: two MB for a count of 524288.
 */
static void test_iostat(void **state)
{
	static const struct script s[] = { { 30, RAW(0x83, 4), 262144, 0 },
					   { 30, RAW(0x83, 1), 0, 262144 },
					   { 30, RAW(0xc0, 4), 524288, 0 },
					   { 30, RAW(0xc0, 1), 786432, 0 },
					   SCRIPT_END };
	char *out;
	int code;

	(void)state;
	skylake();
	out = run_stderr(s, "--iostat true", &code);
	assert_int_equal(code, 1);
	assert_true(str_starts(out, "error: counting I/O by root port needs the I/O stacks' PMUs"));
	free(out);
	make_pmu("uncore_iio_0", 30, "cpumask", "0,2");
	tree_put(DEVICES "uncore_iio_0/format/ch_mask", "config:36-43");
	tree_put(DEVICES "uncore_iio_0/format/fc_mask", "config:44-46");
	tree_put(DEVICES "uncore_iio_0/die0", "0000:00");
	tree_put(DEVICES "uncore_iio_0/die1", "0000:80");
	out = run_stderr(s, "--iostat=list", &code);
	assert_int_equal(code, 0);
	assert_string_equal(out, "S0-uncore_iio_0<0000:00>\nS1-uncore_iio_0<0000:80>\n");
	free(out);
}

/* Checks --iostat with the bits that events have: channels in 36-43, kinds of traffic in 44-46. */
static void test_iostat_values(void **state)
{
	const u64 all = 0xfULL << 36 | 7ULL << 44;
	const struct script s[] = { { 30, RAW(0x83, 4) | all, 262144, 0 },
				    { 30, RAW(0x83, 1) | all, 0, 262144 },
				    { 30, RAW(0xc0, 4) | all, 524288, 0 },
				    { 30, RAW(0xc0, 1) | all, 786432, 0 },
				    SCRIPT_END };
	char *out;
	int code;

	(void)state;
	/* die 1 is CPU 2: 2 * 262144 units written */
	expect(s, "-x, --iostat",
	       (const char *const[]){
		       "port,Inbound Read(MB),Inbound Write(MB),Outbound Read(MB),Outbound "
		       "Write(MB),\n",
		       "0000:00,1,0,2,3,\n", "0000:80,1,2,2,3,\n", NULL });
	expect(s, "--iostat",
	       (const char *const[]){
		       "port                Inbound Read(MB)    Inbound Write(MB)    Outbound "
		       "Read(MB)   Outbound Write(MB) \n"
		       "0000:00                            1                    0                 "
		       "   2                    3 \n",
		       NULL });
	expect(s, "-j --iostat=0:80",
	       (const char *const[]){
		       "{\"port\" : \"0000:80\", \"Inbound Read(MB)\" : \"1\", \"Inbound "
		       "Write(MB)\" : \"2\", ",
		       NULL });
	out = run_stderr(s, "--iostat=0:81 true", &code);
	assert_int_equal(code, 1);
	assert_non_null(strstr(out, "no root port '0:81'"));
	free(out);
	out = run_stderr(s, "-e cycles --iostat true", &code);
	assert_int_equal(code, 129);
	free(out);
}

/*
 * Checks --metric-only. A ratio whose events are there has its column, with or without a value, so
 * that values stay under the heading of an earlier interval; one without its base has none.
 */
static void test_metric_only_columns(void **state)
{
	static const struct script counted[] = { { CYCLES, 1000, 0 },
						 { INSTRUCTIONS, 1500, 0 },
						 { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
						   5, 0 },
						 SCRIPT_END },
				   missed[] = { { CYCLES, 1000, 0 },
						{ INSTRUCTIONS, 1500, 0, 1000 },
						{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
						  5, 0 },
						SCRIPT_END };

	(void)state;
	skylake();
	expect(counted, "-C 0 -x, --metric-only -e cycles,instructions,branch-misses",
	       (const char *const[]){ "\ninsn per cycle,\n1.50,\n", NULL });
	expect(missed, "-C 0 -x, --metric-only -e cycles,instructions,branch-misses",
	       (const char *const[]){ "\ninsn per cycle,\n,\n", NULL });
	expect(missed, "-C 0 -j --metric-only -e cycles,instructions",
	       (const char *const[]){ "{\"insn per cycle\" : \"\"}", NULL });
}

/* Checks that counters of a package are refused for tasks. */
static void test_uncore_of_task(void **state)
{
	static const struct script s[] = {
		{ 20, RAW(4, 3), 10, 5 }, { 21, RAW(4, 3), 30, 10 }, { CYCLES, 1000, 0 }, SCRIPT_END
	};
	char *out;
	int code;

	(void)state;
	skylake();
	out = run_stderr(s, "-e uncore_imc/reads/,cycles true", &code);
	assert_int_equal(code, 1);
	assert_non_null(
		strstr(out, "'uncore_imc/reads/' counts what runs on a whole package, not a task"));
	assert_non_null(strstr(out, "hint: with -a"));
	free(out);
	/* nothing but such events: the system is counted without -a */
	out = run_stderr(s, "-x, -e uncore_imc/reads/,duration_time true", &code);
	assert_int_equal(code, 0);
	assert_non_null(strstr(out, "uncore_imc/reads/"));
	free(out);
}

/* Checks that the time of a run counts for every socket, not only for that of the first CPU. */
static void test_time_in_each_domain(void **state)
{
	static const struct script s[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000, 0 }, SCRIPT_END
	};
	int code, values = 0;
	char *out;

	(void)state;
	skylake();
	out = run_stderr(s, "-a -x, --per-socket -M CPUs_utilized true", &code);
	assert_int_equal(code, 0);
	for (char *at = out; (at = strstr(at, "CPUs_utilized")); at++)
		values += at - out > 2 && at[-1] == ',' && strchr("0123456789", at[-2]);
	if (values != 2)
		fail_msg("not a value for each of two sockets in\n%s", out);
	free(out);
}

/*
 * Checks that a group measures those of its metrics whose events exist, while a metric that is
 * named directly is refused if it lacks one.
 */
static void test_group_in_part(void **state)
{
	static const char text[] = "model .*\n"
				   "metric software_rate | G | | faults / cs | | of two events\n"
				   "metric lost | G | | nosuchevent / cs | | lacks one\n"
				   "metric other_lost | G,Lost | | nosuchevent / faults | | too\n";
	struct sys sys = { .root = "" };
	struct event_parser parser = { .command = "stat", .counting = true, .sys = &sys };
	struct metric_set m = { .sys = &sys };
	struct reason r = REASON_INIT;
	struct event_set set;

	(void)state;
	event_set_init(&set);
	catalogue_load(&m.catalogue, text, "");
	assert_int_equal(m.catalogue.list.count, 3);
	assert_int_equal(metric_set_add(&m, &parser, &set, "G", &r), 0);
	assert_int_equal(m.list.count, 1);
	assert_int_equal(set.list.count, 2); /* faults, cs */
	assert_int_equal(m.left_out.count, 2);
	assert_string_equal(m.left_out.items[0].name, "lost");
	assert_string_equal(m.left_out.items[0].why, "unknown event 'nosuchevent'");
	assert_true(metric_set_add(&m, &parser, &set, "Lost", &r) < 0);
	assert_non_null(strstr(r.text, "metric 'other_lost': unknown event 'nosuchevent'"));
	reason_release(&r);
	assert_true(metric_set_add(&m, &parser, &set, "software_rate,lost", &r) < 0);
	assert_non_null(strstr(r.text, "metric 'lost': unknown event 'nosuchevent'"));
	reason_release(&r);
	metric_set_release(&m);
	event_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_group_in_part),
		cmocka_unit_test(test_topdown_skylake),
		cmocka_unit_test(test_topdown_icelake),
		cmocka_unit_test(test_topdown_zen4),
		cmocka_unit_test(test_topdown_neoverse),
		cmocka_unit_test(test_topdown_slots),
		cmocka_unit_test(test_slots_of_kinds),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_topdown_older),
		cmocka_unit_test(test_topdown_older_level2),
		cmocka_unit_test(test_topdown_haswell_level2),
		cmocka_unit_test(test_topdown_skylake_level2),
		cmocka_unit_test(test_topdown_sapphire),
		cmocka_unit_test(test_topdown_icelake_level2),
		cmocka_unit_test(test_hybrid_metrics),
		cmocka_unit_test(test_hybrid_level2),
		cmocka_unit_test(test_efficient_cores),
		cmocka_unit_test(test_topdown_zen4_level2),
		cmocka_unit_test(test_topdown_zen5),
		cmocka_unit_test(test_zen),
		cmocka_unit_test(test_arm_common),
		cmocka_unit_test(test_transaction),
		cmocka_unit_test(test_smi_cost),
		cmocka_unit_test(test_smi_cost_signal),
		cmocka_unit_test(test_iostat),
		cmocka_unit_test(test_iostat_values),
		cmocka_unit_test(test_metric_only_columns),
		cmocka_unit_test(test_uncore_of_task),
		cmocka_unit_test(test_time_in_each_domain),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
