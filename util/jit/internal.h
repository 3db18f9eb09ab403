/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of jit: jitdump.c reads, object.c writes ELF, lines.c its DWARF. */
#ifndef JIT_INTERNAL_H
#define JIT_INTERNAL_H

#include "base/strbuf.h"
#include "jit/jitdump.h"

struct jit_format {
	u16 machine; /* EM_* */
	bool swap;   /* not the host's byte order */
	bool is64;
};
const struct jit_format *jitdump_format(const struct jitdump *d);

/* .debug_info, .debug_abbrev and .debug_line of one function. */
struct jit_dwarf {
	struct strbuf info, abbrev, line;
};
/* addr: of the code in the object. */
void jit_dwarf_build(const struct jit_entry *e, const struct jit_format *f, u64 addr,
		     struct jit_dwarf *out);
void jit_dwarf_release(struct jit_dwarf *d);

void jit_put16(struct strbuf *b, u16 v, const struct jit_format *f);
void jit_put32(struct strbuf *b, u32 v, const struct jit_format *f);
void jit_put64(struct strbuf *b, u64 v, const struct jit_format *f);
/* 4 or 8 bytes */
void jit_put_word(struct strbuf *b, u64 v, const struct jit_format *f);

#endif
