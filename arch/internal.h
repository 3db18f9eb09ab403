/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tables of one architecture share with arch.c.  A new architecture:
 * a directory with syscalls.h and NAME.c, its struct here and in the
 * list of arch.c.
 */
#ifndef ARCH_INTERNAL_H
#define ARCH_INTERNAL_H

#include "arch/arch.h"
#include "arch/machine.h"

extern const struct arch arch_x86_64, arch_i386, arch_arm64, arch_ppc64, arch_ppc64le;

#endif
