// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MMAP2 records out of /proc/PID/maps, parsed by hand: this is most of the time
 * that a recorder needs to start on a busy machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/internal.h"

struct map_line {
	u64 start, end, pgoff, ino;
	u32 maj, min, prot, flags;
	const char *name;
	size_t name_len;
};

static const char *take_hex(const char *p, u64 *v)
{
	u64 n = 0;

	for (;; p++) {
		unsigned c = (unsigned char)*p, d;

		if (c - '0' < 10)
			d = c - '0';
		else if (c - 'a' < 6)
			d = c - 'a' + 10;
		else
			break;
		n = n << 4 | d;
	}
	*v = n;
	return p;
}

static const char *take_dec(const char *p, u64 *v)
{
	u64 n = 0;

	while ((unsigned)(*p - '0') < 10)
		n = n * 10 + (unsigned)(*p++ - '0');
	*v = n;
	return p;
}

/* "START-END rwxp OFFSET MAJ:MIN INODE   NAME"; false when it is not that. */
static bool parse_map_line(const char *p, const char *end, struct map_line *m)
{
	u64 v;

	p = take_hex(p, &m->start);
	if (*p++ != '-')
		return false;
	p = take_hex(p, &m->end);
	if (*p++ != ' ' || end - p < 5)
		return false;
	m->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
		  (p[2] == 'x' ? PROT_EXEC : 0);
	m->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	p = take_hex(p + 5, &m->pgoff);
	p = take_hex(p + 1, &v);
	m->maj = (u32)v;
	p = take_hex(p + 1, &v);
	m->min = (u32)v;
	p = take_dec(p + 1, &m->ino);
	while (p < end && *p == ' ')
		p++;
	m->name = p;
	m->name_len = (size_t)(end - p);
	return p <= end && m->end > m->start;
}

static void name_nameless(struct map_line *m)
{
	static const char huge[] = "/anon_hugepage";

	if (!m->name_len || (m->name_len >= sizeof(huge) - 1 &&
			     !memcmp(m->name, huge, sizeof(huge) - 1))) {
		m->name = "//anon";
		m->name_len = 6;
	}
}

static void add_mmap2(struct strbuf *out, pid_t pid, size_t id_size, const struct map_line *m)
{
	u16 misc = PERF_RECORD_MISC_USER;
	size_t at;

	if (!(m->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	at = record_begin(out, PERF_RECORD_MMAP2, misc);
	record_u32(out, (u32)pid);
	record_u32(out, (u32)pid);
	record_u64(out, m->start);
	record_u64(out, m->end - m->start);
	record_u64(out, m->pgoff);
	record_u32(out, m->maj);
	record_u32(out, m->min);
	record_u64(out, m->ino);
	record_u64(out, 0); /* ino_generation is not in /proc */
	record_u32(out, m->prot);
	record_u32(out, m->flags);
	record_string(out, m->name, m->name_len);
	record_end(out, at, id_size);
}

static int read_maps(pid_t pid, struct strbuf *text)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	strbuf_clear(text);
	while ((n = read(fd, strbuf_grow(text, 65536), 65536)) > 0)
		text->len += (size_t)n;
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

int synth_maps(struct strbuf *out, pid_t pid, size_t id_size, bool data, struct strbuf *text)
{
	int err = read_maps(pid, text);
	const char *line, *last;

	if (err || !text->len)
		return err;
	strbuf_grow(text, 1)[0] = 0;
	last = text->s + text->len;
	for (line = text->s; line < last;) {
		const char *end = memchr(line, '\n', (size_t)(last - line));
		struct map_line m;

		if (!end)
			end = last;
		if (parse_map_line(line, end, &m) &&
		    ((m.prot & PROT_EXEC) || (data && (m.prot & PROT_READ)))) {
			name_nameless(&m);
			add_mmap2(out, pid, id_size, &m);
		}
		line = end + 1;
	}
	return 0;
}
