// SPDX-License-Identifier: GPL-2.0-or-later
/* Branch stacks: each branch is a sample; counts the kinds of branches. */
#include "base/perf_abi.h"
#include "profile/expand.h"
#include "profile/internal.h"

static u8 kernel_mode(u8 cpumode)
{
	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER
		       ? PERF_RECORD_MISC_GUEST_KERNEL
		       : PERF_RECORD_MISC_KERNEL;
}

static u8 user_mode(u8 cpumode)
{
	return kernel_mode(cpumode) == PERF_RECORD_MISC_GUEST_KERNEL ? PERF_RECORD_MISC_GUEST_USER
								     : PERF_RECORD_MISC_USER;
}

void branch_find_place(struct history *history, const struct session_sample *s, u64 addr,
		       struct hist_place *out)
{
	u8 modes[2] = { user_mode(s->sample->cpumode), kernel_mode(s->sample->cpumode) };

	out->addr = addr;
	out->cpumode = modes[(s64)addr < 0];
	session_place(history, s, out->cpumode, addr, &out->at);
	if (!out->at.mapping && addr <= UINT32_MAX) { /* a 32-bit kernel is in that half */
		struct location at;

		if (session_place(history, s, modes[1], addr, &at) && at.mapping &&
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

/* Counts a branch where it begins and where it ends. */
static void gather_branch(struct profile *p, unsigned worker, const struct sample *s,
			  const struct hist_branch *b)
{
	struct annotate_counts *to = p->gather->gather.by_worker[worker];

	annotate_counts_add(to, s->event->index, b->from.at.image, b->from.at.offset, LAST_CODE,
			    s->period);
	annotate_counts_add(to, s->event->index, b->to.at.image, b->to.at.offset, LAST_CODE,
			    s->period);
}

void branch_rows_begin(struct branch_rows *b, const struct session_sample *s)
{
	b->of = s;
	b->next = 0;
	b->sample = *s->sample;
	b->sample.period = 1;
	b->row = (struct hist_sample){
		.sample = &b->sample,
		.branch = &b->branch,
		.key = &s->key,
		.task = s->task,
		.comm = s->comm,
	};
}

bool branch_rows_next(struct branch_rows *b, struct session *session)
{
	const struct session_sample *s = b->of;

	if (b->next >= s->sample->branch_count)
		return false;
	b->raw = sample_branch(session_events(session), s->sample, b->next++);
	b->branch = (struct hist_branch){ .flags = b->raw.flags };
	branch_find_place(session_history(session), s, b->raw.from, &b->branch.from);
	branch_find_place(session_history(session), s, b->raw.to, &b->branch.to);
	b->sample.ip = b->raw.to;
	b->sample.cpumode = b->branch.to.cpumode;
	b->sample.weight = MAX(b->raw.flags >> 4 & 0xffff, 1);
	b->row.leaf = b->branch.to.at;
	return true;
}

void profile_add_branches(struct profile *p, unsigned worker, const struct session_sample *s)
{
	struct branch_rows b;

	for (branch_rows_begin(&b, s); branch_rows_next(&b, p->session);) {
		if (p->set.hide_unresolved && !(b.raw.from && b.raw.to))
			continue;
		count_type(&p->workers[worker].types, &b.raw);
		if (p->gather)
			gather_branch(p, worker, &b.sample, &b.branch);
		profile_add_one(p, worker, s, &b.row);
	}
}
