// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols without a size in ELF files: labels of hand-written assembly, of OCaml and of linkers.
 *
 * A label names the code after it, but does not say how much. Symbols with a size, or unwind
 * tables, say more.
 */
#include "symbol/internal.h"

/*
 * Bytes of code that a symbol without a size names at most, unless unwind tables say that it has
 * more.
 */
#define MOST_UNSIZED 4096

/* Returns the first symbol of the list that starts after the one at i. */
static size_t next_start(const struct symbol_list *l, size_t i)
{
	const struct symbol *s = l->list.items;
	size_t next = i + 1;

	while (next < l->list.count && s[next].start == s[i].start)
		next++;
	return next;
}

/*
 * Drops symbols without a size where one with a size is; returns whether others of that kind are
 * left.
 */
static bool drop_inside(struct symbol_list *l)
{
	struct symbol *s = l->list.items;
	size_t kept = 0, next;
	u64 end = 0; /* of what has a size, up to here */
	bool any = false;

	for (size_t i = 0; i < l->list.count; i = next) {
		struct symbol *sized = NULL;
		bool ifunc = false;

		next = next_start(l, i);
		for (size_t k = i; k < next; k++) {
			if (s[k].size)
				end = MAX(end, symbol_end(&s[k]));
			ifunc |= s[k].ifunc;
		}
		for (size_t k = i; k < next; k++) {
			if (!s[k].size && s[k].start < end)
				continue;
			any |= !s[k].size;
			s[kept] = s[k];
			if (s[kept].size)
				sized = &s[kept];
			kept++;
		}
		if (sized)
			sized->ifunc |= ifunc;
	}
	l->list.count = kept;
	return any;
}

/*
 * Returns the end of the code. After a system call that ends a function (__restore_rt), the IP is
 * past the end: that address belongs to it, if free.
 */
static u64 end_after(const struct frame_ranges *r, size_t next, u64 end)
{
	return next < r->list.count && r->list.items[next].start == end ? end : end + 1;
}

/* Returns the end of the code that a symbol without a size names, as unwind tables say. */
static u64 end_by_ranges(const struct frame_ranges *r, u64 start)
{
	size_t n = frame_ranges_before(r, start);
	const struct frame_range *at = n ? &r->list.items[n - 1] : NULL;
	u64 most = start > UINT64_MAX - MOST_UNSIZED ? UINT64_MAX : start + MOST_UNSIZED;

	if (at && at->start == start && at->end > start)
		return end_after(r, n, at->end);
	if (at && at->end > start)
		return MIN(most, end_after(r, n, at->end));
	return n < r->list.count ? MIN(most, r->list.items[n].start) : most;
}

void symbol_list_bound(struct symbol_list *l, const struct elf *object, const struct elf *debug)
{
	struct frame_ranges ranges = { VEC_INIT };
	struct symbol *s = l->list.items;

	if (!drop_inside(l))
		return;
	frame_ranges_find(&ranges, object, debug);
	for (size_t i = 0; i < l->list.count; i++) {
		size_t next = next_start(l, i);
		u64 end;

		if (s[i].size)
			continue;
		end = end_by_ranges(&ranges, s[i].start);
		symbol_set_end(&s[i], next < l->list.count ? MIN(end, s[next].start) : end);
	}
	vec_release(&ranges.list);
}
