// SPDX-License-Identifier: GPL-2.0-or-later
/* SDT operands of each architecture as fetch arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "probe/sdt.h"

static const struct {
	const char *arch, *operand, *fetch; /* NULL: cannot be said */
} rows[] = {
	{ "x86_64", "%rdi", "%di" }, { "x86_64", "%edi", "%di" }, { "x86_64", "%di", "%di" },
	{ "x86_64", "%dil", "%di" }, { "x86_64", "%al", "%ax" }, { "x86_64", "%ah", NULL },
	{ "x86_64", "%r8", "%r8" }, { "x86_64", "%r10d", "%r10" }, { "x86_64", "%r15b", "%r15" },
	{ "x86_64", "%rbp", "%bp" }, { "x86_64", "%spl", "%sp" }, { "x86_64", "%xmm0", NULL },
	{ "x86_64", "$5", "\\5" }, { "x86_64", "$-3", "\\-3" },
	{ "x86_64", "(%rsp)", "+0(%sp)" }, { "x86_64", "-16(%rbp)", "-16(%bp)" },
	{ "x86_64", "8(%r12)", "+8(%r12)" }, { "x86_64", "(%rdx,%rbx,8)", NULL },
	{ "x86_64", "8(", NULL }, { "x86_64", "", NULL }, { "x86_64", "nosuch(%rip)", NULL },
	{ "aarch64", "x0", "%x0" }, { "aarch64", "w19", "%x19" }, { "aarch64", "sp", "%sp" },
	{ "aarch64", "[sp, 16]", "+16(%sp)" }, { "aarch64", "[x29, -8]", "-8(%x29)" },
	{ "aarch64", "[x1]", "+0(%x1)" }, { "aarch64", "[x0, x1]", NULL }, { "aarch64", "x31", NULL },
	{ "aarch64", "12", "\\12" }, { "aarch64", "[x0", NULL },
	{ "ppc64le", "%r3", "%gpr3" }, { "ppc64le", "8(%r1)", "+8(%gpr1)" },
	{ "ppc64le", "-24(31)", "-24(%gpr31)" }, { "ppc64le", "%f1", NULL },
};

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
		bool said = sdt_operand(e, arch, 0, rows[i].operand, &b);

		if (said != (rows[i].fetch != NULL) || (said && strcmp(b.s, rows[i].fetch)))
			fail_msg("%s '%s': %s", rows[i].arch, rows[i].operand, strbuf_cstr(&b));
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
	assert_true(sdt_operand(e, arch_by_name("x86_64"), 0, "sdt_test_counter(%rip)", &b));
	assert_true(sdt_operand(e, arch_by_name("x86_64"), 0x100, "sdt_test_counter+8(%rip)", &moved));
	assert_int_equal(parse_hex(b.s + 2, &plain), 0);
	assert_int_equal(parse_hex(moved.s + 2, &later), 0);
	assert_int_equal(later, plain + 8 - 0x100);
	strbuf_release(&b);
	strbuf_release(&moved);
	elf_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_memory_of_the_program),
	};

	return cmocka_run_group_tests_name("SDT operands", tests, NULL, NULL);
}
