// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why records were lost, and what would have helped.
 *
 * The kernel drops a record when its ring is full.  Either the ring is too small for a burst, or
 * perf did not run in time to empty it, or more arrives than can be written; each case has another
 * remedy.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/internal.h"
#include "sys/sys.h"

enum {
	USUAL_RING = 2 << 20,
	LARGE_RING = 64 << 20, /* when this size is not enough, a larger one will not help */
	LEAST_STACK = 1024,
};

/* Reports whether the sample at this offset is one of the recorder itself. */
static bool is_own(const struct ring_data *d, size_t at, u16 size, const struct record_own *own)
{
	size_t pid = at + own->pid_at;

	return size >= own->pid_at + 4U &&
	       load_u32(pid < d->first_size ? d->first + pid : d->second + (pid - d->first_size),
			false) == own->pid;
}

/* Fields lie at multiples of eight bytes, as the end of the first piece does. */
static void count_event(struct record_counts *c, const struct ring_data *d, size_t at, u16 size,
			const struct record_own *own)
{
	size_t id = at + own->id_at;
	const struct event *ev;

	if (size < own->id_at + 8U)
		return;
	ev = event_by_id(own->set, load_u64(id < d->first_size ? d->first + id
							       : d->second + (id - d->first_size),
					    false));
	if (ev)
		record_count_sample(c, ev);
}

/* Counts what is about to be written; data consists of whole records. */
size_t record_tally(struct record_counts *c, struct ring_data *d, size_t most,
		    const struct record_own *own)
{
	size_t at = 0, end = d->first_size + d->second_size, left_out = 0;

	while (at + 8 <= end && at < most) {
		const u8 *p = at < d->first_size ? d->first + at : d->second + (at - d->first_size);
		u32 type = load_u32(p, false);
		u16 size = load_u16(p + 6, false);

		if (size < 8)
			break; /* cannot happen: the kernel wrote this record */
		if (type == PERF_RECORD_SAMPLE) {
			bool ours = own->pid_at && is_own(d, at, size, own);

			c->samples += !ours;
			left_out += ours;
			if (unlikely(own->id_at) && !ours)
				count_event(c, d, at, size, own);
		}
		if (unlikely(type == PERF_RECORD_LOST && size >= 24)) {
			/* its count may have wrapped */
			size_t lost = at + 16;

			p = lost < d->first_size ? d->first + lost
						 : d->second + (lost - d->first_size);
			c->lost += load_u64(p, false);
		}
		c->throttled += type == PERF_RECORD_THROTTLE;
		at += size;
	}
	if (at >= most && at < end) {
		d->first_size = MIN(d->first_size, at);
		d->second_size = at - d->first_size;
	}
	c->own += left_out;
	return left_out;
}

void record_without_own(const struct ring_data *d, const struct record_own *own, struct strbuf *out)
{
	size_t at = 0, end = d->first_size + d->second_size;

	strbuf_clear(out);
	while (at + 8 <= end) {
		const u8 *p = at < d->first_size ? d->first + at : d->second + (at - d->first_size);
		u16 size = load_u16(p + 6, false);
		size_t before = at < d->first_size ? MIN((size_t)size, d->first_size - at) : size;

		if (size < 8)
			break;
		if (load_u32(p, false) != PERF_RECORD_SAMPLE || !is_own(d, at, size, own)) {
			strbuf_add(out, p, before);
			strbuf_add(out, d->second, size - before);
		}
		at += size;
	}
}

/*
 * Reports whether the tracepoint's hits may be about others: not system calls, which a task enters
 * and leaves itself.
 */
static bool tells_of_others(const struct event *ev)
{
	return event_is_tracepoint(ev) && !(ev->name && (str_starts(ev->name, "syscalls:") ||
							 str_starts(ev->name, "raw_syscalls:")));
}

struct record_own record_own_samples(const struct recorder *rec)
{
	const struct record_settings *s = rec->settings;
	bool asked = s->own == OWN_LEAVE_OUT;
	u64 common = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID, type;
	struct record_own own = { .pid = (u32)getpid() };

	if (s->own == OWN_KEEP || !rec->set->list.count ||
	    (!asked && !rec->target->system_wide && !rec->target->cpus && !rec->target->by_user))
		return own;
	type = rec->set->list.items[0]->attr.sample_type & common;
	vec_for_each(&rec->set->list, it)
		if (((*it)->attr.sample_type & common) != type || (!asked && tells_of_others(*it)))
			return own;
	if (type & PERF_SAMPLE_TID)
		own.pid_at = (u16)(8 + 8 * !!(type & PERF_SAMPLE_IDENTIFIER) +
				   8 * !!(type & PERF_SAMPLE_IP));
	return own;
}

void record_counts_add(struct record_counts *to, const struct record_counts *c)
{
	to->wakeups += c->wakeups;
	to->samples += c->samples;
	to->own += c->own;
	to->lost += c->lost;
	to->lost_samples += c->lost_samples;
	to->throttled += c->throttled;
	for (size_t i = 0; i < c->of_event.count; i++) {
		if (to->of_event.count <= i)
			vec_push_zero(&to->of_event);
		to->of_event.items[i] += c->of_event.items[i];
	}
	to->ran_ns += c->ran_ns;
	/* threads run side by side, so the slowest one counts */
	to->emptying_ns = MAX(to->emptying_ns, c->emptying_ns);
	to->waited_ns = MAX(to->waited_ns, c->waited_ns);
}

static void put_lost_samples(struct strbuf *b, const struct event *ev, u64 count, u16 misc, u32 cpu,
			     u64 id)
{
	u64 type = ev->attr.sample_type, zero = 0;
	u32 where[2] = { cpu, 0 };
	size_t start = b->len;

	strbuf_add(b, &(struct {
			   u32 type;
			   u16 misc, size;
			   u64 lost;
		   }){ PERF_RECORD_LOST_SAMPLES, misc, (u16)(16 + ev->sample_id_size), count },
		   16);
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

/* Writes losses that the counters know as records, so that every reader can count them. */
static void add_lost_samples(struct recorder *rec, struct strbuf *b, const struct event *ev,
			     size_t cpu, size_t thread)
{
	struct live_count c;

	if (live_read(rec->live, ev, cpu, thread, &c) || !c.lost)
		return;
	rec->counts.lost_samples += c.lost;
	vec_push(&rec->losses, (struct record_loss){ ev, live_cpu(rec->live, cpu),
						     live_thread(rec->live, thread), c.lost });
	put_lost_samples(b, ev, c.lost, 0, (u32)live_cpu(rec->live, cpu),
			 live_id(rec->live, ev, cpu, thread));
}

int record_write_lost_samples(struct recorder *rec, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = 0;

	vec_for_each(&rec->set->list, it) {
		u64 dropped = record_filter_dropped(&rec->filters, *it);

		if (dropped)
			put_lost_samples(&b, *it, dropped, PERF_RECORD_MISC_LOST_SAMPLES_BPF, 0,
					 (*it)->ids.count ? (*it)->ids.items[0] : 0);
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

u64 record_waited_ns(void)
{
	/* /proc/PID/schedstat: ns on a CPU, ns on a run queue, turns */
	char *line = sys_read_line(NULL, "/proc/thread-self/schedstat");
	char *second = line ? strchr(line, ' ') : NULL;
	u64 ns = second ? strtoull(second, NULL, 10) : 0;

	free(line);
	return ns;
}

/*
 * Reports whether the ring may grow. Users other than root may lock this much memory for each CPU.
 */
static bool ring_may_grow(u64 ring)
{
	u64 kilobytes;

	if (geteuid() == 0)
		return true;
	return !sys_read_u64(NULL, &kilobytes, "/proc/sys/kernel/perf_event_mlock_kb") &&
	       ring * 4 <= kilobytes << 10;
}

void record_loss_facts(const struct recorder *rec, struct loss_facts *f)
{
	*f = (struct loss_facts){
		.lost = MAX(rec->counts.lost, rec->counts.lost_samples),
		.ring = rec->live ? live_ring_size(rec->live) : 0,
		.ran_ns = rec->counts.ran_ns,
		.emptying_ns = rec->counts.emptying_ns,
		.waited_ns = rec->counts.waited_ns,
		.freq = rec->settings->freq,
		.period = rec->settings->period,
		.freq_applies = false,
	};
	f->ring_may_grow = ring_may_grow(f->ring);
	if (rec->settings->call_graph == CALL_GRAPH_DWARF)
		f->stack_bytes = rec->settings->stack_bytes;
	vec_for_each(&rec->set->list, it)
		f->freq_applies |= (*it)->attr.flags & ATTR_FREQ;
}

static u64 percent(u64 part, u64 whole)
{
	return whole ? MIN(part, whole) * 100 / whole : 0;
}

static void fewer_bytes(const struct loss_facts *f, struct strbuf *remedy)
{
	if (f->stack_bytes > LEAST_STACK)
		strbuf_f(remedy, "copy less of the stack: --call-graph dwarf,%u",
			 f->stack_bytes / 2);
	else if (f->freq_applies && f->freq > 1)
		strbuf_f(remedy, "take fewer samples: -F %llu", (unsigned long long)f->freq / 2);
	else if (f->period)
		strbuf_f(remedy, "take fewer samples: -c %llu", (unsigned long long)f->period * 10);
	else
		strbuf_str(remedy, "sample only every tenth event: -c 10");
}

static void larger_ring(const struct loss_facts *f, struct strbuf *remedy)
{
	u64 bytes = f->ring_may_grow ? MAX(f->ring * 4, (u64)USUAL_RING) : f->ring * 4;

	if (bytes >> 20)
		strbuf_f(remedy, "use larger rings: -m %lluM", (unsigned long long)bytes >> 20);
	else
		strbuf_f(remedy, "use larger rings: -m %lluK", (unsigned long long)bytes >> 10);
}

void record_explain_loss(const struct loss_facts *f, struct strbuf *cause, struct strbuf *remedy)
{
	u64 waited = percent(f->waited_ns, f->ran_ns), busy = percent(f->emptying_ns, f->ran_ns);
	bool small = f->ring < USUAL_RING;

	if (!(small && f->ring_may_grow) && waited >= 20) {
		strbuf_f(cause, "perf waited for a CPU %llu%% of the time",
			 (unsigned long long)waited);
		strbuf_str(remedy, "give it priority over what it watches: -r 1 (as root)");
	} else if (!(small && f->ring_may_grow) && busy >= 50) {
		strbuf_f(cause, "writing them took %llu%% of the time", (unsigned long long)busy);
		fewer_bytes(f, remedy);
	} else {
		strbuf_f(cause, "they came in bursts that rings of %llu kB cannot hold",
			 (unsigned long long)f->ring >> 10);
		if (f->ring_may_grow && f->ring < LARGE_RING)
			larger_ring(f, remedy);
		else
			fewer_bytes(f, remedy);
	}
}
