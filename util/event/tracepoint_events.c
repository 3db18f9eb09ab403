// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds SYSTEM:NAME of the event language: from tracefs, with globs on both sides. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/internal.h"
#include "sys/tracefs.h"

static int find_tracefs(struct parse *p)
{
	if (!p->tracefs)
		p->tracefs = tracefs_find(p->parser->sys, p->r);
	return p->tracefs ? 0 : -ENOENT;
}

static int add_tracepoint(struct parse *p, const char *system, const char *name)
{
	struct span none = { "", 0 };
	struct event *ev;
	u64 id;
	int err = tracefs_id(p->parser->sys, p->tracefs, system, name, &id);

	if (err)
		return err;
	ev = parse_add(p, PERF_TYPE_TRACEPOINT, id, none);
	free(ev->name);
	ev->name = xasprintf("%s:%s", system, name);
	ev->function_tracer = !strcmp(system, "ftrace") && !strcmp(name, "function");
	/* a tracepoint's payload matters, so sample each hit */
	ev->attr.sample_type =
		PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	ev->attr.sample_period = 1;
	return 0;
}

static int matching_systems(struct parse *p, const char *pattern, struct strlist *out)
{
	struct strlist all = { 0 };
	int err;

	if (!has_glob(pattern)) {
		strlist_add(out, pattern);
		return 0;
	}
	err = tracefs_systems(p->parser->sys, p->tracefs, &all);
	vec_for_each(&all.list, it)
		if (glob_match(pattern, *it))
			strlist_add(out, *it);
	strlist_release(&all);
	return err;
}

/* Directories without an id (the system's own ones) cannot be opened: passed over. */
static size_t add_matches(struct parse *p, const char *system, const char *pattern)
{
	size_t before = p->set->list.count;
	struct strlist names = { 0 };

	if (!has_glob(pattern)) {
		add_tracepoint(p, system, pattern);
	} else if (!tracefs_tracepoints(p->parser->sys, p->tracefs, system, &names)) {
		vec_for_each(&names.list, it)
			if (glob_match(pattern, *it))
				add_tracepoint(p, system, *it);
	}
	strlist_release(&names);
	return p->set->list.count - before;
}

/*
 * Suggests the perf probe command for a missing probe. That of FUNC%return is called FUNC__return.
 */
bool event_suggest_probe(const char *system, const char *name, struct reason *r)
{
	bool in_file = str_starts(system, "probe_");
	const char *suffix = "__return";
	const char *file = in_file ? "-x FILE " : "";

	if ((!in_file && strcmp(system, "probe") != 0) || !*name || has_glob(name))
		return false;
	if (str_ends(name, suffix) && strlen(name) > strlen(suffix))
		reason_hint(r, "make it first: perf probe %s-a '%.*s%%return'", file,
			    (int)(strlen(name) - strlen(suffix)), name);
	else
		reason_hint(r, "make it first: perf probe %s-a %s", file, name);
	return true;
}

static void suggest_probe(struct parse *p, const char *system, struct span name)
{
	char *function = xstrndup(name.s, name.n);

	event_suggest_probe(system, function, p->r);
	free(function);
}

static int no_such_system(struct parse *p, struct span system, struct span name)
{
	struct strlist names = { 0 };
	char *glob = xstrndup(system.s, system.n);
	bool known = false;

	tracefs_systems(p->parser->sys, p->tracefs, &names);
	vec_for_each(&names.list, it)
		known |= glob_match(glob, *it);
	if (known) {
		parse_fault(p, system, "no system that matches '%s' has this tracepoint", glob);
		reason_hint(p->r, "perf list '%s:*' shows those that they have", glob);
	} else {
		parse_fault(p, system, "no tracepoint system '%s'", glob);
		parse_suggest(p, system, &names);
		suggest_probe(p, glob, name);
	}
	strlist_release(&names);
	free(glob);
	return -EINVAL;
}

static int no_such_tracepoint(struct parse *p, const char *system, struct span name)
{
	struct strlist names = { 0 };

	parse_fault(p, name, "no tracepoint '%s:%.*s'", system, (int)name.n, name.s);
	tracefs_tracepoints(p->parser->sys, p->tracefs, system, &names);
	if (!parse_suggest(p, name, &names))
		suggest_probe(p, system, name);
	strlist_release(&names);
	return -EINVAL;
}

bool tracepoint_system_known(struct parse *p, struct span system)
{
	char *name = xstrndup(system.s, system.n);
	struct strlist found = { 0 };
	struct reason *r = p->r;
	bool known;

	p->r = NULL;
	known = !find_tracefs(p) && *name && !matching_systems(p, name, &found) &&
		found.list.count &&
		sys_exists(p->parser->sys, "%s/events/%s", p->tracefs, found.list.items[0]);
	p->r = r;
	strlist_release(&found);
	free(name);
	return known;
}

/* Distinguishes an unreadable id file from a missing tracepoint. Returns -EACCES or 0. */
static int unreadable(struct parse *p, const char *system, struct span name)
{
	u64 id;
	char *n = xstrndup(name.s, name.n);
	int err = has_glob(n) ? 0 : tracefs_id(p->parser->sys, p->tracefs, system, n, &id);

	free(n);
	if (!sys_exists(p->parser->sys, "%s/events/%s/%.*s/id", p->tracefs, system, (int)name.n,
			name.s) ||
	    !err)
		return 0;
	parse_fault(p, name, "tracepoint '%s:%.*s' may not be read by this user", system,
		    (int)name.n, name.s);
	tracefs_hint(p->parser->sys, p->tracefs, p->r);
	return -EACCES;
}

int parse_tracepoint(struct parse *p, struct span system, struct span name)
{
	char *sys_name = xstrndup(system.s, system.n), *pattern = xstrndup(name.s, name.n);
	struct strlist systems = { 0 };
	size_t added = 0;
	int err = find_tracefs(p);

	if (!err)
		err = matching_systems(p, sys_name, &systems);
	vec_for_each(&systems.list, it)
		added += err ? 0 : add_matches(p, *it, pattern);
	if (!err && !added) {
		err = has_glob(sys_name) || !tracepoint_system_known(p, system)
			      ? no_such_system(p, system, name)
			      : unreadable(p, sys_name, name);
		if (!err)
			err = no_such_tracepoint(p, sys_name, name);
	}
	strlist_release(&systems);
	free(sys_name);
	free(pattern);
	return err;
}
