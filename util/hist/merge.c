// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the collectors: merges their frames, resolves each name once and folds them. Then all
 * threads rename each collector's lists of chains and rows, in pieces. Rows that became equal are
 * not joined: adding up passes over all rows once anyway, which costs less than finding equal ones.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/self_profile.h"
#include "hist/internal.h"

/*
 * Returns, by number of a collector's key, its number in the hist's table; frames maps its frames
 * likewise. The caller frees it.
 */
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
		h->totals[i].squares += c->totals[i].squares;
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

bool hist_shows_places(const struct hist *h)
{
	return needs_addresses(h) || hist_shows_lines(h) || h->set.graph.by_address ||
	       h->set.verbose || h->set.services.data_type;
}

/*
 * Returns a hash of a frame with its address: one place of an object can have several, in the
 * processes that map it.
 */
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

/* Returns the folded runs of a collector's frames; NULL if it has none. The caller frees it. */
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
		u32 *run = (u32 *)runs->of[i]; /* no other thread has it yet */

		for (u32 k = 1; run && k <= run[0]; k++)
			run[k] = fold[run[k]];
	}
}

/* Maps one collector's numbers to the hist's. */
struct source {
	struct hist_collector *c;
	frame_id *frames;
	u32 frame_count;
	const u32 **runs; /* NULL without inlined functions */
	u32 part;         /* the part among the hist's chains */
	u32 chain_count;
	u64 *ends;              /* by chain, why it ends; NULL if nothing needs it */
	size_t first_row, rows; /* where its rows begin, and how many there are */
	u32 *keys;
	u32 first_pick; /* added to the numbers of its lists of samples */
};

struct merging {
	struct hist *h;
	struct source *sources;
	size_t count;
	VEC(struct merge_job) jobs;
};

/* A piece of one source's work; any thread takes the next piece. */
struct merge_job {
	void (*work)(const struct merging *m, const struct source *s, size_t from, size_t to);
	const struct source *source;
	size_t from, to;
};

/* Renames a run of rows. The rows of the first source are in place already. */
static void rename_rows(const struct merging *m, const struct source *s, size_t begin, size_t end)
{
	const struct row_table *from = &s->c->rows;
	struct row_table *all = &m->h->rows;
	chain_id first = lists_first(m->h->chains, s->part);

	for (size_t i = begin; i < end; i++) {
		struct row *r = &all->rows.items[s->first_row + i];

		if (from->rows.items)
			*r = from->rows.items[i];
		r->key = s->keys[r->key];
		r->leaf = s->frames[r->leaf];
		r->chain += r->chain ? first : 0;
	}
	for (size_t i = begin; all->has_extra && i < end; i++) {
		struct row_extra *x = &all->extra.items[s->first_row + i];

		if (from->extra.items)
			*x = from->extra.items[i];
		x->picks += x->picks ? s->first_pick : 0;
	}
}

/* Makes room for the rows of all sources, and takes over those of the first in place. */
static void make_room(struct merging *m)
{
	struct row_table *all = &m->h->rows;
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct source *s = &m->sources[i];

		s->first_row = count;
		s->rows = s->c->rows.rows.count;
		count += s->rows;
	}
	if (!count)
		return;
	if (m->sources[0].rows) {
		struct row_table *first = &m->sources[0].c->rows;

		*all = *first;
		*first = (struct row_table){ 0 };
	}
	for (size_t i = 1; i < m->count; i++)
		all->has_extra |= m->sources[i].c->rows.has_extra;
	all->picks = m->h->set.picks ? &m->h->picks : NULL;
	vec_reserve(&all->rows, count);
	all->rows.count = count;
	if (all->has_extra) {
		vec_reserve(&all->extra, count);
		all->extra.count = count;
	}
}

static void fold_lists(const struct merging *m, const struct source *s, size_t from, size_t to)
{
	lists_fold(m->h->chains, s->part, s->frames, s->runs, from, to);
}

static void do_job(void *arg, size_t number)
{
	const struct merging *m = arg;
	const struct merge_job *j = &m->jobs.items[number];

	phase_begin("fold chains and rows");
	j->work(m, j->source, j->from, j->to);
	phase_end();
}

static void list_jobs(struct merging *m, const struct source *s, size_t count, size_t most,
		      void (*work)(const struct merging *m, const struct source *s, size_t from,
				   size_t to))
{
	for (size_t from = 0; from < count; from += most)
		vec_push(&m->jobs, (struct merge_job){ work, s, from, MIN(from + most, count) });
}

static void source_release(struct source *s)
{
	rows_release(&s->c->rows);
	keys_release(&s->c->keys);
	free(s->keys);
	free(s->ends);
	free(s->frames);
	free(s->runs);
}

/* Merges the rows and chains of all sources, whose frames are folded. */
static void merge_sources(struct merging *m)
{
	enum { FRAMES = 1 << 18, ROWS = 1 << 15 }; /* of a job */

	for (size_t i = 0; i < m->count; i++) {
		struct source *s = &m->sources[i];

		s->keys = merge_keys(m->h, s->c, s->frames);
		merge_totals(m->h, s->c);
		s->first_pick = hist_take_picks(m->h, s->c);
		s->part = lists_take(m->h->chains, s->c->chains);
		hist_take_ends(m->h, s->ends, lists_first(m->h->chains, s->part), s->chain_count);
	}
	make_room(m);
	for (size_t i = 0; i < m->count; i++) {
		const struct source *s = &m->sources[i];
		size_t listed = lists_frames(m->h->chains, s->part);

		/* expanded lists move, all in one job */
		list_jobs(m, s, listed, s->runs ? listed : FRAMES, fold_lists);
		list_jobs(m, s, s->rows, ROWS, rename_rows);
	}
	hist_in_pieces(m->h, m->jobs.count, do_job, m);
	vec_release(&m->jobs);
	for (size_t i = 0; i < m->count; i++) {
		chains_free(m->sources[i].c->chains);
		m->sources[i].c->chains = NULL;
	}
}

static void find_ends(void *arg, size_t i)
{
	const struct merging *m = arg;
	struct source *s = &m->sources[i];

	phase_begin("find where chains end");
	s->chain_count = chains_count(s->c->chains);
	s->ends = hist_find_ends(m->h, s->c->chains);
	phase_end();
}

static void merge_frames(struct merging *m, struct chains *all,
			 struct hist_collector *const *collectors)
{
	struct chains **chains = xcalloc(m->count + 1, sizeof(struct chains *));
	frame_id **maps = xcalloc(m->count + 1, sizeof(*maps));

	for (size_t i = 0; i < m->count; i++) {
		chains[i] = collectors[i]->chains;
		m->sources[i].frame_count = frames_count(chains[i]);
	}
	frames_merge(all, m->h->ctx, chains, m->count, maps);
	for (size_t i = 0; i < m->count; i++) {
		m->sources[i].frames = maps[i];
	}
	free(chains);
	free(maps);
}

/*
 * Reports damaged chains. Code without frame pointers makes a few; one in fifty is worth a warning
 * even without -v.
 */
static void note_damage(struct hist *h, const struct chains *all)
{
	u64 samples = 0, damaged = chains_damaged(all);

	for (size_t i = 0; i < h->events->list.count; i++)
		samples += h->totals[i].samples;
	if (!damaged)
		return;
	condition_add(&h->ctx->conditions,
		      damaged >= samples / 50 ? CONDITION_WARNING : CONDITION_NOTE, "chain-context",
		      NULL, NULL, damaged,
		      "the rest is counted without callers: code without frame pointers ran",
		      "invalid call chains were dropped; those samples have no callers");
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
		chains_close(collectors[i]->chains);
		rows_close(&collectors[i]->rows);
		m.sources[i].c = collectors[i];
	}
	hist_in_pieces(h, count, find_ends, &m); /* while collectors still have their frames */
	phase_begin("merge frames");
	merge_frames(&m, all, collectors);
	phase_end();
	phase_begin("name frames");
	chains_name(all, h->ctx, h->symbols, h->set.call_sites, hist_lines(h));
	phase_end();
	phase_begin("lines and inlined functions");
	hist_find_lines(h, all, &runs);
	phase_end();
	phase_begin("fold frames");
	h->chains = frames_fold(all, h->ctx, h->images, frame_key_of(h), h, &fold);
	phase_end();
	fold_runs(&runs, fold);
	for (size_t i = 0; i < count; i++) {
		struct source *s = &m.sources[i];
		u32 frames = s->frame_count;

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
