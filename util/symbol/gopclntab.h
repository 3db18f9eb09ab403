/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a Go program by the runtime's own table, .gopclntab.
 *
 * The runtime names the functions of its tracebacks by this table, so it is left in programs whose
 * symbols and debug information were removed (go build -ldflags='-s -w'). Only functions are read:
 * no lines, nothing inlined.
 * Formats: those of Go 1.2, 1.16, 1.18 and 1.20, of 32 and 64 bit and both byte orders, in
 * position-independent programs as well. Every count and offset is checked against the section; the
 * work is linear in the sizes of the table and the relocations.
 * Life: go_functions_open() allocates and go_functions_close() frees; names are in the file.
 * Source of the format: Go's src/debug/gosym/pclntab.go, src/runtime/symtab.go and the notes on
 * release 1.26.
 */
#ifndef SYMBOL_GOPCLNTAB_H
#define SYMBOL_GOPCLNTAB_H

#include "object/elf.h"

struct go_function {
	u64 address, size; /* up to the next one, with padding */
	const char *name;
};

struct go_functions {
	const u8 *data;         /* the section's, from the table on */
	size_t size, names_end; /* the latter: after the last NUL */
	bool swap;
	bool short_entries; /* since 1.18: 32-bit distances from text, instead of addresses */
	u8 word;            /* bytes of a pointer */
	u32 count;
	u64 names, entries, infos; /* offsets in data */
	u64 text;
	u64 *starts; /* of count functions, and where the last one ends; NULL: they are short */
};

/*
 * Opens the table. Returns false if there is none, or one that is damaged or of an unknown format.
 * Then count is 0; go_functions_close() is called in any case.
 */
bool go_functions_open(struct go_functions *g, const struct elf *e);
/* Reads an entry. Returns false if it names nothing. */
bool go_function_at(const struct go_functions *g, u32 i, struct go_function *out);
void go_functions_close(struct go_functions *g);

#endif
