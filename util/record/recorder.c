// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder's loop: rings to file.
 *
 * The hot path is one poll, one writev for each ring that has data, and one walk
 * over record headers that are about to be copied anyway.  After a turn over all
 * rings a FINISHED_ROUND says that nothing older than the turn before can come,
 * and the file's header is brought up to date.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/record.h"

/* Rings below their watermark are emptied this often, so that little is lost by kill -9. */
#define QUIET_FLUSH_MS 1000

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

int record_open(struct recorder *rec, struct reason *r)
{
	struct live_options o = { .ring_pages = rec->settings->ring_pages };
	int err = live_open(rec->ctx, rec->set, rec->target, &o, &rec->live, r);

	/* a substitution may have changed an attr */
	return err ? err : event_set_finish(rec->set, r);
}

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

/* Of the records of tasks only those that were asked for. */
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
	size_t from = b->len;
	int err;

	if (!(synth & (SYNTH_TASKS | SYNTH_MAPS)))
		return 0;
	if (rec->running) {
		now.held = false;
		/* children that came meanwhile belong to it */
		now.system_wide |= now.inherit;
	}
	err = synth_tasks(rec->ctx, b, record_tracking_event(rec->set), &now, r);
	if (!err && (synth & (SYNTH_TASKS | SYNTH_MAPS)) != (SYNTH_TASKS | SYNTH_MAPS))
		keep_wanted(b, from, synth);
	return err;
}

/* What runs by now: the kernel, cgroups, tasks. */
static int synthesise_system(struct recorder *rec, struct strbuf *b, struct reason *r)
{
	const struct event *tracking = record_tracking_event(rec->set);
	struct reason why = REASON_INIT;

	if (!all_exclude_kernel(rec->set) && synth_kernel(b, tracking, &why))
		note_kernel_unknown(rec, &why);
	if (rec->settings->synth & SYNTH_CGROUPS && synth_cgroups(b, tracking, &why))
		reason_release(&why); /* no cgroup file system: no paths */
	return synthesise_tasks(rec, b, r);
}

static int synthesise(struct recorder *rec, struct strbuf *b, struct reason *r)
{
	synth_id_index(b, rec->live);
	if (strcmp(rec->settings->output, "-")) /* a stream's header has them */
		synth_event_updates(b, rec->set);
	synth_thread_map(b, rec->live);
	synth_cpu_map(b, rec->live);
	return rec->settings->tail_synth ? 0 : synthesise_system(rec, b, r);
}

/* Events that wait for nobody count from here; before /proc is read, so no map is missed. */
static int enable_early(struct recorder *rec, struct reason *r)
{
	bool on_exec = record_tracking_event(rec->set)->attr.flags & ATTR_ENABLE_ON_EXEC;
	int err;

	if (rec->settings->delay || rec->target->system_wide || rec->target->cpus || on_exec)
		return 0;
	err = live_enable(rec->live);
	return err ? reason_errno(r, -err, "cannot enable the events") : 0;
}

int record_begin_file(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = data_create(rec->ctx, rec->settings->output, true, &rec->writer, r);

	if (!err && rec->settings->compress_level)
		err = data_compress(rec->writer, rec->settings->compress_level, r);
	if (!err) /* a stream holds them at its begin */
		record_features(rec, rec->argc, rec->argv);
	if (!err)
		err = data_write_header(rec->writer, rec->set, r);
	if (!err && !rec->running)
		err = enable_early(rec, r);
	if (!err)
		err = synthesise(rec, &b, r);
	record_build_finished_init(&b);
	if (!err)
		err = data_write(rec->writer, strbuf_cstr(&b), b.len, r);
	if (!err)
		err = data_flush(rec->writer, r);
	strbuf_release(&b);
	rec->bytes_at_round = rec->writer ? data_taken(rec->writer) : 0;
	return err;
}

int record_start(struct recorder *rec, struct reason *r)
{
	return record_begin_file(rec, r);
}

int record_end_file(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = 0;

	if (rec->settings->tail_synth) {
		err = synthesise_system(rec, &b, r);
		if (!err && b.len)
			err = data_write(rec->writer, b.s, b.len, r);
	}
	strbuf_release(&b);
	return err ? err : data_flush(rec->writer, r);
}

/* Count what is about to be written; data may begin inside nothing: records are whole. */
static void tally(struct record_counts *c, const struct ring_data *d)
{
	size_t at = 0, end = d->first_size + d->second_size;

	while (at + 8 <= end) {
		const u8 *p = at < d->first_size ? d->first + at : d->second + (at - d->first_size);
		u32 type = load_u32(p, false);
		u16 size = load_u16(p + 6, false);

		if (size < 8)
			break; /* cannot be: the kernel wrote it */
		c->samples += type == PERF_RECORD_SAMPLE;
		if (unlikely(type == PERF_RECORD_LOST && size >= 24)) {
			/* its count may lie behind the wrap */
			size_t lost = at + 16;

			p = lost < d->first_size ? d->first + lost : d->second + (lost - d->first_size);
			c->lost += load_u64(p, false);
		}
		c->throttled += type == PERF_RECORD_THROTTLE;
		at += size;
	}
}

static int empty_ring(struct recorder *rec, size_t ring, u64 least, struct reason *r)
{
	struct ring_data d;
	int err;

	if (live_ring_is_backward(rec->live, ring) || !live_ring_get(rec->live, ring, &d) ||
	    d.first_size + d.second_size < least)
		return 0;
	tally(&rec->counts, &d);
	err = data_write2(rec->writer, d.first, d.first_size, d.second, d.second_size, r);
	live_ring_done(rec->live, ring, &d);
	return err;
}

/* Rings with fewer bytes than least may wait. */
static int empty_rings(struct recorder *rec, u64 least, struct reason *r)
{
	size_t rings = live_ring_count(rec->live);
	struct strbuf round = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < rings && !err; i++)
		err = empty_ring(rec, i, least, r);
	if (err || data_taken(rec->writer) == rec->bytes_at_round)
		return err;
	/* what waits in a ring is older than this turn: no round ends here */
	if (!rec->settings->overwrite && !rec->settings->flush_bytes) {
		record_build_finished_round(&round);
		err = data_write(rec->writer, round.s, round.len, r);
		strbuf_release(&round);
	}
	rec->bytes_at_round = data_taken(rec->writer);
	return err ? err : data_flush(rec->writer, r);
}

static int write_snapshot(struct recorder *rec, size_t ring, struct reason *r)
{
	struct ring_data d;
	int err = 0;

	if (live_snapshot_get(rec->live, ring, &d)) {
		tally(&rec->counts, &d);
		err = data_write2(rec->writer, d.first, d.first_size, d.second, d.second_size, r);
	}
	live_snapshot_done(rec->live, ring);
	return err;
}

/* All that belongs into the file by now. */
static int write_rest(struct recorder *rec, struct reason *r)
{
	int err = empty_rings(rec, 0, r);

	for (size_t i = 0; !err && i < live_ring_count(rec->live); i++)
		if (live_ring_is_backward(rec->live, i))
			err = write_snapshot(rec, i, r);
	return err ? err : data_flush(rec->writer, r);
}

struct watch {
	struct pollfd *fds; /* one for each ring, then the wake fd, then control's */
	size_t range; /* of settings->ranges: the one that is, or comes next */
	size_t rings;
	u64 started, enable_at, disable_at, end_at, switch_at; /* ns, 0: never */
};

static void watch_init(struct watch *w, struct recorder *rec)
{
	const struct record_settings *s = rec->settings;

	w->rings = live_ring_count(rec->live);
	w->fds = xcalloc(w->rings + 2, sizeof(*w->fds));
	for (size_t i = 0; i < w->rings; i++)
		w->fds[i] = (struct pollfd){
			.fd = live_ring_fd(rec->live, i),
			/* a ring that is overwritten has nothing to say until asked */
			.events = live_ring_is_backward(rec->live, i) ? 0 : POLLIN,
		};
	w->fds[w->rings] = (struct pollfd){ .fd = rec->wake_fd, .events = POLLIN };
	w->fds[w->rings + 1] = (struct pollfd){ .fd = -1, .events = POLLIN };
	w->started = now_ns();
	w->enable_at = s->ranges.count ? w->started + s->ranges.items[0].from : 0;
	w->end_at = s->timeout ? w->started + s->timeout : 0;
	w->switch_at = s->switch_output.time ? w->started + s->switch_output.time : 0;
}

static int watch_timeout(const struct watch *w)
{
	u64 now = now_ns(), first = now + (u64)QUIET_FLUSH_MS * 1000000;

	if (w->enable_at)
		first = MIN(first, w->enable_at);
	if (w->disable_at)
		first = MIN(first, w->disable_at);
	if (w->end_at)
		first = MIN(first, w->end_at);
	if (w->switch_at)
		first = MIN(first, w->switch_at);
	return first <= now ? 0 : (int)((first - now + 999999) / 1000000);
}

/* A task that ended leaves its descriptors hung up: another one may still feed the ring. */
static bool rings_alive(struct watch *w, struct recorder *rec)
{
	bool alive = false;

	for (size_t i = 0; i < w->rings; i++) {
		struct pollfd *p = &w->fds[i];

		if (p->fd >= 0 && p->revents & (POLLHUP | POLLERR)) {
			live_ring_next_fd(rec->live, i);
			p->fd = live_ring_fd(rec->live, i);
		}
		alive |= p->fd >= 0;
	}
	return alive;
}

static void drain_wake_fd(const struct recorder *rec)
{
	u64 count;

	if (read(rec->wake_fd, &count, sizeof(count)) < 0)
		return;
}

static bool should_end(struct recorder *rec, struct watch *w, bool alive)
{
	const struct record_settings *s = rec->settings;

	if (record_ending_signal() || rec->stop_asked)
		return true;
	if (rec->workload && workload_wait(rec->workload, false))
		return true;
	if (!rec->workload && !alive)
		return true;
	if (w->end_at && now_ns() >= w->end_at)
		return true;
	if (s->max_size && data_offset(rec->writer) + data_written(rec->writer) >= s->max_size) {
		rec->size_limit_reached = true;
		return true;
	}
	return false;
}

/* The ranges of -D, one after the other. */
static int enable_when_due(struct recorder *rec, struct watch *w, struct reason *r)
{
	const struct record_settings *s = rec->settings;
	u64 now = now_ns();
	int err = 0;

	if (w->enable_at && now >= w->enable_at) {
		u64 to = s->ranges.items[w->range].to;

		w->enable_at = 0;
		w->disable_at = to ? w->started + to : 0;
		err = live_enable(rec->live);
	} else if (w->disable_at && now >= w->disable_at) {
		w->disable_at = 0;
		if (++w->range < s->ranges.count)
			w->enable_at = w->started + s->ranges.items[w->range].from;
		err = record_pause(rec);
	}
	return err ? reason_errno(r, -err, "cannot switch the events") : 0;
}

static void poll_once(struct recorder *rec, struct watch *w)
{
	int n;

	/* closed when its writer went away */
	w->fds[w->rings + 1].fd = rec->control ? rec->control->fd : -1;
	n = poll(w->fds, w->rings + 2, watch_timeout(w));
	record_obey_control(rec);
	if (!n)
		return;
	rec->counts.wakeups++;
	if (n > 0 && w->fds[w->rings].revents)
		drain_wake_fd(rec);
}

static int start_events(struct recorder *rec, struct reason *r)
{
	bool on_exec = record_tracking_event(rec->set)->attr.flags & ATTR_ENABLE_ON_EXEC;
	int err = 0;

	/* side-band of all CPUs runs since it was opened; the rest now, or after the delay */
	if (!rec->settings->delay && !on_exec)
		err = live_enable(rec->live);
	if (err)
		return reason_errno(r, -err, "cannot enable the events");
	return rec->workload ? workload_start(rec->workload, r) : 0;
}

/* Losses that the counters know, as records, so that every reader can count them. */
static void add_lost_samples(struct recorder *rec, struct strbuf *b, const struct event *ev,
			     size_t cpu, size_t thread)
{
	u64 type = ev->attr.sample_type, zero = 0;
	u32 where[2] = { (u32)live_cpu(rec->live, cpu), 0 };
	struct live_count c;
	size_t start = b->len;
	u64 id;

	if (live_read(rec->live, ev, cpu, thread, &c) || !c.lost)
		return;
	rec->counts.lost_samples += c.lost;
	id = live_id(rec->live, ev, cpu, thread);
	strbuf_add(b, &(struct { u32 type; u16 misc, size; u64 lost; }){
		PERF_RECORD_LOST_SAMPLES, 0, (u16)(16 + ev->sample_id_size), c.lost }, 16);
	if (type & PERF_SAMPLE_TID)
		strbuf_add(b, &zero, 8);
	if (type & PERF_SAMPLE_TIME)
		strbuf_add(b, &zero, 8);
	if (type & PERF_SAMPLE_ID)
		strbuf_add(b, &id, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		strbuf_add(b, &id, 8);
	if (type & PERF_SAMPLE_CPU)
		strbuf_add(b, where, 8);
	if (type & PERF_SAMPLE_IDENTIFIER)
		strbuf_add(b, &id, 8);
	if (b->len - start != 16U + ev->sample_id_size)
		strbuf_truncate(b, start);
}

static int write_lost_samples(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = 0;

	vec_for_each(&rec->set->list, it) {
		if (!((*it)->attr.read_format & PERF_FORMAT_LOST))
			continue;
		for (size_t c = 0; c < live_cpu_count(rec->live); c++)
			for (size_t t = 0; t < live_thread_count(rec->live); t++)
				add_lost_samples(rec, &b, *it, c, t);
	}
	if (b.len)
		err = data_write(rec->writer, b.s, b.len, r);
	strbuf_release(&b);
	return err;
}

static bool should_switch(struct recorder *rec, const struct watch *w)
{
	const struct record_rotation *s = &rec->settings->switch_output;

	return record_switch_signal() || rec->switch_asked || (s->size && data_written(rec->writer) >= s->size) ||
	       (w->switch_at && now_ns() >= w->switch_at);
}

static int switch_when_due(struct recorder *rec, struct watch *w, struct reason *r)
{
	int err;

	if (!rec->finish || !should_switch(rec, w))
		return 0;
	rec->switch_asked = false;
	err = write_rest(rec, r);
	if (!err)
		err = record_switch_file(rec, r);
	if (w->switch_at)
		w->switch_at = now_ns() + rec->settings->switch_output.time;
	return err;
}

static int run_loop(struct recorder *rec, struct watch *w, struct reason *r)
{
	bool alive = true;
	u64 since;
	int err;

	do {
		poll_once(rec, w);
		err = enable_when_due(rec, w, r);
		since = now_ns();
		if (!err)
			err = empty_rings(rec, rec->settings->flush_bytes, r);
		rec->counts.emptying_ns += now_ns() - since;
		if (!err)
			err = switch_when_due(rec, w, r);
		if (err)
			return err;
		alive = rings_alive(w, rec);
	} while (!should_end(rec, w, alive));
	return 0;
}

int record_run(struct recorder *rec, struct reason *r)
{
	struct watch w = { 0 };
	u64 waited = record_waited_ns();
	int err = start_events(rec, r);

	if (err)
		return err;
	rec->running = true;
	watch_init(&w, rec);
	err = run_loop(rec, &w, r);
	free(w.fds);
	rec->counts.ran_ns = now_ns() - w.started;
	rec->counts.waited_ns = record_waited_ns() - waited;
	live_disable(rec->live);
	if (!err)
		err = write_lost_samples(rec, r);
	return err ? err : write_rest(rec, r);
}

void record_end_workload(struct workload *w)
{
	int signals = record_ending_signals();

	if (!w->pid || workload_wait(w, false))
		return;
	workload_kill(w, SIGTERM);
	while (!workload_wait(w, false)) {
		if (record_ending_signals() > signals) {
			workload_kill(w, SIGKILL);
			workload_wait(w, true);
			return;
		}
		usleep(10000);
	}
}

void record_close(struct recorder *rec)
{
	live_close(rec->live);
	rec->live = NULL;
	if (rec->wake_fd >= 0)
		close(rec->wake_fd);
	rec->wake_fd = -1;
	strlist_release(&rec->files);
}
