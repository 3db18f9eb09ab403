// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of the next table of a live view.
 *
 * Frames correspond if they and those above them are of the same functions, nodes of a hierarchy if
 * they and those above them show the same texts: ids and pointers of one table mean nothing in the
 * next.
 */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "ui/tui/hist_rows_parts.h"

/* ---- branches ---- */

struct carrying {
	const struct hist *old, *new;
	const struct followed *followed; /* of the old table */
	struct followed *found;          /* of the new one */
};

/*
 * A branch of which so many frames are passed; the next ones are in its run, or its children begin
 * with them.
 */
struct spot {
	struct branch *b;
	size_t passed;
};

static bool in_run(struct spot s)
{
	return s.passed < s.b->tree->frames.count;
}

static size_t next_count(struct spot s)
{
	if (in_run(s))
		return 1;
	return s.b->children ? s.b->tree->children.count : 0;
}

static struct spot next_of(struct spot s, size_t i)
{
	return in_run(s) ? (struct spot){ s.b, s.passed + 1 }
			 : (struct spot){ &s.b->children[i], 1 };
}

static void text_of(const struct hist *h, struct spot s, struct strbuf *text)
{
	strbuf_clear(text);
	hist_frame_text(h, s.b->tree->frames.items[s.passed - 1], text);
}

/* Finds the next frame that has the same text. Returns false if there is none. */
static bool find_same(const struct carrying *c, struct spot old, struct spot above,
		      struct spot *found)
{
	struct strbuf want = STRBUF_INIT, text = STRBUF_INIT;
	size_t count = next_count(above), i;

	text_of(c->old, old, &want);
	for (i = 0; i < count; i++) {
		*found = next_of(above, i);
		text_of(c->new, *found, &text);
		if (!strcmp(strbuf_cstr(&want), strbuf_cstr(&text)))
			break;
	}
	strbuf_release(&want);
	strbuf_release(&text);
	return i < count;
}

static bool is_followed(const struct carrying *c, struct spot s)
{
	return s.passed && s.b == c->followed->branch && s.passed == (size_t)c->followed->frame + 1;
}

/*
 * Carries over what is open below a spot. What was one run of frames may have branches now, or the
 * other way round, so it follows frames one by one.
 */
static void carry_spot(const struct carrying *c, struct spot from, struct spot to)
{
	if (in_run(to))
		to.b->run_open |= in_run(from) ? from.b->run_open : from.b->open;
	else
		to.b->open |= in_run(from) ? from.b->run_open : from.b->open;
	if (next_count(from))
		branch_make_children(to.b);
	for (size_t i = 0; i < next_count(from); i++) {
		struct spot old = next_of(from, i), same;
		bool followed = is_followed(c, old);

		if (!in_run(from) && !old.b->run_open && !old.b->open &&
		    old.b != c->followed->branch)
			continue;
		if (followed) /* unless it is also found: the row above it */
			*c->found =
				(struct followed){ .branch = to.b, .frame = (u32)to.passed - 1 };
		if (!find_same(c, old, to, &same))
			continue;
		if (followed)
			*c->found = (struct followed){ .branch = same.b,
						       .frame = (u32)same.passed - 1 };
		carry_spot(c, old, same);
	}
}

static void carry_root(struct hist_rows *r, const struct carrying *c, const struct branch *from,
		       const struct hist_entry *e)
{
	struct branch *to = hist_rows_make_root(r, e);

	if (!to)
		return;
	carry_spot(c, (struct spot){ (struct branch *)(uintptr_t)from, 0 }, (struct spot){ to, 0 });
	branch_count_deep(to);
}

static void carry_roots(struct hist_rows *r, const struct hist_view *v,
			const struct followed *followed,
			const struct hist_entry *(*find)(void *arg, const struct hist_entry *e),
			void *arg)
{
	const struct carrying c = { r->view->hist, v->hist, followed, &r->followed };
	struct map64 roots = r->roots;

	memset(&r->roots, 0, sizeof(r->roots));
	for (size_t i = 0; i < roots.space; i++) {
		const struct map64_slot *slot = &roots.slots[i];
		const struct branch *from = (const struct branch *)(uintptr_t)slot->value;
		const struct hist_entry *e;

		if (!slot->used || !from || !from->open)
			continue;
		e = find(arg, (const struct hist_entry *)(uintptr_t)slot->key);
		if (e)
			carry_root(r, &c, from, e);
	}
	hist_rows_free_branches(&roots);
}

void hist_rows_carry(struct hist_rows *r, const struct hist_view *v, u64 at,
		     const struct hist_entry *(*find)(void *arg, const struct hist_entry *e),
		     void *arg)
{
	struct followed followed = { .node = NULL };
	struct hist_row row;

	if (at < hist_rows_count(r)) {
		hist_rows_at(r, at, &row);
		followed = (struct followed){ r->items.items[hist_rows_entry_index(r, at)].node,
					      row.branch, row.frame };
	}
	r->followed = (struct followed){ .node = NULL };
	if (r->hierarchy) { /* its nodes depend on what the new table is narrowed to */
		hist_rows_drop_before(r);
		r->before = (struct hist_rows_before){ r->view, r->tree, r->roots, r->opened,
						       followed };
		r->tree = NULL;
		memset(&r->roots, 0, sizeof(r->roots));
		memset(&r->opened, 0, sizeof(r->opened));
	} else {
		carry_roots(r, v, &followed, find, arg);
	}
	r->view = v;
	hist_rows_list(r);
}

/* ---- a hierarchy ---- */

/*
 * Hashes the text of a node's level with those of the levels above it, which two tables have in
 * common.
 */
static u64 name_below(u64 above, const struct hist_view *v, const struct hist_node *n, u32 level)
{
	struct strbuf text = STRBUF_INIT;
	size_t count;
	const struct hist_field *fields = hist_fields(v->hist, &count);
	u64 name;

	for (size_t i = 0; i < count; i++)
		if (!(fields[i].column->flags & HIST_VALUE) && fields[i].level == level) {
			fields[i].column->format(v, &fields[i], &n->entry, 0, &text);
			strbuf_char(&text, '\n');
		}
	name = hash_combine(above, hash_bytes(strbuf_cstr(&text), text.len));
	strbuf_release(&text);
	return name;
}

/* Returns the name of a node; its entry also has the keys of the levels above. */
static u64 name_of(const struct hist_view *v, const struct hist_node *n)
{
	u64 name = 0;

	for (u32 level = 0; level <= n->level; level++)
		name = name_below(name, v, n, level);
	return name;
}

struct taking_up {
	struct hist_rows *rows;
	/* names of nodes that are closed on the first level, open on others */
	struct map64 unusual;
	struct map64 branches; /* name of a node -> its open struct branch * */
	u64 followed;
	struct carrying c;
};

static bool is_usual(const struct hist_node *n, bool open)
{
	return open == (n->level == 0);
}

static void name_before(struct taking_up *t)
{
	const struct hist_rows_before *before = &t->rows->before;

	for (size_t i = 0; i < before->opened.space; i++) {
		const struct map64_slot *slot = &before->opened.slots[i];
		const struct hist_node *n = (const struct hist_node *)(uintptr_t)slot->key;

		if (slot->used && n != before->tree && !is_usual(n, slot->value))
			map64_put(&t->unusual, name_of(before->view, n), NULL);
	}
	for (size_t i = 0; i < before->roots.space; i++) {
		const struct map64_slot *slot = &before->roots.slots[i];
		/* the entry is the first thing in a node */
		const struct hist_node *n = (const struct hist_node *)(uintptr_t)slot->key;
		const struct branch *b = (const struct branch *)(uintptr_t)slot->value;

		if (slot->used && b && b->open)
			*map64_put(&t->branches, name_of(before->view, n), NULL) = slot->value;
	}
	if (before->followed.node)
		t->followed = name_of(before->view, before->followed.node);
}

static void take_up_node(struct taking_up *t, const struct hist_node *n, u64 name)
{
	const u64 *from;
	bool usual;

	if (n->is_leaf) {
		from = map64_get(&t->branches, name);
		if (from)
			carry_root(t->rows, &t->c, (const struct branch *)(uintptr_t)*from,
				   &n->entry);
	} else {
		usual = !map64_get(&t->unusual, name);
		hist_rows_set_open(t->rows, n, usual == (n->level == 0));
	}
	if (name == t->followed)
		t->rows->followed.node = n;
}

static void take_up(struct taking_up *t, const struct hist_node *parent, u64 above)
{
	vec_for_each(&parent->children, c) {
		u64 name = name_below(above, t->rows->view, *c, (*c)->level);

		take_up_node(t, *c, name);
		take_up(t, *c, name);
	}
}

void hist_rows_take_up(struct hist_rows *r)
{
	const struct hist_rows_before *before = &r->before;
	struct taking_up t = { .rows = r };

	if (!before->tree) {
		vec_for_each(&r->tree->children, c)
			hist_rows_set_open(r, *c, true);
		return;
	}
	t.c = (struct carrying){ before->view->hist, r->view->hist, &before->followed,
				 &r->followed };
	name_before(&t);
	take_up(&t, r->tree, 0);
	map64_release(&t.unusual);
	map64_release(&t.branches);
	hist_rows_drop_before(r);
}

void hist_rows_drop_before(struct hist_rows *r)
{
	hist_rows_free_branches(&r->before.roots);
	map64_release(&r->before.opened);
	hist_hierarchy_free(r->before.tree);
	r->before = (struct hist_rows_before){ .view = NULL };
}

/* ---- the row that is followed ---- */

/* Adds the rows above the target to *at. */
static bool rows_above(const struct branch *b, const struct branch *target, u64 *at)
{
	size_t frames = b->tree->frames.count;

	if (b == target)
		return true;
	*at += b->run_open ? frames : MIN(frames, (size_t)1);
	for (size_t i = 0; branch_is_open(b) && i < b->tree->children.count; i++) {
		u64 below = *at;

		if (rows_above(&b->children[i], target, &below)) {
			*at = below;
			return true;
		}
		*at += b->children[i].rows;
	}
	return false;
}

static bool row_of_branch(const struct hist_rows *r, size_t index, u64 *number)
{
	const struct branch *root = hist_rows_root(r, r->items.items[index].entry);
	const struct branch *b = r->followed.branch;
	size_t frames = b->tree->frames.count;

	*number = r->first[index];
	if (root == b) /* its only row is that of its entry */
		return true;
	++*number;
	if (!root || !rows_above(root, b, number))
		return false;
	*number += b->run_open ? MIN((size_t)r->followed.frame, frames - 1) : 0;
	return true;
}

bool hist_rows_followed(const struct hist_rows *r, u64 *number)
{
	const struct followed *f = &r->followed;

	for (size_t i = 0; f->branch && i < r->items.count; i++)
		if (row_of_branch(r, i, number))
			return true;
	for (size_t i = 0; f->node && i < r->items.count; i++)
		if (r->items.items[i].node == f->node) {
			*number = r->first[i];
			return true;
		}
	return false;
}
