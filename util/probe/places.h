/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What debug information says about where to probe and what to fetch there.
 *
 * The file is opened with dwarf/debuginfo.h, which defines addresses and lines. For a .ko only
 * function + function_offset are valid. Any machine's files on any host: register names follow the
 * file.
 * Threads: one at a time per struct debuginfo.
 * Errors: -errno and a reason. -ENODATA: this program was built without libdw; -ENOENT: no such
 * function, file, line or variable (the reason names near ones); -ERANGE: the variable has no value
 * at this place (the reason says where it has one); -ENOTSUP: it has one, in a form that a probe
 * cannot fetch.
 * Life: the caller owns the results unless noted otherwise; they may not outlive the struct
 * debuginfo.
 * Source: DWARF 5, chapters 2, 3, 5, 6; the fetch arguments are the kernel's
 * Documentation/trace/kprobetrace and uprobetracer.
 */
#ifndef PROBE_PLACES_H
#define PROBE_PLACES_H

#include "base/reason.h"
#include "base/vec.h"
#include "dwarf/debuginfo.h"
#include "probe/definition.h"

struct scope;
struct strbuf;
struct strlist;

struct probe_place {
	u64 address;
	u64 file_offset;     /* in the program itself; UINT64_MAX: in no segment */
	char *function;      /* DWARF's name of the function that covers the address */
	u64 function_offset; /* address - the function's entry */
	char *symbol; /* the symbol of the ELF file around the address ("f.isra.0"); or NULL */
	u64 symbol_offset;
	bool symbol_is_unique;  /* no other function of the file has this name */
	char *file;             /* as the line table names it; NULL: not known */
	unsigned line;          /* 0: not known */
	bool begins_line;       /* the line's code begins at the address */
	unsigned function_line; /* where the function is declared; 0: not known */
	bool inlined;           /* inside an inlined instance of the requested function */
	bool skipped_prologue;  /* the program is not optimised: moved past the prologue */
	u64 entry;              /* with skipped_prologue: the function's entry */
	struct scope *scope;    /* private */
};

struct probe_places {
	VEC(struct probe_place) list;
};
void probe_places_release(struct probe_places *p);

/* A function of the debug information, and the number of its unit there. */
struct probe_function_name {
	char *name;
	u32 unit;
};

struct probe_function_names {
	VEC(struct probe_function_name) list;
};

struct probe_search {
	bool no_inlines; /* leave inlined instances out */
	/* leave those out that the source calls artificial: wrappers in headers */
	bool no_wrappers;
	unsigned max;       /* more places than this: -E2BIG; 0: no limit */
	const char *source; /* --source, for lazy patterns; or NULL */
	bool exact;         /* the function's name is complete: "f" does not match "nn::f" */
	/*
	 * The units that define it, as probe_function_names() found them; no names: look for them.
	 */
	const struct probe_function_name *names;
	size_t name_count;
};

/*
 * Finds all places of its point, each address once, in the order of the debug information. The
 * arguments decide whether the prologue counts.
 */
int probe_places_find(struct debuginfo *d, const struct probe_definition *definition,
		      const struct probe_search *search, struct probe_places *out,
		      struct reason *r) MUST_CHECK;
/*
 * Adds the names of all functions that fit a glob, also inlined ones, as they are shown ("nn::f"),
 * by name and unit. A name is added for each of its functions.
 */
void probe_function_names(struct debuginfo *d, const char *pattern,
			  struct probe_function_names *names);
void probe_function_names_release(struct probe_function_names *names);
/*
 * Finds the place of an address (for -l, and absolute addresses). Returns -ENOENT if it is in no
 * function.
 */
int probe_place_of(struct debuginfo *d, u64 address, struct probe_place *out,
		   struct reason *r) MUST_CHECK;
void probe_place_release(struct probe_place *p);

/*
 * Makes a fetch argument of an argument (base PROBE_VARIABLE, or PROBE_RETVAL with or without
 * steps) at a place: name "b", fetch "+8(%di)", type "s32" ("" when none is due). Appends to these
 * three. The name is as given, or else follows the naming rules. With is_return, for a return
 * probe, a reason explains variables that do not live there. arch names the registers; NULL means
 * the file's own. "arr[1..4]" becomes an array: type "s32[4]". *whole is the size of a value of
 * which only the first bytes are fetched (a structure), else 0.
 */
int probe_fetch_argument(struct debuginfo *d, const struct probe_place *place,
			 const struct probe_argument *argument, bool is_return,
			 const struct arch *arch, struct strbuf *name, struct strbuf *fetch,
			 struct strbuf *type, u64 *whole, struct reason *r) MUST_CHECK;
/*
 * Adds the names that $vars (including parameters) or $params stand for: those with a value at the
 * place that a probe can fetch, in order of declaration.
 */
int probe_variables_expand(struct debuginfo *d, const struct probe_place *place,
			   bool only_parameters, bool is_return, struct strlist *names,
			   struct reason *r) MUST_CHECK;

enum probe_variable_state {
	PROBE_VARIABLE_VALID,    /* has a value here */
	PROBE_VARIABLE_NOT_HERE, /* elsewhere in this function; only with ranges */
	PROBE_VARIABLE_EXTERN,   /* a variable of the compilation unit; only with externs */
};

struct probe_variable {
	const char *type; /* "struct task_struct*", "char[16]", "int" */
	const char *name;
	enum probe_variable_state state;
	const char *ranges; /* "@<f+[0-12,40-66]>", "@<no location>"; NULL without asking */
};

/*
 * Visits the variables, for -V. The strings live until visit returns; a non-zero result of visit
 * ends the walk and is returned.
 */
int probe_each_variable(struct debuginfo *d, const struct probe_place *place, bool externs,
			bool ranges, int (*visit)(void *arg, const struct probe_variable *v),
			void *arg, struct reason *r) MUST_CHECK;

/* For -L: the lines of a range that can be probed. */
struct probe_lines {
	char *function;       /* NULL: the range is of a file */
	char *file;           /* as DWARF names it */
	char *directory;      /* the directory of the compilation, for a relative file; or NULL */
	unsigned base;        /* the function's line: what 0 is in the range; 0 for a file */
	unsigned first, last; /* absolute; last UINT32_MAX: to the end of the file */
	VEC(unsigned) lines;  /* absolute, sorted, distinct */
};
int probe_lines_find(struct debuginfo *d, const struct probe_point *range, struct probe_lines *out,
		     struct reason *r) MUST_CHECK;
void probe_lines_release(struct probe_lines *l);

#endif
