/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information (DWARF) of a file: opening it, and finding its sources.
 *
 * What it is: an open program, library, vmlinux or module (.ko) with its debug
 * information, wherever that is: in the file, in a separate file (by build-id or
 * .gnu_debuglink), in .dwo files, or in a file shared by dwz.
 * What the component offers: this header needs no library.  dwarf/die.h is for components that read
 * DIEs themselves (util/probe, util/annotate) and shows libdw's types: compile units found
 * by the names that they define, functions and inlined instances, types, line table rows,
 * and the file's symbols.  util/symbol has its own, faster reader for lines and
 * inlined frames, which needs neither libdw nor this component.
 * Units: addresses are virtual addresses of the ELF file (vmlinux: before KASLR; .ko: as
 * libdwfl lays its sections out).  Lines count from 1.
 * Any machine's files can be read on any host; the byte order follows the file.
 * Threads: one at a time per struct debuginfo.
 * Errors: -errno and a reason.  -ENODATA: the file has no debug information, or this
 * program was built without libdw.
 * Life: debuginfo_open allocates, debuginfo_close frees.
 * Source of the format: DWARF 5.
 */
#ifndef DWARF_DEBUGINFO_H
#define DWARF_DEBUGINFO_H

#include "base/reason.h"
#include "base/types.h"

struct arch;
struct build_id;
struct debuginfo;
struct object_search;

/*
 * Opens a file. search has the places of separate files (symfs, build-id cache); NULL means only
 * the system's. want is NULL, or the build-id that the file must have (-ESTALE).
 */
int debuginfo_open(const struct object_search *search, const char *path,
		   const struct build_id *want, struct debuginfo **out,
		   struct reason *r) MUST_CHECK;
void debuginfo_close(struct debuginfo *d);
/* Returns the path of the file with the debug information; it lives as long as d. */
const char *debuginfo_path(const struct debuginfo *d);
/*
 * Reports whether it is vmlinux or a module: globals are @SYMBOL+N, and functions have no prologue
 * to skip.
 */
bool debuginfo_is_kernel(const struct debuginfo *d);
/* Returns the file's architecture, or NULL if unknown. */
const struct arch *debuginfo_arch(const struct debuginfo *d);

/*
 * Finds the source file of a name in DWARF: below source (--source, may be NULL) by ever shorter
 * tails of its path; then as named; then in the directory of the compilation; then on a debuginfod
 * server if enabled. The caller frees *out.
 */
int debuginfo_find_source(struct debuginfo *d, const char *file, const char *directory,
			  const char *source, char **out, struct reason *r) MUST_CHECK;

#endif
