// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report: what records beside the samples say of them: which threads ran at a time
 * (parallelism), their cgroup namespaces, what their counters read at the end.
 *
 * From a file all such records come before the first sample, in file order; they are put
 * in order when they are first asked about.  A stream brings them in order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "builtin-report.h"
#include "ui/stdio/json.h"

enum { CGROUP_LINK = 6 }; /* index in PERF_RECORD_NAMESPACES */

static void want_type(u64 want[2], unsigned type)
{
	want[type / 64] |= BIT64(type % 64);
}

void report_side_wants(struct report *p, u64 want[2])
{
	/* what a stream has is told on the way */
	if (p->set.latency || data_is_pipe(session_data(p->session))) {
		want_type(want, PERF_RECORD_SWITCH);
		want_type(want, PERF_RECORD_SWITCH_CPU_WIDE);
		want_type(want, PERF_RECORD_EXIT);
		want_type(want, PERF_RECORD_COMM);
	}
	want_type(want, PERF_RECORD_NAMESPACES);
	if (p->threads)
		want_type(want, PERF_RECORD_READ);
}

/* ---- parallelism ---- */

static void apply_change(struct report *p, const struct report_change *c)
{
	u64 *runs = map64_put(&p->running, c->tid, NULL);

	if (*runs == c->runs)
		return;
	*runs = c->runs;
	if (c->runs)
		p->running_count++;
	else
		p->running_count--;
	vec_push(&p->steps, (struct report_step){ c->key.time, p->running_count });
}

static void add_change(struct report *p, const struct order_key *key, u32 tid, bool runs)
{
	const struct report_change c = { *key, tid, runs };

	if (!tid || tid == UINT32_MAX)
		return; /* idle */
	if (p->side_live)
		apply_change(p, &c);
	else
		vec_push(&p->changes, c);
}

static int change_cmp(const void *a, const void *b)
{
	return order_key_cmp(&((const struct report_change *)a)->key,
			     &((const struct report_change *)b)->key);
}

static int space_cmp(const void *pa, const void *pb)
{
	const struct report_space *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return order_key_cmp(&a->key, &b->key);
}

/* The first who asks puts everything in order. */
static void settle(struct report *p)
{
	if (p->side_live || __atomic_load_n(&p->side_ready, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&p->side_lock);
	if (!p->side_ready) {
		vec_sort(&p->changes, change_cmp);
		vec_for_each(&p->changes, c)
			apply_change(p, c);
		vec_sort(&p->spaces, space_cmp);
		__atomic_store_n(&p->side_ready, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&p->side_lock);
}

u32 report_parallelism(struct report *p, u64 time)
{
	size_t low = 0, high;
	u32 n;

	settle(p);
	for (high = p->steps.count; low < high;) {
		size_t mid = (low + high) / 2;

		if (p->steps.items[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	n = low ? p->steps.items[low - 1].running : 0;
	if (p->machine_cpus)
		n = MIN(n, p->machine_cpus);
	return MAX(n, 1U);
}

/* ---- cgroup namespaces ---- */

u64 report_cgroup_space(void *arg, const struct hist_sample *s)
{
	struct report *p = arg;
	const struct report_space *found = NULL;

	settle(p);
	/* few, and in a stream not sorted */
	vec_for_each(&p->spaces, space)
		if (space->tid == s->task->tid && order_key_cmp(&space->key, s->key) <= 0 &&
		    (!found || order_key_cmp(&found->key, &space->key) <= 0))
			found = space;
	return found ? (u64)(found - p->spaces.items) + 1 : 0;
}

void report_cgroup_numbers(void *arg, u64 number, u64 *dev, u64 *ino)
{
	const struct report *p = arg;
	const struct report_space *s = &p->spaces.items[number - 1];

	*dev = s->dev;
	*ino = s->ino;
}

static int add_space(struct report *p, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	struct record_namespaces ns;
	const u8 *link;

	if (record_get_namespaces(events, rec, &ns, r) || ns.count <= CGROUP_LINK)
		return 0; /* damage is told by the session */
	link = ns.links + CGROUP_LINK * 16;
	vec_push(&p->spaces, (struct report_space){
		.key = *key, .tid = ns.tid,
		.dev = load_u64(link, events->swap), .ino = load_u64(link + 8, events->swap),
	});
	return 0;
}

/* ---- counters of threads ---- */

static void add_reading(struct report *p, const struct record *rec, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	struct record_read read;
	const struct event *ev;

	if (record_get_read(events, rec, &read, r))
		return;
	ev = event_by_id(events, read.id);
	if (!ev)
		return;
	vec_for_each(&p->readings, old)
		if (old->tid == read.tid && old->pid == read.pid && old->event == ev->index) {
			old->value += read.value;
			return;
		}
	vec_push(&p->readings, (struct report_reading){
		.pid = read.pid, .tid = read.tid, .event = ev->index, .value = read.value,
	});
}

static int reading_cmp(const void *pa, const void *pb)
{
	const struct report_reading *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static void print_raw(struct report *p, struct strbuf *b)
{
	const struct event_set *events = session_events(p->session);
	size_t width = 5;

	vec_for_each(&events->list, ev)
		width = MAX(width, strlen((*ev)->name));
	strbuf_f(b, "# %6s %7s  %*s %16s\n", "PID", "TID", (int)width, "Name", "Count");
	vec_for_each(&p->readings, reading)
		strbuf_f(b, "  %6d %7d  %*s %16" PRIu64 "\n", (int)reading->pid, (int)reading->tid,
			 (int)width, events->list.items[reading->event]->name, reading->value);
}

static u64 value_of(const struct report *p, const struct report_reading *like, u32 event)
{
	vec_for_each(&p->readings, r)
		if (r->pid == like->pid && r->tid == like->tid && r->event == event)
			return r->value;
	return 0;
}

static void print_table(struct report *p, struct strbuf *b)
{
	const struct event_set *events = session_events(p->session);
	const struct report_reading *last = NULL;

	strbuf_f(b, "# %6s %7s", "PID", "TID");
	vec_for_each(&events->list, ev)
		strbuf_f(b, "  %*s", (int)MAX(strlen((*ev)->name), (size_t)14), (*ev)->name);
	strbuf_char(b, '\n');
	vec_for_each(&p->readings, reading) {
		if (last && last->pid == reading->pid && last->tid == reading->tid)
			continue;
		last = reading;
		strbuf_f(b, "  %6d %7d", (int)reading->pid, (int)reading->tid);
		vec_for_each(&events->list, ev)
			strbuf_f(b, "  %*" PRIu64, (int)MAX(strlen((*ev)->name), (size_t)14),
				 value_of(p, reading, (*ev)->index));
		strbuf_char(b, '\n');
	}
}

void report_print_threads(struct report *p)
{
	vec_sort(&p->readings, reading_cmp);
	if (p->pretty && !strcmp(p->pretty, "raw"))
		print_raw(p, out_buf(&p->out));
	else
		print_table(p, out_buf(&p->out));
}

void report_json_threads(struct report *p)
{
	const struct event_set *events = session_events(p->session);
	struct strbuf *b = out_buf(&p->out);
	bool first = true;

	vec_sort(&p->readings, reading_cmp);
	strbuf_str(b, ",\n\"threads\":[");
	vec_for_each(&p->readings, reading) {
		strbuf_f(b, "%s\n{\"pid\":%d,\"tid\":%d,\"event\":", first ? "" : ",",
			 (int)reading->pid, (int)reading->tid);
		json_text(b, events->list.items[reading->event]->name);
		strbuf_f(b, ",\"count\":%" PRIu64 "}", reading->value);
		first = false;
	}
	strbuf_char(b, ']');
}

/* ---- */

int report_side_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct report *p = arg;
	const struct event_set *events = session_events(p->session);
	struct record_switch sw;
	struct record_comm comm;
	struct record_task task;
	struct sample_id id;
	const struct event *ev;

	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (!record_get_switch(events, rec, &sw, r) &&
		    !record_sample_id(events, rec, &id, &ev, r))
			add_change(p, key, id.tid, !sw.out);
		break;
	case PERF_RECORD_COMM: /* exec: its event may only begin here */
		if (!record_get_comm(events, rec, &comm, r) && comm.exec && key->time)
			add_change(p, key, comm.tid, true);
		break;
	case PERF_RECORD_EXIT:
		if (!record_get_task(events, rec, &task, r))
			add_change(p, key, task.tid, false);
		break;
	case PERF_RECORD_NAMESPACES:
		add_space(p, rec, key, r);
		break;
	case PERF_RECORD_READ:
		add_reading(p, rec, r);
		break;
	}
	reason_release(r); /* a damaged record is told by the session */
	return 0;
}

void report_side_release(struct report *p)
{
	vec_release(&p->changes);
	vec_release(&p->steps);
	vec_release(&p->spaces);
	vec_release(&p->readings);
	map64_release(&p->running);
	p->running_count = 0;
	p->side_ready = false;
}
