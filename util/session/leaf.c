// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrects both ends of a user call chain on machines with a link register: the caller of the leaf,
 * and the root.
 *
 * The kernel of arm64 follows frame records. A function that calls no other makes no record: only
 * the link register holds its caller, and perf record asks for that register. The kernel of powerpc
 * puts the link register after the program counter, whether it holds the return address or
 * something older. After that it puts the word of a frame that may not have been written yet. The
 * CFI of the function shows which of them is valid.
 */
#include "arch/arch.h"
#include "base/bytes.h"
#include "base/perf_abi.h"
#include "session/internal.h"
#include "unwind/unwind.h"

static u64 entry(const struct deliver *d, const struct sample *sample, u64 i)
{
	return load_u64(sample->chain + 8 * i, d->s->set->swap);
}

/*
 * Returns where the user's part begins, after its marker, or the chain's length when it has none.
 */
static u64 user_part(const struct deliver *d, const struct sample *sample)
{
	u64 i = 0;

	while (i < sample->chain_count && entry(d, sample, i) != PERF_CONTEXT_USER)
		i++;
	return MIN(i + 1, sample->chain_count);
}

/* Copies the chain to change it, with room for one more entry. */
static u64 *copy_chain(struct deliver *d, struct sample *sample)
{
	vec_clear(&d->chain);
	vec_reserve(&d->chain, sample->chain_count + 1);
	memcpy(d->chain.items, sample->chain, sample->chain_count * sizeof(u64));
	sample->chain = (const u8 *)d->chain.items;
	return d->chain.items;
}

static void insert(struct deliver *d, struct sample *sample, u64 at, u64 address)
{
	u64 *chain = copy_chain(d, sample);

	memmove(chain + at + 1, chain + at, (sample->chain_count - at) * sizeof(u64));
	chain[at] = d->s->set->swap ? __builtin_bswap64(address) : address;
	sample->chain_count++;
}

static void take_out(struct deliver *d, struct sample *sample, u64 at)
{
	u64 *chain = copy_chain(d, sample);

	memmove(chain + at, chain + at + 1, (sample->chain_count - at - 1) * sizeof(u64));
	sample->chain_count--;
}

static void add_caller(struct deliver *d, struct sample *sample, const struct unwind_request *q,
		       u64 at)
{
	int reg = arch_reg_by_dwarf(q->arch, q->arch->unwind->link);
	u64 link;

	if (reg < 0 || !sample->user_regs || !sample->user_abi ||
	    !sample_reg(d->s->set, sample->event->attr.sample_regs_user, sample->user_regs,
			(unsigned)reg, &link))
		return;
	if (unwind_leaf(session_unwinder(d->s), q, entry(d, sample, at), &link) !=
		    UNWIND_LEAF_LINK ||
	    !link)
		return;
	/*
	 * a function that has stored its return address and frame record has the link in the chain
	 */
	if (at + 1 == sample->chain_count || entry(d, sample, at + 1) != link)
		insert(d, sample, at + 1, link);
}

static void drop_stale(struct deliver *d, struct sample *sample, const struct unwind_request *q,
		       u64 at)
{
	u64 link;

	if (at + 1 >= sample->chain_count)
		return;
	link = entry(d, sample, at + 1);
	switch (unwind_leaf(session_unwinder(d->s), q, entry(d, sample, at), &link)) {
	case UNWIND_LEAF_STACK:
		take_out(d, sample, at + 1);
		break;
	case UNWIND_LEAF_FRAMED_LINK: /* the caller's frame has no return address yet */
		if (at + 2 < sample->chain_count)
			take_out(d, sample, at + 2);
		break;
	default:
		break;
	}
}

void deliver_leaf(struct deliver *d, struct sample *sample, const struct unwind_request *q)
{
	const struct arch_unwind *facts = q->arch->unwind;
	u64 at;

	if (!facts || facts->chain_link == CHAIN_NO_LINK || !sample->chain_count)
		return;
	at = user_part(d, sample);
	if (at >= sample->chain_count || entry(d, sample, at) >= PERF_CONTEXT_MAX)
		return;
	/* the kernel stores a zero as the caller of the oldest frame */
	if (sample->chain_count > at + 1 && !entry(d, sample, sample->chain_count - 1))
		sample->chain_count--;
	if (facts->chain_link == CHAIN_WITHOUT_LINK)
		add_caller(d, sample, q, at);
	else
		drop_stale(d, sample, q, at);
}
