// SPDX-License-Identifier: GPL-2.0-or-later
/* Collects blocks and streams from branch stacks. */
#include "branch/profile.h"

#include <stdlib.h>
#include <string.h>

static u64 *grow_to(struct branch_list *l, u32 index)
{
	while (l->list.count <= index)
		vec_push(&l->list, 0);
	return &l->list.items[index];
}

struct branch_profile *branch_profile_new(struct session *s, struct line_store *lines, bool streams)
{
	struct branch_profile *p = xcalloc(1, sizeof(*p));

	p->session = s;
	p->lines = lines;
	p->streams_wanted = streams;
	return p;
}

static void free_block(struct block *b)
{
	free(b->key);
	free(b->dso);
	free(b->symbol);
	free(b->range);
	vec_release(&b->values);
	free(b);
}

static void free_stream(struct stream *s)
{
	free(s->key);
	vec_for_each(&s->places, t)
		free(*t);
	vec_release(&s->places);
	free(s);
}

void branch_profile_free(struct branch_profile *p)
{
	if (!p)
		return;
	vec_for_each(&p->blocks, b)
		free_block(*b);
	vec_release(&p->blocks);
	vec_for_each(&p->streams, s)
		free_stream(*s);
	vec_release(&p->streams);
	strmap_release(&p->block_by_key);
	strmap_release(&p->stream_by_key);
	strmap_release(&p->symbol_period);
	vec_release(&p->samples.list);
	vec_release(&p->period.list);
	vec_release(&p->cycles.list);
	strbuf_release(&p->key);
	strbuf_release(&p->text);
	vec_release(&p->branches);
	free(p);
}

u64 branch_profile_samples(const struct branch_profile *p, u32 event)
{
	return event < p->samples.list.count ? p->samples.list.items[event] : 0;
}

u64 branch_profile_period(const struct branch_profile *p, u32 event)
{
	return event < p->period.list.count ? p->period.list.items[event] : 0;
}

u64 branch_profile_cycles(const struct branch_profile *p, u32 event)
{
	return event < p->cycles.list.count ? p->cycles.list.items[event] : 0;
}

const struct block *branch_profile_block(const struct branch_profile *p, u32 event, const char *key)
{
	struct strbuf full = STRBUF_INIT;
	const u64 *at;

	strbuf_f(&full, "%" PRIu32 "\n%s", event, key);
	at = strmap_get(&p->block_by_key, strbuf_cstr(&full));
	strbuf_release(&full);
	return at ? p->blocks.items[*at] : NULL;
}

/* ---- places ---- */

struct place {
	struct location at;
	const struct image *image;
	const struct symbol *symbol; /* NULL: none */
	u32 number;                  /* the symbol's */
	u64 addr;
	bool kernel;
};

static bool find_place(struct branch_profile *p, const struct session_sample *s, u64 addr,
		       struct place *out)
{
	const struct symbol_table *t;
	/*
	 * The half of the address space. It is found for each end, since a branch can lead from one
	 * to the other.
	 */
	u8 mode = addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	*out = (struct place){ .addr = addr, .kernel = addr >> 63 };
	if (!history_locate(session_history(p->session), s->task, mode, addr, &s->key, &out->at))
		return false;
	out->image = image_get(session_images(p->session), out->at.image);
	t = symbols_of(session_symbols(p->session), out->at.image);
	out->number = symbol_find(t, out->at.offset);
	out->symbol = out->number == NO_SYMBOL ? NULL : symbol_get(t, out->number);
	return true;
}

/* Appends "a.c:12", else "function+0x10", else the address. */
static void place_text(struct branch_profile *p, const struct place *at, struct strbuf *b)
{
	struct source_frame frame = { 0 };
	struct line_place line = { .image = at->at.image,
				   .offset = at->at.offset,
				   .addr = at->addr,
				   .symbol = at->symbol };

	if (at->image && lines_at(p->lines, at->at.image, at->at.offset, &frame, 1)) {
		line.file = frame.file;
		line.line = frame.line;
	}
	if (line.file)
		line_text(p->lines, &line, LINE_KEY, b);
	else if (at->symbol)
		strbuf_f(b, "%s+0x%" PRIx64, at->symbol->name, at->at.offset - at->symbol->start);
	else
		strbuf_f(b, "0x%" PRIx64, at->image ? at->at.offset : at->addr);
}

/* ---- blocks ---- */

static void note_symbol(struct branch_profile *p, const struct session_sample *s)
{
	struct place at;

	if (!find_place(p, s, s->sample->ip, &at) || !at.symbol)
		return;
	strbuf_clear(&p->key);
	strbuf_f(&p->key, "%" PRIu32 "\n%s\n%s", s->sample->event->index, at.image->name,
		 at.symbol->name);
	*strmap_put(&p->symbol_period, strbuf_cstr(&p->key), NULL) += s->sample->period;
}

static struct block *find_block(struct branch_profile *p, u32 event, const struct place *from,
				const struct place *to)
{
	struct block *b;
	bool added;
	u64 *at;

	strbuf_clear(&p->key);
	strbuf_f(&p->key, "%" PRIu32 "\n%s\n%s\n", event, from->image->name, from->symbol->name);
	strbuf_f(&p->key, "%" PRIx64 "-%" PRIx64, from->at.offset - from->symbol->start,
		 to->at.offset - from->symbol->start);
	at = strmap_put(&p->block_by_key, strbuf_cstr(&p->key), &added);
	if (!added)
		return p->blocks.items[*at];
	*at = p->blocks.count;
	b = xcalloc(1, sizeof(*b));
	b->event = event;
	b->image = from->at.image;
	b->number = from->number;
	b->start = from->at.offset;
	b->end = to->at.offset;
	b->key = xstrdup(strchr(strbuf_cstr(&p->key), '\n') + 1);
	b->dso = xstrdup(from->image->name);
	b->symbol = xasprintf("[%c] %s", from->kernel ? 'k' : '.', from->symbol->name);
	strbuf_clear(&p->text);
	place_text(p, from, &p->text);
	strbuf_str(&p->text, " -> ");
	place_text(p, to, &p->text);
	b->range = xstrdup(strbuf_cstr(&p->text));
	vec_push(&p->blocks, b);
	return b;
}

/* Counts the block that ran from where a branch landed (start) to where the next one left (end). */
static void add_block(struct branch_profile *p, const struct session_sample *s, u64 start, u64 end,
		      u64 cycles)
{
	struct place from, to;
	struct block *b;

	if (!cycles || end < start || !find_place(p, s, start, &from) ||
	    !find_place(p, s, end, &to) || !from.symbol || from.symbol != to.symbol)
		return;
	b = find_block(p, s->sample->event->index, &from, &to);
	b->count++;
	b->sum += (double)cycles;
	b->squares += (double)cycles * (double)cycles;
	if (b->values.count < BLOCK_VALUES)
		vec_push(&b->values, (u16)cycles);
}

/* ---- streams ---- */

static u64 cycles_of(const struct sample_branch *b)
{
	return b->flags >> 4 & 0xffff;
}

static void add_stream(struct branch_profile *p, const struct session_sample *s)
{
	struct stream *stream;
	double cycles = 0;
	bool added;
	u64 *at, last_from = 0, last_to = 0;

	strbuf_clear(&p->key);
	strbuf_f(&p->key, "%" PRIu32, s->sample->event->index);
	vec_for_each(&p->branches, b) {
		struct place from, to;

		cycles += (double)cycles_of(b);
		if (b != p->branches.items && b->from == last_from && b->to == last_to)
			continue;
		last_from = b->from;
		last_to = b->to;
		find_place(p, s, b->to, &to);
		find_place(p, s, b->from, &from);
		for (int i = 0; i < 2; i++) {
			const struct place *pl = i ? &from : &to;

			strbuf_char(&p->key, '\n');
			if (pl->symbol)
				strbuf_f(&p->key, "%s ", pl->symbol->name);
			place_text(p, pl, &p->key);
		}
	}
	at = strmap_put(&p->stream_by_key, strbuf_cstr(&p->key), &added);
	if (added) {
		struct strlist places = { 0 };

		*at = p->streams.count;
		stream = xcalloc(1, sizeof(*stream));
		stream->event = s->sample->event->index;
		stream->key = xstrdup(strchr(strbuf_cstr(&p->key), '\n'));
		strlist_split(&places, stream->key, "\n");
		vec_for_each(&places.list, t)
			vec_push(&stream->places, *t);
		vec_release(&places.list); /* the texts are kept */
		vec_push(&p->streams, stream);
	}
	stream = p->streams.items[*at];
	stream->hits++;
	stream->cycles += cycles;
}

void branch_profile_add(struct branch_profile *p, const struct session_sample *s)
{
	const struct event_set *set = session_events(p->session);
	u32 event = s->sample->event->index;

	++*grow_to(&p->samples, event);
	*grow_to(&p->period, event) += s->sample->period;
	note_symbol(p, s);
	p->branches.count = 0;
	for (u64 i = 0; i < s->sample->branch_count; i++)
		vec_push(&p->branches, sample_branch(set, s->sample, i));
	if (!p->branches.count)
		return;
	vec_for_each(&p->branches, b)
		*grow_to(&p->cycles, event) += cycles_of(b);
	/* newest first: the older branch landed where the block that the newer one ends begins */
	for (size_t i = 0; i + 1 < p->branches.count; i++)
		add_block(p, s, p->branches.items[i + 1].to, p->branches.items[i].from,
			  cycles_of(&p->branches.items[i]));
	if (p->streams_wanted)
		add_stream(p, s);
}
