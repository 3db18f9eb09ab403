// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols without a size in ELF files: labels of hand-written assembly, of OCaml and of linkers.
 *
 * A label names the code behind it, but does not say how much.  What has a size, or unwind tables, says more.
 */
#include <elf.h>

#include "object/frames.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"

/* Bytes of code that a symbol without a size names at most, unless unwind tables say that it has more. */
#define MOST_UNSIZED 4096

/* Offsets of a function that has unwind tables. */
struct range {
	u64 start, end;
};

struct ranges {
	VEC(struct range) list; /* by start */
};

/* The first symbol of the list that starts after the one at i. */
static size_t next_start(const struct symbol_list *l, size_t i)
{
	const struct symbol *s = l->list.items;
	size_t next = i + 1;

	while (next < l->list.count && s[next].start == s[i].start)
		next++;
	return next;
}

/* Drops symbols without a size where one with a size is; returns whether others of that kind are left. */
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

static void add_ranges(struct ranges *out, const struct elf *from, const char *section, const struct elf *runtime)
{
	struct frame_section s;
	struct frame_list frames;

	if (!from || !frame_section_open(from, section, &s))
		return;
	frame_list_read(&s, &frames);
	vec_reserve(&out->list, out->list.count + frames.functions.count);
	vec_for_each(&frames.functions, f) {
		u64 start;

		if (elf_addr_to_offset(runtime, f->low, &start))
			vec_push(&out->list, (struct range){ start, start + (f->high - f->low) });
	}
	frame_list_release(&frames);
	elf_bytes_release(&s.bytes);
}

static u64 range_start(const void *range)
{
	return ((const struct range *)range)->start;
}

static void find_ranges(struct ranges *out, const struct elf *object, const struct elf *debug)
{
	const struct elf *runtime = object ? object : debug;

	add_ranges(out, object, ".eh_frame", runtime);
	add_ranges(out, object, ".debug_frame", runtime);
	add_ranges(out, debug, ".debug_frame", runtime);
	sort_by_key(out->list.items, sizeof(*out->list.items), out->list.count, range_start);
}

/* Number of ranges that start at or before the offset. */
static size_t ranges_before(const struct ranges *r, u64 offset)
{
	size_t from = 0, to = r->list.count;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (r->list.items[mid].start <= offset)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* After a system call that ends a function (__restore_rt), the IP is behind it: that address is its own, if free. */
static u64 end_after(const struct ranges *r, size_t next, u64 end)
{
	return next < r->list.count && r->list.items[next].start == end ? end : end + 1;
}

/* Where the code ends that a symbol without a size names, by what has unwind tables. */
static u64 end_by_ranges(const struct ranges *r, u64 start)
{
	size_t n = ranges_before(r, start);
	const struct range *at = n ? &r->list.items[n - 1] : NULL;
	u64 most = start > UINT64_MAX - MOST_UNSIZED ? UINT64_MAX : start + MOST_UNSIZED;

	if (at && at->start == start && at->end > start)
		return end_after(r, n, at->end);
	if (at && at->end > start)
		return MIN(most, end_after(r, n, at->end));
	return n < r->list.count ? MIN(most, r->list.items[n].start) : most;
}

void symbol_list_bound(struct symbol_list *l, const struct elf *object, const struct elf *debug)
{
	struct ranges ranges = { VEC_INIT };
	struct symbol *s = l->list.items;

	if (!drop_inside(l))
		return;
	find_ranges(&ranges, object, debug);
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
