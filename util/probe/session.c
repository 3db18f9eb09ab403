// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes that live as long as a session: without arguments by a PMU, else in tracefs. */
#include "probe/session.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "event/parse.h"
#include "probe/pmu.h"
#include "probe/temporary.h"

static struct probe_temporary *temporary(struct session_probes *p)
{
	if (!p->temporary)
		p->temporary = probe_temporary_new(p->ctx, p->vmlinux);
	return p->temporary;
}

/* Puts the events into tracefs, and from there into the set. */
static int add_tracepoints(struct session_probes *p, struct event_set *set,
			   const struct probe_event *events, size_t count, struct reason *r)
{
	const struct event_parser parser = { .command = p->command,
					     .counting = !strcmp(p->command, "stat") };
	struct strbuf names = STRBUF_INIT;
	int err = probe_temporary_put(temporary(p), events, count, r);

	for (size_t i = 0; i < count; i++)
		strbuf_f(&names, "%s%s:%s", i ? "," : "", events[i].group, events[i].event);
	if (!err)
		err = event_parse(&parser, set, strbuf_cstr(&names), r);
	strbuf_release(&names);
	return err;
}

static void add_by_pmu(struct session_probes *p, struct event_set *set, struct probe_event *e,
		       const struct probe_pmu *pmu)
{
	struct perf_event_attr attr = {
		.type = pmu->type, .config = pmu->config, .config2 = pmu->offset, .sample_period = 1
	};
	char *name = xasprintf("%s:%s", e->group, e->event);
	struct event *ev = event_set_add(set, &attr, name);

	ev->config1_text = xstrdup(pmu->text);
	ev->pmu = xstrdup(pmu->name);
	vec_push(&p->by_pmu, (struct session_pmu_probe){ ev->index, *e });
	memset(e, 0, sizeof(*e));
	free(name);
}

int session_probe_add(struct session_probes *p, struct event_set *set, const char *text,
		      struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	u32 first = (u32)set->list.count;
	int err = probe_temporary_resolve(temporary(p), text, &events, r);

	vec_for_each(&events.list, e) {
		struct probe_pmu pmu;

		if (err)
			break;
		if (probe_pmu_of(NULL, e, &pmu))
			add_by_pmu(p, set, e, &pmu);
		else
			err = add_tracepoints(p, set, e, 1, r);
	}
	set->last_parse = first;
	probe_events_release(&events);
	return err;
}

int session_probe_resolve(void *arg, struct event_set *set, const char *name, struct reason *r)
{
	struct session_probes *p = arg;
	struct probe_events events = { VEC_INIT };
	int err;

	if (*name != '%' && !(str_starts(name, "sdt_") && strchr(name, ':')))
		return 0;
	reason_release(r);
	err = probe_temporary_resolve(temporary(p), name, &events, r);
	if (!err)
		err = add_tracepoints(p, set, events.list.items, events.list.count, r);
	probe_events_release(&events);
	return err ? err : 1;
}

/* Replaces an event by a PMU with the event of a tracepoint. */
static int convert(struct session_probes *p, struct event *ev, const struct probe_event *e,
		   struct reason *r)
{
	struct event_set one;
	int err;

	event_set_init(&one);
	err = add_tracepoints(p, &one, e, 1, r);
	if (!err) {
		ev->attr = one.list.items[0]->attr;
		free(ev->config1_text);
		free(ev->pmu);
		ev->config1_text = ev->pmu = NULL;
	}
	event_set_release(&one);
	return err;
}

int session_probe_to_tracefs(struct session_probes *p, struct event_set *set, u32 first,
			     struct reason *r)
{
	int err = 0;

	vec_for_each(&p->by_pmu, it) {
		struct event *ev = set->list.items[it->index];

		if (!err && it->index >= first && ev->config1_text)
			err = convert(p, ev, &it->probe, r);
	}
	return err;
}

void session_probes_release(struct session_probes *p)
{
	probe_temporary_free(p->temporary);
	p->temporary = NULL;
	vec_for_each(&p->by_pmu, it)
		probe_event_release(&it->probe);
	vec_release(&p->by_pmu);
}
