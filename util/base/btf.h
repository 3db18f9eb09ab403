/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, the compact type information of BPF programs: names of functions.
 *
 * What it is: a header (magic 0xeb9f, sizes and offsets in bytes), types numbered from 1, and a
 * table of strings. Byte order: the writer's; swap says that it is not ours. Source:
 * include/uapi/linux/btf.h and Documentation/bpf/btf.rst of the kernel. Threads: no state. Errors:
 * NULL for everything that does not fit. Only data[0..size) is read, and results point into it.
 */
#ifndef BASE_BTF_H
#define BASE_BTF_H

#include "base/types.h"

/* Returns the name of the function (or other type) with this number, or NULL. */
const char *btf_type_name(const void *data, size_t size, bool swap, u32 type);

#endif
