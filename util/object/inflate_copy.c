// SPDX-License-Identifier: GPL-2.0-or-later
/* A copy of an ELF file without its zstd sections, for readers that know zlib alone. */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/out.h"
#include "object/elf.h"
#include "object/inflate.h"
#include "object/internal.h"

bool inflate_has_zstd(const struct elf *e)
{
	for (u32 i = 1; i < elf_section_count(e); i++)
		if (section_is_zstd(e, elf_section_at(e, i)))
			return true;
	return false;
}

static void put(const struct elf *e, u8 *at, u64 v)
{
	bool swap = elf_is_swapped(e);

	if (elf_is_64(e))
		store_u64(at, swap ? __builtin_bswap64(v) : v);
	else
		store_u32(at, swap ? __builtin_bswap32((u32)v) : (u32)v);
}

/* Where the file has the header of a section, whose table elf_open() has checked. */
static u64 header_at(const struct elf *e, const struct elf_section *s)
{
	size_t size;
	const u8 *file = elf_data(e, &size);
	bool swap = elf_is_swapped(e);

	if (elf_is_64(e))
		return load_u64(file + offsetof(Elf64_Ehdr, e_shoff), swap) +
		       (u64)s->index * load_u16(file + offsetof(Elf64_Ehdr, e_shentsize), swap);
	return load_u32(file + offsetof(Elf32_Ehdr, e_shoff), swap) +
	       (u64)s->index * load_u16(file + offsetof(Elf32_Ehdr, e_shentsize), swap);
}

#define HEADER(e, field) (elf_is_64(e) ? offsetof(Elf64_Shdr, field) : offsetof(Elf32_Shdr, field))

/* Appends the inflated bytes of s at end, and lets its header in the copy say so. */
static int append(const struct elf *e, const struct elf_section *s, int fd, u64 *end,
		  struct reason *r)
{
	u8 header[sizeof(Elf64_Shdr)];
	size_t size = elf_is_64(e) ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	off_t at = (off_t)header_at(e, s);
	struct elf_bytes bytes;
	int err = elf_section_data(e, s, &bytes, r);

	if (err)
		return err;
	*end = ALIGN_UP(*end, 16);
	if (pread(fd, header, size, at) != (ssize_t)size)
		err = -EIO;
	put(e, header + HEADER(e, sh_flags), s->flags & ~(u64)SHF_COMPRESSED);
	put(e, header + HEADER(e, sh_offset), *end);
	put(e, header + HEADER(e, sh_size), bytes.size);
	put(e, header + HEADER(e, sh_addralign), 1);
	if (!err && pwrite(fd, header, size, at) != (ssize_t)size)
		err = -EIO;
	if (!err && lseek(fd, (off_t)*end, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		err = write_all(fd, bytes.data, bytes.size);
	*end += bytes.size;
	elf_bytes_release(&bytes);
	return err ? reason_errno(r, -err, "cannot copy section '%s' into memory", s->name) : 0;
}

int inflate_copy(const struct elf *e, struct reason *r)
{
	int fd = memfd_create("inflated", MFD_CLOEXEC), err;
	size_t size;
	const u8 *data = elf_data(e, &size);
	u64 end = size;

	if (fd < 0)
		return reason_errno(r, errno, "cannot make a file in memory");
	err = write_all(fd, data, size);
	if (err)
		reason_errno(r, -err, "cannot copy the file into memory");
	for (u32 i = 1; !err && i < elf_section_count(e); i++)
		if (section_is_zstd(e, elf_section_at(e, i)))
			err = append(e, elf_section_at(e, i), fd, &end, r);
	if (!err)
		return fd;
	close(fd);
	return err;
}
