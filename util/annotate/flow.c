// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where jumps go inside a function: target lines, basic blocks, loops.
 *
 * A block begins at the function's start, at the target of a jump, and after an instruction that
 * jumps or returns. A loop extends from the target of a backward jump to the jump. A line belongs
 * to the innermost loop around it.
 */
#include <stdlib.h>

#include "annotate/internal.h"
#include "base/alloc.h"
#include "base/search.h"

static u32 line_of_address(const struct annotation *n, const u32 *code, u64 address)
{
	u32 at = lower_bound(i, 0, n->code_count, n->lines[code[i]].address < address);

	return at < n->code_count && n->lines[code[at]].address == address ? code[at] : NO_LINE;
}

static void find_targets(struct annotation *n, const u32 *code)
{
	for (u32 i = 0; i < n->code_count; i++) {
		struct annotate_line *l = &n->lines[code[i]];

		if (!l->has_target || (l->flow != FLOW_JUMP && l->flow != FLOW_BRANCH) ||
		    l->target < n->address || l->target >= n->address + n->size)
			continue;
		l->target_line = line_of_address(n, code, l->target);
		if (l->target_line != NO_LINE)
			n->lines[l->target_line].jumps_here++;
	}
}

static void number_blocks(struct annotation *n)
{
	u32 block = 0;
	bool ended = false, any = false;

	for (u32 i = 0; i < n->count; i++) {
		struct annotate_line *l = &n->lines[i];

		if (l->kind != ANNOTATE_CODE) {
			l->block = block;
			continue;
		}
		if (any && (ended || l->jumps_here))
			block++;
		any = true;
		l->block = block;
		ended = l->flow == FLOW_JUMP || l->flow == FLOW_BRANCH || l->flow == FLOW_RETURN;
	}
}

struct loop {
	u32 from, to; /* lines */
};

static int outer_first(const void *pa, const void *pb)
{
	const struct loop *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to > b->to ? -1 : a->to < b->to;
}

/*
 * Marks loops, which backward jumps make. Several jumps to one place make one loop, up to the last
 * of them.
 */
static void mark_loops(struct annotation *n)
{
	VEC(struct loop) loops = VEC_INIT;
	VEC(struct loop) open = VEC_INIT;
	size_t at = 0;

	for (u32 i = 0; i < n->count; i++)
		if (n->lines[i].target_line <= i)
			vec_push(&loops, (struct loop){ n->lines[i].target_line, i });
	if (loops.count)
		qsort(loops.items, loops.count, sizeof(*loops.items), outer_first);
	for (u32 i = 0; i < n->count && loops.count; i++) {
		while (open.count && vec_last(&open)->to < i)
			open.count--;
		for (; at < loops.count && loops.items[at].from == i; at++)
			if (!open.count || vec_last(&open)->from != i)
				vec_push(&open, loops.items[at]);
		if (open.count) {
			n->lines[i].loop = vec_last(&open)->from;
			n->lines[i].loop_depth = (u32)open.count;
		}
	}
	vec_release(&loops);
	vec_release(&open);
}

void flow_settle(struct annotation *n)
{
	u32 *code = xcalloc(n->code_count + 1, sizeof(*code)), count = 0;

	for (u32 i = 0; i < n->count; i++)
		if (n->lines[i].kind == ANNOTATE_CODE && count < n->code_count)
			code[count++] = i;
	find_targets(n, code);
	number_blocks(n);
	mark_loops(n);
	free(code);
}
