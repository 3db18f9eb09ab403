// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds what the file can provide of what was requested. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/perf_abi.h"
#include "base/text.h"
#include "profile/internal.h"

static bool wants_key(const struct profile *p, const char *key)
{
	struct strlist keys = { 0 };
	bool found;

	if (p->sort)
		strlist_split(&keys, p->sort, ",+ {}");
	if (p->asked->fields)
		strlist_split(&keys, p->asked->fields, ",+ ");
	found = strlist_has(&keys, key);
	strlist_release(&keys);
	return found;
}

static void warn(struct profile *p, const char *text)
{
	condition_add(&p->ctx->conditions, CONDITION_WARNING, "reference-chains", NULL, NULL, 1,
		      NULL, "--show-ref-call-graph has no effect: %s", text);
}

/*
 * Warns about a useless --show-ref-call-graph, which is for files where only some events have
 * chains.
 */
static void check_reference_chains(struct profile *p)
{
	size_t with = 0, without = 0;

	vec_for_each(&session_events(p->session)->list, ev) {
		bool has = event_has_chains(*ev);

		with += has;
		without += !has && (*ev)->attr.sample_type & PERF_SAMPLE_IP;
	}
	if (!p->set.chains)
		warn(p, "call chains are not shown");
	else if (!with)
		warn(p, "no event has call chains");
	else if (!without)
		warn(p, "all events have call chains");
}

/* Sets up chains of LBR, of earlier samples, of other events. */
static int settle_chain_sources(struct profile *p, struct reason *r)
{
	bool lbr = profile_has_lbr_chains(p);

	if (p->asked->stitch && !lbr) {
		reason_set(
			r, EINVAL,
			"'%s' has no call chains from branch registers, which --stitch-lbr needs",
			data_path(session_data(p->session)));
		reason_hint(r, "record on a CPU that has them: perf record --call-graph lbr ...");
		return -EINVAL;
	}
	if (p->asked->stitch && (!p->set.chains || p->with_branches))
		return reason_set(r, EINVAL,
				  "--stitch-lbr continues call chains, which %s leaves out",
				  p->set.expansion == HIST_BRANCHES ? "-b"
				  : p->with_branches                ? "--branch-history"
								    : "--no-call-graph");
	if (p->asked->reference_chains)
		check_reference_chains(p);
	if (p->set.chains && !p->with_branches && (lbr || p->asked->reference_chains))
		profile_chains_begin(p);
	return 0;
}

static int settle_chains(struct profile *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	bool have = p->with_branches || (event_set_has_chains(events));
	const char *key = wants_key(p, "parent") || p->set.parent ? "parent"
			  : wants_key(p, "place")                 ? "place"
								  : NULL;

	if (p->asked->branch_history) {
		p->set.graph.by_address = true;
		p->sort = p->sort ? p->sort : "srcline,symbol,dso";
	}
	if (!have && ((p->asked->graph_given && p->set.graph.mode != CALL_GRAPH_NONE) || key)) {
		reason_set(r, EINVAL, "'%s' has no call chains, but %s%s%s needs them",
			   data_path(session_data(p->session)),
			   p->asked->graph_given ? "-g" : "the sort key '",
			   p->asked->graph_given ? "" : key, p->asked->graph_given ? "" : "'");
		reason_hint(r, "record with call chains: perf record -g ...");
		return -EINVAL;
	}
	if (p->asked->stacks) {
		p->set.graph.mode = CALL_GRAPH_NONE;
		p->sort = p->sort ? p->sort : "comm";
	}
	p->set.chains = have && (!p->asked->no_graph || p->asked->truth_stacks) &&
			p->set.expansion != HIST_BRANCHES;
	if (p->asked->no_graph)
		p->set.graph.mode = CALL_GRAPH_NONE;
	return settle_chain_sources(p, r);
}

/*
 * Reports whether chains are used. A report with only rows does not unwind stacks or keep chains,
 * which may be millions.
 */
static bool uses_chains(const struct profile *p)
{
	return p->set.graph.mode != CALL_GRAPH_NONE || p->set.children || p->asked->stacks ||
	       p->asked->truth_stacks || p->with_branches || p->chains || p->set.parent ||
	       p->set.exclude_other || p->set.ignore_callees || wants_key(p, "parent") ||
	       wants_key(p, "place");
}

static void settle_order(struct profile *p)
{
	bool children =
		p->asked->children && !p->asked->stacks && p->set.chains && !p->asked->no_graph;

	p->set.hierarchy = p->asked->hierarchy;
	p->set.children = children && !p->asked->hierarchy;
	if (!p->set.graph.order_given)
		p->set.graph.caller = children;
	if (p->set.chains && !uses_chains(p))
		p->set.chains = false;
}

/*
 * Decides what a row counts. As in perf: branches if there are branch stacks, unless they are a
 * call stack's, or belong to a stack that is unwound.
 */
static int settle_expansion(struct profile *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	const char *path = data_path(session_data(p->session));
	bool have = events->sample_type_any & PERF_SAMPLE_BRANCH_STACK;
	bool of_calls = events->sample_type_any & PERF_SAMPLE_STACK_USER, wanted;

	vec_for_each(&events->list, ev)
		of_calls |= (*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	p->set.expansion = HIST_SAMPLES;
	if (p->asked->memory) {
		if (p->asked->branches && p->asked->branches_given)
			return reason_set(r, EINVAL,
					  "--mem-mode and --branch-stack exclude each other");
		if (!(event_set_tells(events) & PERF_SAMPLE_ADDR)) {
			reason_set(r, EINVAL,
				   "'%s' has no data addresses, but --mem-mode needs "
				   "them",
				   path);
			reason_hint(r,
				    "record with: perf mem record ..., or perf record -d -W ...");
			return -EINVAL;
		}
		p->set.expansion = HIST_ACCESSES;
		return 0;
	}
	p->with_branches = p->asked->branch_history || (p->set.graph.branches && have);
	if (p->with_branches) {
		if (have)
			return 0;
		reason_set(r, EINVAL, "'%s' has no branch stacks, but --branch-history needs them",
			   path);
		reason_hint(r, "record with branch stacks: perf record -b -g ...");
		return -EINVAL;
	}
	wanted = p->asked->branches_given ? p->asked->branches : have && !of_calls;
	if (!wanted && !p->asked->total_cycles)
		return 0;
	if (!have) {
		reason_set(r, EINVAL, "'%s' has no branch stacks, but %s needs them", path,
			   p->asked->total_cycles ? "--total-cycles" : "-b");
		reason_hint(r, "record with branch stacks: perf record -b ...");
		return -EINVAL;
	}
	p->set.expansion = HIST_BRANCHES;
	return 0;
}

/* Finds out if the threads that ran at a time are known: their switches must be recorded. */
static int settle_latency(struct profile *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	bool asked = p->set.prefer_latency || p->asked->parallelism;
	size_t size;
	const u8 *cpus = data_feature(session_data(p->session), FEATURE_NRCPUS, &size);

	p->set.latency = false;
	vec_for_each(&events->list, ev)
		p->set.latency |= ((*ev)->attr.flags & ATTR_CONTEXT_SWITCH) != 0;
	/* weights of memory accesses are not run times */
	p->set.show_latency = p->set.latency && !p->asked->memory;
	profile_side_cpus(p, cpus && size >= 4 ? load_u32(cpus, events->swap) : 0);
	if (p->set.latency || !asked)
		return 0;
	reason_set(r, EINVAL,
		   "'%s' has no context switches, but --latency and --parallelism "
		   "need them",
		   data_path(session_data(p->session)));
	reason_hint(r, "record with: perf record --switch-events ...");
	return -EINVAL;
}

static int find_switches(struct profile *p, struct reason *r)
{
	const struct profile_options *o = p->asked;
	char *where = xasprintf("'%s'", data_path(session_data(p->session)));
	int err = event_switch_init(&p->sw, session_events(p->session), o->switch_on, o->switch_off,
				    where, r);

	p->sw.show = o->show_switches;
	if (err)
		reason_hint(r, "perf evlist -i FILE lists those that are");
	free(where);
	return err;
}

/* Reports whether all samples are of tracepoints, so their text distinguishes them. */
static bool only_traces(const struct profile *p)
{
	const struct event_set *events = session_events(p->session);

	vec_for_each(&events->list, ev)
		if (!event_is_tracepoint(*ev))
			return false;
	return events->list.count > 0;
}

static bool any_group(const struct event_set *events)
{
	vec_for_each(&events->list, ev)
		if ((*ev)->members > 1)
			return true;
	return false;
}

/* Makes one group of everything, for --group if no group was recorded. */
static void force_group(struct event_set *events)
{
	vec_for_each(&events->list, ev) {
		(*ev)->leader = events->list.items[0];
		(*ev)->members = 1;
	}
	events->list.items[0]->members = (u32)events->list.count;
}

/*
 * Splits groups of Intel's mem-loads-aux, which leads the group of mem-loads only because the PMU
 * requires it. Its samples say nothing about memory, and its zeros would only make the other's
 * columns harder to read.
 */
static void split_auxiliary_groups(struct event_set *events)
{
	vec_for_each(&events->list, ev) {
		const struct event *leader = (*ev)->leader;

		if (leader && leader != *ev && leader->name &&
		    strstr(leader->name, "mem-loads-aux"))
			(*ev)->leader = *ev;
	}
	vec_for_each(&events->list, ev)
		if ((*ev)->members > 1 && (*ev)->name && strstr((*ev)->name, "mem-loads-aux"))
			(*ev)->members = 1;
}

/*
 * Returns the keys with ipc_lbr added, or NULL. As in perf, the key symbol in a table of branches
 * adds how many instructions of the function ran in each cycle. The caller frees it.
 */
static char *sort_with_ipc(struct profile *p)
{
	struct strlist keys = { 0 };
	char *text = NULL;

	if (p->set.expansion != HIST_BRANCHES || p->asked->total_cycles)
		return NULL;
	if (p->sort)
		strlist_split(&keys, p->sort, ",+ {}");
	if (strlist_has(&keys, "symbol") && !strlist_has(&keys, "ipc_lbr") && !p->asked->fields)
		text = xasprintf("%s,ipc_lbr", p->sort);
	strlist_release(&keys);
	return text;
}

/* Collects basic blocks if they are shown. */
static void settle_blocks(struct profile *p, const char *sort)
{
	bool ipc = sort || wants_key(p, "ipc_lbr");

	p->set.services.ipc = profile_ipc;
	p->set.services.ipc_arg = p;
	if ((ipc && p->set.expansion == HIST_BRANCHES) || p->asked->total_cycles)
		profile_blocks_begin(p);
}

static void kernel_met(void *arg, u32 image)
{
	session_expect_symbols(arg, image);
}

static u64 chain_end(void *arg, u32 image, u64 offset)
{
	return session_chain_end(arg, image, offset);
}

/* Sets up the histogram by the options and the file's events. */
int profile_prepare(struct profile *p, struct reason *r)
{
	struct event_set *events = session_events(p->session);
	int err = settle_expansion(p, r);
	char *sort;

	if (!err)
		err = settle_latency(p, r);
	if (!err)
		err = settle_chains(p, r);
	if (!err)
		settle_order(p);
	if (!err)
		err = find_switches(p, r);
	if (err)
		return err;
	p->set.services.cgroup_space = profile_cgroup_space;
	p->set.services.cgroup_space_numbers = profile_cgroup_numbers;
	p->set.services.cgroup_space_arg = p;
	p->set.services.data_type = profile_data_type;
	p->set.services.data_type_arg = p;
	p->set.truth = true;
	p->set.services.chain_end = chain_end;
	p->set.services.chain_end_arg = p->session;
	p->set.services.kernel_met = kernel_met;
	p->set.services.kernel_met_arg = p->session;
	split_auxiliary_groups(events);
	p->set.forced_group = p->asked->group && p->asked->group_given && events->list.count &&
			      !any_group(events);
	if (p->set.forced_group)
		force_group(events);
	p->set.group = p->asked->group;
	p->set.only_rows = !p->asked->gather && !p->asked->stacks;
	if (p->asked->member_given)
		hist_check_member(p->ctx, &p->set, session_events(p->session));
	sort = sort_with_ipc(p);
	settle_blocks(p, sort);
	p->hist = hist_new(p->ctx, events, session_history(p->session), session_images(p->session),
			   &p->set);
	if (events->sample_type_any & PERF_SAMPLE_RAW)
		hist_set_tracepoints(p->hist, data_tracepoints(session_data(p->session), NULL));
	err = hist_set_keys(p->hist, sort ? sort : p->sort, p->asked->fields, only_traces(p), r);
	free(sort);
	if (!err && p->asked->show_samples)
		err = hist_add_value(p->hist, "sample", r);
	if (!err && p->asked->show_period)
		err = hist_add_value(p->hist, "period", r);
	if (err)
		return err;
	for (unsigned i = 0; i < p->worker_count; i++)
		p->workers[i].collector = hist_collector_new(p->hist);
	return 0;
}
