// SPDX-License-Identifier: GPL-2.0-or-later
/* Branch stacks: each branch a sample, and what kinds of branches there were. */
#include "base/perf_abi.h"
#include "profile/internal.h"

static u8 kernel_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER
		       ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_KERNEL;
}

static u8 user_mode(u8 cpumode)
{
	return kernel_mode(cpumode) == PERF_RECORD_MISC_GUEST_KERNEL ? PERF_RECORD_MISC_GUEST_USER
								     : PERF_RECORD_MISC_USER;
}

void profile_find_place(struct profile *p, const struct session_sample *s, u64 addr,
		       struct hist_place *out)
{
	struct history *history = session_history(p->session);
	u8 modes[2] = { user_mode(s->sample->cpumode), kernel_mode(s->sample->cpumode) };

	out->addr = addr;
	out->cpumode = modes[(s64)addr < 0];
	history_locate(history, s->task, out->cpumode, addr, &s->key, &out->at);
	if (!out->at.mapping && addr <= UINT32_MAX) { /* a kernel of 32 bits is in that half */
		struct location at;

		if (history_locate(history, s->task, modes[1], addr, &s->key, &at) && at.mapping &&
		    at.mapping->end <= BIT64(32)) {
			out->cpumode = modes[1];
			out->at = at;
		}
	}
}

/* ---- kinds of branches ---- */

/* Source: PERF_BR_* in include/uapi/linux/perf_event.h. */
enum { BRANCH_UNKNOWN, BRANCH_CONDITIONAL };

static bool crosses(u64 from, u64 to, unsigned shift)
{
	return from >> shift != to >> shift;
}

static void count_type(struct profile_branch_types *t, const struct sample_branch *b)
{
	unsigned type = b->flags >> 20 & 15;

	if (type == BRANCH_UNKNOWN || !b->from)
		return;
	t->counts[type]++;
	if (type == BRANCH_CONDITIONAL) {
		t->forward += b->to > b->from;
		t->backward += b->to <= b->from;
	}
	if (crosses(b->from, b->to, 21))
		t->cross_2m++;
	else if (crosses(b->from, b->to, 12))
		t->cross_4k++;
}

u64 profile_branch_types(const struct profile *p, struct profile_branch_types *all)
{
	u64 total = 0;

	*all = (struct profile_branch_types){ 0 };
	for (unsigned w = 0; w < p->worker_count; w++) {
		const struct profile_branch_types *t = &p->workers[w].types;

		for (int i = 0; i < PROFILE_BRANCH_TYPES; i++) {
			all->counts[i] += t->counts[i];
			total += t->counts[i];
		}
		all->forward += t->forward;
		all->backward += t->backward;
		all->cross_4k += t->cross_4k;
		all->cross_2m += t->cross_2m;
	}
	return total;
}

/* ---- samples ---- */

/* A branch counts where it begins and where it ends. */
static void gather_branch(struct profile *p, unsigned worker, const struct sample *s,
			  const struct hist_branch *b)
{
	struct annotate_counts *to = p->gather->gather.by_worker[worker];

	annotate_counts_add(to, s->event->index, b->from.at.image, b->from.at.offset, LAST_CODE, s->period);
	annotate_counts_add(to, s->event->index, b->to.at.image, b->to.at.offset, LAST_CODE, s->period);
}

/* Each branch is a row's sample of its own, at the branch's target. */
void profile_add_branches(struct profile *p, unsigned worker, const struct session_sample *s)
{
	struct sample copy = *s->sample;

	copy.period = 1;
	for (u64 i = 0; i < s->sample->branch_count; i++) {
		struct sample_branch b = sample_branch(session_events(p->session), s->sample, i);
		struct hist_branch branch = { .flags = b.flags };
		struct hist_sample h = { .sample = &copy, .branch = &branch };

		if (p->set.hide_unresolved && !(b.from && b.to))
			continue;
		profile_find_place(p, s, b.from, &branch.from);
		profile_find_place(p, s, b.to, &branch.to);
		count_type(&p->workers[worker].types, &b);
		copy.ip = b.to;
		copy.cpumode = branch.to.cpumode;
		copy.weight = MAX(b.flags >> 4 & 0xffff, 1);
		h.leaf = branch.to.at;
		if (p->gather)
			gather_branch(p, worker, &copy, &branch);
		profile_add_one(p, worker, s, &h);
	}
}
