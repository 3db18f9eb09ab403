// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86: 64-bit, and the 32-bit tasks and kernels beside it.
 *
 * Registers in the order of asm/perf_regs.h.  DWARF numbers: System V ABI,
 * AMD64 supplement figure 3.36, and i386 supplement table 2.14.
 */
#include "arch/internal.h"
#include "arch/x86_64/syscalls-i386.h"
#include "arch/x86_64/syscalls.h"

/* An XMM register takes two bits of the mask; both print its name. */
#define XMM(n, dwarf64)                                                                            \
	{ "XMM" #n, dwarf64 },                                                                     \
	{                                                                                          \
		"XMM" #n, -1                                                                       \
	}
#define XMM_ALL(first)                                                                             \
	XMM(0, first), XMM(1, first + 1), XMM(2, first + 2), XMM(3, first + 3), XMM(4, first + 4), \
		XMM(5, first + 5), XMM(6, first + 6), XMM(7, first + 7)

static const struct arch_reg x86_64_regs[] = {
	{ "AX", 0 },   { "BX", 3 },   { "CX", 2 },   { "DX", 1 },   { "SI", 4 },
	{ "DI", 5 },   { "BP", 6 },   { "SP", 7 },   { "IP", 16 },  { "FLAGS", 49 },
	{ "CS", 51 },  { "SS", 52 },  { "DS", 53 },  { "ES", 50 },  { "FS", 54 },
	{ "GS", 55 },  { "R8", 8 },   { "R9", 9 },   { "R10", 10 }, { "R11", 11 },
	{ "R12", 12 }, { "R13", 13 }, { "R14", 14 }, { "R15", 15 }, [24 ... 31] = { NULL, -1 },
	XMM_ALL(17),   XMM(8, 25),    XMM(9, 26),    XMM(10, 27),   XMM(11, 28),
	XMM(12, 29),   XMM(13, 30),   XMM(14, 31),   XMM(15, 32),
};

/* clang-format off */
static const struct arch_reg i386_regs[] = {
	{ "AX", 0 }, { "BX", 3 }, { "CX", 1 }, { "DX", 2 }, { "SI", 6 }, { "DI", 7 },
	{ "BP", 5 }, { "SP", 4 }, { "IP", 8 }, { "FLAGS", 9 }, { "CS", 41 }, { "SS", 42 },
	{ "DS", 43 }, { "ES", 40 }, { "FS", 44 }, { "GS", 45 },
	[16 ... 31] = { NULL, -1 },
	XMM_ALL(21),
};
/* clang-format on */

static const char *const x86_64_probe_regs[] = {
	"%ax", "%dx", "%cx",  "%bx",  "%si",  "%di",  "%bp",  "%sp",
	"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

/* di si dx cx r8 r9: AMD64 supplement, 3.2.3. */
static const u8 x86_64_argument_regs[] = { 5, 4, 1, 2, 8, 9 };

/* The kernel's own stack pointer of i386 is an address, not a saved register. */
static const char *const i386_probe_regs[] = {
	"%ax", "%cx", "%dx", "%bx", "$stack", "%bp", "%si", "%di",
};

/* Of struct pt_regs, by the names of arch/x86/kernel/ptrace.c. */
static const char *const x86_64_more_regs[] = { "%ip", "%flags", "%cs", "%ss", "%orig_ax", NULL };
static const char *const i386_more_regs[] = { "%sp", "%ip", "%flags", "%cs",      "%ss", "%ds",
					      "%es", "%fs", "%gs",    "%orig_ax", NULL };

static const char *const x86_64_aliases[] = { "amd64", "x86-64", NULL };
static const char *const i386_aliases[] = { "i486", "i586", "i686", "x86", NULL };

/* A wider vector register has the number of the narrower one inside it. */
static const struct arch_reg_range x86_64_ranges[] = {
	{ 33, 8, "ST" },
	{ 41, 8, "MM" },
	{ 67, 16, "XMM", 16 },
	{ 118, 8, "K" },
};
static const struct arch_reg_range i386_ranges[] = { { 11, 8, "ST" },
						     { 29, 8, "MM" },
						     { 93, 8, "K" } };

/* push %bp; mov %sp,%bp after a call */
static const struct arch_unwind x86_64_unwind = { .sp = 7, .fp = 6, .return_at = 8 };
static const struct arch_unwind i386_unwind = { .sp = 4, .fp = 5, .return_at = 4 };

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.aliases = x86_64_aliases,
	.e_machine = ELF_MACHINE_X86_64,
	.bits = 64,
	.regs = x86_64_regs,
	.reg_count = ARRAY_SIZE(x86_64_regs),
	.reg_ip = 8,
	.reg_sp = 7,
	.reg_ranges = x86_64_ranges,
	.reg_range_count = ARRAY_SIZE(x86_64_ranges),
	.unwind = &x86_64_unwind,
	.compat = &arch_i386,
	.probe_regs = x86_64_probe_regs,
	.probe_reg_count = ARRAY_SIZE(x86_64_probe_regs),
	.probe_more_regs = x86_64_more_regs,
	.argument_regs = x86_64_argument_regs,
	.argument_reg_count = ARRAY_SIZE(x86_64_argument_regs),
	.syscalls = x86_64_syscalls,
	.syscall_count = ARRAY_SIZE(x86_64_syscalls),
	.default_event = "cycles",
	.default_precise = 3,
	.kernel_start = 0xffff800000000000ULL,
	.min_insn_size = 1,
};

const struct arch arch_i386 = {
	.name = "i386",
	.aliases = i386_aliases,
	.e_machine = ELF_MACHINE_386,
	.bits = 32,
	.regs = i386_regs,
	.reg_count = ARRAY_SIZE(i386_regs),
	.reg_ip = 8,
	.reg_sp = 7,
	.reg_ranges = i386_ranges,
	.reg_range_count = ARRAY_SIZE(i386_ranges),
	.unwind = &i386_unwind,
	.probe_regs = i386_probe_regs,
	.probe_reg_count = ARRAY_SIZE(i386_probe_regs),
	.probe_more_regs = i386_more_regs,
	.syscalls = i386_syscalls,
	.syscall_count = ARRAY_SIZE(i386_syscalls),
	.default_event = "cycles",
	.default_precise = 3,
	.kernel_start = 0xc0000000ULL,
	.min_insn_size = 1,
};
