// SPDX-License-Identifier: GPL-2.0-or-later
/* Collects basic blocks of branch stacks, by the cycles that they took. */
#include <string.h>

#include "branch/profile.h"
#include "profile/internal.h"

/* ---- gathering ---- */

void profile_blocks_begin(struct profile *p)
{
	p->block_lines = line_store_new(session_symbols(p->session), &p->set.lines);
	p->blocks = branch_profile_new(p->session, p->block_lines, false);
}

static bool has_number(const u32 *list, size_t count, u32 n)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == n)
			return true;
	return !count;
}

/*
 * Adds the blocks of a sample that passes the filters of samples; the other filters are of blocks.
 */
void profile_blocks_add(struct profile *p, const struct session_sample *s)
{
	const char *comm = history_comm_text(session_history(p->session), s->comm);

	if (has_number(p->set.pids, p->set.pid_count, s->task->pid) &&
	    has_number(p->set.tids, p->set.tid_count, s->task->tid) &&
	    (!p->set.comms.list.count || strlist_has(&p->set.comms, comm)))
		branch_profile_add(p->blocks, s);
}

void profile_blocks_release(struct profile *p)
{
	branch_profile_free(p->blocks);
	line_store_free(p->block_lines);
	p->blocks = NULL;
	p->block_lines = NULL;
}

/* ---- the table ---- */

static int row_cmp(const void *pa, const void *pb)
{
	const struct profile_block *a = pa, *b = pb;

	if (a->block->sum != b->block->sum)
		return a->block->sum > b->block->sum ? -1 : 1;
	return strcmp(a->block->key, b->block->key);
}

static bool shown(const struct profile *p, const struct block *b)
{
	const char *name = b->symbol + 4, *base = strrchr(b->dso, '/');

	if (p->set.dsos.list.count && !strlist_has(&p->set.dsos, b->dso) &&
	    !strlist_has(&p->set.dsos, base ? base + 1 : b->dso))
		return false;
	if (p->set.symbols.list.count && !strlist_has(&p->set.symbols, name))
		return false;
	return !p->set.symbol_filter || strstr(name, p->set.symbol_filter);
}

/*
 * Lists the blocks of an event. 100 % is the cycles of all branches (relative: those of the blocks
 * shown).
 */
size_t profile_blocks(const struct profile *p, u32 event, struct profile_block **out)
{
	double all = (double)branch_profile_cycles(p->blocks, event), sum = 0, averages = 0;
	VEC(struct profile_block) list = VEC_INIT;
	size_t kept = 0;

	vec_for_each(&p->blocks->blocks, b) {
		if ((*b)->event != event || !shown(p, *b))
			continue;
		vec_push(&list, (struct profile_block){
					.block = *b, .average = (*b)->sum / (double)(*b)->count });
		averages += (*b)->sum / (double)(*b)->count;
		sum += (*b)->sum;
	}
	if (p->set.relative)
		all = sum;
	vec_for_each(&list, row) {
		row->share = 100 * row->block->sum / all;
		row->average_share = 100 * row->average / averages;
		if (row->share >= p->set.percent_limit)
			list.items[kept++] = *row;
	}
	list.count = kept;
	vec_sort(&list, row_cmp);
	*out = list.items;
	return kept;
}
