// SPDX-License-Identifier: GPL-2.0-or-later
/* The contents of sections: notes, links to debug files, compressed bytes. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "object/elf.h"
#include "object/inflate.h"
#include "object/internal.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Searches note bytes once, with name and description padded to align. */
static bool find_build_id(const u8 *p, size_t n, size_t align, bool swap, struct build_id *id)
{
	while (n >= 12) {
		u64 name_size = load_u32(p, swap), size = load_u32(p + 4, swap);
		u32 type = load_u32(p + 8, swap);
		u64 at = 12 + ALIGN_UP(name_size, (u64)align);
		u64 next = at + ALIGN_UP(size, (u64)align);

		if (at > n || size > n - at)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(p + 12, "GNU", 4) &&
		    size && size <= sizeof(id->id)) {
			*id = (struct build_id){ .size = (u8)size };
			memcpy(id->id, p + at, size);
			return true;
		}
		if (next >= n)
			return false;
		p += next;
		n -= next;
	}
	return false;
}

bool notes_build_id(const u8 *notes, size_t size, u64 align, bool swap, struct build_id *id)
{
	/* most write 4 in any class; 8 only if the header says so */
	return find_build_id(notes, size, align == 8 ? 8 : 4, swap, id) ||
	       (align == 8 && find_build_id(notes, size, 4, swap, id));
}

bool elf_build_id(const struct elf *e, struct build_id *id)
{
	size_t size;
	const u8 *data = elf_data(e, &size);

	for (u32 i = 0; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (s->type == SHT_NOTE &&
		    notes_build_id(data + s->offset, s->size, s->align, elf_is_swapped(e), id))
			return true;
	}
	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);

		if (s->type == PT_NOTE && s->offset <= size &&
		    notes_build_id(data + s->offset, MIN(s->file_size, size - s->offset), s->align,
				   elf_is_swapped(e), id))
			return true;
	}
	return false;
}

const char *elf_debuglink(const struct elf *e, u32 *crc)
{
	const struct elf_section *s = elf_section(e, ".gnu_debuglink");
	struct elf_bytes b;
	size_t len, at;

	if (!s)
		return NULL;
	b = elf_section_raw(e, s);
	len = strnlen((const char *)b.data, b.size);
	at = ALIGN_UP(len + 1, (size_t)4);
	/* a name, not a path: we choose the directories to look in */
	if (!len || at + 4 > b.size || memchr(b.data, '/', len))
		return NULL;
	*crc = load_u32(b.data + at, elf_is_swapped(e));
	return (const char *)b.data;
}

u32 object_crc32(const u8 *data, size_t size)
{
	u32 table[256], crc = UINT32_MAX;

	for (u32 i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

static int refuse_promise(size_t n, u64 size, struct reason *r)
{
	return reason_set(r, E2BIG,
			  "%zu bytes that claim to inflate to %" PRIu64
			  ", more than 64 times as much and 16 MB",
			  n, size);
}

/* Inflates an SHF_COMPRESSED section, whose bytes begin with a compression header. */
static int inflate_section(const struct elf *e, struct elf_bytes raw, struct elf_bytes *out,
			   struct reason *r)
{
	size_t head = elf_is_64(e) ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	bool swap = elf_is_swapped(e);
	u8 *data = NULL;
	u64 size;
	u32 type;
	int err;

	if (raw.size < head)
		return reason_set(r, EINVAL, "compressed section without a header");
	type = load_u32(raw.data, swap);
	size = elf_is_64(e) ? load_u64(raw.data + 8, swap) : load_u32(raw.data + 4, swap);
	raw.data += head;
	raw.size -= head;
	if (size > inflate_limit(raw.size))
		err = refuse_promise(raw.size, size, r);
	else if (type == ELFCOMPRESS_ZLIB)
		err = inflate_zlib(raw.data, raw.size, size, inflate_limit(raw.size), &data,
				   &out->size, r);
	else if (type == ELFCOMPRESS_ZSTD)
		err = inflate_zstd(raw.data, raw.size, size, inflate_limit(raw.size), &data,
				   &out->size, r);
	else
		err = reason_set(r, EINVAL, "compressed section of unknown kind %u", type);
	out->data = out->owned = data;
	return err;
}

/* Inflates GNU's older form: "ZLIB", the size in big-endian order, the stream. */
static int inflate_zdebug(struct elf_bytes raw, struct elf_bytes *out, struct reason *r)
{
	u64 size = load_u64(raw.data + 4, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	u8 *data = NULL;
	int err;

	if (size > inflate_limit(raw.size))
		return refuse_promise(raw.size, size, r);
	err = inflate_zlib(raw.data + 12, raw.size - 12, size, inflate_limit(raw.size), &data,
			   &out->size, r);
	out->data = out->owned = data;
	return err;
}

static u64 promised_size(const struct elf *e, const struct elf_section *s, struct elf_bytes raw)
{
	if (s->flags & SHF_COMPRESSED && elf_is_64(e))
		return raw.size < sizeof(Elf64_Chdr) ? 0
						     : load_u64(raw.data + 8, elf_is_swapped(e));
	if (s->flags & SHF_COMPRESSED)
		return raw.size < sizeof(Elf32_Chdr) ? 0
						     : load_u32(raw.data + 4, elf_is_swapped(e));
	if (str_starts(s->name, ".zdebug_") && raw.size > 12)
		return load_u64(raw.data + 4, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return 0;
}

int inflate_check(const struct elf *e, struct reason *r)
{
	for (u32 i = 1; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);
		struct elf_bytes raw = elf_section_raw(e, s);
		u64 size = promised_size(e, s, raw);

		if (size > inflate_limit(raw.size)) {
			int err = refuse_promise(raw.size, size, r);

			reason_prefix(r, "section '%s'", s->name);
			return err;
		}
	}
	return 0;
}

bool section_is_zstd(const struct elf *e, const struct elf_section *s)
{
	struct elf_bytes raw = elf_section_raw(e, s);

	return s->flags & SHF_COMPRESSED && raw.size >= sizeof(u32) &&
	       load_u32(raw.data, elf_is_swapped(e)) == ELFCOMPRESS_ZSTD;
}

int elf_section_data(const struct elf *e, const struct elf_section *s, struct elf_bytes *out,
		     struct reason *r)
{
	struct elf_bytes raw = elf_section_raw(e, s);
	int err = 0;

	*out = (struct elf_bytes){ NULL, 0, NULL };
	if (s->flags & SHF_COMPRESSED)
		err = inflate_section(e, raw, out, r);
	else if (str_starts(s->name, ".zdebug_") && raw.size > 12 && !memcmp(raw.data, "ZLIB", 4))
		err = inflate_zdebug(raw, out, r);
	else
		*out = raw;
	if (err)
		reason_prefix(r, "section '%s'", s->name);
	return err;
}

int elf_open_debugdata(const struct elf *e, struct elf **out, struct reason *r)
{
	const struct elf_section *s = elf_section(e, ".gnu_debugdata");
	struct elf_bytes raw;
	size_t size;
	u8 *data;
	int err;

	if (!s)
		return reason_set(r, ENOENT, "no .gnu_debugdata");
	raw = elf_section_raw(e, s);
	err = inflate_xz(raw.data, raw.size, 0, inflate_limit(raw.size), &data, &size, r);
	return err ? err : elf_open_bytes(data, size, false, out, r);
}
