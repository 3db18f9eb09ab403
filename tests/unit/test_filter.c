// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters of tracepoints: what is taken, and each fault with its caret and hint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "event/filter.h"
#include "tracepoint/tracepoint.h"

static const char format_text[] =
	"name: probe\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[3];\toffset:40;\tsize:24;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:void * call_site;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:long prev_state;\toffset:80;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->common_pid\n";

static struct tracepoint_formats *formats;
static const struct tracepoint_format *format;

static int load(void **state)
{
	(void)state;
	formats = tracepoint_formats_new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8);
	if (tracepoint_formats_add(formats, "sys", format_text, strlen(format_text), NULL))
		return -1;
	format = tracepoint_by_name(formats, "sys", "probe");
	return format ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	tracepoint_formats_free(formats);
	return 0;
}

static void test_taken(void **state)
{
	static const char *const rows[][2] = {
		{ "prev_state == 1", NULL },
		{ "prev_state==0x10&&common_pid!=-1", NULL },
		{ "!(prev_state & 3) || (comm ~ \"a*\" && COMM != 'x y')", NULL },
		{ "file == \"a|b) && c\"", NULL },
		{ "cpu >= 2 && CPU < 4", NULL },
		{ "CPU & CPUS{0-3,7} && mask == CPUS{1}", NULL },
		{ "filename.ustring ~ \"/etc/*\"", NULL },
		{ "call_site.function == vfs_read", NULL },
		{ "prev_state == 'R'", NULL },
		{ "!prev_state == 1", NULL },
		/* 8 << 20 | 17 */
		{ "dev == 8,17 || dev != 0,1", "dev == 8388625 || dev != 1" },
		{ "dev == 8388625", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct reason r = REASON_INIT;
		char *text = NULL;

		if (filter_check(format, rows[i][0], &text, &r))
			fail_msg("%s: %s", rows[i][0], r.text);
		assert_string_equal(text, rows[i][rows[i][1] ? 1 : 0]);
		free(text);
	}
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		size_t column, width; /* where the carets are */
		const char *says, *hint;
	} rows[] = {
		{ "prev_stat == 1", 0, 9, "no field 'prev_stat'", "'prev_state'" },
		{ "comm_pid == 1", 0, 8, "no field", "'common_pid'" },
		{ "prev_state => 1", 11, 2, "operator", "'>='" },
		{ "prev_state = 1", 11, 1, "operator", "'=='" },
		{ "prev_state == \"x\"", 14, 1, "expected a number", NULL },
		{ "prev_state == abc", 14, 3, "expected a number", NULL },
		{ "prev_state ~ 1", 11, 1, "for strings", NULL },
		{ "comm == bash", 8, 4, "in quotes", "\"bash\"" },
		{ "comm > \"a\"", 5, 1, "== != ~", NULL },
		{ "comm == \"a", 8, 1, "not closed", NULL },
		{ "(prev_state == 1", 0, 1, "no ')'", NULL },
		{ "prev_state == 1)", 15, 1, "or the end", NULL },
		{ "prev_state == 1 & 2", 16, 1, "or the end", NULL },
		{ "prev_state == 1 &&", 18, 1, "a field's name", NULL },
		{ "args == 1", 0, 4, "an array", NULL },
		{ "prev_state == 1,2", 15, 1, "dev_t", NULL },
		{ "dev == 8,x", 9, 1, "minor", NULL },
		{ "mask == 3", 8, 1, "CPUS{LIST}", NULL },
		{ "mask == CPUS{1-", 8, 5, "no '}'", NULL },
		{ "CPU & CPUS{x}", 11, 1, "list of CPUs", NULL },
		{ "comm.ustring == \"a\"", 5, 7, "an address", NULL },
		{ "filename.text == \"a\"", 9, 4, "'ustring' or 'function'", NULL },
		{ "call_site.function < x", 19, 1, "== and !=", NULL },
		{ "", 0, 1, "a field's name", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct reason r = REASON_INIT;
		char *text = NULL, *carets;

		if (!filter_check(format, rows[i].text, &text, &r))
			fail_msg("'%s' was taken", rows[i].text);
		assert_null(text);
		carets = strrchr(r.text, '\n') + 1;
		if (!strstr(r.text, rows[i].says) || strspn(carets, " ") != rows[i].column ||
		    strlen(carets) != rows[i].column + rows[i].width)
			fail_msg("'%s':\n%s", rows[i].text, r.text);
		if (rows[i].hint && (!r.hint || !strstr(r.hint, rows[i].hint)))
			fail_msg("'%s': hint %s", rows[i].text, r.hint ? r.hint : "none");
		reason_release(&r);
	}
}

/*
 * Makes a sample of the format above: pid -5, device 8:17, comm "bash", file "/etc/passwd",
 * prev_state -2.
 */
static u32 make_sample(u8 raw[112])
{
	static const char file[] = "/etc/passwd";
	const s32 pid = -5;
	const s64 state = -2;
	const u32 dev = 8 << 20 | 17, place = (u32)sizeof(file) << 16 | 88;

	memset(raw, 0, 112);
	memcpy(raw + 4, &pid, sizeof(pid));
	memcpy(raw + 8, &dev, sizeof(dev));
	memcpy(raw + 12, "bash", 4);
	memcpy(raw + 28, &place, sizeof(place));
	memcpy(raw + 80, &state, sizeof(state));
	memcpy(raw + 88, file, sizeof(file));
	return 88 + sizeof(file);
}

static bool fits(const char *text, const struct filter_sample *s)
{
	struct reason r = REASON_INIT;
	struct filter_program *p = filter_compile(format, text, &r);
	bool answer;

	if (!p)
		fail_msg("%s: %s", text, r.text);
	answer = filter_matches(p, s);
	filter_program_free(p);
	return answer;
}

static void test_recorded(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		bool fits;
	} rows[] = {
		{ "prev_state == -2", true }, { "prev_state < 0", true }, { "prev_state >= 0", false },
		{ "prev_state <= -2", true }, { "prev_state > -2", false }, { "prev_state != -2", false },
		{ "prev_state & 2", true }, { "prev_state & 1", false },
		{ "common_pid == -5", true }, { "common_pid == 0xfffffffb", true }, { "common_pid > 3", false },
		{ "dev == 8,17", true }, { "dev == 8,18", false }, { "dev > 8388624", true },
		{ "comm == \"bash\"", true }, { "comm == \"bas\"", false }, { "comm != 'bash'", false },
		{ "comm ~ \"b?s*\"", true }, { "comm ~ \"b?s\"", false }, { "COMM == \"reader\"", true },
		{ "file ~ \"/etc/*\"", true }, { "file == \"/etc/passwd\"", true }, { "file == \"/etc/passw\"", false },
		{ "cpu == 3", true }, { "CPU < 3", false },
		/* && binds stronger, ! only what follows */
		{ "cpu == 1 || cpu == 3 && prev_state == -2", true }, { "(cpu == 1 || cpu == 3) && prev_state == 2", false },
		{ "cpu == 3 || cpu == 1 && prev_state == 2", true }, { "!cpu == 3 || comm == \"bash\"", true },
		{ "!(cpu == 3 || comm == \"x\")", false }, { "!!(cpu == 3)", true },
		{ "cpu == 1 || (cpu == 2 || (cpu == 3 && (dev == 1 || dev == 8,17)))", true },
	};
	/* clang-format on */
	u8 raw[112];
	struct filter_sample s = { .formats = formats,
				   .raw = raw,
				   .raw_size = make_sample(raw),
				   .cpu = 3,
				   .comm = "reader" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fits(rows[i].text, &s) != rows[i].fits)
			fail_msg("'%s' is not %s", rows[i].text, rows[i].fits ? "true" : "false");
	/* a field that is not there fits nothing, and neither does a text that lies outside */
	s.raw_size = 84;
	assert_false(fits("prev_state != 0", &s));
	assert_false(fits("file != \"x\"", &s));
}

/*
 * Checks the deepest filter that is allowed, and comparisons that only the kernel can do for a live
 * event.
 */
static void test_recorded_limits(void **state)
{
	static const char *const live[] = { "filename.ustring ~ \"/etc/*\"",
					    "call_site.function == vfs_read", "mask == CPUS{1}",
					    "CPU & CPUS{0-3}", "cpu == 1 || mask & CPUS{2}" };
	u8 raw[112];
	const struct filter_sample s = {
		.formats = formats, .raw = raw, .raw_size = make_sample(raw), .cpu = 3, .comm = "x"
	};
	struct strbuf deep = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(live) / sizeof(*live); i++) {
		struct reason r = REASON_INIT;

		assert_null(filter_compile(format, live[i], &r));
		assert_non_null(strstr(r.text, "a recording does not hold this"));
		reason_release(&r);
	}
	for (int i = 0; i < 100; i++)
		strbuf_str(&deep, "cpu == 1 || cpu == 3 && (");
	strbuf_str(&deep, "cpu == 3");
	for (int i = 0; i < 100; i++)
		strbuf_char(&deep, ')');
	assert_null(filter_compile(format, strbuf_cstr(&deep), NULL));
	strbuf_clear(&deep);
	for (int i = 0; i < 99; i++)
		strbuf_str(&deep, "cpu == 1 || cpu == 3 && (");
	strbuf_str(&deep, "cpu == 3");
	for (int i = 0; i < 99; i++)
		strbuf_char(&deep, ')');
	assert_true(fits(strbuf_cstr(&deep), &s));
	strbuf_release(&deep);
}

/* Thousands of signs in front of each other end in a reason, not in the stack. */
static void test_deep(void **state)
{
	struct reason r = REASON_INIT;
	char deep[5001], *text = NULL;

	(void)state;
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_int_not_equal(filter_check(format, deep, &text, &r), 0);
	assert_non_null(strstr(r.text, "too deeply"));
	reason_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_recorded_limits),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
