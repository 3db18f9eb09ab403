// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * COMPRESSED and COMPRESSED2 records, replaced by the records that are in them.
 *
 * Each file is one zstd stream; a record of the stream may begin in one
 * COMPRESSED record and end in a later one, so a chunk's cut last record is
 * carried to the next.  Plain records between them are passed through in place.
 * However much a frame expands, a chunk is never larger than a buffer: the rest
 * stays in the stream until the next call.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "data/internal.h"

struct inflate {
	struct zstd_stream *zstd;
	struct data_chunk raw; /* the position of the walk over raw records */
	size_t raw_at;
	const u8 *in; /* compressed bytes of the current record, NULL: none */
	size_t in_size, in_at;
	u64 in_offset;            /* where that record is in the file */
	u8 carry[UINT16_MAX + 1]; /* a record whose end was not inflated yet */
	size_t carry_size;
	u64 position;
	u32 file;
};

void inflate_reset(struct data_reader *d)
{
	struct inflate *f = d->inflate;

	d->inflate = NULL;
	if (!f)
		return;
	data_chunk_release(&f->raw);
	zstd_stream_free(f->zstd);
	free(f);
}

void inflate_begin(struct data_reader *d, struct data_chunk *raw)
{
	d->inflate = xcalloc(1, sizeof(*d->inflate));
	d->inflate->raw = *raw;
	d->inflate->file = raw->file;
	d->inflate->position = raw->position;
	raw->owner = NULL;
}

/* Sets the bytes of a COMPRESSED record that are zstd's. */
static void set_input(struct inflate *f, const struct record *rec, bool swap)
{
	size_t skip = 8, size = rec->size - skip;

	if (rec->type == PERF_RECORD_COMPRESSED2) {
		u64 n = rec->size >= 16 ? load_u64(rec->data + 8, swap) : 0;

		skip = MIN(16, rec->size);
		size = (size_t)MIN(n, (u64)(rec->size - skip));
	}
	f->in = rec->data + skip;
	f->in_size = size;
	f->in_at = 0;
	f->in_offset = rec->file_offset;
}

/* Counts a compressed record. Each pass sees the same records again; files and offsets ascend. */
static void count_record(struct data_reader *d, u32 file, const struct record *rec)
{
	if (file < d->compressed_file ||
	    (file == d->compressed_file && rec->file_offset < d->compressed_end))
		return;
	d->compressed_file = file;
	d->compressed_end = rec->file_offset + rec->size;
	d->compressed_records[rec->type == PERF_RECORD_COMPRESSED2]++;
}

u64 data_compressed_records(const struct data_reader *d, u32 type)
{
	return d->compressed_records[type == PERF_RECORD_COMPRESSED2];
}

/* Returns the size of the whole records at p. Sets *bad if the next one is impossible. */
static size_t whole(const u8 *p, size_t n, bool swap, bool *bad)
{
	size_t at = 0;

	*bad = false;
	while (n - at >= sizeof(struct record_header)) {
		u16 size = load_u16(p + at + 6, swap);

		if (size < sizeof(struct record_header)) {
			*bad = true;
			break;
		}
		if (size > n - at)
			break;
		at += size;
	}
	return at;
}

/* Drops the stream up to the beginning of the next frame, since it cannot be followed from here. */
static void give_up_record(struct data_reader *d, struct inflate *f, const char *why)
{
	damage(d, CONDITION_DAMAGE, "damaged-compression", f->file, f->in_offset,
	       "%s: the rest of this COMPRESSED record is skipped", why);
	f->in = NULL;
	f->carry_size = 0;
	zstd_stream_reset(f->zstd);
}

/* Inflates the current record into out; *used is the size of the whole records there. */
static int inflate_record(struct data_reader *d, struct inflate *f, u8 *out, size_t *used,
			  struct reason *r)
{
	struct reason why = REASON_INIT;
	size_t at = f->carry_size, good;
	bool bad;
	int err;

	if (!f->zstd)
		f->zstd = zstd_stream_new(r);
	if (!f->zstd)
		return -ENOTSUP;
	memcpy(out, f->carry, f->carry_size);
	f->carry_size = 0;
	err = zstd_stream_inflate(f->zstd, f->in, f->in_size, &f->in_at, out, BUFFER_SIZE, &at,
				  &why);
	good = whole(out, at, d->swap, &bad);
	if (err || bad) {
		give_up_record(d, f, err ? why.text : "it holds a record of impossible size");
	} else {
		f->carry_size = at - good;
		memcpy(f->carry, out + good, f->carry_size);
		if (f->in_at == f->in_size && at < BUFFER_SIZE)
			f->in = NULL;
	}
	reason_release(&why);
	*used = good;
	return 0;
}

static bool is_compressed(u32 type)
{
	return type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2;
}

/* Begins a new stream with a new file. */
static void enter_file(struct data_reader *d, struct inflate *f, u32 file)
{
	if (file == f->file)
		return;
	if (f->carry_size && !(f->file < d->files.count && d->files.items[f->file].cut))
		damage(d, CONDITION_DAMAGE, "file-truncated", f->file, f->in_offset,
		       "the last compressed record is truncated");
	f->carry_size = 0;
	f->file = file;
	if (f->zstd)
		zstd_stream_reset(f->zstd);
}

/* Returns the size of the run of plain records at raw_at, up to the next COMPRESSED one. */
static size_t plain_run(const struct inflate *f)
{
	struct record rec;
	size_t at = f->raw_at, end = at;

	while (data_chunk_record(&f->raw, &at, &rec) && !is_compressed(rec.type))
		end = at;
	return end - f->raw_at;
}

static void fill_chunk(struct data_reader *d, struct inflate *f, struct data_chunk *c,
		       struct buffer *b, size_t size, u64 offset, bool inflated)
{
	*c = (struct data_chunk){ .data = b->bytes,
				  .size = size,
				  .position = f->position,
				  .file_offset = offset,
				  .swap = d->swap,
				  .inflated = inflated,
				  .file = f->file,
				  .owner = b };
	f->position += size;
}

/*
 * Takes a chunk from the raw one. Returns 1 for a chunk, 0 when the raw chunk is used up, or
 * -errno.
 */
static int from_raw(struct data_reader *d, struct inflate *f, struct data_chunk *c,
		    struct reason *r)
{
	struct record rec;
	size_t n;

	while (f->raw.owner) {
		struct buffer *b = buffer_get(&d->pool);
		u64 offset;
		int err = 0;

		if (f->in) {
			offset = f->in_offset;
			err = inflate_record(d, f, b->bytes, &n, r);
			if (!err && n) {
				fill_chunk(d, f, c, b, n, offset, true);
				return 1;
			}
		} else if ((n = plain_run(f))) {
			memcpy(b->bytes, f->raw.data + f->raw_at, n);
			fill_chunk(d, f, c, b, n, f->raw.file_offset + f->raw_at, false);
			f->raw_at += n;
			return 1;
		} else if (data_chunk_record(&f->raw, &f->raw_at, &rec)) {
			count_record(d, f->raw.file, &rec);
			set_input(f, &rec, d->swap);
		} else {
			data_chunk_release(&f->raw);
		}
		buffer_put(b);
		if (err)
			return err;
	}
	return 0;
}

int inflate_next(struct data_reader *d, struct data_chunk *c, struct reason *r)
{
	struct inflate *f = d->inflate;
	struct walked seen;

	for (;;) {
		int err = from_raw(d, f, c, r);

		if (err)
			return err;
		err = walk_next(d, &f->raw, &seen, r);
		if (err <= 0) {
			enter_file(d, f, UINT32_MAX);
			return err;
		}
		f->raw_at = 0;
		f->in = NULL;
		enter_file(d, f, f->raw.file);
		d->compressed |= seen.compressed;
		/* the payload that follows is stepped over by the walk, before the next chunk */
	}
}
