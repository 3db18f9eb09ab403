// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbol of every distinct frame, looked up once, by several threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "chain/chain.h"
#include "chain/internal.h"

enum { BATCH = 256, WORTH_A_THREAD = 4 * BATCH, MAX_THREADS = 64 };

struct naming {
	struct chains *chains;
	struct context *ctx;
	struct symbol_store *symbols;
	bool correct;
	atomic_size_t next;
};

static void name_frame(const struct naming *n, struct frame *f)
{
	const struct symbol_table *t;
	u64 offset = f->offset;

	if (f->is_inlined)
		return;
	if (n->correct && f->is_return && offset)
		offset--;
	t = symbols_of(n->symbols, f->image);
	f->symbol = f->image ? symbol_find(t, offset) : NO_SYMBOL;
}

static void *name_some(void *arg)
{
	struct naming *n = arg;
	size_t count = n->chains->frames.count;

	for (;;) {
		size_t at = atomic_fetch_add(&n->next, BATCH);

		if (at >= count || context_cancelled(n->ctx))
			return NULL;
		for (size_t i = at; i < MIN(at + BATCH, count); i++)
			name_frame(n, &n->chains->frames.items[i]);
	}
}

static unsigned threads_for(const struct context *ctx, size_t frames)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = ctx->workers ? ctx->workers : (size_t)MAX(cpus, 1);

	n = MIN(n, frames / WORTH_A_THREAD + 1);
	return (unsigned)MIN(n, (size_t)MAX_THREADS);
}

void chains_name(struct chains *c, struct context *ctx, struct symbol_store *symbols, bool correct)
{
	struct naming n = { .chains = c, .ctx = ctx, .symbols = symbols, .correct = correct };
	unsigned want = threads_for(ctx, c->frames.count), started = 0;
	pthread_t threads[MAX_THREADS];

	atomic_init(&n.next, 0);
	/* A thread that cannot be had only makes the others work longer. */
	while (started + 1 < want && !pthread_create(&threads[started], NULL, name_some, &n))
		started++;
	name_some(&n);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
