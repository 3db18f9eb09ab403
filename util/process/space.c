// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces as persistent treaps.
 *
 * Invariants: in key order (start) left to right; a node's priority is not less
 * than its children's; mappings of one root do not overlap.  Priorities are
 * random, from a seed that a file cannot know, so depth is O(log n).
 */
#include "process/internal.h"

#include "base/hash.h"

struct node {
	u64 start; /* the start of the mapping; kept here for the search */
	u32 mapping;
	u32 left, right;
	u32 priority;
};

static struct node *node_at(const struct spaces *s, u32 n)
{
	return segments_at(&s->nodes, sizeof(struct node), n);
}

static struct mapping *mapping_at(const struct spaces *s, u32 m)
{
	return segments_at(&s->mappings, sizeof(struct mapping), m);
}

void spaces_init(struct spaces *s)
{
	u32 unused;

	*s = (struct spaces){ .random = hash_str("spaces") | 1 };
	segments_next(&s->nodes, sizeof(struct node), &unused);
	segments_publish(&s->nodes);
	spaces_freeze(s);
}

void spaces_release(struct spaces *s)
{
	segments_release(&s->nodes);
	segments_release(&s->mappings);
}

void spaces_freeze(struct spaces *s)
{
	s->frozen = segments_count(&s->nodes);
}

static u32 new_node(struct spaces *s, const struct node *from)
{
	u32 n;
	struct node *node = segments_next(&s->nodes, sizeof(*node), &n);

	*node = *from;
	segments_publish(&s->nodes);
	return n;
}

static u32 new_mapping(struct spaces *s, const struct mapping *m)
{
	u32 index;
	struct mapping *copy = segments_next(&s->mappings, sizeof(*copy), &index);

	*copy = *m;
	segments_publish(&s->mappings);
	return index;
}

static u32 new_leaf(struct spaces *s, const struct mapping *m)
{
	s->random += 0x9e3779b97f4a7c15ULL;
	return new_node(s, &(struct node){
				   .start = m->start,
				   .mapping = new_mapping(s, m),
				   .priority = (u32)hash_u64(s->random),
			   });
}

/* Returns a node that may be changed: n itself if no other version shares it. */
static u32 writable(struct spaces *s, u32 n)
{
	return n >= s->frozen ? n : new_node(s, node_at(s, n));
}

/* Nodes with start < addr go to *low, the others to *high. */
static void split(struct spaces *s, u32 root, u64 addr, u32 *low, u32 *high)
{
	struct node *n;
	u32 w;

	if (!root) {
		*low = *high = 0;
		return;
	}
	w = writable(s, root);
	n = node_at(s, w);
	if (n->start < addr) {
		split(s, n->right, addr, &n->right, high);
		*low = w;
	} else {
		split(s, n->left, addr, low, &n->left);
		*high = w;
	}
}

/* Merges two trees; everything in low is below everything in high. */
static u32 merge(struct spaces *s, u32 low, u32 high)
{
	u32 w;

	if (!low || !high)
		return low ? low : high;
	if (node_at(s, low)->priority >= node_at(s, high)->priority) {
		w = writable(s, low);
		node_at(s, w)->right = merge(s, node_at(s, w)->right, high);
	} else {
		w = writable(s, high);
		node_at(s, w)->left = merge(s, low, node_at(s, w)->left);
	}
	return w;
}

static const struct mapping *last_mapping(const struct spaces *s, u32 root)
{
	if (!root)
		return NULL;
	while (node_at(s, root)->right)
		root = node_at(s, root)->right;
	return mapping_at(s, node_at(s, root)->mapping);
}

/* Ends the last mapping of root at end. */
static u32 trim_last(struct spaces *s, u32 root, u64 end)
{
	u32 w = writable(s, root);
	struct node *n = node_at(s, w);
	struct mapping m;

	if (n->right) {
		n->right = trim_last(s, n->right, end);
		return w;
	}
	m = *mapping_at(s, n->mapping);
	m.end = end;
	n->mapping = new_mapping(s, &m);
	return w;
}

static struct mapping tail_of(const struct mapping *m, u64 from)
{
	struct mapping tail = *m;

	tail.pgoff += from - m->start;
	tail.start = from;
	return tail;
}

/* Cuts [start, end) out of root. Returns the trees below and above it. */
static void cut(struct spaces *s, u32 root, u64 start, u64 end, u32 *low, u32 *high)
{
	const struct mapping *m;
	struct mapping tail;
	u32 middle, rest;

	split(s, root, start, low, &rest);
	split(s, rest, end, &middle, high);
	/* only the last mapping that starts before end can reach beyond it */
	m = last_mapping(s, middle ? middle : *low);
	if (m && m->end > end) {
		tail = tail_of(m, end);
		*high = merge(s, new_leaf(s, &tail), *high);
	}
	m = last_mapping(s, *low);
	if (m && m->end > start)
		*low = trim_last(s, *low, start);
}

u32 space_map(struct spaces *s, u32 root, const struct mapping *m)
{
	u32 low, high;

	cut(s, root, m->start, m->end, &low, &high);
	return merge(s, merge(s, low, new_leaf(s, m)), high);
}

u32 space_unmap(struct spaces *s, u32 root, u64 start, u64 end)
{
	u32 low, high;

	cut(s, root, start, end, &low, &high);
	return merge(s, low, high);
}

const struct mapping *space_below(const struct spaces *s, u32 root, u64 addr)
{
	u32 best = 0;

	while (root) {
		const struct node *n = node_at(s, root);

		if (n->start <= addr) {
			best = n->mapping + 1;
			root = n->right;
		} else {
			root = n->left;
		}
	}
	return best ? mapping_at(s, best - 1) : NULL;
}

const struct mapping *space_around(const struct spaces *s, u32 root, u64 addr, u64 *start, u64 *end)
{
	u32 below = 0;

	*start = 0;
	*end = UINT64_MAX;
	while (root) {
		const struct node *n = node_at(s, root);

		if (n->start <= addr) {
			below = n->mapping + 1;
			root = n->right;
		} else {
			*end = n->start;
			root = n->left;
		}
	}
	if (below) {
		const struct mapping *m = mapping_at(s, below - 1);

		if (addr < m->end) {
			*start = m->start;
			*end = m->end;
			return m;
		}
		*start = m->end;
	}
	return NULL;
}

const struct mapping *space_find(const struct spaces *s, u32 root, u64 addr)
{
	const struct mapping *m = space_below(s, root, addr);

	return m && addr < m->end ? m : NULL;
}

void space_each(const struct spaces *s, u32 root, void (*fn)(void *arg, const struct mapping *m),
		void *arg)
{
	const struct node *n;

	if (!root)
		return;
	n = node_at(s, root);
	space_each(s, n->left, fn, arg);
	fn(arg, mapping_at(s, n->mapping));
	space_each(s, n->right, fn, arg);
}

void space_copy_init(struct space_copy *c, const struct spaces *from, struct spaces *to)
{
	*c = (struct space_copy){ .from = from, .to = to };
	c->nodes = xcalloc(segments_count(&from->nodes), sizeof(*c->nodes));
	c->mappings = xcalloc((size_t)segments_count(&from->mappings) + 1, sizeof(*c->mappings));
}

void space_copy_release(struct space_copy *c)
{
	free(c->nodes);
	free(c->mappings);
}

static u32 copy_mapping(struct space_copy *c, u32 m)
{
	if (!c->mappings[m])
		c->mappings[m] = new_mapping(c->to, mapping_at(c->from, m)) + 1;
	return c->mappings[m] - 1;
}

/* Priorities come along, so that the copy is a treap as well. */
u32 space_copy_root(struct space_copy *c, u32 root)
{
	struct node node;

	if (!root)
		return 0;
	if (!c->nodes[root]) {
		node = *node_at(c->from, root);
		node.left = space_copy_root(c, node.left);
		node.right = space_copy_root(c, node.right);
		node.mapping = copy_mapping(c, node.mapping);
		c->nodes[root] = new_node(c->to, &node) + 1;
	}
	return c->nodes[root] - 1;
}

const struct mapping *space_mapping(const struct spaces *s, u32 number)
{
	return mapping_at(s, number);
}
