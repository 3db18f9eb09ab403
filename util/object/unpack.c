// SPDX-License-Identifier: GPL-2.0-or-later
/* Object files that are packed as a whole: finds the packer, and unpacks them. */
#include <string.h>

#include "object/inflate.h"
#include "object/internal.h"

static const struct {
	const char *magic;
	size_t size;
	int (*inflate)(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out,
		       size_t *out_size, struct reason *r);
} packings[] = {
	{ .magic = "\x1f\x8b", .size = 2, .inflate = inflate_zlib },
	{ .magic = "\xfd"
		   "7zXZ",
	  .size = 6,
	  .inflate = inflate_xz },
	{ .magic = "\x28\xb5\x2f\xfd", .size = 4, .inflate = inflate_zstd },
};

static int packing_of(const u8 *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (size > packings[i].size && !memcmp(data, packings[i].magic, packings[i].size))
			return (int)i;
	return -1;
}

bool object_is_packed(const u8 *data, size_t size)
{
	return packing_of(data, size) >= 0;
}

int object_unpack(const u8 *data, size_t size, u8 **out, size_t *out_size, struct reason *r)
{
	return packings[packing_of(data, size)].inflate(data, size, 0, inflate_limit(size), out,
							out_size, r);
}
