/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of jit share: jitdump.c reads, object.c writes ELF, lines.c its DWARF, frames.c
 * its unwind tables, code.c makes one object of many functions.
 */
#ifndef JIT_INTERNAL_H
#define JIT_INTERNAL_H

#include "base/strbuf.h"
#include "jit/jitdump.h"

struct jit_format {
	u16 machine; /* EM_* */
	bool swap;   /* the file's byte order is not the host's */
	bool is64;
};
const struct jit_format *jitdump_format(const struct jitdump *d);

/* Contents of .debug_info, .debug_abbrev and .debug_line. Zeroed: no function yet. */
struct jit_dwarf {
	struct strbuf info, abbrev, line;
};
/* Appends the unit and the lines of a function, whose code is at addr in the object. */
void jit_dwarf_add(const struct jit_entry *e, const struct jit_format *f, u64 addr,
		   struct jit_dwarf *out);
void jit_dwarf_release(struct jit_dwarf *d);

/*
 * Appends the function's .eh_frame to out, which will be at base in the object; its code is at
 * addr. Damaged tables, and those with anything but relative addresses of 4 bytes, are left out.
 */
void jit_frames_add(const struct jit_entry *e, const struct jit_format *f, u64 addr, u64 base,
		    struct strbuf *out);

/* An ELF object that is being built: begin, add sections, symbols last, end. */
struct jit_section {
	const char *name;
	u32 type, link, info;
	u64 flags, offset, size, align, entry;
};
struct jit_object {
	const struct jit_format *f;
	struct strbuf bytes; /* the caller releases it */
	struct jit_section sections[16];
	unsigned count;
};
void jit_object_begin(struct jit_object *o, const struct jit_format *f);
/* Adds a section and returns its number. */
unsigned jit_add_section(struct jit_object *o, const char *name, u32 type, u64 flags,
			 const void *data, size_t size, u64 align);
/* Adds nothing when it has no bytes. */
void jit_add_optional(struct jit_object *o, const char *name, u64 flags, const void *data,
		      size_t size);
/* Appends one entry of a symbol table. */
void jit_add_symbol(struct strbuf *b, const struct jit_format *f, u32 name, u64 value, u64 size,
		    u8 info, u16 section);
void jit_add_symbol_table(struct jit_object *o, const struct strbuf *symbols,
			  const struct strbuf *names);
/* Completes the object. loaded: bytes that the program has in memory. */
void jit_object_end(struct jit_object *o, u64 loaded, const struct jit_dwarf *dwarf);

void jit_put16(struct strbuf *b, u16 v, const struct jit_format *f);
void jit_put32(struct strbuf *b, u32 v, const struct jit_format *f);
void jit_put64(struct strbuf *b, u64 v, const struct jit_format *f);
/* Appends 4 or 8 bytes, as the machine's word size is. */
void jit_put_word(struct strbuf *b, u64 v, const struct jit_format *f);

#endif
