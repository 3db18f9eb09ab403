// SPDX-License-Identifier: GPL-2.0-or-later
/* --per-event-dump: the text of each event in a file of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "script/internal.h"

/* "perf.data.cycles.dump"; an event's name can hold slashes. */
static char *path_of(struct script *s, const struct event_view *v)
{
	struct data_reader *data = session_data(s->session);
	char *path = xasprintf("%s.%s.dump", data_is_pipe(data) ? "perf.data" : data_path(data), v->event->name);
	size_t from = strlen(path) - strlen(v->event->name) - strlen(".dump");

	for (char *c = path + from; *c; c++)
		if (*c == '/')
			*c = '_';
	return path;
}

int script_files_open(struct script *s, struct reason *r)
{
	vec_for_each(&s->views, v) {
		int fd;

		v->path = path_of(s, v);
		fd = open(v->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return reason_errno(r, errno, "cannot write '%s'", v->path);
		v->file = xcalloc(1, sizeof(*v->file));
		out_init(v->file, fd);
	}
	return 0;
}

/* 0, or the first write that failed. */
static int close_one(struct event_view *v, struct out *summary, struct reason *r)
{
	int fd = v->file->fd, err;
	struct stat st = { 0 };

	out_flush(v->file);
	fstat(fd, &st);
	err = out_release(v->file);
	free(v->file);
	v->file = NULL;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		return reason_errno(r, -err, "cannot write '%s'", v->path);
	strbuf_f(out_buf(summary), "[ perf script: Wrote %.3f MB %s (%" PRIu64 " samples) ]\n",
		 (double)st.st_size / 1024.0 / 1024.0, v->path, v->samples);
	out_done(summary);
	return 0;
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
