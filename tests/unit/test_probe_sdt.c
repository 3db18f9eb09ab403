// SPDX-License-Identifier: GPL-2.0-or-later
/* SDT operands of each architecture as fetch arguments. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "probe/sdt.h"

/* clang-format off */
static const struct {
	const char *arch, *operand, *fetch; /* NULL: cannot be said, as why tells */
	const char *why;
} rows[] = {
	{ "x86_64", "%rdi", "%di" }, { "x86_64", "%edi", "%di" }, { "x86_64", "%di", "%di" },
	{ "x86_64", "%dil", "%di" }, { "x86_64", "%al", "%ax" }, { "x86_64", "%ah", NULL, "a register that a probe cannot read" },
	{ "x86_64", "%r8", "%r8" }, { "x86_64", "%r10d", "%r10" }, { "x86_64", "%r15b", "%r15" },
	{ "x86_64", "%rbp", "%bp" }, { "x86_64", "%spl", "%sp" }, { "x86_64", "%xmm0", NULL, "a register that a probe cannot read" },
	{ "x86_64", "$5", "\\5" }, { "x86_64", "$-3", "\\-3" },
	{ "x86_64", "(%rsp)", "+0(%sp)" }, { "x86_64", "-16(%rbp)", "-16(%bp)" },
	{ "x86_64", "8(%r12)", "+8(%r12)" }, { "x86_64", "(%rdx,%rbx,8)", NULL, "sum of two registers" },
	{ "x86_64", "8(", NULL, "form that perf" }, { "x86_64", "", NULL, "form that perf" }, { "x86_64", "nosuch(%rip)", NULL, "symbol that the file" },
	{ "x86_64", "8(%rax,%rbx)", NULL, "sum of two registers" }, { "x86_64", "8(,%rbx,1)", "+8(%bx)" },
	{ "x86_64", "-8(,%r12)", "-8(%r12)" }, { "x86_64", "(,%rax,4)", NULL, "multiple of a register" },
	{ "x86_64", "(%rax,)", NULL, "form that perf" }, { "x86_64", "(,,)", NULL, "form that perf" },
	{ "x86_64", "sdt_test_counter(,%rax,1)", NULL, "not the same in each run" }, { "x86_64", "()", NULL, "form that perf" },
	{ "x86_64", "%fs:-8(%rax)", NULL, "segment" }, { "x86_64", "%fs:40", NULL, "segment" },
	{ "x86_64", "$sdt_test_counter", NULL, "not the same in each run" }, { "x86_64", "$nosuch", NULL, "symbol that the file" },
	{ "aarch64", "[x0, w1, sxtw 2]", NULL, "sum of two registers" },
	{ "aarch64", "x0", "%x0" }, { "aarch64", "w19", "%x19" }, { "aarch64", "sp", "%sp" },
	{ "aarch64", "[sp, 16]", "+16(%sp)" }, { "aarch64", "[x29, -8]", "-8(%x29)" },
	{ "aarch64", "[x1]", "+0(%x1)" }, { "aarch64", "[x0, x1]", NULL, "sum of two registers" }, { "aarch64", "x31", NULL, "a register that a probe cannot read" },
	{ "aarch64", "12", "\\12" }, { "aarch64", "[x0", NULL, "form that perf" },
	{ "ppc64le", "%r3", "%gpr3" }, { "ppc64le", "8(%r1)", "+8(%gpr1)" },
	{ "ppc64le", "-24(31)", "-24(%gpr31)" }, { "ppc64le", "%f1", NULL, "a register that a probe cannot read" },
};
/* clang-format on */

/* This test is a file with symbols. */
int sdt_test_counter = 12;

static void test_operands(void **state)
{
	struct elf *e;

	(void)state;
	assert_int_equal(elf_open("/proc/self/exe", &e, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct arch *arch = arch_by_name(rows[i].arch);
		struct strbuf b = STRBUF_INIT;
		const char *why = sdt_operand(e, arch, 0, rows[i].operand, &b);

		if (why ? !rows[i].why || !strstr(why, rows[i].why) || b.len
			: !rows[i].fetch || strcmp(b.s, rows[i].fetch))
			fail_msg("%s '%s': %s, %s", rows[i].arch, rows[i].operand, strbuf_cstr(&b),
				 why);
		strbuf_release(&b);
	}
	elf_close(e);
}

static void test_memory_of_the_program(void **state)
{
	struct strbuf b = STRBUF_INIT, moved = STRBUF_INIT;
	u64 plain = 0, later = 0;
	struct elf *e;

	(void)state;
	assert_int_equal(elf_open("/proc/self/exe", &e, NULL), 0);
	assert_null(sdt_operand(e, arch_by_name("x86_64"), 0, "sdt_test_counter(%rip)", &b));
	assert_null(
		sdt_operand(e, arch_by_name("x86_64"), 0x100, "sdt_test_counter+8(%rip)", &moved));
	assert_int_equal(parse_hex(b.s + 2, &plain), 0);
	assert_int_equal(parse_hex(moved.s + 2, &later), 0);
	assert_int_equal(later, plain + 8 - 0x100);
	strbuf_release(&b);
	strbuf_release(&moved);
	elf_close(e);
}

static void test_values_of_a_marker(void **state)
{
	struct sdt_marker m = {
		.provider = (char *)"p",
		.name = (char *)"m",
		.arguments = (char *)"1@%ah -1@%bh 8f@%xmm1 4@8(%rax,%rbx,4) -2@%cx 3@%di "
				     "8@$sdt_test_counter"
	};
	struct strbuf skipped = STRBUF_INIT;
	struct probe_event event = { NULL };
	const struct elf_segment *s = NULL;
	struct elf *e;

	(void)state;
	if (strcmp(arch_host()->name, "x86_64")) /* whose registers these are */
		skip();
	assert_int_equal(elf_open("/proc/self/exe", &e, NULL), 0);
	for (u32 i = 0; i < elf_segment_count(e) && !s; i++)
		s = elf_segment_at(e, i)->flags & PF_X ? elf_segment_at(e, i) : NULL;
	assert_non_null(s);
	m.address = s->vaddr;
	assert_int_equal(sdt_event(e, &m, "/x", &event, &skipped, NULL), 0);
	assert_int_equal(event.arguments.count, 2);
	assert_string_equal(event.arguments.items[0].name, "arg1");
	assert_string_equal(event.arguments.items[0].fetch, "%ax");
	assert_string_equal(event.arguments.items[0].type, "b8@8/16");
	assert_string_equal(event.arguments.items[1].name, "arg5");
	assert_string_equal(event.arguments.items[1].type, "s16");
	assert_string_equal(
		skipped.s,
		"arg2 (-1@%bh) is a signed upper byte of a register, whose sign a probe cannot "
		"determine; "
		"arg3 (8f@%xmm1) is a floating point number; "
		"arg4 (4@8(%rax,%rbx,4)) is at the sum of two registers; "
		"arg6 (3@%di) is in a form that perf does not know; "
		"arg7 (8@$sdt_test_counter) is an address, which is not the same in each run");
	strbuf_release(&skipped);
	probe_event_release(&event);
	elf_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_values_of_a_marker),
		cmocka_unit_test(test_memory_of_the_program),
	};

	return cmocka_run_group_tests_name("SDT operands", tests, NULL, NULL);
}
