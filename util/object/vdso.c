// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/vdso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/alloc.h"
#include "object/elf.h"

/* Returns the size of our own [vdso] mapping, which starts at the address of AT_SYSINFO_EHDR. */
static size_t vdso_size(unsigned long start)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	size_t size = 0;

	if (!f)
		return 0;
	while (!size && fgets(line, sizeof(line), f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from == start && to > from)
			size = to - from;
	}
	fclose(f);
	return size;
}

static const u8 *vdso_bytes(size_t *size)
{
	unsigned long start = getauxval(AT_SYSINFO_EHDR);

	*size = start ? vdso_size(start) : 0;
	return *size ? (const u8 *)start : NULL;
}

int vdso_open(struct elf **out, struct reason *r)
{
	size_t size;
	const u8 *p = vdso_bytes(&size);

	if (!p)
		return reason_set(r, ENOENT, "this process has no vdso");
	return elf_open_bytes(p, size, true, out, r);
}

int vdso_copy(u8 **data, size_t *size, struct reason *r)
{
	const u8 *p = vdso_bytes(size);

	if (!p)
		return reason_set(r, ENOENT, "this process has no vdso");
	*data = xmemdup(p, *size);
	return 0;
}
