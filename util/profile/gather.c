// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts samples by place. */
#include "profile/gather.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/perf_abi.h"
#include "tracepoint/tracepoint.h"

/* Returns the formats. Those of a stream are complete at the first sample, and not before. */
static const struct tracepoint_formats *formats_of(struct annotate_gather *g)
{
	pthread_mutex_lock(&g->lock);
	if (!g->formats_known)
		g->formats = data_tracepoints(session_data(g->session), NULL);
	g->formats_known = true;
	pthread_mutex_unlock(&g->lock);
	return g->formats;
}

/*
 * Finds the instruction of a probe: some of the kernel's ways to probe pass on the address after
 * the break point.
 */
static bool probed_address(struct annotate_gather *g, const struct sample *s, u64 *addr)
{
	/* also sets the events' formats */
	const struct tracepoint_formats *formats = formats_of(g);
	const struct tracepoint_field *f;

	if (!formats || !s->event->format || !s->raw)
		return false;
	f = tracepoint_field(s->event->format, "__probe_ip");
	return f && tracepoint_get_int(formats, f, s->raw, s->raw_size, addr) && *addr;
}

void annotate_gather_begin(struct annotate_gather *g, struct session *s)
{
	pthread_mutex_init(&g->lock, NULL);
	g->session = s;
	g->count = session_workers(s);
	g->by_worker = xcalloc(g->count, sizeof(*g->by_worker));
	for (unsigned i = 0; i < g->count; i++)
		g->by_worker[i] = annotate_counts_new();
}

/*
 * Adds the cycles of a branch stack, which has the newest branch first. The branch before another
 * one ended where that one's run begins.
 */
void annotate_add_cycles(struct annotate_counts *to, struct session *session,
			 const struct session_sample *s)
{
	const struct event_set *set = session_events(session);
	struct history *history = session_history(session);
	struct location from, land;
	bool known = false;

	for (u64 i = s->sample->branch_count; i-- > 0;) {
		struct sample_branch b = sample_branch(set, s->sample, i);
		u8 mode = b.from >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
		u64 cycles = b.flags >> 4 & 0xffff;

		if (cycles && history_locate(history, s->task, mode, b.from, &s->key, &from))
			annotate_counts_add_run(to, from.image,
						known && land.image == from.image &&
								land.offset <= from.offset
							? land.offset
							: UNKNOWN_START,
						from.offset, cycles);
		mode = b.to >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
		known = history_locate(history, s->task, mode, b.to, &s->key, &land);
	}
}

void annotate_gather_add(struct annotate_gather *g, unsigned worker, const struct session_sample *s)
{
	struct location at = s->leaf;
	u64 addr;

	if (event_is_tracepoint(s->sample->event) && probed_address(g, s->sample, &addr) &&
	    addr != s->sample->ip)
		history_locate(session_history(g->session), s->task, s->sample->cpumode, addr,
			       &s->key, &at);
	annotate_counts_add(g->by_worker[worker], s->sample->event->index, at.image, at.offset,
			    history_code_version(session_history(g->session), &s->key),
			    s->sample->period);
	annotate_gather_cycles(g, worker, s);
}

void annotate_gather_cycles(struct annotate_gather *g, unsigned worker,
			    const struct session_sample *s)
{
	if (s->sample->branch_count)
		annotate_add_cycles(g->by_worker[worker], g->session, s);
}

struct annotate_counts *annotate_gather_end(struct annotate_gather *g)
{
	for (unsigned i = 1; i < g->count; i++)
		annotate_counts_merge(g->by_worker[0], g->by_worker[i]);
	return g->by_worker[0];
}

void annotate_gather_release(struct annotate_gather *g)
{
	for (unsigned i = 0; i < g->count; i++)
		annotate_counts_free(g->by_worker[i]);
	free(g->by_worker);
	if (g->session)
		pthread_mutex_destroy(&g->lock);
	*g = (struct annotate_gather){ 0 };
}
