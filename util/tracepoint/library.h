/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the printer: libtraceevent, for formats that plans do not know. Built without it, none
 * is printed so (library-without.c). Any number of threads may have a library of their own.
 */
#ifndef TRACEPOINT_LIBRARY_H
#define TRACEPOINT_LIBRARY_H

#include "tracepoint/plan.h"

struct library;
/* names must stay as long as it; what they hold is looked at when it prints. */
struct library *library_new(const struct tracepoint_formats *f, const struct plan_names *names);
void library_free(struct library *l);
/* The text that the kernel has at an address, between quotes, of at least two characters. */
void library_add_string(struct library *l, const char *quoted, u64 addr);
/* Can it print this format? */
bool library_add(struct library *l, const struct tracepoint_format *t);
/*
 * Of a format that was added: does it print the fields one by one, not understanding the print
 * format?
 */
bool library_lists_fields(const struct library *l, const struct tracepoint_format *t);
/*
 * raw: of a format that was added, of which the guards hold, and as large as its dynamic fields can
 * reach.
 */
void library_print(struct library *l, u8 *raw, u32 raw_size, u32 cpu, struct strbuf *out);

#endif
