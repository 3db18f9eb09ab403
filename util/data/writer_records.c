// SPDX-License-Identifier: GPL-2.0-or-later
/* The data section of perf.data: records go to the file directly, packed, or by a thread. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/out.h"
#include "data/writer_internal.h"

static bool write_data_size(const struct data_writer *w)
{
	u64 size = load_u64(&w->written, w->swap);

	return pwrite(w->fd, &size, 8, DATA_SIZE_AT) == 8;
}

/* Sets the reason, once; later calls fail with the same error. */
int writer_failed(struct data_writer *w, int err, struct reason *r)
{
	w->err = err;
	reason_errno(r, err, "cannot write '%s'", w->path);
	if (err == ENOSPC || err == EDQUOT || err == EFBIG)
		reason_hint(r, "%smake room, or write to another file system with -o",
			    w->header_written && !w->final ? "what was written so far can be read; "
							   : "");
	return -err;
}

/*
 * Removes the truncated record after the disk took only part of a write, and writes the size, which
 * needs no room. A failure here has the reason that was already reported.
 */
static void save_what_is_there(struct data_writer *w)
{
	off_t end = (off_t)(w->begin + w->written);

	if (ftruncate(w->fd, end) || lseek(w->fd, end, SEEK_SET) != end || w->part)
		return;
	if (write_data_size(w))
		w->flushed = w->written;
}

/*
 * Hands bytes to the writing thread. They count as written; if writing fails, the next call returns
 * the error.
 */
static int give_behind(struct data_writer *w, const struct iovec *v, int n, u64 *done,
		       struct reason *r)
{
	int err = behind_write(w->behind, v, n, w->header_written || w->part);

	if (err)
		return writer_failed(w, -err, r);
	for (int i = 0; i < n; i++)
		*done += v[i].iov_len;
	return 0;
}

int writer_wait_behind(struct data_writer *w, struct reason *r)
{
	u64 whole;
	int err = w->behind ? behind_drain(w->behind, &whole) : 0;

	return err ? writer_failed(w, -err, r) : 0;
}

/* Waits until all is written; what could not be written is cut off. */
int writer_end_behind(struct data_writer *w, struct reason *r)
{
	u64 whole;
	int err;

	if (!w->behind)
		return 0;
	err = behind_drain(w->behind, &whole);
	behind_free(w->behind);
	w->behind = NULL;
	if (!err)
		return 0;
	w->written = whole;
	save_what_is_there(w);
	return w->err ? -w->err : writer_failed(w, -err, r);
}

int data_write_behind(struct data_writer *w, unsigned buffers, struct reason *r)
{
	return behind_new(w->fd, buffers, &w->behind, r);
}

/* Writes to a stream, whose reader may have stopped reading: one signal must still end perf. */
static int write_stream(struct data_writer *w, const struct iovec *v, int n, u64 *done,
			struct reason *r)
{
	for (int i = 0; i < n; i++) {
		size_t wrote;
		int err = write_all_count(w->fd, v[i].iov_base, v[i].iov_len, &wrote);

		*done += wrote;
		if (err)
			return writer_failed(w, -err, r);
	}
	return 0;
}

/* Writes the pieces. *done is how many bytes were written, also on failure. */
static int write_vector(struct data_writer *w, struct iovec *v, int n, u64 *done, struct reason *r)
{
	if (w->err)
		return reason_errno(r, w->err, "cannot write '%s'", w->path);
	if (w->behind)
		return give_behind(w, v, n, done, r);
	if (w->pipe)
		return write_stream(w, v, n, done, r);
	while (n) {
		ssize_t got = writev(w->fd, v, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return writer_failed(w, errno, r);
		*done += (u64)got;
		while (n && (size_t)got >= v->iov_len) {
			got -= (ssize_t)v->iov_len;
			v++, n--;
		}
		if (n) {
			v->iov_base = (u8 *)v->iov_base + got;
			v->iov_len -= (size_t)got;
		}
	}
	return 0;
}

int writer_write_buffer(struct data_writer *w, const struct strbuf *b, struct reason *r)
{
	struct iovec v = { b->s, b->len };
	u64 done = 0;

	return b->len ? write_vector(w, &v, 1, &done, r) : 0;
}

int data_compress(struct data_writer *w, int level, struct reason *r)
{
	w->level = level;
	return compressor_new(level, &w->compressor, r);
}

int writer_write_records(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
			 struct reason *r)
{
	struct iovec v[2] = { { (void *)a, an }, { (void *)b, bn } };
	u64 done = 0;
	bool dead = w->err;
	int err = write_vector(w, an ? v : v + 1, (an ? 1 : 0) + (bn ? 1 : 0), &done, r);

	if (!err) {
		w->written += done;
	} else if (!dead && !w->pipe && !w->behind) {
		w->written += whole_records(a, an, b, done);
		save_what_is_there(w);
	}
	return err;
}

static int write_packed(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
			bool all, struct reason *r)
{
	if (w->err)
		return reason_errno(r, w->err, "cannot write '%s'", w->path);
	strbuf_clear(&w->packed);
	compressor_add(w->compressor, a, an, b, bn, all, &w->packed);
	return w->packed.len ? writer_write_records(w, w->packed.s, w->packed.len, NULL, 0, r) : 0;
}

/* Lets other threads see how much has been written. */
static void show(struct data_writer *w)
{
	u64 waiting = w->compressor ? compressor_waiting(w->compressor) : 0;

	__atomic_store_n(&w->shown_written, w->written + waiting, __ATOMIC_RELAXED);
	__atomic_store_n(&w->shown_taken, w->taken, __ATOMIC_RELAXED);
}

int data_write2(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
		struct reason *r)
{
	int err;

	w->taken += an + bn;
	err = w->compressor ? write_packed(w, a, an, b, bn, false, r)
			    : writer_write_records(w, a, an, b, bn, r);
	show(w);
	return err;
}

int data_write(struct data_writer *w, const void *data, size_t size, struct reason *r)
{
	return data_write2(w, data, size, NULL, 0, r);
}

/* Writes a record and its payload, which is part of data.size but not of the record. */
static int write_with_payload(struct data_writer *w, struct iovec *v, int n, struct reason *r)
{
	/* records that wait to be compressed come before this one */
	int err = w->compressor ? write_packed(w, NULL, 0, NULL, 0, true, r) : 0;
	u64 done = 0, size = v[0].iov_len;
	bool dead = w->err;

	if (!err)
		err = write_vector(w, v, n, &done, r);
	if (err) {
		if (!dead && !w->pipe && !w->behind)
			save_what_is_there(w);
		return err;
	}
	if (!w->pipe && !w->part)
		vec_push(&w->aux, (struct aux_place){ w->begin + w->written, size });
	w->written += done;
	w->taken += done;
	show(w);
	return 0;
}

int data_write_auxtrace(struct data_writer *w, const struct record *rec, const void *payload,
			size_t size, struct reason *r)
{
	struct iovec v[2] = { { (void *)rec->data, rec->size }, { (void *)payload, size } };

	return write_with_payload(w, v, size ? 2 : 1, r);
}

int data_write_aux(struct data_writer *w, const struct data_aux *a, struct reason *r)
{
	static const u8 zeros[8];
	u64 bytes = a->first_size + a->second_size, padded = ALIGN_UP(bytes, (u64)8);
	struct {
		struct record_header h;
		u64 size, offset, reference;
		u32 idx;
		s32 tid, cpu;
		u32 reserved;
	} rec = {
		.h = { .type = PERF_RECORD_AUXTRACE, .size = sizeof(rec) },
		.size = padded,
		.offset = a->offset,
		.reference = a->reference,
		.idx = a->idx,
		.tid = a->tid,
		.cpu = a->cpu,
	};
	struct iovec v[4] = { { &rec, sizeof(rec) }, { (void *)a->first, a->first_size } };
	int n = 2;

	if (a->second_size)
		v[n++] = (struct iovec){ (void *)a->second, a->second_size };
	if (padded > bytes)
		v[n++] = (struct iovec){ (void *)zeros, padded - bytes };
	return write_with_payload(w, v, n, r);
}

int data_flush(struct data_writer *w, struct reason *r)
{
	int err = w->compressor ? write_packed(w, NULL, 0, NULL, 0, true, r) : 0;

	show(w);
	if (err || w->pipe || w->part || w->behind || w->flushed == w->written)
		return err; /* behind: the thread that writes stores the size once it is correct */
	if (!write_data_size(w))
		return writer_failed(w, errno, r);
	w->flushed = w->written;
	return 0;
}

u64 data_written(const struct data_writer *w)
{
	u64 sum = __atomic_load_n(&w->shown_written, __ATOMIC_RELAXED);

	vec_for_each(&w->parts, p)
		sum += __atomic_load_n(&(*p)->shown_written, __ATOMIC_RELAXED);
	return sum;
}

u64 data_taken(const struct data_writer *w)
{
	u64 sum = __atomic_load_n(&w->shown_taken, __ATOMIC_RELAXED);

	vec_for_each(&w->parts, p)
		sum += __atomic_load_n(&(*p)->shown_taken, __ATOMIC_RELAXED);
	return sum;
}

u64 data_offset(const struct data_writer *w)
{
	return w->begin;
}
