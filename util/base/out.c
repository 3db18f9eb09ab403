// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int write_all(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t w = write(fd, at, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		at += w;
		n -= (size_t)w;
	}
	return 0;
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

void out_init(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .limit = 256 * 1024 };
}

void out_flush(struct out *o)
{
	if (o->buf.len && !o->err)
		o->err = -write_all(o->fd, o->buf.s, o->buf.len);
	strbuf_clear(&o->buf);
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
