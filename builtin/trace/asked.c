// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -e, -F and --filter on a recording: which of its events are shown.  A live trace opens only these
 * events, and the kernel filters them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/trace/internal.h"
#include "event/filter.h"

/* Returns the length of "sched:sched_switch" in "sched:sched_switch:u". */
static size_t tracepoint_length(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? (size_t)(colon + 1 - name) + strcspn(colon + 1, ":") : strlen(name);
}

static bool is_same(const struct event *asked, const struct event *ev)
{
	size_t length = tracepoint_length(asked->name);

	/* the number of a tracepoint is another one on each machine */
	if (event_is_tracepoint(asked))
		return event_is_tracepoint(ev) && length == tracepoint_length(ev->name) &&
		       !strncmp(asked->name, ev->name, length);
	return asked->attr.type == ev->attr.type && asked->attr.config == ev->attr.config;
}

/*
 * Returns the filter of an event, which the caller frees, or NULL for none. An event requested
 * twice is shown if either filter lets it pass.
 */
static char *filter_of(const struct trace *t, const struct event *ev)
{
	struct strbuf text = STRBUF_INIT;

	vec_for_each(&t->set.list, asked) {
		if (!is_same(*asked, ev))
			continue;
		if (!(*asked)->filter) {
			strbuf_release(&text);
			return NULL;
		}
		strbuf_f(&text, "%s(%s)", text.len ? " || " : "", (*asked)->filter);
	}
	return text.len ? strbuf_detach(&text) : NULL;
}

static bool is_hidden(const struct trace *t, const struct event *ev, const struct bound_event *b)
{
	bool major = ev->attr.config == FAULTS_MAJ_CONFIG;

	if (!t->set.list.count && !t->selected && !t->o.faults)
		return false;
	vec_for_each(&t->set.list, asked)
		if (is_same(*asked, ev))
			return false;
	return b->kind != BOUND_FAULT || !(t->o.faults & (major ? FAULTS_MAJOR : FAULTS_MINOR));
}

int asked_bind(struct trace *t, const struct event *ev, struct bound_event *b, struct reason *r)
{
	char *filter;
	int err = 0;

	if (!t->o.input)
		return 0;
	b->hidden = is_hidden(t, ev, b);
	filter = filter_of(t, ev);
	if (filter && !b->format) {
		err = reason_set(r, ENODATA, "--filter: '%s' does not contain the format of '%s'",
				 t->o.input, ev->name);
	} else if (filter) {
		b->filter = filter_compile(b->format, filter, r);
		err = b->filter ? 0 : -EINVAL;
	}
	free(filter);
	return err;
}

bool asked_passes(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	const struct filter_sample of = { t->formats, s->sample->raw, s->sample->raw_size,
					  s->sample->id.cpu, sample_comm(t, s) };

	return !b->filter || filter_matches(b->filter, &of);
}

void asked_free(struct trace *t)
{
	for (size_t i = 0; i < t->bound.count; i++)
		filter_program_free(t->bound.items[i].filter);
}
