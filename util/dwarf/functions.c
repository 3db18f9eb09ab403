// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the functions of a unit, and their inlined instances. */
#include "dwarf/die.h"

static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

bool unit_is_c(Dwarf_Die *die)
{
	int language = dwarf_srclang(die);

	return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == DW_LANG_Mips_Assembler;
}

struct function_walk {
	int (*visit)(void *arg, Dwarf_Die *f);
	void *arg;
	bool flat; /* C: functions are at the top only */
};

static int walk_functions(Dwarf_Die *parent, const struct function_walk *w, int depth)
{
	Dwarf_Die die;
	int err;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && !dwarf_hasattr(&die, DW_AT_declaration)) {
			err = w->visit(w->arg, &die);
			if (err)
				return err;
		}
		/* In other languages, functions may be inside functions. */
		if (!w->flat && (holds_functions(tag) || tag == DW_TAG_subprogram)) {
			err = walk_functions(&die, w, depth + 1);
			if (err)
				return err;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

int unit_each_function(struct unit *u, int (*visit)(void *arg, Dwarf_Die *f), void *arg)
{
	struct function_walk w = { visit, arg, unit_is_c(&u->die) };

	return walk_functions(&u->die, &w, 0);
}

struct address_search {
	u64 address;
	Dwarf_Die *out;
	bool found;
};

static int covers_address(void *arg, Dwarf_Die *f)
{
	struct address_search *s = arg;

	if (dwarf_haspc(f, s->address) <= 0)
		return 0;
	*s->out = *f;
	s->found = true;
	return 1;
}

bool unit_function_at(struct unit *u, u64 address, Dwarf_Die *out)
{
	struct address_search s = { address, out, false };

	unit_each_function(u, covers_address, &s);
	return s.found;
}

struct inlined_search {
	const void *abstract; /* libdw's address of the DIE: the same DIE has the same one */
	int (*visit)(void *arg, Dwarf_Die *i);
	void *arg;
};

static bool origin_is(Dwarf_Die *die, const void *abstract)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin) &&
	       origin.addr == abstract;
}

static int match_inlined(void *arg, Dwarf_Die *die, int depth)
{
	const struct inlined_search *s = arg;
	int tag = dwarf_tag(die);

	(void)depth;
	if (tag == DW_TAG_inlined_subroutine && origin_is(die, s->abstract))
		return s->visit(s->arg, die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || holds_functions(tag) ||
			       tag == DW_TAG_inlined_subroutine
		       ? 0
		       : DIE_SKIP;
}

int unit_each_inlined(struct unit *u, Dwarf_Die *abstract, int (*visit)(void *arg, Dwarf_Die *i),
		      void *arg)
{
	struct inlined_search s = { abstract->addr, visit, arg };
	struct die_walk w = { match_inlined, &s };

	return die_walk(&u->die, &w, 0);
}
