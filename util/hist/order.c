// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Orders the entries of a view.
 *
 * Usually the order is some sums, then the keys. The sums are computed once for each entry, and
 * keys are compared by their classes, whose numbers ascend in the order of the keys. That works if
 * all keys of samples come before those of frames; any other order asks the columns.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"

enum { MOST_SUMS = 4, MOST_WORDS = MOST_SUMS + 2 };

/* The order as numbers: sums, larger ones first, and classes. */
struct sorted_entry {
	u64 words[MOST_WORDS];
	struct hist_entry *entry;
};

struct ordering {
	const struct hist_view *view;
	const struct hist_field *sums[MOST_SUMS];
	u32 count;
	/* the sum after which by_depth() compares; UINT32_MAX for none */
	u32 depth_after;
};

static bool compares_depths(const struct hist *h)
{
	return h->set.children && hist_draws_trees(h);
}

/*
 * Compares by depth: of equal totals the caller comes first. Depths of different tasks are not
 * comparable, so the rows of a task stay together; otherwise the order would not be transitive.
 */
static int by_depth(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	if (a->key_class != b->key_class)
		return a->key_class < b->key_class ? -1 : 1;
	if (a->max_depth == b->max_depth)
		return 0;
	return (a->max_depth > b->max_depth) == h->set.graph.caller ? -1 : 1;
}

static int by_class(u32 key_a, u32 frame_a, u32 key_b, u32 frame_b)
{
	if (key_a != key_b)
		return key_a < key_b ? -1 : 1;
	return frame_a < frame_b ? -1 : frame_a > frame_b;
}

static int by_columns(const void *pa, const void *pb, void *arg)
{
	const struct hist_entry *a = *(struct hist_entry *const *)pa;
	const struct hist_entry *b = *(struct hist_entry *const *)pb;
	const struct hist_view *v = arg;
	const struct hist *h = v->hist;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		int d = f->column->cmp(v, f, a, b);

		if (!d && (f->column->flags & HIST_CHILDREN) && compares_depths(h))
			d = by_depth(h, a, b);
		if (d)
			return d;
	}
	return by_class(a->key_class, a->frame_class, b->key_class, b->frame_class);
}

/* Sets up the comparison by numbers. Returns false if the columns have to be asked. */
static bool settle(struct ordering *o, const struct hist_view *v)
{
	const struct hist *h = v->hist;
	bool keys = false, frames = false;

	*o = (struct ordering){ .view = v, .depth_after = UINT32_MAX };
	if (v->member_count != 1)
		return false;
	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];

		if (f->column->flags & HIST_VALUE) {
			if (keys || frames || o->count == MOST_SUMS ||
			    f->column->cmp != hist_value_cmp)
				return false;
			if ((f->column->flags & HIST_CHILDREN) && compares_depths(h)) {
				if (o->depth_after != UINT32_MAX)
					return false;
				o->depth_after = o->count;
			}
			o->sums[o->count++] = f;
		} else if (f->column->flags & HIST_BY_FRAME) {
			frames = true;
		} else if (frames) {
			return false;
		} else {
			keys = true;
		}
	}
	return true;
}

/* Returns how many words there are. */
static unsigned find_words(const struct ordering *o, const struct hist_entry *e, u64 *words)
{
	unsigned count = 0;
	u64 of;

	for (u32 i = 0; i < o->count; i++) {
		words[count++] = ~o->sums[i]->column->value(o->view, e, 0, &of);
		if (i == o->depth_after)
			words[count++] =
				(u64)e->key_class << 32 |
				(o->view->hist->set.graph.caller ? ~e->max_depth : e->max_depth);
	}
	words[count++] = (u64)e->key_class << 32 | e->frame_class;
	return count;
}

enum { PIECE = 8192 }; /* entries: a thread for fewer costs more than it saves */

struct wording {
	const struct ordering *o;
	struct hist_entry **entries;
	struct sorted_entry *sorted;
	size_t count;
};

static void word_piece(void *arg, size_t piece)
{
	const struct wording *w = arg;
	size_t end = MIN((piece + 1) * PIECE, w->count);

	for (size_t i = piece * PIECE; i < end; i++) {
		find_words(w->o, w->entries[i], w->sorted[i].words);
		w->sorted[i].entry = w->entries[i];
	}
}

static void sort_by_sums(const struct ordering *o, struct hist_entry **entries, size_t count)
{
	struct sorted_entry *sorted = xreallocarray(NULL, count + 1, sizeof(*sorted));
	struct wording w = { o, entries, sorted, count };
	u64 first[MOST_WORDS];
	unsigned words = find_words(o, entries[0], first);

	hist_in_pieces(o->view->hist, (count + PIECE - 1) / PIECE, word_piece, &w);
	hist_sort_words(o->view->hist, sorted, count, sizeof(*sorted), words);
	for (size_t i = 0; i < count; i++)
		entries[i] = sorted[i].entry;
	free(sorted);
}

void hist_sort_views(struct hist *h)
{
	for (size_t i = 0; i < h->view_count; i++) {
		struct view *v = &h->views[i];
		struct ordering o;

		v->pub.entries = v->entries.items;
		v->pub.entry_count = v->entries.count;
		if (v->entries.count < 2)
			continue;
		if (settle(&o, &v->pub))
			sort_by_sums(&o, v->entries.items, v->entries.count);
		else
			hist_sort(h, v->entries.items, v->entries.count, sizeof(*v->entries.items),
				  by_columns, &v->pub);
	}
}
