/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For components that read DIEs: units, functions, types, line tables and symbols of an open
 * file.  libdw's types stop at this header; no front door may include it.
 *
 * A DIE (debugging information entry) describes a unit, function, variable or type; its
 * children are what that holds.  A unit is used between unit_open() and debuginfo_close().
 * Errors: false or a negative number where the file has not got it or is damaged; walks
 * end at DIE_DEPTH.
 */
#ifndef DWARF_DIE_H
#define DWARF_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/vec.h"
#include "dwarf/debuginfo.h"
#include "object/elf.h"
#include "object/locate.h"

struct strbuf;

/* Compilers do not nest deeper; a file that does is damaged. */
#define DIE_DEPTH 200

struct unit {
	u64 start, end; /* in .debug_info */
	Dwarf_Die die;  /* the compile unit's, in the .dwo if split; addr NULL until opened */
	u64 die_offset;
	u64 abbreviations; /* in .debug_abbrev */
	u8 address_size, offset_size;
	bool is_split, bad;
	bool lacks_split; /* its .dwo file is missing */
};

struct bytes {
	const u8 *data;
	size_t size;
};

struct data_symbol {
	const char *name;
	u64 address;
};

struct symbol_order {
	u64 address, reach; /* reach: the farthest end of this symbol and all before it */
	int symbol;
};

struct function_symbol {
	const char *name; /* NULL if it is not a function */
	u64 address, size;
	int binding;
};

struct debuginfo {
	char *path;
	const char *debug_path;
	const struct object_search *search;
	struct elf *elf;
	struct object_file separate; /* found by our search, or empty */
	struct reason refused;       /* why a file with debug information is not passed to libdw */
	bool is_kernel;
	const struct arch *arch;
	bool big_endian;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias; /* libdw's address + bias = libdwfl's */
	VEC(struct unit) units;
	/* of functions, in the file's order; read on first use */
	VEC(struct function_symbol) symbols;
	bool symbols_read;
	VEC(struct symbol_order) symbol_order; /* by address */
	bool crossing_known, crosses_units;
	VEC(struct data_symbol) data_symbols; /* by name; read on first use */
	bool data_symbols_read;
	Dwarf_CFI *debug_frame, *eh_frame;
	Dwarf_Addr eh_bias, frame_bias;
	bool cfi_tried;
	struct bytes abbreviations; /* set before units are searched */
};

/* Returns a section as libdw uses it: inflated, and relocated in a module; or empty. */
struct bytes debuginfo_section(struct debuginfo *d, const char *name);
/* Reads a number of up to 8 bytes in the file's byte order. */
u64 debuginfo_number(const struct debuginfo *d, const u8 *data, size_t size);

/*
 * Returns the path of NAME in the directory of the file with the debug information; the caller
 * frees it.
 */
char *debuginfo_beside(const struct debuginfo *d, const char *name);
/* Reports whether the path is a FIFO, a device or the like, at which libdw would wait. */
bool debuginfo_is_odd(const char *path);

/* ---- units.c: finding units ---- */

int debuginfo_load_units(struct debuginfo *d, struct reason *r);
/* Makes the unit's DIE usable; false: skip the unit. */
bool unit_open(struct debuginfo *d, struct unit *u);
/* Returns the path of a missing .dwo file, which the caller frees; NULL if none is missing. */
char *debuginfo_missing_split(struct debuginfo *d);
/*
 * Returns the path of the program's .dwp package, for the caller to free; NULL if there is none or
 * libdw reads it.
 */
char *debuginfo_unread_package(const struct debuginfo *d);
/*
 * Sets hits[i] for units that may define a function (DW_TAG_subprogram) or variable
 * (DW_TAG_variable) of this name; sets all of them where finding out is not cheap.
 */
void debuginfo_units_defining(struct debuginfo *d, int tag, const char *name, bool *hits);
/* Does the same for units that may refer to a DIE of another unit. */
void debuginfo_units_with_reference(struct debuginfo *d, u64 die_offset, bool *hits);
/* Reports whether any unit refers to functions of another. */
bool debuginfo_crosses_units(struct debuginfo *d);
struct unit *debuginfo_unit_at(struct debuginfo *d, u64 address);
/*
 * Reports whether a name at this offset of .debug_info can belong to a DIE with this tag that is
 * not a declaration (abbreviations.c).
 */
bool unit_may_define(struct debuginfo *d, const struct unit *u, int tag, struct bytes info, u64 at);

/* ---- functions.c ---- */

/* Reports whether the DIE's unit is in C or assembly, where functions are only at the top. */
bool unit_is_c(Dwarf_Die *die);

/*
 * Visits each function of a unit: every DW_TAG_subprogram that is not a declaration, also in
 * namespaces and classes. A non-zero result of visit ends the walk and is returned.
 */
int unit_each_function(struct unit *u, int (*visit)(void *arg, Dwarf_Die *f), void *arg);
/* Finds the subprogram with code at the address. Returns false if there is none. */
bool unit_function_at(struct unit *u, u64 address, Dwarf_Die *out);
/* Visits each inlined instance of the abstract function in the unit. */
int unit_each_inlined(struct unit *u, Dwarf_Die *abstract, int (*visit)(void *arg, Dwarf_Die *i),
		      void *arg);

/* ---- die.c: what one DIE says ---- */

struct die_walk {
	/*
	 * 0 continues, also into the DIE's children; DIE_SKIP leaves these out; anything else ends.
	 */
	int (*visit)(void *arg, Dwarf_Die *die, int depth);
	void *arg;
};
#define DIE_SKIP 1
/* Visits each DIE below top, parents first. */
int die_walk(Dwarf_Die *top, const struct die_walk *w, int depth);
/* Reads an attribute that is a number, also from the DIE's origin or specification. */
bool die_number(Dwarf_Die *die, unsigned name, u64 *out);
/* Finds where its code begins. Returns false if it has none. */
bool die_entry(Dwarf_Die *die, u64 *address);
/*
 * Where it is declared; NULL and 0 when the file does not say. A function of which only the file is
 * known (Go) counts from the line of its first address.
 */
const char *die_decl_file(Dwarf_Die *die);
unsigned die_decl_line(Dwarf_Die *die);
/* Returns the file, or NULL, and the line of an inlined instance's call. */
const char *die_call_site(Dwarf_Die *instance, unsigned *line);
/* Finds the innermost function or inlined instance at the address whose source is file:line. */
void scope_for_line(Dwarf_Die *function, u64 address, const char *file, unsigned line,
		    Dwarf_Die *out);

/* ---- rows.c: line tables ---- */

struct row {
	u64 address;
	const char *file; /* libdw's, lives as long as the unit */
	unsigned line;
	bool is_statement, is_end, is_prologue_end;
};
struct rows {
	VEC(struct row) list; /* sorted by address */
};
/* Reads the rows of the unit's line table. Returns 0 or -errno. */
int unit_rows(struct unit *u, struct rows *out);
void unit_rows_release(struct rows *rows);
/* Returns the row for an address: the first statement of those that begin there. */
const struct row *unit_rows_at(const struct rows *rows, u64 address);

/* ---- type.c ---- */

bool type_of(Dwarf_Die *die, Dwarf_Die *out);
/* Typedefs and qualifiers taken off. */
bool type_real(Dwarf_Die *die, Dwarf_Die *out);
bool type_strip(const Dwarf_Die *type, Dwarf_Die *out);
/* Writes a type in C: "struct task_struct*". */
void type_name(Dwarf_Die *variable, struct strbuf *b);
bool type_size(Dwarf_Die *type, u64 *size);
/* Reports whether the type is a pointer or a reference. */
bool type_is_pointer(Dwarf_Die *type);
/* Reports whether the type is signed, also for an enumeration. */
bool type_is_signed(Dwarf_Die *type);

/* ---- symbols.c: the ELF file's symbols ---- */

int debuginfo_symbol_count(struct debuginfo *d);
/* Reads symbol i. Returns whether it is a function. */
bool debuginfo_symbol_at(struct debuginfo *d, int i, const char **name, u64 *address, u64 *size,
			 int *binding);
/*
 * Returns the number of the next function symbol that contains the address, or -1 after the last
 * one. *at must be 0 at first and keeps the position. Symbols are not in order of their numbers.
 */
int debuginfo_symbol_over(struct debuginfo *d, u64 address, size_t *at);
/*
 * Finds the function that begins at the symbol of this name, if it has another name in the debug
 * information (malloc is __libc_malloc). Returns its unit, or NULL.
 */
struct unit *debuginfo_function_of_symbol(struct debuginfo *d, const char *wanted, Dwarf_Die *out);
/* Finds the address of a data symbol. */
bool debuginfo_symbol_address(struct debuginfo *d, const char *wanted, u64 *address);
/* Finds the data symbol around an address; prefers one whose name begins with `like`. */
bool debuginfo_symbol_covering(struct debuginfo *d, u64 address, const char *like,
			       const char **name, u64 *offset);

/* ---- sources.c: source files by the end of their path ---- */

struct file_name_span {
	u64 from, to;
};
struct file_search {
	struct debuginfo *d;
	const char *wanted; /* the end of a path */
	struct bytes lines, strings;
	VEC(struct file_name_span) names; /* where .debug_line_str may have it */
};
void file_search_init(struct file_search *s, struct debuginfo *d, const char *wanted);
void file_search_release(struct file_search *s);
/* Returns the unit's file whose path ends in wanted, as the line table names it; or NULL. */
const char *file_search_unit(const struct file_search *s, struct unit *u);
/* Reports whether a wanted path is the file or the end of its path at a slash. */
bool path_tail_matches(const char *path, const char *wanted);

#endif
