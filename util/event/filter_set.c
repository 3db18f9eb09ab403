// SPDX-License-Identifier: GPL-2.0-or-later
/* --filter: belongs to the events of the last -e, and is checked for each of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "event/filter.h"
#include "event/parse.h"
#include "event/sample_filter.h"
#include "sys/tracefs.h"
#include "tracepoint/tracepoint.h"

/*
 * Makes the kernel's text of a filter: checks it by the event's format, or copies it if the format
 * cannot be read; then the kernel decides.
 */
static int check(const struct sys *sys, const char *tracefs, const struct event *ev,
		 const char *filter, char **text, struct reason *r)
{
	struct tracepoint_formats *formats = tracepoint_formats_new(false, arch_host()->bits / 8);
	const char *colon = strchr(ev->name, ':');
	char *system = colon ? xstrndup(ev->name, (size_t)(colon - ev->name)) : NULL;
	char *name = colon ? xstrndup(colon + 1, strcspn(colon + 1, ":")) : NULL;
	char *path = colon ? xasprintf("%s/events/%s/%s/format", tracefs, system, name) : NULL;
	const struct tracepoint_format *t = NULL;
	struct strbuf format = STRBUF_INIT;
	int err = 0;

	if (colon && !sys_read(sys, &format, path) &&
	    !tracepoint_formats_add(formats, system, format.s, format.len, NULL))
		t = tracepoint_by_name(formats, system, name);
	/* name= may have given it the name of another event */
	if (t && t->id == ev->attr.config)
		err = filter_check(t, filter, text, r);
	else
		*text = xstrdup(filter);
	strbuf_release(&format);
	tracepoint_formats_free(formats);
	free(path);
	free(name);
	free(system);
	return err;
}

/*
 * Reports whether the event's PMU takes filters of addresses; those have their own language.
 */
static bool takes_address_filters(const struct sys *sys, const struct event *ev)
{
	u64 n = 0;

	return ev->pmu &&
	       !sys_read_u64(sys, &n, "/sys/bus/event_source/devices/%s/nr_addr_filters",
			     ev->pmu) &&
	       n;
}

static int refuse(const struct sys *sys, const struct event *ev, const char *filter,
		  enum filter_use use, struct reason *r)
{
	if (event_is_tracepoint(ev) || takes_address_filters(sys, ev) || use == FILTER_SAMPLES)
		return 0;
	reason_set(r, EINVAL,
		   "'%s': '%s' is not a tracepoint, and only perf record filters samples "
		   "of other events",
		   filter, ev->name);
	reason_hint(r, "a filter applies to the -e before it");
	return -EINVAL;
}

static int set_sample_filter(struct event *ev, const char *filter, struct reason *r)
{
	if (!ev->sample_filter)
		ev->sample_filter = xcalloc(1, sizeof(*ev->sample_filter));
	return sample_filter_parse(ev->sample_filter, filter, r);
}

static int set_one(const struct sys *sys, const char *tracefs, struct event *ev, const char *filter,
		   struct reason *r)
{
	char *old = ev->filter, *text = NULL;
	int err = 0;

	if (!event_is_tracepoint(ev) && !takes_address_filters(sys, ev))
		return set_sample_filter(ev, filter, r);
	if (event_is_tracepoint(ev) && tracefs)
		err = check(sys, tracefs, ev, filter, &text, r);
	else
		text = xstrdup(filter);
	if (err)
		return err;
	/* a second filter narrows the first */
	ev->filter = old ? xasprintf("(%s) && (%s)", old, text) : xstrdup(text);
	free(old);
	free(text);
	return 0;
}

int event_set_filter(const struct sys *sys, struct event_set *set, const char *filter,
		     enum filter_use use, struct reason *r)
{
	char *tracefs;
	int err = 0;

	if (!set->list.count) {
		reason_set(r, EINVAL, "'%s' has no event before it", filter);
		reason_hint(r, "give -e EVENT first, then --filter");
		return -EINVAL;
	}
	for (size_t i = set->last_parse; !err && i < set->list.count; i++)
		err = refuse(sys, set->list.items[i], filter, use, r);
	tracefs = err ? NULL : tracefs_find(sys, NULL);
	for (size_t i = set->last_parse; !err && i < set->list.count; i++)
		err = set_one(sys, tracefs, set->list.items[i], filter, r);
	free(tracefs);
	return err;
}
