/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build-id cache (~/.debug) and other places that hold objects by build-id.
 *
 * Layout, shared with other perfs: DIR/PATH/HEX/elf holds the copy (kallsyms for a kernel, vdso for
 * the vdso) and DIR/.build-id/xx/rest is a link to PATH/HEX. In an older layout, the link leads to
 * the file itself. Returned paths are malloc'ed; the caller frees them. NULL means not found.
 * Threads: any; adding is atomic for readers (written under another name, then renamed).
 */
#ifndef OBJECT_CACHE_H
#define OBJECT_CACHE_H

#include "base/reason.h"
#include "object/image.h"

/*
 * Returns the path of an object's file by build-id, or NULL; what: "elf", "debug", "kallsyms",
 * "vdso", "probes".
 */
char *cache_find(const char *dir, const struct build_id *id, const char *what);
/* Returns symfs/usr/lib/debug/.build-id/xx/rest.debug, or NULL if it is not readable. */
char *debug_dir_find(const char *symfs, const struct build_id *id);

enum cache_kind {
	CACHE_ELF,      /* a copy of the file source */
	CACHE_KALLSYMS, /* a copy of source (/proc/kallsyms), when it shows addresses */
	CACHE_VDSO,     /* this process's vdso */
	CACHE_DEBUG,    /* the file source, as the debug file of name */
};

struct cache_entry {
	enum cache_kind kind;
	const char *name;   /* as recorded: "/usr/bin/ls", "[kernel.kallsyms]", "[vdso]" */
	const char *source; /* file to copy; NULL means name, or /proc/kallsyms */
	struct build_id id;
};
/*
 * Adds a copy: 0 also when it is already there; -ESTALE when the file does not have that build-id.
 * Entries have no other names: those that are hard links become copies when they are added again or
 * found. Nobody can read a copy who could not read the file.
 */
int cache_add(const char *dir, const struct cache_entry *e, struct reason *r);
/*
 * Adds a file without a build-id: sets e->id to a digest of the copied bytes. Only the owner can
 * read the copy.
 */
int cache_add_content(const char *dir, struct cache_entry *e, struct reason *r);
/*
 * Copies a kernel's code from a directory with kcore, kallsyms and modules (/proc); path names its
 * kcore (kcore.c). Sets *home to the directory of the copy, which the caller frees. If the same
 * kernel with its modules at the same places is there, adds it again only with force; *added says
 * whether it did.
 */
int cache_add_kcore(const char *dir, const char *path, bool force, char **home, bool *added,
		    struct reason *r);
/*
 * Checks, or makes, a copy outside the cache. kcore_copy() copies kcore, kallsyms and modules from
 * the directory `from` ("/proc") to the new directory `home`, which it removes if copying fails.
 * kcore_check() tests beforehand if they can be read and show addresses.
 */
int kcore_check(const char *from, struct reason *r);
int kcore_copy(const char *from, const char *home, struct reason *r);
/*
 * Reports whether /proc/kallsyms shows addresses to unprivileged users (kallsyms_show_value() of
 * Linux).
 */
bool kallsyms_shown_to_all(void);
/*
 * Explains why this kallsyms shows zeros; sets *hint to what would show the addresses. Both are
 * literals.
 */
const char *kallsyms_hidden(const char *path, const char **hint);
/* -EPERM and the reason when this list of the kernel's symbols shows no addresses. */
int kallsyms_check(const char *path, struct reason *r);
/* Forget the copy and its link; -ENOENT when not there. */
int cache_remove(const char *dir, const struct build_id *id, struct reason *r);
/* Calls fn for each id in the cache, in order of hex text. path is the copy's directory or file. */
int cache_each(const char *dir, int (*fn)(void *arg, const struct build_id *id, const char *path),
	       void *arg, struct reason *r);

#endif
