// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of 32-bit Arm programs (.ARM.exidx, .ARM.extab): bytes worked out by hand from the
 * Exception Handling ABI for the Arm Architecture, in both byte orders, and damaged ones.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "unwind/internal.h"

/* The file: headers, index, tables, names, section headers, at these offsets and addresses. */
/* clang-format off */
enum {
	INDEX = 0x100, TABLES = 0x200, NAMES = 0x380, SECTIONS = 0x400, FILE_SIZE = 0x500,
	BASE = 0x10000, CODE = 0x8000, STACK = 0x7000,
	SP = 13, LR = 14, PC = 15,
};
/* clang-format on */

struct made {
	u8 bytes[FILE_SIZE];
	bool big;
	u32 entries, tables; /* in use; tables: words */
};

static void put(struct made *m, u32 at, u32 v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		m->bytes[at + (m->big ? size - 1 - i : i)] = (u8)(v >> 8 * i);
}

/* Returns a place as a 31-bit offset from the word at an address. */
static u32 prel31(u32 to, u32 from)
{
	return (to - from) & 0x7fffffff;
}

static void put_section(struct made *m, u32 n, u32 name, u32 type, u32 at, u32 size)
{
	u32 h = SECTIONS + n * (u32)sizeof(Elf32_Shdr);

	put(m, h, name, 4);
	put(m, h + 4, type, 4);
	put(m, h + 12, type == SHT_STRTAB ? 0 : BASE + at, 4);
	put(m, h + 16, at, 4);
	put(m, h + 20, size, 4);
}

static void begin(struct made *m, bool big)
{
	static const u8 ident[] = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT };
	static const char names[] = "\0.ARM.exidx\0.shstrtab";

	*m = (struct made){ .big = big };
	memcpy(m->bytes, ident, sizeof(ident));
	m->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	put(m, 16, ET_DYN, 2);
	put(m, 18, EM_ARM, 2);
	put(m, 20, EV_CURRENT, 4);
	put(m, 28, sizeof(Elf32_Ehdr), 4);
	put(m, 32, SECTIONS, 4);
	put(m, 40, sizeof(Elf32_Ehdr), 2);
	put(m, 42, sizeof(Elf32_Phdr), 2);
	put(m, 44, 1, 2);
	put(m, 46, sizeof(Elf32_Shdr), 2);
	put(m, 48, 3, 2);
	put(m, 50, 2, 2);
	/* one segment holds it all */
	put(m, sizeof(Elf32_Ehdr), PT_LOAD, 4);
	put(m, sizeof(Elf32_Ehdr) + 8, BASE, 4);
	put(m, sizeof(Elf32_Ehdr) + 12, BASE, 4);
	put(m, sizeof(Elf32_Ehdr) + 16, FILE_SIZE, 4);
	put(m, sizeof(Elf32_Ehdr) + 20, FILE_SIZE, 4);
	put(m, sizeof(Elf32_Ehdr) + 24, PF_R, 4);
	memcpy(m->bytes + NAMES, names, sizeof(names));
	put_section(m, 2, 12, SHT_STRTAB, NAMES, sizeof(names));
}

/*
 * Adds a function of 0x100 bytes with this second word; 0: its instructions are in the next table.
 */
static void add_entry(struct made *m, u32 word)
{
	u32 at = INDEX + 8 * m->entries;

	put(m, at, prel31(CODE + 0x100 * m->entries, BASE + at), 4);
	put(m, at + 4, word ? word : prel31(BASE + TABLES + 4 * m->tables, BASE + at + 4), 4);
	put_section(m, 1, 1, SHT_ARM_EXIDX, INDEX, 8 * ++m->entries);
}

static void add_word(struct made *m, u32 word)
{
	put(m, TABLES + 4 * m->tables++, word, 4);
}

struct step {
	enum unwind_end end;
	struct unwind_regs regs;
	u64 pc;
};

/*
 * Unwinds a step from a call in function n. Words of the stack are 0x1000, 0x1001 ...; r7 points to
 * the fifth.
 */
static struct step step_at(struct made *m, u64 addr)
{
	u32 words[400];
	struct unwind_memory memory = {
		.stack = (u8 *)words, .start = STACK, .size = sizeof(words), .word = 4
	};
	struct step s = { .end = UNWIND_NO_CFI };
	struct exidx *x;
	struct elf *e;

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = 0x1000 + i;
	for (u32 i = 0; i < 16; i++) {
		s.regs.value[i] = 0x100 + i;
		s.regs.known[i] = true;
	}
	s.regs.value[7] = STACK + 16;
	s.regs.value[SP] = STACK;
	if (elf_open_bytes(m->bytes, sizeof(m->bytes), true, &e, NULL))
		return s;
	x = exidx_read(e);
	if (x)
		s.end = exidx_step(x, addr, &s.regs, &memory, &s.pc);
	exidx_free(x);
	elf_close(e);
	return s;
}

static struct step step_of(struct made *m, u32 n)
{
	return step_at(m, CODE + 0x100 * n + 0x20);
}

/* Runs three bytes in the index itself, in either byte order. */
static struct step run3(u8 a, u8 b, u8 c, bool big)
{
	struct made m;

	begin(&m, big);
	add_entry(&m, 0x80000000U | (u32)a << 16 | (u32)b << 8 | c);
	return step_of(&m, 0);
}

/*
 * Runs any bytes in a table of the second personality: a count of words, two bytes, then four per
 * word.
 */
static struct step run_many(const u8 *code, u32 n, bool big)
{
	struct made m;
	u32 words = n > 2 ? (n - 2 + 3) / 4 : 0;
	u8 all[64];

	memset(all, 0xb0, sizeof(all));
	memcpy(all, code, n);
	begin(&m, big);
	add_entry(&m, 0);
	add_word(&m, 0x81000000U | words << 16 | (u32)all[0] << 8 | all[1]);
	for (u32 i = 0; i < words; i++)
		add_word(&m, (u32)all[2 + 4 * i] << 24 | (u32)all[3 + 4 * i] << 16 |
				     (u32)all[4 + 4 * i] << 8 | all[5 + 4 * i]);
	return step_of(&m, 0);
}

#define RUN(...) run_many((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }), big)

static void check(struct step s, u64 pc, u64 sp)
{
	assert_int_equal(s.end, UNWIND_LIMIT);
	assert_int_equal(s.pc, pc);
	assert_int_equal(s.regs.value[SP], sp);
	assert_true(s.regs.known[SP]);
}

static void test_instructions(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct step s = run3(0xb0, 0xb0, 0xb0, big);

		/* nothing was saved: the link register */
		check(s, 0x100 + LR, STACK);
		/* pop {r4, r5, r14} */
		s = run3(0xa9, 0xb0, 0xb0, big);
		check(s, 0x1002, STACK + 12);
		assert_int_equal(s.regs.value[4], 0x1000);
		assert_int_equal(s.regs.value[5], 0x1001);
		assert_int_equal(s.regs.value[6], 0x106);
		/* pop {r4}, then the link register as it is */
		s = run3(0xa0, 0xb0, 0xb0, big);
		check(s, 0x100 + LR, STACK + 4);
		assert_int_equal(s.regs.value[4], 0x1000);
		/* 8 bytes more, pop {r7, r14} by mask: 1000 0100 0000 1000 */
		s = run3(0x01, 0x84, 0x08, big);
		check(s, 0x1003, STACK + 16);
		assert_int_equal(s.regs.value[7], 0x1002);
		/* the stack pointer from r7, 8 bytes less, pop {r4, pc} */
		s = RUN(0x97, 0x41, 0x88, 0x01);
		check(s, 0x1003, STACK + 16);
		assert_int_equal(s.regs.value[4], 0x1002);
		/* pop {r0, r2}, then {r14} */
		s = RUN(0xb1, 0x05, 0x84, 0x00);
		check(s, 0x1002, STACK + 12);
		assert_int_equal(s.regs.value[0], 0x1000);
		assert_int_equal(s.regs.value[1], 0x101);
		assert_int_equal(s.regs.value[2], 0x1001);
		/* 0x204 + (0x81 << 2) bytes */
		check(RUN(0xb2, 0x81, 0x01, 0x84, 0x00), 0x1000 + 0x408 / 4, STACK + 0x40c);
		/*
		 * pop {d8, d9} as FSTMFDX and as VPUSH stores them; {d16 - d18}; {d8, d9} in short
		 */
		check(RUN(0xb3, 0x81, 0x84, 0x00), 0x1005, STACK + 24);
		check(RUN(0xb9, 0x84, 0x00), 0x1005, STACK + 24);
		check(RUN(0xc9, 0x81, 0x84, 0x00), 0x1004, STACK + 20);
		check(RUN(0xc8, 0x02, 0x84, 0x00), 0x1006, STACK + 28);
		check(RUN(0xd1, 0x84, 0x00), 0x1004, STACK + 20);
		/* wR10; wR0 to wR2; wCGR0 and wCGR2 */
		check(RUN(0xc0, 0x84, 0x00), 0x1002, STACK + 12);
		check(RUN(0xc6, 0x02, 0x84, 0x00), 0x1006, STACK + 28);
		check(RUN(0xc7, 0x05, 0x84, 0x00), 0x1002, STACK + 12);
		/* the code of a signed return address, by the stack pointer */
		check(RUN(0xb5, 0xb4, 0x84, 0x00), 0x1001, STACK + 8);
		/* pop {r12 - r15}: the stack pointer is one of them */
		check(RUN(0x8f, 0x00), 0x1003, 0x1001);
		/* "finish" ends it */
		check(RUN(0xa8, 0xb0, 0xa8, 0xa8), 0x1001, STACK + 8);
	}
}

static void test_refusals(void **state)
{
	static const u8 reserved[] = { 0x9d, 0x9f, 0xb6, 0xb7, 0xca, 0xcf, 0xd8, 0xe0, 0xff };
	bool big = false;
	struct made m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		assert_int_equal(run3(reserved[i], 0xb0, 0xb0, big).end, UNWIND_BAD_CFI);
	assert_int_equal(RUN(0xb1, 0x00).end, UNWIND_BAD_CFI);
	assert_int_equal(RUN(0xb1, 0x10).end, UNWIND_BAD_CFI);
	assert_int_equal(RUN(0xc7, 0x00).end, UNWIND_BAD_CFI);
	/* a function that says itself that nothing leads out of it */
	assert_int_equal(RUN(0x80, 0x00).end, UNWIND_ROOT);
	begin(&m, big);
	add_entry(&m, 1);
	assert_int_equal(step_of(&m, 0).end, UNWIND_ROOT);
	/* a return address after the recorded piece of stack */
	assert_int_equal(RUN(0xb2, 0xff, 0x07, 0x84, 0x00).end, UNWIND_DUMP_ENDS);
	/* personalities that there are not, in the index and in a table */
	begin(&m, big);
	add_entry(&m, 0x81b0b0b0);
	assert_int_equal(step_of(&m, 0).end, UNWIND_BAD_CFI);
	begin(&m, big);
	add_entry(&m, 0);
	add_word(&m, 0x83b0b0b0);
	assert_int_equal(step_of(&m, 0).end, UNWIND_BAD_CFI);
	/* a table that is not in the file */
	begin(&m, big);
	add_entry(&m, 0x00100000);
	assert_int_equal(step_of(&m, 0).end, UNWIND_BAD_CFI);
}

static void test_tables(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct made m;

		begin(&m, big);
		add_entry(&m, 0x80a8b0b0); /* pop {r4, r14} */
		add_entry(&m, 1);
		add_entry(&m, 0);
		/*
		 * of C++: its own personality routine, a count of words, three bytes, and a word of
		 * them
		 */
		add_word(&m, 0x00001234);
		add_word(&m, 0x01b2000f);
		add_word(&m, 0x8400b0b0);
		add_entry(&m, 0);
		/* the first personality, in a table: pop {r4 - r7, r14} */
		add_word(&m, 0x80abb0b0);
		check(step_of(&m, 0), 0x1001, STACK + 8);
		assert_int_equal(step_of(&m, 1).end, UNWIND_ROOT);
		/* 0x204 bytes, 0x40, the link register */
		check(step_of(&m, 2), 0x1000 + 0x244 / 4, STACK + 0x248);
		check(step_of(&m, 3), 0x1004, STACK + 20);
		/* at its first instruction a function has no frame yet */
		check(step_at(&m, CODE), 0x100 + LR, STACK);
		/* no entry covers what lies before the first function; the last entry has no end */
		assert_int_equal(step_at(&m, CODE - 1).end, UNWIND_NO_CFI);
		check(step_at(&m, CODE + 0x1000), 0x1004, STACK + 20);
	}
}

/* Checks that no byte of the file leads outside of it or into an endless loop. */
static void test_damage(void **state)
{
	u64 seed = 0x9e3779b97f4a7c15ULL;
	struct made good;

	(void)state;
	begin(&good, false);
	add_entry(&good, 0x80a8b0b0);
	add_entry(&good, 0);
	add_word(&good, 0x81ff0102);
	add_entry(&good, 0);
	add_word(&good, 0x00001234);
	add_word(&good, 0xffb2ffff);
	for (u32 at = 0; at < FILE_SIZE; at++) {
		for (int k = 0; k < 4; k++) {
			struct made bad = good;

			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			bad.bytes[at] = (u8)(seed >> 56);
			bad.bytes[INDEX + (seed >> 32) % 0x200] = (u8)(seed >> 48);
			for (u32 n = 0; n < 3; n++)
				assert_in_range(step_of(&bad, n).end, 0, UNWIND_ENDS - 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
