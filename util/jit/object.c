// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ELF object of one function:
 *
 *	ELF header | one PT_LOAD | code at JIT_CODE_OFFSET | .eh_frame(_hdr) | .note |
 *	.symtab .strtab | .debug_* | .shstrtab | section headers
 *
 * Addresses are file offsets.  The unwind tables lie after the code at the next whole
 * 8 bytes, as the compiler laid them out in memory.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/replace.h"
#include "jit/internal.h"

void jit_object_begin(struct jit_object *o, const struct jit_format *f)
{
	*o = (struct jit_object){ .f = f, .count = 1 }; /* the first section header is empty */
	strbuf_pad(&o->bytes, 0, JIT_CODE_OFFSET);
}

unsigned jit_add_section(struct jit_object *o, const char *name, u32 type, u64 flags,
			 const void *data, size_t size, u64 align)
{
	size_t at = ALIGN_UP(o->bytes.len, align);

	strbuf_pad(&o->bytes, 0, (int)(at - o->bytes.len));
	o->sections[o->count] = (struct jit_section){
		.name = name,
		.type = type,
		.flags = flags,
		.offset = at,
		.size = size,
		.align = align,
	};
	strbuf_add(&o->bytes, data, size);
	return o->count++;
}

void jit_add_optional(struct jit_object *o, const char *name, u64 flags, const void *data,
		      size_t size)
{
	if (size)
		jit_add_section(o, name, SHT_PROGBITS, flags, data, size,
				flags & SHF_ALLOC ? 8 : 1);
}

static u64 fnv(u64 h, const void *data, size_t size)
{
	const u8 *p = data;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3ULL;
	return h;
}

/* Adds a build-id, which is the same for the same function wherever it runs. */
static void add_build_id(struct jit_object *o, const struct jit_entry *e)
{
	struct strbuf b = STRBUF_INIT;
	u64 h[3];

	jit_put32(&b, 4, o->f);
	jit_put32(&b, 20, o->f);
	jit_put32(&b, NT_GNU_BUILD_ID, o->f);
	strbuf_add(&b, "GNU", 4);
	for (unsigned i = 0; i < ARRAY_SIZE(h); i++) {
		h[i] = fnv(0xcbf29ce484222325ULL + i, e->name, strlen(e->name));
		h[i] = fnv(h[i] ^ e->index, e->code, e->size);
	}
	strbuf_add(&b, h, 20);
	jit_add_section(o, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, b.s, b.len, 4);
	strbuf_release(&b);
}

void jit_add_symbol(struct strbuf *b, const struct jit_format *f, u32 name, u64 value, u64 size,
		    u8 info, u16 section)
{
	jit_put32(b, name, f);
	if (!f->is64) {
		jit_put32(b, (u32)value, f);
		jit_put32(b, (u32)size, f);
	}
	strbuf_char(b, (char)info);
	strbuf_char(b, 0);
	jit_put16(b, section, f);
	if (f->is64) {
		jit_put64(b, value, f);
		jit_put64(b, size, f);
	}
}

void jit_add_symbol_table(struct jit_object *o, const struct strbuf *symbols,
			  const struct strbuf *names)
{
	unsigned table = jit_add_section(o, ".symtab", SHT_SYMTAB, 0, symbols->s, symbols->len, 8);

	o->sections[table].entry = o->f->is64 ? 24 : 16;
	o->sections[table].info = 1;
	o->sections[table].link =
		jit_add_section(o, ".strtab", SHT_STRTAB, 0, names->s, names->len, 1);
}

static void add_symbols(struct jit_object *o, const struct jit_entry *e, unsigned text)
{
	struct strbuf symbols = STRBUF_INIT, names = STRBUF_INIT;

	jit_add_symbol(&symbols, o->f, 0, 0, 0, 0, SHN_UNDEF);
	jit_add_symbol(&symbols, o->f, 1, JIT_CODE_OFFSET, e->size,
		       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), (u16)text);
	strbuf_char(&names, 0);
	strbuf_add(&names, e->name, strlen(e->name) + 1);
	jit_add_symbol_table(o, &symbols, &names);
	strbuf_release(&symbols);
	strbuf_release(&names);
}

static void put_section_header(struct jit_object *o, const struct jit_section *s, u32 name)
{
	struct strbuf *b = &o->bytes;

	jit_put32(b, name, o->f);
	jit_put32(b, s->type, o->f);
	jit_put_word(b, s->flags, o->f);
	jit_put_word(b, s->flags & SHF_ALLOC ? s->offset : 0, o->f);
	jit_put_word(b, s->offset, o->f);
	jit_put_word(b, s->size, o->f);
	jit_put32(b, s->link, o->f);
	jit_put32(b, s->info, o->f);
	jit_put_word(b, s->align, o->f);
	jit_put_word(b, s->entry, o->f);
}

/* Appends the section headers and returns their offset. */
static u64 add_headers(struct jit_object *o)
{
	struct strbuf names = STRBUF_INIT;
	u32 name_at[ARRAY_SIZE(o->sections)];
	u64 at;

	strbuf_char(&names, 0);
	o->sections[o->count].name = ".shstrtab";
	for (unsigned i = 1; i <= o->count; i++) {
		name_at[i] = (u32)names.len;
		strbuf_add(&names, o->sections[i].name, strlen(o->sections[i].name) + 1);
	}
	jit_add_section(o, ".shstrtab", SHT_STRTAB, 0, names.s, names.len, 1);
	strbuf_release(&names);
	at = ALIGN_UP(o->bytes.len, 8);
	strbuf_pad(&o->bytes, 0, (int)(at - o->bytes.len));
	name_at[0] = 0;
	for (unsigned i = 0; i < o->count; i++)
		put_section_header(o, &o->sections[i], name_at[i]);
	return at;
}

static void elf_header(const struct jit_object *o, u64 sections_at, struct strbuf *b)
{
	const struct jit_format *f = o->f;
	bool big = f->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u8 ident[EI_NIDENT] = { 0x7f,
				'E',
				'L',
				'F',
				f->is64 ? ELFCLASS64 : ELFCLASS32,
				big ? ELFDATA2MSB : ELFDATA2LSB,
				EV_CURRENT };

	strbuf_add(b, ident, sizeof(ident));
	jit_put16(b, ET_DYN, f);
	jit_put16(b, f->machine, f);
	jit_put32(b, EV_CURRENT, f);
	jit_put_word(b, JIT_CODE_OFFSET, f);
	jit_put_word(b, f->is64 ? 64 : 52, f);
	jit_put_word(b, sections_at, f);
	jit_put32(b, 0, f);
	jit_put16(b, f->is64 ? 64 : 52, f);
	jit_put16(b, f->is64 ? 56 : 32, f);
	jit_put16(b, 1, f);
	jit_put16(b, f->is64 ? 64 : 40, f);
	jit_put16(b, (u16)o->count, f);
	jit_put16(b, (u16)(o->count - 1), f);
}

static void load_segment(const struct jit_format *f, u64 size, struct strbuf *b)
{
	jit_put32(b, PT_LOAD, f);
	if (f->is64)
		jit_put32(b, PF_R | PF_X, f);
	for (unsigned i = 0; i < 3; i++)
		jit_put_word(b, 0, f); /* offset, addresses */
	jit_put_word(b, size, f);
	jit_put_word(b, size, f);
	if (!f->is64)
		jit_put32(b, PF_R | PF_X, f);
	jit_put_word(b, 0x1000, f);
}

void jit_object_end(struct jit_object *o, u64 loaded, const struct jit_dwarf *dwarf)
{
	struct strbuf head = STRBUF_INIT;
	u64 headers;

	jit_add_optional(o, ".debug_info", 0, dwarf->info.s, dwarf->info.len);
	jit_add_optional(o, ".debug_abbrev", 0, dwarf->abbrev.s, dwarf->abbrev.len);
	jit_add_optional(o, ".debug_line", 0, dwarf->line.s, dwarf->line.len);
	headers = add_headers(o);
	elf_header(o, headers, &head);
	load_segment(o->f, loaded, &head);
	memcpy(o->bytes.s, head.s, head.len);
	strbuf_release(&head);
}

static void build(struct jit_object *o, const struct jit_entry *e)
{
	const u64 code = SHF_ALLOC | SHF_EXECINSTR;
	struct jit_dwarf dwarf = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	unsigned text;
	u64 loaded;

	text = jit_add_section(o, ".text", SHT_PROGBITS, code, e->code, e->size, 16);
	jit_add_optional(o, ".eh_frame", SHF_ALLOC, e->eh_frame, e->eh_frame_size);
	jit_add_optional(o, ".eh_frame_hdr", SHF_ALLOC, e->eh_frame_hdr, e->eh_frame_hdr_size);
	add_build_id(o, e);
	loaded = o->bytes.len;
	add_symbols(o, e, text);
	jit_dwarf_add(e, o->f, JIT_CODE_OFFSET, &dwarf);
	jit_object_end(o, loaded, &dwarf);
	jit_dwarf_release(&dwarf);
}

/*
 * Reports whether the file already has this content. A second run must not replace a file that the
 * output of the first one refers to by its inode.
 */
static bool is_there(const char *path, const struct strbuf *bytes)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool same = false;
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (u64)st.st_size == bytes->len) {
		char *own = xmalloc(bytes->len);

		same = pread(fd, own, bytes->len, 0) == (ssize_t)bytes->len &&
		       !memcmp(own, bytes->s, bytes->len);
		free(own);
	}
	close(fd);
	return same;
}

int jit_write_object(const struct jitdump *d, const struct jit_entry *e, const char *path,
		     struct reason *r)
{
	struct jit_object o;
	int err = 0;

	jit_object_begin(&o, jitdump_format(d));
	build(&o, e);
	if (!is_there(path, &o.bytes))
		err = replace_text(path, o.bytes.s, o.bytes.len, 0644, REPLACE_NO_LINK, r);
	strbuf_release(&o.bytes);
	return err;
}
