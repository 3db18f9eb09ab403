// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges how long tasks slept with the place where they went to sleep.
 *
 * sched_switch has the call chain of the outgoing task; sched_stat_* comes later and has the time
 * that a task waited. They become one sample: that of the switch, with the time and the period of
 * the sched_stat_*.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rewrite/internal.h"
#include "tracepoint/tracepoint.h"

enum role { ROLE_NONE, ROLE_SWITCH, ROLE_EXIT, ROLE_STAT };

struct left {
	u16 size;
	u32 time, period; /* offsets in bytes; 0 if not recorded */
	u8 bytes[];
};

struct sched_pass {
	const struct tracepoint_formats *formats;
	u8 *roles;           /* by event */
	struct map64 by_tid; /* -> struct left *: the task's last switch */
};

static enum role role_of(const struct event *ev)
{
	if (!event_is_tracepoint(ev) || !ev->name)
		return ROLE_NONE;
	if (!strcmp(ev->name, "sched:sched_switch"))
		return ROLE_SWITCH;
	if (!strcmp(ev->name, "sched:sched_process_exit"))
		return ROLE_EXIT;
	return str_starts(ev->name, "sched:sched_stat_") ? ROLE_STAT : ROLE_NONE;
}

int sched_start(struct rewriter *w, struct reason *r)
{
	struct sched_pass *p = xcalloc(1, sizeof(*p));
	bool has[ROLE_STAT + 1] = { false };

	w->sched = p;
	p->roles = xcalloc(w->in->list.count, 1);
	vec_for_each(&w->in->list, it) {
		p->roles[(*it)->index] = (u8)role_of(*it);
		has[p->roles[(*it)->index]] = true;
	}
	if (!has[ROLE_SWITCH] || !has[ROLE_STAT]) {
		reason_set(r, EINVAL, "'%s' holds no %s events to merge", data_path(w->reader),
			   has[ROLE_SWITCH] ? "sched:sched_stat_*" : "sched:sched_switch");
		reason_hint(r, "record with -e sched:sched_stat_sleep,sched:sched_switch,"
			       "sched:sched_process_exit -g");
		return -EINVAL;
	}
	p->formats = data_tracepoints(w->reader, r);
	return p->formats ? 0 : -EINVAL;
}

static void forget(struct sched_pass *p, u32 tid)
{
	u64 *slot = map64_get(&p->by_tid, tid);

	if (!slot)
		return;
	free((void *)(uintptr_t)*slot);
	map64_remove(&p->by_tid, tid);
}

static void keep_switch(struct sched_pass *p, const struct session_sample *s)
{
	struct left *l = xmalloc(sizeof(*l) + s->record->size);

	forget(p, s->sample->id.tid);
	l->size = s->record->size;
	l->time = sample_slot(s->sample, PERF_SAMPLE_TIME);
	l->period = sample_slot(s->sample, PERF_SAMPLE_PERIOD);
	memcpy(l->bytes, s->record->data, l->size);
	*map64_put(&p->by_tid, s->sample->id.tid, NULL) = (u64)(uintptr_t)l;
}

static void store(u8 *at, u64 v, bool swap)
{
	store_u64(at, load_u64(&v, swap));
}

static void put_merged(struct rewriter *w, const struct session_sample *s)
{
	const struct sched_pass *p = w->sched;
	const struct tracepoint_format *t =
		tracepoint_by_id(p->formats, (u32)s->sample->event->attr.config);
	const struct tracepoint_field *f = t ? tracepoint_field(t, "pid") : NULL;
	const struct left *l;
	u64 pid, *slot;
	size_t at = w->buf.len;

	if (!f || !tracepoint_get_int(p->formats, f, s->sample->raw, s->sample->raw_size, &pid))
		return;
	slot = map64_get(&p->by_tid, (u32)pid);
	if (!slot)
		return;
	l = (const struct left *)(uintptr_t)*slot;
	strbuf_add(&w->buf, l->bytes, l->size);
	if (l->time)
		store((u8 *)w->buf.s + at + l->time, s->sample->id.time, w->in->swap);
	if (l->period)
		store((u8 *)w->buf.s + at + l->period, s->sample->period, w->in->swap);
}

bool sched_take(struct rewriter *w, const struct session_sample *s)
{
	struct sched_pass *p = w->sched;

	switch (p->roles[s->sample->event->index]) {
	case ROLE_SWITCH:
		keep_switch(p, s);
		return true;
	case ROLE_EXIT:
		forget(p, s->sample->id.tid);
		return true;
	case ROLE_STAT:
		put_merged(w, s);
		return true;
	default:
		return false;
	}
}

void sched_release(struct rewriter *w)
{
	if (!w->sched)
		return;
	for (size_t i = 0; i < w->sched->by_tid.space; i++)
		if (w->sched->by_tid.slots[i].used)
			free((void *)(uintptr_t)w->sched->by_tid.slots[i].value);
	map64_release(&w->sched->by_tid);
	free(w->sched->roles);
	free(w->sched);
}
