/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads build-ids of files, of the running kernel and its modules, and of the vdso. Returns 0, or
 * -errno: -ENOENT also when the thing has no build-id (the reason says which). Threads: any.
 */
#ifndef OBJECT_BUILDID_H
#define OBJECT_BUILDID_H

#include "base/reason.h"
#include "object/image.h"

/* Reads the build-id of an ELF file (also .ko.gz, .ko.xz, .ko.zst). */
int build_id_of_file(const char *path, struct build_id *id, struct reason *r);
/* Computes a substitute for a file without a build-id: a digest of its bytes. */
int build_id_of_content(const char *path, struct build_id *id, struct reason *r);
/* Reads the build-id from a file of raw notes, such as /sys/kernel/notes. */
int build_id_of_notes(const char *path, struct build_id *id, struct reason *r);
/* Reads the build-id of the running kernel; sysfs is the mount point, NULL for "/sys". */
int build_id_of_kernel(const char *sysfs, struct build_id *id, struct reason *r);
/* Reads the build-id of a loaded module ("ext4" or "[ext4]"). */
int build_id_of_module(const char *sysfs, const char *name, struct build_id *id, struct reason *r);
/* Reads the build-id of the vdso that the kernel mapped into this process. */
int build_id_of_vdso(struct build_id *id, struct reason *r);

bool build_id_equal(const struct build_id *a, const struct build_id *b);

#endif
