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
#include "arch/machine.h"

static const struct arch *must(const char *name)
{
	const struct arch *a = arch_by_name(name);

	assert_non_null(a);
	return a;
}

/* Checks that the host's table has every system call that the compiler's headers number. */
static void test_host_headers(void **state)
{
	const struct arch *a = arch_host();
	unsigned checked = 0, nr;
	char line[256], name[128];
	FILE *f;

	(void)state;
	/* a machine that has no tables, on which perf reads files of others */
	if (!a->syscall_count)
		skip();
	assert_int_equal(arch_syscall_number(a, "getpid"), SYS_getpid);
	assert_int_equal(arch_syscall_number(a, "perf_event_open"), SYS_perf_event_open);
	f = popen("echo '#include <asm/unistd.h>' | ${HOST_CC:-cc} -E -dM - 2>/dev/null", "r");
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
	assert_string_equal(arch_syscall_name(must("armv7l"), 322), "openat");
	assert_string_equal(arch_syscall_name(must("ppc"), 286), "openat");
	assert_string_equal(arch_syscall_name(must("riscv64"), 56), "openat");
	assert_int_equal(arch_syscall_number(must("ppc"), "mmap2"), 192);
	assert_int_equal(arch_syscall_number(must("ppc64"), "mmap2"), -1);
	assert_int_equal(arch_syscall_number(must("riscv64"), "riscv_hwprobe"), 258);
	assert_int_equal(arch_syscall_number(must("aarch64"), "open"), -1);
	assert_int_equal(arch_syscall_number(must("aarch64"), "lseek"), 62);
	assert_null(arch_syscall_name(must("x86_64"), 400));
	assert_null(arch_syscall_name(must("x86_64"), UINT32_MAX));
}

static void test_syscalls_sorted(void **state)
{
	static const char *const newest[] = {
		"mseal",         "setxattrat",       "getxattrat",   "listxattrat",
		"removexattrat", "open_tree_attr",   "file_getattr", "file_setattr",
		"listns",        "rseq_slice_yield", "fchroot"
	};
	size_t count;
	const struct arch *const *all = arch_all(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_true(all[i]->syscall_count > 300);
		for (u32 j = 1; j < all[i]->syscall_count; j++)
			assert_true(all[i]->syscalls[j - 1].nr < all[i]->syscalls[j].nr);
		/* numbers that every architecture has alike */
		for (u32 k = 0; k < ARRAY_SIZE(newest); k++)
			assert_string_equal(arch_syscall_name(all[i], 462 + k), newest[k]);
	}
}

/* Checks that every architecture has all tables and that they agree with each other. */
static void test_complete(void **state)
{
	size_t count;
	const struct arch *const *all = arch_all(&count);
	char name[ARCH_REG_NAME];

	(void)state;
	assert_int_equal(count, 8);
	for (size_t i = 0; i < count; i++) {
		const struct arch *a = all[i];
		const struct arch_machine *m = arch_machine(a->e_machine);

		print_message("%s\n", a->name);
		assert_ptr_equal(arch_by_name(a->name), a);
		assert_ptr_equal(arch_by_elf(a->e_machine, a->bits == 64, a->big_endian), a);
		for (const char *const *alias = a->aliases; *alias; alias++)
			assert_ptr_equal(arch_by_name(*alias), a);
		assert_non_null(m);
		assert_non_null(m->tools[0]);
		assert_non_null(m->bfd);
		assert_true(a->reg_count > 8 && a->reg_count <= 64);
		assert_non_null(arch_reg_name(a, a->reg_ip));
		assert_non_null(arch_reg_name(a, a->reg_sp));
		assert_true(a->reg_range_count > 0);
		for (unsigned r = 0; r < a->reg_range_count; r++)
			assert_true(arch_dwarf_name(
				a, a->reg_ranges[r].first + a->reg_ranges[r].count - 1u, name));
		/* no register of samples has a number that a range has, too */
		for (unsigned r = 0; r < a->reg_count; r++)
			for (unsigned k = 0; a->regs[r].dwarf >= 0 && k < a->reg_range_count; k++)
				assert_false((unsigned)a->regs[r].dwarf - a->reg_ranges[k].first <
					     a->reg_ranges[k].count);
		assert_non_null(a->probe_regs);
		assert_non_null(a->probe_more_regs);
		for (u8 n = 0; n < a->argument_reg_count; n++)
			assert_non_null(a->probe_regs[a->argument_regs[n]]);
		assert_true(a->argument_reg_count || !strcmp(a->name, "i386"));
		assert_non_null(a->default_event);
		assert_true(a->kernel_start && a->min_insn_size);
		assert_non_null(a->unwind);
		assert_true(arch_reg_by_dwarf(a, a->unwind->sp) == a->reg_sp);
		assert_true(arch_reg_by_dwarf(a, a->unwind->fp) >= 0);
		assert_true(!a->unwind->link || arch_reg_by_dwarf(a, a->unwind->link) >= 0);
		assert_true(a->unwind->pointer_at != a->unwind->return_at);
	}
	assert_ptr_equal(must("x86_64")->compat, must("i386"));
	assert_ptr_equal(must("ppc64")->compat, must("ppc"));
	assert_string_equal(must("aarch64")->compat->name, "arm");
	assert_non_null(must("aarch64")->compat->unwind);
	assert_int_equal(arch_reg_by_dwarf(must("aarch64")->compat, 13), must("aarch64")->reg_sp);
}

/* Registers that no sample has, by the ABIs' numbers. */
static void test_dwarf_names(void **state)
{
	static const struct {
		const char *arch;
		unsigned dwarf;
		const char *name;
	} known[] = {
		{ "x86_64", 0, "AX" },    { "x86_64", 17, "XMM0" },  { "x86_64", 33, "ST0" },
		{ "x86_64", 41, "MM0" },  { "x86_64", 67, "XMM16" }, { "x86_64", 82, "XMM31" },
		{ "x86_64", 118, "K0" },  { "i386", 11, "ST0" },     { "aarch64", 64, "v0" },
		{ "aarch64", 95, "v31" }, { "aarch64", 96, "z0" },   { "aarch64", 48, "p0" },
		{ "ppc64le", 32, "f0" },  { "ppc64le", 63, "f31" },  { "ppc64le", 77, "v0" },
		{ "ppc64", 1124, "v0" },  { "ppc64le", 65, "link" }, { "riscv64", 1, "ra" },
		{ "riscv64", 42, "f10" }, { "arm", 256, "d0" },
	};
	char name[ARCH_REG_NAME];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		assert_true(arch_dwarf_name(must(known[i].arch), known[i].dwarf, name));
		assert_string_equal(name, known[i].name);
	}
	assert_false(arch_dwarf_name(must("x86_64"), 200, name));
	assert_false(arch_dwarf_name(must("aarch64"), 128, name));
}

/*
 * Checks all registers of RISC-V by their ABI names. A register's number is its index among them in
 * DWARF, in samples (where pc takes the place of x0) and in operands of probes. "zero" is in none
 * of them.
 */
static void test_riscv_registers(void **state)
{
	static const char *const abi[] = { "zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
					   "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
					   "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
					   "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
	const struct arch *a = must("riscv64");
	char name[ARCH_REG_NAME], want[ARCH_REG_NAME];

	(void)state;
	assert_int_equal(a->reg_count, 32);
	assert_int_equal(a->probe_reg_count, 32);
	assert_string_equal(arch_reg_name(a, 0), "pc");
	assert_int_equal(arch_reg_by_dwarf(a, 0), -1);
	assert_null(a->probe_regs[0]);
	for (unsigned i = 1; i < 32; i++) {
		assert_string_equal(arch_reg_name(a, i), abi[i]);
		assert_int_equal(arch_reg_by_dwarf(a, i), i);
		assert_int_equal(a->probe_regs[i][0], '%');
		assert_string_equal(a->probe_regs[i] + 1, abi[i]);
	}
	for (unsigned i = 0; i < 64; i++) {
		snprintf(want, sizeof(want), "%c%u", i < 32 ? 'f' : 'v', i % 32);
		assert_true(arch_dwarf_name(a, i < 32 ? 32 + i : 64 + i, name));
		assert_string_equal(name, want);
	}
	assert_int_equal(a->argument_reg_count, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(a->argument_regs[i], 10 + i);
	assert_int_equal(a->unwind->link, 1);
	assert_int_equal(a->unwind->sp, 2);
	assert_int_equal(a->unwind->fp, 8);
	/* whatever the depth of its page tables: five levels have user addresses of 56 bits */
	assert_true(a->kernel_start <= 0xff00000000000000ULL &&
		    a->kernel_start > 0x00ffffffffffffffULL);
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
	assert_int_equal(arch_reg_by_dwarf(arm, 46), 46); /* vg */

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
	if (strcmp(arch_host()->name, "unknown"))
		assert_ptr_equal(arch_host(), arch_by_name(u.machine));
	else
		assert_null(arch_by_name(u.machine));
	assert_int_equal(must("x86_64")->default_precise, 3);
	assert_string_equal(must("ppc64")->default_event, "cycles");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_headers),    cmocka_unit_test(test_syscalls_known),
		cmocka_unit_test(test_syscalls_sorted), cmocka_unit_test(test_complete),
		cmocka_unit_test(test_dwarf_names),     cmocka_unit_test(test_registers),
		cmocka_unit_test(test_riscv_registers), cmocka_unit_test(test_probe_registers),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
