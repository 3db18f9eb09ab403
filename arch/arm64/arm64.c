// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 64-bit Arm.
 *
 * Registers in the order of asm/perf_regs.h.  DWARF numbers: DWARF for the Arm
 * 64-bit Architecture (AArch64), table of register names.
 */
#include "arch/internal.h"
#include "arch/arm64/syscalls-arm.h"
#include "arch/arm64/syscalls.h"

/* clang-format off */
static const struct arch_reg arm64_regs[] = {
	{ "x0", 0 }, { "x1", 1 }, { "x2", 2 }, { "x3", 3 }, { "x4", 4 }, { "x5", 5 },
	{ "x6", 6 }, { "x7", 7 }, { "x8", 8 }, { "x9", 9 }, { "x10", 10 }, { "x11", 11 },
	{ "x12", 12 }, { "x13", 13 }, { "x14", 14 }, { "x15", 15 }, { "x16", 16 },
	{ "x17", 17 }, { "x18", 18 }, { "x19", 19 }, { "x20", 20 }, { "x21", 21 },
	{ "x22", 22 }, { "x23", 23 }, { "x24", 24 }, { "x25", 25 }, { "x26", 26 },
	{ "x27", 27 }, { "x28", 28 }, { "x29", 29 },
	{ "lr", 30 }, { "sp", 31 }, { "pc", 32 },
	[33 ... 45] = { NULL, -1 },
	{ "vg", 46 },
};
/* clang-format on */

/* SVE's predicates and vectors; v0 is the lower part of z0. */
static const struct arch_reg_range arm64_ranges[] = { { 48, 16, "p" },
						      { 64, 32, "v" },
						      { 96, 32, "z" } };

static const char *const arm64_probe_regs[] = {
	"%x0",  "%x1",  "%x2",  "%x3",  "%x4",  "%x5",  "%x6",  "%x7",  "%x8",  "%x9",  "%x10",
	"%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21",
	"%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%lr",  "%sp",
};

static const char *const arm64_more_regs[] = { "%x30", "%pc", "%pstate", NULL };

/* Procedure Call Standard for the Arm 64-bit Architecture, 6.4.2. */
static const u8 arm64_argument_regs[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const char *const aliases[] = { "arm64", NULL };
static const char *const no_aliases[] = { NULL };

/*
 * A frame record is { x29, lr }. The bits above the 48 of an address contain what pointer
 * authentication adds.
 */
static const struct arch_unwind arm64_unwind = {
	.sp = 31,
	.fp = 29,
	.return_at = 8,
	.link = 30,
	.chain_link = CHAIN_WITHOUT_LINK,
	.code_mask = 0x0000ffffffffffffULL,
};

/* The kernel gives r0 to r12 as x0 to x12; lr, sp and pc have arm64's numbers. */
#define ARM(n)                                                                                     \
	{                                                                                          \
		"x" #n, n                                                                          \
	}
/* clang-format off */
static const struct arch_reg arm_regs_under_arm64[] = {
	ARM(0), ARM(1), ARM(2), ARM(3), ARM(4), ARM(5), ARM(6), ARM(7), ARM(8), ARM(9), ARM(10), ARM(11), ARM(12),
	[13 ... 29] = { NULL, -1 },
	[30] = { "lr", 14 }, { "sp", 13 }, { "pc", 15 },
};
/* clang-format on */

const struct arch arch_arm_under_arm64 = {
	.name = "arm",
	.aliases = no_aliases,
	.e_machine = ELF_MACHINE_ARM,
	.bits = 32,
	.regs = arm_regs_under_arm64,
	.reg_count = ARRAY_SIZE(arm_regs_under_arm64),
	.reg_ip = 32,
	.reg_sp = 31,
	.unwind = &arch_arm_unwind,
	.syscalls = arm_syscalls,
	.syscall_count = ARRAY_SIZE(arm_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xc0000000ULL,
	.min_insn_size = 2,
};

const struct arch arch_arm64 = {
	.name = "aarch64",
	.aliases = aliases,
	.e_machine = ELF_MACHINE_AARCH64,
	.bits = 64,
	.regs = arm64_regs,
	.reg_count = ARRAY_SIZE(arm64_regs),
	.reg_ip = 32,
	.reg_sp = 31,
	.reg_ranges = arm64_ranges,
	.reg_range_count = ARRAY_SIZE(arm64_ranges),
	.unwind = &arm64_unwind,
	.compat = &arch_arm_under_arm64,
	.probe_regs = arm64_probe_regs,
	.probe_reg_count = ARRAY_SIZE(arm64_probe_regs),
	.probe_more_regs = arm64_more_regs,
	.argument_regs = arm64_argument_regs,
	.argument_reg_count = ARRAY_SIZE(arm64_argument_regs),
	.syscalls = arm64_syscalls,
	.syscall_count = ARRAY_SIZE(arm64_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xffff000000000000ULL,
	.min_insn_size = 4,
};
