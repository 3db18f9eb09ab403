// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions as fetch arguments.
 *
 * A probe can add a constant, read memory, and no more.  So an expression is run
 * with values that are a base (register, constant, address) and a chain of reads;
 * operations that keep that form are carried out, any other is refused by name.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "probe/debuginfo_internal.h"

#define STACK_SIZE 16

struct machine {
	struct debuginfo *d;
	const struct scope *scope;
	u64 address;
	Dwarf_Attribute *attr;
	const char *name;
	struct reason *r;
	int depth; /* expressions within expressions */
	struct fetch_value stack[STACK_SIZE];
	unsigned count;
};

static int run(struct machine *m, Dwarf_Op *ops, size_t count);

int fetch_read(struct fetch_value *v, bool user, struct reason *r)
{
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

static int push(struct machine *m, struct fetch_value v)
{
	if (m->count == STACK_SIZE)
		return refuse(m, "its DWARF expression is damaged");
	m->stack[m->count++] = v;
	return 0;
}

static int push_register(struct machine *m, u64 reg, s64 offset)
{
	struct fetch_value v = { .base = FETCH_REGISTER, .reg = (unsigned)MIN(reg, 0xffff),
				 .pending = offset };

	return push(m, v);
}

static int push_number(struct machine *m, enum fetch_base base, u64 number)
{
	struct fetch_value v = { .base = base, .number = number };

	return push(m, v);
}

/* Runs an expression of its own (frame base, CFA); its result is pushed, offset added. */
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
	if (d->eh_frame && dwarf_cfi_addrframe(d->eh_frame, m->address + d->bias - d->eh_bias,
					       frame) == 0)
		return 0;
	if (d->debug_frame && dwarf_cfi_addrframe(d->debug_frame,
						  m->address + d->bias - d->frame_bias, frame) == 0)
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

/* The value a register had on entry: there it still has it, and nowhere else for sure. */
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
	case DW_OP_and: *out = a & b; return true;
	case DW_OP_or: *out = a | b; return true;
	case DW_OP_xor: *out = a ^ b; return true;
	case DW_OP_mul: *out = a * b; return true;
	case DW_OP_shl: *out = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *out = b < 64 ? a >> b : 0; return true;
	}
	return false;
}

/* 0xff, 0xffff ... */
static bool is_low_mask(u64 v)
{
	return v && !(v & (v + 1));
}

/* Of a value cut to some width the lowest bits are good: enough for a variable as wide. */
static void keep_bits(struct fetch_value *v, unsigned bits)
{
	if (bits < 64 && (!v->valid_bits || bits < v->valid_bits))
		v->valid_bits = bits;
}

static int convert(struct machine *m, Dwarf_Op *op)
{
	u64 size = 8;
	Dwarf_Die type;

	if (!m->count)
		return refuse(m, "its DWARF expression is damaged");
	if (dwarf_getlocation_die(m->attr, op, &type) == 0 && !type_size(&type, &size))
		return refuse(m, "its DWARF expression is damaged");
	if (size && size < 8)
		keep_bits(&m->stack[m->count - 1], (unsigned)size * 8);
	return 0;
}

static int binary(struct machine *m, u8 atom)
{
	struct fetch_value *a, *b;
	u64 folded;

	if (m->count < 2)
		return refuse(m, "its DWARF expression is damaged");
	b = &m->stack[--m->count];
	a = &m->stack[m->count - 1];
	if (atom == DW_OP_plus && is_plain_number(a) && !is_plain_number(b)) {
		struct fetch_value swap = *a;

		*a = *b;
		*b = swap;
	}
	if (!is_plain_number(b))
		return refuse(m, "it is computed from two values");
	if (atom == DW_OP_plus || atom == DW_OP_minus) {
		u64 n = plain_number(b);

		a->pending = (s64)((u64)a->pending + (atom == DW_OP_plus ? n : -n));
		return 0;
	}
	if (atom == DW_OP_and && is_low_mask(plain_number(b))) {
		keep_bits(a, (unsigned)__builtin_popcountll(plain_number(b)));
		return 0;
	}
	if (!is_plain_number(a) || !fold(atom, plain_number(a), plain_number(b), &folded))
		return refuse(m,
			      "it is computed, and a probe can only add constants and read memory");
	*a = (struct fetch_value){ .base = FETCH_CONSTANT, .number = folded };
	return 0;
}

static struct fetch_value *top(struct machine *m)
{
	return m->count ? &m->stack[m->count - 1] : NULL;
}

/* A pointer that is nowhere itself; what it points to is a variable of its own. */
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
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
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
	return "it is computed, and a probe can only add constants and read memory";
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
		return convert(m, op);
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_mul:
	case DW_OP_shl:
	case DW_OP_shr:
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
		v->pending = (s64)((u64)v->pending + op->number);
		return 0;
	case DW_OP_deref:
		if (!v)
			return refuse(m, "its DWARF expression is damaged");
		return fetch_read(v, false, m->r);
	case DW_OP_deref_size:
		if (v && op->number == (elf_is_64(m->d->elf) ? 8 : 4))
			return fetch_read(v, false, m->r);
	}
	return refuse(m, unsupported(op->atom));
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
	m->stack[m->count - 1].is_memory = last != DW_OP_stack_value && last != DW_OP_implicit_value &&
		m->stack[m->count - 1].base != FETCH_IMPLIED;
	return 0;
}

int expression_value(const struct expression *x, Dwarf_Attribute *attr, Dwarf_Op *ops, size_t count,
		     struct fetch_value *out)
{
	struct machine m = { .d = x->d, .scope = x->scope, .address = x->address, .name = x->name,
			     .r = x->r, .attr = attr };
	int err = run(&m, ops, count);

	if (!err && m.count != 1)
		err = refuse(&m, "its DWARF expression is damaged");
	/* Memory at an address of which only some bits are known. */
	if (!err && m.stack[0].is_memory && m.stack[0].valid_bits)
		err = refuse(&m, unsupported(DW_OP_and));
	if (!err)
		*out = m.stack[0];
	return err;
}
