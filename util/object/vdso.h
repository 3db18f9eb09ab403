/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso of this machine, as the kernel mapped it into this process. vdso_open returns -ENOENT if
 * there is none. vdso_copy sets *data, which is malloc'ed; the caller frees it.
 */
#ifndef OBJECT_VDSO_H
#define OBJECT_VDSO_H

#include "base/reason.h"

struct elf;

int vdso_open(struct elf **out, struct reason *r) MUST_CHECK;
int vdso_copy(u8 **data, size_t *size, struct reason *r) MUST_CHECK;

#endif
