// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the collectors gathered becomes one: frames are merged, named once and folded;
 * then the lists of chains, by a thread for each collector, become one tree; then rows, by threads that
 * each take a part of all rows by their hash.
 */
#include <errno.h>
#include <stdlib.h>

#include "hist/internal.h"

/* Numbers of a collector's keys in the hist's table; frames: of its frames there. */
static u32 *merge_keys(struct hist *h, struct hist_collector *c, const frame_id *frames)
{
	u32 *map = xcalloc(c->keys.count + 1, sizeof(*map));

	for (u32 i = 0; i < c->keys.count; i++) {
		u64 *key = keys_get(&c->keys, i);

		vec_for_each(&h->fields, f)
			if (f->column->flags & HIST_TEXT)
				key[f->slot] = strtab_add(&h->texts,
					strtab_get(&c->texts, (u32)key[f->slot]));
			else if ((f->column->flags & HIST_FRAME_SLOT) && key[f->slot])
				key[f->slot] = (u64)frames[key[f->slot] - 1] + 1;
		map[i] = keys_add(&h->keys, key);
	}
	return map;
}

static void merge_totals(struct hist *h, const struct hist_collector *c)
{
	for (size_t i = 0; i < h->events->list.count; i++) {
		h->totals[i].samples += c->totals[i].samples;
		h->totals[i].period += c->totals[i].period;
		h->totals[i].latency += c->totals[i].latency;
	}
}

/* ---- fold ---- */

static bool needs_addresses(const struct hist *h)
{
	vec_for_each(&h->fields, f)
		if (f->column->flags & HIST_BY_ADDRESS)
			return true;
	return false;
}

/* One place of an object can have several addresses: of processes that map it. */
static u64 run_time_key(void *arg, const struct frame *f)
{
	(void)arg;
	return hash_combine(hash_combine((u64)f->image << 8 | f->cpumode, f->addr),
			    hash_combine(hash_combine(f->symbol, f->offset),
					 (u64)f->inlined << 32 | f->source));
}

static u64 address_key(void *arg, const struct frame *f)
{
	u64 place = hash_combine((u64)f->image << 8 | f->cpumode, f->offset);

	(void)arg;
	return hash_combine(hash_combine(place, f->symbol), (u64)f->inlined << 32 | f->source);
}

static u64 symbol_key(void *arg, const struct frame *f)
{
	const struct hist *h = arg;
	u32 line = h->set.graph.by_line ? f->source : 0;

	if (f->symbol == NO_SYMBOL)
		return address_key(arg, f);
	return hash_combine(hash_combine((u64)f->image << 32 | f->symbol, f->cpumode),
			    (u64)f->inlined << 32 | line);
}

typedef u64 (*frame_key)(void *arg, const struct frame *f);

static frame_key frame_key_of(const struct hist *h)
{
	if (needs_addresses(h))
		return run_time_key;
	return h->set.graph.by_address ? address_key : symbol_key;
}

/* The runs of a collector's frames, folded; NULL when there are none.  The caller frees it. */
static const u32 **runs_of(const struct frame_runs *runs, const frame_id *map, u32 frames)
{
	const u32 **of;
	bool any = false;

	if (!runs->of)
		return NULL;
	of = xcalloc(frames + 1, sizeof(*of));
	for (u32 f = 0; f < frames; f++) {
		of[f] = runs->of[map[f]];
		any |= of[f] != NULL;
	}
	if (!any) {
		free(of);
		of = NULL;
	}
	return of;
}

static void fold_runs(struct frame_runs *runs, const frame_id *fold)
{
	for (u32 i = 0; runs->of && i < runs->frames; i++) {
		u32 *run = (u32 *)runs->of[i]; /* nobody else has it yet */

		for (u32 k = 1; run && k <= run[0]; k++)
			run[k] = fold[run[k]];
	}
}

/* Of one collector: its numbers -> the hist's. */
struct source {
	struct hist_collector *c;
	frame_id *frames;
	const u32 **runs; /* NULL: no inlined functions */
	chain_id *chains;
	u32 *keys;
	u32 first_pick; /* numbers of its lists of samples are raised by this */
};

struct merging {
	struct hist *h;
	struct source *sources;
	size_t count;
	unsigned parts;
};

struct merge_job {
	struct merging *m;
	unsigned number;
	struct row_table rows; /* of this part */
};

static void *merge_chains(void *arg)
{
	struct merge_job *job = arg;
	struct source *s = &job->m->sources[job->number];

	s->chains = nodes_merge(job->m->h->chains, s->c->chains, s->frames, s->runs);
	chains_free(s->c->chains);
	s->c->chains = NULL;
	return NULL;
}

static void merge_all_chains(struct merging *m, void *const *jobs)
{
	size_t nodes = 0;

	for (size_t i = 0; i < m->count; i++)
		nodes += nodes_merged_most(m->sources[i].c->chains, m->sources[i].runs);
	nodes_open(m->h->chains, nodes);
	hist_run_threads((unsigned)m->count, merge_chains, jobs);
	nodes_close(m->h->chains);
}

static void add_merged(struct merge_job *job, const struct source *s, const struct row *r,
		       const struct row_extra *x, u64 hash)
{
	struct row_extra extra;

	if (x && x->picks) {
		extra = *x;
		extra.picks += s->first_pick;
		x = &extra;
	}
	rows_add_hashed(&job->rows, r, x, hash);
}

static void *merge_rows(void *arg)
{
	struct merge_job *job = arg;
	const struct merging *m = job->m;

	for (size_t i = 0; i < m->count; i++) {
		const struct source *s = &m->sources[i];
		const struct row_table *from = &s->c->rows;

		for (size_t k = 0; k < from->rows.count; k++) {
			struct row r = from->rows.items[k];
			u64 hash;

			r.key = s->keys[r.key];
			r.leaf = s->frames[r.leaf];
			r.chain = s->chains[r.chain];
			hash = row_hash(&r);
			/* the high half: the low one says where in the part's table */
			if ((hash >> 32) % m->parts == job->number)
				add_merged(job, s, &r, from->has_extra ? &from->extra.items[k] : NULL, hash);
		}
	}
	free(job->rows.slots);
	job->rows.slots = NULL;
	return NULL;
}

static void merge_all_rows(struct merging *m, struct merge_job *jobs, void *const *args)
{
	struct row_table *all = &m->h->rows;
	size_t count = 0;

	hist_run_threads(m->parts, merge_rows, args);
	if (m->parts == 1) {
		*all = jobs[0].rows;
		return;
	}
	for (unsigned i = 0; i < m->parts; i++)
		count += jobs[i].rows.rows.count;
	all->picks = jobs[0].rows.picks;
	vec_reserve(&all->rows, count + 1);
	for (unsigned i = 0; i < m->parts; i++) {
		struct row_table *part = &jobs[i].rows;

		for (size_t k = 0; k < part->rows.count; k++)
			vec_push(&all->rows, part->rows.items[k]);
		for (size_t k = 0; part->has_extra && k < part->rows.count; k++)
			vec_push(&all->extra, part->extra.items[k]);
		all->has_extra |= part->has_extra;
		rows_release(part);
	}
}

static void source_release(struct source *s)
{
	rows_release(&s->c->rows);
	keys_release(&s->c->keys);
	free(s->keys);
	free(s->chains);
	free(s->frames);
	free(s->runs);
}

/* Rows and chains of all sources, whose frames are folded. */
static void merge_sources(struct merging *m)
{
	struct merge_job *jobs;
	void **args;
	size_t rows = 0, count;

	for (size_t i = 0; i < m->count; i++) {
		m->sources[i].keys = merge_keys(m->h, m->sources[i].c, m->sources[i].frames);
		merge_totals(m->h, m->sources[i].c);
		rows_flush(&m->sources[i].c->rows);
		m->sources[i].first_pick = hist_take_picks(m->h, m->sources[i].c);
		rows += m->sources[i].c->rows.rows.count;
	}
	m->parts = hist_threads(m->h, rows / 512 + 1);
	count = MAX((size_t)m->parts, m->count);
	jobs = xcalloc(count, sizeof(*jobs));
	args = xcalloc(count, sizeof(*args));
	for (size_t i = 0; i < count; i++) {
		jobs[i].m = m;
		jobs[i].number = (unsigned)i;
		jobs[i].rows.picks = m->h->set.picks ? &m->h->picks : NULL;
		args[i] = &jobs[i];
	}
	merge_all_chains(m, args);
	merge_all_rows(m, jobs, args);
	free(jobs);
	free(args);
}

static void note_damage(struct hist *h, const struct chains *all)
{
	if (!chains_damaged(all))
		return;
	condition_add(&h->ctx->conditions, CONDITION_WARNING, "chain-context", NULL, NULL,
		      chains_damaged(all),
		      "the rest is counted without callers: code without frame pointers ran",
		      "call chains that a frame pointer led astray were left out");
}

int hist_merge(struct hist *h, struct hist_collector *const *collectors, size_t count,
	       struct reason *r)
{
	struct merging m = { .h = h, .count = count };
	struct chains *all = chains_new(h->history);
	struct frame_runs runs;
	frame_id *fold;

	m.sources = xcalloc(count + 1, sizeof(*m.sources));
	for (size_t i = 0; i < count; i++) {
		m.sources[i].c = collectors[i];
		m.sources[i].frames = frames_merge(all, collectors[i]->chains);
	}
	chains_name(all, h->ctx, h->symbols, h->set.call_sites);
	hist_find_lines(h, all, &runs);
	h->chains = frames_fold(all, h->images, frame_key_of(h), h, &fold);
	fold_runs(&runs, fold);
	for (size_t i = 0; i < count; i++) {
		struct source *s = &m.sources[i];
		u32 frames = frames_count(s->c->chains);

		s->runs = runs_of(&runs, s->frames, frames);
		for (u32 f = 0; f < frames; f++)
			s->frames[f] = fold[s->frames[f]];
	}
	if (!context_cancelled(h->ctx))
		merge_sources(&m);
	for (size_t i = 0; i < count; i++)
		source_release(&m.sources[i]);
	frame_runs_release(&runs);
	note_damage(h, all);
	free(m.sources);
	free(fold);
	chains_free(all);
	return context_cancelled(h->ctx) ? reason_set(r, EINTR, "interrupted") : 0;
}
