/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tables of one architecture share with arch.c.  How one is added:
 * Documentation/design/architectures.md.
 */
#ifndef ARCH_INTERNAL_H
#define ARCH_INTERNAL_H

#include "arch/arch.h"
#include "arch/machine.h"

extern const struct arch arch_x86_64, arch_i386, arch_arm64, arch_arm, arch_ppc64, arch_ppc64le,
	arch_ppc, arch_riscv64;
/* A 32-bit Arm task under a 64-bit kernel: its registers as that kernel gives them. */
extern const struct arch arch_arm_under_arm64;
extern const struct arch_unwind arch_arm_unwind; /* of both */

#endif
