// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINES = 128 }; /* bytes: two lines, as processors fetch them in pairs */
enum { HUGE_PAGE = 2 << 20, WORTH_HUGE_PAGES = 4 << 20, WORTH_POPULATING = 64 << 10 };

static void (*exhausted_handler)(size_t size);

void alloc_set_exhausted(void (*handler)(size_t size))
{
	exhausted_handler = handler;
}

static void *checked(void *p, size_t size)
{
	if (likely(p || !size))
		return p;
	if (exhausted_handler)
		exhausted_handler(size);
	abort();
}

/*
 * Asks for huge pages. Hash tables of many megabytes are read at random: huge pages save page
 * faults and misses of the address translation. A kernel that does not know them refuses, and
 * nothing is lost. Only for what is not reallocated: the kernel does not move a mapping whose parts
 * differ.
 */
static void *with_huge_pages(void *p, size_t size)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + size) & ~(uintptr_t)(HUGE_PAGE - 1);

	if (unlikely(size >= WORTH_HUGE_PAGES && p && from < to))
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	/* calloc() has refused a product that is too large */
	return with_huge_pages(checked(calloc(count ? count : 1, size ? size : 1), count),
			       count * size);
}

void *xcalloc_apart(size_t count, size_t size)
{
	size_t bytes, whole;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    __builtin_add_overflow(bytes, CACHE_LINES, &whole))
		return checked(NULL, SIZE_MAX);
	whole -= whole % CACHE_LINES; /* at least one */
	p = checked(aligned_alloc(CACHE_LINES, whole), whole);
	memset(p, 0, whole);
	return p;
}

void *xcalloc_table(size_t count, size_t size)
{
	void *p = xcalloc(count, size);
	uintptr_t page = 4096, from = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + count * size) & ~(page - 1);

#ifdef MADV_POPULATE_WRITE
	/* a kernel that cannot, or one with larger pages, makes them when they are used */
	if (count * size >= WORTH_POPULATING && from < to)
		(void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
	(void)from;
	(void)to;
#endif
	return p;
}

/*
 * Asks for huge pages, for the whole of a mapping that malloc() has made for this alone. The kernel
 * does not move a mapping whose parts differ.
 */
static void *whole_in_huge_pages(void *p, size_t size)
{
	enum { PAGE = 4096, HEADER = 2 * sizeof(size_t) };
	uintptr_t from = (uintptr_t)p - HEADER;

	if (unlikely(size >= WORTH_HUGE_PAGES && p && from % PAGE == 0))
		(void)madvise((void *)from, ALIGN_UP(size + HEADER, PAGE), MADV_HUGEPAGE);
	return p;
}

void *xrealloc(void *p, size_t size)
{
	return whole_in_huge_pages(checked(realloc(p, size ? size : 1), size), size);
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return checked(NULL, SIZE_MAX);
	return xrealloc(p, bytes);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void *xmemdup(const void *p, size_t n)
{
	void *q = xmalloc(n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s, 1);
}
