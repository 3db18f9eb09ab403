// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a file has at its beginning and end besides the rings' records: the header, and records
 * about tasks that were running already, of which the kernel sends none.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "object/cache.h"
#include "record/internal.h"
#include "record/offcpu.h"

static bool all_exclude_kernel(const struct event_set *set)
{
	vec_for_each(&set->list, it) {
		const struct perf_event_attr *a = &(*it)->attr;

		if (a->config == PERF_COUNT_SW_DUMMY && a->type == PERF_TYPE_SOFTWARE)
			continue;
		if (!(a->flags & ATTR_EXCLUDE_KERNEL))
			return false;
	}
	return true;
}

static void note_kernel_unknown(struct recorder *rec, struct reason *why)
{
	condition_add(&rec->ctx->conditions, CONDITION_WARNING, "no-kernel-map", NULL, NULL, 1,
		      why->hint, "%s: kernel samples will have no names", why->text);
	reason_release(why);
}

/* Keeps only the requested records of tasks. */
static void keep_wanted(struct strbuf *b, size_t from, unsigned synth)
{
	size_t to = from;

	for (size_t at = from, size; at < b->len; at += size) {
		u32 type = load_u32(b->s + at, false);
		bool map = type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;

		size = load_u16(b->s + at + 6, false);
		if (synth & (map ? SYNTH_MAPS : SYNTH_TASKS)) {
			memmove(b->s + to, b->s + at, size);
			to += size;
		}
	}
	strbuf_truncate(b, to);
}

static int synthesise_tasks(struct recorder *rec, struct strbuf *b, struct reason *r)
{
	unsigned synth = rec->settings->synth;
	struct target now = *rec->target;
	struct synth_how how = { rec->settings->synth_threads, rec->settings->map_timeout, 0 };
	size_t from = b->len;
	int err;

	if (!(synth & (SYNTH_TASKS | SYNTH_MAPS)))
		return 0;
	if (rec->running) {
		now.held = false;
		/*
		 * children that were created meanwhile belong to it, even if their parents have
		 * ended
		 */
		if (now.inherit && now.tid_count)
			how.begun_since = rec->begun;
	}
	err = synth_tasks(rec->ctx, b, record_tracking_event(rec->set), &now, &how, r);
	if (!err && rec->held && b->len > from)
		held_note_running(rec->held, b->s + from, b->len - from);
	if (!err && (synth & (SYNTH_TASKS | SYNTH_MAPS)) != (SYNTH_TASKS | SYNTH_MAPS))
		keep_wanted(b, from, synth);
	return err;
}

/* Adds what does not change during the recording: the kernel with its modules, and cgroups. */
static void synthesise_kernel(struct recorder *rec, struct strbuf *b)
{
	const struct event *tracking = record_tracking_event(rec->set);
	struct reason why = REASON_INIT;

	if (!all_exclude_kernel(rec->set) && synth_kernel(b, tracking, &why))
		note_kernel_unknown(rec, &why);
	if (!all_exclude_kernel(rec->set))
		synth_bpf(b, tracking);
	if (rec->settings->synth & SYNTH_CGROUPS && synth_cgroups(b, tracking, &why))
		reason_release(&why); /* no cgroup file system: no paths */
}

static void synthesise_first(struct recorder *rec, struct strbuf *b)
{
	record_build_time_conv(rec, b);
	record_build_aux_info(rec, b);
	synth_id_index(b, rec->live);
	if (strcmp(rec->settings->output, "-")) /* a stream's header has them */
		synth_event_updates(b, rec->set);
	synth_thread_map(b, rec->live);
	synth_cpu_map(b, rec->live);
	if (!rec->settings->tail_synth)
		synthesise_kernel(rec, b);
}

/* Enables events that need not wait before /proc is read, so no mapping is missed. */
static int enable_early(struct recorder *rec, struct reason *r)
{
	bool on_exec = record_tracking_event(rec->set)->attr.flags & ATTR_ENABLE_ON_EXEC;
	int err;

	if (rec->settings->delay || rec->target->system_wide || rec->target->cpus || on_exec)
		return 0;
	err = live_enable(rec->live);
	return err ? reason_errno(r, -err, "cannot enable the events") : 0;
}

/* Makes a file for each ring. */
static int make_parts(struct recorder *rec, struct reason *r)
{
	size_t n = live_ring_count(rec->live);
	int err = 0;

	free(rec->parts);
	rec->parts = NULL;
	if (!rec->settings->threads.count)
		return 0;
	rec->parts = xcalloc(n + 1, sizeof(*rec->parts));
	for (size_t i = 0; i < n && !err; i++)
		err = data_part(rec->writer, &rec->parts[i], r);
	return err;
}

static int create(struct recorder *rec, struct reason *r)
{
	const struct record_settings *s = rec->settings;
	char *directory, *home;
	int err;

	if (!s->threads.count && !s->kcore)
		return data_create(rec->ctx, s->output, true, &rec->writer, r);
	err = data_create_directory(rec->ctx, s->output, true, &rec->writer, r);
	if (err || !s->kcore)
		return err;
	directory = data_directory(rec->writer);
	home = xasprintf("%s/kcore_dir", directory);
	err = kcore_copy("/proc", home, r);
	free(home);
	free(directory);
	return err;
}

/*
 * Returns the time since boot, one tick earlier, because /proc gives the start of a process in
 * ticks.
 */
static u64 boot_time(void)
{
	return clock_ns(CLOCK_BOOTTIME) - 1000000000 / (u64)sysconf(_SC_CLK_TCK);
}

int record_begin_file(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	if (!rec->begun)
		rec->begun = boot_time();
	err = create(rec, r);
	if (!err && rec->settings->aio && !rec->parts)
		err = data_write_behind(
			rec->writer, rec->settings->aio * (unsigned)live_ring_count(rec->live), r);
	if (!err && rec->settings->compress_level)
		err = data_compress(rec->writer, rec->settings->compress_level, r);
	if (!err)
		err = make_parts(rec, r);
	if (!err) /* a stream has them at its beginning */
		record_features(rec, rec->argc, rec->argv);
	if (!err)
		err = data_write_header(rec->writer, record_written_set(rec), r);
	if (!err)
		synthesise_first(rec, &b);
	/* rings fill from here on: everything slow has been done */
	if (!err && !rec->running)
		err = enable_early(rec, r);
	if (!err && !rec->settings->tail_synth)
		err = synthesise_tasks(rec, &b, r);
	if (rec->carried)
		carried_begin(rec->carried, &b,
			      live_ring_count(rec->live) * live_ring_size(rec->live));
	record_build_finished_init(&b);
	if (!err)
		err = data_write(rec->writer, strbuf_cstr(&b), b.len, r);
	if (!err && rec->sink && rec->sink->begin)
		err = rec->sink->begin(rec->sink->arg, strbuf_cstr(&b), b.len, r);
	if (!err)
		err = data_flush(rec->writer, r);
	rec->begin_bytes = rec->writer ? data_written(rec->writer) : 0;
	strbuf_release(&b);
	return err;
}

int record_end_file(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = 0;

	if (rec->settings->tail_synth) {
		synthesise_kernel(rec, &b);
		err = synthesise_tasks(rec, &b, r);
		if (!err && b.len)
			err = data_write(rec->writer, b.s, b.len, r);
	}
	strbuf_release(&b);
	if (!err && rec->off_cpu)
		err = off_cpu_sums(rec->off_cpu, r);
	if (!err)
		err = record_write_times(rec, r);
	if (strcmp(rec->settings->output, "-"))
		record_bpf_features(rec);
	if (!err && rec->sink && rec->sink->end)
		rec->sink->end(rec->sink->arg, rec->writer);
	return err ? err : data_settle(rec->writer, r);
}
