// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A CTF trace: a stream for each CPU, in packets that are written when they are full, and the
 * metadata, which is written last, when all events are known.  All of it goes into a temporary
 * directory, and is put in place once it is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/temporary.h"
#include "base/text.h"
#include "builtin/data/ctf.h"

enum { PACKET_BYTES = 256 << 10, CPUS_MAX = 1 << 16, HEADER_BYTES = 24, CONTEXT_BYTES = 44 };

struct stream {
	struct strbuf events;
	u64 first, last; /* times of the packet */
	bool begun;      /* its file was made */
};

struct ctf {
	struct temporary_directory dir;
	int old; /* the directory that is there already, or -1 */
	u8 uuid[16];
	bool ready; /* formats were looked up */
	struct stream *streams;
	u32 stream_count;
};

static char *stream_name(u32 cpu)
{
	return xasprintf("perf_stream_%u", cpu);
}

static int write_packet(struct convert *c, struct ctf *t, u32 cpu, struct reason *r)
{
	struct stream *s = &t->streams[cpu];
	char *name = stream_name(cpu);
	u64 bits = (HEADER_BYTES + CONTEXT_BYTES + (u64)s->events.len) * 8, zero = 0;
	u64 context[] = { s->first, s->last, bits, bits, zero };
	const u32 magic = 0xc1fc1fc1, id = 0;
	struct strbuf head = STRBUF_INIT;
	int fd, err = 0;

	strbuf_add(&head, &magic, 4);
	strbuf_add(&head, t->uuid, 16);
	strbuf_add(&head, &id, 4);
	strbuf_add(&head, context, sizeof(context));
	strbuf_add(&head, &cpu, 4);
	fd = openat(t->dir.fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		err = -errno;
	if (!err)
		err = write_all(fd, head.s, head.len);
	if (!err)
		err = write_all(fd, s->events.s, s->events.len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		reason_errno(r, -err, "cannot write '%s/%s'", c->s->to_ctf, name);
	s->begun = true;
	strbuf_clear(&s->events);
	strbuf_release(&head);
	free(name);
	return err;
}

/*
 * Returns the stream of a CPU. A number that no machine has comes from a damaged sample and selects
 * the first stream.
 */
static struct stream *stream_of(struct ctf *t, u32 *cpu)
{
	if (*cpu >= CPUS_MAX)
		*cpu = 0;
	if (*cpu >= t->stream_count) {
		u32 count = *cpu + 1;

		t->streams = xreallocarray(t->streams, count, sizeof(*t->streams));
		memset(t->streams + t->stream_count, 0,
		       (count - t->stream_count) * sizeof(*t->streams));
		t->stream_count = count;
	}
	return &t->streams[*cpu];
}

static struct strbuf *begin_event(struct stream *s, u32 id, u64 time)
{
	if (!s->events.len)
		s->first = time;
	s->last = time;
	strbuf_add(&s->events, &id, sizeof(id));
	strbuf_add(&s->events, &time, sizeof(time));
	return &s->events;
}

static int end_event(struct convert *c, u32 cpu, struct reason *r)
{
	struct ctf *t = c->writer;

	return t->streams[cpu].events.len < PACKET_BYTES ? 0 : write_packet(c, t, cpu, r);
}

static void get_ready(struct convert *c, struct ctf *t)
{
	if (!t->ready)
		c->formats = data_tracepoints(c->data, NULL);
	t->ready = true;
}

static int ctf_sample(struct convert *c, const struct session_sample *ss, struct reason *r)
{
	struct ctf *t = c->writer;
	u32 cpu = ss->sample->id.cpu;
	struct stream *s = stream_of(t, &cpu);

	get_ready(c, t);
	ctf_payload(c, ss->sample, begin_event(s, ss->sample->event->index, ss->sample->id.time));
	return end_event(c, cpu, r);
}

static void put32(struct strbuf *b, u32 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put_string(struct strbuf *b, const char *s)
{
	strbuf_printable(b, s);
	strbuf_char(b, '\0');
}

static int put_task(struct convert *c, const struct record *rec, u32 id, u64 time, struct stream *s,
		    struct reason *r)
{
	struct record_task task;
	struct strbuf *b;
	int err = record_get_task(session_events(c->session), rec, &task, r);

	if (err)
		return err;
	b = begin_event(s, id, time);
	put32(b, task.pid);
	put32(b, task.ppid);
	put32(b, task.tid);
	put32(b, task.ptid);
	put64(b, task.time);
	return 0;
}

static int put_mmap(struct convert *c, const struct record *rec, u32 id, u64 time, struct stream *s,
		    struct reason *r)
{
	struct record_mmap map;
	struct strbuf *b;
	int err = record_get_mmap(session_events(c->session), rec, &map, r);

	if (err)
		return err;
	b = begin_event(s, id, time);
	put32(b, map.pid);
	put32(b, map.tid);
	put64(b, map.start);
	put_string(b, map.filename);
	return 0;
}

static int put_comm(struct convert *c, const struct record *rec, u32 id, u64 time, struct stream *s,
		    struct reason *r)
{
	struct record_comm comm;
	struct strbuf *b;
	int err = record_get_comm(session_events(c->session), rec, &comm, r);

	if (err)
		return err;
	b = begin_event(s, id, time);
	put32(b, comm.pid);
	put32(b, comm.tid);
	put_string(b, comm.comm);
	return 0;
}

static int ctf_record(struct convert *c, const struct record *rec, u64 time, struct reason *r)
{
	u32 first = (u32)session_events(c->session)->list.count, cpu = 0;
	struct stream *s = stream_of(c->writer, &cpu);
	int err;

	switch (rec->type) {
	case PERF_RECORD_COMM:
		err = put_comm(c, rec, first + CTF_COMM, time, s, r);
		break;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
		err = put_task(c, rec,
			       first + (rec->type == PERF_RECORD_EXIT ? CTF_EXIT : CTF_FORK), time,
			       s, r);
		break;
	default:
		err = put_mmap(c, rec,
			       first + (rec->type == PERF_RECORD_MMAP ? CTF_MMAP : CTF_MMAP2), time,
			       s, r);
	}
	/* a damaged record was reported when the history read it */
	if (err) {
		reason_release(r);
		return 0;
	}
	return end_event(c, cpu, r);
}

/* Opens the directory if it exists, which stays as it is for now; refuses it without --force. */
static int open_old(struct convert *c, struct ctf *t, struct reason *r)
{
	const char *path = c->s->to_ctf;
	struct stat st;

	t->old = -1;
	if (lstat(path, &st) && errno == ENOENT)
		return 0;
	if (!c->s->a.open.force) {
		reason_set(r, EEXIST, "the output '%s' exists", path);
		reason_hint(r, "--force replaces what is in it");
		return -EEXIST;
	}
	t->old = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return t->old < 0 ? reason_errno(r, errno, "cannot open the directory '%s'", path) : 0;
}

/* Makes a temporary directory inside the old one, or beside the path of the new one. */
static int make_directory(struct convert *c, struct ctf *t, struct reason *r)
{
	const char *path = c->s->to_ctf;
	size_t len = strlen(path);
	char *final;
	int err = open_old(c, t, r);

	if (err)
		return err;
	while (len > 1 && path[len - 1] == '/')
		len--;
	final = xasprintf("%.*s%s", (int)len, path, t->old < 0 ? "" : "/trace");
	err = temporary_directory(&t->dir, final, 0777);
	free(final);
	return err ? reason_errno(r, -err, "cannot make the directory '%s'", path) : 0;
}

static void free_ctf(struct ctf *t)
{
	temporary_directory_end(&t->dir);
	if (t->old >= 0)
		close(t->old);
	for (u32 cpu = 0; cpu < t->stream_count; cpu++)
		strbuf_release(&t->streams[cpu].events);
	free(t->streams);
	free(t);
}

static int ctf_begin(struct convert *c, struct reason *r)
{
	struct ctf *t = c->writer = xcalloc(1, sizeof(*t));
	int err;

	t->dir = (struct temporary_directory)TEMPORARY_DIRECTORY_INIT;
	err = make_directory(c, t, r);
	if (!err && getrandom(t->uuid, sizeof(t->uuid), 0) < 0)
		memset(t->uuid, 1, sizeof(t->uuid));
	/* version 4, variant 1 of RFC 4122 */
	t->uuid[6] = (t->uuid[6] & 0x0f) | 0x40;
	t->uuid[8] = (t->uuid[8] & 0x3f) | 0x80;
	if (err)
		free_ctf(t);
	return err;
}

static int write_metadata(struct convert *c, struct ctf *t, struct reason *r)
{
	struct strbuf text = STRBUF_INIT;
	int fd = openat(t->dir.fd, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int err = fd < 0 ? -errno : 0;

	get_ready(c, t);
	ctf_metadata(c, t->uuid, &text);
	if (!err)
		err = write_all(fd, text.s, text.len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	strbuf_release(&text);
	return err ? reason_errno(r, -err, "cannot write '%s/metadata'", c->s->to_ctf) : 0;
}

static bool has_stream(const struct ctf *t, u32 cpu)
{
	return cpu < t->stream_count && t->streams[cpu].begun;
}

/* A link, a device or a directory with the name of a file of a trace is the user's. */
static bool is_foreign(const struct ctf *t, const char *name)
{
	struct stat st;

	return !fstatat(t->old, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode);
}

static int move_up(struct convert *c, struct ctf *t, const char *name, struct reason *r)
{
	/* replace-ok: a whole file of the trace that --force replaces */
	int err = renameat(t->dir.fd, name, t->old, name);

	return err ? reason_errno(r, errno, "cannot write '%s/%s'", c->s->to_ctf, name) : 0;
}

/*
 * Removes streams that an earlier conversion left in the directory, of CPUs without samples in this
 * one.
 */
static void remove_others(struct ctf *t)
{
	for (u32 cpu = 0; cpu < CPUS_MAX; cpu++) {
		char *name = has_stream(t, cpu) ? NULL : stream_name(cpu);
		bool none = name && (is_foreign(t, name) || unlinkat(t->old, name, 0));

		free(name);
		if (none && cpu > 4096)
			break;
	}
}

static int check_old(struct convert *c, const struct ctf *t, const char *name, struct reason *r)
{
	if (!is_foreign(t, name))
		return 0;
	reason_set(r, EEXIST, "'%s/%s' is not a regular file, and is not replaced", c->s->to_ctf,
		   name);
	reason_hint(r, "move it away, or name another directory");
	return -EEXIST;
}

static int check_all_old(struct convert *c, const struct ctf *t, struct reason *r)
{
	int err = check_old(c, t, "metadata", r);

	for (u32 cpu = 0; cpu < t->stream_count && !err; cpu++) {
		char *name = stream_name(cpu);

		err = check_old(c, t, name, r);
		free(name);
	}
	return err;
}

static int put_in_place(struct convert *c, struct ctf *t, struct reason *r)
{
	int err = t->old < 0 ? 0 : check_all_old(c, t, r);

	if (err)
		return err;

	if (t->old < 0) {
		err = temporary_directory_place(&t->dir, c->s->to_ctf);
		return err ? reason_errno(r, -err, "cannot make the directory '%s'", c->s->to_ctf)
			   : 0;
	}
	for (u32 cpu = 0; cpu < t->stream_count && !err; cpu++) {
		char *name = stream_name(cpu);

		err = has_stream(t, cpu) ? move_up(c, t, name, r) : 0;
		free(name);
	}
	if (!err)
		err = move_up(c, t, "metadata", r);
	if (!err)
		remove_others(t);
	return err;
}

static int ctf_end(struct convert *c, bool whole, struct reason *r)
{
	struct ctf *t = c->writer;
	int err = 0;

	for (u32 cpu = 0; cpu < t->stream_count && whole && !err; cpu++)
		if (t->streams[cpu].events.len)
			err = write_packet(c, t, cpu, r);
	if (whole && !err)
		err = write_metadata(c, t, r);
	if (whole && !err)
		err = put_in_place(c, t, r);
	free_ctf(t);
	return err;
}

const struct convert_writer ctf_writer = { ctf_begin, ctf_sample, ctf_record, ctf_end };
