// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * 32-bit Arm, its own kernel's view.
 *
 * Registers in the order of asm/perf_regs.h. DWARF numbers: DWARF for the Arm Architecture, table
 * of register names. Its programs describe their frames in .ARM.exidx; where nothing does, code
 * that is not Thumb keeps { caller's r11, return address } where r11 points to the latter.
 */
#include "arch/arm64/syscalls-arm.h"
#include "arch/internal.h"

static const struct arch_reg arm_regs[] = {
	{ "r0", 0 },  { "r1", 1 },  { "r2", 2 },  { "r3", 3 },  { "r4", 4 },   { "r5", 5 },
	{ "r6", 6 },  { "r7", 7 },  { "r8", 8 },  { "r9", 9 },  { "r10", 10 }, { "fp", 11 },
	{ "ip", 12 }, { "sp", 13 }, { "lr", 14 }, { "pc", 15 },
};

static const struct arch_reg_range arm_ranges[] = { { 64, 32, "s" }, { 256, 32, "d" } };

/* By the names of arch/arm/kernel/ptrace.c. */
static const char *const arm_probe_regs[] = {
	"%r0", "%r1", "%r2",  "%r3", "%r4", "%r5", "%r6", "%r7",
	"%r8", "%r9", "%r10", "%fp", "%ip", "%sp", "%lr", "%pc",
};
static const char *const arm_more_regs[] = { "%cpsr", "%ORIG_r0", NULL };

/* Procedure Call Standard for the Arm Architecture, 6.4: r0 to r3. */
static const u8 arm_argument_regs[] = { 0, 1, 2, 3 };

const struct arch_unwind arch_arm_unwind = {
	.sp = 13,
	.fp = 11,
	.pointer_at = -4,
	.return_at = 0,
	.link = 14,
	.mode_bits = 1,
};

static const char *const aliases[] = { "armv5l", "armv6l", "armv7l", "armv8l",
				       "armhf",  "armel",  NULL };

const struct arch arch_arm = {
	.name = "arm",
	.aliases = aliases,
	.e_machine = ELF_MACHINE_ARM,
	.bits = 32,
	.regs = arm_regs,
	.reg_count = ARRAY_SIZE(arm_regs),
	.reg_ip = 15,
	.reg_sp = 13,
	.reg_ranges = arm_ranges,
	.reg_range_count = ARRAY_SIZE(arm_ranges),
	.unwind = &arch_arm_unwind,
	.probe_regs = arm_probe_regs,
	.probe_reg_count = ARRAY_SIZE(arm_probe_regs),
	.probe_more_regs = arm_more_regs,
	.argument_regs = arm_argument_regs,
	.argument_reg_count = ARRAY_SIZE(arm_argument_regs),
	.syscalls = arm_syscalls,
	.syscall_count = ARRAY_SIZE(arm_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xc0000000ULL,
	.min_insn_size = 2,
};
