// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a function leaves its return value.
 *
 * A return probe reads one register. If the value is not returned in it, that register has some
 * other number, which must not be shown as the function's value. Source: the psABI of x86-64
 * (3.2.3) and those of other machines, as far as noted.
 */
#include <elf.h>
#include <errno.h>

#include "probe/places_internal.h"

static bool is_float(Dwarf_Die *type)
{
	u64 encoding;

	return die_number(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
		encoding == DW_ATE_imaginary_float || encoding == DW_ATE_decimal_float);
}

static bool has_integer(Dwarf_Die *type, int depth);

static bool member_has_integer(Dwarf_Die *parent, int depth)
{
	Dwarf_Die die, type;

	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    dwarf_hasattr(&die, DW_AT_data_member_location) && type_real(&die, &type) &&
		    has_integer(&type, depth + 1))
			return true;
		/* A union's members have no location. */
		if (tag == DW_TAG_member && dwarf_tag(parent) == DW_TAG_union_type &&
		    type_real(&die, &type) && has_integer(&type, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/*
 * Reports whether the type has an integer. One is enough to make the whole word an integer instead
 * of a floating-point number.
 */
static bool has_integer(Dwarf_Die *type, int depth)
{
	Dwarf_Die element;

	if (depth > 16)
		return false;
	if (type_is_aggregate(dwarf_tag(type)))
		return member_has_integer(type, depth);
	if (dwarf_tag(type) == DW_TAG_array_type)
		return type_real(type, &element) && has_integer(&element, depth + 1);
	return !is_float(type);
}

/*
 * Reports whether a C++ type is returned in memory, since it has its own copy constructor or
 * destructor.
 */
static bool goes_by_reference(Dwarf_Die *type)
{
	u64 convention;

	return die_number(type, DW_AT_calling_convention, &convention) &&
	       convention == DW_CC_pass_by_reference;
}

static enum return_place place_of_aggregate(struct argument *a)
{
	bool is_x86_64 = elf_machine(a->d->elf) == EM_X86_64;
	u64 size;

	if (!type_size(&a->type, &size) || !size)
		return RETURNS_PARTS;
	if (goes_by_reference(&a->type) || size > 16)
		return is_x86_64 ? RETURNS_ADDRESS : RETURNS_PARTS;
	return size <= 8 && elf_is_64(a->d->elf) && has_integer(&a->type, 0) ? RETURNS_REGISTER
									     : RETURNS_PARTS;
}

enum return_place return_place_of(struct argument *a)
{
	Dwarf_Die function = a->scope->function, type;
	u64 size;

	if (!a->has_type)
		return type_of(&function, &type) ? RETURNS_REGISTER : RETURNS_NOTHING;
	if (is_float(&a->type))
		return RETURNS_FLOAT;
	if (type_is_aggregate(dwarf_tag(&a->type)))
		return place_of_aggregate(a);
	if (dwarf_tag(&a->type) == DW_TAG_array_type)
		return RETURNS_PARTS;
	return type_size(&a->type, &size) && size > (elf_is_64(a->d->elf) ? 8u : 4u) &&
			       dwarf_tag(&a->type) == DW_TAG_base_type
		       ? RETURNS_PARTS
		       : RETURNS_REGISTER;
}

int refuse_return(struct argument *a, enum return_place place)
{
	const char *function = a->place->function;

	switch (place) {
	case RETURNS_NOTHING:
		return reason_set(a->r, ENOTSUP, "'%s' returns no value", function);
	case RETURNS_FLOAT:
		reason_set(
			a->r, ENOTSUP,
			"'%s' returns a floating point number, in a register that a probe cannot "
			"read",
			function);
		break;
	default:
		reason_set(a->r, ENOTSUP,
			   "'%s' returns its value in several registers, or in some that a probe "
			   "cannot read",
			   function);
	}
	reason_hint(a->r, "$retval:x64 records the integer register as it is");
	return -ENOTSUP;
}
