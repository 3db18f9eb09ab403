// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that comes through a pipe: its parts are in an order that needs seeking, so all of it goes
 * into a file without a name first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "data/internal.h"

enum { PIECE = 1 << 16 };

/* Opens a file without a name in TMPDIR or /tmp, or in memory where those cannot have one. */
static int nameless_file(struct reason *r)
{
	const char *tmp = getenv("TMPDIR");
	int fd = open(tmp && *tmp ? tmp : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	return fd < 0 ? reason_errno(r, errno, "cannot make a temporary file for standard input")
		      : fd;
}

static int copy(struct data_reader *d, int from, int to, u64 *size, struct reason *r)
{
	u8 *piece = xcalloc(1, PIECE);
	ssize_t got;
	int err = 0;

	while (!err && (got = read_all(from, piece, PIECE)) > 0) {
		err = write_all(to, piece, (size_t)got);
		if (err)
			reason_errno(r, -err, "cannot keep standard input in a temporary file");
		if (context_cancelled(d->ctx))
			err = reason_set(r, EINTR, "interrupted");
		*size += (u64)got;
	}
	if (!err && got < 0)
		err = reason_errno(r, (int)-got, "cannot read standard input");
	free(piece);
	return err;
}

int spool(struct data_reader *d, const void *head, size_t head_size, struct reason *r)
{
	struct data_file *f = &d->files.items[0];
	u64 size = head_size;
	int fd = nameless_file(r), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, head, head_size);
	if (err)
		reason_errno(r, -err, "cannot keep standard input in a temporary file");
	else
		err = copy(d, f->fd, fd, &size, r);
	if (err) {
		close(fd);
		return err;
	}
	close(f->fd);
	f->fd = fd;
	f->size = f->end = size;
	d->seekable = true;
	return 0;
}
