// SPDX-License-Identifier: GPL-2.0-or-later
/* The two passes: chunks in file order, and blocks in any order. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "data/internal.h"
#include "data/split.h"

/* Reads the next chunk from the file, inflated where necessary. */
static int fetch(struct data_reader *d, struct data_chunk *c, struct reason *r)
{
	struct walked seen;
	int err;

	if (d->inflate)
		return inflate_next(d, c, r);
	err = walk_next(d, c, &seen, r);
	if (err <= 0 || !seen.compressed)
		return err;
	d->compressed = true;
	inflate_begin(d, c);
	return inflate_next(d, c, r);
}

int data_next(struct data_reader *d, struct data_chunk *c, struct reason *r)
{
	int err;

	if (d->ahead_given < d->ahead.count) {
		*c = d->ahead.items[d->ahead_given++];
		return 1;
	}
	if (context_cancelled(d->ctx))
		return reason_set(r, EINTR, "interrupted");
	err = fetch(d, c, r);
	d->started = true;
	if (!err)
		d->told = true;
	if (err <= 0 || !d->is_pipe)
		return err;
	err = pipe_take_header(d, c, r);
	if (err)
		data_chunk_release(c);
	return err ? err : 1;
}

static bool decided(const struct data_chunk *c,
		    bool (*decides)(void *arg, const struct record *rec), void *arg)
{
	struct record rec;
	size_t at = 0;

	while (data_chunk_record(c, &at, &rec))
		/* before the next chunk comes, what follows such a record has to be read */
		if (decides(arg, &rec) || rec.type == PERF_RECORD_AUXTRACE)
			return true;
	return false;
}

int data_read_until(struct data_reader *d, bool (*decides)(void *arg, const struct record *rec),
		    void *arg, struct reason *r)
{
	struct data_chunk c;
	int got;

	for (size_t i = d->ahead_given; i < d->ahead.count; i++)
		if (decided(&d->ahead.items[i], decides, arg))
			return 0;
	if (d->seekable)
		return 0;
	for (;;) {
		size_t given = d->ahead_given;
		bool enough;

		d->ahead_given = d->ahead.count; /* a new one, please */
		got = data_next(d, &c, r);
		d->ahead_given = given;
		d->started = false;
		if (got <= 0)
			return got;
		enough = decided(&c, decides, arg);
		vec_push(&d->ahead, c);
		if (enough)
			return 0;
	}
}

int data_rewind(struct data_reader *d, struct reason *r)
{
	if (!d->seekable && !d->started)
		return 0;
	if (!d->seekable)
		return reason_set(r, ESPIPE, "a stream can be read only once");
	inflate_reset(d);
	walk_reset(d);
	return 0;
}

/* A scan and its callbacks. */
struct scan {
	struct data_reader *d;
	/* or NULL */
	int (*every)(void *arg, const struct record *rec, const struct order_key *key);
	const struct data_scan_ops *ops; /* or NULL */
	void *arg;
	u64 time; /* key time of the last record */
};

static int tell(struct scan *n, const struct record *rec, u64 before)
{
	struct order_key key = { n->time, rec->file, rec->position };

	if (n->every)
		return n->every(n->arg, rec, &key);
	return n->ops && rec->type != PERF_RECORD_SAMPLE ? n->ops->record(n->arg, rec, &key, before)
							 : 0;
}

/* Skips samples whose times are all at one offset, if nothing needs to see them. */
static size_t skip_samples(struct scan *n, const struct data_chunk *c, size_t at,
			   struct data_block_info *b, u64 *samples)
{
	size_t time_at = n->d->events.sample_time_at, size;
	u64 time = n->time, low = b->min_time, high = b->max_time, count = 0;

	if (n->every || !time_at)
		return at;
	for (; c->size - at >= time_at + 8; at += size) {
		const u8 *p = c->data + at;

		size = load_u16(p + 6, c->swap);
		if (load_u32(p, c->swap) != PERF_RECORD_SAMPLE || size < time_at + 8 ||
		    size > c->size - at)
			break;
		time = load_u64(p + time_at, c->swap);
		low = MIN(low, time);
		high = MAX(high, time);
		count++;
	}
	n->time = time;
	b->min_time = low;
	b->max_time = high;
	*samples += count;
	return at;
}

static int scan_chunk(struct scan *n, const struct data_chunk *c)
{
	struct data_block_info b = { .file_offset = c->file_offset,
				     .size = c->size,
				     .min_time = UINT64_MAX,
				     .first_order = n->time,
				     .file = c->file };
	struct data_scanned seen = { c->file, c->position, 0, 0 };
	struct record rec;
	size_t at = 0;
	int err = 0;

	while (!err) {
		u64 before;

		at = skip_samples(n, c, at, &b, &seen.samples);
		if (!data_chunk_record(c, &at, &rec))
			break;
		before = n->time;
		n->time = record_key_time(&n->d->events, &rec, before);
		b.min_time = MIN(b.min_time, n->time);
		b.max_time = MAX(b.max_time, n->time);
		seen.samples += rec.type == PERF_RECORD_SAMPLE;
		err = tell(n, &rec, before);
	}
	vec_push(&n->d->blocks, b);
	seen.min_time = b.min_time;
	if (n->ops)
		n->ops->chunk(n->arg, &seen);
	return err < 0 ? err : 0;
}

static int scan(struct scan *n, struct reason *r)
{
	struct data_reader *d = n->d;
	struct data_chunk c;
	u32 file = 0;
	int err = data_rewind(d, r);

	vec_clear(&d->blocks);
	if (!err && n->ops)
		err = split_scan(d, n->ops, n->arg, &n->time);
	while (!err && (err = data_next(d, &c, r)) == 1) {
		if (c.file != file)
			n->time = 0;
		file = c.file;
		err = scan_chunk(n, &c);
		data_chunk_release(&c);
	}
	if (!d->seekable || d->compressed)
		vec_clear(&d->blocks);
	return err;
}

int data_scan(struct data_reader *d,
	      int (*record)(void *arg, const struct record *rec, const struct order_key *key),
	      void *arg, struct reason *r)
{
	struct scan n = { .d = d, .every = record, .arg = arg };

	return scan(&n, r);
}

int data_scan_sideband(struct data_reader *d, const struct data_scan_ops *ops, void *arg,
		       struct reason *r)
{
	struct scan n = { .d = d, .ops = ops, .arg = arg };

	return scan(&n, r);
}

size_t data_block_count(const struct data_reader *d)
{
	return d->blocks.count;
}

const struct data_block_info *data_block_info(const struct data_reader *d, size_t block)
{
	return block < d->blocks.count ? &d->blocks.items[block] : NULL;
}

int data_block(struct data_reader *d, size_t block, struct data_chunk *c, struct reason *r)
{
	const struct data_block_info *info = data_block_info(d, block);
	struct buffer *b;
	int err;

	if (!info)
		return reason_set(r, EINVAL, "'%s' has no block %zu", d->path, block);
	b = buffer_get(&d->pool);
	err = file_read(&d->files.items[info->file], info->file_offset, b->bytes, info->size,
			"records", r);
	if (err) {
		buffer_put(b);
		return err;
	}
	*c = (struct data_chunk){ .data = b->bytes,
				  .size = info->size,
				  .position = info->file_offset,
				  .file_offset = info->file_offset,
				  .swap = d->swap,
				  .file = info->file,
				  .owner = b };
	return 0;
}

/*
 * Reads a payload, which the file is known to contain. The caller frees *bytes. Returns 0 or -errno
 * with a reason.
 */
static int read_payload(const struct data_file *f, u64 at, u64 size, u8 **bytes, struct reason *r)
{
	int err;

	*bytes = malloc(size + 1);
	if (!*bytes)
		return reason_set(r, ENOMEM, "not enough memory for %" PRIu64 " bytes of payload",
				  size);
	err = file_read(f, at, *bytes, size, "payload", r);
	if (err)
		free(*bytes);
	return err;
}

int data_payload(struct data_reader *d, const struct record *rec, struct data_chunk *c,
		 struct reason *r)
{
	u64 size = record_payload(rec, d->swap), at = rec->file_offset + rec->size;
	const struct data_file *f = rec->file < d->files.count ? &d->files.items[rec->file] : NULL;
	u8 *bytes;
	int err;

	if (!f || (!d->seekable && d->walk.payload != size))
		return reason_set(r, ESPIPE, "the payload of a stream cannot be read again");
	if (d->seekable && (at > f->size || size > f->size - at))
		return reason_set(r, EINVAL, "%" PRIu64 " bytes of payload do not fit in '%s'",
				  size, f->path);
	err = d->seekable ? read_payload(f, at, size, &bytes, r)
			  : walk_whole_payload(d, size, &bytes, r);
	if (err)
		return err;
	*c = (struct data_chunk){ .data = bytes,
				  .size = size,
				  .file_offset = at,
				  .swap = d->swap,
				  .file = rec->file,
				  .payload = bytes };
	return 0;
}
