/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an offset in an image to source: file, line, and the functions that the compiler inlined
 * there.
 *
 * What it is: for each image the DWARF of its file (or of its debug file), of which only the list
 * of units is read at first. A unit's line table and its tree of inlined calls are read at the
 * first request for an address in it. DWARF 2 to 5, both byte orders, compressed sections, split
 * units (.dwo, .dwp) and common files (.gnu_debugaltlink).
 * Our own reader: libdw keeps one writable state for each file, which workers cannot share. For
 * what it cannot read (DWARF 1, stabs) the program addr2line is asked: one child for each object,
 * not for each address (struct line_options).
 * Threads: lines_at() may be called by many simultaneously.
 * Life: the store owns all; texts live as long as the store.
 */
#ifndef SYMBOL_SRCLINE_H
#define SYMBOL_SRCLINE_H

#include "base/strbuf.h"
#include "symbol/symbol.h"

struct source_frame {
	const char *function; /* demangled; NULL: not known, the symbol's name is as good */
	const char *file;     /* as the compiler was given it, made absolute; NULL: not known */
	u32 line;             /* 0: not known */
	bool is_inlined;      /* into the frame that follows */
};

struct line_options {
	bool full_path;        /* texts have the whole path, not the file's name alone */
	const char *prefix;    /* then: put before an absolute path; or NULL */
	unsigned prefix_strip; /* directories taken off it before */
	const char *addr2line; /* the program; NULL: "addr2line", from PATH */
	/*
	 * The readers to ask, in order: "native" (also libdw, llvm, libbfd: names of readers inside
	 * other programs) and "addr2line". NULL means "native,addr2line". The program is asked
	 * about files whose debug information the readers before it cannot read.
	 */
	const char *style;
};
/* Returns -EINVAL with a reason when the options contradict each other, or a style is unknown. */
int line_options_check(const struct line_options *o, struct reason *r);

struct line_store;
/*
 * Takes images and how files are found from the symbol store, which must outlive it.
 * options (NULL: none) are copied, the texts that they name are not.
 */
struct line_store *line_store_new(struct symbol_store *symbols, const struct line_options *options);
void line_store_free(struct line_store *s);
/*
 * Works like symbol_store_sweep(), for the same images. The texts that lines_at() returned for them
 * are freed as well.
 */
void line_store_sweep(struct line_store *s, const bool *named);
/*
 * Moves what was read of these images to another store, after symbol_store_renew(). The caller
 * frees that before s, so texts of theirs that are still shown live until then. Returns NULL if
 * nothing was read of them.
 */
struct line_store *line_store_take(struct line_store *s, const bool *images);
/* Returns roughly how much memory the debug information that was read takes. */
u64 line_store_bytes(const struct line_store *s);

/*
 * Finds the frames at an offset, innermost first; the last one is the function that the symbol
 * names. Fills in at most max and returns how many there are, 0 without debug information for the
 * offset.
 */
u32 lines_at(struct line_store *s, u32 image, u64 offset, struct source_frame *out, u32 max);
/*
 * The same with conditions: bits of enum lines_how.
 * LINES_NO_WAIT: returns LINES_BUSY where another thread is opening or reading the needed data, for
 * callers that have other questions to ask meanwhile. Once the other thread is done, the same
 * question gets an answer. It may still wait while another thread opens a .dwo file.
 * LINES_CALLS_ALONE: files and lines are not requested, so no line table is read; where only these
 * are known there are no frames.
 */
enum lines_how { LINES_NO_WAIT = 1, LINES_CALLS_ALONE = 2 };
#define LINES_BUSY UINT32_MAX
u32 lines_ask(struct line_store *s, u32 image, u64 offset, struct source_frame *out, u32 max,
	      unsigned how);

/*
 * Opens the debug information of an image before the first request: compressed sections take long,
 * and only one thread can read them. Returns immediately where another thread does it.
 */
void lines_open(struct line_store *s, u32 image);
/* Has the image debug information, in its file or beside it? Opens it. */
bool lines_exist(struct line_store *s, u32 image);

/* What a line's text is made from. */
struct line_place {
	const char *file; /* NULL: no line is known */
	u32 line;
	u32 image;
	u64 offset, addr;            /* in the image; as recorded */
	const struct symbol *symbol; /* or NULL */
};
/* Where no line is known perf says different things in different places. */
enum line_style {
	LINE_BELOW,   /* script: "file.c:12"; a kernel's address as "object[addr]"; else nothing */
	LINE_KEY,     /* a column: "file.c:12", "??:0", "symbol+off", "object[addr]" */
	LINE_BEHIND,  /* a chain's frame: "file.c:12", "??:0"; nothing in the kernel */
	LINE_ADDRESS, /* the same, distinguishing addresses: "file.c:12", "+off" */
};
void line_text(struct line_store *s, const struct line_place *p, enum line_style style,
	       struct strbuf *out);
/* Adds "file.c", as the options say; nothing when there is no file. */
void line_file_text(const struct line_store *s, const char *file, struct strbuf *out);

/*
 * What a disassembly shows beside an instruction: its own line and the innermost function, with
 * parameters. False without debug information for it.
 */
struct source_line {
	const char *function; /* NULL: not known */
	const char *file;     /* NULL: not known */
	u32 line, discriminator;
	bool is_inlined; /* function is, into another */
};
bool line_at(struct line_store *s, u32 image, u64 offset, struct source_line *out);
/*
 * Returns the address that the image's file gives to an offset, or the offset itself when it gives
 * none.
 */
u64 lines_address(struct line_store *s, u32 image, u64 offset);

#endif
