// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides which sample keys and frames are equal for the sort fields, how they are ordered, and
 * which of them pass the filters.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"

struct ranking {
	const struct hist_view *view; /* only for its hist */
	bool by_frame;
	const struct frame_facts *facts; /* by frame, if by_frame */
	/* instead of the fields: by name and place, for call trees */
	int (*cmp)(const struct hist *h, const struct frame_facts *a, const struct frame_facts *b);
	/* the words of cmp, like those of a column */
	unsigned (*words)(const struct frame_facts *f, u64 *words);
};

/*
 * The items to sort: an id, and the beginning of its order as numbers. Only ids that begin alike
 * make a comparison look at frames, symbols and names.
 */
enum { RANK_WORDS = 3 };
struct ranked {
	u64 words[RANK_WORDS];
	u32 id;
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
		d = f->column->cmp_facts && k->by_frame
			    ? f->column->cmp_facts(&k->facts[a->frame], &k->facts[b->frame])
			    : f->column->cmp(k->view, f, a, b);
		if (d)
			return d;
	}
	return 0;
}

static int compare_ids(const void *pa, const void *pb, void *arg)
{
	const struct ranked *ra = pa, *rb = pb;
	const struct ranking *k = arg;
	const struct hist *h = k->view->hist;
	u32 x = ra->id, y = rb->id;
	struct hist_entry a = { .frame = x }, b = { .frame = y };

	for (unsigned i = 0; i < RANK_WORDS; i++)
		if (ra->words[i] != rb->words[i])
			return ra->words[i] < rb->words[i] ? -1 : 1;
	if (k->cmp)
		return k->cmp(h, &k->facts[x], &k->facts[y]);
	if (!k->by_frame) {
		a = (struct hist_entry){ .key = keys_get(&h->keys, x) };
		b = (struct hist_entry){ .key = keys_get(&h->keys, y) };
	}
	return compare_fields(k, &a, &b);
}

static void find_words(const struct ranking *k, struct ranked *r)
{
	const struct hist *h = k->view->hist;
	u64 words[FACT_WORDS];
	unsigned known = 0;
	bool go_on = true;

	if (!k->by_frame)
		return;
	if (k->cmp) {
		k->words(&k->facts[r->id], r->words);
		return;
	}
	for (size_t i = 0; go_on && i < h->order.count; i++) {
		const struct hist_column *c = h->fields.items[h->order.items[i]].column;
		unsigned count;

		if ((c->flags & HIST_VALUE) || !(c->flags & HIST_BY_FRAME))
			continue;
		count = c->words ? c->words(&k->facts[r->id], words) : 0;
		go_on = c->words && c->words_decide;
		for (unsigned w = 0; w < count && known < RANK_WORDS; w++)
			r->words[known++] = words[w];
	}
}

/* Compares two keys that sort alike, in one field. */
static int shows_cmp(const struct hist *h, const struct hist_field *f, const u64 *a, const u64 *b)
{
	const struct hist_column *c = f->column;
	const struct frame *x, *y;
	u64 s, t;

	if (!c->collect && !c->collect_field && !(c->flags & (HIST_PARENT | HIST_PROGRAM)))
		return 0;
	s = a[f->slot];
	t = b[f->slot];
	if (s == t || !s || !t || !(c->flags & HIST_FRAME_SLOT))
		return u64_cmp(s, t);
	x = hist_frame(h, (frame_id)(s - 1));
	y = hist_frame(h, (frame_id)(t - 1));
	return x->addr != y->addr ? u64_cmp(x->addr, y->addr) : u64_cmp(x->offset, y->offset);
}

/*
 * Reports whether x should represent its class rather than y. The content decides, not the number.
 */
static bool shows_before(const struct ranking *k, u32 x, u32 y)
{
	const struct hist *h = k->view->hist;
	const struct frame *a, *b;

	if (!k->by_frame) {
		vec_for_each(&h->fields, f) {
			int d = shows_cmp(h, f, keys_get(&h->keys, x), keys_get(&h->keys, y));

			if (d)
				return d < 0;
		}
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

enum { FRAMES_OF_A_PIECE = 4096 };

struct wording {
	const struct ranking *k;
	struct ranked *ids;
	u32 count;
};

static void find_some_words(void *arg, size_t piece)
{
	const struct wording *w = arg;
	u32 from = (u32)piece * FRAMES_OF_A_PIECE, end = MIN(from + FRAMES_OF_A_PIECE, w->count);

	for (u32 i = from; i < end; i++) {
		w->ids[i].id = i;
		find_words(w->k, &w->ids[i]);
	}
}

/* Sorts ids by their numbers first; compares only runs of ids whose numbers are equal. */
static void sort_ids(struct ranked *ids, u32 count, struct ranking *k)
{
	hist_sort_words(k->view->hist, ids, count, sizeof(*ids), k->by_frame ? RANK_WORDS : 0);
	for (u32 i = 0, end; i < count; i = end) {
		for (end = i + 1;
		     end < count && !memcmp(ids[i].words, ids[end].words, sizeof(ids[i].words));)
			end++;
		if (end - i > 1)
			hist_sort(k->view->hist, ids + i, end - i, sizeof(*ids), compare_ids, k);
	}
}

/*
 * Gives sorted ids their ranks, in pieces. A piece numbers the ranks that begin in it, even where
 * their ids continue in the next piece.
 */
struct numbering {
	const struct ranking *k;
	const struct ranked *ids;
	u32 count;
	bool *begins; /* by id: whether a rank begins there */
	u32 *ranks;   /* by piece: first the ranks that begin in it, later those before it */
	u32 *rank, *first;
};

static void find_begins(void *arg, size_t piece)
{
	const struct numbering *n = arg;
	u32 from = (u32)piece * FRAMES_OF_A_PIECE, end = MIN(from + FRAMES_OF_A_PIECE, n->count),
	    ranks = 0;

	for (u32 i = from; i < end; i++) {
		n->begins[i] =
			!i || compare_ids(&n->ids[i - 1], &n->ids[i], (void *)(uintptr_t)n->k);
		ranks += n->begins[i];
	}
	n->ranks[piece] = ranks;
}

static void number_ranks(void *arg, size_t piece)
{
	const struct numbering *n = arg;
	u32 i = (u32)piece * FRAMES_OF_A_PIECE, end = MIN(i + FRAMES_OF_A_PIECE, n->count),
	    rank = n->ranks[piece];

	while (i < end && !n->begins[i])
		i++;
	while (i < end) {
		n->first[rank] = n->ids[i].id;
		n->rank[n->ids[i].id] = rank;
		while (++i < n->count && !n->begins[i]) {
			if (shows_before(n->k, n->ids[i].id, n->first[rank]))
				n->first[rank] = n->ids[i].id;
			n->rank[n->ids[i].id] = rank;
		}
		rank++;
	}
}

/*
 * Sets rank[id] for all ids, and a representative of each rank in *first; returns the number of
 * ranks.
 */
static u32 rank_all(u32 count, struct ranking *k, u32 **rank, u32 **first)
{
	size_t pieces = (count + FRAMES_OF_A_PIECE - 1) / FRAMES_OF_A_PIECE;
	struct ranked *ids = xcalloc(count + 1, sizeof(*ids));
	struct wording w = { k, ids, count };
	struct numbering n = {
		.k = k,
		.ids = ids,
		.count = count,
		.begins = xcalloc(count + 1, sizeof(*n.begins)),
		.ranks = xcalloc(pieces + 1, sizeof(*n.ranks)),
		.rank = xcalloc(count + 1, sizeof(*n.rank)),
		.first = xcalloc(count + 1, sizeof(*n.first)),
	};
	u32 ranks = 0;

	hist_in_pieces(k->view->hist, pieces, find_some_words, &w);
	sort_ids(ids, count, k);
	hist_in_pieces(k->view->hist, pieces, find_begins, &n);
	for (size_t i = 0; i < pieces; i++) {
		u32 begin = n.ranks[i];

		n.ranks[i] = ranks;
		ranks += begin;
	}
	hist_in_pieces(k->view->hist, pieces, number_ranks, &n);
	free(n.begins);
	free(n.ranks);
	free(ids);
	*rank = n.rank;
	*first = n.first;
	return ranks;
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
 * Compares frames of call trees; equal ones are drawn as one. Branches of equal size are drawn in
 * this order: by dso, higher addresses first, as in perf.
 */
static int graph_cmp(const struct hist *h, const struct frame_facts *x, const struct frame_facts *y)
{
	const struct frame *a = x->frame, *b = y->frame;
	const struct symbol *s = x->symbol, *t = y->symbol;
	int d = u64_cmp(x->dso, y->dso);

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

static unsigned graph_words(const struct frame_facts *f, u64 *words)
{
	words[0] = (u64)f->dso << 2 | (f->symbol ? 0 : 2 + !f->frame->inlined);
	words[1] = f->symbol ? ~f->symbol->start : ~f->frame->offset;
	return 2;
}

/* ---- facts of frames ---- */

struct dso {
	const char *name; /* NULL if no frame is in it */
	u32 image;
};

static int by_dso_name(const void *pa, const void *pb)
{
	const struct dso *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

/* Returns ranks by image, which ascend with the names of the dsos. The caller frees them. */
static u32 *rank_dsos(const struct hist *h, u32 frames)
{
	u32 images = image_count(h->images), rank = 0, *ranks = xcalloc(images + 1, sizeof(*ranks));
	bool *used = xcalloc(images + 1, sizeof(*used));
	VEC(struct dso) dsos = VEC_INIT;

	for (u32 i = 0; i < frames; i++) {
		const struct frame *f = hist_frame(h, i);

		if (!used[f->image])
			vec_push(&dsos, (struct dso){ hist_frame_dso(h, f), f->image });
		used[f->image] = true;
	}
	vec_sort(&dsos, by_dso_name);
	for (size_t i = 0; i < dsos.count; i++) {
		rank += i && strcmp(dsos.items[i - 1].name, dsos.items[i].name);
		ranks[dsos.items[i].image] = rank;
	}
	vec_release(&dsos);
	free(used);
	return ranks;
}

struct finding {
	const struct hist *h;
	struct frame_facts *facts;
	const u32 *dsos; /* by image */
	u32 frames;
};

/*
 * Finds the facts of a piece of the frames, on any thread. This makes names readable, which happens
 * on first use.
 */
static void find_some_facts(void *arg, size_t piece)
{
	const struct finding *n = arg;
	u32 from = (u32)piece * FRAMES_OF_A_PIECE, end = MIN(from + FRAMES_OF_A_PIECE, n->frames);

	for (u32 i = from; i < end; i++) {
		const struct frame *f = hist_frame(n->h, i);

		n->facts[i] =
			(struct frame_facts){ f, hist_frame_symbol(n->h, f), n->dsos[f->image] };
	}
}

static struct frame_facts *find_facts(const struct hist *h, u32 frames)
{
	u32 *dsos = rank_dsos(h, frames);
	struct finding n = { h, xcalloc(frames + 1, sizeof(*n.facts)), dsos, frames };

	hist_in_pieces(h, (frames + FRAMES_OF_A_PIECE - 1) / FRAMES_OF_A_PIECE, find_some_facts,
		       &n);
	free(dsos);
	return n.facts;
}

static void rank_for_graphs(struct hist *h, const struct frame_facts *facts)
{
	struct hist_view view = { .hist = h };
	struct ranking graph = { .view = &view,
				 .by_frame = true,
				 .facts = facts,
				 .cmp = graph_cmp,
				 .words = graph_words };

	rank_all(frames_count(h->chains), &graph, &h->graph_class, &h->frame_of_graph_class);
}

/*
 * Gives the frame that stands for others its own classes, although it may look like a frame that is
 * shown.
 */
static void set_rest_apart(struct hist *h)
{
	for (u32 i = 0; i < frames_count(h->chains); i++) {
		if (chain_frame(h->chains, i)->cpumode != HIST_REST_MODE)
			continue;
		h->rest_frame = i;
		h->frame_of_class[h->frame_classes] = i;
		h->frame_class[i] = h->frame_classes++;
		if (h->graph_class)
			h->graph_class[i] = frames_count(h->chains); /* greater than all others */
	}
}

void hist_classify(struct hist *h)
{
	struct hist_view view = { .hist = h };
	struct frame_facts *facts = find_facts(h, frames_count(h->chains));
	struct ranking keys = { .view = &view };
	struct ranking frames = { .view = &view, .by_frame = true, .facts = facts };

	h->key_classes = rank_all(h->keys.count, &keys, &h->key_class, &h->key_of_class);
	h->frame_classes =
		rank_all(frames_count(h->chains), &frames, &h->frame_class, &h->frame_of_class);
	if (hist_draws_trees(h))
		rank_for_graphs(h, facts);
	h->rest_frame = UINT32_MAX;
	if (h->left_out)
		set_rest_apart(h);
	free(facts);
}

bool hist_draws_trees(const struct hist *h)
{
	return h->set.chains && h->set.graph.mode != CALL_GRAPH_NONE;
}

void hist_classify_for_graphs(struct hist *h)
{
	struct frame_facts *facts;

	if (h->graph_class)
		return;
	facts = find_facts(h, frames_count(h->chains));
	rank_for_graphs(h, facts);
	free(facts);
}

/* ---- filters ---- */

bool hist_frame_passes(const struct hist *h, const struct frame *f)
{
	const struct hist_settings *set = &h->set;
	const struct symbol *s = hist_frame_symbol(h, f);
	const struct image *image = hist_frame_image(h, f);

	if ((set->hide_unresolved && !(s && (f->inlined || symbol_is_named(f->symbol)))) ||
	    f->cpumode == HIST_REST_MODE)
		return false;
	if (set->dsos.list.count && !strlist_has(&set->dsos, image->name) &&
	    !strlist_has(&set->dsos, image->path))
		return false;
	if (set->symbols.list.count && (!s || !strlist_has(&set->symbols, s->name)))
		return false;
	return !set->symbol_filter || (s && strstr(s->name, set->symbol_filter));
}
