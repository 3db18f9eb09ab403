// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of stripped objects, which only unwind tables tell of; nm of the object before it was
 * stripped judges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/elf.h"
#include "symbol/internal.h"
#include "shell.h"

static char dir[] = "/tmp/perf-ranges-XXXXXX";

#define sh(...) shell(dir, __VA_ARGS__)

static const char source[] =
	"int puts(const char *);\n"
	"__attribute__((noinline)) static int hidden(int x) { return puts(\"x\") + x; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) * 2; }\n";

static const char bare_source[] =
	".text\n.globl before\n.type before, %function\nbefore: .skip 8\n.size before, 8\n"
	"bare: .skip 64\n.section .note.GNU-stack,\"\",%progbits\n";

/*
 * The first entry covers 128 bytes once patch() has been here: the linker refuses entries inside
 * it.
 */
static const char nested_source[] = ".text\n"
				    ".p2align 4\n"
				    ".local around\n"
				    ".type around, %function\n"
				    "around: .skip 128\n"
				    ".size around, 128\n"
				    ".skip 64\n"
				    ".section .eh_frame,\"a\",%progbits\n"
				    "1: .long 3f-2f\n"
				    "2: .long 0\n"
				    ".byte 1\n"
				    ".asciz \"zR\"\n"
				    ".uleb128 1\n"
				    ".sleb128 -8\n"
				    ".byte 16\n"
				    ".uleb128 1\n"
				    ".byte 0x1b\n"
				    ".p2align 2\n"
				    "3:\n"
				    ".macro fde at, size\n"
				    ".long 5f-4f\n"
				    "4: .long 4b-1b\n"
				    ".long around + \\at - .\n"
				    ".long \\size\n"
				    ".uleb128 0\n"
				    ".p2align 2\n"
				    "5:\n"
				    ".endm\n"
				    ".long 5f-4f\n"
				    "4: .long 4b-1b\n"
				    ".long around - .\n"
				    ".long 16\n"
				    ".uleb128 8\n"
				    ".ascii \"PATCHME!\"\n"
				    ".p2align 2\n"
				    "5:\n"
				    "fde 16, 8\n"
				    "fde 32, 8\n"
				    "fde 48, 8\n"
				    "fde 80, 0\n"
				    ".section .note.GNU-stack,\"\",%progbits\n";

static bool patch(void)
{
	static const u8 size[] = { 128, 0, 0, 0 };
	size_t len = 0, room = 1 << 20;
	u8 *bytes = malloc(room), *at;
	FILE *f = fopen("full.so", "r+");
	bool done;

	assert_true(bytes && f);
	len = fread(bytes, 1, room, f);
	at = memmem(bytes, len, "PATCHME!", 8);
	done = at && !fseek(f, at - bytes - 5, SEEK_SET) && fwrite(size, 1, 4, f) == 4;
	free(bytes);
	return !fclose(f) && done;
}

static int put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	return !f || fputs(text, f) < 0 || fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chdir(dir) || put("t.c", source) || put("bare.s", bare_source) ||
	    put("nested.s", nested_source))
		return -1;
	return !sh("gcc -O1 -shared -fPIC -Wl,-z,lazy t.c bare.s nested.s -o full.so") ||
	       !patch() || !sh("cp full.so t.so && strip t.so");
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || !sh("rm -rf %s", dir);
}

struct fixture {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *store;
	const struct symbol_table *table;
};

static void open_store(struct fixture *f)
{
	struct symbol_options o = { .symfs = dir, .buildid_dir = dir };
	struct image want = { .path = "/t.so", .pid = -1 };

	memset(f, 0, sizeof(*f));
	f->images = image_table_new();
	f->store = symbol_store_new(&f->ctx, f->images, &o);
	f->table = symbols_of(f->store, image_intern(f->images, &want));
}

static void close_store(struct fixture *f)
{
	symbol_store_free(f->store);
	image_table_free(f->images);
	condition_list_release(&f->ctx.conditions);
}

/* The address and size of a function before the object was stripped. */
static void judge(const char *name, u64 *address, u64 *size)
{
	char *command = NULL;
	unsigned long at = 0, bytes = 0;
	FILE *f;

	assert_true(
		asprintf(&command,
			 "nm -S %s/full.so | awk '$NF == \"%s\" { print $1, (NF > 3 ? $2 : 0) }'",
			 dir, name) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx %lx", &at, &bytes), 2);
	pclose(f);
	free(command);
	*address = at;
	*size = bytes;
}

static u32 number_at(const struct fixture *f, u64 address)
{
	u64 offset;

	assert_true(elf_addr_to_offset(f->table->elf, address, &offset));
	return symbol_find(f->table, offset);
}

static void test_hidden(void **state)
{
	struct fixture f;
	u64 address, size, offset;
	char name[64];
	u32 n;

	(void)state;
	open_store(&f);
	judge("hidden", &address, &size);
	assert_true(elf_addr_to_offset(f.table->elf, address, &offset));
	/* nobody has read the unwind tables yet */
	assert_false(symbol_find_loaded(f.table, offset, &n));
	n = number_at(&f, address);
	assert_false(symbol_is_named(n));
	assert_int_not_equal(n, NO_SYMBOL);
	snprintf(name, sizeof(name), "[t.so+0x%lx]", (unsigned long)address);
	assert_string_equal(symbol_get(f.table, n)->name, name);
	assert_int_equal(symbol_end(symbol_get(f.table, n)) - offset, size);
	assert_int_equal(number_at(&f, address + size - 1), n);
	assert_int_not_equal(number_at(&f, address + size), n);
	assert_int_equal(symbol_by_name(f.table, name), n);
	assert_int_equal(symbol_by_name(f.table, "[t.so+0x1]"), NO_SYMBOL);
	assert_int_equal(symbol_by_name(f.table, "[t.so+x]"), NO_SYMBOL);
	assert_true(symbol_find_loaded(f.table, offset, &n));
	assert_int_equal(number_at(&f, address), n);
	for (u32 i = 0; i < symbol_count(f.table); i++)
		assert_int_not_equal(symbol_get(f.table, i)->name[0], '[');
	close_store(&f);
}

static void test_named_and_outside(void **state)
{
	struct fixture f;
	u64 address, size;

	(void)state;
	open_store(&f);
	judge("shown", &address, &size);
	assert_string_equal(symbol_get(f.table, number_at(&f, address + size - 1))->name, "shown");
	judge("bare", &address, &size); /* neither a symbol nor unwind tables */
	assert_int_equal(number_at(&f, address), NO_SYMBOL);
	assert_int_equal(number_at(&f, address + 63), NO_SYMBOL);
	close_store(&f);
}

static void test_stubs(void **state)
{
	struct fixture f;
	const struct elf_section *plt;
	bool named = false;

	(void)state;
	open_store(&f);
	plt = elf_section(f.table->elf, ".plt");
	if (!plt) {
		close_store(&f);
		skip();
	}
	for (u64 at = plt->addr; at < plt->addr + plt->size; at++) {
		u32 n = number_at(&f, at);

		assert_true(n == NO_SYMBOL || symbol_is_named(n));
		named |= n != NO_SYMBOL && !strcmp(symbol_get(f.table, n)->name, "puts@plt");
	}
	assert_true(named);
	close_store(&f);
}

/* Functions with tables of their own inside a larger one: three with code, and one without. */
static void test_nested(void **state)
{
	struct fixture f;
	u64 address, size;
	u32 outer;

	(void)state;
	open_store(&f);
	judge("around", &address, &size);
	outer = number_at(&f, address);
	assert_int_not_equal(outer, NO_SYMBOL);
	assert_int_equal(number_at(&f, address + 15), outer);
	for (u32 i = 0; i < 3; i++) {
		u32 inner = number_at(&f, address + 16 + 16 * i);

		assert_int_not_equal(inner, NO_SYMBOL);
		assert_int_not_equal(inner, outer);
		assert_int_equal(number_at(&f, address + 16 + 16 * i + 7), inner);
		assert_int_equal(number_at(&f, address + 16 + 16 * i + 8), outer);
	}
	assert_int_equal(number_at(&f, address + 127), outer);
	assert_int_equal(number_at(&f, address + 128), NO_SYMBOL);
	close_store(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_named_and_outside),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_nested),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
