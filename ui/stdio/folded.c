// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded stacks: "comm;outer;..;inner COUNT", a line for each chain. */
#include <string.h>

#include "ui/stdio/folded.h"

struct drawing {
	const struct folded *set;
	const struct hist_stacks *f;
	struct out *out;
	struct strbuf line; /* the frames so far */
};

/*
 * Returns the mark that stackcollapse-perf.pl --all writes, by which flamegraph.pl chooses colours.
 */
static const char *mark_of(enum stack_kind kind)
{
	return kind == STACK_KERNEL ? "_[k]" : kind == STACK_INLINED ? "_[i]" : "";
}

static void put_line(struct drawing *d, const struct stack_node *n)
{
	struct strbuf *b = out_buf(d->out);

	strbuf_add(b, strbuf_cstr(&d->line), d->line.len);
	strbuf_char(b, ' ');
	strbuf_dec(b, d->set->periods ? n->own_period : n->own_samples);
	strbuf_char(b, '\n');
	out_done(d->out);
}

static bool is_large(const struct drawing *d, const struct stack_node *n)
{
	double all = (double)d->f->nodes.items[0].period;

	return d->set->limit <= 0 || (double)n->period * 100.0 >= d->set->limit * all;
}

/*
 * Adds the lines of a node and its children. Every node adds its own name to the line and takes it
 * off again.
 */
static void put_node(struct drawing *d, u32 at)
{
	const struct stack_node *n = &d->f->nodes.items[at];
	size_t before = d->line.len;

	if (at) {
		if (d->line.len)
			strbuf_char(&d->line, ';');
		strbuf_str(&d->line, strtab_get(&d->f->names, n->name));
		strbuf_str(&d->line, d->set->marks ? mark_of(n->kind) : "");
	}
	if (n->own_samples)
		put_line(d, n);
	for (u32 c = n->child; c; c = d->f->nodes.items[c].next)
		if (is_large(d, &d->f->nodes.items[c]))
			put_node(d, c);
	strbuf_truncate(&d->line, before);
}

void stdio_folded(const struct folded *set, const struct hist_stacks *f, struct out *out)
{
	struct drawing d = { .set = set, .f = f, .out = out };

	if (set->root)
		strbuf_printable(&d.line, set->root);
	put_node(&d, 0);
	strbuf_release(&d.line);
}
