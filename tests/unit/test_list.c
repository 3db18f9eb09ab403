// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list on machines that are not here: their PMUs, by files as sysfs shows them. */
#include <unistd.h>

#include "arch/arch.h"
#include "tree.h"

#include "builtin/list/list.h"
#include "cli/say.h"
#include "event/pfm.h"

/* "perf list ARGS -o FILE": what it printed, and its exit code; the caller frees it. */
static char *list_code(const char *args, int *code)
{
	char *debug = xasprintf("%s/debug", tree_root);
	struct context ctx = { .buildid_dir = debug };
	struct sys sys = { .root = tree_root };
	struct list_settings settings = { 0 };
	struct reason r = REASON_INIT;
	struct strlist words = { VEC_INIT };
	char *path = xasprintf("%s/out", tree_root);
	const char *argv[16] = { "list", "-o", path };
	int argc = 3;

	tree_put("/out", "");
	strlist_split(&words, args, " ");
	vec_for_each(&words.list, it)
		argv[argc++] = *it;
	argv[argc] = NULL;
	*code = list_parse_options(&settings, &argc, argv);
	if (!*code && list_run(&ctx, &sys, &settings, argc, argv, &r))
		*code = say_reason(&r);
	condition_list_release(&ctx.conditions);
	strlist_release(&words);
	free(path);
	free(debug);
	return tree_get("/out");
}

static void expect(const char *args, const char *const *there, const char *const *absent)
{
	int code;
	char *out = list_code(args, &code);

	assert_int_equal(code, 0);
	for (; *there; there++)
		if (!strstr(out, *there))
			fail_msg("list %s: no '%s' in\n%s", args, *there, out);
	for (; absent && *absent; absent++)
		if (strstr(out, *absent))
			fail_msg("list %s: '%s' in\n%s", args, *absent, out);
	free(out);
}

static void put_cpuinfo(unsigned model)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "vendor_id : GenuineIntel\ncpu family : 6\nmodel : %u\nstepping : 2", model);
	tree_put("/proc/cpuinfo", text);
	tree_put("/proc/meminfo", "MemTotal: 1000 kB");
	tree_put("/sys/devices/system/cpu/online", "0-3");
	tree_put("/sys/devices/system/cpu/present", "0-3");
	tree_put("/sys/devices/system/cpu/possible", "0-3");
}

static void put_hybrid(void)
{
	put_cpuinfo(151);
	tree_put(DEVICES "cpu_core/type", "4");
	tree_put(DEVICES "cpu_core/cpus", "0-1");
	tree_put(DEVICES "cpu_core/format/event", "config:0-7");
	tree_put(DEVICES "cpu_core/format/umask", "config:8-15");
	tree_put(DEVICES "cpu_core/format/ldlat", "config1:0-15");
	tree_put(DEVICES "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	tree_put(DEVICES "cpu_core/events/slots", "event=0x0,umask=0x4");
	tree_put(DEVICES "cpu_atom/type", "10");
	tree_put(DEVICES "cpu_atom/cpus", "2-3");
	tree_put(DEVICES "cpu_atom/format/event", "config:0-7");
	tree_put(DEVICES "cpu_atom/format/umask", "config:8-15");
	tree_put(DEVICES "cpu_atom/events/mem-stores", "event=0xd0,umask=0x6");
	tree_put(DEVICES "uncore_imc_0/type", "20");
	tree_put(DEVICES "uncore_imc_0/cpumask", "0");
	tree_put(DEVICES "uncore_imc_0/events/data_reads", "event=0x1");
	tree_put(DEVICES "uncore_imc_1/type", "21");
	tree_put(DEVICES "uncore_imc_1/cpumask", "0");
	tree_put(DEVICES "uncore_imc_1/events/data_reads", "event=0x1");
}

/*
 * The library speaks for all models when it is asked with -v at first: this test is the first. 0xcd
 * with mask 1: Intel SDM volume 3, "Performance Monitoring Events", MEM_TRANS_RETIRED.LOAD_LATENCY.
 */
static void test_codes(void **state)
{
	int code;

	(void)state;
	if (strcmp(arch_host()->name, "x86_64")) /* the made-up machine is one of those */
		skip();
	if (!pfm_built_in())
		skip();
	put_hybrid();
	expect("-v mem-loads",
	       (const char *const[]){ "  mem-loads OR cpu_core/mem-loads/",
				      "event=0xcd,umask=0x1,ldlat=3", "       r1cd\n",
				      "       MEM_TRANS_RETIRED:LOAD_LATENCY: ", "Skylake", NULL },
	       NULL);
	expect("-v r1cd",
	       (const char *const[]){ "MEM_TRANS_RETIRED:LOAD_LATENCY ", "[libpfm4 event]",
				      "       r1cd: ", NULL },
	       NULL);
	expect("-v -j MEM_TRANS_RETIRED:LOAD_LATENCY",
	       (const char *const[]){ "\"EventName\": \"MEM_TRANS_RETIRED:LOAD_LATENCY\"",
				      "\"Encoding\": \"r1cd\"", "\"Models\": \"", NULL },
	       NULL);
	/* the library calls it deprecated, and names another */
	expect("-v --deprecated MEM_LOAD_LLC_HIT_RETIRED:*",
	       (const char *const[]){ "       r4d2: Intel Sandy Bridge", NULL }, NULL);
	free(list_code("-v MEM_LOAD_LLC_HIT_RETIRED:*", &code));
	assert_int_equal(code, 1);
}

/* Arm's own names stand beside what the driver lists. */
static void test_arm(void **state)
{
	(void)state;
	tree_clear();
	put_cpuinfo(1);
	tree_put(DEVICES "armv8_cortex_a57/type", "8");
	tree_put(DEVICES "armv8_cortex_a57/cpus", "0-3");
	tree_put(DEVICES "armv8_cortex_a57/format/event", "config:0-15");
	tree_put(DEVICES "armv8_cortex_a57/events/cpu_cycles", "event=0x11");
	tree_put(DEVICES "arm_cmn_0/type", "9");
	tree_put(DEVICES "arm_cmn_0/cpumask", "0");
	expect("pmu",
	       (const char *const[]){ "  cpu_cycles OR armv8_cortex_a57/cpu_cycles/ ",
				      "  inst_spec OR armv8_cortex_a57/inst_spec/ ",
				      "  l1d_cache_rd OR armv8_cortex_a57/l1d_cache_rd/ ", NULL },
	       (const char *const[]){ "arm_cmn_0/inst_spec", NULL });
	expect("-j br_mis_pred_retired",
	       (const char *const[]){ "\"Encoding\": \"event=0x22\"", NULL }, NULL);
	tree_clear();
}

static void test_units(void **state)
{
	char *out;
	int code;

	(void)state;
	put_hybrid();
	expect("pmu",
	       (const char *const[]){ "  mem-loads OR cpu_core/mem-loads/ ",
				      "  mem-stores OR cpu_atom/mem-stores/ ",
				      "  uncore_imc_0/data_reads/ ", NULL },
	       NULL);
	expect("--unit uncore_imc",
	       (const char *const[]){ "uncore_imc_0/data_reads/", "uncore_imc_1/data_reads/",
				      NULL },
	       (const char *const[]){ "mem-", "Software", "cycles", NULL });
	expect("--unit cpu_* mem*", (const char *const[]){ "mem-loads", "mem-stores", NULL },
	       (const char *const[]){ "slots", "uncore", NULL });
	expect("--cputype atom pmu", (const char *const[]){ "mem-stores", "uncore_imc_0", NULL },
	       (const char *const[]){ "mem-loads", "slots", NULL });
	expect("-j --cputype core mem-loads",
	       (const char *const[]){ "\"Unit\": \"cpu_core\"",
				      "\"EventAlias\": \"cpu_core/mem-loads/\"",
				      "\"Encoding\": \"event=0xcd,umask=0x1,ldlat=3\"", NULL },
	       NULL);
	out = list_code("--unit nosuch", &code);
	assert_int_equal(code, 1);
	free(out);
	out = list_code("--cputype big", &code);
	assert_int_equal(code, 1);
	free(out);
}

/* By name, by group, by GROUP:NAME, and why the machine cannot. */
static void test_metrics(void **state)
{
	(void)state;
	if (strcmp(arch_host()->name, "x86_64")) /* the made-up machine is one of those */
		skip();
	tree_clear();
	put_cpuinfo(85);
	tree_put(DEVICES "cpu/type", "4");
	tree_put(DEVICES "cpu/format/event", "config:0-7");
	expect("Topdown*1:tma_ret*",
	       (const char *const[]){ "  tma_retiring\n", "not available: ", NULL },
	       (const char *const[]){ "tma_back", NULL });
	expect("TopdownL?", (const char *const[]){ "TopdownL1:\n", "  tma_backend_bound\n", NULL },
	       NULL);
	expect("tma_front", (const char *const[]){ "  tma_frontend_bound\n", NULL }, NULL);
	expect("-j tma_retiring",
	       (const char *const[]){ "\"MetricName\": \"tma_retiring\"",
				      "\"MetricGroup\": \"TopdownL1;Retiring\"",
				      "\"MetricExpr\": \"RETIRE_SLOTS / tma_slots\"",
				      "\"ScaleUnit\": \"100%\"",
				      "\"MetricThreshold\": ", "\"Unavailable\": ", NULL },
	       NULL);
	expect("--raw-dump metricgroup", (const char *const[]){ "Software ", NULL },
	       (const char *const[]){ "TopdownL1", NULL }); /* there is no event of it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
