// SPDX-License-Identifier: GPL-2.0-or-later
/* From one record to the command's callback. */
#include <errno.h>

#include "base/bytes.h"
#include "event/sample_tracepoint.h"
#include "session/internal.h"

void deliver_init(struct deliver *d, struct session *s, const struct session_ops *ops, void *arg,
		  unsigned worker)
{
	*d = (struct deliver){ .s = s,
			       .ops = ops,
			       .arg = arg,
			       .worker = worker,
			       .no_history = ops->no_tasks && ops->no_locations };
	d->out.sample = &d->sample;
	d->out.recent = &d->recent;
}

void deliver_pause(struct deliver *d)
{
	counts_merge(&d->s->counts, &d->counts);
	counts_release(&d->counts);
	condition_list_merge(&d->s->ctx->conditions, &d->conditions);
}

void deliver_release(struct deliver *d)
{
	deliver_pause(d);
	vec_release(&d->chain);
	vec_release(&d->joined);
}

/*
 * Counts and reports a sample that cannot be used. The report is made once, with the place of the
 * first.
 */
static void bad_record(struct deliver *d, const struct record *rec, const struct order_key *key,
		       const struct reason *why)
{
	const char *name = record_type_name(rec->type);

	if (why->err == ENOENT) {
		d->counts.stats.unresolved_id++;
		condition_add(&d->conditions, CONDITION_WARNING, "unknown-event-id", NULL, key, 1,
			      NULL, "samples of an event that the file does not describe");
		return;
	}
	condition_add(&d->conditions, CONDITION_DAMAGE, "bad-record", name, key, 1, NULL,
		      "damaged %s record at offset %#" PRIx64 ": %s", name ? name : "unknown",
		      rec->file_offset, why->text ? why->text : strerror(why->err));
}

void deliver_sideband(struct deliver *d, const struct record *rec, const struct order_key *key)
{
	struct reason r = REASON_INIT;

	if (history_apply(d->s->history, d->s->set, rec, key, &r) < 0)
		bad_record(d, rec, key, &r);
	else
		session_jit_take_record(d->s, rec, key->time);
	history_forget(&d->recent);
	reason_release(&r);
}

static __attribute__((noinline)) bool decode_any(struct deliver *d, const struct record *rec,
						 const struct order_key *key)
{
	struct reason r = REASON_INIT;
	int err = sample_decode_next(d->s->set, rec, &d->sample, &r);

	if (likely(!err))
		return true;
	r.err = -err;
	bad_record(d, rec, key, &r);
	reason_release(&r);
	return false;
}

static bool decode(struct deliver *d, const struct record *rec, const struct order_key *key)
{
	return likely(sample_decode_tracepoint(d->s->set, rec, &d->sample)) ||
	       decode_any(d, rec, key);
}

static __attribute__((noinline)) void more_events(struct counts *c, u32 index)
{
	while (c->events.count <= index)
		vec_push_zero(&c->events);
}

static inline void count_sample(struct counts *c, const struct sample *s)
{
	u32 index = s->event->index;
	u64 time = s->id.time;
	struct event_count *count;

	if (unlikely(c->events.count <= index))
		more_events(c, index);
	count = &c->events.items[index];
	count->samples++;
	count->period += s->period;
	if (unlikely(time < c->stats.first_time || !c->stats.first_time) && time)
		c->stats.first_time = time;
	c->stats.last_time = MAX(c->stats.last_time, time);
}

static void count_unplaced(struct deliver *d, const struct sample *s, const struct order_key *key)
{
	if (s->cpumode == PERF_RECORD_MISC_USER && key->time >= d->s->lost_since)
		d->counts.stats.unplaced_after_loss++;
}

/* Reports whether the sample has a chain to judge, or a stack to unwind. */
static inline bool has_stack(const struct sample *s)
{
	return s->chain_count || (s->event->attr.sample_type & PERF_SAMPLE_STACK_USER);
}

static inline bool wants_place(const struct deliver *d)
{
	return !d->ops->no_locations && (!d->ops->no_leaf || d->s->lost_since != UINT64_MAX);
}

/* Fills in what the history knows of the sample: its thread and its place. */
static void look_up(struct deliver *d, const struct order_key *key, struct session_sample *out)
{
	const struct session_ops *ops = d->ops;
	struct history *h = d->s->history;
	struct sample *sample = &d->sample;
	u32 machine = history_machine_by_id(h, sample->cpumode, sample->id.pid, sample->id.id);
	struct recent_task *task =
		history_recall(h, &d->recent, machine, sample->id.pid, sample->id.tid, key);

	out->task = task->task;
	out->recalled = task;
	out->leaf = (struct location){ 0 };
	out->stack_end = 0;
	if (!ops->no_chains && has_stack(sample))
		deliver_unwind(d, sample, out->task, key);
	if (!ops->no_tasks)
		out->comm = task->comm;
	if (wants_place(d) && !history_recall_place(h, &d->recent, task, sample->cpumode,
						    sample->ip, key, &out->leaf))
		count_unplaced(d, sample, key);
	if (!ops->no_chains && ops->shows_chains)
		deliver_count_short(d, sample, key);
}

static inline bool passes_filter(struct deliver *d, const struct order_key *key)
{
	if (!d->ops->filter || d->ops->filter(d->arg, &d->sample, key))
		return true;
	d->counts.stats.filtered++;
	return false;
}

/* Fills in what d->out holds beside the sample itself. */
static inline void complete(struct deliver *d, const struct record *rec,
			    const struct order_key *key)
{
	const struct session_ops *ops = d->ops;

	if (unlikely(sample_defers(&d->sample, d->s->set->swap)) && !d->s->keep_deferred &&
	    !ops->no_chains)
		deliver_join(d, &d->sample, key);
	d->out.record = rec;
	if (key != &d->out.key)
		d->out.key = *key;
	if (!d->no_history)
		look_up(d, key, &d->out);
}

/*
 * Calls back once for each counter that the sample holds. A filter leaves out samples, but their
 * counters still begin the next step.
 */
static __attribute__((noinline)) int sample_by_counter(struct deliver *d, const struct record *rec,
						       const struct order_key *key,
						       struct reason *r)
{
	struct session_sample *out = &d->out;
	struct sample one;
	int err = 0;

	out->step_count = deliver_steps(d, key, &out->steps);
	if (!passes_filter(d, key))
		return 0;
	complete(d, rec, key);
	one = d->sample;
	out->sample = &one;
	for (out->step = 0; out->step < out->step_count && !err; out->step++) {
		one.event = out->steps[out->step].event;
		one.period = out->steps[out->step].change;
		if (!one.period)
			continue;
		count_sample(&d->counts, &one);
		err = d->ops->sample(d->arg, d->worker, out, r);
	}
	out->sample = &d->sample;
	out->steps = NULL;
	out->step_count = out->step = 0;
	return err;
}

static inline __attribute__((always_inline)) int
sample(struct deliver *d, const struct record *rec, const struct order_key *key, struct reason *r)
{
	if (unlikely(!decode(d, rec, key)))
		return 0;
	if (unlikely(d->sample.event->attr.sample_type & PERF_SAMPLE_READ) &&
	    !d->ops->whole_samples)
		return sample_by_counter(d, rec, key, r);
	if (!passes_filter(d, key))
		return 0;
	count_sample(&d->counts, &d->sample);
	complete(d, rec, key);
	return d->ops->sample(d->arg, d->worker, &d->out, r);
}

int deliver_sample(struct deliver *d, const struct record *rec, const struct order_key *key,
		   struct reason *r)
{
	return sample(d, rec, key, r);
}

/*
 * Ticks at the latest multiple of tick_every up to the record's time, unless it has done so
 * already.
 */
static int tick(struct deliver *d, u64 time, struct reason *r)
{
	u64 every = d->ops->tick_every, now = time - time % every;
	bool first = !d->next_tick;

	if (time < d->next_tick)
		return 0;
	d->next_tick = now + every;
	return first ? 0 : d->ops->tick(d->arg, now, r);
}

static void end_task(struct deliver *d, const struct record *rec, const struct order_key *key)
{
	struct history *h = d->s->history;
	struct record_task t;
	u8 cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct task *task;

	if (record_get_task(d->s->set, rec, &t, NULL))
		return;
	task = history_task(h, history_machine(cpumode, t.pid), t.pid, t.tid, key);
	if (history_ended_at(h, task) == key->time)
		d->ops->task_end(d->arg, task, key);
}

int deliver(struct deliver *d, const struct record *rec, const struct order_key *key,
	    struct reason *r)
{
	int err = d->ops->tick && d->ops->tick_every ? tick(d, key->time, r) : 0;

	if (err)
		return err;
	if (likely(rec->type == PERF_RECORD_SAMPLE && d->ops->sample))
		return sample(d, rec, key, r);
	if (rec->type == PERF_RECORD_EXIT && d->ops->task_end)
		end_task(d, rec, key);
	if (ops_want(d->ops, rec->type))
		return d->ops->record(d->arg, rec, key, r);
	return 0;
}

static inline void record_of(const struct turn *t, bool swap, struct record *rec)
{
	const struct data_chunk *c = t->chunk;

	rec->data = c->data + t->at;
	rec->type = load_u32(rec->data, swap);
	rec->misc = load_u16(rec->data + 4, swap);
	rec->size = load_u16(rec->data + 6, swap);
	rec->position = c->position + t->offset;
	rec->file_offset = c->file_offset + (c->inflated ? 0 : t->offset);
	rec->file = c->file;
}

enum { SOON = 12 }; /* records to prefetch: they were in the other thread's cache */

static inline void fetch_soon(const struct turn *t, const struct turn *end)
{
	if (end - t > SOON) {
		const u8 *p = t[SOON].chunk->data + t[SOON].at;

		__builtin_prefetch(p);
		__builtin_prefetch(p + 64);
	}
}

/* Reports whether samples of tracepoints only have to be decoded, counted and handed over. */
static bool only_samples(const struct deliver *d)
{
	const struct session_ops *ops = d->ops;

	return ops->sample && d->no_history && !ops->tick &&
	       (ops->no_chains || d->s->keep_deferred) && sample_tracepoints_possible(d->s->set);
}

/*
 * Adds the times of samples, which ascend, to the counts. A last of 0 means that no sample has a
 * time.
 */
static void count_times(struct counts *c, u64 first, u64 last)
{
	if (first && (first < c->stats.first_time || !c->stats.first_time))
		c->stats.first_time = first;
	c->stats.last_time = MAX(c->stats.last_time, last);
}

/* Delivers samples of tracepoints from *at on, up to a record of any other kind. */
static inline __attribute__((always_inline)) int deliver_samples(struct deliver *d,
								 const struct turn **at,
								 const struct turn *end, u32 id_at,
								 struct reason *r)
{
	const struct event_set *set = d->s->set;
	const struct session_ops *ops = d->ops;
	const struct turn *t = *at;
	u64 first = 0, last = 0;
	struct record rec;
	int err = 0;

	d->out.record = &rec;
	for (; t < end && !err; t++) {
		struct event_count *count;
		u32 index;

		fetch_soon(t, end);
		record_of(t, false, &rec);
		if (rec.type != PERF_RECORD_SAMPLE ||
		    !sample_decode_tracepoint_at(set, id_at, &rec, &d->sample))
			break;
		d->out.key = (struct order_key){ t->time, rec.file, rec.position };
		if (ops->filter && !ops->filter(d->arg, &d->sample, &d->out.key)) {
			d->counts.stats.filtered++;
			continue;
		}
		index = d->sample.event->index;
		if (unlikely(d->counts.events.count <= index))
			more_events(&d->counts, index);
		count = &d->counts.events.items[index];
		count->samples++;
		count->period += d->sample.period;
		last = d->sample.id.time;
		if (unlikely(!first))
			first = last;
		err = ops->sample(d->arg, d->worker, &d->out, r);
	}
	count_times(&d->counts, first, last);
	d->out.record = NULL;
	*at = t;
	return err;
}

const struct session_sample *session_point_decode(const struct session_point *p)
{
	struct deliver *d = p->deliver;

	record_of(p->turn, false, &d->record);
	sample_decode_tracepoint_at(d->s->set, d->s->set->sample_id_at, &d->record, &d->sample);
	d->out.record = &d->record;
	d->out.key = turn_key(p->turn);
	return &d->out;
}

static bool takes_points(const struct deliver *d)
{
	const struct event_set *set = d->s->set;

	return d->ops->point && !d->ops->filter && only_samples(d) &&
	       sample_tracepoint_time_at(set->sample_id_at) == set->sample_time_at;
}

/* Calls ops->point() for samples of tracepoints from *at on, up to a record of any other kind. */
static inline __attribute__((always_inline)) int deliver_points(struct deliver *d,
								const struct turn **at,
								const struct turn *end, u32 id_at,
								struct reason *r)
{
	const struct event_set *set = d->s->set;
	int (*fn)(void *, const struct session_point *, struct reason *) = d->ops->point;
	struct event *const *near = set->near;
	u64 near_first = set->near_first, near_count = set->near_count;
	struct session_point p = { .deliver = d };
	const struct turn *t = *at;
	u64 first = 0, last = 0;
	void *arg = d->arg;
	int err = 0;

	if (!sample_is_of_tracepoint(&d->sample)) /* it is the first, decoded as a whole */
		return 0;
	for (; t < end && !err; t++) {
		const u8 *data = t->chunk->data + t->at;
		struct event_count *count;
		u32 raw_at, size = load_u16(data + 6, false);
		u64 number;

		fetch_soon(t, end);
		if (unlikely(load_u32(data, false) != PERF_RECORD_SAMPLE ||
			     size < TRACEPOINT_BEHIND + 8))
			break;
		number = load_u64(data + id_at, false) - near_first;
		if (unlikely(number >= near_count))
			break;
		p.event = near[number];
		if (unlikely(!p.event))
			break;
		raw_at = sample_tracepoint_raw(p.event, data, size, &p.raw_size);
		if (unlikely(!raw_at))
			break;
		p.time = t->time;
		p.raw = data + raw_at;
		sample_tracepoint_ids(id_at, data, &p.pid, &p.tid, &p.cpu);
		p.turn = t;
		if (unlikely(d->counts.events.count <= p.event->index))
			more_events(&d->counts, p.event->index);
		count = &d->counts.events.items[p.event->index];
		count->samples++;
		count->period += sample_tracepoint_period(data);
		last = t->time;
		if (unlikely(!first))
			first = last;
		err = fn(arg, &p, r);
	}
	count_times(&d->counts, first, last);
	*at = t;
	return err;
}

int deliver_turns(struct deliver *d, const struct turn *turns, u32 count, struct reason *r)
{
	const struct turn *t = turns, *end = turns + count;
	const struct event_set *set = d->s->set;
	bool points = takes_points(d), quick = !points && only_samples(d);
	struct record rec;
	int err = 0;

	while (t < end && !err) {
		if (points && set->sample_id_at == SAMPLE_ID_FIRST)
			err = deliver_points(d, &t, end, SAMPLE_ID_FIRST, r);
		else if (points)
			err = deliver_points(d, &t, end, SAMPLE_ID_INSIDE, r);
		else if (quick && set->sample_id_at == SAMPLE_ID_FIRST)
			err = deliver_samples(d, &t, end, SAMPLE_ID_FIRST, r);
		else if (quick)
			err = deliver_samples(d, &t, end, SAMPLE_ID_INSIDE, r);
		if (err || t == end)
			break;
		fetch_soon(t, end);
		record_of(t, set->swap, &rec);
		d->out.key = turn_key(t++);
		err = deliver(d, &rec, &d->out.key, r);
	}
	return err;
}
