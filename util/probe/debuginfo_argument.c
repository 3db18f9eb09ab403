// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An argument of a probe: a variable or $retval, steps into it, and its type, as the
 * kernel's fetch arguments have them.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/debuginfo_internal.h"

#define ARRAY_LIMIT 64 /* elements: the kernel's limit */
#define MEMBER_DEPTH 16 /* structures within structures without a name */

struct argument {
	struct debuginfo *d;
	const struct probe_place *place;
	const struct probe_argument *given;
	const struct scope *scope;
	const struct arch *arch;
	struct reason *r;
	struct fetch_value value;
	Dwarf_Die variable;
	Dwarf_Die type; /* real; has_type: void has none */
	bool has_type;
	bool user;	/* the value lies behind a pointer of the task */
	/* A part of the value, in bits from its lowest; 0 bits: all of it. */
	bool is_part;
	u64 part_bits, part_offset, part_container;
	u64 elements; /* of an array asked for, 0: none */
};

static int bad_step(struct argument *a, const char *name, const char *why)
{
	return reason_set(a->r, EINVAL, "'%s' in '%s' %s", name, a->given->text ? a->given->text :
			  a->given->base_name, why);
}

static bool is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool is_reference(int tag)
{
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static void set_type(struct argument *a, Dwarf_Die *holder)
{
	a->has_type = type_real(holder, &a->type);
}

/* From a pointer to what it points to. */
static int follow(struct argument *a)
{
	Dwarf_Die pointer = a->type;
	int err;

	if (a->value.is_memory) {
		err = fetch_read(&a->value, a->user, a->r);
		if (err)
			return err;
	}
	a->value.is_memory = true;
	a->user = a->given->user;
	set_type(a, &pointer);
	return 0;
}

/* C++ has references: they stand for what they refer to. */
static int see_through_reference(struct argument *a)
{
	return a->has_type && is_reference(dwarf_tag(&a->type)) ? follow(a) : 0;
}

struct member {
	Dwarf_Die die;
	u64 bytes; /* from the start of the outermost */
};

static bool member_offset(Dwarf_Die *die, u64 *bytes)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;
	Dwarf_Op *ops;
	size_t count;

	*bytes = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attr))
		return true;
	if (dwarf_whatform(&attr) != DW_FORM_exprloc && dwarf_formudata(&attr, &number) == 0) {
		*bytes = number;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &count) == 0 && count == 1 &&
	    ops[0].atom == DW_OP_plus_uconst) {
		*bytes = ops[0].number;
		return true;
	}
	return false;
}

/* Also in members without a name and in base classes. */
static bool find_member(Dwarf_Die *type, const char *name, struct member *out, int depth)
{
	Dwarf_Die die, inner;
	u64 offset;

	if (depth > MEMBER_DEPTH || dwarf_child(type, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *n = dwarf_diename(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !member_offset(&die, &offset))
			continue;
		if (tag == DW_TAG_member && n && strcmp(n, name) == 0) {
			out->die = die;
			out->bytes = offset;
			return true;
		}
		if ((n && tag == DW_TAG_member) || !type_real(&die, &inner) ||
		    !is_aggregate(dwarf_tag(&inner)))
			continue;
		if (find_member(&inner, name, out, depth + 1)) {
			out->bytes += offset;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* A declaration's definition: the one in this unit, of the same name. */
static bool complete_type(struct argument *a)
{
	const char *name = dwarf_diename(&a->type);
	int tag = dwarf_tag(&a->type);
	Dwarf_Die unit, die;

	if (!dwarf_hasattr(&a->type, DW_AT_declaration))
		return true;
	if (!name)
		return false;
	vec_for_each(&a->d->units, u) {
		if (!unit_open(a->d, u))
			continue;
		unit = u->die;
		if (dwarf_child(&unit, &die) != 0)
			continue;
		do {
			const char *n = dwarf_tag(&die) == tag ? dwarf_diename(&die) : NULL;

			if (n && strcmp(n, name) == 0 && !dwarf_hasattr(&die, DW_AT_declaration)) {
				a->type = die;
				return true;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
	return false;
}

static int no_member(struct argument *a, const char *name)
{
	struct { VEC(const char *) list; } names = { VEC_INIT };
	const char *type = dwarf_diename(&a->type), *n, *near;
	Dwarf_Die die;

	reason_set(a->r, ENOENT, "%s '%s' has no member '%s'",
		   dwarf_tag(&a->type) == DW_TAG_union_type ? "union" : "structure",
		   type ? type : "(without name)", name);
	if (dwarf_child(&a->type, &die) == 0) {
		do {
			n = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;
			if (n)
				vec_push(&names.list, n);
		} while (dwarf_siblingof(&die, &die) == 0);
	}
	near = nearest_name(name, names.list.items, names.list.count);
	if (near)
		reason_hint(a->r, "did you mean '%s'?", near);
	vec_release(&names.list);
	return -ENOENT;
}

/*
 * Where a bit field is, in bits from the lowest of a container that the kernel can
 * read.  first: bits from the start of the structure, as the file's byte order counts.
 */
static int place_bits(struct argument *a, u64 first, u64 width, u64 unit_bytes)
{
	u64 unit = unit_bytes * 8, start;

	if (!unit || (unit & (unit - 1)) || unit > 64)
		unit = 32;
	start = first / unit * unit;
	if (first - start + width > unit) { /* packed: over the edge of its unit */
		start = first / 8 * 8;
		unit = 64;
	}
	if (!width || first - start + width > unit)
		return reason_set(a->r, ENOTSUP, "a bit field of %" PRIu64 " bits cannot be fetched",
				  width);
	a->is_part = true;
	a->part_bits = width;
	a->part_container = unit;
	a->part_offset = a->d->big_endian ? unit - (first - start) - width : first - start;
	a->value.pending += (s64)(start / 8);
	return 0;
}

static bool number_of(Dwarf_Die *die, unsigned name, u64 *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &number) != 0)
		return false;
	*out = number;
	return true;
}

/* DWARF 4 counts a bit field from the top of its storage, DWARF 5 from the structure's start. */
static int take_bit_field(struct argument *a, const struct member *m, u64 width)
{
	Dwarf_Die die = m->die;
	u64 bytes = 0, offset, first;

	if (!number_of(&die, DW_AT_byte_size, &bytes) && a->has_type)
		type_size(&a->type, &bytes);
	if (number_of(&die, DW_AT_data_bit_offset, &offset))
		first = m->bytes * 8 + offset;
	else if (number_of(&die, DW_AT_bit_offset, &offset))
		first = m->bytes * 8 +
			(a->d->big_endian ? offset : bytes * 8 - (u64)(s64)offset - width);
	else
		first = m->bytes * 8;
	return place_bits(a, first, width, bytes);
}

/* A structure in a register: the member is some of its bits. */
static int take_register_part(struct argument *a, const struct member *m)
{
	u64 size;

	if (a->is_part || a->value.base != FETCH_REGISTER || a->value.reads || a->value.pending)
		return reason_set(a->r, ENOTSUP, "'%s' lies in registers in a form that a probe cannot take apart",
				  a->given->base_name);
	if (!a->has_type || !type_size(&a->type, &size) || m->bytes + size > 8 || !size)
		return reason_set(a->r, ENOTSUP, "'%s' is too wide for a register", a->given->base_name);
	if (size == 8)
		return 0;
	a->is_part = true;
	a->part_bits = size * 8;
	a->part_container = 64;
	a->part_offset = a->d->big_endian ? 64 - (m->bytes + size) * 8 : m->bytes * 8;
	return 0;
}

static int take_member(struct argument *a, const char *name)
{
	struct member m;
	u64 width;

	if (!complete_type(a))
		return bad_step(a, name, "is of a structure that is only declared in the debug information");
	if (!find_member(&a->type, name, &m, 0))
		return no_member(a, name);
	set_type(a, &m.die);
	if (!a->value.is_memory)
		return take_register_part(a, &m);
	if (number_of(&m.die, DW_AT_bit_size, &width))
		return take_bit_field(a, &m, width);
	a->value.pending += (s64)m.bytes;
	return see_through_reference(a);
}

static int step_member(struct argument *a, const struct probe_step *s)
{
	int tag = a->has_type ? dwarf_tag(&a->type) : 0, err;
	bool arrow = s->kind == PROBE_ARROW;

	if (tag == DW_TAG_pointer_type) {
		if (!arrow)
			return bad_step(a, s->name, "is a member behind a pointer: write -> before it");
		err = follow(a);
		if (err)
			return err;
		tag = a->has_type ? dwarf_tag(&a->type) : 0;
	} else if (arrow && is_aggregate(tag)) {
		return bad_step(a, s->name, "is a member of a structure, not of a pointer: write . before it");
	}
	if (!is_aggregate(tag))
		return bad_step(a, s->name, "is not in a structure or union");
	return take_member(a, s->name);
}

/* How many elements follow in an array of some dimensions, after the first. */
static bool inner_elements(Dwarf_Die *array, u64 *count)
{
	bool first = true;
	Dwarf_Die die;

	*count = 1;
	if (dwarf_child(array, &die) != 0)
		return false;
	do {
		u64 n, upper;

		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (first) {
			first = false;
			continue;
		}
		if (number_of(&die, DW_AT_count, &n))
			*count *= n;
		else if (number_of(&die, DW_AT_upper_bound, &upper))
			*count *= upper + 1;
		if (!*count || *count > 1 << 20)
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return !first;
}

static int step_index(struct argument *a, const struct probe_step *s)
{
	int tag = a->has_type ? dwarf_tag(&a->type) : 0, err;
	const char *name = a->given->base_name;
	u64 size, inner = 1;

	if (tag == DW_TAG_pointer_type) {
		err = follow(a);
		if (err)
			return err;
	} else if (tag == DW_TAG_array_type) {
		Dwarf_Die array = a->type;

		if (!a->value.is_memory)
			return bad_step(a, name, "is an array that does not lie in memory");
		if (!inner_elements(&array, &inner))
			return bad_step(a, name, "is an array of unknown form");
		set_type(a, &array);
	} else {
		return bad_step(a, name, "is neither an array nor a pointer, so it has no elements");
	}
	if (!a->has_type || !type_size(&a->type, &size))
		return bad_step(a, name, "has elements of unknown size");
	/* Of more dimensions the elements are counted one by one, as they lie in memory. */
	a->value.pending = (s64)((u64)a->value.pending + (u64)s->first * size);
	if (s->kind != PROBE_RANGE)
		return see_through_reference(a);
	if (s->last < s->first || s->last - s->first >= ARRAY_LIMIT)
		return bad_step(a, name, "has a range that is empty or longer than 64 elements");
	a->elements = (u64)(s->last - s->first) + 1;
	return 0;
}

static int step_dereference(struct argument *a, const struct probe_step *s)
{
	int err;

	if (a->value.is_memory) {
		err = fetch_read(&a->value, a->user, a->r);
		if (err)
			return err;
	}
	a->value.pending += s->first;
	a->value.is_memory = true;
	a->user = s->user || a->given->user;
	a->has_type = false;
	return 0;
}

static int take_step(struct argument *a, const struct probe_step *s)
{
	if (a->elements || a->is_part)
		return bad_step(a, s->name ? s->name : a->given->base_name,
				"cannot be taken from a part of a value");
	switch (s->kind) {
	case PROBE_MEMBER:
	case PROBE_ARROW:
		return step_member(a, s);
	case PROBE_INDEX:
	case PROBE_RANGE:
		return step_index(a, s);
	case PROBE_DEREFERENCE:
		return step_dereference(a, s);
	}
	return -EINVAL;
}

static bool has_no_integer(Dwarf_Die *type)
{
	u64 encoding;

	return number_of(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
		encoding == DW_ATE_decimal_float);
}

static int start_with_retval(struct argument *a)
{
	Dwarf_Die function = a->scope->function;

	a->value = (struct fetch_value){ .base = FETCH_TEXT, .text = "$retval" };
	set_type(a, &function);
	if (a->has_type && !a->given->type && has_no_integer(&a->type))
		return reason_set(a->r, ENOTSUP, "'%s' returns a floating point number, in a register "
				  "that a probe cannot read", a->place->function);
	return see_through_reference(a);
}

static int say_no_variable(struct argument *a)
{
	struct strlist names = { VEC_INIT };
	Dwarf_Die scope = a->scope->scope;
	const char *near, *function = dwarf_diename(&scope);

	if (variable_find_dead(a->scope, a->given->base_name, &a->variable))
		return debuginfo_not_here(a->scope, &a->variable, a->r);
	reason_set(a->r, ENOENT, "'%s' is no variable that can be seen in '%s'", a->given->base_name,
		   function ? function : a->place->function);
	near = debuginfo_expand(a->d, a->place, false, false, &names, NULL) < 0 ? NULL :
	       nearest_name(a->given->base_name, (const char *const *)names.list.items,
			    names.list.count);
	if (near)
		reason_hint(a->r, "did you mean '%s'?", near);
	strlist_release(&names);
	return -ENOENT;
}

static bool is_signed(Dwarf_Die *type)
{
	Dwarf_Die underlying = *type;
	u64 encoding;

	if (!number_of(type, DW_AT_encoding, &encoding) &&
	    (dwarf_tag(type) != DW_TAG_enumeration_type || !type_real(type, &underlying) ||
	     !number_of(&underlying, DW_AT_encoding, &encoding)))
		return false;
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
	       encoding == DW_ATE_signed_fixed;
}

/* Only the lowest bits of the register are the variable's: a bit field of it. */
static int narrow(struct argument *a)
{
	u64 size, bits = a->value.valid_bits;

	if (!bits || (a->has_type && type_size(&a->type, &size) && size * 8 <= bits))
		return 0;
	if (!a->has_type || !type_size(&a->type, &size) || size > 8 || is_signed(&a->type))
		return reason_set(a->r, ENOTSUP, "'%s' is computed, and a probe can only add constants "
				  "and read memory", a->given->base_name);
	a->is_part = true;
	a->part_bits = bits;
	a->part_offset = 0;
	a->part_container = size > 4 ? 64 : size > 2 ? 32 : size * 8;
	return 0;
}

static int start_with_variable(struct argument *a, bool is_return)
{
	int err;

	if (!variable_find(a->d, a->scope, a->place->address, a->given->base_name, &a->variable))
		return say_no_variable(a);
	err = debuginfo_locate(a->d, a->scope, a->place->address, &a->variable, &a->value, a->r);
	if (err)
		return err;
	if (is_return && a->value.base == FETCH_REGISTER)
		return reason_set(a->r, ERANGE, "'%s' is gone when '%s' returns: a return probe has "
				  "$retval and global variables", a->given->base_name,
				  a->place->function);
	set_type(a, &a->variable);
	err = narrow(a);
	return err ? err : see_through_reference(a);
}

/* Global variables: in the kernel by symbol; in a program from where its code was mapped. */
static int write_address(struct argument *a, u64 address, struct strbuf *b)
{
	const char *name;
	u64 offset;

	if (a->d->is_kernel) {
		if (!debuginfo_symbol_covering(a->d, address, dwarf_diename(&a->variable), &name,
					       &offset))
			return reason_set(a->r, ENOENT, "no symbol covers the global variable '%s'",
					  a->given->base_name);
		strbuf_f(b, "@%s+%" PRIu64, name, offset);
		return 0;
	}
	if (a->place->file_offset == UINT64_MAX)
		return reason_set(a->r, ENOTSUP, "'%s' is global, and the probe is outside of the file",
				  a->given->base_name);
	/*
	 * The kernel adds the number to (address of the probe - its file offset), so data
	 * mapped with another distance to the file than the code needs it put right.
	 */
	strbuf_f(b, "@+0x%" PRIx64, address - (a->place->address - a->place->file_offset));
	return 0;
}

static int write_base(struct argument *a, u64 offset, struct strbuf *b)
{
	const struct fetch_value *v = &a->value;
	const char *name;

	switch (v->base) {
	case FETCH_REGISTER:
		name = a->arch && v->reg < a->arch->probe_reg_count ? a->arch->probe_regs[v->reg] : NULL;
		if (!name)
			return reason_set(a->r, ENOTSUP, "'%s' is in register %u (DWARF's number), which "
					  "a probe on %s cannot read", a->given->base_name, v->reg,
					  a->arch ? a->arch->name : "this machine");
		strbuf_str(b, name);
		return 0;
	case FETCH_CONSTANT:
		strbuf_f(b, "\\%" PRId64, (s64)(v->number + offset));
		return 0;
	case FETCH_ADDRESS:
		return write_address(a, v->number + offset, b);
	case FETCH_TEXT:
		strbuf_str(b, v->text);
		return 0;
	}
	return -EINVAL;
}

static int write_fetch(struct argument *a, struct strbuf *out)
{
	struct strbuf base = STRBUF_INIT;
	struct fetch_value *v = &a->value;
	unsigned first = 0;
	u64 fused = 0;
	int err = 0;

	if (v->is_memory)
		err = fetch_read(v, a->user, a->r);
	if (!err && v->base == FETCH_ADDRESS && !v->reads)
		err = reason_set(a->r, ENOTSUP, "'%s' is an address, which is not the same in each run",
				 a->given->base_name);
	if (!err && v->pending && !(v->base == FETCH_CONSTANT && !v->reads))
		err = reason_set(a->r, ENOTSUP, "the value of '%s' is that of a register or of memory plus "
				 "%" PRId64 ", and a probe cannot add", a->given->base_name, v->pending);
	if (err)
		return err;
	/* @ADDRESS is itself a read of memory; a constant has nothing to add to. */
	if (v->base == FETCH_ADDRESS) {
		fused = (u64)v->offsets[0];
		first = 1;
	} else if (v->base == FETCH_CONSTANT && !v->reads) {
		fused = (u64)v->pending;
	}
	err = write_base(a, fused, &base);
	for (unsigned i = v->reads; !err && i > first; i--)
		strbuf_f(out, "%c%s%" PRIu64 "(", v->offsets[i - 1] < 0 ? '-' : '+',
			 v->user[i - 1] ? "u" : "",
			 v->offsets[i - 1] < 0 ? -(u64)v->offsets[i - 1] : (u64)v->offsets[i - 1]);
	if (!err)
		strbuf_str(out, strbuf_cstr(&base));
	for (unsigned i = first; !err && i < v->reads; i++)
		strbuf_char(out, ')');
	strbuf_release(&base);
	return err;
}

static bool is_char(Dwarf_Die *type)
{
	u64 size, encoding;

	return type_size(type, &size) && size == 1 && number_of(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
		encoding == DW_ATE_UTF || encoding == DW_ATE_signed || encoding == DW_ATE_unsigned);
}

static int as_string(struct argument *a)
{
	int tag = a->has_type ? dwarf_tag(&a->type) : 0;
	Dwarf_Die element;

	if (!a->has_type) {
		a->value.is_memory = true;
		return 0;
	}
	if (tag != DW_TAG_pointer_type && tag != DW_TAG_array_type)
		return reason_set(a->r, EINVAL, "'%s' is neither a pointer nor an array, so it is no string",
				  a->given->text ? a->given->text : a->given->base_name);
	if (!type_real(&a->type, &element) || !is_char(&element))
		return reason_set(a->r, EINVAL, "'%s' does not point to characters, so it is no string",
				  a->given->text ? a->given->text : a->given->base_name);
	if (tag == DW_TAG_pointer_type)
		return follow(a);
	a->user = a->given->user;
	if (!a->value.is_memory)
		return reason_set(a->r, ENOTSUP, "'%s' is a string that does not lie in memory",
				  a->given->base_name);
	return 0;
}

/* Bits of a plain value, as the kernel can read them: 8, 16, 32, 64; 0: not known. */
static unsigned value_bits(struct argument *a)
{
	u64 size;

	if (dwarf_tag(&a->type) == DW_TAG_pointer_type ||
	    dwarf_tag(&a->type) == DW_TAG_ptr_to_member_type)
		return elf_is_64(a->d->elf) ? 64 : 32;
	if (dwarf_tag(&a->type) == DW_TAG_array_type || !type_size(&a->type, &size) || !size)
		return 0;
	return size >= 8 ? 64 : size >= 4 ? 32 : size >= 2 ? 16 : 8;
}

static void write_value_type(struct argument *a, char prefix, struct strbuf *type)
{
	unsigned bits = a->has_type ? value_bits(a) : 0;

	if (!bits)
		return;
	strbuf_f(type, "%c%u", prefix ? prefix : is_signed(&a->type) ? 's' : 'x', bits);
	if (a->elements)
		strbuf_f(type, "[%" PRIu64 "]", a->elements);
}

static int write_type(struct argument *a, struct strbuf *type)
{
	const char *cast = a->given->type;

	if (cast && (strcmp(cast, "string") == 0 || strcmp(cast, "ustring") == 0)) {
		int err = a->given->array || a->elements ? 0 : as_string(a);

		if (err)
			return err;
	} else if (!cast || strlen(cast) == 1) {
		if (a->is_part)
			strbuf_f(type, "b%" PRIu64 "@%" PRIu64 "/%" PRIu64, a->part_bits, a->part_offset,
				 a->part_container);
		else
			write_value_type(a, cast ? cast[0] : 0, type);
		return 0;
	}
	strbuf_str(type, cast);
	if (a->given->array || a->elements)
		strbuf_f(type, "[%" PRIu64 "]", a->given->array ? a->given->array : a->elements);
	return 0;
}

/* As given; else the last member; else the variable, with the type asked for. */
static void write_name(const struct probe_argument *given, struct strbuf *name)
{
	const char *member = NULL;
	bool steps = false;

	vec_for_each(&given->steps, s) {
		steps = true;
		if (s->kind == PROBE_MEMBER || s->kind == PROBE_ARROW)
			member = s->name;
	}
	if (given->name)
		strbuf_str(name, given->name);
	else if (member)
		strbuf_str(name, member);
	else if (given->base == PROBE_VARIABLE) {
		strbuf_str(name, given->base_name);
		if (given->type && !steps) {
			strbuf_f(name, "_%s", given->type);
			for (char *c = name->s; *c; c++)
				if (strchr("@/[]:", *c))
					*c = '_';
		}
	}
}

int debuginfo_argument(struct debuginfo *d, const struct probe_place *place,
		       const struct probe_argument *argument, bool is_return,
		       const struct arch *arch, struct strbuf *name, struct strbuf *fetch,
		       struct strbuf *type, struct reason *r)
{
	struct argument a = { .d = d, .place = place, .given = argument,
			      .arch = arch ? arch : d->arch, .r = r };
	int err;

	if (place->scope >= d->scopes.count)
		return reason_set(r, EINVAL, "this place is not of '%s'", d->path);
	a.scope = &d->scopes.items[place->scope];
	if (argument->base == PROBE_VARIABLE)
		err = start_with_variable(&a, is_return);
	else if (argument->base == PROBE_RETVAL)
		err = start_with_retval(&a);
	else
		return reason_set(r, EINVAL, "'%s' needs no debug information",
				  argument->text ? argument->text : "?");
	for (size_t i = 0; i < argument->steps.count && !err; i++)
		err = take_step(&a, &argument->steps.items[i]);
	if (!err)
		err = write_type(&a, type);
	if (!err)
		err = write_fetch(&a, fetch);
	if (!err)
		write_name(argument, name);
	return err;
}
