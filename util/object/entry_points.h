/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the code of functions, on machines where a symbol's value is not its address. */
#ifndef OBJECT_ENTRY_POINTS_H
#define OBJECT_ENTRY_POINTS_H

#include "object/elf.h"

struct entry_points {
	const struct elf_section *descriptors; /* .opd of 64-bit powerpc's old ABI, or NULL */
	struct elf_bytes data;
	bool swapped;
	bool thumb; /* 32-bit Arm: bit 0 of a function's value is its instruction set */
};

/*
 * Finds the entry points of the loaded file; a debug file does not have the bytes of its sections.
 */
void entry_points_find(struct entry_points *e, const struct elf *loaded);
/* Reports whether the symbol is a descriptor, not code. */
bool is_descriptor(const struct entry_points *e, const struct elf_symbol *s);
/*
 * Sets the value to the address of the code. Returns false if only the dynamic linker will fill
 * that in.
 */
bool entry_point_set(const struct entry_points *e, struct elf_symbol *s);
/*
 * Reports whether a function of 32-bit Arm at the address, by the file's own symbols, is Thumb
 * code.
 */
bool entry_point_is_thumb(const struct elf *e, u64 addr);
/*
 * Reports whether the name is that of a mapping symbol. These mark code and data inside functions,
 * and name nothing: $a $d $t $x, maybe followed by .N.
 */
bool is_mapping_symbol(const struct elf *e, const char *name);

#endif
