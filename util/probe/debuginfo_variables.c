// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables in scope at a place: by name, all of them for -V, and for $vars and $params. */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/debuginfo_internal.h"

struct find {
	const char *name;
	u64 address;
	bool inlined; /* in inlined instances too */
	bool anywhere; /* in blocks that do not cover the address, too */
	Dwarf_Die *out;
};

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

static bool opens_scope(const struct find *f, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_lexical_block || (f->inlined && tag == DW_TAG_inlined_subroutine)) &&
	       (f->anywhere || dwarf_haspc(die, f->address) > 0);
}

static bool name_is(Dwarf_Die *die, const char *name)
{
	const char *n = dwarf_diename(die);

	return n && strcmp(n, name) == 0;
}

/* Inner blocks first: theirs hide ours. */
static bool find_local(const struct find *f, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (opens_scope(f, &die) && find_local(f, &die, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (is_variable(&die) && name_is(&die, f->name)) {
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

/* Static variables of a function are declared once, in what its copies refer to. */
static bool find_static(const struct find *f, Dwarf_Die *function)
{
	struct find all = *f;
	Dwarf_Die origin;

	all.anywhere = true;
	return origin_of(function, &origin) && find_local(&all, &origin, 0) &&
	       dwarf_hasattr(f->out, DW_AT_location);
}

/* A variable with linkage that another unit defines. */
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

bool variable_find_dead(const struct scope *s, const char *name, Dwarf_Die *out)
{
	struct find f = { .name = name, .anywhere = true, .out = out };
	Dwarf_Die scope = s->scope, function = s->function, origin;

	if (find_local(&f, &scope, 0) || find_local(&f, &function, 0))
		return true;
	return origin_of(&scope, &origin) && find_local(&f, &origin, 0);
}

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
	int err = debuginfo_locate(l->d, l->scope, l->address, die, &v, NULL);

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
	struct find f = { .address = l->address, .inlined = true };
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (is_variable(&die))
			list_one(l, &die, false);
		else if (opens_scope(&f, &die))
			list_scope(l, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Defined here, or in another unit of the file. */
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

static const struct scope *scope_of(const struct debuginfo *d, const struct probe_place *place)
{
	return place->scope < d->scopes.count ? &d->scopes.items[place->scope] : NULL;
}

int debuginfo_each_variable(struct debuginfo *d, const struct probe_place *place, bool externs,
			    bool ranges, int (*visit)(void *arg, const struct probe_variable *v),
			    void *arg, struct reason *r)
{
	struct listing l = { .d = d, .scope = scope_of(d, place), .address = place->address,
			     .ranges = ranges };
	struct die_walk w = { list_extern, &l };
	Dwarf_Die die;
	int err = 0;

	if (!l.scope)
		return reason_set(r, EINVAL, "this place is not of '%s'", d->path);
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

/* Only what can be fetched: an argument that is refused would take all others with it. */
static bool can_fetch(struct expand *e, const char *name)
{
	struct probe_argument a = { .base = PROBE_VARIABLE, .base_name = (char *)name };
	struct strbuf n = STRBUF_INIT, fetch = STRBUF_INIT, type = STRBUF_INIT;
	int err = debuginfo_argument(e->d, e->place, &a, false, NULL, &n, &fetch, &type, NULL);

	strbuf_release(&n);
	strbuf_release(&fetch);
	strbuf_release(&type);
	return err == 0;
}

/* Of one name the outermost counts: what is inlined at the place follows its caller's. */
static void expand_scope(struct expand *e, Dwarf_Die *parent, int depth)
{
	struct find f = { .address = e->place->address, .inlined = true };
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
		else if (opens_scope(&f, &die))
			expand_scope(e, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

int debuginfo_expand(struct debuginfo *d, const struct probe_place *place, bool only_parameters,
		     bool is_return, struct strlist *names, struct reason *r)
{
	struct expand e = { d, place, scope_of(d, place), only_parameters, names };
	Dwarf_Die die;

	if (!e.scope)
		return reason_set(r, EINVAL, "this place is not of '%s'", d->path);
	if (is_return)
		return reason_set(r, ERANGE,
				  "the variables of '%s' are gone when it returns: a return "
				  "probe has $retval", place->function);
	die = e.scope->scope;
	expand_scope(&e, &die, 0);
	return 0;
}
