/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that .eh_frame or .debug_frame describes: where each begins and ends, and where its
 * unwind instructions are.
 *
 * Source: DWARF 5 section 6.4; LSB "Exception Frames" for .eh_frame. Threads: any; nothing is
 * shared.
 */
#ifndef OBJECT_FRAMES_H
#define OBJECT_FRAMES_H

#include "base/vec.h"
#include "object/elf.h"

/* Registers by their DWARF numbers; no machine has more. */
#define FRAME_REGS 128

struct frame_cie {
	u64 code_align;
	s64 data_align;
	u8 ra, pointer_encoding, address_size;
	bool is_signal, has_augmentation;
	u32 begin, end; /* its instructions in the section */
};

struct frame_function {
	u64 low, high;  /* addresses */
	u32 cie;        /* number */
	u32 begin, end; /* its instructions in the section */
};

struct frame_section {
	const u8 *data;
	size_t size;
	u64 address; /* of the beginning of the section */
	bool is_eh, swap, is64;
	bool is_open;           /* its end is unknown, except for the end of its list */
	u32 unread;             /* entries that could not be read */
	struct elf_bytes bytes; /* the caller releases them */
};

struct frame_list {
	VEC(struct frame_cie) cies;
	VEC(struct frame_function) functions; /* in order of low */
};

/*
 * Returns false if the file itself has no such section, or it cannot be read. A file without
 * section headers has .eh_frame where its program headers say.
 */
bool frame_section_open(const struct elf *e, const char *name, struct frame_section *out);
void frame_list_read(struct frame_section *s, struct frame_list *out);
void frame_list_release(struct frame_list *l);

/*
 * .eh_frame_hdr: the functions of .eh_frame by address, so one is found without reading all of
 * them.
 */
struct frame_index {
	struct frame_section frames;
	const u8 *entries;
	u32 count;
	u64 base; /* entries are offsets from it */
};
/* Returns false when the file has none that can be searched.  The caller releases frames.bytes. */
bool frame_index_open(const struct elf *e, struct frame_index *out);
/* Returns the number of functions that begin at or before the address. */
u32 frame_index_before(const struct frame_index *x, u64 address);
bool frame_index_get(const struct frame_index *x, u32 number, struct frame_function *out);

#endif
