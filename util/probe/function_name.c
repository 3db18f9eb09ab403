// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a DIE is the function that a definition names.
 *
 * DWARF has a function's own name ("get") and mostly its linkage name, which people see demangled
 * ("Box<int>::get() const"). Static functions of C++ have no linkage name: their symbol gives it
 * and, for those that were inlined everywhere, the scopes around the DIE.
 */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/name.h"
#include "probe/places_internal.h"
#include "symbol/demangle.h"

void function_name_init(struct function_name *n, const char *wanted, bool exact)
{
	n->wanted = wanted;
	n->exact = exact;
	n->qualified = name_is_qualified(wanted);
	n->parameters = n->qualified && name_has_parameters(wanted);
	n->last = n->qualified ? name_last(wanted) : xstrdup(wanted);
}

void function_name_release(struct function_name *n)
{
	free(n->last);
	n->last = NULL;
}

/* Reports whether name is wanted or its template: "twice" also stands for "twice<int>". */
static bool is_name_or_template(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 &&
	       (name[n] == '\0' || name[n] == '<' || (name[n] == ' ' && name[n + 1] == '<'));
}

static bool full_is(const struct function_name *n, const char *full)
{
	return n->exact ? name_is(full, n->wanted) : name_ends_in(full, n->wanted);
}

static bool mangled_is(const struct function_name *n, const char *mangled)
{
	char *full = symbol_demangle(mangled, n->parameters);
	bool match = full && full_is(n, full);

	free(full);
	return match;
}

/*
 * Returns 1 if one of the mangled symbols at the function's entry has the name, 0 if none of them
 * has, -1 if there is none. Names that are not mangled, such as C's, say nothing about scopes, and
 * "f.isra.0" is f.
 */
static int symbol_is(struct debuginfo *d, const struct function_name *n, Dwarf_Die *f)
{
	int found = -1, i;
	size_t at = 0;
	u64 entry;

	if (!die_entry(f, &entry))
		return -1;
	while (found <= 0 && (i = debuginfo_symbol_over(d, entry, &at)) >= 0) {
		const char *name;
		u64 address, size;
		char *full;
		int binding;

		if (!debuginfo_symbol_at(d, i, &name, &address, &size, &binding) ||
		    address != entry)
			continue;
		full = symbol_demangle(name, n->parameters);
		if (full)
			found = full_is(n, full);
		free(full);
	}
	return found;
}

/*
 * Returns the declaration of a function: g++ writes what it knows of the body outside of the
 * namespace.
 */
static Dwarf_Die declaration_of(Dwarf_Die *f)
{
	Dwarf_Die die = *f, next;
	Dwarf_Attribute attr;

	for (int i = 0; i < 4; i++) {
		if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		     !dwarf_attr(&die, DW_AT_specification, &attr)) ||
		    !dwarf_formref_die(&attr, &next))
			break;
		die = next;
	}
	return die;
}

/*
 * Returns the name qualified by the namespaces, classes and functions around it. The caller frees
 * it.
 */
static char *scoped_name(Dwarf_Die *f, const char *name)
{
	struct strbuf full = STRBUF_INIT;
	Dwarf_Die declared = declaration_of(f), *scopes = NULL;
	int count = dwarf_getscopes_die(&declared, &scopes);

	/* The first is the function, the last one the unit. */
	for (int i = count - 2; i > 0; i--) {
		const char *scope = dwarf_diename(&scopes[i]);

		strbuf_f(&full, "%s::", scope ? scope : "(anonymous namespace)");
	}
	free(scopes);
	strbuf_str(&full, name);
	return strbuf_detach(&full);
}

/*
 * Reports whether the scoped name matches, without its parameters. In C, which has no scopes, libdw
 * need not search the unit for them.
 */
static bool scopes_are(const struct function_name *n, Dwarf_Die *f, const char *name)
{
	Dwarf_Die unit;
	bool is_c = dwarf_diecu(f, &unit, NULL, NULL) && unit_is_c(&unit);
	char *full = is_c ? xstrdup(name) : scoped_name(f, name);
	bool match = full_is(n, full);

	free(full);
	return match;
}

/* Reports whether the name is linked unchanged, as C's names are, or as an asm label says. */
static bool is_as_linked(const char *linkage, const char *name)
{
	char *full = symbol_demangle(linkage, false);
	bool plain = !full || !strcmp(full, name);

	free(full);
	return plain;
}

bool function_is(struct debuginfo *d, const struct function_name *n, Dwarf_Die *f)
{
	const char *name = dwarf_diename(f), *linkage = NULL;
	Dwarf_Attribute attr;
	int by_symbol;

	if (dwarf_attr_integrate(f, DW_AT_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	if (linkage && strcmp(linkage, n->wanted) == 0)
		return true;
	if (!name || !is_name_or_template(name, n->last))
		return false;
	if (!n->exact && (!n->qualified || strcmp(name, n->wanted) == 0))
		return true;
	if (linkage)
		return mangled_is(n, linkage) ||
		       (n->exact && is_as_linked(linkage, name) && !strcmp(name, n->wanted));
	by_symbol = symbol_is(d, n, f);
	return by_symbol >= 0 ? by_symbol : !n->parameters && scopes_are(n, f, name);
}

struct unit *function_of_symbol(struct debuginfo *d, const struct function_name *n, Dwarf_Die *out)
{
	int count = n->qualified ? debuginfo_symbol_count(d) : 0;

	if (!n->qualified)
		return debuginfo_function_of_symbol(d, n->wanted, out);
	for (int i = 0; i < count; i++) {
		u64 address, size, entry;
		struct unit *u;
		const char *name;
		int binding;

		if (!debuginfo_symbol_at(d, i, &name, &address, &size, &binding) ||
		    !mangled_is(n, name))
			continue;
		u = debuginfo_unit_at(d, address);
		if (u && unit_function_at(u, address, out) && die_entry(out, &entry) &&
		    entry == address)
			return u;
	}
	return NULL;
}

struct name_search {
	const char *pattern;
	bool is_c; /* the unit: names have no scopes */
	u32 unit;
	struct probe_function_names *names;
};

static int take_name(void *arg, Dwarf_Die *f)
{
	const struct name_search *s = arg;
	const char *name = dwarf_diename(f), *linkage = NULL;
	Dwarf_Attribute attr;
	char *full = NULL;

	/* The name belongs to the function itself, not to a copy of it. */
	if (!name || dwarf_hasattr(f, DW_AT_abstract_origin))
		return 0;
	if (dwarf_attr_integrate(f, DW_AT_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	if (linkage)
		full = symbol_demangle(linkage, false);
	if (!full)
		full = s->is_c ? xstrdup(name) : scoped_name(f, name);
	if (!strcmp(s->pattern, full) ||
	    glob_match(s->pattern, full)) /* the former: Go's "main.Max[int]" */
		vec_push(&s->names->list, (struct probe_function_name){ full, s->unit });
	else
		free(full);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct probe_function_name *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	return diff ? diff : x->unit < y->unit ? -1 : x->unit > y->unit;
}

void probe_function_names(struct debuginfo *d, const char *pattern,
			  struct probe_function_names *names)
{
	struct name_search s = { .pattern = pattern, .names = names };

	vec_for_each(&d->units, u) {
		if (!unit_open(d, u))
			continue;
		s.is_c = unit_is_c(&u->die);
		s.unit = (u32)(u - d->units.items);
		unit_each_function(u, take_name, &s);
	}
	vec_sort(&names->list, by_name);
}

void probe_function_names_release(struct probe_function_names *names)
{
	vec_for_each(&names->list, it)
		free(it->name);
	vec_release(&names->list);
}
