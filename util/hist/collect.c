// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns one sample into one row of its worker's collector. */
#include <stdlib.h>
#include <string.h>

#include "base/perf_abi.h"
#include "hist/internal.h"

static const struct location nowhere;

static void list_filled(struct hist_collector *c)
{
	const struct hist *h = c->hist;

	c->filled = xcalloc(h->fields.count + 1, sizeof(*c->filled));
	for (u32 i = 0; i < h->fields.count; i++) {
		const struct hist_column *column = h->fields.items[i].column;

		if (column->collect || column->collect_field)
			c->filled[c->filled_count++] = i;
	}
}

/* Finds what the columns see of a sample, if all of them declare it. */
static void find_seen(struct hist_collector *c)
{
	const struct hist *h = c->hist;

	c->meets = c->plain;
	for (u32 i = 0; i < c->filled_count; i++) {
		unsigned sees = h->fields.items[c->filled[i]].column->sees;

		c->meets &= sees != 0;
		c->met.sees |= sees;
	}
	if (h->access_slot >= 0)
		c->met.sees |= HIST_SEES_DATA_SRC;
}

bool hist_collector_sees_data(const struct hist_collector *c)
{
	return c->met.sees & HIST_SEES_DATA;
}

struct hist_collector *hist_collector_new(struct hist *h)
{
	struct hist_collector *c = xcalloc_apart(1, sizeof(*c));

	c->hist = h;
	c->chains = chains_new(h->history);
	c->keys.width = h->slots;
	c->key = xcalloc_apart(h->slots + 1, sizeof(*c->key));
	c->rows.picks = h->set.picks ? &c->picks : NULL;
	c->totals = xcalloc_apart(h->events->list.count + 1, sizeof(*c->totals));
	c->plain = !h->set.chains && !h->set.picks && !h->wants_extra;
	c->placeless = hist_is_placeless(h);
	list_filled(c);
	find_seen(c);
	return c;
}

void hist_collector_clear(struct hist_collector *c)
{
	size_t events = c->hist->events->list.count;

	chains_free(c->chains);
	c->chains = chains_new(c->hist->history);
	keys_release(&c->keys);
	rows_release(&c->rows);
	strtab_release(&c->texts);
	vec_clear(&c->picks);
	memset(c->recent, 0, sizeof(c->recent));
	memset(c->recent_texts, 0, sizeof(c->recent_texts)); /* they refer to texts that were
							      * released */
	memset(c->totals, 0, events * sizeof(*c->totals));
	memset(c->recent_keys, 0, sizeof(c->recent_keys));
	met_clear(&c->met);
	c->cleared++;
	c->taken = 0;
}

void hist_collector_rest(struct hist_collector *c)
{
	enum { ALWAYS_KEPT = 1024, MOST_KEPT = 1 << 16, FEW_MET = 2, MOST_TAKEN = 64 };
	size_t events = c->hist->events->list.count, met = 0;

	vec_for_each(&c->rows.rows, r) {
		met += r->samples > 0;
		r->samples = r->period = r->weight = 0;
	}
	vec_for_each(&c->rows.extra, x)
		*x = (struct row_extra){ 0 };
	memset(c->totals, 0, events * sizeof(*c->totals));
	if (++c->taken > MOST_TAKEN ||
	    c->rows.rows.count > MIN(ALWAYS_KEPT + FEW_MET * met, (size_t)MOST_KEPT))
		hist_collector_clear(c);
}

size_t hist_collector_rows(const struct hist_collector *c)
{
	return c->rows.rows.count;
}

void hist_collector_free(struct hist_collector *c)
{
	if (!c)
		return;
	chains_free(c->chains);
	keys_release(&c->keys);
	rows_release(&c->rows);
	vec_release(&c->picks);
	strtab_release(&c->texts);
	strbuf_release(&c->scratch);
	tracepoint_printer_free(c->printer);
	met_release(&c->met);
	free(c->totals);
	free(c->key);
	free(c->filled);
	free(c);
}

u64 hist_collector_text(struct hist_collector *c, const char *text)
{
	return strtab_add(&c->texts, text);
}

u64 hist_collector_text_of(struct hist_collector *c, u64 value,
			   void (*put)(u64 value, struct strbuf *b))
{
	u64 hash = hash_combine((u64)(uintptr_t)put, value);
	struct recent_text *t = &c->recent_texts[hash % RECENT_TEXTS];

	if (t->put != put || t->value != value) {
		strbuf_clear(&c->scratch);
		put(value, &c->scratch);
		*t = (struct recent_text){ put, value,
					   hist_collector_text(c, strbuf_cstr(&c->scratch)) };
	}
	return t->text;
}

static void tell_kernel_met(struct hist_collector *c, const struct frame *f)
{
	const struct hist_settings *set = &c->hist->set;

	if (likely(f->cpumode != PERF_RECORD_MISC_KERNEL || c->kernel_met || !f->image))
		return;
	c->kernel_met = true;
	if (set->services.kernel_met)
		set->services.kernel_met(set->services.kernel_met_arg, f->image);
}

static struct frame frame_at(u64 addr, const struct location *at, u8 cpumode)
{
	return (struct frame){
		.addr = addr,
		.offset = at->image ? at->offset : addr,
		.image = at->image,
		.cpumode = cpumode,
		.symbol = NO_SYMBOL,
	};
}

static frame_id add_place(struct hist_collector *c, u64 addr, const struct location *at, u8 cpumode)
{
	const struct frame f = frame_at(addr, at, cpumode);

	tell_kernel_met(c, &f);
	return frame_met(c->chains, &f);
}

/*
 * Moves a frame to the first place of its function, if the pool keeps only that one for all places.
 * Then there are ten times fewer frames. Reads no tables of symbols, because a key of the browser
 * may wait for the sample.
 */
static void to_function(const struct hist_collector *c, struct frame *f)
{
	const struct symbol_store *store = c->hist->functions;
	const struct symbol_table *t =
		store && f->image ? symbols_if_loaded(store, f->image) : NULL;

	if (!t)
		return;
	f->named = symbol_find_loaded(t, f->offset, &f->symbol);
	if (f->symbol != NO_SYMBOL && symbol_start(t, f->symbol, &f->offset))
		f->addr = f->offset;
}

static frame_id add_leaf(struct hist_collector *c, u64 addr, const struct location *at, u8 cpumode)
{
	struct frame f = frame_at(addr, at, cpumode);

	tell_kernel_met(c, &f);
	to_function(c, &f);
	return frame_met(c->chains, &f);
}

u64 hist_collector_frame(struct hist_collector *c, const struct hist_place *p)
{
	return add_place(c, p->addr, &p->at, p->cpumode);
}

struct strbuf *hist_collector_scratch(struct hist_collector *c)
{
	return &c->scratch;
}

struct tracepoint_printer *hist_collector_printer(struct hist_collector *c)
{
	if (!c->printer && c->hist->formats)
		c->printer = tracepoint_printer_new(c->hist->formats);
	return c->printer;
}

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool listed(const u32 *list, size_t count, u32 v)
{
	return !list || bsearch(&v, list, count, sizeof(*list), u32_cmp);
}

static s32 socket_of(const struct hist_settings *set, u32 cpu)
{
	return cpu < set->socket_count ? set->sockets[cpu] : -1;
}

/* Applies the filters that need no symbols. */
static bool task_passes(const struct hist *h, const struct hist_sample *s)
{
	const struct hist_settings *set = &h->set;

	if (set->one_socket && socket_of(set, s->sample->id.cpu) != set->socket)
		return false;
	if (set->parallelism &&
	    (s->parallelism >= set->parallelism_count || !set->parallelism[s->parallelism]))
		return false;
	if (!listed(set->pids, set->pid_count, s->task->pid) ||
	    !listed(set->tids, set->tid_count, s->task->tid))
		return false;
	return !set->comms.list.count ||
	       strlist_has(&set->comms, history_comm_text(h->history, s->comm));
}

static void fill_key(struct hist_collector *c, const struct hist_sample *s)
{
	const struct hist *h = c->hist;

	for (u32 i = 0; i < c->filled_count; i++) {
		const struct hist_field *f = &h->fields.items[c->filled[i]];

		if (f->column->collect)
			c->key[f->slot] = f->column->collect(c, s);
		else
			c->key[f->slot] = f->column->collect_field(c, f, s);
	}
	if (h->access_slot >= 0)
		c->key[h->access_slot] = hist_access_classes(s->sample->data_src);
}

/*
 * Returns the number of the key. Samples near each other often have the same key, so it tries a
 * recent one first.
 */
static u32 number_key(struct hist_collector *c)
{
	u64 hash = key_hash(c->key, c->keys.width);
	u32 *recent = &c->recent_keys[(hash >> 48) % RECENT_KEYS];

	if (!*recent || !keys_equal(keys_get(&c->keys, *recent - 1), c->key, c->keys.width))
		*recent = keys_add_hashed(&c->keys, c->key, hash) + 1;
	return *recent - 1;
}

_Static_assert(RECENT_ROWS == 1 << (64 - 55), "by the highest bits");

/* Adds a row that is complete except for its leaf, which is at addr. Returns the row's number. */
static u32 add_leaf_row(struct hist_collector *c, struct row *r, u64 addr,
			const struct location *at, u8 cpumode)
{
	u64 mixed = (addr ^ (u64)cpumode << 32 ^ (u64)r->key << 40 ^ (u64)r->event << 56) *
		    0x9e3779b97f4a7c15ULL;
	struct recent_row *recent = &c->recent[mixed >> 55];
	struct row *row;

	if (likely(recent->row && recent->addr == addr && recent->key == r->key &&
		   recent->event == r->event && recent->offset == at->offset &&
		   recent->image == at->image && recent->cpumode == cpumode)) {
		row = &c->rows.rows.items[recent->row - 1];
		row->samples++;
		row->period += r->period;
		row->weight += r->weight;
		return recent->row - 1;
	}
	r->leaf = add_leaf(c, addr, at, cpumode);
	*recent = (struct recent_row){
		.addr = addr,
		.offset = at->offset,
		.image = at->image,
		.key = r->key,
		.event = r->event,
		.cpumode = cpumode,
		.row = rows_add_hashed(&c->rows, r, NULL, row_hash(r)) + 1,
	};
	return recent->row - 1;
}

static u32 add_plain(struct hist_collector *c, struct row *r, const struct hist_sample *s)
{
	const struct sample *sample = s->sample;

	if (!c->placeless)
		return add_leaf_row(c, r, sample->ip, &s->leaf, sample->cpumode);
	return add_leaf_row(c, r, 0, &nowhere, sample->cpumode);
}

/* Returns what the columns see of an access; all other parts are 0. */
static struct met_key met_key(unsigned sees, const struct hist_sample *s)
{
	const struct sample *sample = s->sample;
	const struct hist_place *data = &s->access->data;
	u32 latency = sees & HIST_SEES_LATENCY ? sample->ins_lat : 0;
	struct met_key k = {
		.code = sample->ip,
		.code_offset = s->leaf.offset,
		.code_image = s->leaf.image,
		.data_src = sees & HIST_SEES_DATA_SRC ? sample->data_src : 0,
		.weight = sees & HIST_SEES_WEIGHT ? sample->weight : 0,
		.rest = latency | (u32)sample->cpumode << 16 | sample->event->index << 22,
	};

	if (sees & HIST_SEES_DATA) {
		k.data = data->addr;
		k.data_offset = data->at.offset;
		k.data_image = data->at.image;
		k.rest |= (u32)data->cpumode << 19;
	}
	return k;
}

/* Adds an access to its row. r has its event and its sums. */
static void add_access(struct hist_collector *c, struct row *r, const struct hist_sample *s)
{
	struct met_key key = met_key(c->met.sees, s);
	u32 number = met_row(&c->met, &key);
	struct row *row;

	if (likely(number != NO_ROW)) {
		row = &c->rows.rows.items[number];
		row->samples++;
		row->period += r->period;
		row->weight += r->weight;
		return;
	}
	fill_key(c, s);
	r->key = number_key(c);
	met_keep(&c->met, &key, add_plain(c, r, s), c->rows.rows.count);
}

void hist_collector_add(struct hist_collector *c, const struct hist_sample *s)
{
	const struct hist *h = c->hist;
	const struct sample *sample = s->sample;
	struct hist_totals *t = &c->totals[sample->event->index];
	/* what an access costs is its weight */
	u64 period = s->access ? MAX(sample->weight, 1) : sample->period;
	struct row_extra extra = {
		.latency = s->parallelism ? period * 1000 / s->parallelism : 0,
		.weight2 = sample->ins_lat,
		.weight3 = sample->p_stage_cyc,
		.squares = (double)period * (double)period,
	};
	const struct recorded_chain chain = {
		.ips = sample->chain,
		.count = sample->chain_count,
		.unwound = sample->chain_unwound,
		.swap = s->swap,
		.max = h->set.max_stack,
		.end = s->stack_end,
	};
	struct row r = {
		.event = sample->event->index,
		.samples = 1,
		.period = period,
		.weight = sample->weight,
	};

	t->samples++;
	t->period += period;
	t->latency += extra.latency;
	t->squares += extra.squares;
	if (!task_passes(h, s))
		return;
	if (c->meets && s->access && r.event < MET_EVENTS) {
		add_access(c, &r, s);
		return;
	}
	if (h->set.chains)
		chain_announce(c->chains, s->task, sample->cpumode, &chain, s->key);
	fill_key(c, s);
	r.key = number_key(c);
	if (c->plain) {
		add_plain(c, &r, s);
		return;
	}
	r.leaf = c->placeless ? add_place(c, 0, &nowhere, sample->cpumode)
			      : add_place(c, sample->ip, &s->leaf, sample->cpumode);
	if (h->set.chains)
		r.chain = chain_add(c->chains, s->task, sample->cpumode, &chain, s->key);
	if (h->set.picks)
		extra.picks = hist_pick_sample(c, s);
	rows_add_later(&c->rows, &r, h->wants_extra ? &extra : NULL);
}
