// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a variable is at an address: its location, constant value or symbol and, for one in pieces,
 * the piece with the requested bytes.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "probe/places_internal.h"

static int refuse(const struct expression *x, const char *why)
{
	return reason_set(x->r, ENOTSUP, "'%s' cannot be fetched here: %s", x->name, why);
}

static int constant_value(const struct expression *x, Dwarf_Attribute *attr,
			  struct fetch_value *out)
{
	Dwarf_Word number;
	Dwarf_Sword signed_number;
	Dwarf_Block block;

	*out = (struct fetch_value){ .base = FETCH_CONSTANT };
	if (dwarf_whatform(attr) == DW_FORM_sdata && dwarf_formsdata(attr, &signed_number) == 0)
		out->number = (u64)signed_number;
	else if (dwarf_formudata(attr, &number) == 0)
		out->number = number;
	else if (dwarf_formblock(attr, &block) == 0 && block.length <= 8)
		out->number = debuginfo_number(x->d, block.data, block.length);
	else
		return refuse(x, "it is a constant that no probe can hold");
	return 0;
}

/*
 * Finds a range without length, which describes a place between two instructions, here: that is
 * where a probe at this address stops.
 */
static bool location_between(const struct expression *x, Dwarf_Attribute *attr, Dwarf_Op **ops,
			     size_t *count)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_getlocations(attr, next, &base, &start, &end, ops, count)) > 0)
		if (start == end && start == x->address && *count)
			return true;
	return false;
}

/*
 * A function's first bytes may be a call of the tracer, from before the locations
 * begin: a parameter is then where its first location says.
 */
#define ENTRY_SLACK 16

/* Instructions that the compiler puts there: they leave the registers of parameters alone. */
static const struct tracer_instruction {
	u16 machine;
	u8 size, known; /* bytes: of all, and of the compared ones */
	u8 bytes[5];    /* of words: the highest byte first */
} tracer_instructions[] = {
	{ EM_X86_64, 4, 4, { 0xf3, 0x0f, 0x1e, 0xfa } },       /* endbr64 */
	{ EM_X86_64, 5, 1, { 0xe8 } },                         /* call __fentry__ */
	{ EM_X86_64, 6, 2, { 0xff, 0x15 } },                   /* the same through the GOT */
	{ EM_X86_64, 5, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } }, /* what replaces the call */
	{ EM_X86_64, 1, 1, { 0x90 } },                         /* -fpatchable-function-entry */
	{ EM_AARCH64, 4, 4, { 0xd5, 0x03, 0x24, 0x5f } },      /* bti c */
	{ EM_AARCH64, 4, 4, { 0xd5, 0x03, 0x20, 0x1f } },      /* nop */
	{ EM_PPC64, 4, 2, { 0x3c, 0x4c } },                    /* addis r2,r12: the TOC */
	{ EM_PPC64, 4, 2, { 0x38, 0x42 } },                    /* addi r2,r2 */
	{ EM_PPC64, 4, 4, { 0x7c, 0x08, 0x02, 0xa6 } },        /* mflr r0 */
	{ EM_PPC64, 4, 4, { 0xf8, 0x01, 0x00, 0x10 } },        /* std r0,16(r1) */
	{ EM_PPC64, 4, 1, { 0x4b } },                          /* bl _mcount */
	{ EM_PPC64, 4, 1, { 0x48 } },
	{ EM_PPC64, 4, 4, { 0x60, 0x00, 0x00, 0x00 } }, /* nop */
};

static bool is_tracer_instruction(const struct tracer_instruction *t, const u8 *p, bool reversed)
{
	for (u8 i = 0; i < t->known; i++)
		if (p[reversed ? 3 - i : i] != t->bytes[i])
			return false;
	return true;
}

/*
 * Returns how many bytes of the function at the address are such instructions, at most ENTRY_SLACK.
 */
static u64 tracer_bytes(const struct expression *x)
{
	u16 machine = elf_machine(x->d->elf);
	bool reversed = machine != EM_X86_64 && !x->d->big_endian;
	size_t size, done = 0, i;
	const u8 *data = elf_data(x->d->elf, &size);
	u64 offset;

	/* of modules, whose sections have no addresses yet: all are compiled in this way */
	if (!elf_addr_to_offset(x->d->elf, x->address, &offset))
		return ENTRY_SLACK;
	if (offset > size || size - offset < 2 * ENTRY_SLACK)
		return 0;
	do {
		for (i = 0; i < ARRAY_SIZE(tracer_instructions); i++)
			if (tracer_instructions[i].machine == machine &&
			    is_tracer_instruction(&tracer_instructions[i], data + offset + done,
						  reversed))
				break;
		done += i < ARRAY_SIZE(tracer_instructions) ? tracer_instructions[i].size : 0;
	} while (i < ARRAY_SIZE(tracer_instructions) && done < ENTRY_SLACK);
	return done;
}

static bool location_at(const struct expression *x, Dwarf_Attribute *attr, bool parameter,
			Dwarf_Op **ops, size_t *count)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	if (dwarf_getlocation_addr(attr, x->address, ops, count, 1) > 0)
		return *count > 0;
	if (location_between(x, attr, ops, count))
		return true;
	if (!parameter || !scope_begins_at(x->scope, x->address))
		return false;
	while ((next = dwarf_getlocations(attr, next, &base, &start, &end, ops, count)) > 0)
		if (start > x->address && start - x->address <= tracer_bytes(x) && *count)
			return true;
	return false;
}

int variable_not_here(const struct scope *s, Dwarf_Die *variable, struct reason *r)
{
	const char *name = dwarf_diename(variable);
	struct strbuf where = STRBUF_INIT;

	if (!name)
		name = "?";
	variable_ranges(s, variable, true, &where);
	if (where.len)
		reason_set(r, ERANGE, "'%s' has no value here: it is live at %s", name,
			   strbuf_cstr(&where));
	else
		reason_set(r, ERANGE, "'%s' was optimised out: it has no value anywhere", name);
	strbuf_release(&where);
	return -ERANGE;
}

static bool has_pieces(const Dwarf_Op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece)
			return true;
	return false;
}

int fetch_locate(struct debuginfo *d, const struct scope *s, u64 address, Dwarf_Die *variable,
		 struct fetch_value *out, struct reason *r)
{
	const char *name = dwarf_diename(variable);
	const struct expression x = { d, s, address, name ? name : "?", r };
	bool is_extern = dwarf_hasattr_integrate(variable, DW_AT_external);
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;
	u64 where;

	if (dwarf_attr(variable, DW_AT_location, &attr)) {
		if (!location_at(&x, &attr, dwarf_tag(variable) == DW_TAG_formal_parameter, &ops,
				 &count))
			return variable_not_here(s, variable, r);
		if (!has_pieces(ops, count))
			return expression_value(&x, &attr, ops, count, out);
		*out = (struct fetch_value){ .in_pieces = true,
					     .is_memory = true,
					     .variable = *variable };
	} else if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr)) {
		return constant_value(&x, &attr, out);
	} else if (is_extern && debuginfo_symbol_address(d, x.name, &where)) {
		*out = (struct fetch_value){ .base = FETCH_ADDRESS,
					     .number = where,
					     .is_memory = true };
	} else if (is_extern && d->is_kernel) {
		/* A module's: the kernel or another module has it. */
		*out = (struct fetch_value){ .base = FETCH_SYMBOL,
					     .text = x.name,
					     .is_memory = true };
	} else if (is_extern) {
		return reason_set(r, ENOTSUP, "'%s' is not in '%s': it is defined in another file",
				  x.name, d->path);
	} else {
		return variable_not_here(s, variable, r);
	}
	return 0;
}

/* What says where the bits [start, end) of a variable are; no operations: nowhere. */
struct piece {
	Dwarf_Op *ops;
	size_t count;
	u64 start, end;
};

/* Finds the piece with these bits, which are counted from the start of the variable. */
static int find_piece(const struct expression *x, Dwarf_Op *ops, size_t count,
		      const struct fetch_part *part, struct piece *out)
{
	size_t first = 0;
	u64 at = 0;

	for (size_t i = 0; i < count; i++) {
		Dwarf_Word bits = ops[i].atom == DW_OP_piece ? ops[i].number * 8 : ops[i].number;

		if (ops[i].atom != DW_OP_piece && ops[i].atom != DW_OP_bit_piece)
			continue;
		if (bits > (u64)1 << 32)
			return refuse(x, "its DWARF expression is damaged");
		*out = (struct piece){ ops + first, i - first, at, at + bits };
		if (part->from >= at && part->from < out->end)
			break;
		at = out->end;
		first = i + 1;
		out->count = 0;
	}
	/* Nothing is known of an empty piece, nor after the last one. */
	if (!out->count)
		return refuse(x, "this part of it has no value here");
	if (part->from + part->bits > out->end)
		return refuse(x, "it is in several pieces; name a member that is in one of them");
	if (out->ops[out->count].atom == DW_OP_bit_piece && out->ops[out->count].number2)
		return refuse(x, "its DWARF expression is one that perf does not know");
	return 0;
}

/* Shifts a piece to bits of a register or number that may not be the lowest. */
static int shift_piece(const struct expression *x, struct fetch_value *v, u64 shift,
		       struct fetch_part *part)
{
	part->from = shift;
	if (!shift)
		return 0;
	if (shift + part->bits > 64 || v->reads || v->pending || v->cut.bits ||
	    (v->base != FETCH_REGISTER && v->base != FETCH_CONSTANT))
		return refuse(x, "it is a part of a value that no probe can take apart");
	if (v->base != FETCH_CONSTANT)
		return 0;
	v->number >>= shift;
	part->from = 0;
	return 0;
}

int fetch_locate_piece(struct debuginfo *d, const struct scope *s, u64 address, const char *name,
		       struct fetch_part *part, struct fetch_value *v, struct reason *r)
{
	const struct expression x = { d, s, address, name, r };
	Dwarf_Die variable = v->variable;
	struct piece piece = { NULL };
	u64 before = (u64)v->pending;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;
	int err;

	if (!dwarf_attr(&variable, DW_AT_location, &attr) ||
	    !location_at(&x, &attr, dwarf_tag(&variable) == DW_TAG_formal_parameter, &ops, &count))
		return variable_not_here(s, &variable, r);
	err = find_piece(&x, ops, count, part, &piece);
	if (!err)
		err = expression_value(&x, &attr, piece.ops, piece.count, v);
	if (err)
		return err;
	/* From the lowest bit: the first bytes of big-endian values are their upper ones. */
	if (!v->is_memory)
		return shift_piece(&x, v,
				   d->big_endian ? piece.end - part->from - part->bits
						 : part->from - piece.start,
				   part);
	if (piece.start % 8 || before < piece.start / 8)
		return refuse(&x, "it is in a piece that does not begin at a byte");
	v->pending += (s64)(before - piece.start / 8);
	return 0;
}
