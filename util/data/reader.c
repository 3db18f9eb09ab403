// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening and closing a recording: which files it has, and which users own them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/self_profile.h"
#include "base/text.h"
#include "base/trace.h"
#include "data/internal.h"
#include "tracepoint/tracepoint.h"

static int check_owner(const struct data_reader *d, const struct stat *st, struct reason *r)
{
	if (d->force || !st->st_uid || st->st_uid == geteuid())
		return 0;
	reason_set(r, EPERM, "file '%s' is not owned by the current user or root", d->path);
	reason_hint(r, "use -f to read it all the same");
	return -EPERM;
}

static struct data_file *add_file(struct data_reader *d, char *path, int fd, u64 size)
{
	struct data_file *f = vec_push_zero(&d->files);

	f->path = path;
	f->fd = fd;
	f->size = f->end = size;
	return f;
}

static int add_path(struct data_reader *d, const char *path, bool part, struct reason *r)
{
	struct stat st;
	/* a part of a directory is a regular file, but a file that the user named may be a pipe */
	int fd = part ? file_open(path, r) : open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0) {
		err = part ? fd : reason_errno(r, errno, "cannot open '%s'", path);
		if (err == -ENOENT)
			reason_hint(r, "make it with '%s', or name another file with -i",
				    d->ctx->recorder ? d->ctx->recorder : "perf record");
		else if (err == -EACCES)
			reason_hint(r,
				    "recordings are private to the user who made them: read it as "
				    "its owner or root, or make it readable and use -f");
		return err;
	}
	if (fstat(fd, &st))
		err = reason_errno(r, errno, "cannot look at '%s'", path);
	else
		err = check_owner(d, &st, r);
	if (!err && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		err = reason_set(r, EINVAL, "'%s' is not a file", path);
	if (err) {
		close(fd);
		return err;
	}
	d->seekable = S_ISREG(st.st_mode);
	if (!d->files.count)
		d->file_time = st.st_mtime;
	add_file(d, xstrdup(path), fd, d->seekable ? (u64)st.st_size : UINT64_MAX);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Adds data.0, data.1 and so on of a directory: raw records from their first byte on. */
static int add_directory_parts(struct data_reader *d, struct reason *r)
{
	VEC(u64) numbers = VEC_INIT;
	DIR *dir = opendir(d->path);
	int err = 0;

	if (!dir)
		return reason_errno(r, errno, "cannot open directory '%s'", d->path);
	for (struct dirent *e; (e = readdir(dir));) {
		u64 n;

		if (str_starts(e->d_name, "data.") && !parse_u64(e->d_name + 5, &n))
			vec_push(&numbers, n);
	}
	closedir(dir);
	vec_sort(&numbers, by_number);
	vec_for_each(&numbers, n) {
		char *path = xasprintf("%s/data.%" PRIu64, d->path, *n);

		err = err ? err : add_path(d, path, true, r);
		free(path);
	}
	vec_release(&numbers);
	return err;
}

static int open_files(struct data_reader *d, struct reason *r)
{
	struct stat st;
	char *path;
	int err;

	if (!strcmp(d->path, "-")) {
		struct data_file *f = add_file(d, xstrdup("-"), dup(STDIN_FILENO), UINT64_MAX);

		if (f->fd < 0)
			return reason_errno(r, errno, "cannot read standard input");
		if (!fstat(f->fd, &st) && S_ISREG(st.st_mode) && lseek(f->fd, 0, SEEK_CUR) == 0) {
			f->size = f->end = (u64)st.st_size;
			d->seekable = true;
		}
		return 0;
	}
	if (stat(d->path, &st) || !S_ISDIR(st.st_mode))
		return add_path(d, d->path, false, r);
	path = xasprintf("%s/data", d->path);
	err = add_path(d, path, true, r);
	free(path);
	return err ? err : add_directory_parts(d, r);
}

static const char *default_path(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

int data_open(struct context *ctx, const char *path, bool force, struct data_reader **out,
	      struct reason *r)
{
	struct data_reader *d = xcalloc(1, sizeof(*d));
	int err;

	d->ctx = ctx;
	d->path = xstrdup(path ? path : default_path());
	d->force = force;
	event_set_init(&d->events);
	buffer_pool_init(&d->pool);
	phase_begin("open and read the header");
	err = open_files(d, r);
	if (!err)
		err = header_read(d, r);
	if (!err) {
		walk_reset(d);
		err = d->is_pipe ? pipe_read_ahead(d, r) : 0;
	}
	phase_end();
	if (err) {
		data_close(d);
		return err;
	}
	TRACE(data, "opened '%s': %s, %zu files, %s byte order, %zu events", d->path,
	      d->is_pipe ? "a stream's format" : "a file's format", d->files.count,
	      d->swap ? "the other" : "this machine's", d->events.list.count);
	*out = d;
	return 0;
}

void data_close(struct data_reader *d)
{
	if (!d)
		return;
	while (d->ahead_given < d->ahead.count)
		data_chunk_release(&d->ahead.items[d->ahead_given++]);
	vec_release(&d->ahead);
	inflate_reset(d);
	if (d->walk.pending)
		buffer_put(d->walk.pending);
	vec_for_each(&d->files, f) {
		if (f->fd >= 0)
			close(f->fd);
		free(f->path);
	}
	vec_release(&d->files);
	for (size_t i = 0; i < FEATURE_BITS; i++) {
		free(d->features[i].data);
		free(d->strings[i]);
	}
	free(d->cmdline);
	vec_release(&d->build_ids);
	vec_release(&d->blocks);
	arena_release(&d->names);
	event_set_release(&d->events);
	tracepoint_formats_free(d->tracepoints);
	buffer_pool_release(&d->pool);
	free(d->path);
	free(d);
}

/* Reports whether the path is a file in the directory, which is a recording. */
static bool is_part(const struct stat *directory, const char *path)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
	struct stat parent;
	bool found = false;

	if (slash) {
		slash[slash == real] = '\0';
		found = !stat(real, &parent) && parent.st_dev == directory->st_dev &&
			parent.st_ino == directory->st_ino;
	}
	free(real);
	return found;
}

int data_refuse_same(const char *input, const char *output, struct reason *r)
{
	struct stat x, y;
	bool same;

	if (!strcmp(output, "-") ||
	    (strcmp(input, "-") ? stat(input, &x) : fstat(STDIN_FILENO, &x)) || stat(output, &y))
		return 0;
	same = x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	if (S_ISDIR(x.st_mode) ? !same && !is_part(&x, output) : !S_ISREG(x.st_mode) || !same)
		return 0;
	reason_set(r, EINVAL, "'%s' cannot be read and written at once",
		   strcmp(input, "-") ? input : output);
	reason_hint(r, "write another file: %s.new", output);
	return -EINVAL;
}

const char *data_path(const struct data_reader *d)
{
	return d->path;
}

char *data_kernel_file(const struct data_reader *d, const char *name)
{
	char *path = xasprintf("%s/kcore_dir/%s", d->path, name);

	if (!file_access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

bool data_is_pipe(const struct data_reader *d)
{
	return d->is_pipe;
}

bool data_is_swapped(const struct data_reader *d)
{
	return d->swap;
}

u64 data_size(const struct data_reader *d)
{
	u64 sum = 0;

	if (!d->seekable)
		return 0;
	vec_for_each(&d->files, f)
		sum += f->end - f->begin;
	return sum;
}

struct event_set *data_events(struct data_reader *d)
{
	return &d->events;
}
