// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where the code of an object was in its file when only its debug file is left.
 *
 * objcopy --only-keep-debug changes the offsets in the headers of a debug file. The mappings of the
 * object have the right ones. eu-strip leaves the headers as they were.
 */
#include <elf.h>

#include "object/elf.h"
#include "object/internal.h"

/* The page sizes of kernels: a mapping consists of whole pages. */
enum { LEAST_PAGE = 4 << 10, MOST_PAGE = 64 << 10 };

struct layout {
	struct elf *elf;
	const struct image *img;
	u64 first; /* the address of the first segment, rounded down to a page */
	u64 after; /* the next segment was mapped at this offset, or later */
};

/*
 * Returns whether this was the mapping of the segment; if so, sets where the segment is in the
 * object.
 */
static bool is_mapping_of(const struct image_code *code, const struct elf_segment *s, u64 page,
			  u64 *offset)
{
	u64 start = s->vaddr & ~(page - 1), end = s->vaddr + s->memory_size;

	if (!code->size || code->pgoff % page || end < s->vaddr || end > UINT64_MAX - page)
		return false;
	*offset = code->pgoff + (s->vaddr - start);
	return ALIGN_UP(end, page) - start == ALIGN_UP(code->size, page);
}

static bool find_mapping(const struct layout *l, const struct elf_segment *s, u64 *offset)
{
	u64 found;

	*offset = UINT64_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(l->img->code); i++)
		for (u64 page = LEAST_PAGE; page <= MOST_PAGE; page *= 2)
			if (l->img->code[i].pgoff >= l->after &&
			    is_mapping_of(&l->img->code[i], s, page, &found))
				*offset = MIN(*offset, found);
	return *offset != UINT64_MAX;
}

/*
 * Returns whether there is nothing known of the object's mappings, or one has bytes of the segment.
 */
static bool is_possible(const struct image *img, u64 offset, u64 size)
{
	for (size_t i = 0; i < ARRAY_SIZE(img->code); i++)
		if (img->code[i].size && img->code[i].pgoff < offset + size &&
		    offset - img->code[i].pgoff < img->code[i].size)
			return true;
	return !img->code[0].size;
}

/*
 * Places a segment by its mapping. If no mapping fits, the file may have the layout of GNU's
 * linkers, like memory up to the data.
 */
static void place(struct layout *l, u32 index)
{
	struct elf_segment s = *elf_segment_at(l->elf, index);
	u64 offset = s.vaddr - l->first;
	bool is_head = !s.offset && !offset;

	if (s.flags & PF_X)
		s.placed = find_mapping(l, &s, &s.offset) ||
			   is_possible(l->img, offset, s.memory_size);
	if (s.placed && s.offset == UINT64_MAX)
		s.offset = offset;
	if (s.placed)
		l->after = s.offset + 1;
	s.unplaced = !s.placed && !is_head;
	elf_set_segment(l->elf, index, &s);
}

/* Returns whether the bytes of code were left out, and the headers changed. */
static bool is_changed(const struct elf *e)
{
	bool any = false;

	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (!(s->flags & SHF_ALLOC) || !(s->flags & SHF_EXECINSTR))
			continue;
		if (s->type != SHT_NOBITS)
			return false;
		any = true;
	}
	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);

		if (s->type == PT_LOAD && s->flags & PF_X && s->file_size >= s->memory_size)
			return false;
	}
	return any;
}

void debug_file_place(struct elf *e, const struct image *img)
{
	struct layout l = { .elf = e, .img = img, .first = UINT64_MAX };

	if (elf_type(e) == ET_REL || !is_changed(e))
		return;
	for (u32 i = 0; i < elf_segment_count(e); i++)
		if (elf_segment_at(e, i)->type == PT_LOAD)
			l.first =
				MIN(l.first, elf_segment_at(e, i)->vaddr & ~(u64)(LEAST_PAGE - 1));
	for (u32 i = 0; i < elf_segment_count(e); i++)
		if (elf_segment_at(e, i)->type == PT_LOAD)
			place(&l, i);
}
