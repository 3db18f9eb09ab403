// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorting by all threads: each sorts a piece, then pairs of pieces are merged, each pair by two
 * threads, one from the front and one from the back.  The comparison has to be a total order, so that
 * the result does not depend on the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

enum { WORTH_A_THREAD = 4096 }; /* items */

struct sorting {
	size_t size;
	int (*cmp)(const void *a, const void *b, void *arg);
	void *arg;
};

/* A piece to sort, or two neighbours to merge: the first or the last half of what comes out. */
struct part {
	const struct sorting *s;
	char *from, *to; /* to: where merged items go */
	size_t count, first; /* first: of the left neighbour */
	bool from_back;
};

static void *sort_part(void *arg)
{
	const struct part *p = arg;

	qsort_r(p->from, p->count, p->s->size, p->s->cmp, p->s->arg);
	return NULL;
}

static void merge_front(const struct part *p, size_t most)
{
	size_t size = p->s->size;
	const char *a = p->from, *a_end = a + p->first * size, *b = a_end, *b_end = p->from + p->count * size;
	char *to = p->to;

	for (; most; most--, to += size) {
		bool left = b == b_end || (a != a_end && p->s->cmp(a, b, p->s->arg) <= 0);
		const char **taken = left ? &a : &b;

		memcpy(to, *taken, size);
		*taken += size;
	}
}

static void merge_back(const struct part *p, size_t most)
{
	size_t size = p->s->size;
	const char *a_begin = p->from, *a = a_begin + p->first * size, *b_begin = a;
	const char *b = p->from + p->count * size;
	char *to = p->to + p->count * size;

	for (; most; most--) {
		bool left = b == b_begin || (a != a_begin && p->s->cmp(a - size, b - size, p->s->arg) > 0);
		const char **taken = left ? &a : &b;

		*taken -= size;
		to -= size;
		memcpy(to, *taken, size);
	}
}

static void *merge_part(void *arg)
{
	const struct part *p = arg;

	if (p->from_back)
		merge_back(p, p->count - p->count / 2);
	else
		merge_front(p, p->count / 2);
	return NULL;
}

static void run(struct part *parts, unsigned count, void *(*fn)(void *arg))
{
	void *args[2 * HIST_MAX_THREADS];

	for (unsigned i = 0; i < count; i++)
		args[i] = &parts[i];
	hist_run_threads(count, fn, args);
}

/* starts[0..pieces]: where the pieces begin, and the end; half as many afterwards. */
static unsigned merge_pairs(const struct sorting *s, char *from, char *to, size_t *starts, unsigned pieces)
{
	struct part parts[2 * HIST_MAX_THREADS];
	unsigned count = 0, left = 0;

	for (unsigned i = 0; i < pieces; i += 2) {
		size_t middle = starts[i + 1], end = i + 2 <= pieces ? starts[i + 2] : middle;
		struct part p = {
			.s = s, .from = from + starts[i] * s->size, .to = to + starts[i] * s->size,
			.count = end - starts[i], .first = middle - starts[i],
		};

		parts[count++] = p;
		p.from_back = true;
		parts[count++] = p;
		starts[left++] = starts[i];
	}
	starts[left] = starts[pieces];
	run(parts, count, merge_part);
	return left;
}

void hist_sort(const struct hist *h, void *items, size_t count, size_t size,
	       int (*cmp)(const void *a, const void *b, void *arg), void *arg)
{
	const struct sorting s = { size, cmp, arg };
	unsigned pieces = hist_threads(h, count / WORTH_A_THREAD);
	struct part parts[HIST_MAX_THREADS];
	size_t starts[HIST_MAX_THREADS + 1];
	char *from = items, *spare, *to;

	if (pieces < 2) {
		if (count > 1)
			qsort_r(items, count, size, cmp, arg);
		return;
	}
	for (unsigned i = 0; i <= pieces; i++)
		starts[i] = count * i / pieces;
	for (unsigned i = 0; i < pieces; i++)
		parts[i] = (struct part){ .s = &s, .from = from + starts[i] * size,
					  .count = starts[i + 1] - starts[i] };
	run(parts, pieces, sort_part);
	to = spare = xreallocarray(NULL, count, size);
	while (pieces > 1) {
		char *was = from;

		pieces = merge_pairs(&s, from, to, starts, pieces);
		from = to;
		to = was;
	}
	if (from != items)
		memcpy(items, from, count * size);
	free(spare);
}
