// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/modules_list.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/types.h"

bool modules_list_line(const char *line, struct loaded_module *m)
{
	u64 size;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, m->name, &size, &m->addr) != 3 ||
	    !m->addr || !size || size > UINT64_MAX - m->addr - 4096)
		return false;
	m->size = ALIGN_UP(size, (u64)4096);
	return true;
}
