/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions of dynamic symbols: "GLIBC_2.14" of memcpy@@GLIBC_2.14.
 *
 * Threads: read-only once read; elf must outlive it. Errors: none; a damaged entry has no version.
 * Source: the LSB's chapter on symbol versioning: .gnu.version, _r and _d.
 */
#ifndef OBJECT_VERSIONS_H
#define OBJECT_VERSIONS_H

#include "base/vec.h"
#include "object/elf.h"

struct versions {
	const struct elf *elf;
	const struct elf_section *symbols; /* .gnu.version */
	VEC(struct version {
		const char *name;
		bool own;
	})
	list; /* by index; name NULL for a gap */
};

void versions_read(struct versions *v, const struct elf *elf);
void versions_release(struct versions *v);
/*
 * Returns the version of a dynamic symbol, or NULL. Sets is_default if this file defines it as the
 * default.
 */
const char *version_of(const struct versions *v, u32 symbol, bool *is_default);

#endif
