// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing perf.data in place.
 *
 *	header | ids of all events | attrs | records ... | feature table | features
 *
 * The header is written first with data.size 0 and without feature bits; each flush corrects
 * data.size, data_finish() adds the features and then their bits. A write that fails leaves the
 * whole records before it. A file that would replace an older recording has no name, or a temporary
 * one, until data_begun().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/replace.h"
#include "base/text.h"
#include "data/order.h"
#include "data/writer_internal.h"

enum { RESERVE_BYTES = 128 << 10 };

static int open_output(struct data_writer *w, struct reason *r)
{
	const char *name = w->at == AT_FDCWD ? w->path : path_base(w->path);
	struct stat st;
	int err = 0;

	w->made |= fstatat(w->at, name, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
	/* replace-ok: data_may_create() came first */
	w->fd = openat(w->at, name, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0) {
		err = reason_errno(r, errno, "cannot create '%s'", w->path);
		reason_hint(r, "name a file that you may write with -o");
	} else if (!fstat(w->fd, &st) && S_ISFIFO(st.st_mode)) {
		close(w->fd);
		err = reason_set(r, ESPIPE,
				 "'%s' is a pipe, and a file with a header cannot be written to "
				 "one",
				 w->path);
		reason_hint(r, "-o - >'%s' writes the form for pipes", w->path);
	}
	return err;
}

static struct data_writer *writer_new(struct context *ctx, char *path)
{
	struct data_writer *w = xcalloc(1, sizeof(*w));

	w->ctx = ctx;
	w->path = path;
	w->fd = STDOUT_FILENO;
	w->reserve_fd = w->directory_fd = -1;
	w->at = AT_FDCWD;
	w->whole = (struct temporary)TEMPORARY_INIT;
	w->whole_directory = (struct temporary_directory)TEMPORARY_DIRECTORY_INIT;
	return w;
}

static void writer_free(struct data_writer *w)
{
	if (w->final && w->whole.dir >= 0)
		close(w->whole.dir);
	temporary_directory_end(&w->whole_directory);
	if (w->directory_fd >= 0)
		close(w->directory_fd);
	free(w->final);
	free(w->path);
	free(w);
}

static int create_whole(struct data_writer *w, struct reason *r)
{
	const char *base = path_base(w->path);
	char *dir = xasprintf("%.*s.", (int)(base - w->path), w->path);
	int err;

	w->final = xstrdup(w->path);
	w->whole.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = w->whole.dir < 0 ? -errno : temporary_open(&w->whole, w->whole.dir, base, 0600);
	w->fd = w->whole.fd;
	free(dir);
	if (err) {
		reason_errno(r, -err, "cannot create '%s'", w->path);
		reason_hint(r, "name a file that you may write with -o");
	}
	return err;
}

static int create(struct context *ctx, char *path, bool whole, struct data_writer **out,
		  struct reason *r)
{
	struct data_writer *w = writer_new(ctx, path);
	int err = 0;

	w->pipe = !strcmp(path, "-");
	if (!w->pipe)
		err = whole ? create_whole(w, r) : open_output(w, r);
	if (err)
		writer_free(w);
	else
		*out = w;
	return err;
}

static bool is_stream(const char *path)
{
	return !strcmp(path, "-") || replace_is_stream(path);
}

int data_create(struct context *ctx, const char *path, bool keep_old, struct data_writer **out,
		struct reason *r)
{
	bool keep = false;
	int err = keep_old && !is_stream(path) ? data_may_create(path, &keep, r) : 0;
	char *place = err ? NULL : strcmp(path, "-") ? data_place(path, r) : xstrdup(path);

	return place ? create(ctx, place, keep, out, r) : err ? err : -EACCES;
}

int data_create_whole(struct context *ctx, const char *path, struct data_writer **out,
		      struct reason *r)
{
	int err = is_stream(path) ? 0 : data_may_create(path, NULL, r);
	char *place = err ? NULL : is_stream(path) ? xstrdup(path) : data_place(path, r);

	return place ? create(ctx, place, !is_stream(path), out, r) : err ? err : -EACCES;
}

/* Gives the complete recording its name. A failure before this leaves the existing file. */
static int place_file(struct data_writer *w, struct reason *r)
{
	const char *name = path_base(w->final);
	int err;

	/* an empty file is not worth keeping, and its name stays */
	err = data_is_type(w->whole.dir, name, S_IFREG) ? temporary_place(&w->whole, name)
							: temporary_place_new(&w->whole, name);
	if (err)
		return reason_errno(r, -err, "cannot create '%s'", w->path);
	close(w->whole.dir);
	w->whole = (struct temporary)TEMPORARY_INIT;
	return 0;
}

static int place_directory(struct data_writer *w, struct reason *r)
{
	int err = temporary_directory_place(&w->whole_directory, w->final);

	return err ? reason_errno(r, -err, "cannot create the directory '%s'", w->final) : 0;
}

int data_make_way(struct data_writer *w, struct reason *r)
{
	int err = 0;

	if (!w->final || w->made_way)
		return 0;
	err = writer_wait_behind(w, r);
	if (!err)
		err = data_keep_old(w->final, &w->way, r);
	w->made_way = !err;
	return err;
}

int data_begun(struct data_writer *w, struct reason *r)
{
	int err = data_make_way(w, r);

	/* a file takes the place of a file by itself */
	if (!err && w->way == DATA_WAY_EXCHANGED &&
	    (w->directory || data_is_type(AT_FDCWD, w->final, S_IFDIR)))
		err = data_remove(w->final, r);
	if (!err && w->final)
		err = w->directory ? place_directory(w, r) : place_file(w, r);
	if (err)
		return err;
	w->made = false;
	w->way = DATA_WAY_NONE;
	free(w->final);
	w->final = NULL;
	return 0;
}

/*
 * Takes an empty directory that only this process writes to. Returns 1, 0 to try again, or -errno.
 */
static int take_directory(const char *path, int *fd, struct reason *r)
{
	struct stat opened, named;
	int err;

	/* an empty file of that name is not worth keeping */
	if (mkdir(path, 0700) &&
	    (errno != EEXIST || (data_is_type(AT_FDCWD, path, S_IFREG) && unlink(path))))
		return -errno;
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (*fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = data_lock_directory(*fd, path, r);
	if (!err && !fstat(*fd, &opened) && !lstat(path, &named) && opened.st_ino == named.st_ino &&
	    opened.st_dev == named.st_dev && data_is_empty_directory(*fd, "."))
		return 1;
	close(*fd);
	return err;
}

/* Makes a directory, where at most an empty file or directory is now. */
static int make_directory(struct data_writer *w, const char *path, struct reason *r)
{
	int got = 0;

	for (int tries = 0; !got && tries < 100; tries++)
		got = take_directory(path, &w->directory_fd, r);
	w->at = w->directory_fd;
	if (got == -EBUSY || got > 0)
		return MIN(got, 0);
	got = reason_errno(r, got ? -got : EEXIST, "cannot create the directory '%s'", path);
	reason_hint(r, "name another one with -o");
	return got;
}

static int make_whole_directory(struct data_writer *w, const char *path, struct reason *r)
{
	int err = temporary_directory(&w->whole_directory, path, 0700);

	if (err)
		return reason_errno(r, -err, "cannot create a directory beside '%s'", path);
	w->final = xstrdup(path);
	w->at = w->whole_directory.fd;
	return 0;
}

int data_create_directory(struct context *ctx, const char *path, bool keep_old,
			  struct data_writer **out, struct reason *r)
{
	bool keep = false;
	int err = keep_old ? data_may_create(path, &keep, r) : 0;
	char *place = err ? NULL : data_place(path, r);
	struct data_writer *w;

	if (!place)
		return err ? err : -EACCES;
	w = writer_new(ctx, xasprintf("%s/data", place));
	w->directory = true;
	err = keep ? make_whole_directory(w, place, r) : make_directory(w, place, r);
	free(place);
	if (!err)
		err = open_output(w, r);
	if (err) {
		writer_free(w);
		return err;
	}
	*out = w;
	return 0;
}

char *data_directory(const struct data_writer *w)
{
	if (w->whole_directory.path)
		return xstrdup(w->whole_directory.path);
	return xstrndup(w->path, (size_t)(path_base(w->path) - w->path) - 1);
}

int data_part(struct data_writer *w, struct data_writer **part, struct reason *r)
{
	const u64 version = 1;
	struct data_writer *p = writer_new(w->ctx, xasprintf("%s.%zu", w->path, w->parts.count));
	int err;

	p->part = true;
	p->at = w->at;
	err = open_output(p, r);
	if (!err && w->level)
		err = data_compress(p, w->level, r);
	if (err) {
		writer_free(p);
		return err;
	}
	data_feature_set(w, FEATURE_DIR_FORMAT, &version, sizeof(version));
	vec_push(&w->parts, p);
	*part = p;
	return 0;
}

/*
 * Reserves room on the disk for the end of the file, so a recording that filled the disk can still
 * be closed well. File systems that cannot do this go without.
 */
static void reserve_room(struct data_writer *w)
{
	int base = w->at == AT_FDCWD ? (int)(path_base(w->path) - w->path) : 0;
	char *dir = xasprintf("%.*s.", base, w->path);
	u64 bytes = RESERVE_BYTES;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		bytes += w->features[i].len;
	w->reserve_fd = openat(w->at, dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (w->reserve_fd >= 0 && fallocate(w->reserve_fd, 0, 0, (off_t)bytes)) {
		close(w->reserve_fd);
		w->reserve_fd = -1;
	}
	free(dir);
}

static void give_back_room(struct data_writer *w)
{
	if (w->reserve_fd >= 0)
		close(w->reserve_fd);
	w->reserve_fd = -1;
}

int data_write_header(struct data_writer *w, const struct event_set *set, struct reason *r)
{
	int err;

	if (w->compressor)
		writer_set_compressed(w);
	err = w->pipe ? writer_write_stream_header(w, set, r) : writer_write_file_header(w, set, r);

	w->header_written = !err;
	if (!err && !w->pipe)
		reserve_room(w);
	if (w->behind)
		behind_begin(w->behind, w->pipe ? 0 : DATA_SIZE_AT);
	return err;
}

int data_settle(struct data_writer *w, struct reason *r)
{
	int err = data_flush(w, r);

	vec_for_each(&w->parts, p)
		if (!err)
			err = data_settle(*p, r);
	if (err)
		return err;
	err = writer_end_behind(w, r);
	/* the header now states what the thread has written */
	return err ? err : data_flush(w, r);
}

static int finish_file(struct data_writer *w, struct reason *r)
{
	struct strbuf b = STRBUF_INIT, head = STRBUF_INIT;
	u64 bits[4] = { 0 };
	int err = data_settle(w, r);

	if (err || !w->header_written)
		return err;
	if (w->compressor)
		writer_set_compressed(w);
	writer_set_aux_places(w);
	writer_order_features(w);
	writer_build_features(w, &b, bits);
	err = writer_write_buffer(w, &b, r);
	writer_file_header(w, &head, bits);
	if (!err && pwrite(w->fd, head.s, head.len, 0) != (ssize_t)head.len)
		err = writer_failed(w, errno, r);
	strbuf_release(&b);
	strbuf_release(&head);
	return err;
}

/* Sends the build IDs as records of a stream's header, which are never compressed. */
int data_send_build_ids(struct data_writer *w, struct reason *r)
{
	struct strbuf *f = &w->features[FEATURE_BUILD_ID];
	u32 type = PERF_RECORD_HEADER_BUILD_ID;
	int err;

	if (!w->pipe || !f->len)
		return 0;
	for (size_t at = 0; at + 8 <= f->len; at += load_u16(f->s + at + 6, false))
		memcpy(f->s + at, &type, sizeof(type));
	if (w->swap)
		order_build_ids(f->s, f->len);
	err = writer_write_records(w, f->s, f->len, NULL, 0, r);
	strbuf_clear(f);
	return err;
}

/* Finishes a stream. A recorder knows its build IDs only at the end. */
static int finish_stream(struct data_writer *w, struct reason *r)
{
	int err = data_settle(w, r);

	return err ? err : data_send_build_ids(w, r);
}

/*
 * Closes a file that was not put in place. Its descriptor of the directory belongs to the writer,
 * which closes it.
 */
static void drop_unplaced(struct data_writer *w)
{
	int dir = w->whole.dir;

	w->whole.fd = -1;
	temporary_close(&w->whole);
	w->whole.dir = dir;
}

static int close_writer(struct data_writer *w, struct reason *r)
{
	int err = writer_end_behind(w, r);

	vec_for_each(&w->parts, p)
		if (close_writer(*p, err ? NULL : r) && !err)
			err = -EIO;
	give_back_room(w);
	vec_release(&w->parts);
	vec_release(&w->aux);
	if (w->way)
		data_give_back_old(w->final, w->way);
	if (w->final && !w->directory)
		drop_unplaced(w);
	if (!w->pipe && close(w->fd) && !w->err && !err)
		err = writer_failed(w, errno, r);
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		strbuf_release(&w->features[i]);
	compressor_free(w->compressor);
	strbuf_release(&w->packed);
	writer_free(w);
	return err;
}

int data_finish(struct data_writer *w, struct reason *r)
{
	int err = 0, full, closed;

	/* a failure of the thread that writes is noticed here at the latest */
	if (w->behind && !w->err)
		data_settle(w, NULL);
	if (w->behind)
		writer_end_behind(w, NULL);
	full = w->err;
	if (full)
		err = reason_errno(r, full, "cannot write '%s'", w->path);
	/* the reserved room suffices for the rest */
	if (w->reserve_fd >= 0 && (full == ENOSPC || full == EDQUOT))
		w->err = 0;
	give_back_room(w);
	if (w->pipe && !full)
		err = finish_stream(w, r);
	else if (!w->pipe)
		closed = finish_file(w, full ? NULL : r), err = err ? err : closed;
	if (!err)
		err = data_begun(w, r);
	closed = close_writer(w, err ? NULL : r);
	return err ? err : closed;
}

void data_abandon(struct data_writer *w)
{
	close_writer(w, NULL);
}
