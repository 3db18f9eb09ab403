// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions as fetch arguments.
 *
 * A probe can add a constant to an address, read memory, and take some consecutive bits of the
 * result, and no more. So an expression is run with values that are a base (register, constant,
 * address), a chain of reads and a part of the last one. Operations that keep that form are carried
 * out; any other is refused by name.
 */
#include <errno.h>
#include <string.h>

#include "probe/places_internal.h"

#define STACK_SIZE 16

bool scope_begins_at(const struct scope *s, u64 address)
{
	Dwarf_Die function = s->function;
	u64 entry;

	return die_entry(&function, &entry) && entry == address;
}

struct machine {
	struct debuginfo *d;
	const struct scope *scope;
	u64 address;
	Dwarf_Attribute *attr;
	const char *name;
	struct reason *r;
	int depth; /* how deep expressions are within each other */
	struct fetch_value stack[STACK_SIZE];
	unsigned count;
};

static int run(struct machine *m, Dwarf_Op *ops, size_t count);

int fetch_read(struct fetch_value *v, bool user, struct reason *r)
{
	if (v->cut.bits)
		return reason_set(r, ENOTSUP,
				  "memory at an address that is part of a value cannot be read");
	if (v->reads == FETCH_STEPS)
		return reason_set(r, ENOTSUP, "more than %d memory reads in a row", FETCH_STEPS);
	v->offsets[v->reads] = v->pending;
	v->user[v->reads++] = user;
	v->pending = 0;
	return 0;
}

static int refuse(struct machine *m, const char *why)
{
	return reason_set(m->r, ENOTSUP, "'%s' cannot be fetched here: %s", m->name, why);
}

static const char *operation_name(u8 atom)
{
	/* clang-format off */
	static const char *const names[] = {
		[DW_OP_xderef] = "DW_OP_xderef", [DW_OP_abs] = "DW_OP_abs", [DW_OP_and] = "DW_OP_and",
		[DW_OP_div] = "DW_OP_div", [DW_OP_minus] = "DW_OP_minus", [DW_OP_mod] = "DW_OP_mod",
		[DW_OP_mul] = "DW_OP_mul", [DW_OP_neg] = "DW_OP_neg", [DW_OP_not] = "DW_OP_not",
		[DW_OP_or] = "DW_OP_or", [DW_OP_plus] = "DW_OP_plus", [DW_OP_plus_uconst] = "DW_OP_plus_uconst",
		[DW_OP_shl] = "DW_OP_shl", [DW_OP_shr] = "DW_OP_shr", [DW_OP_shra] = "DW_OP_shra",
		[DW_OP_xor] = "DW_OP_xor", [DW_OP_bra] = "DW_OP_bra", [DW_OP_eq] = "DW_OP_eq",
		[DW_OP_ge] = "DW_OP_ge", [DW_OP_gt] = "DW_OP_gt", [DW_OP_le] = "DW_OP_le",
		[DW_OP_lt] = "DW_OP_lt", [DW_OP_ne] = "DW_OP_ne", [DW_OP_deref] = "DW_OP_deref",
		[DW_OP_deref_size] = "DW_OP_deref_size", [DW_OP_reinterpret] = "DW_OP_reinterpret",
	};
	/* clang-format on */

	return atom < ARRAY_SIZE(names) ? names[atom] : NULL;
}

/* Refuses an operation that turns the value into something that no probe can compute. */
static int refuse_operation(struct machine *m, u8 atom)
{
	const char *name = operation_name(atom);

	return reason_set(
		m->r, ENOTSUP,
		"'%s' cannot be fetched here: it is computed (%s%.0x), and a probe can only add "
		"constants to "
		"addresses, read memory and take bits of a value",
		m->name, name ? name : "DWARF operation 0x", name ? 0 : atom);
}

static int push(struct machine *m, struct fetch_value v)
{
	if (m->count == STACK_SIZE)
		return refuse(m, "its DWARF expression is damaged");
	m->stack[m->count++] = v;
	return 0;
}

static int push_register(struct machine *m, u64 reg, s64 offset)
{
	struct fetch_value v = { .base = FETCH_REGISTER,
				 .reg = (unsigned)MIN(reg, 0xffff),
				 .pending = offset };

	return push(m, v);
}

static int push_number(struct machine *m, enum fetch_base base, u64 number)
{
	struct fetch_value v = { .base = base, .number = number };

	return push(m, v);
}

/* Runs a nested expression (frame base, CFA) and pushes its result, offset added. */
static int run_nested(struct machine *m, Dwarf_Op *ops, size_t count, s64 offset)
{
	unsigned before = m->count;
	int err;

	if (m->depth >= 4)
		return refuse(m, "its DWARF expression is damaged");
	m->depth++;
	err = run(m, ops, count);
	m->depth--;
	if (err)
		return err;
	if (m->count != before + 1)
		return refuse(m, "its DWARF expression is damaged");
	m->stack[before].pending += offset;
	m->stack[before].is_memory = false;
	return 0;
}

static int frame_at(struct machine *m, Dwarf_Frame **frame)
{
	struct debuginfo *d = m->d;

	if (!d->cfi_tried) {
		d->cfi_tried = true;
		d->eh_frame = dwfl_module_eh_cfi(d->module, &d->eh_bias);
		d->debug_frame = dwfl_module_dwarf_cfi(d->module, &d->frame_bias);
	}
	if (d->eh_frame &&
	    dwarf_cfi_addrframe(d->eh_frame, m->address + d->bias - d->eh_bias, frame) == 0)
		return 0;
	if (d->debug_frame &&
	    dwarf_cfi_addrframe(d->debug_frame, m->address + d->bias - d->frame_bias, frame) == 0)
		return 0;
	return -ENODATA;
}

static int push_cfa(struct machine *m)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;
	int err;

	if (frame_at(m, &frame) < 0)
		return refuse(m, "there is no call frame information for this address");
	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || !count)
		err = refuse(m, "the call frame information of this address cannot be used");
	else
		err = run_nested(m, ops, count, 0);
	free(frame);
	return err;
}

static int push_frame_base(struct machine *m, s64 offset)
{
	Dwarf_Die function = m->scope->function;
	Dwarf_Attribute attr, *outer = m->attr;
	Dwarf_Op *ops;
	size_t count;
	int err;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, m->address, &ops, &count, 1) <= 0 || !count)
		return refuse(m, "its function has no frame base here");
	m->attr = &attr;
	err = run_nested(m, ops, count, offset);
	m->attr = outer;
	return err;
}

/*
 * Pushes the value that a register had on entry. Only at the entry does the register certainly
 * still have it.
 */
static int push_entry_value(struct machine *m, Dwarf_Op *op)
{
	Dwarf_Attribute nested;
	Dwarf_Op *ops;
	size_t count;

	if (!scope_begins_at(m->scope, m->address))
		return refuse(m, "only its value on entry to the function is known, and its "
				 "register has another one by now");
	if (dwarf_getlocation_attr(m->attr, op, &nested) != 0 ||
	    dwarf_getlocation(&nested, &ops, &count) != 0)
		return refuse(m, "its DWARF expression is damaged");
	return run_nested(m, ops, count, 0);
}

static int push_indirect(struct machine *m, Dwarf_Op *op, enum fetch_base base)
{
	Dwarf_Attribute found;
	Dwarf_Addr address;
	Dwarf_Word number;

	if (dwarf_getlocation_attr(m->attr, op, &found) == 0) {
		if (base == FETCH_ADDRESS && dwarf_formaddr(&found, &address) == 0)
			return push_number(m, base, address);
		if (base == FETCH_CONSTANT && dwarf_formudata(&found, &number) == 0)
			return push_number(m, base, number);
	}
	return refuse(m, "its DWARF expression is damaged");
}

static int push_implicit(struct machine *m, Dwarf_Op *op)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(m->attr, op, &block) != 0)
		return refuse(m, "its DWARF expression is damaged");
	if (block.length > 8)
		return refuse(m, "it is a constant of more than 8 bytes");
	return push_number(m, FETCH_CONSTANT, debuginfo_number(m->d, block.data, block.length));
}

static bool is_plain_number(const struct fetch_value *v)
{
	return v->base == FETCH_CONSTANT && !v->reads;
}

static u64 plain_number(const struct fetch_value *v)
{
	return v->number + (u64)v->pending;
}

static bool fold(u8 atom, u64 a, u64 b, u64 *out)
{
	switch (atom) {
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*out = (u64)((s64)a >> MIN(b, (u64)63));
		return true;
	}
	return false;
}

/* Converts the value to a type; no type: the machine's word. */
static int convert_to(struct machine *m, Dwarf_Op *op, struct fetch_value *v)
{
	u64 size = 8;
	bool is_signed = false;
	Dwarf_Die type;

	if (dwarf_getlocation_die(m->attr, op, &type) == 0) {
		if (!type_size(&type, &size) || !size)
			return refuse(m, "its DWARF expression is damaged");
		is_signed = type_is_signed(&type);
	}
	return fetch_convert(v, size < 8 ? (unsigned)size * 8 : 64, is_signed)
		       ? 0
		       : refuse_operation(m, op->atom);
}

static int push_typed_register(struct machine *m, Dwarf_Op *op)
{
	struct fetch_value v = { .base = FETCH_REGISTER,
				 .reg = (unsigned)MIN(op->number, (u64)0xffff) };
	int err = convert_to(m, op, &v);

	return err ? err : push(m, v);
}

static int add(struct machine *m, struct fetch_value *v, u64 n, u8 atom)
{
	if (n && v->cut.bits)
		return refuse_operation(m, atom);
	v->pending = (s64)((u64)v->pending + n);
	return 0;
}

/*
 * Applies an operation with a number to a register or memory. Returns false where no probe can do
 * so.
 */
static bool cut(struct fetch_value *v, u8 atom, u64 n)
{
	switch (atom) {
	case DW_OP_and:
		return fetch_keep(v, n);
	case DW_OP_shl:
		return fetch_shift_left(v, n);
	case DW_OP_shr:
		return fetch_shift_right(v, n, false);
	case DW_OP_shra:
		return fetch_shift_right(v, n, true);
	case DW_OP_or:
	case DW_OP_xor:
		return !n;
	case DW_OP_mul:
		return n == 1 ||
		       (n && !(n & (n - 1)) && fetch_shift_left(v, (u64)__builtin_ctzll(n)));
	}
	return false;
}

static int binary(struct machine *m, u8 atom)
{
	struct fetch_value *a, *b;
	u64 folded;

	if (m->count < 2)
		return refuse(m, "its DWARF expression is damaged");
	b = &m->stack[--m->count];
	a = &m->stack[m->count - 1];
	if (atom != DW_OP_minus && atom != DW_OP_shl && atom != DW_OP_shr && atom != DW_OP_shra &&
	    is_plain_number(a) && !is_plain_number(b)) {
		struct fetch_value swap = *a;

		*a = *b;
		*b = swap;
	}
	if (!is_plain_number(b))
		return refuse_operation(m, atom);
	if (atom == DW_OP_plus || atom == DW_OP_minus)
		return add(m, a, atom == DW_OP_plus ? plain_number(b) : -plain_number(b), atom);
	if (!is_plain_number(a))
		return cut(a, atom, plain_number(b)) ? 0 : refuse_operation(m, atom);
	if (!fold(atom, plain_number(a), plain_number(b), &folded))
		return refuse_operation(m, atom);
	*a = (struct fetch_value){ .base = FETCH_CONSTANT, .number = folded };
	return 0;
}

/* Reads memory. A value of which only some bits are used cannot be an address. */
static int read_memory(struct machine *m, struct fetch_value *v, u8 atom)
{
	if (!v)
		return refuse(m, "its DWARF expression is damaged");
	return v->cut.bits ? refuse_operation(m, atom) : fetch_read(v, false, m->r);
}

/* Reads less than a word: its lowest bytes, which only little-endian machines have first. */
static int read_some(struct machine *m, struct fetch_value *v, Dwarf_Op *op)
{
	u64 word = elf_is_64(m->d->elf) ? 8 : 4;
	int err = read_memory(m, v, op->atom);

	if (err || op->number == word)
		return err;
	if (m->d->big_endian || !op->number || op->number > word)
		return refuse_operation(m, op->atom);
	return fetch_convert(v, (unsigned)op->number * 8, false) ? 0
								 : refuse_operation(m, op->atom);
}

static struct fetch_value *top(struct machine *m)
{
	return m->count ? &m->stack[m->count - 1] : NULL;
}

/* Pushes a pointer that is nowhere itself, but points to another variable. */
static int push_implied(struct machine *m, Dwarf_Op *op)
{
	struct fetch_value v = { .base = FETCH_IMPLIED, .pending = (s64)op->number2 };

	if (dwarf_getlocation_die(m->attr, op, &v.variable) != 0)
		return refuse(m, "its DWARF expression is damaged");
	return push(m, v);
}

static int run_literal(struct machine *m, Dwarf_Op *op)
{
	u8 atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push_number(m, FETCH_CONSTANT, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(m, atom - DW_OP_breg0, (s64)op->number);
	switch (atom) {
	case DW_OP_bregx:
		return push_register(m, op->number, (s64)op->number2);
	case DW_OP_addr:
		return push_number(m, FETCH_ADDRESS, op->number);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indirect(m, op, FETCH_ADDRESS);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indirect(m, op, FETCH_CONSTANT);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push_number(m, FETCH_CONSTANT, op->number);
	case DW_OP_fbreg:
		return push_frame_base(m, (s64)op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(m);
	case DW_OP_implicit_value:
		return push_implicit(m, op);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return push_implied(m, op);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(m, op);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_typed_register(m, op);
	}
	return 1;
}

static const char *unsupported(u8 atom)
{
	switch (atom) {
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return "it is in several pieces";
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return "it is thread-local";
	case DW_OP_GNU_parameter_ref:
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_call_ref:
		return "its value is only known to its caller";
	}
	return NULL;
}

static int run_one(struct machine *m, Dwarf_Op *op)
{
	struct fetch_value *v;
	int err = run_literal(m, op);

	if (err <= 0)
		return err;
	v = top(m);
	switch (op->atom) {
	case DW_OP_nop:
	case DW_OP_stack_value:
		return v ? 0 : refuse(m, "its DWARF expression is damaged");
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return v ? convert_to(m, op, v) : refuse(m, "its DWARF expression is damaged");
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_mul:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return binary(m, op->atom);
	case DW_OP_not:
	case DW_OP_neg:
		if (!v || !is_plain_number(v))
			break;
		*v = (struct fetch_value){ .base = FETCH_CONSTANT, .number = plain_number(v) };
		v->number = op->atom == DW_OP_not ? ~v->number : -v->number;
		return 0;
	case DW_OP_plus_uconst:
		if (!v)
			return refuse(m, "its DWARF expression is damaged");
		return add(m, v, op->number, op->atom);
	case DW_OP_deref:
		return read_memory(m, v, op->atom);
	case DW_OP_deref_size:
		return read_some(m, v, op);
	}
	return unsupported(op->atom) ? refuse(m, unsupported(op->atom))
				     : refuse_operation(m, op->atom);
}

/* Leaves one more value on the stack: what the expression means. */
static int run(struct machine *m, Dwarf_Op *ops, size_t count)
{
	u8 last = ops[count - 1].atom;
	int err;

	if (count == 1 && last >= DW_OP_reg0 && last <= DW_OP_reg31)
		return push_register(m, last - DW_OP_reg0, 0);
	if (count == 1 && last == DW_OP_regx)
		return push_register(m, ops[0].number, 0);
	for (size_t i = 0; i < count; i++) {
		err = run_one(m, &ops[i]);
		if (err)
			return err;
	}
	if (!m->count)
		return refuse(m, "its DWARF expression is damaged");
	/* A frame base of one register op is the register; other expressions are addresses. */
	m->stack[m->count - 1].is_memory = last != DW_OP_stack_value &&
					   last != DW_OP_implicit_value &&
					   m->stack[m->count - 1].base != FETCH_IMPLIED;
	return 0;
}

int expression_value(const struct expression *x, Dwarf_Attribute *attr, Dwarf_Op *ops, size_t count,
		     struct fetch_value *out)
{
	struct machine m = { .d = x->d,
			     .scope = x->scope,
			     .address = x->address,
			     .name = x->name,
			     .r = x->r,
			     .attr = attr };
	int err = run(&m, ops, count);

	if (!err && m.count != 1)
		err = refuse(&m, "its DWARF expression is damaged");
	/* Memory at an address of which only some bits are known. */
	if (!err && m.stack[0].is_memory && m.stack[0].cut.bits)
		err = refuse_operation(&m, DW_OP_and);
	if (!err)
		*out = m.stack[0];
	return err;
}
