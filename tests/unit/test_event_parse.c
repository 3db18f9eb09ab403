// SPDX-License-Identifier: GPL-2.0-or-later
/* The event language: every form, and where each error points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "event/event.h"
#include "event/parse.h"
#include "sys/sys.h"

/* A small machine of our own: what the tests read instead of this host. */
static char root[] = "/tmp/perf-events-XXXXXX";
static struct sys machine = { .root = root };
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
		if (f & (ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV))
			strbuf_f(&b, " %s%s%s", f & ATTR_EXCLUDE_USER ? "" : "u",
				 f & ATTR_EXCLUDE_KERNEL ? "" : "k", f & ATTR_EXCLUDE_HV ? "" : "h");
		if (f & ATTR_EXCLUDE_HOST)
			strbuf_str(&b, " -host");
		if (!(f & ATTR_EXCLUDE_GUEST))
			strbuf_str(&b, " +guest");
		if (f & ATTR_PRECISE_MASK)
			strbuf_f(&b, " p%d", (int)((f & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT));
		strbuf_f(&b, "%s%s%s%s%s%s%s", ev->precise_max ? " P" : "",
			 f & ATTR_EXCLUDE_IDLE ? " I" : "", f & ATTR_PINNED ? " D" : "",
			 f & ATTR_EXCLUSIVE ? " e" : "", ev->weak_group ? " W" : "",
			 ev->leader_sampling ? " S" : "", ev->bpf_counter ? " b" : "");
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
		{ "cycles:h", "cycles:h 0/0 h" },
		{ "cycles:G", "cycles:G 0/0 -host +guest" },
		{ "cycles:H", "cycles:H 0/0" },
		{ "cycles:GH", "cycles:GH 0/0 +guest" },
		{ "cycles:ppp", "cycles:ppp 0/0 p3" },
		{ "cycles:P", "cycles:P 0/0 P" },
		{ "cycles:DeI", "cycles:DeI 0/0 I D e" },
		{ "cycles:Sb", "cycles:Sb 0/0 S b" },
		{ "cycles:{k,u}", "cycles:k 0/0 k; cycles:u 0/0 u" },
		/* tracepoints */
		{ "sched:sched_switch", "sched:sched_switch 2/13a" },
		{ "sched:sched_switch:u", "sched:sched_switch 2/13a u" },
		{ "sched:sched_[sw]*",
		  "sched:sched_switch 2/13a; sched:sched_wakeup 2/13b" },
		{ "s*:*_read", "syscalls:sys_enter_read 2/14; syscalls:sys_exit_read 2/15" },
		/* groups */
		{ "{cs,faults}", "cs 1/3 x2; faults 1/2 <cs" },
		{ "{cs:u,faults}:k", "cs:u 1/3 uk x2; faults 1/2 k <cs:u" },
		{ "g{cs,faults}:S", "cs 1/3 S x2 =g; faults 1/2 S <cs" },
		{ "{cs,faults}:W", "cs 1/3 W x2; faults 1/2 W <cs" },
		{ "{cs,faults}:D", "cs 1/3 D x2; faults 1/2 <cs" },
		{ "{cs,sched:sched_p*},r1",
		  "cs 1/3 x2; sched:sched_process_exec 2/13c <cs; r1 4/1" },
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

static void test_errors(void **state)
{
	static const struct {
		const char *text;
		const char *message; /* first line */
		int caret, width;    /* column and count of ^ */
		const char *hint;    /* part of it, or NULL */
	} rows[] = {
		{ "cycels", "unknown event 'cycels'", 0, 6, "'cycles'" },
		{ "cs,cycels:u", "unknown event 'cycels'", 3, 6, "'cycles'" },
		{ "L1-dcache-lods", "unknown event 'L1-dcache-lods'", 0, 14, "L1-dcache-loads" },
		{ "", "expected an event", 0, 1, NULL },
		{ "cs,", "expected an event", 3, 1, NULL },
		{ "cs:z", "unknown modifier 'z'", 3, 1, "ukhIGHpPSDeWb" },
		{ "cs:uu", "modifier 'u' is given twice", 4, 1, NULL },
		{ "cs:pppp", "precise levels end at 'ppp'", 6, 1, NULL },
		{ "cs:", "expected modifiers after ':'", 3, 1, NULL },
		{ "cs:W", "'W' makes a group weak, and this is a single event", 3, 1, "}:W" },
		{ "{cs,faults", "this '{' has no '}'", 0, 1, NULL },
		{ "cs}", "expected ',' or the end", 2, 1, NULL },
		{ "cs:{u,k", "this '{' has no '}'", 3, 1, NULL },
		{ "sched:sched_swich", "no tracepoint 'sched:sched_swich'", 6, 11,
		  "'sched_switch'" },
		{ "shed:sched_switch", "no tracepoint system 'shed'", 0, 4, "'sched'" },
		{ "sched:x*", "no tracepoint 'sched:x*'", 6, 2, NULL },
		{ "99999999999:1", "'99999999999' is no event type", 0, 11, NULL },
		{ "1:x", "expected the event's number after '1:'", 2, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reason r = REASON_INIT;
		struct event_set set;
		const char *line, *caret;

		event_set_init(&set);
		if (!event_parse(&parser, &set, rows[i].text, &r))
			fail_msg("'%s' was taken", rows[i].text);
		assert_int_equal(set.list.count, 0);
		line = strchr(r.text, '\n');
		assert_non_null(line);
		assert_int_equal(line - r.text, strlen(rows[i].message));
		assert_memory_equal(r.text, rows[i].message, strlen(rows[i].message));
		assert_memory_equal(line + 3, rows[i].text, strlen(rows[i].text));
		caret = strchr(line + 1, '\n') + 3;
		if ((int)strspn(caret, " ") != rows[i].caret ||
		    (int)strlen(caret + strspn(caret, " ")) != rows[i].width)
			fail_msg("%s", r.text);
		if (rows[i].hint && (!r.hint || !strstr(r.hint, rows[i].hint)))
			fail_msg("%s: hint is %s", rows[i].text, r.hint);
		reason_release(&r);
		event_set_release(&set);
	}
}

static void test_filter(void **state)
{
	struct reason r = REASON_INIT;
	struct event_set set;

	(void)state;
	event_set_init(&set);
	assert_int_not_equal(event_set_filter(&set, "x", &r), 0);
	assert_int_equal(event_parse(&parser, &set, "cs", &r), 0);
	assert_int_not_equal(event_set_filter(&set, "x", &r), 0);
	assert_int_equal(event_parse(&parser, &set, "sched:*", &r), 0);
	assert_int_equal(event_set_filter(&set, "prev_pid == 1", &r), 0);
	assert_int_equal(event_set_filter(&set, "next_pid == 2", &r), 0);
	assert_null(set.list.items[0]->filter);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_static_names),
	};

	return cmocka_run_group_tests(tests, build_machine, remove_machine);
}
