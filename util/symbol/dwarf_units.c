// SPDX-License-Identifier: GPL-2.0-or-later
/* The units of a file, their DIEs, and which unit an address belongs to. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* A unit takes 11 bytes at least; no program has this many. */
/* Chromium has 50,000; bounds the memory that a file of empty units takes. */
#define MAX_UNITS (1u << 20)

static bool read_unit_header(struct cursor *c, struct dwarf *d, struct dwarf_unit *u)
{
	const u8 *start = d->sections[S_INFO].data;
	u64 length;

	u->dwarf = d;
	u->offset = (u64)(c->p - start);
	length = cursor_u32(c);
	u->offset_size = 4;
	if (length == 0xffffffff) {
		length = cursor_u64(c);
		u->offset_size = 8;
	}
	if (c->bad || length > cursor_left(c))
		return false;
	u->end = (u64)(c->p - start) + length;
	u->version = cursor_u16(c);
	u->type = DW_UT_compile;
	if (u->version >= 5) {
		u->type = cursor_u8(c);
		u->address_size = cursor_u8(c);
		u->abbrev_offset = cursor_uint(c, u->offset_size);
	} else {
		u->abbrev_offset = cursor_uint(c, u->offset_size);
		u->address_size = cursor_u8(c);
	}
	if (u->version >= 5 && (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile))
		u->dwo_id = cursor_u64(c);
	u->die = (u64)(c->p - start);
	return !c->bad && u->die <= u->end;
}

static bool unit_is_readable(const struct dwarf_unit *u)
{
	return u->version >= 2 && u->version <= 5 &&
	       (u->address_size == 4 || u->address_size == 8 || u->address_size == 2) &&
	       u->type != DW_UT_type && u->type != DW_UT_split_type;
}

void dwarf_list_units(struct dwarf *d)
{
	struct cursor c = dwarf_cursor(d, S_INFO, 0);
	VEC(struct dwarf_unit) list = VEC_INIT;

	while (cursor_left(&c) >= 11 && list.count < MAX_UNITS) {
		struct dwarf_unit u = { .dwarf = d };

		if (!read_unit_header(&c, d, &u))
			break;
		if (unit_is_readable(&u))
			vec_push(&list, u);
		c.p = d->sections[S_INFO].data + u.end;
	}
	d->units = list.items;
	d->unit_count = (u32)list.count;
	for (u32 i = 0; i < d->unit_count; i++) {
		pthread_mutex_init(&d->units[i].lines_lock, NULL);
		pthread_mutex_init(&d->units[i].calls_lock, NULL);
	}
}

const struct abbrevs *unit_abbrevs(struct dwarf_unit *u)
{
	struct dwarf *d = u->dwarf;
	const struct abbrevs *a = __atomic_load_n(&u->abbrevs, __ATOMIC_ACQUIRE);
	u64 *slot;

	if (likely(a))
		return a;
	pthread_mutex_lock(&d->lock);
	slot = map64_put(&d->abbrevs_by_offset, u->abbrev_offset << 4 | u->address_size, NULL);
	if (!*slot)
		*slot = (u64)(uintptr_t)abbrevs_read(dwarf_cursor(d, S_ABBREV, u->abbrev_offset),
						     u->address_size);
	a = (const struct abbrevs *)(uintptr_t)*slot;
	pthread_mutex_unlock(&d->lock);
	__atomic_store_n(&u->abbrevs, a, __ATOMIC_RELEASE);
	return a;
}

struct dwarf_unit *dwarf_unit_at(const struct dwarf *d, u64 offset)
{
	u32 at = lower_bound(i, 0, d->unit_count, d->units[i].end <= offset);

	return at < d->unit_count && d->units[at].die <= offset ? &d->units[at] : NULL;
}

/* DIEs */

struct cursor unit_cursor(const struct dwarf_unit *u, u64 offset)
{
	struct cursor c = dwarf_cursor(u->dwarf, S_INFO, offset);

	if (offset < u->die || offset > u->end)
		c.bad = true;
	c.end = u->dwarf->sections[S_INFO].data + u->end;
	if (c.bad)
		c.p = c.end;
	return c;
}

static bool begin_die(struct cursor *c, struct dwarf_unit *u, struct die *d)
{
	const struct abbrevs *all = unit_abbrevs(u);
	u64 code;

	d->abbrev = NULL;
	d->sibling = 0;
	d->offset = (u64)(c->p - u->dwarf->sections[S_INFO].data);
	if (c->bad || c->p >= c->end)
		return false;
	code = cursor_uleb(c);
	if (!code)
		return !c->bad;
	d->abbrev = abbrev_find(all, code);
	c->bad |= !d->abbrev;
	return !c->bad;
}

static void clear(struct die *d)
{
	d->low_pc.kind = d->high_pc.kind = d->ranges.kind = V_NONE;
	d->origin.kind = d->name.kind = d->linkage_name.kind = V_NONE;
	d->call_file = NO_FILE;
	d->call_line = 0;
}

bool dwarf_skim_die(struct cursor *c, struct dwarf_unit *u, struct die *d)
{
	unsigned wide = u->offset_size == 8;
	const struct abbrev_attr *attrs;
	u32 fixed;

	if (!begin_die(c, u, d))
		return false;
	if (!d->abbrev)
		return true;
	fixed = d->abbrev->fixed_size[wide];
	if (fixed) {
		struct cursor at = *c;

		cursor_skip(c, fixed);
		if (d->abbrev->has_sibling && !c->bad) {
			at.p += d->abbrev->sibling_at[wide];
			d->sibling = form_read(&at, u, &u->abbrevs->attrs[d->abbrev->sibling]).u;
		}
		return !c->bad;
	}
	attrs = u->abbrevs->attrs + d->abbrev->first;
	for (u32 i = 0; i < d->abbrev->count; i++) {
		if (attrs[i].name == DW_AT_sibling)
			d->sibling = form_read(c, u, &attrs[i]).u;
		else if (attrs[i].size[wide])
			cursor_skip(c, attrs[i].size[wide]);
		else
			form_skip(c, u, attrs[i].form);
	}
	return !c->bad;
}

static void keep(struct die *d, u16 name, struct dwarf_value v)
{
	switch (name) {
	case DW_AT_low_pc:
		d->low_pc = v;
		break;
	case DW_AT_high_pc:
		d->high_pc = v;
		break;
	case DW_AT_ranges:
		d->ranges = v;
		break;
	case DW_AT_name:
		d->name = v;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		d->linkage_name = v;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		d->origin = v;
		break;
	case DW_AT_call_file:
		d->call_file = (u32)v.u;
		break;
	case DW_AT_call_line:
		d->call_line = (u32)v.u;
		break;
	case DW_AT_sibling:
		d->sibling = v.u;
		break;
	}
}

static bool is_kept(u16 name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_abstract_origin:
	case DW_AT_specification:
	case DW_AT_call_file:
	case DW_AT_call_line:
	case DW_AT_sibling:
		return true;
	default:
		return false;
	}
}

bool dwarf_read_call(struct cursor *c, struct dwarf_unit *u, struct die *d)
{
	unsigned wide = u->offset_size == 8;
	const struct abbrev_attr *attrs;

	clear(d);
	if (!begin_die(c, u, d))
		return false;
	if (!d->abbrev)
		return true;
	attrs = u->abbrevs->attrs + d->abbrev->first;
	for (u32 i = 0; i < d->abbrev->count; i++) {
		if (attrs[i].is_call)
			keep(d, attrs[i].name, form_read(c, u, &attrs[i]));
		else if (attrs[i].size[wide])
			cursor_skip(c, attrs[i].size[wide]);
		else
			form_skip(c, u, attrs[i].form);
	}
	return !c->bad;
}

bool dwarf_read_die(struct cursor *c, struct dwarf_unit *u, struct die *d)
{
	const struct abbrev_attr *attrs;

	clear(d);
	if (!begin_die(c, u, d))
		return false;
	if (!d->abbrev)
		return true;
	attrs = u->abbrevs->attrs + d->abbrev->first;
	for (u32 i = 0; i < d->abbrev->count; i++) {
		if (is_kept(attrs[i].name))
			keep(d, attrs[i].name, form_read(c, u, &attrs[i]));
		else
			form_skip(c, u, attrs[i].form);
	}
	return !c->bad;
}

/* Values in another section, at an index from the unit's base. */

/* The unit's own DIE */

static void keep_unit_attr(struct dwarf_unit *u, u16 name, const struct dwarf_value *v,
			   struct die *d)
{
	switch (name) {
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->u;
		u->has_str_offsets_base = true;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->u;
		break;
	case DW_AT_rnglists_base:
	case DW_AT_GNU_ranges_base:
		u->rnglists_base = v->u;
		break;
	case DW_AT_stmt_list:
		u->line_offset = v->u;
		u->has_lines = v->kind == V_OFFSET || v->kind == V_NUMBER;
		break;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v->u;
		break;
	default:
		keep(d, name, *v);
	}
}

/*
 * Reads the unit's attributes. Names come last, since they may be indices from a base that follows
 * them.
 */
static void read_unit_attrs(struct dwarf_unit *u, const struct abbrevs *all, struct cursor c,
			    struct die *d)
{
	struct dwarf_value dir = { 0 }, dwo = { 0 };
	const struct abbrev_attr *attrs = all->attrs + d->abbrev->first;

	for (u32 i = 0; i < d->abbrev->count && !c.bad; i++) {
		struct dwarf_value v = form_read(&c, u, &attrs[i]);

		if (attrs[i].name == DW_AT_comp_dir)
			dir = v;
		else if (attrs[i].name == DW_AT_dwo_name || attrs[i].name == DW_AT_GNU_dwo_name)
			dwo = v;
		else
			keep_unit_attr(u, attrs[i].name, &v, d);
	}
	u->name = value_string(u, &d->name);
	u->comp_dir = value_string(u, &dir);
	u->dwo_name = value_string(u, &dwo);
	if (!value_address(u, &d->low_pc, &u->low_pc))
		u->low_pc = 0;
}

/*
 * Reads the abbreviation of a unit's own DIE without the others of its table. Where units have
 * their own tables, this passes over each once; where many share one, it is read whole before that
 * becomes expensive.
 */
static struct abbrevs *own_abbrev(struct dwarf_unit *u, u64 code)
{
	struct dwarf *d = u->dwarf;
	struct abbrevs *one;
	u64 bytes;

	if (d->abbrev_bytes > d->sections[S_ABBREV].size)
		return NULL;
	one = abbrevs_read_one(dwarf_cursor(d, S_ABBREV, u->abbrev_offset), u->address_size, code,
			       &bytes);
	d->abbrev_bytes += bytes;
	return one;
}

/*
 * Reads a unit's own DIE. This happens to all units of a file, most of which are never needed
 * again. d->abbrev is not kept.
 */
static void read_unit_die(struct dwarf_unit *u, struct die *d)
{
	struct cursor c = unit_cursor(u, u->die);
	const struct abbrevs *all;
	struct abbrevs *one;
	u64 code;

	clear(d);
	d->abbrev = NULL;
	d->sibling = 0;
	d->offset = u->die;
	if (c.bad || c.p >= c.end)
		return;
	code = cursor_uleb(&c);
	if (!code || c.bad)
		return;
	one = own_abbrev(u, code);
	all = one ? one : unit_abbrevs(u);
	d->abbrev = abbrev_find(all, code);
	if (d->abbrev) {
		u->tag = d->abbrev->tag;
		u->has_children = d->abbrev->has_children;
		read_unit_attrs(u, all, c, d);
	}
	d->abbrev = NULL;
	abbrevs_free(one);
}

struct gather {
	struct dwarf *d;
	u32 unit;
	VEC(struct code_range) ranges;
	size_t most; /* no file describes more ranges than it has bytes for them */
};

static void add_range(void *arg, u64 low, u64 high)
{
	struct gather *g = arg;

	/* what the linker dropped was left at 0 or at the top; many units may name one list */
	if (low && low < high && g->ranges.count < g->most)
		vec_push(&g->ranges, (struct code_range){ low, high, g->unit });
}

/* Adds the ranges of a unit's functions, where the unit itself does not say what it covers. */
static void ranges_of_functions(struct gather *g, struct dwarf_unit *u)
{
	struct cursor c = unit_cursor(u, u->die);
	struct die d;

	while (dwarf_read_die(&c, u, &d))
		if (d.abbrev && d.abbrev->tag == DW_TAG_subprogram)
			dwarf_die_ranges(u, &d, add_range, g);
}

/*
 * Reads one set of .debug_aranges, the ranges of one unit. Returns false at the end, or where it is
 * damaged.
 */
static bool read_arange_set(struct gather *g, struct cursor *c)
{
	const u8 *start = c->p;
	u64 length = cursor_u32(c), at;
	unsigned offset_size = 4, size;
	struct cursor set = *c;
	struct dwarf_unit *u;

	if (length == 0xffffffff) {
		length = cursor_u64(c);
		offset_size = 8;
		set = *c;
	}
	cursor_skip(c, length);
	if (c->bad || !length)
		return false;
	set.end = c->p;
	cursor_u16(&set); /* version */
	at = cursor_uint(&set, offset_size);
	size = cursor_u8(&set);
	cursor_u8(&set); /* segment selectors: nobody has them */
	u = dwarf_unit_at(g->d, at + 11);
	if (!u || u->version > 2 || (size != 4 && size != 8))
		return true;
	/* tuples are aligned to their own size from the set's start */
	cursor_skip(&set, -(size_t)(set.p - start) & (2 * size - 1));
	g->unit = (u32)(u - g->d->units);
	while (cursor_left(&set) >= 2 * size) {
		u64 low = cursor_uint(&set, size), length_here = cursor_uint(&set, size);

		add_range(g, low, low + length_here);
	}
	return true;
}

/*
 * Adds the ranges of .debug_aranges. In version 2, a unit's DIE cannot say that it covers several
 * ranges: one that has functions in separate sections names only the first.
 */
static void ranges_of_old_units(struct gather *g)
{
	struct cursor c = dwarf_cursor(g->d, S_ARANGES, 0);

	while (read_arange_set(g, &c))
		;
}

static void index_unit(struct gather *g, struct dwarf_unit *u)
{
	struct die d = { 0 };
	size_t before = g->ranges.count;

	read_unit_die(u, &d);
	if (u->tag != DW_TAG_compile_unit && u->tag != DW_TAG_skeleton_unit)
		return;
	dwarf_die_ranges(u, &d, add_range, g);
	if (g->ranges.count == before && u->has_children && !u->dwo_name && d.ranges.kind == V_NONE)
		ranges_of_functions(g, u);
}

static int by_low(const void *pa, const void *pb)
{
	const struct code_range *a = pa, *b = pb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	/* the smaller last, where it is found first */
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void dwarf_index_units(struct dwarf *d)
{
	struct gather g = {
		.d = d,
		.most = d->sections[S_INFO].size + d->sections[S_RANGES].size +
			d->sections[S_RNGLISTS].size + d->sections[S_ARANGES].size,
	};

	for (u32 i = 0; i < d->unit_count; i++) {
		g.unit = i;
		index_unit(&g, &d->units[i]);
	}
	ranges_of_old_units(&g);
	vec_sort(&g.ranges, by_low);
	code_ranges_seal(&d->ranges, g.ranges.items, g.ranges.count);
}

u32 dwarf_find_unit(const struct dwarf *d, u64 addr)
{
	return code_ranges_find(&d->ranges, addr);
}

void dwarf_attach(struct dwarf *d, struct dwarf_unit *skeleton)
{
	for (u32 i = 0; i < d->unit_count; i++) {
		struct die die = { 0 };

		d->units[i].skeleton = skeleton;
		read_unit_die(&d->units[i], &die);
	}
}

u64 dwarf_bytes(const struct dwarf *d)
{
	u64 bytes = sizeof(*d) + d->unit_count * sizeof(*d->units) +
		    d->ranges.count * (sizeof(*d->ranges.items) + sizeof(*d->ranges.outer));

	for (u32 i = 0; i < d->unit_count; i++) {
		const struct unit_lines *l = atomic_load(&d->units[i].lines);
		const struct unit_calls *c = atomic_load(&d->units[i].calls);

		if (l)
			bytes +=
				l->row_count * sizeof(*l->rows) + l->file_count * sizeof(*l->files);
		if (c)
			bytes += c->node_count * sizeof(*c->nodes) +
				 c->ranges.count *
					 (sizeof(*c->ranges.items) + sizeof(*c->ranges.outer));
	}
	return bytes;
}
