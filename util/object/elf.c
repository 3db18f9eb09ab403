// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/lost_pages.h"
#include "object/internal.h"

/* No linker makes more; limits the memory that a small file can request. */
#define MAX_SECTIONS (1u << 20)

enum elf_memory { BORROWED, HEAP, MAPPED };

struct elf {
	const u8 *data;
	size_t size;
	enum elf_memory memory;
	struct file_stamp stamp; /* of the mapped file */
	bool is64, swap;
	u16 machine, type;
	u64 entry;
	struct elf_section *sections;
	char *section_names; /* a copy of the usual, small table; NULL if the names are in data */
	u32 section_count;
	struct elf_segment *segments;
	u32 segment_count;
};

/* What the header says about the two tables. */
struct table_facts {
	u64 sections_at, segments_at;
	u32 section_count, section_size, names;
	u32 segment_count, segment_size;
};

static bool in_file(const struct elf *e, u64 offset, u64 size)
{
	return offset <= e->size && size <= e->size - offset;
}

static u16 half(const struct elf *e, u64 at)
{
	return load_u16(e->data + at, e->swap);
}

static u32 word(const struct elf *e, u64 at)
{
	return load_u32(e->data + at, e->swap);
}

/* Reads a field with the size of an address. */
static u64 native(const struct elf *e, u64 at)
{
	return e->is64 ? load_u64(e->data + at, e->swap) : load_u32(e->data + at, e->swap);
}

#define FIELD(e, kind, field)                                                                      \
	((e)->is64 ? offsetof(Elf64_##kind, field) : offsetof(Elf32_##kind, field))
#define SIZE_OF(e, kind) ((e)->is64 ? sizeof(Elf64_##kind) : sizeof(Elf32_##kind))

/* Returns a string of a table section; "" if the offset is bad or no NUL ends it. */
static const char *string_at(const struct elf *e, const struct elf_section *strings, u64 at)
{
	const u8 *s;

	if (!strings || strings->type == SHT_NOBITS || at >= strings->size)
		return "";
	s = e->data + strings->offset;
	/* checking the table's end once replaces a search for each name */
	if (s[strings->size - 1] && !memchr(s + at, 0, strings->size - at))
		return "";
	return (const char *)s + at;
}

static int read_ident(struct elf *e, struct reason *r)
{
	const u8 *d = e->data;
	bool big;

	if (e->size < EI_NIDENT || memcmp(d, ELFMAG, SELFMAG))
		return reason_set(r, ENOEXEC, "not an ELF file");
	if ((d[EI_CLASS] != ELFCLASS32 && d[EI_CLASS] != ELFCLASS64) ||
	    (d[EI_DATA] != ELFDATA2LSB && d[EI_DATA] != ELFDATA2MSB))
		return reason_set(r, EINVAL, "ELF file of an unknown class or byte order");
	e->is64 = d[EI_CLASS] == ELFCLASS64;
	big = d[EI_DATA] == ELFDATA2MSB;
	e->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (e->size < SIZE_OF(e, Ehdr))
		return reason_set(r, EINVAL, "ELF file that ends inside its header");
	return 0;
}

static void read_header(struct elf *e, struct table_facts *t)
{
	e->type = half(e, FIELD(e, Ehdr, e_type));
	e->machine = half(e, FIELD(e, Ehdr, e_machine));
	e->entry = native(e, FIELD(e, Ehdr, e_entry));
	t->sections_at = native(e, FIELD(e, Ehdr, e_shoff));
	t->segments_at = native(e, FIELD(e, Ehdr, e_phoff));
	t->section_count = half(e, FIELD(e, Ehdr, e_shnum));
	t->section_size = half(e, FIELD(e, Ehdr, e_shentsize));
	t->names = half(e, FIELD(e, Ehdr, e_shstrndx));
	t->segment_count = half(e, FIELD(e, Ehdr, e_phnum));
	t->segment_size = half(e, FIELD(e, Ehdr, e_phentsize));
}

/* Counts too large for the header stand in section 0. */
static void read_extended_counts(const struct elf *e, struct table_facts *t)
{
	u64 at = t->sections_at;

	if (!at || !in_file(e, at, SIZE_OF(e, Shdr)))
		return;
	if (!t->section_count) {
		u64 n = native(e, at + FIELD(e, Shdr, sh_size));

		t->section_count = (u32)MIN(n, MAX_SECTIONS);
	}
	if (t->names == SHN_XINDEX)
		t->names = word(e, at + FIELD(e, Shdr, sh_link));
	if (t->segment_count == PN_XNUM)
		t->segment_count = word(e, at + FIELD(e, Shdr, sh_info));
}

/* Returns how many of count entries are inside the file. */
static u32 clip_table(const struct elf *e, u64 at, u32 count, u32 entry, size_t least)
{
	if (!at || at > e->size || entry < least)
		return 0;
	return (u32)MIN((u64)count, (e->size - at) / entry);
}

static void read_section(const struct elf *e, u64 at, struct elf_section *s)
{
	s->type = word(e, at + FIELD(e, Shdr, sh_type));
	s->flags = native(e, at + FIELD(e, Shdr, sh_flags));
	s->addr = native(e, at + FIELD(e, Shdr, sh_addr));
	s->offset = native(e, at + FIELD(e, Shdr, sh_offset));
	s->size = native(e, at + FIELD(e, Shdr, sh_size));
	s->link = word(e, at + FIELD(e, Shdr, sh_link));
	s->info = word(e, at + FIELD(e, Shdr, sh_info));
	s->align = native(e, at + FIELD(e, Shdr, sh_addralign));
	s->entsize = native(e, at + FIELD(e, Shdr, sh_entsize));
	if (s->type == SHT_NOBITS)
		return;
	if (s->offset > e->size)
		s->offset = s->size = 0;
	s->size = MIN(s->size, e->size - s->offset);
}

/*
 * Names the sections from a copy of the names, so looking for a section does not bring pages of the
 * file back into memory.
 */
static void name_sections(struct elf *e, const struct table_facts *t)
{
	enum { USUAL = 64 << 10 }; /* bytes: objects with a section for each function have more */
	const struct elf_section *names = elf_section_at(e, t->names);
	bool copies = names && names->type != SHT_NOBITS && names->size <= USUAL;

	if (copies) {
		/*
		 * the file may be written meanwhile: the NUL of the copy ends a name, whatever the
		 * file has now
		 */
		e->section_names = xcalloc(names->size + 1, 1);
		memcpy(e->section_names, e->data + names->offset, names->size);
	}
	for (u32 i = 0; i < e->section_count; i++) {
		const char *name =
			string_at(e, names, word(e, t->sections_at + (u64)i * t->section_size));

		if (copies)
			name = *name ? e->section_names +
					       (name - (const char *)e->data - names->offset)
				     : "";
		e->sections[i].name = name;
	}
}

static void read_sections(struct elf *e, struct table_facts *t)
{
	t->section_count =
		clip_table(e, t->sections_at, t->section_count, t->section_size, SIZE_OF(e, Shdr));
	e->sections = xcalloc(t->section_count, sizeof(*e->sections));
	e->section_count = t->section_count;
	for (u32 i = 0; i < e->section_count; i++) {
		e->sections[i].index = i;
		read_section(e, t->sections_at + (u64)i * t->section_size, &e->sections[i]);
	}
	name_sections(e, t);
}

static void read_segments(struct elf *e, struct table_facts *t)
{
	t->segment_count =
		clip_table(e, t->segments_at, t->segment_count, t->segment_size, SIZE_OF(e, Phdr));
	e->segments = xcalloc(t->segment_count, sizeof(*e->segments));
	e->segment_count = t->segment_count;
	for (u32 i = 0; i < e->segment_count; i++) {
		u64 at = t->segments_at + (u64)i * t->segment_size;

		e->segments[i] = (struct elf_segment){
			.type = word(e, at + FIELD(e, Phdr, p_type)),
			.flags = word(e, at + FIELD(e, Phdr, p_flags)),
			.offset = native(e, at + FIELD(e, Phdr, p_offset)),
			.vaddr = native(e, at + FIELD(e, Phdr, p_vaddr)),
			.file_size = native(e, at + FIELD(e, Phdr, p_filesz)),
			.memory_size = native(e, at + FIELD(e, Phdr, p_memsz)),
			.align = native(e, at + FIELD(e, Phdr, p_align)),
		};
	}
}

static int open_memory(struct elf *e, struct elf **out, struct reason *r)
{
	struct table_facts t;
	int err = read_ident(e, r);

	if (err) {
		elf_close(e);
		return err;
	}
	read_header(e, &t);
	read_extended_counts(e, &t);
	read_sections(e, &t);
	read_segments(e, &t);
	*out = e;
	return 0;
}

int elf_open_bytes(const u8 *data, size_t size, bool borrowed, struct elf **out, struct reason *r)
{
	struct elf *e = xcalloc(1, sizeof(*e));

	e->data = data;
	e->size = size;
	e->memory = borrowed ? BORROWED : HEAP;
	return open_memory(e, out, r);
}

/* Maps the file's bytes. Returns -ENOEXEC for an empty file, among others. */
static int map_file(const char *path, const u8 **data, size_t *size, struct file_stamp *stamp,
		    struct reason *r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	const u8 *p;

	if (fd < 0)
		return reason_errno(r, errno, "cannot open '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
		close(fd);
		return reason_set(r, ENOEXEC, "'%s' is not an ELF file", path);
	}
	p = lost_pages_map(fd, (size_t)st.st_size);
	if (!p) {
		int err = errno;

		close(fd);
		return reason_errno(r, err, "cannot map '%s'", path);
	}
	close(fd);
	file_stamp_of(&st, stamp);
	*data = p;
	*size = (size_t)st.st_size;
	return 0;
}

int elf_open(const char *path, struct elf **out, struct reason *r)
{
	const u8 *data = NULL;
	size_t size = 0;
	struct file_stamp stamp;
	int err = map_file(path, &data, &size, &stamp, r);
	struct elf *e;

	if (err)
		return err;
	if (object_is_packed(data, size)) {
		u8 *unpacked = NULL;
		size_t unpacked_size = 0;

		err = object_unpack(data, size, &unpacked, &unpacked_size, r);
		lost_pages_unmap(data, size);
		if (err) {
			reason_prefix(r, "cannot unpack '%s'", path);
			return err;
		}
		return elf_open_bytes(unpacked, unpacked_size, false, out, r);
	}
	e = xcalloc(1, sizeof(*e));
	e->data = data;
	e->size = size;
	e->memory = MAPPED;
	e->stamp = stamp;
	err = open_memory(e, out, r);
	if (err)
		reason_prefix(r, "'%s'", path);
	return err;
}

const struct file_stamp *elf_stamp(const struct elf *e)
{
	return e->memory == MAPPED ? &e->stamp : NULL;
}

void elf_drop_pages(const struct elf *e)
{
	if (e && e->memory == MAPPED)
		madvise((void *)(uintptr_t)e->data, e->size, MADV_DONTNEED);
}

void elf_let_pages_go(const struct elf *e)
{
	elf_drop_pages(e);
	if (e && e->memory == MAPPED)
		madvise((void *)(uintptr_t)e->data, e->size,
			MADV_RANDOM); /* would read more from disk otherwise */
}

void elf_close(struct elf *e)
{
	if (!e)
		return;
	if (e->memory == MAPPED)
		lost_pages_unmap(e->data, e->size);
	else if (e->memory == HEAP)
		free((void *)e->data);
	free(e->sections);
	free(e->section_names);
	free(e->segments);
	free(e);
}

bool elf_is_64(const struct elf *e)
{
	return e->is64;
}

bool elf_is_swapped(const struct elf *e)
{
	return e->swap;
}

u64 elf_entry(const struct elf *e)
{
	return e->entry;
}

u16 elf_machine(const struct elf *e)
{
	return e->machine;
}

u16 elf_type(const struct elf *e)
{
	return e->type;
}

const u8 *elf_data(const struct elf *e, size_t *size)
{
	*size = e->size;
	return e->data;
}

u32 elf_section_count(const struct elf *e)
{
	return e->section_count;
}

const struct elf_section *elf_section_at(const struct elf *e, u32 index)
{
	return index < e->section_count ? &e->sections[index] : NULL;
}

const struct elf_section *elf_section(const struct elf *e, const char *name)
{
	for (u32 i = 1; i < e->section_count; i++)
		if (!strcmp(e->sections[i].name, name))
			return &e->sections[i];
	return NULL;
}

const struct elf_section *elf_section_of_type(const struct elf *e, u32 type)
{
	for (u32 i = 1; i < e->section_count; i++)
		if (e->sections[i].type == type)
			return &e->sections[i];
	return NULL;
}

bool elf_section_is_plt(const struct elf_section *s)
{
	static const char *const names[] = { ".plt", ".iplt", ".plt.sec", ".plt.got", ".plt.bnd" };

	for (size_t i = 0; s->type == SHT_PROGBITS && i < ARRAY_SIZE(names); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	return false;
}

u32 elf_segment_count(const struct elf *e)
{
	return e->segment_count;
}

const struct elf_segment *elf_segment_at(const struct elf *e, u32 index)
{
	return index < e->segment_count ? &e->segments[index] : NULL;
}

void elf_set_segment(struct elf *e, u32 index, const struct elf_segment *s)
{
	e->segments[index] = *s;
}

struct elf_bytes elf_section_raw(const struct elf *e, const struct elf_section *s)
{
	if (s->type == SHT_NOBITS)
		return (struct elf_bytes){ e->data, 0, NULL };
	return (struct elf_bytes){ e->data + s->offset, s->size, NULL };
}

void elf_bytes_release(struct elf_bytes *b)
{
	free(b->owned);
	*b = (struct elf_bytes){ NULL, 0, NULL };
}

/* Returns a symbol's section number of 65,280 or above, which is in a separate section. */
static u32 extended_section(const struct elf *e, const struct elf_section *table, u32 index)
{
	for (u32 i = 1; i < e->section_count; i++) {
		const struct elf_section *s = &e->sections[i];

		if (s->type == SHT_SYMTAB_SHNDX && s->link == table->index)
			return index < s->size / 4 ? word(e, s->offset + (u64)index * 4)
						   : SHN_UNDEF;
	}
	return SHN_UNDEF;
}

/* Returns the bytes between entries; 0 if the section cannot be such a table. */
static u64 entry_size(const struct elf_section *table, size_t least)
{
	if (table->type == SHT_NOBITS)
		return 0;
	if (!table->entsize)
		return least;
	return table->entsize >= least ? table->entsize : 0;
}

static u32 entry_count(const struct elf_section *table, size_t least)
{
	u64 step = entry_size(table, least);

	return step ? (u32)MIN(table->size / step, UINT32_MAX - 1) : 0;
}

u32 elf_symbol_count(const struct elf *e, const struct elf_section *table)
{
	return entry_count(table, SIZE_OF(e, Sym));
}

bool elf_symbol_at(const struct elf *e, const struct elf_section *table, u32 index,
		   struct elf_symbol *out)
{
	u64 at;
	u8 info;

	if (index >= elf_symbol_count(e, table))
		return false;
	at = table->offset + index * entry_size(table, SIZE_OF(e, Sym));
	info = e->data[at + FIELD(e, Sym, st_info)];
	out->name = string_at(e, elf_section_at(e, table->link), word(e, at));
	out->value = native(e, at + FIELD(e, Sym, st_value));
	out->size = native(e, at + FIELD(e, Sym, st_size));
	out->section = half(e, at + FIELD(e, Sym, st_shndx));
	out->other = e->data[at + FIELD(e, Sym, st_other)];
	out->type = ELF64_ST_TYPE(info);
	out->binding = ELF64_ST_BIND(info);
	out->visibility = ELF64_ST_VISIBILITY(out->other);
	if (unlikely(out->section == SHN_XINDEX))
		out->section = extended_section(e, table, index);
	return true;
}

u32 elf_relocation_count(const struct elf *e, const struct elf_section *table)
{
	return entry_count(table, table->type == SHT_RELA ? SIZE_OF(e, Rela) : SIZE_OF(e, Rel));
}

bool elf_relocation_at(const struct elf *e, const struct elf_section *table, u32 index,
		       struct elf_relocation *out)
{
	bool rela = table->type == SHT_RELA;
	size_t least = rela ? SIZE_OF(e, Rela) : SIZE_OF(e, Rel);
	u64 at, info;

	if (index >= elf_relocation_count(e, table))
		return false;
	at = table->offset + index * entry_size(table, least);
	info = native(e, at + FIELD(e, Rela, r_info));
	out->offset = native(e, at);
	out->symbol = (u32)(e->is64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info));
	out->type = (u32)(e->is64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info));
	out->addend = 0;
	if (rela)
		out->addend = e->is64 ? (s64)native(e, at + FIELD(e, Rela, r_addend))
				      : (s32)word(e, at + FIELD(e, Rela, r_addend));
	return true;
}

bool elf_addr_to_offset(const struct elf *e, u64 addr, u64 *offset)
{
	for (u32 i = 0; i < e->segment_count; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (s->type == PT_LOAD && !s->unplaced && addr >= s->vaddr &&
		    addr - s->vaddr < s->memory_size) {
			*offset = addr - s->vaddr + s->offset;
			return true;
		}
	}
	return false;
}

bool elf_address_is_unplaced(const struct elf *e, u64 address)
{
	for (u32 i = 0; i < e->segment_count; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (s->type == PT_LOAD && s->unplaced && address >= s->vaddr &&
		    address - s->vaddr < s->memory_size)
			return true;
	}
	return false;
}

bool elf_address_is_code(const struct elf *e, u64 address)
{
	for (u32 i = 0; i < elf_segment_count(e); i++) {
		const struct elf_segment *s = elf_segment_at(e, i);

		if (s->type == PT_LOAD && (s->flags & PF_X) && address >= s->vaddr &&
		    address - s->vaddr < s->file_size)
			return true;
	}
	return false;
}

bool elf_offset_to_addr(const struct elf *e, u64 offset, u64 *addr)
{
	for (u32 i = 0; i < e->segment_count; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (s->type == PT_LOAD && !s->unplaced && offset >= s->offset &&
		    offset - s->offset < (s->placed ? s->memory_size : s->file_size)) {
			*addr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}
