// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps into a value: members, elements, what a pointer points to. */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/places_internal.h"

#define ARRAY_LIMIT  64 /* elements: the kernel's limit */
#define MEMBER_DEPTH 16 /* structures within structures without a name */

const char *argument_text(const struct argument *a)
{
	return a->given->text ? a->given->text : a->given->base_name;
}

const char *argument_name(const struct argument *a)
{
	return a->given->base_name ? a->given->base_name : argument_text(a);
}

static int bad_step(struct argument *a, const char *name, const char *why)
{
	return reason_set(a->r, EINVAL, "'%s' in '%s' %s", name, argument_text(a), why);
}

bool type_is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool is_reference(int tag)
{
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

void argument_set_type(struct argument *a, Dwarf_Die *holder)
{
	a->has_type = type_real(holder, &a->type);
}

/* Returns how many bits are read: of a structure, those of its first word. */
static u64 bits_wanted(struct argument *a)
{
	u64 size = 8;

	if (a->is_part)
		return a->part_bits;
	if (!a->has_type || !type_size(&a->type, &size) || !size)
		size = 8;
	if (a->elements)
		return size * a->elements * 8;
	return size >= 8 ? 64 : size >= 4 ? 32 : size >= 2 ? 16 : 8;
}

/* Makes the value these bits of a register. */
static int set_part(struct argument *a, u64 from, u64 bits)
{
	bool all_lowest = !from && !a->is_part && a->has_type;

	/* A type as wide reads the lowest ones, with their sign. */
	if (all_lowest && (bits == 8 || bits == 16 || bits == 32 || bits == 64))
		return 0;
	if (!a->given->type && a->has_type && type_is_signed(&a->type)) {
		reason_set(a->r, ENOTSUP,
			   "'%s' is a signed number in the upper bits of a register, whose sign a "
			   "probe cannot determine",
			   argument_text(a));
		reason_hint(a->r, "%s:x shows these bits", argument_text(a));
		return -ENOTSUP;
	}
	a->is_part = true;
	a->part_bits = bits;
	a->part_offset = from;
	a->part_container = 64;
	return 0;
}

/* Cuts a number to the bits that the piece describes. */
static void cut_number(struct argument *a, const struct fetch_part *part)
{
	unsigned unused = 64 - (unsigned)MIN(part->bits, (u64)64);
	u64 n = a->value.number << unused;

	a->value.number =
		a->has_type && type_is_signed(&a->type) ? (u64)((s64)n >> unused) : n >> unused;
	a->is_part = false;
}

static int refuse_upper(struct argument *a)
{
	reason_set(a->r, ENOTSUP,
		   "'%s' is a signed number in some bits of a value, whose sign a probe cannot "
		   "determine",
		   argument_text(a));
	reason_hint(a->r, "%s:x shows these bits", argument_text(a));
	return -ENOTSUP;
}

int argument_take_cut(struct argument *a, u64 wanted)
{
	const struct fetch_value *v = &a->value;
	u64 bits = MIN(wanted, (u64)v->cut.bits);
	bool is_signed =
		wanted <= v->cut.bits ? a->has_type && type_is_signed(&a->type) : v->cut.is_signed;
	unsigned container = 8;

	if (v->cut.up)
		return reason_set(
			a->r, ENOTSUP,
			"'%s' is computed: some bits of a value above %u zeros, and a probe "
			"cannot move bits up",
			argument_text(a), v->cut.up);
	if (a->is_part)
		return reason_set(
			a->r, ENOTSUP,
			"'%s' is a part of a part of a value, which a probe cannot extract",
			argument_text(a));
	if (!v->cut.from && wanted <= v->cut.bits)
		return 0;
	if (is_signed && (!a->given->type || a->given->type[0] == 's'))
		return refuse_upper(a);
	/* The first bytes of a big-endian word are its upper ones. */
	while (container < v->cut.from + bits ||
	       (a->d->big_endian && container < (elf_is_64(a->d->elf) ? 64 : 32)))
		container *= 2;
	a->is_part = true;
	a->part_bits = bits;
	a->part_offset = v->cut.from;
	a->part_container = container;
	return 0;
}

int argument_settle(struct argument *a)
{
	struct fetch_value *v = &a->value;
	struct fetch_part part = { (u64)v->pending * 8, bits_wanted(a) };
	int err;

	if (!v->in_pieces)
		return 0;
	if (a->is_part)
		part.from += a->part_offset;
	err = fetch_locate_piece(a->d, a->scope, a->place->address, argument_text(a), &part, v,
				 a->r);
	if (err || v->is_memory)
		return err;
	if (v->cut.bits)
		return argument_take_cut(a, part.bits);
	if (v->reads)
		return 0;
	if (v->base == FETCH_CONSTANT && !v->pending)
		cut_number(a, &part);
	return v->base == FETCH_REGISTER ? set_part(a, part.from, part.bits) : 0;
}

/* Follows a pointer that was optimised out: it points to another variable. */
static int follow_implied(struct argument *a)
{
	Dwarf_Die target = a->value.variable;
	s64 distance = a->value.pending;
	int err = fetch_locate(a->d, a->scope, a->place->address, &target, &a->value, a->r);

	a->value.pending += distance;
	return err;
}

int argument_follow(struct argument *a)
{
	Dwarf_Die pointer = a->type;
	int err = argument_settle(a);

	if (!err && a->value.base == FETCH_IMPLIED) {
		err = follow_implied(a);
	} else if (!err) {
		err = a->value.is_memory ? fetch_read(&a->value, a->user, a->r) : 0;
		a->value.is_memory = true;
	}
	if (err)
		return err;
	a->user = a->given->user;
	argument_set_type(a, &pointer);
	return 0;
}

int argument_see_through(struct argument *a)
{
	return a->has_type && is_reference(dwarf_tag(&a->type)) ? argument_follow(a) : 0;
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

/* Finds a member by name, also in members without a name and in base classes. */
static bool find_member(Dwarf_Die *type, const char *name, struct member *out, int depth)
{
	Dwarf_Die die, inner;
	u64 offset;

	if (depth > MEMBER_DEPTH || dwarf_child(type, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *n = dwarf_diename(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !member_offset(&die, &offset))
			continue;
		if (tag == DW_TAG_member && n && strcmp(n, name) == 0) {
			out->die = die;
			out->bytes = offset;
			return true;
		}
		if ((n && tag == DW_TAG_member) || !type_real(&die, &inner) ||
		    !type_is_aggregate(dwarf_tag(&inner)))
			continue;
		if (find_member(&inner, name, out, depth + 1)) {
			out->bytes += offset;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Replaces a declaration by its definition: the one in this unit with the same name. */
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
	struct {
		VEC(const char *) list;
	} names = { VEC_INIT };
	const char *type = dwarf_diename(&a->type), *n, *near;
	struct strbuf all = STRBUF_INIT;
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
	for (size_t i = 0; i < names.list.count; i++)
		strbuf_f(&all, "%s%s", i ? ", " : "", names.list.items[i]);
	if (near)
		reason_hint(a->r, "did you mean '%s'? The members are %s", near, all.s);
	else if (all.len)
		reason_hint(a->r, "its members are %s", all.s);
	strbuf_release(&all);
	vec_release(&names.list);
	return -ENOENT;
}

/*
 * Finds where a bit field is, in bits from the lowest of a container that the kernel can read.
 * first is in bits from the start of the structure, as the file's byte order counts.
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
		return reason_set(a->r, ENOTSUP,
				  "a bit field of %" PRIu64 " bits cannot be fetched", width);
	a->is_part = true;
	a->part_bits = width;
	a->part_container = unit;
	a->part_offset = a->d->big_endian ? unit - (first - start) - width : first - start;
	a->value.pending += (s64)(start / 8);
	return 0;
}

/* Requires a structure to be in a register, of which the member is some bits. */
static int need_register(struct argument *a, bool fits)
{
	if (a->is_part || (a->value.base != FETCH_REGISTER && a->value.base != FETCH_TEXT) ||
	    a->value.reads || a->value.pending)
		return reason_set(a->r, ENOTSUP,
				  "'%s' lies in registers in a form that a probe cannot take apart",
				  argument_name(a));
	return fits ? 0
		    : reason_set(a->r, ENOTSUP, "'%s' is too wide for a register",
				 argument_name(a));
}

static int place_register_bits(struct argument *a, u64 first, u64 width)
{
	int err = need_register(a, first < 64 && width && width <= 64 - first);

	if (err)
		return err;
	a->is_part = true;
	a->part_bits = width;
	a->part_offset = a->d->big_endian ? 64 - first - width : first;
	a->part_container = 64;
	return 0;
}

/*
 * Takes a bit field. DWARF 4 counts it from the top of its storage, DWARF 5 from the structure's
 * start.
 */
static int take_bit_field(struct argument *a, const struct member *m, u64 width)
{
	Dwarf_Die die = m->die;
	u64 bytes = 0, offset, first;

	if (!die_number(&die, DW_AT_byte_size, &bytes) && a->has_type)
		type_size(&a->type, &bytes);
	if (die_number(&die, DW_AT_data_bit_offset, &offset))
		first = m->bytes * 8 + offset;
	else if (die_number(&die, DW_AT_bit_offset, &offset))
		first = m->bytes * 8 +
			(a->d->big_endian ? offset : bytes * 8 - (u64)(s64)offset - width);
	else
		first = m->bytes * 8;
	if (a->has_type && type_is_signed(&a->type) &&
	    (!a->given->type || a->given->type[0] == 's'))
		return refuse_upper(a);
	return a->value.is_memory ? place_bits(a, first, width, bytes)
				  : place_register_bits(a, first, width);
}

static int take_register_part(struct argument *a, const struct member *m)
{
	u64 size = 0;
	bool fits = a->has_type && type_size(&a->type, &size) && size && m->bytes + size <= 8;
	int err = need_register(a, fits);

	return err ? err
		   : set_part(a, a->d->big_endian ? 64 - (m->bytes + size) * 8 : m->bytes * 8,
			      size * 8);
}

static int take_member(struct argument *a, const char *name)
{
	struct member m;
	u64 width;

	if (!complete_type(a))
		return bad_step(a, name,
				"is of a structure that is only declared in the debug information");
	if (!find_member(&a->type, name, &m, 0))
		return no_member(a, name);
	argument_set_type(a, &m.die);
	if (die_number(&m.die, DW_AT_bit_size, &width))
		return take_bit_field(a, &m, width);
	if (!a->value.is_memory)
		return take_register_part(a, &m);
	a->value.pending += (s64)m.bytes;
	return argument_see_through(a);
}

static int step_member(struct argument *a, const struct probe_step *s)
{
	int tag = a->has_type ? dwarf_tag(&a->type) : 0, err;
	bool arrow = s->kind == PROBE_ARROW;

	if (tag == DW_TAG_pointer_type) {
		if (!arrow)
			return bad_step(
				a, s->name,
				"is a member reached through a pointer: write -> before it");
		err = argument_follow(a);
		if (err)
			return err;
		tag = a->has_type ? dwarf_tag(&a->type) : 0;
	} else if (arrow && type_is_aggregate(tag)) {
		return bad_step(a, s->name,
				"is a member of a structure, not of a pointer: write . before it");
	}
	if (!type_is_aggregate(tag))
		return bad_step(a, s->name, "is not in a structure or union");
	return take_member(a, s->name);
}

#define DIMENSIONS 8

/* Elements of each dimension; 0: not said ("[]"). */
struct shape {
	u64 counts[DIMENSIONS];
	unsigned dimensions;
};

static bool shape_of(Dwarf_Die *array, struct shape *out)
{
	Dwarf_Die die;
	u64 n;

	out->dimensions = 0;
	if (dwarf_child(array, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (out->dimensions == DIMENSIONS)
			return false;
		if (!die_number(&die, DW_AT_count, &n))
			n = die_number(&die, DW_AT_upper_bound, &n) ? n + 1 : 0;
		if (n > 1 << 20)
			n = 0;
		out->counts[out->dimensions++] = n;
	} while (dwarf_siblingof(&die, &die) == 0);
	return out->dimensions > 0;
}

/* Returns how many inner elements one element of this dimension has. */
static u64 inner_elements(const struct shape *s, unsigned dimension)
{
	u64 n = 1;

	while (++dimension < s->dimensions)
		n *= s->counts[dimension] < 1 << 20 && n < 1 << 20 ? s->counts[dimension] : 0;
	return n;
}

/*
 * Checks an index against the array's size. A size of one or none, at the end of a structure, means
 * as many as there are.
 */
static int check_bound(struct argument *a, const struct probe_step *s, u64 count)
{
	s64 last = s->kind == PROBE_RANGE ? s->last : s->first;

	if (count < 2 || (u64)last < count)
		return 0;
	reason_set(a->r, EINVAL, "'%s' has no element %lld: the array has %llu", argument_text(a),
		   (long long)last, (unsigned long long)count);
	reason_hint(a->r, "they are [0] to [%llu]", (unsigned long long)count - 1);
	return -EINVAL;
}

/* Enters an array. *inner is the number of elements in each group that the step counts. */
static int enter_array(struct argument *a, const struct probe_step *s, u64 *inner)
{
	Dwarf_Die array = a->type;
	struct shape shape;
	int err;

	if (!a->value.is_memory)
		return bad_step(a, argument_name(a), "is an array that does not lie in memory");
	if (!shape_of(&array, &shape) || a->dimension >= shape.dimensions)
		return bad_step(a, argument_name(a), "is an array of unknown form");
	err = check_bound(a, s, shape.counts[a->dimension]);
	if (err)
		return err;
	*inner = inner_elements(&shape, a->dimension);
	if (!*inner)
		return bad_step(a, argument_name(a), "is an array of unknown form");
	if (++a->dimension == shape.dimensions || s->kind == PROBE_RANGE)
		a->dimension = 0;
	return 0;
}

static int step_index(struct argument *a, const struct probe_step *s)
{
	int tag = a->has_type ? dwarf_tag(&a->type) : 0, err;
	const char *name = argument_name(a);
	u64 size, inner = 1;
	Dwarf_Die array, element;

	if (tag == DW_TAG_pointer_type) {
		err = argument_follow(a);
	} else if (tag == DW_TAG_array_type) {
		array = a->type;
		err = enter_array(a, s, &inner);
		if (!err && !a->dimension)
			argument_set_type(a, &array);
	} else {
		return bad_step(a, name,
				"is neither an array nor a pointer, so it has no elements");
	}
	if (err)
		return err;
	/* A row of an array: its elements have the size. */
	if (a->dimension ? !type_real(&array, &element) : !a->has_type)
		return bad_step(a, name, "has elements of unknown size");
	if (!a->dimension)
		element = a->type;
	if (!type_size(&element, &size))
		return bad_step(a, name, "has elements of unknown size");
	a->value.pending = (s64)((u64)a->value.pending + (u64)s->first * inner * size);
	if (s->kind != PROBE_RANGE)
		return a->dimension ? 0 : argument_see_through(a);
	if (s->last < s->first || (u64)(s->last - s->first + 1) * inner > ARRAY_LIMIT)
		return bad_step(a, name, "has a range that is empty or longer than 64 elements");
	a->elements = (u64)(s->last - s->first + 1) * inner;
	return 0;
}

void argument_take_array(struct argument *a)
{
	Dwarf_Die array = a->type, element;
	struct shape shape;
	u64 all, size, encoding;

	if (!a->has_type || dwarf_tag(&a->type) != DW_TAG_array_type || a->elements ||
	    !a->value.is_memory || !shape_of(&array, &shape) || !type_real(&array, &element) ||
	    !type_size(&element, &size) || (size != 1 && size != 2 && size != 4 && size != 8) ||
	    (dwarf_tag(&element) != DW_TAG_pointer_type &&
	     dwarf_tag(&element) != DW_TAG_enumeration_type &&
	     (!die_number(&element, DW_AT_encoding, &encoding) || encoding == DW_ATE_float)))
		return;
	all = shape.counts[a->dimension] * inner_elements(&shape, a->dimension);
	if (!all || all > ARRAY_LIMIT)
		return;
	a->elements = all;
	argument_set_type(a, &array);
}

int argument_is_nowhere(struct argument *a)
{
	Dwarf_Die target;
	bool members = a->has_type && type_real(&a->type, &target) &&
		       type_is_aggregate(dwarf_tag(&target));

	reason_set(a->r, ENOTSUP, "'%s' was optimised out; only what it points to still exists",
		   argument_text(a));
	reason_hint(a->r, "name that: %s%s", argument_text(a), members ? "->MEMBER" : "[0]");
	return -ENOTSUP;
}

static int step_dereference(struct argument *a, const struct probe_step *s)
{
	int err = argument_settle(a);

	if (!err && a->value.base == FETCH_IMPLIED)
		err = argument_is_nowhere(a);
	if (!err && a->value.is_memory)
		err = fetch_read(&a->value, a->user, a->r);
	if (err)
		return err;
	a->value.pending += s->first;
	a->value.is_memory = true;
	a->user = s->user || a->given->user;
	a->has_type = false;
	return 0;
}

int argument_step(struct argument *a, const struct probe_step *s)
{
	if (a->elements || a->is_part)
		return bad_step(a, s->name ? s->name : argument_name(a),
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
