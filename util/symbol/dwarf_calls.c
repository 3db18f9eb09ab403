// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of a unit and what was inlined into them, as one list of ranges in which the
 * innermost is found like a symbol: the last that starts at or before an address, or one around it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/demangle.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf_numbers.h"

/* Deeper trees of DIEs, longer chains of origins, are not from a compiler. */
#define MAX_DEPTH   512
#define MAX_ORIGINS 8

struct walk {
	struct dwarf_unit *u;
	VEC(struct call_node) nodes;
	VEC(struct code_range) ranges;
	u32 node;             /* whose ranges are being added */
	size_t most;          /* ranges: a hostile file's functions may all name one long list */
	u32 stack[MAX_DEPTH]; /* the node around each level of the tree */
	u32 depth;
	u32 function_depth; /* depth of the children of the outermost function around; 0: none */
};

static void add_range(void *arg, u64 low, u64 high)
{
	struct walk *w = arg;

	if (low && w->ranges.count < w->most)
		vec_push(&w->ranges, (struct code_range){ low, high, w->node });
}

/*
 * Reports whether children of such a DIE have no code. Nor do types with members where the producer
 * gives siblings, so they can be skipped: it describes the code of their member functions next to
 * them. A type that is local to a function is an exception.
 */
static bool is_barren(const struct walk *w, u16 tag)
{
	switch (tag) {
	case DW_TAG_enumeration_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return !w->function_depth;
	default:
		return false;
	}
}

static bool holds_code(u16 tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_entry_point;
}

/* Adds a node for this DIE and returns the node that its children belong to. */
static u32 enter(struct walk *w, const struct die *d, u32 around)
{
	bool function = d->abbrev->tag != DW_TAG_inlined_subroutine;
	size_t before = w->ranges.count;

	w->node = (u32)w->nodes.count;
	dwarf_die_ranges(w->u, d, add_range, w);
	if (w->ranges.count == before || w->nodes.count >= NO_CALL - 1)
		return function ? NO_CALL : around;
	vec_push(&w->nodes, (struct call_node){
				    .parent = function ? NO_CALL : around,
				    .call_file = d->call_file,
				    .call_line = d->call_line,
				    .die = d->offset,
			    });
	return w->node;
}

/* Reads the next DIE: first its tag, which is cheap and decides how much else is read. */
static bool next_die(struct cursor *c, struct walk *w, struct die *d)
{
	struct cursor at = *c;
	const struct abbrev *a;
	u64 code;

	if (c->p >= c->end)
		return false;
	code = cursor_uleb(&at);
	a = code ? abbrev_find(w->u->abbrevs, code) : NULL;
	return a && holds_code(a->tag) ? dwarf_read_call(c, w->u, d) : dwarf_skim_die(c, w->u, d);
}

static void jump(struct cursor *c, const struct dwarf_unit *u, u64 sibling)
{
	struct cursor there = unit_cursor(u, sibling);

	/* only forward, so the walk ends */
	if (!there.bad && there.p > c->p)
		c->p = there.p;
}

static void walk_unit(struct walk *w)
{
	struct cursor c = unit_cursor(w->u, w->u->die);
	struct die d;

	w->depth = w->function_depth = 0;
	w->stack[0] = NO_CALL;
	unit_abbrevs(w->u);
	while (next_die(&c, w, &d)) {
		u32 inside;

		if (!d.abbrev) {
			if (w->depth <= 1)
				break; /* the unit's own children end */
			if (w->depth-- == w->function_depth)
				w->function_depth = 0;
			continue;
		}
		inside = holds_code(d.abbrev->tag) ? enter(w, &d, w->stack[w->depth])
						   : w->stack[w->depth];
		if (!d.abbrev->has_children)
			continue;
		if (d.sibling && is_barren(w, d.abbrev->tag)) {
			jump(&c, w->u, d.sibling);
			continue;
		}
		if (w->depth + 1 == MAX_DEPTH)
			break;
		w->stack[++w->depth] = inside;
		if (!w->function_depth && holds_code(d.abbrev->tag))
			w->function_depth = w->depth;
	}
}

static u64 low_of(const void *range)
{
	return ((const struct code_range *)range)->low;
}

static struct unit_calls *read_calls(struct dwarf_unit *u)
{
	struct unit_calls *c = xcalloc(1, sizeof(*c));
	struct walk *w = xcalloc(1, sizeof(*w));

	w->u = u;
	w->most = u->end - u->offset + u->dwarf->sections[S_RANGES].size +
		  u->dwarf->sections[S_RNGLISTS].size;
	walk_unit(w);
	/* as found, the outer is before the inner where they start together */
	sort_by_key(w->ranges.items, sizeof(*w->ranges.items), w->ranges.count, low_of);
	c->unit = u;
	c->nodes = w->nodes.items;
	c->node_count = (u32)w->nodes.count;
	code_ranges_seal(&c->ranges, w->ranges.items, w->ranges.count);
	free(w);
	return c;
}

const struct unit_calls *unit_calls(struct dwarf_unit *u)
{
	struct unit_calls *c = atomic_load_explicit(&u->calls, memory_order_acquire);

	if (likely(c))
		return c;
	pthread_mutex_lock(&u->calls_lock);
	c = atomic_load(&u->calls);
	if (!c) {
		c = read_calls(u);
		atomic_store_explicit(&u->calls, c, memory_order_release);
	}
	pthread_mutex_unlock(&u->calls_lock);
	return c;
}

bool unit_calls_try(struct dwarf_unit *u)
{
	if (atomic_load_explicit(&u->calls, memory_order_acquire))
		return true;
	if (pthread_mutex_trylock(&u->calls_lock))
		return false;
	if (!atomic_load(&u->calls))
		atomic_store_explicit(&u->calls, read_calls(u), memory_order_release);
	pthread_mutex_unlock(&u->calls_lock);
	return true;
}

void unit_calls_free(struct unit_calls *c)
{
	if (!c)
		return;
	for (u32 i = 0; i < c->node_count; i++)
		free(c->nodes[i].name);
	free(c->nodes);
	code_ranges_release(&c->ranges);
	free(c);
}

u32 calls_find(const struct unit_calls *c, u64 addr)
{
	return code_ranges_find(&c->ranges, addr);
}

/* Names */

/* Follows abstract origins and specifications to the DIE that has a name. */
static const char *find_name(struct dwarf_unit *u, u64 offset)
{
	const char *plain = NULL;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		struct cursor c = unit_cursor(u, offset);
		struct dwarf *in = u->dwarf;
		const char *linkage;
		struct die d;

		if (!dwarf_read_die(&c, u, &d) || !d.abbrev)
			break;
		linkage = value_string(u, &d.linkage_name);
		if (linkage)
			return linkage;
		if (!plain)
			plain = value_string(u, &d.name);
		if (d.origin.kind == V_REF_ALT)
			in = in->alt;
		else if (d.origin.kind != V_REF)
			break;
		u = in ? dwarf_unit_at(in, d.origin.u) : NULL;
		offset = d.origin.u;
		if (!u)
			break;
	}
	return plain;
}

const char *call_name(const struct unit_calls *c, struct call_node *n, bool demangle, bool params)
{
	char *name = atomic_load_explicit(&n->name, memory_order_acquire), *nobody = NULL;
	const char *raw;

	if (likely(name))
		return name[0] ? name : NULL;
	raw = find_name(c->unit, n->die);
	if (raw && demangle)
		name = symbol_demangle(raw, params);
	if (!name)
		name = xstrdup(raw ? raw : "");
	if (!atomic_compare_exchange_strong(&n->name, &nobody, name)) {
		free(name);
		name = nobody;
	}
	return name[0] ? name : NULL;
}
