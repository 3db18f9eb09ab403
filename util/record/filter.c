// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --filter on samples: a BPF program for each event with a filter or, if the user may not load
 * programs, the one that root has pinned for all users.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/sample_filter.h"
#include "event/sample_filter.h"
#include "record/internal.h"

_Static_assert((int)SAMPLE_FILTER_TESTS == (int)FILTER_TESTS, "the program takes all tests");
_Static_assert(sizeof(struct sample_test) == sizeof(struct sample_filter_test),
	       "and reads them as they are");

struct record_filter {
	const struct event *event;
	struct bpf_run *run; /* NULL: the pinned program */
	int program, map;    /* that one's */
};

static int attach(const struct live *live, struct record_filter *f, struct reason *r)
{
	int err = 0;

	for (size_t c = 0; !err && c < live_cpu_count(live); c++)
		for (size_t t = 0; !err && t < live_thread_count(live); t++) {
			int fd = live_event_fd(live, f->event, c, t);

			if (fd >= 0)
				err = bpf_run_attach_event(f->run, "filter", fd, r);
		}
	return err;
}

static int open_filter(struct record_filters *all, const struct event *ev, struct reason *r)
{
	struct record_filter *f = vec_push_zero(&all->list);
	struct sample_filter_settings *s;
	int err;

	f->event = ev;
	f->run = bpf_run_open("sample_filter", r);
	if (!f->run)
		return -ENOTSUP;
	s = bpf_run_variable(f->run, "settings", sizeof(*s));
	s->count = ev->sample_filter->count;
	memcpy(s->tests, ev->sample_filter->tests, sizeof(s->tests));
	err = bpf_run_load(all->ctx, f->run, r);
	return err ? err : attach(all->live, f, r);
}

/*
 * Opens a pinned program. r says why this user may not load programs, and is kept if none is
 * pinned.
 */
static int open_pinned(struct record_filters *all, const struct event *ev, int unusable,
		       struct reason *r)
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
	vec_push(&all->list, f);
	return pinned_filter_set(all->live, ev, f.program, f.map, r);
}

int record_filters_open(struct record_filters *all, struct context *ctx,
			const struct event_set *set, struct live *live, struct reason *r)
{
	int err = 0;

	all->ctx = ctx;
	all->live = live;
	vec_for_each(&set->list, it) {
		const struct event *ev = *it;

		if (!ev->sample_filter)
			continue;
		err = sample_filter_check(ev->sample_filter, ev->attr.sample_type, r);
		if (err)
			break;
		err = record_filter_usable("--filter of an event that is not a tracepoint", r);
		err = err ? open_pinned(all, ev, err, r) : open_filter(all, ev, r);
		if (err)
			break;
	}
	return err;
}

static u64 dropped_by_pinned(const struct record_filters *all, const struct record_filter *f)
{
	u64 missing, dropped = pinned_filter_dropped(all->live, f->event, f->map, &missing);

	if (missing)
		condition_add(&all->ctx->conditions, CONDITION_WARNING, "filter-displaced",
			      f->event->name, NULL, missing, NULL,
			      "the filter of a counter was displaced by those of other recordings, "
			      "and from then on all of its samples were recorded");
	return dropped;
}

u64 record_filter_dropped(const struct record_filters *all, const struct event *ev)
{
	struct sample_filter_counts *counts;

	vec_for_each(&all->list, f) {
		if (f->event != ev)
			continue;
		if (!f->run)
			return dropped_by_pinned(all, f);
		counts = bpf_run_variable(f->run, "counts", sizeof(*counts));
		return counts ? counts->dropped : 0;
	}
	return 0;
}

void record_filters_say_missed(struct record_filters *all)
{
	vec_for_each(&all->list, f)
		bpf_run_say_missed(all->ctx, f->run);
}

void record_filters_close(struct record_filters *all)
{
	vec_for_each(&all->list, f) {
		if (f->run) {
			bpf_run_close(f->run);
			continue;
		}
		pinned_filter_forget(all->live, f->event, f->map);
		close(f->program);
		close(f->map);
	}
	vec_release(&all->list);
}
