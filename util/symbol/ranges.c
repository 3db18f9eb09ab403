// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of which only the unwind tables are left: code in a stripped object that no symbol
 * covers.
 *
 * They are a table beside that of the symbols, made when a look-up finds no symbol for the first
 * time. Objects with all their symbols rarely need it. Where .eh_frame_hdr lists the functions,
 * their numbers are its, and each one is read when it is found first; .debug_frame is read as a
 * whole.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "object/frames.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"

enum { MOST_INNER = 32 };

static void add_ranges(struct frame_ranges *out, const struct elf *from, const char *section,
		       const struct elf *runtime)
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
			vec_push(&out->list,
				 (struct frame_range){ start, start + (f->high - f->low) });
	}
	frame_list_release(&frames);
	elf_bytes_release(&s.bytes);
}

static u64 range_start(const void *range)
{
	return ((const struct frame_range *)range)->start;
}

void frame_ranges_find(struct frame_ranges *out, const struct elf *object, const struct elf *debug)
{
	const struct elf *runtime = object ? object : debug;

	add_ranges(out, object, ".eh_frame", runtime);
	add_ranges(out, object, ".debug_frame", runtime);
	add_ranges(out, debug, ".debug_frame", runtime);
	sort_by_key(out->list.items, sizeof(*out->list.items), out->list.count, range_start);
}

size_t frame_ranges_before(const struct frame_ranges *r, u64 offset)
{
	return lower_bound(i, 0, r->list.count, r->list.items[i].start <= offset);
}

/* Empties the ranges of stubs, since unwind tables take the whole PLT for one function. */
static void empty_stubs(struct frame_ranges *r, const struct elf *e)
{
	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (!s || !elf_section_is_plt(s))
			continue;
		for (size_t k = frame_ranges_before(r, s->offset - 1); k < r->list.count; k++) {
			struct frame_range *range = &r->list.items[k];

			if (range->start - s->offset >= s->size)
				break;
			range->end = range->start;
		}
	}
}

static void add_symbols(struct symbol_list *l, const struct frame_ranges *r, const char *object)
{
	vec_for_each(&r->list, range) {
		struct symbol *last = l->list.count ? vec_last(&l->list) : NULL;

		if (range->end <= range->start)
			continue;
		if (last && last->start == range->start) /* both in .eh_frame and in .debug_frame */
			symbol_set_end(last, MAX(symbol_end(last), range->end));
		else
			symbol_list_add(l, range->start, range->end - range->start, STB_LOCAL,
					object, NAME_RANGE);
	}
}

static bool has_debug_frame(const struct elf *e)
{
	return e && elf_section(e, ".debug_frame");
}

/* Opens the ranges. Memory for symbols that are never requested is never touched. */
bool symbol_ranges_open(struct symbol_table *made, const struct symbol_table *t)
{
	struct frame_index index;

	if (!t->elf || has_debug_frame(t->elf) || has_debug_frame(t->debug_elf) ||
	    !frame_index_open(t->elf, &index))
		return false;
	made->index = xmalloc(sizeof(index));
	*made->index = index;
	made->count = MIN(index.count, RANGE_NUMBERS - 1);
	made->symbols = xcalloc(made->count, sizeof(*made->symbols));
	return true;
}

void symbol_ranges_read(const struct symbol_table *t, struct symbol_list *l)
{
	struct frame_ranges ranges = { VEC_INIT };

	frame_ranges_find(&ranges, t->elf, t->debug_elf);
	empty_stubs(&ranges, t->elf ? t->elf : t->debug_elf);
	add_symbols(l, &ranges, t->object);
	vec_release(&ranges.list);
}

void symbol_ranges_release(struct symbol_table *ranges)
{
	if (ranges->index)
		elf_bytes_release(&ranges->index->frames.bytes);
	free(ranges->index);
}

static bool is_stub(const struct elf *e, u64 address)
{
	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (s && elf_section_is_plt(s) && address - s->addr < s->size)
			return true;
	}
	return false;
}

/* Fills in one range. What covers nothing gets no size. */
static void fill(struct symbol_table *ranges, u32 i)
{
	const struct elf *e = ranges->of->elf;
	struct symbol *s = &ranges->symbols[i];
	struct frame_function f;

	*s = (struct symbol){ .start = UINT64_MAX,
			      .name = ranges->of->object,
			      .name_state = NAME_RANGE };
	if (frame_index_get(ranges->index, i, &f) && !is_stub(e, f.low) &&
	    elf_addr_to_offset(e, f.low, &s->start))
		s->size = MIN(f.high - f.low, SYMBOL_MOST_SIZE + 1);
	ranges->filled++;
}

static bool covers(struct symbol_table *ranges, u32 i, u64 offset)
{
	const struct symbol *s = &ranges->symbols[i];

	if (!s->name)
		fill(ranges, i);
	return s->size && offset >= s->start && offset < symbol_end(s);
}

/*
 * Returns the number of the range that covers the offset. The nearest function before the offset
 * that covers it is the innermost one; functions inside it, and empty ones, may begin in between.
 * Only MOST_INNER are tried: a longer search would read the whole table for each address that no
 * function covers.
 */
u32 symbol_range_find(const struct symbol_table *t, u64 offset)
{
	struct symbol_table *ranges = (struct symbol_table *)t;
	bool found = false;
	u64 address;
	u32 from, i;

	if (!elf_offset_to_addr(t->of->elf, offset, &address))
		return NO_SYMBOL;
	from = i = MIN(frame_index_before(t->index, address), t->count);
	pthread_mutex_lock(&ranges->lock);
	while (!found && i && from - i < MOST_INNER)
		found = covers(ranges, --i, offset);
	pthread_mutex_unlock(&ranges->lock);
	return found ? t->first + i : NO_SYMBOL;
}

char *symbol_range_name(const struct symbol_table *ranges, const struct symbol *s)
{
	const struct symbol_table *t = ranges->of;
	u64 address = s->start;

	elf_offset_to_addr(t->elf ? t->elf : t->debug_elf, s->start, &address);
	return xasprintf("[%s+0x%" PRIx64 "]", t->object, address);
}
