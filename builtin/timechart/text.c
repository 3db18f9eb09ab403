// SPDX-License-Identifier: GPL-2.0-or-later
/* Text of lanes, by several threads: runs of lanes, whose texts are put together in order. */
#include "base/threads.h"
#include "builtin/timechart/draw.h"

enum { LANES = 16 /* of one thread at a time */ };

struct texts {
	const struct drawing *d;
	void (*make)(void *arg, size_t from, size_t until, struct strbuf *b);
	void *arg;
	size_t most, made; /* bytes; made is atomic */
	struct strbuf *pieces;
};

static void make_piece(void *arg, size_t piece)
{
	struct texts *t = arg;
	struct strbuf *b = &t->pieces[piece];

	if (__atomic_load_n(&t->made, __ATOMIC_RELAXED) > t->most)
		return;
	t->make(t->arg, piece * LANES, MIN((piece + 1) * LANES, t->d->lanes.count), b);
	__atomic_fetch_add(&t->made, b->len, __ATOMIC_RELAXED);
}

bool lanes_to_text(const struct drawing *d,
		   void (*make)(void *arg, size_t from, size_t until, struct strbuf *b), void *arg,
		   size_t most, struct strbuf *b)
{
	size_t count = (d->lanes.count + LANES - 1) / LANES;
	struct texts t = { .d = d, .make = make, .arg = arg, .most = most };

	t.pieces = xcalloc(count + 1, sizeof(*t.pieces));
	threads_in_pieces(d->s->chart.threads, count, make_piece, &t);
	for (size_t i = 0; i < count; i++) {
		strbuf_add(b, strbuf_cstr(&t.pieces[i]), t.pieces[i].len);
		strbuf_release(&t.pieces[i]);
	}
	free(t.pieces);
	return t.made <= most;
}
