// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PowerPC: 64 bits in both byte orders, and 32 bits.
 *
 * Registers in the order of asm/perf_regs.h.  DWARF numbers: 64-Bit ELF V2 ABI,
 * table "DWARF register mappings"; probe registers by the numbers of the older
 * mapping (100 + SPR), which compilers still write into .debug_info.
 */
#include "arch/internal.h"
#include "arch/powerpc/syscalls-32.h"
#include "arch/powerpc/syscalls.h"

static const struct arch_reg powerpc_regs[] = {
	{ "r0", 0 },     { "r1", 1 },     { "r2", 2 },     { "r3", 3 },     { "r4", 4 },
	{ "r5", 5 },     { "r6", 6 },     { "r7", 7 },     { "r8", 8 },     { "r9", 9 },
	{ "r10", 10 },   { "r11", 11 },   { "r12", 12 },   { "r13", 13 },   { "r14", 14 },
	{ "r15", 15 },   { "r16", 16 },   { "r17", 17 },   { "r18", 18 },   { "r19", 19 },
	{ "r20", 20 },   { "r21", 21 },   { "r22", 22 },   { "r23", 23 },   { "r24", 24 },
	{ "r25", 25 },   { "r26", 26 },   { "r27", 27 },   { "r28", 28 },   { "r29", 29 },
	{ "r30", 30 },   { "r31", 31 },   { "nip", -1 },   { "msr", -1 },   { "orig_r3", -1 },
	{ "ctr", 66 },   { "link", 65 },  { "xer", 76 },   { "ccr", 64 },   { "softe", -1 },
	{ "trap", -1 },  { "dar", -1 },   { "dsisr", -1 }, { "sier", -1 },  { "mmcra", -1 },
	{ "mmcr0", -1 }, { "mmcr1", -1 }, { "mmcr2", -1 }, { "mmcr3", -1 }, { "sier2", -1 },
	{ "sier3", -1 }, { "pmc1", -1 },  { "pmc2", -1 },  { "pmc3", -1 },  { "pmc4", -1 },
	{ "pmc5", -1 },  { "pmc6", -1 },  { "sdar", -1 },  { "siar", -1 },
};

/*
 * The vectors have one number in the ABI of ELFv2, and another one in what older compilers write.
 */
static const struct arch_reg_range powerpc_ranges[] = {
	{ 32, 32, "f" },
	{ 68, 8, "cr" },
	{ 77, 32, "v" },
	{ 1124, 32, "v" },
};

static const char *const powerpc_probe_regs[] = {
	"%gpr0",         "%gpr1",        "%gpr2",          "%gpr3",        "%gpr4",
	"%gpr5",         "%gpr6",        "%gpr7",          "%gpr8",        "%gpr9",
	"%gpr10",        "%gpr11",       "%gpr12",         "%gpr13",       "%gpr14",
	"%gpr15",        "%gpr16",       "%gpr17",         "%gpr18",       "%gpr19",
	"%gpr20",        "%gpr21",       "%gpr22",         "%gpr23",       "%gpr24",
	"%gpr25",        "%gpr26",       "%gpr27",         "%gpr28",       "%gpr29",
	"%gpr30",        "%gpr31",       [65] = "%link",   [66] = "%ctr",  [101] = "%xer",
	[108] = "%link", [109] = "%ctr", [118] = "%dsisr", [119] = "%dar",
};

static const char *const powerpc_more_regs[] = { "%nip", "%msr", "%ccr", "%softe", "%trap", NULL };

/* 64-bit PowerPC ELF ABI, 2.2.3: r3 to r10. */
static const u8 powerpc_argument_regs[] = { 3, 4, 5, 6, 7, 8, 9, 10 };

static const char *const ppc64_aliases[] = { "powerpc64", "powerpc", NULL };
static const char *const ppc_aliases[] = { "ppc32", NULL };
static const char *const ppc64le_aliases[] = { "powerpc64le", "ppc64el", NULL };

/* r1 points to the caller's r1, and a function saves its return address in its caller's frame. */
static const struct arch_unwind powerpc_unwind = {
	.sp = 1,
	.fp = 1,
	.return_at = 16,
	.return_in_caller = true,
	.link = 65,
	.chain_link = CHAIN_WITH_LINK,
};

/* The word after the pointer to the caller's frame. */
static const struct arch_unwind powerpc32_unwind = {
	.sp = 1,
	.fp = 1,
	.return_at = 4,
	.return_in_caller = true,
	.link = 65,
	.chain_link = CHAIN_WITH_LINK,
};

const struct arch arch_ppc64 = {
	.name = "ppc64",
	.aliases = ppc64_aliases,
	.e_machine = ELF_MACHINE_PPC64,
	.bits = 64,
	.big_endian = true,
	.compat = &arch_ppc,
	.regs = powerpc_regs,
	.reg_count = ARRAY_SIZE(powerpc_regs),
	.reg_ip = 32,
	.reg_sp = 1,
	.reg_ranges = powerpc_ranges,
	.reg_range_count = ARRAY_SIZE(powerpc_ranges),
	.unwind = &powerpc_unwind,
	.probe_regs = powerpc_probe_regs,
	.probe_reg_count = ARRAY_SIZE(powerpc_probe_regs),
	.probe_more_regs = powerpc_more_regs,
	.argument_regs = powerpc_argument_regs,
	.argument_reg_count = ARRAY_SIZE(powerpc_argument_regs),
	.syscalls = powerpc_syscalls,
	.syscall_count = ARRAY_SIZE(powerpc_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xc000000000000000ULL,
	.min_insn_size = 4,
};

const struct arch arch_ppc64le = {
	.name = "ppc64le",
	.aliases = ppc64le_aliases,
	.e_machine = ELF_MACHINE_PPC64,
	.bits = 64,
	.regs = powerpc_regs,
	.reg_count = ARRAY_SIZE(powerpc_regs),
	.reg_ip = 32,
	.reg_sp = 1,
	.reg_ranges = powerpc_ranges,
	.reg_range_count = ARRAY_SIZE(powerpc_ranges),
	.unwind = &powerpc_unwind,
	.probe_regs = powerpc_probe_regs,
	.probe_reg_count = ARRAY_SIZE(powerpc_probe_regs),
	.probe_more_regs = powerpc_more_regs,
	.argument_regs = powerpc_argument_regs,
	.argument_reg_count = ARRAY_SIZE(powerpc_argument_regs),
	.syscalls = powerpc_syscalls,
	.syscall_count = ARRAY_SIZE(powerpc_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xc000000000000000ULL,
	.min_insn_size = 4,
};

const struct arch arch_ppc = {
	.name = "ppc",
	.aliases = ppc_aliases,
	.e_machine = ELF_MACHINE_PPC,
	.bits = 32,
	.big_endian = true,
	.regs = powerpc_regs,
	.reg_count = ARRAY_SIZE(powerpc_regs),
	.reg_ip = 32,
	.reg_sp = 1,
	.reg_ranges = powerpc_ranges,
	.reg_range_count = ARRAY_SIZE(powerpc_ranges),
	.unwind = &powerpc32_unwind,
	.probe_regs = powerpc_probe_regs,
	.probe_reg_count = ARRAY_SIZE(powerpc_probe_regs),
	.probe_more_regs = powerpc_more_regs,
	.argument_regs = powerpc_argument_regs,
	.argument_reg_count = ARRAY_SIZE(powerpc_argument_regs),
	.syscalls = powerpc32_syscalls,
	.syscall_count = ARRAY_SIZE(powerpc32_syscalls),
	.default_event = "cycles",
	.kernel_start = 0xc0000000ULL,
	.min_insn_size = 4,
};
