// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds recorded branches to call chains, as their innermost part. */
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "profile/internal.h"

/*
 * Appends an address that is not a return address. A marker before each says whose it is, and that
 * the frame is at the address itself.
 */
static void push_address(struct branch_path *p, u64 addr, bool swap)
{
	u64 marker = (s64)addr < 0 ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

	vec_push(&p->ips, swap ? __builtin_bswap64(marker) : marker);
	vec_push(&p->ips, swap ? __builtin_bswap64(addr) : addr);
}

/*
 * Reports whether a branch is the call of a frame in the chain: the return address follows it, by
 * at most an instruction's length.
 */
static bool is_call_of(u64 from, u64 return_address)
{
	enum { LONGEST_CALL = 8 };

	return from < return_address && from + LONGEST_CALL >= return_address;
}

static u64 entry_at(const struct event_set *events, const struct sample *s, u64 i)
{
	return load_u64(s->chain + i * 8, events->swap);
}

static u64 skip_markers(const struct event_set *events, const struct sample *s, u64 i)
{
	while (i < s->chain_count && entry_at(events, s, i) >= PERF_CONTEXT_MAX)
		i++;
	return i;
}

/* Entries of the chain that are known already: the sample's own place, calls among the branches. */
static u64 known_entries(const struct event_set *events, const struct sample *s)
{
	u64 known = skip_markers(events, s, 0);

	if (known < s->chain_count && entry_at(events, s, known) == s->ip)
		known++;
	for (u64 i = 0; i < s->branch_count; i++) {
		known = skip_markers(events, s, known);
		if (known < s->chain_count &&
		    is_call_of(sample_branch(events, s, i).from, entry_at(events, s, known)))
			known++;
	}
	return known;
}

/* Returns the marker that applies to an entry of the chain. */
static u64 marker_before(const struct event_set *events, const struct sample *s, u64 entry)
{
	while (entry-- > 0) {
		u64 ip = entry_at(events, s, entry);

		if (ip >= PERF_CONTEXT_MAX)
			return ip;
	}
	return PERF_CONTEXT_USER;
}

void branch_path_take(struct branch_path *p, const struct event_set *events, struct sample *s)
{
	u64 rest = known_entries(events, s);

	vec_clear(&p->ips);
	push_address(p, s->ip, events->swap);
	for (u64 i = 0; i < s->branch_count; i++) {
		struct sample_branch b = sample_branch(events, s, i);

		push_address(p, b.to, events->swap);
		push_address(p, b.from, events->swap);
	}
	if (rest < s->chain_count) {
		u64 marker = marker_before(events, s, rest);

		vec_push(&p->ips, events->swap ? __builtin_bswap64(marker) : marker);
	}
	for (u64 i = rest; i < s->chain_count; i++) {
		u64 raw;

		memcpy(&raw, s->chain + i * 8, sizeof(raw));
		vec_push(&p->ips, raw);
	}
	s->chain = (const u8 *)p->ips.items;
	s->chain_count = p->ips.count;
	s->chain_unwound = 0;
}

void branch_path_release(struct branch_path *p)
{
	vec_release(&p->ips);
}

void profile_add_history(struct profile *p, unsigned worker, const struct session_sample *s)
{
	struct sample copy = *s->sample;
	struct hist_sample h = { .sample = &copy, .leaf = s->leaf };

	branch_path_take(&p->workers[worker].path, session_events(p->session), &copy);
	profile_add_one(p, worker, s, &h);
}
