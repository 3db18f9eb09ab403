// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All chains of an event as one tree from the outermost frame, with merged names, for folded stacks
 * and flame graphs. Each chain node is placed once for each class of keys, below its caller's
 * place.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"
#include "symbol/runtime.h"

struct stacks_build {
	struct hist *h;
	struct hist_stacks *stacks;
	bool *passes;       /* by frame */
	u32 *root_of;       /* by key: node + 1 */
	u32 *text_of;       /* by frame: text + 1, 0: not made yet */
	bool *runtime;      /* by frame, once it has a text */
	struct map64 child; /* parent << 32 | text -> node; bit 63: a kernel frame of waits */
	const struct chain_tree *tree;
	struct map64 placed; /* root << 32 | node of the tree -> node + 1 */
	VEC(node_id) path;
	bool waits; /* the rows being added are of waits */
};

static u32 child_of(struct stacks_build *b, u32 parent, u32 text, enum stack_kind kind,
		    bool runtime)
{
	struct hist_stacks *f = b->stacks;
	bool added, apart = b->waits && kind == STACK_KERNEL;
	u64 *at = map64_put(&b->child, (u64)apart << 63 | (u64)parent << 32 | text, &added);

	if (added) {
		*at = f->nodes.count;
		vec_push(&f->nodes, (struct stack_node){ .name = text,
							 .parent = parent,
							 .kind = kind,
							 .runtime = runtime });
	}
	/* among equal names the first kind wins, so the order of collection does not matter */
	f->nodes.items[*at].kind = MIN(f->nodes.items[*at].kind, kind);
	f->nodes.items[*at].runtime &= runtime;
	return (u32)*at;
}

/*
 * Writes a name for folded stacks: without the characters that separate frames, and the object if
 * there is no symbol.
 */
static void frame_name(const struct hist *h, const struct frame *x, struct strbuf *out)
{
	const struct symbol *s = hist_named_symbol(h, x);
	size_t start = out->len;

	if (s)
		strbuf_printable(out, s->name);
	else if (hist_frame_dso(h, x)[0] == '[')
		strbuf_printable(out, hist_frame_dso(h, x));
	else
		strbuf_f(out, "[%s]", path_base(hist_frame_dso(h, x)));
	if (h->set.graph.by_line) {
		size_t before = out->len;

		strbuf_char(out, ' ');
		hist_frame_line(h, x, LINE_BEHIND, out);
		if (out->len == before + 1)
			strbuf_truncate(out, before);
	}
	for (size_t i = start; i < out->len; i++)
		if (out->s[i] == ';')
			out->s[i] = ':';
}

static enum stack_kind kind_of(const struct frame *x)
{
	if (x->inlined)
		return STACK_INLINED;
	return hist_mode_of(x->cpumode) == HIST_SYS || hist_mode_of(x->cpumode) == HIST_GUEST_SYS
		       ? STACK_KERNEL
		       : STACK_USER;
}

static bool is_runtime(const struct hist *h, const struct frame *x)
{
	const struct symbol *s = hist_named_symbol(h, x);

	return kind_of(x) != STACK_KERNEL &&
	       symbol_is_runtime(path_base(hist_frame_dso(h, x)), s ? s->name : "");
}

static u32 frame_child(struct stacks_build *b, u32 parent, frame_id id)
{
	const struct frame *x = hist_frame(b->h, id);

	if (!b->text_of[id]) {
		struct strbuf name = STRBUF_INIT;

		frame_name(b->h, x, &name);
		b->text_of[id] = strtab_add(&b->stacks->names, strbuf_cstr(&name)) + 1;
		b->runtime[id] = is_runtime(b->h, x);
		strbuf_release(&name);
	}
	return child_of(b, parent, b->text_of[id] - 1, kind_of(x), b->runtime[id]);
}

static u32 place_chain(struct stacks_build *b, u32 root, chain_id chain)
{
	const struct chain_node *nodes = b->tree->nodes;
	u32 at = root;

	vec_clear(&b->path);
	for (node_id id = b->tree->leaf_of[chain]; id; id = nodes[id].parent) {
		const u64 *known = map64_get(&b->placed, (u64)root << 32 | id);

		if (known) {
			at = (u32)*known;
			break;
		}
		vec_push(&b->path, id);
	}
	for (size_t i = b->path.count; i-- > 0;) {
		at = frame_child(b, at, nodes[b->path.items[i]].frame);
		*map64_put(&b->placed, (u64)root << 32 | b->path.items[i], NULL) = at;
	}
	return at;
}

/* Adds the sample's keys as frames in front: comm, or what -s says. Returns the last one. */
static u32 place_keys(struct stacks_build *b, u32 at, u32 key)
{
	const struct hist *h = b->h;
	const struct hist_view view = { .hist = h };
	const struct hist_entry e = { .key = keys_get(&h->keys, key) };
	struct strbuf text = STRBUF_INIT;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		const char *begin;

		if (f->column->flags & (HIST_VALUE | HIST_BY_FRAME))
			continue;
		strbuf_clear(&text);
		f->column->format(&view, f, &e, 0, &text);
		for (size_t k = 0; k < text.len; k++)
			if (text.s[k] == ';')
				text.s[k] = ':';
		begin = strbuf_cstr(&text);
		begin += strspn(begin, " ");
		at = child_of(b, at, strtab_add(&b->stacks->names, begin), STACK_KEY, false);
	}
	strbuf_release(&text);
	return at;
}

/* Totals flow to the parents, which come before their children. */
static void total(struct hist_stacks *f)
{
	for (size_t i = f->nodes.count; i-- > 1;) {
		struct stack_node *n = &f->nodes.items[i];

		n->samples += n->own_samples;
		n->period += n->own_period;
		n->waiting += n->own_waiting;
		n->squares += n->own_squares;
		f->nodes.items[n->parent].squares += n->squares;
		f->nodes.items[n->parent].waiting += n->waiting;
		f->nodes.items[n->parent].samples += n->samples;
		f->nodes.items[n->parent].period += n->period;
	}
}

static int sibling_cmp(const void *pa, const void *pb, void *arg)
{
	const struct hist_stacks *f = arg;
	const struct stack_node *a = &f->nodes.items[*(const u32 *)pa];
	const struct stack_node *b = &f->nodes.items[*(const u32 *)pb];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (stack_waits(a) != stack_waits(b))
		return stack_waits(a) ? 1 : -1;
	return strcmp(strtab_get(&f->names, a->name), strtab_get(&f->names, b->name));
}

/*
 * Links children by name, those that waited after the others, so the tree does not depend on the
 * order of collection.
 */
static void link_children(struct hist_stacks *f)
{
	u32 count = (u32)f->nodes.count, *order = xcalloc((size_t)count + 1, sizeof(*order));

	for (u32 i = 1; i < count; i++)
		order[i - 1] = i;
	if (count > 2)
		qsort_r(order, count - 1, sizeof(*order), sibling_cmp, f);
	for (u32 i = count - 1; i-- > 0;) {
		struct stack_node *n = &f->nodes.items[order[i]];
		struct stack_node *parent = &f->nodes.items[n->parent];

		n->next = parent->child;
		parent->child = order[i];
	}
	free(order);
}

/* Adds the rows of one event; if times is NULL, with the periods as they are. */
static void add_rows(struct stacks_build *b, u32 event, const struct hist_times *times, bool waits)
{
	struct hist *h = b->h;

	b->waits = waits;
	map64_release(&b->placed);
	for (size_t i = 0; i < h->rows.rows.count; i++) {
		const struct row *r = &h->rows.rows.items[i];
		const struct row_extra *x = rows_extra(&h->rows, i);
		u64 period = times ? hist_times_ns(times, event, r->period, r->samples) : r->period;
		struct stack_node *n;
		u32 at;

		if (r->event != event || !b->passes[r->leaf])
			continue;
		if (!b->root_of[r->key])
			b->root_of[r->key] = place_keys(b, 0, r->key) + 1;
		at = b->root_of[r->key] - 1;
		at = r->chain ? place_chain(b, at, r->chain) : frame_child(b, at, r->leaf);
		n = &b->stacks->nodes.items[at];
		n->own_samples += r->samples;
		n->own_period += period;
		n->own_waiting += waits ? period : 0;
		n->own_squares += x ? x->squares : 0;
	}
}

static void begin(struct stacks_build *b, struct hist *h)
{
	u32 frames = frames_count(h->chains);

	*b = (struct stacks_build){ .h = h, .stacks = xcalloc(1, sizeof(*b->stacks)) };
	b->passes = xcalloc(frames + 1, sizeof(*b->passes));
	b->root_of = xcalloc((size_t)h->keys.count + 1, sizeof(*b->root_of));
	b->text_of = xcalloc(frames + 1, sizeof(*b->text_of));
	b->runtime = xcalloc(frames + 1, sizeof(*b->runtime));
	b->tree = chains_tree(h->chains, h->ctx);
	vec_push(&b->stacks->nodes, (struct stack_node){ .kind = STACK_KEY });
	for (u32 i = 0; i < frames; i++)
		b->passes[i] = hist_frame_passes(h, hist_frame(h, i));
}

static struct hist_stacks *finish(struct stacks_build *b)
{
	total(b->stacks);
	link_children(b->stacks);
	free(b->passes);
	free(b->root_of);
	free(b->text_of);
	free(b->runtime);
	map64_release(&b->child);
	map64_release(&b->placed);
	vec_release(&b->path);
	return b->stacks;
}

struct hist_stacks *hist_stacks_new(struct hist *h, const struct event *ev,
				    const struct hist_times *times)
{
	struct stacks_build b;

	begin(&b, h);
	add_rows(&b, ev->index, times, false);
	return finish(&b);
}

struct hist_stacks *hist_stacks_of_times(struct hist *h, const struct hist_times *t)
{
	struct stacks_build b;

	begin(&b, h);
	if (t->ran)
		add_rows(&b, t->ran->index, t, false);
	add_rows(&b, t->waited->index, t, true);
	return finish(&b);
}

u64 hist_stacks_unknown(const struct hist_stacks *f)
{
	bool *unknown = xcalloc(f->nodes.count + 1, sizeof(*unknown));
	u64 sum = 0;

	for (size_t i = 1; i < f->nodes.count; i++) {
		const struct stack_node *n = &f->nodes.items[i];

		unknown[i] = unknown[n->parent] ||
			     (n->kind != STACK_KEY &&
			      !strcmp(strtab_get(&f->names, n->name), "[unknown]"));
		sum += unknown[i] ? n->own_samples : 0;
	}
	free(unknown);
	return sum;
}

void hist_stacks_free(struct hist_stacks *f)
{
	if (!f)
		return;
	vec_release(&f->nodes);
	strtab_release(&f->names);
	free(f);
}
