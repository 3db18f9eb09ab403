/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoint formats: fields, and the text that the print format makes of them.
 *
 * Formats come from tracefs (live) or a file's TRACING_DATA. Print formats are compiled to
 * immutable plans; libtraceevent prints those with constructs that plans cannot express. No
 * libtraceevent type appears here; without the library the text of such an event is its fields.
 * Threads: formats are read-only after loading; each thread prints with its own tracepoint_printer.
 * Only one thread at a time uses libtraceevent; others wait.
 */
#ifndef TRACEPOINT_TRACEPOINT_H
#define TRACEPOINT_TRACEPOINT_H

#include <sys/types.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/reason.h"

enum field_flag {
	FIELD_SIGNED = 1,
	FIELD_ARRAY = 2,
	FIELD_STRING = 4,
	FIELD_DYNAMIC = 8, /* __data_loc / __rel_loc */
	FIELD_POINTER = 16,
	FIELD_LONG = 32,
	FIELD_RELATIVE = 64, /* __rel_loc */
	FIELD_COMMON = 128,  /* common_type, common_pid ... */
};

struct tracepoint_field {
	const char *name, *type; /* "next_comm", "char[16]" */
	u32 offset, size;        /* bytes, in the raw data */
	u32 element_size;
	u32 flags; /* enum field_flag */
};

struct tracepoint_format {
	const char *system, *name; /* "sched", "sched_switch" */
	u32 id;
	const struct tracepoint_field *fields; /* common_ fields first */
	u32 field_count;
	const char *print_fmt; /* source text */
	void *priv;
};

struct tracepoint_formats;

/* Makes an empty set; byte order and word size are those of the recording machine. */
struct tracepoint_formats *tracepoint_formats_new(bool big_endian, u8 long_size);
void tracepoint_formats_free(struct tracepoint_formats *f);
/* Adds the format in one "format" file's text, as in tracefs. */
int tracepoint_formats_add(struct tracepoint_formats *f, const char *system, const char *text,
			   size_t size, struct reason *r);
/* Loads everything in a TRACING_DATA section that texts need: formats, printk strings. */
int tracepoint_formats_load(struct tracepoint_formats *f, const void *data, size_t size,
			    struct reason *r);
/* Returns a format, or NULL if unknown. */
const struct tracepoint_format *tracepoint_by_id(const struct tracepoint_formats *f, u32 id);
const struct tracepoint_format *tracepoint_by_name(const struct tracepoint_formats *f,
						   const char *system, const char *name);
const struct tracepoint_field *tracepoint_field(const struct tracepoint_format *t,
						const char *name);

/*
 * Returns the size of the TRACING_DATA at data (it has no length field); -EINVAL if damaged or
 * truncated.
 */
ssize_t tracing_data_size(const void *data, size_t available, struct reason *r);
/* Appends a copy to out, without kallsyms and printk formats, which reveal where the kernel was. */
int tracing_data_without_addresses(const void *data, size_t size, struct strbuf *out,
				   struct reason *r);

/* Reads one field of raw data; returns false if the data is too short. */
bool tracepoint_get_int(const struct tracepoint_formats *f, const struct tracepoint_field *field,
			const void *raw, u32 raw_size, u64 *value);
/*
 * Finds the bytes of a FIELD_DYNAMIC field; returns false if they are outside the raw data. The
 * word of a __data_loc field is length << 16 | offset; __rel_loc counts from the word's end.
 */
static inline bool tracepoint_dynamic(const struct tracepoint_field *field, bool swap,
				      const void *raw, u32 raw_size, u32 *offset, u32 *len)
{
	u32 word;

	if (field->offset > raw_size || raw_size - field->offset < 4)
		return false;
	word = load_u32((const u8 *)raw + field->offset, swap);
	*offset = word & 0xffff;
	*len = word >> 16;
	if (field->flags & FIELD_RELATIVE)
		*offset += field->offset + field->size;
	return *offset <= raw_size && *len <= raw_size - *offset;
}
/*
 * Reports whether all bytes of the field are in the raw data, so that tracepoint_get_bytes() finds
 * them.
 */
bool tracepoint_holds(const struct tracepoint_formats *f, const struct tracepoint_field *field,
		      const void *raw, u32 raw_size);
/*
 * Returns the bytes of a string or array field, or NULL if out of bounds; *len excludes NUL
 * padding.
 */
const char *tracepoint_get_bytes(const struct tracepoint_formats *f,
				 const struct tracepoint_field *field, const void *raw,
				 u32 raw_size, u32 *len);

/* Returns the page size of the recording machine in bytes; 0 if not recorded. */
u32 tracepoint_page_size(const struct tracepoint_formats *f);
/* Reports whether numbers in raw data have the other byte order than the host's. */
bool tracepoint_swap(const struct tracepoint_formats *f);

struct tracepoint_printer;
struct tracepoint_printer *tracepoint_printer_new(const struct tracepoint_formats *f);
void tracepoint_printer_free(struct tracepoint_printer *p);
/*
 * Resolves addresses to kernel functions for %pS and the like: sets name and module ("" for none),
 * moves *addr to the function's start, and returns true; returns false if unknown.
 */
typedef bool (*tracepoint_resolver)(void *arg, u64 *addr, char *name, size_t name_size,
				    char *module, size_t module_size);
void tracepoint_printer_resolve(struct tracepoint_printer *p, tracepoint_resolver fn, void *arg);
/* Reports whether the format has a plan. For tests and -v. */
bool tracepoint_printer_is_compiled(struct tracepoint_printer *p,
				    const struct tracepoint_format *t);
const struct tracepoint_formats *tracepoint_printer_formats(const struct tracepoint_printer *p);
/*
 * Appends the print format's text, as libtraceevent renders it. Returns true if
 * strbuf_printable_from() would not change it, whatever the raw data.
 */
bool tracepoint_print(struct tracepoint_printer *p, const struct tracepoint_format *t,
		      const void *raw, u32 raw_size, u32 cpu, struct strbuf *out);
/* Writes one field's value, as in the list of all. */
void tracepoint_print_field(const struct tracepoint_formats *f,
			    const struct tracepoint_field *field, const void *raw, u32 raw_size,
			    struct strbuf *out);
/* " name=value" for each own field (script -F trace without format, raw view) */
void tracepoint_print_fields(const struct tracepoint_formats *f, const struct tracepoint_format *t,
			     const void *raw, u32 raw_size, struct strbuf *out);

#endif
