// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which sample keys and which frames are alike for the sort fields, what their
 * order is, and which of them the filters let through.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

struct ranking {
	const struct hist_view *view; /* only for its hist */
	bool by_frame;
	/* after the fields: by name and place, for call trees */
	int (*cmp)(const struct hist *h, u32 a, u32 b);
};

static int compare_fields(const struct ranking *k, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	const struct hist *h = k->view->hist;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		int d;

		if (f->column->flags & HIST_VALUE)
			continue;
		if (!!(f->column->flags & HIST_BY_FRAME) != k->by_frame)
			continue;
		d = f->column->cmp(k->view, f, a, b);
		if (d)
			return d;
	}
	return 0;
}

static int compare_ids(const void *pa, const void *pb, void *arg)
{
	const struct ranking *k = arg;
	const struct hist *h = k->view->hist;
	u32 x = *(const u32 *)pa, y = *(const u32 *)pb;
	struct hist_entry a = { .frame = x }, b = { .frame = y };

	if (k->cmp)
		return k->cmp(h, x, y);
	if (!k->by_frame) {
		a = (struct hist_entry){ .key = keys_get(&h->keys, x) };
		b = (struct hist_entry){ .key = keys_get(&h->keys, y) };
	}
	return compare_fields(k, &a, &b);
}

/* Is a the better one to show for its class?  By content, not by number. */
static bool shows_before(const struct ranking *k, u32 x, u32 y)
{
	const struct hist *h = k->view->hist;
	const struct frame *a, *b;

	if (!k->by_frame) {
		for (u32 i = 0; i < h->slots; i++)
			if (keys_get(&h->keys, x)[i] != keys_get(&h->keys, y)[i])
				return keys_get(&h->keys, x)[i] < keys_get(&h->keys, y)[i];
		return false;
	}
	a = hist_frame(h, x);
	b = hist_frame(h, y);
	if (a->cpumode != b->cpumode)
		return a->cpumode < b->cpumode;
	if (!a->inlined != !b->inlined)
		return !a->inlined;
	return a->addr < b->addr;
}

/* rank[id] for all ids; a representative of each rank in *first; the number of ranks. */
static u32 rank_all(u32 count, struct ranking *k, u32 **rank, u32 **first)
{
	u32 *ids = xcalloc(count + 1, sizeof(*ids)), ranks = 0;

	*rank = xcalloc(count + 1, sizeof(**rank));
	*first = xcalloc(count + 1, sizeof(**first));
	for (u32 i = 0; i < count; i++)
		ids[i] = i;
	qsort_r(ids, count, sizeof(*ids), compare_ids, k);
	for (u32 i = 0; i < count; i++) {
		if (!i || compare_ids(&ids[i - 1], &ids[i], k))
			(*first)[ranks++] = ids[i];
		else if (!k->cmp && shows_before(k, ids[i], (*first)[ranks - 1]))
			(*first)[ranks - 1] = ids[i];
		(*rank)[ids[i]] = ranks - 1;
	}
	free(ids);
	return ranks;
}

static int u64_cmp(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int source_cmp(const struct frame_source *a, const struct frame_source *b)
{
	int d;

	if (a == b || !a || !b)
		return !b - !a;
	d = strcmp(a->file, b->file);
	return d ? d : u64_cmp(a->line, b->line);
}

/*
 * Frames of call trees: equal ones are drawn as one.  Branches of equal size are
 * drawn in this order: by dso, higher addresses first, as perf does it.
 */
static int graph_cmp(const struct hist *h, u32 x, u32 y)
{
	const struct frame *a = hist_frame(h, x), *b = hist_frame(h, y);
	const struct symbol *s = hist_frame_symbol(h, a), *t = hist_frame_symbol(h, b);
	int d = strcmp(hist_frame_dso(h, a), hist_frame_dso(h, b));

	if (!d)
		d = !s - !t;
	if (!d && s && t) {
		d = u64_cmp(t->start, s->start);
		if (!d)
			d = strcmp(s->name, t->name);
	}
	if (!d)
		d = !a->inlined - !b->inlined;
	if (!d && (!s || h->set.graph.by_address))
		d = u64_cmp(b->offset, a->offset);
	if (!d && (h->set.graph.by_line || h->set.graph.by_address))
		d = source_cmp(chain_source(h->chains, a), chain_source(h->chains, b));
	return d;
}

void hist_classify(struct hist *h)
{
	struct hist_view view = { .hist = h };
	struct ranking keys = { .view = &view };
	struct ranking frames = { .view = &view, .by_frame = true };
	struct ranking graph = { .view = &view, .cmp = graph_cmp };
	u32 *unused;

	h->key_classes = rank_all(h->keys.count, &keys, &h->key_class, &h->key_of_class);
	h->frame_classes = rank_all(frames_count(h->chains), &frames, &h->frame_class,
				    &h->frame_of_class);
	rank_all(frames_count(h->chains), &graph, &h->graph_class, &unused);
	free(unused);
}

/* ---- filters ---- */

bool hist_frame_passes(const struct hist *h, const struct frame *f)
{
	const struct hist_settings *set = &h->set;
	const struct symbol *s = hist_frame_symbol(h, f);
	const struct image *image = hist_frame_image(h, f);

	if (set->hide_unresolved && !s)
		return false;
	if (set->dsos.list.count && !strlist_has(&set->dsos, image->name) &&
	    !strlist_has(&set->dsos, image->path))
		return false;
	if (set->symbols.list.count && (!s || !strlist_has(&set->symbols, s->name)))
		return false;
	return !set->symbol_filter || (s && strstr(s->name, set->symbol_filter));
}

/* ---- parents ---- */

struct parents {
	struct hist *h;
	regex_t regex;
	u32 *text_of_frame; /* of a frame that matches: text + 1; 0: it does not */
};

/* The first match from the side where the chain is read. */
static u32 parent_of(const struct parents *p, chain_id chain)
{
	const struct hist *h = p->h;
	u32 found = 0;

	for (; chain; chain = chain_get(h->chains, chain)->parent) {
		u32 text = p->text_of_frame[chain_get(h->chains, chain)->frame];

		if (!text)
			continue;
		found = text;
		if (!h->set.graph.caller)
			break;
	}
	return found;
}

static int match_frames(struct parents *p, struct reason *r)
{
	const char *pattern = p->h->set.parent ? p->h->set.parent : "^sys_|^do_page_fault";
	u32 count = frames_count(p->h->chains);
	int err = regcomp(&p->regex, pattern, REG_EXTENDED | REG_NOSUB);
	char text[128];

	if (err) {
		regerror(err, &p->regex, text, sizeof(text));
		return reason_set(r, EINVAL, "invalid parent pattern '%s': %s", pattern, text);
	}
	p->text_of_frame = xcalloc(count + 1, sizeof(u32));
	for (u32 i = 0; i < count; i++) {
		const struct symbol *s = hist_frame_symbol(p->h, hist_frame(p->h, i));

		if (s && !regexec(&p->regex, s->name, 0, NULL, 0))
			p->text_of_frame[i] = strtab_add(&p->h->texts, s->name) + 1;
	}
	regfree(&p->regex);
	return 0;
}

/* With parents in use a sample key is completed by its chain's parent. */
int hist_parents(struct hist *h, struct reason *r)
{
	struct parents p = { .h = h };
	struct row_table rows = { 0 };
	u64 *key;
	int err;

	if (h->parent_slot < 0)
		return 0;
	err = match_frames(&p, r);
	if (err)
		return err;
	key = xcalloc(h->slots + 1, sizeof(*key));
	vec_for_each(&h->rows.rows, old) {
		struct row row = *old;

		memcpy(key, keys_get(&h->keys, row.key), h->slots * sizeof(*key));
		key[h->parent_slot] = parent_of(&p, row.chain);
		row.key = keys_add(&h->keys, key);
		rows_add(&rows, &row);
	}
	rows_release(&h->rows);
	h->rows = rows;
	free(key);
	free(p.text_of_frame);
	return 0;
}
