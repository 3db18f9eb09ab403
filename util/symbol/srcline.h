/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an offset in an image to source: file, line, and the functions that the
 * compiler inlined there.
 *
 * What it is: for each image the DWARF of its file (or of its debug file), of which
 * only the list of units is read at first.  A unit's line table and its tree of
 * inlined calls are read when an address in it is asked for.
 * DWARF 2 to 5, both byte orders, compressed sections, split units (.dwo, .dwp) and
 * common files (.gnu_debugaltlink).  Our own reader: libdw keeps one writable state
 * for each file, which workers cannot share.
 * Threads: lines_at() may be called by many at once.
 * Life: the store owns all; texts live as long as the store.
 */
#ifndef SYMBOL_SRCLINE_H
#define SYMBOL_SRCLINE_H

#include "symbol/symbol.h"

struct source_frame {
	const char *function; /* demangled; NULL: not known, the symbol's name is as good */
	const char *file;     /* as the compiler was given it, made absolute; NULL: not known */
	u32 line;	      /* 0: not known */
	bool is_inlined;      /* into the frame that follows */
};

struct line_store;
/* Takes images and how files are found from the symbol store, which must outlive it. */
struct line_store *line_store_new(struct symbol_store *symbols);
void line_store_free(struct line_store *s);

/*
 * The frames at an offset, innermost first; the last one is the function that
 * the symbol names.  At most max are filled; the number there are is returned, 0
 * when there is no debug information for the offset.
 */
u32 lines_at(struct line_store *s, u32 image, u64 offset, struct source_frame *out, u32 max);
/* The address that the image's file gives to an offset; the offset itself when it gives none. */
u64 lines_address(struct line_store *s, u32 image, u64 offset);

#endif
