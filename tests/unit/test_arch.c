// SPDX-License-Identifier: GPL-2.0-or-later
/* The architectures' tables: against this machine's headers, and known answers for the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "arch/arch.h"

static const struct arch *must(const char *name)
{
	const struct arch *a = arch_by_name(name);

	assert_non_null(a);
	return a;
}

/* Every system call the compiler's headers number must be in the host's table. */
static void test_host_headers(void **state)
{
	const struct arch *a = arch_host();
	unsigned checked = 0, nr;
	char line[256], name[128];
	FILE *f;

	(void)state;
	assert_int_equal(arch_syscall_number(a, "getpid"), SYS_getpid);
	assert_int_equal(arch_syscall_number(a, "perf_event_open"), SYS_perf_event_open);
	f = popen("echo '#include <asm/unistd.h>' | cc -E -dM - 2>/dev/null", "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#define __NR_%127s %u", name, &nr) != 2 ||
		    !strcmp(name, "syscalls") || !strcmp(name, "arch_specific_syscall") ||
		    nr > a->syscalls[a->syscall_count - 1].nr)
			continue;
		assert_non_null(arch_syscall_name(a, nr));
		assert_string_equal(arch_syscall_name(a, nr), name);
		assert_int_equal(arch_syscall_number(a, name), nr);
		checked++;
	}
	pclose(f);
	if (!checked)
		skip(); /* no compiler here */
	assert_true(checked > 200);
}

static void test_syscalls_known(void **state)
{
	(void)state;
	assert_string_equal(arch_syscall_name(must("x86_64"), 0), "read");
	assert_string_equal(arch_syscall_name(must("i686"), 3), "read");
	assert_string_equal(arch_syscall_name(must("arm64"), 63), "read");
	assert_string_equal(arch_syscall_name(must("ppc64el"), 3), "read");
	assert_int_equal(arch_syscall_number(must("aarch64"), "openat"), 56);
	assert_int_equal(arch_syscall_number(must("ppc64"), "openat"), 286);
	assert_int_equal(arch_syscall_number(must("i386"), "openat"), 295);
	assert_int_equal(arch_syscall_number(must("aarch64"), "open"), -1);
	assert_int_equal(arch_syscall_number(must("aarch64"), "lseek"), 62);
	assert_null(arch_syscall_name(must("x86_64"), 400));
	assert_null(arch_syscall_name(must("x86_64"), UINT32_MAX));
}

static void test_syscalls_sorted(void **state)
{
	size_t count;
	const struct arch *const *all = arch_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_true(all[i]->syscall_count > 300);
		for (u32 j = 1; j < all[i]->syscall_count; j++)
			assert_true(all[i]->syscalls[j - 1].nr < all[i]->syscalls[j].nr);
		assert_string_equal(arch_syscall_name(all[i], 465), "listxattrat");
	}
}

static void test_registers(void **state)
{
	const struct arch *x86 = must("x86_64"), *arm = must("aarch64"), *ppc = must("ppc64le");

	(void)state;
	assert_string_equal(arch_reg_name(x86, 0), "AX");
	assert_string_equal(arch_reg_name(x86, x86->reg_ip), "IP");
	assert_string_equal(arch_reg_name(x86, x86->reg_sp), "SP");
	assert_string_equal(arch_reg_name(x86, 23), "R15");
	assert_null(arch_reg_name(x86, 24));
	assert_string_equal(arch_reg_name(x86, 33), "XMM0");
	assert_string_equal(arch_reg_name(x86, 63), "XMM15");
	assert_null(arch_reg_name(x86, 64));
	assert_int_equal(arch_reg_by_dwarf(x86, 7), x86->reg_sp);
	assert_int_equal(arch_reg_by_dwarf(x86, 1), 3); /* rdx */
	assert_int_equal(arch_reg_by_dwarf(x86, 12345), -1);
	assert_true(arch_has_probe_reg(x86, "%di"));
	assert_true(arch_has_probe_reg(x86, "%flags"));
	assert_false(arch_has_probe_reg(x86, "%rdi"));
	assert_false(arch_has_probe_reg(x86, "di"));
	assert_false(arch_has_probe_reg(x86, "%x0"));
	assert_int_equal(arch_reg_by_dwarf(must("i386"), 4), must("i386")->reg_sp);

	assert_string_equal(arch_reg_name(arm, 30), "lr");
	assert_string_equal(arch_reg_name(arm, arm->reg_sp), "sp");
	assert_string_equal(arch_reg_name(arm, arm->reg_ip), "pc");
	assert_null(arch_reg_name(arm, 40));
	assert_string_equal(arch_reg_name(arm, 46), "vg");
	assert_int_equal(arch_reg_by_dwarf(arm, 30), 30);

	assert_string_equal(arch_reg_name(ppc, ppc->reg_ip), "nip");
	assert_string_equal(arch_reg_name(ppc, ppc->reg_sp), "r1");
	assert_string_equal(arch_reg_name(ppc, 44), "mmcra");
	assert_string_equal(arch_reg_name(ppc, 58), "siar");
	assert_null(arch_reg_name(ppc, 59));
	assert_int_equal(arch_reg_by_dwarf(ppc, 65), 36); /* link */
}

static void test_probe_registers(void **state)
{
	const struct arch *x86 = must("x86_64"), *ppc = must("ppc64le");

	(void)state;
	assert_string_equal(x86->probe_regs[5], "%di");
	assert_string_equal(x86->probe_regs[15], "%r15");
	assert_int_equal(x86->probe_reg_count, 16);
	assert_string_equal(must("aarch64")->probe_regs[30], "%lr");
	assert_string_equal(ppc->probe_regs[3], "%gpr3");
	assert_string_equal(ppc->probe_regs[109], "%ctr");
	assert_null(ppc->probe_regs[40]);
}

static void test_choice(void **state)
{
	struct utsname u;

	(void)state;
	assert_ptr_equal(arch_by_elf(62, true, false), must("x86_64"));
	assert_ptr_equal(arch_by_elf(3, false, false), must("i386"));
	assert_ptr_equal(arch_by_elf(183, true, false), must("arm64"));
	assert_ptr_equal(arch_by_elf(21, true, true), must("ppc64"));
	assert_ptr_equal(arch_by_elf(21, true, false), must("powerpc64le"));
	assert_null(arch_by_elf(8, false, true));
	assert_null(arch_by_name("pdp11"));
	assert_int_equal(uname(&u), 0);
	assert_string_equal(arch_host()->name, u.machine);
	assert_int_equal(must("x86_64")->default_precise, 3);
	assert_string_equal(must("ppc64")->default_event, "cycles");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_headers), cmocka_unit_test(test_syscalls_known),
		cmocka_unit_test(test_syscalls_sorted), cmocka_unit_test(test_registers),
		cmocka_unit_test(test_probe_registers), cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
