// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the symbol of every distinct frame, once, on several threads. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/perf_abi.h"
#include "base/threads.h"
#include "chain/chain.h"
#include "chain/internal.h"

enum { NAMES = 256, BATCHES_WORTH_A_THREAD = 4 };

struct crew {
	struct context *ctx;
	size_t count, batch;
	void (*work)(void *arg, size_t from, size_t to);
	void *arg;
	atomic_size_t next;
};

static void *take_batches(void *arg)
{
	struct crew *crew = arg;

	for (;;) {
		size_t at = atomic_fetch_add(&crew->next, crew->batch);

		if (at >= crew->count || context_cancelled(crew->ctx))
			return NULL;
		crew->work(crew->arg, at, MIN(at + crew->batch, crew->count));
	}
}

static unsigned threads_for(const struct context *ctx, size_t batches)
{
	size_t n = MIN(context_workers(ctx), batches / BATCHES_WORTH_A_THREAD + 1);

	return (unsigned)MIN(n, (size_t)MOST_THREADS);
}

void chain_in_parallel(struct context *ctx, size_t count, size_t batch,
		       void (*work)(void *arg, size_t from, size_t to), void *arg)
{
	struct crew crew = { .ctx = ctx, .count = count, .batch = batch, .work = work, .arg = arg };
	void *args[MOST_THREADS];
	unsigned want = threads_for(ctx, count / batch);

	atomic_init(&crew.next, 0);
	for (unsigned i = 0; i < want; i++)
		args[i] = &crew;
	threads_run(want, take_batches, args);
}

struct naming {
	struct chains *chains;
	struct symbol_store *symbols;
	bool correct;
	struct line_store *lines; /* NULL: open none */
	bool *opened;             /* by image; atomic */
	u32 images;
};

static void name_frame(const struct naming *n, struct frame *f)
{
	const struct symbol_table *t;
	u64 offset = f->offset;

	if (n->correct && f->is_return && offset)
		offset--;
	t = symbols_of(n->symbols, f->image);
	f->symbol = f->image ? symbol_find(t, offset) : NO_SYMBOL;
	f->named = true;
}

static void open_lines(const struct naming *n, const struct frame *f)
{
	if (f->cpumode != PERF_RECORD_MISC_USER || !f->image || f->image >= n->images)
		return;
	if (!__atomic_load_n(&n->opened[f->image], __ATOMIC_RELAXED) &&
	    !__atomic_exchange_n(&n->opened[f->image], true, __ATOMIC_RELAXED))
		lines_open(n->lines, f->image);
}

static void name_some(void *arg, size_t from, size_t to)
{
	const struct naming *n = arg;

	for (size_t i = from; i < to; i++) {
		struct frame *f = &n->chains->frames.items[i];

		if (!f->named)
			name_frame(n, f);
		if (n->lines)
			open_lines(n, f);
	}
}

void chains_name(struct chains *c, struct context *ctx, struct symbol_store *symbols, bool correct,
		 struct line_store *lines)
{
	struct naming n = { .chains = c, .symbols = symbols, .correct = correct };
	size_t left = 0;

	vec_for_each(&c->frames, f) {
		left += !f->named;
		n.images = MAX(n.images, f->image + 1);
	}
	if (left < NAMES) {
		name_some(&n, 0, c->frames.count);
		return;
	}
	if (lines && context_workers(ctx) > 1) {
		n.lines = lines;
		n.opened = xcalloc(n.images + 1, sizeof(*n.opened));
	}
	chain_in_parallel(ctx, c->frames.count, NAMES, name_some, &n);
	free(n.opened);
}

void chains_forget_names(struct chains *c, const bool *renewed)
{
	vec_for_each(&c->frames, f)
		f->named &= !renewed[f->image];
}
