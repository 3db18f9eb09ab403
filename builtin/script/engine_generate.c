// SPDX-License-Identifier: GPL-2.0-or-later
/* -g: a script with a handler for each tracepoint of the recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"
#include "base/replace.h"
#include "builtin/script/engine_internal.h"

/* Reports whether the file is empty, as mktemp makes it: nothing in it can be lost. */
static bool is_empty(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

static bool is_there(const char *path, const struct strbuf *b)
{
	int fd = file_open(path, NULL);
	char *own = xmalloc(b->len + 1);
	bool same = fd >= 0 && read_all(fd, own, b->len + 1) == (ssize_t)b->len &&
		    !memcmp(own, b->s, b->len);

	if (fd >= 0)
		close(fd);
	free(own);
	return same;
}

/* Writes the script, unless another one is there: only the user knows whether that was edited. */
static int write_file(const char *path, const struct strbuf *b, struct reason *r)
{
	int err;

	if (is_there(path, b))
		return 0;
	err = replace_text(path, strbuf_cstr(b), b->len, 0666,
			   is_empty(path) ? REPLACE_ANY : REPLACE_NOTHING, r);
	if (err == -EEXIST) {
		reason_set(r, EEXIST, "'%s' exists and may have been edited", path);
		reason_hint(r, "rename or remove it, or generate the script in another directory");
	}
	return err;
}

/* Reports whether the tracepoint has a handler already. Several events may share one tracepoint. */
static bool is_known(const struct engine_event_view *events, size_t count,
		     const struct engine_event_view *v)
{
	for (size_t i = 0; i < count; i++)
		if (events[i].format == v->format)
			return true;
	return false;
}

int engine_generate(struct session *s, const struct engine_language *l, const char *path,
		    struct reason *r)
{
	struct event_set *set = session_events(s);
	const struct tracepoint_formats *formats = data_tracepoints(session_data(s), NULL);
	struct engine_event_view *events = xcalloc(set->list.count + 1, sizeof(*events));
	struct strbuf b = STRBUF_INIT;
	char own[32];
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
	if (!path) {
		snprintf(own, sizeof(own), "perf-script.%s", l->extension);
		path = own;
	}
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
