// SPDX-License-Identifier: GPL-2.0-or-later
/* One recording, from settled settings to a finished file. */
#include "record/command.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/self_profile.h"
#include "object/debug_servers.h"
#include "rewrite/rewrite.h"

static void say_lines(const struct record_request *q, struct strbuf *lines)
{
	if (q->voice.lines && lines->len)
		q->voice.lines(strbuf_cstr(lines));
	strbuf_release(lines);
}

/* Prints lines that --no-summary leaves out. */
static void say_closing_lines(const struct record_request *q, struct strbuf *lines)
{
	if (q->asked.summary)
		say_lines(q, lines);
	strbuf_release(lines);
}

static void set_realtime(struct record_request *q)
{
	struct sched_param p = { .sched_priority = (int)q->asked.realtime };

	if (q->asked.realtime && sched_setscheduler(0, SCHED_FIFO, &p))
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "record-realtime", NULL, NULL,
			      1, NULL, "cannot run with real-time priority %u: %s",
			      q->asked.realtime, strerror(errno));
}

/*
 * Reads the records again (flushed, not yet finished) for what needs a second pass: the
 * build-ids of the objects that have samples, and the times of the first and last sample.
 * What cannot be read costs only names later.
 */
static void add_objects(const struct record_request *q, struct data_writer *w, bool ids, bool cache)
{
	const struct rewrite_objects o = { .ids = ids,
					   .all = q->asked.build_id_all,
					   .cache = cache,
					   .servers = q->servers,
					   .held = q->held ? held_path : NULL,
					   .held_id = q->held ? held_id : NULL,
					   .held_arg = q->held,
					   .say_ended = true,
					   .said = q->warned_of };

	rewrite_find_objects(q->ctx, w, q->s.output, &o);
}

/* Completes a file. *name is its final name, which the caller frees. */
static int close_file(struct record_request *q, struct recorder *rec, char **name, struct reason *r)
{
	struct data_writer *w = rec->writer;
	bool ids = q->asked.build_ids && !q->s.build_id_mmap;
	int err = record_end_file(rec, r);

	if (q->held && !record_switches(&q->s))
		held_stop(q->held);
	if (!err && (ids || q->asked.timestamp_boundary) && strcmp(q->s.output, "-"))
		add_objects(q, w, ids, q->asked.build_id_cache);
	rec->writer = NULL;
	if (err)
		data_abandon(w);
	else
		err = data_finish(w, r);
	if (err)
		return err;
	if (q->s.timestamp_filename)
		return record_stamp_file(rec, name, r);
	*name = xstrdup(q->s.output);
	return 0;
}

struct ending {
	struct record_request *q;
	struct recorder *rec;
};

/* Completes a file and reports it, between two files. */
static int switch_file(void *arg, struct reason *r)
{
	struct ending *e = arg;
	struct strbuf lines = STRBUF_INIT;
	char *name = NULL;
	int err = close_file(e->q, e->rec, &name, r);

	if (!err)
		strbuf_f(&lines, "[ perf record: Dump %s ]\n", name);
	say_lines(e->q, &lines);
	free(name);
	return err;
}

static int finish_file(struct record_request *q, struct recorder *rec, struct reason *r)
{
	struct strbuf lines = STRBUF_INIT;
	char *name = NULL;
	u64 bytes, taken;
	int err = data_flush(rec->writer, r);

	strbuf_f(&lines, "[ perf record: Woken up %llu times to write data ]\n",
		 (unsigned long long)rec->counts.wakeups);
	say_closing_lines(q, &lines);
	bytes = data_offset(rec->writer) + data_written(rec->writer);
	taken = data_taken(rec->writer);
	if (!err)
		err = close_file(q, rec, &name, r);
	if (err)
		return err;
	if (rec->size_limit_reached)
		strbuf_f(&lines,
			 "[ perf record: perf size limit reached (%llu KB), stopping session ]\n",
			 (unsigned long long)q->s.max_size >> 10);
	say_lines(q, &lines);
	record_summary_captured(rec, bytes, taken, name, &lines);
	record_summary_stacks(rec, &lines);
	record_summary_lost(rec, &lines);
	say_closing_lines(q, &lines);
	free(name);
	return 0;
}

static bool is_full(const struct reason *r)
{
	return r && (r->err == ENOSPC || r->err == EDQUOT || r->err == EFBIG);
}

/*
 * Keeps what a failed recording has written and makes it readable, unless it had not begun. Returns
 * whether it did.
 */
static bool save_rest(struct record_request *q, struct recorder *rec)
{
	bool kept = rec->running && (!rec->workload || rec->workload->started);

	if (!kept) {
		data_take_back(rec->writer);
	} else {
		if (strcmp(q->s.output, "-") && q->asked.build_ids)
			add_objects(q, rec->writer, true, false);
		data_finish(rec->writer, NULL);
	}
	rec->writer = NULL;
	return kept;
}

static int record_to_file(struct record_request *q, struct recorder *rec, struct reason *r)
{
	struct ending ending = { q, rec };
	int err;

	phase_begin("open the events");
	err = record_open(rec, r);
	phase_end();
	if (err)
		return err;
	if (record_switches(&q->s)) {
		rec->finish = switch_file;
		rec->finish_arg = &ending;
	}
	if (q->s.switch_output.on_signal || q->s.aux_snapshot)
		loop_signal_switches(true);
	set_realtime(q);
	/* sampled objects go into the cache, unless they have gone */
	if (q->asked.build_ids && q->asked.build_id_cache && !q->s.build_id_mmap &&
	    *q->ctx->buildid_dir && strcmp(q->s.output, "-"))
		q->held = rec->held = held_new(rec);
	phase_begin("begin the file and describe what runs");
	err = record_start(rec, r);
	phase_end();
	/* report which events were replaced before the recording runs for long */
	if (!err)
		q->voice.conditions(q->ctx);
	if (!err && q->switch_set.list.count)
		err = record_trigger_start(rec, &q->switch_set, r);
	phase_begin("record");
	if (!err)
		err = record_run(rec, r);
	phase_end();
	phase_begin("finish the file");
	if (!err) {
		err = finish_file(q, rec, r);
		phase_end();
		return err;
	}
	/* the writer's hint says that its output can be read */
	if (rec->writer && !save_rest(q, rec) && is_full(r))
		reason_hint(r, "make room, or write to another file system with -o");
	phase_end();
	return err;
}

/* Notes how the command ends: as its workload did, unless the recording ended first. */
static void note_end(const struct recorder *rec, const struct workload *w, struct record_outcome *o)
{
	o->signal = loop_ending_signal();
	if (o->signal || !w->started || !w->reaped || rec->ended_as_asked)
		return;
	o->signal = workload_end_signal(w);
	o->code = workload_exit_code(w);
}

/*
 * Turns -EPIPE into success if a signal ended the recording while nobody read the stream, which is
 * not our failure.
 */
static int settle_cut_stream(struct record_request *q, int err, struct record_outcome *o,
			     struct reason *r)
{
	if (err != -EPIPE || !loop_ending_signal())
		return err;
	reason_release(r);
	o->signal = loop_ending_signal();
	condition_add(
		&q->ctx->conditions, CONDITION_WARNING, "stream-cut", NULL, NULL, 1, NULL,
		"the stream is incomplete: its reader had stopped reading when the recording was "
		"ended");
	return 0;
}

static int prepare_workload(struct record_request *q, struct workload *w, const char **argv,
			    struct record_outcome *o, struct reason *r)
{
	bool alone = !q->target.system_wide && !q->target.cpus && !q->target.tid_count;
	int err = workload_prepare(w, argv, r);

	if (err) {
		o->code = err == -ENOENT ? 127 : 126;
		return err;
	}
	if (alone) {
		q->target.tids = xcalloc(1, sizeof(pid_t));
		q->target.tids[0] = w->pid;
		q->target.tid_count = 1;
		q->target.held = true;
		if (workload_warn_privileged(q->ctx, w))
			q->warned_of = w->program;
	} else if (q->asked.user && q->user_is_own && q->target.tid_count) {
		target_add_command(&q->target, w->pid);
	}
	return 0;
}

int record_request_run(struct record_request *q, bool has_command, const char **argv,
		       struct record_outcome *o, struct reason *r)
{
	struct workload w = {
		.go_fd = -1,
		.error_fd = -1,
		.stdout_to_stderr = !strcmp(q->s.output, "-"),
	};
	struct recorder rec = {
		.ctx = q->ctx,
		.settings = &q->s,
		.set = &q->set,
		.target = &q->target,
		.wake_fd = -1,
		.tell = q->voice.lines,
		.argc = q->argc,
		.argv = (const char **)q->argv,
		.user_programs = &q->programs,
	};
	bool alone =
		has_command && !q->target.system_wide && !q->target.cpus && !q->target.tid_count;
	int err = 0;

	*o = (struct record_outcome){ 0 };
	if (q->asked.control) {
		err = control_open(&q->control, q->asked.control, r);
		rec.control = &q->control;
	}
	if (!err)
		err = record_configure(&q->set, &q->s, &q->target, alone, r);
	if (!err)
		err = record_filter_user(q, r);
	rec.counts_events =
		require_asks(&q->asked.require, REQUIRE_SAMPLES) && record_has_several(&q->set);
	if (!err && has_command) {
		err = prepare_workload(q, &w, argv, o, r);
		rec.workload = err ? NULL : &w;
	}
	if (!err)
		err = loop_signals(q->ctx, 0, &rec.wake_fd, r);
	loop_signal_switches(false);
	if (!err)
		err = record_to_file(q, &rec, r);
	loop_end_workload(&w);
	if (!err && q->asked.require.list.count)
		record_find_truth(&rec, &o->truth);
	if (!err)
		note_end(&rec, &w, o);
	else
		err = settle_cut_stream(q, err, o, r);
	record_programs_say_missed(q->ctx, &q->programs);
	record_close(&rec);
	if (!err)
		debug_servers_conditions(q->servers, &q->ctx->conditions);
	return err;
}

/* Keeps the program's full path and all words, as readers of the header expect them. */
static void keep_argv(struct record_request *q, int argc, const char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	q->argv = xcalloc((size_t)argc + 2, sizeof(*q->argv));
	q->argv[q->argc++] = n > 0 ? xstrndup(path, (size_t)n) : xstrdup("perf");
	for (int i = 0; i < argc; i++)
		q->argv[q->argc++] = xstrdup(argv[i]);
}

void record_request_init(struct record_request *q, struct context *ctx, int argc, const char **argv)
{
	*q = (struct record_request){
		.ctx = ctx,
		.probes = { .ctx = ctx, .command = "record" },
		.asked = { .inherit = true,
			   .buffering = true,
			   .summary = true,
			   .samples = true,
			   .bpf_event = true,
			   .build_ids = true,
			   .build_id_cache = true },
		.s.synth = SYNTH_ALL,
		.control = CONTROL_INIT,
	};
	q->programs.probes = &q->probes;
	event_set_init(&q->set);
	event_set_init(&q->switch_set);
	keep_argv(q, argc, argv);
}

void record_request_release(struct record_request *q)
{
	for (int i = 0; i < q->argc; i++)
		free(q->argv[i]);
	free(q->argv);
	require_release(&q->asked.require);
	record_settings_release(&q->s);
	control_close(&q->control);
	event_set_release(&q->set);
	event_set_release(&q->switch_set);
	record_programs_release(&q->programs);
	session_probes_release(&q->probes);
	held_free(q->held);
	target_release(&q->target);
	debug_servers_free(q->servers);
}
