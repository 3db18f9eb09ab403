// SPDX-License-Identifier: GPL-2.0-or-later
/* perf probe --list and --del: the probes that there are, in the kernel and in the cache. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/out.h"
#include "probe/probe.h"
#include "probe/request_internal.h"
#include "probe/tracefs.h"

static int by_name(const void *a, const void *b)
{
	const struct probe_event *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->event, y->event);
}

/* The objects of the cache, each with its probes below. */
struct cached_list {
	struct out *out;
	char last[41]; /* build-id of the object before */
};

static int put_cached(void *arg, const struct probe_cache_entry *e)
{
	struct cached_list *l = arg;

	if (strcmp(l->last, e->build_id))
		out_f(l->out, "%s (%s):\n", e->path, e->build_id);
	snprintf(l->last, sizeof(l->last), "%s", e->build_id);
	out_f(l->out, "%s:%s=%s\n", e->group, e->event, e->definition);
	return 0;
}

int probe_list(const struct probe_request *q, struct prober *p, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct cached_list cached = { .out = q->out };
	struct probe_tracefs *t;
	int err;

	if (q->cache)
		return probe_cache_each(q->ctx->buildid_dir, put_cached, &cached, r);
	err = prober_tracefs(p, &t, r);
	if (!err)
		err = probe_tracefs_list(t, &events, r);
	vec_sort(&events.list, by_name);
	vec_for_each(&events.list, e)
		if (!err && (!q->list || probe_event_matches(e, q->list))) {
			probe_put_event(p, e, out_buf(q->out));
			out_done(q->out);
		}
	probe_events_release(&events);
	return err;
}

static int remove_matching(const struct probe_request *q, const struct probe_tracefs *t,
			   const struct probe_events *events, const char *pattern, struct reason *r)
{
	const struct probe_event *last = NULL;
	size_t hits = 0;

	vec_for_each(&events->list, e) {
		int err = 0;

		/* Several places may share one event: it goes as a whole. */
		if (!probe_event_matches(e, pattern) || (last && !by_name(last, e)))
			continue;
		if (!q->dry_run)
			err = probe_tracefs_delete(t, e, r);
		if (err)
			return err;
		probe_say(q, "%s event: %s:%s\n", q->dry_run ? "Would remove" : "Removed", e->group,
			  e->event);
		last = e;
		hits++;
	}
	if (hits)
		return 0;
	reason_set(r, ENOENT, "no probe is called '%s'", pattern);
	reason_hint(r, "'perf probe -l' lists them");
	return -ENOENT;
}

static int remove_cached(const struct probe_request *q, const char *pattern, struct reason *r)
{
	struct strlist gone = { VEC_INIT };
	int n = probe_cache_remove(q->ctx->buildid_dir, pattern, &gone, r);

	vec_for_each(&gone.list, name)
		probe_say(q, "Removed cached event: %s\n", *name);
	strlist_release(&gone);
	if (n)
		return MIN(n, 0);
	reason_set(r, ENOENT, "no cached probe is called '%s'", pattern);
	reason_hint(r, "'perf probe --cache -l' lists them");
	return -ENOENT;
}

int probe_remove(const struct probe_request *q, struct prober *p, struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct probe_tracefs *t = NULL;
	int err = 0;

	if (q->cache && q->dry_run)
		return reason_set(r, EINVAL, "--del --cache has no dry run: leave out -n");
	if (!q->cache)
		err = prober_tracefs(p, &t, r);
	vec_for_each(&q->remove.list, pattern) {
		if (!err && q->cache) {
			err = remove_cached(q, *pattern, r);
		} else if (!err) {
			err = probe_tracefs_list(t, &events, r);
			vec_sort(&events.list, by_name);
			if (!err)
				err = remove_matching(q, t, &events, *pattern, r);
			probe_events_release(&events);
		}
	}
	return err;
}
