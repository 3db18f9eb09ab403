// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the point of a definition to the addresses it stands for.
 *
 * A function has one place for each out-of-line copy (its entry) and one for each inlined instance.
 * A line has one for each statement that begins at it, wherever the compiler put that code.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places_internal.h"

struct points {
	struct debuginfo *d;
	const struct probe_definition *definition;
	const struct probe_point *point;
	const struct probe_search *search;
	struct probe_places *out;
	struct reason *r;
	struct unit *unit;
	struct rows rows;
	bool rows_read;
	Dwarf_Die last_function; /* the function that the last row was in; addr NULL: none yet */
	struct function_name name;
	bool by_symbol;       /* the function at hand has the name as its symbol */
	bool wants_variables; /* some argument is a local variable: the place must be after the
			       * prologue */
	VEC(Dwarf_Die) abstract;
	unsigned functions; /* found by name, with code or not */
	unsigned inlined, out_of_line;
	const char *line_file; /* the file of the line that was looked for */
	unsigned line;
	struct source_lines *lazy;
};

static const struct rows *points_rows(struct points *p)
{
	if (!p->rows_read) {
		p->rows_read = true;
		unit_rows(p->unit, &p->rows);
	}
	return &p->rows;
}

static void enter_unit(struct points *p, struct unit *u)
{
	unit_rows_release(&p->rows);
	p->rows_read = false;
	p->unit = u;
	p->last_function.addr = NULL;
}

static bool has_place(const struct probe_places *out, u64 address)
{
	vec_for_each(&out->list, place)
		if (place->address == address)
			return true;
	return false;
}

static int probe_places_add(struct debuginfo *d, struct unit *u, const struct rows *rows,
			    Dwarf_Die *function, Dwarf_Die *scope, u64 address,
			    struct probe_places *out)
{
	const char *name = dwarf_diename(function);
	const struct row *row = unit_rows_at(rows, address);
	struct probe_place *place;
	u64 entry = address;

	if (has_place(out, address))
		return 0;
	die_entry(function, &entry);
	place = vec_push_zero(&out->list);
	place->address = address;
	if (!elf_addr_to_offset(d->elf, address, &place->file_offset))
		place->file_offset = UINT64_MAX;
	place->function = xstrdup(name ? name : "?");
	place->function_offset = address - entry;
	place->function_line = die_decl_line(function);
	place->inlined = scope->addr != function->addr;
	place->begins_line = row && row->address == address && row->is_statement;
	place->scope = xmalloc(sizeof(*place->scope));
	*place->scope = (struct scope){ u->die, *function, *scope };
	if (address == entry && place->function_line && die_decl_file(function)) {
		place->file = xstrdup(die_decl_file(function));
		place->line = place->function_line;
	} else if (row && row->file) {
		place->file = xstrdup(row->file);
		place->line = row->line;
	}
	return 0;
}

static int add_point(struct points *p, Dwarf_Die *function, Dwarf_Die *scope, u64 address)
{
	if (p->search->max && p->out->list.count >= p->search->max && !has_place(p->out, address)) {
		reason_set(p->r, E2BIG, "more than %u place%s", p->search->max,
			   p->search->max == 1 ? " matches" : "s match");
		reason_hint(p->r, "--max-probes N allows more");
		return -E2BIG;
	}
	return probe_places_add(p->d, p->unit, points_rows(p), function, scope, address, p->out);
}

/*
 * Returns the address after the prologue. In unoptimised code, parameters are where DWARF says only
 * once the prologue has stored them.
 */
static u64 behind_prologue(struct points *p, Dwarf_Die *function, u64 entry)
{
	const struct rows *rows = points_rows(p);
	u64 second = entry;

	vec_for_each(&rows->list, row) {
		if (row->address <= entry || row->is_end ||
		    dwarf_haspc(function, row->address) <= 0)
			continue;
		if (row->is_prologue_end)
			return row->address;
		if (second == entry && row->is_statement && row->line)
			second = row->address;
	}
	return second;
}

static bool is_register(u8 atom)
{
	return (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx;
}

static int find_optimised_location(void *arg, Dwarf_Die *die, int depth)
{
	Dwarf_Attribute attr;
	bool *found = arg;
	Dwarf_Op *ops;
	size_t count;

	(void)depth;
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return 0;
	switch (dwarf_whatform(&attr)) {
	case DW_FORM_sec_offset:
	case DW_FORM_loclistx:
	case DW_FORM_data4:
	case DW_FORM_data8:
		*found = true;
		break;
	default:
		*found = dwarf_getlocation(&attr, &ops, &count) == 0 && count == 1 &&
			 is_register(ops[0].atom);
	}
	return *found ? -1 : 0;
}

/*
 * Reports whether the unit is optimised: only such code has variables in registers, or in more than
 * one place.
 */
static bool unit_is_optimised(struct unit *u)
{
	bool found = false;
	struct die_walk w = { find_optimised_location, &found };

	die_walk(&u->die, &w, 0);
	return found;
}

static int past_the_end(const struct probe_point *point, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	probe_offset_text(&b, point->offset, point->offset_is_hex);
	reason_set(r, EINVAL, "'%s%s' is past the end of the function", point->function,
		   strbuf_cstr(&b));
	strbuf_release(&b);
	return -EINVAL;
}

static int add_entry(struct points *p, Dwarf_Die *function, u64 entry)
{
	const struct probe_point *point = p->point;
	u64 address = entry + point->offset;
	int err;

	if (point->offset && dwarf_haspc(function, address) <= 0)
		return past_the_end(point, p->r);
	if (!p->d->is_kernel && p->wants_variables && !point->is_return && !point->offset &&
	    !unit_is_optimised(p->unit))
		address = behind_prologue(p, function, entry);
	err = add_point(p, function, function, address);
	if (!err && address != entry && !point->offset) {
		vec_last(&p->out->list)->skipped_prologue = true;
		vec_last(&p->out->list)->entry = entry;
	}
	return err;
}

/* Reports whether the row belongs to the wanted line, or to the set of lines of a lazy pattern. */
static bool row_wanted(struct points *p, const struct row *row)
{
	if (row->is_end || !row->is_statement || !row->file || !row->line)
		return false;
	if (p->lazy)
		return source_lines_has(p->lazy, row->line) &&
		       path_tail_matches(row->file, p->line_file);
	return row->line == p->line && path_tail_matches(row->file, p->line_file);
}

static int add_row(struct points *p, const struct row *row, Dwarf_Die *inside)
{
	Dwarf_Die function, scope;

	if (inside && dwarf_haspc(inside, row->address) <= 0)
		return 0;
	/* Rows of one function come one after the other. */
	if (!p->last_function.addr || dwarf_haspc(&p->last_function, row->address) <= 0) {
		if (!unit_function_at(p->unit, row->address, &p->last_function))
			return 0;
	}
	function = p->last_function;
	scope_for_line(&function, row->address, row->file, row->line, &scope);
	return add_point(p, &function, &scope, row->address);
}

/* Adds a line that only calls an inlined function: its only code is that function's. */
static int add_call(void *arg, Dwarf_Die *die, int depth)
{
	struct points *p = arg;
	const char *file;
	unsigned line;
	struct row row = { 0 };

	(void)depth;
	if (dwarf_tag(die) != DW_TAG_inlined_subroutine || !(file = die_call_site(die, &line)) ||
	    line != p->line || !path_tail_matches(file, p->line_file) ||
	    !die_entry(die, &row.address))
		return 0;
	row.file = file;
	row.line = line;
	return add_row(p, &row, NULL);
}

/*
 * Adds the rows of the wanted lines, within a DIE or (NULL) the unit. An address that stands for
 * another line is only taken when the line has no address of its own.
 */
static int add_rows(struct points *p, Dwarf_Die *inside)
{
	const struct rows *rows = points_rows(p);
	size_t before = p->out->list.count;
	struct die_walk calls = { add_call, p };
	int err;

	for (int own = 1; own >= 0; own--) {
		if (!own && (p->out->list.count > before || p->lazy))
			break;
		vec_for_each(&rows->list, row) {
			if (!row_wanted(p, row) ||
			    (own && !p->lazy &&
			     unit_rows_at(rows, row->address)->line != row->line))
				continue;
			err = add_row(p, row, inside);
			if (err)
				return err;
		}
	}
	if (p->lazy || p->out->list.count > before)
		return 0;
	return die_walk(&p->unit->die, &calls, 0);
}

static int add_lazy(struct points *p, Dwarf_Die *inside, const char *file)
{
	const char *directory = NULL;
	Dwarf_Attribute attr;
	char *path = NULL;
	int err;

	if (!file)
		return 0;
	if (dwarf_attr(&p->unit->die, DW_AT_comp_dir, &attr))
		directory = dwarf_formstring(&attr);
	err = debuginfo_find_source(p->d, file, directory, p->search->source, &path, p->r);
	if (!err)
		err = source_lines_match(path, p->point->lazy, &p->lazy, p->r);
	free(path);
	if (err)
		return err;
	p->line_file = file;
	err = add_rows(p, inside);
	source_lines_free(p->lazy);
	p->lazy = NULL;
	return err;
}

static bool has_origin(Dwarf_Die *die, const Dwarf_Die *origin)
{
	Dwarf_Attribute attr;
	Dwarf_Die its;

	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &its) &&
	       its.addr == origin->addr;
}

struct around {
	const Dwarf_Die *origin, *instance;
	u64 entry;
};

static int find_around(void *arg, Dwarf_Die *die, int depth)
{
	const struct around *a = arg;

	(void)depth;
	if (die->addr == a->instance->addr || dwarf_haspc(die, a->entry) <= 0)
		return DIE_SKIP;
	return dwarf_tag(die) == DW_TAG_inlined_subroutine && has_origin(die, a->origin) ? -1 : 0;
}

/*
 * Reports whether an inlined instance is the rest of a function that was split in two. Its own
 * first part calls that at the line of its declaration: the same call, not another one.
 */
static bool is_own_rest(Dwarf_Die *instance, Dwarf_Die *function, u64 entry)
{
	Dwarf_Attribute attr;
	Dwarf_Word call_line;
	Dwarf_Die origin;
	struct around a = { &origin, instance, entry };
	struct die_walk w = { find_around, &a };

	if (!dwarf_attr(instance, DW_AT_call_line, &attr) ||
	    dwarf_formudata(&attr, &call_line) != 0 ||
	    !dwarf_attr(instance, DW_AT_abstract_origin, &attr) ||
	    !dwarf_formref_die(&attr, &origin) || call_line != die_decl_line(&origin))
		return false;
	return has_origin(function, &origin) || die_walk(function, &w, 0) < 0;
}

static int add_inlined(void *arg, Dwarf_Die *instance)
{
	struct points *p = arg;
	Dwarf_Die function;
	u64 entry;

	p->inlined++;
	if (!die_entry(instance, &entry))
		return 0;
	if (unit_function_at(p->unit, entry, &function) && is_own_rest(instance, &function, entry))
		return 0;
	if (p->point->lazy)
		return add_lazy(p, instance, die_decl_file(instance));
	/* An instance may have no instruction left: its entry is still a place. */
	if (p->point->offset && dwarf_haspc(instance, entry + p->point->offset) <= 0)
		return 0;
	entry += p->point->offset;
	if (!unit_function_at(p->unit, entry, &function))
		return 0;
	return add_point(p, &function, instance, entry);
}

static int add_function(void *arg, Dwarf_Die *f)
{
	struct points *p = arg;
	const char *file;
	u64 entry;

	if (!p->by_symbol && !function_is(p->d, &p->name, f))
		return 0;
	file = die_decl_file(f);
	if (p->point->file && file && !path_tail_matches(file, p->point->file))
		return 0;
	if (p->search->no_wrappers && dwarf_func_inline(f) && dwarf_hasattr(f, DW_AT_artificial))
		return 0;
	p->functions++;
	if (p->point->has_line && p->point->line) {
		if (!file)
			return 0;
		p->line_file = file;
		p->line = die_decl_line(f) + p->point->line;
		if (probe_line_is_past(p->unit, points_rows(p), f, file, p->line))
			return 0;
		return add_rows(p, NULL);
	}
	if (die_entry(f, &entry)) {
		p->out_of_line++;
		return p->point->lazy ? add_lazy(p, f, file) : add_entry(p, f, entry);
	}
	/* Without code: instances and copies refer to it. */
	if (dwarf_hasattr(f, DW_AT_abstract_origin))
		return 0;
	vec_push(&p->abstract, *f);
	if (p->search->no_inlines || p->point->is_return)
		return 0;
	return unit_each_inlined(p->unit, f, add_inlined, p);
}

/*
 * Adds places from other units, which refer to this one's functions when links were optimised, or
 * by dwz.
 */
static int add_from_other_units(struct points *p, bool *seen)
{
	bool *hits = xcalloc(p->d->units.count, 1);
	int err = 0;

	for (size_t i = 0; i < p->abstract.count && !err; i++) {
		Dwarf_Die *f = &p->abstract.items[i];
		u64 offset = dwarf_dieoffset(f);

		memset(hits, 0, p->d->units.count);
		debuginfo_units_with_reference(p->d, offset, hits);
		for (size_t u = 0; u < p->d->units.count && !err; u++) {
			struct unit *unit = &p->d->units.items[u];

			if (!hits[u] || !unit_open(p->d, unit) ||
			    (offset >= unit->start && offset < unit->end))
				continue;
			enter_unit(p, unit);
			if (!p->search->no_inlines && !p->point->is_return)
				err = unit_each_inlined(unit, f, add_inlined, p);
			if (!err && !seen[u])
				err = unit_each_function(unit, add_function, p);
			seen[u] = true;
		}
	}
	free(hits);
	return err;
}

/*
 * Adds the lines of other units. With link-time optimisation they have code of this file's lines.
 */
static int add_lines_of_other_units(struct points *p, const bool *seen)
{
	int err = 0;

	for (size_t i = 0; i < p->d->units.count && !err; i++) {
		struct unit *u = &p->d->units.items[i];

		if (seen[i] || !unit_open(p->d, u))
			continue;
		enter_unit(p, u);
		err = add_rows(p, NULL);
	}
	return err;
}

static int explain_nothing(struct points *p)
{
	const struct probe_point *point = p->point;

	if (!p->functions)
		return probe_no_function(p->d, point->function, point->file, p->r);
	if (point->has_line && point->line)
		return probe_no_line(p->d, point, p->r);
	if (point->lazy)
		return source_lines_none(point->function, point->lazy, p->r);
	if (point->is_return) {
		reason_set(p->r, ENOENT, "'%s' is inlined wherever it is used, so it never returns",
			   point->function);
		return -ENOENT;
	}
	if (p->search->no_inlines) {
		reason_set(p->r, ENOENT, "'%s' is inlined wherever it is used", point->function);
		reason_hint(p->r, "without --no-inlines its inlined instances are probed");
		return -ENOENT;
	}
	return reason_set(p->r, ENOENT,
			  "'%s' has no code: the compiler left it out, or inlined it "
			  "without a trace",
			  point->function);
}

static int points_of_symbol(struct points *p)
{
	Dwarf_Die f;
	struct unit *u = function_of_symbol(p->d, &p->name, &f);

	if (!u)
		return 0;
	enter_unit(p, u);
	p->by_symbol = true;
	return add_function(p, &f);
}

static int points_of_function(struct points *p)
{
	bool *hits = xcalloc(p->d->units.count, 1);
	int err = 0;

	function_name_init(&p->name, p->point->function, p->search->exact);
	for (size_t i = 0; i < p->search->name_count; i++)
		hits[p->search->names[i].unit] = true;
	if (!p->search->name_count)
		debuginfo_units_defining(p->d, DW_TAG_subprogram, p->name.last, hits);
	for (size_t i = 0; i < p->d->units.count && !err; i++) {
		struct unit *u = &p->d->units.items[i];

		if (!hits[i] || !unit_open(p->d, u))
			continue;
		enter_unit(p, u);
		err = unit_each_function(u, add_function, p);
	}
	if (!err && p->line && debuginfo_crosses_units(p->d))
		err = add_lines_of_other_units(p, hits);
	else if (!err && p->abstract.count && debuginfo_crosses_units(p->d))
		err = add_from_other_units(p, hits);
	free(hits);
	if (!err &&
	    (!p->functions || (p->name.qualified && !p->out->list.count && !p->abstract.count)))
		err = points_of_symbol(p);
	if (!err && !p->out->list.count)
		err = explain_nothing(p);
	return err;
}

/* No file has this name: it may be a function's of Go, "main.(*T).Work". */
static int points_of_dotted(struct points *p)
{
	const struct probe_point *point = p->point;
	struct probe_point dotted = *point;
	struct reason *r = p->r, why = REASON_INIT;
	int err;

	dotted.function = point->file;
	dotted.file = NULL;
	p->point = &dotted;
	p->r = &why;
	err = points_of_function(p);
	p->point = point;
	p->r = r;
	if (err && !p->functions)
		err = probe_no_file(p->d, point->file, r);
	else if (err && r)
		reason_move(r, &why);
	reason_release(&why);
	return err;
}

static int points_of_file(struct points *p)
{
	struct file_search search;
	bool seen = false;
	int err = 0;

	file_search_init(&search, p->d, p->point->file);
	vec_for_each(&p->d->units, u) {
		const char *file;

		if (err || !unit_open(p->d, u))
			continue;
		file = file_search_unit(&search, u);
		if (!file)
			continue;
		seen = true;
		enter_unit(p, u);
		if (p->point->lazy) {
			err = add_lazy(p, NULL, file);
			continue;
		}
		p->line_file = p->point->file;
		p->line = p->point->line;
		err = add_rows(p, NULL);
	}
	file_search_release(&search);
	if (err || p->out->list.count)
		return err;
	if (!seen)
		return points_of_dotted(p);
	if (p->point->has_line && !p->point->line)
		return reason_set(p->r, EINVAL, "'%s' has no line 0: the first line of a file is 1",
				  p->point->file);
	if (p->point->lazy)
		return source_lines_none(p->point->file, p->point->lazy, p->r);
	return probe_no_line(p->d, p->point, p->r);
}

static int point_of_address(struct points *p)
{
	struct probe_place place;
	int err = probe_place_of(p->d, p->point->address, &place, p->r);

	if (!err)
		vec_push(&p->out->list, place);
	return err;
}

static bool wants_variables(const struct probe_definition *definition)
{
	vec_for_each(&definition->arguments, a)
		if (a->base == PROBE_VARIABLE || a->base == PROBE_ALL_VARIABLES ||
		    a->base == PROBE_ALL_PARAMETERS)
			return true;
	return false;
}

int probe_places_find(struct debuginfo *d, const struct probe_definition *definition,
		      const struct probe_search *search, struct probe_places *out, struct reason *r)
{
	struct points p = { .d = d,
			    .definition = definition,
			    .point = &definition->point,
			    .search = search,
			    .out = out,
			    .r = r,
			    .wants_variables = wants_variables(definition) };
	int err;

	if (p.point->is_absolute)
		err = point_of_address(&p);
	else if (p.point->function)
		err = points_of_function(&p);
	else if (p.point->file)
		err = points_of_file(&p);
	else
		err = reason_set(r, EINVAL, "the definition names no place");
	unit_rows_release(&p.rows);
	function_name_release(&p.name);
	vec_release(&p.abstract);
	probe_places_name(d, out);
	if (!err && p.point->is_return)
		probe_places_drop_parts(out);
	if (err)
		probe_places_release(out);
	return err;
}

int probe_place_of(struct debuginfo *d, u64 address, struct probe_place *out, struct reason *r)
{
	struct unit *u = debuginfo_unit_at(d, address);
	struct probe_places places = { VEC_INIT };
	Dwarf_Die function, scope;
	struct rows rows = { VEC_INIT };
	const struct row *row;

	if (!u || !unit_function_at(u, address, &function))
		return reason_set(r, ENOENT,
				  "the debug information of '%s' has no function at 0x%" PRIx64,
				  d->path, address);
	unit_rows(u, &rows);
	row = unit_rows_at(&rows, address);
	scope = function;
	if (row && row->file)
		scope_for_line(&function, address, row->file, row->line, &scope);
	probe_places_add(d, u, &rows, &function, &scope, address, &places);
	probe_places_name(d, &places);
	unit_rows_release(&rows);
	*out = places.list.items[0];
	vec_release(&places.list);
	return 0;
}
