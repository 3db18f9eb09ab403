// SPDX-License-Identifier: GPL-2.0-or-later
/* The variables that can be seen at a place: all of them for -V, and for $vars and $params. */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places_internal.h"

struct listing {
	struct debuginfo *d;
	const struct scope *scope;
	u64 address;
	bool ranges;
	struct entry_list {
		VEC(char *) list; /* "type\tname\tstate\tranges": sorted and compared as text */
	} entries;
};

static void list_one(struct listing *l, Dwarf_Die *die, bool is_extern)
{
	struct strbuf b = STRBUF_INIT;
	struct fetch_value v;
	enum probe_variable_state state = is_extern ? PROBE_VARIABLE_EXTERN : PROBE_VARIABLE_VALID;
	int err = fetch_locate(l->d, l->scope, l->address, die, &v, NULL);

	if (!dwarf_diename(die))
		return;
	if (!err && v.base == FETCH_IMPLIED)
		err = -ENOTSUP;
	if (err && (is_extern || !l->ranges))
		return;
	/* Its section was thrown away when the file was linked. */
	if (!err && v.base == FETCH_ADDRESS && !v.number)
		return;
	if (err)
		state = PROBE_VARIABLE_NOT_HERE;
	type_name(die, &b);
	strbuf_f(&b, "\t%s\t%d\t", dwarf_diename(die), (int)state);
	if (l->ranges && !is_extern)
		variable_ranges(l->scope, die, false, &b);
	vec_push(&l->entries.list, strbuf_detach(&b));
}

static void list_scope(struct listing *l, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (variable_is(&die))
			list_one(l, &die, false);
		else if (scope_opens(&die, l->address, true))
			list_scope(l, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Reports whether the variable is defined here, or in another unit of the file. */
static bool has_address(struct debuginfo *d, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	u64 address;

	return dwarf_hasattr(die, DW_AT_location) ||
	       (name && dwarf_hasattr_integrate(die, DW_AT_external) &&
		debuginfo_symbol_address(d, name, &address));
}

static int list_extern(void *arg, Dwarf_Die *die, int depth)
{
	struct listing *l = arg;
	int tag = dwarf_tag(die);

	(void)depth;
	if (tag == DW_TAG_variable && has_address(l->d, die))
		list_one(l, die, true);
	return tag == DW_TAG_namespace ? 0 : DIE_SKIP;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int visit_entry(char *text, bool ranges, int (*visit)(void *, const struct probe_variable *),
		       void *arg)
{
	char *name = strchr(text, '\t'), *state = strchr(name + 1, '\t'),
	     *where = strchr(state + 1, '\t');
	struct probe_variable v = { .type = text, .name = name + 1 };

	*name = *state = *where = '\0';
	v.state = (enum probe_variable_state)(state[1] - '0');
	v.ranges = ranges && v.state != PROBE_VARIABLE_EXTERN ? where + 1 : NULL;
	return visit(arg, &v);
}

int probe_each_variable(struct debuginfo *d, const struct probe_place *place, bool externs,
			bool ranges, int (*visit)(void *arg, const struct probe_variable *v),
			void *arg, struct reason *r)
{
	struct listing l = {
		.d = d, .scope = place->scope, .address = place->address, .ranges = ranges
	};
	struct die_walk w = { list_extern, &l };
	Dwarf_Die die;
	int err = 0;

	if (!l.scope)
		return reason_set(r, EINVAL, "this place is not in '%s'", d->path);
	die = l.scope->scope;
	list_scope(&l, &die, 0);
	die = l.scope->unit;
	if (externs)
		die_walk(&die, &w, 0);
	vec_sort(&l.entries.list, compare_text);
	for (size_t i = 0; i < l.entries.list.count && !err; i++)
		if (i + 1 == l.entries.list.count ||
		    strcmp(l.entries.list.items[i], l.entries.list.items[i + 1]) != 0)
			err = visit_entry(l.entries.list.items[i], ranges, visit, arg);
	vec_for_each(&l.entries.list, text)
		free(*text);
	vec_release(&l.entries.list);
	return err;
}

struct expand {
	struct debuginfo *d;
	const struct probe_place *place;
	const struct scope *scope;
	bool only_parameters;
	struct strlist *names;
};

/*
 * Reports whether a variable can be fetched. An argument that is refused would take all others with
 * it.
 */
static bool can_fetch(struct expand *e, const char *name)
{
	struct probe_argument a = { .base = PROBE_VARIABLE, .base_name = (char *)name };
	u64 whole;
	struct strbuf n = STRBUF_INIT, fetch = STRBUF_INIT, type = STRBUF_INIT;
	int err = probe_fetch_argument(e->d, e->place, &a, false, NULL, &n, &fetch, &type, &whole,
				       NULL);

	strbuf_release(&n);
	strbuf_release(&fetch);
	strbuf_release(&type);
	return err == 0;
}

/*
 * Adds the names of a scope. Of one name the outermost counts: what is inlined at the place comes
 * after its caller's.
 */
static void expand_scope(struct expand *e, Dwarf_Die *parent, int depth)
{
	const char *name;
	Dwarf_Die die;
	int tag;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		tag = dwarf_tag(&die);
		name = dwarf_diename(&die);
		if ((tag == DW_TAG_formal_parameter ||
		     (tag == DW_TAG_variable && !e->only_parameters)) &&
		    name && !strlist_has(e->names, name) && can_fetch(e, name))
			strlist_add(e->names, name);
		else if (scope_opens(&die, e->place->address, true))
			expand_scope(e, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

int probe_variables_expand(struct debuginfo *d, const struct probe_place *place,
			   bool only_parameters, bool is_return, struct strlist *names,
			   struct reason *r)
{
	struct expand e = { d, place, place->scope, only_parameters, names };
	Dwarf_Die die;

	if (!e.scope)
		return reason_set(r, EINVAL, "this place is not in '%s'", d->path);
	if (is_return)
		return reason_set(r, ERANGE,
				  "the variables of '%s' are gone when it returns: a return "
				  "probe has $retval",
				  place->function);
	die = e.scope->scope;
	expand_scope(&e, &die, 0);
	return 0;
}
