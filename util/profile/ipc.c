// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes instructions per cycle of a function, from its basic blocks. */
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "branch/profile.h"
#include "profile/internal.h"

/* A function's instructions and cycles in basic blocks. */
struct profile_ipc_function {
	u64 start; /* offset in the image */
	double executed, cycles;
	u32 covered, code; /* instructions that blocks ran through; all of them */
};
struct profile_ipc {
	struct annotator *annotator;
	struct map64 by_function; /* image << 32 | symbol -> index */
	VEC(struct profile_ipc_function) list;
};

/* Several threads draw the rows of a table; one thread measures a function. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Measures a function from its blocks, if its code can be read. */
static void measure(struct profile *p, struct profile_ipc_function *f, u32 image, u32 symbol)
{
	struct annotation *n;
	struct reason r = REASON_INIT;
	bool *covered;

	if (annotate_symbol(p->ipc->annotator, image, symbol, &n, &r)) {
		reason_release(&r);
		return;
	}
	covered = xcalloc(n->count + 1, sizeof(*covered));
	vec_for_each(&p->blocks->blocks, it) {
		const struct block *b = *it;
		u64 start = b->start, from, to, here = 0;

		if (b->image != image || b->number != symbol)
			continue;
		from = start - f->start;
		to = b->end - f->start;
		for (u32 i = 0; i < n->count; i++) {
			const struct annotate_line *l = &n->lines[i];

			if (l->kind != ANNOTATE_CODE || l->offset < from || l->offset > to)
				continue;
			covered[i] = true;
			here++;
		}
		f->executed += (double)here * (double)b->count;
		f->cycles += b->sum;
	}
	for (u32 i = 0; i < n->count; i++)
		f->covered += covered[i];
	f->code = n->code_count;
	free(covered);
	annotation_free(n);
}

static struct profile_ipc_function function_of(struct profile *p, u32 image, u32 symbol)
{
	struct annotate_settings set = p->asked->code;
	struct profile_ipc_function *f;
	const struct symbol *s;
	bool added;
	u64 *at;

	if (!p->ipc) {
		set.no_source = true;
		p->ipc = xcalloc(1, sizeof(*p->ipc));
		p->ipc->annotator = annotate_open(p->session, &set);
	}
	at = map64_put(&p->ipc->by_function, (u64)image << 32 | symbol, &added);
	if (!added)
		return p->ipc->list.items[*at];
	*at = p->ipc->list.count;
	s = symbol_get(symbols_of(session_symbols(p->session), image), symbol);
	vec_push(&p->ipc->list, (struct profile_ipc_function){ .start = s->start });
	f = vec_last(&p->ipc->list);
	vec_for_each(&p->blocks->blocks, b)
		if ((*b)->image == image && (*b)->number == symbol) {
			measure(p, f, image, symbol);
			break;
		}
	return *f;
}

bool profile_ipc(void *arg, u32 image, u32 symbol, struct hist_ipc *out)
{
	struct profile_ipc_function f;

	pthread_mutex_lock(&lock);
	f = function_of(arg, image, symbol);
	pthread_mutex_unlock(&lock);
	out->ipc = f.cycles > 0 ? f.executed / f.cycles : 0;
	out->coverage = f.code ? 100.0 * (double)f.covered / (double)f.code : 0;
	return f.cycles > 0;
}

void profile_ipc_release(struct profile *p)
{
	if (!p->ipc)
		return;
	annotator_free(p->ipc->annotator);
	map64_release(&p->ipc->by_function);
	vec_release(&p->ipc->list);
	free(p->ipc);
	p->ipc = NULL;
}
