// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "feed/internal.h"

static int open_spill(struct spill *s, struct reason *r)
{
	const char *dir = getenv("TMPDIR");
	char *name;

	if (s->fd >= 0)
		return 0;
	name = xasprintf("%s/perf-feed-XXXXXX", dir && *dir ? dir : "/tmp");
	s->fd = mkostemp(name, O_CLOEXEC); /* replace-ok: without a name from here on */
	if (s->fd < 0) {
		reason_errno(r, errno, "cannot put samples aside in '%s'", name);
		reason_hint(r, "TMPDIR names another directory");
	} else {
		unlink(name);
	}
	free(name);
	return s->fd < 0 ? -EIO : 0;
}

/*
 * Fills parts with the two pieces of a ring without their first `done` bytes. Returns the number of
 * parts.
 */
static int parts_from(const struct ring_data *d, size_t done, struct iovec parts[2])
{
	int count = 0;

	if (done < d->first_size)
		parts[count++] = (struct iovec){ (void *)(uintptr_t)(d->first + done),
						 d->first_size - done };
	done = done < d->first_size ? 0 : done - d->first_size;
	if (done < d->second_size)
		parts[count++] = (struct iovec){ (void *)(uintptr_t)(d->second + done),
						 d->second_size - done };
	return count;
}

int spill_write(struct spill *s, const struct ring_data *d, u64 *at, struct reason *r)
{
	size_t size = d->first_size + d->second_size;
	int err = open_spill(s, r);

	for (size_t done = 0; !err && done < size;) {
		struct iovec parts[2];
		ssize_t n =
			pwritev(s->fd, parts, parts_from(d, done, parts), (off_t)(s->end + done));

		if (n < 0 && errno != EINTR)
			err = reason_errno(r, errno, "cannot put samples aside on disk");
		done += n > 0 ? (size_t)n : 0;
	}
	if (err)
		return err;
	*at = s->end;
	s->end += size;
	__atomic_fetch_add(&s->written, size, __ATOMIC_RELAXED);
	return 0;
}

int spill_read(struct spill *s, u8 *bytes, size_t size, u64 at, struct reason *r)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(s->fd, bytes + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return reason_errno(r, n ? errno : EIO,
					    "cannot read records back from disk");
		done += (size_t)n;
	}
	/* what was read is not needed again; a file system that cannot free it keeps it */
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size);
	return 0;
}

void spill_release(struct spill *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
