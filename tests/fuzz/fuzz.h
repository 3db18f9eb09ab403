/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libFuzzer calls: once for each input, which must leave nothing behind. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/types.h"
#include "object/elf.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned seed);

/*
 * Mostly the inside of a section whose name begins so: anything else is soon an ELF
 * file that nobody opens.
 */
static inline size_t fuzz_mutate_section(u8 *data, size_t size, size_t max, unsigned seed,
					 const char *prefix)
{
	const struct elf_section *list[64];
	struct elf *e;
	u32 n = 0;

	if (seed % 8 == 0 || elf_open_bytes(data, size, true, &e, NULL))
		return LLVMFuzzerMutate(data, size, max);
	for (u32 i = 0; i < elf_section_count(e) && n < 64; i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (!strncmp(s->name, prefix, strlen(prefix)) && s->size && s->offset < size &&
		    s->size <= size - s->offset)
			list[n++] = s;
	}
	if (n) {
		const struct elf_section *s = list[seed / 8 % n];
		u8 *inside = xmemdup(data + s->offset, s->size);

		LLVMFuzzerMutate(inside, s->size, s->size);
		memcpy(data + s->offset, inside, s->size);
		free(inside);
	}
	elf_close(e);
	return n ? size : LLVMFuzzerMutate(data, size, max);
}

#endif
