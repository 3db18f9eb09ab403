// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cutting a file in chunks of whole records.
 *
 * A chunk is one read of at most BUFFER_SIZE, cut after its last whole record, or after a record
 * that payload follows. A header that cannot be a record's is damage: the walk looks for the next
 * place where several records follow each other, reports what it skipped, and continues there.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/trace.h"
#include "data/internal.h"

enum {
	HEADER = sizeof(struct record_header),
	PROOF = 4,      /* this many records in a row are not an accident */
	TYPE_END = 256, /* larger than anything that perf writes: what claims more is not a
			 * record */
	AHEAD = 2048,   /* bytes */
};

static bool type_known(u32 type)
{
	return (type > 0 && type < PERF_RECORD_KERNEL_MAX) ||
	       (type >= PERF_RECORD_USER_START && type < PERF_RECORD_USER_MAX);
}

/*
 * Reports whether a record can have this size. Only COMPRESSED records of perf before 6.16 have
 * sizes that are not multiples of 8.
 */
static bool size_possible(u32 type, u16 size)
{
	return size >= HEADER && (!(size % 8) || type >= PERF_RECORD_USER_START);
}

bool record_plausible(u32 type, u16 size)
{
	return type_known(type) && size_possible(type, size);
}

/*
 * Reports whether records begin here: PROOF of them in a row, or as many as there are up to the
 * end.
 */
static bool records_begin(const u8 *p, size_t n, bool swap)
{
	size_t at = 0;

	for (unsigned i = 0; i < PROOF; i++) {
		u16 size;

		if (at == n)
			return i > 0;
		if (n - at < HEADER)
			return false;
		size = load_u16(p + at + 6, swap);
		if (!record_plausible(load_u32(p + at, swap), size) || size > n - at)
			return false;
		at += size;
	}
	return true;
}

/* Returns how many bytes to skip until records begin again, or n when they do not. */
static size_t resync(const struct data_reader *d, const u8 *p, size_t n)
{
	size_t step = d->compressed ? 1 : 8;

	for (size_t at = step; at < n; at += step)
		if (records_begin(p + at, n - at, d->swap))
			return at;
	return n;
}

static void note_unknown(struct data_reader *d, u32 file, u64 offset, u32 type)
{
	damage(d, CONDITION_WARNING, "unknown-record", file, offset,
	       "a record of unknown type %u is skipped; was the file written by a newer perf?",
	       type);
}

u64 record_payload(const struct record *rec, bool swap)
{
	if (rec->type == PERF_RECORD_AUXTRACE && rec->size >= 16)
		return load_u64(rec->data + 8, swap);
	if (rec->type == PERF_RECORD_HEADER_TRACING_DATA && rec->size >= 12)
		return load_u32(rec->data + 8, swap);
	return 0;
}

/* Reports whether the type is past the records that make up a stream's header. */
static bool is_body(u32 type)
{
	switch (type) {
	case PERF_RECORD_HEADER_ATTR:
	case PERF_RECORD_HEADER_EVENT_TYPE:
	case PERF_RECORD_HEADER_TRACING_DATA:
	case PERF_RECORD_HEADER_BUILD_ID:
	case PERF_RECORD_EVENT_UPDATE:
	case PERF_RECORD_HEADER_FEATURE:
		return false;
	default:
		return true;
	}
}

static bool step(const u8 *p, size_t n, size_t at, bool swap, struct record *rec)
{
	if (n - at < HEADER)
		return false;
	rec->data = p + at;
	rec->type = load_u32(rec->data, swap);
	rec->misc = load_u16(rec->data + 4, swap);
	rec->size = load_u16(rec->data + 6, swap);
	return true;
}

enum run_end { RUN_SHORT, RUN_PAYLOAD, RUN_BAD };

/* Returns the length of the run of good records at p, and sets *why to the reason for its end. */
static size_t run(struct data_reader *d, const u8 *p, size_t n, struct walked *seen,
		  enum run_end *why)
{
	struct record rec;
	size_t at = 0;

	*why = RUN_SHORT;
	while (step(p, n, at, d->swap, &rec)) {
		/* what the kernel has just copied is in no near cache */
		__builtin_prefetch(p + at + AHEAD);
		__builtin_prefetch(p + at + AHEAD + 64);
		if (unlikely(!rec.type || rec.type >= TYPE_END ||
			     !size_possible(rec.type, rec.size))) {
			*why = RUN_BAD;
			break;
		}
		if (rec.size > n - at)
			break;
		if (unlikely(!type_known(rec.type)))
			note_unknown(d, d->walk.file, d->walk.offset + at, rec.type);
		at += rec.size;
		if (rec.type < PERF_RECORD_USER_START) {
			seen->body = true;
			continue;
		}
		seen->body |= is_body(rec.type);
		seen->compressed |=
			rec.type == PERF_RECORD_COMPRESSED || rec.type == PERF_RECORD_COMPRESSED2;
		d->walk.payload = record_payload(&rec, d->swap);
		if (d->walk.payload) {
			*why = RUN_PAYLOAD;
			break;
		}
	}
	return at;
}

/*
 * Reads bytes of the current file into b. Returns how many there are now; *last means that no more
 * follow.
 */
static ssize_t fill(struct data_reader *d, struct buffer *b, size_t have, bool *last,
		    struct reason *r)
{
	const struct data_file *f = &d->files.items[d->walk.file];
	u64 left = f->end - d->walk.offset;
	size_t want = (size_t)MIN((u64)BUFFER_SIZE, left);
	ssize_t got;

	for (*last = false; have < want;) {
		got = d->seekable ? pread(f->fd, b->bytes + have, want - have,
					  (off_t)(d->walk.offset + have))
				  : read(f->fd, b->bytes + have, want - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return reason_errno(r, errno, "cannot read '%s' at offset %#" PRIx64,
					    f->path, d->walk.offset + have);
		if (!got) {
			*last = true;
			break;
		}
		have += (size_t)got;
		if (!d->seekable)
			break;
	}
	*last |= d->seekable && have == left;
	return (ssize_t)have;
}

/* Reports that n bytes at the end of a file are less than their record's size. */
static void cut_record(struct data_reader *d, const u8 *p, size_t n)
{
	const struct data_file *f = &d->files.items[d->walk.file];
	struct record rec = { 0 };
	const char *name = NULL;

	if (f->cut)
		return;
	if (step(p, n, 0, d->swap, &rec))
		name = record_type_name(rec.type);
	damage(d, f->open_end && d->seekable ? CONDITION_WARNING : CONDITION_DAMAGE,
	       "file-truncated", d->walk.file, d->walk.offset,
	       "the last record (%s of %u bytes) is truncated after %zu bytes",
	       name ? name : "its header", rec.size, n);
}

/*
 * Returns how many bytes to skip from p, where no record begins, until records begin again. In a
 * buffer that is not the last, its tail is examined with the next one.
 */
static size_t skip_bad(struct data_reader *d, const u8 *p, size_t n, bool last)
{
	struct record rec = { 0 };
	size_t skip = resync(d, p, n);

	if (skip == n && !last && n > UINT16_MAX)
		skip = (n - UINT16_MAX) & ~(size_t)7;
	step(p, n, 0, d->swap, &rec);
	damage(d, CONDITION_DAMAGE, "damaged-record", d->walk.file, d->walk.offset,
	       "no record begins here (type %u, size %u): %zu bytes are skipped", rec.type,
	       rec.size, skip);
	return skip;
}

static void lend(struct data_reader *d, struct data_chunk *c, struct buffer *b, size_t size)
{
	*c = (struct data_chunk){ .data = b->bytes,
				  .size = size,
				  .position = d->walk.offset,
				  .file_offset = d->walk.offset,
				  .swap = d->swap,
				  .file = d->walk.file,
				  .owner = b };
}

/* Keeps what a stream brought beyond the chunk. */
static void keep_rest(struct data_reader *d, const u8 *p, size_t n)
{
	if (d->seekable || !n)
		return;
	d->walk.pending = buffer_get(&d->pool);
	d->walk.pending_size = n;
	memcpy(d->walk.pending->bytes, p, n);
}

static void move_on(struct data_reader *d, struct buffer *b, size_t used, size_t n)
{
	keep_rest(d, b->bytes + used, n - used);
	d->walk.offset += used;
}

/*
 * Handles the end of a file's bytes, where the rest is not a whole record. Returns how many bytes
 * to skip.
 */
static size_t last_bytes(struct data_reader *d, const u8 *p, size_t n)
{
	size_t skip = resync(d, p, n);

	if (skip < n)
		return skip_bad(d, p, n, true);
	cut_record(d, p, n);
	return n;
}

/* Walks a buffer. Returns 1 if c is filled, 0 at the end of the file, 2 to try again. */
static int walk_buffer(struct data_reader *d, struct buffer *b, size_t have, struct data_chunk *c,
		       struct walked *seen, struct reason *r)
{
	enum run_end why;
	bool last;
	ssize_t n = fill(d, b, have, &last, r);
	size_t good, skip;

	if (n <= 0) {
		buffer_put(b);
		return (int)n;
	}
	good = run(d, b->bytes, (size_t)n, seen, &why);
	if (good) {
		lend(d, c, b, good);
		move_on(d, b, good, (size_t)n);
		return 1;
	}
	skip = 0;
	if (why == RUN_BAD)
		skip = skip_bad(d, b->bytes, (size_t)n, last);
	else if (last)
		skip = last_bytes(d, b->bytes, (size_t)n);
	move_on(d, b, skip, (size_t)n);
	buffer_put(b);
	return 2;
}

static void next_file(struct data_reader *d)
{
	d->walk.file++;
	d->walk.payload = 0;
	if (d->walk.file < d->files.count)
		d->walk.offset = d->files.items[d->walk.file].begin;
}

/* Reads a stream's payload: first what is pending, then what comes. */
static int stream_payload(struct data_reader *d, u8 *p, u64 n, u64 *got_all, struct reason *r)
{
	const struct data_file *f = &d->files.items[d->walk.file];
	u64 done = 0;

	if (d->walk.pending) {
		done = MIN(n, d->walk.pending_size);
		if (p)
			memcpy(p, d->walk.pending->bytes, done);
		d->walk.pending_size -= done;
		memmove(d->walk.pending->bytes, d->walk.pending->bytes + done,
			d->walk.pending_size);
		if (!d->walk.pending_size) {
			buffer_put(d->walk.pending);
			d->walk.pending = NULL;
		}
	}
	while (done < n) {
		u8 sink[4096];
		ssize_t got = read(f->fd, p ? p + done : sink,
				   p ? n - done : MIN(n - done, sizeof(sink)));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return reason_errno(r, errno, "cannot read '%s'", f->path);
		if (!got)
			break;
		done += (u64)got;
	}
	*got_all = done;
	return 0;
}

/* Consumes n payload bytes of the record that ended the last chunk; drops them if p is NULL. */
static int walk_payload(struct data_reader *d, u8 *p, u64 n, struct reason *r)
{
	const struct data_file *f = &d->files.items[d->walk.file];
	u64 there = d->seekable ? MIN(n, f->end - d->walk.offset) : n;
	int err = 0;

	if (!n)
		return 0;
	if (!d->seekable)
		err = stream_payload(d, p, n, &there, r);
	else if (p)
		err = file_read(f, d->walk.offset, p, (size_t)there, "payload", r);
	if (err)
		return err;
	if (there < n)
		damage(d, CONDITION_DAMAGE, "payload-cut", d->walk.file, d->walk.offset,
		       "%" PRIu64 " bytes of payload should follow, %" PRIu64 " do", n, there);
	d->walk.offset += there;
	d->walk.payload -= n;
	return there < n && p ? -EINVAL : 0;
}

int walk_next(struct data_reader *d, struct data_chunk *c, struct walked *seen, struct reason *r)
{
	*seen = (struct walked){ 0 };
	while (d->walk.file < d->files.count) {
		struct buffer *b;
		size_t have;
		int err = walk_payload(d, NULL, d->walk.payload, r);

		if (err)
			return err;
		b = d->walk.pending ? d->walk.pending : buffer_get(&d->pool);
		have = d->walk.pending ? d->walk.pending_size : 0;
		d->walk.pending = NULL;
		err = walk_buffer(d, b, have, c, seen, r);
		if (err == 1)
			TRACE(data, "chunk of %zu bytes at offset %#" PRIx64 " of file %u", c->size,
			      c->file_offset, c->file);
		if (err == 1 || err < 0)
			return err;
		if (!err)
			next_file(d);
	}
	return 0;
}

void walk_reset(struct data_reader *d)
{
	d->walk.file = 0;
	d->walk.payload = 0;
	d->walk.offset = d->files.items[0].begin;
}

int walk_whole_payload(struct data_reader *d, u64 n, u8 **bytes, struct reason *r)
{
	u64 have = 0;
	u8 *data = xmalloc(1);
	int err = 0;

	while (!err && have < n) {
		u64 part = MIN(n - have, MAX(have, (u64)BUFFER_SIZE));

		data = xrealloc(data, have + part + 1);
		err = walk_payload(d, data + have, part, r);
		have += part;
	}
	if (err) {
		free(data);
		data = NULL;
	}
	*bytes = data;
	return err;
}
