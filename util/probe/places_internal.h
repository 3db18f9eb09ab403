/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component that read debug information. */
#ifndef PROBE_PLACES_INTERNAL_H
#define PROBE_PLACES_INTERNAL_H

#include "dwarf/die.h"
#include "probe/places.h"

/* The position of a place in the tree, from which variables are searched. */
struct scope {
	Dwarf_Die unit, function, scope; /* scope: function or an inlined instance in it */
};

/* near.c: reasons for what was not found */
/* Returns -ENOENT and a reason with near names. */
int probe_no_function(struct debuginfo *d, const char *function, const char *file,
		      struct reason *r);
int probe_no_file(struct debuginfo *d, const char *file, struct reason *r);
/* places_name.c */
/* Fills in symbol and symbol_offset. */
void probe_places_name(struct debuginfo *d, struct probe_places *places);
/*
 * Drops, for returns, places in split-off parts: a call that goes into such a part of its function
 * returns from both. Only the place of the whole is kept, where there is one. Symbols must be named
 * already.
 */
void probe_places_drop_parts(struct probe_places *places);

/* function_name.c: a function's name as given, and what of it DWARF has */
struct function_name {
	const char *wanted;
	bool qualified, parameters;
	bool exact; /* wanted is the full name */
	char *last; /* what the DIE is called, or what that begins with */
};
void function_name_init(struct function_name *n, const char *wanted, bool exact);
void function_name_release(struct function_name *n);
/*
 * Reports whether the function has the name. "f" and "twice" are any f and any twice<T>; linkage
 * names are also accepted.
 */
bool function_is(struct debuginfo *d, const struct function_name *n, Dwarf_Die *f);
/*
 * Finds the function that begins at a symbol of this name. Returns its unit, or NULL if there is
 * none.
 */
struct unit *function_of_symbol(struct debuginfo *d, const struct function_name *n, Dwarf_Die *out);

/* lines.c: -ENOENT and the nearest lines that have code */
/*
 * Reports whether a line is after the end of f: after its last one with code, where another
 * function of the file has begun.
 */
bool probe_line_is_past(struct unit *u, const struct rows *rows, Dwarf_Die *f, const char *file,
			unsigned line);
int probe_no_line(struct debuginfo *d, const struct probe_point *point, struct reason *r);

/* lazy.c: the lines that a lazy pattern matches. */
struct source_lines;
int source_lines_match(const char *path, const char *lazy, struct source_lines **out,
		       struct reason *r);
bool source_lines_has(const struct source_lines *s, unsigned line);
void source_lines_free(struct source_lines *s);
/* Returns -ENOENT with a reason: no line of where (a function or file) matches. */
int source_lines_none(const char *where, const char *lazy, struct reason *r);

/*
 * Where a value is, in terms of a fetch argument: a base, then in turn an offset added and memory
 * read.
 */
enum fetch_base {
	FETCH_REGISTER,
	FETCH_CONSTANT,
	FETCH_ADDRESS,
	FETCH_SYMBOL,
	FETCH_TEXT,
	FETCH_IMPLIED, /* a pointer that is nowhere, to pending bytes after the start of variable */
};

#define FETCH_STEPS 8

struct fetch_value {
	enum fetch_base base;
	unsigned reg;     /* DWARF number */
	u64 number;       /* constant, or virtual address in the file */
	const char *text; /* "$retval", or the name of a symbol of elsewhere */
	s64 offsets[FETCH_STEPS];
	bool user[FETCH_STEPS];
	unsigned reads;
	s64 pending;    /* added after the last read */
	bool is_memory; /* the value is at this address; else it is the value */
	/* Only this part of the value is meant, see fetch_cut.c; 0 bits: all of it. */
	struct {
		unsigned from, bits, up;
		bool is_signed;
	} cut;
	/*
	 * Pieces of variable are in several places: pending is the distance from its start, and
	 * fetch_locate_piece() says where those bytes are.
	 */
	bool in_pieces;
	Dwarf_Die variable; /* with in_pieces and FETCH_IMPLIED */
};
int fetch_read(struct fetch_value *v, bool user, struct reason *r);

/* fetch_cut.c: false where no bit field says it; the value is of no use then. */
bool fetch_keep(struct fetch_value *v, u64 mask);
bool fetch_shift_left(struct fetch_value *v, u64 n);
bool fetch_shift_right(struct fetch_value *v, u64 n, bool arithmetic);
/* Converts to a number of this many bits. Wider values keep the sign that they had. */
bool fetch_convert(struct fetch_value *v, unsigned bits, bool is_signed);

/* fetch_expression.c: what a DWARF expression means at an address. */
struct expression {
	struct debuginfo *d;
	const struct scope *scope;
	u64 address;
	const char *name; /* the name of the value, for reasons */
	struct reason *r;
};
/* Reports whether the address is the entry of the scope's function. */
bool scope_begins_at(const struct scope *s, u64 address);
/*
 * Computes the value of the operations, which belong to attr and have no pieces; count is at least
 * 1.
 */
int expression_value(const struct expression *x, Dwarf_Attribute *attr, Dwarf_Op *ops, size_t count,
		     struct fetch_value *out);

/* fetch_location.c */
int fetch_locate(struct debuginfo *d, const struct scope *s, u64 address, Dwarf_Die *variable,
		 struct fetch_value *out, struct reason *r);
/* Bits of a value. */
struct fetch_part {
	u64 from, bits;
};
/*
 * Finds, for a value in pieces, the one with these bits of the variable. If that is a register,
 * sets part->from to where they begin in it. name is for reasons.
 */
int fetch_locate_piece(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
		       struct fetch_part *part, struct fetch_value *v, struct reason *r);
/* Returns -ERANGE with a reason that says where the variable has a value. */
int variable_not_here(const struct scope *s, Dwarf_Die *variable, struct reason *r);
/* variable_ranges.c: "@<f+[0-12,40-44]>"; join: ranges that touch are one. */
void variable_ranges(const struct scope *s, Dwarf_Die *variable, bool join, struct strbuf *b);

/* fetch_steps.c: an argument while it is worked out. */
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
	bool user; /* the value is reached through a pointer of the task */
	/* A part of the value, in bits from its lowest; 0 bits: all of it. */
	bool is_part;
	u64 part_bits, part_offset, part_container;
	u64 elements; /* the requested elements of an array; 0: none */
	u64 whole;    /* bytes of the value, where fewer are fetched; else 0 */
	/* the dimension of the array that type is: the earlier ones have an index */
	unsigned dimension;
};

/* Returns the argument as given, for reasons. */
const char *argument_text(const struct argument *a);
/* Returns what the argument begins with, for reasons: "p" of "p->next". */
const char *argument_name(const struct argument *a);
/* Reports whether the tag is a structure, union or class. */
bool type_is_aggregate(int tag);
void argument_set_type(struct argument *a, Dwarf_Die *holder);
/* Goes from a pointer to what it points to. */
int argument_follow(struct argument *a);
/* Takes the elements of a whole array, or row of one, if they are numbers and not too many. */
void argument_take_array(struct argument *a);
/* Sets the reason that a pointer was optimised out. Returns -ENOTSUP. */
int argument_is_nowhere(struct argument *a);
/* Follows a reference of C++ to what it refers to. */
int argument_see_through(struct argument *a);
int argument_step(struct argument *a, const struct probe_step *s);
/*
 * Takes a part of a value, for a type of this many bits: as a bit field, where it is not simply its
 * lowest bits.
 */
int argument_take_cut(struct argument *a, u64 wanted);
/* Reduces a value in pieces to the piece that contains what is requested. */
int argument_settle(struct argument *a);

/* fetch_return.c: where a function leaves its return value */
enum return_place {
	RETURNS_NOTHING,
	RETURNS_REGISTER, /* in the register that $retval reads */
	RETURNS_ADDRESS,  /* in memory, at the address in that register */
	RETURNS_FLOAT,    /* a floating point number */
	RETURNS_PARTS,    /* a structure in registers of which $retval is not all */
};
/* Returns where the function of a->scope returns its value; a already has the type. */
enum return_place return_place_of(struct argument *a);
/* Returns -ENOTSUP with a reason: $retval is not what the function returns. */
int refuse_return(struct argument *a, enum return_place place);

/* variable_find.c */
bool variable_is(Dwarf_Die *die);
/* Is it a block, or (inlined) an inlined instance, that covers the address? */
#define ANYWHERE UINT64_MAX
bool scope_opens(Dwarf_Die *die, u64 address, bool inlined);
/* Finds a variable. Returns false if none of the name is in scope at the address. */
bool variable_find(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
		   Dwarf_Die *out);
/* Adds the names that are visible at an address. */
void variable_names(const struct scope *s, u64 address, struct strlist *names);
/* Finds a variable that is in this function, but not at this address. */
bool variable_find_dead(const struct scope *s, const char *name, Dwarf_Die *out);

#endif
