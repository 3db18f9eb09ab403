/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed growing arrays.
 *
 *	VEC(struct thing) things = VEC_INIT;	// or inside a struct, zeroed
 *	vec_push(&things, value);
 *	vec_for_each(&things, t) use(t->field);	// t is struct thing *
 *	vec_release(&things);
 *
 * Pointers into items are good until the next push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/alloc.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, space;                                                               \
	}
#define VEC_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

/*
 * Returns the next size: twice as much, or half as much again for a large one, most of which would
 * stay unused.
 */
static inline size_t vec_grown(size_t space, size_t size)
{
	enum { LARGE = 256 << 10 }; /* bytes */

	return !space ? 8 : space * size < LARGE ? space * 2 : space + space / 2;
}

#define vec_reserve(v, n)                                                                          \
	do {                                                                                       \
		size_t vec_need_ = (n);                                                            \
		if (vec_need_ > (v)->space) {                                                      \
			size_t vec_sp_ = vec_grown((v)->space, sizeof(*(v)->items));               \
			if (vec_sp_ < vec_need_)                                                   \
				vec_sp_ = vec_need_;                                               \
			(v)->items = xreallocarray((v)->items, vec_sp_, sizeof(*(v)->items));      \
			(v)->space = vec_sp_;                                                      \
		}                                                                                  \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve(v, (v)->count + 1);                                                    \
		(v)->items[(v)->count++] = (__VA_ARGS__);                                          \
	} while (0)

/* A zeroed new last item: pointer to it. */
#define vec_push_zero(v)                                                                           \
	__extension__({                                                                            \
		vec_reserve(v, (v)->count + 1);                                                    \
		__builtin_memset(&(v)->items[(v)->count], 0, sizeof(*(v)->items));                 \
		&(v)->items[(v)->count++];                                                         \
	})

#define vec_last(v) (&(v)->items[(v)->count - 1])
#define vec_for_each(v, it)                                                                        \
	for (__typeof__(*(v)->items) *it = (v)->items; it && it < (v)->items + (v)->count; it++)
#define vec_clear(v) ((void)((v)->count = 0))
/* Gives memory back where less than half of it is used, and keeps some to grow. */
#define vec_give_back(v)                                                                           \
	do {                                                                                       \
		size_t vec_sp_ = (v)->count + (v)->count / 4 + 8;                                  \
		if ((v)->count * 2 < (v)->space && vec_sp_ < (v)->space) {                         \
			(v)->items = xreallocarray((v)->items, vec_sp_, sizeof(*(v)->items));      \
			(v)->space = vec_sp_;                                                      \
		}                                                                                  \
	} while (0)
#define vec_release(v)                                                                             \
	do {                                                                                       \
		free((v)->items);                                                                  \
		(v)->items = NULL;                                                                 \
		(v)->count = (v)->space = 0;                                                       \
	} while (0)
#define vec_sort(v, cmp)                                                                           \
	do {                                                                                       \
		if ((v)->count > 1)                                                                \
			qsort((v)->items, (v)->count, sizeof(*(v)->items), cmp);                   \
	} while (0)

#endif
