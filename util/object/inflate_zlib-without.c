// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/inflate.h"

#include <errno.h>

#include "sys/obstacles.h"

int inflate_zlib(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r)
{
	(void)in, (void)n, (void)size_hint, (void)limit, (void)out, (void)out_size;
	reason_set(r, ENOSYS, "this perf was built without zlib");
	obstacle_hint(OBSTACLE_LIBRARY, &(struct obstacle_words){ .needs = "zlib1g-dev" }, r);
	return -ENOSYS;
}
