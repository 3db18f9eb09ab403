/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the debuginfo files of this room: libdw stays in here. */
#ifndef PROBE_DEBUGINFO_INTERNAL_H
#define PROBE_DEBUGINFO_INTERNAL_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "object/elf.h"
#include "object/locate.h"
#include "probe/debuginfo.h"

/* Nothing that compilers write nests deeper: a file that does is damaged. */
#define DIE_DEPTH 200

struct unit {
	u64 start, end;	 /* in .debug_info */
	Dwarf_Die die;	 /* the compile unit's, of the .dwo when split; addr NULL: not opened yet */
	u64 die_offset;
	u64 abbreviations; /* in .debug_abbrev */
	u8 address_size, offset_size;
	bool is_split, bad;
};

/* Where a place stands in the tree: what variables are looked for in. */
struct scope {
	Dwarf_Die unit, function, scope; /* scope: function or an inlined instance in it */
};

struct bytes {
	const u8 *data;
	size_t size;
};

struct data_symbol {
	const char *name;
	u64 address;
};

struct debuginfo {
	char *path;
	const char *debug_path;
	const struct object_search *search;
	struct elf *elf;
	struct object_file separate; /* found by our search, or empty */
	bool is_kernel;
	const struct arch *arch;
	bool big_endian;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias; /* libdw's address + bias = libdwfl's */
	VEC(struct unit) units;
	VEC(struct scope) scopes;
	VEC(struct data_symbol) data_symbols; /* by name; read on first use */
	bool data_symbols_read;
	Dwarf_CFI *debug_frame, *eh_frame;
	Dwarf_Addr eh_bias, frame_bias;
	bool cfi_tried;
	struct bytes abbreviations; /* set before units are searched */
};

/* debuginfo_units.c: finding units and functions. */
/* A section as libdw uses it: inflated, and relocated when it is of a module; or empty. */
struct bytes debuginfo_section(struct debuginfo *d, const char *name);
int debuginfo_load_units(struct debuginfo *d, struct reason *r);
/* The unit's DIE is there to be used; false: skip the unit. */
bool unit_open(struct debuginfo *d, struct unit *u);
/*
 * hits[i] is set for units that may define a function (DW_TAG_subprogram) or variable
 * (DW_TAG_variable) of this name; all when it cannot be told cheaply.
 */
void debuginfo_units_defining(struct debuginfo *d, int tag, const char *name, bool *hits);
/*
 * debuginfo_abbreviations.c: a name at this offset of .debug_info can be that of a DIE with
 * this tag which is no declaration.
 */
bool unit_may_define(struct debuginfo *d, const struct unit *u, int tag, struct bytes info, u64 at);
/* The same for units that may refer to a DIE of another unit. */
void debuginfo_units_with_reference(struct debuginfo *d, u64 die_offset, bool *hits);
/* Does any unit refer to functions of another? */
bool debuginfo_crosses_units(struct debuginfo *d);
struct unit *debuginfo_unit_at(struct debuginfo *d, u64 address);
/*
 * Each function of a unit: DW_TAG_subprogram that is no declaration, also in namespaces
 * and classes.  Non-zero from visit ends it.
 */
int unit_each_function(struct unit *u, int (*visit)(void *arg, Dwarf_Die *f), void *arg);
/* The subprogram with code at the address; false: none. */
bool unit_function_at(struct unit *u, u64 address, Dwarf_Die *out);
/* Each inlined instance of the abstract function in the unit. */
int unit_each_inlined(struct unit *u, Dwarf_Die *abstract, int (*visit)(void *arg, Dwarf_Die *i),
		      void *arg);
/* Each DIE below top that covers the address (0: any), innermost last. */
struct die_walk {
	/* 0: go on, into the DIE's children too; DIE_SKIP: not into them; else end. */
	int (*visit)(void *arg, Dwarf_Die *die, int depth);
	void *arg;
};
#define DIE_SKIP 1
int die_walk(Dwarf_Die *top, const struct die_walk *w, int depth);
/* Innermost function-like scope at the address whose source is file:line. */
void scope_for_line(Dwarf_Die *function, u64 address, const char *file, unsigned line,
		    Dwarf_Die *out);
bool die_entry(Dwarf_Die *die, u64 *address);
const char *die_decl_file(Dwarf_Die *die);
unsigned die_decl_line(Dwarf_Die *die);
/* True when a wanted path is the file or the end of its path at a slash. */
bool path_tail_matches(const char *path, const char *wanted);

/* debuginfo_lines.c */
struct row {
	u64 address;
	const char *file; /* libdw's, lives as long as the unit */
	unsigned line;
	bool is_statement, is_end, is_prologue_end;
};
struct rows {
	VEC(struct row) list; /* sorted by address */
};
/* Rows of the unit's line table; 0 or -errno. */
int unit_rows(struct unit *u, struct rows *out);
void unit_rows_release(struct rows *rows);
/* The row that stands for an address: the first statement of those that begin there. */
const struct row *unit_rows_at(const struct rows *rows, u64 address);

/* debuginfo_near.c */
/* -ENOENT and a reason with near names. */
int debuginfo_no_function(struct debuginfo *d, const char *function, const char *file,
			  struct reason *r);
int debuginfo_no_file(struct debuginfo *d, const char *file, struct reason *r);
int debuginfo_no_line(struct debuginfo *d, const struct probe_point *point, struct reason *r);
/*
 * The function that begins at the symbol of this name, for one that the debug information calls
 * otherwise (malloc is __libc_malloc), and its unit; NULL: none.
 */
struct unit *debuginfo_function_of_symbol(struct debuginfo *d, const char *wanted, Dwarf_Die *out);
/* Fills in symbol and symbol_offset. */
void debuginfo_name_symbols(struct debuginfo *d, struct probe_places *places);
/*
 * Of returns: a call that goes into a split off part of its function returns from both, so
 * only the place of the whole is kept, where there is one.  Symbols are named already.
 */
void debuginfo_drop_parts(struct probe_places *places);
/* Of a data symbol. */
bool debuginfo_symbol_address(struct debuginfo *d, const char *wanted, u64 *address);
/* The data symbol around an address; one that begins as like does is preferred. */
bool debuginfo_symbol_covering(struct debuginfo *d, u64 address, const char *like,
			       const char **name, u64 *offset);

/* debuginfo_files.c */
struct span {
	u64 from, to;
};

struct file_search {
	struct debuginfo *d;
	const char *wanted; /* the end of a path */
	struct bytes lines, strings;
	VEC(struct span) names; /* where .debug_line_str may have it */
};
void file_search_init(struct file_search *s, struct debuginfo *d, const char *wanted);
void file_search_release(struct file_search *s);
/* The unit's file whose path ends in wanted, as the line table names it; NULL: none. */
const char *file_search_unit(const struct file_search *s, struct unit *u);

/* debuginfo_source.c: the lines that a lazy pattern matches. */
struct source_lines;
int source_lines_match(const char *path, const char *lazy, struct source_lines **out,
		       struct reason *r);
bool source_lines_has(const struct source_lines *s, unsigned line);
void source_lines_free(struct source_lines *s);
/* -ENOENT: no line of where (a function or file) fits. */
int source_lines_none(const char *where, const char *lazy, struct reason *r);
/* debuginfo_points.c */
int debuginfo_add_place(struct debuginfo *d, struct unit *u, const struct rows *rows,
			Dwarf_Die *function, Dwarf_Die *scope, u64 address,
			struct probe_places *out);

/* debuginfo_type.c */
bool type_of(Dwarf_Die *die, Dwarf_Die *out);
/* Typedefs and qualifiers taken off. */
bool type_real(Dwarf_Die *die, Dwarf_Die *out);
bool type_strip(const Dwarf_Die *type, Dwarf_Die *out);
void type_name(Dwarf_Die *variable, struct strbuf *b);
bool type_size(Dwarf_Die *type, u64 *size);
/* Also of an enumeration. */
bool type_is_signed(Dwarf_Die *type);

/* Where a value lies, as a fetch argument can say it: a base, then in turn an offset added and memory read. */
enum fetch_base {
	FETCH_REGISTER, FETCH_CONSTANT, FETCH_ADDRESS, FETCH_SYMBOL, FETCH_TEXT,
	FETCH_IMPLIED, /* a pointer that is nowhere, to pending bytes behind the start of variable */
};

#define FETCH_STEPS 8

struct fetch_value {
	enum fetch_base base;
	unsigned reg;	  /* DWARF number */
	u64 number;	  /* constant, or virtual address in the file */
	const char *text; /* "$retval", or the name of a symbol of elsewhere */
	s64 offsets[FETCH_STEPS];
	bool user[FETCH_STEPS];
	unsigned reads;
	s64 pending;	/* added after the last read */
	bool is_memory; /* the value lies at this address; else it is the value */
	/* Only this part of the value is meant, see debuginfo_cut.c; 0 bits: all of it. */
	struct {
		unsigned from, bits, up;
		bool is_signed;
	} cut;
	/*
	 * Pieces of variable lie in several places: pending is the distance from its start, and
	 * debuginfo_locate_piece() says where those bytes are.
	 */
	bool in_pieces;
	Dwarf_Die variable; /* with in_pieces and FETCH_IMPLIED */
};
int fetch_read(struct fetch_value *v, bool user, struct reason *r);

/* debuginfo_cut.c: false where no bit field says it; the value is of no use then. */
bool fetch_keep(struct fetch_value *v, u64 mask);
bool fetch_shift_left(struct fetch_value *v, u64 n);
bool fetch_shift_right(struct fetch_value *v, u64 n, bool arithmetic);
/* To a number of so many bits; wider ones keep the sign that it had. */
bool fetch_convert(struct fetch_value *v, unsigned bits, bool is_signed);

/* debuginfo_expression.c: what a DWARF expression means at an address. */
struct expression {
	struct debuginfo *d;
	const struct scope *scope;
	u64 address;
	const char *name; /* of the value, for reasons */
	struct reason *r;
};
/* The operations are of attr, and without pieces; count is at least 1. */
int expression_value(const struct expression *x, Dwarf_Attribute *attr, Dwarf_Op *ops, size_t count,
		     struct fetch_value *out);

/* debuginfo_location.c */
/* Is the address where the scope's function is entered? */
bool scope_begins_at(const struct scope *s, u64 address);
/* A number of up to 8 bytes in the file's byte order. */
u64 debuginfo_number(const struct debuginfo *d, const u8 *data, size_t size);
int debuginfo_locate(struct debuginfo *d, const struct scope *s, u64 address, Dwarf_Die *variable,
		     struct fetch_value *out, struct reason *r);
/* Bits of a value. */
struct fetch_part {
	u64 from, bits;
};
/*
 * Of a value in pieces: the one with these bits of the variable.  When that is a register,
 * part->from is where they begin in it.  name: for reasons.
 */
int debuginfo_locate_piece(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
			   struct fetch_part *part, struct fetch_value *v, struct reason *r);
/* -ERANGE, and where it has a value. */
int debuginfo_not_here(const struct scope *s, Dwarf_Die *variable, struct reason *r);
/* debuginfo_ranges.c: "@<f+[0-12,40-44]>"; join: ranges that touch are one. */
void variable_ranges(const struct scope *s, Dwarf_Die *variable, bool join, struct strbuf *b);

/* debuginfo_steps.c: an argument while it is worked out. */
struct argument {
	struct debuginfo *d;
	const struct probe_place *place;
	const struct probe_argument *given;
	const struct scope *scope;
	const struct arch *arch;
	struct reason *r;
	struct fetch_value value;
	Dwarf_Die variable;
	Dwarf_Die type; /* real; has_type: void has none */
	bool has_type;
	bool user;	/* the value lies behind a pointer of the task */
	/* A part of the value, in bits from its lowest; 0 bits: all of it. */
	bool is_part;
	u64 part_bits, part_offset, part_container;
	u64 elements; /* of an array asked for, 0: none */
	unsigned dimension; /* of the array that type is: those before it have an index */
};

/* As given, for reasons. */
const char *argument_text(const struct argument *a);
void argument_set_type(struct argument *a, Dwarf_Die *holder);
/* From a pointer to what it points to. */
int argument_follow(struct argument *a);
/* A whole array, or row of one: its elements, when they are numbers and not too many. */
void argument_take_array(struct argument *a);
/* The refusal of a pointer that was optimised out. */
int argument_is_nowhere(struct argument *a);
/* C++ has references: they stand for what they refer to. */
int argument_see_through(struct argument *a);
int argument_step(struct argument *a, const struct probe_step *s);
/* A value of which only a part is meant, by a type of so many bits: as a bit field, where it is not simply its lowest bits. */
int argument_take_cut(struct argument *a, u64 wanted);
/* A value in pieces becomes that of the piece with what is asked for. */
int argument_settle(struct argument *a);
bool die_number(Dwarf_Die *die, unsigned name, u64 *out);

/* debuginfo_variables.c */
/* false: no such variable in scope at the address. */
bool variable_find(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
		   Dwarf_Die *out);
/* One that is in this function, but not at this address. */
bool variable_find_dead(const struct scope *s, const char *name, Dwarf_Die *out);

#endif
