// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 1 of a large file, by several threads if possible: a walk over plain records alone, which is
 * quicker than the one for everything that a file may contain.
 *
 * The records of a file are found one after the other, so the start of the second half is only
 * known once the first half was walked. Each thread but the first therefore guesses: it looks for a
 * place near the start of its part where many records follow each other, and walks on from there.
 * The guess is right exactly if the walk of the part before ends at that place, because what
 * follows depends on nothing else. From the first part whose guess was wrong, or from the first
 * record that is not plain (damaged, unknown, compressed, followed by payload), the walk on one
 * thread continues, so unusual records are handled in one place.
 *
 * The beginning of the first part is certain, so its records are reported immediately; the other
 * parts keep theirs.
 */
#include "data/split.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/self_profile.h"
#include "base/trace.h"

enum {
	HEADER = sizeof(struct record_header),
	PART_LEAST = 4 << 20, /* bytes: less is not worth a thread */
	MOST_PARTS = 16,
	SIDE_MOST = 16 << 20, /* bytes of records that a part keeps */
	ROW = 64,             /* so many records make a guess */
	AHEAD = 2048,         /* bytes: what the kernel has just copied is in no near cache */
};

/* A record that is reported after the parts before it. */
struct side {
	const u8 *data;
	u64 offset, time, before;
};

struct part_block {
	struct data_block_info info;
	u64 samples;
	size_t sides; /* up to this number they are of this block or of one before */
};

struct part {
	struct data_reader *d;
	u64 begin, limit, end; /* where it begins, where the next one does, where it stopped */
	u64 time;              /* key time of its last record */
	/* of the first part alone: receives the records */
	const struct data_scan_ops *ops;
	void *arg;
	int err; /* its result then */
	VEC(struct part_block) blocks;
	VEC(struct side) sides;
	struct arena memory; /* their bytes */
	size_t kept;         /* how many bytes that is */
	pthread_t thread;
	bool started;
};

static const struct data_file *file_of(const struct part *p)
{
	return &p->d->files.items[0];
}

/* Reads n bytes, or as many as there are. Returns how many. */
static size_t read_some(const struct data_file *f, u64 offset, u8 *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(f->fd, p + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static bool load_record(const struct part *p, const u8 *data, struct record *rec)
{
	bool swap = p->d->swap;

	*rec = (struct record){ .type = load_u32(data, swap),
				.misc = load_u16(data + 4, swap),
				.size = load_u16(data + 6, swap),
				.data = data };
	return record_plausible(rec->type, rec->size);
}

/* Reports whether the walk delivers the record unchanged. */
static bool is_plain(const struct record *rec)
{
	return rec->type != PERF_RECORD_COMPRESSED && rec->type != PERF_RECORD_COMPRESSED2 &&
	       rec->type != PERF_RECORD_AUXTRACE && rec->type != PERF_RECORD_HEADER_TRACING_DATA;
}

static void keep(struct part *p, const struct record *rec, u64 offset, u64 before)
{
	u8 *copy = arena_alloc(&p->memory, rec->size);

	memcpy(copy, rec->data, rec->size);
	p->kept += rec->size;
	vec_push(&p->sides, (struct side){ copy, offset, p->time, before });
}

/* Handles a record other than a sample, at this offset in the file. */
static void side_record(struct part *p, struct record *rec, u64 offset, u64 before)
{
	struct order_key key = { .time = p->time, .position = offset };
	int err;

	if (!p->ops) {
		keep(p, rec, offset, before);
		return;
	}
	rec->position = rec->file_offset = offset;
	err = p->ops->record(p->arg, rec, &key, before);
	p->err = MIN(err, 0);
}

/*
 * Passes the samples at p, each with its time at one fixed offset. Returns how many bytes they
 * take.
 */
static size_t pass_samples(struct part *p, const u8 *bytes, size_t n, struct part_block *b)
{
	size_t time_at = p->d->events.sample_time_at, at = 0;
	u64 time = p->time, low = b->info.min_time, high = b->info.max_time, count = 0;
	bool swap = p->d->swap;

	while (n - at >= time_at + 8) {
		const u8 *rec = bytes + at;
		u16 size = load_u16(rec + 6, swap);

		__builtin_prefetch(rec + AHEAD);
		__builtin_prefetch(rec + AHEAD + 64);
		if (load_u32(rec, swap) != PERF_RECORD_SAMPLE || size < time_at + 8 || size % 8 ||
		    size > n - at)
			break;
		time = load_u64(rec + time_at, swap);
		low = MIN(low, time);
		high = MAX(high, time);
		count++;
		at += size;
	}
	p->time = time;
	b->info.min_time = low;
	b->info.max_time = high;
	b->samples += count;
	return at;
}

/* Reads the records from bytes on. Returns false if the walk of this part ends with them. */
static bool walk_piece(struct part *p, const u8 *bytes, size_t n, struct part_block *b)
{
	size_t whole = (size_t)MIN((u64)n, p->limit - p->end), at = 0;
	bool going = true;
	struct record rec;

	while (at < whole && !p->err) {
		u64 before;

		/* a record may reach over the part's limit, but none begins there */
		at += pass_samples(p, bytes + at, whole - at, b);
		if (at >= whole || n - at < HEADER)
			break;
		going = load_record(p, bytes + at, &rec) && is_plain(&rec) && p->kept < SIDE_MOST;
		if (!going || rec.size > n - at)
			break;
		before = p->time;
		p->time = record_key_time(&p->d->events, &rec, before);
		b->info.min_time = MIN(b->info.min_time, p->time);
		b->info.max_time = MAX(b->info.max_time, p->time);
		if (rec.type == PERF_RECORD_SAMPLE)
			b->samples++;
		else
			side_record(p, &rec, p->end + at, before);
		at += rec.size;
	}
	b->info.size = at;
	return going && at;
}

static void tell_block(struct part *p, const struct part_block *b, const struct data_scan_ops *ops,
		       void *arg)
{
	struct data_scanned seen = { 0, b->info.file_offset, b->info.min_time, b->samples };

	vec_push(&p->d->blocks, b->info);
	ops->chunk(arg, &seen);
}

static void walk_part(struct part *p)
{
	struct buffer *buffer = buffer_get(&p->d->pool);
	const struct data_file *f = file_of(p);
	bool going = true;

	phase_begin("pass 1: read a part of the records");
	while (going && !p->err && p->end < p->limit && !context_cancelled(p->d->ctx)) {
		struct part_block b = { .info = { .file_offset = p->end,
						  .min_time = UINT64_MAX,
						  .first_order = p->time } };
		size_t n = read_some(f, p->end, buffer->bytes,
				     (size_t)MIN((u64)BUFFER_SIZE, f->end - p->end));

		going = walk_piece(p, buffer->bytes, n, &b);
		b.sides = p->sides.count;
		if (b.info.size && p->ops)
			tell_block(p, &b, p->ops, p->arg);
		else if (b.info.size)
			vec_push(&p->blocks, b);
		p->end += b.info.size;
	}
	phase_end_bytes(p->end - p->begin);
	buffer_put(buffer);
}

/*
 * Reports whether records begin at p. Sets *sample to the bytes up to the first of them that is a
 * sample with a time, which does not depend on the record before it.
 */
static bool is_row(const struct part *p, const u8 *bytes, size_t n, size_t *sample)
{
	size_t time_at = p->d->events.sample_time_at, at = 0;
	bool found = false;
	struct record rec;

	for (int i = 0; i < ROW; i++) {
		if (n - at < HEADER || !load_record(p, bytes + at, &rec) || rec.size > n - at)
			return false;
		if (!found && rec.type == PERF_RECORD_SAMPLE && rec.size >= time_at + 8) {
			*sample = at;
			found = true;
		}
		at += rec.size;
	}
	return found;
}

/*
 * Returns an offset, from the given one on, where records may begin, or 0 if there is none nearby.
 */
static u64 guess(const struct part *p, u64 offset)
{
	struct buffer *buffer = buffer_get(&p->d->pool);
	size_t n = read_some(file_of(p), offset, buffer->bytes, BUFFER_SIZE), sample = 0;
	u64 found = 0;

	for (size_t at = 0; !found && at < n; at += 8)
		if (is_row(p, buffer->bytes + at, n - at, &sample))
			found = offset + at + sample;
	buffer_put(buffer);
	return found;
}

static void *run_part(void *arg)
{
	walk_part(arg);
	return NULL;
}

/* Divides the file into parts, each with its start and limit. Returns how many. */
static unsigned divide(struct data_reader *d, struct part *parts)
{
	const struct data_file *f = &d->files.items[0];
	u64 most = context_workers(d->ctx), step;
	unsigned count = 1;

	if (!d->seekable || d->compressed || d->files.count != 1 || !d->events.sample_time_at ||
	    f->end < f->begin || f->end > f->size)
		return 0;
	most = MIN(MIN(most, (f->end - f->begin) / PART_LEAST), (u64)MOST_PARTS);
	if (!most)
		return 0;
	step = (f->end - f->begin) / most & ~7ULL;
	parts[0] = (struct part){ .d = d, .begin = f->begin };
	for (unsigned i = 1; i < most; i++) {
		u64 begin = guess(&parts[0], f->begin + i * step);

		if (begin <= parts[count - 1].begin || begin >= f->end)
			continue;
		parts[count - 1].limit = begin;
		parts[count++] = (struct part){ .d = d, .begin = begin };
	}
	parts[count - 1].limit = f->end;
	for (unsigned i = 0; i < count; i++)
		parts[i].end = parts[i].begin;
	return count;
}

/* Reports a part as the walk on one thread would have done, except where that has been done. */
static int tell_part(struct part *p, const struct data_scan_ops *ops, void *arg, u64 *time)
{
	size_t next = 0;
	int err = p->err;

	for (size_t i = 0; err >= 0 && i < p->blocks.count; i++) {
		struct part_block *b = &p->blocks.items[i];

		if (!i)
			b->info.first_order = *time;
		for (; err >= 0 && next < b->sides; next++) {
			const struct side *s = &p->sides.items[next];
			struct order_key key = { .time = s->time, .position = s->offset };
			struct record rec;

			load_record(p, s->data, &rec);
			rec.position = rec.file_offset = s->offset;
			err = ops->record(arg, &rec, &key, s->before);
		}
		tell_block(p, b, ops, arg);
	}
	if (p->end > p->begin)
		*time = p->time;
	p->d->walk.offset = p->end;
	return MIN(err, 0);
}

int split_scan(struct data_reader *d, const struct data_scan_ops *ops, void *arg, u64 *time)
{
	struct part parts[MOST_PARTS];
	unsigned count = divide(d, parts);
	bool good = true;
	int err = 0;

	for (unsigned i = 1; i < count; i++)
		parts[i].started = !pthread_create(&parts[i].thread, NULL, run_part, &parts[i]);
	for (unsigned i = 0; i < count; i++) {
		struct part *p = &parts[i];

		if (!i) {
			p->ops = ops;
			p->arg = arg;
			walk_part(p);
		} else if (p->started) {
			pthread_join(p->thread, NULL);
		}
		good = good && !err && (!i || (p->started && p->begin == d->walk.offset));
		if (good)
			err = tell_part(p, ops, arg, time);
		TRACE(data, "pass 1: part %u, offsets %#" PRIx64 " to %#" PRIx64 ": %s", i,
		      p->begin, p->end, good ? "taken" : "left to the walk on one thread");
		vec_release(&p->blocks);
		vec_release(&p->sides);
		arena_release(&p->memory);
	}
	return err;
}
