/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of functions is, on machines whose symbols do not say so by their value. */
#ifndef OBJECT_ENTRY_POINTS_H
#define OBJECT_ENTRY_POINTS_H

#include "object/elf.h"

struct entry_points {
	const struct elf_section *descriptors; /* .opd of 64-bit powerpc's old ABI; NULL: none */
	struct elf_bytes data;
	bool swapped;
	bool thumb; /* 32-bit Arm: bit 0 of a function's value is its instruction set */
};

/* Of the file that is loaded, for a debug file has no bytes of its sections. */
void entry_points_find(struct entry_points *e, const struct elf *loaded);
/* Is the symbol a descriptor, not code? */
bool is_descriptor(const struct entry_points *e, const struct elf_symbol *s);
/* The value becomes the address of the code; false: only the dynamic linker will fill that in. */
bool entry_point_set(const struct entry_points *e, struct elf_symbol *s);
/* Is a function of 32-bit Arm at the address, by the file's own symbols, Thumb code? */
bool entry_point_is_thumb(const struct elf *e, u64 addr);
/* Mapping symbols mark code and data inside functions, and name nothing: $a $d $t $x, .N behind. */
bool is_mapping_symbol(const struct elf *e, const char *name);

#endif
