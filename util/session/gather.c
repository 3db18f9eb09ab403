// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs pass 1, which reads every record except samples once, in file order. Records about
 * processes are kept, sorted, and applied to the history before any sample is read.
 */
#include <errno.h>

#include "base/self_profile.h"
#include "base/trace.h"
#include "session/internal.h"

#define SPAN_BYTES (1U << 20)

struct side_record {
	struct order_key key;
	struct record rec; /* its bytes are in the arena */
};

struct gather {
	struct session *s;
	const struct session_ops *ops;
	void *arg;
	bool only_callbacks; /* the history is there already */
	struct arena memory;
	VEC(struct side_record) side;
	bool sorted;
	struct counts counts;
	struct reason *r;
};

static void note_chunk(void *arg, const struct data_scanned *c)
{
	struct gather *g = arg;
	struct session *s = g->s;
	struct span *last = s->spans.count ? vec_last(&s->spans) : NULL;

	if (g->only_callbacks)
		return;
	g->counts.stats.records[PERF_RECORD_SAMPLE] += c->samples;
	g->counts.stats.total += c->samples;
	if (last && last->file == c->file && c->position - last->position < SPAN_BYTES)
		last->min_time = MIN(last->min_time, c->min_time);
	else
		vec_push(&s->spans, (struct span){ c->file, c->position, c->min_time });
}

/*
 * Reports whether the record repeats the last one that was kept, at the same time. It would change
 * nothing, and a small compressed file can hold millions of them.
 */
static bool is_repeated(const struct gather *g, const struct record *rec,
			const struct order_key *key)
{
	const struct side_record *last = g->side.count ? vec_last(&g->side) : NULL;

	return last && last->key.file == key->file && last->key.time == key->time &&
	       last->rec.size == rec->size && !memcmp(last->rec.data, rec->data, rec->size);
}

static void keep(struct gather *g, const struct record *rec, const struct order_key *key)
{
	struct side_record side = { *key, *rec };
	u8 *copy = arena_alloc(&g->memory, rec->size);

	memcpy(copy, rec->data, rec->size);
	side.rec.data = copy;
	if (g->side.count && order_key_cmp(&vec_last(&g->side)->key, key) > 0)
		g->sorted = false;
	vec_push(&g->side, side);
}

static int gather_record(void *arg, const struct record *rec, const struct order_key *key,
			 u64 before)
{
	struct gather *g = arg;

	if (!g->only_callbacks) {
		counts_record(&g->counts, g->s->set, rec);
		session_note_loss(g->s, rec, before, key->time);
		if (rec->type == PERF_RECORD_CALLCHAIN_DEFERRED)
			deferred_keep(g->s, rec);
		if (history_wants(rec->type) && !is_repeated(g, rec, key))
			keep(g, rec, key);
		if (rec->type == PERF_RECORD_TIME_CONV)
			jit_clock_take(&g->s->jit.clock, rec->data, rec->size, g->s->set->swap);
	}
	if (g->ops->order == SESSION_SUMS && ops_want(g->ops, rec->type))
		return g->ops->record(g->arg, rec, key, g->r);
	return 0;
}

static int by_key(const void *a, const void *b)
{
	return order_key_cmp(&((const struct side_record *)a)->key,
			     &((const struct side_record *)b)->key);
}

static void apply(struct gather *g)
{
	struct deliver d;

	TRACE(session, "pass 1: %zu records about processes, %s", g->side.count,
	      g->sorted ? "already in order" : "sorted by time");
	if (!g->sorted)
		vec_sort(&g->side, by_key);
	deliver_init(&d, g->s, g->ops, g->arg, 0);
	vec_for_each(&g->side, side) {
		session_jit_map_until(g->s, side->key.time);
		deliver_sideband(&d, &side->rec, &side->key);
	}
	session_jit_map_until(g->s, UINT64_MAX);
	deliver_release(&d);
}

static void finish_spans(struct session *s)
{
	u64 least = UINT64_MAX;

	for (size_t i = s->spans.count; i-- > 0;) {
		least = MIN(least, s->spans.items[i].min_time);
		s->spans.items[i].min_time = least;
	}
}

int session_gather(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	static const struct data_scan_ops told = { gather_record, note_chunk };
	struct gather g = { .s = s,
			    .ops = ops,
			    .arg = arg,
			    .sorted = true,
			    .r = r,
			    .only_callbacks = s->gathered };
	int err;

	if (s->gathered && !(ops->order == SESSION_SUMS && ops->record))
		return 0;
	phase_begin("pass 1: read all records but samples");
	err = data_scan_sideband(s->data, &told, &g, r);
	phase_end_bytes(data_size(s->data));
	if (!err && !s->gathered) {
		phase_begin("pass 1: history of the processes");
		apply(&g);
		finish_spans(s);
		session_apply_build_ids(s);
		counts_merge(&s->scanned, &g.counts);
		s->gathered = true;
		__atomic_store_n(&s->samples_ahead, s->scanned.stats.records[PERF_RECORD_SAMPLE],
				 __ATOMIC_RELEASE);
		phase_end();
	}
	vec_release(&g.side);
	arena_release(&g.memory);
	counts_release(&g.counts);
	return err;
}

u64 session_samples_ahead(const struct session *s)
{
	return __atomic_load_n(&s->samples_ahead, __ATOMIC_ACQUIRE);
}
