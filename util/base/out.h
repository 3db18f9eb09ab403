/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffered output to a descriptor: text is built in place, in large writes.
 *
 * The first write error is kept (out_error) and later output dropped; perf.c
 * turns it into the exit code.  EPIPE ends quietly, as for other filters.
 * Use: struct strbuf *b = out_buf(o); strbuf_...(b, ...); out_done(o).
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <signal.h>
#include <sys/types.h>

#include "base/strbuf.h"

struct out {
	int fd;
	int err;      /* positive errno of the first failed write */
	size_t limit; /* write when the buffer is larger than this, bytes */
	struct strbuf buf;
};

void out_init(struct out *o, int fd);
static inline struct strbuf *out_buf(struct out *o)
{
	return &o->buf;
}
void out_flush(struct out *o);
/* Ends a line or block: writes if enough has gathered. */
static inline void out_done(struct out *o)
{
	if (unlikely(o->buf.len >= o->limit))
		out_flush(o);
}
/* Adds a complete text. A large one is written from where it is. */
void out_block(struct out *o, struct strbuf *text);
void out_f(struct out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
void out_str(struct out *o, const char *s);
/* Flushes and frees; returns 0 or -errno of the first failed write. */
int out_release(struct out *o);

/*
 * Writes all of it, over EINTR and short writes: 0 or -errno.
 *
 * A command that catches signals names the variable that its handler sets, here and once.  When
 * it is set while a pipe, a socket or a terminal takes nothing, its reader has five seconds to
 * read on; then writing fails with EPIPE, as if the reader had gone, so that one signal ends perf.
 */
void write_ends_by(const volatile sig_atomic_t *asked);
int write_all(int fd, const void *p, size_t n);
/* Writes all bytes. *done is how many were written, also on failure. */
int write_all_count(int fd, const void *p, size_t n, size_t *done);
/* Reads until n bytes or end of file: bytes read, or -errno. */
ssize_t read_all(int fd, void *p, size_t n);

#endif
