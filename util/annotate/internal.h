/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the component: bytes of a function, decoders, names of addresses, source files. */
#ifndef ANNOTATE_INTERNAL_H
#define ANNOTATE_INTERNAL_H

#include "annotate/annotate.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "object/locate.h"
#include "symbol/srcline.h"

struct arch;

/* ---- code.c: the bytes of a function ---- */

struct code {
	const u8 *bytes;
	size_t size;
	u64 address;             /* the address of the first byte in the file */
	u64 from_offset;         /* image offset of the first byte */
	const struct arch *arch; /* NULL if unknown */
	/* the path of the file, or of its substitute; the annotator owns it */
	const char *path;
	const char *section;   /* ".text" */
	const struct elf *elf; /* for names of addresses, or NULL */
	bool is_file;          /* path can be given to objdump */
	bool thumb;            /* 32-bit Arm: it begins with Thumb instructions */
	u16 machine;           /* EM_* */
	u8 *owned;             /* bytes, if they were allocated, or NULL */
};

struct open_object {
	u32 image;
	struct object_file file, debug; /* debug.elf is NULL if it does not exist */
	int err;                        /* why it could not be opened */
	struct reason reason;
	struct addr_names *names; /* made on first use */
	u64 vdso_size;
};

struct annotator {
	struct context *ctx;
	const struct image_table *images;
	struct symbol_store *symbols;
	struct line_store *lines;
	struct annotate_settings set;
	VEC(struct open_object *) objects;
	struct sources *sources;
	struct opcodes *opcodes; /* libopcodes, opened on first use */
	struct decoder *decoder; /* capstone's handles, where libopcodes does not work */
	struct strtab texts;     /* paths */
};

/* Finds the code of a function. The caller frees out->owned. */
int code_find(struct annotator *a, u32 image, const struct symbol *sym, struct code *out,
	      struct reason *r) MUST_CHECK;
struct open_object *annotator_object(struct annotator *a, u32 image);

/* Reads the bytes [addr, addr + size) from an ELF core like /proc/kcore; *out is malloc'ed. */
int kcore_read(const char *path, u64 addr, u64 size, u8 **out, struct reason *r) MUST_CHECK;

/* ---- names.c: "<inner+0x60>" ---- */

struct addr_names;
/*
 * Collects the names of an object. debug is the object's separate debug file, or NULL; its names
 * stay in use.
 */
struct addr_names *addr_names_new(const struct elf *elf, const struct elf *debug,
				  const struct symbol_table *table, bool demangle);
void addr_names_free(struct addr_names *n);
/* Returns the symbol at or below addr in the same section, or NULL. Sets *offset from it. */
const char *addr_name(struct addr_names *n, u64 addr, s64 *offset);
/* Returns the name of the function at or below addr, or NULL. */
const char *addr_name_of_function(struct addr_names *n, u64 addr);

/* The source of names for addresses in operands. */
struct target_namer {
	struct annotator *a;
	u32 image;
	const struct code *code;
	struct addr_names *names;
};
const char *target_name(const struct target_namer *t, u64 addr, s64 *offset);
/* Writes "1280 <inner+0x60>", or the address alone. */
void text_address(const struct target_namer *t, u64 addr, struct strbuf *out);

/* ---- decoders: libopcodes (opcodes.h), capstone, objdump ---- */

struct insn {
	u64 address;
	u32 size;
	u8 flow;
	bool has_target;
	u64 target;
	struct strbuf *text; /* "mnemonic operands", as objdump has it (capstone's own words by
				decode()) */
};

/* Opens capstone; returns NULL if the library is missing. syntax: as for opcodes_begin(). */
struct decoder *decoder_new(const char *syntax);
void decoder_free(struct decoder *d);
bool decoder_knows(struct decoder *d, const struct arch *arch, u16 machine);
/*
 * Decodes one instruction at bytes; returns false if it cannot. Empties insn->text first.
 * names->code (or NULL) says whether code of 32-bit Arm is Thumb code.
 */
bool decode(struct decoder *d, const struct arch *arch, u16 machine, const u8 *bytes, size_t size,
	    u64 address, const struct target_namer *names, struct insn *insn);

/* objdump.c: decodes all instructions of the code with a child process. */
typedef void (*insn_fn)(void *arg, const struct insn *insn);
int objdump_run(struct annotator *a, const struct code *code, insn_fn fn, void *arg,
		const char **program, struct reason *r) MUST_CHECK;

/* ---- flow_text.c: jump, call, return and where to, from objdump's text ---- */

void flow_from_text(u16 machine, const char *text, struct insn *insn);
/* Does the same without the target; returns where the operands begin. */
const char *flow_kind_from_text(u16 machine, const char *text, struct insn *insn);
/* Returns the comment after operands, "  # 3fe0 <slot>", or the end of the operands. */
const char *comment_of(const char *operands);

/* ---- source.c: source files ---- */

struct sources;
struct sources *sources_new(const char *prefix, unsigned strip);
void sources_free(struct sources *s);
/* Returns line (from 1) of a file without its end; NULL if the file has no such line. */
const char *source_line(struct sources *s, const char *path, u32 line, size_t *len);

/* ---- flow.c ---- */

/* Sets target_line, jumps_here, block and loop of all lines. */
void flow_settle(struct annotation *n);

#endif
