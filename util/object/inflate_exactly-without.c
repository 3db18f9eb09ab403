// SPDX-License-Identifier: GPL-2.0-or-later
/* Without libdeflate: zlib takes longer. */
#include "object/inflate.h"

bool inflate_exactly(const u8 *in, size_t n, u8 *out, size_t size)
{
	(void)in, (void)n, (void)out, (void)size;
	return false;
}
