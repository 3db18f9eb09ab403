// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat record: also writes the counts into a file that perf stat report prints. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/internal.h"
#include "data/writer.h"
#include "record/record.h"
#include "synth/synth.h"

/* Returns the number of an aggregation in the file format, which is perf 6.1's. */
static u64 file_aggregation(int by)
{
	static const u64 numbers[] = {
		[STAT_BY_CPU] = 0,  [STAT_BY_ALL] = 1,     [STAT_BY_SOCKET] = 2,
		[STAT_BY_DIE] = 3,  [STAT_BY_CORE] = 4,    [STAT_BY_THREAD] = 5,
		[STAT_BY_NODE] = 7, [STAT_BY_CLUSTER] = 1, [STAT_BY_CACHE] = 1,
	};

	return numbers[by];
}

/*
 * Makes an id for an event that we count ourselves. The kernel gives it none, and readers find
 * events by id.
 */
static u64 tool_id(const struct event *ev)
{
	return 1ULL << 63 | ev->index;
}

static void add_tool_ids(struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->tool)
			event_set_add_id(set, *it, tool_id(*it));
}

static void set_features(struct stat_session *q)
{
	static const struct record_settings nothing;
	struct recorder rec = { .ctx = q->ctx,
				.settings = &nothing,
				.set = &q->events.set,
				.writer = q->writer,
				.sys = &q->events.sys };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char **argv = xcalloc((size_t)q->ask.full_argc + 2, sizeof(*argv));

	path[n > 0 ? n : 0] = '\0';
	argv[0] = n > 0 ? path : "perf";
	for (int i = 0; i < q->ask.full_argc; i++)
		argv[i + 1] = q->ask.full_argv[i];
	record_features(&rec, q->ask.full_argc + 1, argv);
	data_feature_set(q->writer, FEATURE_STAT, "", 0);
	free(argv);
}

int stat_record_begin(struct stat_session *q, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = data_create(q->ctx, q->ask.output ? q->ask.output : "perf.data", true, &q->writer,
			      r);

	if (err)
		return err;
	add_tool_ids(&q->events.set);
	if (q->ask.output && !strcmp(q->ask.output, "-"))
		set_features(q);
	err = data_write_header(q->writer, &q->events.set, r);
	synth_event_updates(&b, &q->events.set);
	synth_thread_map(&b, q->live);
	synth_cpu_map(&b, q->live);
	synth_stat_config(&b, file_aggregation(q->ask.by), q->ask.interval / 1000000, q->ask.scale);
	if (!err)
		err = data_write(q->writer, b.s, b.len, r);
	strbuf_release(&b);
	return err;
}

void stat_record_count(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		       const struct live_count *c)
{
	u64 id = ev->tool ? tool_id(ev) : live_id(q->live, ev, cpu, thread);

	if (q->writer && id)
		synth_stat(&q->records, id, live_cpu(q->live, cpu), (u32)thread, c);
}

int stat_record_round(struct stat_session *q, bool final, u64 time, struct reason *r)
{
	int err;

	if (!q->writer)
		return 0;
	synth_stat_round(&q->records, final, time);
	err = data_write(q->writer, q->records.s, q->records.len, r);
	strbuf_clear(&q->records);
	return err ? err : data_flush(q->writer, r);
}

int stat_record_end(struct stat_session *q, bool failed, struct reason *r)
{
	struct data_writer *w = q->writer;

	q->writer = NULL;
	strbuf_release(&q->records);
	if (!w)
		return 0;
	if (failed) {
		data_take_back(w);
		return 0;
	}
	q->writer = w;
	set_features(q);
	q->writer = NULL;
	return data_finish(w, r);
}
