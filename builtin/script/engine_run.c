// SPDX-License-Identifier: GPL-2.0-or-later
/* A script over a session: each sample becomes a call of the plugin. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/say.h"
#include "builtin/script/engine_internal.h"
#include "builtin/script/engine_run.h"

/* Returns the event of a sample, described when its first sample is seen. */
static struct engine_event_view *engine_event_of(struct engine_run *e, const struct event *ev)
{
	struct engine_event_view *v;

	while (e->events.count <= ev->index)
		vec_push(&e->events, NULL);
	v = e->events.items[ev->index];
	if (v)
		return v;
	/* a stream may describe its events late */
	if (!e->formats && session_data(e->session))
		e->formats = data_tracepoints(session_data(e->session), NULL);
	v = xcalloc(1, sizeof(*v));
	engine_event_describe(v, ev, e->formats);
	e->events.items[ev->index] = v;
	return v;
}

/* Takes a plugin's answer. Returns 0 to go on, or -ECANCELED to end the run as e->answer says. */
static int take_answer(struct engine_run *e, int answer)
{
	if (likely(answer == ENGINE_GO_ON))
		return 0;
	e->answer = answer;
	return -ECANCELED;
}

static void fill_guest(struct engine_run *e, const struct sample *s, struct engine_sample *out)
{
	struct guest_place place;

	out->vcpu = -1;
	if (!history_guest_place(e->history, s->id.id, &place))
		return;
	out->machine_pid = place.machine;
	out->vcpu = place.vcpu;
}

/*
 * "Not available" in each part of a data source: what perf hands to scripts where none was
 * recorded.
 */
enum { NO_DATA_SOURCE = 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26 };

static void fill(struct engine_run *e, const struct session_sample *ss,
		 const struct engine_event_view *v, struct engine_sample *out)
{
	const struct sample *s = ss->sample;
	bool has_source = v->sample_type & PERF_SAMPLE_DATA_SRC;
	u64 pid = 0;

	*out = (struct engine_sample){
		.event = &v->shown,
		.pid = s->id.pid,
		.tid = s->id.tid,
		.cpu = s->id.cpu,
		.ip = s->ip,
		.time = s->id.time,
		.period = s->period,
		.addr = s->addr,
		.phys_addr = s->phys_addr,
		.id = s->id.id,
		.stream_id = s->id.stream_id,
		.weight = s->weight,
		.transaction = s->transaction,
		.data_src = has_source ? s->data_src : (u64)NO_DATA_SOURCE,
		.ins_lat = s->ins_lat,
		.cpumode = s->cpumode,
		.comm = history_comm_text(e->history, ss->comm),
		.raw = s->raw,
		.raw_size = s->raw_size,
		.record = ss->record->data,
		.record_size = ss->record->size,
		.time_enabled = s->time_enabled,
		.time_running = s->time_running,
		.read_count = (u32)s->read_count,
		.addr_has_place = v->addr_has_place,
	};
	fill_guest(e, s, out);
	if (v->common_pid &&
	    tracepoint_get_int(e->formats, v->common_pid, s->raw, s->raw_size, &pid))
		out->common_pid = (s32)pid;
}

static int on_sample(void *arg, const struct session_sample *ss, struct reason *r)
{
	struct engine_run *e = arg;
	const struct engine_event_view *v = engine_event_of(e, ss->sample->event);
	struct engine_sample shown;

	(void)r;
	if (v->shown.is_tracepoint && (!v->format || ss->sample->raw_size < v->raw_needed)) {
		e->damaged++;
		return 0;
	}
	e->now = ss;
	e->now_key = ss->key;
	e->now_event = v;
	fill(e, ss, v, &shown);
	return take_answer(e, e->plugin->sample(e->state, &shown));
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct engine_run *e = arg;

	(void)r;
	return take_answer(e, engine_record(e, rec, key));
}

static void report_damaged(struct engine_run *e)
{
	if (e->damaged)
		condition_add(
			&e->ctx->conditions, CONDITION_WARNING, "script-damaged", NULL, NULL,
			e->damaged, NULL,
			"samples were not given to the script, since their data do not contain "
			"all of their fields");
}

/* Reports that a live script, which reads a pipe from perf record, got no event. */
static void explain_empty(const struct engine_run *e)
{
	const struct data_reader *data = session_data(e->session);

	if (data && data_is_pipe(data) && !session_stats(e->session)->records[PERF_RECORD_SAMPLE])
		say_nothing_seen(e->ctx, "no event was recorded for the script");
}

static int run_script(struct engine_run *e, struct reason *r)
{
	struct script_consumer consumer = { .sample = on_sample, .record = on_record, .arg = e };
	struct out none;
	int err;

	engine_want_records(consumer.want);
	e->options->consumer = &consumer;
	out_init(&none, -1);
	err = script_run(e->session, e->options, &none, r);
	out_release(&none);
	e->options->consumer = NULL;
	if (!err)
		explain_empty(e);
	return err;
}

static void pass_over(int signal)
{
	(void)signal;
}

/*
 * Makes only a second Ctrl-C end this process, in case a script hangs. In a pipeline the first one
 * also ends the recorder, whose output must still be summarized.
 */
static void bear_interrupt(struct session *s)
{
	const struct sigaction once = { .sa_handler = pass_over,
					.sa_flags = (int)SA_RESETHAND | SA_RESTART };

	if (session_data(s) && data_is_pipe(session_data(s)))
		sigaction(SIGINT, &once, NULL);
}

static int exit_code(int answer)
{
	return answer < ENGINE_FAILED ? 0 : answer - ENGINE_FAILED + 1;
}

/* Runs the plugin from its first call to its last. */
static int run_started(struct engine_run *e, struct reason *r)
{
	int err = run_script(e, r), end;

	if (e->answer != ENGINE_GO_ON || (err && context_cancelled(e->ctx))) {
		reason_release(r);
		err = 0;
	}
	/* even for a damaged file, the script prints a summary of what it has counted */
	e->now = NULL;
	end = e->plugin->stop(e->state, e->answer == ENGINE_GO_ON);
	if (end != ENGINE_GO_ON && e->answer == ENGINE_GO_ON)
		e->answer = end;
	if (err)
		return err;
	return exit_code(e->answer);
}

int engine_run_script(const struct engine_script *script, struct session *s,
		      struct script_options *o, struct reason *r)
{
	struct engine_run e = {
		.session = s,
		.options = o,
		.ctx = session_context(s),
		.history = session_history(s),
		.set = session_events(s),
		.images = session_images(s),
	};
	int err;

	e.arch = session_data(s) ? data_arch(session_data(s)) : arch_host();
	e.plugin = engine_open_plugin(script->language, r);
	if (!e.plugin)
		return -EOPNOTSUPP;
	engine_host_init(&e);
	fflush(stdout);
	bear_interrupt(s);
	err = e.plugin->start(&e.host, script->file, script->argc, script->argv, &e.state);
	if (err == ENGINE_GO_ON)
		err = run_started(&e, r);
	else
		err = exit_code(err);
	report_damaged(&e);
	engine_stat_release(&e);
	engine_host_release(&e);
	return err;
}
