// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/machine.h"

static const struct arch_machine machines[] = {
	{ ELF_MACHINE_386, { "i686-linux-gnu-", "x86_64-linux-gnu-" }, "i386", "i386" },
	{ ELF_MACHINE_MIPS,
	  { "mips64el-linux-gnuabi64-", "mipsel-linux-gnu-", "mips-linux-gnu-" },
	  "mips",
	  NULL },
	{ ELF_MACHINE_PPC,
	  { "powerpc-linux-gnu-", "powerpc64-linux-gnu-", "powerpc64le-linux-gnu-" },
	  "powerpc",
	  "powerpc" },
	{ ELF_MACHINE_PPC64,
	  { "powerpc64le-linux-gnu-", "powerpc64-linux-gnu-" },
	  "powerpc:common64",
	  "ppc64el" },
	{ ELF_MACHINE_S390, { "s390x-linux-gnu-" }, "s390:64-bit", "s390x" },
	{ ELF_MACHINE_ARM, { "arm-linux-gnueabihf-", "arm-linux-gnueabi-" }, "arm", "armhf" },
	{ ELF_MACHINE_SPARCV9, { "sparc64-linux-gnu-" }, "sparc:v9", NULL },
	{ ELF_MACHINE_X86_64, { "x86_64-linux-gnu-" }, "i386:x86-64", "amd64" },
	{ ELF_MACHINE_AARCH64, { "aarch64-linux-gnu-" }, "aarch64", "arm64" },
	{ ELF_MACHINE_RISCV, { "riscv64-linux-gnu-" }, "riscv:rv64", "riscv64" },
	{ ELF_MACHINE_LOONGARCH, { "loongarch64-linux-gnu-" }, "loongarch64", NULL },
};

const struct arch_machine *arch_machine(u16 e_machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].e_machine == e_machine)
			return &machines[i];
	return NULL;
}

bool machine_is_x86(u16 e_machine)
{
	return e_machine == ELF_MACHINE_386 || e_machine == ELF_MACHINE_X86_64;
}
