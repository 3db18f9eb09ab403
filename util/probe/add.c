// SPDX-License-Identifier: GPL-2.0-or-later
/* perf probe --add: definitions become events of tracefs, and entries of the cache. */
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "probe/functions.h"
#include "probe/probe.h"
#include "probe/request_internal.h"
#include "probe/tracefs.h"

/* Resolves all definitions of list into events. */
int probe_resolve_all(const struct probe_request *q, struct prober *p, const struct strlist *list,
		      struct probe_events *events, struct reason *r)
{
	int err = 0;

	vec_for_each(&list->list, text) {
		struct probe_definition d = { .group = NULL };

		d.target.kind = q->target.kind;
		d.target.name = q->target.name ? xstrdup(q->target.name) : NULL;
		err = probe_definition_parse(&d, *text, r);
		if (!err)
			err = prober_resolve(p, &d, events, r);
		probe_definition_release(&d);
		if (err)
			break;
	}
	return err;
}

static void say_added(const struct probe_request *q, struct prober *p,
		      const struct probe_events *events)
{
	const struct probe_event *last = vec_last(&events->list);
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&events->list, e)
		probe_put_event(p, e, &b);
	if (q->dry_run)
		probe_say(q, "Would add new event%s:\n%s", events->list.count > 1 ? "s" : "", b.s);
	else
		probe_say(
			q,
			"Added new event%s:\n%s\nYou can now use it in all perf tools, such as:\n\n"
			"\tperf record -e %s:%s -aR sleep 1\n\n",
			events->list.count > 1 ? "s" : "", b.s, last->group, last->event);
	strbuf_release(&b);
}

static void say_written(const struct probe_request *q, const struct probe_events *events)
{
	vec_for_each(&events->list, e) {
		struct strbuf b = STRBUF_INIT;

		probe_event_text(&b, e);
		if (q->ctx->verbose)
			probe_say(q, "Writing event: %s\n", b.s);
		strbuf_release(&b);
	}
}

/* Returns what follows the name: "work n" of "g:e=work n". */
static const char *without_name(const char *text)
{
	size_t n = strcspn(text, "=;@+% ");

	return text[n] == '=' ? text + n + 1 : text;
}

/* Adds a definition to the cache as one entry, or indexes all markers of its file together. */
static int keep_one(const struct probe_request *q, const char *text,
		    const struct probe_events *events, struct reason *r)
{
	const struct probe_event *first = events->list.items;
	int n;

	if (*text != '%' && !str_starts(text, "sdt_"))
		return probe_cache_add(q->ctx->buildid_dir, first->path, without_name(text), events,
				       r);
	n = probe_cache_index(q->ctx->buildid_dir, first->path, r);
	return MIN(n, 0);
}

static int keep_in_cache(const struct probe_request *q, struct prober *p, struct reason *r)
{
	int err = 0;

	vec_for_each(&q->add.list, text) {
		struct strlist one = { VEC_INIT };
		struct probe_events events = { VEC_INIT };

		strlist_add(&one, *text);
		err = probe_resolve_all(q, p, &one, &events, r);
		if (!err)
			err = keep_one(q, *text, &events, r);
		probe_events_release(&events);
		strlist_release(&one);
		if (err)
			break;
	}
	return err;
}

/*
 * Reports whether the word is a place rather than a value: "work:3", "work%return", the name of a
 * function.
 */
static bool is_definition(const struct probe_request *q, struct prober *p, const char *word)
{
	struct probe_definition d = { .group = NULL };
	struct probe_functions f = { VEC_INIT };
	const struct probe_point *pt = &d.point;
	bool place = !probe_definition_parse(&d, word, NULL) && !d.is_cached && !d.arguments.count;

	if (place && !pt->has_line && !pt->lazy && !pt->is_return && !pt->offset && !pt->file)
		place = pt->function && !prober_functions(p, &q->target, pt->function, &f, NULL);
	probe_functions_release(&f);
	probe_definition_release(&d);
	return place;
}

/*
 * Hints that words after the first are arguments, which a user who wrote several definitions did
 * not mean.
 */
static void hint_words(const struct probe_request *q, struct prober *p, struct reason *r)
{
	for (int i = 1; i < q->word_count; i++)
		if (is_definition(q, p, q->words[i])) {
			reason_hint(
				r,
				"words after the first are its arguments; several probes: -a '%s' "
				"-a '%s'",
				q->words[0], q->words[i]);
			return;
		}
}

int probe_add(const struct probe_request *q, struct prober *p, struct prober *unnamed,
	      struct reason *r)
{
	struct probe_events events = { VEC_INIT };
	struct probe_tracefs *t;
	int err = probe_resolve_all(q, p, &q->add, &events, r);

	if (err)
		hint_words(q, p, r);
	if (!err && q->ctx->verbose)
		say_written(q, &events);
	if (!err && q->dry_run && !prober_tracefs(p, &t, NULL))
		err = probe_tracefs_check(t, events.list.items, events.list.count, r);
	if (!err && !q->dry_run)
		err = prober_tracefs(p, &t, r);
	/* first, so no probe stays if the cache cannot be written */
	if (!err && q->cache && !q->dry_run)
		err = keep_in_cache(q, unnamed, r);
	if (!err && !q->dry_run)
		err = probe_tracefs_add(t, events.list.items, events.list.count, r);
	if (!err)
		say_added(q, p, &events);
	probe_events_release(&events);
	return err;
}
