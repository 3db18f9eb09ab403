// SPDX-License-Identifier: GPL-2.0-or-later
/* A whole round: samples out of a ring, into a file, out of it again, and to a handler. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "builtin/test/checks.h"
#include "data/reader.h"
#include "data/writer.h"
#include "event/sample.h"
#include "event/tracing_data.h"
#include "live/live.h"
#include "session/session.h"
#include "sys/tracefs.h"
#include "tracer/tracer.h"

enum { HITS = 50 };

struct round_trip {
	struct event_set set;
	struct live *live;
	struct target target;
	u64 file_samples, handled;
	bool described; /* the file has the tracepoint's format */
	char path[64];
};

/* Opens a tracepoint that this thread raises at will, so the number of samples is known. */
static int round_open(struct selftest *t, struct round_trip *rt, struct reason *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = ATTR_SIZE_VER7,
		.sample_period = 1,
		.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.flags = ATTR_DISABLED | ATTR_SAMPLE_ID_ALL,
	};
	struct live_options options = { .ring_pages = 16 };
	char *dir = tracefs_find(NULL, r);
	int err;

	if (!dir)
		return -ENOENT;
	err = tracefs_id(NULL, dir, "syscalls", "sys_enter_getppid", &attr.config);
	free(dir);
	if (err)
		return reason_errno(r, -err, "no tracepoint syscalls:sys_enter_getppid");
	event_set_add(&rt->set, &attr, "syscalls:sys_enter_getppid");
	rt->target.tids = xcalloc(1, sizeof(pid_t));
	rt->target.tids[0] = (pid_t)syscall(SYS_gettid);
	rt->target.tid_count = 1;
	err = live_open(t->ctx, &rt->set, &rt->target, &options, &rt->live, r);
	return err ? err : event_set_finish(&rt->set, r);
}

static int write_ring(struct round_trip *rt, struct data_writer *w, size_t ring, struct reason *r)
{
	struct ring_data d;
	int err;

	if (!live_ring_get(rt->live, ring, &d))
		return 0;
	err = data_write2(w, d.first, d.first_size, d.second, d.second_size, r);
	live_ring_done(rt->live, ring, &d);
	return err;
}

static int round_record(struct selftest *t, struct round_trip *rt, struct reason *r)
{
	struct strbuf formats = STRBUF_INIT;
	struct data_writer *w;
	int err = data_create(t->ctx, rt->path, false, &w, r);

	if (err)
		return err;
	if (!tracing_data_collect(&rt->set, &formats, NULL)) {
		data_feature_set(w, FEATURE_TRACING_DATA, formats.s, formats.len);
		rt->described = true;
	}
	strbuf_release(&formats);
	err = data_write_header(w, &rt->set, r);
	if (!err)
		err = live_enable(rt->live);
	for (int i = 0; i < HITS; i++)
		syscall(SYS_getppid);
	live_disable(rt->live);
	for (size_t i = 0; !err && i < live_ring_count(rt->live); i++)
		err = write_ring(rt, w, i, r);
	if (err) {
		data_abandon(w);
		return err;
	}
	return data_finish(w, r);
}

static int count_record(void *arg, const struct record *rec, const struct order_key *key)
{
	struct round_trip *rt = arg;

	(void)key;
	rt->file_samples += rec->type == PERF_RECORD_SAMPLE;
	return 0;
}

static int round_read(struct selftest *t, struct round_trip *rt, struct reason *r)
{
	struct data_reader *d;
	int err = data_open(t->ctx, rt->path, false, &d, r);

	if (err)
		return err;
	err = data_scan(d, count_record, rt, r);
	if (!err && data_events(d)->list.count != 1)
		err = reason_set(r, EINVAL, "the file holds %zu events, not one",
				 data_events(d)->list.count);
	data_close(d);
	return err;
}

static int on_call(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct round_trip *rt = arg;
	enum { NUMBER };

	rt->handled++;
	if (tracer_has(hit, NUMBER) && tracer_s64(hit, NUMBER) != SYS_getppid)
		return reason_set(r, EINVAL, "a sample is of system call %" PRId64 ", not %d",
				  tracer_s64(hit, NUMBER), SYS_getppid);
	return 0;
}

/* Handles the samples in order of time, through the fields of their event. */
static int round_handle(struct selftest *t, struct round_trip *rt, struct reason *r)
{
	static const struct tracer_row row = {
		"syscalls:sys_enter_getppid",
		.fn = on_call,
		.fields = { { "__syscall_nr", .optional = true } },
	};
	struct session_options o = { .input = rt->path,
				     .symbols = { .symfs = "", .buildid_dir = "" } };
	struct tracer *tracer;
	struct session *s;
	int err = session_open(t->ctx, &o, &s, r);

	if (err)
		return err;
	tracer = tracer_new(&(struct tracer_settings){ .rows = &row, .row_count = 1, .arg = rt });
	err = tracer_run(tracer, s, r);
	tracer_free(tracer);
	session_free(s);
	if (!err && rt->handled != HITS)
		err = reason_set(r, EINVAL, "%d calls gave %" PRIu64 " to the handler", HITS,
				 rt->handled);
	return err;
}

enum selftest_result check_round_trip(struct selftest *t)
{
	struct round_trip rt = { .path = "/tmp/perf-test-XXXXXX" };
	enum selftest_result result = SELFTEST_OK;
	struct reason r = REASON_INIT;
	int err, fd;

	event_set_init(&rt.set);
	err = round_open(t, &rt, &r);
	if (err) {
		result = selftest_skip(t, "%s", r.text ? r.text : strerror(-err));
		goto out;
	}
	fd = mkstemp(rt.path);
	if (fd < 0) {
		result = selftest_skip(t, "cannot make a file in /tmp: %s", strerror(errno));
		goto out;
	}
	close(fd);
	err = round_record(t, &rt, &r);
	if (!err)
		err = round_read(t, &rt, &r);
	if (!err && rt.described && rt.file_samples == HITS)
		err = round_handle(t, &rt, &r);
	unlink(rt.path);
	strbuf_f(&t->log, "%d calls, %" PRIu64 " samples in the file, %" PRIu64 " handled\n", HITS,
		 rt.file_samples, rt.handled);
	if (err)
		result = selftest_fail(t, "%s", r.text ? r.text : strerror(-err));
	else if (rt.file_samples != HITS)
		result = selftest_fail(t, "%d calls gave %" PRIu64 " samples", HITS,
				       rt.file_samples);
out:
	live_close(rt.live);
	target_release(&rt.target);
	event_set_release(&rt.set);
	reason_release(&r);
	return result;
}
