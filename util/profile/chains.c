// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains that lie elsewhere: in a CPU's register of calls (LBR), in what
 * earlier samples of the thread saw of it, or in the sample of another event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "profile/internal.h"

/* What is kept of a thread. */
struct profile_thread_chain {
	VEC(u64) ips; /* its last recorded chain, as in the file */
	VEC(struct sample_branch) calls; /* its last calls, newest first, with what was stitched on */
};

struct profile_chains {
	struct map64 by_task; /* task id -> index */
	VEC(struct profile_thread_chain) threads;
	u64 most_branches; /* of any sample so far: how many the CPU holds */
	VEC(struct sample_branch) calls; /* of the sample at hand */
};

bool profile_has_lbr_chains(const struct profile *p)
{
	vec_for_each(&session_events(p->session)->list, ev)
		if ((*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
		    (*ev)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

void profile_chains_begin(struct profile *p)
{
	p->chains = xcalloc(1, sizeof(*p->chains));
}

void profile_chains_release(struct profile *p)
{
	if (!p->chains)
		return;
	vec_for_each(&p->chains->threads, t) {
		vec_release(&t->ips);
		vec_release(&t->calls);
	}
	vec_release(&p->chains->threads);
	vec_release(&p->chains->calls);
	map64_release(&p->chains->by_task);
	free(p->chains);
	p->chains = NULL;
}

static struct profile_thread_chain *thread_of(struct profile_chains *c, const struct task *task)
{
	bool added;
	u64 *at = map64_put(&c->by_task, task->id, &added);

	if (added) {
		*at = c->threads.count;
		vec_push(&c->threads, (struct profile_thread_chain){ 0 });
	}
	return &c->threads.items[*at];
}

/* ---- chains of another event ---- */

/* The last chain of the thread for an event that was recorded without. */
static void take_reference(struct profile_chains *c, const struct task *task, struct sample *s)
{
	struct profile_thread_chain *t = thread_of(c, task);

	if (s->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		vec_clear(&t->ips);
		for (u64 i = 0; i < s->chain_count; i++) {
			u64 ip;

			memcpy(&ip, s->chain + i * 8, sizeof(ip));
			vec_push(&t->ips, ip);
		}
		return;
	}
	s->chain = (const u8 *)t->ips.items;
	s->chain_count = t->ips.count;
	s->chain_unwound = 0;
}

/* ---- calls that the CPU kept ---- */

static bool same_call(const struct sample_branch *a, const struct sample_branch *b)
{
	return a->from == b->from && a->to == b->to;
}

/* How many calls agree from the oldest of the new ones and old[j] on, to the newer ones. */
static size_t agreeing(const struct sample_branch *calls, size_t n, const struct sample_branch *old,
		       size_t j)
{
	size_t k = 0;

	while (k < n && k <= j && same_call(&calls[n - 1 - k], &old[j - k]))
		k++;
	return k;
}

/*
 * A full register has lost its outer calls; where its oldest calls are those of the sample
 * before, that one's outer calls are the callers of this one, too.
 */
static void stitch(struct profile_chains *c, struct profile_thread_chain *t, u64 recorded)
{
	enum { LONGEST = 1024 };
	size_t best = 0, at = 0;

	if (recorded == c->most_branches)
		for (size_t j = 0; j < t->calls.count; j++) {
			size_t k = agreeing(c->calls.items, c->calls.count, t->calls.items, j);

			if (k > best) {
				best = k;
				at = j;
			}
		}
	if (best)
		for (size_t j = at + 1; j < t->calls.count && c->calls.count < LONGEST; j++)
			vec_push(&c->calls, t->calls.items[j]);
	vec_clear(&t->calls);
	vec_for_each(&c->calls, b)
		vec_push(&t->calls, *b);
}

/* Where the chain of user code begins: after its marker. */
static u64 user_part(const struct event_set *events, const struct sample *s)
{
	for (u64 i = 0; i < s->chain_count; i++)
		if (load_u64(s->chain + i * 8, events->swap) == PERF_CONTEXT_USER)
			return i;
	return s->chain_count;
}

/* The kernel's frames as recorded, the user's place, and the calls that led there. */
static void take_calls(struct profile *p, unsigned worker, const struct task *task, struct sample *s)
{
	const struct event_set *events = session_events(p->session);
	struct profile_worker *w = &p->workers[worker];
	struct profile_chains *c = p->chains;
	u64 user = user_part(events, s);

	if (user == s->chain_count || !s->branch_count)
		return;
	vec_clear(&c->calls);
	for (u64 i = 0; i < s->branch_count; i++)
		vec_push(&c->calls, sample_branch(events, s, i));
	c->most_branches = MAX(c->most_branches, s->branch_count);
	if (p->asked->stitch)
		stitch(c, thread_of(c, task), s->branch_count);
	vec_clear(&w->path);
	for (u64 i = 0; i < user; i++) {
		u64 ip;

		memcpy(&ip, s->chain + i * 8, sizeof(ip));
		vec_push(&w->path, ip);
	}
	profile_push_address(w, user + 1 < s->chain_count
				  ? load_u64(s->chain + (user + 1) * 8, events->swap)
				  : c->calls.items[0].to, events->swap);
	vec_for_each(&c->calls, b)
		profile_push_address(w, b->from, events->swap);
	s->chain = (const u8 *)w->path.items;
	s->chain_count = w->path.count;
	s->chain_unwound = 0;
}

void profile_take_chain(struct profile *p, unsigned worker, const struct task *task, struct sample *s)
{
	if (s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		take_calls(p, worker, task, s);
	if (p->asked->reference_chains)
		take_reference(p->chains, task, s);
}
