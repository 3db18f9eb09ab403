// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes MMAP2 records from /proc/PID/maps, which is parsed by hand: on a busy machine this takes
 * most of a recorder's start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "synth/internal.h"

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

/*
 * Parses "START-END rwxp OFFSET MAJ:MIN INODE   NAME"; false if the line does not look like that.
 */
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

	if (!m->name_len ||
	    (m->name_len >= sizeof(huge) - 1 && !memcmp(m->name, huge, sizeof(huge) - 1))) {
		m->name = "//anon";
		m->name_len = 6;
	}
}

/*
 * Reads the line of the text in [line, last), *end: where it ends; false when it is not one of a
 * maps file.
 */
static bool read_line(const char *line, const char *last, const char **end, struct map_line *m)
{
	*end = memchr(line, '\n', (size_t)(last - line));
	if (!*end)
		*end = last;
	return parse_map_line(line, *end, m);
}

static bool is_anonymous(const struct map_line *m)
{
	return !m->name_len || (m->name_len > 5 && !memcmp(m->name, "[anon", 5)) ||
	       (m->name_len >= 14 && !memcmp(m->name, "/anon_hugepage", 14));
}

static bool same_file(const struct map_line *a, const struct map_line *b)
{
	return a->ino && a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len);
}

/*
 * Finds the first mapping after a run of anonymous ones that begins at this line and has no gaps.
 * Sets *beside if it follows without a gap, too; returns false if there is none.
 */
static bool mapping_after(const char *line, const char *last, u64 start, struct map_line *out,
			  bool *beside)
{
	const char *end;

	for (; line < last; line = end + 1) {
		if (!read_line(line, last, &end, out))
			return false;
		*beside = out->start == start;
		if (!is_anonymous(out))
			return true;
		if (!*beside || !(out->prot & PROT_EXEC))
			return false;
		start = out->end;
	}
	return false;
}

/*
 * Gives anonymous code the name of the file that it was copied from. A program that has moved its
 * code to huge pages has anonymous memory in a part of its text, at 2 MB bounds, with the rest of
 * the file's mappings on both sides. The offset in the file comes from a mapping with code beside
 * the memory, or from both sides if they agree.
 */
static void name_moved_text(struct map_line *m, const struct map_line *before, const char *rest,
			    const char *last)
{
	const u64 huge = 2u << 20;
	const struct map_line *code;
	struct map_line after;
	bool beside;

	if (!is_anonymous(m) || !(m->prot & PROT_EXEC) || m->start % huge || m->end % huge ||
	    !mapping_after(rest, last, m->end, &after, &beside) || !same_file(before, &after))
		return;
	if (beside && after.prot & PROT_EXEC)
		code = &after;
	else if (before->end == m->start && before->prot & PROT_EXEC)
		code = before;
	else if (before->start - before->pgoff == after.start - after.pgoff)
		code = before;
	else
		return;
	m->pgoff = code->pgoff + (m->start - code->start);
	m->ino = code->ino;
	m->maj = code->maj;
	m->min = code->min;
	m->name = code->name;
	m->name_len = code->name_len;
}

/* Reports whether the mapped file has been deleted. */
static bool is_gone(const struct map_line *m)
{
	static const char gone[] = " (deleted)";
	const size_t n = sizeof(gone) - 1;

	return m->name_len > n && !memcmp(m->name + m->name_len - n, gone, n);
}

/*
 * Returns the build-id of the file behind a mapping. Each file is read only once, through the
 * process's own root.
 */
static const struct build_id *mapped_build_id(struct map_synth *s, pid_t pid,
					      const struct map_line *m)
{
	struct build_id id = { 0 };
	bool added;
	u64 *known = map64_put(&s->known, hash_combine(m->ino, (u64)m->maj << 32 | m->min), &added);

	if (added && m->name_len && *m->name == '/') {
		char *path =
			is_gone(m) ? xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
					       m->start, m->end)
				   : xasprintf("/proc/%d/root%.*s", pid, (int)m->name_len, m->name);

		if (!build_id_of_file(path, &id, NULL)) {
			vec_push(&s->ids, id);
			*known = s->ids.count;
		}
		free(path);
	}
	return *known ? &s->ids.items[*known - 1] : NULL;
}

/*
 * Appends a build-id instead of device, inode and generation: its size, 3 bytes of padding, 20
 * bytes.
 */
static void add_build_id(struct strbuf *out, const struct build_id *id)
{
	record_u32(out, id->size);
	strbuf_add(out, id->id, sizeof(id->id));
}

static void add_file_identity(struct strbuf *out, const struct map_line *m)
{
	record_u32(out, m->maj);
	record_u32(out, m->min);
	record_u64(out, m->ino);
	record_u64(out, 0); /* /proc does not show ino_generation */
}

static void add_mmap2(struct map_synth *s, pid_t pid, const struct map_line *m)
{
	const struct build_id *id = s->build_ids && m->ino ? mapped_build_id(s, pid, m) : NULL;
	u16 misc = PERF_RECORD_MISC_USER;
	struct strbuf *out = s->out;
	size_t at;

	if (!(m->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (id)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	at = record_begin(out, PERF_RECORD_MMAP2, misc);
	record_u32(out, (u32)pid);
	record_u32(out, (u32)pid);
	record_u64(out, m->start);
	record_u64(out, m->end - m->start);
	record_u64(out, m->pgoff);
	if (id)
		add_build_id(out, id);
	else
		add_file_identity(out, m);
	record_u32(out, m->prot);
	record_u32(out, m->flags);
	record_string(out, m->name, m->name_len);
	record_end(out, at, s->id_size);
}

/* Up to a line's end where the time is over. */
static int read_maps(struct map_synth *s, pid_t pid, struct strbuf *text, bool *cut)
{
	u64 end = clock_now() + s->timeout;
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	strbuf_clear(text);
	while ((n = read(fd, strbuf_grow(text, 65536), 65536)) > 0) {
		text->len += (size_t)n;
		*cut = s->timeout && clock_now() > end;
		if (*cut)
			break;
	}
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

int synth_maps(struct map_synth *s, pid_t pid)
{
	bool cut = false;
	int err = read_maps(s, pid, &s->text, &cut);
	struct map_line m, before = { .ino = 0 };
	const char *line, *last, *end;
	size_t at = SIZE_MAX;

	if (err || !s->text.len)
		return err;
	strbuf_grow(&s->text, 1)[0] = 0;
	last = s->text.s + s->text.len;
	for (line = s->text.s; line < last; line = end + 1) {
		if (!read_line(line, last, &end, &m))
			continue;
		name_moved_text(&m, &before, end + 1, last);
		before = m;
		if ((m.prot & PROT_EXEC) || (s->data && (m.prot & PROT_READ))) {
			name_nameless(&m);
			at = s->out->len;
			add_mmap2(s, pid, &m);
		}
	}
	s->cut_off += cut;
	/* misc of the last record says that more would follow */
	if (cut && at < s->out->len)
		store_u16(s->out->s + at + 4, load_u16(s->out->s + at + 4, false) |
						      PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT);
	return 0;
}

void map_synth_release(struct map_synth *s)
{
	strbuf_release(&s->text);
	map64_release(&s->known);
	vec_release(&s->ids);
}
