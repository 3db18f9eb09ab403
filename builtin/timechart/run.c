// SPDX-License-Identifier: GPL-2.0-or-later
/* From the options to the file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "builtin/timechart/internal.h"
#include "chain/chain.h"
#include "cli/say.h"

static void release(struct scene *s)
{
	tracer_free(s->tracer);
	session_lines_free(s->facts);
	chart_release(&s->chart);
	vec_release(&s->cpus);
	vec_release(&s->rows);
	tasks_free(s->tasks);
	vec_release(&s->row_of);
	map64_release(&s->by_tid);
	vec_release(&s->callers);
	strtab_release(&s->names);
	strtab_release(&s->chain_texts);
	chains_free(s->chains);
	vec_release(&s->shown);
	vec_release(&s->cpu_order);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct session_point p = session_point_of(ss);

	(void)worker;
	return scene_sample(arg, &p, r);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct scene *s = arg;

	(void)r;
	s->gaps++;
	tracer_record(s->tracer, rec, key);
	return 0;
}

/*
 * Reports whether the recording has events of the system. A stream does not list its events in
 * advance, so it is assumed to.
 */
static bool has_events(struct scene *s, const char *system)
{
	const struct event_set *set = session_events(s->session);

	for (size_t i = 0; i < set->list.count; i++)
		if (set->list.items[i]->name && str_starts(set->list.items[i]->name, system))
			return true;
	return data_is_pipe(session_data(s->session));
}

/* Reads the intervals of tasks, and all other events in the same pass. */
static int run_tasks(struct scene *s, struct reason *r)
{
	s->tasks = tasks_new(
		&(struct tasks_settings){ .ops = &timechart_tasks,
					  .arg = s,
					  .chains = s->chains || has_events(s, "syscalls:"),
					  .optional = true,
					  .record = "record with: perf timechart record" });
	return tasks_run(s->tasks, s->session, r);
}

static int run_alone(struct scene *s, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = on_sample,
		.record = on_record,
		.want = { BIT64(PERF_RECORD_LOST) },
		.no_locations = true,
		.no_chains = true,
		.no_tasks = !has_events(s, "syscalls:"),
	};

	return session_run(s->session, &ops, s, r);
}

/* Binds the events other than switches, which are optional. */
static int bind_others(struct scene *s, bool has_tasks, struct reason *r)
{
	int err;

	s->tracer = tracer_new(
		&(struct tracer_settings){ .rows = timechart_events,
					   .row_count = timechart_event_count,
					   .record = "record with: perf timechart record",
					   .arg = s });
	err = tracer_bind(s->tracer, s->session, r);
	if (err != -ENOENT || !has_tasks)
		return err;
	reason_release(r);
	tracer_free(s->tracer);
	s->tracer = NULL;
	return 0;
}

/* Checks that a stream had events to draw, which is known only at its end. */
static int check_stream(const struct scene *s, struct reason *r)
{
	if (!data_is_pipe(session_data(s->session)) || tasks_tracer_stats(s->tasks)->hits ||
	    (s->tracer && tracer_stats(s->tracer)->hits))
		return 0;
	reason_set(r, ENOENT,
		   "the recording has no event that can be drawn, such as 'sched:sched_switch'");
	reason_hint(r, "record with: perf timechart record");
	return -ENOENT;
}

static int read_all_events(struct scene *s, struct reason *r)
{
	bool has_tasks = has_events(s, "sched:sched_switch");
	int err = bind_others(s, has_tasks, r);

	if (session_events(s->session)->sample_type_any & PERF_SAMPLE_CALLCHAIN)
		s->chains = chains_new(session_history(s->session));
	s->wakeups = has_events(s, "sched:sched_wakeup");
	if (!err)
		err = has_tasks ? run_tasks(s, r) : run_alone(s, r);
	if (!err && has_tasks)
		err = check_stream(s, r);
	if (!err && s->tracer && !has_tasks)
		err = tracer_finish(s->tracer, r);
	if (!err && !s->samples)
		err = reason_set(r, ENODATA,
				 "the recording has no samples: there is nothing to draw");
	return err;
}

static int write_picture(struct scene *s, struct reason *r)
{
	const char *path = s->t->output;
	struct replace file;
	struct out svg;
	int err;

	if (!strcmp(path, "-")) {
		timechart_draw(s, &s->t->a.out);
		return 0;
	}
	err = replace_begin(&file, path, 0666, REPLACE_ANY, r);
	if (err)
		return err;
	out_init(&svg, file.fd);
	timechart_draw(s, &svg);
	err = out_release(&svg);
	if (!err)
		return replace_end(&file, r);
	replace_drop(&file);
	return reason_errno(r, -err, "cannot write '%s'", path);
}

static int draw(struct timechart *t, double *seconds, struct reason *r)
{
	struct scene s = { .t = t, .session = t->a.session };
	int err;

	chart_init(&s.chart);
	s.chart.threads = session_workers(s.session);
	scene_begin(&s);
	strtab_add(&s.names, "");
	strtab_add(&s.chain_texts, "");
	err = data_refuse_same(data_path(session_data(t->a.session)), t->output, r);
	if (!err)
		err = read_all_events(&s, r);
	if (!err) {
		scene_finish(&s);
		*seconds = (double)(s.chart.last - s.chart.first) / 1e9;
		err = write_picture(&s, r);
	}
	if (!err && s.gaps)
		say_warning("events were lost %" PRIu64
			    " times: nothing is drawn where it is not known who ran",
			    s.gaps);
	release(&s);
	return err;
}

int timechart_run(struct timechart *t, double *seconds)
{
	struct reason r = REASON_INIT;

	if (analysis_prepare(&t->a, &r) || analysis_begin(&t->a, &r))
		return say_reason(&r);
	return analysis_end(&t->a, draw(t, seconds, &r), &r);
}
