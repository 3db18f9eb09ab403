// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the shares of each event. */
#include "truth/truth.h"

#include <stdlib.h>
#include <string.h>

#include "base/perf_abi.h"
#include "data/times.h"
#include "hist/hist.h"
#include "session/session.h"
#include "truth/internal.h"

const char truth_lost_cure[] = "record with larger buffers, -m 16M, or a lower frequency, -F 99";
const char truth_throttled_cure[] = "record with a lower frequency, -F 99";

static int cause_cmp(const void *pa, const void *pb)
{
	const struct truth_cause *a = pa, *b = pb;
	int cmp;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	cmp = strcmp(a->object, b->object);
	return cmp ? cmp : strcmp(a->why, b->why);
}

static void sort_causes(struct truth_share *s)
{
	if (s->causes.count)
		vec_sort(&s->causes, cause_cmp);
}

/* ---- stacks ---- */

static bool is_whole(u64 end)
{
	if (end >= HIST_END_FULL)
		return end != HIST_END_NONE;
	return session_stack_is_whole((enum unwind_end)((end & 0xff) - 1));
}

static void add_end(struct session *s, struct truth_share *share, u64 end, u64 samples)
{
	struct session_stack_end e;

	share->all += samples;
	if (is_whole(end)) {
		share->good += samples;
		return;
	}
	if (end == HIST_END_NONE) {
		truth_add_cause(share, (struct truth_cause){
					       samples, xstrdup(""),
					       xstrdup("samples in user code without a call chain"),
					       NULL });
		return;
	}
	if (end == HIST_END_NO_CODE)
		end = session_end_code(0, UNWIND_UNMAPPED);
	e = session_end_of_code(s, end);
	e.count = samples;
	truth_add_cause(share, (struct truth_cause){ samples, xstrdup(e.object), xstrdup(e.why),
						     session_stack_hint(s, &e) });
}

/*
 * How stacks ended that were unwound while they were recorded; the file's list is of all its
 * samples.
 */
static void take_listed_ends(struct session *s, struct truth_share *share)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);

	share->state = TRUTH_ABOUT;
	for (size_t i = 0; i < n; i++) {
		const struct session_stack_end *e = &ends[i];

		share->all += e->count;
		if (session_stack_is_whole(e->end))
			share->good += e->count;
		else
			truth_add_cause(share, (struct truth_cause){ e->count, xstrdup(e->object),
								     xstrdup(e->why),
								     session_stack_hint(s, e) });
	}
	free(ends);
}

/* Are all chains the kernel's, as far as was looked? */
static bool of_kernel_alone(const struct map64 *ends)
{
	for (size_t i = 0; i < ends->space; i++)
		if (ends->slots[i].used && ends->slots[i].key < HIST_END_KERNEL)
			return false;
	return true;
}

/* What was not asked for is not cut: user parts of ":k", and of record --kernel-callchains. */
static bool asks_kernel_alone(const struct event *ev, const struct map64 *ends)
{
	return ev->attr.flags & ATTR_EXCLUDE_USER ||
	       (ev->attr.flags & ATTR_EXCLUDE_CALLCHAIN_USER &&
		!(ev->attr.sample_type & PERF_SAMPLE_STACK_USER) && of_kernel_alone(ends));
}

static void find_whole(struct session *s, const struct hist *h, const struct event *ev,
		       struct truth_share *share)
{
	const struct hist_truth *t = hist_truth(h, ev->index);
	const struct map64 *ends = &t->ends;

	if (!event_has_chains(ev)) {
		share->state = TRUTH_NOT_APPLICABLE;
		share->why = "no call chains were recorded";
	} else if (hist_settings(h)->expansion == HIST_BRANCHES) {
		share->state = TRUTH_UNKNOWN;
		share->why = "branches are counted, not samples: give --no-branch-stack";
	} else if (!hist_settings(h)->chains) {
		share->state = TRUTH_UNKNOWN;
		share->why = "call chains are not read for this table";
	} else if (asks_kernel_alone(ev, ends)) {
		share->all = share->good = t->samples;
	} else if (session_lists_ends(s, ev)) {
		take_listed_ends(s, share);
	} else if (!session_chains_speak(s, ev)) {
		share->state = TRUTH_UNKNOWN;
		share->why = "the file does not say how its call chains ended";
	} else {
		for (size_t i = 0; i < ends->space; i++)
			if (ends->slots[i].used)
				add_end(s, share, ends->slots[i].key, ends->slots[i].value);
	}
	sort_causes(share);
}

/* ---- names ---- */

static void find_named(struct session *s, const struct hist *h, const struct event *ev,
		       struct truth_share *share)
{
	const struct hist_truth *t = hist_truth(h, ev->index);

	if (hist_settings(h)->expansion == HIST_BRANCHES) {
		share->state = TRUTH_UNKNOWN;
		share->why = "branches are counted, not samples: give --no-branch-stack";
		return;
	}
	if (hist_is_placeless(h)) {
		share->state = TRUTH_UNKNOWN;
		share->why = "this table does not look at places: add the key symbol";
		return;
	}
	share->all = t->samples;
	share->good = t->named;
	for (size_t i = 0; i < t->unnamed.space; i++)
		if (t->unnamed.slots[i].used)
			truth_add_unnamed(s, share, (u32)t->unnamed.slots[i].key,
					  t->unnamed.slots[i].value);
	sort_causes(share);
}

/* ---- times ---- */

static struct truth_times find_times(struct session *s, const struct event *ev)
{
	static const struct data_time none;
	const struct data_times *all = session_times(s);

	if (!all->list.count)
		return (struct truth_times){
			.state = TRUTH_UNKNOWN,
			.why = "the file does not say how long its events ran",
		};
	return truth_times_of(ev,
			      ev->index < all->list.count ? &all->list.items[ev->index] : &none);
}

/* ---- all ---- */

void truth_find(struct truth *t, struct session *s, const struct hist *h)
{
	const struct session_stats *st = session_stats(s);

	truth_release(t);
	vec_for_each(&session_events(s)->list, it) {
		const struct event *ev = *it;
		struct truth_event e = { .name = ev->name,
					 .event = ev->index,
					 .samples = hist_truth(h, ev->index)->samples,
					 .counts = truth_takes_samples(ev),
					 .times = find_times(s, ev) };

		find_whole(s, h, ev, &e.whole);
		find_named(s, h, ev, &e.named);
		t->samples += e.samples;
		vec_push(&t->events, e);
	}
	/* a lost sample can be in both: LOST counts records, LOST_SAMPLES the counter's misses */
	t->lost = MAX(st->lost_events, st->lost_samples);
	t->throttled = st->throttled;
	t->delivered = st->records[PERF_RECORD_SAMPLE];
}
