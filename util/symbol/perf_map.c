// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf-PID.map: "START SIZE name" a line, in hex, appended by a JIT compiler as it works. There are
 * no times in it: where code was replaced, the later line is right.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/internal.h"

static bool parse_hex_word(char **p, char *end, u64 *out)
{
	char *s = *p, *stop;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s == end || *s == '-' || *s == '+')
		return false;
	*out = strtoull(s, &stop, 16);
	*p = stop;
	return stop > s && stop < end && *stop == ' ';
}

static void parse_line(char *p, char *end, struct symbol_list *l)
{
	u64 start, size;

	*end = '\0';
	if (!parse_hex_word(&p, end, &start) || !parse_hex_word(&p, end, &size) || !size)
		return;
	p++;
	if (p < end && end[-1] == '\r')
		end[-1] = '\0';
	if (*p)
		symbol_list_add(l, start, size, STB_GLOBAL, p, NAME_FINAL);
}

struct span {
	u64 start, end;
	u32 line;
};

static int by_start(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* A max-heap by line: the spans that are open at the sweep's position. */
struct open_spans {
	VEC(struct span) heap;
};

static void heap_down(struct span *h, size_t n, size_t i)
{
	for (;;) {
		size_t c = 2 * i + 1;
		struct span t;

		if (c >= n)
			return;
		if (c + 1 < n && h[c + 1].line > h[c].line)
			c++;
		if (h[i].line >= h[c].line)
			return;
		t = h[i];
		h[i] = h[c];
		h[c] = t;
		i = c;
	}
}

static void heap_push(struct open_spans *o, struct span s)
{
	size_t i = o->heap.count;

	vec_push(&o->heap, s);
	while (i && o->heap.items[(i - 1) / 2].line < o->heap.items[i].line) {
		struct span t = o->heap.items[i];

		o->heap.items[i] = o->heap.items[(i - 1) / 2];
		o->heap.items[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

static void heap_pop(struct open_spans *o)
{
	o->heap.items[0] = *vec_last(&o->heap);
	o->heap.count--;
	heap_down(o->heap.items, o->heap.count, 0);
}

/* Appends [start, end) of line, or lengthens the last piece of the same line. */
static void emit(struct symbol_list *out, const struct symbol *lines, u32 line, u64 start, u64 end)
{
	struct symbol *last = out->list.count ? vec_last(&out->list) : NULL;

	if (start >= end)
		return;
	if (last && symbol_end(last) == start && last->name == lines[line].name) {
		symbol_set_end(last, end);
		return;
	}
	symbol_list_add(out, start, end - start, STB_GLOBAL, lines[line].name, NAME_FINAL);
}

/* Emits open spans up to limit: the latest line first, until it ends. */
static void advance(struct open_spans *o, const struct symbol *lines, u64 *at, u64 limit,
		    struct symbol_list *out)
{
	while (o->heap.count && *at < limit) {
		const struct span *top = &o->heap.items[0];
		u64 end = MIN(top->end, limit);

		if (end > *at) {
			emit(out, lines, top->line, *at, end);
			*at = end;
		}
		if (top->end <= *at)
			heap_pop(o);
	}
	*at = limit;
}

static u64 settle_overlaps(struct symbol_list *l)
{
	size_t n = l->list.count;
	struct symbol *lines = l->list.items;
	struct span *spans = xreallocarray(NULL, n, sizeof(*spans));
	struct open_spans open = { VEC_INIT };
	struct symbol_list out = { VEC_INIT };
	u64 at = 0, reach = 0, overlaps = 0;

	for (size_t i = 0; i < n; i++)
		spans[i] = (struct span){ lines[i].start, symbol_end(&lines[i]), (u32)i };
	qsort(spans, n, sizeof(*spans), by_start);
	for (size_t i = 0; i < n; i++) {
		overlaps += i && spans[i].start < reach;
		reach = MAX(reach, spans[i].end);
		advance(&open, lines, &at, spans[i].start, &out);
		heap_push(&open, spans[i]);
	}
	advance(&open, lines, &at, UINT64_MAX, &out);
	free(spans);
	vec_release(&open.heap);
	vec_release(&l->list);
	*l = out;
	return overlaps;
}

u64 perf_map_parse(char *text, size_t size, struct symbol_list *l)
{
	char *p = text, *end = text + size;

	while (p < end) {
		char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end; /* text has one more byte, a NUL */
		parse_line(p, eol, l);
		p = eol + 1;
	}
	return settle_overlaps(l);
}
