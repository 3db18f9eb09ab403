// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps, for each command, the chain nodes of its rows with their sums (a trie). A node of the tree
 * is a set of trie nodes that look the same. Tries and children are made on first use.
 */
#include "hist/flame.h"

#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

#define NO_MATCH    0
#define MATCH       1
#define MATCH_BELOW 2 /* something that it calls matches */

/*
 * The trie of one command. Item 0 stands for the command; items ascend by chain node, so callers
 * come first.
 */
struct trie {
	u32 count;
	node_id *chain;
	u64 *period, *own;
	u64 *waiting; /* the part of each period that was spent waiting */
	u32 *samples;
	u32 *parent, *first, *next; /* items; 0 means none */
	u8 *match;                  /* NO_MATCH ...; NULL without a search */
	VEC(struct row) leaves;     /* rows without a chain, each with its own class */
	VEC(u32) rows;
	bool made;
};

struct node {
	struct flame_node pub;
	u32 trie; /* unused for the trie of everything */
	u32 *items;
	u32 item_count;
	u8 match;
};

struct flame {
	const struct hist *h;
	const struct chain_tree *tree;
	struct hist_times times; /* waited NULL: periods are used as they are */
	VEC(struct node) nodes;
	VEC(struct trie) tries;
	struct strtab comms;
	u32 *item_of; /* by chain node: scratch, zero between uses */
	struct arena memory;
	struct strbuf search, scratch;
	u8 *class_match; /* by graph class: 0 not looked at, 1 no, 2 yes; NULL without a search */
};

/* ---- rows ---- */

static const struct hist_field *comm_field(const struct hist *h)
{
	vec_for_each(&h->fields, f)
		if (f->column->flags & HIST_COMM)
			return f;
	return NULL;
}

static u32 trie_of_key(struct flame *f, const struct hist_view *v, const struct hist_field *comm,
		       u32 key)
{
	const struct hist_entry e = { .key = keys_get(&f->h->keys, key) };
	u32 id = 1;

	strbuf_clear(&f->scratch);
	if (comm) {
		comm->column->format(v, comm, &e, 0, &f->scratch);
		id = strtab_add(&f->comms, strbuf_cstr(&f->scratch)) + 1;
	}
	while (f->tries.count < id)
		vec_push_zero(&f->tries);
	return id - 1;
}

static u64 period_of(const struct flame *f, const struct row *r)
{
	return f->times.waited ? hist_times_ns(&f->times, r->event, r->period, r->samples)
			       : r->period;
}

static u64 waiting_of(const struct flame *f, const struct row *r)
{
	return f->times.waited && r->event == f->times.waited->index ? r->period : 0;
}

static void take_rows(struct flame *f, const struct hist_view *v, u32 event)
{
	const struct hist_field *comm = comm_field(f->h);
	struct map64 shown = { 0 };
	u32 *trie = xcalloc(f->h->keys.count + 1, sizeof(*trie)); /* by key, + 1 */

	for (size_t i = 0; i < v->entry_count; i++)
		map64_put(&shown, (u64)v->entries[i]->key_class << 32 | v->entries[i]->frame_class,
			  NULL);
	for (size_t i = 0; i < f->h->rows.rows.count; i++) {
		const struct row *r = &f->h->rows.rows.items[i];

		if (r->event != event || !map64_get(&shown, (u64)f->h->key_class[r->key] << 32 |
								    f->h->frame_class[r->leaf]))
			continue;
		if (!trie[r->key])
			trie[r->key] = trie_of_key(f, v, comm, r->key) + 1;
		vec_push(&f->tries.items[trie[r->key] - 1].rows, (u32)i);
		f->nodes.items[0].pub.period += period_of(f, r);
		f->nodes.items[0].pub.waiting += waiting_of(f, r);
		f->nodes.items[0].pub.samples += r->samples;
	}
	free(trie);
	map64_release(&shown);
}

/* ---- tries ---- */

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

typedef VEC(u32) id_list;

/* Lists the chain nodes of the rows in ascending order, and marks them in item_of. */
static void touch_chains(struct flame *f, const struct trie *t, id_list *ids)
{
	u32 nodes = f->tree->count;

	vec_for_each(&t->rows, i) {
		node_id id = f->tree->leaf_of[f->h->rows.rows.items[*i].chain];

		for (; id && !f->item_of[id]; id = f->tree->nodes[id].parent) {
			f->item_of[id] = 1;
			vec_push(ids, id);
		}
	}
	if (ids->count < nodes / 16) {
		vec_sort(ids, u32_cmp);
		return;
	}
	ids->count = 0;
	for (u32 id = 1; id <= nodes; id++)
		if (f->item_of[id])
			vec_push(ids, id);
}

static void add_leaf(struct trie *t, const struct hist *h, const struct row *r)
{
	vec_for_each(&t->leaves, l)
		if (h->graph_class[l->leaf] == h->graph_class[r->leaf] && l->event == r->event) {
			l->period += r->period;
			l->samples += r->samples;
			return;
		}
	vec_push(&t->leaves, *r);
}

static void add_rows(struct flame *f, struct trie *t)
{
	vec_for_each(&t->rows, i) {
		const struct row *r = &f->h->rows.rows.items[*i];
		u32 item = f->item_of[f->tree->leaf_of[r->chain]];

		if (!r->chain) {
			add_leaf(t, f->h, r);
			continue;
		}
		t->period[item] += period_of(f, r);
		t->own[item] += period_of(f, r);
		t->waiting[item] += waiting_of(f, r);
		t->samples[item] += (u32)r->samples;
	}
}

static void make_trie(struct flame *f, struct trie *t)
{
	id_list ids = VEC_INIT;

	t->made = true;
	touch_chains(f, t, &ids);
	t->count = (u32)ids.count + 1;
	t->chain = xcalloc(t->count, sizeof(*t->chain));
	t->period = xcalloc(t->count, sizeof(*t->period));
	t->own = xcalloc(t->count, sizeof(*t->own));
	t->waiting = xcalloc(t->count, sizeof(*t->waiting));
	t->samples = xcalloc(t->count, sizeof(*t->samples));
	t->parent = xcalloc(t->count, sizeof(*t->parent));
	t->first = xcalloc(t->count, sizeof(*t->first));
	t->next = xcalloc(t->count, sizeof(*t->next));
	for (u32 i = 1; i < t->count; i++) {
		t->chain[i] = ids.items[i - 1];
		f->item_of[t->chain[i]] = i;
		t->parent[i] = f->item_of[f->tree->nodes[t->chain[i]].parent];
	}
	add_rows(f, t);
	for (u32 i = t->count; i-- > 1;) {
		u32 parent = t->parent[i];

		t->period[parent] += t->period[i];
		t->waiting[parent] += t->waiting[i];
		t->samples[parent] += t->samples[i];
		t->next[i] = t->first[parent];
		t->first[parent] = i;
	}
	vec_for_each(&ids, id)
		f->item_of[*id] = 0;
	vec_release(&ids);
}

static void release_trie(struct trie *t)
{
	free(t->chain);
	free(t->period);
	free(t->own);
	free(t->waiting);
	free(t->samples);
	free(t->parent);
	free(t->first);
	free(t->next);
	free(t->match);
	vec_release(&t->leaves);
	vec_release(&t->rows);
}

static struct trie *trie_of(struct flame *f, u32 number)
{
	struct trie *t = &f->tries.items[number];

	if (!t->made)
		make_trie(f, t);
	return t;
}

/* ---- children ---- */

/* A part of one child: items of one class, or a leaf without a chain. */
struct part {
	u32 class, item;
	frame_id frame;
	u64 period, own, waiting, samples;
};
typedef VEC(struct part) part_list;

static int part_cmp(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

static void list_parts(const struct flame *f, const struct trie *t, const struct node *n,
		       part_list *parts)
{
	for (u32 k = 0; k < n->item_count; k++)
		for (u32 i = t->first[n->items[k]]; i; i = t->next[i]) {
			u32 class = f->h->graph_class[f->tree->nodes[t->chain[i]].frame];

			vec_push(parts, (struct part){
						.class = class,
						.item = i,
						.frame = f->h->frame_of_graph_class[class],
						.period = t->period[i],
						.own = t->own[i],
						.waiting = t->waiting[i],
						.samples = t->samples[i],
					});
		}
	if (n->item_count && !n->items[0])
		vec_for_each(&t->leaves, l)
			vec_push(parts, (struct part){
						.class = f->h->graph_class[l->leaf],
						.frame = f->h->frame_of_graph_class
								 [f->h->graph_class[l->leaf]],
						.period = period_of(f, l),
						.own = period_of(f, l),
						.waiting = waiting_of(f, l),
						.samples = l->samples,
					});
	vec_sort(parts, part_cmp);
}

static u32 add_node(struct flame *f, u32 parent, u32 trie)
{
	struct node n = { .trie = trie };

	n.pub.parent = parent;
	n.pub.child = n.pub.next = FLAME_NONE;
	if (parent != FLAME_NONE)
		n.pub.depth = f->nodes.items[parent].pub.depth + 1;
	vec_push(&f->nodes, n);
	return (u32)f->nodes.count - 1;
}

/* Makes a child of the parts of equal class that begin at *at. */
static u32 join_parts(struct flame *f, u32 parent, u32 trie, const part_list *parts, size_t *at)
{
	u32 node = add_node(f, parent, trie);
	struct node *n = &f->nodes.items[node];
	size_t first = *at;

	n->pub.frame = parts->items[first].frame;
	while (*at < parts->count && parts->items[*at].class == parts->items[first].class) {
		const struct part *p = &parts->items[(*at)++];

		n->pub.period += p->period;
		n->pub.own_period += p->own;
		n->pub.waiting += p->waiting;
		n->pub.samples += p->samples;
		n->item_count += p->item > 0;
	}
	n->items = arena_alloc(&f->memory, (n->item_count + 1) * sizeof(*n->items));
	for (size_t i = first, k = 0; i < *at; i++)
		if (parts->items[i].item)
			n->items[k++] = parts->items[i].item;
	return node;
}

static int node_cmp(const void *pa, const void *pb, void *arg)
{
	const struct flame *f = arg;
	u32 a = *(const u32 *)pa, b = *(const u32 *)pb;
	u64 x = f->nodes.items[a].pub.period, y = f->nodes.items[b].pub.period;
	struct strbuf s = STRBUF_INIT, t = STRBUF_INIT;
	int cmp;

	if (x != y)
		return x > y ? -1 : 1;
	flame_text(f, a, &s);
	flame_text(f, b, &t);
	cmp = strcmp(strbuf_cstr(&s), strbuf_cstr(&t));
	strbuf_release(&s);
	strbuf_release(&t);
	/* equal names keep the order in which their classes were made */
	return cmp ? cmp : a < b ? -1 : 1;
}

static void set_match(struct flame *f, u32 node);

static void link_children(struct flame *f, u32 parent, id_list *children)
{
	if (children->count)
		qsort_r(children->items, children->count, sizeof(u32), node_cmp, f);
	for (size_t i = children->count; i-- > 0;) {
		f->nodes.items[children->items[i]].pub.next = f->nodes.items[parent].pub.child;
		f->nodes.items[parent].pub.child = children->items[i];
		set_match(f, children->items[i]);
	}
}

static void expand_comms(struct flame *f, id_list *children)
{
	for (u32 i = 0; i < f->tries.count; i++) {
		u32 node = add_node(f, 0, i);
		struct node *n = &f->nodes.items[node];

		n->pub.comm = strtab_get(&f->comms, i);
		vec_for_each(&f->tries.items[i].rows, r) {
			const struct row *row = &f->h->rows.rows.items[*r];

			n->pub.period += period_of(f, row);
			n->pub.waiting += waiting_of(f, row);
			n->pub.samples += row->samples;
		}
		n->items = arena_alloc(&f->memory, sizeof(*n->items));
		n->items[0] = 0;
		n->item_count = 1;
		vec_push(children, node);
	}
}

void flame_expand(struct flame *f, u32 node)
{
	id_list children = VEC_INIT;
	part_list parts = VEC_INIT;
	struct node n = f->nodes.items[node];

	if (n.pub.expanded)
		return;
	if (!node && f->comms.count) {
		expand_comms(f, &children);
	} else if (f->tries.count) {
		list_parts(f, trie_of(f, n.trie), &n, &parts);
		for (size_t at = 0; at < parts.count;)
			vec_push(&children, join_parts(f, node, n.trie, &parts, &at));
	}
	f->nodes.items[node].pub.expanded = true;
	link_children(f, node, &children);
	vec_release(&children);
	vec_release(&parts);
}

/* ---- search ---- */

static bool has_part(struct flame *f, const char *text)
{
	return strcasestr(text, strbuf_cstr(&f->search)) != NULL;
}

static bool class_matches(struct flame *f, frame_id frame)
{
	u8 *known = &f->class_match[f->h->graph_class[frame]];

	if (!*known) {
		strbuf_clear(&f->scratch);
		hist_frame_text(f->h, frame, &f->scratch);
		*known = has_part(f, strbuf_cstr(&f->scratch)) ? 2 : 1;
	}
	return *known == 2;
}

/* Marks the trie; the period of chains with a match (item 0 matches: all of them). */
static u64 search_trie(struct flame *f, struct trie *t, bool all)
{
	bool *inside = xcalloc(t->count, sizeof(*inside));
	u64 sum = 0;

	free(t->match);
	t->match = xcalloc(t->count, sizeof(*t->match));
	for (u32 i = 1; i < t->count; i++) {
		bool match = class_matches(f, f->tree->nodes[t->chain[i]].frame);

		t->match[i] = match ? MATCH : NO_MATCH;
		inside[i] = match || inside[t->parent[i]];
		if (match && !inside[t->parent[i]])
			sum += t->period[i];
	}
	for (u32 i = t->count; i-- > 1;)
		if (t->match[i])
			t->match[t->parent[i]] |= MATCH_BELOW;
	vec_for_each(&t->leaves, l)
		if (class_matches(f, l->leaf)) {
			t->match[0] |= MATCH_BELOW;
			sum += period_of(f, l);
		}
	free(inside);
	if (!all)
		return sum;
	sum = t->period[0];
	vec_for_each(&t->leaves, l)
		sum += period_of(f, l);
	return sum;
}

static void set_match(struct flame *f, u32 node)
{
	struct node *n = &f->nodes.items[node];
	const struct trie *t;

	n->match = NO_MATCH;
	if (!f->class_match || !node)
		return;
	t = trie_of(f, n->trie);
	for (u32 k = 0; k < n->item_count && t->match; k++)
		n->match |= t->match[n->items[k]];
	if (n->pub.comm)
		n->match |= has_part(f, n->pub.comm) ? MATCH : NO_MATCH;
	else if (class_matches(f, n->pub.frame))
		n->match |= MATCH;
}

u64 flame_search(struct flame *f, const char *part)
{
	u64 sum = 0;

	strbuf_clear(&f->search);
	strbuf_str(&f->search, part);
	free(f->class_match);
	f->class_match = *part ? xcalloc(frames_count(f->h->chains) + 1, 1) : NULL;
	for (u32 i = 0; *part && i < f->tries.count; i++)
		sum += search_trie(f, trie_of(f, i),
				   f->comms.count && has_part(f, strtab_get(&f->comms, i)));
	for (u32 i = 1; i < f->nodes.count; i++)
		set_match(f, i);
	return sum;
}

bool flame_matches(const struct flame *f, u32 node)
{
	return f->nodes.items[node].match & MATCH;
}

static bool is_on_way(const struct flame *f, u32 node)
{
	return f->nodes.items[node].match != NO_MATCH;
}

/* Returns the first (or last) child that matches or leads to a match, or FLAME_NONE. */
static u32 child_on_way(struct flame *f, u32 node, bool last)
{
	u32 found = FLAME_NONE;

	if (node && !(f->nodes.items[node].match & MATCH_BELOW))
		return FLAME_NONE;
	flame_expand(f, node);
	for (u32 c = f->nodes.items[node].pub.child; c != FLAME_NONE;
	     c = f->nodes.items[c].pub.next)
		if (is_on_way(f, c) && (last || found == FLAME_NONE))
			found = c;
	return found;
}

static u32 sibling_on_way(const struct flame *f, u32 node, bool back)
{
	u32 found = FLAME_NONE;
	bool behind = false;

	for (u32 c = f->nodes.items[f->nodes.items[node].pub.parent].pub.child; c != FLAME_NONE;
	     c = f->nodes.items[c].pub.next) {
		if (c == node) {
			behind = true;
			if (back)
				return found;
		} else if (is_on_way(f, c) && (back || (behind && found == FLAME_NONE))) {
			found = c;
		}
	}
	return found;
}

/* Returns the first match at or below a node that leads to one, callers first. */
static u32 first_match(struct flame *f, u32 node)
{
	while (node != FLAME_NONE && !flame_matches(f, node))
		node = child_on_way(f, node, false);
	return node;
}

static u32 last_match(struct flame *f, u32 node)
{
	for (;;) {
		u32 child = child_on_way(f, node, true);

		if (child == FLAME_NONE)
			return node;
		node = child;
	}
}

u32 flame_next_match(struct flame *f, u32 node, bool back)
{
	u32 next = back ? FLAME_NONE : child_on_way(f, node, false);

	if (child_on_way(f, 0, false) == FLAME_NONE)
		return FLAME_NONE;
	while (next == FLAME_NONE && node) {
		next = sibling_on_way(f, node, back);
		if (next != FLAME_NONE)
			return back ? last_match(f, next) : first_match(f, next);
		node = f->nodes.items[node].pub.parent;
		if (back && node && flame_matches(f, node))
			return node;
	}
	if (next == FLAME_NONE) /* wrap around at the end */
		return back ? last_match(f, 0) : first_match(f, child_on_way(f, 0, false));
	return first_match(f, next);
}

/* ---- life ---- */

/* Takes the rows of both events, each from its own view. */
static void take_times(struct flame *f)
{
	for (size_t i = 0; i < hist_view_count(f->h); i++) {
		const struct hist_view *v = hist_view(f->h, i);

		for (u32 m = 0; m < v->member_count; m++)
			if (v->members[m] == f->times.ran || v->members[m] == f->times.waited)
				take_rows(f, v, v->members[m]->index);
	}
}

struct flame *flame_new(struct hist *h, const struct hist_view *v, u32 member,
			const struct hist_times *times)
{
	struct flame *f = xcalloc(1, sizeof(*f));
	struct node *all;

	hist_classify_for_graphs(h);
	f->h = h;
	f->tree = chains_tree(h->chains, h->ctx);
	f->item_of = xcalloc((size_t)f->tree->count + 1, sizeof(*f->item_of));
	add_node(f, FLAME_NONE, 0);
	if (times)
		f->times = *times;
	if (times)
		take_times(f);
	else
		take_rows(f, v, v->members[member]->index);
	all = &f->nodes.items[0];
	all->items = arena_alloc(&f->memory, sizeof(*all->items));
	all->items[0] = 0;
	all->item_count = 1;
	return f;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	vec_for_each(&f->tries, t)
		release_trie(t);
	vec_release(&f->tries);
	vec_release(&f->nodes);
	strtab_release(&f->comms);
	arena_release(&f->memory);
	strbuf_release(&f->search);
	strbuf_release(&f->scratch);
	free(f->class_match);
	free(f->item_of);
	free(f);
}

const struct flame_node *flame_node(const struct flame *f, u32 node)
{
	return &f->nodes.items[node].pub;
}

const struct hist *flame_hist(const struct flame *f)
{
	return f->h;
}

void flame_text(const struct flame *f, u32 node, struct strbuf *out)
{
	const struct flame_node *n = flame_node(f, node);

	if (!node)
		strbuf_str(out, "all");
	else if (n->comm)
		strbuf_printable(out, n->comm);
	else
		hist_frame_text(f->h, n->frame, out);
}
