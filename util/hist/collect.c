// SPDX-License-Identifier: GPL-2.0-or-later
/* One sample -> one row of its worker's collector. */
#include <stdlib.h>

#include "base/perf_abi.h"
#include "hist/internal.h"

struct hist_collector *hist_collector_new(struct hist *h)
{
	struct hist_collector *c = xcalloc(1, sizeof(*c));

	c->hist = h;
	c->chains = chains_new(h->history);
	c->keys.width = h->slots;
	c->key = xcalloc(h->slots + 1, sizeof(*c->key));
	c->rows.picks = h->set.picks ? &c->picks : NULL;
	c->totals = xcalloc(h->events->list.count + 1, sizeof(*c->totals));
	return c;
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
	free(c->totals);
	free(c->key);
	free(c);
}

u64 hist_collector_text(struct hist_collector *c, const char *text)
{
	return strtab_add(&c->texts, text);
}

static frame_id add_place(struct hist_collector *c, u64 addr, const struct location *at, u8 cpumode)
{
	const struct frame f = {
		.addr = addr,
		.offset = at->image ? at->offset : addr,
		.image = at->image,
		.cpumode = cpumode,
		.symbol = NO_SYMBOL,
	};

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

/* The filters that need no symbols. */
static bool task_passes(const struct hist *h, const struct hist_sample *s)
{
	const struct hist_settings *set = &h->set;

	if (set->one_socket && socket_of(set, s->sample->id.cpu) != set->socket)
		return false;
	if (set->parallelism && (s->parallelism >= set->parallelism_count ||
				 !set->parallelism[s->parallelism]))
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

	for (size_t i = 0; i < h->fields.count; i++) {
		const struct hist_field *f = &h->fields.items[i];

		if (f->column->collect)
			c->key[f->slot] = f->column->collect(c, s);
		else if (f->column->collect_field)
			c->key[f->slot] = f->column->collect_field(c, f, s);
	}
	if (h->access_slot >= 0)
		c->key[h->access_slot] = hist_access_classes(s->sample->data_src);
}

void hist_collector_add(struct hist_collector *c, const struct hist_sample *s)
{
	const struct hist *h = c->hist;
	const struct sample *sample = s->sample;
	struct hist_totals *t = &c->totals[sample->event->index];
	struct row_extra extra = {
		.latency = s->parallelism ? sample->period * 1000 / s->parallelism : 0,
		.weight2 = sample->ins_lat, .weight3 = sample->p_stage_cyc,
		.squares = (double)sample->period * (double)sample->period,
	};
	const struct recorded_chain chain = {
		.ips = sample->chain, .count = sample->chain_count,
		.unwound = sample->chain_unwound, .swap = s->swap, .max = h->set.max_stack,
	};
	struct row r = {
		.event = sample->event->index,
		.samples = 1, .period = sample->period, .weight = sample->weight,
	};

	t->samples++;
	t->period += sample->period;
	t->latency += extra.latency;
	t->squares += extra.squares;
	if (!task_passes(h, s))
		return;
	if (h->set.chains)
		chain_announce(c->chains, s->task, sample->cpumode, &chain, s->key);
	fill_key(c, s);
	r.key = keys_add(&c->keys, c->key);
	r.leaf = add_place(c, sample->ip, &s->leaf, sample->cpumode);
	if (h->set.chains)
		r.chain = chain_add(c->chains, s->task, sample->cpumode, &chain, s->key);
	if (h->set.picks)
		extra.picks = hist_pick_sample(c, s);
	rows_add_later(&c->rows, &r, h->wants_extra ? &extra : NULL);
}
