// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/self_profile.h"
#include "base/types.h"

/* What a handler sets when the program is to end; NULL: signals are not caught. */
static const volatile sig_atomic_t *end_asked;

void write_ends_by(const volatile sig_atomic_t *asked)
{
	end_asked = asked;
}

/* After a signal a reader gets this long for each piece: one that still reads gets everything. */
enum { GRACE_MS = 5000, LOOK_MS = 200 };

/*
 * Waits for the reader. Returns -EPIPE if the program should end and nobody reads. Signals that
 * come before poll() are seen in time.
 */
static int wait_for_reader(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	for (int waited = 0; waited < GRACE_MS; waited += *end_asked ? LOOK_MS : 0)
		if (poll(&p, 1, LOOK_MS) > 0)
			return 0;
	return -EPIPE;
}

/* Writes what fits now. Returns the number of bytes, or -1 with errno; EAGAIN means to wait. */
static ssize_t write_some(int fd, const char *at, size_t n)
{
	struct iovec v = { (char *)at, n };
	ssize_t w = pwritev2(fd, &v, 1, -1, RWF_NOWAIT);
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (w >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL))
		return w;
	/*
	 * terminals, and pipes of older kernels: a piece of that size never blocks a pipe that is
	 * ready
	 */
	if (poll(&p, 1, 0) > 0)
		return write(fd, at, MIN(n, (size_t)PIPE_BUF));
	errno = EAGAIN;
	return -1;
}

static bool may_block_for_ever(int fd)
{
	struct stat st;

	return end_asked && !fstat(fd, &st) && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode);
}

int write_all_count(int fd, const void *p, size_t n, size_t *done)
{
	bool patient = n && may_block_for_ever(fd);
	int err = 0;

	*done = 0;
	while (*done < n && !err) {
		const char *at = (const char *)p + *done;
		ssize_t w = patient ? write_some(fd, at, n - *done) : write(fd, at, n - *done);

		if (w >= 0)
			*done += (size_t)w;
		else if (patient && errno == EAGAIN)
			err = wait_for_reader(fd);
		else if (errno != EINTR)
			err = -errno;
	}
	return err;
}

int write_all(int fd, const void *p, size_t n)
{
	size_t done;

	return write_all_count(fd, p, n, &done);
}

ssize_t read_all(int fd, void *p, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = read(fd, (char *)p + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

static bool codes_allowed;

void out_allow_codes(void)
{
	codes_allowed = true;
}

int out_text(int fd, const char *text, size_t len)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	strbuf_add(&b, text, len);
	strbuf_guard(&b, codes_allowed);
	err = write_all(fd, b.s, b.len);
	strbuf_release(&b);
	return err;
}

void out_init(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .limit = 256 * 1024 };
}

void out_flush(struct out *o)
{
	if (o->buf.len && !o->err) {
		phase_begin("write output");
		strbuf_guard(&o->buf, codes_allowed);
		o->err = -write_all(o->fd, o->buf.s, o->buf.len);
		phase_end_bytes(o->buf.len);
	}
	strbuf_clear(&o->buf);
}

void out_block(struct out *o, struct strbuf *text)
{
	struct strbuf gathered;

	if (text->len < o->limit / 8) {
		strbuf_add(&o->buf, text->s, text->len);
		out_done(o);
		return;
	}
	out_flush(o);
	gathered = o->buf;
	o->buf = *text;
	out_flush(o);
	*text = o->buf;
	o->buf = gathered;
}

void out_f(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&o->buf, fmt, ap);
	va_end(ap);
	out_done(o);
}

void out_str(struct out *o, const char *s)
{
	strbuf_str(&o->buf, s);
	out_done(o);
}

int out_release(struct out *o)
{
	out_flush(o);
	strbuf_release(&o->buf);
	return -o->err;
}
