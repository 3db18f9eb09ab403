// SPDX-License-Identifier: GPL-2.0-or-later
/* The probe language: each form, and each fault with its caret. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "probe/definition.h"

static void put_step(struct strbuf *b, const struct probe_step *s)
{
	switch (s->kind) {
	case PROBE_MEMBER:
		strbuf_f(b, " .%s", s->name);
		break;
	case PROBE_ARROW:
		strbuf_f(b, " ->%s", s->name);
		break;
	case PROBE_INDEX:
		strbuf_f(b, " [%lld]", (long long)s->first);
		break;
	case PROBE_RANGE:
		strbuf_f(b, " [%lld..%lld]", (long long)s->first, (long long)s->last);
		break;
	case PROBE_DEREFERENCE:
		strbuf_f(b, " *%s%lld", s->user ? "u" : "", (long long)s->first);
		break;
	}
}

/* Every field that is set, in a fixed order. */
static char *describe(const struct probe_definition *d)
{
	struct strbuf b = STRBUF_INIT;

	if (d->group)
		strbuf_f(&b, "group=%s ", d->group);
	if (d->event)
		strbuf_f(&b, "event=%s ", d->event);
	if (d->is_cached)
		strbuf_str(&b, "cached");
	if (d->point.function)
		strbuf_f(&b, "<%s>", d->point.function);
	if (d->point.file)
		strbuf_f(&b, "{%s}", d->point.file);
	if (d->point.has_line)
		strbuf_f(&b, " line %u", d->point.line);
	if (d->point.offset)
		strbuf_f(&b, " offset %llu", (unsigned long long)d->point.offset);
	if (d->point.is_absolute)
		strbuf_f(&b, "at %llx", (unsigned long long)d->point.address);
	if (d->point.is_return)
		strbuf_str(&b, " return");
	if (d->point.lazy)
		strbuf_f(&b, " lazy '%s'", d->point.lazy);
	vec_for_each(&d->arguments, a) {
		strbuf_f(&b, " | %s=%d:%s:%lld", a->name ? a->name : "", a->base,
			 a->base_name ? a->base_name : "", (long long)a->number);
		vec_for_each(&a->steps, s)
			put_step(&b, s);
		if (a->type)
			strbuf_f(&b, " type %s", a->type);
		if (a->array)
			strbuf_f(&b, " x%u", a->array);
		if (a->user)
			strbuf_str(&b, " user");
	}
	return strbuf_detach(&b);
}

static const struct {
	const char *text, *tree;
} forms[] = {
	{ "main", "<main>" },
	{ "  main  ", "<main>" },
	{ "ev=main", "event=ev <main>" },
	{ "g:ev=main", "group=g event=ev <main>" },
	{ "main:12", "<main> line 12" },
	{ "main:0", "<main> line 0" },
	{ "main+0x10", "<main> offset 16" },
	{ "main%return", "<main> return" },
	{ "main@a.c", "<main>{a.c}" },
	{ "main@dir/a.c:3", "<main>{dir/a.c} line 3" },
	{ "main%return@a.c", "<main>{a.c} return" },
	{ "main;x=call(*)", "<main> lazy 'x=call(*)'" },
	{ "e=main@a.c;a@b+c%d:1", "event=e <main>{a.c} lazy 'a@b+c%d:1'" },
	{ "a.c:12", "{a.c} line 12" },
	{ "@a.c:12", "{a.c} line 12" },
	{ "dir/a.c;foo*", "{dir/a.c} lazy 'foo*'" },
	{ "foo\\+bar.c:4", "{foo+bar.c} line 4" },
	{ "get\\@GLIBC_2.2.5", "<get@GLIBC_2.2.5>" },
	{ "ns::f", "<ns::f>" },
	{ "ns::f:3", "<ns::f> line 3" },
	{ "f.isra.0+4", "<f.isra.0> offset 4" },
	{ "sys_*", "<sys_*>" },
	{ "0xffffffff81000010", "at ffffffff81000010" },
	{ "%sdt_lib:go", "group=sdt_lib event=go cached" },
	{ "sdt_lib:go arg1", "group=sdt_lib event=go cached | =0:arg1:0" },
	{ "%name", "event=name cached" },
	{ "sdt_lib:12", "<sdt_lib> line 12" },
	{ "f v", "<f> | =0:v:0" },
	{ "f n=v:u8", "<f> | n=0:v:0 type u8" },
	{ "f a->b.c[1]->d", "<f> | =0:a:0 ->b .c [1] ->d" },
	{ "f x:u32[4]", "<f> | =0:x:0 type u32 x4" },
	{ "f arr[1..4]", "<f> | =0:arr:0 [1..4]" },
	{ "f ns::v:s", "<f> | =0:ns::v:0 type s" },
	{ "f %di r=%r10:x64", "<f> | =1:di:0 | r=1:r10:0 type x64" },
	{ "f $retval", "<f> | =2::0" },
	{ "f $retval->x", "<f> | =2::0 ->x" },
	{ "f $stack $stack3 $arg2 $comm", "<f> | =3::0 | =4::3 | =5::2 | =6::0" },
	{ "f $vars", "<f> | =12::0" },
	{ "f $params", "<f> | =13::0" },
	{ "f @0x10 @jiffies @jiffies-8 @+0x40:u8",
	  "<f> | =7::16 | =8:jiffies:0 | =8:jiffies:-8 | =9::64 type u8" },
	{ "f \\42 \\-1 \\\"some text\"", "<f> | =10::42 | =10::-1 | =11:some text:0" },
	{ "f +8(%di):string", "<f> | =1:di:0 *8 type string" },
	{ "f s=+0(+u16(-4($retval))):ustring", "<f> | s=2::0 *-4 *u16 *0 type ustring" },
	{ "f v@user v:string@user", "<f> | =0:v:0 user | =0:v:0 type string user" },
	{ "f b=v:b4@2/32", "<f> | b=0:v:0 type b4@2/32" },
	{ "f n=dentry:%pd", "<f> | n=0:dentry:0 type %pd" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct probe_definition d = { .group = NULL };
		struct reason r = REASON_INIT;
		char *tree;

		if (probe_definition_parse(&d, forms[i].text, &r))
			fail_msg("'%s': %s", forms[i].text, r.text);
		tree = describe(&d);
		if (strcmp(tree, forms[i].tree))
			fail_msg("'%s': %s, not %s", forms[i].text, tree, forms[i].tree);
		free(tree);
		probe_definition_release(&d);
		reason_release(&r);
	}
}

static const struct {
	const char *text;
	int caret; /* column */
	const char *says;
} faults[] = {
	{ "", 0, "expected a probe" },
	{ "=main", 0, "event's name" },
	{ "x.y=main", 0, "event's name" },
	{ "g:=main", 2, "event's name" },
	{ "a.c:", 4, "line number" },
	{ "main:x", 5, "line number" },
	{ "main+", 5, "number of bytes" },
	{ "main%ret", 5, "'return'" },
	{ "main%return:3", 0, "%return" },
	{ "main+4:3", 0, "an offset" },
	{ "main;", 5, "pattern" },
	{ "@a.c", 0, "line" },
	{ "main@", 5, "source file" },
	{ "0xzz", 0, "address" },
	{ "e=%sdt_a:b", 2, "name already" },
	{ "f 5n", 2, "expected a variable" },
	{ "f n=", 4, "expected a value" },
	{ "f $foo", 2, "$retval" },
	{ "f $arg0", 6, "out of range" },
	{ "f v:u7", 4, "a type" },
	{ "f v:b40@0/32", 4, "a type" },
	{ "f v:u8[0]", 7, "1 to 64" },
	{ "f a[1", 3, "no ']'" },
	{ "f a[3..1]", 7, "before it begins" },
	{ "f a->", 5, "member" },
	{ "f a-b", 3, "'->'" },
	{ "f +8(%di", 2, "+OFFSET(...)" },
	{ "f +9223372036854775808(%di)", 3, "out of range" },
	{ "f +-9223372036854775809(%di)", 3, "out of range" },
	{ "f x=$vars", 4, "many" },
	{ "f a[1..2].b", 9, "range" },
};

static void test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct probe_definition d = { .group = NULL };
		struct reason r = REASON_INIT;
		const char *caret;

		if (!probe_definition_parse(&d, faults[i].text, &r))
			fail_msg("'%s' was taken", faults[i].text);
		caret = strrchr(r.text, '\n') + 1;
		if (!strstr(r.text, faults[i].says) || (int)strlen(caret) - 1 != faults[i].caret)
			fail_msg("'%s': %s", faults[i].text, r.text);
		probe_definition_release(&d);
		reason_release(&r);
	}
}

static void test_name_of_a_marker(void **state)
{
	struct probe_definition d = { .group = NULL };
	struct reason r = REASON_INIT;

	(void)state;
	assert_int_equal(probe_definition_parse(&d, "g:e=%sdt_a:b x", &r), -EINVAL);
	assert_string_equal(r.hint,
			    "leave out 'g:e=': a marker or a cached probe keeps its own name");
	probe_definition_release(&d);
	reason_release(&r);
}

static void test_ranges(void **state)
{
	static const struct {
		const char *text, *function, *file;
		unsigned first, last;
		bool has_line;
	} rows[] = {
		{ "main", "main", NULL, 0, UINT32_MAX, false },
		{ "main:3", "main", NULL, 3, UINT32_MAX, true },
		{ "main:3-9", "main", NULL, 3, 9, true },
		{ "main:10+20", "main", NULL, 10, 29, true },
		{ "main@a.c:3-9", "main", "a.c", 3, 9, true },
		{ "dir/a.c:100-120", NULL, "dir/a.c", 100, 120, true },
		{ "a.c", NULL, "a.c", 0, UINT32_MAX, false },
	};
	static const char *const bad[] = { "", "main:", "main:x", "main:9-3", "main:1+0", ":3" };
	struct probe_point p = { NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(probe_line_range_parse(&p, rows[i].text, NULL), 0);
		assert_int_equal(!p.function, !rows[i].function);
		assert_int_equal(!p.file, !rows[i].file);
		if (p.function)
			assert_string_equal(p.function, rows[i].function);
		if (p.file)
			assert_string_equal(p.file, rows[i].file);
		assert_int_equal(p.line, rows[i].first);
		assert_int_equal(p.line_end, rows[i].last);
		assert_int_equal(p.has_line, rows[i].has_line);
		probe_point_release(&p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_not_equal(probe_line_range_parse(&p, bad[i], NULL), 0);
		probe_point_release(&p);
	}
}

static void test_text_again(void **state)
{
	static const char *const points[] = { "main",   "main+16", "main%return", "main@a.c:3",
					      "a.c:12", "main;x*", "0x1234" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		struct probe_definition d = { .group = NULL };
		struct strbuf b = STRBUF_INIT;

		assert_int_equal(probe_definition_parse(&d, points[i], NULL), 0);
		probe_point_text(&b, &d.point);
		assert_string_equal(strbuf_cstr(&b), points[i]);
		strbuf_release(&b);
		probe_definition_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_name_of_a_marker),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_text_again),
	};

	return cmocka_run_group_tests_name("probe definition", tests, NULL, NULL);
}
