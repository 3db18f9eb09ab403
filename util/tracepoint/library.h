/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the printer: libtraceevent, for formats that plans cannot print.
 * Builds without it use library-without.c. Each thread may have its own library.
 */
#ifndef TRACEPOINT_LIBRARY_H
#define TRACEPOINT_LIBRARY_H

#include "tracepoint/plan.h"

struct library;
/* Makes a library. names must live as long; their content is used when it prints. */
struct library *library_new(const struct tracepoint_formats *f, const struct plan_names *names);
void library_free(struct library *l);
/* Adds the text at an address of the kernel, between quotes, of at least two characters. */
void library_add_string(struct library *l, const char *quoted, u64 addr);
/* Adds a format. Returns whether the library can print it. */
bool library_add(struct library *l, const struct tracepoint_format *t);
/*
 * Reports whether the library prints an added format field by field, because it does not understand
 * the print format.
 */
bool library_lists_fields(const struct library *l, const struct tracepoint_format *t);
/*
 * Prints raw data of an added format, for which the guards hold, and which is as large as its
 * dynamic fields can reach.
 */
void library_print(struct library *l, u8 *raw, u32 raw_size, u32 cpu, struct strbuf *out);

#endif
