// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the running kernel's text from /proc/kcore: an ELF core whose segments are the kernel's
 * address ranges. It cannot be mapped and has no end, so it is read in place.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "annotate/internal.h"

static bool read_all(int fd, void *to, size_t size, u64 at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Finds the range in the file; segments have this machine's word size. */
static bool find_segment(int fd, u64 addr, u64 size, u64 *at)
{
	Elf64_Ehdr h;

	if (!read_all(fd, &h, sizeof(h), 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		Elf64_Phdr p;

		if (!read_all(fd, &p, sizeof(p), h.e_phoff + (u64)i * sizeof(p)))
			return false;
		if (p.p_type == PT_LOAD && addr >= p.p_vaddr && addr - p.p_vaddr < p.p_memsz &&
		    size <= p.p_memsz - (addr - p.p_vaddr)) {
			*at = p.p_offset + (addr - p.p_vaddr);
			return true;
		}
	}
	return false;
}

int kcore_read(const char *path, u64 addr, u64 size, u8 **out, struct reason *r)
{
	int fd = file_open(path, r), err = 0;
	u64 at;

	if (fd < 0)
		return fd;
	*out = malloc(size);
	if (!*out)
		err = reason_set(r, ENOMEM, "out of memory for 0x%" PRIx64 " bytes of code", size);
	else if (!find_segment(fd, addr, size, &at))
		err = reason_set(r, ENODATA, "'%s' does not hold 0x%" PRIx64, path, addr);
	else if (!read_all(fd, *out, size, at))
		err = reason_errno(r, errno ? errno : EIO, "'%s' cannot be read at 0x%" PRIx64,
				   path, addr);
	if (err) {
		free(*out);
		*out = NULL;
	}
	close(fd);
	return err;
}
