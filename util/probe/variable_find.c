// SPDX-License-Identifier: GPL-2.0-or-later
/* A variable by its name, as the source sees it from a place. */
#include <string.h>

#include "base/text.h"
#include "probe/places_internal.h"

struct find {
	const char *name;
	u64 address;
	bool inlined;  /* also in inlined instances */
	bool anywhere; /* also in blocks that do not cover the address */
	Dwarf_Die *out;
};

bool variable_is(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

bool scope_opens(Dwarf_Die *die, u64 address, bool inlined)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_lexical_block || (inlined && tag == DW_TAG_inlined_subroutine)) &&
	       (address == ANYWHERE || dwarf_haspc(die, address) > 0);
}

static bool name_is(Dwarf_Die *die, const char *name)
{
	const char *n = dwarf_diename(die);

	return n && strcmp(n, name) == 0;
}

/* Finds a variable, in inner blocks first: their variables hide those of the blocks around them. */
static bool find_local(const struct find *f, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (scope_opens(&die, f->anywhere ? ANYWHERE : f->address, f->inlined) &&
		    find_local(f, &die, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (variable_is(&die) && name_is(&die, f->name)) {
			*f->out = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct find_global {
	const char *name;
	Dwarf_Die *out;
	bool found, declared;
};

static int match_global(void *arg, Dwarf_Die *die, int depth)
{
	struct find_global *f = arg;
	int tag = dwarf_tag(die);

	(void)depth;
	if (tag == DW_TAG_variable && name_is(die, f->name) && !f->found) {
		f->found = dwarf_hasattr(die, DW_AT_location) ||
			   dwarf_hasattr_integrate(die, DW_AT_const_value);
		f->declared = true;
		*f->out = *die;
	}
	return tag == DW_TAG_namespace ? 0 : DIE_SKIP;
}

static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, origin);
}

/* Finds a static variable of a function, which is declared once, in what its copies refer to. */
static bool find_static(const struct find *f, Dwarf_Die *function)
{
	struct find all = *f;
	Dwarf_Die origin;

	all.anywhere = true;
	return origin_of(function, &origin) && find_local(&all, &origin, 0) &&
	       dwarf_hasattr(f->out, DW_AT_location);
}

/* Finds a variable with linkage that another unit defines. */
static bool find_elsewhere(struct debuginfo *d, struct find_global *f)
{
	bool *hits = xcalloc(d->units.count, 1);
	struct die_walk w = { match_global, f };
	bool here = f->declared, declared = here;
	Dwarf_Die kept = { .addr = NULL };

	if (here)
		kept = *f->out;
	debuginfo_units_defining(d, DW_TAG_variable, f->name, hits);
	for (size_t i = 0; i < d->units.count && !f->found; i++) {
		struct unit *u = &d->units.items[i];

		if (!hits[i] || !unit_open(d, u))
			continue;
		f->declared = false;
		die_walk(&u->die, &w, 0);
		if (!f->declared || !dwarf_hasattr_integrate(f->out, DW_AT_external)) {
			f->found = false;
			continue;
		}
		/* A declaration has its type, and a symbol says where it is. */
		if (!declared)
			kept = *f->out;
		declared = true;
	}
	free(hits);
	f->declared = declared;
	if (!f->found && declared)
		*f->out = kept;
	return f->found;
}

bool variable_find(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
		   Dwarf_Die *out)
{
	struct find local = { .name = name, .address = address, .out = out };
	struct find_global global = { .name = name, .out = out };
	struct die_walk w = { match_global, &global };
	Dwarf_Die scope = s->scope, function = s->function, unit = s->unit;

	if (find_local(&local, &scope, 0) || find_local(&local, &function, 0))
		goto found;
	if (find_static(&local, &scope) || find_static(&local, &function))
		goto found;
	local.inlined = true;
	if (find_local(&local, &function, 0))
		goto found;
	die_walk(&unit, &w, 0);
	return global.found || find_elsewhere(d, &global) || global.declared;
found:
	/* "extern int x;" in a block */
	if (dwarf_hasattr(out, DW_AT_declaration)) {
		global.found = true;
		*out = *local.out;
	}
	return true;
}

static void add_names(Dwarf_Die *parent, u64 address, struct strlist *names, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (variable_is(&die) && dwarf_diename(&die))
			strlist_add(names, dwarf_diename(&die));
		else if (scope_opens(&die, address, true))
			add_names(&die, address, names, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

void variable_names(const struct scope *s, u64 address, struct strlist *names)
{
	Dwarf_Die scope = s->scope;

	add_names(&scope, address, names, 0);
}

bool variable_find_dead(const struct scope *s, const char *name, Dwarf_Die *out)
{
	struct find f = { .name = name, .anywhere = true, .out = out };
	Dwarf_Die scope = s->scope, function = s->function, origin;

	if (find_local(&f, &scope, 0) || find_local(&f, &function, 0))
		return true;
	return origin_of(&scope, &origin) && find_local(&f, &origin, 0);
}
