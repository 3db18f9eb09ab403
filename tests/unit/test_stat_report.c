// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat report of files that another machine recorded: its topology, its caches, its
 * catalogue of metrics.  The host that reads them is this one.
 */
#include "arch/arch.h"
#include "machine.h"

#include "stat/catalogue.h"

static void record(const struct script *s, const char *args)
{
	char *all = xasprintf("record -o %s/data -a %s", tree_root, args);

	assert_int_equal(run_code(s, all, true), 0);
	free(all);
}

static void expect_report(const char *args, const char *const *lines)
{
	char *all = xasprintf("report -i %s/data %s", tree_root, args);
	int code;
	char *out = run_stderr((const struct script[]){ SCRIPT_END }, all, &code);

	if (code)
		fail_msg("stat report %s: %s", args, out);
	for (; *lines; lines++)
		if (!strstr(out, *lines))
			fail_msg("stat report %s: no '%s' in\n%s", args, *lines, out);
	free(out);
	free(all);
}

static void refuse(const char *args, const char *why)
{
	char *all = xasprintf("report -i %s/data %s", tree_root, args);
	int code;
	char *out = run_stderr((const struct script[]){ SCRIPT_END }, all, &code);

	assert_int_not_equal(code, 0);
	if (!strstr(out, why))
		fail_msg("stat report %s: no '%s' in\n%s", args, why, out);
	free(out);
	free(all);
}

/* Counts 100, 200 ... 800 on CPUs 0 to 7; n and n + 4 are a core and share L2; L3 by socket. */
static const struct script counts[] = { { CYCLES, 1000, 0 },
					{ INSTRUCTIONS, 100, 100 },
					{ 20, RAW(4, 3), 10, 5 },
					{ 21, RAW(4, 3), 30, 10 },
					SCRIPT_END };

static void skylake_with_caches(void)
{
	skylake();
	for (u32 cpu = 0; cpu < 8; cpu++) {
		char core[8];

		snprintf(core, sizeof(core), "%u,%u", cpu % 4, cpu % 4 + 4);
		make_cache(cpu, 0, 1, "Data", core);
		make_cache(cpu, 1, 1, "Instruction", core);
		make_cache(cpu, 2, 2, "Unified", core);
		make_cache(cpu, 3, 3, "Unified", cpu / 2 % 2 ? "2-3,6-7" : "0-1,4-5");
	}
}

static void test_domains(void **state)
{
	(void)state;
	if (strcmp(arch_host()->name, "x86_64")) /* the made-up machine is one of those */
		skip();
	skylake_with_caches();
	record(counts, "-A -e cycles,instructions");
	/* socket 0: 100 + 200 + 500 + 600 of 4 * 1000 */
	expect_report("-x, --per-socket",
		      (const char *const[]){
			      "S0,4,1400,,instructions,4000,100.00,0.35,insn per cycle\n", NULL });
	/* the last cache is the socket's */
	expect_report("-x, --per-cache",
		      (const char *const[]){ "S0-D0-L3-ID0,4,1400,,instructions,",
					     "S1-D0-L3-ID2,4,2200,,instructions,", NULL });
	/* CPUs 1 and 5: 200 + 600; 3 and 7: 400 + 800 */
	expect_report("-x, --per-cache=L2",
		      (const char *const[]){ "S0-D0-L2-ID1,2,800,,instructions,2000,100.00,0.40,",
					     "S1-D0-L2-ID3,2,1200,,", NULL });
	/* on x86 a cluster is what shares L2 */
	expect_report("-x, --per-cluster",
		      (const char *const[]){ "S0-D0-CLS1,2,800,,instructions,",
					     "S1-D0-CLS3,2,1200,,instructions,", NULL });
	expect_report(
		"-j --per-cluster",
		(const char *const[]){ "{\"cluster\" : \"S0-D0-CLS1\", \"aggregate-number\" : 2, "
				       "\"counter-value\" : \"800.000000\"",
				       NULL });
	refuse("--per-cache=9", "does not say which CPUs share a cache");
	refuse("--per-cache=x", "not a cache level");
}

/* Checks IPC of the file's machine, and that it says what was not recorded. */
static void test_metrics(void **state)
{
	static const struct script s[] = { { 4, RAW(0x9c, 1), 300, 0 },
					   { 4, RAW(0x0e, 1), 1500, 0 },
					   { 4, RAW(0xc2, 2), 1000, 0 },
					   { 4, RAW(0x0d, 1) | ANY_THREAD, 50, 0 },
					   { 4, RAW(0x3c, 0) | ANY_THREAD, 1000, 0 },
					   { CYCLES, 700, 0 },
					   SCRIPT_END };

	(void)state;
	skylake_with_caches();
	record(counts, "-A -e cycles,instructions");
	expect_report("-x, --per-socket -M IPC",
		      (const char *const[]){ ",0.35,IPC\n", ",0.55,IPC\n", NULL });
	refuse("-M tma_retiring", "which was not recorded");
	refuse("-M tma_nothing", "no metric or metric group 'tma_nothing'");
	/* as test_topdown_skylake: two threads on a core by the file's own topology, 2000 slots */
	record(s, "-M TopdownL1");
	expect_report("-x, -M TopdownL1", (const char *const[]){ ",15.0,%  tma_frontend_bound\n",
								 ",30.0,%  tma_bad_speculation\n",
								 ",50.0,%  tma_retiring\n", NULL });
	expect_report("-j -M tma_retiring",
		      (const char *const[]){
			      "\"metric-value\" : 50.000000, \"metric-unit\" : \"%  tma_retiring\"",
			      NULL });
}

/* Checks that two instances of one PMU in a file are one event: (10 + 20 + 30 + 50) * 0.5 MiB. */
static void test_instances(void **state)
{
	(void)state;
	skylake_with_caches();
	record(counts, "-A -e uncore_imc/reads/");
	expect_report("-x, --per-socket",
		      (const char *const[]){ "S0,1,20.00,MiB,uncore_imc/reads/", NULL });
}

/* Checks an Arm file: its catalogue by MIDR, no clusters. */
static void test_arm(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x11, 1000, 0 },
					   { PERF_TYPE_RAW, 0x8, 500, 0 },
					   SCRIPT_END };

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0-3");
	tree_put("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd490");
	for (u32 cpu = 0; cpu < 4; cpu++)
		make_cpu(cpu, 0, 0, (s32)(cpu / 2) * 10, cpu);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0-3");
	record(s, "-M ipc");
	expect_report("-x, -M ipc", (const char *const[]){ ",0.50,ipc\n", NULL });
	refuse("-M tma_retiring", "no metric or metric group");
	refuse("-M retiring", "which was not recorded");
}

/* Checks that slots (8 * 1000) come from what the PMU said when it was recorded. */
static void test_slots(void **state)
{
	static const struct script s[] = { { PERF_TYPE_RAW, 0x11, 1000, 0 },
					   { PERF_TYPE_RAW, 0x3e, 2000, 0 },
					   SCRIPT_END };

	(void)state;
	make_machine("processor : 0\nBogoMIPS : 50.00", "0");
	tree_put("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd850");
	make_cpu(0, 0, 0, 0, 0);
	make_pmu("armv8_pmuv3_0", 8, "cpus", "0");
	make_pmu("armv8_other", 9, "caps/branches", "5");
	record(s, "-e r11,r3e");
	refuse("-M frontend_bound", "no metric or metric group");
	tree_put(DEVICES "armv8_pmuv3_0/caps/slots", "0x00000008");
	tree_put(DEVICES "armv8_pmuv3_0/caps/another", "3");
	record(s, "-e r11,r3e");
	expect_report("-x, -M frontend_bound",
		      (const char *const[]){ ",25.0,%  frontend_bound\n", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),   cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_instances), cmocka_unit_test(test_arm),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
