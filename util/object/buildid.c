// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/buildid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "object/elf.h"
#include "object/internal.h"
#include "object/vdso.h"

/* Files of notes are a few hundred bytes. */
#define NOTES_MAX (64 * 1024)

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, MIN(a->size, sizeof(a->id)));
}

int build_id_of_file(const char *path, struct build_id *id, struct reason *r)
{
	struct elf *e;
	int err = elf_open(path, &e, r);

	if (err)
		return err;
	if (!elf_build_id(e, id))
		err = reason_set(r, ENOENT, "'%s' has no build-id", path);
	elf_close(e);
	return err;
}

/*
 * Updates three FNV-1a hashes with different starts. The digest identifies a file, but is not
 * cryptographic.
 */
static void digest(u64 h[3], const u8 *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 3; k++)
			h[k] = (h[k] ^ p[i]) * (0x100000001b3ULL + (k << 9));
}

int build_id_of_content(const char *path, struct build_id *id, struct reason *r)
{
	enum { PIECE = 1 << 16 };
	u64 h[3] = { 0xcbf29ce484222325ULL, 0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL };
	int fd = file_open(path, r);
	ssize_t n;
	u8 *buf;

	if (fd < 0)
		return fd;
	buf = xmalloc(PIECE);
	while ((n = read_all(fd, buf, PIECE)) > 0)
		digest(h, buf, (size_t)n);
	free(buf);
	close(fd);
	if (n < 0)
		return reason_errno(r, (int)-n, "cannot read '%s'", path);
	*id = (struct build_id){ .size = sizeof(id->id) };
	memcpy(id->id, h, sizeof(id->id));
	return 0;
}

int build_id_of_notes(const char *path, struct build_id *id, struct reason *r)
{
	int fd = file_open(path, r);
	u8 *buf;
	ssize_t n;
	bool found;

	if (fd < 0)
		return fd;
	buf = xmalloc(NOTES_MAX);
	n = read_all(fd, buf, NOTES_MAX);
	close(fd);
	found = n > 0 && notes_build_id(buf, (size_t)n, 4, false, id);
	free(buf);
	if (n < 0)
		return reason_errno(r, (int)-n, "cannot read '%s'", path);
	return found ? 0 : reason_set(r, ENOENT, "'%s' has no build-id", path);
}

int build_id_of_kernel(const char *sysfs, struct build_id *id, struct reason *r)
{
	char *path = xasprintf("%s/kernel/notes", sysfs ? sysfs : "/sys");
	int err = build_id_of_notes(path, id, r);

	free(path);
	return err;
}

int build_id_of_module(const char *sysfs, const char *name, struct build_id *id, struct reason *r)
{
	size_t len = strlen(name);
	char *path;
	int err;

	if (len > 2 && name[0] == '[' && name[len - 1] == ']') {
		name++;
		len -= 2;
	}
	path = xasprintf("%s/module/%.*s/notes/.note.gnu.build-id", sysfs ? sysfs : "/sys",
			 (int)len, name);
	err = build_id_of_notes(path, id, r);
	free(path);
	return err;
}

int build_id_of_vdso(struct build_id *id, struct reason *r)
{
	struct elf *e;
	int err = vdso_open(&e, r);

	if (err)
		return err;
	if (!elf_build_id(e, id))
		err = reason_set(r, ENOENT, "the vdso has no build-id");
	elf_close(e);
	return err;
}
