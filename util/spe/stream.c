// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes a stream with traces in two passes, as it does a file: the stream is first copied to a
 * file unchanged. A stream without traces is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "data/reader.h"
#include "spe/internal.h"

struct spooling {
	struct data_reader *in;
	int fd;
	struct reason *r;
};

static int put(struct spooling *s, const void *p, size_t n)
{
	int err = write_all(s->fd, p, n);

	return err ? reason_errno(s->r, -err, "cannot keep the stream in a temporary file") : 0;
}

static int put_padded(struct spooling *s, const void *p, size_t n, size_t whole)
{
	static const u8 zeros[8];
	int err = put(s, p, n);

	return err ? err : put(s, zeros, MIN(whole - n, sizeof(zeros)));
}

/* Writes the data that follows a record outside of its size. */
static int put_payload(struct spooling *s, const struct record *rec)
{
	struct data_chunk payload;
	const void *tracing;
	size_t size = 0;
	int err;

	if (rec->type == PERF_RECORD_HEADER_TRACING_DATA) {
		tracing = data_feature(s->in, FEATURE_TRACING_DATA, &size);
		return tracing ? put_padded(s, tracing, size, ALIGN_UP(size, 8)) : 0;
	}
	if (rec->type != PERF_RECORD_AUXTRACE)
		return 0;
	err = data_payload(s->in, rec, &payload, s->r);
	if (err)
		return err;
	err = put(s, payload.data, payload.size);
	data_chunk_release(&payload);
	return err;
}

static int put_chunk(struct spooling *s, const struct data_chunk *c)
{
	struct record rec;
	size_t at = 0;
	int err = 0;

	while (!err && data_chunk_record(c, &at, &rec)) {
		err = put(s, rec.data, rec.size);
		if (!err)
			err = put_payload(s, &rec);
	}
	return err;
}

static int put_stream(struct spooling *s)
{
	const u64 header[2] = { 0x32454c4946524550ULL, 16 };
	struct data_chunk c;
	int got, err = put(s, header, sizeof(header));

	while (!err && (got = data_next(s->in, &c, s->r)) != 0) {
		if (got < 0)
			return got;
		err = put_chunk(s, &c);
		data_chunk_release(&c);
	}
	return err;
}

/*
 * Stops at the first sample or trace, or at the first record that shows whether there are traces.
 */
static bool decides(void *arg, const struct record *rec)
{
	bool *traced = arg;

	switch (rec->type) {
	case PERF_RECORD_AUXTRACE_INFO:
		*traced |= spe_is_info(rec);
		return *traced;
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_AUX:
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_FINISHED_ROUND:
	case PERF_RECORD_FINISHED_INIT:
		return true;
	default:
		return false;
	}
}

/* Reports whether an event may write traces: its PMU has a dynamic number. */
static bool may_trace(const struct event_set *set)
{
	vec_for_each(&set->list, ev)
		if ((*ev)->attr.type > PERF_TYPE_BREAKPOINT)
			return true;
	return false;
}

int spe_decode_stream(struct context *ctx, struct data_reader *in, unsigned wanted, char **out,
		      struct reason *r)
{
	struct spooling s = { .in = in, .r = r };
	bool traced = false;
	char *path;
	int err;

	*out = NULL;
	if (data_is_swapped(in) || !may_trace(data_events(in)))
		return 0;
	err = data_read_until(in, decides, &traced, r);
	if (err || !traced)
		return err;
	path = spe_temporary_path(r);
	if (!path)
		return -EIO;
	s.fd = open(path, O_WRONLY | O_CLOEXEC);
	err = s.fd < 0 ? reason_errno(r, errno, "cannot write '%s'", path) : put_stream(&s);
	if (s.fd >= 0 && close(s.fd) && !err)
		err = reason_errno(r, errno, "cannot write '%s'", path);
	if (!err)
		err = spe_decode_file(ctx, path, true, wanted, out, r);
	spe_remove(path);
	return err;
}
