// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbol of every distinct frame, looked up once, by several threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "chain/chain.h"
#include "chain/internal.h"

enum { NAMES = 256, BATCHES_WORTH_A_THREAD = 4, MAX_THREADS = 64 };

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

	return (unsigned)MIN(n, (size_t)MAX_THREADS);
}

void chain_in_parallel(struct context *ctx, size_t count, size_t batch,
		       void (*work)(void *arg, size_t from, size_t to), void *arg)
{
	struct crew crew = { .ctx = ctx, .count = count, .batch = batch, .work = work, .arg = arg };
	unsigned want = threads_for(ctx, count / batch), started = 0;
	pthread_t threads[MAX_THREADS];

	atomic_init(&crew.next, 0);
	/* When a thread cannot be started, the others only work longer. */
	while (started + 1 < want && !pthread_create(&threads[started], NULL, take_batches, &crew))
		started++;
	take_batches(&crew);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

struct naming {
	struct chains *chains;
	struct symbol_store *symbols;
	bool correct;
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

static void name_some(void *arg, size_t from, size_t to)
{
	const struct naming *n = arg;

	for (size_t i = from; i < to; i++)
		if (!n->chains->frames.items[i].named)
			name_frame(n, &n->chains->frames.items[i]);
}

void chains_name(struct chains *c, struct context *ctx, struct symbol_store *symbols, bool correct)
{
	struct naming n = { .chains = c, .symbols = symbols, .correct = correct };

	size_t left = 0;

	vec_for_each(&c->frames, f)
		left += !f->named;
	if (left < NAMES)
		name_some(&n, 0, c->frames.count);
	else
		chain_in_parallel(ctx, c->frames.count, NAMES, name_some, &n);
}

void chains_forget_names(struct chains *c, const bool *renewed)
{
	vec_for_each(&c->frames, f)
		f->named &= !renewed[f->image];
}
