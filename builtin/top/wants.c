// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the options ask of the samples and of the records beside them: branches, switches,
 * namespaces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/top/internal.h"

static bool lists(struct top *t, unsigned flags)
{
	const struct event_set none = { 0 };
	struct hist *h = hist_new(t->a.ctx, &none, NULL, NULL, &t->o.set);
	bool found =
		hist_lists_column(h, t->o.sort, flags) || hist_lists_column(h, t->o.fields, flags);

	hist_free(h);
	return found;
}

static bool names_key(const char *keys, const char *key)
{
	struct strlist names = { 0 };
	bool found;

	if (keys)
		strlist_split(&names, keys, ",+ {}");
	found = strlist_has(&names, key);
	strlist_release(&names);
	return found;
}

/* Chains that begin with branches need both of them. */
static int want_history(struct top *t, struct reason *r)
{
	struct top_options *o = &t->o;
	int err = 0;

	o->with_branches = o->branch_history || (o->chains && o->set.graph.branches);
	if (!o->with_branches)
		return 0;
	if (o->set.graph.mode == CALL_GRAPH_NONE)
		return reason_set(
			r, EINVAL,
			"--branch-history and a call graph of the type 'none' exclude each other");
	top_source_want_branches(t->source);
	if (!top_source_has_chains(t->source))
		err = top_source_chains(t->source, NULL, r);
	o->chains = true;
	o->set.graph.by_address |= o->branch_history;
	if (o->branch_history && !o->sort && !o->fields)
		o->sort = "srcline,symbol,dso";
	return err;
}

/* Where a key of branches is asked for, each branch is a row's sample. */
static int want_branch_rows(struct top *t, struct reason *r)
{
	if (!lists(t, HIST_OF_BRANCH))
		return 0;
	if (names_key(t->o.sort, "ipc_lbr") || names_key(t->o.fields, "ipc_lbr"))
		return reason_set(r, EINVAL, "the key 'ipc_lbr' is for perf report only");
	if (t->o.chains) {
		reason_set(r, EINVAL, "%s and keys of branches exclude each other",
			   t->o.branch_history ? "--branch-history" : "call chains");
		reason_hint(r, "a row of such keys is a branch, which has no callers");
		return -EINVAL;
	}
	t->o.set.expansion = HIST_BRANCHES;
	top_source_want_branches(t->source);
	return 0;
}

static int want_stitching(struct top *t, struct reason *r)
{
	if (!t->o.stitch || (t->o.chains && top_source_has_call_registers(t->source)))
		return 0;
	reason_set(r, EINVAL, "--stitch-lbr continues call chains of the CPU's branch registers");
	reason_hint(r, "add --call-graph lbr");
	return -EINVAL;
}

static int parse_parallelism(struct top *t, struct reason *r)
{
	enum { MOST = 1 << 16 };
	u32 *list;
	size_t count;

	if (!t->o.parallelism)
		return 0;
	if (parse_cpu_list(t->o.parallelism, MOST, &list, &count))
		return reason_set(r, EINVAL, "--parallelism: '%s' is not a list like 1,4-8",
				  t->o.parallelism);
	t->o.parallelism_wanted = xcalloc(MOST + 1, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		t->o.parallelism_wanted[list[i]] = true;
	t->o.set.parallelism = t->o.parallelism_wanted;
	t->o.set.parallelism_count = MOST + 1;
	free(list);
	return 0;
}

int top_settle_wants(struct top *t, struct reason *r)
{
	struct top_options *o = &t->o;
	int err = want_history(t, r);

	if (!err)
		err = want_branch_rows(t, r);
	if (!err)
		err = want_stitching(t, r);
	if (!err)
		err = parse_parallelism(t, r);
	if (err)
		return err;
	o->set.latency = o->set.prefer_latency || o->set.parallelism || lists(t, HIST_LATENCY);
	if (o->set.latency)
		top_source_want_switches(t->source);
	if (names_key(o->sort, "cgroup_id") || names_key(o->fields, "cgroup_id"))
		top_source_want_namespaces(t->source);
	if (names_key(o->sort, "cgroup") || names_key(o->fields, "cgroup"))
		top_source_want_cgroups(t->source);
	return 0;
}
