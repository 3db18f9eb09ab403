/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables and types of one file's DWARF (internal to datatype.c): types_dwarf.c and
 * types_variables.c, or their substitutes without libdw.
 *
 * Addresses are the file's own.
 */
#ifndef ANNOTATE_TYPES_H
#define ANNOTATE_TYPES_H

#include "annotate/datatype.h"
#include "annotate/operands.h"

struct types_file;
/* Opens the types of a file; returns NULL if it has no debug information. */
struct types_file *types_open(const char *path);
void types_close(struct types_file *f);

/* A place in an object of some type. */
struct place_type {
	u64 die;    /* the DIE of the type */
	u64 offset; /* may be outside the type: an element of an array */
};

/* Finds what reg + disp is at pc, by the variables there. */
bool types_of_register(struct types_file *f, u64 pc, s8 reg, s64 disp, struct place_type *out);
/* Finds the global variable at an address. */
bool types_of_address(struct types_file *f, u64 addr, struct place_type *out);
/*
 * Finds what the pointer that a function returns points to; the call goes at most local_entry bytes
 * past its entry.
 */
bool types_of_result(struct types_file *f, u64 function, u8 local_entry, struct place_type *out);
/* Finds what the pointer stored at the place points to. Returns false if it is not a pointer. */
bool types_load_of(struct types_file *f, const struct place_type *at, struct place_type *value);
/* Brings the offset into the type, behind typedefs and arrays; false: it has no size. */
bool types_settle(struct types_file *f, struct place_type *p);
const struct data_type *types_get(struct types_file *f, u64 die);

#endif
