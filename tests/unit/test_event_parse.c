// SPDX-License-Identifier: GPL-2.0-or-later
/* The event language: every form, and where each error points. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "event/parse.h"
#include "event/sample_filter.h"
#include "event/pmu.h"
#include "sys/sys.h"

/* A small machine of our own: what the tests read instead of this host. */
static char root[] = "/tmp/perf-events-XXXXXX";
static struct sys machine = { .root = root };
#define DEVICES "/sys/bus/event_source/devices/"
static const struct event_parser parser = { .command = "record", .sys = &machine };

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

static int build_machine(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put("/sys/kernel/tracing/events/enable", "0\n");
	put("/sys/kernel/tracing/events/sched/enable", "0\n");
	put("/sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	put("/sys/kernel/tracing/events/sched/sched_wakeup/id", "315\n");
	put("/sys/kernel/tracing/events/sched/sched_process_exec/id", "316\n");
	put("/sys/kernel/tracing/events/syscalls/sys_enter_read/id", "20\n");
	put("/sys/kernel/tracing/events/syscalls/sys_exit_read/id", "21\n");
	put(DEVICES "cpu/type", "4\n");
	put(DEVICES "cpu/format/event", "config:0-7,32-35\n");
	put(DEVICES "cpu/format/umask", "config:8-15\n");
	put(DEVICES "cpu/format/any", "config:21\n");
	put(DEVICES "cpu/format/ldlat", "config1:0-15\n");
	put(DEVICES "cpu/format/nonsense", "confix:3-1\n");
	put(DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(DEVICES "cpu/events/needs", "event=0x10,umask=?\n");
	put(DEVICES "cs_etm/type", "9\n");
	put(DEVICES "cs_etm/sinks/tmc_etr0", "0x9fcc9fcc\n");
	put(DEVICES "uncore_imc_0/type", "14\n");
	put(DEVICES "uncore_imc_0/cpumask", "0,8\n");
	put(DEVICES "uncore_imc_0/format/event", "config:0-7\n");
	put(DEVICES "uncore_imc_0/events/data_reads", "event=0x4\n");
	put(DEVICES "uncore_imc_0/events/data_reads.unit", "MiB\n");
	put(DEVICES "uncore_imc_0/events/data_reads.scale", "6.103515625e-5\n");
	put(DEVICES "uncore_imc_1/type", "15\n");
	put(DEVICES "uncore_imc_1/format/event", "config:0-7\n");
	put(DEVICES "uncore_imc_1/events/data_reads", "event=0x4\n");
	return 0;
}

static int build_hybrid(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(strcpy(root, "/tmp/perf-events-XXXXXX")));
	put(DEVICES "cpu_core/type", "4\n");
	put(DEVICES "cpu_core/cpus", "0-3\n");
	put(DEVICES "cpu_atom/type", "10\n");
	put(DEVICES "cpu_atom/cpus", "4-7\n");
	put(DEVICES "cpu_atom/format/event", "config:0-7\n");
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

/* One line for each event: what tells it from others. */
static char *describe(const struct event_set *set)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&set->list, it) {
		const struct event *ev = *it;
		u64 f = ev->attr.flags;

		strbuf_f(&b, "%s%s %u/%" PRIx64, b.len ? "; " : "", ev->name, ev->attr.type,
			 ev->attr.config);
		if (ev->attr.config1 || ev->attr.config2)
			strbuf_f(&b, ",%" PRIx64 ",%" PRIx64, ev->attr.config1, ev->attr.config2);
		if (ev->attr.bp_type)
			strbuf_f(&b, " bp%u", ev->attr.bp_type);
		if (ev->attr.sample_period && !event_is_tracepoint(ev) && !ev->attr.bp_type)
			strbuf_f(&b, " %s%" PRIu64, f & ATTR_FREQ ? "F" : "c",
				 ev->attr.sample_period);
		if (ev->unit && ev->attr.type != PERF_TYPE_SOFTWARE)
			strbuf_f(&b, " [%s %g]", ev->unit, ev->scale);
		if (ev->cpu_count)
			strbuf_f(&b, " on %u CPUs", ev->cpu_count);
		if (ev->instance_of)
			strbuf_f(&b, " of %u", ev->instance_of->index);
		if (f & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV))
			strbuf_f(&b, " %s%s%s", f & ATTR_EXCLUDE_USER ? "" : "u",
				 f & ATTR_EXCLUDE_KERNEL ? "" : "k",
				 f & ATTR_EXCLUDE_HV ? "" : "h");
		if (f & ATTR_EXCLUDE_HOST)
			strbuf_str(&b, " -host");
		if (!(f & ATTR_EXCLUDE_GUEST))
			strbuf_str(&b, " +guest");
		if (f & ATTR_PRECISE_MASK)
			strbuf_f(&b, " p%d", (int)((f & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT));
		strbuf_f(&b, "%s%s%s%s%s%s%s", ev->precise_max ? " P" : "",
			 f & ATTR_EXCLUDE_IDLE ? " I" : "", f & ATTR_PINNED ? " D" : "",
			 f & ATTR_EXCLUSIVE ? " e" : "", ev->weak_group ? " W" : "",
			 ev->leader_sampling ? " S" : "", ev->retire_latency ? " R" : "");
		if (ev->leader != ev)
			strbuf_f(&b, " <%s", ev->leader->name);
		else if (ev->members > 1)
			strbuf_f(&b, " x%u", ev->members);
		if (ev->group_name)
			strbuf_f(&b, " =%s", ev->group_name);
	}
	return strbuf_detach(&b);
}

static void test_forms(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "cycles", "cycles 0/0" },
		{ "cpu-cycles", "cpu-cycles 0/0" },
		{ "idle-cycles-backend", "idle-cycles-backend 0/8" },
		{ "cs,faults,migrations", "cs 1/3; faults 1/2; migrations 1/4" },
		{ " cs , faults ", "cs 1/3; faults 1/2" },
		{ "cgroup-switches", "cgroup-switches 1/b" },
		{ "software/page-faults/", "software/page-faults/ 1/2" },
		{ "software/cpu-clock,name=mine/u", "mine 1/0 u" },
		/* cache events, any letter case and order of the parts */
		{ "L1-dcache-loads", "L1-dcache-loads 3/0" },
		{ "L1-dcache-load-misses", "L1-dcache-load-misses 3/10000" },
		{ "l1d-write-miss", "l1d-write-miss 3/10100" },
		{ "LLC-misses", "LLC-misses 3/10002" },
		{ "dTLB-misses-loads", "dTLB-misses-loads 3/10003" },
		{ "node-prefetch-misses", "node-prefetch-misses 3/10206" },
		{ "L1-icache-speculative-read", "L1-icache-speculative-read 3/201" },
		{ "branch-load-misses", "branch-load-misses 3/10005" },
		{ "branch-misses", "branch-misses 0/5" },
		/* raw */
		{ "r1a8", "r1a8 4/1a8" },
		{ "r003c:u", "r003c:u 4/3c u" },
		{ "1:3", "1:3 1/3" },
		/* modifiers */
		{ "cycles:u", "cycles:u 0/0 u" },
		{ "cycles:uk", "cycles:uk 0/0 uk" },
		{ "cycles:h", "cycles:h 0/0 h +guest" },
		{ "cycles:G", "cycles:G 0/0 -host +guest" },
		{ "cycles:H", "cycles:H 0/0" },
		{ "cycles:GH", "cycles:GH 0/0 +guest" },
		{ "cycles:ppp", "cycles:ppp 0/0 p3" },
		{ "cycles:P", "cycles:P 0/0 +guest P" },
		{ "cycles:DeI", "cycles:DeI 0/0 +guest I D e" },
		{ "cycles:S", "cycles:S 0/0 +guest S" },
		{ "cycles:RX", "cycles:RX 0/0 +guest R" },
		{ "cycles:ukhIGHpppSDe", "cycles:ukhIGHpppSDe 0/0 +guest p3 I D e S" },
		{ "cycles:{k,u}", "cycles:k 0/0 k +guest; cycles:u 0/0 u" },
		/* tracepoints */
		{ "sched:sched_switch", "sched:sched_switch 2/13a" },
		{ "sched:sched_switch:u", "sched:sched_switch 2/13a u" },
		{ "sched:sched_[sw]*", "sched:sched_switch 2/13a; sched:sched_wakeup 2/13b" },
		{ "s*:*_read", "syscalls:sys_enter_read 2/14; syscalls:sys_exit_read 2/15" },
		/* groups */
		{ "{cs,faults}", "cs 1/3 x2; faults 1/2 <cs" },
		{ "{cs:u,faults}:k", "cs:u 1/3 uk x2; faults 1/2 k <cs:u" },
		{ "g{cs,faults}:S", "cs 1/3 S x2 =g; faults 1/2 S <cs" },
		{ "{cs,faults}:W", "cs 1/3 W x2; faults 1/2 W <cs" },
		{ "{cs,faults}:D", "cs 1/3 D x2; faults 1/2 <cs" },
		{ "{cs,sched:sched_p*},r1",
		  "cs 1/3 x2; sched:sched_process_exec 2/13c <cs; r1 4/1" },
		/* breakpoints */
		{ "mem:0x1000", "mem:0x1000 5/0,1000,4 bp3" },
		{ "mem:0x1000/8:w:u", "mem:0x1000/8:w:u 5/0,1000,8 bp2 u" },
		{ "mem:4096/1:u", "mem:4096/1:u 5/0,1000,1 bp3 u" },
		/* PMUs */
		{ "cpu/event=0x3c,umask=1/", "cpu/event=0x3c,umask=1/ 4/13c" },
		{ "cpu/event=0x13c,any/uk", "cpu/event=0x13c,any/uk 4/10020003c uk" },
		{ "cpu/event=0x3c/:u", "cpu/event=0x3c/:u 4/3c u" },
		{ "cpu/mem-loads,ldlat=30/pp", "cpu/mem-loads,ldlat=30/pp 4/1cd,1e,0 p2" },
		{ "cpu/mem-loads/", "cpu/mem-loads/ 4/1cd,3,0" },
		{ "mem-loads:u", "mem-loads:u 4/1cd,3,0 u" },
		{ "cpu/needs,umask=5/", "cpu/needs,umask=5/ 4/510" },
		{ "cpu/config=0x1a8,config1=2,config2=3,period=1000/",
		  "cpu/config=0x1a8,config1=2,config2=3,period=1000/ 4/1a8,2,3 c1000" },
		{ "cpu/r1a8,name=mine/u", "mine 4/1a8 u" },
		{ "cpu/cycles/", "cpu/cycles/ 0/0" },
		{ "cpu//", "cpu// 4/0" },
		{ "imc/data_reads/",
		  "imc/data_reads/ 14/4 [MiB 6.10352e-05] on 2 CPUs of 0; imc/data_reads/ 15/4 of "
		  "0" },
		{ "uncore_imc_1/event=1/", "uncore_imc_1/event=1/ 15/1" },
		{ "unc*/event=1/", "unc*/event=1/ 14/1 on 2 CPUs of 0; unc*/event=1/ 15/1 of 0" },
		/* terms of any event */
		{ "cs/freq=50,name='a b'/u", "a b 1/3 F50 u" },
		{ "cycles/period=100/pp", "cycles/period=100/pp 0/0 c100 p2" },
		{ "{cs/period=9/,faults}", "cs/period=9/ 1/3 c9 x2; faults 1/2 <cs/period=9/" },
		{ "LLC-loads/cpu=1-2/", "LLC-loads/cpu=1-2/ 3/2 on 2 CPUs" },
		{ "{cs,faults},{r1,r2}", "cs 1/3 x2; faults 1/2 <cs; r1 4/1 x2; r2 4/2 <r1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reason r = REASON_INIT;
		struct event_set set;
		char *got;

		event_set_init(&set);
		if (event_parse(&parser, &set, rows[i].text, &r))
			fail_msg("%s: %s", rows[i].text, r.text);
		got = describe(&set);
		if (strcmp(got, rows[i].want))
			fail_msg("%s:\n  got  %s\n  want %s", rows[i].text, got, rows[i].want);
		free(got);
		event_set_release(&set);
	}
}

/*
 * The kernel wants breakpoints on code as long as its own long is, whatever this program was built
 * for.
 */
static void test_code_breakpoint(void **state)
{
	struct reason r = REASON_INIT;
	struct event_set set;
	char *got, *want;

	(void)state;
	event_set_init(&set);
	assert_int_equal(event_parse(&parser, &set, "mem:0x1000:x", &r), 0);
	got = describe(&set);
	want = xasprintf("mem:0x1000:x 5/0,1000,%d bp4", arch_host()->bits / 8);
	assert_string_equal(got, want);
	free(want);
	free(got);
	event_set_release(&set);
}

static const struct {
	const char *text;
	const char *message; /* first line */
	int caret, width;    /* column and count of ^ */
	const char *hint;    /* part of it, or NULL */
} wrong_events[] = {
	{ "cycels", "unknown event 'cycels'", 0, 6, "'cycles'" },
	{ "cs,cycels:u", "unknown event 'cycels'", 3, 6, "'cycles'" },
	{ "L1-dcache-lods", "unknown event 'L1-dcache-lods'", 0, 14, "L1-dcache-loads" },
	{ "", "expected an event", 0, 1, NULL },
	{ "cs,", "expected an event", 3, 1, NULL },
	{ "cs:z", "unknown modifier 'z'", 3, 1, "perf help events" },
	{ "cs:ub", "'b' counts with BPF: it has no use in 'perf record'", 4, 1, NULL },
	{ "cs/nr=3/", "'nr' has no use in 'perf record'", 3, 2, NULL },
	{ "cs/@sink/", "'@sink' is for the driver of a PMU, and this event has none", 3, 5, NULL },
	{ "cpu/@sink/", "PMU 'cpu' has no sink 'sink'", 4, 5, "takes no configuration" },
	{ "cs_etm/@tmc_etr1/u", "PMU 'cs_etm' has no sink 'tmc_etr1'", 7, 9, "'tmc_etr0'" },
	{ "{cs,cycels:u}", "unknown event 'cycels'", 4, 6, "'cycles'" },
	{ "{cs,faults}:z", "unknown modifier 'z'", 12, 1, NULL },
	{ "{cs faults}", "expected ',' or '}'", 4, 1, NULL },
	{ "cs/period=x/", "'x' is not a number", 10, 1, NULL },
	{ "cs/time=2/", "2 is too large for 'time': at most 1", 8, 1, NULL },
	{ "cs/name=/", "expected a value after 'name='", 3, 4, NULL },
	{ "cs/aux-action=x/", "expected aux-action=start-paused, pause or resume", 14, 1, NULL },
	{ "cs/cpu=x/", "expected cpu=NUMBER", 7, 1, NULL },
	{ "x*:y", "no tracepoint system 'x*'", 0, 2, NULL },
	{ "sch*:nosuch", "no system that matches 'sch*' has this tracepoint", 0, 4,
	  "perf list 'sch*:*'" },
	{ "duration_time/umask=1/", "unknown term 'umask'", 14, 5, NULL },
	{ "cs:uu", "modifier 'u' is given twice", 4, 1, NULL },
	{ "cs:pppp", "precise levels end at 'ppp'", 6, 1, NULL },
	{ "cs:", "expected modifiers after ':'", 3, 1, NULL },
	{ "cs:W", "'W' makes a group weak, and this is a single event", 3, 1, "}:W" },
	{ "{cs,faults", "this '{' has no '}'", 0, 1, NULL },
	{ "cs}", "expected ',' or the end", 2, 1, NULL },
	{ "{cs,{faults}}", "a group cannot hold another one", 4, 1, "{A,B},{C,D}" },
	{ "{}", "this group is empty", 1, 1, NULL },
	{ "cs,{ }", "this group is empty", 5, 1, NULL },
	{ "sched:{a,b}", "expected a tracepoint's name", 6, 1, "sched:A,sched:B" },
	{ "cs/period=99999999999999999999/", "99999999999999999999 does not fit into 64 bits", 10,
	  20, NULL },
	{ "cs/period=0x/", "'0x' is not a number", 10, 2, NULL },
	{ "cs:{u,k", "this '{' has no '}'", 3, 1, NULL },
	{ "sched:sched_swich", "no tracepoint 'sched:sched_swich'", 6, 11, "'sched_switch'" },
	{ "shed:sched_switch", "no tracepoint system 'shed'", 0, 4, "'sched'" },
	{ "probe:vfs_read", "no tracepoint system 'probe'", 0, 5,
	  "make it first: perf probe -a vfs_read" },
	/* a function's name may look like modifiers */
	{ "probe:X", "no tracepoint system 'probe'", 0, 5, "make it first: perf probe -a X" },
	{ "probe_libc:up", "no tracepoint system 'probe_libc'", 0, 10,
	  "make it first: perf probe -x FILE -a up" },
	{ "probe:vfs_read__return", "no tracepoint system 'probe'", 0, 5,
	  "perf probe -a 'vfs_read%return'" },
	{ "probe_libc:malloc", "no tracepoint system 'probe_libc'", 0, 10,
	  "perf probe -x FILE -a malloc" },
	{ "probe:*", "no tracepoint system 'probe'", 0, 5, "perf list" },
	{ "sched:x*", "no tracepoint 'sched:x*'", 6, 2, NULL },
	{ "mem:no-such-symbol", "the kernel has no symbol 'no-such-symbol'", 4, 14, NULL },
	{ "mem:1x", "expected an address or a symbol of the kernel after 'mem:'", 4, 2, NULL },
	{ "mem:0x10/3", "a breakpoint's length is 1, 2, 4 or 8", 9, 1, NULL },
	{ "mem:0x10:ww", "access 'w' is given twice", 10, 1, NULL },
	{ "cpu/evnt=1/", "PMU 'cpu' has no term or event 'evnt'", 4, 4, "'event'" },
	{ "cpu/mem-lods/", "PMU 'cpu' has no term or event 'mem-lods'", 4, 8, "'mem-loads'" },
	{ "cpu/zzzzzz/", "PMU 'cpu' has no term or event 'zzzzzz'", 4, 6, "umask" },
	{ "cpu/umask=256/", "256 does not fit into the 8 bits of 'umask'", 10, 3, NULL },
	{ "cpu/umask=x/", "'x' is not a number", 10, 1, NULL },
	{ "cpu/umask=/", "expected a value after 'umask='", 4, 5, NULL },
	{ "cpu/needs/", "this event needs a value for 'umask'", 4, 5, "umask=" },
	{ "cpu/event=1", "this '/' has no closing one", 3, 1, NULL },
	{ "cpu/event=1/z", "unknown modifier 'z'", 12, 1, NULL },
	{ "cqu/event=1/", "no PMU or event 'cqu'", 0, 3, NULL },
	{ "cs/frequency=1/", "unknown term 'frequency'", 3, 9, "terms are" },
	{ "cs/percore/", "'percore' has no use in 'perf record'", 3, 7, NULL },
	{ "cs/stack-size=9/", "stack-size must be a multiple of 8", 14, 1, NULL },
	{ "cs/call-graph=x/", "expected call-graph=fp, dwarf, lbr or no", 14, 1, NULL },
	{ "cs/branch_type=x/", "'x' is not a branch filter", 15, 1, NULL },
	{ "tool/x/", "no tool event 'x'", 5, 1, NULL },
	{ "software/faults,cs/", "unknown term 'cs'", 16, 2, NULL },
	{ "tool/num_cpus,smt_on/", "expected one tool event", 5, 8, NULL },
	{ "./a.c/map:x.event=y/",
	  "'./a.c/map:x.event=y/' is a BPF program, which only perf record accepts as an "
	  "event",
	  0, 20, NULL },
	{ "cs/period=5,freq=5/", "period and freq exclude each other", 12, 4, NULL },
	{ "99999999999:1", "'99999999999' is not an event type", 0, 11, NULL },
	{ "1:x", "expected the event's number after '1:'", 2, 1, NULL },
};

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong_events); i++) {
		struct reason r = REASON_INIT;
		struct event_set set;
		const char *line, *caret;

		event_set_init(&set);
		if (!event_parse(&parser, &set, wrong_events[i].text, &r))
			fail_msg("'%s' was taken", wrong_events[i].text);
		assert_int_equal(set.list.count, 0);
		line = strchr(r.text, '\n');
		assert_non_null(line);
		assert_int_equal(line - r.text, strlen(wrong_events[i].message));
		assert_memory_equal(r.text, wrong_events[i].message,
				    strlen(wrong_events[i].message));
		assert_memory_equal(line + 1, wrong_events[i].text, strlen(wrong_events[i].text));
		caret = strchr(line + 1, '\n') + 1;
		if ((int)strspn(caret, " ") != wrong_events[i].caret ||
		    (int)strlen(caret + strspn(caret, " ")) != wrong_events[i].width)
			fail_msg("%s", r.text);
		if (wrong_events[i].hint && (!r.hint || !strstr(r.hint, wrong_events[i].hint)))
			fail_msg("%s: hint is %s", wrong_events[i].text, r.hint);
		reason_release(&r);
		event_set_release(&set);
	}
}

/* Terms whose value has a field of its own, and where they are refused. */
static void test_terms(void **state)
{
	static const struct event_parser counting = { .command = "stat",
						      .counting = true,
						      .sys = &machine };
	static const struct event_parser tracing = { .command = "trace", .sys = &machine };
	static const char *const sampling_only[] = {
		"freq=1",    "time=1",          "call-graph=fp", "max-stack=3",  "no-inherit",
		"overwrite", "branch_type=any", "aux-output",    "stack-size=8", "aux-sample-size=1"
	};
	struct reason r = REASON_INIT;
	struct event_set set;
	const struct event *ev;

	(void)state;
	event_set_init(&set);
	assert_int_equal(
		event_parse(&parser, &set,
			    "cs/time=0,call-graph=dwarf,stack-size=1024,max-stack=7,"
			    "no-inherit,overwrite,branch_type=any,branch_type=u,aux-output,"
			    "aux-sample-size=64/",
			    &r),
		0);
	ev = set.list.items[0];
	assert_int_equal(ev->time, TERM_OFF);
	assert_string_equal(ev->callgraph, "dwarf");
	assert_true(ev->own_callgraph && ev->own_max_stack && ev->own_inherit);
	assert_int_equal(ev->attr.sample_stack_user, 1024);
	assert_int_equal(ev->attr.sample_max_stack, 7);
	assert_true(ev->own_overwrite && ev->attr.flags & ATTR_WRITE_BACKWARD);
	assert_true(ev->attr.flags & ATTR_AUX_OUTPUT);
	assert_false(ev->attr.flags & ATTR_INHERIT);
	assert_int_equal(ev->attr.branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(ev->attr.aux_sample_size, 64);
	/* the number that the driver gives its sink */
	assert_int_equal(event_parse(&parser, &set, "cs_etm/@tmc_etr0/u", &r), 0);
	assert_string_equal(set.list.items[1]->driver_config, "tmc_etr0");
	assert_true(set.list.items[1]->attr.config2 == 0x9fcc9fcc);
	event_set_truncate(&set, 1);
	assert_int_equal(event_parse(&tracing, &set, "cs/nr=9/", &r), 0);
	assert_int_equal(set.list.items[1]->max_events, 9);
	event_set_truncate(&set, 1);
	assert_int_equal(event_parse(&counting, &set, "cs/percore,metric-id=m,period=5/", &r), 0);
	assert_true(set.list.items[1]->percore);
	assert_string_equal(set.list.items[1]->metric_id, "m");
	for (size_t i = 0; i < ARRAY_SIZE(sampling_only); i++) {
		char *text = xasprintf("cs/%s/", sampling_only[i]);

		assert_int_equal(event_parse(&counting, &set, text, &r), -EINVAL);
		assert_non_null(strstr(r.text, "has no use in 'perf stat'"));
		free(text);
	}
	assert_int_equal(event_parse(&counting, &set, "cycles:R", &r), -EINVAL);
	assert_int_equal(event_parse(&counting, &set, "cs/nr=1/", &r), -EINVAL);
	reason_release(&r);
	event_set_release(&set);
}

static void test_hybrid(void **state)
{
	struct event_set set;
	char *got;

	(void)state;
	event_set_init(&set);
	assert_int_equal(event_parse(&parser, &set, "cycles:u,cpu_atom/event=1/,cs", NULL), 0);
	got = describe(&set);
	assert_string_equal(got, "cpu_atom/cycles/:u 0/a00000000 on 4 CPUs u; "
				 "cpu_core/cycles/:u 0/400000000 on 4 CPUs u; "
				 "cpu_atom/event=1/ 10/1 on 4 CPUs; cs 1/3");
	free(got);
	event_set_truncate(&set, 0);
	assert_int_equal(event_parse(&parser, &set, "LLC-loads/period=9/u,cycles//", NULL), 0);
	got = describe(&set);
	assert_string_equal(
		got,
		"cpu_atom/LLC-loads,period=9/u 3/a00000002 c9 on 4 CPUs u; "
		"cpu_core/LLC-loads,period=9/u 3/400000002 c9 on 4 CPUs u; "
		"cpu_atom/cycles/ 0/a00000000 on 4 CPUs; cpu_core/cycles/ 0/400000000 on 4 CPUs");
	free(got);
	event_set_truncate(&set, 0);
	/* a group for each kind, the software event with the first */
	assert_int_equal(event_parse(&parser, &set, "g{cycles,cs,instructions}:W,faults", NULL), 0);
	got = describe(&set);
	assert_string_equal(
		got,
		"cpu_atom/cycles/ 0/a00000000 on 4 CPUs W x3 =g; cs 1/3 W <cpu_atom/cycles/; "
		"cpu_atom/instructions/ 0/a00000001 on 4 CPUs W <cpu_atom/cycles/; "
		"cpu_core/cycles/ 0/400000000 on 4 CPUs W x2 =g; "
		"cpu_core/instructions/ 0/400000001 on 4 CPUs W <cpu_core/cycles/; faults 1/2");
	for (u32 i = 0; i < set.list.count; i++)
		assert_int_equal(set.list.items[i]->index, i);
	free(got);
	event_set_release(&set);
}

static int asked(void *arg, struct event_set *set, const char *name, struct reason *r)
{
	struct perf_event_attr attr = { .type = 77 };

	(void)r;
	*(char **)arg = xstrdup(name);
	if (str_starts(name, "sdt_")) {
		event_set_add(set, &attr, name);
		return 1;
	}
	return 0;
}

/* What nothing here knows goes up, with its modifiers applied afterwards. */
static void test_resolve(void **state)
{
	char *name = NULL;
	struct event_parser above = {
		.command = "record", .sys = &machine, .resolve = asked, .resolve_arg = &name
	};
	struct reason r = REASON_INIT;
	struct event_set set;

	(void)state;
	event_set_init(&set);
	assert_int_equal(event_parse(&above, &set, "sdt_p:n:u", &r), 0);
	assert_string_equal(name, "sdt_p:n");
	assert_int_equal(set.list.items[0]->attr.type, 77);
	assert_true(set.list.items[0]->attr.flags & ATTR_EXCLUDE_KERNEL);
	free(name);
	assert_int_equal(event_parse(&above, &set, "nosuch", &r), -EINVAL);
	free(name);
	reason_release(&r);
	event_set_release(&set);
}

static void test_format_bits(void **state)
{
	u64 mask, word = 0;
	u8 which;

	(void)state;
	assert_int_equal(pmu_format_parse("config1:0-63", &which, &mask), 0);
	assert_int_equal(which, 1);
	assert_true(mask == UINT64_MAX);
	assert_int_equal(pmu_format_parse("config:64", &which, &mask), -EINVAL);
	assert_int_equal(pmu_format_parse("config9:1", &which, &mask), -EINVAL);
	assert_int_equal(pmu_format_parse("config:1;", &which, &mask), -EINVAL);
	assert_int_equal(pmu_fill_bits(0xf0f, 0xab, &word), 0);
	assert_int_equal(word, 0xa0b);
	assert_int_equal(pmu_fill_bits(0xf0f, 0x100, &word), -ERANGE);
	assert_int_equal(pmu_fill_bits(0xf0f, 0x10, &word), 0);
	assert_int_equal(word, 0x100); /* the field's old value is gone */
}

static void test_sample_filter(void **state)
{
	static const char *const wrong[] = {
		"",          "cpu",
		"cpu ==",    "cpu == x",
		"cpu = 1",   "cpu == 1 && ip == 2",
		"cpu == 1,", "cpu == 1 ||",
		"cp == 1",   "mem_lvl == l9",
		"cpu == -1", "cpu == 99999999999999999999",
		"== 1",      "cpu == 1 ip == 2",
	};
	struct sample_filter f = { .count = 0 };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(sample_filter_parse(&f, "cpu==1||cpu == 0x10, period>=5", &r), 0);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.tests[0].field, FILTER_CPU);
	assert_true(f.tests[0].or_next && !f.tests[1].or_next);
	assert_int_equal(f.tests[1].value, 16);
	assert_int_equal(f.tests[2].operator, FILTER_GE);
	assert_int_equal(sample_filter_parse(&f, " mem_lvl == L3 , uid != 0", &r), 0);
	assert_int_equal(f.count, 5);
	assert_int_equal(f.tests[3].shift, 33);
	assert_int_equal(f.tests[3].value, 3);
	assert_int_equal(
		sample_filter_check(&f, PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC,
				    &r),
		0);
	assert_int_equal(sample_filter_check(&f, PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, &r),
			 -EINVAL);
	assert_string_equal(r.hint, "record it with --data");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct sample_filter g = { .count = 0 };

		assert_int_equal(sample_filter_parse(&g, wrong[i], &r), -EINVAL);
	}
	for (f.count = 0; f.count < FILTER_TESTS;)
		assert_int_equal(sample_filter_parse(&f, "cpu == 1", &r), 0);
	assert_int_equal(sample_filter_parse(&f, "cpu == 1", &r), -EINVAL);
	reason_release(&r);
}

static void test_filter(void **state)
{
	struct reason r = REASON_INIT;
	struct event_set set;

	(void)state;
	event_set_init(&set);
	assert_int_not_equal(event_set_filter(parser.sys, &set, "x", FILTER_TRACEPOINTS, &r), 0);
	assert_int_equal(event_parse(&parser, &set, "cs", &r), 0);
	assert_int_not_equal(event_set_filter(parser.sys, &set, "x", FILTER_TRACEPOINTS, &r), 0);
	assert_int_equal(event_parse(&parser, &set, "sched:*", &r), 0);
	assert_int_equal(
		event_set_filter(parser.sys, &set, "prev_pid == 1", FILTER_TRACEPOINTS, &r), 0);
	assert_int_equal(event_set_filter(parser.sys, &set, "next_pid == 2", FILTER_SAMPLES, &r),
			 0);
	assert_null(set.list.items[0]->filter);
	assert_null(set.list.items[1]->sample_filter);
	assert_string_equal(set.list.items[1]->filter, "(prev_pid == 1) && (next_pid == 2)");
	reason_release(&r);
	event_set_release(&set);
}

static void test_static_names(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(event_static_name(0, 0, buf, sizeof(buf)), "cycles");
	assert_string_equal(event_static_name(0, 4, buf, sizeof(buf)), "branches");
	assert_string_equal(event_static_name(0, 7, buf, sizeof(buf)), "stalled-cycles-frontend");
	assert_string_equal(event_static_name(1, 3, buf, sizeof(buf)), "context-switches");
	assert_string_equal(event_static_name(3, 0x10000, buf, sizeof(buf)),
			    "L1-dcache-load-misses");
	assert_string_equal(event_static_name(4, 0x1a8, buf, sizeof(buf)), "raw 0x1a8");
	assert_null(event_static_name(1, 999, buf, sizeof(buf)));
	assert_null(event_static_name(3, 0x101, buf, sizeof(buf))); /* no icache stores */
	assert_null(event_static_name(77, 0, buf, sizeof(buf)));
}

static void test_names_of_user_side(void **state)
{
	static const char *const names[][2] = {
		{ "cycles", "cycles:u" },
		{ "cycles:ku", "cycles:u" },
		{ "cycles:ukpp", "cycles:upp" },
		{ "cycles:ppp", "cycles:pppu" },
		{ "cycles:k", "cycles:u" },
		{ "cpu/event=1/", "cpu/event=1/u" },
		{ "cpu/event=1/kuH", "cpu/event=1/uH" },
		{ "mem:0x1000:rw", "mem:0x1000:rw:u" },
		{ "cpu_core/cycles/:k", "cpu_core/cycles/:u" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *got = event_name_of_user_side(names[i][0]);

		assert_string_equal(got, names[i][1]);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),         cmocka_unit_test(test_code_breakpoint),
		cmocka_unit_test(test_errors),        cmocka_unit_test(test_filter),
		cmocka_unit_test(test_sample_filter), cmocka_unit_test(test_terms),
		cmocka_unit_test(test_resolve),       cmocka_unit_test(test_format_bits),
		cmocka_unit_test(test_static_names),  cmocka_unit_test(test_names_of_user_side),
	};

	const struct CMUnitTest hybrid[] = {
		cmocka_unit_test(test_hybrid),
	};

	return cmocka_run_group_tests(tests, build_machine, remove_machine) +
	       cmocka_run_group_tests(hybrid, build_hybrid, remove_machine);
}
