// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/perf_abi.h"

/* A thread's last calls, newest first, with what was stitched on. */
struct thread_calls {
	VEC(struct sample_branch) calls;
};

struct call_registers {
	const struct event_set *events;
	bool stitch, leaf_as_sampled;
	struct map64 by_task; /* task id -> index */
	VEC(struct thread_calls) threads;
	u64 most_branches; /* the most in any sample so far, which is the CPU's limit */
	VEC(struct sample_branch) calls; /* the calls of the current sample */
	VEC(u64) path;                   /* its chain, in the file's byte order */
};

struct call_registers *call_registers_new(const struct event_set *events, bool stitch,
					  bool leaf_as_sampled)
{
	struct call_registers *c = xcalloc(1, sizeof(*c));

	c->events = events;
	c->stitch = stitch;
	c->leaf_as_sampled = leaf_as_sampled;
	return c;
}

void call_registers_forget(struct call_registers *c)
{
	vec_for_each(&c->threads, t)
		vec_release(&t->calls);
	vec_release(&c->threads);
	map64_release(&c->by_task);
}

void call_registers_free(struct call_registers *c)
{
	if (!c)
		return;
	call_registers_forget(c);
	vec_release(&c->calls);
	vec_release(&c->path);
	free(c);
}

bool call_registers_hold(const struct event *ev)
{
	return ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       ev->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static struct thread_calls *thread_of(struct call_registers *c, const struct task *task)
{
	bool added;
	u64 *at = map64_put(&c->by_task, task->id, &added);

	if (added) {
		*at = c->threads.count;
		vec_push(&c->threads, (struct thread_calls){ 0 });
	}
	return &c->threads.items[*at];
}

static bool same_call(const struct sample_branch *a, const struct sample_branch *b)
{
	return a->from == b->from && a->to == b->to;
}

/* Returns how many calls agree, from the oldest of the new ones and old[j] to the newer ones. */
static size_t agreeing(const struct sample_branch *calls, size_t n, const struct sample_branch *old,
		       size_t j)
{
	size_t k = 0;

	while (k < n && k <= j && same_call(&calls[n - 1 - k], &old[j - k]))
		k++;
	return k;
}

/*
 * Stitches outer calls on, which a full register has lost. If its oldest calls are those of the
 * previous sample, that one's outer calls are also the callers of this one.
 */
static void stitch(struct call_registers *c, struct thread_calls *t, u64 recorded)
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

/* Returns where the chain of user code begins, at its marker. */
static u64 user_part(const struct event_set *events, const struct sample *s)
{
	for (u64 i = 0; i < s->chain_count; i++)
		if (load_u64(s->chain + i * 8, events->swap) == PERF_CONTEXT_USER)
			return i;
	return s->chain_count;
}

static void push(struct call_registers *c, u64 addr)
{
	u64 marker = (s64)addr < 0 ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

	vec_push(&c->path, c->events->swap ? __builtin_bswap64(marker) : marker);
	vec_push(&c->path, c->events->swap ? __builtin_bswap64(addr) : addr);
}

void call_registers_take(struct call_registers *c, const struct task *task, struct sample *s)
{
	u64 user = user_part(c->events, s);

	if (!call_registers_hold(s->event) || user == s->chain_count || !s->branch_count)
		return;
	vec_clear(&c->calls);
	for (u64 i = 0; i < s->branch_count; i++)
		vec_push(&c->calls, sample_branch(c->events, s, i));
	c->most_branches = MAX(c->most_branches, s->branch_count);
	if (c->stitch)
		stitch(c, thread_of(c, task), s->branch_count);
	vec_clear(&c->path);
	for (u64 i = 0; i < user; i++) {
		u64 ip;

		memcpy(&ip, s->chain + i * 8, sizeof(ip));
		vec_push(&c->path, ip);
	}
	push(c, c->leaf_as_sampled && user + 1 < s->chain_count
			? load_u64(s->chain + (user + 1) * 8, c->events->swap)
			: c->calls.items[0].to);
	vec_for_each(&c->calls, b)
		push(c, b->from);
	s->chain = (const u8 *)c->path.items;
	s->chain_count = c->path.count;
	s->chain_unwound = 0;
}
