/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of types_dwarf.c (types and their fields) and types_variables.c (what is where): one
 * file's DWARF with what was found in it, and small readers of DIEs.
 * Sizes and offsets are in bytes; a DIE's offset is that in .debug_info.
 */
#ifndef ANNOTATE_TYPES_DWARF_H
#define ANNOTATE_TYPES_DWARF_H

#include "annotate/types.h"
#include "base/hash.h"
#include "base/vec.h"
#include "dwarf/die.h"

#define MAX_DEPTH 32

/* Addresses start .. end - 1 and their DIE. */
struct die_range {
	u64 start, end;
	Dwarf_Off die;
};
typedef VEC(struct die_range) die_ranges; /* in order of start once they are complete */

/*
 * The place of a variable at one pc. If it is a value, reg - offset is a pointer to die. Otherwise
 * bytes from .. from + size - 1 of a variable of type die are at reg + offset.
 */
struct variable_place {
	bool is_value;
	s8 reg;
	s64 offset;
	u64 from, size;
	Dwarf_Off die;
};

struct types_file {
	int fd;
	Dwarf *dwarf;
	Dwarf_CFI *cfi, *eh_cfi;
	VEC(struct data_type *) types;
	struct strmap definitions; /* "TAG NAME" -> DIE, or 0 */
	struct arena texts;

	/* types_variables.c */
	die_ranges globals; /* die: of the variable's type */
	bool globals_read;
	die_ranges units;
	bool units_read;
	struct map64 functions_of; /* unit's DIE -> place in functions */
	VEC(die_ranges *) functions;
	Dwarf_Die function; /* of the last lookup */
	bool function_known;
	Dwarf_Die scopes[MAX_DEPTH]; /* around scopes_pc, innermost first, the function last */
	int scope_count;
	u64 scopes_pc;
	/* For the function of the last lookup: each register asks for a pc, in each round. */
	VEC(struct variable_place) places;
	struct map64 places_at; /* pc -> first << 32 | end, in places */
};

static inline bool type_has_size(Dwarf_Die *type, u64 *size)
{
	return type_size(type, size) && *size > 0;
}

/* ---- types_variables.c ---- */

void types_variables_release(struct types_file *f);

#endif
