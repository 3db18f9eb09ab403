// SPDX-License-Identifier: GPL-2.0-or-later
/* Debug information of a small program that the test has compiled. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config.h"
#include "object/buildid.h"
#include "object/elf.h"
#include "probe/internal.h"
#include "probe/places.h"
#include "sys/sys.h"
#include "tree.h"

static const char source[] =
	"struct list { int value; unsigned low : 4, high : 12; struct list *next; };\n"
	"int total = 3;\n"
	"int sum(struct list *l, int limit)\n"
	"{\n"
	"	int n = 0;\n"
	"\n"
	"	for (; l; l = l->next)\n"
	"		n += l->value;\n"
	"	return n > limit ? limit : n;\n"
	"}\n"
	"static int sun(int a) { return a + total; }\n"
	"int main(void)\n"
	"{\n"
	"	struct list l = { 4, 5, 600, 0 };\n"
	"	return sum(&l, 9) + sun(2);\n"
	"}\n";

static char directory[] = "/tmp/perf-debuginfo-XXXXXX", program[64], bare[64], text_file[64];
static struct debuginfo *info;

static int compile(void **state)
{
	char *command;
	FILE *f;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(program, sizeof(program), "%s/program", directory);
	snprintf(bare, sizeof(bare), "%s/bare", directory);
	command = xasprintf("cd %s && ${CC:-gcc} -O0 -g -Wl,--build-id -o program list.c && "
			    "${CC:-gcc} -O0 -s -o bare list.c",
			    directory);
	snprintf(text_file, sizeof(text_file), "%s/list.c", directory);
	f = fopen(text_file, "w");
	if (!f)
		return -1;
	fputs(source, f);
	fclose(f);
	if (system(command) == 0 && debuginfo_open(NULL, program, NULL, &info, NULL) < 0)
		info = NULL;
	free(command);
	return 0;
}

static int clean(void **state)
{
	char *command = xasprintf("rm -rf %s", directory);
	int err = system(command);

	(void)state;
	debuginfo_close(info);
	free(command);
	return err;
}

static struct probe_definition definition;

static int find(const char *text, const struct probe_search *search, struct probe_places *places,
		struct reason *r)
{
	static const struct probe_search all;

	if (!info)
		skip();
	probe_definition_release(&definition);
	memset(&definition, 0, sizeof(definition));
	assert_int_equal(probe_definition_parse(&definition, text, r), 0);
	return probe_places_find(info, &definition, search ? search : &all, places, r);
}

/* "NAME=FETCH:TYPE" of each argument */
static char *arguments(const char *text)
{
	struct probe_places places = { VEC_INIT };
	struct strbuf all = STRBUF_INIT;

	assert_int_equal(find(text, NULL, &places, NULL), 0);
	assert_int_equal(places.list.count, 1);
	vec_for_each(&definition.arguments, a) {
		struct strbuf name = STRBUF_INIT, fetch = STRBUF_INIT, type = STRBUF_INIT;
		struct reason r = REASON_INIT;
		u64 whole;

		if (probe_fetch_argument(info, &places.list.items[0], a, definition.point.is_return,
					 NULL, &name, &fetch, &type, &whole, &r) < 0)
			strbuf_f(&all, "%s|%s ", r.text, r.hint ? r.hint : "");
		else
			strbuf_f(&all, "%s=%s:%s ", strbuf_cstr(&name), strbuf_cstr(&fetch),
				 strbuf_cstr(&type));
		strbuf_release(&name);
		strbuf_release(&fetch);
		strbuf_release(&type);
		reason_release(&r);
	}
	probe_places_release(&places);
	return strbuf_detach(&all);
}

static void assert_arguments_end(const char *text, const char *tail)
{
	char *got = arguments(text);

	if (!str_ends(got, tail))
		fail_msg("%s: got %s, wanted ... %s", text, got, tail);
	free(got);
}

static void test_place(void **state)
{
	struct probe_places places = { VEC_INIT };
	struct probe_place at, *entry;

	(void)state;
	assert_int_equal(find("sum", NULL, &places, NULL), 0);
	assert_int_equal(places.list.count, 1);
	entry = &places.list.items[0];
	assert_string_equal(entry->function, "sum");
	assert_string_equal(entry->symbol, "sum");
	assert_int_equal(entry->function_offset, 0);
	assert_int_equal(entry->line, 3);
	assert_true(str_ends(entry->file, "/list.c"));
	assert_false(entry->inlined || entry->skipped_prologue);
	assert_int_equal(probe_place_of(info, entry->address + 1, &at, NULL), 0);
	assert_string_equal(at.function, "sum");
	assert_int_equal(at.function_offset, 1);
	assert_int_equal(probe_place_of(info, 1, &at, NULL), -ENOENT);
	probe_place_release(&at);
	probe_places_release(&places);
}

/* An argument that is a variable moves the place behind the prologue; a return does not. */
static void test_prologue(void **state)
{
	struct probe_places entry = { VEC_INIT }, behind = { VEC_INIT }, back = { VEC_INIT };

	(void)state;
	assert_int_equal(find("sum", NULL, &entry, NULL), 0);
	assert_int_equal(find("sum limit", NULL, &behind, NULL), 0);
	assert_int_equal(find("sum%return $retval", NULL, &back, NULL), 0);
	assert_true(behind.list.items[0].skipped_prologue);
	assert_int_equal(behind.list.items[0].entry, entry.list.items[0].address);
	assert_true(behind.list.items[0].address > entry.list.items[0].address);
	assert_int_equal(back.list.items[0].address, entry.list.items[0].address);
	probe_places_release(&entry);
	probe_places_release(&behind);
	probe_places_release(&back);
}

static void test_arguments(void **state)
{
	(void)state;
	assert_arguments_end("sum l->low", ":b4@0/32 ");
	assert_arguments_end("sum l->high", ":b12@4/32 ");
	assert_arguments_end("sum mine=l->next->value", ":s32 ");
	assert_arguments_end("sum limit:u8", ":u8 ");
	assert_arguments_end("sum%return $retval", "=$retval:s32 ");
	assert_arguments_end("sum%return limit",
			     "'limit' is gone when 'sum' returns: a return probe has $retval and "
			     "global variables| ");
	assert_arguments_end("sum limitt", "variable 'limitt' is not visible in 'sum'|"
					   "did you mean 'limit'? ");
	assert_arguments_end(
		"sum l->valu",
		"structure 'list' has no member 'valu'|did you mean 'value'? The members are "
		"value, low, high, next ");
	assert_arguments_end("sum l[0..64]",
			     "has a range that is empty or longer than 64 elements| ");
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *reason, *hint;
	} cases[] = {
		{ "summ", "no function 'summ' in the debug information of", "did you mean 'sum'?" },
		{ "sum:3", "line 3 of 'sum' has no code",
		  "the nearest lines with code are 2 and 4" },
		{ "list.c:10000", "line 10000 of 'list.c' has no code",
		  "the nearest line with code is 16" },
		{ "lost.c:1", "no source file 'lost.c' in", "did you mean 'list.c'?" },
		{ "sum@ist.c", "no function 'sum' of 'ist.c' in", NULL },
		{ "sum@other.c", "no function 'sum' of 'other.c' in", NULL },
		{ "sum;nowhere*", "no line of 'sum' that can be probed matches 'nowhere*'", NULL },
		{ "sum+9999", "'sum+9999' is past the end of the function", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_places places = { VEC_INIT };
		struct reason r = REASON_INIT;

		if (find(cases[i].text, NULL, &places, &r) == 0)
			fail_msg("%s: no refusal", cases[i].text);
		assert_int_equal(places.list.count, 0);
		assert_true(str_starts(r.text, cases[i].reason));
		if (cases[i].hint)
			assert_string_equal(r.hint, cases[i].hint);
		reason_release(&r);
	}
}

static void test_search(void **state)
{
	struct probe_search two = { .max = 2 };
	struct probe_places places = { VEC_INIT };

	(void)state;
	assert_int_equal(find("sum;*", &two, &places, NULL), -E2BIG);
	assert_int_equal(find("sum;n+=*", NULL, &places, NULL), 0);
	assert_int_equal(places.list.items[0].line, 8);
	probe_places_release(&places);
}

static int collect(void *arg, const struct probe_variable *v)
{
	strbuf_f(arg, "%s %s%s, ", v->type, v->name,
		 v->state == PROBE_VARIABLE_EXTERN ? " extern" : "");
	return 0;
}

static void test_variables(void **state)
{
	struct probe_places places = { VEC_INIT };
	struct strlist names = { VEC_INIT };
	struct strbuf b = STRBUF_INIT;

	(void)state;
	assert_int_equal(find("sum", NULL, &places, NULL), 0);
	assert_int_equal(probe_each_variable(info, &places.list.items[0], true, false, collect, &b,
					     NULL),
			 0);
	assert_string_equal(strbuf_cstr(&b),
			    "int limit, int n, int total extern, struct list* l, ");
	assert_int_equal(
		probe_variables_expand(info, &places.list.items[0], true, false, &names, NULL), 0);
	assert_int_equal(names.list.count, 2);
	assert_string_equal(names.list.items[0], "l");
	assert_string_equal(names.list.items[1], "limit");
	strlist_release(&names);
	strbuf_release(&b);
	probe_places_release(&places);
}

static void test_lines(void **state)
{
	static const unsigned want[] = { 3, 5, 7, 8, 9, 10 };
	struct probe_point range = { .function = (char *)"sum", .line_end = UINT32_MAX };
	struct probe_lines lines;
	char *found;

	(void)state;
	if (!info)
		skip();
	assert_int_equal(probe_lines_find(info, &range, &lines, NULL), 0);
	assert_int_equal(lines.base, 3);
	assert_int_equal(lines.last, 10);
	assert_int_equal(lines.lines.count, ARRAY_SIZE(want));
	assert_memory_equal(lines.lines.items, want, sizeof(want));
	assert_int_equal(debuginfo_find_source(info, lines.file, NULL, NULL, &found, NULL), 0);
	free(found);
	assert_int_equal(
		debuginfo_find_source(info, "/gone/sub/list.c", NULL, directory, &found, NULL), 0);
	assert_true(str_ends(found, "/list.c"));
	free(found);
	assert_int_equal(debuginfo_find_source(info, "/gone/other.c", NULL, directory, &found,
					       NULL),
			 -ENOENT);
	probe_lines_release(&lines);
}

static void test_open(void **state)
{
	struct build_id other = { .size = 20, .id = { 1 } };
	const bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct debuginfo *d = NULL;
	struct reason r = REASON_INIT;
	struct elf *e;

	(void)state;
	if (!info)
		skip();
	assert_false(debuginfo_is_kernel(info));
	assert_int_equal(elf_open(program, &e, NULL), 0);
	assert_ptr_equal(debuginfo_arch(info),
			 arch_by_elf(elf_machine(e), elf_is_64(e), elf_is_swapped(e) != host_big));
	elf_close(e);
	assert_int_equal(debuginfo_open(NULL, program, &other, &d, &r), -ESTALE);
	assert_int_equal(debuginfo_open(NULL, bare, NULL, &d, &r), -ENODATA);
	assert_non_null(r.hint);
	assert_int_equal(debuginfo_open(NULL, "/nonexistent", NULL, &d, &r), -ENOENT);
	assert_null(d);
	reason_release(&r);
}

/* What probes of a kernel count from, by the symbols that the running one shows. */
static void base_is(const char *kallsyms, bool offline, const char *name, u64 value)
{
	struct sys sys = { .root = tree_root };
	struct prober p = { .s = { .sys = &sys, .offline = offline } };
	struct reason r = REASON_INIT;
	char *kernel = xasprintf("%s/kernel", directory);

	tree_put("/proc/kallsyms", kallsyms);
	assert_int_equal(debuginfo_open(NULL, kernel, NULL, &p.debug, &r), 0);
	assert_int_equal(prober_kernel_base(&p, &r), 0);
	assert_string_equal(p.kernel_base_name, name);
	assert_true(p.kernel_base == value);
	debuginfo_close(p.debug);
	free(kernel);
}

static void test_kernel_base(void **state)
{
	char *command = xasprintf("cd %s && ${CC:-gcc} -O0 -g -no-pie "
				  "-Wl,--defsym=_text=0x10000,--defsym=_stext=0x20000 "
				  "-o kernel list.c",
				  directory);
	int status = system(command);

	free(command);
	if (status)
		skip();
#ifndef HAVE_LIBDW
	skip();
#endif
	tree_make(state);
	base_is("ffff800008000000 T _text\nffff800008010000 T _stext\n", false, "_text", 0x10000);
	/* kernels of arm64 do not show _text, and would not know what is told */
	base_is("ffff800008010000 T _stext\nffff800008010010 T vfs_read\n", false, "_stext",
		0x20000);
	/* nobody is told */
	base_is("ffff800008010000 T _stext\n", true, "_text", 0x10000);
	tree_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),       cmocka_unit_test(test_prologue),
		cmocka_unit_test(test_arguments),   cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_search),      cmocka_unit_test(test_variables),
		cmocka_unit_test(test_lines),       cmocka_unit_test(test_open),
		cmocka_unit_test(test_kernel_base),
	};
	int failed = cmocka_run_group_tests(tests, compile, clean);

	probe_definition_release(&definition);
	return failed;
}
