// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that outlive a refresh, and their snapshots.
 *
 * Sums are kept as floating-point numbers: most rows of a live table have a few samples, and 7/8 of
 * these is not a whole number. A snapshot rounds each row and adds up the rounded values, so its
 * rows add up exactly to its totals.
 */
#include "hist/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "hist/internal.h"
#include "hist/pool_tables.h"

#define DECAY_STEP 2e9 /* ns in which a sum falls to 7/8 */
/*
 * of the rows: their frames and names may stay, since making new tables costs more than keeping
 * them
 */
enum { FEW_DROPPED = 4 }; /* one in so many */

static void release_tables(struct hist_pool *p)
{
	chains_free(p->chains);
	keys_release(&p->keys);
	strtab_release(&p->texts);
	hist_pool_rows_release(p);
	vec_release(&p->held);
	vec_release(&p->more);
	vec_release(&p->hashes);
	vec_release(&p->chain_ends);
	map64_release(&p->functions);
}

struct hist_pool *hist_pool_new(struct hist *h, struct symbol_store *symbols)
{
	struct hist_pool *p = xcalloc(1, sizeof(*p));

	BUG_ON(h->finished || h->set.picks);
	p->like = h;
	p->by_function = !hist_shows_places(h);
	p->symbols = symbols;
	h->functions = p->by_function ? symbols : NULL;
	p->events = xcalloc(h->events->list.count + 1, sizeof(*p->events));
	p->chains = chains_new(h->history);
	p->keys.width = h->slots;
	return p;
}

/* ---- sums ---- */

static struct held_sums sums_of(const struct row *r, const struct row_extra *x)
{
	struct held_sums s = {
		.samples = (double)r->samples,
		.period = (double)r->period,
		.weight = (double)r->weight,
	};

	if (x) {
		s.latency = (double)x->latency;
		s.weight2 = (double)x->weight2;
		s.weight3 = (double)x->weight3;
		s.squares = x->squares;
	}
	return s;
}

/* Adds factor * s to the sums. */
static void add_sums(struct held_sums *to, const struct held_sums *s, double factor)
{
	to->samples += s->samples * factor;
	to->period += s->period * factor;
	to->weight += s->weight * factor;
	to->latency += s->latency * factor;
	to->weight2 += s->weight2 * factor;
	to->weight3 += s->weight3 * factor;
	to->squares += s->squares * factor;
}

static void scale_sums(struct held_sums *s, double factor)
{
	struct held_sums was = *s;

	*s = (struct held_sums){ 0 };
	add_sums(s, &was, factor);
}

static void add_more(struct held_sums *s, const struct held_more *m)
{
	s->weight += m->weight;
	s->latency += m->latency;
	s->weight2 += m->weight2;
	s->weight3 += m->weight3;
	s->squares += m->squares;
}

static struct held_sums row_sums(const struct hist_pool *p, size_t i)
{
	const struct held_few *few = &p->held.items[i];
	struct held_sums s = { .samples = few->samples, .period = few->period };

	if (p->more.count)
		add_more(&s, &p->more.items[i]);
	return s;
}

static bool has_more(const struct held_sums *s)
{
	return s->weight || s->latency || s->weight2 || s->weight3 || s->squares;
}

static void set_row_sums(struct hist_pool *p, size_t i, const struct held_sums *s)
{
	p->held.items[i] = (struct held_few){ s->samples, s->period };
	if (!p->more.count && !has_more(s))
		return;
	while (p->more.count < p->held.count)
		vec_push_zero(&p->more);
	p->more.items[i] =
		(struct held_more){ s->weight, s->latency, s->weight2, s->weight3, s->squares };
}

static struct row rounded_row(const struct row_ids *r, const struct held_sums *s)
{
	return (struct row){
		.event = r->event,
		.key = r->key,
		.leaf = r->leaf,
		.chain = r->chain,
		.samples = hist_pool_whole(s->samples),
		.period = hist_pool_whole(s->period),
		.weight = hist_pool_whole(s->weight),
	};
}

/* ---- rows that come from other tables ---- */

static void cover(number_map *m, size_t count)
{
	if (count <= m->count)
		return;
	vec_reserve(m, count);
	memset(m->items + m->count, 0, (count - m->count) * sizeof(*m->items));
	m->count = count;
}

/* Prepares the maps for what the tables hold now. */
static void origin_begin(struct origin *o, size_t rows)
{
	cover(&o->rows, rows);
	cover(&o->key_numbers, o->keys->count);
	cover(&o->frame_numbers, frames_count(o->chains));
	cover(&o->chain_numbers, (size_t)chains_count(o->chains) + 1);
	if (!o->key)
		o->key = xcalloc(o->keys->width + 1, sizeof(u64));
}

static void origin_forget(struct origin *o)
{
	vec_clear(&o->rows);
	vec_clear(&o->key_numbers);
	vec_clear(&o->frame_numbers);
	vec_clear(&o->chain_numbers);
}

static void origin_release(struct origin *o)
{
	vec_release(&o->rows);
	vec_release(&o->key_numbers);
	vec_release(&o->frame_numbers);
	vec_release(&o->chain_numbers);
	vec_release(&o->path);
	free(o->key);
}

/* Returns the collector's origin, which knows the numbers of rows that were taken before. */
static struct origin *origin_of(struct hist_pool *p, const struct hist_collector *c)
{
	struct origin *o = NULL;

	vec_for_each(&p->origins, it)
		if ((*it)->collector == c)
			o = *it;
	if (!o) {
		o = xcalloc(1, sizeof(*o));
		o->pool = p;
		o->collector = c;
		vec_push(&p->origins, o);
	}
	if (o->cleared != c->cleared) {
		o->damaged = 0;
		origin_forget(o);
	}
	o->cleared = c->cleared;
	o->keys = &c->keys;
	o->texts = &c->texts;
	o->chains = c->chains;
	return o;
}

static frame_id pool_frame(struct origin *o, frame_id id)
{
	u32 *number = &o->frame_numbers.items[id];

	if (!*number)
		*number = hist_pool_find_frame(o->pool, chain_frame(o->chains, id)) + 1;
	return *number - 1;
}

static u32 pool_key(struct origin *o, u32 id)
{
	struct hist_pool *p = o->pool;
	u32 *number = &o->key_numbers.items[id];

	if (*number)
		return *number - 1;
	for (u32 i = 0; i < o->keys->width; i++)
		o->key[i] = keys_get(o->keys, id)[i];
	vec_for_each(&p->like->fields, f) {
		u64 *value = &o->key[f->slot];

		if (f->column->flags & HIST_TEXT)
			*value = strtab_add(&p->texts, strtab_get(o->texts, (u32)*value));
		else if ((f->column->flags & HIST_FRAME_SLOT) && *value)
			*value = (u64)pool_frame(o, (frame_id)(*value - 1)) + 1;
	}
	*number = keys_add(&p->keys, o->key) + 1;
	return *number - 1;
}

static chain_id pool_chain(struct origin *o, chain_id id)
{
	u32 *number = &o->chain_numbers.items[id];
	const frame_id *frames;
	size_t count;

	if (*number)
		return *number - 1;
	frames = chain_recorded(o->chains, id, &count);
	vec_clear(&o->path);
	for (size_t i = 0; i < count; i++)
		vec_push(&o->path, pool_frame(o, frames[i]));
	*number = chain_keep(o->pool->chains, o->path.items, count) + 1;
	if (hist_judges_ends(o->pool->like))
		hist_pool_note_end(o->pool, *number - 1, o->chains, id);
	return *number - 1;
}

/* Adds the sums of a collector's row; i is its number there. */
static void add_row(struct origin *o, size_t i, const struct row *from, const struct held_sums *s)
{
	struct hist_pool *p = o->pool;
	u32 *number = &o->rows.items[i];
	struct held_sums all;

	if (!*number) {
		const struct row_ids r = {
			.event = from->event,
			.key = pool_key(o, from->key),
			.leaf = pool_frame(o, from->leaf),
			.chain = pool_chain(o, from->chain),
		};

		*number = hist_pool_row(p, &r) + 1;
	}
	if (*number > p->held.count)
		vec_push_zero(&p->held);
	if (p->more.count && *number > p->more.count)
		vec_push_zero(&p->more);
	all = row_sums(p, *number - 1);
	add_sums(&all, s, 1);
	set_row_sums(p, *number - 1, &all);
}

void hist_pool_free(struct hist_pool *p)
{
	if (!p)
		return;
	release_tables(p);
	vec_for_each(&p->origins, o) {
		origin_release(*o);
		free(*o);
	}
	vec_release(&p->origins);
	line_store_free(p->old_lines);
	line_store_free(p->lines);
	free(p->events);
	free(p);
}

/* ---- take ---- */

static void take_totals(struct hist_pool *p, const struct hist_collector *c)
{
	for (size_t i = 0; i < p->like->events->list.count; i++) {
		struct pool_event *e = &p->events[i];
		const struct hist_totals *t = &c->totals[i];
		const struct held_sums all = {
			.samples = (double)t->samples,
			.period = (double)t->period,
			.latency = (double)t->latency,
			.squares = t->squares,
		};

		e->fresh_samples += t->samples;
		e->fresh_period += t->period;
		e->all_samples += t->samples;
		e->all_period += t->period;
		add_sums(&e->refused, &all, 1); /* take_rows() subtracts what has a row */
	}
}

static void take_rows(struct hist_pool *p, struct hist_collector *c)
{
	struct origin *o = origin_of(p, c);

	rows_flush(&c->rows);
	origin_begin(o, c->rows.rows.count);
	for (size_t i = 0; i < c->rows.rows.count; i++) {
		const struct row *r = &c->rows.rows.items[i];
		struct held_sums s;

		if (!r->samples)
			continue;
		s = sums_of(r, rows_extra(&c->rows, i));
		add_row(o, i, r, &s);
		add_sums(&p->events[r->event].refused, &s, -1);
	}
	p->damaged += chains_damaged(c->chains) - o->damaged;
	o->damaged = chains_damaged(c->chains);
}

void hist_pool_take(struct hist_pool *p, struct hist_collector *const *collectors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		chains_name(collectors[i]->chains, p->like->ctx, p->symbols,
			    p->like->set.call_sites, NULL);
		take_totals(p, collectors[i]);
		take_rows(p, collectors[i]);
		hist_collector_rest(collectors[i]);
	}
	chains_name(p->chains, p->like->ctx, p->symbols, p->like->set.call_sites, NULL);
}

/* ---- decay ---- */

void hist_pool_decay(struct hist_pool *p, u64 passed)
{
	double factor = pow(7.0 / 8, (double)passed / DECAY_STEP);

	p->dropped = 0;
	for (size_t i = 0; i < p->held.count; i++) {
		struct held_sums s = row_sums(p, i);

		scale_sums(&s, factor);
		set_row_sums(p, i, &s);
		p->dropped += s.samples < 0.5;
	}
	for (size_t i = 0; i < p->like->events->list.count; i++) {
		struct pool_event *e = &p->events[i];

		scale_sums(&e->refused, factor);
		e->fresh_samples = e->fresh_period = 0;
	}
	if (p->dropped * FEW_DROPPED > p->held.count)
		hist_pool_compact(p);
}

void hist_pool_zero(struct hist_pool *p)
{
	hist_pool_decay(p, UINT64_MAX);
}

/* ---- snapshot ---- */

static void copy_tables(const struct hist_pool *p, struct hist_collector *c)
{
	chains_free(c->chains);
	c->chains = chains_copy(p->chains);
	for (u32 i = 0; i < p->keys.count; i++)
		keys_add(&c->keys, keys_get(&p->keys, i));
	for (u32 i = 0; i < p->texts.count; i++)
		strtab_add(&c->texts, strtab_get(&p->texts, i));
}

/*
 * Copies just a key, with the frames and texts that it refers to. Returns its number in the
 * collector.
 */
static u32 copied_key(const struct hist_pool *p, u32 key, struct hist_collector *c)
{
	if (p->keys.width)
		memcpy(c->key, keys_get(&p->keys, key), p->keys.width * sizeof(*c->key));
	vec_for_each(&p->like->fields, f) {
		u64 *value = &c->key[f->slot];

		if (f->column->flags & HIST_TEXT)
			*value = strtab_add(&c->texts, strtab_get(&p->texts, (u32)*value));
		else if ((f->column->flags & HIST_FRAME_SLOT) && *value)
			*value = (u64)frame_add(c->chains,
						chain_frame(p->chains, (frame_id)(*value - 1))) +
				 1;
	}
	return keys_add(&c->keys, c->key);
}

static void add_totals(struct hist_totals *t, const struct row *r, const struct row_extra *x)
{
	t->samples += r->samples;
	t->period += r->period;
	t->latency += x->latency;
	t->squares += x->squares;
}

/* The wanted frames' numbers in the collector, and the number of the frame for all others. */
struct frame_numbers {
	frame_id *of; /* by frame; NULL if all keep their own */
	frame_id rest;
};

static struct frame_numbers copy_frames(const struct hist_pool *p, const bool *wanted,
					struct chains *c)
{
	const struct frame rest = { .cpumode = HIST_REST_MODE, .symbol = NO_SYMBOL, .named = true };
	u32 count = frames_count(p->chains);
	struct frame_numbers n = { .of = xreallocarray(NULL, count + 1, sizeof(*n.of)),
				   .rest = frame_add(c, &rest) };

	for (u32 i = 0; i < count; i++)
		n.of[i] = wanted[i] ? frame_add(c, chain_frame(p->chains, i)) : n.rest;
	return n;
}

/* Renames the frames of a row. Returns false if the row has no wanted frame. */
static bool rename_frames(const struct hist_pool *p, const struct frame_numbers *n, struct row *r,
			  struct chains *c)
{
	size_t count;
	const frame_id *frames = chain_recorded(p->chains, r->chain, &count);
	bool any = n->of[r->leaf] != n->rest;

	for (size_t i = 0; i < count && !any; i++)
		any = n->of[frames[i]] != n->rest;
	if (!any)
		return false;
	r->leaf = n->of[r->leaf];
	r->chain = chain_copy(c, frames, count, n->of);
	return true;
}

/* Copies the rows with wanted[row] set, or all if wanted is NULL. */
static void copy_rows(const struct hist_pool *p, const bool *wanted, const struct frame_numbers *n,
		      struct hist *h, struct hist_collector *c)
{
	c->rows.has_extra = p->like->wants_extra;
	if (!wanted)
		vec_reserve(&c->rows.rows, p->held.count);
	for (size_t i = 0; i < p->held.count; i++) {
		const struct held_sums s = row_sums(p, i);
		struct row r = rounded_row(&p->rows.items[i], &s);
		struct row_extra x = {
			.latency = hist_pool_whole(s.latency),
			.weight2 = hist_pool_whole(s.weight2),
			.weight3 = hist_pool_whole(s.weight3),
			.squares = s.squares,
		};

		if (!r.samples)
			continue;
		add_totals(&c->totals[r.event], &r, &x);
		if (wanted && !wanted[i]) {
			add_totals(&h->left_out[r.event], &r, &x);
			continue;
		}
		if (n->of) {
			if (n->of[r.leaf] == n->rest)
				add_totals(&h->left_out[r.event], &r, &x);
			if (!rename_frames(p, n, &r, c->chains))
				continue;
			r.key = copied_key(p, r.key, c);
		}
		if (wanted) {
			r.leaf = frame_add(c->chains, chain_frame(p->chains, r.leaf));
			r.key = copied_key(p, r.key, c);
		}
		vec_push(&c->rows.rows, r);
		if (c->rows.has_extra)
			vec_push(&c->rows.extra, x);
	}
}

static void copy_totals(const struct hist_pool *p, struct hist_collector *c)
{
	for (size_t i = 0; i < p->like->events->list.count; i++) {
		const struct held_sums *s = &p->events[i].refused;
		struct hist_totals *t = &c->totals[i];

		t->samples += hist_pool_whole(s->samples);
		t->period += hist_pool_whole(s->period);
		t->latency += hist_pool_whole(s->latency);
		t->squares += s->squares > 0 ? s->squares : 0;
	}
}

/* Finds the hashes of frames that came since the last call. */
static void find_hashes(struct hist_pool *p)
{
	for (u32 i = (u32)p->hashes.count; i < frames_count(p->chains); i++) {
		const struct frame *f = chain_frame(p->chains, i);
		const struct symbol *s =
			f->image ? symbol_get(symbols_of(p->symbols, f->image), f->symbol) : NULL;

		vec_push(&p->hashes, (u32)hist_frame_bucket(f, s));
	}
}

/* Returns the periods by row, 0 if the row is not in the snapshot. The caller frees them. */
static u64 *whole_periods(const struct hist_pool *p)
{
	u64 *periods = xcalloc(p->held.count + 1, sizeof(*periods));

	for (size_t i = 0; i < p->held.count; i++)
		periods[i] = hist_pool_whole(p->held.items[i].samples)
				     ? hist_pool_whole(p->held.items[i].period)
				     : 0;
	return periods;
}

/*
 * Returns, by row, whether it may be among the first entries; NULL if all may. The caller frees it.
 */
static bool *first_rows(struct hist_pool *p, const struct hist *h, size_t most)
{
	size_t count = p->held.count;
	bool *wanted, any_out;
	u64 *periods;

	if (!most || count <= most || !hist_has_first_rows(h))
		return NULL;
	find_hashes(p);
	wanted = xcalloc(count, sizeof(*wanted));
	periods = whole_periods(p);
	any_out = hist_first_rows(p->rows.items, periods, count, h->events->list.count,
				  p->hashes.items, HIST_ROW_BUCKETS, most, wanted);
	free(periods);
	if (!any_out) {
		free(wanted);
		wanted = NULL;
	}
	return wanted;
}

/* Returns the same by frame, where callers are totalled. Includes the frames of their trees. */
static bool *first_frames(struct hist_pool *p, const struct hist *h, size_t most)
{
	bool *wanted;
	u64 *periods;

	if (!most || p->held.count <= most || p->keys.count > 1 || !p->by_function ||
	    !hist_has_first_frames(h))
		return NULL;
	find_hashes(p);
	wanted = xcalloc(frames_count(p->chains) + 1, sizeof(*wanted));
	periods = whole_periods(p);
	if (!hist_first_frames(h, p->rows.items, periods, p->held.count, p->chains, p->hashes.items,
			       hist_frame_buckets(frames_count(p->chains)), most, wanted)) {
		free(wanted);
		wanted = NULL;
	}
	free(periods);
	return wanted;
}

struct hist *hist_pool_snapshot(struct hist_pool *p, size_t most, struct reason *r)
{
	struct hist *h = hist_like(p->like);
	struct hist_collector *c = hist_collector_new(h);
	bool *wanted = first_rows(p, h, most), *frames = first_frames(p, h, most);
	struct frame_numbers numbers = { 0 };
	int err;

	if (!p->lines && hist_shows_lines(h))
		p->lines = line_store_new(p->symbols, &h->set.lines);
	h->lines = p->lines;
	h->trees_wait = most > 0;
	if (wanted || frames)
		h->left_out = xcalloc(h->events->list.count + 1, sizeof(*h->left_out));
	else
		copy_tables(p, c);
	if (frames)
		numbers = copy_frames(p, frames, c->chains);
	copy_rows(p, wanted, &numbers, h, c);
	free(numbers.of);
	free(frames);
	free(wanted);
	copy_totals(p, c);
	hist_pool_count_truth(p, h);
	err = hist_finish(h, &c, 1, p->symbols, r);
	hist_collector_free(c);
	if (err) {
		hist_free(h);
		return NULL;
	}
	return h;
}

/* ---- look ---- */

void hist_pool_flow(const struct hist_pool *p, const struct event *ev, struct hist_flow *out)
{
	const struct pool_event *e = &p->events[ev->index];

	*out = (struct hist_flow){
		.fresh_samples = e->fresh_samples,
		.fresh_period = e->fresh_period,
		.all_samples = e->all_samples,
		.all_period = e->all_period,
		.held_samples = hist_pool_whole(e->refused.samples),
		.held_period = hist_pool_whole(e->refused.period),
	};
	for (size_t i = 0; i < p->held.count; i++) {
		const struct held_sums s = row_sums(p, i);
		struct row r = rounded_row(&p->rows.items[i], &s);

		if (r.event != ev->index || !r.samples)
			continue;
		out->held_samples += r.samples;
		out->held_period += r.period;
	}
}

void hist_pool_size(const struct hist_pool *p, struct hist_pool_size *out)
{
	*out = (struct hist_pool_size){
		.rows = p->held.count,
		.frames = frames_count(p->chains),
		.chains = chains_count(p->chains),
		.keys = p->keys.count,
		.texts = p->texts.count,
		.damaged = p->damaged,
	};
}

void hist_pool_names(const struct hist_pool *p, struct hist_pool_names *out)
{
	u32 before = UINT32_MAX;

	*out = (struct hist_pool_names){ 0 };
	/* consecutive frames are often of one image */
	for (u32 i = 0; i < frames_count(p->chains); i++) {
		u32 image = chain_frame(p->chains, i)->image;

		if (image != before)
			map64_put(&out->images, image, NULL);
		before = image;
	}
	vec_for_each(&p->like->fields, f) {
		struct map64 *to = f->column->flags & HIST_TASK_ID   ? &out->tasks
				   : f->column->flags & HIST_COMM_ID ? &out->comms
								     : NULL;

		for (u32 i = 0; to && i < p->keys.count; i++)
			map64_put(to, keys_get(&p->keys, i)[f->slot], NULL);
	}
}

void hist_pool_names_release(struct hist_pool_names *n)
{
	map64_release(&n->tasks);
	map64_release(&n->comms);
	map64_release(&n->images);
}

void hist_pool_sweep(struct hist_pool *p, const bool *named)
{
	if (p->lines)
		line_store_sweep(p->lines, named);
}

void hist_pool_renew(struct hist_pool *p, const bool *renewed)
{
	line_store_free(p->old_lines);
	p->old_lines = p->lines ? line_store_take(p->lines, renewed) : NULL;
	chains_forget_names(p->chains, renewed);
	chains_name(p->chains, p->like->ctx, p->symbols, p->like->set.call_sites, NULL);
	/* hashes depend on the frames' symbols */
	vec_clear(&p->hashes);
	/* the next table of an image gets the numbers of the one before last */
	map64_release(&p->functions);
}

void hist_pool_drop_replaced(struct hist_pool *p)
{
	line_store_free(p->old_lines);
	p->old_lines = NULL;
}

u64 hist_pool_bytes(const struct hist_pool *p)
{
	return (p->lines ? line_store_bytes(p->lines) : 0) +
	       (p->old_lines ? line_store_bytes(p->old_lines) : 0);
}
