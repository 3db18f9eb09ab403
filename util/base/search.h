/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search in whatever has an index. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/*
 * Returns the first index of [from, to) at which "before" is false, or to.  before is an expression
 * of the index i, which holds up to some index and not from there on: it is evaluated once a step.
 *
 *	size_t first = lower_bound(i, 0, list.count, list.items[i].start < address);
 */
#define lower_bound(i, from, to, before)                                                           \
	({                                                                                         \
		size_t low_ = (from), high_ = (to);                                                \
		while (low_ < high_) {                                                             \
			const size_t i = low_ + (high_ - low_) / 2;                                \
			if (before)                                                                \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})

#endif
