// SPDX-License-Identifier: GPL-2.0-or-later
/* jitdump files of either byte order, cut and damaged; objects written from them. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/out.h"
#include "jit/code.h"
#include "jit/internal.h"
#include "object/elf.h"

static char path[64], object[80];
static const u8 code[] = { 1, 2, 3, 4, 5, 6, 7 };

static int make_names(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/perf-jit.XXXXXX");
	fd = mkstemp(path);
	close(fd);
	snprintf(object, sizeof(object), "%s.so", path);
	return fd < 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(object);
	return unlink(path);
}

static void prefix(struct strbuf *b, u32 id, u32 size, const struct jit_format *f)
{
	jit_put32(b, id, f);
	jit_put32(b, size, f);
	jit_put64(b, 1000 + id, f);
}

/* Makes a file: DEBUG_INFO, UNWINDING_INFO, LOAD, an unknown record, MOVE, CLOSE. */
static void make_dump(struct strbuf *b, const struct jit_format *f)
{
	jit_put32(b, 0x4A695444, f);
	jit_put32(b, 1, f);
	jit_put32(b, 40, f);
	jit_put32(b, f->machine, f);
	jit_put32(b, 0, f);
	jit_put32(b, 77, f);
	jit_put64(b, 1, f);
	jit_put64(b, 0, f);
	prefix(b, 2, 16 + 16 + 18 + 18, f);
	jit_put64(b, 0x5000, f);
	jit_put64(b, 2, f);
	for (u32 i = 0; i < 2; i++) {
		jit_put64(b, 0x5000 + 4 * i, f);
		jit_put32(b, 11 + i, f);
		jit_put32(b, 0, f);
		strbuf_add(b, i ? "\xff" : "a", 2);
	}
	prefix(b, 4, 16 + 24 + 16, f);
	jit_put64(b, 16, f);
	jit_put64(b, 4, f);
	jit_put64(b, 12, f);
	strbuf_add(b, "0123456789abHHHH", 16);
	prefix(b, 0, 16 + 40 + 5 + sizeof(code), f);
	jit_put32(b, 77, f);
	jit_put32(b, 78, f);
	jit_put64(b, 0x5000, f);
	jit_put64(b, 0x5000, f);
	jit_put64(b, sizeof(code), f);
	jit_put64(b, 9, f);
	strbuf_add(b, "name", 5);
	strbuf_add(b, code, sizeof(code));
	prefix(b, 99, 16, f);
	prefix(b, 1, 16 + 48, f);
	jit_put32(b, 77, f);
	jit_put32(b, 78, f);
	jit_put64(b, 0x7000, f);
	jit_put64(b, 0x5000, f);
	jit_put64(b, 0x7000, f);
	jit_put64(b, sizeof(code), f);
	jit_put64(b, 9, f);
	prefix(b, 3, 16, f);
}

static void save(const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, data, size), 0);
	close(fd);
}

static void check_object(const struct jit_format *f)
{
	const struct elf_section *s;
	struct elf_symbol sym;
	struct elf_bytes bytes;
	struct build_id id;
	struct elf *e;
	u64 addr;

	assert_int_equal(elf_open(object, &e, NULL), 0);
	assert_int_equal(elf_machine(e), f->machine);
	assert_int_equal(elf_is_64(e), f->is64);
	assert_int_equal(elf_is_swapped(e), f->swap);
	assert_true(elf_build_id(e, &id) && id.size == 20);
	s = elf_section(e, ".symtab");
	assert_non_null(s);
	assert_true(elf_symbol_at(e, s, 1, &sym));
	assert_string_equal(sym.name, "name");
	assert_int_equal(sym.value, JIT_CODE_OFFSET);
	assert_int_equal(sym.size, sizeof(code));
	assert_true(elf_offset_to_addr(e, JIT_CODE_OFFSET + 3, &addr));
	assert_int_equal(addr, JIT_CODE_OFFSET + 3);
	bytes = elf_section_raw(e, elf_section(e, ".text"));
	assert_int_equal(bytes.size, sizeof(code));
	assert_memory_equal(bytes.data, code, sizeof(code));
	bytes = elf_section_raw(e, elf_section(e, ".eh_frame"));
	assert_memory_equal(bytes.data, "0123456789ab", bytes.size);
	assert_int_equal(elf_section(e, ".eh_frame_hdr")->size, 4);
	assert_non_null(elf_section(e, ".debug_line"));
	elf_close(e);
}

static void reads(void **state)
{
	static const struct jit_format formats[] = {
		{ EM_X86_64, false, true },
		{ EM_S390, true, true },
		{ EM_386, false, false },
		{ EM_PPC, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct strbuf b = STRBUF_INIT;
		struct jitdump *d;
		struct jit_entry e;

		make_dump(&b, &formats[i]);
		save(b.s, b.len);
		assert_int_equal(jitdump_open(path, &d, NULL), 0);
		assert_int_equal(jitdump_pid(d), 77);
		assert_false(jitdump_in_cycles(d));
		assert_int_equal(jitdump_next(d, &e, NULL), 1);
		assert_int_equal(e.kind, JIT_LOAD);
		assert_int_equal(e.time, 1000);
		assert_int_equal(e.tid, 78);
		assert_int_equal(e.addr, 0x5000);
		assert_int_equal(e.size, sizeof(code));
		assert_int_equal(e.index, 9);
		assert_string_equal(e.name, "name");
		assert_int_equal(e.line_count, 2);
		assert_int_equal(e.lines[1].line, 12);
		assert_string_equal(e.lines[1].file, "a");
		assert_int_equal(e.eh_frame_size, 12);
		assert_int_equal(jit_write_object(d, &e, object, NULL), 0);
		check_object(&formats[i]);
		assert_int_equal(jitdump_next(d, &e, NULL), 1);
		assert_int_equal(e.kind, JIT_MOVE);
		assert_int_equal(e.addr, 0x7000);
		assert_int_equal(jitdump_next(d, &e, NULL), 1);
		assert_int_equal(e.kind, JIT_CLOSE);
		assert_int_equal(jitdump_next(d, &e, NULL), 0);
		jitdump_close(d);
		strbuf_release(&b);
	}
}

/* Checks that a file that grows gives each record once, when it is complete. */
static void grows(void **state)
{
	const struct jit_format f = { EM_X86_64, false, true };
	struct strbuf b = STRBUF_INIT;
	struct jitdump *d;
	struct jit_entry e;
	size_t entries = 0;

	(void)state;
	make_dump(&b, &f);
	save(b.s, 40);
	assert_int_equal(jitdump_open(path, &d, NULL), 0);
	for (size_t n = 41; n <= b.len; n++) {
		int got;

		save(b.s, n);
		while ((got = jitdump_next(d, &e, NULL)) == 1)
			entries++;
		assert_int_equal(got, 0);
	}
	assert_int_equal(entries, 3);
	jitdump_close(d);
	strbuf_release(&b);
}

/* Replaces every byte and tries every length, and checks that nothing is read that is not there. */
static void damaged(void **state)
{
	static const u8 values[] = { 0, 1, 0x7f, 0xff };
	const struct jit_format f = { EM_X86_64, false, true };
	struct strbuf b = STRBUF_INIT;
	size_t refused = 0;

	(void)state;
	make_dump(&b, &f);
	for (size_t i = 0; i < b.len * ARRAY_SIZE(values); i++) {
		char *at = &b.s[i / ARRAY_SIZE(values)], was = *at;
		struct reason r = REASON_INIT;
		struct jitdump *d;
		struct jit_entry e;
		int got;

		*at = (char)values[i % ARRAY_SIZE(values)];
		save(b.s, b.len);
		*at = was;
		if (jitdump_open(path, &d, &r)) {
			assert_non_null(r.text);
			reason_release(&r);
			refused++;
			continue;
		}
		while ((got = jitdump_next(d, &e, &r)) == 1)
			if (e.kind == JIT_LOAD)
				assert_int_equal(jit_write_object(d, &e, object, NULL), 0);
		assert_true(got == 0 || r.text);
		refused += got < 0;
		reason_release(&r);
		jitdump_close(d);
	}
	assert_true(refused > 20);
	strbuf_release(&b);
}

/* Appends the LOAD of a function; with_frames adds unwind tables as compilers write them. */
static void put_load(struct strbuf *b, const struct jit_format *f, const char *name, u64 addr,
		     u64 index, bool with_frames)
{
	if (with_frames) {
		prefix(b, 4, 16 + 24 + 36, f);
		jit_put64(b, 36, f);
		jit_put64(b, 0, f);
		jit_put64(b, 0, f);
		jit_put32(b, 16,
			  f); /* the common part: version 1, "zR", relative addresses of 4 bytes */
		jit_put32(b, 0, f);
		strbuf_add(b, "\1zR\0\1\x78\20\1\x1b\0\0\0", 12);
		jit_put32(b, 12, f);
		jit_put32(b, 24, f);
		jit_put32(b, (u32) - (8 + 28), f); /* from its own place to the begin of the code */
		jit_put32(b, sizeof(code), f);
	}
	prefix(b, 0, (u32)(16 + 40 + strlen(name) + 1 + sizeof(code)), f);
	jit_put32(b, 77, f);
	jit_put32(b, 78, f);
	jit_put64(b, addr, f);
	jit_put64(b, addr, f);
	jit_put64(b, sizeof(code), f);
	jit_put64(b, index, f);
	strbuf_add(b, name, strlen(name) + 1);
	strbuf_add(b, code, sizeof(code));
}

static struct elf *open_part(struct jit_code *c, u32 part)
{
	size_t size;
	const u8 *bytes = jit_code_object(c, part, &size);
	struct elf *e;

	assert_non_null(bytes);
	assert_int_equal(elf_open_bytes(bytes, size, true, &e, NULL), 0);
	return e;
}

static void check_function(const struct elf *e, u32 number, const char *name, u64 offset)
{
	size_t size;
	struct elf_symbol sym;

	assert_true(elf_symbol_at(e, elf_section(e, ".symtab"), number, &sym));
	assert_string_equal(sym.name, name);
	assert_int_equal(sym.value, offset);
	assert_int_equal(sym.size, sizeof(code));
	assert_memory_equal(elf_data(e, &size) + offset, code, sizeof(code));
}

/*
 * Checks that what is read after an object was asked for is in another one, and that a function
 * that moved stays.
 */
static void parts(void **state)
{
	static const struct jit_format formats[] = { { EM_X86_64, false, true },
						     { EM_PPC, true, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct strbuf b = STRBUF_INIT;
		struct jit_code *c;
		struct elf *e;
		size_t size;

		make_dump(&b, &formats[i]);
		strbuf_truncate(&b, b.len - 16); /* CLOSE */
		put_load(&b, &formats[i], "second", 0x6000, 10, false);
		save(b.s, b.len);
		assert_int_equal(jit_code_open(path, &c, NULL), 0);
		assert_int_equal(jit_code_read(c, NULL), 0);
		assert_int_equal(jit_code_count(c), 3);
		assert_int_equal(jit_code_at(c, 0)->addr, 0x5000);
		assert_int_equal(jit_code_at(c, 1)->addr, 0x7000);
		assert_int_equal(jit_code_at(c, 1)->offset, JIT_CODE_OFFSET);
		assert_int_equal(jit_code_at(c, 2)->offset, JIT_CODE_OFFSET + 16);
		e = open_part(c, 0);
		check_function(e, 1, "name", JIT_CODE_OFFSET);
		check_function(e, 2, "second", JIT_CODE_OFFSET + 16);
		assert_null(elf_section(e, ".eh_frame")); /* what cannot be moved */
		elf_close(e);
		put_load(&b, &formats[i], "third", 0x5000, 11, false);
		save(b.s, b.len);
		assert_int_equal(jit_code_read(c, NULL), 0);
		assert_int_equal(jit_code_at(c, 3)->part, 1);
		e = open_part(c, 1);
		check_function(e, 1, "third", JIT_CODE_OFFSET);
		elf_close(e);
		assert_null(jit_code_object(c, 2, &size));
		jit_code_free(c);
		strbuf_release(&b);
	}
}

/* Checks that the tables of two functions, put into one, each begin at their own code. */
static void frames(void **state)
{
	static const struct jit_format formats[] = { { EM_X86_64, false, true },
						     { EM_PPC64, true, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct strbuf b = STRBUF_INIT;
		const struct elf_section *s;
		struct jit_code *c;
		const u8 *data;
		struct elf *e;
		size_t size;

		make_dump(&b, &formats[i]);
		strbuf_truncate(&b, 40);
		put_load(&b, &formats[i], "one", 0x5000, 0, true);
		put_load(&b, &formats[i], "two", 0x6000, 1, true);
		save(b.s, b.len);
		assert_int_equal(jit_code_open(path, &c, NULL), 0);
		assert_int_equal(jit_code_read(c, NULL), 0);
		e = open_part(c, 0);
		s = elf_section(e, ".eh_frame");
		assert_non_null(s);
		assert_int_equal(s->size, 72);
		data = elf_data(e, &size) + s->offset;
		for (u32 n = 0; n < 2; n++) {
			u64 field = s->addr + 36 * n + 28;
			s32 distance = (s32)load_u32(data + 36 * n + 28, formats[i].swap);

			assert_int_equal(field + (u64)(s64)distance, JIT_CODE_OFFSET + 16 * n);
		}
		elf_close(e);
		jit_code_free(c);
		strbuf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads), cmocka_unit_test(grows),  cmocka_unit_test(damaged),
		cmocka_unit_test(parts), cmocka_unit_test(frames),
	};

	return cmocka_run_group_tests(tests, make_names, remove_files);
}
