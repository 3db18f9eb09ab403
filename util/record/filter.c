// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --filter on samples: a BPF program for each event with a filter, or, if the user may not load
 * programs, the one that root has pinned for everybody.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/sample_filter.h"
#include "event/sample_filter.h"
#include "record/internal.h"

_Static_assert((int)SAMPLE_FILTER_TESTS == (int)FILTER_TESTS, "the program takes all tests");
_Static_assert(sizeof(struct sample_test) == sizeof(struct sample_filter_test), "and reads them as they are");

struct record_filter {
	const struct event *event;
	struct bpf_run *run; /* NULL: the pinned program */
	int program, map;    /* that one's */
};

static int attach(struct recorder *rec, struct record_filter *f, struct reason *r)
{
	int err = 0;

	for (size_t c = 0; !err && c < live_cpu_count(rec->live); c++)
		for (size_t t = 0; !err && t < live_thread_count(rec->live); t++) {
			int fd = live_event_fd(rec->live, f->event, c, t);

			if (fd >= 0)
				err = bpf_run_attach_event(f->run, "filter", fd, r);
		}
	return err;
}

static int open_filter(struct recorder *rec, const struct event *ev, struct reason *r)
{
	struct record_filter *f = vec_push_zero(&rec->filters);
	struct sample_filter_settings *s;
	int err;

	f->event = ev;
	f->run = bpf_run_open("sample_filter", r);
	if (!f->run)
		return -ENOTSUP;
	s = bpf_run_variable(f->run, "settings", sizeof(*s));
	s->count = ev->sample_filter->count;
	memcpy(s->tests, ev->sample_filter->tests, sizeof(s->tests));
	err = bpf_run_load(f->run, r);
	return err ? err : attach(rec, f, r);
}

/* r: why this user may not load programs; kept if no program is pinned. */
static int open_pinned(struct recorder *rec, const struct event *ev, int unusable, struct reason *r)
{
	struct reason why = REASON_INIT;
	struct record_filter f = { .event = ev };
	int err = pinned_filter_open(&f.program, &f.map, &why);

	if (err && why.text) {
		reason_move(r, &why);
		return err;
	}
	reason_release(&why);
	if (err && unusable == -EPERM)
		reason_hint(r, "run it as root, or let root allow all users such filters once: "
			       "perf record --setup-filter pin");
	if (err)
		return unusable;
	reason_release(r);
	vec_push(&rec->filters, f);
	return pinned_filter_set(rec->live, ev, f.program, f.map, r);
}

int record_filters_open(struct recorder *rec, struct reason *r)
{
	int err = 0;

	vec_for_each(&rec->set->list, it) {
		const struct event *ev = *it;

		if (!ev->sample_filter)
			continue;
		err = sample_filter_check(ev->sample_filter, ev->attr.sample_type, r);
		if (err)
			break;
		err = record_filter_usable("--filter of an event that is not a tracepoint", r);
		err = err ? open_pinned(rec, ev, err, r) : open_filter(rec, ev, r);
		if (err)
			break;
	}
	return err;
}

static u64 dropped_by_pinned(const struct recorder *rec, const struct record_filter *f)
{
	u64 missing, dropped = pinned_filter_dropped(rec->live, f->event, f->map, &missing);

	if (missing)
		condition_add(&rec->ctx->conditions, CONDITION_WARNING, "filter-displaced", f->event->name, NULL,
			      missing, NULL, "the filter of a counter was displaced by those of other recordings, "
			      "and from then on all of its samples were recorded");
	return dropped;
}

u64 record_filter_dropped(const struct recorder *rec, const struct event *ev)
{
	struct sample_filter_counts *counts;

	vec_for_each(&rec->filters, f) {
		if (f->event != ev)
			continue;
		if (!f->run)
			return dropped_by_pinned(rec, f);
		counts = bpf_run_variable(f->run, "counts", sizeof(*counts));
		return counts ? counts->dropped : 0;
	}
	return 0;
}

void record_filters_close(struct recorder *rec)
{
	vec_for_each(&rec->filters, f) {
		if (f->run) {
			bpf_run_close(f->run);
			continue;
		}
		pinned_filter_forget(rec->live, f->event, f->map);
		close(f->program);
		close(f->map);
	}
	vec_release(&rec->filters);
}
