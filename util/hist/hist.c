// SPDX-License-Identifier: GPL-2.0-or-later
/* Life of a hist, and finishing: merge, name, fold. */
#include "hist/hist.h"

#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "base/self_profile.h"
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
	h->parent_slot = h->program_slot = -1;
	h->access_slot = -1;
	h->wants_extra = settings->picks > 0 || settings->squares;
	h->totals = xcalloc(events->list.count + 1, sizeof(*h->totals));
	h->sort_member = settings->sort_member;
	hist_add_columns(h, hist_frame_columns, hist_frame_column_count);
	hist_add_columns(h, hist_task_columns, hist_task_column_count);
	hist_add_columns(h, hist_value_columns, hist_value_column_count);
	hist_add_columns(h, hist_branch_columns, hist_branch_column_count);
	hist_add_columns(h, hist_access_columns, hist_access_column_count);
	hist_add_columns(h, hist_type_columns, hist_type_column_count);
	hist_add_columns(h, hist_access_sum_columns, hist_access_sum_column_count);
	return h;
}

struct hist *hist_like(struct hist *of)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	h->ctx = of->ctx;
	h->events = of->events;
	h->history = of->history;
	h->images = of->images;
	h->formats = of->formats;
	h->set = of->set;
	h->borrowed = true;
	h->slots = of->slots;
	h->parent_slot = of->parent_slot;
	h->program_slot = of->program_slot;
	h->access_slot = of->access_slot;
	h->strict_fields = of->strict_fields;
	h->level_count = of->level_count;
	h->wants_extra = of->wants_extra;
	h->sort_member = of->sort_member;
	h->totals = xcalloc(of->events->list.count + 1, sizeof(*h->totals));
	strbuf_str(&h->sort_text, strbuf_cstr(&of->sort_text));
	vec_for_each(&of->columns, c)
		vec_push(&h->columns, *c);
	vec_for_each(&of->fields, f)
		vec_push(&h->fields, *f);
	vec_for_each(&of->order, i)
		vec_push(&h->order, *i);
	vec_for_each(&of->levels, l)
		vec_push(&h->levels, *l);
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
	vec_for_each(&h->arenas, a)
		arena_release(a);
	vec_release(&h->arenas);
}

void hist_free(struct hist *h)
{
	if (!h)
		return;
	views_free(h);
	chains_free(h->chains);
	keys_release(&h->keys);
	rows_release(&h->rows);
	vec_release(&h->picks);
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
	if (!h->borrowed)
		line_store_free(h->lines);
	free(h->line_texts);
	free(h->file_texts);
	free(h->types);
	hist_free_truth(h);
	vec_release(&h->chain_ends);
	free(h->totals);
	free(h->left_out);
	free(h->key_class);
	free(h->frame_class);
	free(h->graph_class);
	free(h->key_of_class);
	free(h->frame_of_class);
	free(h->frame_of_graph_class);
	free(h->view_of_event);
	free(h->member_of_event);
	free(h);
}

const struct hist_settings *hist_settings(const struct hist *h)
{
	return &h->set;
}

void hist_set_tracepoints(struct hist *h, const struct tracepoint_formats *formats)
{
	h->formats = formats;
}

/* ---- views ---- */

/* Chooses the view that shows each event, and counts the events of each view. */
static void choose_views(struct hist *h)
{
	vec_for_each(&h->events->list, it) {
		const struct event *ev = *it;
		bool joins = h->set.group && ev->leader && ev->leader != ev;
		u32 view = joins ? h->view_of_event[ev->leader->index] : (u32)h->view_count++;

		h->view_of_event[ev->index] = view;
		h->member_of_event[ev->index] = h->views[view].pub.member_count++;
	}
}

static void make_views(struct hist *h)
{
	size_t n = h->events->list.count;

	h->views = xcalloc(n + 1, sizeof(*h->views));
	h->view_of_event = xcalloc(n + 1, sizeof(u32));
	h->member_of_event = xcalloc(n + 1, sizeof(u32));
	choose_views(h);
	for (size_t i = 0; i < h->view_count; i++) {
		struct view *v = &h->views[i];

		v->pub.hist = h;
		v->pub.members = v->members = xcalloc(v->pub.member_count, sizeof(*v->members));
	}
	vec_for_each(&h->events->list, it)
		h->views[h->view_of_event[(*it)->index]].members[h->member_of_event[(*it)->index]] =
			*it;
	for (size_t i = 0; i < h->view_count; i++) {
		struct view *v = &h->views[i];

		v->pub.totals = xcalloc(v->pub.member_count, sizeof(*v->pub.totals));
		for (u32 m = 0; m < v->pub.member_count; m++)
			v->pub.totals[m] = h->totals[v->members[m]->index];
	}
}

int hist_finish(struct hist *h, struct hist_collector *const *collectors, size_t count,
		struct symbol_store *symbols, struct reason *r)
{
	int err;

	BUG_ON(h->finished);
	h->finished = true;
	h->symbols = symbols;
	h->keys.width = h->slots;
	phase_begin("merge what the workers collected");
	err = hist_merge(h, collectors, count, r);
	phase_end();
	if (!err)
		err = hist_ignore_callees(h, r);
	if (!err)
		err = hist_parents(h, r);
	if (!err)
		hist_program_places(h);
	if (err)
		return err;
	hist_render_lines(h);
	hist_find_types(h);
	make_views(h);
	phase_begin("order keys and frames");
	hist_classify(h);
	phase_end();
	phase_begin("make the rows");
	hist_make_entries(h);
	hist_total_access(h);
	hist_choose_picks(h);
	phase_end();
	phase_begin("sort the rows");
	hist_sort_views(h);
	phase_end();
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
