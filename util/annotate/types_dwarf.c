// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables and types out of DWARF, by libdw. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/types.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"

#define MAX_DEPTH 32
#define MAX_CHAIN 64	/* of typedefs and qualifiers */
#define MAX_FIELDS 4096 /* shown of one type */

struct global {
	u64 start, end;
	Dwarf_Off die;
};

struct data_type {
	char *name;
	u64 size;
	Dwarf_Off die;
	VEC(struct data_field) fields;
};

struct types_file {
	int fd;
	Dwarf *dwarf;
	Dwarf_CFI *cfi, *eh_cfi;
	VEC(struct global) globals;
	bool globals_read;
	Dwarf_Die unit; /* asked for last */
	bool unit_known;
	Dwarf_Die function; /* likewise; the walk through a unit of the kernel takes a millisecond */
	bool function_known;
	Dwarf_Die scopes[MAX_DEPTH]; /* around scopes_pc, innermost first, the function last */
	int scope_count;
	u64 scopes_pc;
	VEC(struct data_type *) types;
	struct arena texts;
};

/* ---- life ---- */

struct types_file *types_open(const char *path)
{
	struct types_file *f = xcalloc(1, sizeof(*f));
	Elf *elf;

	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	f->dwarf = f->fd >= 0 ? dwarf_begin(f->fd, DWARF_C_READ) : NULL;
	if (!f->dwarf) {
		types_close(f);
		return NULL;
	}
	elf = dwarf_getelf(f->dwarf);
	f->cfi = dwarf_getcfi(f->dwarf);
	f->eh_cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	return f;
}

void types_close(struct types_file *f)
{
	if (!f)
		return;
	vec_for_each(&f->types, t) {
		free((*t)->name);
		vec_release(&(*t)->fields);
		free(*t);
	}
	vec_release(&f->types);
	vec_release(&f->globals);
	if (f->eh_cfi)
		dwarf_cfi_end(f->eh_cfi);
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->fd >= 0)
		close(f->fd);
	arena_release(&f->texts);
	free(f);
}

/* ---- types ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* Behind typedefs, const, volatile ...; false: there is nothing. */
static bool strip(Dwarf_Die *type)
{
	for (int i = 0; i < MAX_CHAIN; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef: case DW_TAG_const_type: case DW_TAG_volatile_type:
		case DW_TAG_restrict_type: case DW_TAG_atomic_type: {
			Dwarf_Die next;

			if (!type_of(type, &next))
				return false;
			*type = next;
			break;
		}
		default:
			return true;
		}
	}
	return false;
}

static bool is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static bool size_of(Dwarf_Die *type, u64 *size)
{
	Dwarf_Word w;

	if (dwarf_aggregate_size(type, &w))
		return false;
	*size = w;
	return w > 0;
}

/* A declaration's definition is in another unit: looked for by name. */
static bool define(struct types_file *f, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	Dwarf_Attribute attr;
	bool declared = false;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, child;
	int tag = dwarf_tag(type);

	if (!is_record(type) || !dwarf_attr(type, DW_AT_declaration, &attr) ||
	    dwarf_formflag(&attr, &declared) || !declared)
		return true;
	while (name && !dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_child(&unit, &child))
			continue;
		do {
			const char *other = dwarf_tag(&child) == tag ? dwarf_diename(&child) : NULL;

			if (other && !strcmp(other, name) && !dwarf_attr(&child, DW_AT_declaration, &attr)) {
				*type = child;
				return true;
			}
		} while (!dwarf_siblingof(&child, &child));
	}
	return false;
}

/* The member of a record, or the element of an array, at *offset; *offset is then in it. */
static bool member_at(struct types_file *f, Dwarf_Die *type, u64 *offset, Dwarf_Die *member_type)
{
	Dwarf_Die child;
	u64 size;

	if (dwarf_tag(type) == DW_TAG_array_type) {
		if (!type_of(type, member_type) || !size_of(member_type, &size))
			return false;
		*offset %= size;
		return true;
	}
	if (!is_record(type) || !define(f, type) || dwarf_child(type, &child))
		return false;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word start = 0;
		Dwarf_Die t;
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&child, &t) ||
		    !size_of(&t, &size))
			continue;
		if (dwarf_attr(&child, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &start))
			continue;
		if (*offset >= start && *offset - start < size) {
			*offset -= start;
			*member_type = t;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool types_load_of(struct types_file *f, const struct place_type *at, struct place_type *value)
{
	Dwarf_Die type, inner;
	struct place_type field = *at;

	if (!types_settle(f, &field) || !dwarf_offdie(f->dwarf, field.die, &type) || !strip(&type))
		return false;
	/* down to the member at the offset */
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (is_pointer(&type)) {
			if (field.offset || !type_of(&type, &inner))
				return false;
			*value = (struct place_type){ .die = dwarf_dieoffset(&inner) };
			return true;
		}
		if (!member_at(f, &type, &field.offset, &inner))
			return false;
		type = inner;
		if (!strip(&type))
			return false;
	}
	return false;
}

/* Offsets of an array's elements are those of its first; false: no type with a size. */
bool types_settle(struct types_file *f, struct place_type *p)
{
	Dwarf_Die type;
	u64 size;

	if (!dwarf_offdie(f->dwarf, p->die, &type) || !strip(&type) || !define(f, &type))
		return false;
	while (dwarf_tag(&type) == DW_TAG_array_type) {
		Dwarf_Die element;

		if (!type_of(&type, &element) || !strip(&element))
			return false;
		type = element;
	}
	if (!size_of(&type, &size) || size > INT64_MAX)
		return false;
	p->offset = (u64)(((s64)p->offset % (s64)size + (s64)size) % (s64)size);
	p->die = dwarf_dieoffset(&type);
	return true;
}

static void name_of(struct types_file *f, Dwarf_Die *die, struct strbuf *b, int depth)
{
	Dwarf_Die type;
	const char *name = dwarf_diename(die);
	const char *prefix = "";

	if (depth > MAX_DEPTH)
		return;
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type: prefix = "struct "; break;
	case DW_TAG_class_type: prefix = "class "; break;
	case DW_TAG_union_type: prefix = "union "; break;
	case DW_TAG_enumeration_type: prefix = "enum "; break;
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_array_type:
	case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type:
		if (type_of(die, &type))
			name_of(f, &type, b, depth + 1);
		else
			strbuf_str(b, "void");
		strbuf_str(b, dwarf_tag(die) == DW_TAG_pointer_type ? "*" :
			      dwarf_tag(die) == DW_TAG_reference_type ? "&" :
			      dwarf_tag(die) == DW_TAG_array_type ? "[]" : "");
		return;
	case DW_TAG_subroutine_type:
		strbuf_str(b, "(*)()");
		return;
	default:
		break;
	}
	strbuf_f(b, "%s", prefix);
	strbuf_printable(b, name ? name : "{...}");
}

static const char *kept_name(struct types_file *f, Dwarf_Die *die)
{
	struct strbuf b = STRBUF_INIT;
	const char *kept;

	name_of(f, die, &b, 0);
	kept = arena_strndup(&f->texts, strbuf_cstr(&b), b.len);
	strbuf_release(&b);
	return kept;
}

static void add_fields(struct types_file *f, struct data_type *t, Dwarf_Die *type, u64 base, u32 depth)
{
	Dwarf_Die child;

	if (depth > 16 || !is_record(type) || !define(f, type) || dwarf_child(type, &child))
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word start = 0;
		Dwarf_Die member, plain;
		const char *name = dwarf_diename(&child);
		struct strbuf shown = STRBUF_INIT;
		u64 size;
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&child, &member) ||
		    t->fields.count >= MAX_FIELDS)
			continue;
		if (dwarf_attr(&child, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &start))
			continue;
		plain = member;
		if (!strip(&plain) || !size_of(&plain, &size))
			continue;
		strbuf_printable(&shown, name ? name : "");
		vec_push(&t->fields, (struct data_field){
			.type = kept_name(f, &member), .name = arena_strndup(&f->texts, strbuf_cstr(&shown), shown.len),
			.offset = base + start, .size = size, .depth = depth, .has_fields = is_record(&plain) });
		strbuf_release(&shown);
		add_fields(f, t, &plain, base + start, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

const struct data_type *types_get(struct types_file *f, u64 off)
{
	struct strbuf name = STRBUF_INIT;
	struct data_type *t;
	Dwarf_Die die;
	u64 size = 0;

	if (!dwarf_offdie(f->dwarf, off, &die))
		return NULL;
	name_of(f, &die, &name, 0);
	size_of(&die, &size);
	/* units have copies of a type */
	vec_for_each(&f->types, it) {
		if ((*it)->size == size && !strcmp((*it)->name, strbuf_cstr(&name))) {
			strbuf_release(&name);
			return *it;
		}
	}
	t = xcalloc(1, sizeof(*t));
	t->name = strbuf_detach(&name);
	t->size = size;
	t->die = off;
	vec_push(&t->fields, (struct data_field){ .type = t->name, .name = "", .size = size,
						  .has_fields = is_record(&die) });
	add_fields(f, t, &die, 0, 1);
	vec_push(&f->types, t);
	return t;
}

const char *data_type_name(const struct data_type *t)
{
	return t->name;
}

u64 data_type_size(const struct data_type *t)
{
	return t->size;
}

const struct data_field *data_type_fields(const struct data_type *t, size_t *count)
{
	*count = t->fields.count;
	return t->fields.items;
}

/* ---- variables ---- */

/* [registers'] value + offset: of what the expression says. */
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

/* The frame base of the function, as register and offset. */
static bool frame_base(struct types_file *f, Dwarf_Die *scopes, int count, Dwarf_Addr pc, s8 *reg, s64 *offset)
{
	for (int i = 0; i < count; i++) {
		Dwarf_Attribute attr;
		Dwarf_Op *ops;
		size_t n;

		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram || !dwarf_attr(&scopes[i], DW_AT_frame_base, &attr) ||
		    dwarf_getlocation_addr(&attr, pc, &ops, &n, 1) < 1 || n != 1)
			continue;
		if (ops[0].atom == DW_OP_call_frame_cfa)
			return cfa_at(f, pc, reg, offset);
		*offset = 0;
		return is_reg(&ops[0], reg) || is_breg(&ops[0], reg, offset);
	}
	return false;
}

struct asked {
	s8 reg;
	s64 disp; /* of the operand */
};

/* A variable in memory: at which distance from a register. */
static bool in_memory(struct types_file *f, const Dwarf_Op *op, Dwarf_Die *scopes, int count, Dwarf_Addr pc,
		      s8 *reg, s64 *offset)
{
	if (op->atom != DW_OP_fbreg)
		return is_breg(op, reg, offset);
	if (!frame_base(f, scopes, count, pc, reg, offset))
		return false;
	*offset += (s64)op->number;
	return true;
}

static bool lies_in(s64 at, u64 from, u64 size, u64 die, struct place_type *out)
{
	if (at < 0 || (u64)at >= size)
		return false;
	*out = (struct place_type){ .die = die, .offset = from + (u64)at };
	return true;
}

/* Parts of a variable in several places: each operation is followed by its piece. */
static bool in_pieces(struct types_file *f, const Dwarf_Op *ops, size_t n, Dwarf_Die *scopes, int count,
		      Dwarf_Addr pc, const struct asked *q, u64 die, struct place_type *out)
{
	u64 from = 0;

	for (size_t i = 0; i < n; i++) {
		s64 offset;
		s8 reg;

		if (ops[i].atom == DW_OP_piece) {
			from += ops[i].number;
		} else if (i + 1 == n || ops[i + 1].atom != DW_OP_piece) {
			return false;
		} else if (in_memory(f, &ops[i], scopes, count, pc, &reg, &offset) && reg == q->reg &&
			   lies_in(q->disp - offset, from, ops[i + 1].number, die, out)) {
			return true;
		}
	}
	return false;
}

/*
 * Does the variable explain reg?  Its value is in it (a pointer: to what it points), or
 * it lies in memory at the register's distance.
 */
static bool explains(struct types_file *f, Dwarf_Die *var, Dwarf_Die *scopes, int count, Dwarf_Addr pc,
		     const struct asked *q, struct place_type *out)
{
	Dwarf_Attribute attr;
	Dwarf_Die type, inner;
	Dwarf_Op *ops;
	size_t n;
	s64 offset = 0;
	s8 reg;
	u64 size;

	if (!dwarf_attr(var, DW_AT_location, &attr) || dwarf_getlocation_addr(&attr, pc, &ops, &n, 1) < 1 || !n ||
	    !type_of(var, &type))
		return false;
	inner = type;
	if (!strip(&inner))
		return false;
	if ((n == 1 && is_reg(&ops[0], &reg)) ||
	    (n == 2 && ops[1].atom == DW_OP_stack_value && is_breg(&ops[0], &reg, &offset))) {
		Dwarf_Die target;

		/* the value is reg + offset, so reg is offset before what it points to */
		if (reg != q->reg || !is_pointer(&inner) || !type_of(&inner, &target))
			return false;
		*out = (struct place_type){ .die = dwarf_dieoffset(&target), .offset = (u64)(q->disp - offset) };
		return true;
	}
	if (!size_of(&inner, &size))
		return false;
	if (n == 1)
		return in_memory(f, &ops[0], scopes, count, pc, &reg, &offset) && reg == q->reg &&
		       lies_in(q->disp - offset, 0, size, dwarf_dieoffset(&type), out);
	return in_pieces(f, ops, n, scopes, count, pc, q, dwarf_dieoffset(&type), out);
}

/* The unit with code at pc: clang writes no index of addresses. */
static bool unit_at(struct types_file *f, u64 pc, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;

	if (f->unit_known && dwarf_haspc(&f->unit, pc) == 1) {
		*unit = f->unit;
		return true;
	}
	f->unit_known = dwarf_addrdie(f->dwarf, pc, &f->unit);
	while (!f->unit_known && !dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &f->unit, NULL))
		f->unit_known = dwarf_haspc(&f->unit, pc) == 1;
	*unit = f->unit;
	return f->unit_known;
}

/* The function with code at pc: among the unit's children, or in a namespace or class there. */
static bool find_function(Dwarf_Die *parent, u64 pc, int depth, Dwarf_Die *out)
{
	Dwarf_Die child;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &child))
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (dwarf_haspc(&child, pc) != 1)
				break;
			*out = child;
			return true;
		case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_structure_type:
		case DW_TAG_class_type: case DW_TAG_union_type:
			if (find_function(&child, pc, depth + 1, out))
				return true;
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool function_at(struct types_file *f, u64 pc)
{
	Dwarf_Die unit;

	if (f->function_known && dwarf_haspc(&f->function, pc) == 1)
		return true;
	f->scope_count = 0;
	f->function_known = unit_at(f, pc, &unit) && find_function(&unit, pc, 0, &f->function);
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
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) && dwarf_haspc(&child, pc) == 1) {
			*out = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Fills f->scopes: blocks and inlined calls around pc, then the function. */
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

bool types_of_register(struct types_file *f, u64 pc, s8 reg, s64 disp, struct place_type *out)
{
	const struct asked q = { reg, disp };
	bool found = false;

	if (!scopes_at(f, pc))
		return false;
	for (int i = 0; i < f->scope_count && !found; i++) {
		Dwarf_Die child;

		if (dwarf_child(&f->scopes[i], &child))
			continue;
		do {
			int tag = dwarf_tag(&child);

			if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
				found = explains(f, &child, f->scopes, f->scope_count, pc, &q, out);
		} while (!found && !dwarf_siblingof(&child, &child));
	}
	return found;
}

/* ---- globals ---- */

/* An address, or the number of one in the unit's table. */
static bool address_of(Dwarf_Attribute *attr, const Dwarf_Op *op, Dwarf_Addr *addr)
{
	Dwarf_Attribute at;

	*addr = op->number;
	return op->atom == DW_OP_addr ||
	       (op->atom == DW_OP_addrx && !dwarf_getlocation_attr(attr, op, &at) && !dwarf_formaddr(&at, addr));
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

		if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)
			add_globals(f, &child, depth + 1);
		if (tag != DW_TAG_variable || !dwarf_attr(&child, DW_AT_location, &attr) ||
		    dwarf_getlocation(&attr, &ops, &n) || n != 1 || !address_of(&attr, &ops[0], &addr) ||
		    !type_of(&child, &type) || !size_of(&type, &size))
			continue;
		vec_push(&f->globals, (struct global){ addr, addr + size, dwarf_dieoffset(&type) });
	} while (!dwarf_siblingof(&child, &child));
}

static int by_start(const void *pa, const void *pb)
{
	const struct global *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

bool types_of_address(struct types_file *f, u64 addr, struct place_type *out)
{
	size_t from = 0, to;

	if (!f->globals_read) {
		Dwarf_CU *cu = NULL;
		Dwarf_Die unit;

		while (!dwarf_get_units(f->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
			add_globals(f, &unit, 0);
		if (f->globals.count)
			qsort(f->globals.items, f->globals.count, sizeof(*f->globals.items), by_start);
		f->globals_read = true;
	}
	to = f->globals.count;
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (f->globals.items[mid].start <= addr)
			from = mid + 1;
		else
			to = mid;
	}
	if (!from || addr >= f->globals.items[from - 1].end)
		return false;
	*out = (struct place_type){ .die = f->globals.items[from - 1].die,
				    .offset = addr - f->globals.items[from - 1].start };
	return true;
}

bool types_of_result(struct types_file *f, u64 function, struct place_type *out)
{
	Dwarf_Die type, target;
	Dwarf_Addr entry;

	if (!function_at(f, function) || dwarf_entrypc(&f->function, &entry) || entry != function ||
	    !type_of(&f->function, &type) || !strip(&type) || !is_pointer(&type) || !type_of(&type, &target))
		return false;
	*out = (struct place_type){ .die = dwarf_dieoffset(&target) };
	return true;
}
