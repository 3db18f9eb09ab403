// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: which events are counted by BPF programs, and the mode that does it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "builtin/stat/bpf.h"
#include "live/loop.h"

static const char *option_of(const struct stat_request *ask)
{
	return ask->bpf_prog ? "-b" : ask->bpf_counters ? "--bpf-counters" : "modifier 'b'";
}

const char *stat_bpf_cannot(const struct event *ev)
{
	if (ev->leader != ev || ev->members > 1)
		return "it is in a group, whose events are counted together";
	if (ev->cpus)
		return "it counts on CPUs of its own";
	if (ev->config1_text)
		return "it is a probe";
	return NULL;
}

static int choose_one(const struct stat_session *q, struct event *ev, struct reason *r)
{
	const struct stat_request *ask = &q->ask;
	bool all = ask->bpf_counters || ask->bpf_prog || q->by_user;
	const char *why;

	if (ev->tool || (!all && !ev->by_bpf))
		return 0;
	/* what counts for a package is not shared, but needs no sharing either */
	if (!ev->by_bpf && !ask->bpf_prog && ev->cpus && !ev->own_cpus)
		return 0;
	why = ev->cgroup && !ask->for_each_cgroup ? "-G has bound it to a cgroup"
						  : stat_bpf_cannot(ev);
	ev->by_bpf = true;
	if (!why)
		return 0;
	reason_set(r, EINVAL, "BPF cannot count '%s': %s", ev->name, why);
	if (ev->cgroup && !ask->for_each_cgroup)
		reason_hint(r, "--for-each-cgroup counts all events in each cgroup");
	return -EINVAL;
}

int stat_bpf_choose(struct stat_session *q, struct reason *r)
{
	const struct stat_request *ask = &q->ask;
	bool any = false;
	int err = 0;

	vec_for_each(&q->events.set.list, it) {
		if (!err)
			err = choose_one(q, *it, r);
		any |= (*it)->by_bpf;
	}
	if (err || (!any && !ask->bpf_prog && !ask->bpf_counters))
		return err;
	if (ask->record) {
		reason_set(r, EINVAL, "perf stat record cannot be combined with %s",
			   option_of(ask));
		reason_hint(r, "-x and -j write what is counted for programs");
		return -EINVAL;
	}
	if (ask->for_each_cgroup && any && !ask->bpf_counters)
		return reason_set(
			r, EINVAL,
			"--for-each-cgroup counts either all events with BPF or none: add "
			"--bpf-counters");
	return bpf_usable(option_of(ask), r);
}

static int read_cpus(struct stat_bpf *b, struct reason *r)
{
	const struct sys *sys = &b->q->events.sys;
	int err = sys_cpus(sys, "online", &b->online, &b->online_count, r);

	if (!err)
		err = sys_cpus(sys, "possible", &b->possible, &b->possible_count, r);
	if (!err)
		b->values = xcalloc(b->possible_count + 1, sizeof(*b->values));
	return err;
}

int stat_bpf_open(struct stat_session *q, struct reason *r)
{
	struct stat_bpf *b = xcalloc(1, sizeof(*b));
	int err;

	q->bpf = b;
	b->q = q;
	vec_for_each(&q->events.set.list, it)
		if ((*it)->by_bpf)
			vec_push(&b->events, *it);
	if (!b->events.count)
		return 0;
	b->mode = q->ask.bpf_prog          ? &stat_bpf_programs
		  : q->ask.for_each_cgroup ? &stat_bpf_cgroups
					   : &stat_bpf_tasks;
	err = read_cpus(b, r);
	return err ? err : b->mode->open(b, r);
}

/*
 * Switches counting on or off. Excludes earlier counts and includes current ones without waiting
 * for a context switch.
 */
void stat_bpf_enable(struct stat_session *q, bool on)
{
	stat_bpf_refresh(q);
	if (q->bpf && q->bpf->mode)
		q->bpf->mode->enable(q->bpf, on);
}

void stat_bpf_refresh(struct stat_session *q)
{
	if (q->bpf && q->bpf->mode)
		q->bpf->mode->refresh(q->bpf);
}

int stat_bpf_read(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		  struct live_count *c)
{
	int err = q->bpf->mode->read(q->bpf, ev, cpu, thread, c);

	q->bpf->read |= !err;
	q->bpf->ran |= !err && c->enabled;
	return err;
}

/*
 * Explains an empty result: the command ran without a moment in which its counters were on, so the
 * programs did not see it.
 */
static void explain_empty(const struct stat_session *q)
{
	const struct stat_bpf *b = q->bpf;

	if (b->mode == &stat_bpf_tasks && b->read && !b->ran && stat_counts_command(q) &&
	    !q->ask.start_off && loop_ran_workload(&q->workload))
		say_nothing_seen(q->ctx, "the BPF programs did not see the command run");
}

void stat_bpf_close(struct stat_session *q)
{
	struct stat_bpf *b = q->bpf;
	size_t conditions;

	if (!b)
		return;
	explain_empty(q);
	conditions = q->ctx->conditions.list.count;
	if (b->mode)
		b->mode->close(b);
	q->lost_by_bpf |= q->ctx->conditions.list.count > conditions;
	vec_release(&b->events);
	free(b->online);
	free(b->possible);
	free(b->values);
	free(b);
	q->bpf = NULL;
}
