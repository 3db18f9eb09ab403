// SPDX-License-Identifier: GPL-2.0-or-later
/* Where in its function a variable lives, for people to read. */
#include "base/strbuf.h"
#include "probe/places_internal.h"

/* Ranges of the innermost block that declares the variable. */
struct block_search {
	const void *variable;
	Dwarf_Die block;
	bool found;
};

static bool find_block(Dwarf_Die *parent, struct block_search *s, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (die.addr == s->variable) {
			s->block = *parent;
			return true;
		}
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    find_block(&die, s, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct range_text {
	struct strbuf *b;
	u64 entry;
	bool any, join;
	u64 start, end; /* the range that is not written yet */
	const char *function;
};

static void put_range(struct range_text *t)
{
	if (t->any)
		strbuf_f(t->b, "%" PRId64 "-%" PRId64, (s64)(t->start - t->entry),
			 (s64)(t->end - t->entry));
}

static void add_range(struct range_text *t, u64 start, u64 end)
{
	if (t->any && t->join && start == t->end) {
		t->end = end;
		return;
	}
	put_range(t);
	if (!t->any)
		strbuf_f(t->b, "@<%s+[", t->function);
	else
		strbuf_char(t->b, ',');
	t->any = true;
	t->start = start;
	t->end = end;
}

void variable_ranges(const struct scope *s, Dwarf_Die *variable, bool join, struct strbuf *b)
{
	Dwarf_Die function = s->function;
	struct range_text t = { .b = b, .join = join, .function = dwarf_diename(&function) };
	struct block_search block = { .variable = variable->addr };
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attr;
	ptrdiff_t next = 0;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(variable, DW_AT_location, &attr) || !die_entry(&function, &t.entry))
		return;
	if (!t.function)
		t.function = "?";
	if (dwarf_whatform(&attr) == DW_FORM_exprloc || dwarf_whatform(&attr) == DW_FORM_block1) {
		if (!find_block(&function, &block, 0))
			return;
		while ((next = dwarf_ranges(&block.block, next, &base, &start, &end)) > 0)
			add_range(&t, start, end);
	} else {
		while ((next = dwarf_getlocations(&attr, next, &base, &start, &end, &ops, &count)) >
		       0)
			if (count)
				add_range(&t, start, end);
	}
	put_range(&t);
	if (t.any)
		strbuf_str(b, "]>");
}
