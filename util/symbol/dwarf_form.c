// SPDX-License-Identifier: GPL-2.0-or-later
/* Abbreviations, and the values of attributes in their many forms. */
#include <stdlib.h>

#include "base/alloc.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* No producer nests, or counts, anywhere near this. */
#define MAX_ABBREVS (1u << 20)

/* Returns the size of a form, or 0 when its values differ in size. */
static u32 form_size(u16 form, u8 address_size, u8 offset_size)
{
	switch (form) {
	case DW_FORM_addr:
		return address_size;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return offset_size;
	default: /* DW_FORM_ref_addr: by version; the rest: by content */
		return 0;
	}
}

static bool has_no_bytes(u16 form)
{
	return form == DW_FORM_flag_present || form == DW_FORM_implicit_const;
}

static void skip_block(struct cursor *c, u64 size)
{
	cursor_skip(c, size);
}

void form_skip(struct cursor *c, const struct dwarf_unit *u, u16 form)
{
	u32 size = form_size(form, u->address_size, u->offset_size);

	if (size) {
		cursor_skip(c, size);
		return;
	}
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		cursor_uleb(c);
		return;
	case DW_FORM_string:
		cursor_string(c);
		return;
	case DW_FORM_ref_addr:
		cursor_skip(c, u->version < 3 ? u->address_size : u->offset_size);
		return;
	case DW_FORM_block1:
		skip_block(c, cursor_u8(c));
		return;
	case DW_FORM_block2:
		skip_block(c, cursor_u16(c));
		return;
	case DW_FORM_block4:
		skip_block(c, cursor_u32(c));
		return;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		skip_block(c, cursor_uleb(c));
		return;
	case DW_FORM_indirect:
		form = (u16)cursor_uleb(c);
		if (form != DW_FORM_indirect) { /* one step, never a chain */
			form_skip(c, u, form);
			return;
		}
	}
	c->bad = true;
	c->p = c->end;
}

static struct dwarf_value number(u64 v)
{
	return (struct dwarf_value){ .kind = V_NUMBER, .u = v };
}

static struct dwarf_value typed(enum value_kind kind, u64 v)
{
	return (struct dwarf_value){ .kind = kind, .u = v };
}

static struct dwarf_value string_at(const struct dwarf *d, enum dwarf_section s, u64 at)
{
	const char *text = d ? dwarf_string(d, s, at) : NULL;

	return (struct dwarf_value){ .kind = text ? V_STRING : V_NONE, .s = text };
}

static struct dwarf_value read_string(struct cursor *c, const struct dwarf_unit *u, u16 form)
{
	switch (form) {
	case DW_FORM_string:
		return (struct dwarf_value){ .kind = V_STRING, .s = cursor_string(c) };
	case DW_FORM_strp:
		return string_at(u->dwarf, S_STR, cursor_uint(c, u->offset_size));
	case DW_FORM_line_strp:
		return string_at(u->dwarf, S_LINE_STR, cursor_uint(c, u->offset_size));
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return string_at(u->dwarf->alt, S_STR, cursor_uint(c, u->offset_size));
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		return typed(V_STRING_INDEX, cursor_uleb(c));
	default:
		return typed(V_STRING_INDEX, cursor_uint(c, form_size(form, 0, 0)));
	}
}

static struct dwarf_value read_reference(struct cursor *c, const struct dwarf_unit *u, u16 form)
{
	switch (form) {
	case DW_FORM_ref_addr:
		return typed(V_REF,
			     cursor_uint(c, u->version < 3 ? u->address_size : u->offset_size));
	case DW_FORM_ref_udata:
		return typed(V_REF, u->offset + cursor_uleb(c));
	case DW_FORM_GNU_ref_alt:
		return typed(V_REF_ALT, cursor_uint(c, u->offset_size));
	case DW_FORM_ref_sup4:
		return typed(V_REF_ALT, cursor_u32(c));
	case DW_FORM_ref_sup8:
		return typed(V_REF_ALT, cursor_u64(c));
	default:
		return typed(V_REF, u->offset + cursor_uint(c, form_size(form, 0, 0)));
	}
}

static struct dwarf_value read_form(struct cursor *c, const struct dwarf_unit *u, u16 form,
				    s64 implicit)
{
	switch (form) {
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return read_string(c, u, form);
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return read_reference(c, u, form);
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_flag:
		return number(cursor_uint(c, form_size(form, 0, 0)));
	case DW_FORM_udata:
		return number(cursor_uleb(c));
	case DW_FORM_sdata:
		return number((u64)cursor_sleb(c));
	case DW_FORM_implicit_const:
		return number((u64)implicit);
	case DW_FORM_flag_present:
		return number(1);
	case DW_FORM_addr:
		return typed(V_ADDRESS, cursor_uint(c, u->address_size));
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		return typed(V_ADDRESS_INDEX, cursor_uleb(c));
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return typed(V_ADDRESS_INDEX, cursor_uint(c, form_size(form, 0, 0)));
	case DW_FORM_sec_offset:
		return typed(V_OFFSET, cursor_uint(c, u->offset_size));
	case DW_FORM_rnglistx:
		return typed(V_RANGE_INDEX, cursor_uleb(c));
	default:
		form_skip(c, u, form);
		return typed(V_OTHER, 0);
	}
}

struct dwarf_value form_read(struct cursor *c, const struct dwarf_unit *u,
			     const struct abbrev_attr *a)
{
	u16 form = a->form;

	if (form == DW_FORM_indirect) {
		form = (u16)cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const) {
			c->bad = true;
			return typed(V_NONE, 0);
		}
	}
	return read_form(c, u, form, a->implicit);
}

/* Abbreviations */

static void add_sizes(struct abbrev *a, struct abbrev_attr *at, u8 address_size, bool *fixed)
{
	u32 narrow = form_size(at->form, address_size, 4);
	u32 wide = form_size(at->form, address_size, 8);

	if (at->name == DW_AT_sibling) {
		a->sibling_at[0] = a->fixed_size[0];
		a->sibling_at[1] = a->fixed_size[1];
	}
	if (has_no_bytes(at->form))
		return;
	if (!narrow)
		*fixed = false;
	at->size[0] = (u8)narrow;
	at->size[1] = (u8)wide;
	a->fixed_size[0] += narrow;
	a->fixed_size[1] += wide;
}

static bool is_call_attr(u16 name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_call_file:
	case DW_AT_call_line:
	case DW_AT_sibling:
		return true;
	default:
		return false;
	}
}

static int by_code(const void *pa, const void *pb)
{
	const struct abbrev *a = pa, *b = pb;

	return a->code < b->code ? -1 : a->code > b->code;
}

struct abbrev_lists {
	VEC(struct abbrev) list;
	VEC(struct abbrev_attr) attrs;
};

static bool read_one(struct cursor *c, u8 address_size, struct abbrev_lists *l)
{
	struct abbrev a = { .code = cursor_uleb(c) };
	bool fixed = true;

	if (c->bad || !a.code || l->list.count >= MAX_ABBREVS)
		return false;
	a.tag = (u16)cursor_uleb(c);
	a.has_children = cursor_u8(c);
	a.first = (u32)l->attrs.count;
	for (;;) {
		struct abbrev_attr at = { .name = (u16)cursor_uleb(c) };

		at.form = (u16)cursor_uleb(c);
		if (at.form == DW_FORM_implicit_const)
			at.implicit = cursor_sleb(c);
		if (c->bad || (!at.name && !at.form))
			break;
		if (at.name == DW_AT_sibling) {
			a.has_sibling = true;
			a.sibling = (u32)l->attrs.count;
		}
		at.is_call = is_call_attr(at.name);
		add_sizes(&a, &at, address_size, &fixed);
		vec_push(&l->attrs, at);
	}
	a.count = (u32)l->attrs.count - a.first;
	if (!fixed)
		a.fixed_size[0] = a.fixed_size[1] = 0;
	vec_push(&l->list, a);
	return !c->bad;
}

struct abbrevs *abbrevs_read(struct cursor c, u8 address_size)
{
	struct abbrevs *a = xcalloc(1, sizeof(*a));
	struct abbrev_lists l = { VEC_INIT, VEC_INIT };
	bool sorted = true;

	vec_reserve(&l.attrs, 1); /* an address to count from, even without any */
	while (read_one(&c, address_size, &l))
		;
	for (size_t i = 1; i < l.list.count; i++)
		sorted &= l.list.items[i - 1].code < l.list.items[i].code;
	if (!sorted)
		vec_sort(&l.list, by_code);
	a->list = l.list.items;
	a->attrs = l.attrs.items;
	a->count = (u32)l.list.count;
	a->dense = sorted && a->count && a->list[a->count - 1].code == a->count;
	return a;
}

/* Skips the rest of an abbreviation whose code was read. */
static void skip_one(struct cursor *c)
{
	u64 name, form;

	cursor_uleb(c); /* tag */
	cursor_u8(c);
	do {
		name = cursor_uleb(c);
		form = cursor_uleb(c);
		if (form == DW_FORM_implicit_const)
			cursor_sleb(c);
	} while (!c->bad && (name || form));
}

struct abbrevs *abbrevs_read_one(struct cursor c, u8 address_size, u64 code, u64 *bytes)
{
	const u8 *start = c.p;
	struct abbrev_lists l = { VEC_INIT, VEC_INIT };
	struct abbrevs *a;

	for (;;) {
		struct cursor at = c;
		u64 here = cursor_uleb(&c);

		*bytes = (u64)(c.p - start);
		if (c.bad || !here)
			return NULL;
		if (here == code) {
			c = at;
			break;
		}
		skip_one(&c);
	}
	vec_reserve(&l.attrs, 1); /* as in abbrevs_read() */
	if (!read_one(&c, address_size, &l)) {
		vec_release(&l.list);
		vec_release(&l.attrs);
		return NULL;
	}
	a = xcalloc(1, sizeof(*a));
	*a = (struct abbrevs){
		.list = l.list.items, .attrs = l.attrs.items, .count = 1, .dense = code == 1
	};
	return a;
}

void abbrevs_free(struct abbrevs *a)
{
	if (!a)
		return;
	free(a->list);
	free(a->attrs);
	free(a);
}

const struct abbrev *abbrev_find(const struct abbrevs *a, u64 code)
{
	struct abbrev key = { .code = code };

	if (a->dense)
		return code && code <= a->count ? &a->list[code - 1] : NULL;
	return a->count ? bsearch(&key, a->list, a->count, sizeof(key), by_code) : NULL;
}
