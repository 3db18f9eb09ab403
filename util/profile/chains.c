// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds call chains in other places: in a CPU's register of calls (LBR), in earlier samples of the
 * thread, or in the sample of another event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "profile/calls.h"
#include "profile/internal.h"

/* The chain kept for a thread. */
struct profile_thread_chain {
	VEC(u64) ips; /* its last recorded chain, as in the file */
};

struct profile_chains {
	struct map64 by_task; /* task id -> index */
	VEC(struct profile_thread_chain) threads;
	struct call_registers *registers;
};

bool profile_has_lbr_chains(const struct profile *p)
{
	vec_for_each(&session_events(p->session)->list, ev)
		if (call_registers_hold(*ev))
			return true;
	return false;
}

void profile_chains_begin(struct profile *p)
{
	p->chains = xcalloc(1, sizeof(*p->chains));
	p->chains->registers =
		call_registers_new(session_events(p->session), p->asked->stitch, true);
}

void profile_chains_release(struct profile *p)
{
	if (!p->chains)
		return;
	vec_for_each(&p->chains->threads, t) {
		vec_release(&t->ips);
	}
	vec_release(&p->chains->threads);
	call_registers_free(p->chains->registers);
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

/* Gives a sample of an event without chains the thread's last chain. */
static void take_reference(struct profile_chains *c, const struct task *task, struct sample *s)
{
	struct profile_thread_chain *t = thread_of(c, task);

	if (event_has_chains(s->event)) {
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

void profile_take_chain(struct profile *p, unsigned worker, const struct task *task,
			struct sample *s)
{
	(void)worker;
	call_registers_take(p->chains->registers, task, s);
	if (p->asked->reference_chains)
		take_reference(p->chains, task, s);
}
