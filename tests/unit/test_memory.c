// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event/memory.h: events that sample memory accesses, on machines that are played by sysfs trees.
 */
#include "event/memory.h"

#include "event/parse.h"
#include "tree.h"

static struct sys sys = { .root = tree_root };

/* Checks what -t OPS or -e TEXT records: the words with a space between them, or "error: ...". */
static void expect_words(unsigned ops, const char *text, u64 latency, const char *want)
{
	struct memory_events m;
	struct strlist words = { 0 };
	struct strbuf b = STRBUF_INIT;
	struct reason r = REASON_INIT;
	int err;

	memory_events_find(&m, &sys);
	m.latency = latency;
	m.latency_given = latency;
	err = memory_events_require(&m, &r);
	if (!err)
		err = text ? memory_events_choose(&m, text, &r)
			   : memory_events_choose_ops(&m, ops, &r);
	if (!err)
		err = memory_events_words(&m, &words, &r);
	if (err)
		strbuf_f(&b, "error: %s", r.text);
	else if (memory_events_have_cost(&m))
		strbuf_str(&b, "-W ");
	vec_for_each(&words.list, w)
		strbuf_f(&b, "%s%s", w == words.list.items ? "" : " ", *w);
	if (err && !strncmp(strbuf_cstr(&b), want, strlen(want)))
		strbuf_truncate(&b, strlen(want));
	assert_string_equal(strbuf_cstr(&b), want);
	strbuf_release(&b);
	strlist_release(&words);
	reason_release(&r);
	memory_events_release(&m);
}

/* Checks that the chosen events exist: they are parsed on the same machine. */
static void expect_parsed(const char *text, u64 config, u64 config1, u64 config2)
{
	struct event_set set;
	struct reason r = REASON_INIT;
	const struct event_parser parser = { .sys = &sys, .command = "record" };
	const struct perf_event_attr *attr;

	event_set_init(&set);
	if (event_parse(&parser, &set, text, &r))
		fail_msg("%s: %s", text, r.text);
	attr = &set.list.items[set.list.count - 1]->attr;
	assert_int_equal(attr->config, config);
	assert_int_equal(attr->config1, config1);
	assert_int_equal(attr->config2, config2);
	event_set_release(&set);
}

static void put_core(const char *pmu)
{
	char path[256];

#define PUT(file, text)                                                                            \
	(snprintf(path, sizeof(path), DEVICES "%s/" file, pmu), tree_put(path, text))
	PUT("type", "4");
	PUT("format/event", "config:0-7");
	PUT("format/umask", "config:8-15");
	PUT("events/mem-loads", "event=0xcd,umask=0x1");
	PUT("events/mem-stores", "event=0xd0,umask=0x82");
#undef PUT
}

static void put_intel(void)
{
	put_core("cpu");
	tree_put(DEVICES "cpu/format/ldlat", "config1:0-15");
	tree_put(DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
}

static void test_none(void **state)
{
	(void)state;
	tree_put(DEVICES "software/type", "1");
	tree_put("/proc/cpuinfo", "flags : hypervisor");
	expect_words(MEMORY_LOAD, NULL, 0, "error: cannot sample memory accesses: ");
	tree_put(DEVICES "cpu/type", "4");
	tree_put(DEVICES "cpu/events/cycles", "event=0x3c");
	expect_words(MEMORY_LOAD, NULL, 0,
		     "error: cannot sample memory accesses: its PMU has no events mem-loads and "
		     "mem-stores;");
	tree_put("/proc/cpuinfo", "vendor_id : AuthenticAMD");
	expect_words(
		MEMORY_LOAD, NULL, 0,
		"error: cannot sample memory accesses: IBS is not there: the firmware can have");
}

static void test_intel(void **state)
{
	enum { BOTH = MEMORY_LOAD | MEMORY_STORE };

	(void)state;
	put_intel();
	expect_words(BOTH, NULL, 0, "-W -e cpu/mem-loads,ldlat=30/P -e cpu/mem-stores/P");
	expect_words(MEMORY_LOAD, NULL, 50, "-W -e cpu/mem-loads,ldlat=50/P");
	expect_words(MEMORY_STORE, NULL, 0, "-e cpu/mem-stores/P");
	expect_words(0, "stores", 0, "-e cpu/mem-stores/P");
	expect_words(0, "ldlat", 0, "-W -e cpu/mem-loads,ldlat=30/P -e cpu/mem-stores/P");
	expect_words(0, "ldlat-loads,spe", 0, "error: 'spe' is not an event");
	expect_parsed("cpu/mem-loads,ldlat=50/P", 0x1cd, 50, 0);
	/* Sapphire Rapids and later count nothing without the event beside it */
	tree_put(DEVICES "cpu/events/mem-loads-aux", "event=0x3,umask=0x82");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e {cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P");
	expect_parsed("{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P", 0x1cd, 30, 0);
}

static void test_hybrid(void **state)
{
	(void)state;
	put_core("cpu_core");
	tree_put(DEVICES "cpu_core/cpus", "0-1");
	tree_put(DEVICES "cpu_core/format/ldlat", "config1:0-15");
	tree_put(DEVICES "cpu_core/events/mem-loads-aux", "event=0x3,umask=0x82");
	put_core("cpu_atom");
	tree_put(DEVICES "cpu_atom/type", "10");
	tree_put(DEVICES "cpu_atom/cpus", "2-3");
	tree_put(DEVICES "cpu_atom/format/ldlat", "config1:0-15");
	expect_words(MEMORY_LOAD, NULL, 0,
		     "-W -e cpu_atom/mem-loads,ldlat=30/P "
		     "-e {cpu_core/mem-loads-aux/,cpu_core/mem-loads,ldlat=30/}:P");
	expect_words(MEMORY_STORE, NULL, 0, "-e cpu_atom/mem-stores/P -e cpu_core/mem-stores/P");
}

static void test_amd(void **state)
{
	(void)state;
	tree_put(DEVICES "cpu/type", "4");
	tree_put(DEVICES "cpu/events/cycles", "event=0x76");
	tree_put(DEVICES "ibs_op/type", "11");
	tree_put(DEVICES "ibs_op/format/cnt_ctl", "config:19");
	expect_words(MEMORY_LOAD | MEMORY_STORE, NULL, 0, "-W -e ibs_op//");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e ibs_op//");
	/* kernels that do not look at the registers themselves */
	tree_put("/proc/sys/kernel/osrelease", "6.0.19-generic");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e ibs_op// -R");
	tree_put("/proc/sys/kernel/osrelease", "5.15.0");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e ibs_op// -R");
	tree_put("/proc/sys/kernel/osrelease", "6.1.0-50-amd64");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e ibs_op//");
	tree_put("/proc/sys/kernel/osrelease", "7.0.1");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e ibs_op//");
	expect_words(MEMORY_LOAD, NULL, 200,
		     "error: --ldlat: AMD IBS of this machine has no latency threshold");
	/* Zen 5 */
	tree_put(DEVICES "ibs_op/format/ldlat", "config1:0-11");
	expect_words(MEMORY_LOAD, NULL, 200, "-W -e ibs_op/ldlat=200/");
	expect_parsed("ibs_op/ldlat=200/", 0, 200, 0);
}

static void test_arm(void **state)
{
	(void)state;
	tree_put(DEVICES "armv8_pmuv3_0/type", "8");
	tree_put(DEVICES "arm_spe_0/type", "9");
	tree_put(DEVICES "arm_spe_0/format/ts_enable", "config:0");
	tree_put(DEVICES "arm_spe_0/format/pa_enable", "config:1");
	tree_put(DEVICES "arm_spe_0/format/load_filter", "config:33");
	tree_put(DEVICES "arm_spe_0/format/store_filter", "config:34");
	tree_put(DEVICES "arm_spe_0/format/min_latency", "config2:0-11");
	expect_words(MEMORY_LOAD | MEMORY_STORE, NULL, 0,
		     "-W -e arm_spe_0/ts_enable=1,pa_enable=1,"
		     "load_filter=1,store_filter=1,min_latency=30/");
	expect_words(MEMORY_STORE, NULL, 0,
		     "-e arm_spe_0/ts_enable=1,pa_enable=1,load_filter=0,store_filter=1/");
	expect_words(0, "spe-load", 64,
		     "-W -e arm_spe_0/ts_enable=1,pa_enable=1,"
		     "load_filter=1,store_filter=0,min_latency=64/");
	expect_parsed(
		"arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=0,min_latency=64/",
		0x200000003, 0, 64);
}

static void test_power(void **state)
{
	(void)state;
	put_core("cpu");
	expect_words(MEMORY_LOAD | MEMORY_STORE, NULL, 0,
		     "-W -e cpu/mem-loads/ -e cpu/mem-stores/");
	expect_words(MEMORY_LOAD, NULL, 10,
		     "error: --ldlat: POWER of this machine has no latency threshold");
}

/* Checks a machine that has only one of the two events. */
static void test_part(void **state)
{
	struct memory_events m;
	struct strbuf b = STRBUF_INIT;

	(void)state;
	tree_put(DEVICES "cpu/type", "4");
	tree_put(DEVICES "cpu/format/ldlat", "config1:0-15");
	tree_put(DEVICES "cpu/events/mem-loads", "event=0x0b,umask=0x10,ldlat=3");
	expect_words(MEMORY_LOAD | MEMORY_STORE, NULL, 0,
		     "error: Intel PEBS of this machine does not sample stores");
	expect_words(MEMORY_LOAD, NULL, 0, "-W -e cpu/mem-loads,ldlat=30/P");
	expect_words(0, "ldlat-stores", 0, "error: the event 'ldlat-stores' is not available");
	memory_events_find(&m, &sys);
	memory_events_list(&m, true, &b);
	assert_string_equal(strbuf_cstr(&b),
			    "ldlat-loads  cpu/mem-loads,ldlat=30/P : available\n"
			    "ldlat-stores cpu/mem-stores/P         : not available\n");
	strbuf_release(&b);
	memory_events_release(&m);
}

int main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, tree_make, tree_remove)
	const struct CMUnitTest tests[] = {
		T(test_none), T(test_intel), T(test_hybrid), T(test_amd),
		T(test_arm),  T(test_power), T(test_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
