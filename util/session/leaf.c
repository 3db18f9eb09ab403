// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a user call chain on machines with a link register: who called the leaf, and the
 * root.
 *
 * The kernel of arm64 follows frame records, of which a function that calls no other makes none:
 * its caller is in the link register alone, which perf record asks for.  The kernel of powerpc puts
 * the link register behind the program counter whether it holds the return address or something
 * older, and behind that the word of a frame that may not have been written yet.  The CFI of the
 * function says which of them is true.
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

/* Where the user's part begins, behind its marker; the chain's length when it has none. */
static u64 user_part(const struct deliver *d, const struct sample *sample)
{
	u64 i = 0;

	while (i < sample->chain_count && entry(d, sample, i) != PERF_CONTEXT_USER)
		i++;
	return MIN(i + 1, sample->chain_count);
}

/* A copy to change, with room for one entry more. */
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
	 * a function that has stored its return address and its frame record has it in the chain,
	 * too
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
	/* the oldest frame has no caller, of which the kernel stores the zero */
	if (sample->chain_count > at + 1 && !entry(d, sample, sample->chain_count - 1))
		sample->chain_count--;
	if (facts->chain_link == CHAIN_WITHOUT_LINK)
		add_caller(d, sample, q, at);
	else
		drop_stale(d, sample, q, at);
}
