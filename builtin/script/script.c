// SPDX-License-Identifier: GPL-2.0-or-later
/* The run: which records are skipped and which are printed, in time order. */
#include <stdlib.h>

#include "builtin/script/dlfilter.h"
#include "builtin/script/internal.h"
#include "dump/record_text.h"
#include "profile/calls.h"

/* Shows a sample, or one of the counters that it contains. */
static int show(struct script *s, const struct session_sample *ss, const struct event *ev,
		u64 period, struct reason *r)
{
	struct event_view *v = &s->views.items[ev->index];
	struct out *out = v->file ? v->file : s->out;

	if (s->o->dump)
		record_dump_resolved(s->session, ss, out_buf(out));
	if (s->o->form == SCRIPT_TEXT)
		script_add_sample(s, ss, period, v, out_buf(out));
	else
		script_add_row(s, ss, period, v, out_buf(out));
	v->samples++;
	out_done(out);
	return out->err ? reason_errno(r, out->err, "cannot write '%s'",
				       v->file ? v->path : "output")
			: 0;
}

/* Adds the lines of ratios after the sample's last counter. */
static void end_reading(struct script *s, const struct session_sample *ss)
{
	if (!ss->step_count || !session_is_last_step(ss) || !s->reading ||
	    s->o->form != SCRIPT_TEXT)
		return;
	for (size_t i = 0; i < ss->step_count; i++) {
		const struct event_view *v = &s->views.items[ss->steps[i].event->index];
		struct out *out = v->file ? v->file : s->out;

		if (!ss->steps[i].change || !shows(v, SHOW_METRIC))
			continue;
		script_add_metrics(s, ss, v, out_buf(out));
		out_done(out);
	}
}

/*
 * Applies all filters in order. Returns 1 if the sample is shown, 0 if not, or -errno with a
 * reason.
 */
static int passes(struct script *s, const struct session_sample *ss, struct reason *r)
{
	const struct sample *sample = ss->sample;
	int err;

	if (s->filter && dlfilter_is_early(s->filter)) {
		err = dlfilter_judge(s->filter, ss, sample->event, sample->period, true, r);
		if (err || !script_keep(s, sample, &ss->key))
			return MIN(err, 0);
	}
	if (s->o->debug) {
		script_check_order(s, ss);
		return 0;
	}
	if (s->calls && !script_follow_calls(s, ss))
		return 0;
	if (!script_wanted(s, ss) || !script_is_on(s, ss))
		return 0;
	err = s->filter ? dlfilter_judge(s->filter, ss, sample->event, sample->period, false, r)
			: 0;
	return err < 0 ? err : !err;
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct script *s = arg;
	struct session_sample with_calls;
	struct sample sample;
	int err = 0;

	(void)worker;
	if (unlikely(!s->ready)) {
		err = script_prepare(s, r);
		if (!err)
			err = script_truth_begin(s, r);
	}
	if (err)
		return err;
	script_take_reading(s, ss);
	if (!s->shows_all)
		err = passes(s, ss, r);
	else
		err = 1;
	if (err <= 0)
		return err;
	s->any_shown = true;
	if (s->collector)
		script_truth_add(s, ss);
	if (s->registers && call_registers_hold(ss->sample->event)) {
		sample = *ss->sample;
		with_calls = *ss;
		with_calls.sample = &sample;
		call_registers_take(s->registers, ss->task, &sample);
		ss = &with_calls;
	}
	if (s->o->consumer)
		return s->o->consumer->sample(s->o->consumer->arg, ss, r);
	if (s->o->dump && session_is_first_step(ss)) {
		record_dump(s->session, ss->record, out_buf(s->out));
		out_done(s->out);
	}
	err = show(s, ss, ss->sample->event, ss->sample->period, r);
	if (!err)
		end_reading(s, ss);
	return err;
}

/* Reports whether passes() can be skipped, once the views are known. */
static bool shows_all(const struct script *s)
{
	const struct script_options *o = s->o;

	return s->ready && !s->filter && !s->calls && !s->sw.on && !s->sw.off && !o->debug &&
	       !o->consumer && !o->dump && !o->comms.list.count && !o->dsos.list.count &&
	       !o->symbols.list.count;
}

/*
 * Reports whether each sample's own address must be resolved, since it is printed or something else
 * needs it.
 */
static bool looks_at_leaf(const struct script *s)
{
	const u64 by_leaf = BIT64(SHOW_SRCCODE) | BIT64(SHOW_CALLINDENT) | BIT64(SHOW_FLAGS);

	if (!s->shows_all || s->registers || s->truth || s->o->form != SCRIPT_TEXT)
		return true;
	vec_for_each(&s->views, v)
		if (v->is_bts || v->has_details || v->fields & by_leaf ||
		    (shows(v, SHOW_IP) && !v->has_chain))
			return true;
	return false;
}

static int run(struct script *s, struct reason *r)
{
	const struct script_options *o = s->o;
	struct session_ops ops = {
		.order = o->unsorted ? SESSION_FILE_ORDER : SESSION_ORDERED,
		.sample = on_sample,
		.record = script_on_record,
		.filter = script_keep,
		.no_chains = o->dump || o->hide_chains || o->debug,
	};
	int err = 0;

	if (o->dlfilter)
		err = dlfilter_open(s, o->dlfilter, &o->dlargs,
				    session_context(s->session)->exec_path, &s->filter, r);
	if (err)
		return err;
	if (s->filter && dlfilter_is_early(s->filter))
		ops.filter = NULL; /* it comes first */
	script_want_records(o, &ops);
	/* a stream's events are known when its first sample comes */
	if (!data_is_pipe(session_data(s->session)))
		err = script_prepare(s, r);
	if (!err && s->ready)
		err = script_truth_begin(s, r);
	if (err)
		return err;
	s->shows_all = shows_all(s);
	ops.no_leaf = !looks_at_leaf(s);
	return script_by_pieces(s) ? script_run_pieces(s, &ops, r)
				   : session_run(s->session, &ops, s, r);
}

int script_run(struct session *session, const struct script_options *o, struct out *out,
	       struct reason *r)
{
	struct script s = {
		.session = session,
		.o = o,
		.fields = o->fields,
		.out = out,
		.history = session_history(session),
		.set = session_events(session),
	};
	int err, closed;

	s.chains = chains_new(s.history);
	err = run(&s, r);
	closed = s.filter ? dlfilter_close(s.filter, err ? NULL : r) : 0;
	err = err ? err : closed;
	closed = script_files_close(&s, out, err ? NULL : r);
	err = err ? err : closed;
	if (!err && o->debug)
		script_add_checks(&s, out_buf(out));
	if (!err)
		err = script_truth_print(&s, r);
	script_truth_free(s.truth);
	if (!err)
		script_warn_if_empty(&s);
	script_warn_of_calls(&s);
	script_release(&s);
	return err;
}
