// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a profile: sets it up, reads all samples, frees it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/internal.h"

int profile_begin(struct profile *p, const struct profile_options *asked, struct session *s,
		  struct reason *r)
{
	bool stream = data_is_pipe(session_data(s));
	int err;

	*p = (struct profile){
		.asked = asked,
		.ctx = session_context(s),
		.session = s,
		.set = asked->set,
		.sort = asked->sort,
		.worker_count = session_workers(s),
	};
	p->workers = xcalloc_apart(p->worker_count, sizeof(*p->workers));
	profile_side_begin(p);
	p->choice.cpus = asked->filters->choice.cpus;
	p->choice.cpu_count = asked->filters->choice.cpu_count;
	err = sample_choice_open(&p->choice, asked->filters->time, s, r);
	p->set.sockets = p->sockets = profile_read_sockets(session_data(s), &p->set.socket_count);
	if (!err && p->set.one_socket)
		err = profile_check_socket(p, r);
	if (!err && !stream)
		err = profile_prepare(p, r);
	return err;
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct profile *p = arg;

	p->workers[worker].seen++;
	/* A stream describes its events while it is read, by one thread. */
	if (unlikely(!p->hist)) {
		int err = profile_prepare(p, r);

		if (err)
			return err;
	}
	profile_add_sample(p, worker, s);
	return 0;
}

u64 profile_seen(const struct profile *p, u64 *all)
{
	u64 sum = 0;

	for (unsigned i = 0; i < p->worker_count; i++)
		sum += __atomic_load_n(&p->workers[i].seen, __ATOMIC_RELAXED);
	*all = session_samples_ahead(p->session);
	return sum;
}

/*
 * Reports whether samples need locations. A stream's events, and so its columns, are unknown at
 * first.
 */
static bool needs_locations(const struct profile *p)
{
	return !p->hist || p->gather || p->blocks || p->with_branches ||
	       p->set.expansion != HIST_SAMPLES || !hist_is_placeless(p->hist);
}

static bool leaves_out_samples(const struct profile *p)
{
	return sample_choice_any(&p->choice) || p->asked->hide_idle || p->asked->switch_on ||
	       p->asked->switch_off || hist_filters_samples(&p->set);
}

static int run_session(struct profile *p, struct reason *r)
{
	struct session_ops ops = {
		.order = p->asked->switch_on || p->asked->switch_off || p->blocks || p->chains
				 ? SESSION_ORDERED
				 : SESSION_SUMS,
		.record = profile_side_record,
		.sample = add_sample,
		.filter = sample_choice_any(&p->choice) || p->asked->hide_idle ? profile_keep_sample
									       : NULL,
		.no_chains = !p->set.chains,
		.no_locations = !needs_locations(p),
		.shows_chains =
			p->set.chains && (p->set.graph.mode != CALL_GRAPH_NONE || p->asked->stacks),
		.some_samples = leaves_out_samples(p),
	};

	profile_side_live(p,
			  data_is_pipe(session_data(p->session)) || ops.order == SESSION_ORDERED);
	profile_side_wants(p, ops.want);
	return session_run(p->session, &ops, p, r);
}

static void gather_begin(struct profile *p)
{
	p->gather = xcalloc(1, sizeof(*p->gather));
	annotate_gather_begin(&p->gather->gather, p->session);
}

static int finish(struct profile *p, struct reason *r)
{
	struct hist_collector **list = xcalloc(p->worker_count, sizeof(struct hist_collector *));
	int err;

	for (unsigned i = 0; i < p->worker_count; i++)
		list[i] = p->workers[i].collector;
	err = hist_finish(p->hist, list, p->worker_count, session_symbols(p->session), r);
	free(list);
	return err;
}

static void free_collectors(struct profile *p)
{
	for (unsigned i = 0; i < p->worker_count; i++) {
		hist_collector_free(p->workers[i].collector);
		p->workers[i].collector = NULL;
	}
}

int profile_read(struct profile *p, struct reason *r)
{
	int err;

	if (p->asked->gather)
		gather_begin(p);
	err = run_session(p, r);
	if (p->gather)
		p->gather->counts = annotate_gather_end(&p->gather->gather);
	if (!err && !p->hist)
		err = profile_prepare(p, r);
	if (!err)
		err = finish(p, r);
	free_collectors(p);
	return err;
}

#define BY_FUNCTION                                                                                \
	.sort = "symbol", .filters = &no_filters, .set = { .max_stack = 127, .call_sites = true }, \
	.no_graph = true

int profile_by_function(struct profile *p, struct session *s, bool stacks, struct reason *r)
{
	static const struct sample_filters no_filters;
	static const struct profile_options plain = { BY_FUNCTION },
					    judged = { BY_FUNCTION, .truth_stacks = true };
	int err = profile_begin(p, stacks ? &judged : &plain, s, r);

	return err ? err : profile_read(p, r);
}

struct annotate_counts *profile_counts(const struct profile *p)
{
	return p->gather ? p->gather->counts : NULL;
}

void profile_release(struct profile *p)
{
	free_collectors(p);
	hist_free(p->hist);
	profile_types_release(p);
	profile_ipc_release(p);
	profile_blocks_release(p);
	profile_chains_release(p);
	if (p->gather)
		annotate_gather_release(&p->gather->gather);
	free(p->gather);
	profile_side_release(p);
	time_ranges_release(&p->choice.times);
	for (unsigned i = 0; i < p->worker_count; i++)
		branch_path_release(&p->workers[i].path);
	free(p->workers);
	free(p->sockets);
	*p = (struct profile){ 0 };
}
