// SPDX-License-Identifier: GPL-2.0-or-later
/* Life of a hist, and finishing: merge, name, fold. */
#include "hist/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_abi.h"
#include "hist/columns.h"

struct hist *hist_new(struct context *ctx, const struct event_set *events, struct history *history,
		      const struct image_table *images, const struct hist_settings *settings)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	h->ctx = ctx;
	h->events = events;
	h->history = history;
	h->images = images;
	h->set = *settings;
	h->parent_slot = -1;
	h->totals = xcalloc(events->list.count + 1, sizeof(*h->totals));
	h->sort_member = settings->sort_member;
	hist_add_columns(h, hist_frame_columns, hist_frame_column_count);
	hist_add_columns(h, hist_task_columns, hist_task_column_count);
	hist_add_columns(h, hist_value_columns, hist_value_column_count);
	hist_add_columns(h, hist_branch_columns, hist_branch_column_count);
	hist_add_columns(h, hist_access_columns, hist_access_column_count);
	return h;
}

static void views_free(struct hist *h)
{
	for (size_t i = 0; i < h->view_count; i++) {
		free(h->views[i].members);
		free(h->views[i].pub.totals);
		vec_release(&h->views[i].entries);
		vec_release(&h->views[i].narrowed);
	}
	free(h->views);
	vec_for_each(&h->trees, t) {
		vec_release(&(*t)->frames);
		vec_release(&(*t)->children);
		free(*t);
	}
	vec_release(&h->trees);
	arena_release(&h->arena);
}

void hist_free(struct hist *h)
{
	if (!h)
		return;
	views_free(h);
	chains_free(h->chains);
	keys_release(&h->keys);
	rows_release(&h->rows);
	strtab_release(&h->texts);
	vec_for_each(&h->made, c) {
		free((char *)(*c)->name);
		free((char *)(*c)->header);
		free((void *)(*c)->priv);
		free(*c);
	}
	vec_release(&h->made);
	strbuf_release(&h->sort_text);
	vec_release(&h->levels);
	vec_release(&h->columns);
	vec_release(&h->fields);
	vec_release(&h->order);
	line_store_free(h->lines);
	free(h->line_texts);
	free(h->file_texts);
	free(h->totals);
	free(h->key_class);
	free(h->frame_class);
	free(h->graph_class);
	free(h->key_of_class);
	free(h->frame_of_class);
	free(h->view_of_event);
	free(h->member_of_event);
	free(h);
}

const struct hist_settings *hist_settings(const struct hist *h)
{
	return &h->set;
}

struct history *hist_history(const struct hist *h)
{
	return h->history;
}

void hist_set_tracepoints(struct hist *h, const struct tracepoint_formats *formats)
{
	h->formats = formats;
}

/* ---- merge ---- */

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

/* Rows of a collector, in the numbers of the hist; the collector is emptied. */
static void move_rows(struct hist *h, struct hist_collector *c, const frame_id *frames,
		      const u32 *const *runs)
{
	chain_id *chain_map = nodes_merge(h->chains, c->chains, frames, runs);
	u32 *keys = merge_keys(h, c, frames);

	chains_free(c->chains);
	c->chains = NULL;
	for (size_t i = 0; i < c->rows.rows.count; i++) {
		struct row m = c->rows.rows.items[i];

		m.key = keys[m.key];
		m.leaf = frames[m.leaf];
		m.chain = chain_map[m.chain];
		rows_add(&h->rows, &m, rows_extra(&c->rows, i));
	}
	merge_totals(h, c);
	rows_release(&c->rows);
	keys_release(&c->keys);
	free(keys);
	free(chain_map);
}

/* The runs of a collector's frames, folded; NULL when there are none.  The caller frees it. */
static const u32 **runs_of(const struct frame_runs *runs, const frame_id *map, u32 frames)
{
	const u32 **of;

	if (!runs->of)
		return NULL;
	of = xcalloc(frames + 1, sizeof(*of));
	for (u32 f = 0; f < frames; f++)
		of[f] = runs->of[map[f]];
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

/* Frames of all collectors are named once and folded; then chains are merged as folded ones. */
static int merge(struct hist *h, struct hist_collector *const *collectors, size_t count,
		 struct reason *r)
{
	struct chains *all = chains_new(h->history);
	frame_id **maps = xcalloc(count + 1, sizeof(*maps)), *fold;
	struct frame_runs runs;

	for (size_t i = 0; i < count; i++)
		maps[i] = frames_merge(all, collectors[i]->chains);
	chains_name(all, h->ctx, h->symbols, h->set.call_sites);
	hist_find_lines(h, all, &runs);
	h->chains = frames_fold(all, h->images, frame_key_of(h), h, &fold);
	fold_runs(&runs, fold);
	for (size_t i = 0; i < count && !context_cancelled(h->ctx); i++) {
		u32 frames = frames_count(collectors[i]->chains);
		const u32 **of = runs_of(&runs, maps[i], frames);

		for (u32 f = 0; f < frames; f++)
			maps[i][f] = fold[maps[i][f]];
		move_rows(h, collectors[i], maps[i], of);
		free(of);
	}
	frame_runs_release(&runs);
	if (chains_damaged(all))
		condition_add(&h->ctx->conditions, CONDITION_WARNING, "chain-context", NULL, NULL,
			      chains_damaged(all),
			      "the rest is counted without callers: code without frame pointers ran",
			      "call chains that a frame pointer led astray were left out");
	for (size_t i = 0; i < count; i++)
		free(maps[i]);
	free(maps);
	free(fold);
	chains_free(all);
	return context_cancelled(h->ctx) ? reason_set(r, EINTR, "interrupted") : 0;
}

/* ---- views ---- */

static void add_member(struct hist *h, u32 view, const struct event *ev)
{
	struct hist_view *v = &h->views[view].pub;

	h->view_of_event[ev->index] = view;
	h->member_of_event[ev->index] = v->member_count;
	h->views[view].members[v->member_count++] = ev;
}

static void make_views(struct hist *h)
{
	size_t n = h->events->list.count;

	h->views = xcalloc(n + 1, sizeof(*h->views));
	h->view_of_event = xcalloc(n + 1, sizeof(u32));
	h->member_of_event = xcalloc(n + 1, sizeof(u32));
	vec_for_each(&h->events->list, it) {
		const struct event *ev = *it;
		bool joins = h->set.group && ev->leader && ev->leader != ev;
		struct view *v;

		if (joins) {
			add_member(h, h->view_of_event[ev->leader->index], ev);
			continue;
		}
		v = &h->views[h->view_count];
		v->members = xcalloc(n, sizeof(*v->members));
		v->pub.hist = h;
		add_member(h, (u32)h->view_count++, ev);
	}
	for (size_t i = 0; i < h->view_count; i++) {
		struct view *v = &h->views[i];

		v->pub.members = v->members;
		v->pub.totals = xcalloc(v->pub.member_count, sizeof(*v->pub.totals));
		for (u32 m = 0; m < v->pub.member_count; m++)
			v->pub.totals[m] = h->totals[v->members[m]->index];
	}
}

int hist_finish(struct hist *h, struct hist_collector *const *collectors, size_t count,
		struct symbol_store *symbols, struct reason *r)
{
	int err;

	h->symbols = symbols;
	h->keys.width = h->slots;
	err = merge(h, collectors, count, r);
	if (!err)
		err = hist_ignore_callees(h, r);
	if (!err)
		err = hist_parents(h, r);
	if (err)
		return err;
	hist_render_lines(h);
	make_views(h);
	hist_classify(h);
	hist_make_entries(h);
	hist_sort_views(h);
	hist_hide_fixed(h);
	return 0;
}

/* ---- look ---- */

size_t hist_view_count(const struct hist *h)
{
	return h->view_count;
}

const struct hist_view *hist_view(const struct hist *h, size_t i)
{
	return &h->views[i].pub;
}

const struct hist_field *hist_fields(const struct hist *h, size_t *count)
{
	*count = h->fields.count;
	return h->fields.items;
}

u64 hist_view_period(const struct hist_view *v, u32 member)
{
	const struct hist_totals *t = &v->totals[member];

	return v->hist->set.relative ? t->shown_period : t->period;
}

u64 hist_view_latency(const struct hist_view *v, u32 member)
{
	const struct hist_totals *t = &v->totals[member];

	return v->hist->set.relative ? t->shown_latency : t->latency;
}

const struct frame *hist_frame(const struct hist *h, frame_id id)
{
	return chain_frame(h->chains, id);
}

const struct symbol *hist_frame_symbol(const struct hist *h, const struct frame *f)
{
	if (f->inlined)
		return chain_inlined(h->chains, f);
	if (f->symbol == NO_SYMBOL)
		return NULL;
	return symbol_get(symbols_of(h->symbols, f->image), f->symbol);
}

const struct symbol_table *hist_frame_symbols(const struct hist *h, const struct frame *f)
{
	return symbols_of(h->symbols, f->image);
}

const struct image *hist_frame_image(const struct hist *h, const struct frame *f)
{
	return image_get(h->images, f->image);
}

const char *hist_frame_dso(const struct hist *h, const struct frame *f)
{
	const struct image *image = image_get(h->images, f->image);

	if (image->kind == IMAGE_UNKNOWN)
		return "[unknown]";
	return h->set.verbose ? image->path : image->name;
}

void hist_frame_text(const struct hist *h, frame_id id, struct strbuf *out)
{
	const struct frame *f = hist_frame(h, id);
	const struct symbol *s = hist_frame_symbol(h, f);

	if (!s) {
		strbuf_f(out, "%#" PRIx64, f->addr);
		return;
	}
	strbuf_printable(out, s->name);
	if (h->set.graph.by_address || h->set.graph.by_line) {
		size_t before = out->len, start;

		strbuf_char(out, ' ');
		start = out->len;
		hist_frame_line(h, f, h->set.graph.by_address ? LINE_ADDRESS : LINE_BEHIND, out);
		if (out->len == start)
			strbuf_truncate(out, before);
	}
	if (f->inlined)
		strbuf_str(out, " (inlined)");
}

char hist_frame_mark(const struct frame *f)
{
	switch (f->cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	case PERF_RECORD_MISC_HYPERVISOR:
		return 'H';
	}
	return '?';
}

enum hist_mode hist_mode_of(u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return HIST_SYS;
	case PERF_RECORD_MISC_USER:
		return HIST_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return HIST_GUEST_SYS;
	case PERF_RECORD_MISC_GUEST_USER:
		return HIST_GUEST_USER;
	}
	return HIST_OTHER;
}
