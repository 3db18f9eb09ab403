/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of DWARF that leads from addresses to source (internal to this component).
 *
 * Addresses are the file's virtual ones; for a kernel module, those of object/elf_module.h.
 * Source: DWARF 5 (chapters 3, 6, 7), DWARF 2-4 for what changed, the GNU extensions for split and
 * shared files.
 * Everything in the sections may be wrong: reads go through cursors, offsets are looked up, chains
 * and depths are bounded.
 */
#ifndef SYMBOL_DWARF_H
#define SYMBOL_DWARF_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "base/vec.h"
#include "object/cursor.h"
#include "object/elf.h"

/* clang-format off */
enum dwarf_section {
	S_INFO, S_ABBREV, S_STR, S_LINE, S_LINE_STR, S_RANGES, S_RNGLISTS, S_ADDR, S_STR_OFFSETS,
	S_ARANGES,
	S_COUNT
};
/* clang-format on */

struct abbrev_attr {
	u16 name, form;
	u8 size[2];   /* bytes, by offset size 4, 8; 0: see the form, or none */
	bool is_call; /* dwarf_read_call() keeps it */
	s64 implicit; /* DW_FORM_implicit_const */
};

struct abbrev {
	u64 code;
	u16 tag;
	bool has_children;
	bool has_sibling;
	u32 first, count;  /* in attrs */
	u32 fixed_size[2]; /* bytes of a DIE, by offset size 4, 8; 0: not fixed */
	/* for a fixed one with a sibling: the position of the sibling's offset */
	u32 sibling_at[2];
	u32 sibling; /* its attribute, in attrs */
};

/* The abbreviations of one offset in .debug_abbrev, for one address size. */
struct abbrevs {
	struct abbrev *list; /* in order of code */
	struct abbrev_attr *attrs;
	u32 count;
	bool dense; /* list[code - 1] */
};

struct unit_lines;
struct unit_calls;

struct dwarf_unit {
	struct dwarf *dwarf;
	u64 offset, end; /* in .debug_info */
	u64 die;         /* offset of the unit's own DIE */
	u64 abbrev_offset;
	u16 version;
	u8 type, address_size, offset_size;
	const struct abbrevs *abbrevs; /* under dwarf->lock until set */
	u64 low_pc, str_offsets_base, addr_base, rnglists_base;
	u64 line_offset;
	bool has_lines, has_str_offsets_base, has_children;
	u16 tag;
	const char *name, *comp_dir, *dwo_name;
	u64 dwo_id;
	/* one reader of each; lines and calls may be read simultaneously */
	pthread_mutex_t lines_lock, calls_lock;
	_Atomic(struct unit_lines *) lines;
	_Atomic(struct unit_calls *) calls;
	struct dwarf *split;               /* its .dwo file, once it was opened */
	_Atomic(struct dwarf_unit *) code; /* its unit there, or itself */
	/* the skeleton of a split unit: where addresses and lines are */
	struct dwarf_unit *skeleton;
};

/* Ranges of addresses, nested or not, each of something with a number. */
struct code_range {
	u64 low, high; /* high exclusive */
	u32 id;
};
#define NO_RANGE UINT32_MAX
struct code_ranges {
	struct code_range *items; /* in order of low; of equal ones the innermost last */
	u32 *outer;               /* the next one outwards, NO_RANGE: none */
	u32 count;
};
/* Takes items (in that order) over. */
void code_ranges_seal(struct code_ranges *r, struct code_range *items, size_t count);
/* Returns the id of the innermost range at addr, or NO_RANGE. */
u32 code_ranges_find(const struct code_ranges *r, u64 addr);
void code_ranges_release(struct code_ranges *r);

/* The DWARF of one file. */
struct dwarf {
	struct elf *elf;
	char *path;
	bool swap;
	struct elf_bytes sections[S_COUNT];
	struct dwarf_unit *units; /* in order of offset */
	u32 unit_count;
	struct code_ranges ranges; /* the ranges of units, by their index */
	pthread_mutex_t lock;
	struct map64 abbrevs_by_offset; /* -> struct abbrevs * */
	u64 abbrev_bytes;               /* bytes skipped for one abbreviation of a table */
	struct dwarf *alt;              /* what dwz shares between files, or NULL */
	/* path of the object whose debug file it is; NULL: not known, or itself */
	char *object;
	/* where the object was recorded; it may be read from a cache; NULL: not known */
	char *recorded;
	/* the package of all .dwo files (PATH.dwp), once it was looked for */
	struct dwarf *package;
	bool package_tried;  /* under lock */
	struct context *ctx; /* is informed of missing .dwo files; or NULL */
	const char *program; /* the object's recorded path, for that */
	atomic_bool missing_said;
};

/* Returns roughly how much memory the data that was read takes. */
u64 dwarf_bytes(const struct dwarf *d);

/* One attribute's value, its form undone as far as that needs no other attribute. */
enum value_kind {
	V_NONE,
	V_NUMBER,
	V_ADDRESS,
	V_ADDRESS_INDEX,
	V_STRING,
	V_STRING_INDEX,
	V_REF,
	V_REF_ALT,
	V_OFFSET,
	V_RANGE_INDEX,
	V_OTHER
};
struct dwarf_value {
	enum value_kind kind;
	u64 u; /* V_REF: offset in .debug_info */
	const char *s;
};

/* What we read of a DIE. */
struct die {
	u64 offset;
	const struct abbrev *abbrev; /* NULL: the end of a list of siblings */
	struct dwarf_value low_pc, high_pc, ranges, origin, name, linkage_name;
	u64 sibling;
	u32 call_file, call_line; /* NO_FILE: not said */
};
#define NO_FILE UINT32_MAX

/* Opens DWARF data and takes elf over. Returns NULL without .debug_info or .debug_line. */
struct dwarf *dwarf_open(struct elf *elf, const char *path);
/*
 * Opens the sections named with this suffix; lists the units but does not read them. Takes elf
 * over. If it is NULL, the caller fills in the sections and then calls dwarf_list_units().
 */
struct dwarf *dwarf_new(struct elf *elf, const char *path, const char *suffix);
void dwarf_list_units(struct dwarf *d);
/* Indexes the ranges of all units, for dwarf_find_unit(). */
void dwarf_index_units(struct dwarf *d);
/* Attaches a .dwo file to the skeleton, from which its units take addresses. */
void dwarf_attach(struct dwarf *d, struct dwarf_unit *skeleton);
/*
 * Opens the file to which dwz moved common parts, named by .gnu_debugaltlink. Returns NULL if there
 * is none.
 */
struct dwarf *dwarf_open_alt(const struct dwarf *d);
void dwarf_close(struct dwarf *d);
/* Returns the unit with the DIEs of a skeleton, from its .dwo file or the package, or u itself. */
struct dwarf_unit *unit_with_code(struct dwarf_unit *u);

struct cursor dwarf_cursor(const struct dwarf *d, enum dwarf_section s, u64 at);
/* Returns a string, or NULL when the offset or index leads nowhere. */
const char *dwarf_string(const struct dwarf *d, enum dwarf_section s, u64 at);
const struct abbrevs *unit_abbrevs(struct dwarf_unit *u);
const struct abbrev *abbrev_find(const struct abbrevs *a, u64 code);
struct abbrevs *abbrevs_read(struct cursor c, u8 address_size);
/*
 * Reads only the abbreviation with this code, or returns NULL. Sets *bytes to its distance from the
 * begin.
 */
struct abbrevs *abbrevs_read_one(struct cursor c, u8 address_size, u64 code, u64 *bytes);
void abbrevs_free(struct abbrevs *a);

/* Reads one value; V_OTHER for what nobody here needs. */
struct dwarf_value form_read(struct cursor *c, const struct dwarf_unit *u,
			     const struct abbrev_attr *a);
void form_skip(struct cursor *c, const struct dwarf_unit *u, u16 form);

/* Returns a cursor from a DIE of the unit to the unit's end. */
struct cursor unit_cursor(const struct dwarf_unit *u, u64 offset);
/* Reads a DIE. Returns false at the end or where the unit is damaged. */
bool dwarf_read_die(struct cursor *c, struct dwarf_unit *u, struct die *d);
/* Reads only the DIE's ranges, its sibling, and where it was called, without names. */
bool dwarf_read_call(struct cursor *c, struct dwarf_unit *u, struct die *d);
/*
 * Reads only the DIE's abbreviation and sibling. This is quick, and the rest of d is not written.
 */
bool dwarf_skim_die(struct cursor *c, struct dwarf_unit *u, struct die *d);
const char *value_string(const struct dwarf_unit *u, const struct dwarf_value *v);
bool value_address(const struct dwarf_unit *u, const struct dwarf_value *v, u64 *addr);
/* Reads an entry of .debug_addr, counted from the unit's base. */
bool unit_indexed_address(const struct dwarf_unit *u, u64 index, u64 *addr);
/* Returns the unit that contains an offset of .debug_info, or NULL. */
struct dwarf_unit *dwarf_unit_at(const struct dwarf *d, u64 offset);

/* Each range of addresses of a DIE. */
typedef void (*range_fn)(void *arg, u64 low, u64 high);
void dwarf_die_ranges(const struct dwarf_unit *u, const struct die *d, range_fn fn, void *arg);

/* Lines */
struct line_row {
	u64 addr;
	u32 line;
	u32 file : 20;          /* END_OF_SEQUENCE: nothing here */
	u32 discriminator : 12; /* which of the blocks on the line; greater ones are 4095 */
};
#define END_OF_SEQUENCE   0xfffffu
#define MAX_DISCRIMINATOR 0xfffu
struct unit_file {
	const char *name;
	u32 dir;
	_Atomic(char *) path; /* made on first use */
};
struct unit_lines {
	struct line_row *rows; /* in order of address */
	u32 row_count;
	const char **dirs;
	u32 dir_count;
	struct unit_file *files; /* index as DWARF counts: files[0] unused before version 5 */
	u32 file_count;
};
const struct unit_lines *unit_lines(struct dwarf_unit *u);
/* Reads them, but returns false where another thread is reading them. */
bool unit_lines_try(struct dwarf_unit *u);
void unit_lines_free(struct unit_lines *l);
/* Returns the row of an address, or NULL when it is unknown. */
const struct line_row *lines_find(const struct unit_lines *l, u64 addr);
const char *line_file_path(const struct dwarf_unit *u, const struct unit_lines *l, u32 file);

/* Calls: functions and what was inlined into them. */
struct call_node {
	u32 parent; /* NO_CALL: a function */
	u32 call_file, call_line;
	u64 die;              /* offset: where its name is found */
	_Atomic(char *) name; /* made on first use; "" = none */
};
#define NO_CALL NO_RANGE
struct unit_calls {
	struct dwarf_unit *unit; /* the unit that the DIEs are in: a split one for a skeleton */
	struct call_node *nodes;
	u32 node_count;
	struct code_ranges ranges; /* the ranges of nodes, by their index */
};
const struct unit_calls *unit_calls(struct dwarf_unit *u);
/* Reads them, but returns false where another thread is reading them. */
bool unit_calls_try(struct dwarf_unit *u);
void unit_calls_free(struct unit_calls *c);
/* Returns the innermost node at addr, or NO_CALL. */
u32 calls_find(const struct unit_calls *c, u64 addr);
/* Returns a node's name, or NULL when it has none. For params see symbol_demangle(). */
const char *call_name(const struct unit_calls *c, struct call_node *n, bool demangle, bool params);

/* Sorts the items in place, ascending; the sort is stable. */
void sort_by_key(void *items, size_t size, size_t count, u64 (*key)(const void *item));

/* Returns the index of the unit that covers addr, or UINT32_MAX. */
u32 dwarf_find_unit(const struct dwarf *d, u64 addr);

#endif
