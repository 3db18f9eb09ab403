// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds why chains that the kernel recorded end, and where the return address of their leaf is. */
#include "arch/arch.h"
#include "unwind/internal.h"

/* What is known of the code at an address. */
struct spot {
	u32 image; /* 0: no code is there */
	struct image_cfi *cfi;
	u64 addr;                      /* in the file */
	bool known;                    /* addr is */
	struct cfi_function *function; /* NULL if nothing describes it */
	const struct cfi_rows *rows;
	const struct cfi_row *row;
};

static struct spot look_in(struct unwinder *u, u32 image, u64 offset)
{
	struct spot s = { .image = image };
	struct cfi *c;

	s.cfi = unwinder_image(u, image);
	s.known = s.cfi->object.elf && elf_offset_to_addr(s.cfi->object.elf, offset, &s.addr);
	/* (recordings with data addresses have mappings of data, such as the heap) */
	if (s.cfi->image->kind == IMAGE_OTHER ||
	    (s.known && !elf_address_is_code(s.cfi->object.elf, s.addr)))
		return (struct spot){ 0 };
	s.function = s.known ? image_cfi_find(u, s.cfi, s.addr, &c) : NULL;
	s.rows = s.function ? cfi_rows(c, s.function) : NULL;
	s.row = s.rows && !s.rows->bad ? cfi_row_at(s.rows, s.addr) : NULL;
	return s;
}

static struct spot look_at(struct unwinder *u, const struct unwind_request *q, space_version space,
			   u64 ip)
{
	const struct mapping *m = history_find(q->history, space, ip);

	return m ? look_in(u, m->image, ip - m->start + m->pgoff) : (struct spot){ 0 };
}

/* Returns the rule for the return address; a register without a rule is unchanged. */
static struct cfi_rule return_rule(const struct spot *s)
{
	for (u32 i = 0; i < s->row->count; i++)
		if (s->rows->rules[s->row->first + i].reg == s->rows->ra)
			return s->rows->rules[s->row->first + i].rule;
	return (struct cfi_rule){ .how = CFI_SAME };
}

static struct unwind_result end_at(const struct spot *s)
{
	struct unwind_result r = { .end = s->image ? UNWIND_NO_POINTER : UNWIND_UNMAPPED,
				   .image = s->image };

	if (s->known && ((s->row && return_rule(s).how == CFI_UNDEFINED) ||
			 image_begins_program(s->cfi, s->function, s->addr)))
		r.end = UNWIND_ROOT;
	return r;
}

struct unwind_result unwind_chain_end(struct unwinder *u, const struct unwind_request *q, u64 ip)
{
	struct spot s = look_at(u, q, history_space(q->history, q->task, q->key), ip);

	return end_at(&s);
}

struct unwind_result unwind_chain_end_at(struct unwinder *u, u32 image, u64 offset)
{
	struct spot s = image ? look_in(u, image, offset) : (struct spot){ 0 };

	return end_at(&s);
}

/*
 * Reports whether the function has its own frame here: the stack pointer is no longer its caller's.
 */
static bool has_frame(const struct cfi_row *row, const struct arch_unwind *facts)
{
	return row->cfa.how != CFI_REGISTER || row->cfa.reg != facts->sp || row->cfa.offset;
}

enum unwind_leaf unwind_leaf(struct unwinder *u, const struct unwind_request *q, u64 pc, u64 *link)
{
	const struct arch *a = unwind_arch(q);
	space_version space = history_space(q->history, q->task, q->key);
	struct spot s = look_at(u, q, space, pc);
	struct cfi_rule rule;

	if (!a || !a->unwind || !s.row || s.rows->is_signal || s.rows->ra != a->unwind->link)
		return UNWIND_LEAF_UNKNOWN;
	*link = unwind_strip(q, a->unwind, space, *link);
	rule = return_rule(&s);
	switch (rule.how) {
	case CFI_REGISTER: /* copied, on its way to the stack */
		if (a->unwind->chain_link != CHAIN_WITH_LINK)
			return UNWIND_LEAF_UNKNOWN;
		/* fallthrough */
	case CFI_SAME:
		return has_frame(s.row, a->unwind) ? UNWIND_LEAF_FRAMED_LINK : UNWIND_LEAF_LINK;
	case CFI_AT_CFA:
		/* already stored, or not yet, without a frame: a call may have been made since */
		if (!has_frame(s.row, a->unwind) &&
		    look_at(u, q, space, *link - 1).function != s.function)
			return UNWIND_LEAF_LINK;
		return UNWIND_LEAF_STACK;
	default:
		return UNWIND_LEAF_UNKNOWN;
	}
}
