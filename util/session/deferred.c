// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User call chains that the kernel recorded later: a sample ends with a marker and a cookie. One
 * CALLCHAIN_DEFERRED record, written as the task returns to user space, holds the chain of all
 * samples with that cookie.
 *
 * In a file, all such records are known before the first sample goes out. In a stream, only those
 * that have come by then are known. They are held in two halves of bounded size: the older half is
 * dropped when the newer one is full.
 *
 * Source: PERF_RECORD_CALLCHAIN_DEFERRED in linux/perf_event.h (6.19).
 */
#include <errno.h>

#include "session/internal.h"

/* The limits of a half: chains, and addresses of all chains together. */
enum { STREAM_CHAINS = 65536, STREAM_IPS = 1 << 22 };

struct deferred_chain {
	size_t at; /* in ips */
	u32 count, tid;
};

struct deferred_half {
	struct map64 by_cookie; /* index in chains, plus one */
	VEC(struct deferred_chain) chains;
	VEC(u64) ips;
};

struct deferred {
	struct deferred_half now, before;
};

static void half_release(struct deferred_half *h)
{
	map64_release(&h->by_cookie);
	vec_release(&h->chains);
	vec_release(&h->ips);
	*h = (struct deferred_half){ 0 };
}

void deferred_free(struct deferred *f)
{
	if (!f)
		return;
	half_release(&f->now);
	half_release(&f->before);
	free(f);
}

/*
 * Keeps the chain of a CALLCHAIN_DEFERRED record by its cookie. Ignores a damaged record: it is
 * reported where it is delivered, or not at all, and samples then lack its chain.
 */
void deferred_keep(struct session *s, const struct record *rec)
{
	struct record_callchain_deferred chain;
	struct sample_id id;
	struct deferred_half *h;

	if (record_get_callchain_deferred(s->set, rec, &chain, NULL) ||
	    record_sample_id(s->set, rec, &id, NULL, NULL))
		return;
	if (!s->deferred)
		s->deferred = xcalloc(1, sizeof(*s->deferred));
	h = &s->deferred->now;
	if (s->window && (h->chains.count >= STREAM_CHAINS || h->ips.count >= STREAM_IPS)) {
		half_release(&s->deferred->before);
		s->deferred->before = *h;
		*h = (struct deferred_half){ 0 };
	}
	vec_push(&h->chains, (struct deferred_chain){ h->ips.count, (u32)chain.nr, id.tid });
	*map64_put(&h->by_cookie, chain.cookie, NULL) = h->chains.count;
	for (u64 i = 0; i < chain.nr; i++)
		vec_push(&h->ips, load_u64(chain.ips + 8 * i, false)); /* in file byte order */
}

/* Cookies are of a CPU and a count; one that came around again is another task's. */
static const struct deferred_chain *find(const struct deferred_half *h, u64 cookie, u32 tid)
{
	const u64 *at = map64_get(&h->by_cookie, cookie);
	const struct deferred_chain *c = at ? &h->chains.items[*at - 1] : NULL;

	return c && (c->tid == tid || c->tid == UINT32_MAX || tid == UINT32_MAX) ? c : NULL;
}

static void push_entry(struct deliver *d, u64 v)
{
	vec_push(&d->joined, d->s->set->swap ? __builtin_bswap64(v) : v);
}

void deliver_join(struct deliver *d, struct sample *sample, const struct order_key *key)
{
	bool swap = d->s->set->swap;
	u64 kept = sample->chain_count - 2, cookie = load_u64(sample->chain + 8 * (kept + 1), swap),
	    first;
	const struct deferred *f = d->s->deferred;
	const struct deferred_half *h = f ? &f->now : NULL;
	const struct deferred_chain *c = f ? find(h, cookie, sample->id.tid) : NULL;

	if (f && !c) {
		h = &f->before;
		c = find(h, cookie, sample->id.tid);
	}
	if (!c) {
		condition_add(
			&d->conditions, CONDITION_WARNING, "chain-not-deferred", NULL, key, 1, NULL,
			"samples lack their user call chains, which should have followed but did "
			"not");
		return;
	}
	vec_clear(&d->joined);
	for (u64 i = 0; i < kept; i++)
		vec_push(&d->joined, load_u64(sample->chain + 8 * i, false));
	first = c->count ? load_u64((const u8 *)&h->ips.items[c->at], swap) : PERF_CONTEXT_USER;
	if (first < PERF_CONTEXT_MAX)
		push_entry(d, PERF_CONTEXT_USER);
	for (u32 i = 0; i < c->count; i++)
		vec_push(&d->joined, h->ips.items[c->at + i]);
	sample->chain = (const u8 *)d->joined.items;
	sample->chain_count = d->joined.count;
}
