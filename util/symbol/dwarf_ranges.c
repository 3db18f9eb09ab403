// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of addresses: as DIEs give them, and which is the innermost at an address. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

static u64 address_mask(const struct dwarf_unit *u)
{
	return u->address_size == 8 ? UINT64_MAX : (1ULL << 8 * u->address_size) - 1;
}

struct range_walk {
	const struct dwarf_unit *unit;
	u64 base;
	range_fn fn;
	void *arg;
};

static void give(const struct range_walk *w, u64 low, u64 high)
{
	if (low < high)
		w->fn(w->arg, low, high);
}

/* Walks the pairs of versions 2 to 4, ended by (0, 0). The greatest address sets a new base. */
static void walk_pairs(struct range_walk *w, struct cursor c)
{
	u8 size = w->unit->address_size;
	u64 mask = address_mask(w->unit);

	for (;;) {
		u64 low = cursor_uint(&c, size), high = cursor_uint(&c, size);

		if (c.bad || (!low && !high))
			return;
		if (low == mask)
			w->base = high;
		else
			give(w, (low + w->base) & mask, (high + w->base) & mask);
	}
}

/* Reads one entry of .debug_rnglists. Returns false at the end. */
static bool walk_entry(struct range_walk *w, struct cursor *c)
{
	const struct dwarf_unit *u = w->unit;
	u8 size = u->address_size, kind = cursor_u8(c);
	u64 a = 0, b = 0;
	bool known = true;

	switch (kind) {
	case DW_RLE_base_addressx:
		return unit_indexed_address(u, cursor_uleb(c), &w->base) && !c->bad;
	case DW_RLE_base_address:
		w->base = cursor_uint(c, size);
		return !c->bad;
	case DW_RLE_startx_endx:
		known = unit_indexed_address(u, cursor_uleb(c), &a);
		known &= unit_indexed_address(u, cursor_uleb(c), &b);
		break;
	case DW_RLE_startx_length:
		known = unit_indexed_address(u, cursor_uleb(c), &a);
		b = a + cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		a = w->base + cursor_uleb(c);
		b = w->base + cursor_uleb(c);
		break;
	case DW_RLE_start_end:
		a = cursor_uint(c, size);
		b = cursor_uint(c, size);
		break;
	case DW_RLE_start_length:
		a = cursor_uint(c, size);
		b = a + cursor_uleb(c);
		break;
	default: /* the end, or what we do not know */
		return false;
	}
	if (!c->bad && known)
		give(w, a, b);
	return !c->bad;
}

static void walk_list(struct range_walk *w, struct cursor c)
{
	while (walk_entry(w, &c))
		;
}

/* Returns a cursor where list number index of the unit's table begins. */
static struct cursor list_by_index(const struct dwarf_unit *u, u64 index)
{
	u64 base = u->rnglists_base;
	struct cursor c;
	u64 at;

	if (!base) /* a .dwo file: after the table's header */
		base = u->offset_size == 8 ? 20 : 12;
	if (index > UINT32_MAX)
		return dwarf_cursor(u->dwarf, S_RNGLISTS, UINT64_MAX);
	c = dwarf_cursor(u->dwarf, S_RNGLISTS, base + index * u->offset_size);
	at = cursor_uint(&c, u->offset_size);
	return dwarf_cursor(u->dwarf, S_RNGLISTS, c.bad ? UINT64_MAX : base + at);
}

static void walk_ranges(struct range_walk *w, const struct dwarf_value *v)
{
	const struct dwarf_unit *u = w->unit;

	if (v->kind == V_RANGE_INDEX)
		walk_list(w, list_by_index(u, v->u));
	else if (u->version >= 5)
		walk_list(w, dwarf_cursor(u->dwarf, S_RNGLISTS, v->u));
	else if (u->skeleton) /* GNU split units: the ranges stay with the skeleton */
		walk_pairs(w, dwarf_cursor(u->skeleton->dwarf, S_RANGES,
					   v->u + u->skeleton->rnglists_base));
	else
		walk_pairs(w, dwarf_cursor(u->dwarf, S_RANGES, v->u));
}

void dwarf_die_ranges(const struct dwarf_unit *u, const struct die *d, range_fn fn, void *arg)
{
	const struct dwarf_unit *home = u->skeleton ? u->skeleton : u;
	struct range_walk w = { .unit = u, .base = home->low_pc, .fn = fn, .arg = arg };
	u64 low, high;

	if (d->ranges.kind == V_OFFSET || d->ranges.kind == V_NUMBER ||
	    d->ranges.kind == V_RANGE_INDEX) {
		walk_ranges(&w, &d->ranges);
		return;
	}
	if (!value_address(u, &d->low_pc, &low))
		return;
	if (d->high_pc.kind == V_NUMBER)
		high = low + d->high_pc.u;
	else if (!value_address(u, &d->high_pc, &high))
		return;
	give(&w, low, high);
}

/* Found like a symbol: the last that starts at or before an address, or one around it. */

void code_ranges_seal(struct code_ranges *r, struct code_range *items, size_t count)
{
	u32 open = NO_RANGE;

	r->items = items;
	r->count = (u32)MIN(count, NO_RANGE - 1);
	r->outer = xreallocarray(NULL, r->count, sizeof(*r->outer));
	for (u32 i = 0; i < r->count; i++) {
		/* what ends no later is never asked again: this one starts later */
		while (open != NO_RANGE && items[open].high <= items[i].high)
			open = r->outer[open];
		r->outer[i] = open;
		open = i;
	}
}

u32 code_ranges_find(const struct code_ranges *r, u64 addr)
{
	u32 at = lower_bound(i, 0, r->count, r->items[i].low <= addr);

	at = at ? at - 1 : NO_RANGE;
	while (at != NO_RANGE && r->items[at].high <= addr)
		at = r->outer[at];
	return at == NO_RANGE ? at : r->items[at].id;
}

void code_ranges_release(struct code_ranges *r)
{
	free(r->items);
	free(r->outer);
}
