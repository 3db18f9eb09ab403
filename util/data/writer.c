// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing perf.data in place.
 *
 *	header | ids of all events | attrs | records ... | feature table | features
 *
 * The header is written first with data.size 0 and without feature bits; each
 * flush makes data.size right, data_finish() adds the features and then their
 * bits.  A write that fails leaves what was whole before it.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/out.h"
#include "data/behind.h"
#include "data/compress.h"
#include "data/feature_build.h"
#include "data/internal.h"
#include "data/order.h"
#include "data/writer.h"

enum {
	DATA_SIZE_AT = 48, /* of data.size in the header */
	RESERVE_BYTES = 128 << 10,
};

struct aux_place {
	u64 offset, size; /* of a record in the file, without its payload */
};

struct data_writer {
	struct context *ctx;
	char *path;
	int fd;
	bool pipe, header_written;
	u64 begin;    /* offset of the first record */
	u64 written;  /* bytes of records */
	u64 flushed;  /* the same as the header says */
	int err;      /* of the first failed write */
	int reserve_fd; /* an unlinked file that keeps room for the features; -1: none */
	u64 ids_size; /* bytes of the ids, between header and attrs */
	u64 attrs_size;
	u32 attr_size;
	u64 taken; /* bytes of records that the caller gave */
	/* for other threads: written and what the compressor holds, and taken */
	u64 shown_written, shown_taken;
	bool directory;
	bool part; /* data.N of a directory: records alone */
	VEC(struct data_writer *) parts; /* of a directory; closed with it */
	VEC(struct aux_place) aux; /* AUXTRACE records */
	struct compressor *compressor; /* NULL: records are written as they are */
	int level;
	struct behind *behind; /* NULL: writes are done at once */
	struct strbuf packed; /* COMPRESSED records on their way */
	struct strbuf features[FEATURE_BITS];
	bool has_feature[FEATURE_BITS];
	bool ordered_feature[FEATURE_BITS]; /* in the file's byte order already */
	bool swap, big; /* the file has the other byte order than the host */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int data_remove(const char *path, struct reason *r)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		return reason_errno(r, errno, "cannot remove '%s'", path);
	return 0;
}

/* An older .old makes room, whatever it is. */
int data_keep_old(const char *path, struct reason *r)
{
	char *old;
	struct stat st;
	int err = 0;

	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !st.st_size)
		return 0;
	old = xasprintf("%s.old", path);
	if (rename(path, old)) {
		data_remove(old, NULL);
		if (rename(path, old))
			err = reason_errno(r, errno, "cannot keep '%s' as '%s'", path, old);
	}
	free(old);
	return err;
}

static int open_output(struct data_writer *w, struct reason *r)
{
	struct stat st;
	int err = 0;

	w->fd = open(w->path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0) {
		err = reason_errno(r, errno, "cannot create '%s'", w->path);
		reason_hint(r, "name a file that you may write with -o");
	} else if (!fstat(w->fd, &st) && S_ISFIFO(st.st_mode)) {
		close(w->fd);
		err = reason_set(r, ESPIPE, "'%s' is a pipe, and a file with a header cannot go through", w->path);
		reason_hint(r, "-o - >'%s' writes the form for pipes", w->path);
	}
	return err;
}

static struct data_writer *writer_new(struct context *ctx, char *path)
{
	struct data_writer *w = xcalloc(1, sizeof(*w));

	w->ctx = ctx;
	w->path = path;
	w->fd = STDOUT_FILENO;
	w->reserve_fd = -1;
	return w;
}

static void writer_free(struct data_writer *w)
{
	free(w->path);
	free(w);
}

int data_create(struct context *ctx, const char *path, bool keep_old, struct data_writer **out,
		struct reason *r)
{
	struct data_writer *w = writer_new(ctx, xstrdup(path));
	int err = 0;

	w->pipe = !strcmp(path, "-");
	if (!w->pipe && keep_old)
		err = data_keep_old(path, r);
	if (!w->pipe && !err)
		err = open_output(w, r);
	if (err) {
		writer_free(w);
		return err;
	}
	*out = w;
	return 0;
}

int data_create_directory(struct context *ctx, const char *path, bool keep_old,
			  struct data_writer **out, struct reason *r)
{
	struct data_writer *w;
	int err = keep_old ? data_keep_old(path, r) : 0;

	if (err)
		return err;
	/* an empty file or directory of that name is not worth keeping */
	if (mkdir(path, 0700) && (errno != EEXIST || remove(path) || mkdir(path, 0700))) {
		err = reason_errno(r, errno, "cannot create the directory '%s'", path);
		reason_hint(r, "name another one with -o");
		return err;
	}
	w = writer_new(ctx, xasprintf("%s/data", path));
	w->directory = true;
	err = open_output(w, r);
	if (err) {
		writer_free(w);
		return err;
	}
	*out = w;
	return 0;
}

int data_part(struct data_writer *w, struct data_writer **part, struct reason *r)
{
	const u64 version = 1;
	struct data_writer *p =
		writer_new(w->ctx, xasprintf("%s.%zu", w->path, w->parts.count));
	int err;

	p->part = true;
	err = open_output(p, r);
	if (!err && w->level)
		err = data_compress(p, w->level, r);
	if (err) {
		writer_free(p);
		return err;
	}
	data_feature_set(w, FEATURE_DIR_FORMAT, &version, sizeof(version));
	vec_push(&w->parts, p);
	*part = p;
	return 0;
}

static bool write_data_size(const struct data_writer *w)
{
	u64 size = load_u64(&w->written, w->swap);

	return pwrite(w->fd, &size, 8, DATA_SIZE_AT) == 8;
}

/* Sections that were built here; a stream's build-ids are sent as records later. */
static void order_features(struct data_writer *w)
{
	for (unsigned i = 0; w->swap && i < FEATURE_BITS; i++) {
		if (!w->has_feature[i] || w->ordered_feature[i] || (w->pipe && i == FEATURE_BUILD_ID))
			continue;
		order_feature(i, w->features[i].s, w->features[i].len, w->big);
		w->ordered_feature[i] = true;
	}
}

/* Say why, once; later calls fail with the same error. */
static int write_failed(struct data_writer *w, int err, struct reason *r)
{
	w->err = err;
	reason_errno(r, err, "cannot write '%s'", w->path);
	if (err == ENOSPC || err == EDQUOT || err == EFBIG)
		reason_hint(r, "what was written so far can be read; "
			    "make room, or write to another file system with -o");
	return -err;
}

/*
 * The disk took a part of a write: take back the record that is cut, and say the
 * size, which needs no room.  Whatever fails here fails for the reason that is
 * told already.
 */
static void save_what_is_there(struct data_writer *w)
{
	off_t end = (off_t)(w->begin + w->written);

	if (ftruncate(w->fd, end) || lseek(w->fd, end, SEEK_SET) != end || w->part)
		return;
	if (write_data_size(w))
		w->flushed = w->written;
}

/* Its bytes count as written; should they not be, the next call learns it. */
static int give_behind(struct data_writer *w, const struct iovec *v, int n, u64 *done, struct reason *r)
{
	int err = behind_write(w->behind, v, n, w->header_written || w->part);

	if (err)
		return write_failed(w, -err, r);
	for (int i = 0; i < n; i++)
		*done += v[i].iov_len;
	return 0;
}

/* Nothing is behind any more; what could not be written is cut off. */
static int end_behind(struct data_writer *w, struct reason *r)
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
	return w->err ? -w->err : write_failed(w, -err, r);
}

int data_write_behind(struct data_writer *w, unsigned buffers, struct reason *r)
{
	return behind_new(w->fd, buffers, &w->behind, r);
}

/* *done: bytes that were written, also when it fails. */
static int write_vector(struct data_writer *w, struct iovec *v, int n, u64 *done,
			struct reason *r)
{
	if (w->err)
		return reason_errno(r, w->err, "cannot write '%s'", w->path);
	if (w->behind)
		return give_behind(w, v, n, done, r);
	while (n) {
		ssize_t got = writev(w->fd, v, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return write_failed(w, errno, r);
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

static int write_buffer(struct data_writer *w, const struct strbuf *b, struct reason *r)
{
	struct iovec v = { b->s, b->len };
	u64 done = 0;

	return b->len ? write_vector(w, &v, 1, &done, r) : 0;
}

/* How many of the first limit bytes of a, then b, are whole records. */
static u64 whole_records(const u8 *a, size_t an, const u8 *b, u64 limit)
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

int data_compress(struct data_writer *w, int level, struct reason *r)
{
	w->level = level;
	return compressor_new(level, &w->compressor, r);
}

static int write_records(struct data_writer *w, const void *a, size_t an, const void *b, size_t bn,
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
	return w->packed.len ? write_records(w, w->packed.s, w->packed.len, NULL, 0, r) : 0;
}

/* Let other threads see how far it is. */
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
	err = w->compressor ? write_packed(w, a, an, b, bn, false, r) :
			      write_records(w, a, an, b, bn, r);
	show(w);
	return err;
}

int data_write(struct data_writer *w, const void *data, size_t size, struct reason *r)
{
	return data_write2(w, data, size, NULL, 0, r);
}

/* The payload is part of data.size, yet no part of the record. */
static int write_with_payload(struct data_writer *w, struct iovec *v, int n, struct reason *r)
{
	/* what came before it stands before it */
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
		.size = padded, .offset = a->offset, .reference = a->reference,
		.idx = a->idx, .tid = a->tid, .cpu = a->cpu,
	};
	struct iovec v[4] = { { &rec, sizeof(rec) }, { (void *)a->first, a->first_size } };
	int n = 2;

	if (a->second_size)
		v[n++] = (struct iovec){ (void *)a->second, a->second_size };
	if (padded > bytes)
		v[n++] = (struct iovec){ (void *)zeros, padded - bytes };
	return write_with_payload(w, v, n, r);
}

/* Where they lie, so that a reader need not look for them. */
static void set_aux_places(struct data_writer *w)
{
	struct strbuf b = STRBUF_INIT;
	u64 n = w->aux.count;

	if (n) {
		strbuf_add(&b, &n, sizeof(n));
		strbuf_add(&b, w->aux.items, n * sizeof(*w->aux.items));
		data_feature_set(w, FEATURE_AUXTRACE, b.s, b.len);
	}
	strbuf_release(&b);
}

/* What 6.1 reads, unless an event needs the fields that came later. */
static u32 attr_size_for(const struct event_set *set)
{
	u32 size = ATTR_SIZE_VER7;

	vec_for_each(&set->list, ev) {
		if ((*ev)->attr.config4)
			return ATTR_SIZE_VER9;
		if ((*ev)->attr.config3)
			size = ATTR_SIZE_VER8;
	}
	return size;
}

static void add_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_attr(const struct data_writer *w, struct strbuf *b, const struct event *ev)
{
	struct perf_event_attr attr = ev->attr;

	attr.size = w->attr_size;
	if (w->swap)
		order_attr(&attr, w->attr_size, w->big);
	strbuf_add(b, &attr, w->attr_size);
}

/* u64 words, in the file's order */
static void add_words(const struct data_writer *w, struct strbuf *b, const u64 *words, size_t n)
{
	size_t at = b->len;

	strbuf_add(b, words, 8 * n);
	if (w->swap && n)
		order_words(b->s + at, 8 * n);
}

static void file_header(const struct data_writer *w, struct strbuf *b, const u64 bits[4])
{
	u64 attrs = HEADER_SIZE + w->ids_size;

	add_u64(b, DATA_MAGIC);
	add_u64(b, HEADER_SIZE);
	add_u64(b, w->attr_size + SECTION_SIZE);
	add_u64(b, attrs);
	add_u64(b, w->attrs_size);
	add_u64(b, w->begin);
	add_u64(b, w->flushed);
	add_u64(b, 0); /* event types: not written since 3.10 */
	add_u64(b, 0);
	for (unsigned i = 0; i < 4; i++)
		add_u64(b, bits[i]);
	if (w->swap)
		order_words(b->s, b->len);
}

/* Records of a stream's header: u64 words behind the header are brought in order, too. */
static void order_from(const struct data_writer *w, struct strbuf *b, size_t at, unsigned words)
{
	if (w->swap)
		order_records(b->s + at, b->len - at, words);
}

static void place_sections(struct data_writer *w, const struct event_set *set)
{
	w->attr_size = attr_size_for(set);
	vec_for_each(&set->list, ev)
		w->ids_size += 8 * (*ev)->ids.count;
	w->attrs_size = set->list.count * (u64)(w->attr_size + SECTION_SIZE);
	w->begin = HEADER_SIZE + w->ids_size + w->attrs_size;
}

static int write_file_header(struct data_writer *w, const struct event_set *set,
			     struct reason *r)
{
	static const u64 none[4];
	struct strbuf b = STRBUF_INIT;
	u64 ids = HEADER_SIZE;
	int err;

	place_sections(w, set);
	file_header(w, &b, none);
	vec_for_each(&set->list, ev)
		add_words(w, &b, (*ev)->ids.items, (*ev)->ids.count);
	vec_for_each(&set->list, ev) {
		const u64 section[2] = { ids, 8 * (*ev)->ids.count };

		add_attr(w, &b, *ev);
		add_words(w, &b, section, 2);
		ids += 8 * (*ev)->ids.count;
	}
	err = write_buffer(w, &b, r);
	strbuf_release(&b);
	return err;
}

static void add_record_header(struct strbuf *b, u32 type, u16 misc, size_t size)
{
	struct record_header h = { .type = type, .misc = misc, .size = (u16)size };

	strbuf_add(b, &h, sizeof(h));
}

/* A record's size field has 16 bits. */
static bool fits_record(size_t size)
{
	return size <= UINT16_MAX - 7;
}

static int stream_attrs(struct data_writer *w, struct strbuf *b, const struct event_set *set,
			struct reason *r)
{
	vec_for_each(&set->list, e) {
		const struct event *ev = *e;
		size_t size = 8 + w->attr_size + 8 * ev->ids.count;

		if (!fits_record(size))
			return reason_set(r, E2BIG, "event '%s' has %zu ids, too many for a stream; "
					  "record into a file", ev->name, ev->ids.count);
		add_record_header(b, PERF_RECORD_HEADER_ATTR, 0, size);
		order_from(w, b, b->len - 8, 0);
		add_attr(w, b, ev);
		add_words(w, b, ev->ids.items, ev->ids.count);
	}
	return 0;
}

static void stream_feature(const struct data_writer *w, struct strbuf *b, unsigned id,
			   const struct strbuf *f)
{
	size_t size = ALIGN_UP(16 + f->len, 8);
	const u64 word = id;

	if (!fits_record(size))
		return;
	add_record_header(b, PERF_RECORD_HEADER_FEATURE, 0, size);
	order_from(w, b, b->len - 8, 0);
	add_words(w, b, &word, 1);
	strbuf_add(b, f->s, f->len);
	strbuf_pad(b, 0, (int)(size - 16 - f->len));
}

static void stream_tracing_data(const struct data_writer *w, struct strbuf *b,
				const struct strbuf *f)
{
	size_t size = ALIGN_UP(f->len, 8);
	u32 words[2] = { load_u32(&(u32){ (u32)size }, w->swap), 0 };

	add_record_header(b, PERF_RECORD_HEADER_TRACING_DATA, 0, 16);
	order_from(w, b, b->len - 8, 0);
	strbuf_add(b, words, sizeof(words));
	strbuf_add(b, f->s, f->len);
	strbuf_pad(b, 0, (int)(size - f->len));
}

static int write_stream_header(struct data_writer *w, const struct event_set *set,
			       struct reason *r)
{
	const u64 head[2] = { DATA_MAGIC, PIPE_HEADER_SIZE };
	struct strbuf b = STRBUF_INIT;
	size_t updates;
	int err;

	w->attr_size = attr_size_for(set);
	order_features(w);
	add_words(w, &b, head, 2);
	w->begin = PIPE_HEADER_SIZE;
	err = stream_attrs(w, &b, set, r);
	for (unsigned i = FEATURE_HOSTNAME; i < FEATURE_OURS; i++)
		if (w->has_feature[i])
			stream_feature(w, &b, i, &w->features[i]);
	if (w->has_feature[FEATURE_TRACING_DATA])
		stream_tracing_data(w, &b, &w->features[FEATURE_TRACING_DATA]);
	updates = b.len;
	record_build_event_updates(&b, set);
	if (w->swap)
		order_event_updates(b.s + updates, b.len - updates);
	if (!err)
		err = write_buffer(w, &b, r);
	strbuf_release(&b);
	return err;
}

/* Readers make room for that many bytes from one record. */
static void set_compressed(struct data_writer *w)
{
	struct strbuf b = STRBUF_INIT;
	u64 taken = data_taken(w), written = data_written(w);

	feature_add_u32(&b, 1); /* version */
	feature_add_u32(&b, 1); /* zstd */
	feature_add_u32(&b, (u32)w->level);
	feature_add_u32(&b, written ? (u32)((taken + written / 2) / written) : 1);
	feature_add_u32(&b, COMPRESSOR_MOST_IN);
	data_feature_set(w, FEATURE_COMPRESSED, b.s, b.len);
	strbuf_release(&b);
}

/*
 * Room on the disk for what stands at the file's end, so that a recording that filled it
 * can still be closed well.  File systems that cannot do this go without.
 */
static void reserve_room(struct data_writer *w)
{
	const char *slash = strrchr(w->path, '/');
	char *dir = slash ? xstrndup(w->path, (size_t)(slash - w->path) + 1) : xstrdup(".");
	u64 bytes = RESERVE_BYTES;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		bytes += w->features[i].len;
	w->reserve_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (w->reserve_fd >= 0 && fallocate(w->reserve_fd, 0, 0, (off_t)bytes)) {
		close(w->reserve_fd);
		w->reserve_fd = -1;
	}
	free(dir);
}

static void give_back_room(struct data_writer *w)
{
	if (w->reserve_fd >= 0)
		close(w->reserve_fd);
	w->reserve_fd = -1;
}

int data_write_header(struct data_writer *w, const struct event_set *set, struct reason *r)
{
	int err;

	if (w->compressor)
		set_compressed(w);
	err = w->pipe ? write_stream_header(w, set, r) : write_file_header(w, set, r);

	w->header_written = !err;
	if (!err && !w->pipe)
		reserve_room(w);
	if (w->behind)
		behind_begin(w->behind, w->pipe ? 0 : DATA_SIZE_AT);
	return err;
}

int data_flush(struct data_writer *w, struct reason *r)
{
	int err = w->compressor ? write_packed(w, NULL, 0, NULL, 0, true, r) : 0;

	show(w);
	if (err || w->pipe || w->part || w->behind || w->flushed == w->written)
		return err; /* behind: the thread says the size when it is true */
	if (!write_data_size(w))
		return write_failed(w, errno, r);
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

void data_feature_set(struct data_writer *w, unsigned feature, const void *data, size_t size)
{
	strbuf_clear(&w->features[feature]);
	strbuf_add(&w->features[feature], data, size);
	w->has_feature[feature] = true;
	w->ordered_feature[feature] = false;
}

void data_feature_copy(struct data_writer *w, unsigned feature, const void *data, size_t size)
{
	data_feature_set(w, feature, data, size);
	w->ordered_feature[feature] = true;
}

void data_set_other_order(struct data_writer *w)
{
	w->swap = true;
	w->big = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void data_feature_set_string(struct data_writer *w, unsigned feature, const char *s)
{
	struct strbuf b = STRBUF_INIT;

	feature_add_text(&b, s);
	data_feature_set(w, feature, b.s, b.len);
	strbuf_release(&b);
}

/* The table and the sections behind it; first TRACING_DATA, as perf's readers expect. */
static void build_features(const struct data_writer *w, struct strbuf *b, u64 bits[4])
{
	u64 at = w->begin + w->written;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		at += w->has_feature[i] ? SECTION_SIZE : 0;
	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		if (!w->has_feature[i])
			continue;
		bits[i / 64] |= BIT64(i % 64);
		add_words(w, b, (const u64[]){ at, w->features[i].len }, 2);
		at += w->features[i].len;
	}
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		if (w->has_feature[i])
			strbuf_add(b, w->features[i].s, w->features[i].len);
}

int data_settle(struct data_writer *w, struct reason *r)
{
	int err = data_flush(w, r);

	vec_for_each(&w->parts, p)
		if (!err)
			err = data_settle(*p, r);
	if (err)
		return err;
	err = end_behind(w, r);
	/* what the thread has written the header says now */
	return err ? err : data_flush(w, r);
}

static int finish_file(struct data_writer *w, struct reason *r)
{
	struct strbuf b = STRBUF_INIT, head = STRBUF_INIT;
	u64 bits[4] = { 0 };
	int err = data_settle(w, r);

	if (err || !w->header_written)
		return err;
	if (w->compressor)
		set_compressed(w);
	set_aux_places(w);
	order_features(w);
	build_features(w, &b, bits);
	err = write_buffer(w, &b, r);
	file_header(w, &head, bits);
	if (!err && pwrite(w->fd, head.s, head.len, 0) != (ssize_t)head.len)
		err = write_failed(w, errno, r);
	strbuf_release(&b);
	strbuf_release(&head);
	return err;
}

/* As records of a stream's header: never compressed. */
int data_send_build_ids(struct data_writer *w, struct reason *r)
{
	struct strbuf *f = &w->features[FEATURE_BUILD_ID];
	u32 type = PERF_RECORD_HEADER_BUILD_ID;
	int err;

	if (!w->pipe || !f->len)
		return 0;
	for (size_t at = 0; at + 8 <= f->len; at += load_u16(f->s + at + 6, false))
		memcpy(f->s + at, &type, sizeof(type));
	if (w->swap)
		order_build_ids(f->s, f->len);
	err = write_records(w, f->s, f->len, NULL, 0, r);
	strbuf_clear(f);
	return err;
}

/* A recorder knows its build-ids at the end only. */
static int finish_stream(struct data_writer *w, struct reason *r)
{
	int err = data_settle(w, r);

	return err ? err : data_send_build_ids(w, r);
}

static int close_writer(struct data_writer *w, struct reason *r)
{
	int err = end_behind(w, r);

	vec_for_each(&w->parts, p)
		if (close_writer(*p, err ? NULL : r) && !err)
			err = -EIO;
	give_back_room(w);
	vec_release(&w->parts);
	vec_release(&w->aux);
	if (!w->pipe && close(w->fd) && !w->err && !err)
		err = write_failed(w, errno, r);
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		strbuf_release(&w->features[i]);
	compressor_free(w->compressor);
	strbuf_release(&w->packed);
	writer_free(w);
	return err;
}

int data_finish(struct data_writer *w, struct reason *r)
{
	int err = 0, full = w->err, closed;

	if (full)
		err = reason_errno(r, full, "cannot write '%s'", w->path);
	/* what is reserved has room for the rest */
	if (w->reserve_fd >= 0 && (full == ENOSPC || full == EDQUOT))
		w->err = 0;
	give_back_room(w);
	if (w->pipe && !full)
		err = finish_stream(w, r);
	else if (!w->pipe)
		closed = finish_file(w, full ? NULL : r), err = err ? err : closed;
	closed = close_writer(w, err ? NULL : r);
	return err ? err : closed;
}

void data_abandon(struct data_writer *w)
{
	close_writer(w, NULL);
}
