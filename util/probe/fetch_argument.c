// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An argument of a probe: a variable or $retval and its type, as the kernel's fetch
 * arguments have them.
 */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places_internal.h"

static int start_with_retval(struct argument *a)
{
	Dwarf_Die function = a->scope->function;
	enum return_place place;
	int err = 0;

	a->value = (struct fetch_value){ .base = FETCH_TEXT, .text = "$retval" };
	argument_set_type(a, &function);
	place = return_place_of(a);
	/* A requested type applies to the register, whatever the function returns. */
	if (place != RETURNS_REGISTER && place != RETURNS_ADDRESS &&
	    (!a->given->type || a->given->steps.count))
		err = refuse_return(a, place);
	a->value.is_memory = place == RETURNS_ADDRESS && (!a->given->type || a->given->steps.count);
	return err ? err : argument_see_through(a);
}

static int say_no_variable(struct argument *a)
{
	struct strlist names = { VEC_INIT };
	Dwarf_Die scope = a->scope->scope;
	const char *near, *function = dwarf_diename(&scope);

	if (variable_find_dead(a->scope, a->given->base_name, &a->variable))
		return variable_not_here(a->scope, &a->variable, a->r);
	reason_set(a->r, ENOENT, "variable '%s' is not visible in '%s'", argument_name(a),
		   function ? function : a->place->function);
	variable_names(a->scope, a->place->address, &names);
	near = nearest_name(a->given->base_name, (const char *const *)names.list.items,
			    names.list.count);
	if (near)
		reason_hint(a->r, "did you mean '%s'?", near);
	else
		reason_hint(a->r, "'perf probe -V %s' with the same options lists those there are",
			    a->place->function);
	strlist_release(&names);
	return -ENOENT;
}

/* Narrows a value to the bits of the register or memory that are the variable's. */
static int narrow(struct argument *a)
{
	u64 size;

	if (!a->value.cut.bits)
		return 0;
	if (!a->has_type || !type_size(&a->type, &size) || !size || size > 8)
		return reason_set(a->r, ENOTSUP,
				  "'%s' is computed, and a probe cannot fetch a value of its size",
				  argument_name(a));
	return argument_take_cut(a, size * 8);
}

static int start_with_variable(struct argument *a, bool is_return)
{
	int err;

	if (!variable_find(a->d, a->scope, a->place->address, a->given->base_name, &a->variable))
		return say_no_variable(a);
	err = fetch_locate(a->d, a->scope, a->place->address, &a->variable, &a->value, a->r);
	if (err)
		return err;
	if (is_return && a->value.base == FETCH_REGISTER)
		return reason_set(a->r, ERANGE,
				  "'%s' is gone when '%s' returns: a return probe has "
				  "$retval and global variables",
				  argument_name(a), a->place->function);
	argument_set_type(a, &a->variable);
	err = narrow(a);
	return err ? err : argument_see_through(a);
}

/*
 * Writes the address of a global variable: in the kernel by symbol, in a program from where its
 * code was mapped.
 */
static int write_address(struct argument *a, u64 address, struct strbuf *b)
{
	const char *name;
	u64 offset;

	if (a->d->is_kernel) {
		if (!debuginfo_symbol_covering(a->d, address, dwarf_diename(&a->variable), &name,
					       &offset))
			return reason_set(a->r, ENOENT, "no symbol covers the global variable '%s'",
					  argument_name(a));
		strbuf_f(b, "@%s+%" PRIu64, name, offset);
		return 0;
	}
	if (a->place->file_offset == UINT64_MAX)
		return reason_set(a->r, ENOTSUP,
				  "'%s' is global, and the probe is outside of the file",
				  argument_name(a));
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
	char other[ARCH_REG_NAME];
	const char *name;

	switch (v->base) {
	case FETCH_REGISTER:
		name = NULL;
		if (a->arch && v->reg < a->arch->probe_reg_count)
			name = a->arch->probe_regs[v->reg];
		if (!name && a->arch && arch_dwarf_name(a->arch, v->reg, other))
			return reason_set(a->r, ENOTSUP,
					  "'%s' is in register %s, which a probe on %s cannot read",
					  argument_name(a), other, a->arch->name);
		if (!name)
			return reason_set(a->r, ENOTSUP,
					  "'%s' is in register %u (DWARF's number), which "
					  "a probe on %s cannot read",
					  argument_name(a), v->reg,
					  a->arch ? a->arch->name : "this machine");
		strbuf_str(b, name);
		return 0;
	case FETCH_CONSTANT:
		strbuf_f(b, "\\%" PRId64, (s64)(v->number + offset));
		return 0;
	case FETCH_ADDRESS:
		return write_address(a, v->number + offset, b);
	case FETCH_SYMBOL:
		strbuf_f(b, "@%s+%" PRIu64, v->text, offset);
		return 0;
	case FETCH_TEXT:
		strbuf_str(b, v->text);
		return 0;
	case FETCH_IMPLIED:
		return argument_is_nowhere(a);
	}
	return -EINVAL;
}

/* Refuses an array: a pointer is a value, and what it points to is in memory. */
static int refuse_array(struct argument *a)
{
	const struct probe_argument *given = a->given;

	probe_refuse_array(given, a->r);
	if (a->has_type && dwarf_tag(&a->type) == DW_TAG_pointer_type)
		reason_hint(a->r, "'%s[0..%u]' reads the elements that it points to", given->text,
			    given->array - 1);
	return -EINVAL;
}

static int write_fetch(struct argument *a, struct strbuf *out)
{
	struct strbuf base = STRBUF_INIT;
	struct fetch_value *v = &a->value;
	bool is_address = v->base == FETCH_ADDRESS || v->base == FETCH_SYMBOL;
	unsigned first = 0;
	u64 fused = 0;
	int err = 0;

	if (v->is_memory)
		err = fetch_read(v, a->user, a->r);
	if (!err && is_address && !v->reads)
		err = reason_set(a->r, ENOTSUP,
				 "'%s' is an address, which is not the same in each run",
				 argument_name(a));
	if (!err && v->pending && v->base != FETCH_IMPLIED &&
	    !(v->base == FETCH_CONSTANT && !v->reads))
		err = reason_set(a->r, ENOTSUP,
				 "the value of '%s' is that of a register or of memory plus "
				 "%" PRId64 ", and a probe cannot add",
				 argument_text(a), v->pending);
	if (!err && a->given->array && !v->reads)
		err = refuse_array(a);
	if (err)
		return err;
	/* @ADDRESS is itself a read of memory; a constant has nothing to add to. */
	if (is_address) {
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

	return type_size(type, &size) && size == 1 && die_number(type, DW_AT_encoding, &encoding) &&
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
		return reason_set(a->r, EINVAL,
				  "'%s' is neither a pointer nor an array, so it is not a string",
				  argument_text(a));
	if (!type_real(&a->type, &element) || !is_char(&element))
		return reason_set(a->r, EINVAL,
				  "'%s' does not point to characters, so it is not a string",
				  argument_text(a));
	if (tag == DW_TAG_pointer_type) {
		int err = argument_follow(a);

		err = err ? err : argument_settle(a);
		if (err)
			return err;
	}
	a->user = a->given->user;
	if (!a->value.is_memory)
		return reason_set(a->r, ENOTSUP, "'%s' is a string that does not lie in memory",
				  argument_name(a));
	return 0;
}

/*
 * Returns the bits of a plain value, as the kernel can read them (8, 16, 32, 64), or 0 if unknown.
 */
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

/* Returns the size of a value that is wider than what is read of it, or 0. */
static u64 bytes_left_out(struct argument *a)
{
	unsigned bits = a->has_type ? value_bits(a) : 0;
	u64 size;

	return bits && type_size(&a->type, &size) && size * 8 > bits &&
			       dwarf_tag(&a->type) != DW_TAG_ptr_to_member_type
		       ? size
		       : 0;
}

static void write_value_type(struct argument *a, char prefix, struct strbuf *type)
{
	unsigned bits = a->has_type ? value_bits(a) : 0;

	if (!bits)
		return;
	strbuf_f(type, "%c%u", prefix ? prefix : type_is_signed(&a->type) ? 's' : 'x', bits);
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
	} else if (!cast || strlen(cast) == 1 || (a->is_part && a->value.cut.bits)) {
		if (a->is_part)
			strbuf_f(type, "b%" PRIu64 "@%" PRIu64 "/%" PRIu64, a->part_bits,
				 a->part_offset, a->part_container);
		else
			write_value_type(a, cast ? cast[0] : 0, type);
		if (!cast && !a->is_part && !a->elements)
			a->whole = bytes_left_out(a);
		return 0;
	}
	strbuf_str(type, cast);
	if (a->given->array || a->elements)
		strbuf_f(type, "[%" PRIu64 "]", a->given->array ? a->given->array : a->elements);
	return 0;
}

/* Adds the name as given, else the last member, else the variable, with the requested type. */
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

int probe_fetch_argument(struct debuginfo *d, const struct probe_place *place,
			 const struct probe_argument *argument, bool is_return,
			 const struct arch *arch, struct strbuf *name, struct strbuf *fetch,
			 struct strbuf *type, u64 *whole, struct reason *r)
{
	struct argument a = {
		.d = d, .place = place, .given = argument, .arch = arch ? arch : d->arch, .r = r
	};
	int err;

	if (!place->scope)
		return reason_set(r, EINVAL, "this place is not in '%s'", d->path);
	a.scope = place->scope;
	if (argument->base == PROBE_VARIABLE)
		err = start_with_variable(&a, is_return);
	else if (argument->base == PROBE_RETVAL)
		err = start_with_retval(&a);
	else
		return reason_set(r, EINVAL, "'%s' needs no debug information",
				  argument->text ? argument->text : "?");
	for (size_t i = 0; i < argument->steps.count && !err; i++)
		err = argument_step(&a, &argument->steps.items[i]);
	if (!err && (!argument->type || !argument->type[1]) && !argument->of_all)
		argument_take_array(&a);
	if (!err)
		err = argument_settle(&a);
	if (!err)
		err = write_type(&a, type);
	if (!err)
		err = write_fetch(&a, fetch);
	if (!err)
		write_name(argument, name);
	*whole = a.whole;
	return err;
}
