// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorts by numbers, a byte at a time from the last one on, without comparisons; and sorts by
 * comparison. Both use all threads: each sorts a piece, then pairs of pieces are merged. Two
 * threads merge each pair, one from the front and one from the back. The comparison has to be a
 * total order, so the result does not depend on the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "hist/internal.h"

enum { WORTH_A_THREAD = 4096 }; /* items */

struct sorting {
	size_t size;
	int (*cmp)(const void *a, const void *b, void *arg);
	void *arg;
	unsigned words; /* how many numbers to sort pieces by; 0 means by cmp() */
};

static void sort_words(void *items, size_t count, size_t size, unsigned words);

/* A piece to sort, or two neighbours to merge: the first or the last half of the result. */
struct part {
	const struct sorting *s;
	char *from, *to;     /* to: for the merged items */
	size_t count, first; /* first: of the left neighbour */
	bool from_back;
};

static void *sort_part(void *arg)
{
	const struct part *p = arg;

	if (p->s->words)
		sort_words(p->from, p->count, p->s->size, p->s->words);
	else
		qsort_r(p->from, p->count, p->s->size, p->s->cmp, p->s->arg);
	return NULL;
}

static void merge_front(const struct part *p, size_t most)
{
	size_t size = p->s->size;
	const char *a = p->from, *a_end = a + p->first * size, *b = a_end,
		   *b_end = p->from + p->count * size;
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
		bool left = b == b_begin ||
			    (a != a_begin && p->s->cmp(a - size, b - size, p->s->arg) > 0);
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
	void *args[2 * HIST_MAX_THREADS] = { NULL };

	for (unsigned i = 0; i < count; i++)
		args[i] = &parts[i];
	hist_run_threads(count, fn, args);
}

/*
 * Merges pairs of neighbouring pieces. starts[0..pieces] are the beginnings of the pieces and the
 * end; there are half as many afterwards. Returns their number.
 */
static unsigned merge_pairs(const struct sorting *s, char *from, char *to, size_t *starts,
			    unsigned pieces)
{
	struct part parts[2 * HIST_MAX_THREADS];
	unsigned count = 0, left = 0;

	for (unsigned i = 0; i < pieces; i += 2) {
		size_t middle = starts[i + 1], end = i + 2 <= pieces ? starts[i + 2] : middle;
		struct part p = {
			.s = s,
			.from = from + starts[i] * s->size,
			.to = to + starts[i] * s->size,
			.count = end - starts[i],
			.first = middle - starts[i],
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

/* Sorts in at least two pieces. */
static void sort_in_pieces(const struct sorting *sorting, void *items, size_t count,
			   unsigned pieces)
{
	const struct sorting s = *sorting;
	size_t size = s.size;
	struct part parts[HIST_MAX_THREADS];
	size_t starts[HIST_MAX_THREADS + 1];
	char *from = items, *spare, *to;

	for (unsigned i = 0; i <= pieces; i++)
		starts[i] = count * i / pieces;
	for (unsigned i = 0; i < pieces; i++)
		parts[i] = (struct part){ .s = &s,
					  .from = from + starts[i] * size,
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

void hist_sort(const struct hist *h, void *items, size_t count, size_t size,
	       int (*cmp)(const void *a, const void *b, void *arg), void *arg)
{
	const struct sorting s = { .size = size, .cmp = cmp, .arg = arg };
	unsigned pieces = hist_threads(h, count / WORTH_A_THREAD);

	if (pieces > 1)
		sort_in_pieces(&s, items, count, pieces);
	else if (count > 1)
		qsort_r(items, count, size, cmp, arg);
}

/* ---- by numbers ---- */

enum { DIGITS = sizeof(u64), DIGIT_VALUES = 256, WORTH_DIGITS = 128 /* items */ };

struct by_words {
	unsigned words;
};

static int compare_words(const void *pa, const void *pb, void *arg)
{
	const u64 *a = pa, *b = pb;
	const struct by_words *s = arg;

	for (unsigned i = 0; i < s->words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* What is moved instead of an item: the current word, and the item's place. */
struct worded {
	u64 word;
	u32 at;
};

/* Does one pass: sorts by a byte of the word, given the counts of its values. */
static void sort_digit(const struct worded *from, struct worded *to, size_t count, unsigned digit,
		       const size_t *counts)
{
	size_t at[DIGIT_VALUES], sum = 0;

	for (unsigned v = 0; v < DIGIT_VALUES; v++) {
		at[v] = sum;
		sum += counts[v];
	}
	for (size_t i = 0; i < count; i++)
		to[at[(u8)(from[i].word >> 8 * digit)]++] = from[i];
}

/* Bits in which the words are not all alike. */
static u64 bits_that_differ(const struct worded *items, size_t count)
{
	u64 differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= items[i].word ^ items[0].word;
	return differ;
}

/* Sorts by one word, from its last byte on; skips bytes that are alike in all. */
static void sort_word(struct worded **items, struct worded **spare, size_t count)
{
	u64 differ = bits_that_differ(*items, count);

	for (unsigned d = 0; d < DIGITS; d++) {
		size_t counts[DIGIT_VALUES] = { 0 };
		struct worded *was = *items;

		if (!(u8)(differ >> 8 * d))
			continue;
		for (size_t i = 0; i < count; i++)
			counts[(u8)(was[i].word >> 8 * d)]++;
		sort_digit(was, *spare, count, d, counts);
		*items = *spare;
		*spare = was;
	}
}

static void sort_words(void *items, size_t count, size_t size, unsigned words)
{
	struct worded *order, *spare;
	char *sorted;

	if (count < WORTH_DIGITS) {
		if (count > 1)
			qsort_r(items, count, size, compare_words, &(struct by_words){ words });
		return;
	}
	order = xreallocarray(NULL, count, sizeof(*order));
	spare = xreallocarray(NULL, count, sizeof(*spare));
	for (size_t i = 0; i < count; i++)
		order[i].at = (u32)i;
	for (unsigned word = words; word-- > 0;) {
		for (size_t i = 0; i < count; i++)
			order[i].word = ((const u64 *)(const void *)((char *)items +
								     order[i].at * size))[word];
		sort_word(&order, &spare, count);
	}
	free(spare);
	sorted = xreallocarray(NULL, count, size);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, (char *)items + order[i].at * size, size);
	memcpy(items, sorted, count * size);
	free(sorted);
	free(order);
}

void hist_sort_words(const struct hist *h, void *items, size_t count, size_t size, unsigned words)
{
	struct by_words by = { words };
	const struct sorting s = { .size = size, .cmp = compare_words, .arg = &by, .words = words };
	unsigned pieces = hist_threads(h, count / WORTH_A_THREAD);

	if (words && pieces > 1)
		sort_in_pieces(&s, items, count, pieces);
	else if (words)
		sort_words(items, count, size, words);
}
