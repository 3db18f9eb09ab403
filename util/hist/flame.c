// SPDX-License-Identifier: GPL-2.0-or-later
#include "hist/flame.h"

#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

struct builder {
	const struct hist *h;
	VEC(struct flame_node) nodes;
	struct map64 children; /* parent, graph class (or comm) -> node */
	struct map64 of_chain; /* root, chain -> node */
	struct map64 shown;    /* key class, frame class of the rows that are shown */
	struct strtab comms;
	const struct hist_field *comm;
	u32 depth;
};

/* Both halves matter: no hashing here, so no two pairs fall together. */
static u64 pair(u32 a, u32 b)
{
	return (u64)a << 32 | b;
}

static u32 add_node(struct builder *b, u32 parent, frame_id frame, const char *comm)
{
	struct flame_node n = { .parent = parent, .child = FLAME_NONE, .next = FLAME_NONE,
				.frame = frame, .comm = comm };

	if (parent != FLAME_NONE)
		n.depth = b->nodes.items[parent].depth + 1;
	b->depth = MAX(b->depth, n.depth);
	vec_push(&b->nodes, n);
	return (u32)b->nodes.count - 1;
}

static u32 child_of(struct builder *b, u32 parent, u32 kind, frame_id frame, const char *comm)
{
	bool added;
	u64 *at = map64_put(&b->children, pair(parent, kind), &added);

	if (added)
		*at = add_node(b, parent, frame, comm);
	return (u32)*at;
}

static u32 frame_node(struct builder *b, u32 parent, frame_id frame)
{
	return child_of(b, parent, b->h->graph_class[frame], frame, NULL);
}

/* Callers before callees; what was made for an earlier chain is not looked for again. */
static u32 chain_node_of(struct builder *b, u32 root, chain_id chain)
{
	const struct chain_node *nodes = chain_nodes(b->h->chains);
	VEC(chain_id) open = VEC_INIT;
	u32 at = root;

	for (; chain; chain = nodes[chain].parent) {
		const u64 *known = map64_get(&b->of_chain, pair(root, chain));

		if (known) {
			at = (u32)*known;
			break;
		}
		vec_push(&open, chain);
	}
	while (open.count) {
		chain_id id = open.items[--open.count];

		at = frame_node(b, at, nodes[id].frame);
		*map64_put(&b->of_chain, pair(root, id), NULL) = at;
	}
	vec_release(&open);
	return at;
}

static const char *comm_of(struct builder *b, const struct hist_view *v, const struct row *r)
{
	const struct hist_entry e = { .key = keys_get(&b->h->keys, r->key), .frame = r->leaf };
	struct strbuf text = STRBUF_INIT;
	u32 id;

	b->comm->column->format(v, b->comm, &e, 0, &text);
	id = strtab_add(&b->comms, strbuf_cstr(&text));
	strbuf_release(&text);
	return strtab_get(&b->comms, id);
}

static u32 root_of(struct builder *b, const struct hist_view *v, const struct row *r)
{
	const char *comm;

	if (!b->comm)
		return 0;
	comm = comm_of(b, v, r);
	/* numbers of commands and graph classes share a map: commands count from the top */
	return child_of(b, 0, UINT32_MAX - strtab_find(&b->comms, comm), 0, comm);
}

static void add_row(struct builder *b, const struct hist_view *v, const struct row *r)
{
	u32 root = root_of(b, v, r);
	u32 at = r->chain ? chain_node_of(b, root, r->chain) : frame_node(b, root, r->leaf);

	b->nodes.items[at].own_period += r->period;
	for (;; at = b->nodes.items[at].parent) {
		b->nodes.items[at].period += r->period;
		b->nodes.items[at].samples += r->samples;
		if (!at)
			return;
	}
}

static int node_cmp(const void *pa, const void *pb, void *arg)
{
	const struct flame *f = arg;
	u32 a = *(const u32 *)pa, b = *(const u32 *)pb;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	int cmp;

	if (f->nodes[a].period != f->nodes[b].period)
		return f->nodes[a].period > f->nodes[b].period ? -1 : 1;
	flame_text(f, a, &x);
	flame_text(f, b, &y);
	cmp = strcmp(strbuf_cstr(&x), strbuf_cstr(&y));
	strbuf_release(&x);
	strbuf_release(&y);
	if (cmp)
		return cmp;
	/* equal names: classes are ranks, which do not depend on the order of reading */
	return f->hist->graph_class[f->nodes[a].frame] < f->hist->graph_class[f->nodes[b].frame] ? -1 : 1;
}

/* Parents have smaller numbers than their children. */
static void link_children(struct flame *f)
{
	VEC(u32) order = VEC_INIT;

	for (u32 i = 1; i < f->count; i++)
		vec_push(&order, i);
	if (order.count)
		qsort_r(order.items, order.count, sizeof(u32), node_cmp, f);
	for (size_t i = order.count; i-- > 0;) {
		struct flame_node *n = &f->nodes[order.items[i]];

		n->next = f->nodes[n->parent].child;
		f->nodes[n->parent].child = order.items[i];
	}
	vec_release(&order);
}

struct flame *flame_new(const struct hist *h, const struct hist_view *v, u32 member)
{
	struct builder b = { .h = h };
	struct flame *f = xcalloc(1, sizeof(*f));

	vec_for_each(&h->fields, field)
		if (field->column->flags & HIST_COMM)
			b.comm = field;
	for (size_t i = 0; i < v->entry_count; i++)
		map64_put(&b.shown, pair(v->entries[i]->key_class, v->entries[i]->frame_class), NULL);
	add_node(&b, FLAME_NONE, 0, NULL);
	vec_for_each(&h->rows.rows, r) {
		if (r->event != v->members[member]->index ||
		    !map64_get(&b.shown, pair(h->key_class[r->key], h->frame_class[r->leaf])))
			continue;
		add_row(&b, v, r);
	}
	f->hist = h;
	f->nodes = b.nodes.items;
	f->count = (u32)b.nodes.count;
	f->depth = b.depth;
	/* the texts of commands go with the tree */
	for (u32 i = 0; i < f->count; i++)
		if (f->nodes[i].comm)
			f->nodes[i].comm = xstrdup(f->nodes[i].comm);
	strtab_release(&b.comms);
	map64_release(&b.children);
	map64_release(&b.of_chain);
	map64_release(&b.shown);
	link_children(f);
	return f;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->count; i++)
		free((char *)f->nodes[i].comm);
	free(f->nodes);
	free(f);
}

void flame_text(const struct flame *f, u32 node, struct strbuf *out)
{
	const struct flame_node *n = &f->nodes[node];

	if (!node)
		strbuf_str(out, "all");
	else if (n->comm)
		strbuf_printable(out, n->comm);
	else
		hist_frame_text(f->hist, n->frame, out);
}
