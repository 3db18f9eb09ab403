// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks .eh_frame or .debug_frame, or finds one function by .eh_frame_hdr, which lists the same
 * functions sorted, but which not every file has.
 */
#include "base/search.h"
#include "object/frames.h"

#include <elf.h>

#include "base/hash.h"
#include "object/cursor.h"

#define MAX_FUNCTIONS (1u << 24)

/* How a pointer is written (LSB, "DWARF exception header encoding"). */
/* clang-format off */
enum {
	PE_ABSPTR = 0x00, PE_ULEB = 0x01, PE_UDATA2 = 0x02, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04,
	PE_SLEB = 0x09, PE_SDATA2 = 0x0a, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f, PE_PCREL = 0x10, PE_DATAREL = 0x30, PE_BASE = 0x70, PE_INDIRECT = 0x80, PE_OMIT = 0xff,
};
/* clang-format on */

struct walk {
	struct frame_section *c;
	struct frame_list *l;
	struct map64 cie_at; /* offset -> number + 1 */
};

static u64 address_of(const struct frame_section *c, const struct cursor *at)
{
	return c->address + (u64)(at->p - c->data);
}

static u64 read_encoded(struct cursor *at, u8 encoding, u8 address_size)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		return cursor_uint(at, address_size);
	case PE_ULEB:
		return cursor_uleb(at);
	case PE_SLEB:
		return (u64)cursor_sleb(at);
	case PE_UDATA2:
		return cursor_u16(at);
	case PE_SDATA2:
		return (u64)(s64)(s16)cursor_u16(at);
	case PE_UDATA4:
		return cursor_u32(at);
	case PE_SDATA4:
		return (u64)(s64)(s32)cursor_u32(at);
	case PE_UDATA8:
	case PE_SDATA8:
		return cursor_u64(at);
	default:
		at->bad = true;
		return 0;
	}
}

/* Reads an address. Returns false for kinds that no linker writes for functions. */
static bool read_pointer(const struct frame_section *c, struct cursor *at,
			 const struct frame_cie *cie, u64 *out)
{
	u64 here = address_of(c, at);
	u64 v = read_encoded(at, cie->pointer_encoding, cie->address_size);

	if ((cie->pointer_encoding & PE_BASE) == PE_PCREL)
		v += here;
	else if (cie->pointer_encoding & PE_BASE)
		return false;
	if (cie->address_size == 4)
		v = (u32)v;
	*out = v;
	return !at->bad && !(cie->pointer_encoding & PE_INDIRECT);
}

/* Reads the letters after 'z' and their data. */
static bool read_augmentation(struct cursor *c, struct frame_cie *cie, const char *letters)
{
	struct cursor data;

	if (letters[0] == 'e' && letters[1] == 'h') { /* old gcc: a pointer to its own table */
		cursor_skip(c, cie->address_size);
		letters += 2;
	}
	if (!letters[0])
		return !c->bad;
	if (letters[0] != 'z')
		return false;
	cie->has_augmentation = true;
	data = *c;
	u64 length = cursor_uleb(&data);

	*c = data;
	cursor_skip(c, length);
	for (letters++; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->pointer_encoding = cursor_u8(&data);
			break;
		case 'P':
			read_encoded(&data, cursor_u8(&data) & PE_FORMAT, cie->address_size);
			break;
		case 'L':
			cursor_u8(&data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default: /* 'B', 'G': facts that do not change the rows */
			break;
		}
	}
	return !c->bad && !data.bad;
}

static bool read_cie(const struct frame_section *c, struct cursor at, struct frame_cie *cie)
{
	u8 version = cursor_u8(&at);
	const char *letters = cursor_string(&at);
	u64 ra;

	*cie = (struct frame_cie){ .address_size = c->is64 ? 8 : 4 };
	if (version != 1 && version != 3 && version != 4)
		return false;
	if (version == 4) {
		cie->address_size = cursor_u8(&at);
		cursor_u8(&at); /* segment selectors: unused */
		if (cie->address_size != 4 && cie->address_size != 8)
			return false;
	}
	cie->code_align = cursor_uleb(&at);
	cie->data_align = cursor_sleb(&at);
	ra = version == 1 ? cursor_u8(&at) : cursor_uleb(&at);
	if (at.bad || ra >= FRAME_REGS || !read_augmentation(&at, cie, letters))
		return false;
	cie->ra = (u8)ra;
	cie->begin = (u32)(at.p - c->data);
	cie->end = (u32)(at.end - c->data);
	return true;
}

static void add_function(struct walk *w, struct cursor at, u32 number)
{
	const struct frame_section *c = w->c;
	const struct frame_cie *cie = &w->l->cies.items[number];
	struct frame_function f = { .cie = number };
	u64 length;

	if (!read_pointer(c, &at, cie, &f.low)) {
		w->c->unread++;
		return;
	}
	length = read_encoded(&at, cie->pointer_encoding & PE_FORMAT, cie->address_size);
	f.high = f.low + length;
	if (cie->has_augmentation)
		cursor_skip(&at, cursor_uleb(&at));
	f.begin = (u32)(at.p - c->data);
	f.end = (u32)(at.end - c->data);
	/* the linker leaves 0 for what it dropped */
	if (!at.bad && f.low && f.low < f.high && w->l->functions.count < MAX_FUNCTIONS)
		vec_push(&w->l->functions, f);
}

/*
 * Returns the number of the CIE at an offset, which it reads on the first reference; UINT32_MAX if
 * there is none.
 */
static u32 cie_number(struct walk *w, u64 offset)
{
	struct cursor at = cursor_at(w->c->data, w->c->size, offset, w->c->swap);
	u64 length = cursor_u32(&at), *slot;
	unsigned id_size = 4;
	struct frame_cie cie;

	slot = map64_put(&w->cie_at, offset, NULL);
	if (*slot)
		return (u32)*slot - 1;
	*slot = (u64)UINT32_MAX + 1;
	if (length == 0xffffffff) {
		length = cursor_u64(&at);
		id_size = w->c->is_eh ? 4 : 8;
	}
	if (at.bad || length > cursor_left(&at) || length < id_size)
		return UINT32_MAX;
	at.end = at.p + length;
	cursor_skip(&at, id_size);
	if (!read_cie(w->c, at, &cie)) {
		w->c->unread++;
		return UINT32_MAX;
	}
	vec_push(&w->l->cies, cie);
	*map64_put(&w->cie_at, offset, NULL) = w->l->cies.count;
	return (u32)w->l->cies.count - 1;
}

/* Walks one entry. Returns false at the end of the section. */
static bool walk_entry(struct walk *w, struct cursor *at)
{
	const struct frame_section *c = w->c;
	struct cursor entry;
	unsigned id_size = 4;
	u64 length = cursor_u32(at), here, id;

	if (length == 0xffffffff) {
		length = cursor_u64(at);
		id_size = c->is_eh ? 4 : 8;
	}
	/* a length of 0 ends a list; several lists may be concatenated */
	if (!at->bad && !length)
		return !c->is_open && cursor_left(at) >= 4;
	if (at->bad || length > cursor_left(at))
		return false;
	entry = *at;
	entry.end = at->p + length;
	at->p = entry.end;
	here = (u64)(entry.p - c->data);
	id = cursor_uint(&entry, id_size);
	if (entry.bad)
		return true;
	if (c->is_eh ? id != 0 : id != (id_size == 8 ? UINT64_MAX : UINT32_MAX)) {
		u32 number = cie_number(w, c->is_eh ? here - id : id);

		if (number != UINT32_MAX)
			add_function(w, entry, number);
	}
	return true;
}

static int by_low(const void *pa, const void *pb)
{
	const struct frame_function *a = pa, *b = pb;

	return a->low < b->low ? -1 : a->low > b->low;
}

void frame_list_read(struct frame_section *s, struct frame_list *out)
{
	struct walk w = { .c = s, .l = out };
	struct cursor at = cursor_at(s->data, s->size, 0, s->swap);
	bool sorted = true;

	*out = (struct frame_list){ VEC_INIT, VEC_INIT };
	while (walk_entry(&w, &at))
		;
	for (size_t i = 1; i < out->functions.count; i++)
		sorted &= out->functions.items[i - 1].low <= out->functions.items[i].low;
	if (!sorted)
		vec_sort(&out->functions, by_low);
	map64_release(&w.cie_at);
}

void frame_list_release(struct frame_list *l)
{
	vec_release(&l->cies);
	vec_release(&l->functions);
}

/*
 * Finds .eh_frame without section headers: the program header PT_GNU_EH_FRAME leads to
 * .eh_frame_hdr, which says where .eh_frame begins. Its end is not written; a length of 0 ends its
 * list.
 */
static bool open_by_segment(const struct elf *e, struct frame_section *out)
{
	size_t size;
	const u8 *data = elf_data(e, &size);

	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);
		struct cursor at = cursor_at(data, size, s->offset, elf_is_swapped(e));
		u64 offset;
		u8 encoding;

		if (s->type != PT_GNU_EH_FRAME || cursor_u8(&at) != 1)
			continue;
		encoding = cursor_u8(&at);
		cursor_skip(&at, 2);
		if ((encoding & (PE_BASE | PE_INDIRECT)) != PE_PCREL)
			return false;
		out->address = s->vaddr + 4;
		out->address += read_encoded(&at, encoding, elf_is_64(e) ? 8 : 4);
		if (at.bad || !elf_addr_to_offset(e, out->address, &offset) || offset >= size)
			return false;
		out->data = data + offset;
		out->size = MIN(size - offset, (size_t)UINT32_MAX);
		out->is_open = true;
		return true;
	}
	return false;
}

bool frame_section_open(const struct elf *e, const char *name, struct frame_section *out)
{
	const struct elf_section *s = elf_section(e, name);

	*out = (struct frame_section){ .is_eh = !strcmp(name, ".eh_frame") };
	out->swap = elf_is_swapped(e);
	out->is64 = elf_is_64(e);
	if (out->is_eh && !elf_section_count(e))
		return open_by_segment(e, out);
	if (!s || s->type == SHT_NOBITS || s->size > UINT32_MAX)
		return false;
	out->address = s->addr;
	if (elf_section_data(e, s, &out->bytes, NULL))
		return false;
	if (out->bytes.size > UINT32_MAX) {
		elf_bytes_release(&out->bytes);
		return false;
	}
	out->data = out->bytes.data;
	out->size = out->bytes.size;
	return true;
}

/* ---- .eh_frame_hdr ---- */

/* two signed 32-bit offsets: of the function and of its entry in .eh_frame */
enum { INDEX_ENTRY = 8 };

static bool read_header(const struct elf *e, const struct elf_segment *s, struct frame_index *out)
{
	size_t size;
	const u8 *data = elf_data(e, &size);
	struct cursor at = cursor_at(data, size, s->offset, elf_is_swapped(e));
	u8 version = cursor_u8(&at), pointer = cursor_u8(&at), count = cursor_u8(&at),
	   table = cursor_u8(&at);

	if (version != 1 || count != PE_UDATA4 || table != (PE_DATAREL | PE_SDATA4))
		return false;
	read_encoded(&at, pointer, elf_is_64(e) ? 8 : 4);
	out->count = cursor_u32(&at);
	out->entries = at.p;
	out->base = s->vaddr;
	return !at.bad && out->count && out->count <= cursor_left(&at) / INDEX_ENTRY;
}

bool frame_index_open(const struct elf *e, struct frame_index *out)
{
	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);

		if (s->type == PT_GNU_EH_FRAME)
			return read_header(e, s, out) &&
			       frame_section_open(e, ".eh_frame", &out->frames);
	}
	return false;
}

static u64 index_word(const struct frame_index *x, u32 number, unsigned word)
{
	u64 address = x->base +
		      (u64)(s64)(s32)load_u32(x->entries + (size_t)number * INDEX_ENTRY + word * 4,
					      x->frames.swap);

	return x->frames.is64 ? address : (u32)address;
}

u32 frame_index_before(const struct frame_index *x, u64 address)
{
	return lower_bound(i, 0, x->count, index_word(x, i, 0) <= address);
}

bool frame_index_get(const struct frame_index *x, u32 number, struct frame_function *out)
{
	struct frame_section section = x->frames;
	struct frame_list list = { VEC_INIT, VEC_INIT };
	struct walk w = { .c = &section, .l = &list };
	struct cursor at = cursor_at(section.data, section.size,
				     index_word(x, number, 1) - section.address, section.swap);
	bool found;

	walk_entry(&w, &at);
	found = list.functions.count;
	if (found)
		*out = list.functions.items[0];
	map64_release(&w.cie_at);
	frame_list_release(&list);
	return found;
}
