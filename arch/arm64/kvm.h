/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a guest stopped: ARM_EXCEPTION_* of asm/kvm_asm.h, and for traps the exception class, bits
 * 31:26 of ESR_EL2 (Arm DDI 0487, "ESR_ELx").
 */
static const struct arch_name arm64_exits[] = {
	{ 0, "IRQ" }, { 1, "SERROR" }, { 2, "TRAP" }, { 3, "ILLEGAL" }, { 0xbadca11, "HYP_GONE" },
};

static const struct arch_name arm64_traps[] = {
	{ 0x0, "UNKNOWN" },      { 0x1, "WFx" },          { 0x3, "CP15_32" },
	{ 0x4, "CP15_64" },      { 0x5, "CP14_MR" },      { 0x6, "CP14_LS" },
	{ 0x7, "FP_ASIMD" },     { 0x8, "CP10_ID" },      { 0x9, "PAC" },
	{ 0xc, "CP14_64" },      { 0x15, "SVC64" },       { 0x16, "HVC64" },
	{ 0x17, "SMC64" },       { 0x18, "SYS64" },       { 0x19, "SVE" },
	{ 0x1f, "IMP_DEF" },     { 0x20, "IABT_LOW" },    { 0x21, "IABT_CUR" },
	{ 0x22, "PC_ALIGN" },    { 0x24, "DABT_LOW" },    { 0x25, "DABT_CUR" },
	{ 0x26, "SP_ALIGN" },    { 0x28, "FP_EXC32" },    { 0x2c, "FP_EXC64" },
	{ 0x2f, "SERROR" },      { 0x30, "BREAKPT_LOW" }, { 0x31, "BREAKPT_CUR" },
	{ 0x32, "SOFTSTP_LOW" }, { 0x33, "SOFTSTP_CUR" }, { 0x34, "WATCHPT_LOW" },
	{ 0x35, "WATCHPT_CUR" }, { 0x38, "BKPT32" },      { 0x3a, "VECTOR32" },
	{ 0x3c, "BRK64" },
};
