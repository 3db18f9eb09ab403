// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 64-bit RISC-V. Registers in the order of asm/perf_regs.h, which is that of their numbers, except
 * that the program counter replaces x0. DWARF numbers: RISC-V DWARF Specification, table of
 * register numbers.
 */
#include "arch/internal.h"
#include "arch/riscv64/syscalls.h"

static const struct arch_reg riscv64_regs[] = {
	{ "pc", -1 }, { "ra", 1 },  { "sp", 2 },   { "gp", 3 },   { "tp", 4 },  { "t0", 5 },
	{ "t1", 6 },  { "t2", 7 },  { "s0", 8 },   { "s1", 9 },   { "a0", 10 }, { "a1", 11 },
	{ "a2", 12 }, { "a3", 13 }, { "a4", 14 },  { "a5", 15 },  { "a6", 16 }, { "a7", 17 },
	{ "s2", 18 }, { "s3", 19 }, { "s4", 20 },  { "s5", 21 },  { "s6", 22 }, { "s7", 23 },
	{ "s8", 24 }, { "s9", 25 }, { "s10", 26 }, { "s11", 27 }, { "t3", 28 }, { "t4", 29 },
	{ "t5", 30 }, { "t6", 31 },
};

static const struct arch_reg_range riscv64_ranges[] = { { 32, 32, "f" }, { 96, 32, "v" } };

/* By the names of arch/riscv/kernel/ptrace.c. */
static const char *const riscv64_probe_regs[] = {
	NULL,  "%ra", "%sp", "%gp", "%tp",  "%t0",  "%t1", "%t2", "%s0", "%s1", "%a0",
	"%a1", "%a2", "%a3", "%a4", "%a5",  "%a6",  "%a7", "%s2", "%s3", "%s4", "%s5",
	"%s6", "%s7", "%s8", "%s9", "%s10", "%s11", "%t3", "%t4", "%t5", "%t6",
};
static const char *const riscv64_more_regs[] = { "%epc",   "%status",  "%badaddr",
						 "%cause", "%orig_a0", NULL };

/* RISC-V Calling Conventions, integer calling convention: a0 to a7. */
static const u8 riscv64_argument_regs[] = { 10, 11, 12, 13, 14, 15, 16, 17 };

static const char *const aliases[] = { "riscv", NULL };

/*
 * The frame pointer is the stack pointer that the caller had. The return address and the caller's
 * frame pointer are below it. The kernel puts the link register into each chain, but instead of the
 * first return address that it reads, so nothing that it adds can be removed.
 */
static const struct arch_unwind riscv64_unwind = {
	.sp = 2,
	.fp = 8,
	.pointer_at = -16,
	.return_at = -8,
	.link = 1,
};

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.aliases = aliases,
	.e_machine = ELF_MACHINE_RISCV,
	.bits = 64,
	.regs = riscv64_regs,
	.reg_count = ARRAY_SIZE(riscv64_regs),
	.reg_ip = 0,
	.reg_sp = 2,
	.reg_ranges = riscv64_ranges,
	.reg_range_count = ARRAY_SIZE(riscv64_ranges),
	.unwind = &riscv64_unwind,
	.probe_regs = riscv64_probe_regs,
	.probe_reg_count = ARRAY_SIZE(riscv64_probe_regs),
	.probe_more_regs = riscv64_more_regs,
	.argument_regs = riscv64_argument_regs,
	.argument_reg_count = ARRAY_SIZE(riscv64_argument_regs),
	.syscalls = riscv64_syscalls,
	.syscall_count = ARRAY_SIZE(riscv64_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xff00000000000000ULL,
	.min_insn_size = 2,
};
