// SPDX-License-Identifier: GPL-2.0-or-later
/* Call chains of switches on one line, innermost first, without the scheduler's own functions. */
#include "sched/timehist.h"

#include <stdlib.h>
#include <string.h>

#include "chain/chain.h"

/* What a frame is called, found once. */
struct timehist_chain {
	const char *name;
	bool skipped;
};

static bool is_scheduler(const char *name)
{
	static const char *const own[] = { "schedule", "__schedule", "preempt_schedule" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

static void look_up(struct timehist *th, frame_id id)
{
	const struct frame *f = chain_frame(th->frames, id);
	const struct symbol_table *table;
	u32 n = NO_SYMBOL;

	if (f->image) {
		table = symbols_of(session_symbols(th->session), f->image);
		/* a return address can be the start of the next function: its call is one byte before */
		n = symbol_find(table, f->is_return && f->offset ? f->offset - 1 : f->offset);
	}
	th->names[id].name = n == NO_SYMBOL ? "[unknown]" : symbol_get(table, n)->name;
	th->names[id].skipped = is_scheduler(th->names[id].name);
}

static const struct timehist_chain *name_of(struct timehist *th, frame_id id)
{
	if (id >= th->name_count) {
		u32 count = MAX(frames_count(th->frames) * 2, 64U);

		th->names = xreallocarray(th->names, count, sizeof(*th->names));
		memset(th->names + th->name_count, 0, (count - th->name_count) * sizeof(*th->names));
		th->name_count = count;
	}
	if (!th->names[id].name)
		look_up(th, id);
	return &th->names[id];
}

void timehist_put_chain(struct timehist *th, const struct session_sample *s, struct strbuf *b)
{
	const struct sample *sample = s->sample;
	const struct recorded_chain recorded = {
		.ips = sample->chain, .count = sample->chain_count, .unwound = sample->chain_unwound,
		.swap = session_events(th->session)->swap,
	};
	const frame_id *frames;
	const char *arrow = "";
	unsigned shown = 0;
	size_t count;

	if (!sample->chain_count || !s->task)
		return;
	frames = chain_frames(th->frames, s->task, sample->cpumode, &recorded, &s->key, &count);
	for (size_t i = 0; i < count && shown < th->max_stack; i++) {
		const struct timehist_chain *c = name_of(th, frames[i]);

		if (c->skipped)
			continue;
		strbuf_str(b, arrow);
		strbuf_printable(b, c->name);
		arrow = " <- ";
		shown++;
	}
}

void timehist_chains_release(struct timehist *th)
{
	chains_free(th->frames);
	free(th->names);
	th->frames = NULL;
	th->names = NULL;
}
