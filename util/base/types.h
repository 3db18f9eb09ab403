/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed-width names and a few macros for all components.
 *
 * Counts and sizes in memory are size_t. A number from a file, a ring or the kernel has a fixed
 * width and is checked before it becomes a size_t.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define BIT64(n)      (1ULL << (n))
/* a must be a power of two */
#define ALIGN_UP(x, a) (((x) + ((a)-1)) & ~(__typeof__(x))((a)-1))

#define likely(x)              __builtin_expect(!!(x), 1)
#define unlikely(x)            __builtin_expect(!!(x), 0)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK             __attribute__((warn_unused_result))

#endif
