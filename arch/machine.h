/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF machine numbers, and what binutils calls each machine: more machines than
 * those whose facts arch.h has, since their code can still be disassembled.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include "base/types.h"

/* EM_* of the gABI. */
enum {
	ELF_MACHINE_386 = 3,
	ELF_MACHINE_MIPS = 8,
	ELF_MACHINE_PPC = 20,
	ELF_MACHINE_PPC64 = 21,
	ELF_MACHINE_S390 = 22,
	ELF_MACHINE_ARM = 40,
	ELF_MACHINE_SPARCV9 = 43,
	ELF_MACHINE_X86_64 = 62,
	ELF_MACHINE_AARCH64 = 183,
	ELF_MACHINE_RISCV = 243,
	ELF_MACHINE_LOONGARCH = 258,
};

struct arch_machine {
	u16 e_machine;
	const char *tools[3]; /* prefixes of its tools: "aarch64-linux-gnu-"; then NULL */
	const char *bfd;      /* objdump's -m, for bytes without a file */
	/* Debian's libopcodes for it: libopcodes-VERSION-LIBRARY.so; or NULL */
	const char *library;
};

/* Returns the machine with this ELF number, or NULL when it is unknown. */
const struct arch_machine *arch_machine(u16 e_machine);
/* Reports whether the machine is a 32-bit or 64-bit x86. */
bool machine_is_x86(u16 e_machine);

#endif
