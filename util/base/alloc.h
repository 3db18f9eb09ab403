/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation for sizes that are small and our own.
 *
 * These never return NULL: when memory is exhausted they call the handler that perf.c installs (it
 * reports that and ends the program). A size that derives from a file, a ring or an ELF image must
 * be bounded by what was really read, or allocated with plain malloc() and its failure reported.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "base/types.h"

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/*
 * Allocates, like xcalloc(), what one thread writes all the time. No cache line of it contains
 * anything else, which another thread's reads would fetch again and again.
 */
void *xcalloc_apart(size_t count, size_t size);
/*
 * Allocates, like xcalloc(), a hash table, all of which will soon be used at random. Its pages
 * exist immediately: one that is read before it is written costs another fault and, while another
 * thread runs, an interrupt of that one's processor.
 */
void *xcalloc_table(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
/* Reallocates count * size bytes, checked for overflow. */
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
void *xmemdup(const void *p, size_t n);
/* Prints into a new string, which the caller frees. */
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Sets what is called when memory is exhausted; handler must not return. */
void alloc_set_exhausted(void (*handler)(size_t size));

#endif
