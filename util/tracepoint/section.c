// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TRACING_DATA section of perf.data, read.
 *
 * Layout, all numbers in the recording machine's byte order:
 *	17 08 44 "tracing", version "0.6\0", u8 big endian, u8 bytes of a long,
 *	u32 page size,
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text,
 *	u32 ftrace formats, each u64 size, text,
 *	u32 systems, each name\0, u32 formats, each u64 size, text,
 *	u32 size, kallsyms; u32 size, printk formats; u64 size, saved cmdlines (from 0.6).
 * Source: what trace-cmd's file format page says of version 6, and perf's files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tracepoint/internal.h"

static const u8 magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* The sinks take everything found; if formats is NULL, the section is only measured. */
struct loader {
	struct section in;
	struct tracepoint_formats *formats;
	struct reason *r;
	double version;
	size_t symbols_at, symbols_end; /* kallsyms and printk formats, with their sizes */
};

static int cut(struct loader *l)
{
	return reason_set(l->r, EINVAL, "tracing data is truncated or damaged at byte %zu",
			  l->in.at);
}

static const u8 *take(struct loader *l, u64 n)
{
	const u8 *p = l->in.data + l->in.at;

	if (n > l->in.size - l->in.at)
		return NULL;
	l->in.at += n;
	return p;
}

static const char *take_string(struct loader *l)
{
	const char *s = (const char *)l->in.data + l->in.at;
	size_t left = l->in.size - l->in.at, n = strnlen(s, left);

	if (n == left)
		return NULL;
	l->in.at += n + 1;
	return s;
}

static bool take_u32(struct loader *l, u32 *v)
{
	const u8 *p = take(l, 4);

	if (p)
		*v = load_u32(p, l->in.swap);
	return p;
}

static bool take_u64(struct loader *l, u64 *v)
{
	const u8 *p = take(l, 8);

	if (p)
		*v = load_u64(p, l->in.swap);
	return p;
}

static int take_header(struct loader *l)
{
	const u8 *p = take(l, sizeof(magic));
	const char *version;

	if (!p || memcmp(p, magic, sizeof(magic)))
		return reason_set(l->r, EINVAL, "tracing data does not start with its magic");
	version = take_string(l);
	p = version ? take(l, 6) : NULL;
	if (!p)
		return cut(l);
	l->version = strtod(version, NULL);
	l->in.swap = !!p[0] != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (l->formats) {
		l->formats->big_endian = p[0];
		l->formats->swap = l->in.swap;
		l->formats->long_size = p[1] == 4 ? 4 : 8;
		l->formats->page_size = load_u32(p + 2, l->in.swap);
	}
	return 0;
}

static int skip_header_pages(struct loader *l)
{
	static const char *const names[] = { "header_page", "header_event" };
	u64 size;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = take_string(l);

		if (!name || strcmp(name, names[i]) || !take_u64(l, &size) || !take(l, size))
			return cut(l);
	}
	return 0;
}

static int take_formats(struct loader *l, const char *system)
{
	u32 count;
	u64 size;

	if (!take_u32(l, &count))
		return cut(l);
	while (count--) {
		const u8 *text;

		if (!take_u64(l, &size) || !(text = take(l, size)))
			return cut(l);
		/* An unreadable format costs only the text of its own event. */
		if (l->formats)
			tracepoint_formats_add(l->formats, system, (const char *)text, size, NULL);
	}
	return 0;
}

static int take_systems(struct loader *l)
{
	u32 count;

	if (!take_u32(l, &count))
		return cut(l);
	while (count--) {
		const char *system = take_string(l);
		int err = system ? take_formats(l, system) : cut(l);

		if (err)
			return err;
	}
	return 0;
}

static int take_text(struct loader *l, bool wide, struct strbuf *to)
{
	u64 size = 0;
	u32 size32 = 0;
	const u8 *text;

	if (wide ? !take_u64(l, &size) : !take_u32(l, &size32))
		return cut(l);
	size += size32;
	text = take(l, size);
	if (!text)
		return cut(l);
	if (to)
		strbuf_add(to, text, strnlen((const char *)text, size));
	return 0;
}

static int walk(struct loader *l)
{
	struct tracepoint_formats *f = l->formats;
	int err = take_header(l);

	if (!err)
		err = skip_header_pages(l);
	if (!err)
		err = take_formats(l, "ftrace");
	if (!err)
		err = take_systems(l);
	l->symbols_at = l->in.at;
	if (!err)
		err = take_text(l, false, NULL); /* kallsyms: the session has a better source */
	if (!err)
		err = take_text(l, false, f ? &f->printk : NULL);
	l->symbols_end = l->in.at;
	if (!err && l->version >= 0.6)
		err = take_text(l, true, NULL); /* comms: the samples have them */
	return err;
}

int tracepoint_formats_load(struct tracepoint_formats *f, const void *data, size_t size,
			    struct reason *r)
{
	struct loader l = { .in = { .data = data, .size = size }, .formats = f, .r = r };

	return walk(&l);
}

ssize_t tracing_data_size(const void *data, size_t available, struct reason *r)
{
	struct loader l = { .in = { .data = data, .size = available }, .r = r };
	int err = walk(&l);

	return err ? err : (ssize_t)l.in.at;
}

int tracing_data_without_addresses(const void *data, size_t size, struct strbuf *out,
				   struct reason *r)
{
	static const u32 empty[2];
	struct loader l = { .in = { .data = data, .size = size }, .r = r };
	int err = walk(&l);

	if (err)
		return err;
	strbuf_add(out, data, l.symbols_at);
	strbuf_add(out, empty, sizeof(empty));
	strbuf_add(out, (const u8 *)data + l.symbols_end, size - l.symbols_end);
	return 0;
}
