// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the variable in a register or at an address, by DWARF. */
#include <dwarf.h>
#include <stdlib.h>

#include "annotate/types_dwarf.h"
#include "base/alloc.h"
#include "base/search.h"

/* ---- variables ---- */

/* Reports whether the expression is a register's value plus an offset. */
static bool is_breg(const Dwarf_Op *op, s8 *reg, s64 *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*reg = (s8)(op->atom - DW_OP_breg0);
		*offset = (s64)op->number;
		return true;
	}
	if (op->atom == DW_OP_bregx && op->number < DWARF_REGS) {
		*reg = (s8)op->number;
		*offset = (s64)op->number2;
		return true;
	}
	return false;
}

static bool is_reg(const Dwarf_Op *op, s8 *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = (s8)(op->atom - DW_OP_reg0);
	else if (op->atom == DW_OP_regx && op->number < DWARF_REGS)
		*reg = (s8)op->number;
	else
		return false;
	return true;
}

static bool cfa_at(struct types_file *f, Dwarf_Addr pc, s8 *reg, s64 *offset)
{
	Dwarf_CFI *tables[] = { f->cfi, f->eh_cfi };

	for (int i = 0; i < 2; i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Op *ops;
		size_t count;
		bool found = false;

		if (!tables[i] || dwarf_cfi_addrframe(tables[i], pc, &frame))
			continue;
		if (!dwarf_frame_cfa(frame, &ops, &count) && count == 1)
			found = is_breg(&ops[0], reg, offset);
		free(frame);
		if (found)
			return true;
	}
	return false;
}

/* Finds the function's frame base, as register and offset. */
static bool frame_base(struct types_file *f, Dwarf_Die *scopes, int count, Dwarf_Addr pc, s8 *reg,
		       s64 *offset)
{
	for (int i = 0; i < count; i++) {
		Dwarf_Attribute attr;
		Dwarf_Op *ops;
		size_t n;

		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram ||
		    !dwarf_attr(&scopes[i], DW_AT_frame_base, &attr) ||
		    dwarf_getlocation_addr(&attr, pc, &ops, &n, 1) < 1 || n != 1)
			continue;
		if (ops[0].atom == DW_OP_call_frame_cfa)
			return cfa_at(f, pc, reg, offset);
		*offset = 0;
		return is_reg(&ops[0], reg) || is_breg(&ops[0], reg, offset);
	}
	return false;
}

/* Finds a variable in memory: its distance from a register. */
static bool in_memory(struct types_file *f, const Dwarf_Op *op, Dwarf_Die *scopes, int count,
		      Dwarf_Addr pc, s8 *reg, s64 *offset)
{
	if (op->atom != DW_OP_fbreg)
		return is_breg(op, reg, offset);
	if (!frame_base(f, scopes, count, pc, reg, offset))
		return false;
	*offset += (s64)op->number;
	return true;
}

/* Parts of a variable in several places: each operation is followed by its piece. */
static void add_pieces(struct types_file *f, const Dwarf_Op *ops, size_t n, Dwarf_Addr pc, u64 die)
{
	u64 from = 0;

	for (size_t i = 0; i < n; i++) {
		struct variable_place p = { .from = from, .die = die };

		if (ops[i].atom == DW_OP_piece) {
			from += ops[i].number;
		} else if (i + 1 == n || ops[i + 1].atom != DW_OP_piece) {
			return;
		} else if (in_memory(f, &ops[i], f->scopes, f->scope_count, pc, &p.reg,
				     &p.offset)) {
			p.size = ops[i + 1].number;
			vec_push(&f->places, p);
		}
	}
}

/*
 * Adds the places of a variable: its value is in a register (a pointer: where it points), or it is
 * at a distance from one.
 */
static void add_places(struct types_file *f, Dwarf_Die *var, Dwarf_Addr pc)
{
	struct variable_place p = { .is_value = true };
	Dwarf_Attribute attr;
	Dwarf_Die type, inner, target;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(var, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, pc, &ops, &n, 1) < 1 || !n || !type_of(var, &type))
		return;
	inner = type;
	if (!type_strip(&inner, &inner))
		return;
	if ((n == 1 && is_reg(&ops[0], &p.reg)) ||
	    (n == 2 && ops[1].atom == DW_OP_stack_value && is_breg(&ops[0], &p.reg, &p.offset))) {
		if (!type_is_pointer(&inner) || !type_of(&inner, &target))
			return;
		p.die = dwarf_dieoffset(&target);
		vec_push(&f->places, p);
		return;
	}
	p = (struct variable_place){ .die = dwarf_dieoffset(&type) };
	if (!type_has_size(&inner, &p.size))
		return;
	if (n > 1)
		add_pieces(f, ops, n, pc, p.die);
	else if (in_memory(f, &ops[0], f->scopes, f->scope_count, pc, &p.reg, &p.offset))
		vec_push(&f->places, p);
}

/* Reports whether the variable explains what is at reg + disp. */
static bool explains(const struct variable_place *p, s8 reg, s64 disp, struct place_type *out)
{
	s64 at = disp - p->offset;

	if (p->reg != reg || (!p->is_value && (at < 0 || (u64)at >= p->size)))
		return false;
	*out = (struct place_type){ .die = p->die, .offset = p->from + (u64)at };
	return true;
}

/* ---- functions ---- */

static int by_start(const void *pa, const void *pb)
{
	const struct die_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void sort_ranges(die_ranges *r)
{
	if (r->count)
		qsort(r->items, r->count, sizeof(*r->items), by_start);
}

static void add_ranges(die_ranges *r, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start < end)
			vec_push(r, (struct die_range){ start, end, dwarf_dieoffset(die) });
}

static const struct die_range *range_at(const die_ranges *r, u64 addr)
{
	size_t at = lower_bound(i, 0, r->count, r->items[i].start <= addr);

	return at && addr < r->items[at - 1].end ? &r->items[at - 1] : NULL;
}

/*
 * Finds the unit with code at pc, by the units' own ranges if needed: clang writes no index of
 * addresses.
 */
static bool unit_at(struct types_file *f, u64 pc, Dwarf_Die *unit)
{
	const struct die_range *r;
	Dwarf_CU *cu = NULL;

	if (dwarf_addrdie(f->dwarf, pc, unit))
		return true;
	while (!f->units_read && !dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, unit, NULL))
		add_ranges(&f->units, unit);
	if (!f->units_read)
		sort_ranges(&f->units);
	f->units_read = true;
	r = range_at(&f->units, pc);
	return r && dwarf_offdie(f->dwarf, r->die, unit);
}

/* Adds functions among the parent's children, or in a namespace or class there. */
static void add_functions(die_ranges *r, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			add_ranges(r, &child);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			add_functions(r, &child, depth + 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/*
 * Returns the functions of a unit. Walks each unit once: one of the kernel's takes a millisecond.
 */
static const die_ranges *functions_of(struct types_file *f, Dwarf_Die *unit)
{
	bool added;
	u64 *at = map64_put(&f->functions_of, dwarf_dieoffset(unit), &added);
	die_ranges *r;

	if (!added)
		return f->functions.items[*at];
	*at = f->functions.count;
	r = xcalloc(1, sizeof(*r));
	add_functions(r, unit, 0);
	sort_ranges(r);
	vec_push(&f->functions, r);
	return r;
}

static bool find_function(struct types_file *f, u64 pc, Dwarf_Die *out)
{
	const struct die_range *r;
	Dwarf_Die unit;

	if (!unit_at(f, pc, &unit))
		return false;
	r = range_at(functions_of(f, &unit), pc);
	return r && dwarf_offdie(f->dwarf, r->die, out);
}

static bool function_at(struct types_file *f, u64 pc)
{
	if (f->function_known && dwarf_haspc(&f->function, pc) == 1)
		return true;
	f->scope_count = 0;
	vec_clear(&f->places);
	map64_release(&f->places_at);
	f->function_known = find_function(f, pc, &f->function);
	return f->function_known;
}

static bool inner_scope(Dwarf_Die *scope, u64 pc, Dwarf_Die *out)
{
	Dwarf_Die child;

	if (dwarf_child(scope, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(&child, pc) == 1) {
			*out = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Fills in f->scopes: blocks and inlined calls around pc, then the function. */
static bool scopes_at(struct types_file *f, u64 pc)
{
	Dwarf_Die outward[MAX_DEPTH];
	int n = 1;

	if (!function_at(f, pc))
		return false;
	if (f->scope_count && f->scopes_pc == pc)
		return true;
	outward[0] = f->function;
	while (n < MAX_DEPTH && inner_scope(&outward[n - 1], pc, &outward[n]))
		n++;
	for (int i = 0; i < n; i++)
		f->scopes[i] = outward[n - 1 - i];
	f->scope_count = n;
	f->scopes_pc = pc;
	return true;
}

/* Adds the places of variables, inner ones first. */
static void find_places(struct types_file *f, u64 pc)
{
	for (int i = 0; i < f->scope_count; i++) {
		Dwarf_Die child;

		if (dwarf_child(&f->scopes[i], &child))
			continue;
		do {
			int tag = dwarf_tag(&child);

			if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
				add_places(f, &child, pc);
		} while (!dwarf_siblingof(&child, &child));
	}
}

bool types_of_register(struct types_file *f, u64 pc, s8 reg, s64 disp, struct place_type *out)
{
	bool added;
	u64 *range;

	if (!function_at(f, pc))
		return false;
	range = map64_put(&f->places_at, pc, &added);
	if (added) {
		u64 first = f->places.count;

		*range = first << 32 | first;
		if (scopes_at(f, pc)) {
			find_places(f, pc);
			*range = first << 32 | f->places.count;
		}
	}
	for (u64 i = *range >> 32; i < (*range & UINT32_MAX); i++)
		if (explains(&f->places.items[i], reg, disp, out))
			return true;
	return false;
}

/* ---- globals ---- */

/* Reads an address, or the index of one in the unit's table. */
static bool address_of(Dwarf_Attribute *attr, const Dwarf_Op *op, Dwarf_Addr *addr)
{
	Dwarf_Attribute at;

	*addr = op->number;
	return op->atom == DW_OP_addr ||
	       (op->atom == DW_OP_addrx && !dwarf_getlocation_attr(attr, op, &at) &&
		!dwarf_formaddr(&at, addr));
}

static void add_globals(struct types_file *f, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth > 4 || dwarf_child(parent, &child))
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Die type;
		Dwarf_Addr addr;
		Dwarf_Op *ops;
		size_t n;
		u64 size;
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
		    tag == DW_TAG_lexical_block)
			add_globals(f, &child, depth + 1);
		if (tag != DW_TAG_variable || !dwarf_attr(&child, DW_AT_location, &attr) ||
		    dwarf_getlocation(&attr, &ops, &n) || n != 1 ||
		    !address_of(&attr, &ops[0], &addr) || !type_of(&child, &type) ||
		    !type_has_size(&type, &size))
			continue;
		vec_push(&f->globals,
			 (struct die_range){ addr, addr + size, dwarf_dieoffset(&type) });
	} while (!dwarf_siblingof(&child, &child));
}

bool types_of_address(struct types_file *f, u64 addr, struct place_type *out)
{
	const struct die_range *r;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	while (!f->globals_read && !dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		add_globals(f, &unit, 0);
	if (!f->globals_read)
		sort_ranges(&f->globals);
	f->globals_read = true;
	r = range_at(&f->globals, addr);
	if (!r)
		return false;
	*out = (struct place_type){ .die = r->die, .offset = addr - r->start };
	return true;
}

bool types_of_result(struct types_file *f, u64 function, u8 local_entry, struct place_type *out)
{
	Dwarf_Die callee, type, target;
	Dwarf_Addr entry;

	/* f->function stays that of the caller */
	if (!find_function(f, function, &callee) || dwarf_entrypc(&callee, &entry) ||
	    function - entry > local_entry || !type_of(&callee, &type) ||
	    !type_strip(&type, &type) || !type_is_pointer(&type) || !type_of(&type, &target))
		return false;
	*out = (struct place_type){ .die = dwarf_dieoffset(&target) };
	return true;
}

void types_variables_release(struct types_file *f)
{
	vec_for_each(&f->functions, r) {
		vec_release(*r);
		free(*r);
	}
	vec_release(&f->functions);
	map64_release(&f->functions_of);
	vec_release(&f->units);
	vec_release(&f->globals);
	vec_release(&f->places);
	map64_release(&f->places_at);
}
