// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/sched/chains.h"

#include <stdlib.h>
#include <string.h>

#include "chain/chain.h"
#include "symbol/runtime.h"

struct sched_chains {
	struct session *session;
	struct chains *frames;
	struct sched_frame *names; /* by frame id */
	u32 name_count;
};

bool sched_has_chains(struct session *s)
{
	const struct event_set *set = session_events(s);

	vec_for_each(&set->list, ev)
		if ((*ev)->attr.sample_type & PERF_SAMPLE_CALLCHAIN && event_is_tracepoint(*ev))
			return true;
	return false;
}

struct sched_chains *sched_chains_new(struct session *session)
{
	struct sched_chains *c;

	if (!sched_has_chains(session))
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->session = session;
	c->frames = chains_new(session_history(session));
	return c;
}

void sched_chains_free(struct sched_chains *c)
{
	if (!c)
		return;
	chains_free(c->frames);
	free(c->names);
	free(c);
}

/*
 * Reports whether the function is the scheduler's, or between it and the tracepoint's probe, where
 * the unwinder may find frames.
 */
static bool is_scheduler(const char *name)
{
	static const char *const own[] = { "schedule",
					   "__schedule",
					   "preempt_schedule",
					   "__traceiter_sched_switch",
					   "__do_trace_sched_switch",
					   "perf_trace_sched_switch",
					   "__bpf_trace_sched_switch" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

static void look_up(struct sched_chains *c, frame_id id)
{
	const struct frame *f = chain_frame(c->frames, id);
	const struct symbol_table *table;
	u32 n = NO_SYMBOL;

	if (f->image) {
		table = symbols_of(session_symbols(c->session), f->image);
		/*
		 * a return address can be the start of the next function: its call is one byte
		 * before
		 */
		n = symbol_find(table, f->is_return && f->offset ? f->offset - 1 : f->offset);
	}
	c->names[id].name = n == NO_SYMBOL ? "[unknown]" : symbol_get(table, n)->name;
	c->names[id].kernel = f->cpumode == PERF_RECORD_MISC_KERNEL;
	c->names[id].scheduler = is_scheduler(c->names[id].name);
	c->names[id].runtime =
		f->image && symbol_is_runtime(image_get(session_images(c->session), f->image)->name,
					      c->names[id].name);
}

static const struct sched_frame *name_of(struct sched_chains *c, frame_id id)
{
	if (id >= c->name_count) {
		u32 count = MAX(frames_count(c->frames) * 2, 64U);

		c->names = xreallocarray(c->names, count, sizeof(*c->names));
		memset(c->names + c->name_count, 0, (count - c->name_count) * sizeof(*c->names));
		c->name_count = count;
	}
	if (!c->names[id].name)
		look_up(c, id);
	return &c->names[id];
}

size_t sched_chain_of(struct sched_chains *c, const struct session_sample *s,
		      struct sched_frame *frames, size_t most)
{
	const struct sample *sample = s->sample;
	const struct recorded_chain recorded = {
		.ips = sample->chain,
		.count = sample->chain_count,
		.unwound = sample->chain_unwound,
		.swap = session_events(c->session)->swap,
	};
	const frame_id *ids;
	size_t count;

	if (!sample->chain_count || !s->task)
		return 0;
	ids = chain_frames(c->frames, s->task, sample->cpumode, &recorded, &s->key, &count);
	count = MIN(count, most);
	for (size_t i = 0; i < count; i++)
		frames[i] = *name_of(c, ids[i]);
	return count;
}
