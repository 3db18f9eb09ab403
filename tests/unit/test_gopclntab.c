// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of Go programs' functions, made by hand from the format's description: all versions, of
 * 32 and 64 bit, in both byte orders, in position-independent programs, cut at every length, and
 * damaged.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "symbol/gopclntab.h"
#include "symbol/internal.h"

/* The file: the table is its end, so that both can be cut. */
/* clang-format off */
enum {
	NAMES = 0x100, SECTIONS = 0x200, RELA = 0x500, MODULE = 0x600, TEXT = 0x800, GO_TEXT = 0x840, TABLE = 0x1000,
	TABLE_SIZE = 0x200, FILE_SIZE = TABLE + TABLE_SIZE, BASE = 0x400000, LOWEST_WORD = 20, TEXT_WORD = 22,
};
/* clang-format on */

/* In the table: the header, then names, then what has the functions. */
enum { TABLE_NAMES = 0x60, INFOS = 0xa0, INFO = 0xe8 };

static const struct made_function {
	u32 start, end; /* from GO_TEXT */
	const char *name;
} functions[] = {
	{ 0x00, 0x40, "main.main" },
	{ 0x40, 0x100, "main.(*T).f" },
	{ 0x100, 0x180, "runtime.goexit" },
};

struct made {
	u8 bytes[FILE_SIZE];
	bool big, wide; /* wide: of 64 bit */
	u32 sections, relocations;
};

struct kind {
	u32 magic;
	bool big, wide, pie;
};

static void put(struct made *m, u64 at, u64 v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		m->bytes[at + (m->big ? size - 1 - i : i)] = (u8)(v >> 8 * i);
}

static unsigned word_size(const struct made *m)
{
	return m->wide ? 8 : 4;
}

static void put_word(struct made *m, u64 at, u64 v)
{
	put(m, at, v, word_size(m));
}

/* A field of a header that has been named for both classes. */
#define PUT(m, at, kind, field, v)                                                                 \
	do {                                                                                       \
		if ((m)->wide)                                                                     \
			put(m, (at) + offsetof(Elf64_##kind, field), v,                            \
			    sizeof(((Elf64_##kind *)0)->field));                                   \
		else                                                                               \
			put(m, (at) + offsetof(Elf32_##kind, field), v,                            \
			    sizeof(((Elf32_##kind *)0)->field));                                   \
	} while (0)
#define SIZE(m, kind) ((m)->wide ? sizeof(Elf64_##kind) : sizeof(Elf32_##kind))

static const char section_names[] =
	"\0.text\0.gopclntab\0.rela\0.go.module\0.shstrtab\0.data.rel.ro\0.go.buildinfo";

static void add_section(struct made *m, const char *name, u32 type, u64 at, u64 size)
{
	const char *found = memmem(section_names, sizeof(section_names), name, strlen(name) + 1);
	u64 h = SECTIONS + ++m->sections * SIZE(m, Shdr);

	PUT(m, h, Shdr, sh_name, (u64)(found - section_names));
	PUT(m, h, Shdr, sh_type, type);
	PUT(m, h, Shdr, sh_addr, BASE + at);
	PUT(m, h, Shdr, sh_offset, at);
	PUT(m, h, Shdr, sh_size, size);
	PUT(m, h, Shdr, sh_entsize, type == SHT_RELA ? SIZE(m, Rela) : 0);
	PUT(m, 0, Ehdr, e_shnum, m->sections + 1);
}

static void begin(struct made *m, const struct kind *k)
{
	*m = (struct made){ .big = k->big, .wide = k->wide };
	memcpy(m->bytes, ELFMAG, SELFMAG);
	m->bytes[EI_CLASS] = k->wide ? ELFCLASS64 : ELFCLASS32;
	m->bytes[EI_DATA] = k->big ? ELFDATA2MSB : ELFDATA2LSB;
	m->bytes[EI_VERSION] = EV_CURRENT;
	PUT(m, 0, Ehdr, e_type, k->pie ? ET_DYN : ET_EXEC);
	PUT(m, 0, Ehdr, e_machine, k->wide ? EM_S390 : EM_MIPS);
	PUT(m, 0, Ehdr, e_version, EV_CURRENT);
	PUT(m, 0, Ehdr, e_phoff, SIZE(m, Ehdr));
	PUT(m, 0, Ehdr, e_shoff, SECTIONS);
	PUT(m, 0, Ehdr, e_ehsize, SIZE(m, Ehdr));
	PUT(m, 0, Ehdr, e_phentsize, SIZE(m, Phdr));
	PUT(m, 0, Ehdr, e_phnum, 1);
	PUT(m, 0, Ehdr, e_shentsize, SIZE(m, Shdr));
	PUT(m, 0, Ehdr, e_shstrndx, 1);
	PUT(m, SIZE(m, Ehdr), Phdr, p_type, PT_LOAD);
	PUT(m, SIZE(m, Ehdr), Phdr, p_flags, PF_R | PF_X);
	PUT(m, SIZE(m, Ehdr), Phdr, p_vaddr, BASE);
	PUT(m, SIZE(m, Ehdr), Phdr, p_filesz, FILE_SIZE);
	PUT(m, SIZE(m, Ehdr), Phdr, p_memsz, FILE_SIZE);
	memcpy(m->bytes + NAMES, section_names, sizeof(section_names));
	add_section(m, ".shstrtab", SHT_STRTAB, NAMES, sizeof(section_names));
	add_section(m, ".text", SHT_PROGBITS, TEXT, 0x800);
}

/* A word with an address, which a position-independent file keeps in a relocation. */
static void put_address(struct made *m, const struct kind *k, u64 at, u64 address)
{
	u64 r = RELA + m->relocations * SIZE(m, Rela);

	if (!k->pie) {
		put_word(m, at, address);
		return;
	}
	m->relocations++;
	PUT(m, r, Rela, r_offset, BASE + at);
	PUT(m, r, Rela, r_info, 12);
	PUT(m, r, Rela, r_addend, address);
}

/* Of the table: the words of the header that have offsets, and the functions. */
static void put_table(struct made *m, const struct kind *k, u64 text)
{
	bool early = k->magic == 0xfffffffb,
	     since_118 = k->magic == 0xfffffff0 || k->magic == 0xfffffff1;
	unsigned w = word_size(m), width = since_118 ? 4 : w;
	u64 entries = early ? 8 + w : INFOS, name = TABLE_NAMES;
	u8 n = since_118 ? 3 : 2;

	put(m, TABLE, k->magic, 4);
	m->bytes[TABLE + 6] = 1;
	m->bytes[TABLE + 7] = (u8)w;
	put_word(m, TABLE + 8, ARRAY_SIZE(functions));
	if (since_118 && text)
		put_address(m, k, TABLE + 8 + 2 * w, text);
	if (!early) {
		put_word(m, TABLE + 8 + n * w, TABLE_NAMES);
		put_word(m, TABLE + 8 + (n + 4) * w, INFOS);
	}
	for (size_t i = 0; i <= ARRAY_SIZE(functions); i++) {
		const struct made_function *f = &functions[MIN(i, ARRAY_SIZE(functions) - 1)];
		u64 start = i < ARRAY_SIZE(functions) ? f->start : f->end,
		    at = TABLE + entries + 2 * i * width;
		u64 info = INFO + i * 0x20;

		if (since_118)
			put(m, at, start, 4);
		else
			put_address(m, k, at, BASE + GO_TEXT + start);
		if (i == ARRAY_SIZE(functions))
			break;
		put(m, at + width, info - (early ? 0 : INFOS), width);
		put(m, TABLE + info + width, name - (early ? 0 : TABLE_NAMES), 4);
		memcpy(m->bytes + TABLE + name, f->name, strlen(f->name));
		name += strlen(f->name) + 1;
	}
}

static void make(struct made *m, const struct kind *k, u64 text)
{
	begin(m, k);
	put_table(m, k, text);
	add_section(m, ".gopclntab", SHT_PROGBITS, TABLE, TABLE_SIZE);
	if (k->pie)
		add_section(m, ".rela", SHT_RELA, RELA, m->relocations * SIZE(m, Rela));
}

/* The functions that are found, all of which have a name of the table; UINT32_MAX: no table. */
static u32 found(const u8 *bytes, size_t size, u64 *first)
{
	struct go_functions g;
	struct go_function f;
	struct elf *e;
	u32 n = UINT32_MAX;

	assert_int_equal(elf_open_bytes(bytes, size, true, &e, NULL), 0);
	if (go_functions_open(&g, e)) {
		n = 0;
		for (u32 i = 0; i < g.count; i++) {
			if (!go_function_at(&g, i, &f))
				continue;
			assert_true((const u8 *)f.name + strlen(f.name) < bytes + size);
			if (!n++)
				*first = f.address;
		}
	}
	go_functions_close(&g);
	elf_close(e);
	return n;
}

/* At the addresses from text on. */
static void check(const struct made *m, u64 text)
{
	struct symbol_list l = { VEC_INIT };
	struct elf *e;

	assert_int_equal(elf_open_bytes(m->bytes, FILE_SIZE, true, &e, NULL), 0);
	elf_symbols_add(&l, &(struct elf_symbol_source){ .object = e });
	assert_int_equal(l.list.count, ARRAY_SIZE(functions));
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		assert_string_equal(l.list.items[i].name, functions[i].name);
		assert_int_equal(l.list.items[i].start, text - BASE + functions[i].start);
		assert_int_equal(symbol_end(&l.list.items[i]), text - BASE + functions[i].end);
	}
	vec_release(&l.list);
	elf_close(e);
}

static bool next_kind(u32 *n, struct kind *k)
{
	static const u32 magic[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

	if (*n >= 8 * ARRAY_SIZE(magic))
		return false;
	*k = (struct kind){ magic[*n / 8], *n & 1, *n & 2, *n & 4 };
	++*n;
	return true;
}

static void test_formats(void **state)
{
	struct kind k;
	struct made m;

	(void)state;
	for (u32 n = 0; next_kind(&n, &k);) {
		make(&m, &k, BASE + GO_TEXT);
		check(&m, BASE + GO_TEXT);
	}
}

/* Neither the header nor a module says where the text begins: that of .text. */
static void test_text_of_section(void **state)
{
	static const struct kind k = { 0xfffffff1, .wide = true };
	struct made m;

	(void)state;
	make(&m, &k, 0);
	check(&m, BASE + TEXT);
}

static void make_with_module(struct made *m, const struct kind *k, u64 lowest)
{
	unsigned w = k->wide ? 8 : 4;

	begin(m, k);
	put_table(m, k, 0);
	add_section(m, ".gopclntab", SHT_PROGBITS, TABLE, TABLE_SIZE);
	put_address(m, k, MODULE, BASE + TABLE);
	put_address(m, k, MODULE + LOWEST_WORD * w, lowest);
	put_address(m, k, MODULE + TEXT_WORD * w, BASE + GO_TEXT);
	add_section(m, ".go.module", SHT_PROGBITS, MODULE, 0x100);
	if (k->pie)
		add_section(m, ".rela", SHT_RELA, RELA, m->relocations * SIZE(m, Rela));
}

/* Linked by another linker, code of C is in front of it. */
static void test_text_of_module(void **state)
{
	struct made m;

	(void)state;
	for (u32 n = 0; n < 8; n++) {
		struct kind k = { 0xfffffff1, n & 1, n & 2, n & 4 };

		make_with_module(&m, &k, BASE + GO_TEXT);
		check(&m, BASE + GO_TEXT);
		/* another layout */
		make_with_module(&m, &k, BASE + GO_TEXT + 1);
		check(&m, BASE + TEXT);
	}
}

/* In the midst of .data.rel.ro, of Go programs alone. */
static void test_without_section(void **state)
{
	static const struct kind k = { 0xfffffff0, .wide = true, .pie = true };
	struct made m;
	u64 first;

	(void)state;
	begin(&m, &k);
	put_table(&m, &k, BASE + GO_TEXT);
	add_section(&m, ".data.rel.ro", SHT_PROGBITS, TABLE - 0x60, TABLE_SIZE + 0x60);
	add_section(&m, ".rela", SHT_RELA, RELA, m.relocations * SIZE(&m, Rela));
	assert_int_equal(found(m.bytes, FILE_SIZE, &first), UINT32_MAX);
	add_section(&m, ".go.buildinfo", SHT_PROGBITS, MODULE, 0x20);
	check(&m, BASE + GO_TEXT);
}

/* The section's size is what is left. */
static u8 *cut(const struct made *m, size_t left)
{
	u64 section = SECTIONS + 3 * SIZE(m, Shdr);
	struct made copy = *m;
	u8 *bytes = xmalloc(TABLE + left);

	PUT(&copy, section, Shdr, sh_size, left);
	memcpy(bytes, copy.bytes, TABLE + left);
	return bytes;
}

static void test_cut(void **state)
{
	struct kind k;
	struct made m;

	(void)state;
	for (u32 n = 0; next_kind(&n, &k);) {
		u64 first = 0;

		make(&m, &k, BASE + GO_TEXT);
		for (size_t left = 0; left <= TABLE_SIZE; left++) {
			u8 *bytes = cut(&m, left);
			u32 count = found(bytes, TABLE + left, &first);

			assert_true(count == UINT32_MAX || count <= ARRAY_SIZE(functions));
			assert_true(left < TABLE_SIZE || count == ARRAY_SIZE(functions));
			free(bytes);
		}
		assert_int_equal(first, BASE + GO_TEXT);
	}
}

static void test_damaged(void **state)
{
	u64 x = 88172645463325252ULL, first;
	struct kind k;
	struct made m, damaged;

	(void)state;
	for (u32 n = 0; next_kind(&n, &k);) {
		make(&m, &k, BASE + GO_TEXT);
		for (u32 i = 0; i < 3000; i++) {
			u8 *bytes;

			damaged = m;
			for (u32 b = 0; b < 1 + i % 4; b++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				damaged.bytes[TABLE + x % TABLE_SIZE] =
					x >> 32 & 1 ? 0xff : (u8)(x >> 40);
			}
			bytes = cut(&damaged, TABLE_SIZE);
			found(bytes, FILE_SIZE, &first);
			free(bytes);
		}
	}
}

/* Counts and offsets that reach beyond the section. */
static void test_refused(void **state)
{
	static const struct kind k = { 0xfffffff1, .wide = true };
	/* clang-format off */
	static const struct change {
		u32 at;
		u64 value;
	} changes[] = {
		{ 8, 0 }, { 8, UINT64_MAX }, { 8, 44 }, { 8 + 24, TABLE_SIZE }, { 8 + 24, UINT64_MAX }, { 8 + 56, TABLE_SIZE },
		{ 8 + 56, UINT64_MAX }, { 0, 0x08010000fffffff2 }, { 0, 0x08030000fffffff1 }, { 0, 0x02010000fffffff1 },
	};
	/* clang-format on */
	struct made m;
	u64 first;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		make(&m, &k, BASE + GO_TEXT);
		put(&m, TABLE + changes[i].at, changes[i].value, 8);
		assert_int_equal(found(m.bytes, FILE_SIZE, &first), UINT32_MAX);
	}
	/* a name that does not end names nothing */
	make(&m, &k, BASE + GO_TEXT);
	put(&m, TABLE + INFO + 4, TABLE_SIZE, 4);
	assert_int_equal(found(m.bytes, FILE_SIZE, &first), ARRAY_SIZE(functions) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_text_of_section),
		cmocka_unit_test(test_text_of_module),
		cmocka_unit_test(test_without_section),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
