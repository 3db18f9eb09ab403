// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing by a separate thread, so the thread that empties rings does not wait for a disk: the data
 * is copied, and written in the order in which it came. After each piece the thread brings
 * data.size in the file's header up to date.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "data/behind.h"
#include "data/internal.h"

struct piece {
	struct strbuf bytes;
	bool records; /* data.size grows by it */
};

struct behind {
	int fd;
	u64 size_at; /* offset of data.size; 0 without one */
	u64 size;    /* the size of all records that were written */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	struct piece *ring; /* count pieces from first on wait or are written */
	size_t space, first, count;
	bool ending;
	int err;
};

u64 whole_records(const u8 *a, size_t an, const u8 *b, u64 limit)
{
	u64 at = 0;

	while (limit - at >= sizeof(struct record_header)) {
		u8 head[sizeof(struct record_header)];
		u16 size;

		for (size_t i = 0; i < sizeof(head); i++)
			head[i] = at + i < an ? a[at + i] : b[at + i - an];
		size = load_u16(head + 6, false);
		if (size < sizeof(head) || size > limit - at)
			break;
		at += size;
	}
	return at;
}

static int write_piece(struct behind *b, const struct piece *p)
{
	size_t done;
	int err = -write_all_count(b->fd, p->bytes.s, p->bytes.len, &done);

	if (!p->records)
		return err;
	/* where a piece was written only in part, its whole records count */
	b->size += err ? whole_records((const u8 *)p->bytes.s, done, NULL, done) : done;
	if (b->size_at && pwrite(b->fd, &b->size, sizeof(b->size), (off_t)b->size_at) < 0 && !err)
		err = errno;
	return err;
}

static void *run(void *arg)
{
	struct behind *b = arg;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		struct piece *p = &b->ring[b->first];
		int err = b->err;

		if (!b->count && b->ending)
			break;
		if (!b->count) {
			pthread_cond_wait(&b->changed, &b->lock);
			continue;
		}
		pthread_mutex_unlock(&b->lock);
		if (!err) /* after a failure the rest would be at the wrong place */
			err = write_piece(b, p);
		pthread_mutex_lock(&b->lock);
		b->err = err;
		b->first = (b->first + 1) % b->space;
		b->count--;
		pthread_cond_broadcast(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

int behind_new(int fd, unsigned buffers, struct behind **out, struct reason *r)
{
	struct behind *b = xcalloc(1, sizeof(*b));
	int err;

	b->fd = fd;
	b->space = buffers;
	b->ring = xcalloc(buffers, sizeof(*b->ring));
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	err = pthread_create(&b->thread, NULL, run, b);
	if (err) {
		free(b->ring);
		free(b);
		return reason_errno(r, err, "cannot start a thread");
	}
	*out = b;
	return 0;
}

void behind_begin(struct behind *b, u64 size_at)
{
	b->size_at = size_at;
}

int behind_write(struct behind *b, const struct iovec *v, int n, bool records)
{
	struct piece *p;
	int err;

	pthread_mutex_lock(&b->lock);
	while (b->count == b->space)
		pthread_cond_wait(&b->changed, &b->lock);
	p = &b->ring[(b->first + b->count) % b->space];
	err = b->err;
	pthread_mutex_unlock(&b->lock);
	strbuf_clear(&p->bytes);
	for (int i = 0; i < n; i++)
		strbuf_add(&p->bytes, v[i].iov_base, v[i].iov_len);
	p->records = records;
	pthread_mutex_lock(&b->lock);
	b->count++;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	return -err;
}

int behind_drain(struct behind *b, u64 *written)
{
	int err;

	pthread_mutex_lock(&b->lock);
	while (b->count)
		pthread_cond_wait(&b->changed, &b->lock);
	err = b->err;
	*written = b->size;
	pthread_mutex_unlock(&b->lock);
	return -err;
}

void behind_free(struct behind *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->ending = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	for (size_t i = 0; i < b->space; i++)
		strbuf_release(&b->ring[i].bytes);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b->ring);
	free(b);
}
