// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call chains of an entry as text: a line for each function, with its share of the
 * entry's samples, under the one that it called (or, outermost first, that called it).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "builtin/c2c/side.h"

struct path { /* one chain, in the order in which it is shown */
	const char **names;
	size_t count;
	u64 samples;
};

struct drawing {
	const struct c2c_side *side;
	const char *indent;
	u64 all;
	struct strbuf *b;
};

static const char *name_of(const struct c2c_side *s, frame_id id)
{
	const struct frame *f = chain_frame(s->chains, id);

	if (f->symbol == NO_SYMBOL)
		return "[unknown]";
	return symbol_get(symbols_of(session_symbols(s->session), f->image), f->symbol)->name;
}

static struct path path_of(const struct c2c_side *s, const struct c2c_chain *chain)
{
	struct path p = { .samples = chain->samples };
	const frame_id *frames = chain_recorded(s->chains, chain->id, &p.count);

	p.names = xcalloc(p.count + 1, sizeof(*p.names));
	for (size_t i = 0; i < p.count; i++)
		p.names[i] = name_of(s, frames[s->callers.caller ? p.count - 1 - i : i]);
	return p;
}

static int by_names(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;

	for (size_t i = 0; i < a->count && i < b->count; i++) {
		int c = strcmp(a->names[i], b->names[i]);

		if (c)
			return c;
	}
	return a->count < b->count ? -1 : a->count > b->count;
}

struct branch {
	size_t from, to;
	u64 samples;
};

static int largest_first(const void *pa, const void *pb)
{
	const struct branch *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void line(const struct drawing *d, size_t depth, const char *name, u64 samples)
{
	strbuf_str(d->b, d->indent);
	strbuf_pad(d->b, ' ', (int)MIN(depth, 100) * 2);
	strbuf_f(d->b, "%6.2f%%  ", 100.0 * (double)samples / (double)d->all);
	strbuf_printable(d->b, name);
	strbuf_char(d->b, '\n');
}

/*
 * Draws the paths in [from, to), whose first `depth` names are the same. Chains are at most a few
 * hundred deep.
 */
static void draw(const struct drawing *d, const struct path *paths, size_t from, size_t to,
		 size_t depth)
{
	VEC(struct branch) branches = VEC_INIT;

	for (size_t i = from; i < to; i++) {
		struct branch *last = branches.count ? vec_last(&branches) : NULL;

		if (paths[i].count <= depth)
			continue;
		if (last && !strcmp(paths[last->from].names[depth], paths[i].names[depth])) {
			last->to = i + 1;
			last->samples += paths[i].samples;
		} else {
			vec_push(&branches, (struct branch){ i, i + 1, paths[i].samples });
		}
	}
	if (branches.count)
		qsort(branches.items, branches.count, sizeof(*branches.items), largest_first);
	vec_for_each(&branches, br) {
		if (100.0 * (double)br->samples < d->side->callers.least * (double)d->all)
			break;
		line(d, depth, paths[br->from].names[depth], br->samples);
		draw(d, paths, br->from, br->to, depth + 1);
	}
	vec_release(&branches);
}

static size_t first_chain(const struct c2c_side *s, const struct c2c_entry *e)
{
	return lower_bound(i, 0, s->by_chain.count, s->by_chain.items[i].e < e);
}

void side_callers(const struct c2c_side *s, const struct c2c_entry *e, const char *indent,
		  struct strbuf *b)
{
	VEC(struct path) paths = VEC_INIT;
	struct drawing d = { .side = s, .indent = indent, .b = b };

	for (size_t i = first_chain(s, e); i < s->by_chain.count && s->by_chain.items[i].e == e;
	     i++) {
		vec_push(&paths, path_of(s, &s->by_chain.items[i]));
		d.all += s->by_chain.items[i].samples;
	}
	if (paths.count) {
		qsort(paths.items, paths.count, sizeof(*paths.items), by_names);
		draw(&d, paths.items, 0, paths.count, 0);
	}
	vec_for_each(&paths, p)
		free(p->names);
	vec_release(&paths);
}
