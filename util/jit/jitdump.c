// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Header: u32 magic, version, total_size, elf_mach, pad, pid; u64 timestamp, flags.
 * Record: u32 id, total_size; u64 timestamp; then by id
 *	LOAD: u32 pid, tid; u64 vma, code_addr, code_size, code_index; name; code
 *	MOVE: u32 pid, tid; u64 vma, old_code_addr, new_code_addr, code_size, code_index
 *	DEBUG_INFO: u64 code_addr, nr_entry; each: u64 addr; u32 line, discriminator; name
 *	UNWINDING_INFO: u64 unwinding_size, eh_frame_hdr_size, mapped_size; data
 * The last two belong to the LOAD that follows them.
 */
#include "jit/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/vec.h"
#include "jit/internal.h"

enum {
	MAGIC = 0x4A695444,
	HEADER = 40,
	PREFIX = 16, /* the bytes that begin each record */
	FLAG_CYCLES = 1,
	LONGEST = 1 << 28, /* longest record in bytes: no function comes near it */
};
enum { ID_LOAD, ID_MOVE, ID_DEBUG_INFO, ID_CLOSE, ID_UNWINDING_INFO };

struct bytes {
	u8 *data;
	size_t size, space;
};

/* Records have some hundred bytes each, so the file is read in larger pieces. */
enum { WINDOW = 1 << 16 };

struct jitdump {
	char *path;
	int fd;
	u8 *window;
	u64 window_at;
	size_t window_size;
	u64 at;
	bool ended;
	struct jit_format format;
	u32 pid;
	u64 time, flags;
	struct bytes record, debug, unwind; /* debug, unwind: of the next LOAD; size 0: none */
	VEC(struct jit_line) lines;
};

const struct jit_format *jitdump_format(const struct jitdump *d)
{
	return &d->format;
}

u32 jitdump_pid(const struct jitdump *d)
{
	return d->pid;
}

u64 jitdump_time(const struct jitdump *d)
{
	return d->time;
}

u64 jitdump_size(const struct jitdump *d)
{
	struct stat st;

	return fstat(d->fd, &st) || st.st_size < 0 ? 0 : (u64)st.st_size;
}

u64 jitdump_position(const struct jitdump *d)
{
	return d->at;
}

bool jitdump_in_cycles(const struct jitdump *d)
{
	return d->flags & FLAG_CYCLES;
}

static bool in_window(const struct jitdump *d, u64 at, size_t n)
{
	return at >= d->window_at && at - d->window_at <= d->window_size &&
	       n <= d->window_size - (size_t)(at - d->window_at);
}

/*
 * Reads the file from there on, up to the size of a window. What was written does not change any
 * more.
 */
static void move_window(struct jitdump *d, u64 at)
{
	ssize_t got;

	if (!d->window)
		d->window = xmalloc(WINDOW);
	do
		got = pread(d->fd, d->window, WINDOW, (off_t)at);
	while (got < 0 && errno == EINTR);
	d->window_at = at;
	d->window_size = got > 0 ? (size_t)got : 0;
}

static int read_at(struct jitdump *d, u64 at, void *p, size_t n)
{
	size_t done = 0;

	if (n <= WINDOW && !in_window(d, at, n))
		move_window(d, at);
	if (in_window(d, at, n)) {
		memcpy(p, d->window + (at - d->window_at), n);
		return 0;
	}

	while (done < n) {
		ssize_t got = pread(d->fd, (u8 *)p + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

static bool is_narrow(u16 machine)
{
	return machine == EM_386 || machine == EM_ARM || machine == EM_MIPS || machine == EM_PPC ||
	       machine == EM_SPARC;
}

static int read_header(struct jitdump *d, struct reason *r)
{
	u8 h[HEADER];
	bool swap;
	u32 size, version;

	if (read_at(d, 0, h, sizeof(h)))
		return reason_set(r, EINVAL, "'%s' is too short for a jitdump file", d->path);
	if (load_u32(h, false) != MAGIC && load_u32(h, true) != MAGIC)
		return reason_set(r, EINVAL, "'%s' is not a jitdump file", d->path);
	swap = load_u32(h, false) != MAGIC;
	version = load_u32(h + 4, swap);
	size = load_u32(h + 8, swap);
	if (version != 1)
		return reason_set(r, ENOTSUP,
				  "'%s' has version %u of jitdump, and only version 1 is known",
				  d->path, version);
	if (size < HEADER)
		return reason_set(r, EINVAL, "'%s' has a header of %u bytes", d->path, size);
	d->format = (struct jit_format){ .machine = (u16)load_u32(h + 12, swap), .swap = swap };
	d->format.is64 = !is_narrow(d->format.machine);
	d->pid = load_u32(h + 20, swap);
	d->time = load_u64(h + 24, swap);
	d->flags = load_u64(h + 32, swap);
	d->at = size;
	return 0;
}

int jitdump_open(const char *path, struct jitdump **out, struct reason *r)
{
	struct jitdump *d = xcalloc(1, sizeof(*d));
	struct stat st;
	int err = 0;

	d->path = xstrdup(path);
	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (d->fd < 0)
		err = reason_errno(r, errno, "cannot open '%s'", path);
	else if (fstat(d->fd, &st) || !S_ISREG(st.st_mode))
		err = reason_set(r, EINVAL, "'%s' is not a file", path);
	if (!err)
		err = read_header(d, r);
	if (err) {
		jitdump_close(d);
		return err;
	}
	*out = d;
	return 0;
}

int jitdump_check_owner(const struct jitdump *d, struct reason *r)
{
	return file_check_owner(d->fd, d->path, r);
}

struct jitdump *jitdump_again(const struct jitdump *d, u64 position)
{
	struct jitdump *again = xcalloc(1, sizeof(*again));

	again->path = xstrdup(d->path);
	again->fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 0);
	again->at = position;
	again->format = d->format;
	again->ended = again->fd < 0;
	return again;
}

void jitdump_close(struct jitdump *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	free(d->window);
	free(d->record.data);
	free(d->debug.data);
	free(d->unwind.data);
	vec_release(&d->lines);
	free(d->path);
	free(d);
}

/*
 * Reads the next record. Returns 1 if d->record holds it, 0 if it is not there yet, -EINVAL if it
 * is damaged.
 */
static int read_record(struct jitdump *d, struct reason *r)
{
	struct stat st;
	u8 p[8];
	u32 size;

	if (read_at(d, d->at, p, sizeof(p)))
		return 0;
	size = load_u32(p + 4, d->format.swap);
	if (size < PREFIX || size > LONGEST) {
		d->ended = true;
		return reason_set(r, EINVAL, "'%s', offset %#" PRIx64 ": a record of %u bytes",
				  d->path, d->at, size);
	}
	/* do not allocate what a record claims before its bytes are there */
	if (!in_window(d, d->at, size) && (fstat(d->fd, &st) || (u64)st.st_size < d->at + size))
		return 0;
	if (size > d->record.space) {
		d->record.data = xrealloc(d->record.data, size);
		d->record.space = size;
	}
	if (read_at(d, d->at, d->record.data, size))
		return 0;
	d->record.size = size;
	d->at += size;
	return 1;
}

static int too_short(struct jitdump *d, const char *what, struct reason *r)
{
	d->ended = true;
	return reason_set(r, EINVAL,
			  "'%s', offset %#" PRIx64 ": a %s record of %zu bytes is too short",
			  d->path, d->at - d->record.size, what, d->record.size);
}

static void keep(struct bytes *to, const struct bytes *from)
{
	if (from->size > to->space) {
		to->data = xrealloc(to->data, from->size);
		to->space = from->size;
	}
	memcpy(to->data, from->data, from->size);
	to->size = from->size;
}

/* Reads the lines of a function. "\xff" stands for the name in the entry before. */
static void take_lines(struct jitdump *d, struct jit_entry *e)
{
	const struct bytes *b = &d->debug;
	bool swap = d->format.swap;
	size_t at = PREFIX + 16;
	const char *last = "";
	u64 n;

	vec_clear(&d->lines);
	if (b->size < at || load_u64(b->data + PREFIX, swap) != e->addr)
		return;
	n = load_u64(b->data + PREFIX + 8, swap);
	for (u64 i = 0; i < n && b->size - at > 16; i++) {
		const char *name = (const char *)b->data + at + 16;
		const char *end = memchr(name, 0, b->size - at - 16);

		if (!end)
			break;
		if (strcmp(name, "\xff"))
			last = name;
		vec_push(&d->lines, (struct jit_line){ load_u64(b->data + at, swap),
						       load_u32(b->data + at + 8, swap), last });
		at = (size_t)(end + 1 - (const char *)b->data);
	}
	e->lines = d->lines.items;
	e->line_count = d->lines.count;
}

static void take_unwinding(const struct jitdump *d, struct jit_entry *e)
{
	enum { FIXED = PREFIX + 24 };
	const struct bytes *b = &d->unwind;
	u64 size, header;

	if (b->size < FIXED)
		return;
	size = load_u64(b->data + PREFIX, d->format.swap);
	header = load_u64(b->data + PREFIX + 8, d->format.swap);
	if (size > b->size - FIXED || header > size)
		return;
	e->eh_frame = b->data + FIXED;
	e->eh_frame_size = (size_t)(size - header);
	e->eh_frame_hdr = e->eh_frame + e->eh_frame_size;
	e->eh_frame_hdr_size = (size_t)header;
	e->mapped_size = load_u64(b->data + PREFIX + 16, d->format.swap);
}

static int take_load(struct jitdump *d, struct jit_entry *e, struct reason *r)
{
	enum { FIXED = PREFIX + 40 };
	const u8 *p = d->record.data, *end;
	bool swap = d->format.swap;

	if (d->record.size <= FIXED)
		return too_short(d, "CODE_LOAD", r);
	*e = (struct jit_entry){
		.kind = JIT_LOAD,
		.time = load_u64(p + 8, swap),
		.pid = load_u32(p + 16, swap),
		.tid = load_u32(p + 20, swap),
		.addr = load_u64(p + 32, swap),
		.size = load_u64(p + 40, swap),
		.index = load_u64(p + 48, swap),
		.name = (const char *)p + FIXED,
	};
	end = memchr(p + FIXED, 0, d->record.size - FIXED);
	if (!end || e->size > d->record.size - (size_t)(end + 1 - p))
		return too_short(d, "CODE_LOAD", r);
	e->code = end + 1;
	if (d->debug.size)
		take_lines(d, e);
	if (d->unwind.size)
		take_unwinding(d, e);
	d->debug.size = d->unwind.size = 0;
	return 1;
}

static int take_move(struct jitdump *d, struct jit_entry *e, struct reason *r)
{
	const u8 *p = d->record.data;
	bool swap = d->format.swap;

	if (d->record.size < PREFIX + 48)
		return too_short(d, "CODE_MOVE", r);
	*e = (struct jit_entry){
		.kind = JIT_MOVE,
		.time = load_u64(p + 8, swap),
		.pid = load_u32(p + 16, swap),
		.tid = load_u32(p + 20, swap),
		.addr = load_u64(p + 40, swap),
		.size = load_u64(p + 48, swap),
		.index = load_u64(p + 56, swap),
	};
	return 1;
}

int jitdump_next(struct jitdump *d, struct jit_entry *e, struct reason *r)
{
	int got = 0;

	while (!d->ended && (got = read_record(d, r)) == 1) {
		switch (load_u32(d->record.data, d->format.swap)) {
		case ID_LOAD:
			return take_load(d, e, r);
		case ID_MOVE:
			return take_move(d, e, r);
		case ID_CLOSE:
			d->ended = true;
			*e = (struct jit_entry){ .kind = JIT_CLOSE,
						 .time = load_u64(d->record.data + 8,
								  d->format.swap) };
			return 1;
		case ID_DEBUG_INFO:
			keep(&d->debug, &d->record);
			break;
		case ID_UNWINDING_INFO:
			keep(&d->unwind, &d->record);
			break;
		default: /* a record of a later version: nothing in it is needed */
			break;
		}
	}
	return got;
}
