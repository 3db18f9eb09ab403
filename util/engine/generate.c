// SPDX-License-Identifier: GPL-2.0-or-later
/* -g: a script with a handler for each tracepoint of the recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cli/say.h"
#include "engine/internal.h"

static int write_file(const char *path, const struct strbuf *b, struct reason *r)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot write '%s'", path);
	err = write_all(fd, b->s, b->len);
	close(fd);
	return err ? reason_errno(r, -err, "cannot write '%s'", path) : 0;
}

/* One handler for each tracepoint, also where several events have the same. */
static bool is_known(const struct engine_event_view *events, size_t count, const struct engine_event_view *v)
{
	for (size_t i = 0; i < count; i++)
		if (events[i].format == v->format)
			return true;
	return false;
}

int engine_generate(struct session *s, const struct engine_language *l, struct reason *r)
{
	struct event_set *set = session_events(s);
	const struct tracepoint_formats *formats = data_tracepoints(session_data(s), NULL);
	struct engine_event_view *events = xcalloc(set->list.count + 1, sizeof(*events));
	struct strbuf b = STRBUF_INIT;
	char path[32];
	size_t count = 0;
	int err;

	vec_for_each(&set->list, ev) {
		struct engine_event_view *v = &events[count];

		engine_event_describe(v, *ev, formats);
		if (v->format && !is_known(events, count, v)) {
			count++;
		} else {
			engine_event_release(v);
			*v = (struct engine_event_view){ .described = false };
		}
	}
	snprintf(path, sizeof(path), "perf-script.%s", l->extension);
	if (!strcmp(l->name, "perl"))
		generate_perl(events, count, &b);
	else
		generate_python(events, count, &b);
	err = write_file(path, &b, r);
	if (!err)
		fprintf(stderr, "generated %s script: %s\n", l->shown, path);
	for (size_t i = 0; i < count; i++)
		engine_event_release(&events[i]);
	free(events);
	strbuf_release(&b);
	return err;
}
