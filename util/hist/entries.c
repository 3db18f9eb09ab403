// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows -> entries, a group at a time: a group is all rows of one view and one
 * class of sample keys.  Groups know nothing of each other, so several threads take
 * them, the largest first.
 *
 * Own sums are added row by row.  Total sums (children) likewise: the frames of a row's
 * chain are passed over, from the outermost on, and the row is added to the sums of each
 * class it meets for the first time, so a sample counts once however often a function
 * recurs in its chain.  The sums of all classes are a small array that stays in the
 * processor's cache; chains are read in the order of memory, or nearly so.
 */
#include <stdlib.h>
#include <string.h>

#include "base/spans.h"
#include "hist/internal.h"

struct place {
	u64 group; /* view, key class */
	u32 member, row;
};

/* A run of neighbouring places that have the same group. */
struct span {
	size_t from, count;
};

struct made_entry {
	u32 view;
	struct hist_entry *entry;
};

/* Total sums of one frame class, in the group and member under way. */
struct class_sums {
	u64 period, samples, latency;
	u32 depth;
	u32 met; /* the row that was added last, by work.row_number */
};

/* What all threads share. */
struct making {
	struct hist *h;
	const bool *passes;    /* by frame */
	const u32 *shown_class; /* by frame: its class, HIDDEN: it does not pass */
	const struct chain_list *chains;
	const struct place *places;
	VEC(struct span) groups; /* largest first */
	size_t next;
};
#define HIDDEN UINT32_MAX

/* One thread. */
struct work {
	struct making *m;
	struct hist *h;
	struct class_sums *sums; /* by frame class; NULL without children */
	u32 row_number;
	VEC(u32) summed; /* frame classes with sums */
	struct hist_entry **entry_of; /* by frame class */
	VEC(u32) made;		      /* frame classes with an entry in this group */
	VEC(struct made_entry) entries;
	VEC(struct row) rows; /* the rows of one member */
	struct tree_builder *trees;
	struct hist_sums *no_sums; /* by member, all 0: of entries that only callees add to, most of all */
	struct arena arena;
};

static struct hist_sums *new_sums(struct work *w, u32 members)
{
	const struct hist *h = w->h;
	struct hist_sums *sums = arena_alloc(&w->arena, members * sizeof(*sums));

	memset(sums, 0, members * sizeof(*sums));
	for (u32 i = 0; h->access_slot >= 0 && i < members; i++) {
		sums[i].access = arena_alloc(&w->arena, DATA_SRC_CLASSES * sizeof(u64));
		memset(sums[i].access, 0, DATA_SRC_CLASSES * sizeof(u64));
	}
	return sums;
}

static u32 most_members(const struct hist *h)
{
	u32 most = 0;

	for (size_t i = 0; i < h->view_count; i++)
		most = MAX(most, h->views[i].pub.member_count);
	return most;
}

static struct hist_entry *entry_at(struct work *w, u32 view, u32 key_class, u32 frame_class)
{
	struct hist_entry *e = w->entry_of[frame_class];
	struct hist *h = w->h;
	size_t size;

	if (e)
		return e;
	e = arena_alloc(&w->arena, sizeof(*e));
	*e = (struct hist_entry){
		.key = keys_get(&h->keys, h->key_of_class[key_class]),
		.frame = h->frame_of_class[frame_class],
		.key_class = key_class,
		.frame_class = frame_class,
	};
	/* before the larger sums of its own: what entries are sorted by lies beside them */
	size = h->views[view].pub.member_count * sizeof(*e->total);
	e->total = arena_alloc(&w->arena, size);
	memset(e->total, 0, size);
	e->self = w->no_sums;
	w->entry_of[frame_class] = e;
	vec_push(&w->made, frame_class);
	vec_push(&w->entries, (struct made_entry){ view, e });
	return e;
}

static void add_sums(struct hist_sums *s, const struct row *r, const struct row_extra *x,
		     u8 cpumode)
{
	if (x) {
		s->latency += x->latency;
		s->weight2 += x->weight2;
		s->weight3 += x->weight3;
		s->squares += x->squares;
	}

	s->samples += r->samples;
	s->period += r->period;
	s->weight += r->weight;
	s->mode_period[hist_mode_of(cpumode)] += r->period;
}

/* Of the frames that pass: the others add nothing to callers. */
static bool chain_has_class(const struct work *w, chain_id id, u32 class)
{
	const struct chain_list *l = &w->m->chains[id];

	for (u32 i = 0; i < l->count; i++)
		if (w->m->shown_class[l->frames[i]] == class)
			return true;
	return false;
}

static void add_row(struct work *w, u32 view, u32 index, u32 member)
{
	struct hist *h = w->h;
	const struct row_extra *x = rows_extra(&h->rows, index);
	const struct row *r = &h->rows.rows.items[index];
	const struct frame *leaf = hist_frame(h, r->leaf);
	u32 class = h->frame_class[r->leaf];
	struct hist_entry *e;

	vec_push(&w->rows, *r);
	if (!w->m->passes[r->leaf])
		return;
	e = entry_at(w, view, h->key_class[r->key], class);
	if (e->self == w->no_sums)
		e->self = new_sums(w, h->views[view].pub.member_count);
	add_sums(&e->self[member], r, x, leaf->cpumode);
	if (h->access_slot >= 0)
		hist_add_access(e->self[member].access, keys_get(&h->keys, r->key)[h->access_slot],
				r->period);
	if (h->set.children && !chain_has_class(w, r->chain, class)) {
		e->total[member].samples += r->samples;
		e->total[member].period += r->period;
		e->total[member].latency += x ? x->latency : 0;
	}
	if (h->set.picks && x && x->picks)
		e->pick_list = picks_join(h->picks.items, x->picks, e->pick_list);
	e->max_depth = MAX(e->max_depth, w->m->chains[r->chain].count);
}

/* To all classes of its chain. */
static void add_to_callers(struct work *w, const struct row *r, u64 latency)
{
	const struct chain_list *l = &w->m->chains[r->chain];
	bool caller = w->h->set.graph.caller;
	u32 number = ++w->row_number;

	for (u32 i = l->count; i-- > 0;) {
		u32 class = w->m->shown_class[l->frames[i]];
		struct class_sums *s;

		if (class == HIDDEN || w->sums[class].met == number)
			continue;
		s = &w->sums[class];
		if (!s->samples)
			vec_push(&w->summed, class);
		s->met = number;
		s->period += r->period;
		s->samples += r->samples;
		s->latency += latency;
		s->depth = MAX(s->depth, caller ? i + 1 : l->count - i);
	}
}

static void total_children(struct work *w, u32 view, u32 key_class, u32 member)
{
	vec_for_each(&w->summed, class) {
		struct class_sums *s = &w->sums[*class];
		struct hist_entry *e = entry_at(w, view, key_class, *class);

		e->total[member].period += s->period;
		e->total[member].samples += s->samples;
		e->total[member].latency += s->latency;
		e->max_depth = MAX(e->max_depth, s->depth);
		*s = (struct class_sums){ .met = s->met };
	}
	vec_clear(&w->summed);
}

static void build_trees(struct work *w, struct view *v)
{
	struct group g = {
		.h = w->h, .view = v, .chains = w->m->chains, .shown_class = w->m->shown_class,
		.rows = w->rows.items, .row_count = w->rows.count,
		.entry_of = w->entry_of, .made = w->made.items, .made_count = w->made.count,
	};

	if (w->trees)
		trees_build(w->trees, &g);
}

/* The chains of the next rows are being prefetched from memory. */
static void fetch_ahead(const struct work *w, const struct place *places, size_t i)
{
	enum { ROWS = 24, LISTS = 16, FRAMES = 8 };
	const struct row *rows = w->h->rows.rows.items;
	const struct chain_list *chains = w->m->chains;

	if (i >= ROWS)
		__builtin_prefetch(&rows[places[i - ROWS].row]);
	if (i >= LISTS)
		__builtin_prefetch(&chains[rows[places[i - LISTS].row].chain]);
	if (i >= FRAMES) {
		const char *at = (const char *)chains[rows[places[i - FRAMES].row].chain].frames;

		__builtin_prefetch(at);
		__builtin_prefetch(at + 64);
	}
}

static void do_group(struct work *w, const struct span *g)
{
	const struct place *places = w->m->places + g->from;
	u32 view = (u32)(places->group >> 32), key_class = (u32)places->group;
	struct hist *h = w->h;
	size_t i = g->count;

	/* The leader comes last, so that its rows still stand when trees are built. */
	while (i > 0) {
		u32 member = places[i - 1].member;

		vec_clear(&w->rows);
		vec_reserve(&w->rows, i);
		for (; i > 0 && places[i - 1].member == member; i--) {
			const struct row_extra *x = rows_extra(&h->rows, places[i - 1].row);

			fetch_ahead(w, places, i - 1);
			add_row(w, view, places[i - 1].row, member);
			if (w->sums)
				add_to_callers(w, vec_last(&w->rows), x ? x->latency : 0);
		}
		if (w->sums)
			total_children(w, view, key_class, member);
		if (member == 0)
			build_trees(w, &h->views[view]);
	}
	vec_for_each(&w->made, class)
		w->entry_of[*class] = NULL;
	vec_clear(&w->made);
}

/* ---- threads ---- */

static u32 place_group(const struct place *p)
{
	return (u32)p->group;
}

static u32 place_view(const struct place *p)
{
	return (u32)(p->group >> 32);
}

static u32 place_member(const struct place *p)
{
	return p->member;
}

/* Orders by a number below most; equal ones stay in their order.  *spare: as many places. */
static void sort_places(struct place **places, struct place **spare, size_t count, u32 most,
			u32 (*number)(const struct place *p))
{
	struct place *from = *places, *to = *spare;
	size_t *at, sum = 0;

	if (most < 2)
		return;
	at = xcalloc(most, sizeof(*at));
	for (size_t i = 0; i < count; i++)
		at[number(&from[i])]++;
	for (u32 n = 0; n < most; n++) {
		size_t of = at[n];

		at[n] = sum;
		sum += of;
	}
	for (size_t i = 0; i < count; i++)
		to[at[number(&from[i])]++] = from[i];
	free(at);
	*places = to;
	*spare = from;
}

static int span_cmp(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static struct place *find_groups(struct making *m)
{
	struct hist *h = m->h;
	size_t count = h->rows.rows.count;
	struct place *places = xcalloc(count + 1, sizeof(*places)), *spare;

	for (size_t i = 0; i < count; i++) {
		const struct row *r = &h->rows.rows.items[i];

		places[i].group = (u64)h->view_of_event[r->event] << 32 | h->key_class[r->key];
		places[i].member = h->member_of_event[r->event];
		places[i].row = (u32)i;
	}
	spare = xreallocarray(NULL, count + 1, sizeof(*spare));
	sort_places(&places, &spare, count, most_members(h), place_member);
	sort_places(&places, &spare, count, h->key_classes, place_group);
	sort_places(&places, &spare, count, (u32)h->view_count, place_view);
	free(spare);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && places[end].group == places[i].group;)
			end++;
		vec_push(&m->groups, (struct span){ i, end - i });
	}
	vec_sort(&m->groups, span_cmp);
	return places;
}

static void *do_groups(void *arg)
{
	struct work *w = arg;
	struct hist *h = w->h;

	span_begin("sums and call trees of groups");
	w->entry_of = xcalloc(h->frame_classes + 1, sizeof(*w->entry_of));
	w->no_sums = new_sums(w, most_members(h));
	if (h->set.children)
		w->sums = xcalloc(h->frame_classes + 1, sizeof(*w->sums));
	if (hist_draws_trees(h) && !h->trees_wait)
		w->trees = tree_builder_new(h);
	for (;;) {
		size_t i = __atomic_fetch_add(&w->m->next, 1, __ATOMIC_RELAXED);

		if (i >= w->m->groups.count || context_cancelled(h->ctx))
			break;
		do_group(w, &w->m->groups.items[i]);
	}
	free(w->sums);
	vec_release(&w->summed);
	free(w->entry_of);
	vec_release(&w->made);
	vec_release(&w->rows);
	span_end();
	return NULL;
}

/* What a thread made becomes the hist's. */
static void hand_over(struct work *w)
{
	struct hist *h = w->h;

	vec_for_each(&w->entries, made)
		vec_push(&h->views[made->view].entries, made->entry);
	vec_release(&w->entries);
	vec_push(&h->arenas, w->arena);
	tree_builder_free(w->trees);
}

/* Before any group, since trees are pruned by what is shown of the whole. */
static void count_shown(struct hist *h, const bool *passes)
{
	for (size_t i = 0; h->left_out && i < h->events->list.count; i++) {
		struct hist_totals *t =
			&h->views[h->view_of_event[i]].pub.totals[h->member_of_event[i]];

		t->shown_samples += h->left_out[i].samples;
		t->shown_period += h->left_out[i].period;
		t->shown_latency += h->left_out[i].latency;
		t->shown_squares += h->left_out[i].squares;
	}
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		const struct row *r = &h->rows.rows.items[i];
		const struct row_extra *x = rows_extra(&h->rows, i);
		struct view *v = &h->views[h->view_of_event[r->event]];
		struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

		if (!passes[r->leaf])
			continue;
		t->shown_latency += x ? x->latency : 0;
		t->shown_squares += x ? x->squares : 0;
		t->shown_samples += r->samples;
		t->shown_period += r->period;
	}
}

/*
 * Rows without the parent that was asked for count in the totals only; those
 * that have no name, where only names are wanted, not even there.
 */
static void drop_excluded_rows(struct hist *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->rows.rows.count; i++) {
		struct row *r = &h->rows.rows.items[i];
		struct view *v = &h->views[h->view_of_event[r->event]];

		if (h->set.hide_unresolved &&
		    hist_frame(h, r->leaf)->symbol == NO_SYMBOL) {
			struct hist_totals *t = &v->pub.totals[h->member_of_event[r->event]];

			t->samples -= r->samples;
			t->period -= r->period;
			if (h->rows.has_extra) {
				t->latency -= h->rows.extra.items[i].latency;
				t->squares -= h->rows.extra.items[i].squares;
			}
			continue;
		}
		if (h->set.exclude_other && h->parent_slot >= 0 &&
		    !keys_get(&h->keys, r->key)[h->parent_slot])
			continue;
		if (h->rows.has_extra)
			h->rows.extra.items[kept] = h->rows.extra.items[i];
		h->rows.rows.items[kept++] = *r;
	}
	h->rows.rows.count = kept;
}

/* By frame: the classes of those that pass the filters.  The caller frees it. */
static u32 *shown_classes(const struct hist *h)
{
	u32 frames = frames_count(h->chains), *classes = xcalloc(frames + 1, sizeof(*classes));

	for (u32 i = 0; i < frames; i++)
		classes[i] = hist_frame_passes(h, hist_frame(h, i)) ? h->frame_class[i] : HIDDEN;
	return classes;
}

void hist_want_tree(const struct hist_view *v, struct hist_entry *e)
{
	struct hist *h = (struct hist *)(uintptr_t)v->hist;
	struct work w = { .h = h };
	u32 *shown_class, view;

	if (!h->trees_wait || e->tree || !hist_draws_trees(h))
		return;
	view = h->view_of_event[v->members[0]->index];
	shown_class = shown_classes(h);
	vec_reserve(&w.rows, h->rows.rows.count);
	vec_for_each(&h->rows.rows, r)
		if (h->view_of_event[r->event] == view && !h->member_of_event[r->event] &&
		    h->key_class[r->key] == e->key_class)
			vec_push(&w.rows, *r);
	w.m = &(struct making){ .h = h,
				.shown_class = shown_class,
				.chains = chain_lists(h->chains) };
	w.entry_of = xcalloc(h->frame_classes + 1, sizeof(*w.entry_of));
	w.entry_of[e->frame_class] = e;
	vec_push(&w.made, e->frame_class);
	w.trees = tree_builder_new(h);
	build_trees(&w, &h->views[view]);
	tree_builder_free(w.trees);
	vec_release(&w.made);
	vec_release(&w.rows);
	free(w.entry_of);
	free(shown_class);
}

void hist_make_entries(struct hist *h)
{
	enum { WORTH_THREADS = 8192 }; /* rows */
	u32 frames = frames_count(h->chains);
	bool *passes = xcalloc(frames + 1, sizeof(*passes));
	u32 *shown_class;
	struct making m = {
		.h = h,
		.passes = passes,
		.chains = chain_lists(h->chains),
	};
	struct work **works;
	struct place *places;
	void *args[HIST_MAX_THREADS] = { NULL };
	unsigned threads;

	drop_excluded_rows(h);
	m.shown_class = shown_class = shown_classes(h);
	for (u32 i = 0; i < frames; i++)
		passes[i] = shown_class[i] != HIDDEN;
	count_shown(h, passes);
	span_begin("group the rows");
	m.places = places = find_groups(&m);
	span_end();
	threads = hist_threads(h, h->rows.rows.count < WORTH_THREADS ? 1 : m.groups.count);
	works = xcalloc(threads, sizeof(*works));
	for (unsigned i = 0; i < threads; i++) {
		works[i] = xcalloc_apart(1, sizeof(**works));
		works[i]->m = &m;
		works[i]->h = h;
		args[i] = works[i];
	}
	hist_run_threads(threads, do_groups, args);
	for (unsigned i = 0; i < threads; i++)
		hand_over(works[i]);
	for (unsigned i = 0; i < threads; i++)
		free(works[i]);
	vec_release(&m.groups);
	free(works);
	free(places);
	free(shown_class);
	free(passes);
}
