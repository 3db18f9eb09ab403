// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that carry a piece of stack instead of a user call chain. */
#include <stdlib.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/perf_abi.h"
#include "session/internal.h"
#include "unwind/unwind.h"

/* The most frames that perf unwinds; those nearest the root are cut off. */
#define MAX_FRAMES 127

static bool carries_stack(const struct sample *sample)
{
	const u64 both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (sample->event->attr.sample_type & both) == both && sample->user_regs &&
	       sample->stack_size && sample->stack_dyn_size;
}

static void push_u64(struct deliver *d, u64 v)
{
	vec_push(&d->chain, d->s->set->swap ? __builtin_bswap64(v) : v);
}

static void note_end(struct deliver *d, const struct unwind_result *r)
{
	d->out.stack_end = session_end_code(r->image, r->end);
	d->counts.stats.stack_ends[r->end]++;
	*map64_put(&d->counts.stack_ends, (u64)r->image << 8 | r->end, NULL) += 1;
}

/*
 * Reports whether the chain itself can show why it ends. It cannot if it was unwound before it was
 * written (the file says why), or comes from the processor's limited stack of branches.
 */
static bool made_by_pointers(const struct deliver *d, const struct sample *sample)
{
	return session_by_pointers(d->s, sample->event);
}

static u64 chain_entry(const struct deliver *d, const struct sample *sample, u64 i)
{
	return load_u64(sample->chain + 8 * i, d->s->set->swap);
}

/*
 * The kernel's own chain of user frames: where it ends.  Outermost frames where no code is did not
 * call the one before them, which lacks a frame pointer.  Markers are the numbers above
 * PERF_CONTEXT_MAX.
 */
static void judge_chain(struct deliver *d, const struct sample *sample, struct unwind_request *q)
{
	const struct unwind_result cut = { .end = UNWIND_LIMIT };
	bool user = sample->cpumode == PERF_RECORD_MISC_USER;
	u64 last = 0, frames = 0; /* of the last user part */
	struct unwind_result r;

	for (u64 i = 0; i < sample->chain_count; i++) {
		u64 ip = chain_entry(d, sample, i);

		if (ip >= PERF_CONTEXT_MAX) {
			user = ip == PERF_CONTEXT_USER;
			frames = user ? 0 : frames;
		} else if (user) {
			last = i;
			frames++;
		}
	}
	if (!frames)
		return;
	do
		r = unwind_chain_end(session_unwinder(d->s), q, chain_entry(d, sample, last--));
	while (r.end == UNWIND_UNMAPPED && --frames);
	/* perf_event_max_stack, less the marker */
	note_end(d, r.end != UNWIND_ROOT && sample->chain_count >= MAX_FRAMES ? &cut : &r);
}

/* Chains that are short because they were asked to be. */
static bool short_on_purpose(const struct perf_event_attr *attr)
{
	return attr->sample_max_stack && attr->sample_max_stack < 8;
}

/* Finds the address in the space of the sample's task; the sample's own place is known already. */
static bool place_of(const struct deliver *d, const struct sample *sample, u64 addr,
		     const struct order_key *key, struct location *at)
{
	struct history *h = d->s->history;
	const struct mapping *m;

	if (sample->cpumode == PERF_RECORD_MISC_USER && addr == sample->ip &&
	    !d->ops->no_locations) {
		*at = d->out.leaf;
		return at->mapping;
	}
	m = history_find(h, history_space(h, d->out.task, key), addr);
	if (m)
		*at = (struct location){ .mapping = m,
					 .image = m->image,
					 .offset = addr - m->start + m->pgoff };
	return m;
}

/*
 * Counts a chain that a bad frame pointer ended: a user part of one frame, or of two if the second
 * is not mapped. Such a pointer ends a chain immediately, or leads it to an address without code.
 * Judging each chain by its CFI (judge_chains) takes too long for every report.
 */
static void count_short(struct deliver *d, const struct sample *sample, const struct order_key *key)
{
	u64 n = sample->chain_count, frames = 1, last = chain_entry(d, sample, n - 1);
	struct location at;

	if (last >> 63 || short_on_purpose(&sample->event->attr))
		return;
	d->counts.user_chains++;
	while (frames < 3 && frames < n &&
	       chain_entry(d, sample, n - 1 - frames) < PERF_CONTEXT_MAX)
		frames++;
	if (frames > 2 ||
	    (frames < n && chain_entry(d, sample, n - 1 - frames) != PERF_CONTEXT_USER))
		return;
	if (frames == 2 && place_of(d, sample, last, key, &at))
		return;
	if (place_of(d, sample, chain_entry(d, sample, n - frames), key, &at))
		counts_add_short(&d->counts,
				 &(struct short_chains){ at.image, 1, at.offset, at.offset });
}

void deliver_count_short(struct deliver *d, const struct sample *sample,
			 const struct order_key *key)
{
	if (sample->chain_count && !d->ops->judge_chains && d->ops->shows_chains &&
	    !carries_stack(sample) && made_by_pointers(d, sample))
		count_short(d, sample, key);
}

/* Unwinds the stack of a sample. Unwinds again if the stack's bytes moved meanwhile. */
static struct unwind_result unwind(struct deliver *d, struct sample *sample,
				   const struct unwind_request *q, u64 *ips)
{
	struct session_loan *loan = d->lent.loan;
	const u8 *bytes = NULL;
	struct unwind_result r;

	do {
		if (unlikely(loan && d->lent.stack)) {
			bytes = __atomic_load_n(&loan->bytes, __ATOMIC_ACQUIRE);
			sample->stack = bytes + d->lent.at;
		}
		r = unwind_sample(session_unwinder(d->s), q, ips, MAX_FRAMES);
	} while (bytes && !session_loan_stayed(loan, bytes));
	return r;
}

void deliver_unwind(struct deliver *d, struct sample *sample, const struct task *task,
		    const struct order_key *key)
{
	struct unwind_request q = {
		.history = d->s->history,
		.set = d->s->set,
		.sample = sample,
		.task = task,
		.key = key,
		.arch = d->s->data ? data_arch(d->s->data) : arch_host(),
	};
	u64 ips[MAX_FRAMES];
	struct unwind_result r;

	if (!carries_stack(sample)) {
		deliver_leaf(d, sample, &q);
		if (sample->chain_count && d->ops->judge_chains && made_by_pointers(d, sample))
			judge_chain(d, sample, &q);
		return;
	}
	r = unwind(d, sample, &q, ips);
	note_end(d, &r);
	if (!r.count)
		return;
	vec_clear(&d->chain);
	vec_reserve(&d->chain, sample->chain_count + 1 + r.count);
	if (sample->chain_count)
		memcpy(d->chain.items, sample->chain, sample->chain_count * sizeof(u64));
	d->chain.count = sample->chain_count;
	push_u64(d, PERF_CONTEXT_USER);
	for (u32 i = 0; i < r.count; i++)
		push_u64(d, ips[i]);
	sample->chain = (const u8 *)d->chain.items;
	sample->chain_count = d->chain.count;
	sample->chain_unwound = r.count;
}
