// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The values of attributes: texts and addresses, of this file or by an index into another section.
 */

#include "symbol/dwarf.h"

struct cursor dwarf_cursor(const struct dwarf *d, enum dwarf_section s, u64 at)
{
	return cursor_at(d->sections[s].data, d->sections[s].size, at, d->swap);
}

const char *dwarf_string(const struct dwarf *d, enum dwarf_section s, u64 at)
{
	struct cursor c = dwarf_cursor(d, s, at);
	const char *text = cursor_string(&c);

	return c.bad ? NULL : text;
}

static u64 split_index_base(const struct dwarf_unit *u)
{
	/* a .dwo file's contribution begins after a header from version 5 on */
	if (u->has_str_offsets_base || u->version < 5)
		return u->str_offsets_base;
	return u->offset_size == 8 ? 16 : 8;
}

const char *value_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	struct cursor c;
	u64 at;

	if (v->kind == V_STRING)
		return v->s;
	if (v->kind != V_STRING_INDEX || v->u > UINT32_MAX)
		return NULL;
	c = dwarf_cursor(u->dwarf, S_STR_OFFSETS, split_index_base(u) + v->u * u->offset_size);
	at = cursor_uint(&c, u->offset_size);
	return c.bad ? NULL : dwarf_string(u->dwarf, S_STR, at);
}

bool unit_indexed_address(const struct dwarf_unit *u, u64 index, u64 *addr)
{
	const struct dwarf_unit *home = u->skeleton ? u->skeleton : u;
	struct cursor c;

	if (index > UINT32_MAX)
		return false;
	c = dwarf_cursor(home->dwarf, S_ADDR, home->addr_base + index * home->address_size);
	*addr = cursor_uint(&c, home->address_size);
	return !c.bad;
}

bool value_address(const struct dwarf_unit *u, const struct dwarf_value *v, u64 *addr)
{
	*addr = v->u;
	if (v->kind == V_ADDRESS_INDEX)
		return unit_indexed_address(u, v->u, addr);
	return v->kind == V_ADDRESS;
}
