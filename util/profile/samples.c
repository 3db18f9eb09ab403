// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides which samples count, and what each represents: itself, its branches, an access. */
#include "base/perf_abi.h"
#include "profile/internal.h"

bool profile_keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	const struct profile *p = arg;

	(void)key;
	if (p->asked->hide_idle && !s->id.pid && !s->id.tid &&
	    s->event->attr.sample_type & PERF_SAMPLE_TID)
		return false;
	return sample_choice_keep(&p->choice, s);
}

static void add_access(struct profile *p, unsigned worker, const struct session_sample *s)
{
	const struct sample *sample = s->sample;
	struct hist_access access = {
		.code = { .addr = sample->ip, .at = s->leaf, .cpumode = sample->cpumode },
	};
	struct hist_sample h = { .sample = sample, .access = &access, .leaf = s->leaf };

	if (hist_collector_sees_data(p->workers[worker].collector))
		branch_find_place(session_history(p->session), s, sample->addr, &access.data);
	profile_add_one(p, worker, s, &h);
}

/* Gathers a sample. For branches, the sample's place says little, but their cycles are useful. */
static void gather(struct profile *p, unsigned worker, const struct session_sample *s)
{
	if (p->set.expansion == HIST_BRANCHES)
		annotate_gather_cycles(&p->gather->gather, worker, s);
	else
		annotate_gather_add(&p->gather->gather, worker, s);
}

void profile_add_sample(struct profile *p, unsigned worker, const struct session_sample *s)
{
	struct hist_sample h = { .sample = s->sample, .leaf = s->leaf };
	struct session_sample with_chain;
	struct sample copy;

	/* samples come in order with these */
	if ((p->sw.on || p->sw.off) && !event_switch_passes(&p->sw, s->sample->event))
		return;
	if (p->gather)
		gather(p, worker, s);
	if (p->blocks)
		profile_blocks_add(p, s);
	if (p->asked->total_cycles)
		return;
	if (p->chains) {
		copy = *s->sample;
		profile_take_chain(p, worker, s->task, &copy);
		with_chain = *s;
		with_chain.sample = h.sample = &copy;
		s = &with_chain;
	}
	if (p->with_branches)
		profile_add_history(p, worker, s);
	else if (p->set.expansion == HIST_BRANCHES)
		profile_add_branches(p, worker, s);
	else if (p->set.expansion == HIST_ACCESSES)
		add_access(p, worker, s);
	else
		profile_add_one(p, worker, s, &h);
}
