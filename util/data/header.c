// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file header: where attrs, records and features are, and the events.
 *
 *	u64 magic, size, attr_size
 *	section attrs, data, event_types       (section: u64 offset, size)
 *	u64 feature_bits[4]
 *
 * attrs is an array of entries of attr_size bytes: an attr, then the section of its ids. A stream
 * has only magic and size (16).
 */
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/out.h"
#include "base/trace.h"
#include "base/writer.h"
#include "data/internal.h"

/* Reports whether [offset, offset + size) is inside the file. */
static bool inside(const struct data_file *f, u64 offset, u64 size)
{
	return offset <= f->size && size <= f->size - offset;
}

/* Sets the reason for a header that refers to bytes which the file does not have. */
static int cut_off(const struct data_file *f, const char *what, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' ends before its %s", f->path, what);
	reason_hint(r,
		    "the copy is not complete, or the file was not made by perf: record or copy it "
		    "again");
	return -EINVAL;
}

static int read_ids(struct data_reader *d, struct event *ev, const u8 *section, struct reason *r)
{
	const struct data_file *f = &d->files.items[0];
	u64 offset = load_u64(section, d->swap), size = load_u64(section + 8, d->swap);
	u8 part[4096];
	int err;

	if (!inside(f, offset, size))
		return cut_off(f, "event ids", r);
	for (size -= size % 8; size;) {
		size_t n = MIN(size, sizeof(part));

		err = file_read(f, offset, part, n, "event ids", r);
		if (err)
			return err;
		for (size_t i = 0; i < n; i += 8)
			event_set_add_id(&d->events, ev, load_u64(part + i, d->swap));
		offset += n;
		size -= n;
	}
	return 0;
}

/*
 * Reads the attrs. attr_size comes from the file: an attr may be larger than the one known here
 * (newer writer, the rest is ignored) or smaller (zeros follow).
 */
static int read_attrs(struct data_reader *d, u64 offset, u64 size, u64 attr_size, struct reason *r)
{
	const struct data_file *f = &d->files.items[0];
	u8 entry[4096 + SECTION_SIZE];
	int err;

	if (attr_size < ATTR_SIZE_VER0 + SECTION_SIZE || attr_size > sizeof(entry))
		return reason_set(r, EINVAL,
				  "'%s' has event attributes of impossible size %" PRIu64, f->path,
				  attr_size);
	if (!inside(f, offset, size))
		return cut_off(f, "event attributes", r);
	for (u64 i = 0; i < size / attr_size; i++) {
		struct perf_event_attr attr;
		struct event *ev;

		err = file_read(f, offset + i * attr_size, entry, attr_size, "event attributes", r);
		if (err)
			return err;
		attr_from_file(d, entry, attr_size - SECTION_SIZE, &attr);
		ev = event_set_add(&d->events, &attr, NULL);
		err = read_ids(d, ev, entry + attr_size - SECTION_SIZE, r);
		if (err)
			return err;
	}
	if (!d->events.list.count)
		return reason_set(r, EINVAL, "'%s' holds no events", f->path);
	return 0;
}

/*
 * Reads the feature bits, which are an array of the writer's longs. The order of their bytes
 * depends on its word size, which is not recorded. It follows from the bit of HOSTNAME, which every
 * file has.
 */
static void feature_bits(struct data_reader *d, const u8 *p, u64 bits[4])
{
	for (unsigned i = 0; i < 4; i++)
		bits[i] = load_u64(p + 8 * i, d->swap);
	if (!d->swap || bits[0] & BIT64(FEATURE_HOSTNAME))
		return;
	for (unsigned i = 0; i < 4; i++)
		bits[i] = load_u32(p + 8 * i, true) | (u64)load_u32(p + 8 * i + 4, true) << 32;
}

static void read_feature_table(struct data_reader *d, const u64 bits[4])
{
	const struct data_file *f = &d->files.items[0];
	u64 at = d->header_feature_offset;
	u8 section[SECTION_SIZE];

	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		struct feature_section *s = &d->features[i];

		if (!(bits[i / 64] & BIT64(i % 64)))
			continue;
		if (!inside(f, at, SECTION_SIZE) ||
		    file_read(f, at, section, SECTION_SIZE, "features", NULL)) {
			damage(d, CONDITION_DAMAGE, "features-cut", 0, at,
			       "the table of features is truncated");
			return;
		}
		at += SECTION_SIZE;
		s->offset = load_u64(section, d->swap);
		s->size = load_u64(section + 8, d->swap);
		TRACE(data, "feature %s (%u): %" PRIu64 " bytes at offset %#" PRIx64,
		      data_feature_name(i) ? data_feature_name(i) : "unknown", i, s->size,
		      s->offset);
		if (inside(f, s->offset, s->size))
			s->present = true;
		else
			damage(d, CONDITION_DAMAGE, "feature-outside", 0, at - SECTION_SIZE,
			       "feature %u lies outside the file", i);
	}
}

/* Reports that the file is not finished, and by which recorder, as far as that is visible. */
static void unfinished(struct data_reader *d, u64 at, const char *code, const char *what)
{
	pid_t writer = file_writer(d->files.items[0].fd);

	if (writer)
		damage(d, CONDITION_WARNING, code, 0, at, "%s: process %d is still writing it",
		       what, (int)writer);
	else
		damage(d, CONDITION_WARNING, code, 0, at,
		       "%s: its recorder was stopped early, or is still writing it", what);
}

/*
 * Finds the records. A recorder that was killed leaves size 0 (Debian's perf) or the size of its
 * last flush and no features (ours).
 */
static void place_data(struct data_reader *d, const u64 bits[4])
{
	struct data_file *f = &d->files.items[0];
	u64 begin = d->header_data_offset, size = d->header_data_size;

	TRACE(data, "header: %" PRIu64 " bytes of records at offset %#" PRIx64, size, begin);
	f->begin = MIN(begin, f->size);
	if (!size) {
		f->end = f->size;
		f->open_end = true;
		if (f->end > f->begin)
			unfinished(d, f->begin, "recording-cut",
				   "the file has no features, and records are read to its end");
		return;
	}
	if (!inside(f, begin, size)) {
		f->end = f->size;
		f->cut = true;
		damage(d, CONDITION_DAMAGE, "file-truncated", 0, f->size,
		       "the file ends here, its header promises %" PRIu64
		       " bytes of records from %#" PRIx64,
		       size, begin);
		return;
	}
	f->end = begin + size;
	if (bits[0] | bits[1] | bits[2] | bits[3])
		read_feature_table(d, bits);
	else
		unfinished(d, f->end, "no-features", "the file has no features");
}

static int read_file_header(struct data_reader *d, const u8 head[HEADER_SIZE], struct reason *r)
{
	u64 attr_size = load_u64(head + 16, d->swap);
	u64 attrs = load_u64(head + 24, d->swap), attrs_size = load_u64(head + 32, d->swap);
	u64 bits[4] = { 0 };
	int err;

	d->header_data_offset = load_u64(head + 40, d->swap);
	d->header_data_size = load_u64(head + 48, d->swap);
	/* where they would be, if there are none */
	d->header_feature_offset = d->header_data_offset + d->header_data_size;
	if (load_u64(head + 8, d->swap) >= HEADER_SIZE)
		feature_bits(d, head + HEADER_SIZE_OLD, bits);
	err = read_attrs(d, attrs, attrs_size, attr_size, r);
	if (err)
		return err;
	place_data(d, bits);
	features_name_events(d);
	names_make_up(d);
	pmus_read_events(d);
	/* a recorder that was stopped early may have left half a record at a part's end */
	for (u32 i = 1; i < d->files.count; i++)
		d->files.items[i].open_end = !(bits[0] | bits[1] | bits[2] | bits[3]);
	return event_set_finish(&d->events, r);
}

static int not_perf_data(const struct data_reader *d, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' is not a perf.data file", d->path);
	reason_hint(r, "perf.data files begin with the letters PERFILE2");
	return -EINVAL;
}

static int check_magic(struct data_reader *d, const u8 *head, struct reason *r)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	u64 magic = load_u64(head, false);

	if (!memcmp(head, "PERFFILE", 8))
		return reason_set(r, EINVAL,
				  "'%s' has the format of perf before 2.6.36, "
				  "which is not read any more",
				  d->path);
	if (magic != DATA_MAGIC && __builtin_bswap64(magic) != DATA_MAGIC)
		return not_perf_data(d, r);
	d->swap = magic != DATA_MAGIC;
	d->big_endian = d->swap != host_big;
	d->events.swap = d->swap;
	return 0;
}

/* Reads the first bytes of a file, by pread if it is seekable and by read if it is a stream. */
static ssize_t read_head(struct data_reader *d, u8 *p, size_t n, struct reason *r)
{
	const struct data_file *f = &d->files.items[0];
	ssize_t got = d->seekable ? pread(f->fd, p, n, 0) : read_all(f->fd, p, n);

	if (got < 0)
		return reason_errno(r, d->seekable ? errno : (int)-got, "cannot read '%s'",
				    d->path);
	return got;
}

int header_read(struct data_reader *d, struct reason *r)
{
	struct data_file *f = &d->files.items[0];
	u8 head[HEADER_SIZE] = { 0 };
	ssize_t got = read_head(d, head, d->seekable ? HEADER_SIZE : PIPE_HEADER_SIZE, r);
	u64 size;
	int err;

	if (got < 0)
		return (int)got;
	if (!got) {
		reason_set(r, EINVAL, "'%s' is empty", d->path);
		reason_hint(r, "nothing was recorded into it; run 'perf record' again");
		return -EINVAL;
	}
	if (got < PIPE_HEADER_SIZE)
		return not_perf_data(d, r);
	err = check_magic(d, head, r);
	if (err)
		return err;
	size = load_u64(head + 8, d->swap);
	if (size == PIPE_HEADER_SIZE) {
		d->is_pipe = true;
		f->begin = PIPE_HEADER_SIZE;
		f->open_end = !d->seekable;
		return 0;
	}
	if (!d->seekable) {
		err = spool(d, head, (size_t)got, r);
		got = err ? 0 : read_head(d, head, HEADER_SIZE, r);
		if (err || got < 0)
			return err ? err : (int)got;
	}
	if (size < HEADER_SIZE_OLD || got < HEADER_SIZE_OLD)
		return reason_set(r, EINVAL, "the header of '%s' is damaged", d->path);
	return read_file_header(d, head, r);
}
