// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the source lines of every distinct frame, and the functions inlined there, once, on several
 * threads. One thread then makes new frames for what was found.
 */
#include <stdlib.h>
#include <string.h>

#include "base/perf_abi.h"
#include "chain/chain.h"
#include "chain/internal.h"

enum {
	MOST = 64,  /* how deep functions may be inlined into one another */
	BATCH = 16, /* few, because one address may require reading a unit */
};

struct found {
	u32 count;
	struct source_frame *frames; /* innermost first */
	bool busy;                   /* looked up later */
};

struct search {
	struct chains *chains;
	struct line_store *lines;
	const struct frame_lines *o;
	struct found *found; /* by frame */
};

static bool is_users(const struct frame *f)
{
	return f->cpumode == PERF_RECORD_MISC_USER || f->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

/* Looks up one frame. Returns false if another thread reads what it needs, and wait is not set. */
static bool find_one(const struct search *s, size_t i, bool wait)
{
	const struct frame *f = &s->chains->frames.items[i];
	struct source_frame list[MOST];
	u64 offset = f->offset;
	u32 n;

	if (!f->image || (!s->o->kernel && !is_users(f)))
		return true;
	if (s->o->correct && f->is_return && offset)
		offset--;
	n = lines_ask(s->lines, f->image, offset, list, MOST,
		      (wait ? 0 : LINES_NO_WAIT) | (s->o->sources ? 0 : LINES_CALLS_ALONE));
	if (n == LINES_BUSY)
		return false;
	n = MIN(n, (u32)MOST);
	if (n > 1 || (n && s->o->sources))
		s->found[i] = (struct found){ n, xmemdup(list, n * sizeof(*list)) };
	return true;
}

/*
 * Looks up some frames. Leaves what another thread reads to later passes, so the first thread that
 * needs a unit reads it.
 */
static void find_some(void *arg, size_t from, size_t to)
{
	const struct search *s = arg;

	for (size_t i = from; i < to; i++)
		if (s->found[i].busy)
			s->found[i].busy = !find_one(s, i, false);
}

static void find_left(void *arg, size_t from, size_t to)
{
	const struct search *s = arg;

	for (size_t i = from; i < to; i++)
		if (s->found[i].busy)
			find_one(s, i, true);
}

/* Numbers of what was made already, by hash. */
struct builder {
	struct chains *c;
	struct symbol_store *symbols;
	struct map64 sources, functions;
};

static u32 add_source(struct builder *b, const struct source_frame *s)
{
	u32 file;
	bool added;
	u64 *slot;

	if (!s->file)
		return 0;
	file = strtab_add(&b->c->texts, s->file);
	slot = map64_put(&b->sources, (u64)file << 32 | s->line, &added);
	if (added) {
		*slot = b->c->sources.count;
		vec_push(&b->c->sources, (struct frame_source){
						 .file = strtab_get(&b->c->texts, file),
						 .line = s->line,
					 });
	}
	return (u32)*slot;
}

/* Adds an inlined function, once for each name and place. Returns its number. */
static u32 add_inlined(struct builder *b, const struct frame *f, const char *name)
{
	const struct symbol *base =
		f->symbol == NO_SYMBOL ? NULL
				       : symbol_get(symbols_of(b->symbols, f->image), f->symbol);
	u64 start = base ? base->start : f->offset, end = base ? symbol_end(base) : f->offset;
	u32 text;
	bool added;
	u64 *slot;

	if (!name)
		name = base ? base->name : "??";
	text = strtab_add(&b->c->texts, name);
	slot = map64_put(&b->functions, hash_combine((u64)f->image << 32 | text, start), &added);
	if (added) {
		*slot = b->c->inlined.count;
		vec_push(&b->c->inlined, (struct symbol){
						 .start = start,
						 .name = strtab_get(&b->c->texts, text),
					 });
		symbol_set_end(vec_last(&b->c->inlined), end);
	}
	return (u32)*slot;
}

static const u32 *make_run(struct builder *b, frame_id id, const struct found *found,
			   struct arena *memory)
{
	u32 *run = arena_alloc(memory, (found->count + 1) * sizeof(*run));
	struct frame f = b->c->frames.items[id];

	run[0] = found->count;
	for (u32 i = 0; i < found->count; i++) {
		const struct source_frame *s = &found->frames[found->count - 1 - i];
		struct frame part = f;

		part.source = add_source(b, s);
		if (s->is_inlined)
			part.inlined = add_inlined(b, &f, s->function);
		run[i + 1] = frame_push(b->c, &part); /* frames_fold() joins equal ones */
	}
	return run;
}

/*
 * Keeps the lines that were found: a frame gets that of its address, and keeps its place in the
 * table.
 */
static void keep_found(struct builder *b, const struct search *s, struct frame_runs *runs)
{
	vec_push_zero(&b->c->inlined);
	vec_push_zero(&b->c->sources);
	for (u32 i = 0; i < runs->frames; i++) {
		const struct found *found = &s->found[i];
		const struct frame *f = &b->c->frames.items[i];

		if (found->count > 1 && s->o->inlines && is_users(f))
			runs->of[i] = make_run(b, i, found, &runs->memory);
	}
	/* last, since until then a frame in the table must stay as it was added */
	for (u32 i = 0; s->o->sources && i < runs->frames; i++)
		if (s->found[i].count)
			b->c->frames.items[i].source = add_source(b, &s->found[i].frames[0]);
}

void chains_lines(struct chains *c, struct context *ctx, struct line_store *lines,
		  struct symbol_store *symbols, const struct frame_lines *o,
		  struct frame_runs *runs)
{
	struct search s = { .chains = c, .lines = lines, .o = o };
	struct builder b = { .c = c, .symbols = symbols };

	*runs = (struct frame_runs){ .frames = (u32)c->frames.count };
	runs->of = xcalloc(c->frames.count + 1, sizeof(*runs->of));
	s.found = xcalloc(c->frames.count + 1, sizeof(*s.found));
	for (size_t i = 0; i < c->frames.count; i++)
		s.found[i].busy = true;
	/* the first pass opens the objects, which much of their content waits for */
	chain_in_parallel(ctx, c->frames.count, BATCH, find_some, &s);
	chain_in_parallel(ctx, c->frames.count, BATCH, find_some, &s);
	chain_in_parallel(ctx, c->frames.count, BATCH, find_left, &s);
	keep_found(&b, &s, runs);
	for (u32 i = 0; i < runs->frames; i++)
		free(s.found[i].frames);
	free(s.found);
	map64_release(&b.sources);
	map64_release(&b.functions);
}

void frame_runs_release(struct frame_runs *runs)
{
	free(runs->of);
	arena_release(&runs->memory);
	*runs = (struct frame_runs){ 0 };
}
