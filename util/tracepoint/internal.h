/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the component; the printer has two forms, with and without libtraceevent.
 */
#ifndef TRACEPOINT_INTERNAL_H
#define TRACEPOINT_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "tracepoint/tracepoint.h"

struct format_entry {
	struct tracepoint_format format; /* priv points to the entry */
	char *text;                      /* the format file, NUL-terminated */
	size_t text_size;
	struct tracepoint_field *fields;
};

struct tracepoint_formats {
	bool big_endian, swap;
	u8 long_size;  /* bytes: 4 or 8 */
	u32 page_size; /* 0 if not recorded */
	VEC(struct format_entry *) list;
	struct map64 by_id;    /* id -> index in list */
	struct strmap by_name; /* "system:name" -> index */
	struct arena strings;
	struct strbuf printk; /* the printk formats of TRACING_DATA, or empty */
};

static inline const struct format_entry *format_entry(const struct tracepoint_format *t)
{
	return t->priv;
}

/* A cursor over a TRACING_DATA section that checks bounds. */
struct section {
	const u8 *data;
	size_t size, at;
	bool swap; /* its numbers are not in host order */
};

/* Reads an unsigned number of 1, 2, 4 or 8 bytes; returns 0 for other sizes. */
u64 tracepoint_number(const struct tracepoint_formats *f, const void *p, u32 size);

#endif
