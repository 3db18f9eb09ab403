// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads one DIE, and walks the DIEs below it. */
#include <string.h>

#include "dwarf/die.h"

int die_walk(Dwarf_Die *top, const struct die_walk *w, int depth)
{
	Dwarf_Die die;
	int err;

	if (depth > DIE_DEPTH || dwarf_child(top, &die) != 0)
		return 0;
	do {
		err = w->visit(w->arg, &die, depth);
		if (err == DIE_SKIP)
			continue;
		if (!err)
			err = die_walk(&die, w, depth + 1);
		if (err)
			return err;
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

bool die_number(Dwarf_Die *die, unsigned name, u64 *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &number) != 0)
		return false;
	*out = number;
	return true;
}

bool die_entry(Dwarf_Die *die, u64 *address)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next;

	/* dwarf_entrypc takes DW_AT_low_pc when there is no DW_AT_entry_pc. */
	if (dwarf_entrypc(die, &start) == 0) {
		*address = start;
		return start != 0;
	}
	next = dwarf_ranges(die, 0, &base, &start, &end);
	*address = start;
	return next > 0 && start != 0;
}

/*
 * Returns the file of an attribute. libdw's dwarf_decl_file takes file 0 as none, but in DWARF 5 it
 * is the unit's first, and clang counts from it.
 */
static const char *file_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Half version;
	size_t count;
	Dwarf_Die unit;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &number) != 0 ||
	    !dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (number == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
	    number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

const char *die_decl_file(Dwarf_Die *die)
{
	return file_of(die, DW_AT_decl_file);
}

const char *die_call_site(Dwarf_Die *instance, unsigned *line)
{
	u64 number;

	if (!die_number(instance, DW_AT_call_line, &number) || number > UINT32_MAX)
		return NULL;
	*line = (unsigned)number;
	return file_of(instance, DW_AT_call_file);
}

/* The line of a function's first address. */
static int entry_line(Dwarf_Die *die)
{
	Dwarf_Die unit;
	Dwarf_Line *row;
	u64 entry;
	int line;

	if (dwarf_tag(die) != DW_TAG_subprogram || !dwarf_hasattr(die, DW_AT_decl_file) ||
	    !die_entry(die, &entry) || !dwarf_diecu(die, &unit, NULL, NULL))
		return 0;
	row = dwarf_getsrc_die(&unit, entry);
	return row && dwarf_lineno(row, &line) == 0 ? line : 0;
}

unsigned die_decl_line(Dwarf_Die *die)
{
	int line;

	if (dwarf_decl_line(die, &line) != 0)
		line = entry_line(die); /* Go only says in which file */
	return line > 0 ? (unsigned)line : 0;
}

struct scope_search {
	u64 address;
	const char *file;
	unsigned line, best;
	Dwarf_Die *out;
};

static int match_scope(void *arg, Dwarf_Die *die, int depth)
{
	struct scope_search *s = arg;
	int tag = dwarf_tag(die);
	const char *file;
	unsigned line;

	(void)depth;
	if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
		return DIE_SKIP;
	if (dwarf_haspc(die, s->address) <= 0)
		return DIE_SKIP;
	if (tag != DW_TAG_inlined_subroutine)
		return 0;
	file = die_decl_file(die);
	line = die_decl_line(die);
	if (file && s->file && strcmp(file, s->file) == 0 && line <= s->line && line >= s->best) {
		s->best = line;
		*s->out = *die;
	}
	return 0;
}

void scope_for_line(Dwarf_Die *function, u64 address, const char *file, unsigned line,
		    Dwarf_Die *out)
{
	const char *own = die_decl_file(function);
	struct scope_search s = { address, file, line, 0, out };
	struct die_walk w = { match_scope, &s };

	if (own && file && strcmp(own, file) == 0 && die_decl_line(function) <= line)
		s.best = die_decl_line(function);
	*out = *function;
	die_walk(function, &w, 0);
}
