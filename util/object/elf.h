/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file, read with a reader that trusts nothing in the file.
 *
 * It is a mapped (or borrowed) image with checked section and segment tables: a reported section
 * has its bytes inside the file, its name ends with a NUL, and an index from a caller is checked.
 * 32 and 64 bit, both byte orders, up to the header's 65,535 sections and beyond (extended
 * numbering); tables are cut at the end of the file.
 * Values are in host byte order, sizes and offsets in bytes.
 * Threads: read-only after opening; each caller inflates its sections.
 * Errors: -errno and a reason: -ENOENT, -EACCES ..., -ENOEXEC if it is not an ELF file.
 * Life: elf_open allocates, elf_close frees; names and bytes live as long.
 * Source: the System V ABI, chapters 4 and 5; gABI on SHF_COMPRESSED.
 */
#ifndef OBJECT_ELF_H
#define OBJECT_ELF_H

#include "base/reason.h"
#include "object/image.h"

struct elf;

struct elf_section {
	const char *name; /* never NULL */
	u32 index, type;  /* SHT_* */
	u64 flags, addr, offset, size, entsize, align;
	u32 link, info;
};

struct elf_segment {
	u32 type, flags; /* PT_*, PF_* */
	u64 offset, vaddr, file_size, memory_size, align;
	/*
	 * For a debug file: placed if offset is that in the object, for all of memory_size;
	 * unplaced if the place in the object is unknown.
	 */
	bool placed, unplaced;
};

struct elf_symbol {
	const char *name; /* never NULL */
	u64 value, size;
	u32 section; /* index, or SHN_UNDEF, SHN_ABS ...; SHN_XINDEX resolved */
	u8 type, binding, visibility, other;
};

struct elf_relocation {
	u64 offset; /* address patched */
	u32 symbol, type;
	s64 addend;
};

/* Bytes of a section; release with elf_bytes_release. */
struct elf_bytes {
	const u8 *data;
	size_t size;
	void *owned; /* inflated copy, or NULL if data is in the file */
};

int elf_open(const char *path, struct elf **out, struct reason *r) MUST_CHECK;
/*
 * Opens an ELF file in memory. With borrowed, data stays the caller's and must outlive it;
 * otherwise elf_close() frees it with free().
 */
int elf_open_bytes(const u8 *data, size_t size, bool borrowed, struct elf **out,
		   struct reason *r) MUST_CHECK;
void elf_close(struct elf *e);
/* Returns the file's stamp when elf_open() mapped it; NULL if its bytes are a copy. */
const struct file_stamp *elf_stamp(const struct elf *e);
/* Drops the file's pages from memory until they are read again. */
void elf_drop_pages(const struct elf *e);
/* Drops the file's pages, and expects only a few scattered reads later. */
void elf_let_pages_go(const struct elf *e);

bool elf_is_64(const struct elf *e);
bool elf_is_swapped(const struct elf *e); /* other byte order than the host's */
u16 elf_machine(const struct elf *e);     /* EM_* */
u64 elf_entry(const struct elf *e);       /* address where a program begins, or 0 */
u16 elf_type(const struct elf *e);        /* ET_* */
const u8 *elf_data(const struct elf *e, size_t *size);

u32 elf_section_count(const struct elf *e);
/* Returns a section by index, or NULL. */
const struct elf_section *elf_section_at(const struct elf *e, u32 index);
const struct elf_section *elf_section(const struct elf *e, const char *name);
/* Reports whether the section holds stubs of any PLT, with their code in the file. */
bool elf_section_is_plt(const struct elf_section *s);
const struct elf_section *elf_section_of_type(const struct elf *e, u32 type);
u32 elf_segment_count(const struct elf *e);
const struct elf_segment *elf_segment_at(const struct elf *e, u32 index);

/* Returns the raw bytes in the file; 0 bytes for SHT_NOBITS. */
struct elf_bytes elf_section_raw(const struct elf *e, const struct elf_section *s);
/* Contents, inflated when compressed (SHF_COMPRESSED or .zdebug_). */
int elf_section_data(const struct elf *e, const struct elf_section *s, struct elf_bytes *out,
		     struct reason *r) MUST_CHECK;
void elf_bytes_release(struct elf_bytes *b);

/* Entries of a symbol table section (SHT_SYMTAB, SHT_DYNSYM). */
u32 elf_symbol_count(const struct elf *e, const struct elf_section *table);
bool elf_symbol_at(const struct elf *e, const struct elf_section *table, u32 index,
		   struct elf_symbol *out);
/* Entries of SHT_REL / SHT_RELA. */
u32 elf_relocation_count(const struct elf *e, const struct elf_section *table);
bool elf_relocation_at(const struct elf *e, const struct elf_section *table, u32 index,
		       struct elf_relocation *out);

/*
 * Converts a virtual address to a file offset, by the PT_LOAD segments; for a debug file alone, to
 * the offset in the object. Returns false if no segment has it.
 */
bool elf_addr_to_offset(const struct elf *e, u64 addr, u64 *offset);
bool elf_offset_to_addr(const struct elf *e, u64 offset, u64 *addr);
/*
 * Reports whether the address is in a segment of a debug file whose place in the object is unknown.
 */
bool elf_address_is_unplaced(const struct elf *e, u64 address);
/* Reports whether the address is in an executable segment, with its bytes in the file. */
bool elf_address_is_code(const struct elf *e, u64 address);

/* Finds the NT_GNU_BUILD_ID note in sections or segments. Returns false if there is none. */
bool elf_build_id(const struct elf *e, struct build_id *id);
/* Returns the name in .gnu_debuglink and sets *crc to its checksum; NULL if absent. */
const char *elf_debuglink(const struct elf *e, u32 *crc);
/* Opens .gnu_debugdata (xz), which is an ELF file; returns -ENOENT if absent. */
int elf_open_debugdata(const struct elf *e, struct elf **out, struct reason *r) MUST_CHECK;

#endif
