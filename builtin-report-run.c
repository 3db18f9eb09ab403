// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: from the file's samples to what is printed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "builtin-report.h"
#include "cli/say.h"
#include "script/raw_dump.h"
#include "session/summary.h"
#include "ui/tui/report.h"

/* ---- samples ---- */

static int prepare(struct report *p, struct reason *r);

static int add_sample(void *arg, unsigned worker, const struct session_sample *s,
		      struct reason *r)
{
	struct report *p = arg;

	p->seen[worker].samples++;
	/* A stream tells its events on the way; it is read by one thread. */
	if (unlikely(!p->hist)) {
		int err = prepare(p, r);

		if (err)
			return err;
	}
	report_add_sample(p, worker, s);
	return 0;
}

/* For a person to read while others count: it need not be exact. */
static u64 seen_samples(void *arg, u64 *all)
{
	const struct report *p = arg;
	u64 sum = 0;

	for (unsigned i = 0; i < session_workers(p->session); i++)
		sum += __atomic_load_n(&p->seen[i].samples, __ATOMIC_RELAXED);
	*all = session_samples_ahead(p->session);
	return sum;
}

static int collect(struct report *p, struct reason *r)
{
	bool reads = session_events(p->session)->sample_type_any & PERF_SAMPLE_READ;
	struct session_ops ops = {
		/* differences of counters need the order of their reads */
		.order = reads || p->switch_on || p->switch_off || p->blocks || p->chains
				 ? SESSION_ORDERED : SESSION_SUMS,
		.record = report_side_record,
		.sample = add_sample,
		.filter = sample_choice_any(&p->choice) ? report_keep_sample : NULL,
		.no_chains = !p->set.chains,
		.shows_chains = p->set.chains && p->set.graph.mode != CALL_GRAPH_NONE,
	};
	struct tui_loading *loading;
	int err;

	p->side_live = data_is_pipe(session_data(p->session)) || ops.order == SESSION_ORDERED;
	report_side_wants(p, ops.want);
	p->seen = aligned_alloc(64, session_workers(p->session) * sizeof(*p->seen));
	if (!p->seen)
		return reason_set(r, ENOMEM, "out of memory");
	memset(p->seen, 0, session_workers(p->session) * sizeof(*p->seen));
	loading = p->tui ? tui_loading_start(data_path(session_data(p->session)), seen_samples, p)
			 : NULL;
	if (p->tui)
		report_annotate_begin(p);
	err = session_run(p->session, &ops, p, r);
	if (p->annotate)
		report_annotate_end(p);
	if (!err && !p->hist)
		err = prepare(p, r);
	if (!err)
		err = hist_finish(p->hist, p->collectors, p->collector_count,
				  session_symbols(p->session), r);
	for (unsigned i = 0; i < p->collector_count; i++)
		hist_collector_free(p->collectors[i]);
	free(p->collectors);
	tui_loading_stop(loading);
	free(p->seen);
	return err;
}

/* ---- what the file can give ---- */

static bool wants_key(const struct report *p, const char *key)
{
	struct strlist keys = { 0 };
	bool found;

	if (p->sort)
		strlist_split(&keys, p->sort, ",+ {}");
	if (p->fields)
		strlist_split(&keys, p->fields, ",+ ");
	found = strlist_has(&keys, key);
	strlist_release(&keys);
	return found;
}

/* --show-ref-call-graph is for files where some events have chains and others none. */
static void say_reference_chains(const struct report *p)
{
	const char *path = data_path(session_data(p->session));
	size_t with = 0, without = 0;

	vec_for_each(&session_events(p->session)->list, ev) {
		bool has = (*ev)->attr.sample_type & PERF_SAMPLE_CALLCHAIN;

		with += has;
		without += !has && (*ev)->attr.sample_type & PERF_SAMPLE_IP;
	}
	if (!p->set.chains)
		say_warning("--show-ref-call-graph has no effect: call chains are not shown");
	else if (!with)
		say_warning("--show-ref-call-graph has no effect: no event of '%s' has call chains", path);
	else if (!without)
		say_warning("--show-ref-call-graph has no effect: all events of '%s' have call chains", path);
}

/* Chains of LBR, of earlier samples, of other events. */
static int settle_chain_sources(struct report *p, struct reason *r)
{
	bool lbr = report_has_lbr_chains(p);

	if (p->stitch && !lbr) {
		reason_set(r, EINVAL, "'%s' has no call chains of branch registers, but --stitch-lbr "
			   "needs them", data_path(session_data(p->session)));
		reason_hint(r, "record on a CPU that has them: perf record --call-graph lbr ...");
		return -EINVAL;
	}
	if (p->stitch && (!p->set.chains || p->with_branches))
		return reason_set(r, EINVAL, "--stitch-lbr is of call chains, which %s leaves out",
				  p->set.expansion == HIST_BRANCHES ? "-b" : p->with_branches
				  ? "--branch-history" : "--no-call-graph");
	if (p->reference_chains)
		say_reference_chains(p);
	if (p->set.chains && !p->with_branches && (lbr || p->reference_chains))
		report_chains_begin(p);
	return 0;
}

static int settle_chains(struct report *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	bool have = p->with_branches || (events->sample_type_any & PERF_SAMPLE_CALLCHAIN);

	if (p->branch_history) {
		p->set.graph.by_address = true;
		p->sort = p->sort ? p->sort : "srcline,symbol,dso";
	}
	if (!have && ((p->graph_given && p->set.graph.mode != CALL_GRAPH_NONE) || wants_key(p, "parent") || p->set.parent)) {
		reason_set(r, EINVAL, "'%s' has no call chains, but %s needs them",
			   data_path(session_data(p->session)),
			   p->graph_given ? "-g" : "the sort key 'parent'");
		reason_hint(r, "record with call chains: perf record -g ...");
		return -EINVAL;
	}
	if (p->folded || p->flamegraph) { /* no table is drawn */
		p->set.graph.mode = CALL_GRAPH_NONE;
		p->children = false;
		p->sort = p->sort ? p->sort : "comm";
	}
	p->set.chains = have && !p->no_graph && p->set.expansion != HIST_BRANCHES;
	if (p->no_graph)
		p->set.graph.mode = CALL_GRAPH_NONE;
	return settle_chain_sources(p, r);
}

static void settle_order(struct report *p)
{
	p->set.children = p->children && p->set.chains && !p->hierarchy;
	if (!p->set.graph.order_given)
		p->set.graph.caller = p->children && p->set.chains;
}

/*
 * What a row counts.  perf's rule: branches where there are branch stacks, unless they
 * are a call stack's, or belong to a stack that is unwound.
 */
static int settle_expansion(struct report *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	const char *path = data_path(session_data(p->session));
	bool have = events->sample_type_any & PERF_SAMPLE_BRANCH_STACK;
	bool of_calls = events->sample_type_any & PERF_SAMPLE_STACK_USER;

	vec_for_each(&events->list, ev)
		of_calls |= (*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	p->set.expansion = HIST_SAMPLES;
	if (p->memory) {
		if (p->branches && p->branches_given)
			return reason_set(r, EINVAL, "--mem-mode and --branch-stack exclude each other");
		if (!(events->sample_type_any & PERF_SAMPLE_ADDR)) {
			reason_set(r, EINVAL, "'%s' has no data addresses, but --mem-mode needs "
				   "them", path);
			reason_hint(r, "record with: perf mem record ..., or perf record -d -W ...");
			return -EINVAL;
		}
		p->set.expansion = HIST_ACCESSES;
		return 0;
	}
	if (p->total_cycles)
		p->branches = p->branches_given = true;
	p->with_branches = p->branch_history || (p->set.graph.branches && have);
	if (p->with_branches) {
		if (have)
			return 0;
		reason_set(r, EINVAL, "'%s' has no branch stacks, but --branch-history needs them",
			   path);
		reason_hint(r, "record with branch stacks: perf record -b -g ...");
		return -EINVAL;
	}
	if (!(p->branches_given ? p->branches : have && !of_calls))
		return 0;
	if (!have) {
		reason_set(r, EINVAL, "'%s' has no branch stacks, but %s needs them", path,
			   p->total_cycles ? "--total-cycles" : "-b");
		reason_hint(r, "record with branch stacks: perf record -b ...");
		return -EINVAL;
	}
	p->set.expansion = HIST_BRANCHES;
	return 0;
}

/*
 * Was it recorded with --latency?  Files with context switches for another reason have the
 * columns that every version of perf shows.
 */
static bool recorded_for_latency(struct report *p)
{
	size_t argc = 0;
	const char *const *argv = data_cmdline(session_data(p->session), &argc);

	for (size_t i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (str_starts(argv[i], "--lat") && str_starts("--latency", argv[i]))
			return true;
	return false;
}

/* Which threads ran at a time can be told where their switches were recorded. */
static int settle_latency(struct report *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	bool asked = p->set.prefer_latency || p->parallelism;
	size_t size;
	const u8 *cpus = data_feature(session_data(p->session), FEATURE_NRCPUS, &size);

	p->set.latency = false;
	vec_for_each(&events->list, ev)
		p->set.latency |= ((*ev)->attr.flags & ATTR_CONTEXT_SWITCH) != 0;
	p->set.show_latency = p->set.latency &&
			      (p->set.prefer_latency || recorded_for_latency(p));
	p->machine_cpus = cpus && size >= 4 ? load_u32(cpus, events->swap) : 0;
	if (p->set.latency || !asked)
		return 0;
	reason_set(r, EINVAL, "'%s' has no context switches, but --latency and --parallelism "
		   "need them", data_path(session_data(p->session)));
	reason_hint(r, "record with: perf record --switch-events ...");
	return -EINVAL;
}

static int find_switch(struct report *p, const char *name, const struct event **ev,
		       struct reason *r)
{
	*ev = name ? event_by_name(session_events(p->session), name) : NULL;
	if (!name || *ev)
		return 0;
	reason_set(r, EINVAL, "event '%s' of --switch-on or --switch-off is not in '%s'", name,
		   data_path(session_data(p->session)));
	reason_hint(r, "perf evlist -i FILE lists those that are");
	return -EINVAL;
}

/* All samples are of tracepoints: then their text is what tells them apart. */
static bool only_traces(const struct report *p)
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

/* --group where nothing was recorded as one: everything is one group. */
static void force_group(struct event_set *events)
{
	vec_for_each(&events->list, ev) {
		(*ev)->leader = events->list.items[0];
		(*ev)->members = 1;
	}
	events->list.items[0]->members = (u32)events->list.count;
}

/* ---- sockets ---- */

/* CPU_TOPOLOGY: two lists of texts, then (core, socket) for each CPU. */
static s32 *read_sockets(struct data_reader *d, u32 *count)
{
	bool swap = data_is_swapped(d);
	size_t size, at = 0;
	const u8 *p = data_feature(d, FEATURE_CPU_TOPOLOGY, &size), *cpus;
	size_t cpus_size = 0;
	s32 *sockets;

	*count = 0;
	for (int list = 0; p && list < 2; list++) {
		u32 n = at + 4 <= size ? load_u32(p + at, swap) : UINT32_MAX;

		for (at += 4; n && at + 4 <= size; n--)
			at += 4 + (size_t)load_u32(p + at, swap);
		if (n || at > size)
			return NULL;
	}
	if (!p || at >= size)
		return NULL;
	*count = (u32)((size - at) / 8);
	cpus = data_feature(d, FEATURE_NRCPUS, &cpus_size); /* dies follow the last CPU */
	if (cpus && cpus_size >= 4)
		*count = MIN(*count, load_u32(cpus, swap));
	sockets = xcalloc(*count + 1, sizeof(*sockets));
	for (u32 i = 0; i < *count; i++)
		sockets[i] = (s32)load_u32(p + at + i * 8 + 4, swap);
	return sockets;
}

/*
 * perf: in a table of branches the key symbol brings how many instructions of the function
 * ran for each cycle.  The caller frees it; NULL: none.
 */
static char *sort_with_ipc(struct report *p)
{
	struct strlist keys = { 0 };
	char *text = NULL;

	if (p->set.expansion != HIST_BRANCHES || p->total_cycles)
		return NULL;
	if (p->sort)
		strlist_split(&keys, p->sort, ",+ {}");
	if (strlist_has(&keys, "symbol") && !strlist_has(&keys, "ipc_lbr") && !p->fields)
		text = xasprintf("%s,ipc_lbr", p->sort);
	strlist_release(&keys);
	return text;
}

/* Basic blocks are gathered where they are shown. */
static void settle_blocks(struct report *p, const char *sort)
{
	bool ipc = sort || wants_key(p, "ipc_lbr");

	p->set.ipc = report_ipc;
	p->set.ipc_arg = p;
	if ((ipc && p->set.expansion == HIST_BRANCHES) || p->total_cycles)
		report_blocks_begin(p);
}

static void kernel_met(void *arg, u32 image)
{
	session_expect_symbols(arg, image);
}

/* The histogram as the options and the file's events want it. */
static int prepare(struct report *p, struct reason *r)
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
		err = find_switch(p, p->switch_on, &p->on, r);
	if (!err)
		err = find_switch(p, p->switch_off, &p->off, r);
	if (err)
		return err;
	p->switched_off = p->on != NULL;
	p->set.cgroup_space = report_cgroup_space;
	p->set.cgroup_space_numbers = report_cgroup_numbers;
	p->set.cgroup_space_arg = p;
	p->set.data_type = report_data_type;
	p->set.data_type_arg = p;
	p->set.kernel_met = kernel_met;
	p->set.kernel_met_arg = p->session;
	p->set.forced_group = p->group && p->group_given && events->list.count &&
			      !any_group(events);
	if (p->set.forced_group)
		force_group(events);
	p->set.group = p->group;
	sort = sort_with_ipc(p);
	settle_blocks(p, sort);
	p->hist = hist_new(p->ctx, events, session_history(p->session),
			   session_images(p->session), &p->set);
	if (events->sample_type_any & PERF_SAMPLE_RAW)
		hist_set_tracepoints(p->hist, data_tracepoints(session_data(p->session), NULL));
	err = hist_set_keys(p->hist, sort ? sort : p->sort, p->fields, only_traces(p), r);
	free(sort);
	p->wrong_use = err == -EINVAL;
	if (!err && p->show_samples)
		err = hist_add_value(p->hist, "sample", r);
	if (!err && p->show_period)
		err = hist_add_value(p->hist, "period", r);
	if (err)
		return err;
	p->collector_count = session_workers(p->session);
	p->collectors = xcalloc(p->collector_count, sizeof(struct hist_collector *));
	for (unsigned i = 0; i < p->collector_count; i++)
		p->collectors[i] = hist_collector_new(p->hist);
	p->branch_types = aligned_alloc(64, p->collector_count * sizeof(*p->branch_types));
	if (!p->branch_types)
		return reason_set(r, ENOMEM, "out of memory");
	memset(p->branch_types, 0, p->collector_count * sizeof(*p->branch_types));
	p->paths = aligned_alloc(64, p->collector_count * sizeof(*p->paths));
	if (!p->paths)
		return reason_set(r, ENOMEM, "out of memory");
	memset(p->paths, 0, p->collector_count * sizeof(*p->paths));
	return err;
}

/* --socket-filter: are sockets known at all? */
static int check_socket(const struct report *p, struct reason *r)
{
	struct data_reader *d = session_data(p->session);
	bool by_cpu = session_events(p->session)->sample_type_any & PERF_SAMPLE_CPU;
	s32 most = -1;

	if (data_is_pipe(d)) /* neither is known yet */
		return 0;
	if (!by_cpu) {
		reason_set(r, EINVAL, "the samples in '%s' do not say on which CPU they were taken, but "
			   "--socket-filter needs it", data_path(d));
		reason_hint(r, "record with --sample-cpu (-a has it)");
		return -EINVAL;
	}
	for (u32 i = 0; i < p->set.socket_count; i++)
		most = MAX(most, p->set.sockets[i]);
	if (most < 0)
		return reason_set(r, ENODATA, "'%s' does not tell the sockets of its CPUs, but --socket-filter "
				  "needs them", data_path(d));
	if (p->set.socket > most)
		return reason_set(r, EINVAL, "--socket-filter: there is no socket %d in '%s': the last one is %d",
				  p->set.socket, data_path(d), most);
	return 0;
}

static int report_samples(struct report *p, struct reason *r)
{
	int err = sample_choice_open(&p->choice, p->time, p->session, r);

	p->set.sockets = p->sockets = read_sockets(session_data(p->session),
						   &p->set.socket_count);
	if (!err && p->set.one_socket)
		err = check_socket(p, r);
	p->draw.no_heads = p->ctx->quiet;
	p->draw.first_frame_known = p->sort && str_starts(p->sort, "sym") && !p->fields;
	if (!err && !data_is_pipe(session_data(p->session)))
		err = prepare(p, r);
	if (!err)
		err = collect(p, r);
	return err ? err : report_print(p, r);
}

int report_run(struct report *p, struct reason *r)
{
	struct data_reader *d = session_data(p->session);

	if (p->json && (p->header_only || p->stats || p->tasks || p->mmaps))
		return report_json_records(p, r);
	if (p->json) {
		; /* the header is a member of the document */
	} else if (p->header || p->header_only) {
		data_header_print(d, out_buf(&p->out), p->show_info);
		if (p->header_only)
			return 0;
	} else if (!p->tui && !p->ctx->quiet && !p->stats && !p->folded &&
		   !p->flamegraph && !p->tasks && !p->mmaps) {
		out_str(&p->out, "# To display the perf.data header info, please use "
				 "--header/--header-only options.\n#\n");
	}
	if (p->itrace_given && data_has_feature(d, FEATURE_AUXTRACE))
		say_warning("AUX area data is not decoded: --itrace has no effect");
	if (p->dump)
		return raw_dump(p->session, p->skip_empty, p->disable_order, &p->out, r);
	if (p->stats)
		return session_stats_text(p->session, p->skip_empty, out_buf(&p->out), r);
	if (p->tasks || p->mmaps)
		return session_tasks_text(p->session, p->mmaps, out_buf(&p->out), r);
	return report_samples(p, r);
}
