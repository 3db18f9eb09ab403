// SPDX-License-Identifier: GPL-2.0-or-later
/* Types: their names as -V shows them, their real selves, their sizes. */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "dwarf/die.h"

/* A longer chain of typedefs, qualifiers and pointers is a loop. */
#define TYPE_DEPTH 64

bool type_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type ||
	       tag == DW_TAG_shared_type;
}

bool type_strip(const Dwarf_Die *type, Dwarf_Die *out)
{
	*out = *type;
	for (int i = 0; i < TYPE_DEPTH; i++) {
		int tag = dwarf_tag(out);

		if (tag != DW_TAG_typedef && !is_qualifier(tag))
			return true;
		if (!type_of(out, out))
			return false;
	}
	return false;
}

bool type_real(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Die type;

	return type_of(die, &type) && type_strip(&type, out);
}

bool type_size(Dwarf_Die *type, u64 *size)
{
	Dwarf_Word bytes;

	if (dwarf_aggregate_size(type, &bytes) != 0)
		return false;
	*size = bytes;
	return true;
}

bool type_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static const char *keyword(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	case DW_TAG_class_type:
		return "class ";
	}
	return "";
}

static void name_of(Dwarf_Die *die, struct strbuf *b, int depth)
{
	Dwarf_Die type;
	int tag;

	if (depth > TYPE_DEPTH || !type_of(die, &type)) {
		strbuf_str(b, "void");
		return;
	}
	while (is_qualifier(dwarf_tag(&type)))
		if (depth++ > TYPE_DEPTH || !type_of(&type, &type)) {
			strbuf_str(b, "void");
			return;
		}
	tag = dwarf_tag(&type);
	if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type) {
		name_of(&type, b, depth + 1);
		strbuf_char(b, '*');
	} else if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
		name_of(&type, b, depth + 1);
		strbuf_str(b, tag == DW_TAG_reference_type ? "&" : "&&");
	} else if (tag == DW_TAG_subroutine_type) {
		strbuf_str(b, "(function_type)");
	} else {
		const char *name = dwarf_diename(&type);

		strbuf_str(b, keyword(tag));
		strbuf_str(b, name ? name : keyword(tag)[0] ? "{...}" : "(unknown_type)");
	}
}

void type_name(Dwarf_Die *variable, struct strbuf *b)
{
	name_of(variable, b, 0);
}

bool type_is_signed(Dwarf_Die *type)
{
	Dwarf_Die underlying = *type;
	u64 encoding;

	if (!die_number(type, DW_AT_encoding, &encoding) &&
	    (dwarf_tag(type) != DW_TAG_enumeration_type || !type_real(type, &underlying) ||
	     !die_number(&underlying, DW_AT_encoding, &encoding)))
		return false;
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
	       encoding == DW_ATE_signed_fixed;
}
