// SPDX-License-Identifier: GPL-2.0-or-later
/* The variants of memcpy, memset and mmap. */
#include <string.h>
#include <sys/mman.h>

#include "builtin/bench/mem_functions.h"

/* The compiler would make calls of memcpy() and memset() out of these loops. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((no_builtin("memcpy", "memset"), noinline))
#else
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns"), noinline))
#endif

/* Words at any address; the attributes let the compiler use plain loads and stores. */
typedef u64 __attribute__((aligned(1), may_alias)) word;

AS_WRITTEN static void *copy_words(void *to, const void *from, size_t size)
{
	u8 *d = to;
	const u8 *s = from;

	for (; size >= 32; size -= 32, d += 32, s += 32) {
		u64 a = ((const word *)s)[0], b = ((const word *)s)[1];
		u64 c = ((const word *)s)[2], e = ((const word *)s)[3];

		((word *)d)[0] = a;
		((word *)d)[1] = b;
		((word *)d)[2] = c;
		((word *)d)[3] = e;
	}
	for (; size >= 8; size -= 8, d += 8, s += 8)
		*(word *)d = *(const word *)s;
	for (; size; size--)
		*d++ = *s++;
	return to;
}

AS_WRITTEN static void *fill_words(void *to, int value, size_t size)
{
	u8 *d = to;
	u64 v = (u8)value * 0x0101010101010101ULL;

	for (; size >= 64; size -= 64, d += 64)
		for (int i = 0; i < 8; i++)
			((word *)d)[i] = v;
	for (; size >= 8; size -= 8, d += 8)
		*(word *)d = v;
	for (; size; size--)
		*d++ = (u8)value;
	return to;
}

#ifdef __x86_64__
static void *copy_movsq(void *to, const void *from, size_t size)
{
	void *d = to;
	const void *s = from;
	size_t words = size / 8, rest = size % 8;

	__asm__ volatile("rep movsq" : "+D"(d), "+S"(s), "+c"(words) : : "memory");
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(rest) : : "memory");
	return to;
}

static void *copy_movsb(void *to, const void *from, size_t size)
{
	void *d = to;
	const void *s = from;

	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(size) : : "memory");
	return to;
}

static void *fill_stosq(void *to, int value, size_t size)
{
	void *d = to;
	u64 v = (u8)value * 0x0101010101010101ULL;
	size_t words = size / 8, rest = size % 8;

	__asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(v) : "memory");
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(rest) : "a"(v) : "memory");
	return to;
}

static void *fill_stosb(void *to, int value, size_t size)
{
	void *d = to;

	__asm__ volatile("rep stosb" : "+D"(d), "+c"(size) : "a"(value) : "memory");
	return to;
}
#define UNROLLED "x86-64-unrolled"
#else
#define UNROLLED "unrolled"
#endif

const struct mem_function memcpy_functions[] = {
	{ "default", "Default memcpy() provided by glibc", .copy = memcpy },
	{ UNROLLED, "a loop of four 8-byte words", .copy = copy_words },
#ifdef __x86_64__
	{ "x86-64-movsq", "the instruction rep movsq", .copy = copy_movsq },
	{ "x86-64-movsb", "the instruction rep movsb", .copy = copy_movsb },
#endif
	{ NULL },
};

const struct mem_function memset_functions[] = {
	{ "default", "Default memset() provided by glibc", .fill = memset },
	{ UNROLLED, "a loop of eight 8-byte words", .fill = fill_words },
#ifdef __x86_64__
	{ "x86-64-stosq", "the instruction rep stosq", .fill = fill_stosq },
	{ "x86-64-stosb", "the instruction rep stosb", .fill = fill_stosb },
#endif
	{ NULL },
};

const struct mem_function mmap_functions[] = {
	{ "demand", "Demand loaded mmap()", .map_flags = 0 },
	{ "populate", "Eagerly populated mmap()", .map_flags = MAP_POPULATE },
	{ NULL },
};
