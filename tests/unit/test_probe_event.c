// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as tracefs has them: text both ways, names, filters; a tracefs made of files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "probe/event.h"
#include "probe/filter.h"
#include "probe/tracefs.h"
#include "sys/sys.h"

static void test_text_both_ways(void **state)
{
	static const char *const lines[] = {
		"p:probe_t/work /tmp/t:0x11f0",
		"p:probe_t/work /tmp/a:b/t:0x11f0 n=%si:s32 str=+0(%dx):string",
		"r:probe_t/work__return /tmp/t:0x11f0 arg1=$retval",
		"p:sdt_p/n /tmp/t:0x1193(0x3066) arg1=%di:s32 arg2=\\5:u8",
		"p:probe/vfs_read _text+123456 f=+8(+0(%di)):x64[4]",
		"r16:probe/vfs_read__return vfs_read+0 $retval",
		"p:probe/m nf_nat:nf_nat_fn+4 %di",
		"p:probe/abs 0xffffffff81000010",
		"p:g/e f+0 s=\\\"a b:c\":string",
		"p:g/e f+0 b=+0(%di):b4@2/32 s=%dx:symstr",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct probe_event e = { NULL };
		struct strbuf b = STRBUF_INIT;

		assert_int_equal(probe_event_parse(&e, lines[i], NULL), 0);
		probe_event_text(&b, &e);
		assert_string_equal(b.s, lines[i]);
		strbuf_release(&b);
		probe_event_release(&e);
	}
}

static void test_listed_forms(void **state)
{
	struct probe_event e = { NULL };

	(void)state;
	assert_int_equal(probe_event_parse(&e, "p:g/e /tmp/t:0x00000000000011f0", NULL), 0);
	assert_int_equal(e.offset, 0x11f0);
	probe_event_release(&e);
	assert_int_equal(probe_event_parse(&e, "p:g/e vfs_read%return", NULL), 0);
	assert_true(e.is_return);
	assert_string_equal(e.symbol, "vfs_read");
	probe_event_release(&e);
	/* fetch probes and the like are other tools' */
	assert_int_equal(probe_event_parse(&e, "f:fprobes/x vfs_read", NULL), -ENOTSUP);
	probe_event_release(&e);
	assert_int_equal(probe_event_parse(&e, "p", NULL), -EINVAL);
	probe_event_release(&e);
	assert_int_equal(probe_event_parse(&e, "p:g/e /tmp/t:zz", NULL), -EINVAL);
	probe_event_release(&e);
}

static void expect_group(const char *path, const char *want)
{
	char *name = probe_group_name(path);

	assert_string_equal(name, want);
	free(name);
}

static void expect_base(const char *function, bool is_return, const char *want)
{
	char *name = probe_event_base_name(function, is_return);

	assert_string_equal(name, want);
	free(name);
}

static void test_names(void **state)
{
	struct strmap taken = { 0 };
	struct reason r = REASON_INIT;
	char *name;

	(void)state;
	expect_group(NULL, "probe");
	expect_group("/lib/x86_64-linux-gnu/libc.so.6", "probe_libc");
	expect_group("/lib64/ld-linux-x86-64.so.2", "probe_ld");
	expect_group("/usr/bin/g++", "probe_g__");
	expect_base("work", false, "work");
	expect_base("work", true, "work__return");
	expect_base("f.isra.0", false, "f");
	expect_base(".entry", false, "entry");
	expect_base("get@GLIBC_2.2.5", false, "get");
	expect_base("ns::f", false, "ns__f");

	assert_int_equal(probe_event_take_name(&taken, "g", "e", false, &name, &r), 0);
	assert_string_equal(name, "e");
	free(name);
	assert_int_equal(probe_event_take_name(&taken, "g", "e", false, &name, &r), -EEXIST);
	assert_non_null(strstr(r.text, "'g:e' already exists"));
	assert_non_null(strstr(r.hint, "-f adds one more, as e_1;"));
	assert_null(strstr(r.hint, "-d g:e")); /* that one may be of another function */
	for (int i = 1; i < 4; i++) {
		char want[8];

		snprintf(want, sizeof(want), "e_%d", i);
		assert_int_equal(probe_event_take_name(&taken, "g", "e", true, &name, &r), 0);
		assert_string_equal(name, want);
		free(name);
	}
	assert_int_equal(probe_event_take_name(&taken, "h", "e", false, &name, &r), 0);
	free(name);
	strmap_release(&taken);
	reason_release(&r);
}

static void test_matching(void **state)
{
	struct probe_event e = { .group = (char[]){ "probe_t" }, .event = (char[]){ "work" } };

	(void)state;
	assert_true(probe_event_matches(&e, "work"));
	assert_true(probe_event_matches(&e, "w*"));
	assert_true(probe_event_matches(&e, "probe_t:work"));
	assert_true(probe_event_matches(&e, "probe_*:*"));
	assert_false(probe_event_matches(&e, "wor"));
	assert_false(probe_event_matches(&e, "probe:work"));
}

static void test_filters(void **state)
{
	static const struct {
		const char *filter, *name;
		bool match;
	} rows[] = {
		{ "foo*", "foobar", true },
		{ "foo*", "bar", false },
		{ "foo* | bar*", "barn", true },
		{ "!foo*", "foo", false },
		{ "!foo* & *bar", "fizzbar", true },
		{ "!foo* & *bar", "foobar", false },
		{ "!_* & !*@plt", "main", true },
		{ "!_* & !*@plt", "_start", false },
		{ "!(a* | b*)", "c", true },
		{ "!(a* | b*)", "b", false },
		{ "a* & b* | c*", "c1", true },
		{ "[!a]*", "b", true },
		{ "[!a]*", "a", false },
	};
	static const char *const bad[] = { "", "a &", "| a", "(a", "a)", "a b", "!" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(probe_filter_check(rows[i].filter, NULL), 0);
		if (probe_filter_match(rows[i].filter, rows[i].name) != rows[i].match)
			fail_msg("'%s' on '%s'", rows[i].filter, rows[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(probe_filter_check(bad[i], NULL), -EINVAL);
}

static char root[] = "/tmp/perf-probe-XXXXXX";
static const struct sys machine = { .root = root };

static void put(const char *name, const char *text)
{
	char *path = xasprintf("%s/sys/kernel/tracing/%s", root, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static int build_machine(void **state)
{
	static const char *const dirs[] = { "", "/sys", "/sys/kernel", "/sys/kernel/tracing",
					    "/sys/kernel/tracing/events" };

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path = xasprintf("%s%s", root, dirs[i]);

		mkdir(path, 0755);
		free(path);
	}
	put("events/enable", "0\n");
	put("README", "type: u8, string, symstr\n");
	return 0;
}

static int remove_machine(void **state)
{
	char *command = xasprintf("rm -rf %s", root);
	int code = system(command);

	(void)state;
	free(command);
	return code;
}

/* A kernel without kprobes lists its uprobes, and says what is missing when one is added. */
static void test_half_a_tracefs(void **state)
{
	struct probe_event e = { .group = (char[]){ "probe" },
				 .event = (char[]){ "x" },
				 .symbol = (char[]){ "vfs_read" } };
	struct probe_events all = { VEC_INIT };
	struct reason r = REASON_INIT;
	struct probe_tracefs *t;
	struct strbuf b = STRBUF_INIT;

	(void)state;
	put("uprobe_events", "p:g/a /bin/x:0x10\np:g/b /bin/x:0x20 a=%di\n");
	assert_int_equal(probe_tracefs_open(&machine, &t, &r), 0);
	assert_true(probe_tracefs_knows(t, "symstr"));
	assert_false(probe_tracefs_knows(t, "%pd"));
	assert_int_equal(probe_tracefs_list(t, &all, &r), 0);
	assert_int_equal(all.list.count, 2);
	assert_int_equal(probe_tracefs_add(t, &e, 1, &r), -ENODEV);
	assert_non_null(strstr(r.hint, "CONFIG_KPROBE_EVENTS"));
	probe_events_release(&all);

	/* all of a call in one write, in order */
	all = (struct probe_events){ VEC_INIT };
	for (int i = 0; i < 2; i++)
		vec_push(&all.list, (struct probe_event){ .group = xstrdup("h"),
							  .path = xstrdup("/bin/y"),
							  .event = xasprintf("e%d", i),
							  .offset = 16 });
	assert_int_equal(probe_tracefs_add(t, all.list.items, 2, &r), 0);
	assert_int_equal(sys_read(&machine, &b, "/sys/kernel/tracing/uprobe_events"), 0);
	assert_non_null(strstr(b.s, "p:h/e0 /bin/y:0x10\np:h/e1 /bin/y:0x10\n"));
	probe_events_release(&all);
	strbuf_release(&b);
	probe_tracefs_close(t);
	reason_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_both_ways), cmocka_unit_test(test_listed_forms),
		cmocka_unit_test(test_names),          cmocka_unit_test(test_matching),
		cmocka_unit_test(test_filters),        cmocka_unit_test(test_half_a_tracefs),
	};

	return cmocka_run_group_tests_name("probe events", tests, build_machine, remove_machine);
}
