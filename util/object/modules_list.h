/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/modules, or a copy of it: "ext4 1036288 1 - Live 0xffffffffc0a00000 (OE)" a line.
 * Plain functions, any thread.
 */
#ifndef OBJECT_MODULES_LIST_H
#define OBJECT_MODULES_LIST_H

#include "base/types.h"

struct loaded_module {
	char name[128];
	u64 addr, size; /* the extent of its code and data, bytes; whole pages */
};

/* Parses one line. Returns false if it names no module, or hides its address. */
bool modules_list_line(const char *line, struct loaded_module *m);

#endif
