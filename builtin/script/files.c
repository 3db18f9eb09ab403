// SPDX-License-Identifier: GPL-2.0-or-later
/* --per-event-dump: a separate file for the text of each event. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "builtin/script/internal.h"

/* Returns "perf.data.cycles.dump"; an event's name can contain slashes. The caller frees it. */
static char *path_of(struct script *s, const struct event_view *v)
{
	struct data_reader *data = session_data(s->session);
	char *path = xasprintf("%s.%s.dump", data_is_pipe(data) ? "perf.data" : data_path(data),
			       v->event->name);
	size_t from = strlen(path) - strlen(v->event->name) - strlen(".dump");

	for (char *c = path + from; *c; c++)
		if (*c == '/')
			*c = '_';
	return path;
}

int script_files_open(struct script *s, struct reason *r)
{
	vec_for_each(&s->views, v) {
		int err;

		v->path = path_of(s, v);
		v->dump = xcalloc(1, sizeof(*v->dump));
		err = replace_begin(v->dump, v->path, 0666, REPLACE_ANY, r);
		if (err)
			return err;
		v->file = xcalloc(1, sizeof(*v->file));
		out_init(v->file, v->dump->fd);
	}
	return 0;
}

/* Closes one file. Returns 0, or -errno of the first write that failed. */
static int close_one(struct event_view *v, struct out *summary, struct reason *r)
{
	struct stat st = { 0 };
	int err;

	out_flush(v->file);
	fstat(v->file->fd, &st);
	err = out_release(v->file);
	free(v->file);
	v->file = NULL;
	if (err)
		reason_errno(r, -err, "cannot write '%s'", v->path);
	else
		err = replace_end(v->dump, r);
	if (err)
		return err;
	strbuf_f(out_buf(summary), "[ perf script: Wrote %.3f MB %s (%" PRIu64 " samples) ]\n",
		 (double)st.st_size / 1024.0 / 1024.0, v->path, v->samples);
	out_done(summary);
	return 0;
}

void script_file_drop(struct event_view *v)
{
	if (v->dump)
		replace_drop(v->dump);
	free(v->dump);
	v->dump = NULL;
}

int script_files_close(struct script *s, struct out *summary, struct reason *r)
{
	int err = 0;

	vec_for_each(&s->views, v)
		if (v->file) {
			int one = close_one(v, summary, err ? NULL : r);

			err = err ? err : one;
		}
	return err;
}
